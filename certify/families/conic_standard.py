"""Programs in standard form: a matrix variable in a cone, and equations. Their dual has far fewer variables.

Where every variable stands in one row of a psd or nonnegative cone, and alone there, the rows are the variables.
The interior point method of :mod:`certify.solvers.semidefinite` then works on the multipliers of the equations, and its
matrices Y are the points.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.families.conic_semidefinite import kept_back, tightening
from certify.families.conic_simple import simple_proposals
from certify.families.conic_without import without_optimum
from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.conic import Rounder
from certify.solvers.conic import FloatProgram, float_program
from certify.solvers.semidefinite import Block, Iterate, interior_point

Floats = NDArray[np.float64]
KEPT = 12


@dataclass(frozen=True)
class StandardForm:
    """The equations (rows of the program), and for every other row its variable, factor, constant and weight."""

    floats: FloatProgram
    equations: NDArray[np.int64]
    rows: NDArray[np.int64]
    variable: NDArray[np.int64]
    factor: Floats
    constant: Floats
    weight: Floats

    def blocks(self) -> tuple[Floats, list[Block]]:
        """Right-hand sides and blocks: ⟨F_k, Y⟩ = c_k are the equations, −F_0 the costs, Y the rows."""
        floats = self.floats
        system = floats.matrix.tocsr()[self.equations].tocsc()[:, self.variable] @ sp.diags(1 / self.factor)
        right = system @ self.constant - floats.constant[self.equations]
        entries = (system @ sp.diags(1 / self.weight)).tocsc()
        costs = floats.cost[self.variable] / self.factor / self.weight
        blocks, at, k = [], 0, system.shape[0]
        for word, size in floats.cones:
            if word == "zero":
                continue
            length = size * (size + 1) // 2 if word == "psd" else size
            part = entries[:, at : at + length].tocoo()
            cost = costs[at : at + length]
            at += length
            if word == "nonnegative":
                blocks.append(Block(size, True, np.arange(k), part.tocsr(), -cost))
                continue
            i, j = np.tril_indices(size)
            off = i[part.col] != j[part.col]
            place = np.concatenate([i[part.col] * size + j[part.col], (j[part.col] * size + i[part.col])[off]])
            row = np.concatenate([part.row, part.row[off]])
            data = np.concatenate([part.data, part.data[off]])
            table = np.zeros((size, size))
            table[i, j] = -cost
            table[j, i] = -cost
            matrix = sp.csr_matrix((data, (row, place)), shape=(k, size * size))
            blocks.append(Block(size, False, np.arange(k), matrix, table))
        return np.asarray(right), blocks

    def _flat(self, parts: tuple[Floats, ...]) -> Floats:
        return np.concatenate([part if part.ndim == 1 else part[np.tril_indices(len(part))] for part in parts])

    def back(self, iterate: Iterate) -> tuple[Floats, Floats]:
        """A point x and multipliers y of the program."""
        x = np.zeros(len(self.floats.cost))
        x[self.variable] = (self._flat(iterate.y) - self.constant) / self.factor
        y = np.zeros(self.floats.matrix.shape[0])
        y[self.equations] = -iterate.x
        y[self.rows] = self._flat(iterate.s)
        return x, y


def standard_form(program: Program) -> StandardForm | None:
    """The program as points in a cone with equations; None if it is no such program, or has no equation."""
    rows: list[int] = []
    variable: list[int] = []
    equations: list[int] = []
    for word, _, first, last in program.cones:
        if word == "zero":
            equations += range(first, last)
            continue
        if word not in ("psd", "nonnegative"):
            return None
        for r in range(first, last):
            if program.start[r + 2] - program.start[r + 1] != 1:
                return None
            rows.append(r)
            variable.append(program.column[program.start[r + 1]])
    if not equations or len(set(variable)) != len(variable) or len(variable) != program.variables:
        return None
    floats = float_program(program)
    at = np.array(rows, dtype=np.int64)
    column = np.array(variable, dtype=np.int64)
    factor = np.asarray(floats.matrix.tocsr()[at, column]).ravel()
    weight = floats.weights()[at]
    return StandardForm(floats, np.array(equations, dtype=np.int64), at, column, factor, floats.constant[at], weight)


def standard_proposals(program: Program, form: StandardForm, effort: Effort) -> Iterator[Proposal]:
    """Points and multipliers from an interior point method on the multipliers of the equations."""
    effort.say("interior point")
    sign = 1.0 if program.sense == "min" else -1.0
    right, blocks = form.blocks()
    iterates = interior_point(right, blocks, kept_back(effort), keep=KEPT)
    last = iterates[-1]
    x, y = form.back(last)
    offset = program.constant[0] / program.denominator[0]
    word = f"relative gap {last.gap:.1e}, infeasibility {last.infeasible:.1e}"
    claim = Claim("interior point", word, sign * float(form.floats.cost @ x) + offset)
    rounder = Rounder(program, effort.remaining)
    yield from simple_proposals(program, rounder, x, y, claim)
    side: Any
    proved: set[str] = set()

    def point(iterate: Iterate) -> dict[str, Any] | None:
        found = rounder.point(form.back(iterate)[0])
        return None if found is None else {"kind": "point", **found[0]}

    effort.say("rounding a point")
    for witness, _, seconds in tightening(iterates, point, effort):
        side = "upper" if sign > 0 else "lower"
        proved.add("point")
        yield Proposal(witness, side, x, claim, seconds, twin_follows=True)
    effort.say("rounding multipliers")
    for witness, _, seconds in tightening(iterates, lambda each: rounder.multiplier(form.back(each)[1]), effort):
        side = "lower" if sign > 0 else "upper"
        proved.add("dual")
        yield Proposal(witness, side, None, claim, seconds)
    yield from without_optimum(program, rounder, effort, claim, proved)
