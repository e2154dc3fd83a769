"""Which pairs can be expanded most: those that no third point decomposes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

CHUNK_ENTRIES = 8_000_000  # of doubles at a time


def expandable_pairs(squares: NDArray[np.float64]) -> NDArray[np.int64]:
    """The pairs (m, 2), i < j, that the maximal expansion of a map can be attained on.

    squares: (n, n) squared distances. If d(u,w) + d(w,v) <= d(u,v), the expansion of (u, v) is at most that of
    (u, w) or of (w, v), whatever the map, so the pair can be left out; for a graph metric the edges remain.
    A tie within rounding counts as decomposed; what is left always joins all points. O(n³) time.
    """
    n = len(squares)
    distances = np.sqrt(squares)
    apart = distances.copy()
    np.fill_diagonal(apart, np.inf)  # a pair is not decomposed by its own ends
    decomposed = np.zeros((n, n), dtype=bool)
    step = max(1, CHUNK_ENTRIES // max(1, n * n))
    for first in range(0, n, step):
        rows = slice(first, min(n, first + step))
        shortest = np.min(apart[rows, None, :] + apart[None, :, :], axis=2)
        decomposed[rows] = shortest <= distances[rows] * (1 + 1e-12)
    i, j = np.triu_indices(n, 1)
    kept = ~decomposed[i, j]
    return np.column_stack([i[kept], j[kept]]).astype(np.int64)
