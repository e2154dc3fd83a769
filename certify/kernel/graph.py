"""Weighted graphs: how a certificate states one, and what the families of cuts read.

Vertices are 0 … n−1, edges [u, v, w] with u < v, in increasing order, each once, with an integer weight w >= 1 over a
common denominator. Self-loops, parallel edges and weights of 0 change no cut and are not stated. The graph need not
be connected. A factor common to all weights and the denominator does not belong to the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, integer, integer_rows, mapping, storable

MAX_VERTICES = 1 << 21
MAX_CUT_STEPS = 1 << 29  # edges and vertices that a witness of a cut may make the kernel look at


class WeightedGraph(NamedTuple):
    """n vertices and edges (u, v, weight): the weight is an integer over the denominator."""

    vertices: int
    denominator: int
    edges: Sequence[Sequence[int]]

    def __len__(self) -> int:
        return self.vertices


def canonical_graph(value: Any, where: str) -> tuple[Any, WeightedGraph]:
    """The graph in the one form that is digested, and as data."""
    table = mapping(value, where, {"vertices", "denominator", "edges"})
    n = integer(table["vertices"], f"{where}.vertices", 1, MAX_VERTICES)
    denominator = integer(table["denominator"], f"{where}.denominator", 1)
    edges = integer_rows(table["edges"], f"{where}.edges", None, lambda e: 3)
    last = (-1, -1)
    common, total = denominator, 0
    for e, (u, v, weight) in enumerate(edges):
        here = f"{where}.edges[{e}]"
        if not (0 <= u < v < n and last < (u, v)):
            why = "edges are [u, v, weight], 0 <= u < v < vertices, in increasing order, each once"
            raise Rejected("graph.order", here, why)
        if weight < 1:
            raise Rejected("graph.weight", here, "a weight is at least 1 (over the denominator)")
        last = (u, v)
        common = gcd(common, weight)
        total += weight
    storable(f"{where}.edges", 4 * len(edges) + n, total.bit_length())
    if common > 1:
        edges = [[u, v, weight // common] for u, v, weight in edges]
    graph = WeightedGraph(n, denominator // common, edges)
    return {"vertices": n, "denominator": graph.denominator, "edges": edges}, graph


def crossing(graph: WeightedGraph, labels: list[int]) -> int:
    """The weight of the edges whose ends have different labels, each edge once, over the denominator."""
    return sum(weight for u, v, weight in graph.edges if labels[u] != labels[v])


def cut_part(home: list[int], v: int) -> int:
    """The vertex that stands for the part of v, by halving the paths (Tarjan, van Leeuwen 1984)."""
    while home[v] != v:
        home[v] = home[home[v]]
        v = home[v]
    return v


def numbered(home: list[int]) -> list[int]:
    """The parts by number, 0, 1, … in order of their least vertex: for each vertex its own."""
    names: dict[int, int] = {}
    return [names.setdefault(cut_part(home, v), len(names)) for v in range(len(home))]


def numbered_parts(n: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """The connected components of n vertices that these pairs join, by their least vertex: for each vertex its own."""
    home = list(range(n))
    for u, v in pairs:
        home[cut_part(home, u)] = cut_part(home, v)
    return numbered(home)


def neighbourhoods(graph: WeightedGraph) -> list[dict[int, int]]:
    """For each vertex its neighbours and the weights of the edges to them."""
    near: list[dict[int, int]] = [{} for _ in range(graph.vertices)]
    for u, v, weight in graph.edges:
        near[u][v] = near[v][u] = weight
    return near
