"""Where the keys of a problem file stand: line and column, found only when there is a fault to report.

Both finders answer ``find(path)`` with the (line, column) of the deepest part of ``path`` that is in the
file, both from 1, in characters; None when not even its first key is there.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from tree_sitter import Node

Key = str | int
Place = tuple[int, int]
MOST_LOCATED = 8 * 2**20  # characters; syntax trees of larger files would take seconds and gigabytes


class Places(Protocol):
    """What finds keys."""

    def find(self, path: Sequence[Key]) -> Place | None: ...


def places(text: str, syntax: Literal["toml", "json"]) -> Places:
    """The finder for a text that its parser has accepted."""
    if len(text) > MOST_LOCATED:
        return _Nowhere()
    return JsonPlaces(text) if syntax == "json" else TomlPlaces(text)


class _Nowhere:
    def find(self, path: Sequence[Key]) -> Place | None:
        return None


def place_of(text: str, offset: int) -> Place:
    """Line and column, from 1, of a character offset."""
    start = text.rfind("\n", 0, offset) + 1
    return text.count("\n", 0, offset) + 1, offset - start + 1


# --- JSON ---------------------------------------------------------------------------------------------

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},:]|[^\s\[\]{},:"]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def _unquote(token: str) -> str:
    """The string that a JSON string token spells (surrogate pairs are left as they are: good for looking up)."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), token[1:-1])


class JsonPlaces:
    """Positions in JSON, one container at a time: a container is scanned when a path goes through it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._known: dict[int, dict[Key, tuple[int, int]]] = {}

    def find(self, path: Sequence[Key]) -> Place | None:
        start = _TOKEN.search(self._text)
        offset, seen = (start.start() if start else 0), None
        for key in path:
            inside = self._children(offset)
            if key not in inside:
                break
            seen, offset = inside[key]
        return None if seen is None else place_of(self._text, seen)

    def _children(self, offset: int) -> dict[Key, tuple[int, int]]:
        """Key or index -> offsets of the key (of the value, in a list) and of the value."""
        if offset not in self._known:
            self._known[offset] = {key: (at, value) for key, at, value in _members(self._text, offset)}
        return self._known[offset]


def _members(text: str, offset: int) -> Iterator[tuple[Key, int, int]]:
    """The members of the container that opens at ``offset``: key, offset of the key, offset of the value."""
    opening = text[offset : offset + 1]
    if opening not in ("{", "["):
        return
    depth, index, key, fresh = 0, 0, None, True
    for token in _TOKEN.finditer(text, offset + 1):
        first = token[0][0]
        if depth == 0 and first in "]}":
            return
        if depth == 0 and first == ",":
            fresh, key = True, None
            continue
        if depth == 0 and fresh and first != ":":
            if opening == "{" and key is None:
                key = token
                continue
            if key is None:
                yield index, token.start(), token.start()
                index += 1
            else:
                yield _unquote(key[0]), key.start(), token.start()
            fresh = False
        if first in "[{":
            depth += 1
        elif first in "]}":
            depth -= 1


def json_duplicates(text: str) -> Iterator[tuple[tuple[Key, ...], Place, Place]]:
    """Keys that occur twice in one object: path, place of the second, place of the first."""
    start = _TOKEN.search(text)
    todo: list[tuple[tuple[Key, ...], int]] = [((), start.start())] if start else []
    while todo:
        path, offset = todo.pop()
        seen: dict[Key, int] = {}
        for key, at, value in _members(text, offset):
            if key in seen:
                yield (*path, key), place_of(text, at), place_of(text, seen[key])
            seen[key] = at
            if text[value] in "[{":
                todo.append(((*path, key), value))


# --- TOML ---------------------------------------------------------------------------------------------


@dataclass
class _Spot:
    """A key: where it stands, and what is below it (either keys, or tables of a list, or a value node)."""

    row: int
    byte: int
    keys: dict[str, _Spot] = field(default_factory=dict)
    items: list[_Spot] = field(default_factory=list)
    value: Node | None = None


class TomlPlaces:
    """Positions in TOML, from the syntax tree of tree-sitter, loaded here and nowhere else."""

    def __init__(self, text: str) -> None:
        import tree_sitter
        import tree_sitter_toml

        self._lines = text.encode().split(b"\n")
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_toml.language()))
        self._tree = parser.parse(text.encode())
        self._lists: dict[int, list[Node]] = {}
        self._root = _Spot(0, 0)
        for node in self._tree.root_node.named_children:
            if node.type == "pair":
                _enter(self._root, node)
            elif node.type in ("table", "table_array_element"):
                self._open(node)

    def find(self, path: Sequence[Key]) -> Place | None:
        spot = self._root
        for key in path:
            below = self._below(spot, key)
            if below is None:
                break
            spot = below
        if spot is self._root:
            return None
        line = self._lines[spot.row] if spot.row < len(self._lines) else b""
        return spot.row + 1, len(line[: spot.byte].decode(errors="replace")) + 1

    def _open(self, node: Node) -> None:
        """A [table] or an element of a [[list of tables]], with its pairs."""
        parts = node.named_children
        if not parts:
            return
        spot = self._root
        names = _names(parts[0])
        for name in names:
            spot = spot.items[-1] if spot.items else spot
            spot = spot.keys.setdefault(name, _spot(node))
        if node.type == "table_array_element":
            spot.items.append(_spot(node))
        inside = spot.items[-1] if spot.items else spot
        for part in parts[1:]:
            if part.type == "pair":
                _enter(inside, part)

    def _below(self, spot: _Spot, key: Key) -> _Spot | None:
        if isinstance(key, str):
            if spot.value is not None and spot.value.type == "inline_table" and not spot.keys:
                for pair in spot.value.named_children:
                    if pair.type == "pair":
                        _enter(spot, pair)
            return spot.keys.get(key)
        if spot.items:
            return spot.items[key] if key < len(spot.items) else None
        if spot.value is None or spot.value.type != "array":
            return None
        nodes = (
            self._lists.setdefault(
                spot.value.id, [node for node in spot.value.named_children if node.type != "comment"]
            )
            if spot.value.id not in self._lists
            else self._lists[spot.value.id]
        )
        if key >= len(nodes):
            return None
        below = _spot(nodes[key])
        below.value = nodes[key]
        return below


def _spot(node: Node) -> _Spot:
    return _Spot(*node.start_point)


def _enter(spot: _Spot, pair: Node) -> None:
    """Put ``key = value`` below ``spot``, through the parts of a dotted key."""
    parts = [part for part in pair.named_children if part.type != "comment"]
    if not parts:
        return
    for name in _names(parts[0]):
        spot = spot.keys.setdefault(name, _spot(pair))
    spot.value = parts[1] if len(parts) > 1 else None


def _names(node: Node) -> list[str]:
    """The parts of a key, unquoted."""
    names: list[str] = []
    while node.type == "dotted_key" and len(node.named_children) == 2:  # nested to the left
        names.append(_name(node.named_children[1]))
        node = node.named_children[0]
    return [_name(node), *reversed(names)]


def _name(node: Node) -> str:
    text = (node.text or b"").decode(errors="replace")
    if node.type != "quoted_key":
        return text
    try:
        return next(iter(tomllib.loads(f"{text} = 0")))
    except tomllib.TOMLDecodeError:
        return text
