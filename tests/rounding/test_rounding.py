"""Floats to exact witnesses: grids, PSD factors, repaired weights, classes of pairs."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.kernel.psd import prove_psd
from certify.problem import Claim
from certify.rounding.coherent import coherent_classes
from certify.rounding.grid import on_grid, over_common_denominator
from certify.rounding.laplacian import laplacian, repaired, weights_witness
from certify.rounding.psd import elimination_proof, psd_proof
from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.pairs import spanning_pairs


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5), st.integers(0, 80))
def test_grid_is_within_half_a_step(values: list[float], bits: int) -> None:
    (row,) = on_grid(np.array([values]), bits)
    for value, integer in zip(values, row, strict=True):
        assert abs(Fraction(value) * 2**bits - integer) <= Fraction(1, 2)


@given(st.lists(st.fractions(), min_size=1, max_size=6))
def test_common_denominator_is_exact(row: list[Fraction]) -> None:
    denominator, ((*numerators,),) = over_common_denominator([row])
    assert [Fraction(a, denominator) for a in numerators] == row


def triangle(table: np.ndarray) -> list[list[int]]:
    return [[int(x) for x in row[: i + 1]] for i, row in enumerate(table.tolist())]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 12), st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_positive_definite_matrices_get_a_factor(n: int, seed: int, spread: int) -> None:
    """Whatever the scales of the rows: powers of two up to 2^60 apart."""
    rng = np.random.default_rng(seed)
    half = rng.integers(-9, 10, (n, n))
    scale = [2 ** int(k) for k in rng.integers(0, spread + 1, n)]
    table = half @ half.T + np.eye(n, dtype=np.int64)
    a = [[int(table[i, j]) * scale[i] * scale[j] for j in range(i + 1)] for i in range(n)]
    proof = psd_proof(a)
    assert proof is not None
    assert proof["kind"] == "factor"
    prove_psd(proof, "psd", a, pure=True)


def test_zero_rows_need_nothing() -> None:
    a = [[2], [0, 0], [1, 0, 2]]
    proof = psd_proof(a)
    assert proof is not None
    prove_psd(proof, "psd", a, pure=True)


def test_indefinite_and_singular_matrices_get_no_factor() -> None:
    assert psd_proof([[1], [2, 1]]) is None
    assert psd_proof([[-1]]) is None
    assert psd_proof([[1], [1, 1]]) is None
    assert elimination_proof([[1], [1, 1]]) == {"kind": "ldl"}
    assert elimination_proof([[0], [1, 1]]) is None


def test_spanning_pairs_are_a_shortest_tree() -> None:
    squares = np.array([[0, 1, 9, 16], [1, 0, 4, 9], [9, 4, 0, 1], [16, 9, 1, 0]], dtype=float)
    assert {tuple(p) for p in spanning_pairs(squares).tolist()} == {(0, 1), (1, 2), (2, 3)}


def test_laplacian_has_zero_row_sums() -> None:
    table = laplacian(4, np.array([[0, 1], [1, 3]]), np.array([2.0, 5.0]))
    assert np.array_equal(table.sum(axis=1), np.zeros(4))
    assert table[1, 1] == 7


@pytest.mark.parametrize("noise", [0.0, 1e-9, 1e-4, 1e-2])
def test_noisy_weights_are_repaired(noise: float) -> None:
    """Whatever is wrong with the weights, the bound that is left is true (at most 2), and close for small noise."""
    graph = nx.cycle_graph(4)
    squares = np.array(nx.floyd_warshall_numpy(graph)) ** 2
    edges, far = np.array([[0, 1], [1, 2], [2, 3], [0, 3]]), np.array([[0, 2], [1, 3]])
    rng = np.random.default_rng(1)
    answer = EmbeddingAnswer(
        None, edges, 1 + noise * rng.standard_normal(4), far, 1 + noise * rng.standard_normal(2), Claim("x", "y", None)
    )
    weights = repaired(squares, answer)
    assert weights is not None
    assert 2 - 4 * noise - 1e-9 <= weights.value <= 2 + 1e-12
    assert weights_witness(weights, squares) is not None


def test_weights_that_touch_few_points_leave_the_others_out() -> None:
    graph = nx.cycle_graph(4)
    nx.add_path(graph, [0, "tail", "end"])
    squares = np.array(nx.floyd_warshall_numpy(graph)) ** 2
    nodes = list(graph)
    edges = np.array([sorted((nodes.index(u), nodes.index(v))) for u, v in nx.cycle_graph(4).edges])
    answer = EmbeddingAnswer(None, edges, np.ones(4), np.array([[0, 2], [1, 3]]), np.ones(2), Claim("x", "y", None))
    weights = repaired(squares, answer)
    assert weights is not None
    assert weights.value == pytest.approx(2, abs=1e-9)
    assert set(weights.expand.ravel()) <= {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("graph", "classes"),
    [
        (nx.petersen_graph(), 3),
        (nx.cycle_graph(9), 5),
        (nx.hypercube_graph(4), 5),
        (nx.complete_graph(5), 2),
        (nx.star_graph(4), 4),  # two kinds of point, ray to centre, ray to ray
    ],
)
def test_coherent_classes_of_symmetric_graphs(graph: nx.Graph, classes: int) -> None:
    labels = np.array(nx.floyd_warshall_numpy(graph)).astype(np.int64)
    found = coherent_classes(labels)
    assert found is not None
    assert found.count == classes
    assert np.array_equal(found.pair, found.pair.T)


def test_averaging_over_classes_is_a_projection() -> None:
    labels = np.array(nx.floyd_warshall_numpy(nx.cycle_graph(6))).astype(np.int64)
    classes = coherent_classes(labels)
    assert classes is not None
    table = np.random.default_rng(0).standard_normal((6, 6))
    once = classes.average(table + table.T)
    assert np.allclose(classes.average(once), once)
    # The algebra is closed under products: the square of an average is an average.
    assert np.allclose(classes.average(once @ once), once @ once)
