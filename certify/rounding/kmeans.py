"""Witnesses of k-means that need no search: labels and the spectral bound."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.kmeans_lower import scatter_of
from certify.kernel.points import PointSet
from certify.kernel.psd import Triangle
from certify.rounding.psd import elimination_proof, psd_proof

Floats = NDArray[np.float64]
_BITS = 80  # of the largest entry of a scatter matrix, once scaled: room for rounding


def labels_witness(labels: NDArray[np.intp]) -> dict[str, Any]:
    """The clustering itself."""
    return {"kind": "labels", "labels": labels.tolist()}


def in_unit_box(points: PointSet) -> tuple[Floats, Floats, Fraction]:
    """Distinct points in doubles, moved and scaled into [−1, 1] with mean 0, and weights of at most 1; and what a
    cost of 1 is there, times unit·denominator². The differences are taken exactly before they become doubles."""
    columns = list(zip(*points.rows, strict=True))
    width = max(max(column) - min(column) for column in columns) or 1
    heaviest = max(points.weights)
    floats = np.array([[(x - column[0]) / width for x in column] for column in columns], dtype=float).T
    weights = np.array([weight / heaviest for weight in points.weights])
    return floats - np.average(floats, axis=0, weights=weights), weights, Fraction(width * width * heaviest)


def spectral_witness(points: PointSet, k: int) -> dict[str, Any] | None:
    """The Ky Fan bound on the scatter matrix of the points, or None if doubles do not reach it."""
    return _ky_fan(scatter_of(points, False, "points")[1], k, 0)


def quick_spectral_witness(table: NDArray[Any], weights: list[int] | None, k: int) -> dict[str, Any] | None:
    """:func:`spectral_witness` of very many points from their scatter matrix in doubles, with room for its rounding.

    table: (n, d), floats or integers; weights: integers (None: all 1). The kernel may refuse it where the scales of
    the coordinates differ much.
    """
    points = np.asarray(table, dtype=np.float64)
    mass = np.ones(len(points)) if weights is None else np.array(weights, dtype=np.float64)
    centred = points - np.average(points, axis=0, weights=mass)
    floats = (centred * mass[:, None]).T @ centred
    unit = Fraction(4) ** _binary_places(points) * (len(points) if weights is None else sum(weights))
    scatter = [[round(Fraction(float(floats[i, j])) * unit) for j in range(i + 1)] for i in range(len(floats))]
    return _ky_fan(scatter, k, max(row[-1] for row in scatter) // 10**11)


def _binary_places(points: Floats) -> int:
    """The least b >= 0 such that 2^b times every number is an integer."""
    mantissa, exponent = np.frexp(points)
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    lowest = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # of the bits that are set
    return max(0, -int(np.where(whole == 0, 0, exponent - 53 + lowest).min()))


def _ky_fan(scatter: Triangle, k: int, doubt: int) -> dict[str, Any] | None:
    """The witness for a scatter matrix; with ``doubt``, one that holds if each entry is off by at most so much."""
    d = len(scatter)
    trace = sum(scatter[i][i] for i in range(d))
    top = max(max(map(abs, row)) for row in scatter).bit_length()
    scale = 1 << max(0, _BITS - top)
    unit = 1 << max(0, top + scale.bit_length() - 1 - 52)  # of a double, in scaled integers
    table = np.array([[scatter[max(i, j)][min(i, j)] * scale / unit for j in range(d)] for i in range(d)])
    values, vectors = np.linalg.eigh(table)
    values, vectors = values[::-1], vectors[:, ::-1]
    room = 16 * d * doubt * scale  # taken from the diagonal of what is proved
    tiny = max(float(values[0]), 1.0) * 1e-13 * d + 1.25 * room / unit
    if k == 1:
        excess, threshold = np.zeros((d, d)), 2 * float(max(values[0], 0)) + 1
    elif k > d:
        threshold, excess = 0.0, table + tiny * np.eye(d)
    else:
        threshold = max(float(values[k - 1]), 0.0)
        over = np.maximum(values[: k - 1] - threshold, 0.0)
        excess = (vectors[:, : k - 1] * over) @ vectors[:, : k - 1].T + tiny * np.eye(d)
        threshold += tiny
    rows: Triangle = [[round(Fraction(float(excess[i, j])) * unit) for j in range(i + 1)] for i in range(d)]
    t = ceil(Fraction(threshold) * unit) if k > 1 else 2 * trace * scale + 1
    rest = [[rows[i][j] - scale * scatter[i][j] + (t - room if i == j else 0) for j in range(i + 1)] for i in range(d)]
    proofs = [psd_proof(matrix) or elimination_proof(matrix) for matrix in (rows, rest)]
    if None in proofs:
        return None
    return {"kind": "spectral", "scale": scale, "threshold": t, "excess": rows, "psd": proofs[0], "psd_rest": proofs[1]}
