"""Which document breaks which rule, and where: one table that drives many tests.

Every row is a file and the rule and place of its rejection. Here are the rows of the container and of the family
``embedding``; those of the other families are in ``rows_<family>.py`` and are joined to them at the end.
"""

# ruff: noqa: E501 (a table)

from __future__ import annotations

import gzip
import struct
from dataclasses import replace
from fractions import Fraction
from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any

from rule_row import GONE, Edits, Row, raw

from certify.testing import written
from certify.testing.embedding import tiny

TINY = tiny()
CYCLE, STAR, RING, ODD, FIVE = "four-cycle", "star", "ring of five", "no triangle inequality", "pentagon"
TREE = "ring in differences"
SIMPLEX, TAXI, EUCLID, ONE = "simplex", "taxi", "Euclidean points", "one point"
row = Edits(TINY)


def contradict(kernel: Any, first: Any = (">=", Fraction(3)), second: Any = ("<=", Fraction(2))) -> None:
    """Swap in a checker that proves >= 3 and <= 2, or what else excludes each other."""
    rules = kernel.FAMILIES["embedding"]

    def check(witness: dict[str, Any], where: str, data: Any, pure: bool) -> Any:
        return first if witness["kind"] == "one" else second

    words = {**rules.words, "infeasible": "no map", "unbounded": "no bound"}
    kernel.FAMILIES["embedding"] = type(rules)(rules.quantity, rules.latex, words, rules.canonical, check)


def both(first: Any, second: Any) -> Row:
    """A row in which the checker proves these two of a certificate with two witnesses."""
    lie = partial(contradict, first=first, second=second)
    return Row(
        f"contradiction {first} {second}", "contradiction", "witnesses", written(TINY[SIMPLEX]).encode(), lie=lie
    )


def table_of(square: Any) -> dict[str, Any]:
    """Four points at equal distances."""
    rows = [[0 if i == j else square for j in range(4)] for i in range(4)]
    return {"squared_distances": {"denominator": 1, "rows": rows}}


def npy(shape: tuple[int, ...], numbers: bytes, descr: str = "<f8", order: str = "False", magic: bytes = b"") -> bytes:
    """A .npy file, its header spelled by hand."""
    head = f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    return (magic or b"\x93NUMPY\x01\x00") + len(head).to_bytes(2, "little") + head + numbers


def doubles(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}d", *numbers)


def beside(rule: str, where: str, title: str, file: bytes | None, *, limits: Any = None, **entry: Any) -> Row:
    """A row whose points are in a .npy file; ``entry`` changes what the problem says of it."""
    named = {"npy": "x.npy", "sha256": sha256(file or b"").hexdigest(), **entry}
    data = row.edited(TAXI, problem__metric__points={key: value for key, value in named.items() if value is not GONE})
    return Row(
        f"{rule} {title}", rule, where, data, "", limits or {}, files={} if file is None else {named["npy"]: file}
    )


WIDE_PLANE = doubles(*(i + j for i in range(5) for j in range(200)))
TINY_PLANE = doubles(*(x * 2.0**-1000 for x in (0, 0, 3, 0, 0, 2, 1, 1, 5, 3)))  # the same metric
PLANE = doubles(0, 0, 3, 0, 0, 2, 1, 1, 5, 3)
GRAPH, METRIC = "problem.metric.graph", "problem.metric"
LDL = {"kind": "ldl"}
W0 = "witnesses[0]"
CYCLE_TEXT = written(TINY[CYCLE]).encode()
WIDE = {"denominator": 1, "rows": [[0, "2^2000"], [1, 0], [0, 0], [5, 5]]}
BIG_FACTOR = {"kind": "factor", "exponents": [0, 0, 0], "multiplier": 1, "factor": [["2^900"], [0, 0], [0, 0, 0]]}
BIG_TOP = {"kind": "factor", "exponents": [0, 0, 0], "multiplier": "2^900", "factor": [[1], [0, 1], [0, 0, 1]]}
# 2^900·I / 2^600 = (2^150·I)²: nothing is left over
LONG_STAR = [[0, 1, "2^900"], [0, 2, "2^900"], [0, 3, "2^900"]]
EVEN_FACTOR = [["2^150"], [0, "2^150"], [0, 0, "2^150"]]
BIG_BOTTOM = {"kind": "factor", "exponents": [0, 0, 0], "multiplier": "1/2^600", "factor": EVEN_FACTOR}
FACTOR_WEIGHTS = {
    "kind": "weights",
    "expand": [[0, 1, "2^600"], [0, 2, "2^600"], [0, 3, "2^600"]],
    "contract": [],
    "ground": 0,
}

