"""Rows of the table of rules for the family ``kmeans``, and for points and boxes."""

from __future__ import annotations

from typing import Any

from rule_row import GONE, Edits, Row

from certify.testing.kmeans import LEAF, SPECTRAL, tiny

TINY: dict[str, dict[str, Any]] = tiny()
PRICES, TREE, NESTED, SPEC, PARTITION, SAMPLES, AXES, LINE, PARTS = TINY
row = Edits(TINY)
W0, W1 = "witnesses[0]", "witnesses[1]"
ROOT, BLOCK, PART = f"{W1}.root", f"{W0}.blocks[0]", f"{W0}.parts[0]"
POINTS, WEIGHTS = "problem.points", "problem.weights"


def many(count: int, dimension: int) -> list[list[int]]:
    return [[(i * (t + 3)) % 7 for t in range(dimension)] for i in range(count)]


def loose(dimension: int) -> dict[str, Any]:
    """A spectral witness that is valid for any points that are small enough."""
    zero = [[0] * (i + 1) for i in range(dimension)]
    return {**SPECTRAL, "threshold": 10**9, "excess": zero}


CUBE: dict[str, Any] = {
    "problem__points": {"denominator": 1, "rows": many(60, 3)},
    "witnesses": [loose(3)],
}
TILTED = {
    "kind": "axes",
    "denominator": 1,
    "blocks": [{"axes": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "witness": {"kind": "zero"}}],
    "psd": {"kind": "ldl"},
}
DEEP: Any = LEAF
for pair in ([2, 3], [0, 1]):
    DEEP = {"pair": pair, "together": DEEP, "apart": LEAF}

# For a matrix 2^900·R with R diagonally dominant: nothing is left to factor.
LONG_FACTOR = {
    "kind": "factor",
    "exponents": [0, 0, 0, 0],
    "multiplier": "1/2^900",
    "factor": [[0], [0, 0], [0, 0, 0], [0, 0, 0, 0]],
}

