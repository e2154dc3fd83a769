"""Numbers as they are spelled."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certify.formats.exact import NotExactError, exact_number, is_number, looks_missing, rational

GOOD = {
    "0": Fraction(0),
    "+7": Fraction(7),
    "-1/3": Fraction(-1, 3),
    " 2/4 ": Fraction(1, 2),
    "0.1": Fraction(1, 10),
    "1.": Fraction(1),
    ".5": Fraction(1, 2),
    "1e3": Fraction(1000),
    "-2.50E-2": Fraction(-1, 40),
    "0.1000000000000000000000000001": Fraction(10**27 + 1, 10**28),
}
BAD = [
    *["", "nan", "NaN", "inf", "-Infinity", "x", "1/", "/2", "1/-2", "1_0", "1,5", "1 2", "0x10", "1/0", "٣"],
    *["--1", "."],
    *["1e5000", "1e99999999999999", "9" * 4301, "9" * 10**5],
]  # fmt: skip


@pytest.mark.parametrize(("text", "number"), GOOD.items())
def test_good(text: str, number: Fraction) -> None:
    assert rational(text) == number
    assert is_number(text)


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:12])
def test_bad(text: str) -> None:
    with pytest.raises(NotExactError) as caught:
        rational(text)
    assert len(caught.value.what) < 100
    assert "\n" not in caught.value.what


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_in_memory_is_dyadic(x: float) -> None:
    assert exact_number(x) == Fraction(x)
    assert exact_number(np.float64(x)) == Fraction(x)
    assert float(exact_number(repr(x))) == x  # the decimal that prints it is another rational, near by


def test_other_numbers_in_memory() -> None:
    assert exact_number(np.float32(0.1)) == Fraction(13421773, 2**27)
    assert exact_number(np.int64(-3)) == -3
    assert exact_number(Decimal("0.1")) == Fraction(1, 10)
    for wrong in (True, np.bool_(True), None, 1j, [], float("nan"), float("inf"), Decimal("NaN"), object()):
        with pytest.raises(NotExactError):
            exact_number(wrong)


def test_missing_marks_are_no_names() -> None:
    assert all(map(looks_missing, ["", "NaN", "NA", "null", "-inf", "?", "#N/A"]))
    assert not any(map(looks_missing, ["a", "Nantes", "info", "0"]))
