"""Proof by complete enumeration that no partition of a graph is lighter than a bound (docs/mathematics/ratiocut.md).

Vertices are put into parts one after the other, in the order that the witness gives. Two beginnings that agree on the
vertices with neighbours still to come, and on the sizes of the parts, can be continued alike: only the lighter is kept.
A beginning is given up when nothing it can become is below the bound.

Each part i of the partition into k parts has a measure a_i (a sum over its vertices: 1, or the weight at the vertex)
and a weight w_i to the rest. Two parts: w·M/(a(M − a)), w/min(a, M − a), or w where the parts are halves. More than
two: Σ w_i/a_i.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, array, integer
from certify.kernel.graph import WeightedGraph

MAX_ENUMERATION = 1 << 27  # edges that are looked at, over all beginnings
MAX_BEGINNINGS = 1 << 21  # that are held at once


class MeasuredGraph(NamedTuple):
    """A graph, a measure of each vertex, and how a cut into two parts is judged: ``ratio``, ``least`` or ``halves``."""

    graph: WeightedGraph
    measure: list[int]
    judge: str

    def capacity(self, low: int, high: int) -> int:
        """The largest c(a) over low <= a <= high: a(M − a); min(a, M − a); 1 if a is a half, else 0."""
        total = sum(self.measure)
        a = min(max(total // 2, low), high)
        if self.judge == "halves":
            return int(low <= total - total // 2 and high >= total // 2)
        b = min(max(total - total // 2, low), high)
        return max(x * (total - x) if self.judge == "ratio" else min(x, total - x) for x in (a, b))


def order_of(value: Any, where: str, n: int) -> list[int]:
    """An order of all vertices."""
    order = [integer(v, f"{where}[{p}]", 0, n - 1) for p, v in enumerate(array(value, where, n))]
    if len(set(order)) != n:
        raise Rejected("order", where, "every vertex stands once in the order")
    return order


def enumerate_two(data: MeasuredGraph, order: list[int], bound: Fraction, where: str) -> None:
    """Return if every cut into two parts of measures a, M − a (both positive) weighs at least bound·c(a); Rejected if
    one is lighter, or if there are too many beginnings."""
    n = len(order)
    place = {v: p for p, v in enumerate(order)}
    near: list[list[tuple[int, int]]] = [[] for _ in range(n)]  # by place: places and weights
    for u, v, weight in data.graph.edges:
        near[place[u]].append((place[v], weight))
        near[place[v]].append((place[u], weight))
    last = [max([p, *(q for q, _ in near[p])]) for p in range(n)]
    left = sum(data.measure)
    words = (sum(weight for _, _, weight in data.graph.edges) + left).bit_length() // 64 + 1
    steps = 0
    begun = {(0, 0): 0}  # (bits of the vertices in part 1 that still matter, measure of part 1): weight cut so far
    for p in range(n):
        if not begun:
            return
        size = data.measure[order[p]]
        left -= size
        back = [(1 << q, weight) for q, weight in near[p] if q < p]
        alive = sum(1 << q for q in range(p + 1) if last[q] > p)
        ahead = [
            [(1 << q, weight) for q, weight in near[f] if q <= p]
            for f in range(p + 1, n)
            if any(q <= p for q, _ in near[f])
        ]
        look = len(back) + sum(map(len, ahead)) + 2
        steps += n + sum(map(len, near))  # for the lists above
        whole = [sum(weight for _, weight in row) for row in ahead]
        limits: dict[int, int] = {}  # by the measure so far: what is at least so heavy is not below the bound
        following: dict[tuple[int, int], int] = {}
        for (bits, a), cut in begun.items():
            if steps * words > MAX_ENUMERATION or len(following) * words > MAX_BEGINNINGS:
                raise Rejected("work", where, "the enumeration takes too many steps, or holds too many beginnings")
            one = sum([weight for bit, weight in back if bits & bit])
            for side, more in ((0, one), (1, sum([weight for _, weight in back]) - one)):
                if p == 0 and side == 1:
                    continue  # which part is called 1 does not matter
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
        begun = following
    if begun:
        raise Rejected("enumeration.lighter", where, "a lighter partition exists")


def enumerate_parts(data: MeasuredGraph, k: int, order: list[int], bound: Fraction, where: str) -> None:
    """Return if Σ_i w_i/a_i >= bound for every partition into exactly k parts; Rejected if not, or if there are too
    many beginnings. Parts are numbered as they come."""
    n = len(order)
    place = {v: p for p, v in enumerate(order)}
    back: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    last = list(range(n))
    for u, v, weight in data.graph.edges:
        p, q = sorted((place[u], place[v]))
        back[q].append((p, weight))
        last[p] = max(last[p], q)
    left, steps = sum(data.measure), 0
    words = k * (sum(weight for _, _, weight in data.graph.edges) + left).bit_length() // 64 + 1
    begun: dict[Any, None] = {((), (), ()): None}  # parts of the vertices so far (−1: no matter), measures, weights
    for p in range(n):
        size = data.measure[order[p]]
        left -= size
        following: dict[Any, None] = {}
        for parts, sizes, cuts in begun:
            if steps * words > MAX_ENUMERATION >> 4 or len(following) * words > MAX_BEGINNINGS >> 2:
                raise Rejected("work", where, "the enumeration takes too many steps, or holds too many beginnings")
            joined = [0] * len(sizes)
            for q, weight in back[p]:
                joined[parts[q]] += weight
            total = sum(joined)
            for i in range(min(len(sizes) + 1, k)):
                steps += len(back[p]) + k + p // 8
                new = i == len(sizes)
                if k - len(sizes) - new > n - p - 1:
                    continue  # too few vertices are left to fill the parts
                grown, weights = list(sizes), [c + j for c, j in zip(cuts, joined, strict=True)]
                if new:
                    grown.append(size)
                    weights.append(total)
                else:
                    grown[i] += size
                    weights[i] += total - 2 * joined[i]
                if sum(Fraction(w, a + left) for w, a in zip(weights, grown, strict=True) if w) >= bound:
                    continue
                kept = tuple(x if last[q] > p else -1 for q, x in enumerate((*parts, i)))
                following[kept, tuple(grown), tuple(weights)] = None
        begun = following
    if begun:
        raise Rejected("enumeration.lighter", where, "a lighter partition exists")
