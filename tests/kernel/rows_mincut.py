"""Rows of the family mincut and of weighted graphs, and their tiny certificates."""

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.mincut import tiny

TINY = tiny()
BARBELL, APART, SQUARE, BRANCHED, SINGLES = (
    "weighted barbell", "two edges apart", "square in three", "branched triangle", "triangle in singles",
)  # fmt: skip
row = Edits(TINY)
GRAPH, W0, W1 = "problem.graph", "witnesses[0]", "witnesses[1]"

ROWS = (
    # the graph
    row("json.type", GRAPH, APART, problem__graph=[]),
    row("key.unknown", f"{GRAPH}.names", APART, problem__graph__names=1),
    row("key.missing", f"{GRAPH}.denominator", APART, problem__graph__denominator=GONE),
    row("number.range", f"{GRAPH}.vertices", APART, problem__graph__vertices=0),
    row("number.range", f"{GRAPH}.vertices", APART, "too many vertices", limits={"MAX_VERTICES": 3}),
    row("number.range", f"{GRAPH}.denominator", APART, problem__graph__denominator=0),
    row("graph.order", f"{GRAPH}.edges[1]", APART, "an edge twice", problem__graph__edges__1=[0, 1, 2]),
    row("graph.order", f"{GRAPH}.edges[0]", APART, "a loop", problem__graph__edges__0=[1, 1, 2]),
    row("graph.order", f"{GRAPH}.edges[1]", APART, "no such vertex", problem__graph__edges__1=[2, 4, 2]),
    row("graph.order", f"{GRAPH}.edges[0]", APART, "a negative vertex", problem__graph__edges__0=[-1, 1, 2]),
    row("graph.weight", f"{GRAPH}.edges[1]", APART, "weight 0", problem__graph__edges__1=[2, 3, 0]),
    row("graph.weight", f"{GRAPH}.edges[1]", APART, "a negative weight", problem__graph__edges__1=[2, 3, -2]),
    row("size", f"{GRAPH}.edges", APART, "many long weights", limits={"MAX_WORDS": 11}),
    # the problem
    row("key.missing", "problem.k", APART, problem__k=GONE),
    row("key.unknown", "problem.parts", APART, problem__parts=2),
    row("number.range", "problem.k", APART, problem__k=1),
    row("number.range", "problem.k", APART, "more parts than vertices", problem__k=5),
    # partitions
    row("word", f"{W0}.kind", APART, witnesses__0__kind="cut"),
    row("key.unknown", f"{W0}.value", APART, "a value of labels", witnesses__0__value=0),
    row("shape", f"{W0}.labels", APART, witnesses__0__labels=[0, 0, 1]),
    row("number.range", f"{W0}.labels[3]", APART, witnesses__0__labels=[0, 0, 1, 2]),
    row("parts.empty", f"{W0}.labels", APART, witnesses__0__labels=[1, 1, 1, 1]),
    row("key.unknown", f"{W1}.value", APART, "a value of zero", witnesses__1__value=1),
    # contraction
    row("key.unknown", f"{W1}.order", BARBELL, witnesses__1__order=[]),
    row("number.range", f"{W1}.value", BARBELL, witnesses__1__value=-1),
    row("contraction.light", f"{W1}.value", BARBELL, "a vertex of less weight", witnesses__1__value=5),
    row("contraction.light", f"{W1}.value", BARBELL, "a lighter cut, found after contraction", witnesses__1__value=2),
    row("work", f"{W1}.value", BARBELL, "many rounds", limits={"MAX_CUT_STEPS": 19}),
    # packings of trees
    row("key.unknown", f"{W1}.bound", SQUARE, witnesses__1__bound=1),
    row("number.range", f"{W1}.scale", SQUARE, witnesses__1__scale=0),
    row("key.missing", f"{W1}.root.trees", SQUARE, witnesses__1__root={}),
    row("key.unknown", f"{W1}.root.bound", SQUARE, witnesses__1__root__bound=3),
    row("key.unknown", f"{W1}.root.trees", BRANCHED, witnesses__1__root__trees=[]),
    row("trees.edge", f"{W1}.root.delete.edge", BRANCHED, witnesses__1__root__delete__edge=0),
    row("trees.edge", f"{W1}.root.delete.edge", BRANCHED, "a deep tree", limits={"MAX_CUT_DEPTH": 1}),
    row("number.range", f"{W1}.root.edge", BRANCHED, witnesses__1__root__edge=3),
    row("work", f"{W1}.root.delete", BRANCHED, "many branches", limits={"MAX_CUT_STEPS": 3}),
    row("trees.weight", f"{W1}.root.trees[0]", SQUARE, witnesses__1__root__trees__0=[0, 0, 1, 2]),
    row("trees.weight", f"{W1}.root.trees[0]", SQUARE, witnesses__1__root__trees__0=[-1, 0, 1, 2]),
    row("trees.tree", f"{W1}.root.trees[0]", SQUARE, "no such edge", witnesses__1__root__trees__0=[1, 0, 1, 4]),
    row("trees.tree", f"{W1}.root.trees[0]", SQUARE, "an edge twice", witnesses__1__root__trees__0=[1, 0, 1, 1]),
    row(
        "trees.tree",
        f"{W1}.root.delete.trees[0]",
        SINGLES,
        "a deleted edge",
        witnesses__1__root__delete__trees__0=[2, 0, 2],
    ),
    row("shape", f"{W1}.root.trees[0]", SQUARE, "a tree that does not span", witnesses__1__root__trees__0=[1, 0, 1]),
)
