"""GraphML, read by expat with the lines of its elements; decimals are kept as they are spelled."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.parsers import expat

from certify.errors import Fault, InputError
from certify.formats.exact import shown
from certify.formats.graph import UNIT, RawEdge
from certify.formats.graphfiles import Raw, attribute_of
from certify.formats.text import display

MOST_DEPTH = 50


class _Refused(Exception):
    """Raised out of the parser's handlers, at its current line."""


class _Reader:
    """Handlers for the parser: what has been read so far."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}  # key id -> attribute name, for edges
        self.defaults: dict[str, str] = {}
        self.vertices: dict[str, int] = {}
        self.edges: list[tuple[str, str, dict[str, Any], int]] = []
        self.directed = False
        self.graphs = 0
        self.stack: list[str] = []
        self.line = 0
        self.key: str | None = None
        self.words: list[str] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """An element opens."""
        name = tag.rsplit(" ", 1)[-1]
        if not self.stack and name != "graphml":
            raise _Refused(f"the file is <{shown(name)[1:-1]}>, not <graphml>", "it should be GraphML")
        if len(self.stack) >= MOST_DEPTH:
            raise _Refused("is nested too deeply", "it should be GraphML")
        self.stack.append(name)
        if name == "graph":
            self.graphs += 1
            if self.graphs > 1:
                raise _Refused("a second <graph>", "it should hold one graph, not nested")
            self.directed = attributes.get("edgedefault") == "directed"
        elif name == "key" and attributes.get("for", "all") in ("edge", "all"):
            self.key = attributes.get("id", "")
            self.names[self.key] = attributes.get("attr.name", self.key)
        elif name == "node":
            vertex = attributes.get("id", "")
            if not vertex or vertex in self.vertices:
                what = f"two nodes have id {shown(vertex)}" if vertex else "a node without id"
                raise _Refused(what, "give each its own")
            self.vertices[vertex] = self.line
        elif name == "edge":
            self.edges.append((attributes.get("source", ""), attributes.get("target", ""), {}, self.line))
        elif name == "hyperedge":
            raise _Refused("a hyperedge", "edges have two ends")
        elif name == "data":
            self.key = attributes.get("key", "")
        self.words = []

    def end(self, tag: str) -> None:
        """An element closes."""
        name = self.stack.pop()
        text = "".join(self.words).strip()
        if name == "data" and self.stack[-1] == "edge" and self.key in self.names:
            self.edges[-1][2][self.names[self.key]] = text
        elif name == "default" and self.key is not None:
            self.defaults[self.names.get(self.key, self.key)] = text
        self.words = []

    def text(self, words: str) -> None:
        """Characters of an element."""
        self.words.append(words)


def graphml(text: str, path: Path, length: str | None) -> Raw:
    """GraphML: nodes by their id; the length of an edge is its data of the key whose name is the attribute.

    Entities, hyperedges and nested graphs are refused; directions are dropped with a note.
    """
    name = display(path)
    reader = _Reader()
    parser = expat.ParserCreate(encoding="UTF-8", namespace_separator=" ")

    def start(tag: str, attributes: dict[str, str]) -> None:
        reader.line = parser.CurrentLineNumber
        reader.start(tag, attributes)

    def entity(*_: object) -> None:
        raise _Refused("declares an entity", "write its text out")

    parser.StartElementHandler = start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = entity
    try:
        parser.Parse(text.encode(), True)
    except expat.ExpatError as error:
        what = f"XML: {expat.errors.messages[error.code]}" if error.code in expat.errors.messages else "XML: not valid"
        raise InputError(Fault(f"{name}:{error.lineno}:{error.offset + 1}", what, "it should be GraphML")) from None
    except _Refused as refused:
        raise InputError(Fault(f"{name}:{parser.CurrentLineNumber}", *refused.args)) from None
    faults = [
        Fault(f"{name}:{line}", f"there is no node with id {shown(end)}", "every end of an edge is a node")
        for source, target, _, line in reader.edges
        for end in (source, target)
        if end not in reader.vertices
    ]
    if faults:
        raise InputError(*faults)
    known = {key for key in reader.defaults if key in reader.names.values()}
    for _, _, fields, _ in reader.edges:
        for key in known - fields.keys():
            fields[key] = reader.defaults[key]
    attribute = attribute_of([fields for _, _, fields, _ in reader.edges], length, path)
    edges = [
        RawEdge((source, target), 1 if length == UNIT else fields.get(attribute or ""), line)
        for source, target, fields, line in reader.edges
    ]
    notes = ["its directions are dropped"] if reader.directed else []
    if attribute is not None and length is None:
        notes.append(f'the attribute "{attribute}" is the length')
    return list(reader.vertices), edges, notes, True
