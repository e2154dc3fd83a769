"""Which pairs can be expanded most: those that no third point decomposes; and pairs that join all points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


def expandable_pairs(squares: Floats, slack: float = 1e-12) -> Pairs:
    """The pairs (m, 2), i < j, that no third point w decomposes: d(u,w) + d(w,v) > d(u,v)(1 + slack) for all w.

    squares: (n, n) squared distances. No map expands a decomposed pair more than one of its parts, so the
    largest expansion is attained on the others; for the metric of a graph they are edges. The pairs of a minimum
    spanning tree are always in, so that all points are joined even where rounding lets near-duplicates
    decompose each other. O(n³) time, O(n²) memory.
    """
    distances = np.sqrt(np.array(squares, dtype=np.float64))
    n = len(distances)
    keep = np.zeros((n, n), dtype=bool)
    tree = spanning_pairs(squares)
    keep[tree[:, 0], tree[:, 1]] = True
    detour = distances.copy()
    np.fill_diagonal(detour, np.inf)  # a pair is not decomposed by its own ends
    for u in range(n - 1):
        shortest = (detour[u, :, None] + detour[:, u + 1 :]).min(axis=0)
        keep[u, u + 1 :] |= shortest > distances[u, u + 1 :] * (1 + slack)
    return np.argwhere(keep).astype(np.int64)


def spanning_pairs(squares: Floats) -> Pairs:
    """The pairs of a minimum spanning tree, (n − 1, 2) with i < j (Prim 1957)."""
    n = len(squares)
    nearest, parent = squares[0].copy(), np.zeros(n, dtype=np.int64)
    outside = np.ones(n, dtype=bool)
    outside[0] = False
    tree = []
    for _ in range(n - 1):
        v = int(np.argmin(np.where(outside, nearest, np.inf)))
        tree.append(sorted((v, int(parent[v]))))
        outside[v] = False
        closer = outside & (squares[v] < nearest)
        nearest[closer], parent[closer] = squares[v, closer], v
    return np.array(tree, dtype=np.int64).reshape(-1, 2)
