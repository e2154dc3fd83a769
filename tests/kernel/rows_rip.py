"""Rows of the family rip, and its tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.rip import tiny

TINY = {f"rip: {name}": document for name, document in tiny().items()}
PLANE, LINES, NEAR, TURNED, BEST, ONE = (
    f"rip: {name}" for name in ("plane", "lines", "within a radius", "complex", "best multiple", "one entry")
)
row = Edits(TINY)
W0, W1, W2 = "witnesses[0]", "witnesses[1]", "witnesses[2]"
VECTOR = {"kind": "vector", "vector": {"index": [0], "value": [1]}}
COHERENCE = {"kind": "coherence"}
LONG_GRAM = {"denominator": 1, "rows": [["2^900"], [0, 1], [0, 0, 1], [0, 0, 0, 1]]}

ROWS = (
    # the data
    row("key.missing", "problem.sparsity", PLANE, problem__sparsity=GONE),
    row("key.unknown", "problem.other", PLANE, problem__other=1),
    row("word", "problem.scaling", BEST, problem__scaling="given"),
    row("number.range", "problem.sparsity", PLANE, problem__sparsity=4),
    row("number.range", "problem.sparsity", PLANE, problem__sparsity=0),
    row("number.range", "problem.sparsity", LINES, problem__sparsity=5),
    row("key.missing", "problem.matrix.scale_squared", PLANE, problem__matrix__scale_squared=GONE),
    row("number.range", "problem.sparsity", PLANE, problem__matrix__rows=[]),
    row("number.range", "problem.sparsity", PLANE, problem__matrix__rows=[[], []]),
    row("isometry.scale", "problem.matrix.scale_squared", PLANE, problem__matrix__scale_squared=0, witnesses=[COHERENCE]),
    row("isometry.scale", "problem.matrix.scale_squared", PLANE, problem__matrix__scale_squared=-1, witnesses=[COHERENCE]),
    row("key.missing", "problem.gram.rows", LINES, problem__gram__rows=GONE),
    row("number.range", "problem.sparsity", LINES, problem__gram__rows=[]),
    row("shape", "problem.gram.rows[1]", LINES, problem__gram__rows__1=[1]),
    row("shape", "problem.gram.imaginary", TURNED, problem__gram__imaginary=[[0]]),
    row("isometry.diagonal", "problem.gram.imaginary", TURNED, problem__gram__imaginary__1=[1, 1], witnesses=[COHERENCE]),
    row("isometry.radius", "problem.gram.radius", NEAR, problem__gram__radius="-1/100", witnesses=[COHERENCE]),
    row("work", W0, PLANE, "a long scale", limits={"MAX_WORK": 100}, problem__matrix__scale_squared="2^900", witnesses=[COHERENCE]),
    row("size", W0, LINES, "long entries", limits={"MAX_WORDS": 300}, problem__gram=LONG_GRAM, witnesses=[COHERENCE]),
    # vectors
    row("word", f"{W0}.kind", PLANE, witnesses__0__kind="pair"),
    row("word", f"{W0}.kind", BEST, witnesses__0__kind="vector"),
    row("key.unknown", f"{W0}.value", PLANE, witnesses__0__value=1),
    row("key.unknown", f"{W0}.value", BEST, witnesses__0__value=1),
    row("key.missing", f"{W0}.vector.value", PLANE, witnesses__0__vector__value=GONE),
    row("key.unknown", f"{W0}.vector.imaginary", PLANE, witnesses__0__vector__imaginary=[1, 1]),
    row("rip.sparse", f"{W0}.vector.index", PLANE, witnesses=[{"kind": "vector", "vector": {"index": [0, 1, 2], "value": [1, 1, -4]}}]),
    row("rip.sparse", f"{W0}.vector.index", PLANE, witnesses__0__vector={"index": [], "value": []}),
    row("rip.sparse", f"{W0}.vector.value", PLANE, witnesses__0__vector__value=[0, 0]),
    row("number.range", f"{W0}.vector.index[1]", PLANE, witnesses__0__vector__index=[0, 3]),
    row("rip.order", f"{W0}.vector.index", PLANE, witnesses=[{"kind": "vector", "vector": {"index": [2, 2], "value": [1, 1]}}]),
    row("shape", f"{W0}.vector.value", PLANE, witnesses__0__vector__value=[1]),
    row("shape", f"{W0}.vector.imaginary", TURNED, witnesses__0__vector__imaginary=[1]),
    row("number.range", f"{W0}.low.index[0]", BEST, witnesses__0__low__index=[3]),
    row("work", f"{W0}.vector", LINES, "a long vector", limits={"MAX_WORK": 400}, witnesses=[{"kind": "vector", "vector": {"index": [0], "value": ["2^6000"]}}]),
    # upper ends
    row("key.unknown", f"{W2}.scale", PLANE, witnesses__2__scale=1),
    row("key.missing", f"{W2}.scale", BEST, witnesses__2__scale=GONE),
    row("key.unknown", f"{W2}.bits", PLANE, witnesses__2__bits=1),
    row("key.missing", f"{W1}.work", PLANE, witnesses__1__work=GONE),
    row("rip.scale", f"{W2}.scale", BEST, witnesses__2__scale=0),
    row("rip.scale", f"{W1}.scale", BEST, witnesses__1__scale="-1/3"),
    row("rip.support", f"{W1}.value", LINES, "negative", witnesses__1__value=-1),
    row("rip.support", f"{W0}.value", LINES, "alone", witnesses=[{"kind": "supports", "value": "1/2", "order": 3, "work": 200}]),
    row("number.range", f"{W1}.order", LINES, witnesses__1__order=4),
    row("number.range", f"{W1}.order", LINES, witnesses__1__order=1),
    row("number.range", f"{W2}.bits", LINES, witnesses__2__bits=0),
    row("number.range", f"{W1}.work", LINES, witnesses__1__work=-1),
    row("number.range", f"{W1}.order", LINES, "too many columns", limits={"MAX_ORDER": 2}),
    row("rip.work", f"{W1}.work", LINES, witnesses__1__work=20),
    row("rip.support", f"{W1}.value", LINES, witnesses__1__value="665/1000"),
    row("rip.support", f"{W1}.value", PLANE, "the wrong side", witnesses__1__value="79/100"),
    row("rip.support", f"{W1}.value", ONE, "a diagonal entry", witnesses__1__value="99/100"),
    row("rip.support", f"{W1}.value", TURNED, "complex", witnesses__1__value="1/8"),
    row("work", W1, ONE, "a long value", limits={"MAX_WORK": 40000}, witnesses__1__value="2^900", witnesses__1__work=8),
    row("work", W1, LINES, "many products", limits={"MAX_WORK": 4000}, witnesses__1__work=1000),
)  # fmt: skip
