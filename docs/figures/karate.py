"""Draw docs/figures/karate.svg: what is proved of Zachary's karate club, for the README.

    python docs/figures/karate.py [CERT]

CERT: a certificate of problems/karate.toml (default: solve that problem now). It is checked before it is drawn.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import certify
from certify.certificate import Certificate, write_whole
from certify.explaining import about
from certify.problem import family
from certify.report.interval import end_text, interval_svg
from certify.report.page import claim_mark
from certify.report.svg import escaped, fill, standing_alone
from certify.result import Bounds

HERE = Path(__file__).resolve().parent
GAP, RIGHT = 40, 400


def main(arguments: list[str]) -> None:
    if arguments:
        certificate = Certificate.load(arguments[0])
    else:
        certificate = certify.solve(certify.load(HERE.parent.parent / "problems" / "karate.toml")).certificate
    verdict = certificate.check()
    if not verdict.valid:
        raise SystemExit(f"rejected: {verdict.rule} {verdict.where} {verdict.why}")
    kind = family(certificate.family)
    problem = kind.from_canonical(certificate.problem, about(certificate))
    bounds = Bounds(verdict.best(">="), verdict.best("<="))
    if bounds.lower is None or bounds.upper is None:
        raise SystemExit("one end is missing")
    picture = kind.picture(problem, list(certificate.witnesses)) or ""
    mark = claim_mark(certificate.made_by, bounds)
    interval = interval_svg("distortion²", bounds, [mark] if mark else []) or ""
    left, height = _size(picture)
    wide, tall = _size(interval)
    scale = RIGHT / wide
    words = [
        (17, 600, "ink", "Zachary's karate club"),
        (13, 400, "quiet", "34 members; distance: fewest friendships between two of them"),
        (13, 400, "quiet", "How well can Euclidean space hold this metric?"),
        (16, 600, "proved", f"{end_text(bounds.lower, False, bounds)} ≤ c₂² ≤ {end_text(bounds.upper, True, bounds)}"),
        (13, 400, "quiet", "The lower end is true of every map, in any dimension."),
        (13, 400, "quiet", "Proved in exact arithmetic, by a file anyone can check."),
    ]
    x, y = left + GAP, 46.0
    texts = []
    for size, weight, colour, line in words:
        attributes = f'x="{x:.0f}" y="{y:.0f}" font-size="{size}" font-weight="{weight}" {fill(colour)}'
        texts.append(f"<text {attributes}>{escaped(line)}</text>")
        y += size + (14 if colour in ("ink", "proved") else 8)
        y += 14 if line.endswith("metric?") else 0
    body = _placed(picture, 0, 0, left, height) + "".join(texts) + _placed(interval, x, y + 14, RIGHT, tall * scale)
    font = 'font-family="ui-sans-serif,system-ui,Helvetica,Arial,sans-serif"'
    box = f"0 0 {left + GAP + RIGHT + 20:.0f} {height:.0f}"
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" {font}>'
        "<title>What is proved of Zachary's karate club</title>"
        f"<desc>A Euclidean embedding of the club, and the proved interval of its least distortion squared: "
        f"{end_text(bounds.lower, False, bounds)} to {end_text(bounds.upper, True, bounds)}.</desc>{body}</svg>"
    )
    write_whole(HERE / "karate.svg", standing_alone(svg, 900).encode())


def _size(svg: str) -> tuple[float, float]:
    match = re.search(r'viewBox="0 0 (\S+) (\S+)"', svg)
    if match is None:
        raise SystemExit("there is nothing to draw")
    return float(match[1]), float(match[2])


def _placed(svg: str, x: float, y: float, width: float, height: float) -> str:
    """An SVG inside of another."""
    return svg.replace("<svg ", f'<svg x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" ', 1)


if __name__ == "__main__":
    main(sys.argv[1:])
