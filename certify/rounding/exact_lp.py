"""Linear programs, exactly: the basis of a float solver is solved over ℚ, verified, and improved if not optimal.

Applegate, Cook, Dash and Espinoza (2007) verify a basis; Gleixner, Steffy and Wolter (2016) improve it: the program is
moved to the exact basic solution, its violations are magnified, and the float solver goes on from the same basis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import inf, lcm

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.kernel.cones import Program
from certify.problem import Claim
from certify.rounding.exact_sparse import ExactSystem
from certify.solvers.linear import BASIC, FREE, UPPER, BoxedProgram, LinearAnswer, solve_linear

ROUNDS = 12  # of refinement
LARGEST = 1e6  # cost in a refined program, where a violation is about 1
Remaining = Callable[[], float]
End = Fraction | None


@dataclass(frozen=True)
class Row:
    """lower ≤ Σ terms·x ≤ upper with integers; ``source`` is the row of the program that says so, times ``scale``."""

    terms: tuple[tuple[int, int], ...]
    lower: int | None
    upper: int | None
    source: int
    scale: int


@dataclass(frozen=True)
class Box:
    """x ≥ or ≤ ``end``, said by the row ``source``, in which x has the coefficient ``factor``."""

    end: Fraction
    source: int
    factor: Fraction


@dataclass(frozen=True)
class ExactLinear:
    """minimise Σ cost[j]·x_j/cost_denominator over rows and boxes; the rows of a program without curved cones.

    lower and upper hold the tightest box of each variable, or None.
    """

    variables: int
    cost: dict[int, int]
    cost_denominator: int
    rows: tuple[Row, ...]
    lower: tuple[Box | None, ...]
    upper: tuple[Box | None, ...]

    def floats(self) -> BoxedProgram:
        """The program in doubles."""
        m, n = len(self.rows), self.variables
        entries = [(i, j, v / row.scale) for i, row in enumerate(self.rows) for j, v in row.terms]
        i, j, v = zip(*entries, strict=True) if entries else ((), (), ())
        cost = np.zeros(n)
        for column, value in self.cost.items():
            cost[column] = value / self.cost_denominator
        return BoxedProgram(
            cost,
            sp.csc_matrix((np.array(v, dtype=float), (i, j)), shape=(m, n)),
            np.array([-inf if row.lower is None else row.lower / row.scale for row in self.rows]),
            np.array([inf if row.upper is None else row.upper / row.scale for row in self.rows]),
            np.array([-inf if box is None else float(box.end) for box in self.lower]),
            np.array([inf if box is None else float(box.end) for box in self.upper]),
        )


@dataclass(frozen=True)
class Basic:
    """An exact basic solution: x/q, row multipliers y/r (of the integer rows), reduced costs d/r.

    primal and dual: by how much the worst bound and the worst sign are violated; both 0 means optimal.
    """

    x: list[int]
    q: int
    y: list[int]
    d: list[int]
    r: int
    primal: Fraction
    dual: Fraction


def linear_form(program: Program) -> ExactLinear | None:
    """The program as rows and boxes; None if it has curved cones."""
    if any(word not in ("zero", "nonnegative") for word, _, _, _ in program.cones):
        return None
    sign = 1 if program.sense == "min" else -1
    cost = {program.column[t]: sign * program.value[t] for t in range(program.start[1])}
    rows: list[Row] = []
    lower: list[Box | None] = [None] * program.variables
    upper: list[Box | None] = [None] * program.variables
    equal = {r for word, _, first, last in program.cones if word == "zero" for r in range(first, last)}
    for i, (a, b) in enumerate(pairwise(program.start)):
        if i == 0:
            continue
        if a == b:  # nothing to decide: see constant_contradiction
            continue
        right, scale, source = -program.constant[i], program.denominator[i], i - 1
        if b - a == 1 and source not in equal:
            j, v = program.column[a], program.value[a]
            box = Box(Fraction(right, v), source, Fraction(v, scale))
            if v > 0 and (lower[j] is None or box.end > lower[j].end):  # type: ignore[union-attr]
                lower[j] = box
            if v < 0 and (upper[j] is None or box.end < upper[j].end):  # type: ignore[union-attr]
                upper[j] = box
            continue
        terms = tuple(zip(program.column[a:b], program.value[a:b], strict=True))
        rows.append(Row(terms, right, right if source in equal else None, source, scale))
    return ExactLinear(program.variables, cost, program.denominator[0], tuple(rows), tuple(lower), tuple(upper))


def multipliers(form: ExactLinear, y: Iterable[int], d: Iterable[int], r: int) -> dict[int, Fraction]:
    """Row multipliers y/r and reduced costs d/r as multipliers of the rows of the program."""
    found: dict[int, Fraction] = {}
    for row, value in zip(form.rows, y, strict=True):
        if value:
            found[row.source] = Fraction(value * row.scale, r)
    for j, value in enumerate(d):
        box = form.lower[j] if value > 0 else form.upper[j] if value < 0 else None
        if box is not None:
            found[box.source] = Fraction(value, r) / box.factor
    return found


def optimal_basis(
    form: ExactLinear, remaining: Remaining, say: Callable[[str], None]
) -> tuple[LinearAnswer, Basic | None]:
    """HiGHS's answer, and the exact basic solution of the best basis found (optimal if it has no violation)."""
    floats = form.floats()
    if form.variables == 0:
        nothing = np.zeros(0)
        claim = Claim("no engine", "nothing to decide", 0.0)
        return LinearAnswer("optimal", [], [], nothing, nothing, claim), Basic(
            [], 1, [], [], 1, Fraction(0), Fraction(0)
        )
    answer = solve_linear(floats, seconds=remaining())
    best: Basic | None = None
    for presolve, scale in ((True, True), (False, True), (False, False)):
        if (presolve, scale) != (True, True):
            if remaining() <= 0:
                break
            answer = solve_linear(floats, seconds=remaining(), presolve=presolve, scale=scale)
        if not answer.columns or answer.status in ("infeasible", "unbounded", "infeasible or unbounded"):
            return answer, best
        basis = (answer.columns, answer.rows)
        for step in range(ROUNDS):
            say("exact basis" if step == 0 else f"exact basis, refinement {step}")
            basic = basic_solution(form, basis, remaining)
            if basic is None:
                break
            if best is None or (basic.primal, basic.dual) < (best.primal, best.dual):
                best = basic
            if not basic.primal and not basic.dual:
                return answer, basic
            moved = _moved(form, floats, basic)
            again = solve_linear(moved, seconds=remaining(), basis=basis, primal=not basic.primal)
            if not again.columns or (again.columns, again.rows) == basis:
                break
            basis = (again.columns, again.rows)
    return answer, best


