"""Numbers a + b·√d of one real quadratic field, exactly: d >= 2 is not a square, a and b are rational.

Used where an optimum is irrational. Sums, products, quotients and signs are exact; with integers a and b
and ``//`` for divisions that leave nothing over, fraction-free elimination runs on them unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

Rational: TypeAlias = int | Fraction
Number: TypeAlias = "int | Fraction | Surd"


@dataclass(frozen=True)
class Surd:
    """a + b·√d. Operands of one operation have the same d, or are rational."""

    a: Rational
    b: Rational
    d: int

    def _other(self, value: Number) -> Surd:
        if isinstance(value, Surd):
            if value.d != self.d:
                raise ArithmeticError("numbers of two quadratic fields")
            return value
        return Surd(value, 0, self.d)

    def __add__(self, value: Number) -> Surd:
        other = self._other(value)
        return Surd(self.a + other.a, self.b + other.b, self.d)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.d)

    def __sub__(self, value: Number) -> Surd:
        return self + (-self._other(value))

    def __rsub__(self, value: Number) -> Surd:
        return self._other(value) - self

    def __mul__(self, value: Number) -> Surd:
        other = self._other(value)
        return Surd(self.a * other.a + self.d * self.b * other.b, self.a * other.b + self.b * other.a, self.d)

    __rmul__ = __mul__

    def _parts_over(self, value: Number) -> tuple[Rational, Rational, Rational]:
        """The quotient as (p + q·√d)/norm; the norm of a number that is not 0 is not 0, since d is no square."""
        other = self._other(value)
        top = self * Surd(other.a, -other.b, self.d)
        return top.a, top.b, other.a * other.a - self.d * other.b * other.b

    def __truediv__(self, value: Number) -> Surd:
        p, q, norm = self._parts_over(value)
        return Surd(Fraction(p) / norm, Fraction(q) / norm, self.d)

    def __rtruediv__(self, value: Number) -> Surd:
        return self._other(value) / self

    def __floordiv__(self, value: Number) -> Surd:
        """Division that is known to leave integers; ArithmeticError if it does not."""
        p, q, norm = self._parts_over(value)
        if p % norm or q % norm:
            raise ArithmeticError("an inexact division")
        return Surd(p // norm, q // norm, self.d)

    def sign(self) -> int:
        """−1, 0 or 1, by comparing a² with d·b²."""
        a, b = (self.a > 0) - (self.a < 0), (self.b > 0) - (self.b < 0)
        if a == b or b == 0:
            return a
        if a == 0:
            return b
        return a if self.a * self.a > self.d * self.b * self.b else b

    def __bool__(self) -> bool:
        return self.a != 0 or self.b != 0

    def __eq__(self, value: object) -> bool:
        if isinstance(value, Surd):
            return (self.a, self.b, self.d) == (value.a, value.b, value.d)
        return isinstance(value, (int, Fraction)) and self.b == 0 and self.a == value

    def __hash__(self) -> int:
        return hash((self.a, self.b, self.d)) if self.b else hash(self.a)

    def __lt__(self, value: Number) -> bool:
        return (self - value).sign() < 0

    def __le__(self, value: Number) -> bool:
        return (self - value).sign() <= 0

    def __gt__(self, value: Number) -> bool:
        return (self - value).sign() > 0

    def __ge__(self, value: Number) -> bool:
        return (self - value).sign() >= 0

    def enclosure(self, bits: int = 80) -> tuple[Fraction, Fraction]:
        """Rationals below and above it, about |b|·2^−bits apart."""
        root = isqrt(self.d << (2 * bits))
        ends = [Fraction(self.a) + Fraction(self.b) * Fraction(root + step, 1 << bits) for step in (0, 1)]
        return min(ends), max(ends)
