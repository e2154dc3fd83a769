"""The spark under test: tiny certificates to forge, and the truth by trying every set of columns."""

from __future__ import annotations

from itertools import combinations
from typing import Any

from certify.kernel import Verdict
from certify.testing.basis_pursuit import solved_on
from certify.testing.conformance import demand
from certify.testing.embedding import rows_of


def spark_of(problem: Any) -> int:
    """The least size of a set of columns on which 0 has not just one solution."""
    w = rows_of(problem["matrix"])
    d = len(w[0])
    for size in range(1, d + 1):
        for chosen in combinations(range(d), size):
            if size > len(w) or solved_on([[row[j] for row in w] for j in chosen], [w[0][0] * 0] * len(w)) is None:
                return size
    return d + 1


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    truth = spark_of(document["problem"])
    for statement in verdict.statements:
        value = statement.value
        demand(value is not None and statement.quantity == "spark", f"quantity {statement.quantity}")
        if value is not None:
            true = {">=": value <= truth, "<=": value >= truth, "==": value == truth}[statement.relation]
            demand(true, f"{statement.relation} {value} was accepted, the truth is {truth}")


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""

    def certificate(rows: Any, *witnesses: dict[str, Any]) -> dict[str, Any]:
        problem = {"matrix": {"denominator": 1, "rows": rows}}
        return {"format": "certify/1", "family": "spark", "problem": problem, "witnesses": list(witnesses)}

    return {
        "three in the plane": certificate(
            [[1, 0, 1], [0, 1, 1]],
            {"kind": "independent", "size": 2, "modulus": 101},
            {"kind": "dependency", "value": [1, 1, -1]},
        ),
        "independent columns": certificate(
            [[1, 1], [0, 1]], {"kind": "independent", "size": 2, "modulus": 101}, {"kind": "convention"}
        ),
    }
