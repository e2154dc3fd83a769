"""Rows of the family basis_pursuit, and its tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.basis_pursuit import tiny

TINY = tiny()
SPIKES, SEVERAL, CLASH, NOISE = "two spikes", "several minimisers", "rows that contradict", "noise"
row = Edits(TINY)
W0, W1, U = "witnesses[0]", "witnesses[1]", "witnesses[0].unique"

LONG_SPIKES = [
    x * 2**2000 // int(TINY[SPIKES]["witnesses"][1]["denominator"]) for x in TINY[SPIKES]["witnesses"][1]["value"]
]

ROWS = (
    # the data
    row("key.missing", "problem.rhs", SPIKES, problem__rhs=GONE),
    row("shape", "problem.matrix.rows", SPIKES, problem__matrix__rows=[]),
    row("shape", "problem.matrix.rows", SPIKES, problem__matrix__rows=[[]]),
    row("shape", "problem.rhs.rows[0]", SPIKES, problem__rhs__rows=[[1]]),
    row("shape", "problem.rhs.rows", SPIKES, problem__rhs__rows=[[1, -1], [1, 1]]),
    row("recovery.noise", "problem.noise", NOISE, problem__noise="-1/2", witnesses__1=GONE),
    # vectors
    row("word", f"{W0}.kind", SPIKES, witnesses__0__kind="coordinates"),
    row("key.unknown", f"{W1}.extra", SPIKES, witnesses__1__extra=1),
    row("shape", f"{W1}.value", SPIKES, witnesses__1__value=[1]),
    row("number.range", f"{W1}.index[1]", SPIKES, witnesses__1__index=[0, 3]),
    row("number.range", f"{W1}.denominator", SPIKES, witnesses__1__denominator=0),
    row("recovery.order", f"{W1}.index", SPIKES, "an index twice", witnesses__1={"kind": "vector", "denominator": 2, "index": [0, 0, 1], "value": [1, 1, -2]}),
    row("recovery.residual", W1, SPIKES, witnesses__1__value=[1, 0]),
    row("recovery.residual", W0, NOISE, witnesses__0__value=[0]),
    row("work", W0, NOISE, "a long vector", limits={"MAX_WORK": 2}, witnesses__0={"kind": "vector", "denominator": 12, "index": [0, 1], "value": [5, 3]}),
    row("work", W1, SPIKES, "long numbers", limits={"MAX_WORK": 1000}, witnesses__1={"kind": "vector", "denominator": "2^2000", "index": [0, 1], "value": LONG_SPIKES}),
    # dual vectors
    row("key.unknown", f"{W0}.norm", SPIKES, witnesses__0__norm=2),
    row("key.missing", f"{W1}.norm", NOISE, witnesses__1__norm=GONE),
    row("key.unknown", f"{W1}.unique", NOISE, witnesses__1__unique={}),
    row("shape", f"{W0}.value", SPIKES, witnesses__0__value=[1]),
    row("recovery.dual", f"{W0}.value", SEVERAL, witnesses=[{**TINY[SEVERAL]["witnesses"][0], "value": [1, 2]}]),
    row("recovery.norm", f"{W0}.norm", NOISE, witnesses=[{**TINY[NOISE]["witnesses"][1], "norm": "1/4"}]),
    row("recovery.norm", f"{W0}.norm", NOISE, witnesses=[{**TINY[NOISE]["witnesses"][1], "norm": "-1/3"}]),
    row("work", f"{W0}.value", CLASH, "a long dual vector", limits={"MAX_WORK": 3}),
    row("work", f"{W0}.value", SEVERAL, "many products", limits={"MAX_WORK": 5}),
    row("size", f"{W0}.value", SEVERAL, "products that are too many to hold", limits={"MAX_WORDS": 2}),
    # uniqueness
    row("key.missing", f"{U}.modulus", SPIKES, witnesses__0__unique__modulus=GONE),
    row("number.range", f"{U}.modulus", SPIKES, witnesses__0__unique__modulus=1),
    row("recovery.residual", U, SPIKES, witnesses__0__unique__value=[1, 1]),
    row("recovery.unique", U, SPIKES, "a dual that does not meet it", witnesses__0__value=[1, 0]),
    row("columns.dependent", U, SPIKES, "no unit", witnesses__0__unique__modulus=2),
    row("columns.dependent", U, SEVERAL, "three tight columns", witnesses__0__unique={"denominator": 1, "index": [2], "value": [2], "modulus": 101}),
    row("work", U, SPIKES, "many tight columns", limits={"MAX_WORK": 31}),
    # contradictions
    row("key.unknown", f"{W0}.denominator", CLASH, witnesses__0__denominator=1),
    row("recovery.farkas", f"{W0}.value", CLASH, "a column that is not orthogonal", witnesses__0__value=[2, -2]),
    row("recovery.farkas", f"{W0}.value", CLASH, "zero", witnesses__0__value=[0, 0]),
    row("recovery.farkas", f"{W0}.value", CLASH, "within the noise", problem__noise=1),
)  # fmt: skip
