"""The null-space constant: α_s = max of ‖z_S‖₁ over z with Wz = 0 and ‖z‖₁ = 1 and sets S of s columns; 0 if ker W = 0.

Witnesses (docs/mathematics/nullspace.md):

``kernel``  z ≠ 0 with Wz = 0: α_s is at least the sum of its s largest moduli over ‖z‖₁. ``none``: it is at least 0.
``dual``    U of shape (n, d): with A = I − WᵀU, α_s is at most the largest, over the rows of A, of the sum of
            the s largest moduli of its entries (Juditsky, Nemirovski 2011), and at most 1.
``tree``    U, a value α and vectors of their own for some signed sets: all signed sets of s columns, as a tree whose
            nodes are closed by such bounds.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

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
from certify.kernel.sensing import sensing_matrix, sensing_products
from certify.kernel.statement import Rules

MAX_SPARSITY = 64


class Kernel(NamedTuple):
    """W = rows/q of shape (n, d), and s."""

    q: int
    rows: list[list[int]]
    sparsity: int

    def __len__(self) -> int:
        return len(self.rows[0])


def canonical_nullspace(problem: Any) -> tuple[Any, Kernel]:
    table = mapping(problem, "problem", {"matrix", "sparsity"})
    form, q, rows = sensing_matrix(table["matrix"], "problem.matrix")
    sparsity = integer(table["sparsity"], "problem.sparsity", 1, min(len(rows[0]), MAX_SPARSITY))
    return {"matrix": form, "sparsity": sparsity}, Kernel(q, rows, sparsity)


def _nullspace_vector(witness: dict[str, Any], where: str, data: Kernel) -> Fraction:
    entries = array(witness["value"], f"{where}.value", len(data))
    z = [integer(e, f"{where}.value[{j}]") for j, e in enumerate(entries)]
    used = [(j, x) for j, x in enumerate(z) if x]
    affordable(where, len(data.rows) * len(used), longest([z]), longest(data.rows))
    if not used or any(sum(row[j] * x for j, x in used) for row in data.rows):
        raise Rejected("nullspace.kernel", f"{where}.value", "zero, or not in the kernel of the matrix")
    sizes = sorted(map(abs, z), reverse=True)
    return Fraction(sum(sizes[: data.sparsity]), sum(sizes))


def _nullspace_columns(witness: dict[str, Any], where: str, data: Kernel) -> tuple[int, list[list[int]]]:
    """p > 0 and the columns of A = I − WᵀU, times p; from u_j = vectors_j/scale, one a column of W."""
    scale = integer(witness["denominator"], f"{where}.denominator", 1)
    vectors = integer_rows(witness["vectors"], f"{where}.vectors", len(data), lambda j: len(data.rows))
    bits = longest(vectors)
    affordable(where, len(data) ** 2 * len(data.rows), longest(data.rows), bits)
    storable(where, len(data) ** 2, max(longest(data.rows) + bits, (data.q * scale).bit_length()))
    one = data.q * scale
    columns = []
    for j, u in enumerate(vectors):
        column = [-e for e in sensing_products(data.rows, u, where)]
        column[j] += one
        columns.append(column)
    return one, columns


def _nullspace_tops(columns: list[list[int]], size: int) -> list[list[list[int]]]:
    """tops[r][k][i]: the sum of the r largest moduli of the entries i of columns k, k + 1, …, for r ≤ size."""
    d = len(columns)
    tops = [[[0] * d for _ in range(d + 1)] for _ in range(size + 1)]
    for i in range(d):
        largest: list[int] = []
        for k in reversed(range(d)):
            largest = sorted([*largest, abs(columns[k][i])], reverse=True)[:size]
            total = 0
            for r in range(1, size + 1):
                total += largest[r - 1] if r <= len(largest) else 0
                tops[r][k][i] = total
    return tops


def nullspace_open(
    columns: list[list[int]],
    special: dict[tuple[int, ...], list[int]],
    bound: int,
    size: int,
    where: str,
    left: list[int],
) -> list[int] | None:
    """A signed set, as ±(j + 1) in increasing order of j, that these vectors do not close; None if all are closed.

    A node is a signed set T with the columns after its last: there σᵀz_T plus the |z_j| of r more columns is at most
    max_i (|(σ_T − Wᵀu)_i| + the r largest |A_ij|), with any u. A vector of its own replaces the inherited one.
    The first sign is + : z and −z are both in the kernel.
    """
    d, tops = len(columns), _nullspace_tops(columns, size)

    def visit(pattern: tuple[int, ...], row: list[int], start: int, r: int) -> list[int] | None:
        left[0] -= d
        if left[0] < 0:
            raise Rejected("nullspace.work", f"{where}.work", "more sums than the witness says")
        row = special.get(pattern, row)
        if max(abs(e) + t for e, t in zip(row, tops[r][start], strict=True)) <= bound:
            return None
        if r == 0:
            return list(pattern)
        for j in range(start, d):
            for sign in (1, -1) if pattern else (1,):
                inner = [e + sign * a for e, a in zip(row, columns[j], strict=True)]
                found = visit((*pattern, sign * (j + 1)), inner, j + 1, r - 1)
                if found is not None:
                    return found
        return None

    return visit((), [0] * d, 0, size)


def _nullspace_tree(witness: dict[str, Any], where: str, data: Kernel) -> Fraction:
    value = rational(witness["value"], f"{where}.value")
    work = integer(witness["work"], f"{where}.work", 0)
    one, columns = _nullspace_columns(witness, where, data)
    special = {}
    for k, entry in enumerate(array(witness["special"], f"{where}.special")):
        place = f"{where}.special[{k}]"
        table = mapping(entry, place, {"pattern", "vector"})
        pattern = [
            integer(e, f"{place}.pattern[{i}]") for i, e in enumerate(array(table["pattern"], f"{place}.pattern"))
        ]
        if any(not 1 <= abs(e) <= len(data) for e in pattern):
            raise Rejected(
                "nullspace.pattern", f"{place}.pattern", "a column is named by its number from 1, with a sign"
            )
        (vector,) = integer_rows([table["vector"]], f"{place}.vector", 1, lambda i: len(data.rows))
        row = [-e for e in sensing_products(data.rows, vector, place)]
        for e in pattern:
            row[abs(e) - 1] += one if e > 0 else -one
        special[tuple(pattern)] = row
    length = max(longest(columns), longest(list(special.values()))) + data.sparsity
    affordable(where, 32 * work, length)
    affordable(where, 32 * len(data) ** 2 * data.sparsity, length)
    storable(where, len(data) ** 2 * (data.sparsity + 1), length)
    bound = value.numerator * one // value.denominator
    found = nullspace_open(columns, special, bound, data.sparsity, where, [work])
    if found is not None:
        raise Rejected("nullspace.open", f"{where}.value", f"the signed set {found} is not closed"[:100])
    return value


def check_nullspace(witness: dict[str, Any], where: str, data: Kernel, pure: bool) -> tuple[Any, ...]:
    word = kind(witness, where, ("kernel", "none", "dual", "tree"))
    if word == "kernel":
        mapping(witness, where, {"kind", "value"})
        return ">=", _nullspace_vector(witness, where, data)
    if word == "none":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(0)
    keys = {"kind", "denominator", "vectors"}
    if word == "tree":
        mapping(witness, where, keys | {"value", "special", "work"})
        return "<=", _nullspace_tree(witness, where, data)
    mapping(witness, where, keys)
    one, columns = _nullspace_columns(witness, where, data)
    worst = max(sum(sorted(map(abs, row), reverse=True)[: data.sparsity]) for row in zip(*columns, strict=True))
    return "<=", min(Fraction(worst, one), Fraction(1))


def _nullspace_facts(data: Kernel) -> dict[str, Any]:
    return {"n": len(data), "rows": len(data.rows), "sparsity": data.sparsity}


_NULLSPACE = "z of the kernel of the {rows} x {n} matrix W"

NULLSPACE = Rules(
    "alpha",
    r"\alpha_s(W)",
    {
        "<=": f"the {{sparsity}} largest moduli of any {_NULLSPACE} add up to at most {{value}} of its l1 norm",
        ">=": f"the {{sparsity}} largest moduli of some {_NULLSPACE} add up to at least {{value}} of its l1 norm",
        "==": "the null-space constant of order {sparsity} of the {rows} x {n} matrix W is exactly {value}",
    },
    canonical_nullspace,
    check_nullspace,
    _nullspace_facts,
    "max",
)
