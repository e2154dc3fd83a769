"""Graphs: every format, the rules on lengths, loops and parallel edges, generators."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from certify.errors import InputError
from certify.formats.generators import MAKERS, construct
from certify.formats.graph import generate, graph_from_networkx, read_graph

Lines = Callable[..., list[str]]
HALF = Fraction(1, 2)
UNIT_NOTE = "the edges have no lengths: each has length 1"
HEADER_NOTE = "the first row of g.csv is a header"

# The same path a – b – c (or 1 – 2 – 3) with lengths 2 and 1/2, in every format.
GOOD = [
    ("g.csv", "a,b,2\nb,c,1/2\n", ()),
    ("g.csv", "source,target,km\na,b,2\nb,c,0.5\n", (HEADER_NOTE,)),
    ("g.csv", "from;to;toll;length\na;b;9;2\nb;c;9;0.5\n", (HEADER_NOTE,)),
    ("g.txt", "# c\n% c\n1 2 2\n\n2 3 5e-1\n", ()),
    ("g.edges", "3 2 0.5\n2 1 2\n", ()),
    ("g.tsv", '"a"\tb\t2\nb\tc\t1/2', ()),
    ("g.graph", "% c\n3 2 001\n2 2\n1 2 3 1/2\n2 0.5\n", ()),
    ("g.graph", "3 2 011 2\n7 7 2 2\n7 7 1 2 3 1/2\n7 7 2 1/2\n", ()),
    ("g.gr", "c x\np sp 3 4\na 1 2 2\na 2 1 2\na 2 3 1/2\na 3 2 0.5\n", ()),
    ("g.col", "p edge 3 2\nn 1 5\ne 1 2 2\ne 2 3 1/2\n", ()),
    ("g.gml", 'graph [ node [ id 5 label "a&amp;" ] node [ id 1 label "b" ] node [ id 2 ]\n# c\n'
              "edge [ source 5 target 1 weight 2 ] edge [ source 2 target 1 weight 0.5 ] ]",
     ('the attribute "weight" is the length',)),
    ("g.graphml", '<graphml xmlns="http://graphml.graphdrafts.org/xmlns"><key id="k" for="edge" attr.name="length">'
                  '<default>0.5</default></key><graph edgedefault="undirected"><node id="a"/><node id="b"/>'
                  '<node id="c"/><edge source="a" target="b"><data key="k"> 2 </data></edge>'
                  '<edge source="b" target="c"/></graph></graphml>', ('the attribute "length" is the length',)),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "notes"), GOOD)
def test_good(tmp_path: Path, name: str, text: str, notes: tuple[str, ...]) -> None:
    (tmp_path / name).write_text(text)
    graph = read_graph(tmp_path / name)
    assert len(graph.vertices) == 3
    assert graph.edges == ((0, 1, 2), (1, 2, HALF))
    assert graph.notes == notes
    unit = read_graph(tmp_path / name, length="unit")
    assert [length for *_, length in unit.edges] == [1, 1]


def test_rules_on_edges(tmp_path: Path) -> None:
    (tmp_path / "g.txt").write_text("10 9 3\n9 10 2\n9 9 1\n2 10\n")
    graph = read_graph(tmp_path / "g.txt")
    assert graph.vertices == ("2", "9", "10")
    assert graph.edges == ((0, 2, 1), (1, 2, 2))
    assert graph.notes == (
        "1 of 3 edges have no length: theirs is 1",
        "1 loop is left out",
        "parallel edges of different lengths between 1 pairs: the shortest is kept",
    )
    (tmp_path / "g.csv").write_text("u,v\nu,w\n")
    assert read_graph(tmp_path / "g.csv").vertices == ("u", "v", "w")
    (tmp_path / "g.csv").write_text("from,to\nx,w\n")
    assert read_graph(tmp_path / "g.csv").vertices == ("x", "w")
    (tmp_path / "g.foo").write_text("1 2")
    assert read_graph(tmp_path / "g.foo", format="edges").notes == (UNIT_NOTE,)
    (tmp_path / "g.txt").write_text("1 2 0\n")
    assert read_graph(tmp_path / "g.txt", allow_zero=True).edges == ((0, 1, 0),)


N = 'write a number or "p/q"'
BAD = [
    ("g.txt", "1 2 nan\n1 3 -2\n1 4 abc\n1 5 0\n1 6 inf", [
        f"g.txt:1: length of the edge '1' – '2': NaN is not a number; {N}",
        "g.txt:2: length of the edge '1' – '3' is -2; a length is positive",
        f"g.txt:3: length of the edge '1' – '4': 'abc' is not a number; {N}",
        "g.txt:4: length of the edge '1' – '5' is 0; merge_duplicates = true in [metric] makes its ends one",
        f"g.txt:5: length of the edge '1' – '6': inf is not finite; {N}"]),
    ("g.csv", "a,b,\n", [f"g.csv:1: length of the edge 'a' – 'b': missing; {N}"]),
    ("g.txt", "1 2 {}\n3\n1 2 3 4\n", [
        "g.txt:1: holds Python data; write it with networkx.write_weighted_edgelist",
        "g.txt:2: '3' is not an edge; write u v, or u v length",
        "g.txt:3: has 4 cells; write u v length, or name the columns in a header"]),
    ("g.csv", "u,v,x,y\na,b,1,2", [
        "g.csv:1: has several columns after the two ends; say which is the length: length = 'x'"]),
    ("g.txt", "%%MatrixMarket matrix\n", ["g.txt:1: is a MatrixMarket file; write its entries as lines: u v length"]),
    ("g.foo", "1 2", ["g.foo: the extension '.foo' is no graph format; "
                      'say format = "…", one of edges, graphml, gml, metis, dimacs']),
    ("g.txt", "# only\n", ["g.txt: holds no edges; it should be a graph in the format edges"]),
    ("g.graph", "x", ["g.graph:1: 'x' is no METIS header; it should read: vertices edges [format]"]),
    ("g.graph", "3 2\n2\n3\n\n", [
        "g.graph:2: vertex 1 names 2, and 2 does not name 1; each edge stands in the lines of both its ends",
        "g.graph:3: vertex 2 names 3, and 3 does not name 2; each edge stands in the lines of both its ends"]),
    ("g.graph", "2 1 1\n2 3\n1 4\n", [
        "g.graph:2: the edge 1 – 2 has weights 3 and 4; each edge stands in the lines of both its ends"]),
    ("g.graph", "2 5\n2\n1\n", ["g.graph:1: promises 5 edges, there are 1; correct the first line"]),
    ("g.graph", "2 1\n2 7 x\n1\n", ["g.graph:2: '7' is no vertex; vertices go from 1 to 2",
                                    "g.graph:2: 'x' is no vertex; vertices go from 1 to 2"]),
    ("g.graph", "9 1\n2\n1", [
        "g.graph:1: promises 9 vertices, 2 lines follow; one line a vertex, blank if it has no edges"]),
    ("g.graph", "2 1 7\n2\n1", ["g.graph:1: '007' is no METIS format; it has three digits 0 or 1"]),
    ("g.col", "e 1 2", [
        "g.col:1: an edge before the problem line; the first line should read: p edge VERTICES EDGES"]),
    ("g.col", "c x", ["g.col:1: there is no problem line; the first line should read: p edge VERTICES EDGES"]),
    ("g.col", "p edge 3 2\ne 1 4\nx\n", ["g.col:2: 'e 1 4' names no two vertices; vertices go from 1 to 3",
                                         "g.col:3: 'x' is no edge; write e u v, or a u v length"]),
    ("g.col", "p edge 99999999 2\n", ["g.col:1: 99999999 vertices; at least 1, at most 1,000,000"]),
    ("g.gml", "graph [ node [ id 1 ]\nedge [ source 1 target 2 ] ]", [
        "g.gml:2: there is no node with id 2; every end of an edge is a node"]),
    ("g.gml", "graph [ node [ id 1 ]", ["g.gml:1: the file ends inside of a [; close every ["]),
    ("g.gml", "a 1", ["g.gml:1: holds 0 graphs; it should hold one: graph [ … ]"]),
    ("g.graphml", "a,b", ["g.graphml:1:1: XML: syntax error; it should be GraphML"]),
    ("g.graphml", "<html/>", ["g.graphml:1: the file is <html>, not <graphml>; it should be GraphML"]),
    ("g.graphml", '<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', ["g.graphml:1: declares an entity; write its text out"]),
    ("g.graphml", '<graphml><graph><node id="a"/>\n<edge source="a" target="q"/></graph></graphml>', [
        "g.graphml:2: there is no node with id 'q'; every end of an edge is a node"]),
    ("g.graphml", '<graphml><graph><node id="a"/><node id="a"/></graph></graphml>', [
        "g.graphml:1: two nodes have id 'a'; give each its own"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "expected"), BAD)
def test_bad(tmp_path: Path, lines: Lines, name: str, text: str, expected: list[str]) -> None:
    (tmp_path / name).write_text(text)
    assert lines(read_graph, tmp_path / name) == expected


def test_asking_for_a_length_that_is_not_there(tmp_path: Path, lines: Lines) -> None:
    (tmp_path / "g.csv").write_text("u,v,km\na,b,1\n")
    expected = ["g.csv:1: has no column 'miles'; columns after the two ends: km"]
    assert lines(read_graph, tmp_path / "g.csv", length="miles") == expected
    nx.write_gml(nx.les_miserables_graph(), tmp_path / "g.gml")
    expected = ["g.gml: no edge has the attribute 'km'; attributes: weight"]
    assert lines(read_graph, tmp_path / "g.gml", length="km") == expected


@pytest.mark.parametrize("name", ["g.gml", "g.graphml"])
def test_what_networkx_writes(tmp_path: Path, name: str) -> None:
    graph = nx.les_miserables_graph()
    nx.set_edge_attributes(graph, 0.1, "length")
    (nx.write_gml if name == "g.gml" else nx.write_graphml)(graph, tmp_path / name)
    read = read_graph(tmp_path / name)
    assert read.vertices == tuple(graph)
    assert {length for *_, length in read.edges} == {Fraction(1, 10)}  # the decimal, not the float
    weighted = read_graph(tmp_path / name, length="weight")
    assert weighted.edges == graph_from_networkx(graph, "weight").edges


def test_networkx_graphs(lines: Lines) -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("x", "y", km=0.1)
    graph.add_edge("y", "x", km="1/3")
    graph.add_edge("x", "x", km=1)
    graph.add_edge("y", 3)
    data = graph_from_networkx(graph, "km")
    assert data.vertices == ("x", "y", "3")
    assert data.edges == ((0, 1, Fraction(0.1)), (1, 2, 1))
    assert data.notes[0] == "its directions are dropped"
    graph = nx.Graph([(1, "1"), (1, 2)])
    assert graph_from_networkx(graph).vertices == ("1", "'1'", "2")
    graph.add_edge(1, 2, w=float("nan"))
    assert lines(graph_from_networkx, graph, "w") == [
        "the graph: length of the edge '1' – '2': nan is not finite; " + N
    ]
    assert lines(graph_from_networkx, nx.Graph()) == ["the graph: has no vertices; a metric has at least one point"]


def test_generators() -> None:
    karate = generate("karate_club_graph")
    assert {length for *_, length in karate.edges} == {1}
    assert karate.notes == (
        'its edges have the attribute "weight", which is not used: each has length 1 (length = "weight" uses it)',
    )
    weighted = generate("karate_club_graph", length="weight")
    assert (0, 1, 4) in weighted.edges
    assert weighted.notes == ()
    assert generate("cycle_graph", [5]) == generate("cycle_graph", (), {"n": 5})
    assert "seed 1" in generate("random_regular_graph", [3, 8, 1]).notes[0]


ISOMORPHIC = [
    ("kneser_graph", [5, 2], nx.petersen_graph()),
    ("generalized_petersen_graph", [5, 2], nx.petersen_graph()),
    ("hamming_graph", [4, 2], nx.hypercube_graph(4)),
    ("johnson_graph", [5, 2], nx.complement(nx.petersen_graph())),
    ("paley_graph", [13], nx.paley_graph(13).to_undirected()),
    ("grid_graph", [[3, 4], True], nx.cartesian_product(nx.cycle_graph(3), nx.cycle_graph(4))),
    ("complete_multipartite_graph", [[2, 2, 2]], nx.octahedral_graph()),
    ("LCF_graph", [14, [5, -5], 7], nx.heawood_graph()),
]


@pytest.mark.parametrize(
    ("name", "args", "same"), ISOMORPHIC, ids=lambda value: value if isinstance(value, str) else ""
)
def test_generators_make_what_they_say(name: str, args: list[Any], same: nx.Graph) -> None:
    assert nx.is_isomorphic(construct(name, args)[0], same)


SAMPLES: dict[str, list[Any]] = {
    "paley_graph": [13],
    "complete_multipartite_graph": [[2, 2, 3]],
    "circulant_graph": [8, [1, 2]],
    "LCF_graph": [14, [5, -5], 7],
    "random_regular_graph": [3, 8, 1],
    "gnm_random_graph": [5, 6, 1],
    "barabasi_albert_graph": [6, 2, 1],
    "generalized_petersen_graph": [7, 2],
    "grid_graph": [[3, 4], True],
}


@pytest.mark.parametrize("name", MAKERS)
def test_sizes_are_bounds(name: str) -> None:
    for args in [SAMPLES[name]] if name in SAMPLES else [[5, 3], [4, 2, True]]:
        values = args[: len(MAKERS[name].parameters)]
        graph, _ = construct(name, values)
        vertices, edges = MAKERS[name].size(*values)
        assert graph.number_of_nodes() <= vertices
        assert graph.number_of_edges() <= edges


BAD_CALLS = [
    ("petersen", [], {}, "no generator is called 'petersen'; did you mean petersen_graph?"),
    ("read_gpickle", [], {}, "no generator is called 'read_gpickle'; the names are those of networkx, as cycle_graph"),
    ("cycle_graph", [], {}, "cycle_graph lacks its argument n; write cycle_graph(n)"),
    ("cycle_graph", [1, 2], {}, "cycle_graph takes 1 arguments, not 2; write cycle_graph(n)"),
    ("cycle_graph", [1], {"n": 2}, "cycle_graph has its argument 'n' twice; write cycle_graph(n)"),
    ("cycle_graph", [], {"m": 2}, "cycle_graph has no argument 'm'; write cycle_graph(n)"),
    ("cycle_graph", [], {"length": 2}, "cycle_graph has no argument 'length'; length = … goes into [metric] itself"),
    ("cycle_graph", [Fraction(11, 2)], {},
     "argument n of cycle_graph is 11/2; it should be a whole number from 0 to a million"),
    ("cycle_graph", [True], {}, "argument n of cycle_graph is true; it should be a whole number from 0 to a million"),
    ("cycle_graph", [-1], {}, "argument n of cycle_graph is -1; it should be a whole number from 0 to a million"),
    ("cycle_graph", [0], {}, "cycle_graph: has no vertices; a metric has at least one point"),
    ("hypercube_graph", [60], {}, "hypercube_graph(60) has up to more than 10^15 vertices and more than 10^15 edges; "
                                  "at most 20,000 and 500,000"),
    ("complete_graph", [1001], {},
     "complete_graph(1001) has up to 1,001 vertices and 501,000 edges; at most 20,000 and 500,000"),
    ("kneser_graph", [10**6, 10**5], {}, "has up to"),
    ("balanced_tree", [2, 10**6], {}, "has up to"),
    ("random_regular_graph", [3, 10], {},
     "random_regular_graph lacks its argument seed; write random_regular_graph(d, n, seed)"),
    ("random_regular_graph", [3, 9, 1], {},
     "random_regular_graph(3, 9, 1) cannot be made: n * d must be even; see networkx on random_regular_graph"),
    ("paley_graph", [15], {}, "paley_graph(15) cannot be made: p is a prime that leaves 1 when divided by 4; "
                              "see networkx on paley_graph"),
    ("circulant_graph", [5, [1, "x"]], {},
     "argument offsets of circulant_graph is a list of 2; it should be a list of at most 1,000 whole numbers"),
    ("petersen_graph", [], {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "args", "kwargs", "expected"), BAD_CALLS)
def test_bad_calls(lines: Lines, name: str, args: list[Any], kwargs: dict[str, Any], expected: str | None) -> None:
    if expected is None:
        expected = "petersen_graph: no edge has the attribute 'weight'; its edges have no attributes"
        assert lines(generate, name, args, kwargs, "weight") == [expected]
        return
    found = lines(generate, name, args, kwargs)
    assert len(found) == 1
    assert found[0] == expected or (expected == "has up to" and expected in found[0])


@pytest.mark.parametrize("header", ["id,source,target", "target,length,source", "weight,from,to", "key,Node1,Node2"])
def test_ends_named_in_other_columns_are_refused(tmp_path: Path, header: str) -> None:
    """Read by place, ``id,source,target`` would be edges from the id to the source, as long as the target."""
    file = tmp_path / "g.csv"
    file.write_text(f"{header}\n10,1,2\n11,1,3\n12,1,4\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_graph(file)
    assert "the first two columns must be the two ends" in str(caught.value)
    assert "g.csv:1" in str(caught.value)
