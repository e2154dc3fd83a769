"""The partition bound of k-means in integers: a witness of kind ``partition`` from multipliers in doubles.

With E = Diag(√w), A = E⁻¹(Q − N)E⁻¹ and u the unit vector along √w: A − (auᵀ + uaᵀ) = PAP + λuuᵀ for
a = Au − ½(uᵀAu + λ)u, and W lifts the eigenvalues of PAP below λ to λ. So C − ½(ywᵀ + wyᵀ) − λ·Diag(w) − N + W is
positive semidefinite with y = 2Ea/|√w|; a small step down of λ makes up for rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from scipy.linalg import eigh

from certify.kernel.points import PointSet
from certify.kernel.psd import Triangle, gram
from certify.rounding.kmeans import in_unit_box
from certify.rounding.psd import psd_proof
from certify.solvers.kmeans_sdp import Floats, centred, multipliers

BITS = 44  # of the largest entry of Q on the grid
STEPS = (1e-10, 1e-8, 1e-6, 1e-5)  # of λ, as shares of the largest eigenvalue


def partition_witness(
    points: PointSet, k: int, accuracy: float, remaining: Callable[[], float]
) -> dict[str, Any] | None:
    """The witness for distinct points, k < their number; None if rounding eats it up. Costs one run of the engine."""
    floats, weights, _ = in_unit_box(points)
    root = np.sqrt(weights)
    u = root / np.linalg.norm(root)
    squares = (floats**2).sum(axis=1)
    distances = np.maximum(squares[:, None] + squares[None] - 2 * floats @ floats.T, 0.0)
    c = 0.5 * distances * np.outer(root, root)
    return _rounded(points, weights, c, u, k, multipliers(c, u, k, accuracy, remaining).table)


def _rounded(points: PointSet, weights: Floats, c: Floats, u: Floats, k: int, table: Floats) -> dict[str, Any] | None:
    g, w = gram(points.rows, False, "points"), points.weights
    q = [[w[i] * w[j] * (g[i][i] + g[j][j] - 2 * g[i][j]) for j in range(i + 1)] for i in range(len(w))]
    width = max(max(column) - min(column) for column in zip(*points.rows, strict=True))
    return rounded_partition(q, w, width * width * max(w) ** 2, weights, c, u, k, table)


def rounded_partition(
    q: Triangle, w: list[int], worth: int, weights: Floats, c: Floats, u: Floats, k: int, table: Floats
) -> dict[str, Any] | None:
    """The witness for ⟨Q, Z⟩ with integers q, measures w, from multipliers of Z ≥ 0 in doubles (table); or None.

    In doubles the measures are weights = w/max w and the matrix is 2c = E⁻¹(Q/worth)E⁻¹ with E = Diag(√weights).
    """
    n, heaviest = len(w), max(w)
    most = max(abs(entry) for row in q for entry in row)
    scale = 1 << max(0, BITS - most.bit_length())
    unit = Fraction(scale * worth)
    root = np.sqrt(weights)
    length = float(np.linalg.norm(root))
    a = 2 * (c - table)
    values, vectors = eigh(centred(a, u))
    others = np.arange(n) != int(np.argmax(np.abs(u @ vectors)))
    values, vectors = values[others], vectors[:, others]
    outer = np.outer(root, root)
    nonnegative = [
        [int(entry * unit) if entry > 0 else 0 for entry in map(Fraction, row[:i])]
        for i, row in enumerate((2 * table * outer).tolist())
    ]
    for step in STEPS:
        level, slack = float(values[k - 2]), step * float(np.abs(values).max())
        down = values < level
        image = a @ u
        side = image - 0.5 * (float(u @ image) + level) * u
        y = [round(Fraction(entry) * unit / heaviest) for entry in (2 * root * side / length).tolist()]
        shift = floor(Fraction(level - slack) * unit / heaviest)
        lift = root[:, None] * vectors[:, down] * np.sqrt(level - values[down])[None]
        half = _root(2 * unit)
        projection = [[round(entry * half) for entry in map(Fraction, row)] for row in lift.tolist()]
        witness = {
            "kind": "partition",
            "scale": scale,
            "y": y,
            "shift": shift,
            "nonnegative": nonnegative,
            "projection": projection,
        }
        rest = _rest(q, w, scale, y, shift, nonnegative, projection)
        proof = psd_proof(rest)
        if proof is not None:
            return {**witness, "psd": proof}
    return None


def _root(value: Fraction) -> Fraction:
    """A square root, good to a double."""
    bits = max(0, value.numerator.bit_length() - 900) // 2
    return Fraction(float(value / (1 << (2 * bits))) ** 0.5) * (1 << bits)


def _rest(
    q: Triangle, w: list[int], scale: int, y: list[int], shift: int, nonnegative: Triangle, projection: Triangle
) -> Triangle:
    """2·scale·Q − (ywᵀ + wyᵀ) − 2λ·Diag(w) − 2N + VVᵀ, the matrix that is to be positive semidefinite."""
    square = gram(projection, False, "projection")
    rest = [
        [2 * scale * entry - y[i] * w[j] - w[i] * y[j] + square[i][j] for j, entry in enumerate(row)]
        for i, row in enumerate(q)
    ]
    for i, row in enumerate(nonnegative):
        rest[i][i] -= 2 * shift * w[i]
        for j, entry in enumerate(row):
            rest[i][j] -= 2 * entry
    return rest
