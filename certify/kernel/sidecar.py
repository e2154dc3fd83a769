"""Side-cars: a large table of numbers in a ``.npy`` file beside the certificate, bound to it by its SHA-256.

In the ``problem`` of a certificate ``{"npy": NAME, "sha256": HEX}`` may stand for a matrix
``{"denominator": q, "rows": [[…]]}``: that of the numbers in the file, each taken as the rational it is, over the
least power of two that makes integers of them all. What the data are, and their digest, does not depend on which
of the two was written.
"""

from __future__ import annotations

import re
import sys
from array import array as machine_array
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from certify.kernel.exact import MAX_BYTES, Rejected, mapping, shown, spot, storable

MAX_SIDECAR = 25_000_000  # numbers in one file
MAX_SECTIONS = 3  # how deep in the problem a side-car may stand

Beside = Callable[[str], bytes]  # the bytes of a file beside the certificate; OSError if there is none

_SIDECAR_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}\.npy")
_SIDECAR_HEADER = re.compile(
    rb"\{'descr': '([<|][fiu][1248])', 'fortran_order': False, "
    rb"'shape': \(([1-9][0-9]{0,8}), ([1-9][0-9]{0,8})\), \} *\n"
)
_SIDECAR_TYPES = {
    b"<f8": "d", b"<f4": "f", b"<i8": "q", b"<i4": "i", b"<i2": "h", b"|i1": "b", b"|u1": "B",
}  # fmt: skip


def inlined(value: Any, where: str, beside: Beside | None, depth: int = MAX_SECTIONS) -> Any:
    """The value with every side-car in it replaced by the matrix that it holds."""
    if type(value) is not dict or depth < 0:
        return value
    if "npy" in value:
        return _sidecar_matrix(mapping(value, where, {"npy", "sha256"}), where, beside)
    return {key: inlined(entry, f"{where}.{spot(key)}", beside, depth - 1) for key, entry in value.items()}


def _sidecar_matrix(entry: dict[str, Any], where: str, beside: Beside | None) -> dict[str, Any]:
    name = entry["npy"]
    if type(name) is not str or _SIDECAR_NAME.fullmatch(name) is None:
        raise Rejected("sidecar.name", f"{where}.npy", f"not the plain name of a .npy file: {shown(name)}")
    if beside is None:
        raise Rejected("sidecar.absent", f"{where}.npy", "it is not known in which folder to look for it")
    try:
        data = beside(name)
    except OSError as fault:
        raise Rejected("sidecar.absent", f"{where}.npy", f"cannot be read: {shown(fault.strerror)}") from None
    if len(data) > MAX_BYTES:
        raise Rejected("size", f"{where}.npy", f"more than {MAX_BYTES} bytes")
    if sha256(data).hexdigest() != entry["sha256"]:
        raise Rejected("sidecar.sha256", f"{where}.sha256", "the file beside the certificate is not the one it names")
    return sidecar_table(data, f"{where}.npy")


def sidecar_table(data: bytes, where: str) -> dict[str, Any]:
    """The matrix in the bytes of a .npy file of two axes, in the order of C: format 1.0, little-endian numbers."""
    start = 10 + int.from_bytes(data[8:10], "little")
    head = _SIDECAR_HEADER.fullmatch(data[10:start])
    if data[:8] != b"\x93NUMPY\x01\x00" or head is None or head[1] not in _SIDECAR_TYPES:
        raise Rejected("sidecar.header", where, "not .npy 1.0, two axes in C order, f8, f4, i8, i4, i2, i1 or u1")
    n, width = int(head[2]), int(head[3])
    numbers = machine_array(_SIDECAR_TYPES[head[1]])
    if n * width > MAX_SIDECAR:
        raise Rejected("size", where, f"more than {MAX_SIDECAR} numbers")
    if len(data) - start != n * width * numbers.itemsize:
        raise Rejected("sidecar.length", where, "the shape asks for another number of bytes")
    numbers.frombytes(data[start:])
    if sys.byteorder == "big":
        numbers.byteswap()
    denominator, longest_top = 1, 0
    try:
        for x in numbers:
            p, q = x.as_integer_ratio()
            denominator, longest_top = max(denominator, q), max(longest_top, p.bit_length())
    except (OverflowError, ValueError):
        raise Rejected("sidecar.finite", where, "an infinity or not a number") from None
    storable(where, len(numbers), longest_top + denominator.bit_length())
    flat = [p * (denominator // q) for p, q in (x.as_integer_ratio() for x in numbers)]
    return {"denominator": denominator, "rows": [flat[r : r + width] for r in range(0, n * width, width)]}
