"""The picture of a clustering of points: first two principal axes, one sign a cluster, rings around centres.

A picture proves nothing. It is drawn in floating point.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certify.report.svg import drawing, fill, number, stroke, text_at

WIDTH, TALLEST, MARGIN, SIZE = 460.0, 340.0, 24.0, 12.0
MOST_DRAWN = 2000
MOST_SPOKES = 600
COLOURS = ("far", "near", "proved", "known", "claimed", "quiet")


def picture(points: NDArray[np.float64], labels: NDArray[np.int64], centres: Sequence[int]) -> str:
    """points, (n, d); labels, (n,), any integers; centres: indices of points. A sample is drawn of very many."""
    n = len(points)
    moved = points - points.mean(axis=0)
    if points.shape[1] > 2:
        moved = moved @ np.linalg.svd(moved, full_matrices=False)[2][:2].T
    plane = np.zeros((n, 2))
    plane[:, : moved.shape[1]] = moved
    spread = np.ptp(plane, axis=0)
    scale = min((WIDTH - 2 * MARGIN) / (spread[0] or 1.0), (TALLEST - 2 * MARGIN) / (spread[1] or 1.0))
    height = max(spread[1] * scale + 2 * MARGIN, 2 * MARGIN + 10)
    x = WIDTH / 2 + (plane[:, 0] - (plane[:, 0].max() + plane[:, 0].min()) / 2) * scale
    y = height / 2 - (plane[:, 1] - (plane[:, 1].max() + plane[:, 1].min()) / 2) * scale
    shown = range(n) if n <= MOST_DRAWN else np.linspace(0, n - 1, MOST_DRAWN).astype(int).tolist()
    place = {label: t for t, label in enumerate(sorted(set(labels.tolist())))}
    body = []
    if centres and n <= MOST_SPOKES:
        for j in shown:
            i = int(labels[j])
            ends = f'x1="{number(x[j])}" y1="{number(y[j])}" x2="{number(x[i])}" y2="{number(y[i])}"'
            body.append(f"<line {ends} {stroke('faint', 0.6)}/>")
    for j in shown:
        t = place[int(labels[j])]
        body.append(_sign(float(x[j]), float(y[j]), t // len(COLOURS), COLOURS[t % len(COLOURS)]))
    for i in centres:
        body.append(f'<circle cx="{number(x[i])}" cy="{number(y[i])}" r="6" {stroke("ink", 1.5)}/>')
    told = f"{n} points in {len(place)} clusters" + (f", {len(shown)} of them drawn" if len(shown) < n else "")
    axes = "first two principal axes" if points.shape[1] > 2 else "as given"
    body.append(text_at(MARGIN, height + 14, f"{told}; {axes}", "quiet"))
    return drawing(WIDTH, height + 24, SIZE, "The clustering that proves the upper end", told, body)


def _sign(x: float, y: float, shape: int, colour: str) -> str:
    """A disc, a square, a diamond or a triangle."""
    if shape % 4 == 0:
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="2.6" {fill(colour)}/>'
    if shape % 4 == 1:
        return f'<rect x="{number(x - 2.3)}" y="{number(y - 2.3)}" width="4.6" height="4.6" {fill(colour)}/>'
    steps = ((0, -3.4), (3.4, 0), (0, 3.4), (-3.4, 0)) if shape % 4 == 2 else ((0, -3.2), (3, 2.4), (-3, 2.4))
    corners = " ".join(f"{number(x + a)},{number(y + b)}" for a, b in steps)
    return f'<polygon points="{corners}" {fill(colour)}/>'
