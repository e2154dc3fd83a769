"""The engines of k-medoids and k-center against trying every choice, and their shares of the work."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from certify.solvers import kcenter, medoids


def forever() -> float:
    return 60.0


def best(costs: np.ndarray, k: int) -> float:
    return min(float(costs[list(s)].min(axis=0).sum()) for s in combinations(range(len(costs)), k))


@pytest.mark.parametrize("seed", range(8))
def test_swaps_and_multipliers(seed: int) -> None:
    """Swaps never pass the optimum, multipliers never either, and branching meets it; costs are asymmetric."""
    rng = np.random.default_rng(seed)
    costs = rng.integers(1, 30, size=(9, 11)).astype(float)
    k = 2 + seed % 3
    truth = best(costs, k)
    centres = medoids.swapped(costs, medoids.greedy(costs, k), forever)
    upper = float(costs[centres].min(axis=0).sum())
    assert upper >= truth
    cap = costs.max(axis=0) + 1
    near = medoids.Near.of(costs, cap)
    start = medoids.first_multipliers(near, costs[centres].min(axis=0), cap, k)
    value, v, _ = medoids.ascent(near, start, cap, k, upper, forever, 1e-6, 300)
    assert value == pytest.approx(medoids.bound(near, v, k))
    assert value <= truth + 1e-9
    programme = medoids.Programme(near, cap, k)
    root = programme.solve(frozenset(), frozenset(), 10.0)
    assert root is not None
    assert root.value >= value - 1e-6
    found = medoids.branched(costs, programme, root, centres, lambda upper: 0.5, forever)
    assert found is not None
    assert found.upper == truth


@pytest.mark.parametrize("seed", range(8))
def test_packings(seed: int) -> None:
    """At every radius: k balls that cover, or a proof that none do."""
    rng = np.random.default_rng(seed)
    ranks = rng.integers(0, 12, size=(8, 8))
    k = 2 + seed % 2
    truth = min(int(ranks[list(s)].min(axis=0).max()) for s in combinations(range(8), k))
    for radius in range(12):
        found = kcenter.packed(ranks <= radius, k, forever)
        if radius < truth:
            assert isinstance(found, kcenter.Packing)
        else:
            assert isinstance(found, np.ndarray)
            assert kcenter.radius(ranks, found) <= radius
    covering = kcenter.covering(ranks <= truth, k, 10.0)
    assert covering is not None
    assert kcenter.covering(ranks < truth, k, 10.0) is None
    order = kcenter.farthest_first(ranks, k)
    assert kcenter.radius(ranks, order) >= truth
