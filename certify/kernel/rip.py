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
from typing import Any

from certify.kernel.exact import Rejected, affordable, array, integer, kind, longest, mapping, rational, rational_text
from certify.kernel.isometry import Hermitian, Isometry, canonical_isometry, hermitian
from certify.kernel.statement import Rules
from certify.kernel.supports import rip_sides, rip_sizes, rip_violation

MAX_GRID = 1 << 10
MAX_ORDER = 64


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
    return Fraction((data.sparsity - 1) * proved + (data.sparsity - order) * diagonal, order - 1)


def _rip_coherence(data: Isometry, g: Hermitian, scale: Fraction) -> Fraction:
    unit, worst = Fraction(scale, g.q), Fraction(0)
    for i, row in enumerate(g.real):
        sizes = rip_sizes(row, g.imaginary[i] if g.imaginary else [])
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


def _rip_spread(high: Fraction, low: Fraction) -> Fraction:
    """The constant of the best multiple, from below: some quotient is at least ``high``, one at most ``low`` ≥ 0."""
    if low == 0:
        return Fraction(1)
    return Fraction(high - low, high + low) if high > low else Fraction(0)


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
        return ">=", _rip_spread(top - off, max(bottom + slack, Fraction(0)))
    keys = {"kind", "scale"} if data.free else {"kind"}
    more, perhaps = ({"value", "order", "work"}, {"bits"}) if word == "supports" else (set[str](), set[str]())
    mapping(witness, where, keys | more, perhaps)
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
