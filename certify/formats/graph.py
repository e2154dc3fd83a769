"""Graphs with exact positive lengths: from files, from networkx, by the name of a constructor.

Rules, whatever the source
- A graph is undirected; a direction is dropped, with a note.
- A length is the rational that is written; missing: 1, with a note. It is positive: zero, negative, NaN and
  infinite lengths are errors. (A caller may allow zero: the two ends are then one point of the metric.)
- Loops are left out, with a note. Of parallel edges the shortest is kept, with a note if their lengths differ.
- Where the numbers are weights and not lengths (cuts), those of parallel edges are added up, with a note, and edges of
  weight zero, which change no cut, are left out, with a note.
- Vertices keep the order of their first mention, except that labels which are all whole numbers are in
  increasing order, so that row i of a solution belongs to the i-th number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, exact_number, shown
from certify.formats.text import MIB, display, read_text

if TYPE_CHECKING:
    import networkx as nx

MOST_BYTES = 256 * MIB
UNIT = "unit"
FORMATS: Mapping[str, tuple[str, ...]] = {
    "edges": (".edges", ".edgelist", ".el", ".csv", ".tsv", ".txt", ".dat"),
    "graphml": (".graphml", ".xml"),
    "gml": (".gml",),
    "metis": (".graph", ".metis"),
    "dimacs": (".dimacs", ".col", ".gr", ".clq"),
}


@dataclass(frozen=True)
class GraphData:
    """An undirected graph: labels of its vertices; edges (i, j, length) with i < j, sorted, each pair once.

    Lengths are positive (or zero, where a caller allowed it). notes: what a person should know of the reading.
    It need not be connected: metric_from_section checks that.
    """

    vertices: tuple[str, ...]
    edges: tuple[tuple[int, int, Fraction], ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class RawEdge:
    """An edge as it was read; length None: none is written. ``at`` says where, for errors."""

    ends: tuple[str, str]
    length: Any
    at: Any = None


def assemble(
    vertices: Iterable[str],
    edges: Iterable[RawEdge],
    *,
    where: Callable[[Any], str],
    notes: Sequence[str] = (),
    allow_zero: bool = False,
    in_order: bool = False,
    weights: bool = False,
) -> GraphData:
    """The graph of raw edges, by the rules above; ``weights``: the numbers are weights.

    vertices: labels known beforehand (those of edges are added); where: turns RawEdge.at into the place of a
    fault; in_order: keep the order of vertices as it is. Raises InputError with every bad length.
    """
    number = {label: index for index, label in enumerate(dict.fromkeys(vertices))}
    best: dict[tuple[int, int], Fraction] = {}
    faults: list[Fault] = []
    loops = missing = total = 0
    word = "weight" if weights else "length"
    parallel: set[tuple[int, int]] = set()
    for edge in edges:
        ends = [number.setdefault(label, len(number)) for label in edge.ends]
        if ends[0] == ends[1]:
            loops += 1
            continue
        total += 1
        missing += edge.length is None
        try:
            length = Fraction(1) if edge.length is None else exact_number(edge.length)
        except NotExactError as error:
            faults.append(Fault(where(edge.at), f"{word} of {_pair(edge)}: {error.what}", error.mend))
            continue
        if weights and length < 0:
            mend = "weights are not negative: with negative ones a least cut is as hard as a largest one (NP-hard)"
            faults.append(Fault(where(edge.at), f"weight of {_pair(edge)} is {shown(length)}", mend))
            continue
        if weights:
            pair = (min(ends), max(ends))
            if pair in best:
                parallel.add(pair)
            best[pair] = best.get(pair, Fraction(0)) + length
            continue
        if length < 0 or (length == 0 and not allow_zero):
            mend = "a length is positive" if length < 0 else "merge_duplicates = true in [metric] makes its ends one"
            faults.append(Fault(where(edge.at), f"length of {_pair(edge)} is {shown(length)}", mend))
            continue
        pair = (min(ends), max(ends))
        if best.setdefault(pair, length) != length:
            parallel.add(pair)
            best[pair] = min(best[pair], length)
    if faults:
        raise InputError(*faults)
    said = list(notes)
    if missing:
        said.append(
            f"the edges have no {word}s: each has {word} 1"
            if missing == total
            else f"{missing} of {total} edges have no {word}: theirs is 1"
        )
    if loops:
        said.append(f"{loops} {'loop is' if loops == 1 else 'loops are'} left out")
    if parallel and weights:
        said.append(f"parallel edges between {len(parallel)} pairs: their weights are added up")
    elif parallel:
        said.append(f"parallel edges of different lengths between {len(parallel)} pairs: the shortest is kept")
    idle = [pair for pair, weight in best.items() if weights and weight == 0]
    for pair in idle:
        del best[pair]
    if idle:
        said.append(f"{len(idle)} {'edge' if len(idle) == 1 else 'edges'} of weight 0 are left out: they change no cut")
    return _ordered(list(number), best, said, in_order)


def _ordered(
    labels: list[str], best: Mapping[tuple[int, int], Fraction], notes: Sequence[str], in_order: bool
) -> GraphData:
    order = list(range(len(labels)))
    if not in_order and all(_whole(label) for label in labels):
        order.sort(key=lambda index: int(labels[index]))
    place = {old: new for new, old in enumerate(order)}
    edges = sorted((min(place[i], place[j]), max(place[i], place[j]), length) for (i, j), length in best.items())
    return GraphData(tuple(labels[old] for old in order), tuple(edges), tuple(notes))


def _whole(label: str) -> bool:
    return len(label) < 20 and label.removeprefix("-").isascii() and label.removeprefix("-").isdigit()


def _pair(edge: RawEdge) -> str:
    return f"the edge {shown(edge.ends[0])} – {shown(edge.ends[1])}"


def read_graph(
    path: str | Path,
    format: str | None = None,
    length: str | None = None,
    *,
    allow_zero: bool = False,
    weights: bool = False,
) -> GraphData:
    """The graph in a file of at most 256 MiB.

    format: one of FORMATS (default: by the extension); length: the column or attribute that is the length
    (default: the third column; the attribute "length", else "weight"), or "unit" for lengths 1.
    Raises InputError, one line a fault with file and line.
    """
    from certify.formats import graphfiles, graphml

    path = Path(path)
    form = format or _format(path)
    readers = {
        "edges": graphfiles.edge_list,
        "metis": graphfiles.metis,
        "dimacs": graphfiles.dimacs,
        "gml": graphfiles.gml,
        "graphml": graphml.graphml,
    }
    if form not in readers:
        raise InputError(
            Fault(display(path), f"no graph format is called {shown(form)}", f"one of {', '.join(FORMATS)}")
        )
    text = read_text(path, MOST_BYTES, f"a graph in the format {form}")
    vertices, edges, notes, in_order = readers[form](text, path, length)
    graph = assemble(
        vertices,
        edges,
        where=lambda line: f"{display(path)}:{line}",
        notes=notes,
        allow_zero=allow_zero,
        in_order=in_order,
        weights=weights,
    )
    if not graph.vertices:
        raise InputError(Fault(display(path), "holds no edges", f"it should be a graph in the format {form}"))
    return graph


def _format(path: Path) -> str:
    suffix = path.suffix.lower()
    found = next((name for name, suffixes in FORMATS.items() if suffix in suffixes), None)
    if found is None:
        mend = f'say format = "…", one of {", ".join(FORMATS)}'
        raise InputError(Fault(display(path), f"the extension {shown(suffix)} is no graph format", mend))
    return found


def graph_from_networkx(
    graph: nx.Graph[Any],
    length: str | None = None,
    *,
    allow_zero: bool = False,
    name: str = "the graph",
    weights: bool = False,
) -> GraphData:
    """A networkx graph (or digraph, or multigraph), its nodes in its own order, labelled by their text.

    length: the edge attribute that is the length; an edge without it has length 1, with a note. None (or
    "unit"): every edge has length 1, with a note if there are attributes "weight" or "length" that are not used:
    networkx weights are similarities as often as lengths. weights: the numbers are weights, and None means the
    attribute "weight" if an edge has it. name: what errors call the graph.
    Raises InputError: a bad length, an attribute that no edge has, no vertices.
    """
    labels = {node: str(node) for node in graph.nodes}
    if len(set(labels.values())) < len(labels):  # 1 and "1"
        labels = {node: repr(node) for node in graph.nodes}
    if not labels:
        raise InputError(Fault(name, "has no vertices", "a metric has at least one point"))
    notes = ["its directions are dropped"] if graph.is_directed() else []
    attribute = None if length in (None, UNIT) else length
    data = list(graph.edges(data=True))
    if weights and length is None and any("weight" in attributes for _, _, attributes in data):
        attribute = "weight"
        notes.append('the weights are those of the attribute "weight"')
    if attribute is None:
        unused = [key for key in ("length", "weight") if any(key in attributes for _, _, attributes in data)]
        if unused and length is None:
            key = unused[0]
            notes.append(
                f'its edges have the attribute "{key}", which is not used: each has length 1 (length = "{key}" uses it)'
            )
    elif data and not any(attribute in attributes for _, _, attributes in data):
        there = sorted({str(key) for _, _, attributes in data for key in attributes})
        mend = f"attributes: {', '.join(there)}" if there else "its edges have no attributes"
        raise InputError(Fault(name, f"no edge has the attribute {shown(attribute)}", mend))
    edges = (
        RawEdge((labels[u], labels[v]), 1 if attribute is None else attributes.get(attribute))
        for u, v, attributes in data
    )
    return assemble(
        labels.values(), edges, where=lambda _: name, notes=notes, allow_zero=allow_zero, in_order=True, weights=weights
    )


def generate(
    name: str,
    args: Sequence[Any] = (),
    kwargs: Mapping[str, Any] | None = None,
    length: str | None = None,
    *,
    weights: bool = False,
) -> GraphData:
    """A graph of the allow-list in certify.formats.generators; each edge has length 1 unless ``length`` says
    which attribute is its length. Raises InputError, one line: no such name, bad arguments, too large."""
    from certify.formats.generators import construct

    graph, notes = construct(name, args, kwargs or {})
    made = graph_from_networkx(graph, length, name=name, weights=weights)
    return GraphData(made.vertices, made.edges, (*notes, *made.notes))
