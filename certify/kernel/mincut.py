"""Statements about the least weight of the edges between k parts of a graph (docs/mathematics/mincut.md).

OPT_k is the least weight of the edges that join different parts of a partition into exactly k parts, none empty; each
edge is counted once.

``labels``       a partition: its weight is an upper bound.
``zero``         weights are not negative, so OPT_k >= 0.
``contraction``  integers λ: vertices that no cut below λ separates are contracted, as found in orders of maximum
                 adjacency (Nagamochi, Ibaraki 1992), until one is left. Then every cut weighs at least λ, and so
                 OPT_k >= kλ/2, since every part is one side of a cut and every edge between parts is in two of those.
``trees``        spanning trees with weights y_T. Every partition into k parts cuts each of them at least k − 1
                 times, so OPT_k >= (k − 1)Σy_T less what the trees load on edges beyond their weights. A tree of
                 branches contracts an edge, or deletes it and pays its weight; the bound is the least of its leaves,
                 each rounded up to the lattice of the weights.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, array, integer, kind, mapping
from certify.kernel.graph import MAX_CUT_STEPS, WeightedGraph, canonical_graph, crossing, neighbourhoods, numbered_parts
from certify.kernel.statement import Rules
from certify.kernel.treepacking import trees_bound


class CutData(NamedTuple):
    """A weighted graph and the number of parts."""

    graph: WeightedGraph
    k: int

    def __len__(self) -> int:
        return self.graph.vertices


def canonical_mincut(problem: Any) -> tuple[Any, CutData]:
    """The problem in the one form that is digested, and its data."""
    table = mapping(problem, "problem", {"graph", "k"})
    form, graph = canonical_graph(table["graph"], "problem.graph")
    k = integer(table["k"], "problem.k", 2, graph.vertices)
    return {"graph": form, "k": k}, CutData(graph, k)


def check_mincut(witness: dict[str, Any], where: str, data: CutData, pure: bool) -> tuple[str, Fraction]:
    """The relation and the value that a witness proves of cut_weight, or Rejected."""
    graph, k = data
    what = kind(witness, where, ("labels", "zero", "contraction", "trees"))
    if what == "labels":
        mapping(witness, where, {"kind", "labels"})
        return "<=", Fraction(
            crossing(graph, parts_of(witness["labels"], f"{where}.labels", graph, k)), graph.denominator
        )
    if what == "zero":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(0)
    if what == "trees":
        return ">=", Fraction(trees_bound(witness, where, graph, k), graph.denominator)
    mapping(witness, where, {"kind", "value"})
    least = integer(witness["value"], f"{where}.value", 0)
    contract_below(graph, least, f"{where}.value")
    return ">=", Fraction(k * least, 2 * graph.denominator)


def parts_of(value: Any, where: str, graph: WeightedGraph, k: int) -> list[int]:
    """Labels of a partition into exactly k parts, none empty."""
    labels = [integer(label, f"{where}[{v}]", 0, k - 1) for v, label in enumerate(array(value, where, graph.vertices))]
    if len(set(labels)) != k:
        raise Rejected("parts.empty", where, f"expected {k} parts, none of them empty")
    return labels


def contract_below(graph: WeightedGraph, least: int, where: str) -> None:
    """Return if every cut of the graph weighs at least ``least`` (in units of 1/denominator); Rejected otherwise.

    In an order of maximum adjacency, let r be the weight that joins v to what was ordered before it, up to and with
    the edge uv, u before v. No cut lighter than r separates u and v. So edges with r >= least are contracted; a vertex
    of less weight is a cut below it.
    """
    near = neighbourhoods(graph)
    steps, words = 0, sum(weight for _, _, weight in graph.edges).bit_length() // 64 + 1
    while len(near) > 1:
        steps += (sum(map(len, near)) + len(near)) * words
        if steps > MAX_CUT_STEPS:
            raise Rejected("work", where, f"the contraction takes more than {MAX_CUT_STEPS} steps")
        if min(sum(row.values()) for row in near) < least:
            raise Rejected("contraction.light", where, "a cut of less weight exists")
        near, _ = contracted(near, never_separated(near, least))


def never_separated(near: list[dict[int, int]], least: int) -> list[tuple[int, int]]:
    """Pairs that no cut below ``least`` separates, from one order of maximum adjacency."""
    n = len(near)
    attached, ordered = [0] * n, [False] * n
    queue = [(0, v) for v in range(n)]
    heapify(queue)
    pairs = []
    while queue:
        weight, u = heappop(queue)
        if ordered[u] or -weight != attached[u]:
            continue
        ordered[u] = True
        for v, w in near[u].items():
            if not ordered[v]:
                attached[v] += w
                heappush(queue, (-attached[v], v))
                if attached[v] >= least:
                    pairs.append((u, v))
    return pairs if least > 0 else [(0, v) for v in range(1, n)]


def contracted(near: list[dict[int, int]], pairs: list[tuple[int, int]]) -> tuple[list[dict[int, int]], list[int]]:
    """The graph with the pairs contracted, parallel edges added up, loops left out; and each vertex's new number."""
    number = numbered_parts(len(near), pairs)
    merged: list[dict[int, int]] = [{} for _ in range(max(number) + 1)]
    for v, row in enumerate(near):
        mine, i = merged[number[v]], number[v]
        for u, w in row.items():
            if number[u] != i:
                mine[number[u]] = mine.get(number[u], 0) + w
    return merged, number


def _mincut_facts(data: CutData) -> dict[str, Any]:
    return {"n": data.graph.vertices, "m": len(data.graph.edges), "k": data.k}


_PARTITION = "of the {n} vertices of this graph into {k} parts"

MINCUT = Rules(
    quantity="cut_weight",
    latex=r"\mathrm{cut}_k(G)",
    words={
        ">=": f"in every partition {_PARTITION}, the edges between the parts weigh at least {{value}}",
        "<=": f"in some partition {_PARTITION}, the edges between the parts weigh at most {{value}}",
        "==": f"the least weight of the edges between the parts of a partition {_PARTITION} is {{value}}",
    },
    canonical=canonical_mincut,
    check=check_mincut,
    facts=_mincut_facts,
)
