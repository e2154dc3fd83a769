"""Lower bounds of k-cuts: packings of spanning trees from a linear programme, and branching on edges.

    min Σ w_e x_e   over 0 <= x <= 1 with x(T) >= k − 1 for every spanning tree T

holds for the edges cut by any partition into k parts (Naor, Rabani 2001). Trees are added as they are violated: the
lightest tree for the lengths x. The dual variables y_T of the trees are the certificate. Where the bound stays below
the best partition known, an edge with fractional x is branched on: contracted (x = 0) or cut for good (x = 1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.solvers.mincut import Edges

ROUNDS = 400
VIOLATED = 1e-7
MOST_LEAVES = 4000


@dataclass(frozen=True)
class Packing:
    """Trees (edges by number) with their weights y, the value of the programme, and x over all edges."""

    trees: list[tuple[list[int], float]]
    value: float
    x: NDArray[np.float64]


def tree_packing(
    edges: Edges,
    weights: NDArray[np.float64],
    k: int,
    home: list[int],
    dead: set[int],
    remaining: Callable[[], float],
) -> Packing | None:
    """The programme on the graph contracted by ``home`` (a number for each vertex) without the edges ``dead``.

    None if the rest is not connected (no tree) or the programme fails. The value leaves out what dead edges cost.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_matrix

    live = [e for e in range(len(edges)) if e not in dead and home[edges[e][0]] != home[edges[e][1]]]
    order = np.argsort(weights[live], kind="stable")
    first = _lightest(edges, [live[i] for i in order], home)
    count = len(set(home))
    if len(first) != count - 1:
        return None
    place = {e: i for i, e in enumerate(live)}
    trees = [first]
    seen = {tuple(sorted(first))}
    w = weights[live]
    for _ in range(ROUNDS):
        rows = np.repeat(np.arange(len(trees)), count - 1)
        columns = np.array([place[e] for tree in trees for e in tree])
        table = csr_matrix((-np.ones(len(columns)), (rows, columns)), shape=(len(trees), len(live)))
        found = linprog(w, A_ub=table, b_ub=np.full(len(trees), -(k - 1.0)), bounds=(0, 1), method="highs")
        if found.x is None:
            return None
        added = False
        lengths = found.x + 1e-12 * np.arange(len(live))
        for attempt in range(3):
            tree = _lightest(edges, [live[i] for i in np.argsort(lengths, kind="stable")], home)
            short = sum(found.x[place[e]] for e in tree) < k - 1 - VIOLATED
            if not short or tuple(sorted(tree)) in seen:
                break
            seen.add(tuple(sorted(tree)))
            trees.append(tree)
            added = True
            lengths = lengths.copy()
            lengths[[place[e] for e in tree]] += 0.3 * (attempt + 1)
        if not added or remaining() <= 0:
            break
    y = -np.asarray(found.ineqlin.marginals)
    x = np.zeros(len(edges))
    x[live] = found.x
    x[list(dead)] = 1.0
    kept = [(tree, float(value)) for tree, value in zip(trees, y, strict=True) if value > 0]
    return Packing(kept, float(found.fun), x)


def _lightest(edges: Edges, order: list[int], home: list[int]) -> list[int]:
    """A spanning forest by Kruskal's rule: the edges in this order that close no cycle."""
    parent: dict[int, int] = {}

    def part(v: int) -> int:
        while v in parent:
            v = parent[v]
        return v

    tree = []
    for e in order:
        a, b = part(home[edges[e][0]]), part(home[edges[e][1]])
        if a != b:
            parent[a] = b
            tree.append(e)
    return tree


def branched(
    n: int,
    edges: Edges,
    k: int,
    grid: int,
    incumbent: int,
    remaining: Callable[[], float],
) -> tuple[Any, int]:
    """A tree of branches as in the witness ``trees`` (leaves hold Packing), and a scale for its weights.

    grid: the weights are multiples of it; a leaf is closed when its bound exceeds incumbent − grid, or when the time or
    MOST_LEAVES is used up.
    """
    weights = np.array([float(edge[2]) for edge in edges])
    top = float(weights.max(initial=1.0))
    leaves = 0

    def node(home: list[int], dead: set[int], paid: int, depth: int) -> Any:
        nonlocal leaves
        if len(set(home)) < k:
            return Packing([], 0.0, np.zeros(len(edges)))
        packing = tree_packing(edges, weights, k, home, dead, remaining)
        leaves += 1
        if packing is None:
            packing = Packing([], 0.0, np.zeros(len(edges)))
            fractional = np.zeros(0, dtype=int)
            live = [e for e in range(len(edges)) if e not in dead and home[edges[e][0]] != home[edges[e][1]]]
            choice = max(live, key=lambda e: weights[e], default=None)
        else:
            inner = np.minimum(packing.x, 1 - packing.x)
            fractional = np.flatnonzero(inner > 1e-6)
            choice = None if not len(fractional) else int(fractional[np.argmax((inner * weights)[fractional])])
        if paid + packing.value > incumbent - grid + 1e-7 * top or choice is None:
            return packing
        if leaves >= MOST_LEAVES or depth > 60 or remaining() <= 0:
            return packing
        u, v = home[edges[choice][0]], home[edges[choice][1]]
        return {
            "edge": choice,
            "contract": node([v if h == u else h for h in home], dead, paid, depth + 1),
            "delete": node(home, dead | {choice}, paid + edges[choice][2], depth + 1),
        }

    return node(list(range(n)), set(), 0, 0), 1 << 30
