"""Rows of the families of balanced cuts, and their tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.ratiocut import tiny

TINY = tiny()
PATH, THREE, RING, NORMAL, HALVES, EXPANDED = "path", "path in three", "ring", "normalised", "halves", "expansion"
row = Edits(TINY)
W0, W1, W2 = "witnesses[0]", "witnesses[1]", "witnesses[2]"

ROWS = (
    row("key.missing", "problem.k", PATH, problem__k=GONE),
    row("key.unknown", "problem.parts", PATH, problem__parts=1),
    row("number.range", "problem.k", PATH, problem__k=5),
    row("key.unknown", "problem.k", HALVES, problem__k=2),
    row("shape", "problem.graph.vertices", HALVES, problem__graph={"vertices": 1, "denominator": 1, "edges": []}, witnesses=[{"kind": "zero"}]),
    row("ncut.isolated", "problem.graph.edges", NORMAL, problem__graph__vertices=5, witnesses=[{"kind": "zero"}]),
    row("word", f"{W0}.kind", PATH, witnesses__0__kind="tree"),
    row("key.unknown", f"{W0}.value", PATH, witnesses__0__value=1),
    row("key.unknown", f"{W1}.value", PATH, witnesses__1__value=1),
    row("key.unknown", f"{W2}.value", PATH, witnesses__2__value=1),
    row("key.unknown", f"{W1}.bound", RING, witnesses__1__bound=1),
    row("number.range", f"{W1}.value", RING, witnesses__1__value=-1),
    row("contraction.light", f"{W0}.value", RING, witnesses=[{"kind": "contraction", "value": 3}]),
    row("parts.halves", f"{W0}.labels", HALVES, witnesses__0__labels=[0, 0, 0, 1]),
    row("order", f"{W1}.order", PATH, witnesses__1__order=[0, 1, 1, 3]),
    row("shape", f"{W1}.order", PATH, witnesses__1__order=[0, 1, 2]),
    row("enumeration.lighter", f"{W1}.bound", PATH, witnesses__0=GONE, witnesses=[{"kind": "zero"}, {"kind": "enumeration", "order": [0, 1, 2, 3], "bound": "3/2"}]),
    row("enumeration.lighter", f"{W1}.bound", THREE, witnesses=[{"kind": "zero"}, {"kind": "enumeration", "order": [0, 1, 2, 3], "bound": 6}]),
    row("work", f"{W1}.bound", PATH, "many steps", limits={"MAX_ENUMERATION": 20}),
    row("work", f"{W0}.bound", RING, "many beginnings", limits={"MAX_BEGINNINGS": 0}, witnesses=[{"kind": "enumeration", "order": [0, 1, 2, 3], "bound": 2}]),
    row("work", f"{W1}.bound", THREE, "many steps for three", limits={"MAX_ENUMERATION": 40}),
    row("size", W2, RING, "many vertices", limits={"MAX_ITEMS_OF_PARTITION": 3}),
    row("psd.pivot", f"{W2}.psd", RING, witnesses__2__shift=1),
)  # fmt: skip
