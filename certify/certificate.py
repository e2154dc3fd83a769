"""The certificate: exact problem data and witnesses, as a document and as a file."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import index
from pathlib import Path
from typing import Any

from certify.errors import Fault, InputError
from certify.kernel import (
    FORMAT,
    Beside,
    Rejected,
    Verdict,
    check_bytes,
    check_document,
    inlined,
    rational_text,
    read_json,
    unpack,
)
from certify.kernel.exact import MAX_BYTES, int_to_decimal

SAFE_INTEGER = 1 << 53  # beyond it, JSON readers of other languages round: written as text


@dataclass(frozen=True)
class Certificate:
    """Problem data and witnesses. It claims nothing: :meth:`check` says what it proves.

    problem: the canonical exact data; witnesses: as in ``docs/certificate-format.md``; made_by: words for
    people (versions, seconds, what a solver had claimed), neither trusted nor needed. beside: reads the side-cars, if
    the data are in .npy files beside the certificate.
    """

    family: str
    problem: Mapping[str, Any]
    witnesses: tuple[Mapping[str, Any], ...]
    made_by: Mapping[str, Any] = field(default_factory=dict, compare=False)
    beside: Beside | None = field(default=None, compare=False, repr=False)

    def document(self) -> dict[str, Any]:
        """What the kernel reads."""
        document: dict[str, Any] = {
            "format": FORMAT,
            "family": self.family,
            "problem": self.problem,
            "witnesses": list(self.witnesses),
        }
        if self.made_by:
            document["made_by"] = self.made_by
        return document

    def dumps(self) -> str:
        """The text of the file: one line for every top-level part and for every witness."""
        return self._text

    @cached_property
    def _text(self) -> str:
        document = portable(self.document())
        witnesses = ",\n".join(json.dumps(w, ensure_ascii=False, separators=(",", ":")) for w in document["witnesses"])
        parts = [
            f'"{key}":{json.dumps(document[key], ensure_ascii=False, separators=(",", ":"))}'
            for key in document
            if key != "witnesses"
        ]
        parts.insert(3, f'"witnesses":[\n{witnesses}\n]')
        return "{" + ",\n".join(parts) + "}\n"

    def check(self, pure: bool = False) -> Verdict:
        """The kernel's verdict on this certificate."""
        return check_document(portable(self.document()), pure, self.beside)

    def data(self) -> Any:
        """The problem with its side-cars read. Raises Rejected if one is missing or not what it should be."""
        return inlined(self.problem, "problem", self.beside)

    def save(self, path: str | Path) -> Path:
        """Write the file, and first its side-cars, whole or not at all; gzipped if the name ends in ``.gz``.

        Raises InputError.
        """
        target = Path(path)
        for name, data in self._files():
            there = target.parent / name
            if not there.is_file() or there.read_bytes() != data:
                write_whole(there, data)
        data = self.dumps().encode()
        if target.suffix == ".gz":
            import gzip

            data = gzip.compress(data, mtime=0)
        write_whole(target, data)
        return target

    def _files(self) -> Iterator[tuple[str, bytes]]:
        """Its side-cars: names and bytes."""
        for name in _sidecars(self.problem):
            if self.beside is None:
                raise InputError(Fault(name, "the side-car of this certificate is not known", "load the certificate"))
            yield name, self.beside(name)

    @staticmethod
    def load(path: str | Path) -> Certificate:
        """Read a certificate without checking it. Raises InputError if it is not one."""
        return Certificate.parse(read_bytes(Path(path)), str(path), beside(path))

    @staticmethod
    def parse(data: bytes, name: str = "certificate", beside: Beside | None = None) -> Certificate:
        """:meth:`load` of the bytes of a file; ``name`` is what errors call it."""
        try:
            document = read_json(unpack(data))
        except Rejected as fault:
            raise InputError(Fault(name, f"not a certificate ({fault.rule} {fault.where}: {fault.why})")) from None
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise InputError(Fault(name, f'not a certificate: "format" is not "{FORMAT}"'))
        family, problem, witnesses = document.get("family"), document.get("problem"), document.get("witnesses")
        made_by = document.get("made_by", {})
        if (
            not isinstance(family, str)
            or not isinstance(problem, dict)
            or not isinstance(witnesses, list)
            or not all(isinstance(w, dict) for w in witnesses)
            or not isinstance(made_by, dict)
        ):
            raise InputError(
                Fault(name, "not a certificate: family, problem or witnesses are missing or of a wrong type")
            )
        return Certificate(family, problem, tuple(witnesses), made_by, beside)


