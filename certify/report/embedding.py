"""The picture of an embedding: its first principal axes, its most stretched pairs, and all its stretches.

A picture proves nothing. It is drawn from the exact coordinates of the upper witness, in floating point.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.exact import matrix
from certify.report.svg import Boxes, cleaned, drawing, escaped, fill, number, spot, stroke, text_at, width_of

if TYPE_CHECKING:
    from certify.families.embedding import Embedding

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]

WIDTH, SIZE = 460.0, 12.0
TALLEST = 360.0
MARGIN = 24.0
SHADES = 5
BINS = 40
ALIKE = 1e-3  # pairs whose stretch is this near to the extreme one count as extreme
MOST_DRAWN = 40  # of the pairs of one kind
MOST_EDGES = 1500
LABEL = 10.5
NEGLIGIBLE = 1e-6  # an axis this much shorter than the first is rounding noise
LONGEST_LABEL = 26


def picture(problem: Embedding, witnesses: list[Mapping[str, Any]]) -> str | None:
    """An SVG of the map that an upper witness holds, or None if there is no upper witness.

    Points on the first two principal axes, nearer on the third axis drawn darker and larger; thin lines for
    the edges of a graph (else from each point to its nearest ones); the most expanded pairs solid, the most contracted
    ones dashed; below, how z/d² (z the squared distance of the images) is distributed over all pairs.
    """
    witness = next((w for w in witnesses if w["kind"] in ("coordinates", "gram")), None)
    if witness is None:
        return None
    points, shares = principal(_points(witness))
    pairs, stretch = _stretches(problem, witness)
    places, height = _placed(points)
    expanded, contracted = _extremes(pairs, stretch)
    body = [*_lines(problem, pairs, places, expanded, contracted), *_dots(problem, points, places)]
    body += _labels(problem, places, height, pairs[np.concatenate((expanded[0], contracted[0]))])
    y = height + 6
    for line in (_legend(problem, expanded, contracted), _axes_words(shares)):
        for entry in line:
            y += 16
            body += entry.at(y)
    if len(pairs):
        more, y = _histogram(stretch, y + 14)
        body += more
    words = _described(problem, shares, stretch, expanded, contracted)
    return drawing(WIDTH, y + 10, SIZE, "The map that proves the upper end", words, body)


def _points(witness: Mapping[str, Any]) -> Floats:
    """Floating-point coordinates, scaled to at most 1: exact shifts first, so that nothing over- or underflows."""
    if witness["kind"] == "coordinates":
        rows = matrix(witness["points"], "points", None, None)[1]
        moved = [[x - first for x, first in zip(row, rows[0], strict=True)] for row in rows]
        return _scaled(moved)
    from certify.families.embedding_words import gram_of

    table = gram_of(witness)
    square = _scaled([[*row, *(table[j][i] for j in range(i + 1, len(table)))] for i, row in enumerate(table)])
    values, vectors = np.linalg.eigh(square)
    result: Floats = vectors * np.sqrt(np.maximum(values, 0.0))
    return result[:, ::-1]


def _scaled(rows: list[list[Any]]) -> Floats:
    """A table of integers of any size, divided by their largest."""
    most = max((abs(entry) for row in rows for entry in row), default=0) or 1
    if not rows or not rows[0]:
        return np.zeros((len(rows), 1))
    return np.array([[entry / most for entry in row] for row in rows], dtype=float)


def principal(points: Floats) -> tuple[Floats, Floats]:
    """Coordinates on the principal axes, (n, 3), and the share of each axis in the sum of squares.

    An axis that carries next to nothing is left out (0). Each axis points so that its largest entry is positive.
    """
    centred = points - points.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    kept = sizes > NEGLIGIBLE * max(float(sizes[0]), 1e-300)
    on_axes = left[:, kept] * sizes[kept]
    count = on_axes.shape[1]
    large = np.abs(on_axes) > 0.999 * np.abs(on_axes).max(axis=0)
    turns = np.sign(on_axes[np.argmax(large, axis=0), range(count)])
    squares = sizes[kept] ** 2
    result = np.zeros((len(points), max(3, count)))
    result[:, :count] = on_axes * turns
    return result[:, :3], squares / squares.sum() if len(squares) else squares


def _stretches(problem: Embedding, witness: Mapping[str, Any]) -> tuple[Pairs, Floats]:
    """All pairs, and z/d² relative to the most contracted pair. Exact until the last division."""
    from certify.families.embedding_words import gram_of

    squares, table = problem.squares(), gram_of(witness)
    n = len(squares)
    if n < 2:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0)
    z = [table[i][i] + table[j][j] - 2 * table[i][j] for i in range(1, n) for j in range(i)]
    d = [squares[i][j] for i in range(1, n) for j in range(i)]
    least_z, least_d = z[0], d[0]
    for a, b in zip(z, d, strict=True):
        if a * least_d < least_z * b:
            least_z, least_d = a, b
    stretch = np.array([_quotient(a * least_d, b * least_z) for a, b in zip(z, d, strict=True)])
    pairs = np.array([(j, i) for i in range(1, n) for j in range(i)], dtype=np.int64)
    return pairs, stretch


def _quotient(top: int | Fraction, bottom: int | Fraction) -> float:
    try:
        return float(top / bottom)
    except OverflowError:
        return 1e300


def _placed(points: Floats) -> tuple[Floats, float]:
    """Places on the page, the same scale on both axes, and the height that they need."""
    x, y = points[:, 0], points[:, 1]
    wide, tall = float(np.ptp(x)), float(np.ptp(y))
    if wide == 0:
        return np.tile([WIDTH / 2, MARGIN + 8], (len(points), 1)), 2 * MARGIN + 16
    scale = (WIDTH - 2 * MARGIN - 20) / wide
    if tall * scale > TALLEST - 2 * MARGIN:
        scale = (TALLEST - 2 * MARGIN) / tall
    height = max(tall * scale + 2 * MARGIN, 2 * MARGIN + 16)
    places = np.column_stack(
        (WIDTH / 2 + (x - (x.max() + x.min()) / 2) * scale, height / 2 - (y - (y.max() + y.min()) / 2) * scale)
    )
    return places, height


def _extremes(pairs: Pairs, stretch: Floats) -> tuple[tuple[Pairs, int], tuple[Pairs, int]]:
    """Indices of the most expanded and of the most contracted pairs that are drawn, and how many there are.

    Where all pairs are stretched alike there is nothing to tell apart: none.
    """
    none = np.zeros(0, dtype=np.int64)
    if len(pairs) == 0 or stretch.max() <= 1 + ALIKE:
        return (none, 0), (none, 0)
    order = np.argsort(stretch, kind="stable")
    up = order[::-1][: int(np.sum(stretch >= stretch.max() * (1 - ALIKE)))]
    down = order[: int(np.sum(stretch <= 1 + ALIKE))]
    return (up[:MOST_DRAWN], len(up)), (down[:MOST_DRAWN], len(down))


def _has_edges(problem: Embedding) -> bool:
    return problem.form == "graph" and len(problem.rows) <= MOST_EDGES


def _thin(problem: Embedding) -> Pairs:
    """The thin lines: the edges of a graph, or each point with its nearest ones."""
    if _has_edges(problem):
        return np.array([row[:2] for row in problem.rows], dtype=np.int64).reshape(-1, 2)
    squares = problem.squares()
    chosen: set[tuple[int, int]] = set()
    for i in range(len(squares)):
        row = [squares[max(i, j)][min(i, j)] for j in range(len(squares)) if j != i]
        if not row:
            continue
        least = min(row)
        near = [j if j < i else j + 1 for j, value in enumerate(row) if value == least]
        chosen.update((min(i, j), max(i, j)) for j in near[:4])
    return np.array(sorted(chosen), dtype=np.int64).reshape(-1, 2)


def _path(places: Floats, pairs: Pairs) -> str:
    return "".join(f"M{spot(*places[i])}L{spot(*places[j])}" for i, j in pairs)


def _lines(
    problem: Embedding, pairs: Pairs, places: Floats, expanded: tuple[Pairs, int], contracted: tuple[Pairs, int]
) -> list[str]:
    body = []
    for chosen, look in (
        (_thin(problem), stroke("faint", 1)),
        (pairs[contracted[0]], stroke("near", 1.3, 'stroke-dasharray="5 3.5"')),
        (pairs[expanded[0]], stroke("far", 1.6)),
    ):
        if len(chosen):
            body.append(f'<path d="{_path(places, chosen)}" {look}/>')
    return body


def _dots(problem: Embedding, points: Floats, places: Floats) -> list[str]:
    """Dots with their labels as tooltips: the larger and darker, the nearer on the third axis."""
    depth = points[:, 2]
    span = float(np.ptp(depth))
    shade = (
        np.full(len(points), SHADES - 1)
        if span == 0
        else np.minimum(((depth - depth.min()) / span * SHADES).astype(int), SHADES - 1)
    )
    base = 4.2 if len(points) <= 60 else 3.2 if len(points) <= 150 else 2.4
    body = []
    for level in range(SHADES):
        members = np.flatnonzero(shade == level)
        if len(members) == 0:
            continue
        radius = base * (0.72 + 0.11 * level)
        opacity = 0.45 + 0.55 * level / (SHADES - 1)
        outline, dots = "", ""
        for i in members.tolist():
            centre = f'<circle cx="{number(places[i, 0])}" cy="{number(places[i, 1])}"'
            outline += f'{centre} r="{number(radius + 1)}"/>'
            dots += f'{centre} r="{number(radius)}"><title>{escaped(_label(problem, i), 80)}</title></circle>'
        body.append(f'<g {fill("paper")}>{outline}</g><g {fill("ink")} fill-opacity="{opacity:.2f}">{dots}</g>')
    return body


def _label(problem: Embedding, point: int) -> str:
    """What a point is called: the user's label, or its number."""
    labels = problem.about.labels
    at = point if problem.groups is None else problem.groups[point][0]
    return labels[at] if labels and at < len(labels) else str(at)


