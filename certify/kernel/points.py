"""Finite sets of points with weights: how a certificate states them, in one form that is digested.

Coordinates are integers over a common denominator q, weights integers over a common denominator u. How the numbers
were spelled, and a factor common to all of them and their denominator, do not belong to the data; the order of the
points does. Weights that are all 1 are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from operator import mul, sub
from typing import Any

from certify.kernel.exact import Rejected, array, integer, integer_rows, mapping, matrix


@dataclass(frozen=True)
class PointSet:
    """Points rows[i] / denominator with weights[i] / unit >= 0: every number an integer."""

    denominator: int
    rows: list[list[int]]
    unit: int
    weights: list[int]

    def __len__(self) -> int:
        return len(self.rows)

    def distinct(self) -> PointSet:
        """Each point that has a weight once, in the order of first occurrence, with the sum of the weights there,
        moved so that the least of each coordinate is 0.

        Clustering costs that charge w_i times a function of the differences of x_i and the centres are the same.
        """
        total: dict[tuple[int, ...], int] = {}
        corner = list(map(min, zip(*self.rows, strict=True)))
        for row, weight in zip(self.rows, self.weights, strict=True):
            if weight:
                place = tuple(map(sub, row, corner))
                total[place] = total.get(place, 0) + weight
        return PointSet(self.denominator, list(map(list, total)), self.unit, list(total.values()))

    def part(self, indices: list[int]) -> PointSet:
        """The points with these indices, over the same denominators."""
        rows, weights = [self.rows[i] for i in indices], [self.weights[i] for i in indices]
        return PointSet(self.denominator, rows, self.unit, weights)

    def moments(self) -> tuple[int, list[int], int]:
        """Σw, Σwx and Σw|x|², as integers: over unit, unit·denominator and unit·denominator²."""
        mass, first = self.first_moments()
        columns = zip(*self.rows, strict=True)
        second = sum(sum(map(mul, self.weights, map(mul, column, column))) for column in columns)
        return mass, first, second

    def first_moments(self) -> tuple[int, list[int]]:
        """Σw and Σwx of :meth:`moments`."""
        columns = zip(*self.rows, strict=True)
        if self.weights and min(self.weights) == max(self.weights):
            return sum(self.weights), [self.weights[0] * sum(column) for column in columns]
        return sum(self.weights), [sum(map(mul, self.weights, column)) for column in columns]


def canonical_points(points: Any, where: str) -> tuple[Any, list[list[int]], int]:
    """``{"denominator": q, "rows": [[…]]}`` in lowest terms: the form that is digested, the rows, and q."""
    denominator, rows = matrix(points, where, None, None)
    if not rows or not rows[0]:
        raise Rejected("shape", f"{where}.rows", "expected at least one point with at least one coordinate")
    common = denominator
    for row in rows:
        common = gcd(common, *row)
        if common == 1:
            break
    else:
        rows = [[entry // common for entry in row] for row in rows]
    return {"denominator": denominator // common, "rows": rows}, rows, denominator // common


def canonical_weights(weights: Any, where: str, count: int) -> tuple[Any, list[int], int]:
    """``{"denominator": u, "values": […]}`` in lowest terms, None if every weight is 1; the values, and u."""
    table = mapping(weights, where, {"denominator", "values"})
    unit = integer(table["denominator"], f"{where}.denominator", least=1)
    values = integer_rows([array(table["values"], f"{where}.values", count)], f"{where}.values", 1, None)[0]
    if min(values) < 0 or max(values) == 0:
        raise Rejected("points.weights", f"{where}.values", "weights are not negative, and not all of them are 0")
    common = gcd(unit, *values)
    unit, values = unit // common, [value // common for value in values]
    if unit == 1 and set(values) == {1}:
        return None, values, unit
    return {"denominator": unit, "values": values}, values, unit


def canonical_point_set(problem: dict[str, Any]) -> tuple[dict[str, Any], PointSet]:
    """The keys ``points`` and, where there are any, ``weights`` of a problem: as they are digested, and the data."""
    form, rows, denominator = canonical_points(problem["points"], "problem.points")
    if "weights" not in problem:
        return {"points": form}, PointSet(denominator, rows, 1, [1] * len(rows))
    weighted, values, unit = canonical_weights(problem["weights"], "problem.weights", len(rows))
    data = PointSet(denominator, rows, unit, values)
    return {"points": form} if weighted is None else {"points": form, "weights": weighted}, data
