"""What restricted isometry says to a person: the file to start from, and what proves the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from typing import Any

TEMPLATE = """# How far a matrix is from an isometry on sparse vectors. Solve with: certify solve rip.toml
family = "rip"
title = "Seven rows of a Hadamard matrix"
s = 3                       # vectors of at most 3 entries
# scaling = "best"          # the least constant of all multiples of the matrix

[matrix]
scale_squared = "1/7"       # the matrix is the numbers below, over the square root of 7
rows = [
  [1, -1, 1, -1, 1, -1, 1, -1],
  [1, 1, -1, -1, 1, 1, -1, -1],
  [1, -1, -1, 1, 1, -1, -1, 1],
  [1, 1, 1, 1, -1, -1, -1, -1],
  [1, -1, 1, -1, -1, 1, -1, 1],
  [1, 1, -1, -1, -1, -1, 1, 1],
  [1, -1, -1, 1, -1, 1, 1, -1],
]

[known]                     # compared and printed: (s - 1)/7 for these equiangular columns
value = "2/7"
"""


def rip_explained(d: int, s: int, witnesses: list[Mapping[str, Any]]) -> list[str]:
    """Lines on each witness."""
    lines = []
    for witness in witnesses:
        if witness["kind"] == "vector":
            lines.append(f"a vector on the columns {witness['vector']['index']} is stretched or shrunk that much")
        elif witness["kind"] == "pair":
            high, low = witness["high"]["index"], witness["low"]["index"]
            lines.append(f"vectors on the columns {high} and {low} are stretched so differently")
        elif witness["kind"] == "coherence":
            lines.append("Gershgorin: the diagonal and the largest entries of each row of the Gram matrix bound it")
        else:
            order = int(witness["order"])
            grown = "" if order == s else f", and averages over them bound sets of {s}"
            lines.append(
                f"all {comb(d, order)} sets of {order} columns were gone through as a tree of eliminations{grown}"
            )
    return lines


def rip_picture(gram: Any, s: int, witnesses: list[Mapping[str, Any]]) -> str | None:
    """None: there is nothing to draw that says more than the numbers."""
    return None
