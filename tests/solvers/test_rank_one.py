"""The rank-one engine: closed forms, degenerate metrics, hostile scales. Its answers are measured here anew."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import networkx as nx
import numpy as np
import pytest
import scipy.linalg
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.pairs import expandable_pairs
from certify.solvers.rank_one import solve

Floats = NDArray[np.float64]


def squared(graph: nx.Graph) -> Floats:
    return np.asarray(nx.floyd_warshall_numpy(graph), dtype=np.float64) ** 2


def laplacian(n: int, pairs: NDArray[np.int64], weights: Floats) -> Floats:
    found = np.zeros((n, n))
    np.add.at(found, (pairs[:, 0], pairs[:, 1]), -weights)
    found += found.T
    return found - np.diag(found.sum(axis=1))


def measured(distances: Floats, answer: EmbeddingAnswer) -> tuple[float, float]:
    """The bounds that the answer is worth: of its points over all pairs, of its weights after repair by ε·L_w."""
    n = len(distances)
    assert answer.points is not None
    assert answer.expand is not None
    assert answer.expand_weights is not None
    assert answer.contract is not None
    assert answer.contract_weights is not None
    for pairs, weights in ((answer.expand, answer.expand_weights), (answer.contract, answer.contract_weights)):
        assert (pairs[:, 0] < pairs[:, 1]).all()
        assert len(np.unique(pairs, axis=0)) == len(pairs)
        assert np.isfinite(weights).all()
        assert (weights >= 0).all()
    assert np.isfinite(answer.points).all()
    assert answer.points.shape[0] == n
    ratios = pdist(answer.points, "sqeuclidean") / distances[np.triu_indices(n, 1)]

    expand = distances[answer.expand[:, 0], answer.expand[:, 1]]
    contract = distances[answer.contract[:, 0], answer.contract[:, 1]]
    z = laplacian(n, answer.expand, answer.expand_weights) - laplacian(n, answer.contract, answer.contract_weights)
    repair = laplacian(n, answer.expand, 1 / expand / len(expand))
    unit = 1 / np.sqrt(np.diag(repair))[1:]
    z, repair = (m[1:, 1:] * unit[:, None] * unit[None, :] for m in (z, repair))
    lowest = scipy.linalg.eigh(z, repair, eigvals_only=True)[0]
    price = float(answer.expand_weights @ expand) + max(0.0, -float(lowest))
    return float(answer.contract_weights @ contract) / price, float(ratios.max() / ratios.min())


def last(distances: Floats, seconds: float = 60) -> EmbeddingAnswer:
    return list(solve(distances, expandable_pairs(distances), remaining=lambda: seconds))[-1]


def gap(distances: Floats) -> float:
    lower, upper = measured(distances, last(distances))
    return 1 - lower / upper


CLOSED_FORMS: dict[str, tuple[Callable[[], nx.Graph], float]] = {
    "two points": (lambda: nx.path_graph(2), 1),
    "three in line": (lambda: nx.path_graph(3), 1),
    "triangle": (lambda: nx.complete_graph(3), 1),
    "path of 60": (lambda: nx.path_graph(60), 1),
    "K_20": (lambda: nx.complete_graph(20), 1),
    "star of 300": (lambda: nx.star_graph(299), 2 - 2 / 299),
    "K_3,3": (lambda: nx.complete_bipartite_graph(3, 3), 8 / 3),
    "friendship F_3": (lambda: nx.windmill_graph(3, 3), 17 / 12),
    "binary tree, depth 2": (lambda: nx.balanced_tree(2, 2), 81 / 56),
    "C_50": (lambda: nx.cycle_graph(50), (25 * math.sin(math.pi / 50)) ** 2),
    "C_51": (lambda: nx.cycle_graph(51), (50 * math.sin(math.pi / 102)) ** 2),
    "Q_4": (lambda: nx.hypercube_graph(4), 4),
    "Q_5": (lambda: nx.hypercube_graph(5), 5),
    "Petersen": (nx.petersen_graph, 2),
    "grid 3x3": (lambda: nx.grid_2d_graph(3, 3), 2),
    "icosahedron": (nx.icosahedral_graph, 9 * (1 - 1 / math.sqrt(5)) / 2),
}


@pytest.mark.parametrize("name", CLOSED_FORMS)
def test_closed_forms(name: str) -> None:
    build, value = CLOSED_FORMS[name]
    distances = squared(build())
    lower, upper = measured(distances, last(distances))
    assert lower <= value * (1 + 1e-9)
    assert upper >= value * (1 - 1e-9)
    assert 1 - lower / upper <= 1e-7


def random_metric(n: int, seed: int) -> Floats:
    upper = np.triu(1 + np.random.default_rng(seed).random((n, n)), 1)
    return np.asarray(upper + upper.T) ** 2


def taxicab(n: int, seed: int) -> Floats:
    points = np.random.default_rng(seed).random((n, 3))
    return np.asarray(np.abs(points[:, None] - points[None]).sum(axis=-1)) ** 2


def weighted(graph: nx.Graph, spread: float, seed: int) -> Floats:
    rng = np.random.default_rng(seed)
    for u, v in graph.edges():
        graph[u][v]["weight"] = spread ** rng.random()
    return squared(graph)


OTHERS: dict[str, Callable[[], Floats]] = {
    "karate club": lambda: squared(nx.Graph(nx.karate_club_graph().edges())),
    "binary tree, depth 4": lambda: squared(nx.balanced_tree(2, 4)),
    "random tree": lambda: squared(nx.random_labeled_tree(40, seed=3)),
    "cubic, 40 points": lambda: squared(nx.random_regular_graph(3, 40, seed=1)),
    "lengths of spread 1e6": lambda: weighted(nx.random_regular_graph(4, 40, seed=2), 1e6, 1),
    "general metric": lambda: random_metric(30, 1),
    "taxicab": lambda: taxicab(30, 1),
    "breaks the triangle inequality": lambda: (
        np.triu(np.arange(1.0, 65).reshape(8, 8) ** 2 % 61, 1)
        + np.triu(np.arange(1.0, 65).reshape(8, 8) ** 2 % 61, 1).T
    ),
}

SLOW: dict[str, Callable[[], Floats]] = {
    "Hoffman–Singleton": lambda: squared(nx.hoffman_singleton_graph()),
    "cubic, 80 points": lambda: squared(nx.random_regular_graph(3, 80, seed=1)),
    "cubic, 160 points": lambda: squared(nx.random_regular_graph(3, 160, seed=1)),
    "grid 10x10": lambda: squared(nx.grid_2d_graph(10, 10)),
    "binary tree, depth 5": lambda: squared(nx.balanced_tree(2, 5)),
    "random tree of 120": lambda: squared(nx.random_labeled_tree(120, seed=3)),
    "path of 200": lambda: squared(nx.path_graph(200)),
    "Q_6": lambda: squared(nx.hypercube_graph(6)),
    "general metric of 100": lambda: random_metric(100, 2),
}


@pytest.mark.parametrize("name", OTHERS)
def test_gap(name: str) -> None:
    assert gap(OTHERS[name]()) <= 1e-7


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_gap_of_larger_metrics(name: str) -> None:
    assert gap(SLOW[name]()) <= 1e-7


@pytest.mark.parametrize("unit", [1e-200, 1e200])
def test_any_unit(unit: float) -> None:
    answer = last(squared(nx.petersen_graph()) * unit)
    assert answer.points is not None
    assert answer.claim.value == pytest.approx(2, rel=1e-8)


def test_weights_of_1e12_and_1e_minus_12_in_one_metric() -> None:
    graph = nx.cycle_graph(12)
    for number, (u, v) in enumerate(graph.edges()):
        graph[u][v]["weight"] = 10.0 ** (12 * (number % 3 - 1))
    distances = squared(graph)
    answer = last(distances)
    assert answer.points is not None  # four long edges make a square, whatever the short ones do
    ratios = pdist(answer.points, "sqeuclidean") / distances[np.triu_indices(12, 1)]
    assert ratios.max() / ratios.min() == pytest.approx(2, rel=1e-7)


def test_out_of_time_is_an_answer() -> None:
    distances = squared(nx.random_regular_graph(3, 40, seed=1))
    answers = list(solve(distances, expandable_pairs(distances), remaining=lambda: 0.0))
    assert len(answers) == 1
    lower, upper = measured(distances, answers[0])
    assert 0 < lower <= upper


def test_answers_improve_and_repeat() -> None:
    distances = squared(nx.random_regular_graph(3, 30, seed=5))
    first, second = ([*solve(distances, expandable_pairs(distances), remaining=lambda: 60.0)] for _ in range(2))
    bounds = [measured(distances, answer) for answer in first]
    assert all(b[0] >= a[0] - 1e-9 and b[1] <= a[1] * (1 + 1e-9) for a, b in itertools.pairwise(bounds))
    assert [measured(distances, answer) for answer in second] == bounds


def test_interrupt_goes_through() -> None:
    def interrupted() -> float:
        raise KeyboardInterrupt

    distances = squared(nx.petersen_graph())
    with pytest.raises(KeyboardInterrupt):
        next(solve(distances, expandable_pairs(distances), remaining=interrupted))


def test_a_poor_hint_is_no_harm() -> None:
    distances = squared(nx.petersen_graph())
    answer = list(solve(distances, np.empty((0, 2), dtype=np.int64), remaining=lambda: 60.0))[-1]
    assert answer.claim.value == pytest.approx(2, rel=1e-8)


@pytest.mark.parametrize("entry", [0.0, -1.0, math.nan, math.inf])
def test_unusable_distances(entry: float) -> None:
    distances = squared(nx.petersen_graph())
    distances[2, 5] = distances[5, 2] = entry
    with pytest.raises(ValueError, match="positive off the diagonal"):
        list(solve(distances, np.empty((0, 2), dtype=np.int64), remaining=lambda: 60.0))


def test_one_point_has_nothing_to_say() -> None:
    assert not list(solve(np.zeros((1, 1)), expandable_pairs(np.zeros((1, 1))), remaining=lambda: 60.0))


def test_expandable_pairs_of_a_graph_are_its_edges() -> None:
    graph = nx.convert_node_labels_to_integers(nx.grid_2d_graph(6, 7))
    assert {tuple(pair) for pair in expandable_pairs(squared(graph)).tolist()} == set(graph.edges())


def test_expandable_pairs_connect_near_duplicates() -> None:
    points = np.array([0.0, 1e-14, 2e-14, 1.0, 1 + 1e-14])
    pairs = expandable_pairs(np.subtract.outer(points, points) ** 2)
    assert nx.is_connected(nx.Graph(pairs.tolist()))
    assert len(np.unique(pairs)) == 5


def test_expandable_pairs_of_a_thousand_points() -> None:
    graph = nx.random_labeled_tree(1000, seed=1)
    distances = np.zeros((1000, 1000))
    for source, lengths in nx.all_pairs_shortest_path_length(graph):
        for target, length in lengths.items():
            distances[source, target] = length
    assert len(expandable_pairs(distances**2)) == 999