def _labels(problem: Embedding, places: Floats, height: float, extreme: Pairs) -> list[str]:
    """Labels beside their points, where they fit: first the ends of the extreme pairs, then the outermost points."""
    boxes = Boxes(WIDTH, height)
    for x, y in places:
        boxes.take(x - 4, y - 4, x + 4, y + 4)
    centre = places.mean(axis=0)
    away = np.hypot(*(places - centre).T)
    count = np.bincount(extreme.ravel(), minlength=len(places)) if len(extreme) else np.zeros(len(places))
    order = sorted(range(len(places)), key=lambda i: (-int(count[i] > 0), -round(float(away[i]), 3), i))
    body = []
    for i in order[:400]:
        text = cleaned(_label(problem, i), LONGEST_LABEL)
        wide = width_of(text, LABEL)
        x, y = float(places[i, 0]), float(places[i, 1])
        right, below = x >= centre[0], y >= centre[1]
        sides = ((x + 6, y + 3.4), (x - 6 - wide, y + 3.4))
        ends = ((x - wide / 2, y + 14), (x - wide / 2, y - 7))
        corners = ((x + 4, y + 12), (x - 4 - wide, y + 12), (x + 4, y - 5), (x - 4 - wide, y - 5))
        for left, foot in (*(sides if right else sides[::-1]), *(ends if below else ends[::-1]), *corners):
            if boxes.free(left - 1, foot - LABEL + 1, left + wide + 1, foot + 3):
                boxes.take(left - 1, foot - LABEL + 1, left + wide + 1, foot + 3)
                # Widths are guesses: the side that faces the point is the one that is fixed.
                anchor, at = ("start", left) if left > x else ("end", left + wide) if left + wide < x else ("middle", x)
                place = "" if anchor == "start" else f' text-anchor="{anchor}"'
                body.append(f'<text x="{number(at)}" y="{number(foot)}"{place}>{escaped(text)}</text>')
                break
    if not body:
        return []
    texts = "".join(body)
    return [
        f'<g font-size="{LABEL}" class="s-paper" stroke="#ffffff" stroke-width="3" stroke-linejoin="round" '
        f'paint-order="stroke"><g {fill("ink")}>{texts}</g></g>'
    ]


