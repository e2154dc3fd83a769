"""Restricted isometry under test: tiny certificates to forge, and the truth by every set of columns.

Positive semidefiniteness is decided by elimination over ℚ, of Hermitian matrices as real ones of twice the size. An
enclosed Gram matrix is tried with perturbations that its radius allows: what they contradict is false.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from typing import Any

from certify.kernel import Verdict
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of, rows_of

MOST_COLUMNS = 7
Matrix = list[list[Fraction]]


def definite(a: Matrix) -> int:
    """1: positive definite; 0: semidefinite, and singular; −1: neither."""
    work, singular = [row[:] for row in a], False
    while work:
        pivot, *column = (row[0] for row in work)
        if pivot < 0 or (pivot == 0 and any(column)):
            return -1
        singular = singular or pivot == 0
        work = [
            [row[j] - (row[0] * work[0][j] / pivot if pivot else 0) for j in range(1, len(row))] for row in work[1:]
        ]
    return 0 if singular else 1


def gram_of(problem: Any) -> tuple[Matrix, Matrix, Fraction]:
    """Real and imaginary parts (d, d), and the radius."""
    if "matrix" in problem:
        scale = rational_of(problem["matrix"]["scale_squared"])
        rows = [[rational_of(entry) for entry in row] for row in problem["matrix"]["rows"]]
        columns = list(zip(*rows, strict=True))
        real = [[scale * sum(x * y for x, y in zip(a, b, strict=True)) for b in columns] for a in columns]
        return real, [[Fraction(0)] * len(real) for _ in real], Fraction(0)
    table = problem["gram"]
    low = rows_of(table)
    skew = [[rational_of(e) / rational_of(table["denominator"]) for e in row] for row in table.get("imaginary", [])]
    skew = skew or [[Fraction(0)] * len(row) for row in low]
    d = range(len(low))
    return (
        [[low[max(i, j)][min(i, j)] for j in d] for i in d],
        [[skew[i][j] if i >= j else -skew[j][i] for j in d] for i in d],
        rational_of(table.get("radius", 0)),
    )


def _side(real: Matrix, skew: Matrix, chosen: tuple[int, ...], sign: int, shift: Fraction, off: Matrix) -> Matrix:
    """shift·I + sign·(G + off) on the chosen columns, as a real matrix of twice the size."""
    entries = [[sign * (real[i][j] + off[i][j]) + (shift if i == j else 0) for j in chosen] for i in chosen]
    turned = [[sign * skew[i][j] for j in chosen] for i in chosen]
    top = [a + [-e for e in b] for a, b in zip(entries, turned, strict=True)]
    return top + [b + a for a, b in zip(entries, turned, strict=True)]


def compared(problem: Any, value: Fraction, scale: Fraction = Fraction(1)) -> set[int]:
    """Whether the constant is below, at or above the value (−1, 0, 1), for each perturbation that is tried."""
    real, skew, radius = gram_of(problem)
    real, skew = ([[scale * e for e in row] for row in part] for part in (real, skew))
    radius *= scale
    d, s = len(real), int(rational_of(problem["sparsity"]))
    signs = [(1, *rest) for rest in product((1, -1), repeat=d - 1)] if radius else [(0,) * d]
    outcomes = set()
    for pattern in signs:
        for turn in (1, -1):
            off = [[turn * radius * a * b for b in pattern] for a in pattern]
            worst = 1
            for chosen in combinations(range(d), min(s, d)):
                for sign, shift in ((-1, 1 + value), (1, value - 1)):
                    worst = min(worst, definite(_side(real, skew, chosen, sign, shift, off)))
            outcomes.add(-worst)
    return outcomes


def _scaled_truth(problem: Any) -> float:
    """(L − l)/(L + l) in floating point."""
    import numpy as np

    real, skew, _ = gram_of(problem)
    g = np.array(real, dtype=float) + 1j * np.array(skew, dtype=float)
    values = [
        np.linalg.eigvalsh(g[np.ix_(chosen, chosen)])
        for chosen in combinations(range(len(g)), int(rational_of(problem["sparsity"])))
    ]
    high, low = max(v[-1] for v in values), max(min(v[0] for v in values), 0.0)
    return float((high - low) / (high + low)) if low > 1e-12 * high else 1.0


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    problem = document["problem"]
    free = "scaling" in problem
    if len(gram_of(problem)[0]) > MOST_COLUMNS:
        return
    for statement in verdict.statements:
        value = statement.value
        name = "rip_constant_scaled" if free else "rip_constant"
        demand(value is not None and statement.quantity == name, f"quantity {statement.quantity}")
        if value is None:
            continue
        if free:
            truth, room = _scaled_truth(problem), 1e-6 + float(gram_of(problem)[2]) * 100
            false = {">=": value > truth + room, "<=": value < truth - room, "==": abs(value - truth) > room}
            demand(not false[statement.relation], f"{statement.relation} {value} was accepted, the truth is {truth}")
            continue
        wrong = {">=": {-1} if value > 0 else set(), "<=": {1}, "==": {1} if value == 0 else {1, -1}}[
            statement.relation
        ]
        demand(not compared(problem, value) & wrong, f"{statement.relation} {value} was accepted, and is not so")


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""

    def certificate(problem: Any, sparsity: int, *witnesses: dict[str, Any]) -> dict[str, Any]:
        return {
            "format": "certify/1",
            "family": "rip",
            "problem": {**problem, "sparsity": sparsity},
            "witnesses": list(witnesses),
        }

    plane = {"matrix": {"scale_squared": "1/2", "rows": [[1, 1, 1], [1, -1, 0]]}}  # Gram: 1, 0, 1/2; 1, 1/2; 1/2
    lines = {"gram": {"denominator": 3, "rows": [[3], [1, 3], [1, 1, 3], [-1, 1, 1, 3]]}}
    near = {"gram": {"denominator": 2, "rows": [[2], [1, 2]], "radius": "1/100"}}
    turned = {"gram": {"denominator": 4, "rows": [[4], [0, 4], [1, 0, 4]], "imaginary": [[0], [1, 0], [0, 1, 0]]}}
    uneven = {"gram": {"denominator": 1, "rows": [[3], [0, 2], [1, 0, 3]]}, "scaling": "best"}
    return {
        "plane": certificate(
            plane,
            2,
            {"kind": "vector", "vector": {"index": [0, 2], "value": [1, -2]}},
            {"kind": "supports", "value": "81/100", "order": 2, "work": 100},
            {"kind": "coherence"},
        ),
        "lines": certificate(
            lines,
            3,
            {"kind": "vector", "vector": {"index": [1, 2, 3], "value": [1, 1, 1]}},
            {"kind": "supports", "value": "2/3", "order": 3, "work": 200},
            {"kind": "supports", "value": "1/3", "order": 2, "work": 100, "bits": 12},
        ),
        "within a radius": certificate(
            near,
            2,
            {"kind": "vector", "vector": {"index": [0, 1], "value": [1, 1]}},
            {"kind": "supports", "value": "1/2", "order": 2, "work": 100},
            {"kind": "coherence"},
        ),
        "complex": certificate(
            turned,
            3,
            {"kind": "vector", "vector": {"index": [0, 1, 2], "value": [5, 0, 4], "imaginary": [0, 5, 4]}},
            {"kind": "supports", "value": "1/2", "order": 3, "work": 100},
            {"kind": "coherence"},
        ),
        "best multiple": certificate(
            uneven,
            2,
            {"kind": "pair", "high": {"index": [0, 2], "value": [1, 1]}, "low": {"index": [1], "value": [1]}},
            {"kind": "supports", "value": "1/3", "order": 2, "work": 100, "scale": "1/3"},
            {"kind": "coherence", "scale": "1/3"},
        ),
        "one entry": certificate(
            {"gram": {"denominator": 1, "rows": [[0], [0, 1]]}},
            1,
            {"kind": "vector", "vector": {"index": [0], "value": [1]}},
            {"kind": "supports", "value": 1, "order": 1, "work": 100},
        ),
    }
