"""Rows of the family nullspace, and its tiny certificates."""

# ruff: noqa: E501 (a table)

from __future__ import annotations

from rule_row import GONE, Edits

from certify.testing.nullspace import tiny

TINY = {f"kernel: {name}": document for name, document in tiny().items()}
CYCLE, FREE, TWO, OWN = (
    f"kernel: {name}" for name in ("triangle", "injective", "two of three", "with vectors of its own")
)
row = Edits(TINY)
W0, W1 = "witnesses[0]", "witnesses[1]"
OWN_VECTORS = TINY[OWN]["witnesses"][0]["special"]
LONG_DUAL = {"kind": "dual", "denominator": 1, "vectors": [["2^900", 0], [0, 0], [0, 0]]}

ROWS = (
    row("key.missing", "problem.sparsity", CYCLE, problem__sparsity=GONE),
    row("shape", "problem.matrix.rows", CYCLE, problem__matrix__rows=[]),
    row("number.range", "problem.sparsity", CYCLE, problem__sparsity=4),
    row("number.range", "problem.sparsity", CYCLE, problem__sparsity=0),
    row("number.range", "problem.sparsity", TWO, "many entries", limits={"MAX_SPARSITY": 1}),
    row("word", f"{W0}.kind", CYCLE, witnesses__0__kind="vector"),
    row("key.unknown", f"{W0}.index", CYCLE, witnesses__0__index=1),
    row("key.unknown", f"{W0}.value", FREE, witnesses__0__value=1),
    row("key.unknown", f"{W1}.value", CYCLE, witnesses__1__value=1),
    row("key.missing", f"{W1}.work", TWO, witnesses__1__work=GONE),
    row("shape", f"{W0}.value", CYCLE, witnesses__0__value=[1, 1]),
    row("nullspace.kernel", f"{W0}.value", CYCLE, witnesses__0__value=[1, 1, 0]),
    row("nullspace.kernel", f"{W0}.value", CYCLE, witnesses__0__value=[0, 0, 0]),
    row("work", W0, CYCLE, "a long vector", limits={"MAX_WORK": 100}, witnesses__0__value=["2^900", "2^900", "2^900"]),
    row("number.range", f"{W1}.denominator", CYCLE, witnesses__1__denominator=0),
    row("shape", f"{W1}.vectors", CYCLE, witnesses__1__vectors=[[1, 0, 0]]),
    row("shape", f"{W1}.vectors[1]", CYCLE, witnesses__1__vectors__1=[1, 0]),
    row("work", W0, TWO, "long duals", limits={"MAX_WORK": 200}, witnesses=[LONG_DUAL]),
    row("size", W0, TWO, "many long entries", limits={"MAX_WORDS": 100}, witnesses=[LONG_DUAL]),
    row("nullspace.open", f"{W1}.value", TWO, witnesses__1__value="665/1000"),
    row("nullspace.open", f"{W0}.value", OWN, "one vector less", witnesses__0__special__1=GONE),
    row("nullspace.work", f"{W0}.work", OWN, witnesses__0__work=10),
    row("number.range", f"{W0}.work", OWN, witnesses__0__work=-1),
    row("json.type", f"{W0}.special", OWN, witnesses__0__special=None),
    row("key.missing", f"{W0}.special[1].vector", OWN, witnesses__0__special__1__vector=GONE),
    row("nullspace.pattern", f"{W0}.special[0].pattern", OWN, witnesses__0__special__0__pattern=[4]),
    row("nullspace.pattern", f"{W0}.special[0].pattern", OWN, witnesses__0__special__0__pattern=[0]),
    row("shape", f"{W0}.special[0].vector[0]", OWN, witnesses__0__special__0__vector=[1]),
    row("work", W0, OWN, "much work", limits={"MAX_WORK": 3000}),
    row("work", W0, OWN, "many sums", limits={"MAX_WORK": 500}, witnesses__0__work=3, witnesses__0__value=2, witnesses__0__special=[]),
    row("size", W0, OWN, "tables of long sums", limits={"MAX_WORDS": 100}, witnesses__0__special=[*OWN_VECTORS, {"pattern": [3, 1], "vector": ["2^900", 0]}]),
)  # fmt: skip
