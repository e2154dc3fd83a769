"""The figures: drawn to scale, for every shape of data, and never with more than what is there."""

from __future__ import annotations

import re
import time
import xml.etree.ElementTree as ElementTree
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from certify.families.embedding import Embedding
from certify.problem import About
from certify.report.embedding import picture, principal
from certify.report.interval import Mark, interval_svg
from certify.report.svg import about, cleaned, standing_alone
from certify.result import Bounds

SVG = "{http://www.w3.org/2000/svg}"


def coordinates(rows: list[list[int]], denominator: int = 1) -> dict[str, Any]:
    return {"kind": "coordinates", "points": {"denominator": denominator, "rows": rows}}


def drawn(problem: Embedding, witness: dict[str, Any]) -> ElementTree.Element:
    svg = picture(problem, [{"kind": "one"}, witness])
    assert svg is not None
    assert "nan" not in svg
    assert picture(problem, [witness]) == svg
    return ElementTree.fromstring(svg)


def circles(root: ElementTree.Element) -> int:
    return len(root.findall(f".//{SVG}circle/{SVG}title"))


def words(root: ElementTree.Element) -> str:
    return " ".join("".join(t.itertext()) for t in root.iter(f"{SVG}text"))


def test_no_upper_witness() -> None:
    assert picture(Embedding.from_distances([[0, 1], [1, 0]]), [{"kind": "one"}]) is None


def test_one_point() -> None:
    root = drawn(Embedding.from_distances([[0]]), coordinates([[0]]))
    assert circles(root) == 1
    assert "a single point" in words(root)
    assert circles(drawn(Embedding.from_distances([[0]]), coordinates([[]]))) == 1


def test_two_points() -> None:
    root = drawn(Embedding.from_distances([[0, 3], [3, 0]]), coordinates([[0], [5]]))
    assert circles(root) == 2
    assert "only one pair" in words(root)


def test_collinear_points() -> None:
    root = drawn(Embedding.from_distances([[0, 1, 3], [1, 0, 2], [3, 2, 0]]), coordinates([[0, 0], [1, 1], [3, 3]]))
    assert circles(root) == 3
    assert "every distance is kept" in words(root)
    assert len({c.get("cy") for c in root.iter(f"{SVG}circle")}) == 1


def test_four_cycle() -> None:
    edges = [(0, 1, Fraction(1)), (1, 2, Fraction(1)), (2, 3, Fraction(1)), (0, 3, Fraction(1))]
    problem = Embedding.from_edges("abcd", edges, About(labels=("<a>", "b&c", '"', "d")))
    root = drawn(problem, coordinates([[0, 0], [1, 0], [1, 1], [0, 1]]))
    text = words(root)
    assert "most expanded: 4 pairs" in text
    assert "most contracted: 2 pairs" in text
    assert "≈ 2" in text
    assert "<a>" in text
    assert "b&c" in text
    dashed = [p for p in root.iter(f"{SVG}path") if p.get("stroke-dasharray") and p.get("d", "").count("M") == 2]
    assert len(dashed) == 1


def test_gram_witness() -> None:
    gram = {"kind": "gram", "gram": {"denominator": 1, "rows": [[0], [0, 2], [0, 1, 2]]}, "psd": {"kind": "ldl"}}
    root = drawn(Embedding.from_distances([[0, 1, 1], [1, 0, 1], [1, 1, 0]]), gram)
    assert circles(root) == 3
    assert "every distance is kept" in words(root)


