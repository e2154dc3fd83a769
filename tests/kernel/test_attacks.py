"""Small files that would cost much: refused, or done soon. And lies that only Python could tell."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from typing import Any

import pytest

from certify.kernel import check_bytes, check_document
from certify.testing import Raw, written
from certify.testing.embedding import tiny
from certify.testing.forging import bomb

LDL = {"kind": "ldl"}
ONE = {"kind": "one"}
SOON = 20.0  # seconds, on a machine that does other work as well


def certificate(metric: Any, *witnesses: Any) -> bytes:
    head = {"format": "certify/1", "family": "embedding", "problem": {"metric": metric}}
    return written({**head, "witnesses": list(witnesses)}).encode()


def graph(n: int, edges: Any) -> Any:
    return {"graph": {"vertices": n, "denominator": 1, "edges": edges}}


def star(n: int, length: Any = 1) -> Any:
    return graph(n, [[0, i, length] for i in range(1, n)])


def table(rows: Any) -> Any:
    return {"denominator": 1, "rows": rows}


HUGE = "2^131071"
DENSE = [[i, j, HUGE] for j in range(200) for i in range(j)]
BOMBS = {
    "a path of huge lengths": (certificate(graph(4000, [[i, i + 1, HUGE] for i in range(3999)]), ONE), "work"),
    "a star of huge lengths": (certificate(star(5000, HUGE), ONE), "work"),
    "a dense graph of huge lengths": (certificate(graph(200, sorted(DENSE)), ONE), "work"),
    "many edges and many points": (
        certificate(graph(5000, [[i, j, 1] for i in range(25) for j in range(i + 1, 5000)]), ONE), "work"),
    "a table of huge squares": (
        certificate({"squared_distances": table([[0 if i == j else HUGE for j in range(300)] for i in range(300)])}, ONE),
        "size",
    ),
    "many points on a line": (certificate({"points": table([[i] for i in range(100_000)]), "norm": "l2"}, ONE), "shape"),
    "points with huge coordinates": (
        certificate({"points": table([[i, HUGE] for i in range(3000)]), "norm": "l1"}, ONE), "work"),
    "wide points": (
        certificate({"points": table([[i] + [0] * 800 for i in range(250)]), "norm": "linf"}, ONE), "accepted"),
    "too many wide points": (
        certificate({"points": table([[i] + [0] * 300 for i in range(2000)]), "norm": "linf"}, ONE), "work"),
    "coordinates of many huge numbers": (
        certificate(star(300), {"kind": "coordinates", "points": table([[HUGE] * 200] * 300)}), "work"),
    "coordinates of some huge numbers": (
        certificate(star(300), {"kind": "coordinates", "points": table([[HUGE] * 20] * 300)}), "work"),
    "a column of huge coordinates": (
        certificate(star(900), {"kind": "coordinates", "points": table([[HUGE]] * 900)}), "work"),
    "a gram matrix to eliminate": (
        certificate(star(400), {"kind": "gram", "gram": table([[1] * i + [2**60] for i in range(400)]), "psd": LDL}), "work"),
    "weights to eliminate": (
        certificate(
            star(400), {"kind": "weights", "expand": [[0, i, i + 7**30] for i in range(1, 400)], "contract": [],
                        "ground": 1, "psd": LDL}), "work"),
    "huge exponents": (
        certificate(
            star(400), {"kind": "weights", "expand": [[0, i, 1] for i in range(1, 400)], "contract": [], "ground": 0,
                        "psd": {"kind": "factor", "exponents": [2**14] * 399, "multiplier": 1,
                                "factor": [[0] * i for i in range(1, 400)]}}), "accepted"),
    "a huge multiplier": (
        certificate(
            star(400), {"kind": "weights", "expand": [[0, i, HUGE] for i in range(1, 400)], "contract": [], "ground": 0,
                        "psd": {"kind": "factor", "exponents": [2**14] * 399, "multiplier": "2^131071",
                                "factor": [[0] * i for i in range(1, 400)]}}), "work"),
    "many witnesses": (certificate(star(400), *[ONE] * 50_000), "size"),
    "a value of very many digits": (
        certificate({"squared_distances": table([[0, 3], [3, 0]])},
                    {"kind": "weights", "expand": [[0, 1, "0x" + "7" * 32000]], "contract": [[0, 1, "0x" + "5" * 31999]],
                     "ground": 0, "psd": LDL}), "accepted"),
    "a megabyte of nested lists": (b"[" * 500_000 + b"]" * 500_000, "json.depth"),
    "a megabyte of empty lists": (b"[" + b"[]," * 333_000 + b"[]]", "json.type"),
    "a megabyte of digits": (b"1" * 1_000_000, "number.size"),
    "a megabyte of minus signs": (b"-" * 1_000_000, "json.syntax"),
    "a megabyte of long integers": (b"[" + b",".join([b"9" * 39_000] * 25) + b"]", "json.type"),
    "a megabyte of escapes": (b'"' + b"\\u0041" * 166_000 + b'"', "json.type"),
    "a megabyte of keys": (b"{" + b",".join(b'"%d":0' % i for i in range(90_000)) + b"}", "key.unknown"),
    "a megabyte of blanks": (b" " * 1_000_000, "json.syntax"),
    "a bomb of blanks": (bomb(1 << 27), "json.syntax"),
    "a bomb of brackets": (gzip.compress(b"[" * (1 << 27)), "json.size"),
    "a bomb of objects": (gzip.compress(b'{"a":' * (1 << 24)), "json.depth"),
    "a long hex": (certificate(star(2, "0x" + "f" * 1_000_000), ONE), "number.size"),
    "a long text": (certificate(star(2, "x" * 1_000_000), ONE), "number.syntax"),
    "a long key": (certificate({"x" * 1_000_000: 1}, ONE), "key.unknown"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs(name: str) -> None:
    data, rule = BOMBS[name]
    assert len(data) < 1_500_000
    began = time.monotonic()
    verdict = check_bytes(data, pure=True)
    assert time.monotonic() - began < SOON
    assert (verdict.rule or "accepted") == rule, verdict.why
    assert len(verdict.why) < 200


def test_memory_stays_small() -> None:
    """The worst of them in a process that may not take more than 4 GiB."""
    resource = pytest.importorskip("resource")
    source = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30));"
        "from certify.kernel import check_bytes; sys.stdout.write(check_bytes(sys.stdin.buffer.read()).rule)"
    )
    assert resource
    for name in ("a dense graph of huge lengths", "a bomb of brackets", "a table of huge squares"):
        data, rule = BOMBS[name]
        done = subprocess.run([sys.executable, "-c", source], input=data, capture_output=True, check=False)
        assert done.stdout.decode() == rule, done.stderr[-300:]


NO_ONES = (Raw("true"), Raw("1.0"), Raw("1e0"), Raw("null"), Raw("[1]"), "1.0", "１", " 1", "0b1", "1_0")


@pytest.mark.parametrize("spelled", NO_ONES, ids=repr)
@pytest.mark.parametrize("path", ["denominator", "edge", "vertices", "weight", "ground", "row"])
def test_no_other_spelling_of_one(spelled: Any, path: str) -> None:
    """Wherever a number stands, only the spellings of the format page are taken."""
    document = tiny()["four-cycle"]
    home, key = {
        "denominator": (document["problem"]["metric"]["graph"], "denominator"),
        "vertices": (document["problem"]["metric"]["graph"], "vertices"),
        "edge": (document["problem"]["metric"]["graph"]["edges"][0], 2),
        "weight": (document["witnesses"][0]["expand"][0], 2),
        "ground": (document["witnesses"][0], "ground"),
        "row": (document["witnesses"][1]["points"]["rows"][2], 0),
    }[path]
    home[key] = spelled  # type: ignore[index]
    assert not check_bytes(written(document).encode()).valid


def test_a_self_referencing_document() -> None:
    loop: dict[str, Any] = {"format": "certify/1", "family": "embedding", "witnesses": []}
    loop["problem"] = loop
    assert not check_document(loop).valid
    rows: list[Any] = []
    rows.append(rows)
    assert check_document({**tiny()["star"], "witnesses": rows}).rule == "json.type"


def test_deep_recursion_before_the_check() -> None:
    """A caller that has used up its stack gets a rejection, not an acceptance and not a crash."""

    def deep(levels: int) -> Any:
        if levels:
            return deep(levels - 1)
        return check_bytes(certificate(star(3), ONE))

    limit = sys.getrecursionlimit()
    for spare in range(60, 10, -1):
        try:
            verdict = deep(limit - len_of_stack() - spare)
        except RecursionError:
            break
        assert verdict.valid or verdict.rule in ("internal", "json.depth")


def len_of_stack() -> int:
    frame: Any = sys._getframe()
    depth = 0
    while frame:
        depth, frame = depth + 1, frame.f_back
    return depth
