"""Theorems on k-means: exact iterations and identities, and how far local optima are from the optimum."""

from __future__ import annotations

from fractions import Fraction

import pytest

import certify
from certify import Embedding, KMeans
from certify.theorems import TheoremVerdict, verify
from certify.theorems.kmeans import lloyd_trace


def test_lloyd_never_raises_the_cost() -> None:
    points = [[i * i % 17, i * 7 % 11] for i in range(30)]
    found = verify("lloyd-monotone", KMeans(points, 4))
    assert found.verdict is TheoremVerdict.HOLDS
    costs = [cost for _, cost in lloyd_trace(KMeans(points, 4))]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) > 2


def test_lloyd_stops_at_two_where_the_optimum_is_one() -> None:
    """{1, 2, 3, 4} from the centres 2 and 4."""
    problem = KMeans([[1], [2], [3], [4]], 2)
    trace = lloyd_trace(problem, start=[1, 3])
    assert trace[-1][1] == 2
    assert problem.solve().exact == 1


@pytest.mark.parametrize("width", [2, 10, 1000])
def test_lloyd_is_arbitrarily_far_from_the_optimum(width: int) -> None:
    """The corners of a long rectangle: the long sides are a fixed point of cost width², the optimum is 1."""
    problem = KMeans([[0, 0], [0, 1], [width, 0], [width, 1]], 2)
    trace = lloyd_trace(problem, start=[0, 1])
    assert trace[-1] == ([0, 1, 0, 1], Fraction(width**2))
    result = problem.assess(trace[-1][0])
    assert result.bounds.upper == 1
    assert result.assessment is not None
    assert result.assessment.excess is not None
    assert result.assessment.excess >= (width**2 - 1) * (1 - 1e-12)


def test_kmeans_is_constrained_low_rank() -> None:
    for weights in (None, [1, "1/3", 2, 5]):
        found = verify("kmeans-low-rank", KMeans([[0, "1/7"], [1, 5], [3, 3], [9, 8]], 2, weights=weights))
        assert found.verdict is TheoremVerdict.HOLDS
        assert found.sides[0].bounds == found.sides[1].bounds


def test_they_speak_of_kmeans_alone() -> None:
    other = Embedding.from_distances([[0, 1], [1, 0]])
    for name in ("lloyd-monotone", "kmeans-low-rank"):
        assert verify(name, other).verdict is TheoremVerdict.HYPOTHESES_FAIL
    assert set(certify.theorems.theorems()) >= {"lloyd-monotone", "kmeans-low-rank"}
