"""Lower bounds of the k-means cost of a set of points (docs/mathematics/kmeans.md).

``zero``       no cost is negative.
``spectral``   the total scatter less the k − 1 largest eigenvalues of the scatter matrix.
``line``       one dimension: clusters are intervals, and prices of points hold for each of them.
``dual``       prices of points, proved by boxes, in a tree of pairs that are together or apart.
``partition``  half of the partition bound on the squared distances times the weights.
``axes``       a map of the space that shortens all distances; the bounds of its blocks add up.
``parts``      disjoint sets of points; their bounds add up.
"""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

from certify.kernel.exact import (
    Rejected,
    affordable,
    array,
    integer,
    integer_rows,
    kind,
    longest,
    mapping,
    storable,
)
from certify.kernel.partition import partition_bound
from certify.kernel.points import PointSet
from certify.kernel.prices import MAX_SCALE, dual_bound, line_bound
from certify.kernel.psd import Triangle, gram, prove_psd

MAX_PARTS = 10_000
LOWER_KINDS = ("zero", "spectral", "line", "dual", "partition", "axes", "parts")


def kmeans_lower(
    witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool, kinds: tuple[str, ...]
) -> Fraction:
    """The lower bound of the k-means cost of these points that a witness of one of these kinds proves."""
    what = kind(witness, where, kinds)
    if what == "zero":
        mapping(witness, where, {"kind"})
        return Fraction(0)
    if what == "parts":
        return _parts_bound(witness, where, points, k, pure, kinds)
    bits = longest(points.rows) + 1
    affordable(where, 2 * len(points) * len(points.rows[0]), bits, bits + max(points.weights).bit_length())
    if what == "spectral":
        return _spectral_bound(witness, where, points, k, pure)
    if what == "axes":
        return _axes_bound(witness, where, points, k, pure, kinds)
    distinct = points.distinct()
    if len(distinct) <= k:  # the optimum is 0
        return Fraction(0)
    if what == "partition":
        return _pairs_bound(witness, where, distinct, k, pure)
    return (line_bound if what == "line" else dual_bound)(witness, where, distinct, k)


def _pairs_bound(witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool) -> Fraction:
    """A cluster S costs Σ_{i<j} w_i·w_j·|x_i − x_j|²/w(S): half of ⟨Q, 1_S1_Sᵀ⟩/w(S), Q_ij = w_i·w_j·|x_i − x_j|²."""
    g, w = gram(points.rows, pure, where), points.weights
    affordable(where, 8 * len(w) ** 2, longest(g) + 2, 2 * max(w).bit_length())
    q = [[w[i] * w[j] * (g[i][i] + g[j][j] - 2 * g[i][j]) for j in range(i + 1)] for i in range(len(w))]
    unit = Fraction(1, 2 * points.unit * points.denominator**2)
    return unit * partition_bound(witness, where, lambda: q, w, k, pure)


def _spectral_bound(witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool) -> Fraction:
    """tr M − (k−1)t − tr E with E ⪰ 0 and E + tI − M ⪰ 0, M the scatter matrix (Ky Fan 1949)."""
    mapping(witness, where, {"kind", "scale", "threshold", "excess", "psd", "psd_rest"})
    d = len(points.rows[0])
    scale = integer(witness["scale"], f"{where}.scale", 1, MAX_SCALE)
    t = integer(witness["threshold"], f"{where}.threshold", least=0)
    excess = integer_rows(witness["excess"], f"{where}.excess", d, lambda i: i + 1)
    mass, scatter = scatter_of(points, pure, where)
    prove_psd(witness["psd"], f"{where}.psd", excess, pure)
    rest = [[e - scale * m for e, m in zip(*rows, strict=True)] for rows in zip(excess, scatter, strict=True)]
    for i in range(d):
        rest[i][i] += t
    prove_psd(witness["psd_rest"], f"{where}.psd_rest", rest, pure)
    value = sum(scale * scatter[i][i] - excess[i][i] for i in range(d)) - (k - 1) * t
    return Fraction(value, scale * mass * points.unit * points.denominator**2)


