"""The low-rank engine: its mathematics by finite differences, its answers by the kernel, its manners by counting."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import count
from math import inf, nan

import networkx as nx
import numpy as np
import pytest

from certify.families.embedding import Embedding
from certify.keeping import Court
from certify.kernel import Rejected
from certify.rounding.laplacian import laplacian, repaired, weights_witness
from certify.rounding.maps import distortion_squared
from certify.solvers import low_rank
from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.pairs import expandable_pairs


def forever() -> float:
    return inf


def squares_of(graph: nx.Graph) -> np.ndarray:
    return np.asarray(nx.floyd_warshall_numpy(graph)) ** 2


def last(squares: np.ndarray, remaining: Callable[[], float] = forever, tolerance: float = 1e-3) -> EmbeddingAnswer:
    answers = list(low_rank.solve(squares, expandable_pairs(squares), remaining=remaining, tolerance=tolerance))
    return answers[-1]


def cities(n: int) -> np.ndarray:
    """Random points of a plane, distances with noise, made a metric by shortest paths: not that of a sparse graph."""
    random = np.random.default_rng(1)
    points = random.random((n, 2))
    noisy = np.linalg.norm(points[:, None] - points, axis=2) * np.exp(0.3 * np.triu(random.standard_normal((n, n)), 1))
    return squares_of(nx.from_numpy_array(np.triu(noisy, 1)))


def test_gradient_is_that_of_the_smoothed_objective() -> None:
    squares = squares_of(nx.petersen_graph())
    pairs = low_rank._Pairs(squares, expandable_pairs(squares))
    random = np.random.default_rng(0)
    points, step = random.standard_normal((2, 10, 4))
    for beta in (1.0, 7.0, 50.0):
        value, gradient = pairs.smoothed(points, beta)
        ends = [pairs.smoothed(points + sign * 1e-6 * step, beta)[0] for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-6 == pytest.approx(float(np.vdot(gradient, step)), rel=1e-5)
        slack = (np.log(45) + np.log(15)) / beta
        assert 0 <= value - np.log(distortion_squared(points, squares)) <= slack


def test_blocks_of_rows_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    squares = cities(50)
    points = np.random.default_rng(0).standard_normal((50, 3))
    whole = low_rank._Pairs(squares, expandable_pairs(squares))
    monkeypatch.setattr(low_rank, "BLOCK", 1)  # 16 rows
    parts = low_rank._Pairs(squares, expandable_pairs(squares))
    assert len(parts.blocks) == 4
    assert len(whole.blocks) == 1
    for one, other in zip(whole.smoothed(points, 9.0), parts.smoothed(points, 9.0), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(whole.weights(points, 9.0).contract, parts.weights(points, 9.0).contract)


def test_softmax_weights_are_the_gradient() -> None:
    """∇f = 2 (L_E − L_P) X, up to the contraction weights that are left out."""
    squares = squares_of(nx.random_regular_graph(3, 30, seed=1))
    pairs = low_rank._Pairs(squares, expandable_pairs(squares))
    points = np.random.default_rng(0).standard_normal((30, 5))
    weights = pairs.weights(points, 20.0)
    d2 = squares[weights.expand[:, 0], weights.expand[:, 1]]
    assert float(weights.expand_weights @ d2) == pytest.approx(1)
    near = laplacian(30, weights.expand, weights.expand_weights)
    far = laplacian(30, weights.contract, weights.contract_weights)
    gradient = pairs.smoothed(points, 20.0)[1]
    product = 2 * (near - far) @ points
    assert float(np.vdot(product, gradient) / np.linalg.norm(product) / np.linalg.norm(gradient)) > 0.9999


@pytest.mark.parametrize(
    ("graph", "value"),
    [
        (nx.cycle_graph(4), 2.0),
        (nx.petersen_graph(), 2.0),
        (nx.hypercube_graph(4), 4.0),
        (nx.star_graph(3), 4 / 3),
        (nx.path_graph(12), 1.0),
    ],
)
def test_known_optima_are_met_from_both_sides(graph: nx.Graph, value: float) -> None:
    squares = squares_of(graph)
    answer = last(squares)
    upper, weights = distortion_squared(answer.points, squares), repaired(squares, answer)
    assert weights is not None
    assert weights.value <= value * (1 + 1e-9) <= upper * (1 + 2e-9)
    assert upper <= 1.01 * value
    assert weights.value >= 0.99 * value


@pytest.mark.parametrize(
    "squares",
    [squares_of(nx.random_regular_graph(3, 60, seed=1)), squares_of(nx.grid_2d_graph(6, 6)), cities(40)],
    ids=["cubic", "grid", "cities"],
)
def test_gap_is_small(squares: np.ndarray) -> None:
    answer = last(squares, tolerance=1e-2)
    weights = repaired(squares, answer)
    assert weights is not None
    assert 1 - weights.value / distortion_squared(answer.points, squares) < 0.02


def test_the_kernel_proves_both_ends() -> None:
    graph = nx.random_regular_graph(3, 24, seed=1)
    problem = Embedding.from_graph(graph)
    squares = problem.squared_distances()
    answer = last(squares)
    court = Court(problem)
    weights = repaired(squares, answer)
    assert weights is not None
    witness = weights_witness(weights, squares)
    assert witness is not None
    lower = court.ask(witness)
    proposal = problem.assessed(answer.points)
    assert not isinstance(proposal, str)
    upper = court.ask(proposal.witness)
    assert not isinstance(lower, Rejected)
    assert not isinstance(upper, Rejected)
    assert lower.value is not None
    assert upper.value is not None
    assert Fraction(98, 100) * upper.value < lower.value <= upper.value


@pytest.mark.parametrize(
    "squares",
    [
        squares_of(nx.star_graph(40)),  # needs more dimensions than are tried first
        squares_of(nx.complete_bipartite_graph(3, 20)),  # twins
        1.0 - np.eye(14),
        np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]),
        np.array([[0.0, 1.0, 1e12], [1.0, 0.0, 1e12], [1e12, 1e12, 0.0]]),
        1e-200 * squares_of(nx.cycle_graph(9)),
        1e200 * squares_of(nx.cycle_graph(9)),
    ],
    ids=["star", "twins", "simplex", "path", "spread", "tiny", "huge"],
)
def test_degenerate_metrics_give_finite_answers(squares: np.ndarray) -> None:
    for answer in low_rank.solve(squares, expandable_pairs(squares), remaining=forever, tolerance=1e-2):
        for part in (answer.points, answer.expand_weights, answer.contract_weights):
            assert part is not None
            assert np.isfinite(part).all()
        assert answer.claim.value is not None
        assert answer.claim.value >= 1 - 1e-9


def test_same_input_same_answer() -> None:
    squares = squares_of(nx.random_regular_graph(3, 20, seed=1))
    one, other = last(squares), last(squares)
    np.testing.assert_array_equal(one.points, other.points)
    np.testing.assert_array_equal(one.contract_weights, other.contract_weights)


def test_input_is_left_alone() -> None:
    squares = squares_of(nx.cycle_graph(6))
    kept = squares.copy()
    last(squares)
    np.testing.assert_array_equal(squares, kept)


def test_answers_get_better() -> None:
    squares = squares_of(nx.random_regular_graph(3, 40, seed=1))
    values = [a.claim.value for a in low_rank.solve(squares, expandable_pairs(squares), remaining=forever)]
    assert len(values) > 2
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("asked", [0, 1, 2, 3, 10, 100])
def test_time_is_asked_for_and_obeyed(asked: int) -> None:
    """A clock that runs out at the given question: few more are asked, and what there is is handed out."""
    questions = count()
    squares = squares_of(nx.random_regular_graph(3, 40, seed=1))
    found = list(
        low_rank.solve(squares, expandable_pairs(squares), remaining=lambda: 1e3 if next(questions) < asked else -1.0)
    )
    assert next(questions) < asked + 10
    assert all(answer.points is not None for answer in found)
    assert (len(found) > 0) == (asked > 1)


def test_interrupt_goes_through() -> None:
    squares = squares_of(nx.cycle_graph(12))
    questions = count()

    def remaining() -> float:
        if next(questions) > 20:
            raise KeyboardInterrupt
        return 1e3

    with pytest.raises(KeyboardInterrupt):
        list(low_rank.solve(squares, expandable_pairs(squares), remaining=remaining))


def test_too_small_gives_nothing() -> None:
    squares = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert list(low_rank.solve(squares, np.array([[0, 1]]), remaining=forever)) == []


@pytest.mark.parametrize("entry", [0.0, -1.0, inf, nan])
def test_bad_distances_are_refused(entry: float) -> None:
    squares = squares_of(nx.cycle_graph(4))
    squares[0, 1] = squares[1, 0] = entry
    with pytest.raises(ValueError, match="positive"):
        list(low_rank.solve(squares, np.array([[0, 1]]), remaining=forever))
