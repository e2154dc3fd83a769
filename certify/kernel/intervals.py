"""Enclosures of square roots by integers on a dyadic grid.

The root of an integer is an integer or irrational, so an enclosure on the grid 2^-bits·ℤ is a point or one step wide.
"""

from __future__ import annotations

from math import isqrt

MAX_ROOT_BITS = 256  # of the grid on which roots are enclosed


def root_enclosure(square: int, bits: int) -> tuple[int, int]:
    """Integers lo <= 2^bits·√square <= hi; equal if the root is an integer, else hi = lo + 1."""
    scaled = square << (2 * bits)
    low = isqrt(scaled)
    return low, low + (low * low != scaled)
