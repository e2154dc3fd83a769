"""Balanced cuts: spectral clustering with local search, and enumeration of partitions into two parts by beginnings.

The enumeration is that of :mod:`certify.kernel.enumeration`, with the way back kept, so that it finds the best
partition as well as it proves it. Its cost depends on the order of the vertices: few of them should have neighbours
both before and after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh
from scipy.sparse import coo_array, csr_array, diags_array
from scipy.sparse.linalg import eigsh

from certify.kernel.enumeration import MAX_BEGINNINGS, MeasuredGraph

Floats = NDArray[np.float64]
Edges = Sequence[tuple[int, int, int]]
DENSE = 700  # vertices up to which all eigenvectors are computed
STARTS = 12


def adjacency(n: int, edges: Edges) -> csr_array:
    """The symmetric matrix of weights in doubles."""
    u, v, w = (np.array([edge[i] for edge in edges], dtype=float) for i in range(3))
    rows, columns = np.concatenate((u, v)).astype(int), np.concatenate((v, u)).astype(int)
    return coo_array((np.concatenate((w, w)), (rows, columns)), shape=(n, n)).tocsr()


def smallest_eigenvectors(n: int, edges: Edges, measure: Floats, count: int) -> tuple[Floats, Floats]:
    """The smallest eigenvalues of Lx = μDx and their vectors (n, count), D-orthonormal: L the Laplacian, D the
    measures."""
    weights = adjacency(n, edges)
    degrees = np.asarray(weights.sum(axis=0)).ravel()
    half = 1.0 / np.sqrt(measure)
    if n <= DENSE:
        middle = (np.diag(degrees) - weights.toarray()) * np.outer(half, half)
        values, vectors = eigh(middle, subset_by_index=(0, min(count, n) - 1))
    else:
        scaled = weights * half[:, None] * half[None, :]
        top = float(np.max(degrees / measure))
        operator = scaled + diags_array(2 * top - degrees / measure)
        found, vectors = eigsh(operator, k=count, which="LA", v0=np.ones(n), tol=1e-12)
        values = 2 * top - found
        order = np.argsort(values)
        values, vectors = values[order], vectors[:, order]
    return values, vectors * half[:, None]


class Judged:
    """The value of partitions of a graph in doubles, and moves of single vertices that lower it."""

    def __init__(self, n: int, edges: Edges, measure: Sequence[int], k: int, judge: str) -> None:
        self.n, self.k, self.judge = n, k, judge
        self.weights = adjacency(n, edges)
        self.measure = np.array(measure, dtype=float)
        self.total = float(self.measure.sum())

    def value(self, labels: NDArray[np.int64]) -> float:
        """The value of a partition; infinite if a part is empty, or if halves are asked for and these are none."""
        indicator = np.zeros((self.n, self.k))
        indicator[np.arange(self.n), labels] = 1.0
        sizes = indicator.T @ self.measure
        joined = self.weights @ indicator
        inner = np.einsum("ij,ij->j", indicator, joined)
        outer = indicator.T @ np.asarray(self.weights.sum(axis=1)).ravel() - inner
        return self.of(outer, sizes)

    def of(self, outer: Floats, sizes: Floats) -> float:
        """The value from the weights that leave the parts and the measures of the parts."""
        if np.any(sizes <= 0):
            return inf
        if self.judge == "ratio":
            return float((outer / sizes).sum())
        if self.judge == "least":
            return float(outer[0] / sizes.min())
        return float(outer[0]) if abs(sizes[0] - sizes[1]) <= 1 else inf

    def improved(self, labels: NDArray[np.int64], remaining: Callable[[], float]) -> NDArray[np.int64]:
        """Move vertices (or swap two, where parts must be halves) while that lowers the value."""
        labels = labels.copy()
        indicator = np.zeros((self.n, self.k))
        indicator[np.arange(self.n), labels] = 1.0
        joined = self.weights @ indicator
        sizes = indicator.T @ self.measure
        degrees = np.asarray(self.weights.sum(axis=1)).ravel()
        outer = indicator.T @ degrees - np.einsum("ij,ij->j", indicator, joined)
        value = self.of(outer, sizes)
        while remaining() > 0:
            best, choice = value - 1e-12 * abs(value), None
            if self.judge == "halves":
                gain = np.where(labels == 0, joined[:, 1] - joined[:, 0], joined[:, 0] - joined[:, 1])
                zero, one = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
                between = self.weights[zero][:, one].toarray()
                gains = gain[zero][:, None] + gain[one][None, :] - 2 * between
                a, b = np.unravel_index(int(np.argmax(gains)), gains.shape)
                if gains[a, b] <= 1e-9:
                    break
                pairs = [(int(zero[a]), 1), (int(one[b]), 0)]
            else:
                for to in range(self.k):
                    values = self._moves(to, labels, joined, sizes, outer, degrees)
                    v = int(np.argmin(values))
                    if values[v] < best:
                        best, choice = float(values[v]), (v, to)
                if choice is None:
                    break
                pairs = [choice]
            for v, to in pairs:
                old = int(labels[v])
                outer[old] += 2 * joined[v, old] - degrees[v]
                outer[to] += degrees[v] - 2 * joined[v, to]
                sizes[old] -= self.measure[v]
                sizes[to] += self.measure[v]
                labels[v] = to
                start, end = self.weights.indptr[v], self.weights.indptr[v + 1]
                near, w = self.weights.indices[start:end], self.weights.data[start:end]
                joined[near, old] -= w
                joined[near, to] += w
            value = self.of(outer, sizes)
        return labels

    def _moves(
        self, to: int, labels: NDArray[np.int64], joined: Floats, sizes: Floats, outer: Floats, degrees: Floats
    ) -> Floats:
        """The value after each vertex has moved to this part; infinite where it is there, or alone in its part."""
        rows = np.arange(self.n)
        left_size = sizes[labels] - self.measure
        left_outer = outer[labels] + 2 * joined[rows, labels] - degrees
        new_size = sizes[to] + self.measure
        new_outer = outer[to] + degrees - 2 * joined[:, to]
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.judge == "ratio":
                base = float((outer / sizes).sum())
                values = base - outer[labels] / sizes[labels] - outer[to] / sizes[to]
                values = values + left_outer / left_size + new_outer / new_size
            else:
                values = new_outer / np.minimum(left_size, new_size)
        alone = left_size < 0.5 * self.measure.min()
        result: Floats = np.where((labels == to) | alone | ~np.isfinite(values), inf, values)
        return result


def starts(judged: Judged, vectors: Floats, seed: int) -> Iterator[NDArray[np.int64]]:
    """Partitions to begin with: cuts along eigenvectors, clusters of their rows, and random ones."""
    n, k = judged.n, judged.k
    rng = np.random.default_rng(seed)
    if k == 2:
        for column in range(1, min(vectors.shape[1], 4)):
            order = np.argsort(vectors[:, column], kind="stable")
            sizes = [n // 2] if judged.judge == "halves" else range(1, n)
            best: tuple[float, int] = (inf, n // 2)
            labels = np.ones(n, dtype=np.int64)
            if judged.judge != "halves" and n <= 4000:
                best = _sweep(judged, order)
            elif len(list(sizes)):
                best = (0.0, n // 2)
            labels[order[: best[1]]] = 0
            yield labels
    for _ in range(STARTS):
        rows = vectors[:, : max(k, 2)]
        centres = rows[rng.choice(n, size=k, replace=False)]
        labels = np.zeros(n, dtype=np.int64)
        for _ in range(30):
            labels = ((rows[:, None, :] - centres[None]) ** 2).sum(axis=2).argmin(axis=1)
            for part in range(k):
                if np.any(labels == part):
                    centres[part] = rows[labels == part].mean(axis=0)
        yield _filled(labels.astype(np.int64), k, judged, rng)
    for _ in range(STARTS):
        yield _filled(rng.integers(0, k, size=n), k, judged, rng)


def _sweep(judged: Judged, order: NDArray[np.int64]) -> tuple[float, int]:
    """The best cut of the first so many vertices in an order, for two parts."""
    weights = judged.weights[order][:, order]
    inner = np.asarray(
        [weights.indices[weights.indptr[i] : weights.indptr[i + 1]] for i in range(judged.n)], dtype=object
    )
    degrees = np.asarray(weights.sum(axis=1)).ravel()
    cut, size = 0.0, 0.0
    best = (inf, judged.n // 2)
    for i in range(judged.n - 1):
        start, end = weights.indptr[i], weights.indptr[i + 1]
        back = weights.data[start:end][inner[i] < i].sum()
        cut += degrees[i] - 2 * back
        size += judged.measure[order[i]]
        value = judged.of(np.array([cut, cut]), np.array([size, judged.total - size]))
        best = min(best, (value, i + 1))
    return best


def _filled(labels: NDArray[np.int64], k: int, judged: Judged, rng: np.random.Generator) -> NDArray[np.int64]:
    """Labels with no part empty; halves where halves are asked for."""
    if judged.judge == "halves":
        order = np.argsort(labels + 0.5 * rng.random(len(labels)), kind="stable")
        labels = np.ones(len(labels), dtype=np.int64)
        labels[order[: len(labels) // 2]] = 0
        return labels
    for part in range(k):
        if not np.any(labels == part):
            counts = np.bincount(labels, minlength=k)
            labels[rng.choice(np.flatnonzero(labels == counts.argmax()))] = part
    return labels


@dataclass(frozen=True)
class Enumerated:
    """What an enumeration found: the best cut below the bound, None if there is none; how many edges it looked at."""

    labels: list[int] | None
    steps: int


def enumerated(
    data: MeasuredGraph, order: Sequence[int], bound: Fraction, most: int, remaining: Callable[[], float]
) -> Enumerated | None:
    """The best of all cuts into two parts lighter than bound·c(a), by beginnings; None beyond ``most`` steps."""
    n = len(order)
    place = {v: p for p, v in enumerate(order)}
    near: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for u, v, weight in data.graph.edges:
        near[place[u]].append((place[v], weight))
        near[place[v]].append((place[u], weight))
    last = [max([p, *(q for q, _ in near[p])]) for p in range(n)]
    left, steps = sum(data.measure), 0
    words = (sum(weight for _, _, weight in data.graph.edges) + left).bit_length() // 64 + 1
    begun: dict[tuple[int, int], int] = {(0, 0): 0}
    way: list[dict[tuple[int, int], tuple[tuple[int, int], int]]] = []
    for p in range(n):
        size = data.measure[order[p]]
        left -= size
        back = [(1 << q, weight) for q, weight in near[p] if q < p]
        alive = sum(1 << q for q in range(p + 1) if last[q] > p)
        ahead = [
            [(1 << q, weight) for q, weight in near[f] if q <= p]
            for f in range(p + 1, n)
            if any(q <= p for q, _ in near[f])
        ]
        whole = [sum(weight for _, weight in row) for row in ahead]
        look = len(back) + sum(map(len, ahead)) + 2
        steps += n + sum(map(len, near))
        limits: dict[int, int] = {}
        following: dict[tuple[int, int], int] = {}
        came: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}
        for state, cut in begun.items():
            bits, a = state
            if steps * words > most or len(following) * words > MAX_BEGINNINGS:
                return None
            one = sum([weight for bit, weight in back if bits & bit])
            for side, more in ((0, one), (1, sum([weight for _, weight in back]) - one)):
                if p == 0 and side == 1:
                    continue
                now, grown, weight = bits | side << p, a + side * size, cut + more
                steps += look
                if grown not in limits:
                    limits[grown] = -(-bound.numerator * data.capacity(grown, grown + left) // bound.denominator)
                limit = limits[grown]
                if weight >= limit:
                    continue
                for row, total in zip(ahead, whole, strict=True):
                    inside = sum([w for bit, w in row if now & bit])
                    weight += min(inside, total - inside)
                if weight >= limit:
                    continue
                key = (now & alive, grown)
                weight = cut + more
                if weight < following.get(key, weight + 1):
                    following[key] = weight
                    came[key] = (state, side)
        if remaining() <= 0:
            return None
        begun = following
        way.append(came)
        if not begun:
            return Enumerated(None, steps)
    key = min(begun, key=lambda state: Fraction(begun[state], max(1, data.capacity(state[1], state[1]))))
    labels = [0] * n
    for p in range(n - 1, -1, -1):
        key, side = way[p][key]
        labels[order[p]] = side
    return Enumerated(labels, steps)


def orders(n: int, edges: Edges, vectors: Floats) -> list[list[int]]:
    """Orders of the vertices in which few at a time have neighbours both before and after, the most promising first."""
    near: list[dict[int, int]] = [{} for _ in range(n)]
    for u, v, w in edges:
        near[u][v] = near[v][u] = w
    found = [np.argsort(vectors[:, c], kind="stable").tolist() for c in range(1, min(3, vectors.shape[1]))]
    begin = sorted(range(n), key=lambda v: (len(near[v]), v))
    found += [_narrow(n, near, v) for v in (*begin[:3], *begin[-1:])]
    return sorted(found, key=lambda order: _width(order, near))


def _narrow(n: int, near: list[dict[int, int]], start: int) -> list[int]:
    """Greedy: next comes the vertex that leaves the fewest waiting; of several the one that is joined most."""
    order, placed = [], [False] * n
    open_ends = [len(row) for row in near]
    joined = [0] * n
    frontier: set[int] = set()
    v = start
    while True:
        order.append(v)
        placed[v] = True
        frontier.discard(v)
        for u, w in near[v].items():
            open_ends[u] -= 1
            joined[u] += w
            if not placed[u]:
                frontier.add(u)
        if len(order) == n:
            return order
        choice = frontier or {u for u in range(n) if not placed[u]}
        v = min(choice, key=lambda u: (_news(u, near, placed, frontier), -joined[u], u))


def _news(v: int, near: list[dict[int, int]], placed: list[bool], frontier: set[int]) -> int:
    return sum(1 for u in near[v] if not placed[u] and u not in frontier)


def _width(order: list[int], near: list[dict[int, int]]) -> float:
    """Σ 2^(vertices that wait) over the order, as its logarithm."""
    place = {v: p for p, v in enumerate(order)}
    last = [max([place[v], *(place[u] for u in near[v])]) for v in range(len(order))]
    waiting = np.zeros(len(order))
    for v in range(len(order)):
        waiting[place[v] : last[v]] += 1
    return float(np.logaddexp2.reduce(waiting))
