"""Positive semidefiniteness of a symmetric integer matrix, proved.

Two kinds of proof (docs/mathematics.md, "Positive semidefinite matrices"):

``factor``  integers k_i >= 0, a rational c > 0 and a lower triangular integer L such that
            R = c·D·A·D − L·Lᵀ with D = diag(2^k_i) is diagonally dominant, R_ii >= Σ_{j≠i} |R_ij|.
            Then c·(Dv)ᵀA(Dv) = |Lᵀv|² + vᵀRv >= 0 for every v, and D is invertible. R is computed here.
``ldl``     no data: symmetric elimination over ℚ (fraction-free). All pivots are >= 0 and a zero pivot
            stands in a zero row. This one also proves singular matrices.

A symmetric matrix is held as its lower triangle, row i having i + 1 entries.
"""

from __future__ import annotations

from operator import mul
from typing import Any

from certify.kernel.exact import (
    Rejected,
    affordable,
    array,
    integer,
    integer_rows,
    kind,
    longest,
    mapping,
    rational,
    storable,
)

MAX_EXPONENT = 1 << 14
MAX_LDL = 400

Triangle = list[list[int]]


def gram(rows: list[list[int]], pure: bool, where: str = "rows") -> Triangle:
    """The lower triangle of rows·rowsᵀ, exactly. Rows may be ragged: missing entries are zero.

    The product is the one heavy step of a check. python-flint does it when it is there and pure is False;
    the pure twin gives the same integers.
    """
    bits = longest(rows)
    affordable(where, len(rows) * sum(map(len, rows)) // 2, bits, bits)
    storable(where, len(rows) ** 2 // 2, 2 * bits)
    product = None if pure else _gram_by_flint(rows)
    if product is not None:
        return product
    return [[sum(map(mul, row, other)) for other in rows[: i + 1]] for i, row in enumerate(rows)]


def _gram_by_flint(rows: list[list[int]]) -> Triangle | None:
    try:
        from flint import fmpz_mat
    except ImportError:
        return None
    width = max(map(len, rows), default=0)
    if width == 0:
        return None
    left = fmpz_mat([row + [0] * (width - len(row)) for row in rows])
    table = (left * left.transpose()).tolist()
    return [[int(entry) for entry in row[: i + 1]] for i, row in enumerate(table)]


def prove_psd(proof: Any, where: str, a: Triangle, pure: bool, kinds: tuple[str, ...] = ("factor", "ldl")) -> None:
    """Return if the proof, of one of the kinds, shows A ⪰ 0; raise Rejected otherwise.

    ``ldl`` needs no more of the entries than that they form a ring with exact signs and divisions.
    """
    if kind(proof, where, kinds) == "ldl":
        mapping(proof, where, {"kind"})
        _eliminate(where, a)
    else:
        mapping(proof, where, {"kind", "exponents", "multiplier", "factor"})
        _dominate(proof, where, a, pure)


def _dominate(proof: dict[str, Any], where: str, a: Triangle, pure: bool) -> None:
    n = len(a)
    entries = array(proof["exponents"], f"{where}.exponents", n)
    k = [integer(e, f"{where}.exponents[{i}]", 0, MAX_EXPONENT) for i, e in enumerate(entries)]
    c = rational(proof["multiplier"], f"{where}.multiplier")
    if c <= 0:
        raise Rejected("psd.multiplier", f"{where}.multiplier", "must be positive")
    factor = integer_rows(proof["factor"], f"{where}.factor", n, lambda i: i + 1)
    square = gram(factor, pure, f"{where}.factor")
    p, q = c.numerator, c.denominator
    affordable(where, n * n // 2, p.bit_length(), longest(a) + 2 * max(k, default=0))
    affordable(where, n * n // 2, q.bit_length(), longest(square))
    room = [0] * n  # R_ii − Σ_{j≠i} |R_ij|
    for i in range(n):
        for j in range(i):
            off = abs((p * a[i][j] << (k[i] + k[j])) - q * square[i][j])
            room[i] -= off
            room[j] -= off
        room[i] += (p * a[i][i] << (2 * k[i])) - q * square[i][i]
    for i in range(n):
        if room[i] < 0:
            raise Rejected("psd.dominance", f"{where}.factor[{i}]", "the remainder is not diagonally dominant")


def _eliminate(where: str, a: Triangle) -> None:
    """Fraction-free symmetric elimination: after pivot r the trailing matrix is (pivot/previous) times
    the Schur complement, and the divisions are exact (Bareiss 1968)."""
    n = len(a)
    if n > MAX_LDL:
        raise Rejected("size", where, f"ldl is for at most {MAX_LDL} rows")
    bits = n * (longest(a) + n.bit_length())  # of any minor (Hadamard 1893), with room
    affordable(where, n**3 // 6, bits, bits)
    work = [row[:] for row in a]
    previous = 1
    for r in range(n):
        pivot = work[r][r]
        column = [work[i][r] for i in range(r + 1, n)]
        if pivot < 0:
            raise Rejected("psd.pivot", where, f"pivot {r} is negative: the matrix is not positive semidefinite")
        if pivot == 0:
            if any(column):
                raise Rejected("psd.pivot", where, f"pivot {r} is zero in a row that is not zero")
            continue
        for i in range(r + 1, n):
            for j in range(r + 1, i + 1):
                work[i][j] = (pivot * work[i][j] - column[i - r - 1] * column[j - r - 1]) // previous
        previous = pivot
