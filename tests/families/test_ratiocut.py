"""Balanced cuts: known values exactly, three parts, labels of others, larger graphs, files."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import certify
from certify import Bisection, Expansion, NormalizedCut, RatioCut

KNOWN = json.loads((Path(__file__).parents[1] / "known" / "balanced_cuts.json").read_text(encoding="utf-8"))["graphs"]


def made(row: dict[str, Any]) -> tuple[Any, str | None]:
    """The graph of a row and which weights count."""
    return eval(row["constructor"], {"nx": nx}), None if row["weighted"] else "unit"


@pytest.mark.parametrize("row", KNOWN, ids=lambda row: row["name"])
def test_known_values_exactly(row: dict[str, Any]) -> None:
    graph, weight = made(row)
    for key, kind in (("ratiocut", RatioCut), ("bisection", Bisection), ("expansion", Expansion)):
        result = certify.solve(kind.from_graph(graph, weight=weight), time_limit=60)
        assert result.exact == Fraction(row[key]), key
    if "ratiocut_3" in row:
        result = certify.solve(RatioCut.from_graph(graph, 3, weight), time_limit=60)
        assert result.exact == Fraction(row["ratiocut_3"])


@pytest.mark.parametrize("graph", [nx.star_graph(6), nx.cycle_graph(7), nx.lollipop_graph(4, 3)], ids=str)
@pytest.mark.parametrize("kind", [RatioCut, NormalizedCut])
def test_three_parts_as_by_trying_all(graph: Any, kind: Any) -> None:
    problem = kind.from_graph(graph, 3)
    least = min(
        problem.exact_value(labels) for labels in product(range(3), repeat=len(problem)) if len(set(labels)) == 3
    )
    assert certify.solve(problem, time_limit=60).exact == least


@pytest.mark.parametrize(
    ("name", "graph", "weight", "value"),
    [
        ("karate with weights", nx.karate_club_graph(), None, Fraction(374, 145)),
        ("southern women", nx.davis_southern_women_graph(), "unit", Fraction(128, 87)),
        ("grid 6 x 6", nx.grid_2d_graph(6, 6), "unit", Fraction(2, 3)),
        ("geometric 60", nx.random_geometric_graph(60, 0.22, seed=1), "unit", Fraction(40, 57)),
        ("les miserables", nx.les_miserables_graph(), None, Fraction(77, 76)),
    ],
)
def test_larger_graphs_are_closed(name: str, graph: Any, weight: str | None, value: Fraction) -> None:
    assert certify.solve(RatioCut.from_graph(graph, weight=weight), time_limit=100).exact == value, name


@pytest.mark.slow
@pytest.mark.parametrize(("n", "inside", "outside"), [(40, 0.5, 0.1), (60, 0.4, 0.05)])
def test_planted_partitions(n: int, inside: float, outside: float) -> None:
    graph = nx.planted_partition_graph(2, n // 2, inside, outside, seed=1)
    result = certify.solve(RatioCut.from_graph(graph), time_limit=600)
    assert result.gap is not None
    assert result.gap < 0.01


def test_labels_are_assessed() -> None:
    """A partition of a user, whatever its labels are called; k-means on the rows of eigenvectors is one."""
    problem = RatioCut.from_edges([(0, 1), (1, 2), (2, 3)])
    assessment = problem.assess(["a", "a", "a", "b"]).assessment
    assert assessment is not None
    assert assessment.value == Fraction(4, 3)
    assert assessment.ratio_upper is not None
    assert assessment.ratio_upper >= 4 / 3
    none = Bisection.from_edges([(0, 1), (1, 2), (2, 3)]).assess([0, 0, 0, 1]).assessment
    assert none is not None
    assert none.value is None


def test_spectral_clustering_of_a_library() -> None:
    from sklearn.cluster import SpectralClustering

    graph = nx.karate_club_graph()
    table = nx.to_numpy_array(graph, weight=None)
    labels = SpectralClustering(2, affinity="precomputed", random_state=0).fit_predict(table)
    result = RatioCut.from_graph(graph, weight="unit").assess(labels)
    assert result.exact == Fraction(136, 145)
    assert result.assessment is not None
    assert result.assessment.value >= result.exact


def test_weights_of_floats_and_large_integers() -> None:
    """Values agree with the partition exactly, whatever the weights are."""
    edges = [(0, 1, 0.1), (1, 2, 2**32 + 5), (2, 3, 0.3), (3, 0, 2**31)]
    result = certify.solve(RatioCut.from_edges(edges))
    labels = [int(label) for label in result.solution]
    cut = sum(Fraction(w) for u, v, w in edges if labels[u] != labels[v])
    sizes = np.bincount(labels)
    assert result.exact == cut / int(sizes[0]) + cut / int(sizes[1])


def test_files(certify_run: Any, tmp_path: Path) -> None:
    for name in ("ratiocut", "ncut", "bisection", "expansion"):
        assert certify_run("init", name).code == 0
        ran = certify_run("solve", f"{name}.toml", "--json")
        assert ran.code == 0, ran.err
        table = json.loads(ran.out)
        assert table["status"] == "exact"
        assert table["known"]["agrees"]
        assert certify_run("check", f"{name}.cert.json", "--against", f"{name}.toml").code == 0
        assert "partition" in certify_run("explain", f"{name}.cert.json").out
