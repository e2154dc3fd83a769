"""The engines of k-means: clusterings from restarts and swaps, and prices by column generation.

Floating point throughout, on distinct points in the unit box, (n, d), with weights in (0, 1].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from certify.solvers.kmeans_columns import Instance, Node, branch_and_price
from certify.solvers.kmeans_local import Floats, Labels, clusterings, nearest, swapped
from certify.solvers.kmeans_pricing import Sets, each_once

__all__ = ["Clusterings", "nearest", "priced"]

Clock = Callable[[], float]


class Clusterings:
    """The clusterings that were met: the best of them, and all clusters, for prices to start from."""

    def __init__(self, points: Floats, weights: Floats, k: int, seed: int) -> None:
        self.points, self.weights, self.k = points, weights, k
        self.best: tuple[float, Labels] = (np.inf, np.zeros(len(points), dtype=np.intp))
        self._rng = np.random.default_rng(seed)
        self._pool: list[Sets] = []

    def _met(self, cost: float, labels: Labels, k: int) -> bool:
        """Whether this is the best clustering into k so far."""
        if len(self.points) <= 2000:
            self._pool.append(labels == np.arange(k)[:, None])
        if k != self.k or cost >= self.best[0] * (1 - 1e-12):
            return False
        self.best = (cost, labels)
        return True

    def fast(self, remaining: Clock) -> Iterator[tuple[float, Labels]]:
        """A few restarts; every improvement."""
        for cost, labels in clusterings(self.points, self.weights, self.k, self._rng, 3, lambda: remaining() > 0):
            if self._met(cost, labels, self.k):
                yield self.best

    def thorough(self, remaining: Clock) -> Iterator[tuple[float, Labels]]:
        """Restarts with k − 1, k and k + 1, then swaps, the fewer the more points there are; improvements."""
        n, k = len(self.points), self.k
        count = max(2, min(60, 2_000_000 // (n * k)))
        for other, restarts in ((k, count), (k - 1, count // 4), (k + 1, count // 4)):
            if not 1 <= other < n:
                continue
            for cost, labels in clusterings(
                self.points, self.weights, other, self._rng, restarts, lambda: remaining() > 0
            ):
                if self._met(cost, labels, other):
                    yield self.best
        trials = max(10, min(200, 4_000_000 // (n * k)))
        for cost, labels in swapped(
            self.points, self.weights, self.best[1], k, self._rng, trials, lambda: remaining() > 0
        ):
            if self._met(cost, labels, k):
                yield self.best

    def pool(self) -> Sets:
        """All clusters met, each once, none empty."""
        sets = each_once(np.concatenate(self._pool))
        return np.asarray(sets[sets.any(axis=1)])


def priced(
    found: Clusterings, share: float, remaining: Clock, say: Callable[[str], None]
) -> Iterator[tuple[Node, float, Labels]]:
    """Trees of prices, each with the best clustering known; the last one is within ``share`` of it, if time allows."""
    cost, labels = found.best
    instance = Instance(found.points, found.weights, found.k, found.pool(), cost, labels, remaining, say)
    for root in branch_and_price(instance, lambda: share * instance.best):
        yield root, instance.best, instance.labels
