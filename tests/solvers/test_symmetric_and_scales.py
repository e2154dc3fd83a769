"""The engine for symmetric metrics, the cone models, and metrics that live on several scales."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from math import pi, sin

import networkx as nx
import numpy as np
import pytest

import certify
from certify import Embedding
from certify.rounding.laplacian import repaired
from certify.rounding.maps import distortion_squared
from certify.solvers import cone
from certify.solvers.embedding import float_gap, polished
from certify.solvers.pairs import expandable_pairs
from certify.solvers.scales import clusters
from certify.solvers.symmetric import solve


def johnson(n: int, k: int) -> nx.Graph:
    sets = list(combinations(range(n), k))
    return nx.Graph([(a, b) for a, b in combinations(sets, 2) if len(set(a) & set(b)) == k - 1])


def permutohedron(m: int) -> nx.Graph:
    """The Cayley graph of S_m by adjacent transpositions."""
    graph = nx.Graph()
    for p in permutations(range(m)):
        for i in range(m - 1):
            graph.add_edge(p, (*p[:i], p[i + 1], p[i], *p[i + 2 :]))
    return graph


def squares_of(graph: nx.Graph) -> np.ndarray:
    return np.array(nx.floyd_warshall_numpy(graph)) ** 2


SYMMETRIC = [
    ("C_30", nx.cycle_graph(30), (15 * sin(pi / 30)) ** 2),
    ("C_31", nx.cycle_graph(31), (30 * sin(pi / 62)) ** 2),
    ("Q_5", nx.hypercube_graph(5), 5.0),
    ("J(6,3)", johnson(6, 3), 3.0),
    ("K_2,3", nx.complete_bipartite_graph(2, 3), 7 / 3),
    ("S_4", permutohedron(4), 3.6),
    ("torus 6x4", nx.cartesian_product(nx.cycle_graph(6), nx.cycle_graph(4)), 25 / 6),
]


@pytest.mark.parametrize(("name", "graph", "value"), SYMMETRIC, ids=[row[0] for row in SYMMETRIC])
def test_symmetric_engine(name: str, graph: nx.Graph, value: float) -> None:
    squares = squares_of(graph)
    (answer,) = solve(squares, expandable_pairs(squares), remaining=lambda: 60)
    assert answer.points is not None
    assert distortion_squared(answer.points, squares) == pytest.approx(value, rel=1e-6)
    weights = repaired(squares, answer)
    assert weights is not None
    assert weights.value == pytest.approx(value, rel=1e-6)


def test_symmetric_engine_leaves_the_rest_to_others() -> None:
    squares = squares_of(nx.random_labeled_tree(20, seed=1))
    assert list(solve(squares, expandable_pairs(squares), remaining=lambda: 60)) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("graph", "low", "high"),
    [
        (nx.cycle_graph(1000), (500 * sin(pi / 1000)) ** 2, None),
        (nx.cycle_graph(1001), (1000 * sin(pi / 2002)) ** 2, None),
        (nx.hypercube_graph(10), 10.0, None),
        pytest.param(johnson(12, 4), 4.0, None, marks=pytest.mark.sample),
        (permutohedron(6), 45 / 7, None),
    ],
    ids=["C_1000", "C_1001", "Q_10", "J(12,4)", "S_6"],
)
def test_large_vertex_transitive_graphs(graph: nx.Graph, low: float, high: None) -> None:
    result = certify.solve(Embedding.from_graph(graph))
    lower, upper = result.bounds.floats()
    assert lower is not None
    assert upper is not None
    assert lower <= low * (1 + 1e-12)
    assert upper >= low * (1 - 1e-12)
    assert result.gap is not None
    assert result.gap <= 1e-6


@pytest.mark.parametrize("engine", ["clarabel", "scs"])
def test_reference_models_agree(engine: str) -> None:
    squares = squares_of(nx.petersen_graph())
    answer = cone.solve(engine, squares, expandable_pairs(squares), remaining=lambda: 30)
    assert answer.claim.name == engine.upper()
    assert answer.claim.value == pytest.approx(2, abs=1e-3)
    weights = repaired(squares, answer)
    assert weights is not None
    assert 1.9 < weights.value <= 2 + 1e-9


def test_clusters_are_found_at_the_widest_gap() -> None:
    points = np.array([[0.0], [1e-10], [1.0], [1.0 + 1e-10], [5.0]])
    parts = clusters((points - points.T) ** 2)
    assert parts is not None
    assert [part.tolist() for part in parts] == [[0, 1], [2, 3], [4]]
    assert clusters(squares_of(nx.path_graph(6))) is None


def test_expandable_pairs_of_a_graph_are_its_edges() -> None:
    graph = nx.random_regular_graph(3, 20, seed=1)
    order = list(graph)
    edges = {tuple(sorted((order.index(u), order.index(v)))) for u, v in graph.edges}
    assert {tuple(p) for p in expandable_pairs(squares_of(graph)).tolist()} == edges


@pytest.mark.parametrize("graph", [nx.random_regular_graph(3, 24, seed=3), nx.balanced_tree(2, 3)])
def test_an_answer_that_stopped_early_is_polished(graph: nx.Graph) -> None:
    """Weights of the right pairs but of wrong size, and points off by a tenth: the gap closes all the same."""
    squares = squares_of(graph)
    expand = expandable_pairs(squares)
    rough = cone.solve("scs", squares, expand, remaining=lambda: 30)
    assert rough.points is not None
    assert rough.contract_weights is not None
    noise = np.random.default_rng(2)
    rough = replace(
        rough,
        points=rough.points + 0.1 * noise.standard_normal(rough.points.shape),
        contract_weights=rough.contract_weights * noise.uniform(0.5, 1, len(rough.contract_weights)),
    )
    assert float_gap(rough, squares) > 0.05
    *_, last = polished(rough, squares, expand, remaining=lambda: 30, say=lambda text: None)
    assert float_gap(last, squares) < 1e-7
