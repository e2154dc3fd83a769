"""Engines of k-means and their rounding: pricing, masters, clusterings, the relaxation, prices of cells."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

from certify.kernel.exact import Rejected
from certify.kernel.kmeans_lower import LOWER_KINDS, kmeans_lower
from certify.kernel.points import PointSet
from certify.rounding.axes import principal_turn
from certify.rounding.kmeans import quick_spectral_witness, spectral_witness
from certify.rounding.kmeans_partition import partition_witness
from certify.rounding.line import on_line
from certify.solvers import kmeans as engine
from certify.solvers.kmeans_local import cost_of, hartigan, lloyd, seeded
from certify.solvers.kmeans_pricing import Items, each_once, fixed_points, search
from certify.solvers.packing_lp import packing

RNG = np.random.default_rng(11)


def integer_points(n: int, d: int, weights: list[int] | None = None) -> PointSet:
    rows = np.random.default_rng(n + d).integers(0, 50, size=(n, d)).tolist()
    return PointSet(3, rows, 2, weights or [1] * n)


def everything_below(items: Items, prices: np.ndarray) -> float:
    """min over all allowed sets of cost − prices, by enumeration."""
    n = len(items)
    sets = (np.arange(2**n)[:, None] >> np.arange(n)) & 1 > 0
    sets = sets[items.allowed(sets)]
    return float((items.costs(sets) - sets @ prices).min())


@pytest.mark.parametrize("conflicts", [(), ((0, 1),), ((0, 1), (1, 2), (5, 6))])
def test_boxes_find_the_least_reduced_cost(conflicts: tuple[tuple[int, int], ...]) -> None:
    for trial in range(6):
        rng = np.random.default_rng(trial)
        items = Items(rng.random((10, 2)), rng.integers(1, 4, 10) * 1.0, rng.random(10) / 20, conflicts)
        prices = 0.4 * rng.random(10)
        least = everything_below(items, prices)
        below = search(items, prices, least * 1.001 - 1e-9, 1e9, lambda: True)
        above = search(items, prices, least * 0.999 + 1e-9, 1e9, lambda: True)
        assert below.proved
        assert not above.proved
        values = (items.values(prices, above.centres) * items.wanted(prices, above.centres)).sum(axis=1)
        assert (values < least * 0.999 + 1e-9).any()


def test_a_search_that_would_take_too_long_gives_up() -> None:
    items = Items(RNG.random((60, 6)), np.ones(60), np.zeros(60))
    for most, more in ((10.0, True), (1e9, False)):
        shown = search(items, np.full(60, 0.5), -10.0, most, lambda more=more: more)  # type: ignore[misc]
        assert not shown.proved
        assert len(shown.centres) == 0


def test_fixed_points_want_their_own_items() -> None:
    items = Items(RNG.random((30, 2)), np.ones(30), np.zeros(30))
    prices = np.full(30, 0.05)
    for cluster in fixed_points(items, prices, items.places):
        assert np.array_equal(items.wanted(prices, items.centres(cluster[None]))[0], cluster)
    sets = np.array([[True, False], [False, True], [True, False]])
    assert len(each_once(sets)) == 2


@pytest.mark.parametrize(("n", "m"), [(5, 12), (30, 90)])
def test_the_master_agrees_with_a_simplex_method(n: int, m: int) -> None:
    table = np.vstack([(RNG.random((m, n)) < 0.3).astype(float), np.eye(n)])
    right = table.sum(axis=1) * RNG.uniform(0.5, 1, len(table))
    table = np.hstack([table, -np.ones((len(table), 1))])
    goal = np.append(np.ones(n), -float(n))
    answer = packing(table, right, goal, 1e-9)
    assert answer.gap <= 1e-9
    assert goal @ answer.u == pytest.approx(-linprog(-goal, A_ub=table, b_ub=right).fun, rel=1e-7)


def test_clusterings_improve() -> None:
    points, weights = RNG.random((200, 3)), RNG.random(200) + 0.1
    start = lloyd(points, weights, seeded(points, weights, 6, RNG))
    better = hartigan(points, weights, start, 6)
    assert cost_of(points, weights, better, 6) <= cost_of(points, weights, start, 6) + 1e-12
    found = engine.Clusterings(points, weights, 6, 0)
    costs = [cost for cost, _ in [*found.fast(lambda: 9.0), *found.thorough(lambda: 9.0)]]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("weights", [None, [1 + i % 3 for i in range(40)]])
@pytest.mark.parametrize("k", [1, 2, 3, 7])
def test_relaxations_are_bounds(k: int, weights: list[int] | None) -> None:
    """The spectral bound lies below the semidefinite one, which lies below a clustering."""
    points = integer_points(40, 3, weights)
    witness = spectral_witness(points, k)
    assert witness is not None
    spectral = kmeans_lower(witness, "w", points, k, False, LOWER_KINDS)
    mass, first, second = points.moments()
    total = Fraction(mass * second - sum(s * s for s in first), mass * points.unit * points.denominator**2)
    assert spectral <= total
    if k == 1:
        assert spectral == total
        return
    quick = quick_spectral_witness(np.array(points.rows) / 3, weights, k)
    assert quick is not None
    witness = partition_witness(points.distinct(), k, 1e-5, lambda: 20.0)
    assert witness is not None
    partition = kmeans_lower(witness, "w", points, k, False, LOWER_KINDS)
    assert spectral <= partition * (1 + Fraction(1, 10**6))
    floats, masses = np.array(points.rows) / 3, np.array(points.weights) / 2
    found = min(
        cost_of(floats, masses, lloyd(floats, masses, seeded(floats, masses, k, np.random.default_rng(s))), k)
        for s in range(20)
    )
    assert float(partition) <= found * (1 + 1e-9)


def test_a_quick_spectral_witness_of_many_points_is_accepted() -> None:
    table = RNG.normal(size=(3000, 4))
    witness = quick_spectral_witness(table, None, 3)
    assert witness is not None
    numerators = [[int(Fraction(x) * 2**80) for x in row] for row in table.tolist()]
    points = PointSet(2**80, numerators, 1, [1] * 3000)
    low = spectral_witness(points, 3)
    assert low is not None
    slow = kmeans_lower(low, "w", points, 3, False, LOWER_KINDS)
    with pytest.raises(Rejected):  # its unit is the least power of two, which is not 2^80 here
        kmeans_lower(witness, "w", points, 3, False, LOWER_KINDS)
    assert slow > 0


def test_a_turn_shortens_nothing() -> None:
    points = integer_points(30, 5)
    turn = principal_turn(points)
    assert turn is not None
    image = turn.image(points)
    for i in range(29):
        before = sum((a - b) ** 2 for a, b in zip(points.rows[i], points.rows[i + 1], strict=True))
        after = sum((a - b) ** 2 for a, b in zip(image.rows[i], image.rows[i + 1], strict=True))
        ratio = Fraction(after, turn.denominator**2 * before)
        assert 1 - Fraction(1, 10**7) < ratio <= 1


@pytest.mark.parametrize("k", [1, 2, 5, 17])
def test_a_line_is_solved_exactly(k: int) -> None:
    rows = [[int(x)] for x in np.unique(np.random.default_rng(k).integers(0, 5000, 120))]
    points = PointSet(7, rows, 1, [1 + i % 4 for i in range(len(rows))])
    line = on_line(points, k)
    assert line is not None
    bound = kmeans_lower(line.witness, "w", points, k, False, ("line",))
    cost = Fraction(0)
    for label in range(k):
        mass, first, second = points.part(np.flatnonzero(line.labels == label).tolist()).moments()
        cost += Fraction(mass * second - first[0] ** 2, mass)
    assert 0 <= cost / 49 - bound <= bound / 10**9


def test_parts_are_alike() -> None:
    labels = np.array([0] * 30 + [1] * 60)
    parts = engine.alike(RNG.random((90, 2)), labels, 3)
    assert sorted(i for part in parts for i in part) == list(range(90))
    assert all(sum(i < 30 for i in part) == 10 for part in parts)
    assert engine.relaxation_seconds(1000, 500) < engine.relaxation_seconds(1000, 1000)


def test_prices_of_cells() -> None:
    rng = np.random.default_rng(2)
    centres = rng.random((8, 2)) * 10
    points = centres[rng.integers(8, size=1600)] + 0.3 * rng.normal(size=(1600, 2))
    found = engine.Clusterings(points, np.ones(1600), 8, 0)
    for _ in (*found.fast(lambda: 9.0), *found.thorough(lambda: 9.0)):
        pass
    bounds = [node.value() for node in engine.celled(found, 0.02, 0, lambda: 60.0, lambda text: None)]
    assert bounds == sorted(bounds)
    assert found.best[0] * 0.9 < bounds[-1] <= found.best[0] * (1 + 1e-9)
