"""Restricted isometry: the least ε with |‖Wx‖²/‖x‖² − 1| ≤ ε for every x ≠ 0 of at most s entries.

With ``scaling: best`` in the problem: the least ε of all multiples of W. Witnesses (docs/mathematics/rip.md), with
G = WᴴW, whose scaling t is 1 unless it is free:

``vector``     x of at most s entries: the constant is at least |xᴴGx/xᴴx − 1|. Free scale: ``pair`` of x and y.
``coherence``  the kernel computes max_j (|tG_jj − 1| + the s − 1 largest |tG_ij|) (Gershgorin).
``supports``   ε and an order m ≤ s: (1 + ε)I − tG and tG − (1 − ε)I are positive semidefinite on every m columns, by
               a tree of eliminations that the kernel goes through; m < s: the averaged bound. ``bits``: G is
               rounded first.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, isqrt, lcm
from typing import Any

from certify.kernel.exact import Rejected, affordable, array, integer, kind, longest, mapping, rational, rational_text
from certify.kernel.isometry import Hermitian, Isometry, canonical_isometry, hermitian
from certify.kernel.statement import Rules

MAX_GRID = 1 << 10
MAX_ORDER = 64

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
        sizes = _rip_sizes(real[i], imaginary[i] if imaginary else [])
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


def _rip_sizes(row: list[int], skew: list[int]) -> list[int]:
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
    unit, real, skew, off = scale / g.q, g.real, g.imaginary, scale * g.radius
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


def _rip_supports(witness: dict[str, Any], where: str, data: Isometry, g: Hermitian, scale: Fraction) -> Fraction:
    value = rational(witness["value"], f"{where}.value")
    order = integer(witness["order"], f"{where}.order", min(2, data.sparsity), min(data.sparsity, MAX_ORDER))
    work = integer(witness["work"], f"{where}.work", 0)
    bits = integer(witness["bits"], f"{where}.bits", 1, MAX_GRID) if "bits" in witness else None
    numbers = max(longest(g.real), longest(g.imaginary), g.q.bit_length()) + scale.numerator.bit_length()
    numbers += (
        scale.denominator.bit_length() + value.numerator.bit_length() + value.denominator.bit_length() + (bits or 0)
    )
    affordable(where, 64 * len(data) ** 2, numbers, numbers)
    sides, off = rip_sides(g, scale, value, bits)
    minor = order * (max(longest(part) for side in sides for part in side) + order.bit_length())
    affordable(where, (64 if g.imaginary else 16) * work, minor, minor)
    left = [work]
    for real, imaginary in sides:
        found = rip_violation(real, imaginary, order, where, left)
        if found is not None:
            raise Rejected("rip.support", f"{where}.value", f"too small on the columns {found}"[:100])
    proved = value + order * off
    if order == data.sparsity:
        return proved
    diagonal = max(abs(scale * Fraction(row[i], g.q) - 1) for i, row in enumerate(g.real)) + scale * g.radius
    return ((data.sparsity - 1) * proved + (data.sparsity - order) * diagonal) / (order - 1)


def _rip_coherence(data: Isometry, g: Hermitian, scale: Fraction) -> Fraction:
    unit, worst = scale / g.q, Fraction(0)
    for i, row in enumerate(g.real):
        sizes = _rip_sizes(row, g.imaginary[i] if g.imaginary else [])
        sizes[i] = 0
        sizes.sort(reverse=True)
        worst = max(worst, abs(unit * row[i] - 1) + unit * sum(sizes[: data.sparsity - 1]))
    return worst + data.sparsity * scale * g.radius


def _rip_quotient(value: Any, where: str, data: Isometry, g: Hermitian) -> tuple[Fraction, Fraction]:
    """xᴴGx/xᴴx, and how far it may be off."""
    table = mapping(value, where, {"index", "value"}, {"imaginary"} if g.imaginary else set())
    entries = array(table["index"], f"{where}.index")
    if not 0 < len(entries) <= data.sparsity:
        raise Rejected("rip.sparse", f"{where}.index", f"a vector has from 1 to {data.sparsity} entries")
    index = [integer(e, f"{where}.index[{i}]", 0, len(data) - 1) for i, e in enumerate(entries)]
    if any(a >= b for a, b in pairwise(index)):
        raise Rejected("rip.order", f"{where}.index", "must increase")
    parts = []
    for key in ("value", "imaginary"):
        part = array(table.get(key, [0] * len(index)), f"{where}.{key}", len(index))
        parts.append([integer(e, f"{where}.{key}[{i}]") for i, e in enumerate(part)])
    x, u = parts
    long = max(longest([x]), longest([u]))
    affordable(where, 8 * len(index) ** 2, 2 * long, max(longest(g.real), longest(g.imaginary)))
    square = sum(e * e for e in x + u)
    if square == 0:
        raise Rejected("rip.sparse", f"{where}.value", "the vector is zero")
    total = 0
    for i, a, v in zip(index, x, u, strict=True):
        for j, b, w in zip(index, x, u, strict=True):
            total += g.real[i][j] * (a * b + v * w)
            if g.imaginary:
                total += g.imaginary[i][j] * (v * b - a * w)
    return Fraction(total, g.q * square), len(index) * g.radius


def check_rip(witness: dict[str, Any], where: str, data: Isometry, pure: bool) -> tuple[Any, ...]:
    word = kind(witness, where, ("pair" if data.free else "vector", "coherence", "supports"))
    g = hermitian(data, pure, where)
    if word == "vector":
        mapping(witness, where, {"kind", "vector"})
        quotient, off = _rip_quotient(witness["vector"], f"{where}.vector", data, g)
        return ">=", max(abs(quotient - 1) - off, Fraction(0))
    if word == "pair":
        mapping(witness, where, {"kind", "high", "low"})
        top, off = _rip_quotient(witness["high"], f"{where}.high", data, g)
        bottom, slack = _rip_quotient(witness["low"], f"{where}.low", data, g)
        high, low = top - off, max(bottom + slack, Fraction(0))
        return ">=", Fraction(1) if low == 0 else max(
            (high - low) / (high + low), Fraction(0)
        ) if high > 0 else Fraction(0)
    keys = {"kind", "scale"} if data.free else {"kind"}
    mapping(
        witness,
        where,
        keys if word == "coherence" else keys | {"value", "order", "work"},
        set() if word == "coherence" else {"bits"},
    )
    scale = rational(witness["scale"], f"{where}.scale") if data.free else Fraction(1)
    if scale <= 0:
        raise Rejected("rip.scale", f"{where}.scale", "must be positive")
    if word == "coherence":
        return "<=", _rip_coherence(data, g, scale)
    return "<=", _rip_supports(witness, where, data, g, scale)


def _rip_facts(data: Isometry) -> dict[str, Any]:
    d = len(data)
    name = (
        f"the {len(data.columns[0])} x {d} matrix W"
        if data.columns
        else f"any W of {d} columns with the given Gram matrix"
    )
    name += f" (each entry to within {rational_text(data.radius)})" if data.radius else ""
    name += ", times the best number," if data.free else ""
    facts = {"n": d, "matrix": name, "sparsity": data.sparsity}
    return facts | ({"quantity": "rip_constant_scaled", "latex": r"\min_c \delta_s(cW)"} if data.free else {})


RIP = Rules(
    "rip_constant",
    r"\delta_s(W)",
    {
        "<=": "for {matrix} |‖Wx‖²/‖x‖² - 1| <= {value} for every vector x of at most {sparsity} entries",
        ">=": "for {matrix} |‖Wx‖²/‖x‖² - 1| >= {value} for some vector x of at most {sparsity} entries",
        "==": "the restricted isometry constant of order {sparsity} of {matrix} is exactly {value}",
    },
    canonical_isometry,
    check_rip,
    _rip_facts,
    "max",
)
