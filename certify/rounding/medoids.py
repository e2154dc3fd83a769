"""Multipliers and centres of the floating-point engines as witnesses of the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.intervals import MAX_ROOT_BITS

FINE = 1e11  # how much finer than the value, relatively, the grid of multipliers is


def grid(items: int, value: float) -> int:
    """Bits of a grid 2^-bits on which rounding n multipliers costs less than value/FINE."""
    if not isfinite(value) or value <= 0:
        return 0
    return min(MAX_ROOT_BITS, max(0, int(np.ceil(np.log2(2 * items * FINE / value)))))


def multipliers_witness(rows: Iterable[NDArray[np.float64]], tree: Sequence[int], bits: int) -> dict[str, Any]:
    """Multipliers in units of the data as integers on the grid; ``tree`` as in the kernel."""
    scaled: list[list[float]] = [np.rint(np.ldexp(row, bits)).tolist() for row in rows]
    v = [[int(entry) for entry in row] for row in scaled]
    return {"kind": "multipliers", "bits": bits, "v": v, "tree": list(tree)}
