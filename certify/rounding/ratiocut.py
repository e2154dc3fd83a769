"""The partition bound of balanced cuts in integers: C is the Laplacian, the measures are 1 or the degrees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from certify.rounding.kmeans_partition import rounded_partition
from certify.solvers.kmeans_sdp import multipliers

Edges = Sequence[tuple[int, int, int]]


def laplacian_rows(n: int, edges: Edges) -> list[list[int]]:
    """The lower triangle of Deg − W, in integers."""
    rows = [[0] * (i + 1) for i in range(n)]
    for u, v, w in edges:
        rows[u][u] += w
        rows[v][v] += w
        rows[max(u, v)][min(u, v)] -= w
    return rows


def balanced_witness(
    n: int, edges: Edges, measure: Sequence[int], k: int, accuracy: float | None, remaining: Callable[[], float]
) -> dict[str, Any] | None:
    """The witness ``partition``: with multipliers of Z ≥ 0 from one run of the engine; accuracy None: without them, the
    spectral bound. None if rounding eats it up."""
    rows = laplacian_rows(n, edges)
    worth = max(row[i] for i, row in enumerate(rows)) or 1
    weights = np.array(measure, dtype=float) / max(measure)
    root = np.sqrt(weights)
    u = root / np.linalg.norm(root)
    table = np.zeros((n, n))
    for i, row in enumerate(rows):
        table[i, : i + 1] = [entry / worth for entry in row]
    table += np.tril(table, -1).T
    c = 0.5 * table / np.outer(root, root)
    signs = np.zeros((n, n)) if accuracy is None else multipliers(c, u, k, accuracy, remaining).table
    return rounded_partition(rows, list(measure), worth, weights, c, u, k, signs)
