"""Square and overdetermined systems of linear equations over ℚ, solved exactly.

python-flint does it when it is installed; the twin in plain integers gives the same solutions, for small systems.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

Integers = Sequence[Sequence[int]]
PRIME = 2**61 - 1


def solved_square(a: Integers, b: Sequence[int]) -> list[Fraction] | None:
    """x with Ax = b for a square integer matrix, or None if A is singular."""
    if not a:
        return []
    try:
        from flint import fmpz_mat
    except ImportError:
        return _eliminated(a, b)
    try:
        solution = fmpz_mat([list(row) for row in a]).solve(fmpz_mat([[entry] for entry in b]))
    except ZeroDivisionError:
        return None
    return [Fraction(int(entry.p), int(entry.q)) for (entry,) in solution.tolist()]


def _eliminated(a: Integers, b: Sequence[int]) -> list[Fraction] | None:
    """Fraction-free Gauss–Jordan elimination (Bareiss 1968)."""
    n = len(a)
    work = [[*row, entry] for row, entry in zip(a, b, strict=True)]
    previous = 1
    for r in range(n):
        at = next((i for i in range(r, n) if work[i][r]), None)
        if at is None:
            return None
        work[r], work[at] = work[at], work[r]
        top = work[r]
        for i in range(n):
            if i != r:
                factor = work[i][r]
                work[i] = [(top[r] * x - factor * y) // previous for x, y in zip(work[i], top, strict=True)]
        previous = top[r]
    return [Fraction(work[i][n], work[i][i]) for i in range(n)]


def independent_rows(rows: Integers, modulus: int = PRIME) -> tuple[list[int], list[list[int]]]:
    """Indices of rows that are independent modulo the prime and span the others, and the others, each as [index]."""
    kept: list[int] = []
    basis: list[tuple[int, list[int]]] = []
    others: list[list[int]] = []
    for i, row in enumerate(rows):
        rest = [entry % modulus for entry in row]
        for at, vector in basis:
            if rest[at]:
                factor = rest[at]
                rest = [(x - factor * y) % modulus for x, y in zip(rest, vector, strict=True)]
        pivot = next((j for j, entry in enumerate(rest) if entry), None)
        if pivot is None:
            others.append([i])
            continue
        inverse = pow(rest[pivot], -1, modulus)
        basis.append((pivot, [entry * inverse % modulus for entry in rest]))
        kept.append(i)
    return kept, others


def left_kernel(rows: Integers) -> list[list[int]]:
    """A basis of {u : uᵀA = 0} in integers without common factors."""
    try:
        from flint import fmpz_mat
    except ImportError:
        return _left_kernel(rows)
    columns: Any = [list(column) for column in zip(*rows, strict=True)]
    table, count = fmpz_mat(columns).nullspace()
    found = [[int(table[i, j]) for i in range(table.nrows())] for j in range(count)]
    return [_primitive(vector) for vector in found]


def _primitive(vector: Sequence[int]) -> list[int]:
    common = gcd(*vector) or 1
    return [entry // common for entry in vector]


def _left_kernel(rows: Integers) -> list[list[int]]:
    """Elimination that remembers its row operations."""
    n = len(rows)
    work = [[*row, *(int(i == k) for k in range(n))] for i, row in enumerate(rows)]
    width, r = len(rows[0]), 0
    for j in range(width):
        at = next((i for i in range(r, n) if work[i][j]), None)
        if at is None:
            continue
        work[r], work[at] = work[at], work[r]
        top = work[r]
        for i in range(r + 1, n):
            if work[i][j]:
                factor = work[i][j]
                work[i] = _primitive([top[j] * x - factor * y for x, y in zip(work[i], top, strict=True)])
        r += 1
    return [_primitive(row[width:]) for row in work[r:]]
