"""Arithmetic of a + b·√d: against pairs of fractions, and against high-precision decimals for order."""

from __future__ import annotations

from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.kernel import Rejected
from certify.kernel.quadratic import Surd, paired, quotient, radicand_of
from certify.testing.field import Root, same

SETTINGS = settings(max_examples=300, derandomize=True, deadline=None, database=None)
RADICANDS = (2, 3, 5, 6, 7, 10, 999_997)
SMALL = st.integers(-12, 12) | st.integers(-(2**80), 2**80)


def near(a: Any, b: Any, d: int) -> Decimal:
    """The number to 100 digits."""
    with localcontext() as context:
        context.prec = 100
        parts = [Decimal(Fraction(x).numerator) / Decimal(Fraction(x).denominator) for x in (a, b)]
        return parts[0] + parts[1] * Decimal(d).sqrt()


@st.composite
def pairs(draw: Any) -> tuple[Surd, Surd]:
    """Two numbers of a field; half of them are very near to each other."""
    d = draw(st.sampled_from(RADICANDS))
    a, b = draw(SMALL), draw(SMALL)
    if draw(st.booleans()):
        return Surd(a, b, d), Surd(draw(SMALL), draw(SMALL), d)
    p, q = 1, 1
    for _ in range(draw(st.integers(0, 20))):  # p/q tends to √d
        p, q = p + d * q, p + q
    return Surd(a, b, d), Surd(a + draw(st.integers(-1, 1)) * p, b - draw(st.integers(-1, 1)) * q, d)


def twin(x: Surd) -> Root:
    return Root(Fraction(x.a), Fraction(x.b), x.d)


@SETTINGS
@given(pairs(), st.integers(-9, 9))
def test_ring(xy: tuple[Surd, Surd], k: int) -> None:
    x, y = xy
    for one, other in (
        (x + y, twin(x) + twin(y)),
        (x - y, twin(x) - twin(y)),
        (x * y, twin(x) * twin(y)),
        (-x, twin(x) * -1),
        (x + k, twin(x) + k),
        (k + x, twin(x) + k),
        (x - k, twin(x) - k),
        (k - x, twin(x) * -1 + k),
        (x * k, twin(x) * k),
        (k * x, twin(x) * k),
    ):
        assert same(other, one.a, one.b, one.d)
    if y:
        value = quotient(x, y)
        there = twin(x) / twin(y)
        assert same(there, value.a, value.b, value.d) if isinstance(value, Surd) else same(there, value, 0, 0)
        assert (x * y) // y == x
        assert quotient(k * y, y) == k
        assert isinstance(quotient(k * y, y), Fraction)
    if k:
        assert (x * k) // k == x
        assert same(twin(x) / k, *parts(quotient(x, k), x.d))
        if x:
            assert same(Root(Fraction(k), Fraction(0), x.d) / twin(x), *parts(quotient(k, x), x.d))


def parts(value: Any, d: int) -> tuple[Any, Any, int]:
    return (value.a, value.b, value.d) if isinstance(value, Surd) else (value, 0, d)


@SETTINGS
@given(pairs(), SMALL)
def test_order(xy: tuple[Surd, Surd], k: int) -> None:
    x, y = xy
    for one, other, p, q in ((x, y, near(x.a, x.b, x.d), near(y.a, y.b, y.d)), (x, k, near(x.a, x.b, x.d), Decimal(k))):
        difference = one - other
        exact = (p > q) - (p < q) if (difference.a, difference.b) != (0, 0) else 0
        assert difference.sign() == exact
        assert (one < other, one <= other, one > other, one == other) == (exact < 0, exact <= 0, exact > 0, exact == 0)
    assert bool(x) == ((x.a, x.b) != (0, 0))
    assert (k < x) == (near(x.a, x.b, x.d) > k)


