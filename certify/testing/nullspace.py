"""The null-space constant under test: tiny certificates to forge, and the truth by the circuits of the matrix.

The greatest ℓ1 norm on s entries is convex in z, so it is attained at an extreme point of the unit ball of the kernel:
a vector whose support holds no smaller one (Rockafellar 1969).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

from certify.kernel import Verdict
from certify.testing.basis_pursuit import solved_on
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of, rows_of

MOST_COLUMNS = 10


def alpha_of(rows: list[list[Fraction]], s: int) -> Fraction:
    """The constant of order s, by all sets of columns of which each is a combination of the others."""
    d, best = len(rows[0]), Fraction(0)
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            *others, last = [[row[j] for row in rows] for j in chosen]
            found = solved_on(others, last) if others else (None if any(last) else [])
            if found is not None and all(found):
                sizes = sorted([Fraction(1), *map(abs, found)], reverse=True)
                best = max(best, sum(sizes[:s], Fraction(0)) / sum(sizes, Fraction(0)))
    return best


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    problem = document["problem"]
    rows = rows_of(problem["matrix"])
    if len(rows[0]) > MOST_COLUMNS:
        return
    truth = alpha_of(rows, int(rational_of(problem["sparsity"])))
    for statement in verdict.statements:
        value = statement.value
        demand(value is not None and statement.quantity == "alpha", f"quantity {statement.quantity}")
        if value is not None:
            true = {">=": value <= truth, "<=": value >= truth, "==": value == truth}[statement.relation]
            demand(true, f"{statement.relation} {value} was accepted, the truth is {truth}")


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""

    def certificate(rows: Any, sparsity: int, *witnesses: dict[str, Any]) -> dict[str, Any]:
        problem = {"matrix": {"denominator": 1, "rows": rows}, "sparsity": sparsity}
        return {"format": "certify/1", "family": "nullspace", "problem": problem, "witnesses": list(witnesses)}

    cycle = [[1, 0, -1], [-1, 1, 0], [0, -1, 1]]
    thirds = {"denominator": 3, "vectors": [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]}
    wide = [[1, 1, 0], [0, 1, 1]]  # the kernel is spanned by (1, -1, 1)
    own = [
        {"pattern": [1, -2], "vector": [1, -2]},
        {"pattern": [1, 3], "vector": [1, 1]},
        {"pattern": [2, -3], "vector": [2, -1]},
    ]
    return {
        "triangle": certificate(cycle, 1, {"kind": "kernel", "value": [1, 1, 1]}, {"kind": "dual", **thirds}),
        "injective": certificate(
            [[2, 0], [0, 1]], 1, {"kind": "none"}, {"kind": "dual", "denominator": 2, "vectors": [[1, 0], [0, 2]]}
        ),
        "two of three": certificate(
            wide,
            2,
            {"kind": "kernel", "value": [1, -1, 1]},
            {
                "kind": "tree",
                "denominator": 3,
                "vectors": [[2, -1], [1, 1], [-1, 2]],
                "value": "2/3",
                "special": [],
                "work": 100,
            },
        ),
        "with vectors of its own": certificate(
            wide,
            2,
            {
                "kind": "tree",
                "denominator": 4,
                "vectors": [[3, -1], [1, 1], [-1, 3]],
                "value": "3/4",
                "special": own,
                "work": 200,
            },
        ),
    }
