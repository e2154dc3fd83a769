"""Gonzalez (1985): farthest-first traversal is within twice the optimum of k-center and k-diameter, on an instance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from certify.families.kdiameter import KDiameter
from certify.families.medoids import KCenter
from certify.kernel import decimal_text
from certify.problem import Problem
from certify.proving import assess
from certify.result import Bounds
from certify.solvers.kcenter import farthest_first
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict

MOST_CHECKED = 300  # items of a table whose triangle inequality is looked at
NEAR = 1 + Fraction(1, 2**60)  # irrational values are rounded by 2^-80


def _no_metric(problem: KCenter | KDiameter) -> str | None:
    """Why the distances are no metric, or None. Points with a norm and graphs are metrics."""
    if isinstance(problem, KCenter) and problem.power != 1:
        return "squared distances are no metric"
    if problem.given.form in ("points", "graph"):
        return None
    n, rows = problem.given.size, problem.given.rows
    if n > MOST_CHECKED:
        return f"the triangle inequality is not checked beyond {MOST_CHECKED} items"
    if any(rows[i][i] or rows[i][j] != rows[j][i] for i in range(n) for j in range(n)):
        return "the table is not symmetric with zeros on its diagonal"
    squared = problem.given.form == "squared_distances"
    for k in range(n):
        for i in range(n):
            for j in range(i):
                a, b, c = rows[i][k], rows[k][j], rows[i][j]
                # √c > √a + √b on squares
                if (c > a + b and (c - a - b) ** 2 > 4 * a * b) if squared else c > a + b:
                    return f"the distance of {i} and {j} is more than the way through {k}"
    return None


def _traversed(problem: KCenter | KDiameter) -> Any:
    """The traversal from the first item: its centres, or the labels that send each point to the nearest of them."""
    table, _ = problem.places
    centres = farthest_first(table, problem.k)
    if isinstance(problem, KCenter):
        return {"centres": centres.tolist()}
    return {"labels": np.argmin(table[centres], axis=0).tolist()}


def _check(problem: Problem, **options: Any) -> TheoremResult:
    if not isinstance(problem, KCenter | KDiameter):
        reason = f"it speaks of k-center and k-diameter, this is a problem of the family {problem.family.name}"
        return TheoremResult(FARTHEST_FIRST, TheoremVerdict.HYPOTHESES_FAIL, reason)
    fault = _no_metric(problem)
    if fault is not None:
        return TheoremResult(FARTHEST_FIRST, TheoremVerdict.HYPOTHESES_FAIL, fault)
    result = assess(problem, _traversed(problem), **options)
    low, high = result.bounds.lower, result.bounds.upper
    value = None if result.assessment is None else result.assessment.value
    name = result.family.quantity.name
    factor = 4 if name == "diameter_squared" else 2
    sides = (
        Side(f"{name} of farthest-first traversal", Bounds(value, value)),
        Side(f"least {name}", Bounds(low, high)),
    )
    if value is not None and low is not None and value <= factor * low:
        ratio = (
            "the optimum is 0, and so is it"
            if low == 0
            else f"proved: at most {decimal_text(value / low, True, 5)} times the optimum"
        )
        return TheoremResult(FARTHEST_FIRST, TheoremVerdict.HOLDS, ratio, sides, result)
    if value is not None and high is not None and value > factor * high * NEAR:
        reason = f"the traversal is beyond {factor} times an upper bound of the optimum"
        return TheoremResult(FARTHEST_FIRST, TheoremVerdict.VIOLATED, reason, sides, result)
    return TheoremResult(FARTHEST_FIRST, TheoremVerdict.UNDECIDED, result.why_wide or "", sides, result)


FARTHEST_FIRST = Theorem(
    name="farthest-first",
    title="Farthest-first traversal is within twice the optimum",
    statement=(
        "In a metric, taking k points, each farthest from those before, costs at most twice the least radius of "
        "k-center, and its clusters have at most twice the least diameter (four times the least squared one)."
    ),
    latex=r"\mathrm{cost}(\text{farthest-first}) \le 2\,\mathrm{OPT}_k",
    hypotheses="k-center with power 1, or k-diameter, of a metric (tables: checked up to 300 items)",
    source="T. F. Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38 "
    "(1985) 293–306; D. S. Hochbaum, D. B. Shmoys, A best possible heuristic for the k-center problem, Mathematics of "
    "Operations Research 10 (1985) 180–184",
    check=_check,
)
