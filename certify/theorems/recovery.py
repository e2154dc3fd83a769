"""The largest s for which ℓ1 (or ℓ0) recovers every s-sparse vector, proved, by each of the known conditions.

Each row of the table is a published theorem; its constant is bounded by the kernel, and compared with the threshold of
the theorem in exact arithmetic. Recovery does not depend on the scale of W: the constants are those of the best
multiple.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from certify.families.nullspace import NullSpace
from certify.families.rip import RIP
from certify.families.spark import Spark
from certify.kernel import decimal_text
from certify.kernel.nullspace import MAX_SPARSITY
from certify.proving import solve
from certify.result import Bounds, Result


@dataclass(frozen=True)
class RecoveryRow:
    """One condition: the largest s for which it is proved, and what is known of the next one.

    bounds: the proved interval of the constant at the first s that is open (None: there is none); ``fails``: it is
    proved that the condition does not hold there. results: every result that the row rests on.
    """

    condition: str
    source: str
    s: int
    bounds: Bounds | None
    fails: bool
    results: tuple[Result, ...] = ()


@dataclass(frozen=True)
class RecoveryTable:
    """The rows side by side; ``s`` is the largest for which ℓ1 recovery of every s-sparse vector is proved."""

    rows: tuple[RecoveryRow, ...]

    @property
    def s(self) -> int:
        return max(row.s for row in self.rows if not row.condition.startswith("spark"))

    def to_text(self) -> str:
        """Lines for a terminal."""
        lines = []
        for row in self.rows:
            after = ""
            if row.bounds is not None and row.bounds.lower is not None and row.bounds.upper is not None:
                ends = f"[{decimal_text(row.bounds.lower, False, 6)}, {decimal_text(row.bounds.upper, True, 6)}]"
                after = f"; s = {row.s + 1}: {'does not hold' if row.fails else 'undecided'}, constant in {ends}"
            lines.append(f"s = {row.s}  {row.condition} ({row.source}){after}")
        return "\n".join(lines)

    __str__ = to_text


def recovery_table(matrix: Any, *, time_limit: float = 120.0, gap: float = 1e-4) -> RecoveryTable:
    """By which condition, and up to which s, recovery of every s-sparse x from Wx is proved.

    matrix: (n, d), numbers taken exactly. time_limit: seconds for the whole table; a condition that runs out of time
    stands with what is proved by then. Raises InputError for entries that are no numbers.
    """
    deadline = time.monotonic() + time_limit
    d = len(NullSpace.of(matrix, 1))

    def limit(share: float) -> float:
        return max(0.5, share * (deadline - time.monotonic()))

    def nullspace(s: int) -> Result:
        problem = NullSpace.of(matrix, s)
        quick = solve(problem, gap=1, time_limit=limit(0.3))
        half, bounds = Fraction(1, 2), quick.bounds
        if bounds.lower is None or bounds.upper is None or bounds.upper < half or bounds.lower >= half:
            return quick
        return solve(problem, gap=gap, time_limit=limit(0.3), start=quick.certificate)

    scaled: dict[int, Result] = {}

    def isometry(order: int) -> Result:
        if order not in scaled:
            scaled[order] = solve(RIP.of(matrix, order, scaling="best"), gap=gap, time_limit=limit(0.3))
        return scaled[order]

    rows = [
        _row("null space: α_s < 1/2, and only then", "Donoho, Huo 2001; Gribonval, Nielsen 2003",
             nullspace, lambda s, v: v < Fraction(1, 2), min(d, MAX_SPARSITY), deadline),
        _row("RIP: δ_2s < 1/√2", "Cai, Zhang 2014",
             lambda s: isometry(2 * s), lambda s, v: 2 * v * v < 1, d // 2, deadline),
        _row("RIP: δ_2s < 1/(1 + √2)", "Candès 2008",
             lambda s: isometry(2 * s), lambda s, v: (1 + v) ** 2 < 2, d // 2, deadline),
    ]  # fmt: skip
    if d > 1 and _equal_norms(matrix):
        # of columns of one norm, the constant of order 2 of the best multiple is the coherence μ
        rows.append(_row("coherence: s < (1 + 1/μ)/2", "Donoho, Elad 2003; Gribonval, Nielsen 2003",
                         lambda s: isometry(2), lambda s, v: (2 * s - 1) * v < 1, d, deadline))  # fmt: skip
    spark = solve(Spark.of(matrix), time_limit=limit(0.5))
    least = spark.bounds.lower or Fraction(1)
    reached = int(-(-least // 2)) - 1  # 2s < spark
    closed = spark.bounds.lower == spark.bounds.upper
    rows.append(RecoveryRow("spark: 2s < spark, x is the only sparsest solution", "Donoho, Elad 2003",
                            max(reached, 0), spark.bounds, closed, (spark,)))  # fmt: skip
    return RecoveryTable(tuple(rows))


def _equal_norms(matrix: Any) -> bool:
    """Whether all columns have one norm, which is not 0: exactly."""
    g = RIP.of(matrix, 1).exact
    return g.real[0][0] > 0 and all(g.real[j][j] == g.real[0][0] for j in range(len(g.real)))


def _row(
    condition: str,
    source: str,
    bounded: Callable[[int], Result],
    holds: Callable[[int, Fraction], bool],
    most: int,
    deadline: float,
) -> RecoveryRow:
    """The largest s up to which the upper end satisfies the condition, which is monotone in s and in the constant."""
    results: list[Result] = []
    for s in range(1, most + 1):
        if s > 1 and time.monotonic() >= deadline:
            return RecoveryRow(condition, source, s - 1, None, False, tuple(results))
        result = bounded(s)
        results.append(result)
        lower, upper = result.bounds.lower, result.bounds.upper
        if upper is None or not holds(s, upper):
            fails = lower is not None and not holds(s, lower)
            return RecoveryRow(condition, source, s - 1, result.bounds, fails, tuple(results))
    return RecoveryRow(condition, source, most, None, False, tuple(results))
