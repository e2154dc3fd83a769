"""The semidefinite relaxation of k-means (Peng and Wei 2007) by alternating directions: multipliers N of Z >= 0.

For points with weights w let u be the unit vector along √w. min ⟨C, Z⟩, C_ij = ½√(w_i·w_j)·|x_i − x_j|², over
Z = uuᵀ + M with Mu = 0, 0 ⪯ M ⪯ I, tr M = k − 1, and Z >= 0. The first three are a set of matrices whose projection is
one eigenvalue decomposition and a projection of the eigenvalues; Z >= 0 is split off. Whatever N >= 0 comes out,
uᵀ(C − N)u + the sum of the k − 1 smallest eigenvalues of C − N on the complement of u is a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

Floats = NDArray[np.float64]
LOOK = 20  # rounds between two looks at the bound


@dataclass(frozen=True)
class Multipliers:
    """N >= 0, (n, n) with zero diagonal, and the bound that it gives, in the unit of the matrix C."""

    table: Floats
    value: float


def bound_of(c: Floats, u: Floats, k: int, table: Floats) -> float:
    """uᵀ(C − N)u + the sum of the k − 1 smallest eigenvalues of C − N on the complement of u; k >= 2."""
    rest = c - table
    inner = centred(rest, u)
    inner += 2 * float(np.abs(inner).sum(axis=0).max()) * np.outer(u, u)
    values = eigh(inner, eigvals_only=True, subset_by_index=[0, k - 2])
    return float(u @ rest @ u + values.sum())


def multipliers(
    c: Floats, u: Floats, k: int, accuracy: float, remaining: Callable[[], float], rounds: int = 400
) -> Multipliers:
    """Multipliers for min ⟨C, Z⟩; ends when the bound moves by less than ``accuracy`` of itself, or time is over."""
    n = len(c)
    rho = float(np.abs(c).mean()) * n / k
    copy, dual = np.outer(u, u), np.zeros((n, n))
    best = Multipliers(np.zeros((n, n)), bound_of(c, u, k, np.zeros((n, n))))
    last = best.value
    for turn in range(1, rounds + 1):
        z = _projected(copy - dual - c / rho, u, k)
        before = copy
        copy = np.maximum(z + dual, 0.0)
        dual = dual + z - copy
        primal, moved = float(np.linalg.norm(z - copy)), float(np.linalg.norm(copy - before))
        if turn % LOOK == 0:
            table = np.maximum(-rho * dual, 0.0)
            np.fill_diagonal(table, 0.0)
            table = (table + table.T) / 2
            value = bound_of(c, u, k, table)
            if value > best.value:
                best = Multipliers(table, value)
            if remaining() <= 0 or (turn >= 5 * LOOK and abs(value - last) <= accuracy * abs(value)):
                break
            last = value
            if primal > 3 * moved:
                rho, dual = rho * 1.5, dual / 1.5
            elif moved > 3 * primal:
                rho, dual = rho / 1.5, dual * 1.5
    return best


def centred(table: Floats, u: Floats) -> Floats:
    """P·A·P with P = I − uuᵀ."""
    image = table @ u
    return np.asarray(table - np.outer(image, u) - np.outer(u, image) + float(u @ image) * np.outer(u, u))


def _projected(table: Floats, u: Floats, k: int) -> Floats:
    """The nearest matrix uuᵀ + M with Mu = 0, 0 ⪯ M ⪯ I and tr M = k − 1."""
    values, vectors = eigh(centred((table + table.T) / 2, u), overwrite_a=True, check_finite=False)
    others = np.arange(len(u)) != int(np.argmax(np.abs(u @ vectors)))
    clipped = np.zeros(len(u))
    clipped[others] = _capped(values[others], k - 1)
    live = clipped > 0
    return np.asarray((vectors[:, live] * clipped[live]) @ vectors[:, live].T + np.outer(u, u))


def _capped(values: Floats, total: int) -> Floats:
    """The nearest numbers in [0, 1] with this sum: values less a common shift, clipped."""
    low, high = float(values.min()) - 1.0, float(values.max())
    for _ in range(60):
        middle = (low + high) / 2
        if np.clip(values - middle, 0.0, 1.0).sum() > total:
            low = middle
        else:
            high = middle
    return np.clip(values - high, 0.0, 1.0)
