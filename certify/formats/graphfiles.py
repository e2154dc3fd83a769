"""Text formats of graphs: edge list, METIS, DIMACS, GML. What the files spell is kept exact.

Each reader takes (text, path, length) and returns the vertices known beforehand, the raw edges with their
lines, notes, and whether the order of the vertices is the file's own. ``length`` is as in read_graph.
"""

from __future__ import annotations

import html
import re
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, Spelled, looks_missing, rational, shown
from certify.formats.graph import UNIT, RawEdge
from certify.formats.table import comment, separator, split_lines
from certify.formats.text import display, lines_of

Raw = tuple[list[str], list[RawEdge], list[str], bool]
MOST_VERTICES = 1_000_000
_ENDS = ({"source", "target"}, {"from", "to"}, {"src", "dst"}, {"node1", "node2"}, {"vertex1", "vertex2"})
_LENGTHS = ("length", "weight", "distance")


class _Faults:
    """Faults of a file, gathered; raised together."""

    def __init__(self, path: Path) -> None:
        self.name = display(path)
        self.found: list[Fault] = []

    def add(self, line: int, what: str, mend: str = "") -> None:
        self.found.append(Fault(f"{self.name}:{line}", what, mend))

    def stop(self, line: int, what: str, mend: str = "") -> NoReturn:
        self.add(line, what, mend)
        raise InputError(*self.found)

    def settle(self) -> None:
        if self.found:
            raise InputError(*self.found)


def edge_list(text: str, path: Path, length: str | None) -> Raw:
    """One edge a line: u v, or u v length; separators, quotes and comments as in tables.

    The first line is a header when its third cell starts with a letter, or when its two cells are source and
    target, from and to, src and dst, node1 and node2, or vertex1 and vertex2. With a header the length is the
    column called ``length``, or else the third, or of several the one that is called length, weight or distance.
    A header that names an end or a length in another place is refused.
    """
    faults = _Faults(path)
    lines = lines_of(text)
    first = next((line for line in lines if not comment(line)), "")
    if text.startswith("%%MatrixMarket"):
        faults.stop(1, "is a MatrixMarket file", "write its entries as lines: u v length")
    rows = list(split_lines(lines, separator(first, path), path))
    header: list[str] | None = None
    if rows:
        cells = rows[0][1]
        names = len(cells) > 2 and cells[2][:1].isalpha() and not looks_missing(cells[2])
        if names or (len(cells) == 2 and {cell.lower() for cell in cells} in _ENDS):
            header = cells
            _ends_first(header, rows[0][0], faults)
            rows = rows[1:]
    column = _length_column(header, rows, length, faults)
    edges = []
    for line, cells in rows:
        if len(cells) < 2 or not cells[0] or not cells[1]:
            faults.add(line, f"{shown(' '.join(cells))} is not an edge", "write u v, or u v length")
        elif len(cells) > 2 and cells[2][:1] == "{":
            faults.add(line, "holds Python data", "write it with networkx.write_weighted_edgelist")
        elif header is None and len(cells) > 3:
            faults.add(line, f"has {len(cells)} cells", "write u v length, or name the columns in a header")
        else:
            there = column is not None and column < len(cells)
            edges.append(RawEdge((cells[0], cells[1]), cells[column] if there and column is not None else None, line))
    faults.settle()
    if length == UNIT:
        edges = [RawEdge(edge.ends, 1, edge.at) for edge in edges]
    return [], edges, [f"the first row of {path.name} is a header"] if header else [], False


def _ends_first(header: list[str], line: int, faults: _Faults) -> None:
    """Refuse a header that names an end or a length where the other stands: reading by place would be another graph."""
    low = [name.strip().lower() for name in header]
    ends = set().union(*_ENDS)
    if any(name in ends for name in low[2:]) or any(name in _LENGTHS for name in low[:2]):
        faults.stop(
            line, f"the header is {shown(', '.join(header))}", "the first two columns must be the two ends of an edge"
        )


def _length_column(
    header: list[str] | None, rows: list[tuple[int, list[str]]], length: str | None, faults: _Faults
) -> int | None:
    if length is not None and length != UNIT:
        if header is None or length not in header[2:]:
            there = ", ".join(header[2:]) if header else "none: there is no header"
            faults.stop(1, f"has no column {shown(length)}", f"columns after the two ends: {there or 'none'}")
        return header.index(length, 2)
    if header is None or len(header) <= 3:
        return 2
    low = [name.lower() for name in header]
    named = [low.index(name, 2) for name in _LENGTHS if name in low[2:]]
    if not named and length is None:
        faults.stop(
            1, "has several columns after the two ends", f"say which is the length: length = {shown(header[2])}"
        )
    return named[0] if named else None


