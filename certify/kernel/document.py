"""The whole check: a certificate in, a verdict out. Nothing written in the file is believed.

The verdict lists one statement for every witness, and ``==`` when the best two ends meet. One bad witness
rejects the certificate: a file that holds a false claim is not half true.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from certify.kernel.embedding import EMBEDDING
from certify.kernel.exact import MAX_BYTES, Rejected, array, mapping, read_json, shown, text
from certify.kernel.kcenter import KCENTER
from certify.kernel.kdiameter import KDIAMETER
from certify.kernel.kmeans import KMEANS
from certify.kernel.medoids import KMEDIAN, KMEDOIDS
from certify.kernel.mincut import MINCUT
from certify.kernel.nullspace import NULLSPACE
from certify.kernel.recovery import RECOVERY
from certify.kernel.rip import RIP
from certify.kernel.sidecar import Beside, inlined
from certify.kernel.spark import SPARK
from certify.kernel.statement import DETERMINISTIC, Proved, Rules, Statement, Verdict, state

FORMAT = "certify/1"
MAX_WITNESSES = 16

FAMILIES: dict[str, Rules] = {
    "basis_pursuit": RECOVERY,
    "embedding": EMBEDDING,
    "kcenter": KCENTER,
    "kdiameter": KDIAMETER,
    "kmeans": KMEANS,
    "kmedian": KMEDIAN,
    "kmedoids": KMEDOIDS,
    "mincut": MINCUT,
    "nullspace": NULLSPACE,
    "rip": RIP,
    "spark": SPARK,
}


def digest_of(family: str, canonical: Any) -> str:
    """SHA-256 of the data in canonical form: sorted keys, no spaces, integers in hex."""
    digest = hashlib.sha256()
    for piece in _pieces({"family": family, "problem": canonical}):
        digest.update(piece.encode())
    return digest.hexdigest()


def _pieces(value: Any) -> Iterator[str]:
    """JSON text in pieces, a row of numbers at a time: large data must not be held twice."""
    if isinstance(value, dict):
        for k, key in enumerate(sorted(value)):
            yield f"{',' if k else '{'}{json.dumps(key)}:"
            yield from _pieces(value[key])
        yield "}" if value else "{}"
    elif isinstance(value, list) and all(type(entry) is int for entry in value):
        yield '["' + '","'.join([format(entry, "x") for entry in value]) + '"]' if value else "[]"
    elif isinstance(value, list):
        for k, entry in enumerate(value):
            yield "," if k else "["
            yield from _pieces(entry)
        yield "]"
    else:
        yield json.dumps(format(value, "x") if isinstance(value, int) else value)


def check_document(document: Any, pure: bool = False, beside: Beside | None = None) -> Verdict:
    """Check a parsed certificate (what :func:`read_json` returns); ``beside`` reads its side-cars."""
    return _verdict(lambda: _prove(document, pure, beside))


def check_bytes(data: bytes, pure: bool = False, beside: Beside | None = None) -> Verdict:
    """Check a certificate as it stands in a file, plain or gzipped; ``beside`` reads the files beside it."""
    return _verdict(lambda: _prove(read_json(unpack(data)), pure, beside))


def _verdict(prove: Callable[[], list[Statement]]) -> Verdict:
    """What was proved, or why nothing was. The last clause is for what should not happen: still a rejection."""
    try:
        return Verdict(True, tuple(prove()))
    except Rejected as fault:
        return Verdict(False, rule=fault.rule, where=fault.where, why=fault.why)
    except Exception as fault:
        return Verdict(False, rule="internal", where="kernel", why=f"{type(fault).__name__}: {shown(str(fault))}")


def _prove(document: Any, pure: bool, beside: Beside | None) -> list[Statement]:
    table = mapping(document, "certificate", {"format", "family", "problem", "witnesses"}, {"made_by"})
    text(table["format"], "format", (FORMAT,))
    family = text(table["family"], "family", tuple(FAMILIES))
    if type(table.get("made_by", {})) is not dict:
        raise Rejected("json.type", "made_by", "expected an object")
    rules = FAMILIES[family]
    canonical, data = rules.canonical(inlined(table["problem"], "problem", beside))
    digest = digest_of(family, canonical)
    statements = []
    proved: dict[str, list[Any]] = {">=": [], "<=": [], "infeasible": [], "unbounded": []}
    witnesses = array(table["witnesses"], "witnesses")
    if len(witnesses) > MAX_WITNESSES:
        raise Rejected("size", "witnesses", f"more than {MAX_WITNESSES} witnesses")
    for i, witness in enumerate(witnesses):
        found = Proved(*rules.check(witness, f"witnesses[{i}]", data, pure))
        statements.append(state(rules, data, found, digest))
        if found.rigor == DETERMINISTIC:
            proved[found.relation].append(found.value)
    if not statements:
        raise Rejected("witnesses.empty", "witnesses", "a certificate without a witness proves nothing")
    certain = Verdict(True, tuple(s for s in statements if s.rigor == DETERMINISTIC))
    lower, upper = certain.best(">="), certain.best("<=")
    if lower is not None and upper is not None and lower > upper:
        raise Rejected("contradiction", "witnesses", "the lower end lies above the upper end")
    attained, beyond = ("<=", ">=") if rules.sense == "min" else (">=", "<=")  # who is attained bounds the optimum so
    if (proved["infeasible"] and (proved[attained] or proved["unbounded"])) or (proved["unbounded"] and proved[beyond]):
        raise Rejected("contradiction", "witnesses", "infeasible, unbounded and bounded exclude each other")
    equal = next((value for value in proved[">="] if value in proved["<="]), None)
    if equal is not None:
        statements.append(state(rules, data, Proved("==", equal), digest))
    return statements


def unpack(data: bytes) -> bytes:
    """The bytes themselves, or what was gzipped, never more than MAX_BYTES."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    pieces, size = [], 0
    try:
        engine = zlib.decompressobj(wbits=31)
        while data and size <= MAX_BYTES:
            pieces.append(engine.decompress(data, MAX_BYTES + 1 - size))
            size += len(pieces[-1])
            data = engine.unconsumed_tail
        if size > MAX_BYTES:
            raise Rejected("gzip.size", "file", f"more than {MAX_BYTES} bytes when unpacked")
        if not engine.eof or engine.unused_data:
            raise Rejected("gzip.end", "file", "the gzip stream is cut short, or something follows it")
    except zlib.error as fault:
        raise Rejected("gzip", "file", str(fault)) from None
    return b"".join(pieces)
