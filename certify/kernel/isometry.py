"""The data of restricted isometry: an exact Gram matrix, and a number of entries.

The Gram matrix G = WᴴW comes from W = √c·M with integer rows M and a rational c > 0 (so that a matrix may be divided by
√n), or is given: rational, complex with rational parts, and perhaps with a radius: then the statements hold for
every Hermitian matrix whose entries are within it (an enclosure of irrational numbers).
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import Any, NamedTuple

from certify.kernel.exact import (
    Rejected,
    affordable,
    array,
    integer,
    integer_rows,
    longest,
    mapping,
    matrix,
    rational,
    rational_text,
    storable,
)
from certify.kernel.psd import gram


class Isometry(NamedTuple):
    """Entries (real + i·imaginary)/q of the Gram matrix, lower triangles, or the columns of M that make it.

    With columns: G = real/q is scale·MᵀM, and ``real`` is empty. ``rows`` is the number of rows of M, else 0.
    """

    columns: list[list[int]]
    scale: Fraction
    real: list[list[int]]
    imaginary: list[list[int]]
    q: int
    radius: Fraction
    sparsity: int
    free: bool

    def __len__(self) -> int:
        return len(self.columns or self.real)


class Hermitian(NamedTuple):
    """Full square matrices of (real + i·imaginary)/q, within radius; imaginary is empty if all entries are real."""

    real: list[list[int]]
    imaginary: list[list[int]]
    q: int
    radius: Fraction


def canonical_isometry(problem: Any) -> tuple[Any, Isometry]:
    """The matrix as primitive integer rows and the square of their scale, or the Gram matrix in lowest terms."""
    given = "gram" if type(problem) is dict and "gram" in problem else "matrix"
    table = mapping(problem, "problem", {given, "sparsity"}, {"scaling"})
    free = "scaling" in table
    if free and table["scaling"] != "best":
        raise Rejected("word", "problem.scaling", "the only word is best")
    form, parts = (_isometry_gram if given == "gram" else _isometry_matrix)(table[given])
    sparsity = integer(table["sparsity"], "problem.sparsity", 1, len(parts[0] or parts[2]))
    canonical = {given: form, "sparsity": sparsity}
    columns, scale, real, imaginary, q, radius = parts
    data = Isometry(columns, scale, real, imaginary, q, radius, sparsity, free)
    return canonical | ({"scaling": "best"} if free else {}), data


def _isometry_matrix(value: Any) -> tuple[Any, tuple[Any, ...]]:
    table = mapping(value, "problem.matrix", {"scale_squared", "rows"})
    scale = rational(table["scale_squared"], "problem.matrix.scale_squared")
    rows = integer_rows(table["rows"], "problem.matrix.rows", None, None)
    if scale <= 0:
        raise Rejected("isometry.scale", "problem.matrix.scale_squared", "must be positive")
    common = gcd(*(entry for row in rows for entry in row))
    rows = [[entry // (common or 1) for entry in row] for row in rows]
    scale = scale * common**2 if common else Fraction(1)
    columns = [list(column) for column in zip(*rows, strict=True)]
    return {"scale_squared": rational_text(scale), "rows": rows}, (columns, scale, [], [], 1, Fraction(0))


def _isometry_gram(value: Any) -> tuple[Any, tuple[Any, ...]]:
    table = mapping(value, "problem.gram", {"denominator", "rows"}, {"imaginary", "radius"})
    plain = {"denominator": table["denominator"], "rows": table["rows"]}
    q, real = matrix(plain, "problem.gram", None, lambda i: i + 1)
    parts = array(table.get("imaginary", []), "problem.gram.imaginary")
    imaginary = integer_rows(parts, "problem.gram.imaginary", len(real), lambda i: i + 1) if parts else []
    if any(row[-1] for row in imaginary):
        raise Rejected("isometry.diagonal", "problem.gram.imaginary", "the diagonal of a Hermitian matrix is real")
    imaginary = imaginary if any(map(any, imaginary)) else []
    radius = rational(table.get("radius", 0), "problem.gram.radius")
    if radius < 0:
        raise Rejected("isometry.radius", "problem.gram.radius", "a radius is not negative")
    common = gcd(q, *(entry for row in real + imaginary for entry in row))
    q //= common
    real, imaginary = ([[entry // common for entry in row] for row in part] for part in (real, imaginary))
    form: dict[str, Any] = {"denominator": q, "rows": real}
    form |= {"imaginary": imaginary} if imaginary else {}
    form |= {"radius": rational_text(radius)} if radius else {}
    return form, ([], Fraction(1), real, imaginary, q, radius)


def hermitian(data: Isometry, pure: bool, where: str) -> Hermitian:
    """The Gram matrix as full square matrices."""
    real, q = data.real, data.q
    if data.columns:
        real, q = gram(data.columns, pure, where), data.scale.denominator
        top = data.scale.numerator
        affordable(where, len(real) ** 2, longest(real), top.bit_length())
        real = [[top * entry for entry in row] for row in real]
    storable(where, 2 * len(real) ** 2, longest(real) + longest(data.imaginary))
    d = range(len(real))
    full = [[real[max(i, j)][min(i, j)] for j in d] for i in d]
    skew = [[data.imaginary[i][j] if i >= j else -data.imaginary[j][i] for j in d] for i in d if data.imaginary]
    return Hermitian(full, skew, q, data.radius)
