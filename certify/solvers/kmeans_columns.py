"""The set-partitioning relaxation of k-means by column generation, with branching on pairs of points.

Master: min Σ_S cost(S)·z_S over clusters S, every point covered, at most k clusters (du Merle, Hansen, Jaumard,
Mladenović 2000; Aloise, Hansen, Liberti 2012). Its dual, max Σλ − kσ with Σ_S λ − σ <= cost(S), is solved over the
clusters known so far by an interior-point method, whose answer lies in the middle of the optimal face: few rounds
are needed and few clusters are tight, so that the proof by boxes is short. Where the optimum is fractional, a pair of
points is put into one cluster or into two (Ryan and Foster 1981).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from certify.solvers.kmeans_pricing import CHECKED, Floats, Items, Sets, each_once, fixed_points, search
from certify.solvers.packing_lp import packing

ROUNDS = 400
POOL = 6000  # clusters that the master holds; beyond it those with the largest reduced cost go
COARSE, FINE = 1e-6, 1e-10  # relative gaps to which the master is solved: while clusters are found, and at the end


@dataclass(frozen=True)
class Prices:
    """What a node of the tree has for its leaf: prices of the points (n,), the rent σ, and their value Σλ − kσ."""

    prices: Floats
    sigma: float
    value: float


@dataclass
class Node:
    """A node of the tree: of each point the group it is in (numbered by first points), pairs of groups apart."""

    group: tuple[int, ...]
    apart: tuple[tuple[int, int], ...]
    leaf: Prices | None = None
    pair: tuple[int, int] | None = None
    children: list[Node] = field(default_factory=list)

    def leaves(self) -> Iterator[Node]:
        """The leaves below, or the node itself."""
        if not self.children:
            yield self
        for child in self.children:
            yield from child.leaves()

    def value(self) -> float:
        """The bound of the tree below."""
        return min((leaf.leaf.value if leaf.leaf is not None else 0.0) for leaf in self.leaves())

    def split(self, pair: tuple[int, int]) -> None:
        """Branch on two groups: together, apart. Both inherit the prices."""
        i, j = min(pair), max(pair)
        self.pair = (i, j)
        joined = tuple(i if g == j else g for g in self.group)
        moved = tuple(sorted({_ordered(joined[a], joined[b]) for a, b in self.apart}))
        self.children = [Node(joined, moved, self.leaf), Node(self.group, (*self.apart, (i, j)), self.leaf)]


def _ordered(a: int, b: int) -> tuple[int, int]:
    return (a, b) if a < b else (b, a)


@dataclass
class Instance:
    """Distinct points (n, d), weights (n,), k, and the clusters that were met so far: (m, n), with their costs."""

    points: Floats
    weights: Floats
    k: int
    pool: Sets
    best: float  # cost of the best clustering known
    labels: NDArray[np.intp]  # of it
    remaining: Callable[[], float]  # seconds
    say: Callable[[str], None] = lambda text: None

    def more(self) -> bool:
        """Whether there is time left."""
        return self.remaining() > 0

    def items(self, node: Node) -> tuple[Items, NDArray[np.intp]]:
        """The groups of a node as items, and the item of every point."""
        names, number = np.unique(np.array(node.group), return_inverse=True)
        mass = np.asarray(np.bincount(number, self.weights), dtype=float)
        places = np.stack([np.bincount(number, self.weights * x) / mass for x in self.points.T], axis=1)
        spread = self.weights * ((self.points - places[number]) ** 2).sum(axis=1)
        constants = np.maximum(np.bincount(number, spread), 0.0)
        constants[np.bincount(number) == 1] = 0.0
        at = {name: item for item, name in enumerate(names.tolist())}
        return Items(places, mass, constants, tuple((at[a], at[b]) for a, b in node.apart)), number

    def columns(self, items: Items, number: NDArray[np.intp]) -> Sets:
        """The clusters of the pool that a node allows, in its items."""
        count = np.zeros((len(self.pool), len(items)))
        np.add.at(count.T, number, self.pool.T)
        size = np.bincount(number)
        whole = ((count == 0) | (count == size[None])).all(axis=1)
        sets = count[whole] > 0
        return each_once(sets[items.allowed(sets) & sets.any(axis=1)])

    def offer(self, labels: NDArray[np.intp], cost: float) -> bool:
        """A clustering; kept if it is the best so far."""
        if cost >= self.best * (1 - 1e-12):
            return False
        self.best, self.labels = cost, labels
        return True


def solved_node(instance: Instance, node: Node, slack: float) -> NDArray[np.float64] | None:
    """Raise the value of a node as far as it goes; ``slack`` is what its leaf may lie below the optimum of the master.

    Sets node.leaf to prices that hold for every cluster (as boxes in doubles show). Returns how much two items
    are together in the optimal fractional clustering, (items, items), or None if the node is done with: its
    value is at the best clustering known, or time is over.
    """
    items, number = instance.items(node)
    n, k, scale = len(items), instance.k, max(instance.best, 1e-300)
    size = np.bincount(number)
    pool = instance.columns(items, number)
    if items.conflicts or len(pool) < n:
        pool = each_once(np.concatenate([pool, np.eye(n, dtype=bool)]))
    costs = items.costs(pool)
    middle, best, accuracy = None, -np.inf, COARSE
    for _ in range(ROUNDS):
        if not instance.more():
            return None
        prices, sigma, chosen = _master(pool, costs, k, scale, accuracy)
        value = prices.sum() - k * sigma
        starts = np.concatenate([items.places, items.centres(pool)])
        new = np.zeros((0, n), dtype=bool)
        for query in (prices,) if middle is None else (0.7 * prices + 0.3 * middle, prices):
            found = fixed_points(items, query, starts)
            if len(found) == 0:
                continue
            cost = items.costs(found)
            lagrange = query.sum() - k * max(0.0, -(cost - found @ query).min())
            if lagrange > best:
                best, middle = lagrange, query
            reduced = cost - found @ prices
            low = np.flatnonzero(reduced < -sigma - 0.2 * slack / k)
            if len(low):
                new = found[low[np.argsort(reduced[low])[:300]]]
                break
        if len(new) == 0 and accuracy > FINE:
            accuracy = max(FINE, accuracy * 1e-4)
            continue
        if len(new) == 0:
            # The value may fall short of the best clustering by slack; what the master leaves of that is room.
            room = max(0.9 * slack - (scale - value), 0.3 * slack) / k
            shown = search(items, prices, -(sigma + room), CHECKED * instance.remaining() / 3, instance.more)
            if shown.proved:
                leaf = Prices((prices / size)[number], sigma + room, value - k * room)
                if node.leaf is None or leaf.value > node.leaf.value:
                    node.leaf = leaf
                break
            if len(shown.centres) == 0:
                return None
            new = fixed_points(items, prices, shown.centres)
            new = each_once(np.concatenate([new, items.wanted(prices, shown.centres)]))
        instance.pool = each_once(np.concatenate([instance.pool, new[:, number]]))
        if len(pool) > POOL:
            pool = pool[np.sort(np.argsort(costs - pool @ prices)[: POOL // 2])]
        pool = each_once(np.concatenate([pool, new]))
        costs = items.costs(pool)
        instance.say(f"prices: {len(pool)} clusters, at most {value:.9g}")
    else:
        return None
    _improve(instance, items, number, pool, costs, chosen, slack)
    if node.leaf is not None and node.leaf.value >= instance.best - slack:
        return None
    used = chosen > 1e-7
    return np.asarray((pool[used].T * chosen[used]) @ pool[used])


def _improve(
    instance: Instance,
    items: Items,
    number: NDArray[np.intp],
    pool: Sets,
    costs: Floats,
    chosen: Floats,
    slack: float,
) -> None:
    """A clustering from the clusters of the master, by the integer programme over those that may be in it."""
    if (costs @ chosen) > instance.best - slack:
        return
    from scipy.optimize import Bounds, LinearConstraint, milp

    order = np.argsort(-chosen)[:600]
    sets = pool[order]
    cover = LinearConstraint(sets.T.astype(float), 1, np.inf)
    count = LinearConstraint(np.ones((1, len(sets))), 0, instance.k)
    answer = milp(costs[order], integrality=np.ones(len(sets)), bounds=Bounds(0, 1), constraints=[cover, count],
                  options={"time_limit": 10.0})  # fmt: skip
    if answer.x is None:
        return
    taken = sets[answer.x > 0.5]
    labels = np.array([int(np.flatnonzero(taken[:, i])[0]) for i in range(len(items))])[number]
    from certify.solvers.kmeans_local import cost_of, hartigan

    labels = hartigan(instance.points, instance.weights, labels, instance.k)
    instance.offer(labels, cost_of(instance.points, instance.weights, labels, instance.k))


def _master(pool: Sets, costs: Floats, k: int, scale: float, accuracy: float) -> tuple[Floats, float, Floats]:
    """Prices, σ and the fractional clustering of the master over a pool; all of them in the middle of their face."""
    table = np.hstack([pool.astype(float), -np.ones((len(pool), 1))])
    answer = packing(table, costs / scale, np.concatenate([np.ones(pool.shape[1]), [-float(k)]]), accuracy)
    return answer.u[:-1] * scale, float(answer.u[-1] * scale), answer.z


def branch_and_price(instance: Instance, slack: Callable[[], float]) -> Iterator[Node]:
    """The tree of pairs, every time its bound or the best clustering has improved. The worst leaf is split first."""
    root = Node(tuple(range(len(instance.points))), ())
    together: dict[int, NDArray[np.float64]] = {}
    todo = [root]
    while todo and instance.more():
        node = todo.pop(min(range(len(todo)), key=lambda at: _value(todo[at])))
        if node.leaf is not None and node.leaf.value >= instance.best - slack():
            continue
        shares = solved_node(instance, node, slack())
        if node.leaf is not None:
            yield root
        if shares is None:
            continue
        together[id(node)] = shares
        pair = _undecided(shares)
        if pair is None:
            continue
        names = np.unique(np.array(node.group))
        node.split((int(names[pair[0]]), int(names[pair[1]])))
        todo += node.children


def _value(node: Node) -> float:
    return node.leaf.value if node.leaf is not None else -np.inf


def _undecided(shares: Floats) -> tuple[int, int] | None:
    """The pair of items that is together in nearest to half of the fractional clustering."""
    doubt = np.minimum(shares, 1 - shares)
    doubt[np.tril_indices(len(shares))] = 0.0
    best = int(doubt.argmax())
    i, j = divmod(best, len(shares))
    return (i, j) if doubt[i, j] > 1e-4 else None
