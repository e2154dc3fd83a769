"""The theorem of Gonzalez on instances: both sides are proved."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

from certify import KCenter, KDiameter, KMedoids, verify
from certify.testing.medoids import SEVEN

HOLDS = {
    "points": KCenter.from_points(SEVEN, 2),
    "diameter of points": KDiameter.from_points(SEVEN, 2),
    "graph": KCenter.from_graph(nx.petersen_graph(), 2),
    "ratio 2": KCenter.from_distances([[0, 1, 2], [1, 0, 1], [2, 1, 0]], 1),
    "squares": KDiameter.from_squared_distances([[0, 1, 4], [1, 0, 1], [4, 1, 0]], 2),
    "equal points": KDiameter.from_points([[1], [1]], 1),
}
FAIL = {
    "medoids": KMedoids.from_points(SEVEN, 2),
    "squared": KCenter.from_points(SEVEN, 2, power=2),
    "no triangle inequality": KCenter.from_distances([[0, 1, 3], [1, 0, 1], [3, 1, 0]], 1),
    "squares that are no metric": KDiameter.from_squared_distances([[0, 1, 5], [1, 0, 1], [5, 1, 0]], 1),
    "asymmetric": KCenter.from_distances([[0, 1], [2, 0]], 1),
}


@pytest.mark.parametrize("name", HOLDS)
def test_it_holds(name: str) -> None:
    found = verify("farthest-first", HOLDS[name])
    assert found.verdict.word == "holds", found.to_text()
    value, optimum = (side.bounds for side in found.sides)
    assert value.lower == value.upper
    assert optimum.lower is not None
    assert value.upper >= optimum.lower  # type: ignore[operator]


def test_the_ratio_two_is_attained() -> None:
    assert "2 times" in verify("farthest-first", HOLDS["ratio 2"]).reason


@pytest.mark.parametrize("name", FAIL)
def test_hypotheses_fail(name: str) -> None:
    assert verify("farthest-first", FAIL[name]).verdict.word == "hypotheses fail"


def test_undecided_without_time(monkeypatch: Any) -> None:
    found = verify("farthest-first", KCenter.from_points(SEVEN, 2), time_limit=0)
    assert found.verdict.word in ("undecided", "holds")
