"""Floats on a dyadic grid, rationals over a common denominator."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray


def on_grid(values: NDArray[np.float64], bits: int) -> list[list[int]]:
    """The nearest integers to ``values * 2**bits``; exact for any bits, since scaling by 2 is."""
    scaled: list[list[float]] = np.rint(np.ldexp(values, bits)).tolist()
    return [[int(entry) for entry in row] for row in scaled]


def over_common_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[int, list[list[int]]]:
    """Integers a_ij and the least q > 0 with rows_ij = a_ij / q."""
    q = lcm(*(entry.denominator for row in rows for entry in row))
    return q, [[entry.numerator * (q // entry.denominator) for entry in row] for row in rows]


def as_floats(triangle: Sequence[Sequence[int | Fraction]], unit: Fraction) -> NDArray[np.float64]:
    """The full symmetric matrix in floating point, each entry times ``unit`` correctly rounded."""
    n = len(triangle)
    table = np.zeros((n, n))
    for i, row in enumerate(triangle):
        table[i, : i + 1] = [float(entry * unit.numerator / unit.denominator) for entry in row]
    return table + np.tril(table, -1).T
