"""Sparse vectors with extreme Rayleigh quotients, in floating point: truncated power steps and swaps.

Nothing here is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

ROUNDS = 40  # of truncated power steps

Square = NDArray[Any]  # (d, d), real symmetric or complex Hermitian


def on_support(g: Square, support: Iterable[int], sign: int) -> tuple[float, NDArray[Any]]:
    """The greatest (sign 1) or least (−1) eigenvalue of the principal submatrix, and its eigenvector (|S|,)."""
    chosen = list(support)
    values, vectors = np.linalg.eigh(g[np.ix_(chosen, chosen)])
    at = -1 if sign > 0 else 0
    return float(values[at]), vectors[:, at]


def truncated_power(g: Square, sign: int, size: int, support: list[int], shift: float) -> list[int]:
    """Supports of the largest entries of (sign·G + shift)x, x an eigenvector on the last one, while they improve."""
    best = -np.inf
    for _ in range(ROUNDS):
        value, vector = on_support(g, support, sign)
        if sign * value <= best + 1e-13 * max(1.0, abs(value)):
            break
        best, kept = sign * value, support
        x = np.zeros(len(g), dtype=g.dtype)
        x[support] = vector
        image = g[:, support] @ vector
        for weight in (0.0, shift):
            step = np.abs(sign * image + weight * x)
            support = sorted(np.argsort(-step, kind="stable")[:size].tolist())
            if sign * on_support(g, support, sign)[0] > best:
                break
    return kept


def swapped(g: Square, sign: int, support: list[int], remaining: Callable[[], float] = lambda: np.inf) -> list[int]:
    """The support after the best exchanges of one index for another, until none improves it."""
    best = sign * on_support(g, support, sign)[0]
    while remaining() > 0:
        others = [j for j in range(len(g)) if j not in set(support)]
        trials = [sorted([*support[:i], *support[i + 1 :], j]) for i in range(len(support)) for j in others]
        if not trials:
            return support
        stack = np.array(trials)
        values = np.linalg.eigvalsh(g[stack[:, :, None], stack[:, None, :]])
        reached = values[:, -1] if sign > 0 else -values[:, 0]
        at = int(np.argmax(reached))
        if reached[at] <= best + 1e-12 * max(1.0, abs(best)):
            return support
        best, support = float(reached[at]), trials[at]
    return support


def extreme_support(
    g: Square, sign: int, size: int, starts: int = 200, remaining: Callable[[], float] = lambda: np.inf
) -> list[int]:
    """``size`` columns whose greatest (or least, by sign) eigenvalue is as extreme as local search finds in time."""
    d = len(g)
    shift = float(np.max(np.sum(np.abs(g), axis=1)))
    found: dict[tuple[int, ...], float] = {}
    for j in range(min(d, starts)):
        if found and remaining() <= 0:
            break
        order = np.argsort(-np.abs(g[j]), kind="stable").tolist()
        order.remove(j)
        support = truncated_power(g, sign, size, sorted([j, *order[: size - 1]]), shift)
        found[tuple(support)] = sign * on_support(g, support, sign)[0]
    best = sorted(found, key=lambda support: (-found[support], support))[:4]
    tried = [swapped(g, sign, list(support), remaining) for support in best]
    return max(tried, key=lambda support: sign * on_support(g, support, sign)[0])
