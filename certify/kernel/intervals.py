"""Enclosures of square roots by integers on a dyadic grid, and single roots exactly.

The root of an integer is an integer or irrational, so an enclosure on the grid 2^-bits·ℤ is a point or one step wide.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any

from certify.kernel.quadratic import Surd

MAX_ROOT_BITS = 256  # of the grid on which roots are enclosed
MAX_SURD_BITS = 256  # of a number whose root is stated as a root, not as an enclosure
_SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


def root_enclosure(square: int, bits: int) -> tuple[int, int]:
    """Integers lo <= 2^bits·√square <= hi; equal if the root is an integer, else hi = lo + 1."""
    scaled = square << (2 * bits)
    low = isqrt(scaled)
    return low, low + (low * low != scaled)


def exact_root(square: int, unit: Fraction, upward: bool) -> Any:
    """√square·unit: a Fraction if it is rational, else a Surd; of a very long number the end of an enclosure.

    Equal arguments give equal numbers, and of one unit only those. Small square factors are taken out of the root.
    """
    low, high = root_enclosure(square, 0)
    if low == high:
        return low * unit
    if square.bit_length() > MAX_SURD_BITS:
        ends = root_enclosure(square, MAX_ROOT_BITS)
        return Fraction(ends[upward], 1 << MAX_ROOT_BITS) * unit
    outside = 1
    for p in _SMALL_PRIMES:
        while square % (p * p) == 0:
            square, outside = square // (p * p), outside * p
    return Surd(Fraction(0), outside * unit, square)
