"""Theorems on k-means, on an instance: Lloyd's iteration never raises the cost; k-means is constrained low rank."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify.families.kmeans import KMeans
from certify.kernel.kmeans import KMeansData, check_kmeans
from certify.kernel.points import PointSet
from certify.problem import Problem
from certify.proving import solve
from certify.result import Bounds
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict

MOST_STEPS = 200
MOST_WORK = 5_000_000  # products in one exact step


def lloyd_trace(problem: KMeans, start: list[int] | None = None) -> list[tuple[list[int], Fraction]]:
    """Lloyd's iteration in exact arithmetic: the labels and the cost of their means, which the kernel computes, step by
    step until the labels stand still.

    start: indices of k points that are the first centres (default: the first k distinct points). Ties go to the
    first centre; a cluster without weight keeps its centre.
    """
    points, k = problem.points, problem.k
    places = [list(map(Fraction, row)) for row in points.rows]
    if start is None:
        start = list({tuple(row): i for i, row in reversed(list(enumerate(points.rows)))}.values())[::-1][:k]
    centres = [places[i] for i in start]
    trace: list[tuple[list[int], Fraction]] = []
    for _ in range(MOST_STEPS):
        labels = [min(range(len(centres)), key=lambda c, x=x: _distance(x, centres[c])) for x in places]  # type: ignore[misc]
        if trace and labels == trace[-1][0]:
            break
        trace.append((labels, _cost(points, k, labels)))
        for c in set(labels):
            mass, first, _ = points.part([i for i, label in enumerate(labels) if label == c]).moments()
            if mass:
                centres[c] = [Fraction(s, mass) for s in first]
    return trace


def _distance(x: list[Fraction], y: list[Fraction]) -> Fraction:
    return sum(((a - b) ** 2 for a, b in zip(x, y, strict=True)), Fraction(0))


def _cost(points: PointSet, k: int, labels: list[int]) -> Fraction:
    """The cost of a clustering, from the kernel."""
    witness = {"kind": "labels", "labels": labels}
    return Fraction(check_kmeans(witness, "witness", KMeansData(points, k), False)[1])


def _lloyd(problem: Problem, **options: Any) -> TheoremResult:
    if not isinstance(problem, KMeans):
        reason = f"it speaks of k-means, this is a problem of the family {problem.family.name}"
        return TheoremResult(LLOYD_MONOTONE, TheoremVerdict.HYPOTHESES_FAIL, reason)
    if len(problem) * problem.k * len(problem.rows[0]) > MOST_WORK:
        reason = "the instance is too large for an iteration in exact arithmetic"
        return TheoremResult(LLOYD_MONOTONE, TheoremVerdict.UNDECIDED, reason)
    costs = [cost for _, cost in lloyd_trace(problem)]
    sides = (
        Side("cost of the first clustering", Bounds(costs[0], costs[0])),
        Side("cost of the last clustering", Bounds(costs[-1], costs[-1])),
    )
    rise = next((step for step in range(1, len(costs)) if costs[step] > costs[step - 1]), None)
    if rise is not None:
        reason = f"step {rise} raises the cost"
        return TheoremResult(LLOYD_MONOTONE, TheoremVerdict.VIOLATED, reason, sides)
    reason = f"{len(costs) - 1} steps in exact arithmetic, none of which raises the cost"
    return TheoremResult(LLOYD_MONOTONE, TheoremVerdict.HOLDS, reason, sides)


def _low_rank(problem: Problem, **options: Any) -> TheoremResult:
    if not isinstance(problem, KMeans):
        reason = f"it speaks of k-means, this is a problem of the family {problem.family.name}"
        return TheoremResult(KMEANS_LOW_RANK, TheoremVerdict.HYPOTHESES_FAIL, reason)
    result = solve(problem, **options)
    witness = next((w for w in result.certificate.witnesses if w["kind"] == "labels"), None)
    if witness is None:
        reason = "no clustering was found in the time"
        return TheoremResult(KMEANS_LOW_RANK, TheoremVerdict.UNDECIDED, reason, (), result)
    labels = problem.solution_of(witness).tolist()
    points, cost = problem.points, _cost(problem.points, problem.k, labels)
    # Rows √w·x of A; Π projects on the vectors that are √w times a constant on each cluster, so ΠA has rows √w·mean.
    residual = Fraction(0)
    for name in set(labels):
        part = points.part([i for i, label in enumerate(labels) if label == name])
        mass, first, _ = part.moments()
        mean = [Fraction(s, mass or 1) for s in first]
        for row, weight in zip(part.rows, part.weights, strict=True):
            residual += weight * _distance(list(map(Fraction, row)), mean)
    residual /= points.unit * points.denominator**2
    sides = (
        Side("cost of the clustering", Bounds(cost, cost)),
        Side("‖A − X_C X_Cᵀ A‖² of its indicator matrix", Bounds(residual, residual)),
    )
    verdict = TheoremVerdict.HOLDS if cost == residual else TheoremVerdict.VIOLATED
    reason = "both sides in exact arithmetic are " + ("equal" if cost == residual else "different")
    return TheoremResult(KMEANS_LOW_RANK, verdict, reason, sides, result)


LLOYD_MONOTONE = Theorem(
    name="lloyd-monotone",
    title="Lloyd's iteration never raises the cost",
    statement="Each step of the k-means algorithm (nearest centre, then means) leaves the cost as it is or lowers it.",
    latex=r"G(C^{(t+1)}) \le G(C^{(t)})",
    hypotheses="points with weights, any start; it says nothing about how far the end is from the optimum",
    source="S. Shalev-Shwartz, S. Ben-David, Understanding Machine Learning (2014), Lemma 22.1; S. Lloyd 1957/1982",
    check=_lloyd,
)

KMEANS_LOW_RANK = Theorem(
    name="kmeans-low-rank",
    title="k-means is constrained low-rank approximation",
    statement="The cost of a clustering is ‖A − X_C X_Cᵀ A‖² with the normalised indicator matrix X_C of its clusters.",
    latex=r"\mathrm{cost}(C) = \| A - X_C X_C^{\mathsf T} A \|_F^2",
    hypotheses="points as rows of A (times √w where they have weights)",
    source="C. Boutsidis, M. Mahoney, P. Drineas, Unsupervised feature selection for k-means (2009); M. Cohen, "
    "S. Elder, C. Musco, C. Musco, M. Persu, Dimensionality reduction for k-means clustering (2015)",
    check=_low_rank,
)
