"""Metrics that are hard for floats: trees, grids, long paths, stars, wide spreads, general tables. All to 1e-6."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import certify
from certify import Embedding


def unit(graph: nx.Graph) -> Callable[[], Embedding]:
    return lambda: Embedding.from_graph(graph)


def spread(graph: nx.Graph, seed: int) -> Callable[[], Embedding]:
    """Edge lengths from 1e-3 to 1e3."""
    rng = np.random.default_rng(seed)
    for _, _, data in graph.edges(data=True):
        data["length"] = Fraction(10.0 ** rng.uniform(-3, 3)).limit_denominator(10**6)
    return lambda: Embedding.from_graph(graph, length="length")


def cities(n: int, norm: str) -> Callable[[], Embedding]:
    points = np.round(np.random.default_rng(3).random((n, 2)) * 1000, 1)
    return lambda: Embedding.from_points(points, norm=norm)  # type: ignore[arg-type]


def noisy_cities(n: int) -> Callable[[], Embedding]:
    """Distances in the plane, each lengthened by up to 20 %, closed under shortest ways."""
    rng = np.random.default_rng(3)
    points = rng.random((n, 2)) * 1000
    table = np.sqrt(((points[:, None] - points) ** 2).sum(axis=-1)) * (1 + 0.2 * rng.random((n, n)))
    table = np.minimum(table, table.T)
    np.fill_diagonal(table, 0)
    for k in range(n):
        table = np.minimum(table, table[:, k : k + 1] + table[k : k + 1])
    return lambda: Embedding.from_distances(np.round(table, 3))


def geometric(n: int, seed: int) -> nx.Graph:
    graph = nx.random_geometric_graph(n, 0.2, seed=seed)
    return nx.Graph(graph.subgraph(max(nx.connected_components(graph), key=len)))


QUICK, SAMPLE, SLOW = (), (pytest.mark.slow, pytest.mark.sample), (pytest.mark.slow,)
CASES = [
    ("random tree of 40", unit(nx.random_labeled_tree(40, seed=1)), QUICK),
    ("binary tree of depth 5", unit(nx.balanced_tree(2, 5)), QUICK),
    ("star of 300", unit(nx.star_graph(300)), SAMPLE),
    ("path of 200", unit(nx.path_graph(200)), QUICK),
    ("grid 10x10", unit(nx.grid_2d_graph(10, 10)), QUICK),
    ("grid 15x15", unit(nx.grid_2d_graph(15, 15)), SLOW),
    ("random tree of 150", unit(nx.random_labeled_tree(150, seed=2)), SLOW),
    ("cubic of 80", unit(nx.random_regular_graph(3, 80, seed=1)), QUICK),
    ("cubic of 160", unit(nx.random_regular_graph(3, 160, seed=1)), SAMPLE),
    ("cubic of 300", unit(nx.random_regular_graph(3, 300, seed=1)), SLOW),
    ("cubic of 60, lengths over 1e6", spread(nx.random_regular_graph(3, 60, seed=2), 3), QUICK),
    ("geometric of 100, lengths over 1e6", spread(geometric(100, 1), 4), SLOW),
    ("120 cities, l1", cities(120, "l1"), SAMPLE),
    ("120 cities, noisy", noisy_cities(120), SLOW),
]


@pytest.mark.parametrize("make", [pytest.param(make, id=name, marks=marks) for name, make, marks in CASES])
def test_gap(make: Callable[[], Embedding]) -> None:
    result = certify.solve(make())
    assert result.verdict.valid
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert result.bounds.lower is not None
    assert result.bounds.lower >= 1


@pytest.mark.parametrize("spread", [1e4, 1e6, 1e9, 1e12])
@pytest.mark.parametrize("n", [5, 12, 20])
def test_graded_scales(n: int, spread: float) -> None:
    """Points in the l1 norm whose scales are spread evenly over many orders of magnitude: no gap to split at."""
    rng = np.random.default_rng(n)
    points = rng.standard_normal((n, 3)) * 10 ** rng.uniform(0, np.log10(spread), n)[:, None]
    result = certify.solve(Embedding.from_points(points, "l1"), time_limit=60)
    assert result.status.word in ("tight", "exact"), result.why_wide


@pytest.mark.slow
def test_a_bound_where_the_exact_engine_is_out_of_reach() -> None:
    """500 points in 60 seconds: wider than asked for, and it says why."""
    result = certify.solve(Embedding.from_graph(nx.random_regular_graph(3, 500, seed=1)), time_limit=60)
    assert result.gap is not None
    assert result.gap < 0.05
    assert result.status.word == "tight" or result.why_wide is not None
