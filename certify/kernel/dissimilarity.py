"""Dissimilarities c_ij from candidate i to item j, as the clustering families read them (docs/mathematics/medoids.md).

c is the distance to the power 1 or 2. It is held as integers ``base`` with a rational ``unit``: c = base·unit, or
c = √base·unit where it is ``rooted``. Tables may be asymmetric (row i: from i), distinct items may be at
distance 0. How the numbers were spelled, and factors common to all of them and the denominator, is no part of the data.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from fractions import Fraction
from math import gcd, isqrt
from operator import sub
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, affordable, integer, longest, mapping, matrix, storable, text
from certify.kernel.metric import canonical_metric

MAX_ITEMS = 20_000
DISSIMILARITY_TABLES = ("distances", "squared_distances")


class Dissimilarity(NamedTuple):
    """c_ij for ``candidates`` × ``items``; ``row(i)`` lists the integers base_ij over j, each below 2^bits."""

    candidates: int
    items: int
    unit: Fraction
    rooted: bool
    bits: int
    row: Callable[[int], list[int]]


def canonical_dissimilarity(metric: Any, where: str, power: int, sites: Any = None) -> tuple[Any, Any, Dissimilarity]:
    """The metric and the sites (candidates that are no items, or None) in digested form, and the dissimilarities."""
    if type(metric) is not dict:
        raise Rejected("json.type", where, "expected an object")
    if "points" in metric:
        mapping(metric, where, {"points", "norm"})
        return _dissimilarity_of_points(metric, where, power, sites)
    if sites is not None:
        raise Rejected("sites.points", f"{where}.points", "candidates of their own need a metric of points")
    if "graph" in metric:
        form, triangle = canonical_metric(metric, where)
        n, denominator = len(triangle), form["graph"]["denominator"]
        storable(f"{where}.graph", n * n, longest(triangle))
        common = gcd(*(edge[2] for edge in form["graph"]["edges"])) or 1
        scale = (common * (integer(metric["graph"]["denominator"], where) // denominator)) ** power
        lower = [[(isqrt(entry) if power == 1 else entry) // scale for entry in row] for row in triangle]
        rows = [[*lower[i], *(lower[j][i] for j in range(i + 1, n))] for i in range(n)]
        unit = Fraction(common, denominator) ** power
        return form, None, Dissimilarity(n, n, unit, False, longest(rows), rows.__getitem__)
    return _dissimilarity_of_table(metric, where, power)


def _dissimilarity_of_table(metric: dict[str, Any], where: str, power: int) -> tuple[Any, Any, Dissimilarity]:
    name = "squared_distances" if "squared_distances" in metric else "distances"
    where = f"{where}.{name}"
    denominator, rows = matrix(mapping(metric, where, {name})[name], where, None, None)
    _dissimilarity_size(rows, where)
    for i, row in enumerate(rows):
        if min(row, default=0) < 0:
            raise Rejected("dissimilarity.negative", f"{where}.rows[{i}]", "a dissimilarity is not negative")
    form = _dissimilarity_form(denominator, rows)
    q, rows = form["denominator"], form["rows"]
    rooted = name == "squared_distances" and power == 1
    exponent = 2 if name == "distances" and power == 2 else 1
    storable(where, len(rows) * len(rows[0]), 2 * (longest(rows) + q.bit_length()))
    if rooted:  # √(entry/q) = √(entry·q)/q
        base, unit = [[entry * q for entry in row] for row in rows], Fraction(1, q)
    else:
        common = gcd(*(gcd(*row) for row in rows)) or 1
        base = [[(entry // common) ** exponent for entry in row] for row in rows]
        unit = Fraction(common, q) ** exponent
    table = Dissimilarity(len(rows), len(rows[0]), unit, rooted, longest(base), base.__getitem__)
    return {name: form}, None, table


def _dissimilarity_size(rows: list[list[int]], where: str) -> None:
    if not 1 <= len(rows) <= MAX_ITEMS or not 0 < max(map(len, rows)) <= MAX_ITEMS:
        raise Rejected("shape", f"{where}.rows", f"expected 1 to {MAX_ITEMS} rows and columns")


def _dissimilarity_of_points(
    metric: dict[str, Any], where: str, power: int, sites: Any
) -> tuple[Any, Any, Dissimilarity]:
    norm = text(metric["norm"], f"{where}.norm", ("l2", "l1", "linf"))
    denominator, rows = matrix(metric["points"], f"{where}.points", None, None)
    _dissimilarity_size(rows, f"{where}.points")
    width, n, own = len(rows[0]), len(rows), 1
    others: list[list[int]] = []
    if sites is not None:
        own, others = matrix(sites, "problem.candidates", None, lambda i: width)
        _dissimilarity_size(others, "problem.candidates")
    forms = [_dissimilarity_form(denominator, rows), _dissimilarity_form(own, others)]
    bits = max(longest(rows), longest(others)) + denominator.bit_length() + own.bit_length() + 1
    m = len(others) or n
    affordable(f"{where}.points", (4 if norm == "l2" else 32) * m * n * width, bits, bits)
    storable(f"{where}.points", (m + n) * width, bits)
    q = denominator * own // gcd(denominator, own)
    points = [[x * (q // denominator) for x in row] for row in rows]
    centres = [[x * (q // own) for x in row] for row in others]
    least = [min(column) for column in zip(*points, *centres, strict=True)]
    common = gcd(*(x - low for row in points + centres for x, low in zip(row, least, strict=True))) or 1
    points, centres = ([[(x - low) // common for x, low in zip(row, least, strict=True)] for row in part]
                       for part in (points, centres))  # fmt: skip
    row = _dissimilarity_row(norm, power, points, centres or points)
    unit = Fraction(common, q)
    rooted = norm == "l2" and power == 1
    size = 2 * (longest(points + centres)) + width.bit_length()
    data = Dissimilarity(m, n, unit if rooted else unit**power, rooted, size + 1, row)
    return {"points": forms[0], "norm": norm}, forms[1] if others else None, data


def _dissimilarity_form(denominator: int, rows: list[list[int]]) -> dict[str, Any]:
    shared = gcd(denominator, *(gcd(*row) for row in rows))
    return {"denominator": denominator // shared, "rows": [[entry // shared for entry in row] for row in rows]}


def _dissimilarity_row(
    norm: str, power: int, points: list[list[int]], centres: list[list[int]]
) -> Callable[[int], list[int]]:
    """The function i ↦ (distance of centre i to every point, or its square where the norm is l2 or the power 2)."""
    if norm == "l2":
        return _packed_squares(points, centres)
    combine = sum if norm == "l1" else _largest_step

    def row(i: int) -> list[int]:
        line = [combine(map(abs, map(sub, centres[i], point))) for point in points]
        return [d * d for d in line] if power == 2 else line

    return row


def _largest_step(steps: Any) -> int:
    return max(steps, default=0)


def _packed_squares(points: list[list[int]], centres: list[list[int]]) -> Callable[[int], list[int]]:
    """Squared distances |p|² − 2⟨p, x_j⟩ + |x_j|² of a centre p to all x_j in a few products of long integers.

    Σ_j s_j·2^(8wj) with 0 <= s_j < 2^(8w) determines the s_j: they are its digits, and sums of such numbers add
    digitwise whatever the signs in between. No digit overflows: s_j is less than width·2^(2·bits).
    """
    n, width = len(points), len(points[0])
    size = 8 * ((2 * longest(points + centres) + width.bit_length()) // 64 + 1)

    def packed(numbers: list[int]) -> int:
        return int.from_bytes(b"".join(x.to_bytes(size, "little") for x in numbers), "little")

    columns = [packed([point[d] for point in points]) for d in range(width)]
    norms, ones = packed([sum(x * x for x in point) for point in points]), packed([1] * n)

    def row(i: int) -> list[int]:
        p = centres[i]
        total = norms + sum(x * x for x in p) * ones - 2 * sum(x * column for x, column in zip(p, columns, strict=True))
        digits = total.to_bytes(size * n, "little")
        if size == 8:
            return list(struct.unpack(f"<{n}Q", digits))
        return [int.from_bytes(digits[at : at + size], "little") for at in range(0, size * n, size)]

    return row
