"""Least cuts of graphs with integer weights: contraction in orders of maximum adjacency, and splitting into k parts.

Nagamochi, Ono and Ibaraki (1994): in an order of maximum adjacency every edge whose end is attached by at least the
weight of the best cut known joins two vertices that no better cut separates; such edges are contracted, round
after round, and single vertices of the contracted graphs are the cuts that are looked at. Integers throughout: exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from certify.kernel.graph import WeightedGraph, neighbourhoods, numbered_parts
from certify.kernel.mincut import contracted, never_separated

Edges = Sequence[Sequence[int]]


def least_cut(n: int, edges: Edges, remaining: Callable[[], float] = lambda: 1.0) -> tuple[int, list[int], bool]:
    """The least weight of a cut of a graph with n >= 2 vertices, one side of it, and whether it was proved least.

    edges: (u, v, weight), integer weights > 0, each pair once. False only if the time was up; then the best seen.
    Cost: O(m + n log n) a round; two or three rounds on random graphs, up to n on cycles and grids.
    """
    near = neighbourhoods(WeightedGraph(n, 1, edges))
    groups = [[v] for v in range(n)]
    best, side = -1, [0]
    while len(near) > 1:
        weights = [sum(row.values()) for row in near]
        v = min(range(len(near)), key=weights.__getitem__)
        if best < 0 or weights[v] < best:
            best, side = weights[v], groups[v]
        if best == 0 or remaining() <= 0:
            return best, side, best == 0
        near, number = contracted(near, never_separated(near, best))
        groups = _joined(groups, number, len(near))
    return best, side, True


def _joined(groups: list[list[int]], number: Sequence[int], count: int) -> list[list[int]]:
    joined: list[list[int]] = [[] for _ in range(count)]
    for v, group in enumerate(groups):
        joined[number[v]] += group
    return joined


def components(n: int, edges: Edges) -> list[int]:
    """The number of the connected component of each vertex."""
    return numbered_parts(n, [(e[0], e[1]) for e in edges])


def split(n: int, edges: Edges, k: int, remaining: Callable[[], float] = lambda: 1.0) -> list[int]:
    """Labels of k parts: the least cut of any part is made until there are k, then vertices move while that helps.

    The cuts alone are within 2 − 2/k of the optimum (Saran, Vazirani 1995).
    """
    labels = components(n, edges)
    count = max(labels) + 1
    if count > k:  # join components: no edge is cut
        return [min(label, k - 1) for label in labels]
    waiting: dict[int, tuple[int, list[int]]] = {}
    while count < k:
        for name in range(count):
            if name not in waiting:
                members = [v for v in range(n) if labels[v] == name]
                if len(members) < 2:
                    continue
                place = {v: i for i, v in enumerate(members)}
                inner = [(place[u], place[v], w) for u, v, w in edges if labels[u] == name == labels[v]]
                weight, side, _ = least_cut(len(members), inner, remaining)
                waiting[name] = weight, [members[i] for i in side]
        name = min(waiting, key=lambda part: waiting[part][0])
        _, side = waiting.pop(name)
        for v in side:
            labels[v] = count
        count += 1
    return moved(n, edges, k, labels)


def moved(n: int, edges: Edges, k: int, labels: Sequence[int]) -> list[int]:
    """Labels after moving single vertices to other parts while the cut gets lighter; no part is emptied."""
    near, labels = neighbourhoods(WeightedGraph(n, 1, edges)), list(labels)
    sizes = [labels.count(part) for part in range(k)]
    changed = True
    while changed:
        changed = False
        for v in range(n):
            if sizes[labels[v]] == 1:
                continue
            to = [0] * k
            for u, w in near[v].items():
                to[labels[u]] += w
            best = max(range(k), key=to.__getitem__)
            if to[best] > to[labels[v]]:
                sizes[labels[v]] -= 1
                sizes[best] += 1
                labels[v] = best
                changed = True
    return labels
