"""Least cuts: known values, what people stumble over, files and labels."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from scipy.sparse import csr_matrix

import certify
import certify.proving
from certify import InputError, KCut, MinCut
from certify.testing.mincut import optimum

F = Fraction


def exactly(problem: MinCut) -> Fraction:
    """The optimum, proved."""
    result = problem.solve()
    assert result.status.word == "exact", result.sentence()
    assert result.bounds.lower == result.bounds.upper is not None
    return result.bounds.upper


def loaded(folder: Path, text: str) -> Any:
    path = folder / "cut.toml"
    path.write_text('family = "mincut"\n' + text, encoding="utf-8")
    return certify.load(path)


def test_known_cuts(data_folder: Any) -> None:
    """All 26 graphs of the facts, by their constructors."""
    entries = json.loads(data_folder("facts/known_cuts.json").read_text(encoding="utf-8"))["entries"]
    assert len(entries) == 26
    for entry in entries:
        graph = eval(entry["constructor"], {"nx": nx})
        weight = None if entry["weighted"] else "unit"
        assert exactly(MinCut.from_graph(graph, weight=weight)) == F(entry["mincut"]["value"]), entry["name"]


@pytest.mark.parametrize(
    ("graph", "cut_sum"),
    [(nx.complete_graph(5), 14), (nx.path_graph(9), 4), (nx.path_graph(6), 4), (nx.hypercube_graph(3), 10)],
)
def test_known_cuts_into_three(graph: Any, cut_sum: int) -> None:
    assert 2 * exactly(MinCut.from_graph(graph, 3)) == cut_sum


def test_kcut_is_mincut_with_three_parts_unless_told() -> None:
    cube = nx.hypercube_graph(3)
    assert exactly(KCut.from_graph(cube)) == optimum(KCut.from_graph(cube).canonical()) == 5
    assert certify.proving.digest(KCut.from_graph(cube)) == certify.proving.digest(MinCut.from_graph(cube, 3))
    assert KCut.from_edges([(0, 1), (1, 2), (2, 3)], 4).k == KCut.from_matrix(np.ones((4, 4)), 4).k == 4


def test_weights_of_the_karate_club_matter() -> None:
    graph = nx.karate_club_graph()
    assert exactly(MinCut.from_graph(graph)) == 3
    assert exactly(MinCut.from_graph(graph, weight="unit")) == 1


# -- facts on faults: cuts --------------------------------------------------------------------------------------


def test_fault_value_and_partition_of_float_weights_agree() -> None:
    """Eight edges of float weights: the value is that of the partition, exactly, and least."""
    for seed in range(20):
        rng = random.Random(seed)
        pairs = rng.sample([(i, j) for i in range(6) for j in range(i)], 8)
        problem = MinCut.from_edges([(u, v, rng.choice([0.1, 0.2, 0.3, 1.1, 3.1])) for u, v in pairs], vertices=6)
        result = problem.solve()
        labels = result.solution
        weight = sum(F(w, problem.denominator) for u, v, w in problem.edges if labels[u] != labels[v])
        assert weight == result.bounds.upper == result.bounds.lower == optimum(problem.canonical())


@pytest.mark.parametrize("k", [2, 3])
def test_fault_three_separate_edges(k: int) -> None:
    problem = MinCut.from_edges([(0, 1), (2, 3), (4, 5)], k)
    assert exactly(problem) == 0
    assert len(set(problem.solve().solution)) == k


def test_fault_capacities_beyond_32_bits() -> None:
    assert exactly(MinCut.from_edges([(0, 1, 2**31), (1, 2, 2**32 + 5)])) == 2**31
    assert exactly(MinCut.from_edges([(0, 1, 2**32 + 5), (1, 2, 2**40)])) == 2**32 + 5
    assert exactly(MinCut.from_edges([(0, 1, 2**32)])) == 2**32


def test_fault_an_edge_without_weight_has_weight_1_and_that_is_said() -> None:
    graph = nx.Graph()
    graph.add_edge("a", "b", weight=5)
    graph.add_edge("b", "c")
    problem = MinCut.from_graph(graph)
    assert exactly(problem) == 1
    assert any("no weight: theirs is 1" in note for note in problem.solve().notes)


def test_fault_negative_affinity_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"-1.*NP-hard") as caught:
        MinCut.from_matrix([[0, -1, 2], [-1, 0, 1], [2, 1, 0]])
    assert len(caught.value.faults) == 1
    with pytest.raises(InputError, match="NP-hard"):
        loaded(tmp_path, "[graph]\nedges = [[0, 1, -0.5], [1, 2]]\n")


# -- others of the kind -----------------------------------------------------------------------------------------


def test_loops_parallel_edges_and_zeros_are_noted(tmp_path: Path) -> None:
    problem = loaded(tmp_path, "[graph]\nedges = [[0, 0, 7], [0, 1, 0.5], [1, 0, 0.25], [1, 2, 4], [0, 2, 0]]\n")
    assert exactly(problem) == F(3, 4)
    notes = " ".join(problem.about.notes)
    for word in ("loop", "added up", "weight 0"):
        assert word in notes


def test_more_parts_than_vertices(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="4 parts of 3 vertices"):
        loaded(tmp_path, "k = 4\n[graph]\nedges = [[0, 1], [1, 2]]\n")


def test_isolated_vertices(tmp_path: Path) -> None:
    assert exactly(loaded(tmp_path, "[graph]\nedges = [[0, 1], [1, 2]]\nvertices = 5\n")) == 0


def test_points_with_a_gaussian_similarity(tmp_path: Path) -> None:
    text = '[graph]\npoints = [[0, 0], [0, 1], [3, 0]]\nsimilarity = {kind = "gaussian", sigma = 2}\n'
    problem = loaded(tmp_path, text)
    weights = {(u, v): F(w, problem.denominator) for u, v, w in problem.edges}
    squares = {(0, 1): 1, (0, 2): 9, (1, 2): 10}
    for pair, square in squares.items():
        assert abs(float(weights[pair]) - np.exp(-square / 4)) < 1e-15
        assert F(float(weights[pair])) == weights[pair]  # the double itself is the weight
    assert exactly(problem) == weights[0, 2] + weights[1, 2]


@pytest.mark.parametrize("rule", ['{kind = "knn", k = 1}', '{kind = "ball", radius = 1}'])
def test_points_with_neighbours(tmp_path: Path, rule: str) -> None:
    problem = loaded(tmp_path, f"[graph]\npoints = [[0], [1], [2], [9], [10]]\nsimilarity = {rule}\n")
    assert exactly(problem) == 0


def test_a_matrix_dense_or_sparse_is_one_problem() -> None:
    rows = np.array([[0, 1, 2], [1, 0, 3], [2, 3, 0]])
    dense, sparse = MinCut.from_matrix(rows), MinCut.from_matrix(csr_matrix(rows))
    assert dense.canonical() == sparse.canonical()
    assert exactly(dense) == 3


def test_files_of_graphs(tmp_path: Path) -> None:
    (tmp_path / "g.csv").write_text("a,b,0.5\nb,c,2\nc,a,1/4\n")
    (tmp_path / "g.graph").write_text("3 3\n2 3\n1 3\n1 2\n")
    (tmp_path / "g.col").write_text("p edge 3 2\ne 1 2\ne 2 3\n")
    assert exactly(loaded(tmp_path, '[graph]\nedges = "g.csv"\n')) == F(3, 4)
    assert exactly(loaded(tmp_path, '[graph]\ngraph = "g.graph"\n')) == 2
    assert exactly(loaded(tmp_path, '[graph]\nedges = "g.col"\n')) == 1


def test_a_file_that_lists_every_edge_from_both_ends_counts_it_once(tmp_path: Path) -> None:
    (tmp_path / "g.gr").write_text("p sp 3 6\na 1 2 5\na 2 1 5\na 2 3 4\na 3 2 4\na 1 3 1\na 3 1 1.0\n")
    (tmp_path / "once.gr").write_text("p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 4\na 3 1 1\n")
    assert exactly(loaded(tmp_path, '[graph]\ngraph = "g.gr"\n')) == 5
    assert exactly(loaded(tmp_path, '[graph]\ngraph = "once.gr"\n')) == 5  # 4 + 1; two arcs of 5 are added up


def test_assess_labels(tmp_path: Path) -> None:
    problem = MinCut.from_graph(nx.karate_club_graph(), weight="unit")
    club = [name for _, name in nx.karate_club_graph().nodes(data="club")]
    mr_hi = [v for v, name in enumerate(club) if name == "Mr. Hi"]
    result = problem.assess(club)
    assert result.assessment is not None
    assert result.assessment.value == nx.cut_size(nx.karate_club_graph(), mr_hi)
    path = tmp_path / "labels.part.2"
    path.write_text("\n".join("0" if name == "Mr. Hi" else "1" for name in club))
    assert problem.assess(problem.family.read_solution(problem, path)).assessment.value == result.assessment.value
    one = problem.assess([0] * 34).assessment
    assert one is not None
    assert "1 part" in str(one)


@pytest.mark.parametrize("seed", range(12))
def test_three_and_four_parts_are_exact_on_small_graphs(seed: int) -> None:
    rng = random.Random(seed)
    n, k = 7, 3 + seed % 2
    edges = [(i, j, rng.randint(1, 9)) for i in range(n) for j in range(i) if rng.random() < 0.7]
    problem = MinCut.from_edges(edges, k, n)
    assert exactly(problem) == optimum(problem.canonical())


@pytest.mark.parametrize("seed", range(10))
def test_two_parts_agree_with_networkx(seed: int) -> None:
    rng = random.Random(seed)
    graph = nx.gnm_random_graph(30, 70, seed=seed)
    for _, _, data in graph.edges(data=True):
        data["weight"] = rng.randint(1, 20)
    if nx.is_connected(graph):
        assert exactly(MinCut.from_graph(graph)) == nx.stoer_wagner(graph)[0]
    else:
        assert exactly(MinCut.from_graph(graph)) == 0


@pytest.mark.parametrize(
    ("graph", "value"),
    [(nx.cycle_graph(1000), 2), (nx.hypercube_graph(10), 10), (nx.grid_2d_graph(32, 32, periodic=True), 4)],
    ids=["C1000", "Q10", "torus"],
)
def test_graphs_that_contract_slowly(graph: Any, value: int) -> None:
    assert exactly(MinCut.from_graph(graph)) == value


def test_certificate_words_and_picture() -> None:
    problem = MinCut.from_graph(nx.barbell_graph(4, 0))
    result = problem.solve()
    document = json.loads(result.certificate.dumps())
    lines = " ".join(problem.family.explain(problem, document["witnesses"]))
    for word in ("edges between the parts: 1", "maximum adjacency"):
        assert word in lines
    assert "<svg" in (problem.family.picture(problem, document["witnesses"]) or "")
