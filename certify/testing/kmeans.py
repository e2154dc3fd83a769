"""The family ``kmeans`` under test: tiny certificates to forge, the truth about any of them, and twins.

The truth is found without the kernel: every partition of the distinct points is tried, in plain fractions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

from certify.families.kmeans import KMeans
from certify.kernel import Statement, Verdict
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of, rows_of

Points = tuple[tuple[tuple[Fraction, ...], Fraction], ...]
MOST = 9  # distinct points whose partitions are all tried


def points_of(problem: Any) -> Points:
    """The distinct points of the ``problem`` of a certificate, with the sums of their weights."""
    rows = rows_of(problem["points"])
    weights = [Fraction(1)] * len(rows)
    if "weights" in problem:
        table = problem["weights"]
        weights = [rational_of(value) / rational_of(table["denominator"]) for value in table["values"]]
    total: dict[tuple[Fraction, ...], Fraction] = {}
    for row, weight in zip(rows, weights, strict=True):
        total[tuple(row)] = total.get(tuple(row), Fraction(0)) + weight
    return tuple((row, weight) for row, weight in total.items() if weight)


def scatter(cluster: Sequence[tuple[tuple[Fraction, ...], Fraction]]) -> Fraction:
    """Σ w·|x − mean|²."""
    mass = sum((w for _, w in cluster), Fraction(0))
    if not mass:
        return Fraction(0)
    mean = [sum((w * x[t] for x, w in cluster), Fraction(0)) / mass for t in range(len(cluster[0][0]))]
    return sum((w * sum((a - b) ** 2 for a, b in zip(x, mean, strict=True)) for x, w in cluster), Fraction(0))


@cache
def optimum(points: Points, k: int) -> Fraction | None:
    """The least cost of at most k clusters, by trying all partitions; None if they are too many."""
    if len(points) > MOST:
        return None
    best: Fraction | None = None
    clusters: list[list[tuple[tuple[Fraction, ...], Fraction]]] = []

    def place(i: int) -> None:
        nonlocal best
        if i == len(points):
            cost = sum(map(scatter, clusters), Fraction(0))
            best = cost if best is None else min(best, cost)
            return
        for cluster in clusters:
            cluster.append(points[i])
            place(i + 1)
            cluster.pop()
        if len(clusters) < k:
            clusters.append([points[i]])
            place(i + 1)
            clusters.pop()

    place(0)
    return best


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true."""
    problem = document["problem"]
    truth = optimum(points_of(problem), int(rational_of(problem["k"])))
    demand(truth is not None, "a tiny certificate grew: nothing is known of it")
    for statement in verdict.statements:
        demand(_true(statement, truth or Fraction(0)), f"{statement.text}, but the optimum is {truth}")


def _true(statement: Statement, truth: Fraction) -> bool:
    if statement.value is None:
        return False
    if statement.rigor.startswith("confidence"):
        return True  # it may be false, with the probability that it names
    return {
        ">=": statement.value <= truth,
        "<=": statement.value >= truth,
        "==": statement.value == truth,
    }[statement.relation]


def twins(problem: KMeans) -> Iterator[tuple[str, KMeans]]:
    """The same optimum: rows reversed, moved far away, turned by a rational angle, doubled at half the weight."""
    q, rows, masses = problem.denominator, problem.rows, problem.masses

    def made(denominator: int, points: Any, unit: int, values: Any) -> KMeans:
        return KMeans.from_integers(denominator, tuple(map(tuple, points)), problem.k, unit, values)

    yield "reversed", made(q, rows[::-1], problem.unit, None if masses is None else masses[::-1])
    yield "moved", made(q, [[x + 10**9 * q for x in row] for row in rows], problem.unit, masses)
    yield "doubled", made(q, rows + rows, 2 * problem.unit, (masses or (1,) * len(rows)) * 2)
    if len(rows[0]) == 2:
        turned = [[3 * x + 4 * y, 4 * x - 3 * y] for x, y in rows]
        yield "turned", made(5 * q, turned, problem.unit, masses)


SQUARE = {"denominator": 1, "rows": [[0, 0], [0, 2], [10, 0], [10, 2]]}
LDL = {"kind": "ldl"}
LABELS = {"kind": "labels", "labels": [0, 0, 1, 1]}
SPECTRAL = {
    "kind": "spectral",
    "scale": 1,
    "threshold": 16,
    "excess": [[384], [0, 0]],
    "psd": LDL,
    "psd_rest": LDL,
}
# The same after x, y -> (3x + 4y, 4x − 3y): the matrix is turned, and 25 times as large.
TURNED = {
    "kind": "spectral",
    "scale": 1,
    "threshold": 400,
    "excess": [[3456], [4608, 6144]],
    "psd": LDL,
    "psd_rest": LDL,
}
# Of any three of the four corners, some perhaps twice: no cost is negative.
SAMPLED = {"kind": "zero"}
LEAF = {"scale": 4, "prices": [176, 176, 176, 176], "sigma": 320}


def tiny() -> dict[str, dict[str, Any]]:
    """Small certificates, by name; together they use every kind of witness."""

    def document(problem: Any, *witnesses: Any) -> dict[str, Any]:
        return {"format": "certify/1", "family": "kmeans", "problem": problem, "witnesses": list(witnesses)}

    square = {"points": SQUARE, "k": 2}
    apart = {"scale": 4, "prices": [192, 192, 176, 176], "sigma": 320}
    return {
        "k-means prices": document(square, LABELS, {"kind": "dual", "root": LEAF}),
        "k-means tree": document(
            square,
            {"kind": "centres", "centres": {"denominator": 1, "rows": [[0, 1], [10, 1]]}},
            {"kind": "dual", "root": {"pair": [1, 0], "together": LEAF, "apart": apart}},
        ),
        # Points 0 and 3 are apart; where 1 and 3 are together, 0 and 1 are apart.
        "k-means nested": document(
            square,
            {
                "kind": "dual",
                "root": {
                    "pair": [3, 0],
                    "together": LEAF,
                    "apart": {"pair": [1, 3], "together": LEAF, "apart": LEAF},
                },
            },
        ),
        "k-means spectral": document(square, SPECTRAL, LABELS),
        "k-means partition": document(
            square, {"kind": "partition", "scale": 1, "y": [102] * 4, "shift": -200, "psd": LDL}
        ),
        "k-means samples": document(
            {"points": SQUARE, "k": 1},
            {"kind": "sample", "delta": "1/100", "size": 3, "witnesses": [SAMPLED, SAMPLED]},
        ),
        "k-means axes": document(
            square,
            {
                "kind": "axes",
                "denominator": 5,
                "blocks": [{"axes": [[3, 4], [4, -3]], "witness": TURNED}],
                "psd": LDL,
            },
        ),
        "k-means line": document(
            {
                "points": {"denominator": 2, "rows": [[0], [1], [7], [9]]},
                "k": 2,
                "weights": {"denominator": 3, "values": [3, 3, 3, 6]},
            },
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "line", "scale": 6, "potentials": [20, 23, 43, 59], "sigma": 20},
        ),
        "k-means parts": document(
            {"points": SQUARE, "k": 1},
            {
                "kind": "parts",
                "parts": [
                    {"points": [0, 1], "witness": {"kind": "dual", "root": {"scale": 2, "prices": [7, 7], "sigma": 8}}},
                    {"points": [3, 2], "witness": {"kind": "zero"}},
                ],
            },
        ),
    }
