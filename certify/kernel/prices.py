"""Lower bounds of k-means from prices of points (docs/mathematics/kmeans.md).

If prices λ_i and a rent σ >= 0 are such that every cluster S has cost(S) >= Σ_S λ_i − σ, then at most k clusters cost
at least Σλ_i − kσ. The points are distinct and have weights.

``line``  In one dimension some optimal clusters are intervals (Fisher 1958), so intervals are all that is looked at.
``dual``  cost(S) − Σ_S λ_i is the least value of Σ_S (w_i|x_i − y|² − λ_i): see :mod:`certify.kernel.boxes`. At a
          branch a pair of points is in one cluster (they become one item) or in two (a conflict of items).
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from operator import mul
from typing import Any

from certify.kernel.boxes import Item, levelled, prove_boxes
from certify.kernel.exact import Rejected, affordable, array, integer, mapping
from certify.kernel.points import PointSet

MAX_BRANCHES = 200  # pairs on the way from the root of a tree to a leaf
MAX_SCALE = 1 << 200
MAX_LINE = 20_000


def line_bound(witness: dict[str, Any], where: str, points: PointSet, k: int) -> Fraction:
    """P_m − kσ, if cost >= P_j − P_i − σ for the interval of the points i+1..j of m in order, for all i < j."""
    mapping(witness, where, {"kind", "scale", "potentials", "sigma"})
    scale = integer(witness["scale"], f"{where}.scale", 1, MAX_SCALE)
    sigma = integer(witness["sigma"], f"{where}.sigma", least=0)
    if len(points.rows[0]) != 1 or len(points) > MAX_LINE:
        raise Rejected("shape", where, f"expected at most {MAX_LINE} distinct points of one coordinate")
    given = array(witness["potentials"], f"{where}.potentials", len(points))
    heights = [0, *(integer(p, f"{where}.potentials[{i}]") for i, p in enumerate(given))]
    order = sorted(range(len(points)), key=lambda i: points.rows[i])
    places, weights = [points.rows[i][0] for i in order], [points.weights[i] for i in order]
    mass = list(accumulate(weights, initial=0))
    first = list(accumulate(map(mul, weights, places), initial=0))
    second = list(accumulate((w * x * x for w, x in zip(weights, places, strict=True)), initial=0))
    # cost of i+1..j times scale: s·(ΔS − ΔF²/ΔM) >= ΔP − σ
    slack = [scale * s - p for s, p in zip(second, heights, strict=True)]
    bits = [max(abs(entry).bit_length() for entry in values) for values in (mass, first, slack)]
    affordable(where, 4 * len(points) ** 2, max(bits), max(bits[1], scale.bit_length()))
    for j in range(1, len(mass)):
        m, f, s = mass[j], first[j], slack[j] + sigma
        for i in range(j):
            if (m - mass[i]) * (s - slack[i]) < scale * (f - first[i]) ** 2:
                raise Rejected("prices.interval", where, f"points {i + 1} to {j} in order cost less than their prices")
    return Fraction(heights[-1] - k * sigma, scale * points.unit * points.denominator**2)


def dual_bound(witness: dict[str, Any], where: str, points: PointSet, k: int) -> Fraction:
    """The least of the bounds of the leaves of a tree of pairs, which together hold every partition."""
    work = 0
    mapping(witness, where, {"kind", "root"})
    root: Any = (witness["root"], f"{where}.root", list(range(len(points))), [], 0)
    bounds, todo = [], [root]  # a node, its place, of each point the first of its group, pairs apart, the depth
    while todo:
        node, here, group, apart, depth = todo.pop()
        if type(node) is not dict or "pair" not in node:
            bound, work = _leaf_bound(node, here, points, k, group, apart, work)
            bounds.append(bound)
            continue
        table = mapping(node, here, {"pair", "together", "apart"})
        if depth >= MAX_BRANCHES:
            raise Rejected("size", here, f"more than {MAX_BRANCHES} branches above one another")
        pair = array(table["pair"], f"{here}.pair", 2)
        i, j = (group[integer(p, f"{here}.pair[{e}]", 0, len(points) - 1)] for e, p in enumerate(pair))
        if i == j or (min(i, j), max(i, j)) in apart:
            raise Rejected("prices.pair", f"{here}.pair", "it is decided already whether these two are together")
        i, j = min(i, j), max(i, j)
        joined = [i if g == j else g for g in group]
        moved = sorted({_ordered(joined[a], joined[b]) for a, b in apart})
        todo.append((table["together"], f"{here}.together", joined, moved, depth + 1))
        todo.append((table["apart"], f"{here}.apart", group, sorted([*apart, (i, j)]), depth + 1))
    return min(bounds)


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


def _leaf_bound(
    node: Any, where: str, points: PointSet, k: int, group: list[int], apart: list[tuple[int, int]], work: int
) -> tuple[Fraction, int]:
    """Σλ − kσ, once the boxes have shown that no cluster that the branch allows costs less than its prices less σ;
    and the work so far.

    Prices and σ are in units of 1/(unit·(denominator·scale)²).
    """
    table = mapping(node, where, {"scale", "prices", "sigma"})
    scale = integer(table["scale"], f"{where}.scale", 1, MAX_SCALE)
    sigma = integer(table["sigma"], f"{where}.sigma", least=0)
    given = array(table["prices"], f"{where}.prices", len(points))
    prices = [integer(p, f"{where}.prices[{i}]") for i, p in enumerate(given)]
    members: dict[int, list[int]] = {}
    for i, name in enumerate(group):
        members.setdefault(name, []).append(i)
    number = {name: item for item, name in enumerate(members)}
    items: list[Item] = []
    for inside in members.values():
        moments = points.part(inside).moments()
        items.append(levelled(*moments, scale, sum(prices[i] for i in inside), where))
    conflicts = [(number[a], number[b]) for a, b in apart]
    work = prove_boxes(items, conflicts, -sigma, work, where)
    return Fraction(sum(prices) - k * sigma, points.unit * (points.denominator * scale) ** 2), work
