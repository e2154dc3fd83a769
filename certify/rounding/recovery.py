"""Floats to exact witnesses of basis pursuit: vectors on a basis, dual vectors that are scaled or solved over ℚ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isqrt, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.kernel.recovery import Measured
from certify.rounding.exact_linear import PRIME, left_kernel, solved_square

Floats = NDArray[np.float64]
GRID = 60  # bits of a dual vector on its grid


def vector_witness(v: dict[int, Fraction]) -> dict[str, Any]:
    """The witness ``vector`` of a sparse v by index."""
    entries = sorted((j, x) for j, x in v.items() if x)
    scale = lcm(*(x.denominator for _, x in entries))
    values = [x.numerator * (scale // x.denominator) for _, x in entries]
    return {"kind": "vector", "denominator": scale, "index": [j for j, _ in entries], "value": values}


def pivots(table: Floats, count: int) -> list[int]:
    """Columns of the table that are well independent, at most ``count``, in the order of a pivoted QR."""
    from scipy.linalg import qr

    if 0 in table.shape:
        return []
    r, order = qr(table, mode="r", pivoting=True)[-2:]
    size = np.abs(np.diag(r))
    rank = int(np.sum(size > size[0] * 1e-11)) if len(size) else 0
    return [int(j) for j in order[: min(rank, count)]]


def full_row_rank(table: Floats) -> bool:
    """Whether the rows look independent by far: then there is no need to eliminate exactly to find out."""
    return table.shape[0] <= table.shape[1] and len(pivots(table.T, len(table))) == len(table)


def on_basis(data: Measured, w: Floats, columns: Sequence[int]) -> dict[int, Fraction] | None:
    """The exact v with Wv = y supported on these columns, or None if there is none (or they are dependent)."""
    columns = list(columns)
    chosen = sorted(pivots(w[:, columns].T, len(columns)))
    if len(chosen) < len(columns):
        return None
    # rows/q · v = rhs/p, so with t = v·p/q: rows · t = rhs
    t = solved_square([[data.rows[i][j] for j in columns] for i in chosen], [data.rhs[i] for i in chosen])
    if t is None:
        return None
    scale = lcm(*(x.denominator for x in t))
    whole = [x.numerator * (scale // x.denominator) for x in t]
    for row, y in zip(data.rows, data.rhs, strict=True):
        if sum(row[j] * x for j, x in zip(columns, whole, strict=True)) != y * scale:
            return None
    return {j: x * data.q / data.p for j, x in zip(columns, t, strict=True)}


def dual_on_support(data: Measured, w: Floats, v: dict[int, Fraction], near: Floats) -> list[Fraction] | None:
    """The exact u with w_jᵀu = sign v_j on the support of v that agrees with ``near`` in all rows but as many."""
    columns = sorted(j for j, x in v.items() if x)
    chosen = sorted(pivots(w[:, columns].T, len(columns)))
    if len(chosen) < len(columns):
        return None
    kept = {i: round(float(near[i]) * 2**GRID) for i in range(len(near)) if i not in set(chosen)}
    right = []
    for j in columns:
        sign = 1 if v[j] > 0 else -1
        right.append(sign * data.q * 2**GRID - sum(data.rows[i][j] * x for i, x in kept.items()))
    solved = solved_square([[data.rows[i][j] for i in chosen] for j in columns], right)
    if solved is None:
        return None
    u = dict(zip(chosen, solved, strict=True))
    return [Fraction(u.get(i, kept.get(i, 0))) / 2**GRID for i in range(len(near))]


def products(data: Measured, whole: Sequence[int]) -> list[int]:
    """rowsᵀu for integers u."""
    total = [0] * len(data)
    for factor, row in zip(whole, data.rows, strict=True):
        if factor:
            total = [a + factor * b for a, b in zip(total, row, strict=True)]
    return total


def dual_witness(data: Measured, u: Sequence[Fraction]) -> tuple[dict[str, Any], int]:
    """The witness ``dual`` of u, scaled down to ‖Wᵀu‖_∞ ≤ 1 if need be, and how many columns are tight."""
    scale = lcm(*(x.denominator for x in u))
    whole = [x.numerator * (scale // x.denominator) for x in u]
    sizes = [abs(x) for x in products(data, whole)]
    largest = max(sizes, default=0)
    scale = max(scale, -(-largest // data.q))
    witness: dict[str, Any] = {"kind": "dual", "denominator": scale, "value": whole}
    if data.noise:
        square = sum(x * x for x in whole)
        witness["norm"] = str(Fraction(isqrt(square << 200) + 1, scale << 100))
    return witness, sum(size == data.q * scale for size in sizes)


def with_uniqueness(dual: dict[str, Any], vector: dict[str, Any]) -> dict[str, Any]:
    """The witness ``dual`` that also proves that the minimiser is unique, for the kernel to judge."""
    proof = {key: vector[key] for key in ("denominator", "index", "value")}
    return {**dual, "unique": {**proof, "modulus": PRIME}}


def rounded_dual(u: Floats) -> list[Fraction]:
    """u on a grid that is fine for its largest entry."""
    size = float(np.max(np.abs(u), initial=0.0))
    if not np.isfinite(size) or size == 0:
        return [Fraction(0)] * len(u)
    return [Fraction(float(x)) for x in u]


def farkas_witness(data: Measured) -> dict[str, Any] | None:
    """u with Wᵀu = 0 and |yᵀu| > σ‖u‖₂: the part of y that no column reaches, or None."""
    kernel = left_kernel(data.rows)
    for u in kernel:
        inner = sum(a * b for a, b in zip(u, data.rhs, strict=True))
        if Fraction(inner, data.p) ** 2 > data.noise**2 * sum(a * a for a in u):
            return {"kind": "farkas", "value": u}
    if data.noise and kernel:
        # project y onto the kernel: Σ t_k u_k with the Gram matrix of the u_k
        gram = [[sum(a * b for a, b in zip(u, v, strict=True)) for v in kernel] for u in kernel]
        right = [sum(a * b for a, b in zip(u, data.rhs, strict=True)) for u in kernel]
        t = solved_square(gram, right) or []
        scale = lcm(*(x.denominator for x in t))
        mixed = [sum(int(x * scale) * u[i] for x, u in zip(t, kernel, strict=True)) for i in range(len(data.rows))]
        inner = sum(a * b for a, b in zip(mixed, data.rhs, strict=True))
        if Fraction(inner, data.p) ** 2 > data.noise**2 * sum(a * a for a in mixed):
            return {"kind": "farkas", "value": mixed}
    return None


def residual_square(data: Measured, v: dict[int, Fraction]) -> Fraction:
    """‖Wv − y‖₂², exactly."""
    total = Fraction(0)
    for rest in residual(data, v):
        total += rest * rest
    return total


def residual(data: Measured, v: dict[int, Fraction]) -> list[Fraction]:
    """y − Wv, exactly, an entry a row."""
    scale = lcm(*(x.denominator for x in v.values()))
    whole = {j: x.numerator * (scale // x.denominator) for j, x in v.items()}
    return [
        Fraction(y, data.p) - Fraction(sum(row[j] * x for j, x in whole.items()), data.q * scale)
        for row, y in zip(data.rows, data.rhs, strict=True)
    ]
