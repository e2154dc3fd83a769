"""Numbers are read exactly in every spelling, and written outward."""

from __future__ import annotations

import json
import re
import sys
from fractions import Fraction
from math import isqrt
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.kernel import Rejected, decimal_text, rational_text, read_json
from certify.kernel import exact as kernel
from certify.kernel.exact import decimal_to_int, int_to_decimal, integer, integer_rows, matrix, rational, shown

QUICK = settings(max_examples=150, derandomize=True, deadline=None, database=None)
SIZES = (0, 1, 20, 63, 64, 65, 500, 1500, 1501, 5000, 60_000, kernel.MAX_BITS)


@st.composite
def numbers(draw: Any, most: int = kernel.MAX_BITS) -> int:
    """Integers of all lengths, also beyond what the interpreter converts at once."""
    bits = draw(st.sampled_from([size for size in SIZES if size <= most]))
    seed = draw(st.integers(0, 2**32))
    size = (1 << bits) - 1 - seed % 3 if seed % 2 else Random(seed).getrandbits(bits)
    return draw(st.sampled_from([1, -1])) * max(size, 0)


def fractions(most: int) -> st.SearchStrategy[Fraction]:
    return st.builds(Fraction, numbers(most), numbers(most).map(lambda n: abs(n) or 1))


def rule_of(call: Any) -> str:
    with pytest.raises(Rejected) as caught:
        call()
    return caught.value.rule


@QUICK
@given(numbers())
def test_every_spelling_is_the_same_integer(n: int) -> None:
    decimal = int_to_decimal(n)
    hexadecimal = format(n, "#x")
    for spelled in (n, decimal, hexadecimal):
        assert integer(spelled, "x") == n
        assert type(integer(spelled, "x")) is int
    assert read_json(decimal.encode()) == n
    assert decimal_to_int(decimal) == n
    with_zeros = hexadecimal.replace("0x", "0x000")
    assert integer(with_zeros, "x") == n
    if n > 0 and n & (n - 1) == 0:
        assert integer(f"2^{n.bit_length() - 1}", "x") == n


@pytest.mark.parametrize("k", [0, 1, 9, 64, 1000, kernel.MAX_BITS - 1])
def test_powers_of_two(k: int) -> None:
    assert integer(f"2^{k}", "x") == 2**k


def test_the_largest_integer_and_the_next() -> None:
    largest = (1 << kernel.MAX_BITS) - 1
    for spelled in (largest, -largest, hex(largest), int_to_decimal(largest)):
        assert abs(integer(spelled, "x")) == largest
    for spelled in (largest + 1, -largest - 1, hex(largest + 1), int_to_decimal(largest + 1), f"2^{kernel.MAX_BITS}"):
        assert rule_of(lambda spelled=spelled: integer(spelled, "x")) == "number.size"
    assert len(int_to_decimal(-largest)) <= kernel.MAX_DIGITS


@QUICK
@given(fractions(kernel.MAX_BITS))
def test_rationals_round_trip(value: Fraction) -> None:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) <= kernel.MAX_BITS:
        assert rational(rational_text(value), "x") == value
        assert rational(f"{value.numerator:#x}/{value.denominator:#x}", "x") == value


@QUICK
@given(st.text(st.sampled_from("0123456789abcdefx^-+ ._/\n２"), max_size=8))
def test_nothing_else_is_a_number(text: str) -> None:
    """Any text is rejected, or is one of the spellings of the format page, read as Python reads it."""
    try:
        value = integer(text, "x")
    except Rejected:
        assert not re.fullmatch(r"-?(0|[1-9][0-9]*)", text, re.ASCII)
        return
    assert text.isascii()
    if "^" in text:
        assert text[:2] == "2^"
        assert value == 2 ** int(text[2:])
    else:
        assert value == int(text, 16 if "x" in text else 10)
        assert text == text.strip()


@QUICK
@given(numbers(), st.integers(-5, 5), st.integers(-5, 5))
def test_ranges(n: int, least: int, most: int) -> None:
    inside = least <= n <= most
    if inside:
        assert integer(n, "x", least, most) == n
    else:
        assert rule_of(lambda: integer(n, "x", least, most)) == "number.range"


@pytest.mark.parametrize("value", [True, False, None, 1.0, [], {}, "1.0", "1e0", "0X1", "١", "1\n", "", "-", "2^-1"])
def test_what_is_no_integer(value: object) -> None:
    assert rule_of(lambda: integer(value, "here")).startswith("number.")
    assert rule_of(lambda: rational(value, "here")).startswith("number.")


