"""The proved interval drawn to scale, beside what was claimed and what is known.

Proved intervals are often 1e-8 wide and a claim may be far away: the lower axis is enlarged until the interval
can be seen, and when something lies outside of it an upper axis shows the whole scale.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from certify.kernel import decimal_text, rational_text
from certify.report.svg import LIGHT, PAPER, about, drawing, fill, number, spot, stroke, text_at, width_of
from certify.result import Bounds, shared_digits

WIDTH, SIZE = 420.0, 11.5
MARGIN = 14.0
ROW = 15.0
NEAR = 3  # widths of the interval: what is nearer than this is drawn on the enlarged axis


@dataclass(frozen=True)
class Mark:
    """A number beside the interval that is not proved: what a solver claimed, or what the literature says.

    half: half a unit of its last printed digit; text: the label that is drawn at it.
    """

    kind: Literal["claimed", "known"]
    value: Fraction
    text: str
    half: Fraction = Fraction(0)


@dataclass(frozen=True)
class _Axis:
    """A piece of the number line and the height at which it is drawn."""

    start: Fraction
    end: Fraction
    y: float

    def x(self, value: Fraction) -> float:
        share = (value - self.start) / (self.end - self.start)
        return MARGIN + (WIDTH - 2 * MARGIN) * float(min(max(share, Fraction(0)), Fraction(1)))


def end_text(value: Fraction, upward: bool, bounds: Bounds) -> str:
    """An end of a proved interval: exact if it is short, else a decimal rounded outward."""
    text = rational_text(value) if value.denominator == 1 or value == bounds.lower == bounds.upper else ""
    return text if 0 < len(text) <= 24 else decimal_text(value, upward, shared_digits(bounds))


def interval_svg(name: str, bounds: Bounds, marks: list[Mark]) -> str | None:
    """The picture of a proved interval and of the marks beside it; None if neither end is proved."""
    ends = [end for end in (bounds.lower, bounds.upper) if end is not None]
    if not ends:
        return None
    start, end, near = _window(ends, marks)
    far = [mark for mark in marks if mark not in near]
    body: list[str] = []
    y = 0.0
    whole = None
    if far:
        rows = _rows([(mark, _spread(ends, marks)) for mark in far])
        y = ROW * (1 + max(rows.values())) + 16
        whole = _Axis(*_spread(ends, marks), y)
        body += _line(whole)
        body += _marks(whole, far, rows)
    rows = _rows([(mark, (start, end)) for mark in near])
    y += 32 * bool(far) + ROW * (1 + max(rows.values(), default=-1)) + 24
    axis = _Axis(start, end, y)
    if whole is not None:
        body += _zoom(whole, axis, ends)
    body += _line(axis)
    body += _band(axis, bounds)
    body += _marks(axis, near, rows)
    below, height = _ends(axis, bounds)
    body += below
    return drawing(WIDTH, height, SIZE, f"Proved interval of {name}", _described(name, bounds, marks), body)


def outside(bounds: Bounds, value: Fraction) -> Fraction:
    """How far a value lies outside of the proved interval: 0 if it is not excluded."""
    below = Fraction(0) if bounds.lower is None else bounds.lower - value
    above = Fraction(0) if bounds.upper is None else value - bounds.upper
    return max(below, above, Fraction(0))


def _distance(ends: list[Fraction], value: Fraction) -> Fraction:
    return max(min(ends) - value, value - max(ends), Fraction(0))


def _window(ends: list[Fraction], marks: list[Mark]) -> tuple[Fraction, Fraction, list[Mark]]:
    """The enlarged piece of the number line, and the marks that lie on it."""
    width = max(ends) - min(ends)
    away = sorted(d for d in (_distance(ends, mark.value) for mark in marks) if d > 0)
    unit = width or (away[0] if away else abs(ends[0]) / 10**6) or Fraction(1)
    near = [mark for mark in marks if _distance(ends, mark.value) <= NEAR * unit]
    values = [*ends, *(mark.value for mark in near)]
    low, high = min(values), max(values)
    pad = (high - low) / 4 or unit
    return low - pad, high + pad, near


def _spread(ends: list[Fraction], marks: list[Mark]) -> tuple[Fraction, Fraction]:
    """A piece of the number line with everything on it."""
    values = [*ends, *(mark.value for mark in marks)]
    pad = (max(values) - min(values)) / 6
    return min(values) - pad, max(values) + pad


def _line(axis: _Axis) -> list[str]:
    return [f'<path d="M{spot(MARGIN, axis.y)}H{number(WIDTH - MARGIN)}" {stroke("faint", 1)}/>']


def _span(mark: Mark, x: float) -> tuple[float, float]:
    """Where the label of a mark begins and ends."""
    wide = width_of(mark.text, SIZE)
    left = min(max(x - wide / 2, 1.0), max(WIDTH - wide - 1, 1.0))
    return left, left + wide


def _rows(marks: list[tuple[Mark, tuple[Fraction, Fraction]]]) -> dict[Mark, int]:
    """A row above the axis for every label, so that none overlaps another."""
    rows: dict[Mark, int] = {}
    spans: dict[Mark, tuple[float, float]] = {}
    for mark, (start, end) in sorted(marks, key=lambda entry: (entry[0].value, entry[0].text)):
        left, right = _span(mark, _Axis(start, end, 0).x(mark.value))
        row = 0
        while any(rows[m] == row and left < spans[m][1] + 8 and spans[m][0] < right + 8 for m in rows):
            row += 1
        rows[mark], spans[mark] = row, (left, right)
    return rows


def _marks(axis: _Axis, marks: list[Mark], rows: dict[Mark, int]) -> list[str]:
    """A diamond for a claim, a triangle for a known value, each with its label above."""
    body = []
    for mark in marks:
        x = axis.x(mark.value)
        left, right = _span(mark, x)
        anchor, at = ("start", left) if left < 2 else ("end", right) if right > WIDTH - 2 else ("middle", x)
        foot = axis.y - 16 - ROW * rows[mark]
        body.append(f'<path d="M{spot(x, foot + 3)}V{number(axis.y)}" {stroke(mark.kind, 0.7)}/>')
        if mark.half:
            a, b = axis.x(mark.value - mark.half), axis.x(mark.value + mark.half)
            if b - a > 2:
                body.append(f'<path d="M{spot(a, axis.y)}H{number(b)}" {stroke(mark.kind, 2.5)}/>')
        shape = "l5 5l-5 5l-5 -5z" if mark.kind == "claimed" else "l5 9h-10z"
        top = axis.y - 5
        body.append(
            f'<path d="M{spot(x, top)}{shape}" class="f-paper s-{mark.kind}" fill="{PAPER}" '
            f'stroke="{LIGHT[mark.kind]}" stroke-width="1.6"/>'
        )
        body.append(text_at(at, foot, mark.text, mark.kind, anchor))
    return body


def _band(axis: _Axis, bounds: Bounds) -> list[str]:
    """The proved interval: a bar with caps at proved ends, an arrow where an end is missing."""
    low, high = bounds.lower, bounds.upper
    y = axis.y
    left = axis.x(low) if low is not None else MARGIN + 8
    right = axis.x(high) if high is not None else WIDTH - MARGIN - 8
    if low is not None and low == high:
        return [f'<circle cx="{number(left)}" cy="{number(y)}" r="5" {fill("proved")}/>']
    body = [
        f'<path d="M{spot(left, y - 4)}H{number(right)}V{number(y + 4)}H{number(left)}z" '
        f'{fill("proved")} fill-opacity="0.3"/>'
    ]
    for x, end, turn in ((left, low, -1), (right, high, 1)):
        if end is None:
            head = f"M{spot(x, y - 6)}l{8 * turn} 6l{-8 * turn} 6z"
            body.append(f'<path d="{head}" {fill("proved")} fill-opacity="0.3"/>')
        else:
            body.append(f'<path d="M{spot(x, y - 9)}V{number(y + 9)}" {stroke("proved", 2.5)}/>')
    return body


def _ends(axis: _Axis, bounds: Bounds) -> tuple[list[str], float]:
    """Labels of the proved ends below the axis, and the height that is used up."""
    low, high = bounds.lower, bounds.upper
    labels: list[tuple[float, str]] = []
    if low is not None and low == high:
        labels = [(axis.x(low), f"proved: = {end_text(low, False, bounds)}")]
    else:
        if low is not None:
            labels.append((axis.x(low), f"≥ {end_text(low, False, bounds)}"))
        if high is not None:
            labels.append((axis.x(high), f"≤ {end_text(high, True, bounds)}"))
    body = []
    row, edge = 0, -10.0
    for i, (x, text) in enumerate(labels):
        # The lower end's label grows to the left, the upper end's to the right: they part where they can.
        wide = 1.12 * width_of(text, SIZE)
        left = x - wide / 2 if len(labels) == 1 else x - wide + 12 if i == 0 else x - 12
        anchor, at = ("middle", x) if len(labels) == 1 else ("end", x + 12) if i == 0 else ("start", x - 12)
        if left < 1:
            left, anchor, at = 1.0, "start", 1.0
        elif left + wide > WIDTH - 1:
            left, anchor, at = WIDTH - 1 - wide, "end", WIDTH - 1
        if i == 1 and left < edge + 10:
            row = 1
        foot = axis.y + 24 + ROW * row
        if row:
            body.append(f'<path d="M{spot(x, axis.y + 9)}V{number(foot - 10)}" {stroke("proved", 0.7)}/>')
        body.append(text_at(at, foot, text, "proved", anchor, 'font-weight="600"'))
        edge = left + wide
    foot = axis.y + 24 + ROW * (row + 1)
    if low is None or high is None:
        missing = "lower" if low is None else "upper"
        body.append(text_at(WIDTH / 2, foot, f"no {missing} end is proved", "quiet", "middle"))
    elif low != high:
        body.append(text_at(WIDTH / 2, foot, f"width ≈ {about(high - low)}", "quiet", "middle"))
    else:
        foot -= ROW
    return body, foot + 6


def _zoom(whole: _Axis, axis: _Axis, ends: list[Fraction]) -> list[str]:
    """The interval on the whole scale, and the lines that lead to the enlarged axis."""
    left, right = whole.x(max(axis.start, whole.start)), whole.x(min(axis.end, whole.end))
    a, b = whole.x(min(ends)), whole.x(max(ends))
    y = whole.y
    top = axis.y - 12
    return [
        f'<path d="M{spot(left, y + 2)}L{spot(MARGIN, top)}H{number(WIDTH - MARGIN)}'
        f'L{spot(right, y + 2)}z" {fill("proved")} fill-opacity="0.07"/>',
        f'<path d="M{spot(a - 1, y - 6)}H{number(b + 1)}V{number(y + 6)}H{number(a - 1)}z" {fill("proved")}/>',
        text_at(min(max((left + right) / 2, 70), WIDTH - 70), y + 20, "proved (enlarged below)", "proved", "middle"),
    ]


def _described(name: str, bounds: Bounds, marks: list[Mark]) -> str:
    parts = []
    if bounds.lower is not None:
        parts.append(f"{name} is proved to be at least {end_text(bounds.lower, False, bounds)}")
    if bounds.upper is not None:
        parts.append(f"{name} is proved to be at most {end_text(bounds.upper, True, bounds)}")
    for mark in marks:
        distance = outside(bounds, mark.value)
        side = "inside of" if distance == 0 else f"about {about(distance)} away from"
        parts.append(f"{mark.text}, {side} the proved interval")
    return "; ".join(parts) + "."
