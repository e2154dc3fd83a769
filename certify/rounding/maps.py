"""Maps into a Euclidean space: a first one from classical scaling, exact ones of Euclidean metrics, and rounding."""

from __future__ import annotations

from math import frexp
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import pdist

from certify.kernel.psd import Triangle
from certify.rounding.grid import on_grid
from certify.rounding.psd import LDL_ROWS, elimination_proof

FEW_AXES = 16  # so many are not worth the trouble
GRID_BITS = 44  # of a point, relative to the smallest distance


def classical_scaling(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Torgerson's (1952) scaling: points of the positive part of the doubly centred −½·d²."""
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    return factored(-centred / 2)


def distortion_squared(points: NDArray[np.float64], squares: NDArray[np.float64]) -> float:
    """distortion² of a map in floating point: a hint, not a bound. From differences of points: a Gram matrix would
    lose the short distances of a metric of many scales."""
    ratios = pdist(points, "sqeuclidean") / squares[np.triu_indices(len(points), 1)]
    return float(ratios.max() / ratios.min()) if ratios.min() > 0 else float("inf")


def factored(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points whose Gram matrix is the positive part of a symmetric matrix."""
    values, vectors = np.linalg.eigh((table + table.T) / 2)
    points: NDArray[np.float64] = vectors * np.sqrt(np.maximum(values, 0.0))
    return points[:, ::-1]


def isometric_gram(squares: Triangle) -> dict[str, Any] | None:
    """An exact Gram matrix with the given squared distances, if there is one (Schoenberg 1935), else None.

    G_ij = d_0i² + d_0j² − d_ij² (twice the usual one) is positive semidefinite iff the metric is Euclidean.
    Only for metrics small enough for exact elimination.
    """
    n = len(squares)
    if n > LDL_ROWS:
        return None
    first = [squares[i][0] for i in range(n)]
    table = [[first[i] + first[j] - squares[i][j] for j in range(i + 1)] for i in range(n)]
    proof = elimination_proof(table)
    return None if proof is None else {"kind": "gram", "gram": {"denominator": 1, "rows": table}, "psd": proof}


def fewer_axes(points: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centred points, (n, k), on as few of their principal axes as serve as well: what is left of an interior point
    on the other axes makes a certificate longer and its check slower, and proves nothing."""
    if points.shape[1] <= FEW_AXES:
        return points
    left, values, _ = np.linalg.svd(points, full_matrices=False)
    best, turned = distortion_squared(points, squares), left * values
    for share in (1e-3, 1e-4, 1e-5, 1e-6, 1e-8):
        chosen: NDArray[np.float64] = turned[:, values > share * values[0]]
        if chosen.shape[1] < points.shape[1] and distortion_squared(chosen, squares) <= best * (1 + 1e-13):
            return chosen
    return points


def coordinates_witness(points: NDArray[np.float64], squares: NDArray[np.float64]) -> dict[str, Any]:
    """Points, (n, k), on a dyadic grid that is fine beside the smallest distance. A map may be scaled, so the grid
    is taken for a largest coordinate of 1."""
    points = fewer_axes(points - points.mean(axis=0), squares)
    points = points / (float(np.max(np.abs(points), initial=0.0)) or 1.0)
    spread = np.sqrt(np.max(squares) / np.min(squares[~np.eye(len(squares), dtype=bool)]))
    used = np.max(np.abs(points), axis=0) > 0
    rows = on_grid(points[:, used] if used.any() else points[:, :1], GRID_BITS + frexp(float(spread))[1])
    return {"kind": "coordinates", "points": {"denominator": 1, "rows": rows}}