def test_numbers_beyond_doubles() -> None:
    big = 1 << 5000
    problem = Embedding.from_distances([[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    root = drawn(problem, coordinates([[big, big], [big + 2, big], [big + 1, big + 2]]))
    assert "≈ 1.25" in words(root)  # squared distances 4, 5, 5: the common offset is taken off exactly
    assert circles(drawn(problem, coordinates([[0, 0], [big, 0], [0, 1]]))) == 3


def test_three_hundred_points_are_drawn_quickly() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 1 << 40, size=(300, 20)).tolist()
    problem = Embedding.from_points(rng.integers(0, 1000, size=(300, 3)), "l1", merge_duplicates=True)
    began = time.monotonic()
    svg = picture(problem, [coordinates(rows[: problem.size])])
    assert time.monotonic() - began < 10
    assert svg is not None
    assert len(svg) < 100_000


def test_principal_axes() -> None:
    points = np.array([[0.0, 0, 0], [4, 0, 0], [4, 2, 0], [0, 2, 0], [0, 0, 1], [4, 0, 1], [4, 2, 1], [0, 2, 1]])
    axes, shares = principal(points)
    assert np.allclose(np.ptp(axes, axis=0), [4, 2, 1])
    assert np.allclose(shares, np.array([16, 4, 1]) / 21)


def x_of(svg: str, kind: str) -> list[float]:
    """Where the caps of the proved interval, or the marks of a kind, stand."""
    pattern = r'<path d="M([\d.]+) [\d.]+V[\d.]+" class="s-%s" fill="none" stroke="[^"]+" stroke-width="%s"'
    return [float(x) for x in re.findall(pattern % (kind, "2.5" if kind == "proved" else "0.7"), svg)]


def test_interval_is_drawn_to_scale() -> None:
    bounds = Bounds(Fraction(2), Fraction(2) + Fraction(1, 10**8))
    marks = [
        Mark("claimed", Fraction(2) + Fraction(3, 10**8), "claimed"),
        Mark("known", Fraction(2) + Fraction(1, 2 * 10**8), "known"),
    ]
    svg = interval_svg("x", bounds, marks)
    assert svg is not None
    ElementTree.fromstring(svg)
    low, high = x_of(svg, "proved")
    (claimed,), (known,) = x_of(svg, "claimed"), x_of(svg, "known")
    assert abs((claimed - low) - 3 * (high - low)) < 0.5
    assert abs((known - low) - (high - low) / 2) < 0.5
    assert "enlarged" not in svg
    assert "width ≈ 10⁻⁸" in svg or "width ≈ 1·10⁻⁸" in svg


def test_what_is_far_away_gets_an_axis_of_its_own() -> None:
    bounds = Bounds(Fraction(2), Fraction(2) + Fraction(1, 10**8))
    svg = interval_svg("x", bounds, [Mark("claimed", Fraction(1078), "claimed 1078")])
    assert svg is not None
    assert "enlarged below" in svg
    assert "claimed 1078, about 1100 away from the proved interval" in svg


@pytest.mark.parametrize(
    ("low", "high"),
    [(2, 2), (2, None), (None, 2), (0, 0), (-3, 5), (Fraction(1, 10**40), Fraction(2, 10**40)), (1, 10**40)],
)
def test_every_shape_of_interval(low: Any, high: Any) -> None:
    bounds = Bounds(None if low is None else Fraction(low), None if high is None else Fraction(high))
    marks = [Mark("known", Fraction(2), "k", Fraction(1, 100)), Mark("claimed", Fraction(-(10**300)), "c")]
    for chosen in ([], marks[:1], marks, [marks[0], marks[0]]):
        svg = interval_svg("x", bounds, chosen)
        assert svg is not None
        root = ElementTree.fromstring(svg)
        width = float(root.get("viewBox", "").split()[2])
        for x in re.findall(r'(?:x="|M)(-?[\d.]+)', svg):
            assert -1 <= float(x) <= width + 1
    assert interval_svg("x", Bounds(None, None), marks) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(0), "0"),
        (Fraction(1, 3), "0.33"),
        (Fraction(999, 1000), "1"),
        (Fraction(82, 10**8), "8.2·10⁻⁷"),
        (Fraction(-5, 10**9), "−5·10⁻⁹"),
        (Fraction(10) ** 400, "1·10⁴⁰⁰"),
        (Fraction(1235), "1200"),
    ],
)
def test_numbers_for_orientation(value: Fraction, text: str) -> None:
    assert about(value) == text


def test_cleaned_text() -> None:
    assert cleaned(" a\n\tb\x00\u202e\ud800 ") == "a b\ufffd\ufffd\ufffd"
    assert cleaned("x" * 500, 10) == "x" * 9 + "…"


def test_a_file_of_its_own() -> None:
    svg = interval_svg("x", Bounds(Fraction(1), Fraction(2)), [])
    assert svg is not None
    root = ElementTree.fromstring(standing_alone(svg, 700))
    assert root.get("width") == "700"
    assert root[0].tag == f"{SVG}title"
