"""What a person gets: outward rounding, exact claims, agreement with what is known, and the three faces."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import certify
from certify.errors import NotProvedError
from certify.problem import Claim, Known
from certify.result import (
    Assessment,
    Bounds,
    Result,
    Status,
    Stopped,
    agrees,
    float_down,
    float_up,
    interval_text,
    printed_value,
    root_down,
    root_up,
)

fractions = st.fractions() | st.builds(
    lambda top, bottom, shift: Fraction(top, bottom) * Fraction(2) ** shift,
    st.integers(-(2**70), 2**70),
    st.integers(1, 2**70),
    st.integers(-1300, 1300),
)


@pytest.fixture(scope="module")
def solved() -> Result:
    """The four-cycle: distortion² is 2."""
    return certify.solve(certify.Embedding.from_graph(nx.cycle_graph(4)))


def with_ends(result: Result, lower: str | None, upper: str | None, **more: Any) -> Result:
    """The result with other ends, as if the kernel had returned them."""
    bounds = Bounds(None if lower is None else Fraction(lower), None if upper is None else Fraction(upper))
    return replace(result, bounds=bounds, **more)


@given(fractions)
def test_floats_are_the_nearest_on_their_side(value: Fraction) -> None:
    low, high = float_down(value), float_up(value)
    assert low == -math.inf or Fraction(low) <= value
    assert high == math.inf or Fraction(high) >= value
    assert low == high or math.nextafter(low, math.inf) == high


@given(fractions.filter(lambda value: value >= 0))
def test_roots_enclose_closely(value: Fraction) -> None:
    low, high = root_down(value), root_up(value)
    assert low * low <= value <= high * high
    assert high - low <= low / 2**59
    assert root_down(value * value) == root_up(value * value) == value


@pytest.mark.parametrize(
    ("lower", "upper", "gap"),
    [
        (1, 2, Fraction(1, 2)),
        (-2, -1, Fraction(1, 2)),
        (-1, 1, 2),
        (0, 0, 0),
        (3, 3, 0),
        (0, 5, 1),
        (None, 1, None),
        (1, None, None),
    ],
)
def test_gap(lower: int | None, upper: int | None, gap: Fraction | None) -> None:
    ends = (None if end is None else Fraction(end) for end in (lower, upper))
    assert Bounds(*ends).gap == gap


@pytest.mark.parametrize(
    ("claim", "proved"),
    [
        ("distortion_squared >= 1.6641", True),
        ("distortion >= 1.29", True),  # 1.29² is 1.6641, exactly the lower end
        ("distortion >= 129/100", True),
        ("distortion >= 1.2900000000000000000000000001", False),
        ("distortion_squared >= 1.66410000000000000000000000000001", False),
        ("distortion_squared <= 1.69", True),
        ("distortion <= 1.3", True),
        ("  distortion<=13/10 ", True),
        ("distortion <= 1.29999999999999999999999999999999", False),
        ("distortion_squared == 1.69", False),
        ("distortion >= -5", True),
        ("distortion <= -5", False),
        ("distortion == -5", False),
        ("distortion_squared >= 0", True),
        ("distortion_squared >= 166.41e-2", True),
    ],
)
def test_require_is_exact(solved: Result, claim: str, proved: bool) -> None:
    result = with_ends(solved, "1.6641", "1.69")
    if proved:
        assert result.require(claim) is result
    else:
        with pytest.raises(certify.NotProvedError, match="not proved"):
            result.require(claim)


def test_require_equality_and_missing_ends(solved: Result) -> None:
    exact = with_ends(solved, "25/9", "25/9")
    assert exact.require("distortion_squared == 25/9").require("distortion == 5/3") is exact
    nothing = with_ends(solved, None, None)
    for claim in ("distortion >= 1", "distortion <= 100", "distortion_squared == 2"):
        with pytest.raises(certify.NotProvedError):
            nothing.require(claim)


@pytest.mark.parametrize(
    "claim",
    [
        "",
        "distortion",
        "distortion > 1",
        "distortion => 1",
        "distortion >= ",
        "distortion >= one",
        "distortion >= nan",
        "distortion >= inf",
        "distortion >= 1/0",
        "distortion >= 1/2/3",
        "distortion >= 1e999999999",
        "distortion >= 1 2",
        "stress >= 1",
        ">= 1",
    ],
)
def test_require_malformed(solved: Result, claim: str) -> None:
    with pytest.raises(certify.InputError) as caught:
        solved.require(claim)
    assert len(caught.value.lines()) == 1
    assert not isinstance(caught.value, certify.NotProvedError)


@pytest.mark.parametrize(
    ("text", "value", "half"),
    [
        ("78.85144143", Fraction("78.85144143"), Fraction(1, 2 * 10**8)),
        ("2.50", Fraction(5, 2), Fraction(1, 200)),
        ("-0.5", Fraction(-1, 2), Fraction(1, 20)),
        ("1.5e3", Fraction(1500), Fraction(50)),
        ("1.5E-3", Fraction(3, 2000), Fraction(1, 20000)),
        ("7/3", Fraction(7, 3), Fraction(0)),
        ("12", Fraction(12), Fraction(0)),
    ],
)
def test_printed_value(text: str, value: Fraction, half: Fraction) -> None:
    assert printed_value(text) == (value, half)


@pytest.mark.parametrize(
    ("known", "relation", "lower", "upper", "agree"),
    [
        ("1.33", "==", "1.335", "1.34", True),
        ("1.33", "==", "1.3350001", "1.34", False),
        ("1.33", "==", "1.3", "1.325", True),
        ("1.33", "==", "1.3", "1.3249999", False),
        ("2", "==", "2.0000001", "3", False),
        ("2", "==", "1", None, True),
        ("2", "==", None, None, True),
        ("2", ">=", "1", "1.9", False),
        ("2", ">=", "3", "4", True),
        ("2", "<=", "3", "4", False),
        ("2", "<=", "1", "1.9", True),
        ("2.0", "<=", "2.05", "4", True),
    ],
)
def test_agrees(known: str, relation: Any, lower: str | None, upper: str | None, agree: bool) -> None:
    ends = (None if end is None else Fraction(end) for end in (lower, upper))
    assert agrees(Known(known, relation), Bounds(*ends)) is agree


def test_known_of_a_derived_quantity(solved: Result) -> None:
    root_two = with_ends(solved, "2", "2", known=Known("1.414214", "==", "distortion"))
    assert root_two.agrees_with_known() is True
    assert with_ends(solved, "2", "2", known=Known("1.41421", "==", "distortion_squared")).agrees_with_known() is False
    assert solved.agrees_with_known() is None
    assert "DISAGREES" in with_ends(solved, "3", "3", known=Known("2")).to_text()


@pytest.mark.parametrize(
    ("lower", "upper", "text"),
    [
        ("2", "2", "= 2"),
        ("1/3", "2/3", "in [0.3333333, 0.6666667]"),
        (None, "2/3", "in [?, 0.666666666667]"),
        (None, None, "in [?, ?]"),
    ],
)
def test_interval_text(lower: str | None, upper: str | None, text: str) -> None:
    ends = (None if end is None else Fraction(end) for end in (lower, upper))
    assert interval_text(Bounds(*ends)) == text


@pytest.mark.parametrize(
    ("lower", "upper", "sentence"),
    [
        (None, None, "nothing is proved of distortion_squared"),
        ("7/3", "7/3", "distortion_squared = 7/3, exactly"),
        ("1", None, "distortion_squared >= 1"),
        (None, "3", "distortion_squared <= 3"),
        ("4/3", "5/3", "1.3333333 <= distortion_squared <= 1.6666667"),
    ],
)
def test_sentence(solved: Result, lower: str | None, upper: str | None, sentence: str) -> None:
    assert with_ends(solved, lower, upper).sentence() == sentence


def test_interval_by_name(solved: Result) -> None:
    assert solved.interval() == solved.interval("distortion_squared") == solved.bounds
    with pytest.raises(KeyError, match="stress"):
        solved.interval("stress")


def test_json_has_no_infinity_and_no_nan(solved: Result) -> None:
    huge = "1" + "0" * 400
    wild = with_ends(
        solved,
        "1/3",
        huge,
        claim=Claim("X", "lost", math.nan),
        assessment=Assessment(Fraction(huge), math.inf),
    )
    found = json.loads(wild.to_json(), parse_constant=pytest.fail)
    assert found["upper"] == huge
    assert found["upper_float"] is None
    assert found["solver_claim"]["value"] is None
    assert found["ratio_upper"] is None
    assert found["value"] == huge


def test_html_holds_mathematics_and_escapes(solved: Result) -> None:
    page = replace(solved, title="<script>&", notes=("<b>",))._repr_html_()
    assert "<math" in page
    assert "&lt;script&gt;&amp;" in page
    assert "<script>" not in page
    assert "<b>" not in page.replace("<b>&lt;script", "")


def test_text_keeps_claimed_and_proved_apart(solved: Result) -> None:
    text = with_ends(solved, "1", "3", claim=Claim("X", "optimal", 2.5), status=Status.BOUNDED).to_text()
    assert text == repr(with_ends(solved, "1", "3", claim=Claim("X", "optimal", 2.5), status=Status.BOUNDED))
    (line,) = (line for line in text.splitlines() if "2.5" in line)
    assert "not proved" in line
    assert "claimed" in line


def test_words_of_status_and_of_the_end_of_work() -> None:
    assert [s.word for s in Status] == ["exact", "tight", "bounded", "infeasible", "unbounded", "unknown"]
    assert [s.word for s in Stopped] == ["gap", "time", "interrupt", "engines_failed", "exhausted"]


def test_a_bound_with_confidence_is_never_shown_as_certain() -> None:
    """Every face names the confidence, ``require`` does not take it, and the certain bound is kept beside it."""
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(100, 8)), rng.normal(size=(100, 8)) + 6])
    result = certify.solve(certify.KMeans(points, 2), gap=0.5, time_limit=20)
    lower = next(s for s in result.statements if s.relation == ">=")
    unsure = replace(lower, value=lower.value * Fraction(1001, 1000), rigor="confidence 1-1/100")
    verdict = replace(result.verdict, statements=(*result.statements, unsure))
    bounds = Bounds(unsure.value, result.bounds.upper)
    shown = replace(result, verdict=verdict, bounds=bounds, assessment=Assessment(bounds.upper, 1.5, excess=0.25))
    assert shown.rigor == "confidence 1-1/100"
    assert shown.as_json()["rigor"] == "confidence 1-1/100"
    assert shown.sentence().endswith("with confidence 1-1/100")
    rows = dict(shown.rows())
    for word in ("proved", "ratio to optimum", "gap"):
        assert "with confidence 1-1/100" in rows[word], word
    assert (
        rows["so it is"] == "at least 25 % above the optimum (proved)"
    )  # the upper end, on which it rests, is certain
    shown.require(f"cost >= {lower.value}")
    with pytest.raises(NotProvedError):
        shown.require(f"cost >= {unsure.value}")
