"""Measurement matrices and measured vectors, exactly: the data of the families of sparse recovery.

A matrix is integer rows over one common denominator, both without a common factor, so that equal matrices have one
form. The rank of a set of its columns is proved from below by elimination modulo a number that the witness chooses.
"""

from __future__ import annotations

from math import gcd
from typing import Any

from certify.kernel.exact import Rejected, affordable, longest, matrix, storable

MAX_MODULUS = 1 << 62


def sensing_matrix(value: Any, where: str, width: int | None = None) -> tuple[dict[str, Any], int, list[list[int]]]:
    """The canonical table of a matrix with at least one row and one column, its denominator and its rows."""
    q, rows = matrix(value, where, None, None if width is None else lambda i: width)
    if not rows or not rows[0]:
        raise Rejected("shape", f"{where}.rows", "a matrix has at least one row and one column")
    common = gcd(q, *(entry for row in rows for entry in row))
    q, rows = q // common, [[entry // common for entry in row] for row in rows]
    return {"denominator": q, "rows": rows}, q, rows


def sensing_products(rows: list[list[int]], u: list[int], where: str) -> list[int]:
    """rowsᵀu, an integer a column."""
    bits = longest([u])
    affordable(where, len(rows) * len(rows[0]), longest(rows), bits)
    storable(where, len(rows[0]), bits + longest(rows))
    total = [0] * len(rows[0])
    for factor, row in zip(u, rows, strict=True):
        if factor:
            total = [sum_ + factor * entry for sum_, entry in zip(total, row, strict=True)]
    return total


def sensing_independent(vectors: list[list[int]], modulus: int, where: str) -> None:
    """Return if these integer vectors are proved independent over ℚ; raise Rejected otherwise.

    Elimination modulo the modulus: if every pivot is a unit, a minor of full size is a unit, so it is not zero. The
    modulus need not be prime for that.
    """
    width = len(vectors[0]) if vectors else 0
    affordable(where, 64 * len(vectors) ** 2 * width)  # a step of elimination costs far more than one product
    work = [[entry % modulus for entry in vector] for vector in vectors]
    for r, vector in enumerate(work):
        at = next((j for j, entry in enumerate(vector) if gcd(entry, modulus) == 1), None)
        if at is None:
            raise Rejected("columns.dependent", where, f"vector {r} depends on those before it, modulo {modulus}")
        inverse = pow(vector[at], -1, modulus)
        for other in work[r + 1 :]:
            if other[at]:
                factor = other[at] * inverse % modulus
                other[:] = [(a - factor * b) % modulus for a, b in zip(other, vector, strict=True)]