@dataclass(frozen=True)
class _Entry:
    """A line of the legend: a sample of the line (attributes of its stroke, or none) and its words."""

    look: str
    text: str

    def at(self, y: float) -> list[str]:
        sample = [f'<path d="M{number(MARGIN)} {number(y - 4)}h26" {self.look}/>'] if self.look else []
        return [*sample, text_at(MARGIN + (34 if self.look else 0), y, self.text, "quiet")]


def _counted(chosen: tuple[Pairs, int]) -> str:
    drawn, there = len(chosen[0]), chosen[1]
    if there == 1:
        return "1 pair"
    return f"{there} pairs" if drawn == there else f"{drawn} of {there} pairs"


def _legend(problem: Embedding, expanded: tuple[Pairs, int], contracted: tuple[Pairs, int]) -> list[_Entry]:
    entries = []
    if expanded[1]:
        entries.append(_Entry(stroke("far", 1.6), f"most expanded: {_counted(expanded)}"))
    if contracted[1]:
        look = stroke("near", 1.3, 'stroke-dasharray="5 3.5"')
        entries.append(_Entry(look, f"most contracted: {_counted(contracted)}"))
    if problem.size > 1:
        words = "edge of the graph" if _has_edges(problem) else "from each point to its nearest"
        entries.append(_Entry(stroke("faint", 1), words))
    return entries


