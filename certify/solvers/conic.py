"""Conic programs of every kind of cone in floating point, by Clarabel or SCS. Nothing that they say is believed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.kernel.cones import Program
from certify.problem import Claim

Floats = NDArray[np.float64]
ROOT = np.sqrt(2.0)


@dataclass(frozen=True)
class FloatProgram:
    """minimise costᵀx with matrix·x + constant in the cones, in doubles; the cones as (kind, size)."""

    cost: Floats
    matrix: sp.csc_matrix
    constant: Floats
    cones: tuple[tuple[str, int], ...]

    def inner(self) -> Floats:
        """A vector e in the interior of the cones (0 on a zero cone)."""
        parts = []
        for word, size in self.cones:
            unit = np.zeros(size * (size + 1) // 2 if word == "psd" else size)
            if word == "nonnegative":
                unit[:] = 1
            elif word == "second_order":
                unit[0] = 1
            elif word == "psd":
                unit[[i * (i + 3) // 2 for i in range(size)]] = 1
            parts.append(unit)
        return np.concatenate(parts) if parts else np.zeros(0)

    def weights(self) -> Floats:
        """How often an entry of a row counts in ⟨y, s⟩: twice off the diagonal of a psd cone."""
        parts = []
        for word, size in self.cones:
            if word == "psd":
                i, j = np.tril_indices(size)
                parts.append(np.where(i == j, 1.0, 2.0))
            else:
                parts.append(np.ones(size))
        return np.concatenate(parts) if parts else np.zeros(0)


@dataclass(frozen=True)
class ConicAnswer:
    """Approximate x and y (one entry a row, those off the diagonal once), and the claim; rays for an infeasibility."""

    x: Floats
    y: Floats
    claim: Claim


def float_program(program: Program) -> FloatProgram:
    """The program in doubles, as a minimum."""
    below = np.array([float(d) for d in program.denominator])
    lengths = np.diff(program.start)
    row = np.repeat(np.arange(len(lengths)), lengths)
    value = np.array([float(v) for v in program.value]) / below[row]
    column = np.array(program.column, dtype=np.int64)
    shape = (len(lengths), program.variables)
    table = sp.csr_matrix((value, (row, column)), shape=shape)
    sign = 1.0 if program.sense == "min" else -1.0
    cost = sign * table[0].toarray().ravel()
    constant = np.array([float(k) for k in program.constant[1:]]) / below[1:]
    return FloatProgram(cost, table[1:].tocsc(), constant, tuple((word, size) for word, size, _, _ in program.cones))


def with_margin(program: FloatProgram, margin: float) -> FloatProgram:
    """The program moved inwards on both sides (Jansson, Chaykin and Keil 2007 do one at a time): its points keep a
    distance from the boundary, and its multipliers plus margin·e satisfy the equations of the program itself."""
    inner = program.inner()
    return FloatProgram(
        program.cost - margin * (program.matrix.T @ (inner * program.weights())),
        program.matrix,
        program.constant - margin * inner,
        program.cones,
    )


def solve_clarabel(program: FloatProgram, *, seconds: float) -> ConicAnswer:
    """One run of Clarabel. Chordal decomposition is off: with it a value of control1 of SDPLIB is 1.5 % wrong."""
    import clarabel

    kinds = {
        "zero": clarabel.ZeroConeT,
        "nonnegative": clarabel.NonnegativeConeT,
        "second_order": clarabel.SecondOrderConeT,
        "psd": clarabel.PSDTriangleConeT,
    }
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.time_limit = max(seconds, 0.01)
    settings.chordal_decomposition_enable = False
    settings.presolve_enable = False
    scale = np.sqrt(program.weights())
    n = len(program.cost)
    cones = [kinds[word](size) for word, size in program.cones]
    operator = sp.csc_matrix(-(sp.diags(scale) @ program.matrix))
    solver = clarabel.DefaultSolver(
        sp.csc_matrix((n, n)), program.cost, operator, scale * program.constant, cones, settings
    )
    solution = solver.solve()
    value = float(solution.obj_val)
    claim = Claim("CLARABEL", str(solution.status), value if np.isfinite(value) else None)
    return ConicAnswer(np.asarray(solution.x), np.asarray(solution.z) / scale, claim)


def solve_scs(program: FloatProgram, *, seconds: float) -> ConicAnswer:
    """One run of SCS, which wants the cones in an order of its own and the lower triangles column after column."""
    import scs

    order: list[int] = []
    cone: dict[str, Any] = {"z": 0, "l": 0, "q": [], "s": []}
    starts = np.cumsum([0, *(size * (size + 1) // 2 if word == "psd" else size for word, size in program.cones)])
    for wanted in ("zero", "nonnegative", "second_order", "psd"):
        for start, (word, size) in zip(starts, program.cones, strict=False):
            if word != wanted:
                continue
            if word == "psd":
                order += [int(start) + i * (i + 1) // 2 + j for j in range(size) for i in range(j, size)]
                cone["s"].append(size)
            else:
                order += range(int(start), int(start) + size)
                if word == "second_order":
                    cone["q"].append(size)
                else:
                    cone["z" if word == "zero" else "l"] += size
    scale = np.sqrt(program.weights())
    operator = sp.csc_matrix(-(sp.diags(scale) @ program.matrix).tocsr()[order])
    data = {"A": operator, "b": (scale * program.constant)[order], "c": program.cost}
    solver = scs.SCS(
        data, cone, verbose=False, eps_abs=1e-9, eps_rel=1e-9, max_iters=100_000, time_limit_secs=max(seconds, 0.01)
    )
    found = solver.solve()
    y = np.empty(len(order))
    y[order] = found["y"]
    value = float(found["info"]["pobj"])
    claim = Claim("SCS", str(found["info"]["status"]), value if np.isfinite(value) else None)
    return ConicAnswer(np.asarray(found["x"]), y / scale, claim)
