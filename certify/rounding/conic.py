"""Floats to exact points and multipliers of conic programs, with the proofs that the kernel wants.

Peyrl and Parrilo (2008): a vector is put on a dyadic grid and moved onto the linear equations over ℚ, in a basis of
entries that have room to move; it stays in the cone if it was deeper inside than the move. For a linear program's basis
see :mod:`certify.rounding.exact_lp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import frexp, lcm
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.kernel.cones import Program
from certify.rounding.exact_sparse import ExactSystem
from certify.rounding.psd import elimination_proof, psd_proof
from certify.solvers.linear import BASIC, BoxedProgram, available, solve_linear

Floats = NDArray[np.float64]
Remaining = Callable[[], float]

GRID_BITS = 56  # below the smallest diagonal entry of a matrix, or the largest entry of a vector
MOST_GRID = 400
ELIMINATED = 40  # order up to which a singular matrix is tried by elimination
SIMPLE_ROWS = 1000  # of a program up to which simple rationals are tried
SIMPLE_DENOMINATOR = 64
SEED = 7  # of the right-hand side that a basis is chosen for


@dataclass(frozen=True)
class Equations:
    """Σ_i w_ij·v_i = r_j, j = 1 … m, for the candidates i: integers; row, column, value are the entries w by j, i."""

    size: int
    candidates: int
    row: list[int]
    column: list[int]
    value: list[int]

    def residual(self, right: Sequence[int], v: Sequence[int]) -> list[int]:
        """right − Σ w·v."""
        left = list(right)
        for j, i, w in zip(self.row, self.column, self.value, strict=True):
            if v[i]:
                left[j] -= w * v[i]
        return left


@dataclass
class Basis:
    """Equations that are independent, and as many candidates that solve them for any right-hand side."""

    rows: list[int]
    columns: list[int]
    system: ExactSystem


def chosen_basis(equations: Equations, room: Floats, seconds: float) -> Basis | None:
    """A basis of candidates, the more room the likelier; None if there is none to be found.

    A candidate that stands in one equation only serves that one. Where some equation has none, a linear program with
    costs 1/room finds a vertex for right-hand sides in general position.
    """
    weight = np.array([float(w) for w in equations.value])
    single = _single_entries(equations, room, weight)
    columns: list[int] | None = single
    rows = list(range(equations.size))
    if columns is None:
        tries = [_vertex(equations, each, weight, seconds) for each in (room,)]
        if tries[0] is None or len(tries[0][0]) < equations.size:  # room of many magnitudes is hard on a float solver
            tries += [_vertex(equations, np.where(room > 0, room**power, 0.0), weight, seconds) for power in (0.5, 0.1)]
        found = max((each for each in tries if each is not None), key=lambda each: len(each[0]), default=None)
        if found is None:
            return None
        rows, columns = found
    place = {i: k for k, i in enumerate(columns)}
    number = {j: k for k, j in enumerate(rows)}
    kept = [
        (number[j], place[i], w)
        for j, i, w in zip(equations.row, equations.column, equations.value, strict=True)
        if i in place and j in number
    ]
    at_row, at_column, values = (list(part) for part in zip(*kept, strict=True)) if kept else ([], [], [])
    return Basis(rows, columns, ExactSystem(len(rows), at_row, at_column, values))


def _single_entries(equations: Equations, room: Floats, weight: Floats) -> list[int] | None:
    """A candidate for every equation so that the matrix is triangular; None where this is not so easy.

    A candidate that stands in one equation only serves that one, which is then put aside, and so on.
    """
    row, column = np.array(equations.row, dtype=np.int64), np.array(equations.column, dtype=np.int64)
    score = room[column] * np.abs(weight)
    chosen = np.full(equations.size, -1)
    alive = score > 0
    while (chosen < 0).any():
        count = np.bincount(column[alive], minlength=equations.candidates)
        single = np.flatnonzero(alive & (count[column] == 1))
        if not len(single):
            return None
        best = single[np.lexsort((score[single], row[single]))]  # the last of each equation is its best
        last = np.append(row[best][1:] != row[best][:-1], True)
        chosen[row[best[last]]] = column[best[last]]
        alive &= chosen[row] < 0
    return [int(i) for i in chosen]


def _vertex(equations: Equations, room: Floats, weight: Floats, seconds: float) -> tuple[list[int], list[int]] | None:
    if not available() or equations.size == 0:
        return None
    live = np.flatnonzero(room > 0)
    number = np.full(equations.candidates, -1)
    number[live] = np.arange(len(live))
    at = number[np.array(equations.column, dtype=np.int64)]
    kept = at >= 0
    shape = (equations.size, len(live))
    matrix = sp.csc_matrix((weight[kept], (np.array(equations.row)[kept], at[kept])), shape=shape)
    matrix = matrix @ sp.diags(room[live])  # each candidate in its own unit
    largest = np.maximum(abs(matrix).max(axis=1).toarray().ravel(), 1e-300)
    matrix = (sp.diags(1 / largest) @ matrix).tocsc()
    right = matrix @ np.random.default_rng(SEED).uniform(-1.0, 1.0, len(live))  # dependent equations must agree
    both = sp.hstack([matrix, -matrix]).tocsc()
    count = both.shape[1]
    program = BoxedProgram(np.ones(count), both, right, right, np.zeros(count), np.full(count, np.inf))
    answer = solve_linear(program, seconds=seconds)
    if not answer.columns:
        return None
    columns = [int(live[k % len(live)]) for k, word in enumerate(answer.columns) if word == BASIC]
    rows = [j for j, word in enumerate(answer.rows) if word != BASIC]
    return (rows, columns) if len(rows) == len(columns) == len(set(columns)) else None


def moved_onto(
    equations: Equations, basis: Basis, right: Sequence[int], v: Sequence[int], remaining: Remaining
) -> tuple[list[int], int] | None:
    """v + δ with Σ w·(v + δ) = right, δ on the basis: numerators and denominator; None if out of reach."""
    left = equations.residual(right, v)
    found = basis.system.solve([left[j] for j in basis.rows], remaining)
    if found is None:
        return None
    move, q = found
    moved = [value * q for value in v]
    for i, step in zip(basis.columns, move, strict=True):
        moved[i] += step
    return moved, q


@dataclass
class Rounder:
    """What is the same for all roundings of one program: its equations over the integers, and bases once chosen."""

    program: Program
    remaining: Remaining
    scale: int = 1  # of the rows: the forms times scale are integers
    equations: Equations | None = None  # of multipliers: Aᵀy = ±c
    right: list[int] = field(default_factory=list)
    basis: Basis | None = None
    point_basis: Basis | None = None
    point_sought: bool = False

    def __post_init__(self) -> None:
        program = self.program
        self.scale = lcm(*set(program.denominator))
        twice = np.zeros(len(program.constant), dtype=bool)
        for word, size, first, _ in program.cones:
            if word == "psd":
                for i in range(size):
                    start = first + 1 + i * (i + 1) // 2
                    twice[start : start + i] = True
        row, column, value = [], [], []
        for i in range(1, len(program.constant)):
            factor = self.scale // program.denominator[i] * (2 if twice[i] else 1)
            for t in range(program.start[i], program.start[i + 1]):
                row.append(program.column[t])
                column.append(i - 1)
                value.append(program.value[t] * factor)
        self.equations = Equations(program.variables, len(program.constant) - 1, row, column, value)
        sign = 1 if program.sense == "min" else -1
        self.right = [0] * program.variables
        for t in range(program.start[1]):
            self.right[program.column[t]] = sign * program.value[t] * (self.scale // program.denominator[0])

    def multiplier(self, y: Floats, *, kind: str = "dual") -> dict[str, Any] | None:
        """A ``dual`` (or ``farkas``) witness near the floats y, one a row of the program; None if it fails."""
        if not np.all(np.isfinite(y)) or self.equations is None:
            return None
        program = self.program
        bits = _bits(program, y)
        whole = [round(Fraction(float(entry)) * 2**bits) if entry else 0 for entry in _into_cone(program, y)]
        if self.basis is None:
            self.basis = chosen_basis(self.equations, dual_room(program, y), self.remaining())
        if self.basis is None:
            return None
        right = [0] * program.variables if kind == "farkas" else [entry << bits for entry in self.right]
        found = moved_onto(self.equations, self.basis, right, whole, self.remaining)
        if found is None:
            return None
        moved, q = found
        if len(self.basis.rows) < program.variables and any(self.equations.residual([q * r for r in right], moved)):
            self.basis = None  # equations that were left out as dependent are not
            return None
        proofs = cone_proofs(program, moved, [1] * len(moved), dual=True)
        if proofs is None:
            return None
        return {"kind": kind, "y": _vector(moved, q << bits), "psd": proofs}

    def point(self, x: Floats) -> tuple[dict[str, Any], list[int], int] | None:
        """The parts ``x`` and ``psd`` of a witness for a feasible point near the floats x, and the point; or None."""
        if not np.all(np.isfinite(x)):
            return None
        program = self.program
        largest = float(np.max(np.abs(x), initial=0.0)) or 1.0
        bits = max(0, 60 - frexp(largest)[1])
        whole, q = [round(Fraction(float(entry)) * 2**bits) for entry in x], 1
        zero = [r + 1 for word, _, first, last in program.cones if word == "zero" for r in range(first, last)]
        if zero:
            found = self._on_equations(zero, whole, bits, x)
            if found is None:
                return None
            whole, q = found
        denominator = q << bits
        tops, below = values_at(program, whole, denominator)
        proofs = cone_proofs(program, tops, below, dual=False)
        return None if proofs is None else ({"x": _vector(whole, denominator), "psd": proofs}, whole, denominator)

    def simple_point(self, x: Floats) -> dict[str, Any] | None:
        """The point of simple rationals near the floats x, if it is feasible: perhaps the optimum itself."""
        found = _simple(x)
        if found is None or len(self.program.constant) > SIMPLE_ROWS:
            return None
        whole, q = found
        proofs = cone_proofs(self.program, *values_at(self.program, whole, q), dual=False)
        return None if proofs is None else {"kind": "point", "x": _vector(whole, q), "psd": proofs}

    def simple_multiplier(self, y: Floats) -> dict[str, Any] | None:
        """As simple_point, for multipliers."""
        found = _simple(y)
        if found is None or self.equations is None or len(self.program.constant) > SIMPLE_ROWS:
            return None
        whole, q = found
        if any(self.equations.residual([q * r for r in self.right], whole)):
            return None
        proofs = cone_proofs(self.program, whole, [1] * len(whole), dual=True)
        return None if proofs is None else {"kind": "dual", "y": _vector(whole, q), "psd": proofs}

    def direction(self, d: Floats) -> dict[str, Any] | None:
        """The part ``direction`` of a ray near the floats d: in the cones without the constants; None if it fails."""
        if not np.all(np.isfinite(d)):
            return None
        bits = max(0, 60 - frexp(float(np.max(np.abs(d), initial=0.0)) or 1.0)[1])
        whole, q = [round(Fraction(float(entry)) * 2**bits) for entry in d], 1
        zero = [r + 1 for word, _, first, last in self.program.cones if word == "zero" for r in range(first, last)]
        if zero:
            found = self._on_equations(zero, whole, bits, d, homogeneous=True)
            if found is None:
                return None
            whole, q = found
        tops, below = values_at(self.program, whole, 0)
        proofs = cone_proofs(self.program, tops, below, dual=False)
        return None if proofs is None else {"x": _vector(whole, q << bits), "psd": proofs}

    def _on_equations(
        self, zero: list[int], x: list[int], bits: int, floats: Floats, homogeneous: bool = False
    ) -> tuple[list[int], int] | None:
        """x moved onto the rows that must be 0."""
        program = self.program
        entries = [
            (k, program.column[t], program.value[t])
            for k, i in enumerate(zero)
            for t in range(program.start[i], program.start[i + 1])
        ]
        row, column, value = (list(part) for part in zip(*entries, strict=True)) if entries else ([], [], [])
        equations = Equations(len(zero), program.variables, row, column, value)
        if not self.point_sought:
            self.point_sought = True
            self.point_basis = chosen_basis(
                equations, np.abs(floats) + 1e-6 * (1 + np.max(np.abs(floats))), self.remaining()
            )
        if self.point_basis is None:
            return None
        right = [0 if homogeneous else -program.constant[i] << bits for i in zero]
        return moved_onto(equations, self.point_basis, right, x, self.remaining)


def _simple(values: Floats) -> tuple[list[int], int] | None:
    """Rationals of small denominators near the floats, over a common one; None if they are not that near."""
    if not np.all(np.isfinite(values)):
        return None
    near = [Fraction(float(value)).limit_denominator(SIMPLE_DENOMINATOR) for value in values]
    if any(abs(float(v) - value) > 1e-5 * (1 + abs(value)) for v, value in zip(near, values, strict=True)):
        return None
    q = lcm(*(v.denominator for v in near))
    return [v.numerator * (q // v.denominator) for v in near], q


def _vector(numbers: Sequence[int], denominator: int) -> dict[str, Any]:
    if sum(1 for entry in numbers if entry) * 2 > len(numbers):
        return {"denominator": denominator, "value": list(numbers)}
    index = [i for i, entry in enumerate(numbers) if entry]
    return {"denominator": denominator, "index": index, "value": [numbers[i] for i in index]}


def values_at(program: Program, x: Sequence[int], q: int) -> tuple[list[int], list[int]]:
    """The rows at x/q (q = 0: without their constants) as numerators over denominators."""
    tops = []
    for i in range(1, len(program.constant)):
        total = program.constant[i] * q
        for t in range(program.start[i], program.start[i + 1]):
            total += program.value[t] * x[program.column[t]]
        tops.append(total)
    return tops, [(q or 1) * d for d in program.denominator[1:]]


def cone_proofs(
    program: Program,
    tops: Sequence[int],
    below: Sequence[int],
    *,
    dual: bool,
    nulls: Mapping[int, list[int]] | None = None,
) -> list[Any] | None:
    """The proofs that tops/below lie in the cone (or its dual), one for each psd cone; None if it does not, or is too
    near the boundary. nulls: rows of the matrices, by cone, that are 0."""
    proofs: list[Any] = []
    for c, (word, size, first, last) in enumerate(program.cones):
        part = tops[first:last]
        if word == "zero":
            if not dual and any(part):
                return None
        elif word == "nonnegative":
            if any(entry < 0 for entry in part):
                return None
        else:
            common = lcm(*set(below[first:last]))
            entries = [top * (common // d) for top, d in zip(part, below[first:last], strict=True)]
            if word == "second_order":
                if entries[0] < 0 or entries[0] ** 2 < sum(entry**2 for entry in entries[1:]):
                    return None
                continue
            triangle = [entries[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
            if any(any(triangle[i]) for i in (nulls or {}).get(c, [])):
                return None
            proof = psd_proof(triangle)  # a row of zeros needs nothing
            if proof is None and size <= ELIMINATED:
                proof = elimination_proof(triangle)
            if proof is None:
                return None
            proofs.append(proof)
    return proofs


def with_null(triangle: list[list[int]], vectors: list[list[int]]) -> dict[str, Any] | None:
    """A proof that a singular integer matrix is positive semidefinite, its null space spanned by integer vectors."""
    square = sum(entry * entry for w in vectors for entry in w) or 1
    weight = max(1, sum(row[-1] for row in triangle) // square)
    moved = [
        [entry + weight * sum(w[i] * w[j] for w in vectors) for j, entry in enumerate(row)]
        for i, row in enumerate(triangle)
    ]
    proof = psd_proof(moved)
    return None if proof is None else {"kind": "null", "vectors": vectors, "weight": weight, "proof": proof}


def _into_cone(program: Program, y: Floats) -> Floats:
    """Entries of linear inequalities that are negative by noise, as 0."""
    y = y.copy()
    for word, _, first, last in program.cones:
        if word == "nonnegative":
            y[first:last] = np.maximum(y[first:last], 0.0)
    return y


def dual_room(program: Program, y: Floats) -> Floats:
    """How far each entry of y may move, about: freely on a zero cone, else by its distance from the boundary."""
    room = np.zeros(len(y))
    largest = float(np.max(np.abs(y), initial=0.0)) or 1.0
    for word, size, first, last in program.cones:
        part = y[first:last]
        if word == "zero":
            room[first:last] = 1e3 * largest
        elif word == "nonnegative":
            room[first:last] = np.maximum(part, 0.0)
        elif word == "second_order":
            room[first:last] = max(part[0] - float(np.linalg.norm(part[1:])), 1e-12 * largest)
        else:
            diagonal = np.maximum([part[i * (i + 3) // 2] for i in range(size)], 0.0)
            root = np.sqrt(diagonal)
            i, j = np.tril_indices(size)
            room[first:last] = root[i] * root[j]
    return room


def _bits(program: Program, y: Floats) -> int:
    """How many binary places the smallest diagonal entry of a matrix needs, or the largest entry of a vector."""
    bits = GRID_BITS - frexp(float(np.max(np.abs(y), initial=0.0)) or 1.0)[1]
    for word, size, first, last in program.cones:
        if word == "psd":
            diagonal = np.abs([y[first + i * (i + 3) // 2] for i in range(size)])
            least = float(np.min(diagonal[diagonal > 0], initial=1.0))
            bits = max(bits, GRID_BITS - frexp(least)[1])
        del last
    return min(max(bits, 0), MOST_GRID)


def as_entries(vector: Mapping[str, Any], length: int) -> Iterator[int]:
    """All entries of a vector of a witness."""
    entries = [0] * length
    for i, value in zip(vector.get("index", range(length)), vector["value"], strict=True):
        entries[i] = value
    yield from entries
