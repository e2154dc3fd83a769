"""The family embedding: its data, its degenerate cases, and assessments of maps that others made."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

import certify
from certify import Embedding, InputError
from certify.families.embedding_words import shares, stretches

FOUR = [[0, 5, 3, 4], [5, 0, 2, 2], [3, 2, 0, 1], [4, 2, 1, 0]]


def test_floats_are_the_dyadic_rationals_that_they_are() -> None:
    problem = Embedding.from_distances([[0, 0.1], [0.1, 0]])
    assert Fraction(problem.rows[0][1], problem.denominator) == Fraction(0.1) ** 2
    assert Embedding.from_distances([[0, "0.1"], ["0.1", 0]]).squared_distances()[0, 1] == 0.01


def test_text_and_rationals_are_exact() -> None:
    problem = Embedding.from_distances([[0, "1/3"], [Fraction(1, 3), 0]])
    assert (problem.denominator, problem.rows) == (9, ((0, 1), (1, 0)))


def test_scaling_a_metric_changes_nothing() -> None:
    one, two = (certify.solve(Embedding.from_distances(np.array(FOUR) * s)) for s in (1, 2))
    assert one.bounds.lower is not None
    assert two.bounds.upper is not None
    assert abs(one.bounds.lower - two.bounds.upper) < Fraction(1, 10**6)
    assert one.status == two.status


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: Embedding.from_distances([[0, 1], [2, 0]]), "distances[0, 1]: not symmetric"),
        (lambda: Embedding.from_distances([[0, float("nan")], [1, 0]]), "distances[0, 1]: nan is not finite"),
        (lambda: Embedding.from_distances([[0, -1], [-1, 0]]), "distances[0, 1]: -1 is negative"),
        (lambda: Embedding.from_distances([[0, 1, 2], [1, 0, 1]]), "distances: 2 rows and 3 columns"),
        (lambda: Embedding.from_distances([[1, 1], [1, 0]]), "distances[0, 0]: 1, but"),
        (lambda: Embedding.from_distances([[0, 0], [0, 0]]), "merge_duplicates = true"),
        (lambda: Embedding.from_distances([[0, 0, 1], [0, 0, 2], [1, 2, 0]], merge_duplicates=True), "distance 0, but"),
        (lambda: Embedding.from_points([[1, 2], [1, 2]]), "distance 0 between distinct points"),
        (lambda: Embedding.from_points([[1], [2]], norm="l3"), "norm: 'l3' is no norm"),  # type: ignore[arg-type]
        (lambda: Embedding.from_points([]), "there is no point"),
        (lambda: Embedding.from_graph(nx.Graph([(0, 1), (2, 3)])), "no path joins"),
    ],
)
def test_bad_data_get_one_clear_line(make: object, line: str) -> None:
    with pytest.raises(InputError) as caught:
        make()  # type: ignore[operator]
    assert line in str(caught.value)


def test_every_bad_entry_is_named() -> None:
    with pytest.raises(InputError) as caught:
        Embedding.from_distances([[0, float("inf"), 1], [2, 0, None], [1, 3, 0]])
    assert [fault.where for fault in caught.value.faults] == ["distances[0, 1]", "distances[1, 2]"]


def test_merged_duplicates_get_equal_coordinates() -> None:
    result = certify.solve(Embedding.from_points([[0, 0], [1, 0], [0, 0], [0, 1]], merge_duplicates=True))
    assert result.solution.shape[0] == 4
    assert np.array_equal(result.solution[0], result.solution[2])


def test_a_broken_triangle_inequality_has_its_true_answer() -> None:
    """d(0,1) = 10 but d(0,2) + d(2,1) = 2: the map must stretch by 5, and on a line that suffices."""
    result = certify.solve(Embedding.from_distances([[0, 10, 1], [10, 0, 1], [1, 1, 0]]))
    result.require("distortion <= 5.000001").require("distortion >= 4.999999")


def test_scales_from_1e_minus_12_to_1e12() -> None:
    """A Petersen graph of edges 1e-12, a five-cycle of edges 1e12 at distance 1: the larger distortion² is 2."""
    small, large = Fraction(1, 10**12), Fraction(10**12)
    edges = [(u, v, small) for u, v in nx.petersen_graph().edges]
    edges += [(10 + min(i, (i + 1) % 5), 10 + max(i, (i + 1) % 5), large) for i in range(5)]
    result = certify.solve(Embedding.from_edges(range(15), [*edges, (0, 10, Fraction(1))]))
    assert result.status.word == "tight"
    result.require("distortion_squared >= 1.999999").require("distortion_squared <= 2.000001")


def test_model_is_the_textbook_programme() -> None:
    model = Embedding.from_graph(nx.complete_bipartite_graph(2, 3)).model()
    assert model.solve(solver="CLARABEL") == pytest.approx(7 / 3, abs=1e-6)


def test_solution_is_the_map_of_the_upper_end() -> None:
    problem = Embedding.from_graph(nx.cycle_graph(5))
    result = certify.solve(problem)
    again = certify.assess(problem, result.solution)
    assert again.assessment is not None
    assert again.assessment.value is not None
    assert float(again.assessment.value) == pytest.approx(float(result.bounds.upper or 0), rel=1e-9)


def test_assess_multidimensional_scaling() -> None:
    """scikit-learn's MDS of the karate club in the plane: its distortion is far from the best, and by how much."""
    manifold = pytest.importorskip("sklearn.manifold")
    problem = Embedding.from_graph(nx.karate_club_graph())
    mds = manifold.MDS(n_components=2, metric="precomputed", init="random", n_init=1, random_state=0)
    coordinates = mds.fit_transform(np.sqrt(problem.squared_distances()))
    result = problem.assess(coordinates)
    assert result.assessment is not None
    value, ratio = result.assessment.value, result.assessment.ratio_upper
    assert value is not None
    assert ratio is not None
    z = ((coordinates[:, None] - coordinates) ** 2).sum(axis=-1)[np.triu_indices(34, 1)]
    stretch = z / problem.squared_distances()[np.triu_indices(34, 1)]
    assert float(value) == pytest.approx(stretch.max() / stretch.min(), rel=1e-9)
    assert ratio == pytest.approx(float(value) / 2.6844108, rel=1e-6)


