"""k-means on a line: the optimum by dynamic programming, and potentials that prove it (docs/mathematics/kmeans.md).

Clusters are intervals (Fisher 1958), and the least cost of m intervals is convex in m, so some rent σ for every
interval makes k of them best; shortest ways with that rent are potentials of a witness of kind ``line``. The
dynamic programme runs in doubles, the potentials are integers on a grid on which the best intervals lie exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from math import ceil, lcm
from operator import mul
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.points import PointSet
from certify.kernel.prices import MAX_SCALE

Floats = NDArray[np.float64]
LONGEST_LINE = 6000  # points: the kernel looks at all intervals
NEAR = 1e-9  # ways that are longer by less than this, in a box of width 1, are compared exactly
_EXTRA = 20  # bits of the grid beyond what the best intervals need


@dataclass(frozen=True)
class Line:
    """The optimum on a line: the witness of the lower end and the cluster of every point."""

    witness: dict[str, Any]
    labels: NDArray[np.intp]


def on_line(points: PointSet, k: int) -> Line | None:
    """The optimal clusters of distinct points on a line, k < their number; None if they are too many."""
    n = len(points)
    if n > LONGEST_LINE:
        return None
    order = sorted(range(n), key=lambda i: points.rows[i])
    start = points.rows[order[0]][0]
    places, weights = [points.rows[i][0] - start for i in order], [points.weights[i] for i in order]
    width, heaviest = places[-1], max(weights)
    sums = _Sums.of(np.array([x / width for x in places]), np.array([w / heaviest for w in weights]))
    ladder, cuts = sums.best(k)
    rent = (ladder[k - 1] - ladder[k + 1]) / 2 if k > 1 else ladder[1]
    mass = list(accumulate(weights, initial=0))
    scale = lcm(*(mass[b] - mass[a] for a, b in pairwise(cuts))) << _EXTRA
    scale = scale if scale <= MAX_SCALE else 1 << 60
    sigma = ceil(Fraction(rent) * width * width * heaviest * scale)
    potentials = _potentials(places, weights, sums, rent, scale, sigma)
    labels = np.empty(n, dtype=np.intp)
    for cluster, (a, b) in enumerate(pairwise(cuts)):
        labels[order[a:b]] = cluster
    return Line({"kind": "line", "scale": scale, "potentials": potentials, "sigma": sigma}, labels)


@dataclass(frozen=True)
class _Sums:
    """Σw, Σwx and Σwx² of the first points, (n + 1,) each."""

    mass: Floats
    first: Floats
    second: Floats

    @staticmethod
    def of(places: Floats, weights: Floats) -> _Sums:
        centred = places - np.average(places, weights=weights)
        parts = (weights, weights * centred, weights * centred**2)
        return _Sums(*(np.concatenate([[0.0], np.cumsum(part)]) for part in parts))

    def costs(self, j: int) -> Floats:
        """The costs of the intervals i+1..j for i < j, (j,)."""
        mass = self.mass[j] - self.mass[:j]
        return np.asarray(
            np.maximum(self.second[j] - self.second[:j] - (self.first[j] - self.first[:j]) ** 2 / mass, 0.0)
        )

    def best(self, k: int) -> tuple[Floats, list[int]]:
        """The least cost of m intervals for m = 0..k+1 (infinite for 0), and the ends of k best ones."""
        n = len(self.mass) - 1
        table = np.full((k + 2, n + 1), np.inf)
        table[0, 0] = 0.0
        before = np.zeros((k + 2, n + 1), dtype=np.intp)
        for j in range(1, n + 1):
            ways = table[: k + 1, :j] + self.costs(j)
            before[1:, j] = ways.argmin(axis=1)
            table[1:, j] = ways.min(axis=1)
        cuts = [n]
        for m in range(k, 0, -1):
            cuts.append(int(before[m, cuts[-1]]))
        return table[:, n], cuts[::-1]


def _potentials(places: list[int], weights: list[int], sums: _Sums, rent: float, scale: int, sigma: int) -> list[int]:
    """Shortest ways P_j = min_i P_i + ⌊scale·cost(i+1..j)⌋ + σ, where i runs over those that doubles find near."""
    mass = list(accumulate(weights, initial=0))
    first = list(accumulate(map(mul, weights, places), initial=0))
    second = list(accumulate((w * x * x for w, x in zip(weights, places, strict=True)), initial=0))
    heights, exact = np.zeros(len(mass)), [0]
    for j in range(1, len(mass)):
        ways = heights[:j] + sums.costs(j) + rent
        heights[j] = ways.min()
        lengths = []
        for i in np.flatnonzero(ways <= heights[j] + NEAR).tolist():
            m = mass[j] - mass[i]
            spread = m * (second[j] - second[i]) - (first[j] - first[i]) ** 2
            lengths.append(exact[i] + scale * spread // m + sigma)
        exact.append(min(lengths))
    return exact[1:]
