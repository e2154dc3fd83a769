"""Rows of the family conic, and its tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.conic import program, tiny

TINY = tiny()
POLYGON, NONE, END, CIRCLE, MATRIX, CORNER, FREED = (
    "polygon",
    "no point",
    "no end",
    "circle",
    "matrix",
    "corner",
    "freed",
)
WEAK = "weakly infeasible"
row = Edits(TINY)
W0, W1 = "witnesses[0]", "witnesses[1]"
LDL = {"kind": "ldl"}

ROWS = (
    # the program
    row("key.missing", "problem.cones", POLYGON, problem__cones=GONE),
    row("word", "problem.sense", POLYGON, problem__sense="least"),
    row("number.range", "problem.variables", POLYGON, problem__variables=-1),
    row("key.unknown", "problem.cones[0].rows", POLYGON, problem__cones__0__rows=1),
    row("word", "problem.cones[0].kind", POLYGON, problem__cones__0__kind="exponential"),
    row("number.range", "problem.cones[0].size", POLYGON, problem__cones__0__size=0),
    row("size", "problem.cones[2]", POLYGON, "many rows", limits={"MAX_TERMS": 2}, problem=program([([0], 0), ([0], 1), ([0], 1), ([0], 1)], 3 * [("nonnegative", 1)]), witnesses=[{"kind": "point", "x": {"denominator": 1, "value": [0]}, "psd": []}]),
    row("shape", "problem.lengths[0]", POLYGON, problem__lengths=[2, 2, 1]),
    row("shape", "problem.lengths", POLYGON, "negative length", problem__lengths=[2, 2, 2, -1], problem__index=[0, 1, 0, 1, 0], problem__value=[2, 1, 1, 1, 1]),
    row("shape", "problem.lengths", POLYGON, "too many terms", limits={"MAX_TERMS": 5}),
    row("shape", "problem.index[0]", POLYGON, problem__index=[0, 1, 0, 1, 0]),
    row("shape", "problem.constants[0]", POLYGON, problem__constants=[0, -3, -1]),
    row("conic.form", "problem", POLYGON, "a value of 0", problem__value__0=0),
    row("conic.form", "problem", POLYGON, "a denominator of 0", problem__denominators__0=0),
    row("conic.form", "problem", POLYGON, "no such variable", problem__index__1=2),
    row("conic.order", "problem.index", POLYGON, problem__index=[1, 0, 0, 1, 0, 1], problem__value=[1, 2, 1, 1, 1, 1]),
    # vectors
    row("word", f"{W0}.kind", POLYGON, witnesses__0__kind="vertex"),
    row("key.missing", f"{W0}.psd", POLYGON, witnesses__0__psd=GONE),
    row("key.unknown", f"{W0}.y", POLYGON, witnesses__0__y=1),
    row("key.unknown", f"{W1}.x", POLYGON, witnesses__1__x=1),
    row("key.unknown", f"{W0}.x.rows", POLYGON, witnesses__0__x__rows=[]),
    row("number.range", f"{W0}.x.denominator", POLYGON, witnesses__0__x__denominator=0),
    row("shape", f"{W0}.x.value[0]", POLYGON, witnesses__0__x__value=[1]),
    row("conic.order", f"{W0}.x.index", POLYGON, witnesses__0__x={"denominator": 1, "index": [1, 0], "value": [2, 1]}),
    row("conic.order", f"{W0}.x.index", POLYGON, "twice", witnesses__0__x={"denominator": 1, "index": [1, 1], "value": [3, 2]}, problem__cones=[{"kind": "nonnegative", "size": 3}]),
    row("number.range", f"{W0}.x.index", POLYGON, witnesses__0__x={"denominator": 1, "index": [0, 2], "value": [1, 2]}),
    row("work", f"{W0}.x", POLYGON, "a long evaluation", limits={"MAX_WORK": 9}),
    row("size", f"{W0}.x", POLYGON, "long values", limits={"MAX_WORDS": 3}),
    # cones
    row("shape", f"{W0}.psd", POLYGON, witnesses__0__psd=[LDL]),
    row("conic.zero", W0, POLYGON, witnesses__0__x__value=[1, 3]),
    row("conic.nonnegative", W0, POLYGON, witnesses__0__x__value=[0, 3]),
    row("conic.nonnegative", W1, POLYGON, witnesses__1__y__value=[2, 0, -1]),
    row("conic.second-order", W0, CIRCLE, witnesses__0__x__value=[4], witnesses__1=GONE),
    row("conic.second-order", W0, CIRCLE, "the other nappe", witnesses__0__x__value=[-5]),
    row("work", W0, CIRCLE, "a long norm", limits={"MAX_WORK": 24}, problem=program([([1], 0), ([1], 0)], [("second_order", 1)]), witnesses__0__x={"denominator": 1, "value": ["2^320"]}, witnesses__1=GONE),
    row("size", W0, CIRCLE, "a long common denominator", limits={"MAX_WORDS": 5}, problem__denominators=[1, 1, "2^127", 1], witnesses__1=GONE),
    row("psd.pivot", f"{W1}.psd[0]", MATRIX, witnesses__1__y__value=[1, -2, 1]),
    row("word", f"{W0}.psd[0].kind", MATRIX, witnesses__0__psd__0__kind="kernel"),
    row("key.missing", f"{W0}.psd[0].weight", MATRIX, witnesses__0__psd__0__weight=GONE),
    row("conic.null", f"{W0}.psd[0].vectors", MATRIX, witnesses__0__psd__0__vectors=[[1, 1]]),
    row("conic.null", f"{W0}.psd[0].vectors", MATRIX, "no vector", witnesses__0__psd__0__vectors=[]),
    row("conic.null", f"{W0}.psd[0].vectors", MATRIX, "too many vectors", witnesses__0__psd__0__vectors=[[1, -1], [1, -1], [1, -1]]),
    row("work", W0, MATRIX, "a long division", limits={"MAX_WORK": 6}, problem={**program([([1], 0), ([1], 0)], [("psd", 1)]), "denominators": [1, "2^127"]}, witnesses=[{"kind": "point", "x": {"denominator": 1, "value": [1]}, "psd": [LDL]}]),
    row("work", f"{W0}.psd[0]", MATRIX, "many vectors", limits={"MAX_WORK": 7}, witnesses__0__psd__0__vectors=[[1, -1], [1, -1]]),
    row("size", f"{W0}.psd[0].weight", MATRIX, witnesses__0__psd__0__weight="2^320"),
    row("psd.pivot", f"{W0}.psd[0].proof", MATRIX, "a negative matrix", witnesses__0__psd__0__vectors=[[1, 1]], problem=program([([1], 0), ([-1], 0), ([0], 1), ([-1], 0)], [("psd", 2)]), witnesses__1=GONE),
    # sums of rows
    row("conic.dual", f"{W1}.y", POLYGON, witnesses__1__y__value=[1, 0, 0]),
    row("conic.left", f"{W1}.y", POLYGON, "a variable without cost", problem=program([([2, 0], 0), ([1, 1], -3), ([1, 0], -1), ([0, 1], 0)], [("zero", 1), ("nonnegative", 2)])),
    row("conic.left", f"{W0}.y", NONE, witnesses__0__y__value=[2, 1]),
    row("conic.farkas", f"{W0}.y", NONE, problem__constants__2=2),
    row("work", f"{W0}.y", NONE, "a long scale", limits={"MAX_WORK": 20}, problem__denominators=[1, "2^192", "2^192"]),
    row("work", f"{W0}.y", POLYGON, "a long sum", limits={"MAX_WORK": 8}, witnesses=[{"kind": "dual", "y": {"denominator": 1, "value": [1, 1, 0]}, "psd": []}]),
    row("size", f"{W0}.y", NONE, "many sums", limits={"MAX_WORDS": 2}, problem=program([([1, 1, 1], 0), ([1, 1, 1], -1)], [("zero", 1)]), witnesses=[{"kind": "dual", "y": {"denominator": 1, "value": [1]}, "psd": []}]),
    # rays
    row("key.missing", f"{W0}.direction", END, witnesses__0__direction=GONE),
    row("key.unknown", f"{W0}.direction.kind", END, witnesses__0__direction__kind="ray"),
    row("conic.nonnegative", W0, END, witnesses__0__x__value=[1]),
    row("conic.nonnegative", f"{W0}.direction", END, witnesses__0__direction__x__value=[-1]),
    row("conic.ray", f"{W0}.direction", END, witnesses__0__direction__x__value=[0]),
    # faces
    row("size", f"{W1}.faces", CORNER, limits={"MAX_FACES": 0}),
    row("key.unknown", f"{W1}.faces[0].kind", CORNER, witnesses__1__faces__0__kind="dual"),
    row("conic.face", f"{W1}.faces[0].y", CORNER, "a variable is left", witnesses__1__faces__0__y={"denominator": 1, "value": [1, 1, 1]}),
    row("conic.face", f"{W1}.faces[0].y", CORNER, "the constant is not 0", witnesses__1__faces__0__y={"denominator": 1, "value": [1, 0, 1]}),
    row("key.unknown", f"{W1}.turns.kind", CORNER, witnesses__1__turns__kind="dual"),
    row("key.unknown", f"{W1}.turns.list[0].kind", CORNER, witnesses__1__turns__list__0__kind="dual"),
    row("number.range", f"{W1}.turns.list[0].face", CORNER, witnesses__1__turns__list__0__face=1),
    row("number.range", f"{W1}.turns.denominator", CORNER, witnesses__1__turns__denominator=0),
    row("shape", f"{W1}.turns.list[0][0]", CORNER, witnesses__1__turns__list__0__vector=[1]),
    row("psd.pivot", f"{W1}.psd[0]", CORNER, "not turned enough", witnesses__1__turns__list__0__by=[0, 2]),
    row("work", f"{W1}.turns.list[0]", CORNER, "a long turn", limits={"MAX_WORK": 1100}, witnesses__1__turns__denominator="2^65", witnesses__1__turns__list__0__by=[0, "2^64"]),
    row("conic.nonnegative", W0, FREED, "a row that is not free", witnesses__0__faces=[]),
)  # fmt: skip
