"""The proved optimum as a curve over the number of clusters: a table for a terminal and a figure.

Between two ends the optimum is proved to lie; where they are nearer than a line is thick, the curve is the optimum.
"""

from __future__ import annotations

from collections.abc import Mapping

from certify.kernel import decimal_text
from certify.report.svg import drawing, fill, number, spot, stroke, text_at
from certify.result import Bounds, interval_text

WIDTH, HEIGHT, LEFT, BELOW, SIZE = 460.0, 280.0, 64.0, 34.0, 12.0


def curve_text(name: str, curve: Mapping[int, Bounds]) -> str:
    """A line for every number of clusters: the proved interval, and by how much it fell at least."""
    lines = [f"{'k':>4}  {name}, proved"]
    before: Bounds | None = None
    for k in sorted(curve):
        bounds = curve[k]
        line = f"{k:>4}  {interval_text(bounds)}"
        if before is not None and before.lower and bounds.upper is not None and bounds.upper < before.lower:
            line += f"   falls by at least {decimal_text(100 * (1 - bounds.upper / before.lower), False, 4)} %"
        lines.append(line)
        before = bounds
    return "\n".join(lines)


def curve_svg(name: str, title: str, curve: Mapping[int, Bounds]) -> str | None:
    """An SVG of the curve; None if no upper end is proved."""
    tops = {k: float(bounds.upper) for k, bounds in curve.items() if bounds.upper is not None}
    if not tops:
        return None
    first, last, most = min(curve), max(curve), max(tops.values()) or 1.0

    def x(k: int) -> float:
        return LEFT + (WIDTH - LEFT - 16) * (k - first) / max(last - first, 1)

    def y(value: float) -> float:
        return 16 + (HEIGHT - BELOW - 16) * (1 - value / most)

    body = [
        f'<path d="M{spot(LEFT - 8, y(0))}H{number(WIDTH - 8)}" {stroke("quiet", 1)}/>',
        f'<path d="M{spot(LEFT - 8, y(0))}V10" {stroke("quiet", 1)}/>',
        text_at(LEFT - 12, y(most) + 4, f"{most:.4g}", "quiet", "end"),
        text_at(LEFT - 12, y(0) + 4, "0", "quiet", "end"),
        text_at((LEFT + WIDTH) / 2, HEIGHT - 2, "number of clusters k", "quiet", "middle"),
    ]
    line = " L".join(spot(x(k), y(tops[k])) for k in sorted(tops))
    body.append(f'<path d="M{line}" {stroke("faint", 1.5)}/>')
    for k in sorted(curve):
        low = curve[k].lower
        body.append(text_at(x(k), y(0) + 15, str(k), "quiet", "middle"))
        if k not in tops:
            continue
        if low is not None:
            body.append(
                f'<path d="M{spot(x(k), y(tops[k]))}V{number(y(max(float(low), 0.0)))}" {stroke("proved", 4)}/>'
            )
        body.append(f'<circle cx="{number(x(k))}" cy="{number(y(tops[k]))}" r="3.5" {fill("proved")}/>')
    words = f"{name} for k = {first} to {last}; each bar is the interval in which the optimum is proved to lie"
    return drawing(WIDTH, HEIGHT, SIZE, title, words, body)
