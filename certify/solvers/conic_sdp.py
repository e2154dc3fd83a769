"""Semidefinite programs in SDPA's form (P), in floating point, by Clarabel. Nothing that it says is believed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certify.formats.sdpa import SdpaProgram
from certify.problem import Claim


@dataclass(frozen=True)
class SdpAnswer:
    """Approximate x (m,) and multipliers Y, floating point.

    A multiplier is (n, n) symmetric for a matrix block and (n,) for a diagonal one; up to solver error each is in
    its cone and Σ_blocks ⟨F_k, Y⟩ = c_k. When the claim is an infeasibility, they are a ray instead.
    """

    x: NDArray[np.float64]
    multipliers: tuple[NDArray[np.float64], ...]
    claim: Claim


def solve_sdp(program: SdpaProgram, *, seconds: float) -> SdpAnswer:
    """One run of Clarabel within ``seconds``; whatever came out of it.

    Chordal decomposition is off: with it Clarabel calls a value of control1 of SDPLIB solved that is 1.5 % wrong.
    """
    import clarabel
    import scipy.sparse as sp

    rows, columns, data, cones = [], [], [], []
    lengths = [block.size if block.diagonal else block.size * (block.size + 1) // 2 for block in program.blocks]
    right = np.zeros(sum(lengths))
    start = 0
    for block, length in zip(program.blocks, lengths, strict=True):
        cones.append(clarabel.NonnegativeConeT(length) if block.diagonal else clarabel.PSDTriangleConeT(block.size))
        for k, i, j, value in block.entries:
            row = start + (i if block.diagonal else j * (j + 1) // 2 + i)
            entry = -float(value) * (1.0 if i == j else np.sqrt(2.0))
            if k == 0:
                right[row] = entry
            else:
                rows.append(row)
                columns.append(k - 1)
                data.append(entry)
        start += length
    m = len(program.cost)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = seconds
    settings.chordal_decomposition_enable = False
    operator = sp.csc_matrix((data, (rows, columns)), shape=(start, m))
    cost = np.array([float(each) for each in program.cost])
    solution = clarabel.DefaultSolver(sp.csc_matrix((m, m)), cost, operator, right, cones, settings).solve()
    z = np.asarray(solution.z)
    multipliers = []
    start = 0
    for block, length in zip(program.blocks, lengths, strict=True):
        part = z[start : start + length]
        multipliers.append(part if block.diagonal else _unpacked(part, block.size))
        start += length
    optimum = float(solution.obj_val)
    claim = Claim("CLARABEL", str(solution.status), optimum if np.isfinite(optimum) else None)
    return SdpAnswer(np.asarray(solution.x), tuple(multipliers), claim)


def _unpacked(part: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """The symmetric matrix of a scaled upper triangle, column after column."""
    full = np.zeros((n, n))
    j, i = np.tril_indices(n)
    full[i, j] = np.where(i == j, part, part / np.sqrt(2.0))
    return full + np.triu(full, 1).T
