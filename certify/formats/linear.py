"""A linear program as a file states it, exactly: what the readers of MPS and LP files return."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Terms = dict[int, Fraction]
End = Fraction | None  # of an interval; None is infinite


@dataclass(frozen=True)
class LinearRow:
    """lower ≤ Σ terms[j]·x_j ≤ upper; an end that is None is not there."""

    name: str
    terms: Terms
    lower: End
    upper: End


@dataclass(frozen=True)
class LinearModel:
    """Optimise Σ cost[j]·x_j + constant over the rows and the bounds of the columns.

    names, lower, upper, whole: one entry a column; whole: asked to be an integer, which a linear program cannot say.
    notes: what the reader took for granted, for a person.
    """

    sense: Literal["min", "max"]
    objective: str
    cost: Terms
    constant: Fraction
    rows: tuple[LinearRow, ...]
    names: tuple[str, ...]
    lower: tuple[End, ...]
    upper: tuple[End, ...]
    whole: tuple[bool, ...]
    notes: tuple[str, ...] = ()
