"""Theorems about cuts on instances."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pytest

import certify
from certify.theorems import TheoremVerdict

GRAPHS = [nx.karate_club_graph(), nx.hypercube_graph(3), nx.path_graph(9), nx.petersen_graph(), nx.grid_2d_graph(4, 4)]


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
@pytest.mark.parametrize("k", [2, 3])
def test_ratiocut_is_a_trace(graph: Any, k: int) -> None:
    result = certify.verify("ratiocut-trace", certify.RatioCut.from_graph(graph, k))
    assert result.verdict is TheoremVerdict.HOLDS
    value, trace = (side.bounds for side in result.sides)
    assert value.lower == trace.lower == trace.upper


@pytest.mark.parametrize("graph", GRAPHS, ids=str)
def test_cheeger(graph: Any) -> None:
    result = certify.verify("cheeger", certify.Expansion.from_graph(graph))
    assert result.verdict is TheoremVerdict.HOLDS, result.reason


def test_other_families_are_told() -> None:
    problem = certify.MinCut.from_graph(nx.path_graph(3))
    for name in ("cheeger", "ratiocut-trace"):
        assert certify.verify(name, problem).verdict is TheoremVerdict.HYPOTHESES_FAIL