ROWS = (
    # the container
    raw("gzip.end", "file", "cut short", gzip.compress(CYCLE_TEXT)[:-1]),
    raw("gzip.end", "file", "only its first two bytes", b"\x1f\x8b"),
    raw("gzip.end", "file", "something follows", gzip.compress(CYCLE_TEXT) + b"\n"),
    raw("gzip.end", "file", "a second member follows", gzip.compress(CYCLE_TEXT) + gzip.compress(b"")),
    raw("gzip", "file", "broken stream", gzip.compress(CYCLE_TEXT)[:12] + b"\xff" * 40),
    raw("gzip.size", "file", "larger than it may be", gzip.compress(b" " * 1001), MAX_BYTES=1000),
    raw("json.size", "file", "too many bytes", b" " * 1001, "bytes", MAX_BYTES=1000),
    raw("json.size", "file", "too many lists", b"[" * 11, "brackets", MAX_VALUES=10),
    raw("json.size", "file", "too many objects", b"{" * 11, "brackets", MAX_VALUES=10),
    raw("json.size", "file", "too many commas", b"," * 11, "brackets", MAX_VALUES=10),
    raw("json.size", "file", "a certificate of too many bytes", CYCLE_TEXT, "bytes", MAX_BYTES=100),
    raw("json.size", "file", "a certificate of too many parts", CYCLE_TEXT, "brackets", MAX_VALUES=20),
    raw("json.encoding", "file:byte:1", "not UTF-8", b'"\xff"'),
    raw("json.encoding", "file:byte:0", "UTF-16", "{}".encode("utf-16")),
    raw("json.syntax", "file:1:1", "empty", b""),
    raw("json.syntax", "file:1:1", "BOM", b"\xef\xbb\xbf" + CYCLE_TEXT, "BOM"),
    raw("json.syntax", "file:2:1", "trailing data", CYCLE_TEXT + b"\n{}"),
    raw("json.syntax", "file:1:2", "leading zero", b"[01]"[1:]),
    raw("json.syntax", "file:1:2", "control character", b'"\x01"'),
    raw("json.depth", "file", "deep lists", b"[" * 200_000),
    raw("json.depth", "file", "deep objects", b'{"a":' * 200_000),
    raw("json.duplicate-key", "file:a", "twice", b'{"a":1,"a":1}'),
    raw("json.duplicate-key", "file:a", "twice, inside, once escaped", b'[[{"b":{"a":1,"\\u0061":1}}]]'),
    raw("json.duplicate-key", "file:", "the empty key", b'{"":1,"":1}'),
    raw("json.duplicate-key", "file:kind", "two kinds", CYCLE_TEXT.replace(b'"kind":"ldl"', b'"kind":"none","kind":"ldl"')),
    raw("json.duplicate-key", "file:x", "in made_by", CYCLE_TEXT[:-1] + b',"made_by":{"x":1,"x":2}}'),
    raw("number.not-exact", "file:2.5", "in made_by", CYCLE_TEXT[:-1] + b',"made_by":{"x":2.5}}'),
    raw("json.duplicate-key", "file:a_b?", "an odd key", b'{"a b\\ud800":1,"a b\\ud800":1}'),
    raw("number.not-exact", "file:1.0", "a float", b"[1.0]"),
    raw("number.not-exact", "file:1e5", "an exponent", b"[1e5]"),
    raw("number.not-exact", "file:1E400", "beyond floats", b"[1E400]"),
    raw("number.not-exact", "file:NaN", "NaN", b"[NaN]"),
    raw("number.not-exact", "file:-Infinity", "-Infinity", b"[-Infinity]"),
    raw("number.size", "file:" + "1" * 57 + "...", "many digits", b"[" + b"1" * 100_000 + b"]"),
    raw("number.size", "file:" + "1" * 57 + "...", "one digit too many", b"1" * 40_001),
    raw("number.size", "file:" + "9" * 57 + "...", "a bit too long", b"9" * 39_600),
    # the document
    raw("json.type", "certificate", "a list", b"[]"),
    raw("json.type", "certificate", "a long number", b"1" * 5000, "int"),
    row("key.missing", "certificate.format", CYCLE, format=GONE),
    row("key.missing", "certificate.witnesses", CYCLE, witnesses=GONE),
    row("key.unknown", "certificate.value", CYCLE, value=2),
    raw("key.unknown", "certificate.", "the empty key", CYCLE_TEXT[:-1] + b',"":0}'),
    raw("key.unknown", "certificate.a_b", "a key with a space", CYCLE_TEXT[:-1] + b',"a b":0}'),
    row("word", "format", CYCLE, format="certify/2"),
    row("word", "format", CYCLE, format=1),
    row("word", "family", CYCLE, family="no such family"),
    row("word", "family", CYCLE, family=["embedding"]),
    row("json.type", "made_by", CYCLE, made_by=[]),
    row("json.type", "made_by", CYCLE, made_by=None),
    row("json.type", "witnesses", CYCLE, witnesses={}),
    row("witnesses.empty", "witnesses", CYCLE, witnesses=[]),
    row("size", "witnesses", CYCLE, "17 witnesses", witnesses=[{"kind": "one"}] * 17),
    row("json.type", "witnesses[1]", CYCLE, witnesses__1=[1]),
    row("key.missing", "witnesses[0].kind", CYCLE, witnesses__0__kind=GONE),
    row("word", "witnesses[0].kind", CYCLE, witnesses__0__kind="wheights"),
    row("word", "witnesses[0].kind", CYCLE, witnesses__0__kind=None),
    Row("contradiction", "contradiction", "witnesses", written(TINY[SIMPLEX]).encode(), lie=contradict),
    both(("infeasible", None), ("<=", Fraction(2))),
    both(("unbounded", None), (">=", Fraction(2))),
    both(("unbounded", None), ("infeasible", None)),
    # side-cars
    Row("sidecar unknown folder", "sidecar.absent", "problem.metric.points.npy",
        row.edited(TAXI, problem__metric__points={"npy": "x.npy", "sha256": ""})),
    beside("sidecar.absent", "problem.metric.points.npy", "no such file", None),
    beside("sidecar.name", "problem.metric.points.npy", "a path", npy((5, 2), PLANE), npy="../x.npy"),
    beside("sidecar.name", "problem.metric.points.npy", "another kind", npy((5, 2), PLANE), npy="x.pkl"),
    beside("sidecar.name", "problem.metric.points.npy", "no text", npy((5, 2), PLANE), npy=5),
    beside("key.missing", "problem.metric.points.sha256", "no digest", npy((5, 2), PLANE), sha256=GONE),
    beside("key.unknown", "problem.metric.points.rows", "rows too", npy((5, 2), PLANE), rows=[]),
    beside("sidecar.sha256", "problem.metric.points.sha256", "another file", npy((5, 2), PLANE), sha256="0" * 64),
    beside("sidecar.sha256", "problem.metric.points.sha256", "capitals", npy((5, 2), PLANE), sha256=sha256(npy((5, 2), PLANE)).hexdigest().upper()),
    beside("size", "problem.metric.points.npy", "too many bytes", npy((5, 200), WIDE_PLANE), limits={"MAX_BYTES": 3000}),
    beside("size", "problem.metric.points.npy", "too many numbers", npy((5, 2), PLANE), limits={"MAX_SIDECAR": 9}),
    beside("size", "problem.metric.points.npy", "wide numbers", npy((5, 2), TINY_PLANE), limits={"MAX_WORDS": 100}),
    beside("sidecar.header", "problem.metric.points.npy", "no npy", PLANE),
    beside("sidecar.header", "problem.metric.points.npy", "empty", b""),
    beside("sidecar.header", "problem.metric.points.npy", "version 2", npy((5, 2), PLANE, magic=b"\x93NUMPY\x02\x00")),
    beside("sidecar.header", "problem.metric.points.npy", "Fortran", npy((5, 2), PLANE, order="True")),
    beside("sidecar.header", "problem.metric.points.npy", "big-endian", npy((5, 2), PLANE, ">f8")),
    beside("sidecar.header", "problem.metric.points.npy", "objects", npy((5, 2), PLANE, "|O")),
    beside("sidecar.header", "problem.metric.points.npy", "half precision", npy((5, 2), PLANE[:20], "<f2")),
    beside("sidecar.header", "problem.metric.points.npy", "one axis", npy((10,), PLANE)),
    beside("sidecar.header", "problem.metric.points.npy", "no columns", npy((5, 0), b"")),
    beside("sidecar.length", "problem.metric.points.npy", "too short", npy((5, 2), PLANE[:-8])),
    beside("sidecar.length", "problem.metric.points.npy", "too long", npy((5, 2), PLANE + b" ")),
    beside("sidecar.finite", "problem.metric.points.npy", "NaN", npy((5, 2), PLANE[:-8] + doubles(float("nan")))),
    beside("sidecar.finite", "problem.metric.points.npy", "infinity", npy((5, 2), PLANE[:-8] + doubles(float("-inf")))),
    # the problem
    row("json.type", "problem", CYCLE, problem=1),
    row("key.unknown", "problem.title", CYCLE, problem__title=""),
    row("key.missing", "problem.metric", CYCLE, problem={}),
    row("json.type", METRIC, CYCLE, problem__metric=[1]),
    row("json.type", METRIC, CYCLE, problem__metric=5),
    row("json.type", METRIC, CYCLE, problem__metric="graph"),
    row("key.missing", f"{METRIC}.squared_distances", CYCLE, problem__metric={}),
    row("key.unknown", f"{METRIC}.norm", CYCLE, problem__metric__norm="l2"),
    row("key.unknown", f"{METRIC}.norm", ODD, problem__metric__norm="l2"),
    row("key.unknown", f"{METRIC}.squared_distances", TAXI, problem__metric__squared_distances=1),
    row("json.type", GRAPH, CYCLE, problem__metric__graph=None),
    row("key.missing", f"{GRAPH}.denominator", CYCLE, problem__metric__graph__denominator=GONE),
    row("key.unknown", f"{GRAPH}.weights", CYCLE, problem__metric__graph__weights=[]),
    row("number.range", f"{GRAPH}.vertices", CYCLE, problem__metric__graph__vertices=0),
    row("number.range", f"{GRAPH}.vertices", CYCLE, problem__metric__graph__vertices=5001),
    row("number.range", f"{GRAPH}.denominator", CYCLE, problem__metric__graph__denominator=0),
    row("number.type", f"{GRAPH}.vertices", CYCLE, problem__metric__graph__vertices=True),
    row("json.type", f"{GRAPH}.edges", CYCLE, problem__metric__graph__edges=None),
    row("shape", f"{GRAPH}.edges[1]", CYCLE, problem__metric__graph__edges__1=[0, 3]),
    row("graph.order", f"{GRAPH}.edges[0]", CYCLE, problem__metric__graph__edges__0=[1, 0, 1]),
    row("graph.order", f"{GRAPH}.edges[0]", CYCLE, problem__metric__graph__edges__0=[0, 0, 1]),
    row("graph.order", f"{GRAPH}.edges[0]", CYCLE, problem__metric__graph__edges__0=[-1, 1, 1]),
    row("graph.order", f"{GRAPH}.edges[1]", CYCLE, problem__metric__graph__edges__1=[0, 1, 2]),
    row("graph.order", f"{GRAPH}.edges[3]", CYCLE, problem__metric__graph__edges__3=[2, 4, 1]),
    row("graph.order", f"{GRAPH}.edges[2]", CYCLE, problem__metric__graph__edges__2=[0, 2, 1]),
    row("graph.length", f"{GRAPH}.edges[3]", CYCLE, problem__metric__graph__edges__3__2=0),
    row("graph.length", f"{GRAPH}.edges[3]", CYCLE, problem__metric__graph__edges__3__2=-1),
    row("graph.connected", f"{GRAPH}.edges", CYCLE, why="0 and 4", problem__metric__graph__vertices=5),
    row("graph.connected", f"{GRAPH}.edges", CYCLE, problem__metric__graph__edges=[[0, 1, 1], [2, 3, 1]]),
    row("work", f"{GRAPH}.edges", CYCLE, "many paths", limits={"MAX_WORK": 4095}),
    row("size", f"{GRAPH}.edges", CYCLE, "much to hold", limits={"MAX_WORDS": 7}),
    row("size", f"{GRAPH}.edges", CYCLE, "much to hold, no map", limits={"MAX_WORDS": 7}, witnesses=[{"kind": "one"}]),
    row("shape", f"{METRIC}.squared_distances.rows", ODD, problem__metric__squared_distances__rows=[]),
    row("shape", f"{METRIC}.squared_distances.rows", ODD, problem__metric__squared_distances__rows=[[0], [1]]),
    row("shape", f"{METRIC}.squared_distances.rows", ODD, problem__metric__squared_distances__rows=[[0, 1]]),
    row("shape", f"{METRIC}.squared_distances.rows[1]", ODD, problem__metric__squared_distances__rows=[[0, 1], [1]]),
    row("shape", f"{METRIC}.squared_distances.rows", SIMPLEX, "too many points", limits={"MAX_POINTS": 2}),
    row("metric.diagonal", f"{METRIC}.squared_distances.rows[2][2]", ODD, problem__metric__squared_distances__rows__2__2=1),
    row("metric.diagonal", f"{METRIC}.squared_distances.rows[0][0]", ONE, problem__metric__squared_distances__rows=[[-1]]),
    row("metric.symmetry", f"{METRIC}.squared_distances.rows[3][1]", ODD, problem__metric__squared_distances__rows__1__3=3),
    row("metric.positive", f"{METRIC}.squared_distances.rows[1][0]", SIMPLEX,
        problem__metric__squared_distances__rows=[[0, 0, 2], [0, 0, 2], [2, 2, 0]]),
    row("metric.positive", f"{METRIC}.squared_distances.rows[2][1]", SIMPLEX,
        problem__metric__squared_distances__rows=[[0, 2, 2], [2, 0, -2], [2, -2, 0]]),
    row("number.range", f"{METRIC}.squared_distances.denominator", ODD, problem__metric__squared_distances__denominator=-2),
    row("word", f"{METRIC}.norm", TAXI, problem__metric__norm="l3"),
    row("key.missing", f"{METRIC}.norm", TAXI, problem__metric__norm=GONE),
    row("shape", f"{METRIC}.points.rows", TAXI, problem__metric__points__rows=[]),
    row("shape", f"{METRIC}.points.rows[4]", TAXI, problem__metric__points__rows__4=[5]),
    row("metric.positive", f"{METRIC}.points.rows[4]", TAXI, problem__metric__points__rows__4=[3, 0]),
    row("metric.positive", f"{METRIC}.points.rows[1]", EUCLID, problem__metric__points__rows=[[], []]),
    row("work", f"{METRIC}.points", EUCLID, "many steps", limits={"MAX_WORK": 575}),
    row("size", f"{METRIC}.points", EUCLID, "much to hold", limits={"MAX_WORDS": 3}),
    row("size", f"{METRIC}.points", EUCLID, "much to hold, no map", limits={"MAX_WORDS": 3}, witnesses=[{"kind": "one"}]),
    # numbers
    row("number.type", f"{GRAPH}.denominator", CYCLE, problem__metric__graph__denominator=None),
    row("number.type", f"{GRAPH}.denominator", CYCLE, problem__metric__graph__denominator=[1]),
    row("number.type", f"{GRAPH}.edges[0][2]", CYCLE, problem__metric__graph__edges__0__2=True),
    row("number.type", f"{GRAPH}.edges[0][2]", CYCLE, problem__metric__graph__edges__0__2=None),
    *(
        row("number.syntax", f"{GRAPH}.edges[0][2]", CYCLE, problem__metric__graph__edges__0__2=text)
        for text in ("", "one", "+1", " 1", "1 ", "1\n", "01", "1.0", "1e0", "1_0", "１", "٣", "0X1", "0x", "0xA", "0x1 ", "x1",
                     "--1", "-", "2^", "2^-1", "2^01", "-2^1", "2^1\n", "2**3", "1/1", "NaN", "0b1", "2^10000000")
    ),
    row("number.size", f"{GRAPH}.edges[0][2]", CYCLE, problem__metric__graph__edges__0__2="2^131072"),
    row("number.size", f"{GRAPH}.edges[0][2]", CYCLE, problem__metric__graph__edges__0__2="2^9999999"),
    row("number.size", f"{GRAPH}.edges[0][2]", CYCLE, "long hex", problem__metric__graph__edges__0__2="0x1" + "0" * 32768),
    row("number.size", f"{GRAPH}.edges[0][2]", CYCLE, "long decimal", problem__metric__graph__edges__0__2="1" * 40_001),
    row("number.size", f"{GRAPH}.edges[0][2]", CYCLE, "long negative", problem__metric__graph__edges__0__2="-" + "1" * 40_000),
    row("size", f"{GRAPH}.edges", CYCLE, "a long list", limits={"MAX_ENTRIES": 3}),
    row("size", "witnesses", ONE, "a long list of witnesses", limits={"MAX_ENTRIES": 1}),
    row("size", f"{METRIC}.squared_distances.rows[1][0]", ODD, "many words in a table", limits={"MAX_WORDS": 65},
        problem__metric__squared_distances__rows=[[0, "2^2112"], ["2^2112", 0]], witnesses=[{"kind": "one"}]),
    row("size", f"{GRAPH}.edges[2]", CYCLE, "many entries", limits={"MAX_ENTRIES": 8}),
    row("size", f"{GRAPH}.edges[1][2]", CYCLE, "many words", limits={"MAX_WORDS": 65},
        problem__metric__graph__edges=[[0, 1, "2^2112"], [0, 2, "2^2111"]]),
    # coordinates
    row("key.unknown", "witnesses[1].psd", CYCLE, witnesses__1__psd=LDL),
    row("key.missing", "witnesses[1].points", CYCLE, witnesses__1__points=GONE),
    row("key.missing", "witnesses[1].points.rows", CYCLE, witnesses__1__points__rows=GONE),
    row("key.unknown", "witnesses[1].points.norm", CYCLE, witnesses__1__points__norm="l2"),
    row("json.type", "witnesses[1].points", CYCLE, witnesses__1__points=[[0]]),
    row("number.range", "witnesses[1].points.denominator", CYCLE, witnesses__1__points__denominator=0),
    row("shape", "witnesses[1].points.rows", CYCLE, witnesses__1__points__rows=[[0], [1], [2]]),
    row("shape", "witnesses[1].points.rows[1]", CYCLE, witnesses__1__points__rows__1=[1]),
    row("map.injective", "witnesses[1]", CYCLE, why="0 and 3", witnesses__1__points__rows__3=[0, 0]),
    row("map.injective", "witnesses[1]", CYCLE, witnesses__1__points__rows=[[], [], [], []]),
    row("work", "witnesses[1].points", CYCLE, "a wide product", limits={"MAX_WORK": 2**13}, witnesses__1__points=WIDE),
    row("size", "witnesses[1].points", CYCLE, "a product to hold", limits={"MAX_WORDS": 400}, witnesses__1__points=WIDE),
    row("work", "witnesses[1]", CYCLE, "long comparisons", limits={"MAX_WORK": 50_000},
        problem__metric=table_of("2^1600"), witnesses__0={"kind": "one"}, witnesses__1__points=WIDE),
    # one
    row("key.unknown", "witnesses[0].value", SIMPLEX, witnesses__0__value=2),
    # gram
    row("key.missing", "witnesses[1].psd", SIMPLEX, witnesses__1__psd=GONE),
    row("key.unknown", "witnesses[1].points", SIMPLEX, witnesses__1__points=1),
    row("shape", "witnesses[1].gram.rows[2]", SIMPLEX, witnesses__1__gram__rows__2=[0, 2, 4, 0]),
    row("shape", "witnesses[1].gram.rows", SIMPLEX, witnesses__1__gram__rows=[[0], [0, 4]]),
    row("json.type", "witnesses[1].psd", SIMPLEX, witnesses__1__psd=None),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="negative", witnesses__1__gram__rows=[[-1], [0, 4], [0, 2, 4]]),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="pivot 2 is negative", witnesses__1__gram__rows=[[1], [2, 4], [0, 0, -1]]),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="pivot 1 is negative", witnesses__1__gram__rows=[[1], [2, 3], [0, 0, 1]]),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="pivot 2 is negative",
        witnesses__1__gram__rows=[[4], [2, 4], [6, 2, 9]]),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="zero", witnesses__1__gram__rows=[[0], [1, 4], [0, 2, 4]]),
    row("psd.pivot", "witnesses[1].psd", SIMPLEX, why="pivot 1 is zero", witnesses__1__gram__rows=[[1], [2, 4], [0, -1, 9]]),
    row("map.injective", "witnesses[1]", SIMPLEX, witnesses__1__gram__rows=[[0], [0, 0], [0, 0, 4]]),
    row("size", "witnesses[1].psd", SIMPLEX, "ldl of many rows", limits={"MAX_LDL": 2}),
    row("work", "witnesses[1].psd", SIMPLEX, "ldl of long entries", limits={"MAX_WORK": 2000},
        witnesses__1__gram__rows=[["2^900"], [0, "2^900"], [0, 0, "2^900"]]),
    # weights
    row("key.missing", f"{W0}.ground", CYCLE, witnesses__0__ground=GONE),
    row("key.unknown", f"{W0}.value", CYCLE, witnesses__0__value=2),
    row("number.range", f"{W0}.ground", CYCLE, witnesses__0__ground=4),
    row("number.range", f"{W0}.ground", CYCLE, witnesses__0__ground=-1),
    row("json.type", f"{W0}.contract", CYCLE, witnesses__0__contract=None),
    row("shape", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[1, 3, 1, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[3, 1, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[1, 1, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[-1, 3, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[1, 4, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[0, 2, 1]),
    row("weights.pair", f"{W0}.contract[1]", CYCLE, witnesses__0__contract__1=[1, 3, 0]),
    row("weights.pair", f"{W0}.expand[2]", CYCLE, witnesses__0__expand__2=[2, 3, -1]),
    row("shape", f"{W0}.expand[0]", CYCLE, witnesses__0__expand=[[0, 1], [1, 2]]),
    row("shape", f"{W0}.expand[0]", CYCLE, witnesses__0__expand=[[0, 1, 1, 1], [1, 2, 1, 1]]),
    row("shape", f"{GRAPH}.edges[0]", CYCLE, problem__metric__graph__edges=[[0, 1, 1, 1], [1, 2, 1, 1]]),
    row("weights.pair", f"{W0}.expand[4]", CYCLE, witnesses__0__expand=[[0, 1, 1], [1, 2, 1], [2, 3, 1], [0, 3, 1], [0, 1, 1]]),
    row("weights.empty", f"{W0}.expand", CYCLE, witnesses__0__expand=[]),
    row("weights.empty", f"{W0}.expand", CYCLE, witnesses__0__expand=[], witnesses__0__contract=[]),
    row("psd.pivot", f"{W0}.psd", CYCLE, "a contraction weight too large", witnesses__0__contract__1=[1, 3, 2]),
    row("psd.pivot", f"{W0}.psd", CYCLE, "an expansion pair less", witnesses__0__expand__3=GONE),
    row("json.type", f"{W0}.tree", TREE, witnesses__0__tree={}),
    row("shape", f"{W0}.tree[1]", TREE, witnesses__0__tree__1=[1, 2, 1]),
    row("weights.tree", f"{W0}.tree[1]", TREE, "a point of its own", witnesses__0__tree__1=[1, 1]),
    row("weights.tree", f"{W0}.tree[3]", TREE, "the ground hangs", witnesses__0__tree__3=[2, 3]),
    row("weights.tree", f"{W0}.tree[1]", TREE, "twice", witnesses__0__tree__1=[0, 2]),
    row("weights.tree", f"{W0}.tree[1]", TREE, "below what is gone", witnesses__0__tree__1=[1, 0]),
    row("weights.tree", f"{W0}.tree[0]", TREE, "no such point", witnesses__0__tree__0=[5, 1]),
    row("weights.tree", f"{W0}.tree[0]", TREE, "no such parent", witnesses__0__tree__0=[0, 5]),
    row("weights.tree", f"{W0}.tree[0]", TREE, "a point below 0", witnesses__0__tree__0=[-5, 1]),
    row("weights.tree", f"{W0}.tree[0]", TREE, "a parent below 0", witnesses__0__tree__0=[0, -4]),
    row("size", f"{W0}.tree", TREE, "long differences", limits={"MAX_WORDS": 100}, witnesses__0__expand__0=[0, 1, "2^900"]),
    row("psd.pivot", f"{W0}.psd", TREE, "a tree does not help", witnesses__0__contract__0=[0, 3, 600]),
    row("psd.pivot", f"{W0}.psd", CYCLE, "another ground does not help", witnesses__0__contract__1=[1, 3, 2], witnesses__0__ground=0),
    row("json.type", f"{W0}.psd", CYCLE, witnesses__0__psd="ldl"),
    row("key.missing", f"{W0}.psd.kind", CYCLE, witnesses__0__psd={}),
    row("word", f"{W0}.psd.kind", CYCLE, witnesses__0__psd__kind="cholesky"),
    row("key.unknown", f"{W0}.psd.factor", CYCLE, witnesses__0__psd__factor=[]),
    # factors
    row("key.missing", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier=GONE),
    row("key.unknown", f"{W0}.psd.shift", STAR, witnesses__0__psd__shift=1),
    row("shape", f"{W0}.psd.exponents", STAR, witnesses__0__psd__exponents=[0, 1]),
    row("number.range", f"{W0}.psd.exponents[1]", STAR, witnesses__0__psd__exponents__1=-1),
    row("number.range", f"{W0}.psd.exponents[1]", STAR, witnesses__0__psd__exponents__1=16385),
    row("number.type", f"{W0}.psd.exponents[1]", STAR, witnesses__0__psd__exponents__1=False),
    row("json.type", f"{W0}.psd.exponents", STAR, witnesses__0__psd__exponents=1),
    row("psd.multiplier", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier=0),
    row("psd.multiplier", f"{W0}.psd.multiplier", STAR, "everything times 0",
        witnesses__0__psd__multiplier=0, witnesses__0__psd__factor=[[0], [0, 0], [0, 0, 0]]),
    row("psd.multiplier", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier="-4/1"),
    row("number.range", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier="4/0"),
    row("number.range", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier="4/-1"),
    row("number.syntax", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier="8/2/1"),
    row("number.syntax", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier="/2"),
    row("number.type", f"{W0}.psd.multiplier", STAR, witnesses__0__psd__multiplier=True),
    row("shape", f"{W0}.psd.factor", STAR, witnesses__0__psd__factor=[[4], [8, 3]]),
    row("shape", f"{W0}.psd.factor[1]", STAR, witnesses__0__psd__factor__1=[8, 3, 0]),
    row("psd.dominance", f"{W0}.psd.factor[0]", STAR, witnesses__0__psd__factor__0=[5]),
    row("psd.dominance", f"{W0}.psd.factor[1]", STAR, witnesses__0__psd__factor__1=[8, 4]),
    # numbers a + b·√d
    row("number.radicand", f"{W0}.radicand", FIVE, witnesses__0__radicand=9),
    row("number.radicand", f"{W0}.radicand", FIVE, witnesses__0__radicand=8),
    row("number.radicand", f"{W0}.radicand", FIVE, witnesses__0__radicand=998_001),
    row("number.radicand", f"{W0}.radicand", FIVE, witnesses__0__radicand=2 * 499**2),
    row("number.radicand", f"{W0}.radicand", FIVE, witnesses__0__radicand=999_999 + 1),
    row("number.range", f"{W0}.radicand", FIVE, witnesses__0__radicand=1),
    row("number.range", f"{W0}.radicand", FIVE, witnesses__0__radicand=1_000_001),
    row("number.type", f"{W0}.radicand", FIVE, witnesses__0__radicand=None),
    row("shape", f"{W0}.expand[0]", FIVE, witnesses__0__radicand=GONE),
    row("shape", f"{W0}.contract[0]", CYCLE, witnesses__0__radicand=5, witnesses__0__expand=[[0, 1, 1, 0]]),
    row("weights.pair", f"{W0}.contract[0]", FIVE, witnesses__0__contract__0=[0, 1, 2, -1]),
    row("weights.pair", f"{W0}.contract[0]", FIVE, witnesses__0__contract__0=[0, 1, -3, 1]),
    row("weights.pair", f"{W0}.contract[0]", FIVE, witnesses__0__contract__0=[0, 1, 0, 0]),
    row("psd.pivot", f"{W0}.psd", FIVE, "a contraction weight that is too large by little", witnesses__0__contract__0=[0, 1, 8, -3]),
    row("psd.pivot", f"{W0}.psd", FIVE, "the other root of five", witnesses__0__contract__0=[0, 1, 3, 1]),
    row("psd.pivot", f"{W0}.psd", FIVE, "the root of another number", witnesses__0__radicand=3),
    row("word", f"{W0}.psd.kind", FIVE, "integers are needed", witnesses__0__psd__kind="factor"),
    row("word", "witnesses[1].psd.kind", FIVE, "integers are needed", witnesses__1__psd__kind="factor"),
    row("number.radicand", "witnesses[1].radicand", FIVE, witnesses__1__radicand=4),
    row("shape", "witnesses[1].gram.rows[0]", FIVE, witnesses__1__radicand=GONE),
    row("psd.pivot", "witnesses[1].psd", FIVE, witnesses__1__gram__rows__0=[10, -3]),
    row("psd.pivot", "witnesses[1].psd", FIVE, witnesses__1__gram__rows__0=[-10, 2]),
    row("key.unknown", "witnesses[1].radicand", CYCLE, witnesses__1__radicand=5),
    row("psd.dominance", f"{W0}.psd.factor[2]", STAR, witnesses__0__psd__factor__2=[4, 1, 1]),
    row("psd.dominance", f"{W0}.psd.factor[0]", STAR, witnesses__0__psd__factor__1=[-8, 3]),
    row("psd.dominance", f"{W0}.psd.factor[0]", STAR, witnesses__0__psd__multiplier=3),
    row("psd.dominance", f"{W0}.psd.factor[0]", STAR, witnesses__0__psd__multiplier="4/3"),
    row("psd.dominance", f"{W0}.psd.factor[1]", STAR, witnesses__0__psd__exponents=[1, 1, 0]),
    row("psd.dominance", f"{W0}.psd.factor[0]", STAR, witnesses__0__psd__exponents=[0, 0, 0]),
    row("psd.dominance", f"{W0}.psd.factor[1]", STAR, witnesses__0__contract__2=[2, 3, 5]),
    row("work", f"{W0}.psd.factor", CYCLE, "a long factor", limits={"MAX_WORK": 1100},
        problem__metric=table_of(1), witnesses=[{**FACTOR_WEIGHTS, "psd": BIG_FACTOR}]),
    row("work", f"{W0}.psd", CYCLE, "a long multiplier", limits={"MAX_WORK": 500},
        problem__metric=table_of(1), witnesses=[{**FACTOR_WEIGHTS, "psd": BIG_TOP}]),
    row("work", f"{W0}.psd", CYCLE, "a long denominator", limits={"MAX_WORK": 150},
        problem__metric=table_of(1), witnesses=[{**FACTOR_WEIGHTS, "expand": LONG_STAR, "psd": BIG_BOTTOM}]),
)  # fmt: skip

FAMILIES = [import_module(path.stem) for path in sorted(Path(__file__).parent.glob("rows_*.py"))]
for family in FAMILIES:
    TINY.update(family.TINY)
    ROWS += family.ROWS
ROWS = tuple(replace(each, name=f"{number} {each.name}") for number, each in enumerate(ROWS))
