"""Graph colouring: a colouring with k colours, or a refutation that unit propagation can follow.

Saturation branching (Brélaz 1979) with conflict-directed backjumping (Prosser 1993). A refutation is a list of clauses
over x_vc, "vertex v has colour c", as ±(1 + v·k + c): each says that the decisions of a failed node cannot all be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Adjacency = NDArray[np.bool_]


@dataclass(frozen=True)
class Coloured:
    """A proper colouring: a colour 0..k−1 for each vertex."""

    colours: tuple[int, ...]


@dataclass(frozen=True)
class Refutation:
    """No k colours: vertices that matter, a clique among them whose colours are fixed, clauses over their places."""

    vertices: tuple[int, ...]
    clique: tuple[int, ...]
    clauses: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class OddCycle:
    """Vertices of a closed walk of odd length."""

    vertices: tuple[int, ...]


@dataclass(frozen=True)
class Clique:
    """Vertices that are pairwise joined."""

    vertices: tuple[int, ...]


def bipartition(adjacency: Adjacency) -> Coloured | OddCycle:
    """Two colours breadth first, or an odd cycle."""
    n = len(adjacency)
    colour, parent = [-1] * n, [-1] * n
    for root in range(n):
        if colour[root] >= 0:
            continue
        colour[root] = 0
        queue = deque([root])
        while queue:
            u = queue.popleft()
            for w in np.flatnonzero(adjacency[u]).tolist():
                if colour[w] < 0:
                    colour[w], parent[w] = 1 - colour[u], u
                    queue.append(w)
                elif colour[w] == colour[u]:
                    return OddCycle(_closed(u, w, parent))
    return Coloured(tuple(colour))


def _closed(u: int, w: int, parent: list[int]) -> tuple[int, ...]:
    """The cycle of the edge u–w and the ways of both, of one length, to their first common ancestor."""
    left, right = [u], [w]
    while left[-1] != right[-1]:
        left.append(parent[left[-1]])
        right.append(parent[right[-1]])
    return tuple(left + right[-2::-1])


def large_clique(adjacency: Adjacency, most: int, starts: int = 60) -> Clique:
    """A clique by greedy growth from the vertices of largest degree, of at most ``most`` vertices."""
    degrees = adjacency.sum(axis=1)
    best: list[int] = [int(np.argmax(degrees))] if len(degrees) else []
    for start in np.argsort(-degrees, kind="stable")[:starts].tolist():
        clique, near = [start], adjacency[start].copy()
        while near.any() and len(clique) < most:
            inside = np.flatnonzero(near)
            joined = adjacency[np.ix_(inside, inside)].sum(axis=1)
            clique.append(int(inside[np.argmax(joined)]))
            near &= adjacency[clique[-1]]
        if len(clique) > len(best):
            best = clique
        if len(best) >= most:
            break
    return Clique(tuple(best))


def core(adjacency: Adjacency, k: int) -> list[int]:
    """The vertices that are left when those of degree below k are taken away again and again: the others never hurt."""
    alive = np.ones(len(adjacency), dtype=bool)
    degrees = adjacency.sum(axis=1).astype(np.int64)
    queue = np.flatnonzero(degrees < k).tolist()
    while queue:
        v = queue.pop()
        if alive[v]:
            alive[v] = False
            degrees[adjacency[v]] -= 1
            queue += [w for w in np.flatnonzero(adjacency[v] & alive).tolist() if degrees[w] < k]
    return np.flatnonzero(alive).tolist()


def coloured(
    adjacency: Adjacency, k: int, nodes: int, remaining: Callable[[], float]
) -> Coloured | Clique | OddCycle | Refutation | None:
    """k colours, or why there are none; None when nodes or time run out."""
    if k == 1:
        edge = np.argwhere(adjacency)
        return Clique((int(edge[0][0]), int(edge[0][1]))) if len(edge) else Coloured((0,) * len(adjacency))
    if k == 2:
        return bipartition(adjacency)
    hard = core(adjacency, k)
    part = adjacency[np.ix_(hard, hard)]
    clique = large_clique(part, k + 1)
    if len(clique.vertices) > k:
        return Clique(tuple(hard[v] for v in clique.vertices))
    search = _Search(part, k, clique.vertices, nodes, remaining)
    answer = search.run() if hard else ()
    if answer is None:
        return None
    if isinstance(answer, tuple):
        return Coloured(_extended(adjacency, k, dict(zip(hard, answer, strict=True))))
    return Refutation(tuple(hard), clique.vertices, tuple(answer.clauses))


def _extended(adjacency: Adjacency, k: int, colours: dict[int, int]) -> tuple[int, ...]:
    """Colour the vertices outside of the core, last taken away first: it has fewer than k coloured neighbours."""
    left = [v for v in range(len(adjacency)) if v not in colours]
    order: list[int] = []
    alive = np.ones(len(adjacency), dtype=bool)
    degrees = adjacency.sum(axis=1).astype(np.int64)
    waiting = {v for v in left if degrees[v] < k}
    while waiting:
        v = min(waiting)
        waiting.discard(v)
        order.append(v)
        alive[v] = False
        degrees[adjacency[v]] -= 1
        waiting |= {w for w in np.flatnonzero(adjacency[v] & alive).tolist() if degrees[w] < k and w not in colours}
    for v in reversed(order):
        used = {colours[w] for w in np.flatnonzero(adjacency[v]).tolist() if w in colours}
        colours[v] = next(c for c in range(k) if c not in used)
    return tuple(colours[v] for v in range(len(adjacency)))


@dataclass
class _Failure:
    """Decisions (by depth) that cannot all be, and the clauses that lead there."""

    depths: frozenset[int]
    clauses: list[tuple[int, ...]] = field(default_factory=list)


class _GivenUp(Exception):
    pass


class _Search:
    """Depth-first search. why[v][c] is the set of decision depths that forbid colour c to v."""

    def __init__(
        self, adjacency: Adjacency, k: int, clique: tuple[int, ...], nodes: int, remaining: Callable[[], float]
    ) -> None:
        self.near = [np.flatnonzero(row).tolist() for row in adjacency]
        self.k, self.clique, self.left, self.remaining = k, clique, nodes, remaining
        self.colour = [-1] * len(adjacency)
        self.why: list[list[frozenset[int] | None]] = [[None] * k for _ in adjacency]
        self.free = [k] * len(adjacency)
        self.trail: list[tuple[int, int]] = []  # (v, −1): coloured; (v, c): c forbidden
        self.decisions: list[int] = []  # literals by depth

    def run(self) -> tuple[int, ...] | _Failure | None:
        nothing: frozenset[int] = frozenset()
        for t, v in enumerate(self.clique):
            conflict = self._set(v, t, nothing) if self.colour[v] < 0 else None
            if conflict is not None:
                return _Failure(nothing)
        try:
            return self._node()
        except (_GivenUp, RecursionError):
            return None

    def _set(self, v: int, c: int, reason: frozenset[int]) -> frozenset[int] | None:
        """Give v the colour c and all that follows; the reasons of a conflict, if there is one."""
        queue = [(v, c, reason)]
        while queue:
            v, c, reason = queue.pop()
            if self.colour[v] >= 0:
                continue
            if self.why[v][c] is not None:
                return self._forbidden(v)
            self.colour[v] = c
            self.trail.append((v, -1))
            for w in self.near[v]:
                if self.colour[w] >= 0 or self.why[w][c] is not None:
                    continue
                self.why[w][c] = reason
                self.free[w] -= 1
                self.trail.append((w, c))
                if self.free[w] == 0:
                    return self._forbidden(w)
                if self.free[w] == 1:
                    last = next(d for d in range(self.k) if self.why[w][d] is None)
                    queue.append((w, last, self._forbidden(w)))
        return None

    def _forbidden(self, v: int) -> frozenset[int]:
        return frozenset().union(*(why for why in self.why[v] if why is not None))

    def _undo(self, mark: int) -> None:
        while len(self.trail) > mark:
            v, c = self.trail.pop()
            if c < 0:
                self.colour[v] = -1
            else:
                self.why[v][c] = None
                self.free[v] += 1

    def _node(self) -> tuple[int, ...] | _Failure:
        open_ = [v for v, c in enumerate(self.colour) if c < 0]
        if not open_:
            return tuple(self.colour)
        self.left -= 1
        if self.left < 0 or (self.left % 64 == 0 and self.remaining() <= 0):
            raise _GivenUp
        v = min(open_, key=lambda w: (self.free[w], -len(self.near[w])))
        depth, mark = len(self.decisions), len(self.trail)
        depths, clauses = self._forbidden(v), list[tuple[int, ...]]()
        for c in [c for c in range(self.k) if self.why[v][c] is None]:
            self.decisions.append(1 + v * self.k + c)
            conflict = self._set(v, c, frozenset({depth}))
            answer = self._node() if conflict is None else _Failure(conflict, [self._clause(conflict)])
            self.decisions.pop()
            if isinstance(answer, tuple):
                return answer
            self._undo(mark)
            if depth not in answer.depths:
                return answer
            depths |= answer.depths - {depth}
            clauses += answer.clauses
        clauses.append(self._clause(depths))
        return _Failure(depths, clauses)

    def _clause(self, depths: frozenset[int]) -> tuple[int, ...]:
        return tuple(-self.decisions[depth] for depth in sorted(depths))