def test_assess_iris_in_the_plane() -> None:
    """The first two principal axes of Iris, duplicates merged; the points themselves have distortion 1."""
    datasets = pytest.importorskip("sklearn.datasets")
    flowers = datasets.load_iris().data
    problem = Embedding.from_points(flowers, merge_duplicates=True)
    assert len(problem) == 149
    centred = flowers - flowers.mean(axis=0)
    plane = np.round(centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T, 9)
    result = problem.assess(plane)
    assert result.bounds.lower == result.bounds.upper == 1
    assert result.assessment is not None
    assert result.assessment.value is not None
    assert float(result.assessment.value) == result.assessment.ratio_upper or result.assessment.ratio_upper is not None
    assert result.assessment.value > 1


def test_assess_a_projection_that_merges_points() -> None:
    """A sparse random projection of the standard basis sends points to one place: infinite, with the pair."""
    problem = Embedding.from_points(np.eye(10, dtype=int))
    flat = np.zeros((10, 2))
    flat[3], flat[4] = (1, 0), (0, 1)
    result = problem.assess(flat)
    assert result.assessment is not None
    assert result.assessment.value is None
    assert "points 0 and 1 have the same image" in (result.assessment.why or "")
    assert result.as_json()["value"] is None


def test_assess_wants_one_row_a_point() -> None:
    with pytest.raises(InputError, match="2 rows for 4 points"):
        Embedding.from_distances(FOUR).assess([[0, 1], [1, 0]])


def test_shares_and_stretches_of_the_square() -> None:
    problem = Embedding.from_graph(nx.cycle_graph(4))
    square = {"kind": "coordinates", "points": {"denominator": 1, "rows": [[0, 0], [1, 0], [1, 1], [0, 1]]}}
    assert [s for s, _, _ in stretches(problem, square)] == [Fraction(1, 2)] * 2 + [Fraction(1)] * 4
    weights = {"expand": [[0, 1, 1], [1, 2, 3]], "contract": [[0, 2, "1"]]}
    assert shares(problem, weights, "expand") == [(Fraction(3, 4), 1, 2), (Fraction(1, 4), 0, 1)]
