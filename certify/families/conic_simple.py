"""Optima that are simple rationals: guessed from an answer in floating point, proved or dropped."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.cones import Program
from certify.problem import Claim, Proposal
from certify.rounding.conic import Rounder

Floats = NDArray[np.float64]


def simple_proposals(
    program: Program, rounder: Rounder, x: Floats, y: Floats, claim: Claim | None
) -> Iterator[Proposal]:
    """The optimum itself, where it is simple: then both ends are equal."""
    point, dual = rounder.simple_point(x), rounder.simple_multiplier(y)
    sides: tuple[Any, Any] = ("upper", "lower") if program.sense == "min" else ("lower", "upper")
    if point is not None and dual is not None:
        yield Proposal(point, sides[0], x, claim, twin_follows=True)
        yield Proposal(dual, sides[1], None, claim)
