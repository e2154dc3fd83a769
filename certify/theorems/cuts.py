"""Theorems about cuts: RatioCut as a trace (von Luxburg 2007), and Cheeger's inequality (Alon and Milman 1985)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from certify.families.ratiocut import Expansion, RatioCut
from certify.kernel import Rejected, decimal_text
from certify.kernel.psd import prove_psd
from certify.problem import Problem
from certify.proving import assess, solve
from certify.result import Bounds
from certify.rounding.psd import psd_proof
from certify.rounding.ratiocut import laplacian_rows
from certify.solvers.balanced import Judged, smallest_eigenvectors, starts
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict


def _other_family(theorem: Theorem, wanted: str, problem: Problem) -> TheoremResult:
    reason = f"it speaks of {wanted}, this is a problem of the family {problem.family.name}"
    return TheoremResult(theorem, TheoremVerdict.HYPOTHESES_FAIL, reason)


def _trace(problem: RatioCut, labels: list[int]) -> Fraction:
    """tr(HᵀLH) with the columns 1_C/√|C| of H: Σ_C 1_CᵀL1_C/|C|, from the entries of L."""
    rows = laplacian_rows(problem.size, problem.edges)
    total = Fraction(0)
    for part in range(problem.k):
        inside = [v for v in range(problem.size) if labels[v] == part]
        form = sum(rows[u][v] * (1 if u == v else 2) for a, u in enumerate(inside) for v in inside[: a + 1])
        total += Fraction(form, len(inside) * problem.denominator)
    return total


def _check_trace(problem: Problem, **options: Any) -> TheoremResult:
    if not isinstance(problem, RatioCut):
        return _other_family(RATIOCUT_TRACE, "RatioCut", problem)
    _, vectors = smallest_eigenvectors(problem.size, problem.edges, np.ones(problem.size), max(problem.k, 4))
    judged = Judged(problem.size, problem.edges, [1] * problem.size, problem.k, "ratio")
    labels = [int(label) for label in next(iter(starts(judged, vectors, options.get("seed") or 0)))]
    result = assess(problem, labels, **{**options, "time_limit": 0})
    value = None if result.assessment is None else result.assessment.value
    trace = _trace(problem, labels)
    sides = (
        Side("RatioCut of a spectral partition", Bounds(value, value)),
        Side("tr(HᵀLH)", Bounds(trace, trace)),
    )
    verdict = TheoremVerdict.HOLDS if value == trace else TheoremVerdict.VIOLATED
    return TheoremResult(
        RATIOCUT_TRACE, verdict, "both sides are equal, exactly" if value == trace else "", sides, result
    )


def _least_eigenvalue(problem: Expansion) -> Fraction:
    """A number that the second smallest eigenvalue of the Laplacian is proved to be at least; 0 if nothing better is.

    nL − μ(nI − J) maps 1 to 0, so it is positive semidefinite iff it is after J is added; then λ₂ ≥ μ.
    """
    n, rows = problem.size, laplacian_rows(problem.size, problem.edges)
    values, _ = smallest_eigenvectors(n, problem.edges, np.ones(n), 2)
    for slack in (1e-9, 1e-7, 1e-4):
        mu = Fraction(float(values[1]) * (1 - slack)).limit_denominator(10**12) if values[1] > 0 else Fraction(0)
        p, q = mu.numerator, mu.denominator
        shifted = [
            [n * q * entry - p * (n * (i == j) - 1) + q for j, entry in enumerate(row)] for i, row in enumerate(rows)
        ]
        proof = psd_proof(shifted)
        if proof is not None:
            try:
                prove_psd(proof, "psd", shifted, False)
            except Rejected:
                continue
            return mu / problem.denominator
    return Fraction(0)


def _check_cheeger(problem: Problem, **options: Any) -> TheoremResult:
    if not isinstance(problem, Expansion):
        return _other_family(CHEEGER, "the edge expansion", problem)
    result = solve(problem, **options)
    low, high = result.bounds.lower, result.bounds.upper
    if low is None or high is None:
        return TheoremResult(CHEEGER, TheoremVerdict.UNDECIDED, result.why_wide or "", (), result)
    labels = [int(label) for label in result.solution]
    size, outside = labels.count(0), labels.count(1)
    cut = Fraction(sum(w for u, v, w in problem.edges if labels[u] != labels[v]), problem.denominator)
    above = cut * problem.size / (size * outside)  # Rayleigh's quotient of the cut: λ₂ is at most that
    below = _least_eigenvalue(problem)
    degrees = [0] * problem.size
    for u, v, w in problem.edges:
        degrees[u] += w
        degrees[v] += w
    top = Fraction(max(degrees), problem.denominator)
    sides = (
        Side("half of the second eigenvalue", Bounds(below / 2, above / 2)),
        Side("edge expansion", Bounds(low, high)),
        Side("2·(largest degree)·(second eigenvalue)", Bounds(2 * top * below, 2 * top * above)),
    )
    if above / 2 <= low and high**2 <= 2 * top * below:
        reason = f"proved: {decimal_text(below / 2, False, 6)} <= λ₂/2 <= h, and h² <= 2Δλ₂"
        return TheoremResult(CHEEGER, TheoremVerdict.HOLDS, reason, sides, result)
    if below / 2 > high or low**2 > 2 * top * above:
        return TheoremResult(CHEEGER, TheoremVerdict.VIOLATED, "the intervals exclude it", sides, result)
    return TheoremResult(CHEEGER, TheoremVerdict.UNDECIDED, result.why_wide or "the intervals overlap", sides, result)


RATIOCUT_TRACE = Theorem(
    name="ratiocut-trace",
    title="RatioCut is a trace",
    statement="For a partition into k parts and H with the columns 1_C/√|C|, tr(HᵀLH) = Σ w(C, rest)/|C|.",
    latex=r"\operatorname{tr}(H^\top L H) = \sum_i w(C_i, \overline{C_i})/|C_i|",
    hypotheses="a graph with weights >= 0",
    source="L. Hagen, A. Kahng, New spectral methods for ratio cut partitioning and clustering, IEEE Transactions on "
    "CAD 11 (1992); U. von Luxburg, A tutorial on spectral clustering, Statistics and Computing 17 (2007), section 5",
    check=_check_trace,
)

CHEEGER = Theorem(
    name="cheeger",
    title="Cheeger's inequality for graphs",
    statement="The edge expansion h of a graph with largest weighted degree Δ has λ₂/2 <= h <= √(2Δλ₂).",
    latex=r"\lambda_2/2 \le h(G) \le \sqrt{2\,\Delta\,\lambda_2}",
    hypotheses="a graph with weights >= 0",
    source="N. Alon, V. D. Milman, λ₁, isoperimetric inequalities for graphs, and superconcentrators, Journal of "
    "Combinatorial Theory B 38 (1985); B. Mohar, Isoperimetric numbers of graphs, ibid. 47 (1989)",
    check=_check_cheeger,
)
