"""Numbers a + b·√d of one real quadratic field, exactly: d >= 2 is squarefree, a and b are rational.

So √d is irrational, and equal numbers have equal a, b and (unless b = 0) d. Used where an optimum is irrational.
Sums, products and signs are exact; with integers a and b, and ``//`` for divisions that leave nothing over,
fraction-free elimination runs on them unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any, TypeAlias

from certify.kernel.exact import Rejected, integer, rational_text

MAX_RADICAND = 1_000_000

Rational: TypeAlias = int | Fraction


@dataclass(frozen=True)
class Surd:
    """a + b·√d. Operands of one operation have the same d, or are rational."""

    a: Rational
    b: Rational
    d: int

    def _other(self, value: Any) -> Surd:
        if not isinstance(value, Surd):
            return Surd(value, 0, self.d)
        if value.d != self.d:
            raise ArithmeticError("numbers of two quadratic fields")
        return value

    def __add__(self, value: Any) -> Surd:
        other = self._other(value)
        return Surd(self.a + other.a, self.b + other.b, self.d)

    __radd__ = __add__

    def __neg__(self) -> Surd:
        return Surd(-self.a, -self.b, self.d)

    def __sub__(self, value: Any) -> Surd:
        return self + (-self._other(value))

    def __rsub__(self, value: Any) -> Surd:
        return self._other(value) - self

    def __mul__(self, value: Any) -> Surd:
        other = self._other(value)
        return Surd(self.a * other.a + self.d * self.b * other.b, self.a * other.b + self.b * other.a, self.d)

    __rmul__ = __mul__

    def over(self, value: Any) -> tuple[Rational, Rational, Rational]:
        """The quotient as (p + q·√d)/norm; the norm of a number that is not 0 is not 0, since d is no square."""
        other = self._other(value)
        top = self * Surd(other.a, -other.b, self.d)
        return top.a, top.b, other.a * other.a - self.d * other.b * other.b

    def __floordiv__(self, value: Any) -> Surd:
        """Division that is known to leave integers; ArithmeticError if it does not."""
        p, q, norm = self.over(value)
        if p % norm or q % norm:
            raise ArithmeticError("an inexact division")
        return Surd(p // norm, q // norm, self.d)

    def sign(self) -> int:
        """−1, 0 or 1, by comparing a² with d·b²."""
        a, b = (self.a > 0) - (self.a < 0), (self.b > 0) - (self.b < 0)
        if a * b >= 0:
            return a or b
        return a if self.a * self.a > self.d * self.b * self.b else b

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __eq__(self, value: object) -> bool:
        other = value if isinstance(value, Surd) else self._other(value)
        return (self.a, self.b) == (other.a, other.b) and (self.d == other.d or self.b == 0)

    def __lt__(self, value: Any) -> bool:
        return self.__sub__(value).sign() < 0

    def __le__(self, value: Any) -> bool:
        return self.__sub__(value).sign() <= 0

    def __gt__(self, value: Any) -> bool:
        return self.__sub__(value).sign() > 0

    def bit_length(self) -> int:
        """How long its integer parts are, with what a product adds to them; thrice, as it takes nine times the work."""
        return 3 * (max(int(self.a).bit_length(), int(self.b).bit_length()) + self.d.bit_length())

    def text(self) -> str:
        """``a + b*sqrt(d)``, each part ``p/q``."""
        return f"{rational_text(Fraction(self.a))} + {rational_text(Fraction(self.b))}*sqrt({self.d})".replace(
            "+ -", "- "
        )

    def as_json(self) -> dict[str, Any]:
        """``{"a": "p/q", "b": "p/q", "d": d}``."""
        return {"a": rational_text(Fraction(self.a)), "b": rational_text(Fraction(self.b)), "d": self.d}

    def enclosure(self) -> tuple[Fraction, Fraction]:
        """Rationals below and above it, at most 2^−80 apart."""
        bits = 80 + int(abs(Fraction(self.b)) + 1).bit_length()
        root = isqrt(self.d << (2 * bits))
        ends = [self.a + self.b * Fraction(root + step, 1 << bits) for step in (0, 1)]
        return min(ends), max(ends)


def radicand_of(witness: dict[str, Any], where: str) -> int:
    """The d of a witness whose numbers are a + b·√d, or 0 if they are integers."""
    if "radicand" not in witness:
        return 0
    d = integer(witness["radicand"], f"{where}.radicand", 2, MAX_RADICAND)
    if any(d % (k * k) == 0 for k in range(2, isqrt(d) + 1)):
        raise Rejected("number.radicand", f"{where}.radicand", "must not be divisible by a square")
    return d


def paired(row: list[int], d: int) -> list[Any]:
    """The integers themselves, or the numbers a + b·√d that they spell two by two."""
    return [Surd(a, b, d) for a, b in zip(row[::2], row[1::2], strict=True)] if d else row


def quotient(top: Any, bottom: Any) -> Any:
    """The exact quotient: a Fraction if it is rational, else a Surd of Fractions."""
    if not isinstance(top, Surd) and not isinstance(bottom, Surd):
        return Fraction(top, bottom)
    d = top.d if isinstance(top, Surd) else bottom.d
    p, q, norm = Surd(0, 0, d)._other(top).over(bottom)
    return Surd(Fraction(p, norm), Fraction(q, norm), d) if q else Fraction(p, norm)