ROWS: tuple[Row, ...] = (
    # the problem
    row("key.missing", "problem.k", PRICES, problem__k=GONE),
    row("key.unknown", "problem.n", PRICES, problem__n=4),
    row("number.range", "problem.k", PRICES, problem__k=0),
    row("number.range", "problem.k", PRICES, problem__k=5),
    row("key.missing", f"{POINTS}.denominator", PRICES, problem__points={"rows": [[0]]}),
    row("shape", f"{POINTS}.rows", PRICES, "no points", problem__points__rows=[]),
    row("shape", f"{POINTS}.rows", PRICES, "no coordinates", problem__points__rows=[[], [], [], []],
        witnesses=[{"kind": "labels", "labels": [0, 0, 1, 1]}]),
    row("shape", f"{POINTS}.rows[1]", PRICES, problem__points__rows__1=[0]),
    row("key.missing", f"{WEIGHTS}.denominator", LINE, problem__weights__denominator=GONE),
    row("key.unknown", f"{WEIGHTS}.rows", LINE, problem__weights__rows=[]),
    row("number.range", f"{WEIGHTS}.denominator", LINE, problem__weights__denominator=0),
    row("shape", f"{WEIGHTS}.values", LINE, problem__weights__values=[1, 1, 1]),
    row("points.weights", f"{WEIGHTS}.values", LINE, problem__weights__values__1=-1),
    row("points.weights", f"{WEIGHTS}.values", LINE, problem__weights__values=[0, 0, 0, 0],
        witnesses=[{"kind": "labels", "labels": [0, 0, 1, 1]}]),
    # labels and centres
    row("word", f"{W0}.kind", PRICES, witnesses__0__kind="medoids"),
    row("key.missing", f"{W0}.labels", PRICES, witnesses__0__labels=GONE),
    row("key.unknown", f"{W0}.cost", PRICES, witnesses__0__cost=3),
    row("shape", f"{W0}.labels", PRICES, witnesses__0__labels=[0, 0, 1]),
    row("number.range", f"{W0}.labels[3]", PRICES, witnesses__0__labels__3=2),
    row("number.range", f"{W0}.labels[3]", PRICES, witnesses__0__labels__3=-1),
    row("work", W0, PRICES, "labels of many points", limits={"MAX_WORK": 15}, witnesses__1=GONE),
    row("key.missing", f"{W0}.centres", TREE, witnesses__0__centres=GONE),
    row("key.unknown", f"{W0}.labels", TREE, witnesses__0__labels=[0, 0, 1, 1]),
    row("shape", f"{W0}.centres.rows", TREE, witnesses__0__centres__rows=[[0, 0], [0, 2], [10, 1]]),
    row("shape", f"{W0}.centres.rows", TREE, witnesses__0__centres__rows=[]),
    row("shape", f"{W0}.centres.rows[1]", TREE, witnesses__0__centres__rows=[[0, 1], [10]]),
    row("number.range", f"{W0}.centres.denominator", TREE, witnesses__0__centres__denominator=0),
    row("work", W0, TREE, "centres of many points", limits={"MAX_WORK": 31}, witnesses__1=GONE),
    # zero
    row("key.unknown", f"{W0}.value", PARTS, witnesses=[{"kind": "zero", "value": 1}]),
    # spectral
    row("key.missing", f"{W0}.psd", SPEC, witnesses__0__psd=GONE),
    row("key.unknown", f"{W0}.k", SPEC, witnesses__0__k=2),
    row("number.range", f"{W0}.scale", SPEC, witnesses__0__scale=0),
    row("number.range", f"{W0}.scale", SPEC, witnesses__0__scale="2^201"),
    row("number.range", f"{W0}.threshold", SPEC, witnesses__0__threshold=-1),
    row("shape", f"{W0}.excess", SPEC, witnesses__0__excess=[[384]]),
    row("shape", f"{W0}.excess[1]", SPEC, witnesses__0__excess__1=[0, 0, 0]),
    row("psd.pivot", f"{W0}.psd", SPEC, witnesses__0__excess__1=[0, -1], witnesses__0__threshold=17),
    row("psd.pivot", f"{W0}.psd_rest", SPEC, witnesses=[{**SPECTRAL, "threshold": 15}]),
    row("psd.pivot", f"{W0}.psd_rest", SPEC, witnesses__0__excess__0=[383]),
    row("psd.pivot", f"{W0}.psd_rest", SPEC, witnesses__0__scale=2),
    row("work", W0, SPEC, "moments of many points", limits={"MAX_WORK": 359}, **{**CUBE, "witnesses": [
        {"kind": "dual", "root": {"scale": 1, "prices": [0] * 7, "sigma": 0}}]}),
    row("work", W0, SPEC, "weighted products of many points", limits={"MAX_WORK": 500}, **CUBE,
        problem__weights={"denominator": 1, "values": [1 + i % 2 for i in range(60)]}),
    # line
    row("key.missing", f"{W1}.sigma", LINE, witnesses__1__sigma=GONE),
    row("key.unknown", f"{W1}.prices", LINE, witnesses__1__prices=[]),
    row("number.range", f"{W1}.scale", LINE, witnesses__1__scale=0),
    row("number.range", f"{W1}.sigma", LINE, witnesses__1__sigma=-1),
    row("shape", f"{W1}.potentials", LINE, witnesses__1__potentials=[20, 23, 43]),
    row("shape", W1, LINE, "too many points", limits={"MAX_LINE": 3}),
    row("shape", W1, PRICES, "two coordinates",
        witnesses__1={"kind": "line", "scale": 1, "potentials": [0, 0, 0, 0], "sigma": 0}),
    row("prices.interval", W1, LINE, why="1 to 4", witnesses__1__potentials=[20, 23, 43, 2000],
        witnesses__1__sigma=1000),
    row("prices.interval", W1, LINE, why="1 to 2", witnesses__1__potentials__1=24),
    row("prices.interval", W1, LINE, why="3 to 4", witnesses__1__potentials__3=60),
    row("prices.interval", W1, LINE, why="1 to 1", witnesses__1__sigma=19),
    row("work", W1, LINE, "all intervals", limits={"MAX_WORK": 63}),
    # dual
    row("key.missing", ROOT, PRICES, witnesses__1__root=GONE),
    row("key.unknown", f"{W1}.value", PRICES, witnesses__1__value=1),
    row("json.type", ROOT, PRICES, witnesses__1__root=7),
    row("key.missing", f"{ROOT}.sigma", PRICES, witnesses__1__root__sigma=GONE),
    row("key.unknown", f"{ROOT}.boxes", PRICES, witnesses__1__root__boxes=7),
    row("number.range", f"{ROOT}.scale", PRICES, witnesses__1__root__scale=0),
    row("number.range", f"{ROOT}.scale", PRICES, witnesses__1__root__scale="2^201"),
    row("number.range", f"{ROOT}.sigma", PRICES, witnesses__1__root__sigma=-1),
    row("shape", f"{ROOT}.prices", PRICES, witnesses__1__root__prices=[176, 176, 176]),
    row("boxes.level", ROOT, PRICES, witnesses__1__root__prices__0=177),
    row("boxes.level", ROOT, PRICES, witnesses__1__root__prices__3=177),
    row("boxes.level", ROOT, PRICES, witnesses__1__root__sigma=319),
    row("boxes.level", ROOT, PRICES, "one point costs too much", witnesses__1__root__prices__2=321),
    row("boxes.work", ROOT, PRICES, limits={"MAX_BOX_WORK": 23}),
    row("key.missing", f"{ROOT}.apart", TREE, witnesses__1__root__apart=GONE),
    row("key.unknown", f"{ROOT}.sigma", TREE, witnesses__1__root__sigma=1),
    row("shape", f"{ROOT}.pair", TREE, witnesses__1__root__pair=[0, 1, 2]),
    row("number.range", f"{ROOT}.pair[0]", TREE, witnesses__1__root__pair=[4, 1]),
    row("number.range", f"{ROOT}.pair[1]", TREE, witnesses__1__root__pair=[0, -1]),
    row("prices.pair", f"{ROOT}.pair", TREE, witnesses__1__root__pair=[1, 1]),
    row("prices.pair", f"{ROOT}.together.pair", TREE, "a pair that is together",
        witnesses__1__root__together={"pair": [0, 1], "together": LEAF, "apart": LEAF}),
    row("prices.pair", f"{ROOT}.apart.pair", TREE, "a pair that is apart",
        witnesses__1__root__apart={"pair": [0, 1], "together": LEAF, "apart": LEAF}),
    row("prices.pair", f"{W0}.root.apart.together.pair", NESTED, "a pair that is apart since its partner moved",
        witnesses__0__root__apart__together={"pair": [1, 0], "together": LEAF, "apart": LEAF}),
    row("size", f"{ROOT}.together", TREE, limits={"MAX_BRANCHES": 1}, witnesses__1__root=DEEP),
    row("boxes.level", f"{ROOT}.together", TREE, "the pair is together here",
        witnesses__1__root__together={"scale": 4, "prices": [192, 192, 176, 176], "sigma": 320}),
    row("boxes.level", f"{ROOT}.apart", TREE, "another pair is apart", witnesses__1__root__pair=[2, 3]),
    row("boxes.grid", f"{ROOT}.together", TREE, problem__points__rows=[[0, 0], [0, 1], [10, 0], [10, 2]],
        witnesses__1__root__together={"scale": 3, "prices": [0, 0, 0, 0], "sigma": 900}),
    # partition: see also the rows of its own module
    row("psd.pivot", f"{W0}.psd", PARTITION, witnesses__0__y__0=103),
    row("psd.pivot", f"{W0}.psd", PARTITION, witnesses__0__shift=-199),
    row("work", W0, PARTITION, "all pairs", limits={"MAX_WORK": 127}),
    row("work", W0, PARTITION, "a long scale", limits={"MAX_WORK": 900}, witnesses__0__scale="2^900",
        witnesses__0__y=[90 << 900] * 4, witnesses__0__shift=-220 << 900, witnesses__0__psd=LONG_FACTOR),
    row("key.missing", f"{W0}.y", PARTITION, witnesses__0__y=GONE),
    row("key.unknown", f"{W0}.k", PARTITION, witnesses__0__k=2),
    row("size", W0, PARTITION, "many items", limits={"MAX_ITEMS_OF_PARTITION": 3}),
    row("size", W0, PARTITION, "a matrix to hold", limits={"MAX_WORDS": 12}),
    row("partition.sign", f"{W0}.nonnegative[1]", PARTITION, witnesses__0__shift=-210,
        witnesses__0__nonnegative=[[], [-1], [0, 0], [0, 0, 0]]),
    # samples
    row("key.missing", f"{W0}.size", SAMPLES, witnesses__0__size=GONE),
    row("key.unknown", f"{W0}.seed", SAMPLES, witnesses__0__seed=1),
    row("number.range", f"{W0}.size", SAMPLES, witnesses__0__size=0),
    row("number.range", f"{W0}.size", SAMPLES, witnesses__0__size=5001),
    row("sample.delta", f"{W0}.delta", SAMPLES, witnesses__0__delta=0),
    row("sample.delta", f"{W0}.delta", SAMPLES, witnesses__0__delta=1),
    row("size", f"{W0}.witnesses", SAMPLES, witnesses__0__witnesses=[]),
    row("size", f"{W0}.witnesses", SAMPLES, limits={"MAX_SAMPLES": 1}),
    row("sample.weights", W0, SAMPLES, problem__weights={"denominator": 1, "values": [1, 1, 2, 1]}),
    row("word", f"{W0}.witnesses[1].kind", SAMPLES, witnesses__0__witnesses__1={"kind": "parts", "parts": []}),
    # axes
    row("key.missing", f"{W0}.psd", AXES, witnesses__0__psd=GONE),
    row("key.unknown", f"{W0}.axes", AXES, witnesses__0__axes=[]),
    row("number.range", f"{W0}.denominator", AXES, witnesses__0__denominator=0),
    row("key.missing", f"{BLOCK}.axes", AXES, witnesses__0__blocks__0__axes=GONE),
    row("key.unknown", f"{BLOCK}.psd", AXES, witnesses__0__blocks__0__psd=1),
    row("shape", f"{BLOCK}.axes[1]", AXES, witnesses__0__blocks__0__axes__1=[1]),
    row("shape", f"{W0}.blocks", AXES, witnesses__0__blocks__0__axes=[[1, 0], [0, 1], [1, 1]]),
    row("shape", f"{W0}.blocks", AXES, witnesses__0__blocks=[]),
    row("shape", f"{W0}.blocks", AXES, "a block without axes",
        witnesses__0__blocks=[{"axes": axes, "witness": {"kind": "zero"}} for axes in ([], [[1, 0]])]),
    row("psd.pivot", f"{W0}.psd", AXES, witnesses__0__denominator=4),
    row("word", f"{BLOCK}.witness.kind", AXES, witnesses__0__blocks__0__witness={"kind": "labels", "labels": [0] * 4}),
    row("word", f"{BLOCK}.witness.kind", AXES, witnesses__0__blocks__0__witness={"kind": "axes"}),
    row("work", W0, AXES, "many points to turn", limits={"MAX_WORK": 500}, **{**CUBE, "witnesses": [TILTED]}),
    row("size", W0, AXES, "many points to hold", limits={"MAX_WORDS": 170}, **{**CUBE, "witnesses": [TILTED]}),
    # parts
    row("key.missing", f"{W0}.parts", PARTS, witnesses__0__parts=GONE),
    row("key.unknown", f"{W0}.k", PARTS, witnesses__0__k=1),
    row("size", f"{W0}.parts[1]", PARTS, limits={"MAX_PARTS": 1}),
    row("key.missing", f"{PART}.witness", PARTS, witnesses__0__parts__0__witness=GONE),
    row("key.unknown", f"{PART}.k", PARTS, witnesses__0__parts__0__k=1),
    row("kmeans.parts", f"{PART}.points", PARTS, "an empty part", witnesses__0__parts__0__points=[],
        witnesses__0__parts__0__witness={"kind": "zero"}),
    row("kmeans.parts", f"{PART}.points", PARTS, "a point twice", witnesses__0__parts__0__points=[0, 1, 1]),
    row("kmeans.parts", f"{W0}.parts[1].points", PARTS, "a point in two parts", witnesses__0__parts__1__points=[1]),
    row("number.range", f"{PART}.points[1]", PARTS, witnesses__0__parts__0__points=[0, 4]),
    row("number.range", f"{PART}.points[1]", PARTS, witnesses__0__parts__0__points=[0, -1]),
    row("word", f"{PART}.witness.kind", PARTS, witnesses__0__parts__0__witness={"kind": "parts", "parts": []}),
)  # fmt: skip
