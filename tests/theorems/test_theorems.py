"""Theorems on instances: a verdict only from proved sides, hypotheses decided exactly."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import networkx as nx
import pytest

import certify
from certify.errors import InputError
from certify.result import Bounds, Status
from certify.theorems import TheoremVerdict, theorem, theorems, verify
from certify.theorems.cube import cube_labels


def shuffled_cube(d: int, scale: Fraction, seed: int = 0) -> list[list[Fraction]]:
    """Squared distances of the d-cube, its vertices in a random order."""
    names = list(range(2**d))
    random.Random(seed).shuffle(names)
    return [[(u ^ v).bit_count() ** 2 * scale for v in names] for u in names]


@pytest.mark.parametrize("d", [1, 2, 3, 5])
@pytest.mark.parametrize("scale", [Fraction(1), Fraction(9, 49), Fraction(2)])
def test_cubes_are_recognised_whatever_their_scale_and_order(d: int, scale: Fraction) -> None:
    problem = certify.Embedding.from_squared_distances(shuffled_cube(d, scale, seed=d))
    labels = cube_labels(problem.squares())
    assert labels is not None
    assert sorted(labels) == list(range(2**d))


@pytest.mark.parametrize(
    "graph",
    [
        nx.path_graph(4),
        nx.complete_graph(4),
        nx.cycle_graph(8),
        nx.petersen_graph(),
        nx.path_graph(1),
        nx.complete_bipartite_graph(3, 5),
        nx.moebius_kantor_graph(),
        nx.grid_2d_graph(4, 4),
    ],
    ids=str,
)
def test_others_are_not(graph: Any) -> None:
    assert cube_labels(certify.Embedding.from_graph(graph).squares()) is None


def test_a_cube_with_one_distance_changed_is_none() -> None:
    squares = shuffled_cube(3, Fraction(1))
    squares[2][5] = squares[5][2] = squares[2][5] + Fraction(1, 10**6)
    assert cube_labels(certify.Embedding.from_squared_distances(squares).squares()) is None


def test_the_registry() -> None:
    assert list(theorems()) == [
        "llr-duality",
        "cube-distortion",
        "lloyd-monotone",
        "kmeans-low-rank",
        "farthest-first",
        "ratiocut-trace",
        "cheeger",
    ]
    for name, entry in theorems().items():
        assert entry.name == name
        assert all((entry.title, entry.statement, entry.latex, entry.hypotheses, entry.source))
        assert theorem(name) is entry
    with pytest.raises(InputError, match="one of: llr-duality, cube-distortion"):
        theorem("fermat")


def test_hypotheses_that_fail() -> None:
    point = certify.Embedding.from_graph(nx.path_graph(1))
    for name in theorems():
        found = verify(name, point)
        assert found.verdict is TheoremVerdict.HYPOTHESES_FAIL
        assert found.reason
        assert found.result is None


@pytest.mark.parametrize(
    ("lower", "upper", "status", "verdict"),
    [
        ("3", "3", Status.EXACT, TheoremVerdict.HOLDS),
        ("2.9999999", "3.0000001", Status.TIGHT, TheoremVerdict.HOLDS),
        ("2", "4", Status.BOUNDED, TheoremVerdict.UNDECIDED),
        ("1", None, Status.BOUNDED, TheoremVerdict.UNDECIDED),
        ("3.0000001", "3.0000002", Status.TIGHT, TheoremVerdict.VIOLATED),
        ("3.1", None, Status.BOUNDED, TheoremVerdict.VIOLATED),
        (None, "2.9", Status.BOUNDED, TheoremVerdict.VIOLATED),
        (None, None, Status.UNKNOWN, TheoremVerdict.UNDECIDED),
    ],
)
def test_the_verdict_on_a_cube_follows_from_the_proved_interval(
    monkeypatch: pytest.MonkeyPatch, lower: str | None, upper: str | None, status: Status, verdict: TheoremVerdict
) -> None:
    ends = Bounds(*(None if end is None else Fraction(end) for end in (lower, upper)))
    problem = certify.Embedding.from_graph(nx.hypercube_graph(3))
    some = certify.solve(certify.Embedding.from_graph(nx.path_graph(2)))
    monkeypatch.setattr("certify.theorems.cube.solve", lambda *_, **__: replace(some, bounds=ends, status=status))
    found = verify("cube-distortion", problem)
    assert found.verdict is verdict
    table = json.loads(found.to_json())
    assert table["verdict"] == verdict.word
    assert [side["lower"] for side in table["sides"]][1] == "3"


@pytest.mark.parametrize(
    ("lower", "upper", "status", "verdict"),
    [
        ("3", "3", Status.EXACT, TheoremVerdict.HOLDS),
        ("2.9999999", "3", Status.TIGHT, TheoremVerdict.HOLDS),
        ("2", "4", Status.BOUNDED, TheoremVerdict.UNDECIDED),
        ("4", "2", Status.UNKNOWN, TheoremVerdict.VIOLATED),
        ("2", None, Status.BOUNDED, TheoremVerdict.UNDECIDED),
    ],
)
def test_the_verdict_on_duality(
    monkeypatch: pytest.MonkeyPatch, lower: str | None, upper: str | None, status: Status, verdict: TheoremVerdict
) -> None:
    ends = Bounds(*(None if end is None else Fraction(end) for end in (lower, upper)))
    some = certify.solve(certify.Embedding.from_graph(nx.path_graph(2)))
    monkeypatch.setattr("certify.theorems.duality.solve", lambda *_, **__: replace(some, bounds=ends, status=status))
    assert verify("llr-duality", certify.Embedding.from_graph(nx.cycle_graph(5))).verdict is verdict


@pytest.mark.slow
@pytest.mark.parametrize("d", [4, pytest.param(5, marks=pytest.mark.sample), 6])
def test_larger_cubes(d: int) -> None:
    found = verify("cube-distortion", certify.Embedding.from_squared_distances(shuffled_cube(d, Fraction(1, 3))))
    assert found.verdict is TheoremVerdict.HOLDS
    assert "holds" in found.to_text()
