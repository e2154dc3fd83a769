"""Principal axes of points as integers: a turn of the space that shortens no distance by more than a billionth.

Boxes along the principal axes are few where the coordinates of the data are correlated. The turn is a matrix Z/z of
integers with ZᵀZ ⪯ z²I, so it lengthens nothing (docs/mathematics/kmeans.md, theorem 6).
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import mul
from typing import Any

import numpy as np

from certify.kernel.points import PointSet
from certify.rounding.kmeans import in_unit_box
from certify.rounding.psd import elimination_proof

TURN_BITS = 30


@dataclass(frozen=True)
class Turn:
    """Z (d rows of d integers), z, and the proof of z²I − ZᵀZ ⪰ 0."""

    axes: list[list[int]]
    denominator: int
    psd: dict[str, Any]

    def image(self, points: PointSet) -> PointSet:
        """The points Zx over z, as the kernel computes them."""
        rows = [[sum(map(mul, axis, row)) for axis in self.axes] for row in points.rows]
        return PointSet(points.denominator * self.denominator, rows, points.unit, points.weights)

    def witness(self, inner: dict[str, Any]) -> dict[str, Any]:
        """The witness for the points from one for their images."""
        block = {"axes": self.axes, "witness": inner}
        return {"kind": "axes", "denominator": self.denominator, "blocks": [block], "psd": self.psd}


def principal_turn(points: PointSet) -> Turn | None:
    """The turn to the principal axes of distinct points, or None if rounding does not leave room for its proof."""
    floats, weights, _ = in_unit_box(points)
    _, _, axes = np.linalg.svd(floats * np.sqrt(weights)[:, None], full_matrices=True)
    d = axes.shape[0]
    z = 1 << TURN_BITS
    for slack in (2.0 * d, 8.0 * d):
        rows = [[round(float(entry) * (z - slack)) for entry in axis] for axis in axes.tolist()]
        columns = list(zip(*rows, strict=True))
        rest = [
            [(z * z if i == j else 0) - sum(map(mul, columns[i], columns[j])) for j in range(i + 1)] for i in range(d)
        ]
        proof = elimination_proof(rest)
        if proof is not None:
            return Turn(rows, z, proof)
    return None