def scatter_of(points: PointSet, pure: bool, where: str) -> tuple[int, Triangle]:
    """Σw, and Σw·Σwxxᵀ − (Σwx)(Σwx)ᵀ: integers, lower triangle. (1, 0) where no point has a weight."""
    mass, first = points.first_moments()
    if len(set(points.weights)) == 1:  # a common weight comes after the product
        raw = gram([list(column) for column in zip(*points.rows, strict=True)], pure, where)
        second = [[points.weights[0] * entry for entry in row] for row in raw]
    else:
        columns = list(zip(*points.rows, strict=True))
        affordable(where, len(points) * len(columns) ** 2, longest(points.rows), longest(points.rows))
        weighted = [list(map(mul, points.weights, column)) for column in columns]
        second = [[sum(map(mul, row, columns[j])) for j in range(i + 1)] for i, row in enumerate(weighted)]
    return mass or 1, [[mass * s - first[i] * first[j] for j, s in enumerate(row)] for i, row in enumerate(second)]


def _axes_bound(
    witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool, kinds: tuple[str, ...]
) -> Fraction:
    """Σ of the bounds of Z_b x over blocks b with Σ_b Z_bᵀZ_b ⪯ I: |x − y|² >= Σ_b |Z_b x − Z_b y|²."""
    mapping(witness, where, {"kind", "denominator", "blocks", "psd"})
    z, d = integer(witness["denominator"], f"{where}.denominator", least=1), len(points.rows[0])
    below = tuple(what for what in kinds if what not in ("axes", "parts"))
    every: list[list[int]] = []
    bounds = []
    blocks = [
        mapping(block, f"{where}.blocks[{b}]", {"axes", "witness"})
        for b, block in enumerate(array(witness["blocks"], f"{where}.blocks"))
    ]
    axes = [
        integer_rows(block["axes"], f"{where}.blocks[{b}].axes", None, lambda i: d) for b, block in enumerate(blocks)
    ]
    for rows in axes:
        every += rows
    if not 1 <= len(every) <= d or not all(axes):
        raise Rejected("shape", f"{where}.blocks", f"expected 1 to {d} axes, at least one a block")
    square = gram([list(column) for column in zip(*every, strict=True)], pure, f"{where}.blocks")
    rest = [[(z * z if i == j else 0) - s for j, s in enumerate(row)] for i, row in enumerate(square)]
    prove_psd(witness["psd"], f"{where}.psd", rest, pure)
    bits = longest(every), longest(points.rows)
    affordable(where, len(points) * d * len(every), *bits)
    storable(where, len(points) * len(every), sum(bits) + d)
    for b, (block, rows) in enumerate(zip(blocks, axes, strict=True)):
        image = [[sum(map(mul, axis, row)) for axis in rows] for row in points.rows]
        turned = PointSet(points.denominator * z, image, points.unit, points.weights)
        bounds.append(kmeans_lower(block["witness"], f"{where}.blocks[{b}].witness", turned, k, pure, below))
    return sum(bounds, Fraction(0))


def _parts_bound(
    witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool, kinds: tuple[str, ...]
) -> Fraction:
    """Σ of the bounds of disjoint sets of points: the clusters of all points cut each set into at most k clusters."""
    mapping(witness, where, {"kind", "parts"})
    below = tuple(what for what in kinds if what != "parts")
    seen: set[int] = set()
    bound = Fraction(0)
    for p, part in enumerate(array(witness["parts"], f"{where}.parts")):
        here = f"{where}.parts[{p}]"
        if p >= MAX_PARTS:
            raise Rejected("size", here, f"more than {MAX_PARTS} parts")
        table = mapping(part, here, {"points", "witness"})
        given = array(table["points"], f"{here}.points")
        indices = [integer(i, f"{here}.points[{j}]", 0, len(points) - 1) for j, i in enumerate(given)]
        if not indices or len(set(indices)) < len(indices) or not seen.isdisjoint(indices):
            raise Rejected("kmeans.parts", f"{here}.points", "parts are not empty, and no point is in two of them")
        seen.update(indices)
        bound += kmeans_lower(table["witness"], f"{here}.witness", points.part(indices), k, pure, below)
    return bound
