"""Lower bounds of k-cuts: spanning trees packed into a graph, and branches (docs/mathematics/mincut.md)."""

from __future__ import annotations

from math import gcd
from typing import Any

from certify.kernel.exact import Rejected, integer, integer_rows, mapping
from certify.kernel.graph import MAX_CUT_STEPS, WeightedGraph, cut_part, numbered

MAX_CUT_DEPTH = 200  # branchings above a leaf


def trees_bound(witness: dict[str, Any], where: str, graph: WeightedGraph, k: int) -> int:
    """The least bound of a leaf, in units of 1/denominator."""
    mapping(witness, where, {"kind", "scale", "root"})
    scale = integer(witness["scale"], f"{where}.scale", 1)
    grid = gcd(*(weight for _, _, weight in graph.edges))
    todo: list[tuple[Any, str, dict[int, int], int]] = [
        (witness["root"], f"{where}.root", {}, 0)  # decided edges: 0 contracted, 1 deleted; and what is paid
    ]
    bounds, work = [], 0
    while todo:
        node, here, decided, paid = todo.pop()
        work += graph.vertices + len(decided)
        if work > MAX_CUT_STEPS:
            raise Rejected("work", here, f"the branches take more than {MAX_CUT_STEPS} steps")
        if type(node) is dict and "edge" in node:
            table = mapping(node, here, {"edge", "contract", "delete"})
            e = integer(table["edge"], f"{here}.edge", 0, len(graph.edges) - 1)
            if e in decided or len(decided) >= MAX_CUT_DEPTH:
                raise Rejected("trees.edge", f"{here}.edge", f"decided already, or below {MAX_CUT_DEPTH} others")
            todo.append((table["contract"], f"{here}.contract", {**decided, e: 0}, paid))
            todo.append((table["delete"], f"{here}.delete", {**decided, e: 1}, paid + graph.edges[e][2]))
            continue
        bound = _leaf_of_trees(node, here, graph, k, scale, decided)
        if bound is not None:
            bounds.append(-(-(paid * scale + bound) // (scale * grid)) * grid if grid else 0)
    return min(bounds, default=0)


def _leaf_of_trees(
    node: Any, where: str, graph: WeightedGraph, k: int, scale: int, decided: dict[int, int]
) -> int | None:
    """(k − 1)Σy_T − Σ_e max(0, Σ_{T∋e} y_T − w_e), times scale; None where fewer than k vertices, so no partition, are
    left."""
    table = mapping(node, where, {"trees"})
    home = list(range(graph.vertices))
    left = graph.vertices
    for e, deleted in decided.items():
        u, v = (cut_part(home, x) for x in graph.edges[e][:2])
        if not deleted and u != v:
            home[u] = v
            left -= 1
    if left < k:
        return None
    number, total = numbered(home), 0
    load: dict[int, int] = {}
    trees = integer_rows(table["trees"], f"{where}.trees", None, lambda t: left)
    for t, (y, *tree) in enumerate(trees):
        here = f"{where}.trees[{t}]"
        if y < 1:
            raise Rejected("trees.weight", here, "a tree is [weight, edges…], the weight at least 1")
        total += y
        joined = list(range(left))
        for e in tree:
            if not 0 <= e < len(graph.edges) or e in decided:
                raise Rejected("trees.tree", here, "an edge that is decided already, or is none")
            u, v = (cut_part(joined, number[x]) for x in graph.edges[e][:2])
            if u == v:
                raise Rejected("trees.tree", here, "a cycle")
            joined[u] = v
            load[e] = load.get(e, 0) + y
    return (k - 1) * total - sum(max(0, y - scale * graph.edges[e][2]) for e, y in load.items())
