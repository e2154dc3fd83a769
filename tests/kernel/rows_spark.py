"""Rows of the family spark, and its tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.spark import tiny

TINY = tiny()
PLANE, FREE = "three in the plane", "independent columns"
row = Edits(TINY)
W0, W1 = "witnesses[0]", "witnesses[1]"

ROWS = (
    row("key.missing", "problem.matrix", PLANE, problem__matrix=GONE),
    row("shape", "problem.matrix.rows", PLANE, problem__matrix__rows=[]),
    row("word", f"{W0}.kind", PLANE, witnesses__0__kind="vector"),
    row("key.unknown", f"{W1}.size", FREE, witnesses__1__size=2),
    row("key.unknown", f"{W1}.size", PLANE, witnesses__1__size=2),
    row("key.unknown", f"{W0}.value", PLANE, witnesses__0__value=2),
    row("shape", f"{W1}.value", PLANE, witnesses__1__value=[1]),
    row("spark.dependency", f"{W1}.value", PLANE, witnesses__1__value=[1, 1, 1]),
    row("spark.dependency", f"{W1}.value", PLANE, witnesses__1__value=[0, 0, 0]),
    row("number.range", f"{W0}.size", PLANE, witnesses__0__size=3),
    row("number.range", f"{W0}.modulus", PLANE, witnesses__0__modulus=1),
    row("spark.dependent", W0, PLANE, "columns that are equal", problem__matrix__rows=[[1, 1, 1], [0, 1, 1]], witnesses__1=GONE),
    row("work", W0, PLANE, "many sets", limits={"MAX_WORK": 700}),
    row("work", W0, PLANE, "a long dependency", limits={"MAX_WORK": 5}, witnesses=[{"kind": "dependency", "value": [1, 1, -1]}]),
)  # fmt: skip
