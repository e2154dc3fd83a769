"""The picture of a partition of a graph: its vertices by part, the edges that are cut drawn heavy.

A picture proves nothing. The places are those of the second and third eigenvectors of the Laplacian, in floats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from certify.report.svg import drawing, escaped, fill, number, spot, stroke, text_at

WIDTH, HEIGHT, MARGIN, SIZE = 460.0, 330.0, 22.0, 12.0
MOST_VERTICES, MOST_EDGES = 400, 4000
SHAPES = ("circle", "square", "diamond")


def cut_drawing(
    n: int, edges: Sequence[tuple[int, int, int]], labels: Sequence[int], names: Sequence[str], words: str
) -> str | None:
    """An SVG of a graph with a partition, or None if it is too large to be looked at.

    edges: (u, v, weight); labels: the part of each vertex; names: tooltips; words: what is drawn, for those who do not
    see it, and the line below.
    """
    if n > MOST_VERTICES or len(edges) > MOST_EDGES:
        return None
    places = _places(n, edges)
    inner = [edge for edge in edges if labels[edge[0]] == labels[edge[1]]]
    cut = [edge for edge in edges if labels[edge[0]] != labels[edge[1]]]
    body = []
    for chosen, look in ((inner, stroke("faint", 1)), (cut, stroke("far", 1.8))):
        if chosen:
            path = "".join(f"M{spot(*places[u])}L{spot(*places[v])}" for u, v, _ in chosen)
            body.append(f'<path d="{path}" {look}/>')
    for v in range(n):
        body.append(_mark(float(places[v, 0]), float(places[v, 1]), labels[v], names[v] if v < len(names) else str(v)))
    body.append(text_at(MARGIN, HEIGHT + 16, words))
    return drawing(WIDTH, HEIGHT + 26, SIZE, "The partition that proves the upper end", words, body)


def _mark(x: float, y: float, part: int, name: str) -> str:
    """A vertex: shape and shade tell its part."""
    shape, full = SHAPES[part // 2 % len(SHAPES)], part % 2 == 0
    look = fill("ink") if full else f'{fill("paper")} stroke="currentColor" stroke-width="1.4"'
    title = f"<title>{escaped(name, 80)} (part {part})</title>"
    if shape == "circle":
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="4.2" {look}>{title}</circle>'
    turn = f' transform="rotate(45 {number(x)} {number(y)})"' if shape == "diamond" else ""
    return f'<rect x="{number(x - 3.8)}" y="{number(y - 3.8)}" width="7.6" height="7.6"{turn} {look}>{title}</rect>'


def _places(n: int, edges: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
    """Coordinates in the drawing, (n, 2), from the Laplacian of the graph without its weights."""
    laplacian = np.zeros((n, n))
    for u, v, _ in edges:
        laplacian[[u, v], [u, v]] += 1.0
        laplacian[u, v] -= 1.0
        laplacian[v, u] -= 1.0
    vectors = np.linalg.eigh(laplacian + np.ones((n, n)) * (n + 1))[1][:, : min(2, n)]
    points = np.zeros((n, 2))
    points[:, : vectors.shape[1]] = vectors
    points *= np.where(points[np.abs(points).argmax(axis=0), np.arange(2)] < 0, -1.0, 1.0)
    order = np.argsort(np.argsort(points, axis=0), axis=0) / max(
        1, n - 1
    )  # ranks keep far leaves from pressing the rest
    span = np.ptp(points, axis=0)
    scaled = (points - points.min(axis=0)) / np.where(span > 0, span, 1.0)
    mixed = (scaled + order) / 2
    result: NDArray[np.float64] = MARGIN + mixed * (np.array([WIDTH, HEIGHT]) - 2 * MARGIN)
    return result