def metis(text: str, path: Path, length: str | None) -> Raw:
    """METIS .graph: ``n m [fmt [ncon]]``, then a line a vertex with its neighbours (and edge weights)."""
    faults = _Faults(path)
    lines = [(number, line.split()) for number, line in enumerate(lines_of(text), 1) if not line.startswith("%")]
    while lines and not lines[0][1]:
        del lines[0]
    if not lines:
        faults.stop(1, "holds no data", "the first line should read: vertices edges")
    line, head = lines[0]
    if not 2 <= len(head) <= 4 or not all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in head):
        faults.stop(line, f"{shown(' '.join(head))} is no METIS header", "it should read: vertices edges [format]")
    n, m = int(head[0]), int(head[1])
    form = (head[2] if len(head) > 2 else "0").zfill(3)
    if set(form) - {"0", "1"} or len(form) > 3:
        faults.stop(line, f"{shown(form)} is no METIS format", "it has three digits 0 or 1")
    body = lines[1:]
    while len(body) > n and not body[-1][1]:
        del body[-1]
    while len(body) < n and len(body) + 3 > n:  # blank last lines are vertices without edges
        body.append((body[-1][0] + 1 if body else line + 1, []))
    if len(body) != n:
        faults.stop(
            line, f"promises {n} vertices, {len(body)} lines follow", "one line a vertex, blank if it has no edges"
        )
    skip = (form[0] == "1") + (int(head[3]) if len(head) > 3 else 1) * (form[1] == "1")
    step = 2 if form[2] == "1" else 1
    edges: list[RawEdge] = []
    seen: dict[tuple[int, int], str | None] = {}
    for vertex, (line, cells) in enumerate(body, 1):
        cells = cells[skip:]
        if len(cells) % step:
            faults.add(line, f"vertex {vertex} has a neighbour without a weight", "format 001 wants pairs")
            continue
        for at in range(0, len(cells), step):
            other = _vertex(cells[at], n)
            if other is None:
                faults.add(line, f"{shown(cells[at])} is no vertex", f"vertices go from 1 to {n}")
                continue
            weight = cells[at + 1] if step == 2 else None
            if (other, vertex) not in seen or other == vertex:  # the line of its other end has not told of it yet
                edges.append(RawEdge((str(vertex), str(other)), 1 if length == UNIT else weight, line))
            seen[vertex, other] = weight
    for (u, v), weight in seen.items():
        line = body[u - 1][0]
        if (v, u) not in seen:
            what = f"vertex {u} names {v}, and {v} does not name {u}"
            faults.add(line, what, "each edge stands in the lines of both its ends")
        elif u < v and not _alike(weight, seen[v, u]):
            what = f"the edge {u} – {v} has weights {weight} and {seen[v, u]}"
            faults.add(line, what, "each edge stands in the lines of both its ends")
    if not faults.found and len(seen) != 2 * m:
        faults.add(lines[0][0], f"promises {m} edges, there are {len(seen) // 2}", "correct the first line")
    faults.settle()
    return [str(vertex) for vertex in range(1, n + 1)], edges, [], True


def _alike(one: str | None, other: str | None) -> bool:
    """Whether two weights are the same number; what is no number is left to whoever reads it."""
    if one is None or other is None or one == other:
        return one == other
    try:
        return rational(one) == rational(other)
    except NotExactError:
        return True


def _vertex(cell: str, n: int) -> int | None:
    if not (cell.isascii() and cell.isdigit() and len(cell) < 12):
        return None
    return int(cell) if 1 <= int(cell) <= n else None


def dimacs(text: str, path: Path, length: str | None) -> Raw:
    """DIMACS: ``c`` comment, ``p kind n m``, ``e u v [length]`` or ``a u v length``, ``n`` lines are skipped."""
    faults = _Faults(path)
    n = 0
    edges: list[RawEdge] = []
    for line, row in enumerate(lines_of(text), 1):
        cells = row.split()
        if not cells or cells[0] in ("c", "n") or cells[0].startswith(("#", "%")):
            continue
        if cells[0] == "p":
            counts = cells[2:4]
            if n or len(counts) < 2 or not all(cell.isascii() and cell.isdigit() for cell in counts):
                faults.stop(line, f"{shown(row)} is no problem line", "one line p edge VERTICES EDGES")
            n = int(counts[0]) if len(counts[0]) < 10 else MOST_VERTICES + 1
            if not 0 < n <= MOST_VERTICES:
                faults.stop(line, f"{counts[0]} vertices", f"at least 1, at most {MOST_VERTICES:,}")
        elif cells[0] not in ("e", "a") or not 3 <= len(cells) <= 4:
            faults.add(line, f"{shown(row)} is no edge", "write e u v, or a u v length")
        elif not n:
            faults.stop(line, "an edge before the problem line", "the first line should read: p edge VERTICES EDGES")
        else:
            ends = [_vertex(cell, n) for cell in cells[1:3]]
            if ends[0] is None or ends[1] is None:
                faults.add(line, f"{shown(row)} names no two vertices", f"vertices go from 1 to {n}")
                continue
            written = cells[3] if len(cells) > 3 else None
            edges.append(RawEdge((str(ends[0]), str(ends[1])), 1 if length == UNIT else written, line))
    if not n and not faults.found:
        faults.stop(1, "there is no problem line", "the first line should read: p edge VERTICES EDGES")
    faults.settle()
    return [str(vertex) for vertex in range(1, n + 1)], _from_one_end(edges), [], True


