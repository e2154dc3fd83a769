"""[metric] to exact data: shapes, symmetry, zeros, components; all faults at once, each at its place."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.formats.graph import GraphData
from certify.formats.metric import MetricData, components, metric_from_section, shortest_paths
from certify.problemfile import read

Lines = Callable[..., list[str]]
ABC = ((0, 1, 4), (1, 0, Fraction(1, 4)), (4, Fraction(1, 4), 0))


def metric(folder: Path, text: str, **files: str) -> MetricData:
    for name, content in files.items():
        (folder / f"{name}.csv").write_text(content)
    (folder / "p.toml").write_text(f'family = "embedding"\n[metric]\n{text}\n')
    return metric_from_section(read(folder / "p.toml"))


SAME = [
    ("distances = [[0, 1, 2], [1, 0, 0.5], [2, '1/2', 0]]", {}),
    ("distances = [[0], [1, 0], [2, 0.5, 0]]", {}),
    ("distances = [[0, 1, 2], [0, 0.5], [0]]", {}),
    ("distances = [[], [1], [2, 0.5]]", {}),
    ("squared_distances = [[0, 1, 4], [1, 0, 0.25], [4, '1/4', 0]]", {}),
    ("distances = 'd.csv'", {"d": "0,1,2\n1,0,0.5\n2,0.5,0\n"}),
    ("csv = 'd.csv'", {"d": "0,1,2\n1,0,0.5\n2,0.5,0\n"}),
    ("csv = 'd.csv'\nkind = 'squared_distances'", {"d": "0 1 4\n1 0 1/4\n4 1/4 0\n"}),
]


@pytest.mark.parametrize(("text", "files"), SAME)
def test_one_metric_in_many_forms(tmp_path: Path, text: str, files: dict[str, str]) -> None:
    data = metric(tmp_path, text, **files)
    assert data.squared == ABC
    assert data.graph is None
    assert data.points is None
    assert data.notes == (
        "not a metric: the distance from 0 to 2 is 1.333 times the way through 1 (the worst case); "
        "the triangle inequality is not needed",
    )


def test_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "d.npy", np.array([[0, 0.1], [0.1, 0]]))
    for text in ("npy = 'd.npy'", "distances = 'd.npy'"):
        assert metric(tmp_path, text).squared[0][1] == Fraction(0.1) ** 2


def test_labels(tmp_path: Path) -> None:
    assert metric(tmp_path, "csv = 'd.csv'", d="A,B\n0,1\n1,0\n").labels == ("A", "B")
    assert metric(tmp_path, "csv = 'd.csv'", d=",A,B\nA,0,1\nB,1,0\n").labels == ("A", "B")
    assert metric(tmp_path, "csv = 'd.csv'\nlabels = ['x', 'y']", d="A,B\n0,1\n1,0\n").labels == ("x", "y")
    assert metric(tmp_path, "edges = [['b', 'a']]").labels == ("b", "a")
    data = metric(tmp_path, "points = 'p.csv'\ncolumns = ['y']", p="city,x,y\nA,1,2\nB,1,3\n")
    assert data.labels == ("A", "B")
    assert data.points == ((2,), (3,))
    assert data.norm == "l2"
    data = metric(tmp_path, "distances = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]\nlabels = ['a', 'b', 'c']")
    assert "from a to c is 4.5 times the way through b" in data.notes[0]


def test_small_ones(tmp_path: Path) -> None:
    assert metric(tmp_path, "distances = [[0]]").squared == ((0,),)
    assert metric(tmp_path, "points = [[0.1]]\nnorm = 'l1'").points == ((Fraction(1, 10),),)
    assert metric(tmp_path, "generator = {name = 'complete_graph', n = 1}").graph == GraphData(("0",), ())


def test_exact_triangle(tmp_path: Path) -> None:
    assert metric(tmp_path, "squared_distances = [[0, 1, 9], [1, 0, 4], [9, 4, 0]]").notes == ()
    close = "9.00000000000000000000000001"
    rows = f"squared_distances = [[0, 1, {close}], [1, 0, 4], [{close}, 4, 0]]"
    assert "a little more than the way through 1" in metric(tmp_path, rows).notes[0]
    wide = "distances = [[0, 1e-300, 1e300], [1e-300, 0, 1e300], [1e300, 1e300, 0]]"
    assert metric(tmp_path, wide).notes == ()


def test_merging(tmp_path: Path) -> None:
    merge = "\nmerge_duplicates = true"
    assert metric(tmp_path, "distances = [[0, 0], [0, 0]]" + merge).merge_duplicates
    assert metric(tmp_path, "points = [[1], [1]]" + merge).points == ((1,), (1,))
    data = metric(tmp_path, "edges = [['a', 'b', 0], ['b', 'c', 2]]" + merge)
    assert data.squared == ((0, 0, 4), (0, 0, 4), (4, 4, 0))
    assert data.labels == ("a", "b", "c")


MERGE = "merge_duplicates = true in [metric] makes them one"
BAD = [
    ("distances = [[0, 1, 2], [1, 0, '1/3'], [2, 0.25, 0]]", {}, [
        "p.toml:3:44: metric.distances.2.1: the distance from 2 to 1 is 1/4, from 1 to 2 it is 1/3; "
        "a metric is symmetric"]),
    ("distances = [[0, -1, 0], [-1, 1, 5], [0, 5, 0]]\nlabels = ['a']", {}, [
        "p.toml:3:31: metric.distances.1.1: the distance from point 1 to itself is 1; a point has "
        "distance 0 from itself",
        "p.toml:3:27: metric.distances.1.0: the distance from 1 to 0 is -1; a distance is positive",
        f"p.toml:3:39: metric.distances.2.0: the points 0 and 2 have distance 0; {MERGE}",
        "p.toml:4:1: metric.labels: 1 labels for 3 points; give one a point"]),
    ("distances = 'd.csv'", {"d": "# c\nA,B\n0,-1\n2,0\n"}, [
        "d.csv:4:1: the distance from 1 to 0 is 2, from 0 to 1 it is -1; a metric is symmetric"]),
    ("distances = 'd.csv'", {"d": "0,1\n"}, ["d.csv: is 1 × 2, not square; give as many columns as rows"]),
    ("distances = 'd.csv'", {"d": "0,NaN\n,0\n"}, [
        'd.csv:1:2: NaN is not a number; write a number or "p/q"', 'd.csv:2:1: missing; write a number or "p/q"']),
    ("distances = [[3], [4, 5]]", {}, [
        "p.toml:3:15: metric.distances.0.0: the distance from point 0 to itself is 3; a point has "
        "distance 0 from itself; a triangle without its diagonal starts with an empty row []",
        "p.toml:3:23: metric.distances.1.1: the distance from point 1 to itself is 5; a point has "
        "distance 0 from itself; a triangle without its diagonal starts with an empty row []"]),
    ("distances = [[0, 1, 2], [1, 0]]", {}, [
        "p.toml:3:14: metric.distances.0: row 0 has 3 entries, there are 2 rows; "
        "the matrix is square, or one triangle"]),
    ("distances = []", {}, ["p.toml:3:1: metric.distances: no points; a metric has at least one point: [[0]]"]),
    ("squared_distances = [[0, -1], [-1, 0]]", {}, [
        "p.toml:3:32: metric.squared_distances.1.0: the squared distance from 1 to 0 is -1; "
        "a squared distance is positive"]),
    ("points = []", {}, [
        "p.toml:3:1: metric.points: no points; a metric has at least one point, and a point one coordinate"]),
    ("points = [[1], [1], [2, 3]]", {}, [
        f"p.toml:3:16: metric.points.1: points 0 and 1 are the same; {MERGE}",
        "p.toml:3:21: metric.points.2: has 2 coordinates, the first point has 1; give each equally many"]),
    ("points = 'p.csv'", {"p": "x\n1\n\n1.0\n"}, [f"p.csv:4: points 0 and 1 are the same; {MERGE}"]),
    ("edges = [['a', 'b'], ['c', 'd'], ['e', 'f']]", {}, [
        "p.toml:3:1: metric.edges: the graph is not connected: 3 components, no path from 'a' to 'c'; "
        "take one component, or add edges"]),
    ("edges = []", {}, ["p.toml:3:1: metric.edges: no points; a metric has at least one point"]),
    ("edges = [['a', 'b', 0],\n['b', 'c', -1]]", {}, [
        "p.toml:3:10: metric.edges.0: length of the edge 'a' – 'b' is 0; "
        "merge_duplicates = true in [metric] makes its ends one",
        "p.toml:4:1: metric.edges.1: length of the edge 'b' – 'c' is -1; a length is positive"]),
    ("graph = 'g.csv'", {"g": "a,b\nc,d\n"}, [
        "p.toml:3:1: metric.graph: the graph is not connected: 2 components, no path from 'a' to 'c'; "
        "take one component, or add edges"]),
    ("graph = 'g.csv'", {"g": "a,b,-1\n"}, ["g.csv:1: length of the edge 'a' – 'b' is -1; a length is positive"]),
    ("graph = 'none.csv'", {}, [
        "p.toml:3:1: metric.graph: there is no file 'none.csv'; paths are relative to the folder of the problem file"]),
    ("graph = '.'\nformat = 'edges'", {}, ["FOLDER: is a folder; name a file in it"]),
    ("generator = {name = 'cycle', n = 3}", {}, [
        "p.toml:3:1: metric.generator: no generator is called 'cycle'; did you mean cycle_graph?"]),
    ("generator = {name = 'karate_club_graph', length = 'weight'}", {}, [
        "p.toml:3:1: metric.generator: karate_club_graph has no argument 'length'; "
        "length = … goes into [metric] itself"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "files", "expected"), BAD)
def test_bad(tmp_path: Path, lines: Lines, text: str, files: dict[str, str], expected: list[str]) -> None:
    found = [line.replace(str(tmp_path), "FOLDER") for line in lines(metric, tmp_path, text, **files)]
    assert found == expected


def test_npy_faults_name_the_index(tmp_path: Path, lines: Lines) -> None:
    np.save(tmp_path / "d.npy", np.array([[0, 1.0], [2.0, 0]]))
    assert lines(metric, tmp_path, "distances = 'd.npy'") == [
        "d.npy[1, 0]: the distance from 1 to 0 is 2, from 0 to 1 it is 1; a metric is symmetric"
    ]


def test_many_faults(tmp_path: Path, lines: Lines) -> None:
    rows = [[1 if i < j else 2 if i > j else 0 for j in range(20)] for i in range(20)]
    found = lines(metric, tmp_path, f"distances = {rows}")
    assert len(found) == 20
    assert found[-1] == "… and 171 more"


@settings(deadline=None)
@given(st.integers(1, 12), st.integers(0, 10**6))
def test_shortest_paths_and_components(n: int, seed: int) -> None:
    draw = random.Random(seed)
    graph = nx.gnp_random_graph(n, 0.4, seed=seed)
    edges = tuple((u, v, Fraction(draw.randint(0, 5), draw.randint(1, 4))) for u, v in sorted(graph.edges))
    data = GraphData(tuple(map(str, range(n))), edges)
    assert sorted(map(sorted, nx.connected_components(graph))) == sorted(components(data))
    if nx.is_connected(graph):
        graph.add_weighted_edges_from(edges)
        far = dict(nx.all_pairs_dijkstra_path_length(graph))
        assert shortest_paths(data) == tuple(tuple(far[u][v] for v in range(n)) for u in range(n))
