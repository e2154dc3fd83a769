"""Exact numbers a + b·√d for the truth, by other means than the kernel's: pairs of fractions, signs by quotients."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from typing import Any


@total_ordering
@dataclass(frozen=True, eq=False)
class Root:
    """a + b·√d with d > 0 that is no square; numbers of one computation have one d."""

    a: Fraction
    b: Fraction
    d: int

    def of(self, value: Any) -> Root:
        """A number of the same field."""
        return value if isinstance(value, Root) else Root(Fraction(value), Fraction(0), self.d)

    def __add__(self, value: Any) -> Root:
        other = self.of(value)
        return Root(self.a + other.a, self.b + other.b, self.d)

    __radd__ = __add__

    def __mul__(self, value: Any) -> Root:
        x, y = self, self.of(value)
        return Root(x.a * y.a + x.b * y.b * self.d, x.a * y.b + x.b * y.a, self.d)

    __rmul__ = __mul__

    def __neg__(self) -> Root:
        return self * -1

    def __sub__(self, value: Any) -> Root:
        return self + self.of(value) * -1

    def __rsub__(self, value: Any) -> Root:
        return self.of(value) - self

    def __truediv__(self, value: Any) -> Root:
        y = self.of(value)
        size = y.a * y.a - y.b * y.b * self.d
        return self * Root(y.a / size, -y.b / size, self.d)

    def __rtruediv__(self, value: Any) -> Root:
        return self.of(value) / self

    def __abs__(self) -> Root:
        return self if self.positive() else self * -1

    def positive(self) -> bool:
        """Whether it is above 0: √d is compared with −a/b."""
        if self.b == 0:
            return self.a > 0
        bound = Fraction(-self.a, self.b)
        above = bound < 0 or bound * bound < self.d
        return bool(above) if self.b > 0 else not above

    def __eq__(self, value: object) -> bool:
        other = self.of(value)
        return (self.a, self.b) == (other.a, other.b)

    def __hash__(self) -> int:
        return hash((self.a, self.b))

    def __gt__(self, value: Any) -> bool:
        difference: Root = self - value
        return difference.positive()


def same(one: Any, a: Any, b: Any, d: int) -> bool:
    """Whether an exact number is a + b·√d."""
    if isinstance(one, Root):
        return (one.a, one.b) == (a, b) and (b == 0 or one.d == d)
    return bool(one == a and b == 0)