def _from_one_end(edges: list[RawEdge]) -> list[RawEdge]:
    """Where every edge stands there from both its ends, with one number, each once; otherwise the edges as they are."""
    there: dict[tuple[tuple[str, str], str], int] = {}
    for edge in edges:
        number = str(edge.length)
        with suppress(NotExactError):  # none, or no number: whoever reads it says so
            number = str(rational(number))
        there[edge.ends, number] = there.get((edge.ends, number), 0) + 1
    if any(there.get(((v, u), number)) != count for ((u, v), number), count in there.items()):
        return edges
    return [edge for edge in edges if int(edge.ends[0]) <= int(edge.ends[1])]


# --- GML ----------------------------------------------------------------------------------------------

_GML = re.compile(r'\s+|#[^\n]*|(?P<text>"[^"]*")|(?P<mark>[\[\]])|(?P<word>[^\s"\[\]#]+)|(?P<bad>")')
Gml = list[tuple[str, Any, int]]


def gml(text: str, path: Path, length: str | None) -> Raw:
    """GML: graph [ node [ id 0 label "a" ] edge [ source 0 target 1 weight 2 ] ]."""
    faults = _Faults(path)
    tree = _gml_tree(text, faults)
    graphs = [value for key, value, _ in tree if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        faults.stop(1, f"holds {len(graphs)} graphs", "it should hold one: graph [ … ]")
    label: dict[str, str] = {}
    edges: list[tuple[str, str, dict[str, Any], int]] = []
    notes = []
    for key, value, line in graphs[0]:
        if key == "directed" and value == Spelled("1"):
            notes.append("its directions are dropped")
        if key not in ("node", "edge") or not isinstance(value, list):
            continue
        fields = {name: inner for name, inner, _ in value}
        wanted = ("id",) if key == "node" else ("source", "target")
        lacking = [name for name in wanted if not isinstance(fields.get(name), Spelled)]
        if lacking:
            faults.add(line, f"a {key} has no {lacking[0]}", f"{key} [ {' … '.join(wanted)} … ]")
        elif key == "node":
            number = fields["id"].text
            if number in label:
                faults.add(line, f"two nodes have id {shown(Spelled(number))}", "give each its own")
            name = fields.get("label", fields["id"])
            label[number] = name.text if isinstance(name, Spelled) else str(name)
        else:
            edges.append((fields["source"].text, fields["target"].text, fields, line))
    if len(set(label.values())) < len(label):
        label = {number: f"{name} ({number})" for number, name in label.items()}
    for source, target, _, line in edges:
        for end in (source, target):
            if end not in label:
                faults.add(line, f"there is no node with id {shown(Spelled(end))}", "every end of an edge is a node")
    faults.settle()
    attribute = attribute_of([fields for _, _, fields, _ in edges], length, path, ("source", "target"))
    if attribute is not None and length is None:
        notes.append(f'the attribute "{attribute}" is the length')
    raw = [
        RawEdge((label[source], label[target]), 1 if length == UNIT else fields.get(attribute or ""), line)
        for source, target, fields, line in edges
    ]
    return list(label.values()), raw, notes, True


def _gml_tree(text: str, faults: _Faults) -> Gml:
    """Nested lists of (key, value, line); a value is text (str), a number or word (Spelled), or a list."""
    root: Gml = []
    stack = [root]
    key: str | None = None
    line = 1
    for token in _GML.finditer(text):
        kind = token.lastgroup
        if kind == "bad":
            faults.stop(line, "a quote is not closed", "close it")
        if kind == "mark" and token[0] == "[" and key is not None:
            inner: Gml = []
            stack[-1].append((key, inner, line))
            stack.append(inner)
            key = None
        elif kind == "mark" and token[0] == "]" and key is None and len(stack) > 1:
            stack.pop()
        elif kind == "word" and key is None:
            key = token[0]
        elif kind in ("word", "text") and key is not None:
            value = html.unescape(token[0][1:-1]) if kind == "text" else Spelled(token[0])
            stack[-1].append((key, value, line))
            key = None
        elif kind is not None:
            faults.stop(
                line, f"{shown(Spelled(token[0]))} stands where a key should", "GML reads: key value, or key [ … ]"
            )
        line += token[0].count("\n")
    if len(stack) > 1 or key is not None:
        faults.stop(line, "the file ends inside of a [", "close every [")
    return root


def attribute_of(
    edges: list[dict[str, Any]], length: str | None, path: Path, ignored: tuple[str, ...] = ()
) -> str | None:
    """Which attribute is the length of the edges: ``length``, or "length", or "weight"; None if there is none.

    Raises InputError when the attribute asked for is on no edge.
    """
    if length == UNIT:
        return None
    there = dict.fromkeys(name for fields in edges for name in fields if name not in ignored)
    if length is not None and length not in there:
        mend = f"attributes: {', '.join(there)}" if there else "its edges have no attributes"
        raise InputError(Fault(display(path), f"no edge has the attribute {shown(length)}", mend))
    return length or next((name for name in ("length", "weight") if name in there), None)
