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