def check_file(path: str | Path, pure: bool = False) -> Verdict:
    """Read a file and check it. InputError only if the file cannot be read."""
    return check_bytes(read_bytes(Path(path)), pure, beside(path))


def beside(path: str | Path) -> Beside | None:
    """Reads the files that lie beside a certificate; None for one from standard input."""
    folder = Path(path).parent

    def read(name: str) -> bytes:
        with (folder / name).open("rb") as file:
            return file.read(MAX_BYTES + 1)

    return None if str(path) == "-" else read


def sidecar(table: Any) -> tuple[dict[str, str], Mapping[str, bytes]]:
    """A table of numbers, (n, k), as the entry of a problem and the file that it names.

    table: a numpy array; float32, float64 and integers of up to 64 bits are kept as they are.
    """
    import io
    from hashlib import sha256

    import numpy as np

    file = io.BytesIO()
    np.lib.format.write_array(file, np.ascontiguousarray(table), version=(1, 0), allow_pickle=False)
    data = file.getvalue()
    digest = sha256(data).hexdigest()
    name = f"data-{digest[:16]}.npy"
    return {"npy": name, "sha256": digest}, {name: data}


def _sidecars(problem: Any) -> Iterator[str]:
    """The names of the side-cars of a problem."""
    if isinstance(problem, Mapping):
        if isinstance(problem.get("npy"), str) and "sha256" in problem:
            yield problem["npy"]
        else:
            for entry in problem.values():
                yield from _sidecars(entry)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, ``-`` is stdin. InputError in one line if it is absent, a folder or unreadable.

    Of a file that is larger than the kernel takes only so much is read that the kernel can say so.
    """
    try:
        if str(path) == "-":
            return sys.stdin.buffer.read(MAX_BYTES + 1)
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except OSError as fault:
        raise InputError(Fault(str(path), _reason(fault), "give a readable file")) from None


def write_whole(target: Path, data: bytes) -> None:
    """Write to a temporary name beside the target and rename: a reader sees the old file or the new one.

    A link is followed. What is no file (a device, a pipe) is written to, never replaced.
    """
    from tempfile import mkstemp

    try:
        if _special(target):
            target.write_bytes(data)
            return
        target = Path(os.path.realpath(target))
        handle, name = mkstemp(prefix=f".{target.name[:40]}.", suffix=".tmp", dir=target.parent)
    except OSError as fault:
        raise _unwritable(target, fault) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, target)
    except BaseException as fault:
        Path(name).unlink(missing_ok=True)
        if isinstance(fault, OSError):
            raise _unwritable(target, fault) from None
        raise


def refuse_unwritable(target: Path) -> None:
    """Raise InputError now if :func:`write_whole` could not write the target later."""
    from tempfile import TemporaryFile

    try:
        if not _special(target):
            if target.is_dir():
                raise IsADirectoryError(None, "it is a folder")
            with TemporaryFile(dir=Path(os.path.realpath(target)).parent):
                return
    except OSError as fault:
        raise _unwritable(target, fault) from None


def _special(target: Path) -> bool:
    """Whether something that is neither file nor folder stands there."""
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _unwritable(target: Path, fault: OSError) -> InputError:
    return InputError(Fault(str(target), f"cannot be written: {_reason(fault)}", "choose another place with -o"))


def _reason(fault: OSError) -> str:
    return (fault.strerror or str(fault)).lower()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def versions(names: Iterable[str]) -> dict[str, str]:
    """The versions at work, for ``made_by``."""
    import platform
    from importlib.metadata import PackageNotFoundError, version

    found = {"python": platform.python_version()}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def portable(value: Any) -> Any:
    """What the file holds: lists, tables, text and integers, those beyond 2^53 as text.

    Tuples, arrays, numpy integers and fractions become what the format spells them as. Floats, which no
    certificate may hold, become text: the kernel refuses them wherever a number is wanted.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        # A lone surrogate (from "\\ud800" in a JSON file) is no text that a file can hold.
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, int):
        return _integer(int(value))
    if isinstance(value, float):
        return repr(float(value))
    if isinstance(value, Fraction):
        return rational_text(value)
    if isinstance(value, Mapping):
        return {str(key): portable(entry) for key, entry in value.items()}
    if hasattr(value, "tolist"):  # an array, or a scalar of one, without importing numpy
        return portable(value.tolist())
    if isinstance(value, Iterable):
        return [_integer(entry) if type(entry) is int else portable(entry) for entry in value]
    return _integer(index(value))


def _integer(value: int) -> int | str:
    return value if -SAFE_INTEGER < value < SAFE_INTEGER else int_to_decimal(value)
