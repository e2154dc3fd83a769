"""The engines of k-means: clusterings from restarts and swaps, and prices by column generation.

Floating point throughout, on distinct points in the unit box, (n, d), with weights in (0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from certify.solvers.kmeans_columns import Instance, Node, branch_and_price
from certify.solvers.kmeans_local import Floats, Labels, clusterings, lloyd, means, nearest, swapped
from certify.solvers.kmeans_pricing import Sets, each_once

__all__ = ["Clusterings", "alike", "celled", "nearest", "priced", "quick", "relaxation_seconds"]

ROUND_SECONDS = 0.12  # of the relaxation of 600 points: mostly one eigenvalue decomposition
USUAL_ROUNDS = 150
SAMPLE = 20_000

Clock = Callable[[], float]
POOLED = 10_000  # points up to which the clusters that are met are kept
POOL_CELLS = 60_000_000  # entries of the table of them


class Clusterings:
    """The clusterings that were met: the best of them, and all clusters, for prices to start from."""

    def __init__(self, points: Floats, weights: Floats, k: int, seed: int) -> None:
        self.points, self.weights, self.k = points, weights, k
        self.best: tuple[float, Labels] = (np.inf, np.zeros(len(points), dtype=np.intp))
        self._rng = np.random.default_rng(seed)
        self._pool: list[Sets] = []

    def _met(self, cost: float, labels: Labels, k: int) -> bool:
        """Whether this is the best clustering into k so far."""
        if len(self.points) <= POOLED:
            self._pool.append(labels == np.arange(k)[:, None])
        if k != self.k or cost >= self.best[0] * (1 - 1e-12):
            return False
        self.best = (cost, labels)
        return True

    def turned(self, points: Floats, weights: Floats, scale: float) -> Clusterings:
        """What was met, for the same points in other coordinates, in which costs are ``scale`` times as large."""
        other = Clusterings(points, weights, self.k, 0)
        other._pool = self._pool
        other.best = (self.best[0] * scale, self.best[1])
        return other

    def fast(self, remaining: Clock) -> Iterator[tuple[float, Labels]]:
        """A few restarts; every improvement."""
        for cost, labels in clusterings(self.points, self.weights, self.k, self._rng, 3, lambda: remaining() > 0):
            if self._met(cost, labels, self.k):
                yield self.best

    def thorough(self, remaining: Clock) -> Iterator[tuple[float, Labels]]:
        """Restarts with k − 1, k and k + 1, then swaps, the fewer the more points there are; improvements."""
        n, k = len(self.points), self.k
        count = max(3, min(60, 5_000_000 // (n * k)))
        for other, restarts in ((k, count), (k - 1, count // 4), (k + 1, count // 4)):
            if not 1 <= other < n:
                continue
            for cost, labels in clusterings(
                self.points, self.weights, other, self._rng, restarts, lambda: remaining() > 0
            ):
                if self._met(cost, labels, other):
                    yield self.best
        trials = max(20, min(400, 60_000_000 // (n * k)))
        for cost, labels in swapped(
            self.points, self.weights, self.best[1], k, self._rng, trials, lambda: remaining() > 0
        ):
            if self._met(cost, labels, k):
                yield self.best

    def pool(self) -> Sets:
        """Clusters met, each once, none empty: those of the first clusterings, and of the last, which are the best."""
        most = max(2, POOL_CELLS // (len(self.points) * self.k))
        chosen = self._pool if len(self._pool) <= most else [*self._pool[: most // 2], *self._pool[-(most // 2) :]]
        sets = each_once(np.concatenate(chosen))
        return np.asarray(sets[sets.any(axis=1)])


def priced(
    found: Clusterings, share: float, remaining: Clock, say: Callable[[str], None]
) -> Iterator[tuple[Node, float, Labels]]:
    """Trees of prices, each with the best clustering known; the last one is within ``share`` of it, if time allows."""
    cost, labels = found.best
    instance = Instance(found.points, found.weights, found.k, found.pool(), cost, labels, remaining, say)
    for root in branch_and_price(instance, lambda: share * instance.best):
        yield root, instance.best, instance.labels


def celled(found: Clusterings, share: float, seed: int, remaining: Clock, say: Callable[[str], None]) -> Iterator[Node]:
    """Prices of many points in few dimensions, one unknown a cell: see :mod:`certify.solvers.kmeans_cells`."""
    from certify.solvers.kmeans_cells import celled_prices

    labels = found.best[1]
    return celled_prices(found.points, found.weights, labels, found.k, found.pool(), share, seed, remaining, say)


def quick(points: Floats, weights: Floats, k: int, seed: int, remaining: Clock) -> Labels:
    """A good clustering of very many points: the best of restarts on a sample, then a few rounds of Lloyd on all."""
    rng = np.random.default_rng(seed)
    sample = rng.choice(len(points), min(len(points), SAMPLE), replace=False)
    some, their = points[sample], weights[sample] + 1e-12 * weights.max()
    tries = clusterings(some, their, k, rng, 20, lambda: remaining() > 0)
    _, labels = min(tries, key=lambda found: found[0])
    centres = means(some, their, labels, k)[0]
    centres[np.isnan(centres).any(axis=1)] = some[0]
    return lloyd(points, weights, centres, rounds=10 if remaining() > 20 else 1)


def relaxation_seconds(n: int, size: int) -> float:
    """About how long the relaxations of n points in parts of this size take."""
    return n / min(size, n) * USUAL_ROUNDS * ROUND_SECONDS * (min(size, n) / 600) ** 3


def alike(points: Floats, labels: Labels, count: int) -> list[list[int]]:
    """Parts that each look like the whole: the points of each cluster, nearest to its mean first, dealt in turn."""
    parts: list[list[int]] = [[] for _ in range(count)]
    dealt = 0
    for label in np.unique(labels):
        inside = np.flatnonzero(labels == label)
        far = ((points[inside] - points[inside].mean(axis=0)) ** 2).sum(axis=1)
        for i in inside[np.argsort(far, kind="stable")].tolist():
            parts[dealt % count].append(i)
            dealt += 1
    return [sorted(part) for part in parts]
