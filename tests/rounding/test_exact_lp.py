"""Linear programs over the rationals: the optimal basis against all vertices, and programs without an optimum."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from certify.kernel.cones import canonical_program
from certify.kernel.conic import check_conic
from certify.rounding.exact_lp import (
    Basic,
    Box,
    ExactLinear,
    Row,
    elastic,
    linear_form,
    multipliers,
    optimal_basis,
    recession,
)

pytest.importorskip("highspy")

End = int | Fraction | None
Constraint = tuple[dict[int, Fraction], Fraction]  # terms ≥ a number


def form_of(
    cost: list[int], rows: list[tuple[list[int], End, End]], boxes: list[tuple[End, End]], scale: int = 1
) -> ExactLinear:
    """minimise cost·x over lower ≤ row·x/scale ≤ upper (the ends times scale are given) and the boxes."""
    made = tuple(
        Row(tuple((j, v) for j, v in enumerate(row) if v), low, high, i, scale)  # type: ignore[arg-type]
        for i, (row, low, high) in enumerate(rows)
    )
    ends = [
        [None if end is None else Box(Fraction(end), len(rows), Fraction(1)) for end in part]
        for part in zip(*boxes, strict=True)
    ]
    costs = {j: c for j, c in enumerate(cost) if c}
    return ExactLinear(len(cost), costs, 1, made, tuple(ends[0]), tuple(ends[1]))


def best(form: ExactLinear) -> Basic:
    _, found = optimal_basis(form, lambda: 60.0, lambda text: None)
    assert found is not None
    return found


def value(form: ExactLinear, basic: Basic) -> Fraction:
    return sum((Fraction(c * basic.x[j], basic.q) for j, c in form.cost.items()), Fraction(0)) / form.cost_denominator


def constraints(form: ExactLinear) -> list[Constraint]:
    found: list[Constraint] = []
    for row in form.rows:
        terms = {j: Fraction(v) for j, v in row.terms}
        if row.lower is not None:
            found.append((terms, Fraction(row.lower)))
        if row.upper is not None:
            found.append(({j: -v for j, v in terms.items()}, Fraction(-row.upper)))
    for j, (low, high) in enumerate(zip(form.lower, form.upper, strict=True)):
        if low is not None:
            found.append(({j: Fraction(1)}, low.end))
        if high is not None:
            found.append(({j: Fraction(-1)}, -high.end))
    return found


def vertex(active: tuple[Constraint, ...], n: int) -> list[Fraction] | None:
    """The point in which n constraints hold with equality, by elimination."""
    a = [[terms.get(j, Fraction(0)) for j in range(n)] + [end] for terms, end in active]
    for k in range(n):
        pivot = next((i for i in range(k, n) if a[i][k]), None)
        if pivot is None:
            return None
        a[k], a[pivot] = a[pivot], a[k]
        a[k] = [v / a[k][k] for v in a[k]]
        for i in range(n):
            if i != k and a[i][k]:
                a[i] = [v - a[i][k] * w for v, w in zip(a[i], a[k], strict=True)]
    return [row[n] for row in a]


def least(form: ExactLinear) -> Fraction | None:
    """The least cost of all vertices; None if there is none. The boxes are bounded."""
    everything = constraints(form)
    values = []
    for active in combinations(everything, form.variables):
        x = vertex(active, form.variables)
        if x is not None and all(sum(v * x[j] for j, v in terms.items()) >= end for terms, end in everything):
            values.append(sum((c * x[j] for j, c in form.cost.items()), Fraction(0)))
    return min(values, default=None)


def random_form(random: Random, degenerate: bool) -> ExactLinear:
    n, m = random.randint(1, 3), random.randint(1, 3)
    big = 2 if degenerate else 50

    def entry() -> int:
        return random.choice((0, 1)) * random.randint(-big, big)

    rows: list[tuple[list[int], End, End]] = []
    for _ in range(m):
        low = 0 if degenerate else random.randint(-60, 40)
        kind = random.randrange(4)
        high = low + random.randint(0, 30)
        row = [entry() for _ in range(n)]
        rows.append((row, None if kind == 0 else low, low if kind == 1 else None if kind == 2 else high))
    boxes: list[tuple[End, End]] = [
        (low, low + random.randint(0, 5)) for low in (random.randint(-3, 2) for _ in range(n))
    ]
    return form_of([random.randint(-9, 9) for _ in range(n)], rows, boxes)


@pytest.mark.parametrize("degenerate", [False, True])
def test_random_programs_against_all_vertices(degenerate: bool) -> None:
    random = Random(3)
    infeasible = 0
    for _ in range(120):
        form = random_form(random, degenerate)
        wanted = least(form)
        if wanted is None:
            infeasible += 1
            loose = elastic(form)
            basic = best(loose)
            assert not basic.primal
            assert not basic.dual
            assert value(loose, basic) > 0
            assert_farkas(form, basic)
            continue
        basic = best(form)
        assert not basic.primal
        assert not basic.dual
        assert value(form, basic) == wanted
        assert value(elastic(form), best(elastic(form))) == 0
    assert 5 < infeasible < 100


def assert_farkas(form: ExactLinear, basic: Basic) -> None:
    """The multipliers of the elastic program show that the rows and boxes contradict each other."""
    total: dict[int, Fraction] = {}
    right = Fraction(0)
    for row, y in zip(form.rows, basic.y, strict=True):
        for j, v in row.terms:
            total[j] = total.get(j, Fraction(0)) + v * Fraction(y, basic.r)
        end = row.lower if y > 0 else row.upper
        if y:
            assert end is not None
            right += end * Fraction(y, basic.r)
    for j, d in enumerate(basic.d[: form.variables]):
        total[j] = total.get(j, Fraction(0)) + Fraction(d, basic.r)
        box = form.lower[j] if d > 0 else form.upper[j]
        if d:
            assert box is not None
            right += box.end * Fraction(d, basic.r)
    assert not any(total.values())
    assert right > 0


def test_beale() -> None:
    """Beale's program of 1955, on which the simplex method may cycle: the optimum is −1/20."""
    rows: list[tuple[list[int], End, End]] = [
        ([25, -6000, -4, 900], None, 0),
        ([25, -4500, -1, 150], None, 0),
        ([0, 0, 100, 0], None, 100),
    ]
    form = form_of([-75, 15000, -2, 600], rows, [(0, None)] * 4, 100)
    basic = best(form)
    assert (basic.primal, basic.dual) == (0, 0)
    assert value(form, basic) == -5  # costs are times 100


