"""Gram matrices of frames, by the name of their constructor; irrational entries are enclosed.

A Gram matrix is rows of real parts, rows of imaginary parts (empty if all entries are real), and a radius: no entry is
farther off (0: exact).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from math import isqrt
from typing import Any, NamedTuple

from certify.errors import Fault, InputError

BITS = 100  # of the grid that irrational entries are rounded to
_MORE = 60  # bits that the series have beyond the grid
MOST_COLUMNS = 512
Rows = list[list[Fraction]]


class GramMatrix(NamedTuple):
    """Real parts (d, d), imaginary parts (d, d) or nothing, and the radius that every entry is known to within."""

    real: Rows
    imaginary: Rows
    radius: Fraction


def root_of_unity(k: int, n: int) -> tuple[Fraction, Fraction]:
    """cos and sin of 2πk/n, each within 2^(4 − BITS).

    Taylor's series in fixed point, ``_MORE`` more bits: some 60 terms, each cut by a unit, no factor of which exceeds
    e^(2π) < 2¹⁰.
    """
    unit = 1 << (BITS + _MORE)
    angle = 2 * _pi(unit) * (k % n) // n
    sums, term, m = [0, 0], unit, 0
    while term:
        sums[m % 2] += -term if m % 4 in (2, 3) else term
        m += 1
        term = term * angle // (unit * m)
    return Fraction(sums[0] >> _MORE, 1 << BITS), Fraction(sums[1] >> _MORE, 1 << BITS)


def _pi(unit: int) -> int:
    """π in fixed point, within some hundred units (Machin 1706)."""

    def arctan_inverse(x: int) -> int:
        total, power, m = 0, unit // x, 1
        while power:
            total += (-1) ** (m // 2) * (power // m)
            power //= x * x
            m += 2
        return total

    return 16 * arctan_inverse(5) - 4 * arctan_inverse(239)


def _root(value: int | Fraction) -> Fraction:
    """√value from below, within 2^−BITS; exact for the square of a rational on that grid."""
    value = Fraction(value)
    p, q = isqrt(value.numerator), isqrt(value.denominator)
    if p * p == value.numerator and q * q == value.denominator:
        return Fraction(p, q)
    return Fraction(isqrt((value.numerator << (2 * BITS)) // value.denominator), 1 << BITS)


_RADIUS = Fraction(1, 1 << (BITS - 8))


def icosahedron() -> GramMatrix:
    """The six diagonals of the icosahedron: 1, and ±1/√5 (Haantjes 1948)."""
    a = _root(Fraction(1, 5))
    signs = [[0, 1, 1, 1, 1, 1]] + [[0] * 6 for _ in range(5)]
    for i in range(5):
        for j in range(5):
            signs[1 + i][1 + j] = 0 if i == j else 1 if (i - j) % 5 in (1, 4) else -1
        signs[1 + i][0] = 1
    rows = [[Fraction(1) if i == j else signs[i][j] * a for j in range(6)] for i in range(6)]
    return GramMatrix(rows, [], _RADIUS)


def _beside_identity(real: Rows, imaginary: Rows, exact: bool) -> GramMatrix:
    """The Gram matrix of [I, B] for a unitary B: the blocks I, B, Bᴴ, I."""
    n = len(real)
    one = [[Fraction(int(i == j)) for j in range(n)] for i in range(n)]
    zero = [[Fraction(0)] * n for _ in range(n)]
    turned = [list(column) for column in zip(*real, strict=True)]
    top = [a + b for a, b in zip(one + turned, real + one, strict=True)]
    skew = [[-e for e in column] for column in zip(*imaginary, strict=True)] if imaginary else []
    parts = [a + b for a, b in zip(zero + skew, imaginary + zero, strict=True)] if imaginary else []
    return GramMatrix(top, parts, Fraction(0) if exact else _RADIUS)


def identity_hadamard(n: int) -> GramMatrix:
    """[I, H/√n] with Sylvester's matrix H of order n, a power of two."""
    if n < 1 or n & (n - 1):
        raise InputError(Fault("n", f"{n} is not a power of two"))
    a = _root(Fraction(1, n))
    rows = [[a * (-1) ** (i & j).bit_count() for j in range(n)] for i in range(n)]
    return _beside_identity(rows, [], a * a * n == 1)


def identity_dft(n: int) -> GramMatrix:
    """[I, F] with the unitary discrete Fourier transform of order n."""
    a, circle = _root(Fraction(1, max(n, 1))), [root_of_unity(-k, n) for k in range(n)]
    parts = [[[a * circle[i * j % n][part] for j in range(n)] for i in range(n)] for part in (0, 1)]
    return _beside_identity(parts[0], parts[1], False)


def partial_dft(d: int, rows: int | Sequence[int]) -> GramMatrix:
    """Rows of the Fourier matrix of order d, columns of norm 1: the first ``rows``, or the given ones."""
    chosen = list(range(rows)) if isinstance(rows, int) else list(rows)
    if not chosen or len(set(chosen)) < len(chosen) or not all(0 <= r < d for r in chosen):
        raise InputError(Fault("rows", "different rows of the matrix are needed", f"numbers from 0 to {d - 1}"))
    circle = [root_of_unity(k, d) for k in range(d)]
    sums = [
        [sum((circle[r * k % d][part] for r in chosen), Fraction(0)) / len(chosen) for k in range(d)] for part in (0, 1)
    ]
    sums[0][0], sums[1][0] = Fraction(1), Fraction(0)
    real, imaginary = ([[part[(j - i) % d] for j in range(d)] for i in range(d)] for part in sums)
    # entry (j, i) is the conjugate of (i, j), up to the rounding: made exact from the lower triangle
    for i in range(d):
        for j in range(i):
            real[j][i], imaginary[j][i] = real[i][j], -imaginary[i][j]
    return GramMatrix(real, imaginary, _RADIUS)


GRAMS: Mapping[str, Callable[..., GramMatrix]] = {
    "icosahedron": icosahedron,
    "identity_hadamard": identity_hadamard,
    "identity_dft": identity_dft,
    "partial_dft": partial_dft,
}


def gram_generated(name: str, *args: Any, **parameters: Any) -> GramMatrix:
    """The Gram matrix of a constructor; InputError for wrong parameters or too many columns."""
    numbers = [
        x for value in (*args, *parameters.values()) for x in (value if isinstance(value, list | tuple) else [value])
    ]
    if any(isinstance(x, bool) or not isinstance(x, int) or not 0 <= x <= MOST_COLUMNS for x in numbers):
        raise InputError(Fault("generator", f"parameters are whole numbers from 0 to {MOST_COLUMNS}"))
    try:
        signature(GRAMS[name]).bind(*args, **parameters)
    except TypeError as fault:
        raise InputError(Fault("generator", f"{name}: {fault}")) from None
    if any(x == 0 for x in numbers[:1]):
        raise InputError(Fault("generator", f"{name} of order 0 has no columns"))
    return GRAMS[name](*args, **parameters)
