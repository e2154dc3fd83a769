"""Sparse square systems of linear equations over ℚ, solved exactly by floating point.

A sparse LU factorisation in doubles gives some binary digits of the solution at a time; the residual is carried on in
integers, exactly (Wan 2006; Gleixner, Steffy and Wolter 2016): with residual r and digits d = round(2^s·A⁻¹r) the next
residual 2^s·r − A·d stays small, so 64-bit arithmetic that wraps around gives it. A rational vector is then read off
by continued fractions and must satisfy the equations, so what is returned is right whatever the floats were.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import frexp, gcd

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.linalg import SuperLU, splu

MOST_BITS = 1 << 18  # of a solution
WORD = 36  # bits of an entry up to which the residual is carried on in 64-bit words
_SAFE = 2.0**61

Ints = list[int]


class ExactSystem:
    """A square sparse integer matrix A, (n, n), and its factors in doubles.

    rows/columns/values: its entries, Python integers of any size. ``solve`` and ``solve_transposed`` are exact.
    """

    def __init__(self, n: int, rows: Sequence[int], columns: Sequence[int], values: Sequence[int]) -> None:
        self.n = n
        self.entries = (list(rows), list(columns), list(values))
        reach = max((abs(v).bit_length() for v in values), default=0) < 1000  # beyond, doubles are infinite
        floats = np.array([float(v) if reach else 0.0 for v in values])
        largest = np.zeros(n)
        np.maximum.at(largest, self.entries[0], np.abs(floats))
        # Rows are scaled by powers of two for the factors only.
        self.scale = np.exp2(-np.round(np.log2(np.where(largest > 0, largest, 1.0))))
        scaled = sp.csc_matrix((floats * self.scale[self.entries[0]], (rows, columns)), shape=(n, n))
        self.floats = sp.csr_matrix((floats, (rows, columns)), shape=(n, n))
        self.factors: SuperLU | None = None
        if n and reach:
            try:
                self.factors = splu(scaled)
            except RuntimeError:  # singular
                self.factors = None
        self.long = bool(values) and max(abs(v).bit_length() for v in values) > WORD
        wrapped = np.array([_wrapped(v) for v in values], dtype=np.int64)
        self.whole = sp.csr_matrix((wrapped, (rows, columns)), shape=(n, n))
        self.whole.sort_indices()

    def solve(self, right: Sequence[int], remaining: Callable[[], float]) -> tuple[Ints, int] | None:
        """Integers x and q ≥ 1 with A(x/q) = right; None if it is out of reach (singular, time, too many digits)."""
        return self._solve(right, False, remaining)

    def solve_transposed(self, right: Sequence[int], remaining: Callable[[], float]) -> tuple[Ints, int] | None:
        """As solve, for the transposed matrix."""
        return self._solve(right, True, remaining)

    def _solve(self, right: Sequence[int], transposed: bool, remaining: Callable[[], float]) -> tuple[Ints, int] | None:
        if not any(right):
            return [0] * self.n, 1
        if self.factors is None:
            return None
        if self.long:
            return self._solve_long(right, transposed, remaining)
        whole = self.whole.T.tocsr() if transposed else self.whole
        floats = self.floats.T.tocsr() if transposed else self.floats
        # The right-hand side may be long: its digits of base 2^40 are fed in one after the other, the highest first.
        longest = max(abs(v).bit_length() for v in right)
        parts = max(1, -(-longest // 40))
        feed = [[(abs(v) >> (40 * p) & (2**40 - 1)) * (1 if v >= 0 else -1) for v in right] for p in range(parts)]
        total: list[int] = [0] * self.n  # Σ of the parts, as x·2^-bits
        bits = 0
        residual = np.zeros(self.n, dtype=np.int64)
        digits: list[NDArray[np.int64]] = []
        shifts: list[int] = []
        wanted = 128
        step = 40
        for part in reversed(feed):
            # residual·2^40 + part must stay within 64 bits: the shift is done in small steps
            fed = self._fed(residual, part, whole, floats, transposed)
            if fed is None:
                return self._solve_long(right, transposed, remaining)
            residual, carried = fed
            total = [(x << 40) + int(c) for x, c in zip(total, carried, strict=True)]
        while bits < MOST_BITS:
            if remaining() <= 0:
                return None
            found = self._step(residual, step, whole, floats, transposed)
            while found is None and step > 4:
                step -= 6
                found = self._step(residual, step, whole, floats, transposed)
            if found is None:
                return self._solve_long(right, transposed, remaining)
            residual, digit = found
            digits.append(digit)
            shifts.append(step)
            bits += step
            if bits >= wanted or not residual.any():
                total = _joined(total, digits, shifts)
                digits, shifts = [], []
                left = self._approximate(residual.astype(float), transposed)
                slack = 3 + int(np.ceil(np.log2(1.0 + np.max(np.abs(left)))))
                answer = _rational(total, bits, slack) if residual.any() else _lowest(total, 1 << bits)
                if answer is not None and self._holds(*answer, right, transposed):
                    return answer
                wanted = max(wanted * 2, bits + 64)
        return None

    def _solve_long(
        self, right: Sequence[int], transposed: bool, remaining: Callable[[], float]
    ) -> tuple[Ints, int] | None:
        """As _solve, for entries too long for 64-bit arithmetic: the residual is a list of integers of any size."""
        residual, total, bits, wanted = list(right), [0] * self.n, 0, 256
        rounds, begun = 0, max(abs(v).bit_length() for v in right)
        while bits < MOST_BITS and remaining() > 0:
            # x = total/2^bits, and right·2^bits − A·total is the residual.
            power = max(abs(v).bit_length() for v in residual)
            shrunk = np.array([float(Fraction(v, 1 << power)) for v in residual])
            found = self._approximate(shrunk, transposed)
            largest = float(np.max(np.abs(found), initial=0.0))
            if not np.isfinite(largest):
                return None
            shift = max(0, 40 - power - frexp(largest)[1]) if largest else 64
            rounds += 1
            if rounds > 8 and bits - power < 2 * rounds - begun:  # the factors are of no use
                return None
            digits = [round(Fraction(float(d)) * 2 ** (power + shift)) for d in found]
            residual, total = [v << shift for v in residual], [x << shift for x in total]
            bits += shift
            rows, columns, values = self.entries
            if transposed:
                rows, columns = columns, rows
            for i, j, v in zip(rows, columns, values, strict=True):
                residual[i] -= v * digits[j]
            total = [x + d for x, d in zip(total, digits, strict=True)]
            if not any(residual):
                return _lowest(total, 1 << bits)
            if bits >= wanted:
                power = max(abs(v).bit_length() for v in residual)
                left = self._approximate(np.array([float(Fraction(v, 1 << power)) for v in residual]), transposed)
                slack = max(0, power + frexp(float(np.max(np.abs(left), initial=0.0)))[1]) + 3
                answer = _rational(total, bits, slack)
                if answer is not None and self._holds(*answer, right, transposed):
                    return answer
                wanted = 2 * bits
        return None

    def _approximate(self, residual: NDArray[np.float64], transposed: bool) -> NDArray[np.float64]:
        factors = self.factors
        if factors is None:
            return residual
        if transposed:
            return np.asarray(factors.solve(residual, trans="T") * self.scale)
        return np.asarray(factors.solve(residual * self.scale))

    def _step(
        self, residual: NDArray[np.int64], s: int, whole: sp.csr_matrix, floats: sp.csr_matrix, transposed: bool
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
        """2^s·residual − A·d and d, or None if they do not fit into 64 bits."""
        digits = np.rint(self._approximate(residual.astype(float) * 2.0**s, transposed))
        if not np.all(np.isfinite(digits)) or np.max(np.abs(digits), initial=0.0) > _SAFE:
            return None
        about = residual.astype(float) * 2.0**s - floats @ digits
        slack = (np.abs(residual).astype(float) * 2.0**s + abs(floats) @ np.abs(digits)) * 2.0**-45
        if np.max(np.abs(about) + slack) > _SAFE:
            return None
        whole_digits = digits.astype(np.int64)
        with np.errstate(over="ignore"):
            new = (residual << s) - whole @ whole_digits
        return new, whole_digits

    def _fed(
        self,
        residual: NDArray[np.int64],
        part: Sequence[int],
        whole: sp.csr_matrix,
        floats: sp.csr_matrix,
        transposed: bool,
    ) -> tuple[NDArray[np.int64], NDArray[np.object_]] | None:
        """The residual and the digits after 40 more bits of the right-hand side have come in."""
        carried: NDArray[np.object_] = np.zeros(self.n, dtype=object)
        extra = np.array(part, dtype=np.int64)
        for s in (20, 20):
            found = (
                self._step(residual, s, whole, floats, transposed)
                if residual.any()
                else (residual, np.zeros(self.n, np.int64))
            )
            if found is None:
                return None
            residual, digit = found
            carried = carried * 2**s + digit.astype(object)
        return residual + extra, carried

    def _holds(self, x: Ints, q: int, right: Sequence[int], transposed: bool) -> bool:
        """Whether A(x/q) = right, exactly."""
        left = [-q * v for v in right]
        rows, columns, values = self.entries
        if transposed:
            rows, columns = columns, rows
        for i, j, v in zip(rows, columns, values, strict=True):
            if x[j]:
                left[i] += v * x[j]
        return not any(left)


def _wrapped(value: int) -> int:
    """The value modulo 2^64 as a signed 64-bit integer."""
    value &= 2**64 - 1
    return value - 2**64 if value >= 2**63 else value


def _joined(total: list[int], digits: list[NDArray[np.int64]], shifts: list[int]) -> list[int]:
    """total·2^Σshifts + Σ of the digits, each at its place; digits are joined in pairs first."""
    parts = [[int(d) for d in digit] for digit in digits]
    places = list(shifts)
    while len(parts) > 1:
        joined, joined_places = [], []
        for k in range(0, len(parts) - 1, 2):
            joined.append([(a << places[k + 1]) + b for a, b in zip(parts[k], parts[k + 1], strict=True)])
            joined_places.append(places[k] + places[k + 1])
        if len(parts) % 2:
            joined.append(parts[-1])
            joined_places.append(places[-1])
        parts, places = joined, joined_places
    return [(x << places[0]) + d for x, d in zip(total, parts[0], strict=True)] if parts else total


def _lowest(x: Sequence[int], q: int) -> tuple[Ints, int]:
    """x/q without a common factor."""
    common = gcd(q, *x)
    return [value // common for value in x], q // common


def _rational(numbers: Sequence[int], bits: int, slack: int) -> tuple[Ints, int] | None:
    """Integers x and q with |x_i/q − numbers_i/2^bits| ≤ 2^(slack − bits), q so short that this is hardly chance."""
    unit, q = 1 << bits, 1
    for number in numbers:
        scaled = number * q
        rest = abs(scaled - (((scaled + (unit >> 1)) >> bits) << bits))
        factor = _denominator(rest, unit, q << slack)
        if factor is None:
            return None
        q *= factor
    x = [(number * q + (unit >> 1)) >> bits for number in numbers]
    return _lowest(x, q)


def _denominator(value: int, unit: int, error: int) -> int | None:
    """The least f ≥ 1 for which f·value/unit is within f·error/unit of an integer; None if chance explains it."""
    a, b, before, now = unit, value, 0, 1
    while b > now * error:
        quotient, rest = divmod(a, b)
        a, b, before, now = b, rest, now, before + quotient * now
        if now * error << 32 > unit:
            return None
    return now if now * error << 32 <= unit else None
