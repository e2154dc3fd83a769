"""Linial, London, Rabinovich (1995), duality for Euclidean distortion, on an instance."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from certify.problem import Problem
from certify.proving import solve
from certify.result import Bounds, Status
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict


def _check(problem: Problem, **options: Any) -> TheoremResult:
    if problem.family.name != "embedding":
        reason = f"it speaks of metrics, this is a problem of the family {problem.family.name}"
        return TheoremResult(LLR_DUALITY, TheoremVerdict.HYPOTHESES_FAIL, reason)
    if isinstance(problem, Sized) and len(problem) < 2:
        reason = "one point has no pair to put weights on"
        return TheoremResult(LLR_DUALITY, TheoremVerdict.HYPOTHESES_FAIL, reason)
    result = solve(problem, **options)
    low, high = result.bounds.lower, result.bounds.upper
    # The primal witness bounds the least distortion from above; by weak duality the dual one bounds it from below.
    sides = (
        Side("least distortion² of a map", Bounds(low, high)),
        Side("largest ratio Σ_P y d² / Σ_E y d² of dual weights", Bounds(low, high)),
    )
    if low is not None and high is not None and low > high:
        return TheoremResult(LLR_DUALITY, TheoremVerdict.VIOLATED, "a dual ratio exceeds a distortion", sides, result)
    if result.status is Status.EXACT:
        reason = "the two sides are equal, proved exactly"
        return TheoremResult(LLR_DUALITY, TheoremVerdict.HOLDS, reason, sides, result)
    if result.status is Status.TIGHT:
        reason = f"a map and dual weights were found whose values differ by {result.gap:.2g} of the value"
        return TheoremResult(LLR_DUALITY, TheoremVerdict.HOLDS, reason, sides, result)
    return TheoremResult(LLR_DUALITY, TheoremVerdict.UNDECIDED, result.why_wide or "", sides, result)


LLR_DUALITY = Theorem(
    name="llr-duality",
    title="Linial–London–Rabinovich duality",
    statement=(
        "The least distortion² of a map of a finite metric into a Euclidean space equals the largest "
        "Σ_P y d² / Σ_E y d² over weights y >= 0 on pairs with L_E(y) − L_P(y) positive semidefinite."
    ),
    latex=(
        r"c_2(X)^2 = \max\Big\{ \frac{\sum_{q_{ij}>0} q_{ij} d_{ij}^2}{-\sum_{q_{ij}<0} q_{ij} d_{ij}^2} : "
        r"Q \succeq 0,\ Q\mathbf 1 = 0 \Big\}"
    ),
    hypotheses="a finite metric (or any positive symmetric dissimilarity) of at least two points",
    source="N. Linial, E. London, Y. Rabinovich, The geometry of graphs and some of its algorithmic applications, "
    "Combinatorica 15 (1995) 215–245",
    check=_check,
)
