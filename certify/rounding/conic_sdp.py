"""Floats to exact points of semidefinite programs in SDPA's form (P), with kernel-accepted PSD proofs.

Peyrl and Parrilo (2008): a multiplier is put on a dyadic grid and moved onto the affine space over ℚ; it stays
positive semidefinite when its smallest eigenvalue exceeds the move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from certify.formats.sdpa import SdpaBlock, SdpaProgram
from certify.rounding.psd import elimination_proof, psd_proof

MOST_EQUATIONS = 150  # a dense exact system of this size is solved in seconds
MOST_CELLS = 20_000_000  # floats in the dense matrix that the basis is chosen from


@dataclass(frozen=True)
class ExactMultipliers:
    """Y in the dual cones with Σ ⟨F_k, Y⟩ = c_k exactly, so that ⟨F_0, Y⟩ = ``value`` is a lower bound of (P).

    entries: per block the upper triangle, (i, j) -> value; proofs: per block of Y ⪰ 0 (None for a diagonal block).
    """

    value: Fraction
    entries: tuple[dict[tuple[int, int], Fraction], ...]
    proofs: tuple[dict[str, Any] | None, ...]


def exact_point(
    program: SdpaProgram, x: NDArray[np.float64], bits: int
) -> tuple[list[Fraction], list[dict[str, Any] | None]] | None:
    """x on the grid of 2^-bits with proofs that each block of Σ x_k F_k − F_0 is positive semidefinite, or None."""
    if not np.all(np.isfinite(x)):
        return None
    exact = [Fraction(round(Fraction(float(each)) * 2**bits), 2**bits) for each in x]
    slacks: list[dict[tuple[int, int], Fraction]] = []
    for block in program.blocks:
        slack: dict[tuple[int, int], Fraction] = {}
        for k, i, j, value in block.entries:
            slack[i, j] = slack.get((i, j), Fraction(0)) + (exact[k - 1] * value if k else -value)
        slacks.append(slack)
    proofs = _proofs(program.blocks, slacks)
    return None if proofs is None else (exact, proofs)


def exact_multipliers(
    program: SdpaProgram, multipliers: Sequence[NDArray[np.float64]], bits: int
) -> ExactMultipliers | None:
    """The multipliers on the grid of 2^-bits, moved onto Σ ⟨F_k, Y⟩ = c_k in a basis of entries; None if it fails.

    The basis is chosen by QR with column pivoting in floats; the correction on it is solved over ℚ, so it is exact
    whatever the floats were. None too when there are more than 150 equations.
    """
    m = len(program.cost)
    if m > MOST_EQUATIONS or not all(np.all(np.isfinite(part)) for part in multipliers):
        return None
    places = sorted({(b, i, j) for b, block in enumerate(program.blocks) for k, i, j, _ in block.entries if k})
    if len(places) < m or len(places) * m > MOST_CELLS:
        return None
    column = {place: index for index, place in enumerate(places)}
    table = np.zeros((m, len(places)))
    entries: list[dict[tuple[int, int], Fraction]] = []
    for block, part in zip(program.blocks, multipliers, strict=True):
        size = range(block.size)
        upper = [(i, i) for i in size] if block.diagonal else [(i, j) for i in size for j in range(i, block.size)]
        entries.append(
            {p: Fraction(round(float(part[p[0]] if block.diagonal else part[p]) * 2**bits), 2**bits) for p in upper}
        )
    residual = list(program.cost)
    weighted: dict[tuple[int, int], Fraction] = {}
    for b, block in enumerate(program.blocks):
        for k, i, j, value in block.entries:
            if k:
                weight = value if i == j else 2 * value
                weighted[k - 1, column[b, i, j]] = weight
                table[k - 1, column[b, i, j]] = float(weight)
                residual[k - 1] -= weight * entries[b][i, j]
    basis = qr(table * _room(multipliers, places), mode="r", pivoting=True)[1][:m].tolist()
    move = _solved([[weighted.get((row, col), Fraction(0)) for col in basis] for row in range(m)], residual)
    if move is None:
        return None
    for col, step in zip(basis, move, strict=True):
        b, i, j = places[col]
        entries[b][i, j] += step
    proofs = _proofs(program.blocks, entries)
    if proofs is None:
        return None
    value = sum(
        (
            entry * entries[b][i, j] * (1 if i == j else 2)
            for b, block in enumerate(program.blocks)
            for k, i, j, entry in block.entries
            if k == 0
        ),
        Fraction(0),
    )
    return ExactMultipliers(value, tuple(entries), tuple(proofs))


def _room(multipliers: Sequence[NDArray[np.float64]], places: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
    """How far each entry may move, about: √(Y_ii·Y_jj), so that a basis of entries avoids those that are near 0."""
    diagonals = [part if part.ndim == 1 else np.diag(part) for part in multipliers]
    return np.array([np.sqrt(max(0.0, diagonals[b][i]) * max(0.0, diagonals[b][j])) for b, i, j in places])


def _solved(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """The exact solution of a square system; None when it is singular."""
    import flint

    def rational(value: Fraction) -> Any:
        return flint.fmpq(value.numerator, value.denominator)

    try:
        answer = flint.fmpq_mat([[rational(each) for each in row] for row in matrix]).solve(
            flint.fmpq_mat([[rational(each)] for each in right])
        )
    except ZeroDivisionError:
        return None
    return [Fraction(int(answer[i, 0].p), int(answer[i, 0].q)) for i in range(len(right))]


def _proofs(
    blocks: Sequence[SdpaBlock], values: Sequence[dict[tuple[int, int], Fraction]]
) -> list[dict[str, Any] | None] | None:
    """A proof per block that its symmetric matrix is positive semidefinite (or its diagonal non-negative), or None."""
    proofs: list[dict[str, Any] | None] = []
    for block, entries in zip(blocks, values, strict=True):
        if block.diagonal:
            if any(value < 0 for value in entries.values()):
                return None
            proofs.append(None)
            continue
        q = lcm(*(value.denominator for value in entries.values()))
        triangle = [[0] * (i + 1) for i in range(block.size)]
        for (i, j), value in entries.items():
            triangle[j][i] = value.numerator * (q // value.denominator)
        proof = psd_proof(triangle) or elimination_proof(triangle)
        if proof is None:
            return None
        proofs.append(proof)
    return proofs