def basic_solution(form: ExactLinear, basis: tuple[list[str], list[str]], remaining: Remaining) -> Basic | None:
    """The exact basic solution of a basis, with its violations; None if it is singular or out of reach."""
    columns, rows = basis
    basic = [j for j, word in enumerate(columns) if word == BASIC]
    active = [i for i, word in enumerate(rows) if word != BASIC]
    if len(basic) != len(active):
        return None
    ends: dict[int, Fraction] = {}
    for j, word in enumerate(columns):
        if word != BASIC:
            boxes = (form.upper[j], form.lower[j]) if word == UPPER else (form.lower[j], form.upper[j])
            box = None if word == FREE else boxes[0] if boxes[0] is not None else boxes[1]
            if box is not None and box.end:
                ends[j] = box.end
    common = lcm(*(end.denominator for end in ends.values()))
    place = {j: k for k, j in enumerate(basic)}
    at_row: list[int] = []
    at_column: list[int] = []
    values: list[int] = []
    right: list[int] = []
    for k, i in enumerate(active):
        row = form.rows[i]
        first, second = (row.upper, row.lower) if rows[i] == UPPER else (row.lower, row.upper)
        total = (first if first is not None else second or 0) * common
        for j, v in row.terms:
            if j in place:
                at_row.append(k)
                at_column.append(place[j])
                values.append(v)
            elif j in ends:
                total -= v * int(ends[j] * common)
        right.append(total)
    system = ExactSystem(len(basic), at_row, at_column, values)
    primal = system.solve(right, remaining)
    dual = system.solve_transposed([form.cost.get(j, 0) for j in basic], remaining)
    if primal is None or dual is None:
        return None
    q = primal[1] * common
    x = [0] * form.variables
    for j, end in ends.items():
        x[j] = int(end * q)
    for j, value in zip(basic, primal[0], strict=True):
        x[j] = value
    r = dual[1]
    y = [0] * len(rows)
    for i, value in zip(active, dual[0], strict=True):
        y[i] = value
    d = [0] * form.variables
    for j, value in form.cost.items():
        d[j] = value * r
    for row, value in zip(form.rows, y, strict=True):
        if value:
            for j, v in row.terms:
                d[j] -= v * value
    return Basic(x, q, y, d, r * form.cost_denominator, _primal_violation(form, x, q), _dual_violation(form, y, d, r))


