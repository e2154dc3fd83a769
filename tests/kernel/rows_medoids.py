"""Rows of the families kmedoids, kmedian, kcenter and kdiameter, and their tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.medoids import tiny

TINY = tiny()
TAXI, EUCLID, TABLE, SQUARES, STREETS, SITES = (
    "taxi medoids", "Euclidean medoids", "asymmetric medoids", "medoids of squares", "medoids of a graph", "median of sites",
)  # fmt: skip
WIDE, CENTER, BRANCHED, CENTER_TABLE = "rectangular median", "center", "branched center", "center of squares"
PLANE, RING, WHEEL, FAR = "diameter of points", "diameter of a ring", "refuted wheel", "diameter of a table"
row = Edits(TINY)
METRIC, POINTS, W0, W1 = "problem.metric", "problem.metric.points", "witnesses[0]", "witnesses[1]"

ROWS = (
    # dissimilarities
    row("json.type", METRIC, TAXI, problem__metric=7),
    row("key.missing", f"{METRIC}.norm", TAXI, problem__metric__norm=GONE),
    row("key.unknown", f"{METRIC}.distances", TAXI, problem__metric__distances={"denominator": 1, "rows": [[0]]}),
    row("key.missing", f"{METRIC}.distances.distances", TAXI, problem__metric={}),
    row("key.unknown", f"{METRIC}.distances.graph2", TABLE, problem__metric__graph2=1),
    row("key.unknown", f"{METRIC}.graph", STREETS, "two metrics", problem__metric__points=1),
    row("word", f"{METRIC}.norm", TAXI, problem__metric__norm="l3"),
    row("sites.points", POINTS, SITES, problem__metric={"distances": {"denominator": 1, "rows": [[1, 2, 4], [4, 4, 4], [4, 4, 4], [4, 4, 4]]}}),
    row("dissimilarity.negative", f"{METRIC}.distances.rows[1]", TABLE, problem__metric__distances__rows__1=[4, -1, 2]),
    row("shape", f"{METRIC}.distances.rows", TABLE, problem__metric__distances__rows=[]),
    row("shape", f"{METRIC}.distances.rows", TABLE, problem__metric__distances__rows=[[]]),
    row("shape", f"{POINTS}.rows", TAXI, problem__metric__points__rows=[]),
    row("shape", f"{POINTS}.rows", TAXI, "too many points", limits={"MAX_ITEMS": 6}),
    row("json.type", "problem.candidates", SITES, problem__candidates=None),
    row("shape", "problem.candidates.rows", SITES, problem__candidates__rows=[]),
    row("shape", "problem.candidates.rows[1]", SITES, problem__candidates__rows__1=[1, 2, 3]),
    row("shape", "problem.metric", TABLE, "a table that is not square", problem__metric__distances__rows=[[0, 1, 2], [4, 0, 1], [1, 5, 0], [5, 5, 5]]),
    row("size", f"{METRIC}.distances", TABLE, "a table of long numbers", limits={"MAX_WORDS": 150},
        problem__metric__distances__rows=[["2^1000", 1, 2], [4, 0, 1], [1, 5, 0]]),
    row("size", f"{POINTS}", TAXI, "points of long numbers", limits={"MAX_WORDS": 120},
        problem__metric__points__rows=[["2^520", 6], [6, 6], [6, 5], [6, 2], [6, 1], [5, 1], [2, 3]]),
    row("work", f"{POINTS}", TAXI, "many distances", limits={"MAX_WORK": 3000}),
    row("size", f"{METRIC}.graph", STREETS, "many distances of a graph", limits={"MAX_WORDS": 9}),
    row("graph.connected", f"{METRIC}.graph.edges", STREETS, problem__metric__graph__edges=[[0, 1, 1], [2, 3, 2]]),
    # the problem
    row("key.missing", "problem.power", TAXI, problem__power=GONE),
    row("key.missing", "problem.k", SITES, problem__k=GONE),
    row("key.unknown", "problem.candidates", TAXI, problem__candidates={"denominator": 1, "rows": [[1, 2]]}),
    row("number.range", "problem.power", TAXI, problem__power=3),
    row("number.range", "problem.power", TAXI, problem__power=0),
    row("number.range", "problem.k", TAXI, problem__k=0),
    row("number.range", "problem.k", TAXI, problem__k=8),
    row("number.range", "problem.k", SITES, problem__k=5),
    # centres
    row("word", f"{W0}.kind", TAXI, witnesses__0__kind="packing"),
    row("key.missing", f"{W0}.bits", TAXI, witnesses__0__bits=GONE),
    row("key.unknown", f"{W0}.bits", CENTER, witnesses__0__bits=0),
    row("centres.count", f"{W0}.centres", TAXI, witnesses__0__centres=[]),
    row("centres.count", f"{W0}.centres", TAXI, witnesses__0__centres=[1, 3, 4]),
    row("number.range", f"{W0}.centres[0]", TAXI, witnesses__0__centres=[7, 3]),
    row("number.range", f"{W0}.centres[1]", TAXI, witnesses__0__centres=[1, -1]),
    row("number.range", f"{W0}.bits", EUCLID, witnesses__0__bits=257),
    row("number.range", f"{W0}.bits", EUCLID, witnesses__0__bits=-1),
    row("shape", f"{W0}.labels", TAXI, witnesses__0__labels=[0, 0, 0]),
    row("number.range", f"{W0}.labels[6]", TAXI, witnesses__0__labels=[0, 0, 0, 1, 1, 1, 2]),
    row("number.range", f"{W0}.labels[0]", TAXI, witnesses__0__labels=[-1, 0, 0, 1, 1, 1, 1]),
    # multipliers and trees
    row("key.missing", f"{W1}.tree", TAXI, witnesses__1__tree=GONE),
    row("key.unknown", f"{W1}.w", TAXI, witnesses__1__w=1),
    row("shape", f"{W1}.v[0]", TAXI, witnesses__1__v=[[1, 2]]),
    row("number.range", f"{W1}.bits", TAXI, witnesses__1__bits=300),
    row("number.range", f"{W1}.tree[0]", TAXI, witnesses__1__tree=[1]),
    row("number.range", f"{W1}.tree[0]", TAXI, witnesses__1__tree=[-8, 0, 0]),
    row("tree.shape", f"{W1}.tree", TAXI, witnesses__1__tree=[]),
    row("tree.shape", f"{W1}.tree", TAXI, "cut short", witnesses__1__tree=[-1, 0]),
    row("tree.shape", f"{W1}.tree[1]", TAXI, "too long", witnesses__1__tree=[0, 0]),
    row("tree.depth", f"{W1}.tree[1]", TAXI, witnesses__1__tree=[-1, -2, 0, 0, 0], limits={"MAX_CENTRE_DEPTH": 1}),
    row("size", f"{W1}.tree", TAXI, "many leaves", witnesses__1__tree=[-1, 0, 0], limits={"MAX_CENTRE_LEAVES": 1}),
    row("work", f"{W1}.v", TAXI, "many multipliers", limits={"MAX_WORK": 23_000}, witnesses__1__v=[[0] * 7] * 40),
    # packings
    row("word", f"{W0}.kind", CENTER, witnesses__0__kind="multipliers"),
    row("key.missing", f"{W1}.radius", CENTER, witnesses__1__radius=GONE),
    row("shape", f"{W1}.radius[0]", CENTER, witnesses__1__radius=[1]),
    row("number.range", f"{W1}.radius[0]", CENTER, witnesses__1__radius=[7, 0]),
    row("number.range", f"{W1}.radius[1]", CENTER, witnesses__1__radius=[0, 7]),
    row("packing.weight", f"{W1}.weights[0]", CENTER, witnesses__1__weights=[[-1, 10, 0, 0, 10, 0, 10]]),
    row("packing.short", f"{W1}.weights[0]", CENTER, "no weight", witnesses__1__weights=[[0] * 7]),
    row("packing.short", f"{W1}.weights[0]", CENTER, "a larger radius", witnesses__1__radius=[0, 6]),
    row("shape", f"{W1}.weights[0]", CENTER, witnesses__1__weights=[[1]]),
    row("work", f"{W1}.weights", CENTER, "many weights", limits={"MAX_WORK": 15_000}, witnesses__1__weights=[[0, 1, 0, 0, 1, 0, 1]] * 40),
    # diameters
    row("key.missing", "problem.k", PLANE, problem__k=GONE),
    row("key.unknown", "problem.power", PLANE, problem__power=1),
    row("number.range", "problem.k", PLANE, problem__k=8),
    row("json.type", METRIC, PLANE, problem__metric=[]),
    row("shape", f"{METRIC}.distances.rows", FAR, problem__metric__distances__rows=[[0, 1], [1, 0], [2, 2]]),
    row("metric.symmetry", f"{METRIC}.distances.rows[1][0]", FAR, problem__metric__distances__rows__1__0=9),
    row("metric.diagonal", f"{METRIC}.distances.rows[2][2]", FAR, problem__metric__distances__rows__2__2=1),
    row("word", f"{W0}.kind", PLANE, witnesses__0__kind="centres"),
    row("key.unknown", f"{W0}.centres", PLANE, witnesses__0__centres=[1]),
    row("shape", f"{W0}.labels", PLANE, witnesses__0__labels=[0, 1]),
    row("number.range", f"{W0}.labels[3]", PLANE, witnesses__0__labels__3=2),
    row("key.missing", f"{W1}.points", PLANE, witnesses__1={"kind": "clique"}),
    row("clique.count", f"{W1}.points", PLANE, witnesses__1={"kind": "clique", "points": [0, 1]}),
    row("number.range", f"{W1}.points[2]", PLANE, witnesses__1={"kind": "clique", "points": [0, 4, 7]}),
    row("odd-cycle", f"{W1}.points", RING, "an even cycle", witnesses__1__points=[0, 2, 4, 1]),
    row("odd-cycle", f"{W1}.points", RING, "three clusters", problem__k=3),
    # refutations
    row("key.missing", f"{W1}.clauses", WHEEL, witnesses__1__clauses=GONE),
    row("shape", f"{W1}.threshold", WHEEL, witnesses__1__threshold=[0]),
    row("number.range", f"{W1}.threshold", WHEEL, witnesses__1__threshold=[0, 6]),
    row("number.range", f"{W1}.vertices[5]", WHEEL, witnesses__1__vertices__5=6),
    row("refutation.vertices", f"{W1}.vertices", WHEEL, witnesses__1__vertices=[0, 1, 2, 3, 5, 4]),
    row("refutation.vertices", f"{W1}.vertices", WHEEL, witnesses__1__vertices=[0, 0, 1, 2, 3, 4, 5]),
    row("work", f"{W1}.vertices", WHEEL, "many vertices", limits={"MAX_WORK": 500}),
    row("number.range", f"{W1}.clique[0]", WHEEL, witnesses__1__clique=[6, 0]),
    row("refutation.clique", f"{W1}.clique", WHEEL, "not joined", witnesses__1__clique=[0, 1, 3]),
    row("refutation.clique", f"{W1}.clique", WHEEL, "twice the same", witnesses__1__clique=[0, 0]),
    row("refutation.clique", f"{W1}.clique", WHEEL, "too many", problem__k=2, witnesses__0={"kind": "labels", "labels": [0] * 6}, witnesses__1__clique=[0, 1, 2]),
    row("refutation.literal", f"{W1}.clauses[0]", WHEEL, witnesses__1__clauses=[[0]]),
    row("number.range", f"{W1}.clauses[0][0]", WHEEL, witnesses__1__clauses=[[19]]),
    row("refutation.clause", f"{W1}.clauses[0]", WHEEL, "not implied", witnesses__1__clique=[], witnesses__1__clauses=[[]]),
    row("refutation.open", f"{W1}.clauses", WHEEL, "nothing is refuted", witnesses__1__clique=[], witnesses__1__clauses=[]),
    row("work", f"{W1}.clauses", WHEEL, "a long replay", limits={"MAX_RUP_STEPS": 5}),
)  # fmt: skip
