"""The picture of a clustering: its points on their first two principal axes, and the means of the clusters.

A picture proves nothing. It is drawn from the upper witness, in floating point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.report.svg import drawing, number, text_at

if TYPE_CHECKING:
    from certify.families.kmeans import KMeans

WIDTH, TALLEST, MARGIN, SIZE = 460.0, 420.0, 18.0, 12.0
MOST_DRAWN = 3000
# Okabe and Ito, which colour-blind readers tell apart; beyond eight the shape changes.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#6b4a9e")
SHAPES = ("circle", "square", "diamond", "triangle")


def picture(problem: KMeans, witnesses: list[Mapping[str, Any]]) -> str | None:
    """An SVG of the clustering that the upper witness holds, or None if there is none."""
    witness = next((w for w in witnesses if w["kind"] in ("labels", "centres")), None)
    if witness is None:
        return None
    labels = np.asarray(problem.solution_of(witness))
    shift = problem.rows[0]
    points = np.array(
        [[(x - s) / problem.denominator for x, s in zip(row, shift, strict=True)] for row in problem.rows]
    )
    points = points - points.mean(axis=0)
    names = np.unique(labels)
    means = np.array([points[labels == name].mean(axis=0) for name in names])
    axes, share = np.eye(points.shape[1])[:2], 1.0
    if points.shape[1] > 2:
        _, values, axes = np.linalg.svd(points, full_matrices=False)
        total = float((values**2).sum()) or 1.0
        axes, share = axes[:2], float((values[:2] ** 2).sum()) / total
    if len(axes) == 1:
        axes = np.vstack([axes, np.zeros_like(axes)])
    flat, middles = points @ axes.T, means @ axes.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    span = np.maximum(high - low, 1e-300)
    scale = (WIDTH - 2 * MARGIN) / span[0]
    if span[1] * scale > TALLEST - 2 * MARGIN:
        scale = (TALLEST - 2 * MARGIN) / span[1]
    height = max(2 * MARGIN, float(span[1] * scale) + 2 * MARGIN)
    left = (WIDTH - float(span[0]) * scale) / 2

    def at(place: Any) -> tuple[float, float]:
        return left + float(place[0] - low[0]) * scale, height - MARGIN - float(place[1] - low[1]) * scale

    step = max(1, len(flat) // MOST_DRAWN)
    body = []
    for c, name in enumerate(names):
        chosen = flat[labels == name][::step]
        body += [_mark(*at(place), c, 2.6, filled=True) for place in chosen]
    body += [_mark(*at(place), c, 6.0, filled=False) for c, place in enumerate(middles)]
    words = f"{len(flat)} points in {len(names)} clusters; the large open marks are the means"
    if points.shape[1] > 2:
        words += f"; two principal axes, {share:.0%} of the scatter"
    body.append(text_at(MARGIN, height + 14, words, "quiet"))
    return drawing(WIDTH, height + 24, SIZE, "The clustering that proves the upper end", words, body)


def _mark(x: float, y: float, cluster: int, size: float, filled: bool) -> str:
    colour = COLOURS[cluster % len(COLOURS)]
    paint = f'fill="{colour}"' if filled else f'fill="none" stroke="{colour}" stroke-width="2"'
    shape = SHAPES[cluster // len(COLOURS) % len(SHAPES)]
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(size)}" {paint}/>'
    corners = {
        "square": ((-1, -1), (1, -1), (1, 1), (-1, 1)),
        "diamond": ((0, -1.3), (1.3, 0), (0, 1.3), (-1.3, 0)),
        "triangle": ((0, -1.2), (1.1, 0.9), (-1.1, 0.9)),
    }[shape]
    spots = " ".join(f"{number(x + size * dx)},{number(y + size * dy)}" for dx, dy in corners)
    return f'<polygon points="{spots}" {paint}/>'