def _primal_violation(form: ExactLinear, x: list[int], q: int) -> Fraction:
    """The largest violation of a row or a box, relative to nothing."""
    worst = Fraction(0)
    for row in form.rows:
        total = sum(v * x[j] for j, v in row.terms)
        for short in (
            0 if row.lower is None else row.lower * q - total,
            0 if row.upper is None else total - row.upper * q,
        ):
            if short > 0:
                worst = max(worst, Fraction(short, q * row.scale))
    for value, low, high in zip(x, form.lower, form.upper, strict=True):
        if low is not None and low.end.numerator * q > value * low.end.denominator:
            worst = max(worst, low.end - Fraction(value, q))
        if high is not None and high.end.numerator * q < value * high.end.denominator:
            worst = max(worst, Fraction(value, q) - high.end)
    return worst


def _dual_violation(form: ExactLinear, y: list[int], d: list[int], r: int) -> Fraction:
    """The largest multiplier or reduced cost of a wrong sign."""
    wrong = [
        abs(v)
        for row, v in zip(form.rows, y, strict=True)
        if (v > 0 and row.lower is None) or (v < 0 and row.upper is None)
    ]
    for value, low, high in zip(d, form.lower, form.upper, strict=True):
        if (value > 0 and low is None) or (value < 0 and high is None):
            wrong.append(abs(value))
    return Fraction(max(wrong, default=0), r)


def _moved(form: ExactLinear, floats: BoxedProgram, basic: Basic) -> BoxedProgram:
    """The program around an exact basic solution, its violations magnified to about 1."""
    up = 2.0 ** min(60, max(0, _power(basic.primal)))
    over = 2.0 ** min(60, max(0, _power(basic.dual / form.cost_denominator)))
    q, r = basic.q, basic.r
    rows = [Fraction(sum(v * basic.x[j] for j, v in row.terms), q) for row in form.rows]

    def shifted(ends: Iterable[int | None], default: float) -> NDArray[np.float64]:
        pairs = zip(form.rows, ends, rows, strict=True)
        return np.array([default if end is None else _clipped((end - at) / row.scale) * up for row, end, at in pairs])

    def boxed(boxes: Iterable[Box | None], default: float) -> NDArray[np.float64]:
        return np.array(
            [
                default if box is None else _clipped(box.end - Fraction(x, q)) * up
                for box, x in zip(boxes, basic.x, strict=True)
            ]
        )

    # c − Aᵀy serves as cost, and y on the rows that may not have it: their activity costs what is violated.
    wrong = [
        _clipped(Fraction(v * row.scale, r)) * over
        if (v > 0 and row.lower is None) or (v < 0 and row.upper is None)
        else 0.0
        for row, v in zip(form.rows, basic.y, strict=True)
    ]
    cost = np.array([_clipped(Fraction(value, r)) * over for value in basic.d]) + floats.matrix.T @ np.array(wrong)
    return replace(
        floats,
        cost=np.clip(cost, -LARGEST, LARGEST),
        row_lower=shifted((row.lower for row in form.rows), -inf),
        row_upper=shifted((row.upper for row in form.rows), inf),
        lower=boxed(form.lower, -inf),
        upper=boxed(form.upper, inf),
    )


def _power(value: Fraction) -> int:
    """k with value·2^k near 1; 0 for 0."""
    return value.denominator.bit_length() - value.numerator.bit_length() if value else 0


def _clipped(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return 1e300 if value > 0 else -1e300


def elastic(form: ExactLinear) -> ExactLinear:
    """The rows may be violated, at a cost of 1 a unit of each: the optimum is 0 iff rows and boxes have a point. The
    violations are variables after those of the form."""
    rows: list[Row] = []
    n = form.variables
    for row in form.rows:
        more = []
        if row.lower is not None:
            more.append((n, row.scale))
            n += 1
        if row.upper is not None:
            more.append((n, -row.scale))
            n += 1
        rows.append(replace(row, terms=row.terms + tuple(more)))
    extra = n - form.variables
    nothing = Box(Fraction(0), -1, Fraction(1))
    cost = dict.fromkeys(range(form.variables, n), 1)
    return ExactLinear(n, cost, 1, tuple(rows), form.lower + (nothing,) * extra, form.upper + (None,) * extra)


def recession(form: ExactLinear) -> ExactLinear:
    """Directions in which rows and boxes never end, in the box −1 ≤ d ≤ 1, by the same cost."""
    rows = tuple(
        replace(row, lower=None if row.lower is None else 0, upper=None if row.upper is None else 0)
        for row in form.rows
    )
    low = tuple(Box(Fraction(-1 if box is None else 0), -1, Fraction(1)) for box in form.lower)
    high = tuple(Box(Fraction(1 if box is None else 0), -1, Fraction(1)) for box in form.upper)
    return replace(form, rows=rows, lower=low, upper=high)
