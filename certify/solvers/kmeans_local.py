"""Good clusterings fast: k-means++ and Lloyd's iteration, single moves (Hartigan), and random swaps of a centre.

Everything is floating point: what a clustering costs is for the kernel to say. Points are (n, d), weights (n,) > 0.
Sources: Arthur and Vassilvitskii 2007; Hartigan 1975; Fränti and Kivijärvi 2000 (random swap).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Labels = NDArray[np.intp]
CHUNK = 4_000_000  # distances that are held at a time
LLOYD_ROUNDS = 300


def squared_distances(points: Floats, centres: Floats) -> Floats:
    """(n, k) squared distances; rounding may leave tiny negative numbers, which become 0."""
    cross = points @ centres.T
    table = np.einsum("ij,ij->i", points, points)[:, None] - 2 * cross + np.einsum("ij,ij->i", centres, centres)[None]
    return np.asarray(np.maximum(table, 0.0, out=table))


def nearest(points: Floats, centres: Floats) -> tuple[Labels, Floats]:
    """The nearest centre of every point, and the squared distance to it."""
    step = max(1, CHUNK // len(centres))
    labels, least = np.empty(len(points), dtype=np.intp), np.empty(len(points))
    for start in range(0, len(points), step):
        table = squared_distances(points[start : start + step], centres)
        labels[start : start + step] = table.argmin(axis=1)
        least[start : start + step] = table.min(axis=1)
    return labels, least


def means(points: Floats, weights: Floats, labels: Labels, k: int) -> tuple[Floats, Floats]:
    """The weighted means (k, d), NaN for an empty cluster, and the masses (k,)."""
    mass = np.asarray(np.bincount(labels, weights, k), dtype=float)
    sums = np.stack([np.bincount(labels, weights * column, k) for column in points.T], axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums / mass[:, None], mass


def cost_of(points: Floats, weights: Floats, labels: Labels, k: int) -> float:
    """The weighted sum of squared distances to the cluster means."""
    centres, _ = means(points, weights, labels, k)
    return float(weights @ ((points - centres[labels]) ** 2).sum(axis=1))


def seeded(points: Floats, weights: Floats, k: int, rng: np.random.Generator) -> Floats:
    """k-means++: each further centre is a point drawn in proportion to its weight times its squared distance."""
    chosen = [int(rng.choice(len(points), p=weights / weights.sum()))]
    least = ((points - points[chosen[0]]) ** 2).sum(axis=1)
    for _ in range(1, k):
        chance = weights * least
        total = chance.sum()
        pick = int(rng.choice(len(points), p=chance / total)) if total > 0 else int(rng.integers(len(points)))
        chosen.append(pick)
        least = np.minimum(least, ((points - points[pick]) ** 2).sum(axis=1))
    return points[chosen]


def lloyd(points: Floats, weights: Floats, centres: Floats, rounds: int = LLOYD_ROUNDS) -> Labels:
    """Lloyd's iteration until the labels stand still; an empty cluster takes the point that costs most."""
    k = len(centres)
    labels, least = nearest(points, centres)
    for _ in range(rounds):
        centres, mass = means(points, weights, labels, k)
        for empty in np.flatnonzero(mass == 0):
            far = int((weights * least).argmax())
            centres[empty], least[far] = points[far], 0.0
        moved, least = nearest(points, centres)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def hartigan(points: Floats, weights: Floats, labels: Labels, k: int) -> Labels:
    """Move single points, the best move first, as long as one lowers the cost: also where Lloyd stands still."""
    labels = labels.copy()
    n = len(points)
    for _ in range(10 * n):
        centres, mass = means(points, weights, labels, k)
        table = squared_distances(points, np.where(np.isnan(centres), 0.0, centres))
        own = table[np.arange(n), labels]
        rest = mass[labels] - weights
        with np.errstate(divide="ignore", invalid="ignore"):
            leave = np.where(rest > 1e-12 * mass[labels], mass[labels] * weights / rest * own, -np.inf)
            enter = mass[None] * weights[:, None] / (mass[None] + weights[:, None]) * table
        enter[np.arange(n), labels] = np.inf
        gain = leave[:, None] - enter
        best = int(gain.argmax())
        i, to = divmod(best, k)
        if not gain[i, to] > 1e-10 * (1.0 + own[i]) * weights[i]:
            break
        labels[i] = to
    return labels


def clusterings(
    points: Floats, weights: Floats, k: int, rng: np.random.Generator, restarts: int, more: Callable[[], bool]
) -> Iterator[tuple[float, Labels]]:
    """Local optima, one a restart: k-means++, Lloyd, and single moves where the points are few."""
    for _ in range(restarts):
        labels = lloyd(points, weights, seeded(points, weights, k, rng))
        if len(points) <= 2000:
            labels = hartigan(points, weights, labels, k)
        yield cost_of(points, weights, labels, k), labels
        if not more():
            return


def swapped(
    points: Floats,
    weights: Floats,
    labels: Labels,
    k: int,
    rng: np.random.Generator,
    trials: int,
    more: Callable[[], bool],
) -> Iterator[tuple[float, Labels]]:
    """Random swap: a centre jumps to a point, Lloyd goes on from there; kept if it is better. Yields improvements."""
    best = cost_of(points, weights, labels, k)
    for _ in range(trials):
        if not more():
            return
        centres, _ = means(points, weights, labels, k)
        centres[np.isnan(centres).any(axis=1)] = points[0]
        centres[int(rng.integers(k))] = points[int(rng.integers(len(points)))]
        other = lloyd(points, weights, centres)
        if len(points) <= 2000:
            other = hartigan(points, weights, other, k)
        cost = cost_of(points, weights, other, k)
        if cost < best * (1 - 1e-12):
            best, labels = cost, other
            yield best, labels