@pytest.mark.parametrize(
    ("a", "b", "d", "sign"),
    [(0, 0, 2, 0), (1, 0, 2, 1), (-1, 0, 2, -1), (0, 1, 2, 1), (0, -1, 2, -1), (3, -2, 2, 1), (-3, 2, 2, -1),
     (1, -1, 2, -1), (-1, 1, 2, 1), (7, -5, 2, -1), (-7, 5, 2, 1), (1, 1, 2, 1), (-1, -1, 2, -1)],
)  # fmt: skip
def test_sign(a: int, b: int, d: int, sign: int) -> None:
    assert Surd(a, b, d).sign() == sign


def test_parts_stay_exact() -> None:
    """No float slips in, whatever the size."""
    x, y = Surd(3**60, 5**50, 7), Surd(2**61 + 1, -(3**41), 7)
    for value in (x + y, x - y, -x, x * y, (x * y) // y, (x * 3) // 3, 1 - x, 2 * x):
        assert (type(value.a), type(value.b)) == (int, int)
    assert ((x * y) // y, (x * 3) // 3) == (x, x)
    value = quotient(x, y)
    assert (type(value.a), type(value.b)) == (Fraction, Fraction)
    assert all(type(end) is Fraction for end in x.enclosure())


def test_equality_across_types_and_fields() -> None:
    assert Surd(2, 0, 5) == 2 == Surd(Fraction(2), 0, 5)
    assert Fraction(1, 2) == Surd(Fraction(1, 2), 0, 5)
    assert Surd(2, 0, 5) == Surd(2, 0, 7)
    assert Surd(2, 1, 5) != Surd(2, 1, 7)
    assert Surd(2, 1, 5) != 2
    assert Surd(2, 1, 5) in [Fraction(1), Surd(2, 1, 7), Surd(2, 1, 5)]
    for operation in (lambda x, y: x + y, lambda x, y: x * y, lambda x, y: x < y, lambda x, y: x // y):
        with pytest.raises(ArithmeticError):
            operation(Surd(1, 1, 5), Surd(1, 1, 7))


def test_inexact_division_is_an_error() -> None:
    for top, bottom in ((Surd(1, 1, 5), 2), (Surd(2, 1, 5), Surd(2, 0, 5)), (Surd(1, 2, 5), 2), (Surd(2, 1, 5), 2)):
        with pytest.raises(ArithmeticError):
            top // bottom
    with pytest.raises(ZeroDivisionError):
        Surd(1, 1, 5) // Surd(0, 0, 5)
    assert Surd(4, -6, 5) // 2 == Surd(2, -3, 5)


@SETTINGS
@given(st.fractions(max_denominator=10**6), st.fractions(max_denominator=10**30), st.sampled_from(RADICANDS))
def test_enclosure(a: Fraction, b: Fraction, d: int) -> None:
    value = Surd(a, b, d)
    low, high = value.enclosure()
    assert (value - low).sign() == (high - value).sign() == (1 if b else 0)
    assert high - low <= Fraction(1, 2**80)


def test_words() -> None:
    assert Surd(Fraction(1, 2), Fraction(-3, 4), 5).text() == "1/2 - 3/4*sqrt(5)"
    assert Surd(-1, 1, 2).text() == "-1 + 1*sqrt(2)"
    assert Surd(Fraction(1, 2), -3, 5).as_json() == {"a": "1/2", "b": "-3", "d": 5}


def test_pairs_and_lengths() -> None:
    assert paired([1, 2, 3, 4], 5) == [Surd(1, 2, 5), Surd(3, 4, 5)]
    assert paired([1, 2], 0) == [1, 2]
    assert Surd(0, -(2**70), 5).bit_length() == 3 * (71 + 3)
    assert Surd(2**90, 1, 2).bit_length() == 3 * (91 + 2)


@pytest.mark.parametrize("d", [2, 3, 5, 6, 999_997, 999_999 - 2])
def test_radicands(d: int) -> None:
    assert radicand_of({"radicand": d}, "x") == d
    assert radicand_of({}, "x") == 0


@pytest.mark.parametrize("d", [4, 8, 9, 12, 18, 25, 49, 999_999, 998_001, 999_996])
def test_no_radicands(d: int) -> None:
    with pytest.raises(Rejected):
        radicand_of({"radicand": d}, "x")