@pytest.mark.parametrize("text", ["1/0", "1/-1", "1//2", "1/2/3", "/1", "1/", "1/2^131072", "1.5/2", " 1/2", "1/ 2"])
def test_what_is_no_rational(text: str) -> None:
    assert rule_of(lambda: rational(text, "here")).startswith("number.")


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(fractions(5000), st.integers(1, 40))
def test_decimals_are_outward_and_close(value: Fraction, digits: int) -> None:
    low, high = (Fraction(decimal_text(value, upward, digits)) for upward in (False, True))
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(100, 10**digits)
    for upward in (False, True):
        text = decimal_text(value, upward, digits)
        assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?", text), text


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        (Fraction(1, 3), "0.333333333333333", "0.333333333333334"),
        (Fraction(-1, 3), "-0.333333333333334", "-0.333333333333333"),
        (Fraction(2), "2", "2"),
        (Fraction(0), "0", "0"),
        (Fraction(-5, 2), "-2.5", "-2.5"),
        (Fraction(10**20 + 1, 10**20), "1", "1.000000000000001"),
        (Fraction(1, 10**30), "0." + "0" * 29 + "1", "0." + "0" * 29 + "1"),
        (Fraction(10**40 + 1, 2), "5" + "0" * 39, "5" + "0" * 38 + "1"),
    ],
)
def test_decimals(value: Fraction, low: str, high: str) -> None:
    assert (decimal_text(value, False), decimal_text(value, True)) == (low, high)


def test_the_interpreter_s_digit_limit_does_not_matter() -> None:
    old = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        n = 7**20_000
        assert decimal_to_int(int_to_decimal(n)) == n
        assert decimal_text(Fraction(n, 7**19_999 + 1), True).startswith("7")
    finally:
        sys.set_int_max_str_digits(old)


def test_rows_and_matrices() -> None:
    assert integer_rows([[1, "0x2"], ["2^2", -8]], "x", None, None) == [[1, 2], [4, -8]]
    assert integer_rows([], "x", None, None) == []
    assert integer_rows([[1], [2, 3]], "x", 2, lambda i: i + 1) == [[1], [2, 3]]
    assert matrix({"denominator": "0x3", "rows": [[1]]}, "x", 1, None) == (3, [[1]])
    for value in ([[1], [1, 2]], [[1, 2], [1]], [1], {"a": 1}, [[1.5]], [[True]], [[None]]):
        assert rule_of(lambda value=value: integer_rows(value, "x", None, None))
    assert rule_of(lambda: integer_rows([[1]], "x", 2, None)) == "shape"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@QUICK
@given(JSON, st.booleans())
def test_json_round_trips(value: Any, plain: bool) -> None:
    assert read_json(json.dumps(value, ensure_ascii=plain, indent=None if plain else 1).encode("utf-8", "replace")) == (
        value if plain else json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    )


@QUICK
@given(JSON, st.sampled_from([b"{}", b"1", b"]", b"\xff", b'"', b","]))
def test_trailing_data_is_rejected(value: Any, tail: bytes) -> None:
    assert rule_of(lambda: read_json(json.dumps(value).encode() + b" " + tail)).startswith("json.")


@QUICK
@given(st.floats())
def test_no_float_is_read(value: float) -> None:
    assert rule_of(lambda: read_json(json.dumps([value]).encode())) == "number.not-exact"


@pytest.mark.parametrize("text", ["1１", "١", "-", "1.", ".5", "+1", "0x1", "1_0", "00", "-01", "1 2", "1e", "- 1"])
def test_no_other_json_number(text: str) -> None:
    assert rule_of(lambda: read_json(f"[{text}]".encode()))


def test_no_other_digits_even_without_the_accelerator(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter's own scanner takes all Unicode digits; the kernel does not."""
    from json import decoder, scanner

    monkeypatch.setattr(decoder.scanner, "make_scanner", scanner.py_make_scanner)
    monkeypatch.setattr(decoder, "scanstring", decoder.py_scanstring)
    assert read_json(b'{"a": [1, -0, "x"]}') == {"a": [1, 0, "x"]}
    for text in ("[1１]", "[1.5]", "[NaN]", '{"a":1,"a":1}', "[1] 2", "[" * 100_000):
        assert rule_of(lambda text=text: read_json(text.encode()))


@given(st.text(max_size=200) | st.integers() | st.none() | st.booleans() | st.floats())
def test_what_is_shown_is_one_short_line(value: object) -> None:
    text = shown(value)
    assert text.isprintable()
    assert len(text) <= 60


LARGE = (10**5000, -(10**5000), [10**5000], {"a": 10**5000}, "x" * 10**6, isqrt(10**9000))


@pytest.mark.parametrize("value", LARGE, ids=lambda value: type(value).__name__)
def test_showing_large_values_is_safe(value: object) -> None:
    assert len(shown(value)) <= 60
