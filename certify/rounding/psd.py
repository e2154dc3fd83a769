"""A proof that an integer matrix is positive semidefinite, from a floating-point Cholesky factor."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cholesky

from certify.kernel.exact import Rejected
from certify.kernel.psd import MAX_LDL, Triangle, prove_psd

GRID_BITS = 50
LDL_ROWS = 80  # exact elimination takes about a second at this size


def psd_proof(a: Triangle) -> dict[str, Any] | None:
    """A ``factor`` proof of A ⪰ 0 that the kernel accepts, or None.

    a: lower triangle of a symmetric integer matrix of any magnitude. It is scaled to a diagonal near 1 by
    powers of two; the smallest eigenvalue of that must exceed about n·2⁻⁵⁰ (see :func:`slack_needed`). Rows
    that are zero need nothing.
    Cost: one Cholesky factorization and one exact product for each of at most three shifts.
    """
    live = [i for i, row in enumerate(a) if row[-1] != 0]
    if any(a[i][-1] < 0 for i in live):
        return None
    n = len(live)
    halves = [(a[i][-1].bit_length() + 1) // 2 for i in live]
    top = max(halves, default=0)
    scaled = np.zeros((n, n))
    for r, i in enumerate(live):
        scaled[r, : r + 1] = [_ratio(a[i][j], halves[r] + halves[q]) for q, j in enumerate(live[: r + 1])]
    exponents = [0] * len(a)
    for r, i in enumerate(live):
        exponents[i] = top - halves[r]
    # 2^(2·bits)·(DAD/2^(2·top)) = LLᵀ + R
    multiplier = _power_text(2 * GRID_BITS - 2 * top)
    for shift in (slack_needed(n), 4 * slack_needed(n), 32 * slack_needed(n)):
        try:
            factor = cholesky(scaled - shift * np.eye(n), lower=True) if n else scaled
        except (LinAlgError, ValueError):
            return None
        rows = [[0] * (i + 1) for i in range(len(a))]
        for r, entries in enumerate(np.rint(np.ldexp(factor, GRID_BITS)).astype(np.int64).tolist()):
            for q, entry in enumerate(entries[: r + 1]):
                rows[live[r]][live[q]] = entry
        proof = {"kind": "factor", "exponents": exponents, "multiplier": multiplier, "factor": rows}
        try:
            prove_psd(proof, "psd", a, pure=False)
        except Rejected:
            continue
        return proof
    return None


def slack_needed(n: int) -> float:
    """The smallest eigenvalue, relative to a unit diagonal, that pays for rounding an n×n factor.

    Each entry of LLᵀ is off by about 2⁻⁵⁰·|L_i|·√n; a row of n of them must stay below the diagonal of R.
    """
    return 2.0 * (n + 2) * 2.0**-GRID_BITS


def elimination_proof(a: Triangle) -> dict[str, Any] | None:
    """The ``ldl`` proof of A ⪰ 0, also for a singular A; None if A is not, or is too large for it."""
    if len(a) > min(LDL_ROWS, MAX_LDL):
        return None
    try:
        prove_psd({"kind": "ldl"}, "psd", a, pure=False)
    except Rejected:
        return None
    return {"kind": "ldl"}


def _ratio(entry: int, exponent: int) -> float:
    """entry / 2^exponent in floating point, for integers of any size."""
    return entry / (1 << exponent) if exponent >= 0 else float(entry << -exponent)


def _power_text(exponent: int) -> str | int:
    return f"2^{exponent}" if exponent >= 0 else f"1/2^{-exponent}"
