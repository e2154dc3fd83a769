"""Enflo (1969): the d-dimensional cube has Euclidean distortion √d. Checked on an instance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify.kernel.psd import Triangle
from certify.problem import Problem
from certify.proving import solve
from certify.result import Bounds
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict


def cube_labels(squares: Triangle) -> list[int] | None:
    """0/1 labels (as integers) under which the metric is a multiple of the Hamming metric, or None.

    squares: exact squared distances up to a factor, lower triangle, 2^d points. The labels come from the
    distances to one point and to its neighbours, and are then checked on every pair: distances that are
    multiples h·u of the unit u have h² = squares/u².
    """
    n = len(squares)
    d = n.bit_length() - 1
    if n != 1 << d or d == 0:
        return None

    def square(i: int, j: int) -> int:
        return squares[max(i, j)][min(i, j)]

    unit = min(square(0, j) for j in range(1, n))
    neighbours = [j for j in range(1, n) if square(0, j) == unit]
    if len(neighbours) != d:
        return None
    height = {k * k * unit: k for k in range(d + 1)}
    labels = []
    for v in range(n):
        label = 0
        for bit, w in enumerate(neighbours):
            # A point is nearer to a neighbour of the origin than to the origin iff it has that coordinate.
            if square(v, w) < square(v, 0):
                label |= 1 << bit
        labels.append(label)
    if len(set(labels)) != n:
        return None
    for i in range(n):
        for j in range(i):
            if height.get(squares[i][j]) != (labels[i] ^ labels[j]).bit_count():
                return None
    return labels


def _check(problem: Problem, **options: Any) -> TheoremResult:
    squares = getattr(problem, "squares", None)
    labels = cube_labels(squares()) if squares is not None and problem.family.name == "embedding" else None
    if labels is None:
        reason = "the metric is not a multiple of the Hamming metric of {0, 1}^d"
        return TheoremResult(CUBE_DISTORTION, TheoremVerdict.HYPOTHESES_FAIL, reason)
    d = Fraction(len(labels).bit_length() - 1)
    result = solve(problem, **options)
    low, high = result.bounds.lower, result.bounds.upper
    sides = (Side(f"least distortion² of the {d}-cube", Bounds(low, high)), Side("d", Bounds(d, d)))
    if (low is not None and low > d) or (high is not None and high < d):
        reason = f"{d} is outside of what is proved"
        return TheoremResult(CUBE_DISTORTION, TheoremVerdict.VIOLATED, reason, sides, result)
    gap = result.gap
    if low == high == d:
        return TheoremResult(CUBE_DISTORTION, TheoremVerdict.HOLDS, "proved exactly", sides, result)
    if result.status.word == "tight" and gap is not None:
        reason = f"the proved interval holds {d} and has a gap of {gap:.2g}"
        return TheoremResult(CUBE_DISTORTION, TheoremVerdict.HOLDS, reason, sides, result)
    return TheoremResult(CUBE_DISTORTION, TheoremVerdict.UNDECIDED, result.why_wide or "", sides, result)


CUBE_DISTORTION = Theorem(
    name="cube-distortion",
    title="Euclidean distortion of the d-cube",
    statement="The least distortion of a map of {0, 1}^d with the Hamming metric into a Euclidean space is √d.",
    latex=r"c_2(\{0,1\}^d) = \sqrt{d}",
    hypotheses="the metric is a multiple of the Hamming metric of {0, 1}^d, d >= 1",
    source="P. Enflo, On the nonexistence of uniform homeomorphisms between L_p-spaces, Arkiv för Matematik 8 (1969) "
    "103–105; N. Linial, A. Magen, Least-distortion Euclidean embeddings of graphs, J. Combin. Theory B 79 (2000) "
    "157–171",
    check=_check,
)
