"""Whether every principal submatrix of a size is positive semidefinite: one tree of eliminations over all supports.

Sets of columns with a common beginning share its elimination; what Gershgorin's theorem settles is not gone into.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, isqrt, lcm

from certify.kernel.exact import Rejected
from certify.kernel.isometry import Hermitian

Square = list[list[int]]


def rip_violation(real: Square, imaginary: Square, size: int, where: str, left: list[int]) -> list[int] | None:
    """Indices, at most ``size``, of a principal submatrix that is not positive semidefinite; None if there is none.

    left[0] is the number of products that are still allowed; Rejected when they are used up.
    """
    return _rip_node(real, imaginary, list(range(len(real))), size, 1, where, left)


def _rip_node(
    real: Square, imaginary: Square, labels: list[int], size: int, before: int, where: str, left: list[int]
) -> list[int] | None:
    """The matrix is a positive multiple of the Schur complement of the columns chosen so far (Bareiss 1968).

    A row whose diagonal is at least the size − 1 largest of its other entries is dominant: sets of such rows only are
    positive semidefinite (Gershgorin). All others hold a row that is not; it is chosen first.
    """
    m = len(real)
    left[0] -= m * m
    if left[0] < 0:
        raise Rejected("rip.work", f"{where}.work", "more products than the witness says")
    for i in range(m):
        if real[i][i] < 0:
            return [labels[i]]
    if size == 1:
        return None
    dominant: list[int] = []
    other: list[int] = []
    for i in range(m):
        sizes = rip_sizes(real[i], imaginary[i] if imaginary else [])
        sizes[i] = 0
        sizes.sort(reverse=True)
        (dominant if real[i][i] >= sum(sizes[: size - 1]) else other).append(i)
    order = other + dominant
    for at, k in enumerate(other):
        rest, pivot = order[at + 1 :], real[k][k]
        column = [real[i][k] for i in rest]
        skew = [imaginary[i][k] for i in rest] if imaginary else []
        if pivot == 0 or size == 2:
            squares = (
                [x * x for x in column] if not skew else [x * x + u * u for x, u in zip(column, skew, strict=True)]
            )
            for i, square in zip(rest, squares, strict=True):
                if pivot * real[i][i] < square:
                    return [labels[k], labels[i]]
        if size > 2:
            inner, outer, last = [[row[j] for j in rest] for row in map(real.__getitem__, rest)], [], before
            if imaginary:
                outer = [[row[j] for j in rest] for row in map(imaginary.__getitem__, rest)]
            if pivot:
                inner, outer = _rip_reduced(inner, outer, column, skew, pivot, before)
                last = pivot
            found = _rip_node(inner, outer, [labels[i] for i in rest], size - 1, last, where, left)
            if found is not None:
                return [labels[k], *found]
    return None


def rip_sizes(row: list[int], skew: list[int]) -> list[int]:
    """The moduli of the entries, or integers just above them."""
    return (
        [isqrt(a * a + b * b - 1) + 1 if a or b else 0 for a, b in zip(row, skew, strict=True)]
        if skew
        else [*map(abs, row)]
    )


def _rip_reduced(
    real: Square, skew: Square, x: list[int], u: list[int], pivot: int, before: int
) -> tuple[Square, Square]:
    """pivot·S − (x + iu)(x − iu)ᵀ, over the pivot before; the division is exact."""
    if not u:
        return [
            [(pivot * entry - a * b) // before for entry, b in zip(row, x, strict=True)]
            for row, a in zip(real, x, strict=True)
        ], []
    return [
        [(pivot * entry - a * b - v * w) // before for entry, b, w in zip(row, x, u, strict=True)]
        for row, a, v in zip(real, x, u, strict=True)
    ], [
        [(pivot * entry - v * b + a * w) // before for entry, b, w in zip(row, x, u, strict=True)]
        for row, a, v in zip(skew, x, u, strict=True)
    ]


def rip_sides(
    g: Hermitian, scale: Fraction, value: Fraction, bits: int | None
) -> tuple[list[tuple[Square, Square]], Fraction]:
    """Integer multiples of (1 + ε)I − tG and tG − (1 − ε)I; and how far each entry may be off, times t."""
    unit, real, skew, off = Fraction(scale, g.q), g.real, g.imaginary, scale * g.radius
    if bits is not None:  # the nearest integers: each part is off by at most half a unit
        top, half = unit.numerator << (bits + 1), unit.denominator
        real, skew = ([[(top * e + half) // (2 * half) for e in row] for row in part] for part in (real, skew))
        unit, off = Fraction(1, 1 << bits), off + Fraction(1, 1 << bits)
    common = lcm(unit.denominator, value.denominator)
    factor, sides = int(unit * common), []
    for sign in (-1, 1):
        shift = int((value - sign) * common)
        part = [[sign * factor * e for e in row] for row in real]
        for i, row in enumerate(part):
            row[i] += shift
        turned = [[sign * factor * e for e in row] for row in skew]
        divisor = gcd(*(e for row in part + turned for e in row)) or 1
        sides.append(tuple([[e // divisor for e in row] for row in each] for each in (part, turned)))
    return sides, off  # type: ignore[return-value]
