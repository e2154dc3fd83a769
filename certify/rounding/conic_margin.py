"""A semidefinite program moved inwards on both sides, so that the answers have room for rounding.

Jansson, Chaykin and Keil (2007) perturb one side at a time. Here one solve serves both: (P) with F_0 + δI and
costs c_k − δ·tr F_k has points x with Σ x_k F_k − F_0 ⪰ δI, and from its multipliers Y' the Y = Y' + δI ⪰ δI has
Σ ⟨F_k, Y⟩ = c_k. Where one side of (P) has no interior that program is infeasible: then nothing is lost but time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certify.formats.sdpa import SdpaBlock, SdpaProgram


def with_margin(program: SdpaProgram, margin: Fraction) -> SdpaProgram:
    """The program with F_0 + margin·I and costs c_k − margin·tr F_k, exact."""
    cost = list(program.cost)
    blocks = []
    for block in program.blocks:
        for k, i, j, value in block.entries:
            if k and i == j:
                cost[k - 1] -= margin * value
        blocks.append(_plus_identity(block, margin))
    return replace(program, cost=tuple(cost), blocks=tuple(blocks))


def from_margin(multipliers: Sequence[NDArray[np.float64]], margin: float) -> tuple[NDArray[np.float64], ...]:
    """Multipliers of the moved program as multipliers Y' + margin·I of the program itself."""
    return tuple(part + (margin if part.ndim == 1 else margin * np.eye(len(part))) for part in multipliers)


def _plus_identity(block: SdpaBlock, margin: Fraction) -> SdpaBlock:
    constant = {(i, j): value for k, i, j, value in block.entries if k == 0}
    for i in range(block.size):
        constant[i, i] = constant.get((i, i), Fraction(0)) + margin
    moved = tuple((0, i, j, value) for (i, j), value in sorted(constant.items()) if value)
    return replace(block, entries=moved + tuple(entry for entry in block.entries if entry[0]))
