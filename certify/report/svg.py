"""Small tools for writing SVG by hand: safe text, short numbers, labels that do not overlap.

Every shape carries its light colours as attributes, so that a picture stands on its own, and a class by which
:data:`DARK` (or the style of a page) recolours it. Colours are those of Okabe and Ito, which colour-blind
readers tell apart; nothing is told by colour alone.
"""

from __future__ import annotations

import html
import unicodedata
from dataclasses import dataclass
from fractions import Fraction

INK, QUIET, FAINT, PAPER = "#1d2329", "#5b6570", "#b4bcc4", "#ffffff"
FAR, NEAR, PROVED, CLAIMED, KNOWN = "#0072b2", "#c24e00", "#00694f", "#b3440b", "#6b4a9e"

_DARK_COLOURS = {
    "ink": "#e8e6e1",
    "quiet": "#a9b0b7",
    "faint": "#4f5964",
    "paper": "#15181c",
    "far": "#5cb8ef",
    "near": "#f0a03c",
    "proved": "#4cc9a2",
    "claimed": "#f0955c",
    "known": "#b79ae6",
}
DARK = "".join(f".s-{name}{{stroke:{c}}}.f-{name}{{fill:{c}}}" for name, c in _DARK_COLOURS.items())

LIGHT = {
    "ink": INK,
    "quiet": QUIET,
    "faint": FAINT,
    "paper": PAPER,
    "far": FAR,
    "near": NEAR,
    "proved": PROVED,
    "claimed": CLAIMED,
    "known": KNOWN,
}
FONT = 'font-family="ui-sans-serif,system-ui,Helvetica,Arial,sans-serif"'
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def cleaned(text: str, most: int = 200) -> str:
    """Untrusted text on one line: what cannot be printed becomes a question mark, what is too long is cut."""
    line = " ".join(text[: 4 * most].split())
    line = "".join(c if c.isprintable() else "\ufffd" for c in line)
    return line if len(line) <= most else line[: most - 1] + "…"


def escaped(text: str, most: int = 200) -> str:
    """:func:`cleaned`, and safe inside an element or a quoted attribute."""
    return html.escape(cleaned(text, most))


def number(value: float) -> str:
    """A coordinate to a tenth of a unit, as short as it can be written."""
    text = f"{value:.1f}"
    text = text.removesuffix(".0")
    return "0" if text == "-0" else text


def spot(x: float, y: float) -> str:
    """A point of a path."""
    return f"{number(x)} {number(y)}"


def width_of(text: str, size: float) -> float:
    """About how wide a text is in a sans-serif font of this size."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    narrow = sum(c in " .,:;'|ilIj()[]" for c in text)
    return size * (0.6 * (len(text) - wide - narrow) + 0.32 * narrow + wide)


def about(value: Fraction) -> str:
    """A positive number to two digits, for orientation only: ``0.031`` or ``8.2·10⁻⁷``."""
    if value == 0:
        return "0"
    exponent = 0
    size = abs(value)
    # The number of digits before the point, without going through a float that could overflow.
    exponent = (size.numerator.bit_length() - size.denominator.bit_length()) * 30103 // 100000
    while size < Fraction(10) ** exponent:
        exponent -= 1
    while size >= Fraction(10) ** (exponent + 1):
        exponent += 1
    digits = round(size / Fraction(10) ** (exponent - 1))
    if digits == 100:
        digits, exponent = 10, exponent + 1
    sign = "−" if value < 0 else ""
    if -3 <= exponent <= 3:
        return sign + f"{float(digits * Fraction(10) ** (exponent - 1)):.10g}"
    mantissa = f"{digits // 10}.{digits % 10}".removesuffix(".0")
    return f"{sign}{mantissa}·10{str(exponent).translate(_SUPERSCRIPTS)}"


def stroke(name: str, width: float, extra: str = "") -> str:
    """Attributes of a line in a named colour."""
    tail = f" {extra}" if extra else ""
    return f'class="s-{name}" fill="none" stroke="{LIGHT[name]}" stroke-width="{number(width)}"{tail}'


def fill(name: str) -> str:
    """Attributes of an area in a named colour."""
    return f'class="f-{name}" fill="{LIGHT[name]}"'


def text_at(x: float, y: float, text: str, name: str = "ink", anchor: str = "start", extra: str = "") -> str:
    """A line of escaped text."""
    place = "" if anchor == "start" else f' text-anchor="{anchor}"'
    tail = f" {extra}" if extra else ""
    return f'<text x="{number(x)}" y="{number(y)}"{place} {fill(name)}{tail}>{escaped(text)}</text>'


def drawing(width: float, height: float, size: float, title: str, description: str, body: list[str]) -> str:
    """The whole SVG element, with its title and description for those who do not see it."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}" role="img" '
        f'{FONT} font-size="{number(size)}">'
        f"<title>{escaped(title)}</title><desc>{escaped(description, 1000)}</desc>" + "".join(body) + "</svg>"
    )


def standing_alone(svg: str, width: int) -> str:
    """An SVG for a file of its own: with a width, a background and dark colours where they are preferred."""
    head, rest = svg.split(">", 1)
    style = f"<style>@media(prefers-color-scheme:dark){{{DARK}}}</style>"
    paper = f'<rect width="100%" height="100%" {fill("paper")}/>'
    title_end = rest.index("</desc>") + len("</desc>")
    return f'{head} width="{width}">{rest[:title_end]}{style}{paper}{rest[title_end:]}\n'


@dataclass
class Boxes:
    """Rectangles that are taken, to place labels where they fit."""

    width: float
    height: float

    def __post_init__(self) -> None:
        self._taken: list[tuple[float, float, float, float]] = []

    def take(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Mark a rectangle as taken, whatever is there."""
        self._taken.append((x0, y0, x1, y1))

    def free(self, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether the rectangle is inside of the drawing and overlaps nothing."""
        if x0 < 0 or y0 < 0 or x1 > self.width or y1 > self.height:
            return False
        return not any(x0 < b[2] and b[0] < x1 and y0 < b[3] and b[1] < y1 for b in self._taken)