def test_klee_minty() -> None:
    n = 8
    rows: list[tuple[list[int], End, End]] = [
        ([2 ** (i - j + 1) if j < i else int(j == i) for j in range(n)], None, 5 ** (i + 1)) for i in range(n)
    ]
    form = form_of([-(2 ** (n - 1 - j)) for j in range(n)], rows, [(0, None)] * n)
    assert value(form, best(form)) == -(5**n)


@pytest.mark.parametrize("digits", [9, 12, 15])
def test_differences_below_the_tolerance_of_a_solver(digits: int) -> None:
    """y is the better column by 10^-digits only, and the rows differ by as little."""
    ten = 10**digits
    form = form_of([-ten, -ten - 1], [([1, 1], None, 1)], [(0, None)] * 2)
    assert value(form, best(form)) == -ten - 1
    form = form_of([-1, 0], [([ten, ten], None, ten + 1), ([ten, -ten], None, ten)], [(0, None)] * 2, ten)
    assert value(form, best(form)) == -1 - Fraction(1, 2 * ten)


def test_infeasible_by_less_than_the_tolerance() -> None:
    ten = 10**12
    form = form_of([1, 1], [([ten, ten], ten + 1, None), ([ten, ten], None, ten)], [(0, None)] * 2, ten)
    loose = elastic(form)
    basic = best(loose)
    assert (basic.primal, basic.dual) == (0, 0)
    assert value(loose, basic) == Fraction(1, ten)
    assert_farkas(form, basic)


@pytest.mark.parametrize(
    ("cost", "rows", "boxes", "finite"),
    [
        ([-1, 0], [([1, -1], None, 1)], [(0, None), (0, None)], False),
        ([-1, 0], [([1, 1], None, 1)], [(0, None), (0, None)], True),
        ([1], [], [(None, 3)], False),
        ([0, 0], [([1, 1], None, 1)], [(None, None)] * 2, True),
        ([1, 1], [([1, 2], 0, None), ([2, 1], 0, None)], [(None, None)] * 2, True),
        ([1, -1], [([1, 1], 4, 4)], [(None, None)] * 2, False),
    ],
)
def test_recession(cost: Any, rows: Any, boxes: Any, finite: bool) -> None:
    form = recession(form_of(cost, rows, boxes))
    basic = best(form)
    assert (basic.primal, basic.dual) == (0, 0)
    assert (value(form, basic) == 0) == finite
    for row in form.rows:
        total = sum(v * basic.x[j] for j, v in row.terms)
        assert row.lower is None or total >= 0
        assert row.upper is None or total <= 0


def test_both_ends_as_the_kernel_sees_them() -> None:
    """maximise 5x + 4y + 3z + 1/2 (Chvátal 1983, chapter 1): 13 and a half, with rows over denominators."""
    problem = {
        "sense": "max",
        "variables": 3,
        "cones": [{"kind": "nonnegative", "size": 7}, {"kind": "zero", "size": 1}],
        "lengths": [3, 3, 3, 3, 1, 1, 1, 1, 2],
        "index": [0, 1, 2] * 4 + [0, 1, 2, 0] + [0, 2],
        "value": [10, 8, 6, -2, -3, -1, -4, -1, -2, -3, -4, -2, 1, 2, 3, -1, 1, -2],
        "constants": [1, 5, 11, 8, 0, 0, 0, 9, 0],
        "denominators": [2, 7, 1, 3, 1, 5, 1, 4, 6],
    }
    _, program = canonical_program(problem)
    form = linear_form(program)
    assert form is not None
    basic = best(form)
    y = multipliers(form, basic.y, basic.d, basic.r)
    common = 1
    for entry in y.values():
        common *= entry.denominator
    dual = {
        "kind": "dual",
        "psd": [],
        "y": {"denominator": common, "index": sorted(y), "value": [int(y[r] * common) for r in sorted(y)]},
    }
    point = {"kind": "point", "psd": [], "x": {"denominator": basic.q, "value": basic.x}}
    assert check_conic(point, "w", program, True) == (">=", Fraction(27, 2))
    assert check_conic(dual, "w", program, True) == ("<=", Fraction(27, 2))


def test_curved_cones_have_no_linear_form() -> None:
    problem: Any = {"sense": "min", "variables": 1, "cones": [{"kind": "psd", "size": 1}], "lengths": [1, 1]}
    problem |= {"index": [0, 0], "value": [1, 1], "constants": [0, 0], "denominators": [1, 1]}
    assert linear_form(canonical_program(problem)[1]) is None


def test_no_variables() -> None:
    _, basic = optimal_basis(form_of([], [], [(None, None)]), lambda: 1.0, lambda text: None)
    assert basic is not None
    assert basic.x == []
