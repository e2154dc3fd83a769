"""Prices of points in doubles to the integers of a witness (docs/certificate-format/kmeans.md)."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any

from certify.kernel.points import PointSet
from certify.solvers.kmeans_columns import Node

FINE = 36  # bits that the range of the data has on the grid


def dual_witness(points: PointSet, root: Node, unit: Fraction) -> dict[str, Any]:
    """The witness of a tree whose leaves have prices.

    points: the distinct points, as the kernel numbers them; unit: what a price of 1 is, times their
    unit·denominator².
    """
    return {"kind": "dual", "root": _written(points, root, unit)}


def _written(points: PointSet, node: Node, unit: Fraction) -> dict[str, Any]:
    if node.pair is not None:
        together, apart = (_written(points, child, unit) for child in node.children)
        return {"pair": list(node.pair), "together": together, "apart": apart}
    if node.leaf is None:
        raise ValueError("a leaf without prices proves nothing")
    scale = _grid(points, node.group)
    fine = unit * scale**2
    prices = [floor(Fraction(float(price)) * fine) for price in node.leaf.prices]
    return {"scale": scale, "prices": prices, "sigma": ceil(Fraction(float(node.leaf.sigma)) * fine)}


def _grid(points: PointSet, group: tuple[int, ...]) -> int:
    """A scale that puts the mean of every group on the grid, and is fine enough for boxes."""
    mass: dict[int, int] = {}
    size: dict[int, int] = {}
    for name, weight in zip(group, points.weights, strict=True):
        mass[name] = mass.get(name, 0) + weight
        size[name] = size.get(name, 0) + 1
    scale = lcm(*(mass[name] for name in mass if size[name] > 1))
    width: int = max(max(column) - min(column) for column in zip(*points.rows, strict=True)) * scale
    return scale << max(0, FINE - width.bit_length())