def _axes_words(shares: Floats) -> list[_Entry]:
    if len(shares) == 0:
        return [_Entry("", "a single point")]
    dimension = f"{len(shares)} dimension{'s' if len(shares) > 1 else ''}"
    if len(shares) <= 2:
        return [_Entry("", f"the whole map, in {dimension}")]
    return [
        _Entry("", f"the first two of {dimension} (principal axes): {shares[:2].sum():.0%} of the spread"),
        _Entry("", f"third axis by shade and size: {shares[2]:.0%} of the spread"),
    ]


def _histogram(stretch: Floats, y: float) -> tuple[list[str], float]:
    """How z/d² is distributed over all pairs; returns the shapes and the height that is used up."""
    top, foot = y + 28, y + 84
    left, right = MARGIN, WIDTH - MARGIN
    most = float(stretch.max())
    caption = text_at(MARGIN, y + 8, f"z/d² of all {len(stretch)} pairs, the most contracted pair = 1", "quiet")
    base = f'<path d="M{number(left)} {number(foot)}H{number(right)}" {stroke("quiet", 0.8)}/>'
    if len(stretch) == 1 or most <= 1 + 1e-9:
        words = "there is only one pair" if len(stretch) == 1 else "all are stretched alike: every distance is kept"
        return [caption, text_at(MARGIN, y + 26, words, "quiet")], y + 30
    counts = np.histogram(stretch, bins=BINS, range=(1.0, most))[0]
    step = (right - left) / BINS
    bars: dict[str, str] = {"near": "", "faint": "", "far": ""}
    for i, count in enumerate(counts):
        if count:
            tall = max(1.0, (foot - top) * count / counts.max())
            name = "near" if i == 0 else "far" if i == BINS - 1 else "faint"
            bars[name] += f"M{spot(left + i * step, foot)}v{number(-tall)}h{number(step - 1)}v{number(tall)}z"
    shapes = [f'<path d="{path}" {fill(name)}/>' for name, path in bars.items() if path]
    highest = int(np.argmax(counts))
    over = left + (highest + 0.5) * step
    anchor = "start" if highest < 3 else "end" if highest > BINS - 4 else "middle"
    over = over - step / 2 if anchor == "start" else over + step / 2 if anchor == "end" else over
    tallest = text_at(over, top - 4, f"{counts.max()} pairs", "quiet", anchor, f'font-size="{LABEL}"')
    return [
        caption,
        *shapes,
        base,
        tallest,
        text_at(left, foot + 13, "1", "near"),
        text_at(right, foot + 13, f"≈ {most:.6g}", "far", "end"),
    ], foot + 16


def _described(
    problem: Embedding, shares: Floats, stretch: Floats, expanded: tuple[Pairs, int], contracted: tuple[Pairs, int]
) -> str:
    """What is seen, for those who do not see it."""
    if len(stretch) == 0:
        return "A single point."
    if not expanded[1]:
        return f"{problem.size} points in {len(shares)} dimensions; all pairs are stretched alike."
    return (
        f"{problem.size} points on the first of {len(shares)} principal axes. "
        f"{expanded[1]} pairs are expanded most, {contracted[1]} contracted most; "
        f"the squared stretch of the former is {stretch.max():.6g} times that of the latter."
    )
