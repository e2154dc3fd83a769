"""Programs whose points have no interior: diagonal entries that are forced to be 0, and proposals without them.

If S_ii = 0 for every feasible point, then S_ij = 0 for all j. One exact linear program tells which diagonal entries the
linear rows and the other diagonal entries force to be 0, and its multipliers prove it: a step of the chain of faces
that the kernel follows. What is left has smaller matrices and more equations, and may force more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any

from certify.families.conic_linear import linear_proposals, sparse_vector
from certify.families.conic_without import built, forms_of
from certify.kernel.cones import Program
from certify.kernel.psd import Triangle
from certify.problem import Effort, Proposal
from certify.rounding.conic import as_entries, cone_proofs, values_at
from certify.rounding.exact_lp import linear_form, multipliers, optimal_basis
from certify.solvers.linear import available

MOST_FACES = 16
Form = tuple[dict[int, Fraction], Fraction]


@dataclass(frozen=True)
class Face:
    """A step: multipliers y by row of the program, and the diagonal entries (cone, index) that they show to be 0.

    ``made``: the step as the kernel wants it; ``matrices``: what it proves to annihilate the matrices, by cone.
    """

    made: dict[str, Any]
    matrices: dict[int, Triangle]
    zero: frozenset[tuple[int, int]]


@dataclass(frozen=True)
class Reduced:
    """The program on a face, where its rows come from, and how many entries of a matrix an equation among them counts
    for: an entry off the diagonal stands for two."""

    program: Program
    rows: list[int]
    counts: list[int]

    def back(self, y: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """Multipliers of its rows as multipliers of the rows of the program."""
        return {self.rows[r]: v / self.counts[r] for r, v in y.items()}


def diagonal_rows(program: Program) -> dict[tuple[int, int], int]:
    """The row of each diagonal entry (cone, index) of the psd cones."""
    return {
        (c, i): first + i * (i + 3) // 2
        for c, (word, size, first, _) in enumerate(program.cones)
        if word == "psd"
        for i in range(size)
    }


def reduced(program: Program, zero: frozenset[tuple[int, int]]) -> Reduced:
    """The program with the rows of zero diagonal entries as equations and the matrices without them."""
    forms = forms_of(program)
    rows: list[int] = []
    counts: list[int] = []
    cones: list[tuple[str, int]] = []
    for c, (word, size, first, last) in enumerate(program.cones):
        gone = {i for i in range(size) if (c, i) in zero} if word == "psd" else set()
        if not gone:
            rows += range(first, last)
            counts += [1] * (last - first)
            cones.append((word, size))
            continue
        places = [(i, j, first + i * (i + 1) // 2 + j) for i in range(size) for j in range(i + 1)]
        equations = [r for i, j, r in places if i in gone or j in gone]
        kept = [r for i, j, r in places if i not in gone and j not in gone]
        rows += equations
        counts += [1 if i == j else 2 for i, j, r in places if i in gone or j in gone] + [1] * len(kept)
        cones.append(("zero", len(equations)))
        if kept:
            rows += kept
            cones.append(("psd", size - len(gone)))
    table = [forms[0], *(forms[r + 1] for r in rows)]
    return Reduced(built(table, cones, program.variables, program.sense), rows, counts)


def linear_part(program: Program, forced: frozenset[tuple[int, int]]) -> Reduced:
    """The linear rows with the diagonal entries as inequalities, the rows of forced entries as equations; and the row
    of the program that each comes from."""
    forms = forms_of(program)
    smaller = reduced(program, forced)
    zero: list[int] = []
    signed: list[int] = []
    for c, (word, size, first, last) in enumerate(smaller.program.cones):
        del c
        if word == "zero":
            zero += smaller.rows[first:last]
        elif word == "nonnegative":
            signed += smaller.rows[first:last]
        elif word == "psd":
            signed += [smaller.rows[first + i * (i + 3) // 2] for i in range(size)]
    count = dict(zip(smaller.rows, smaller.counts, strict=True))
    rows = zero + signed
    cones = [("zero", len(zero))] * bool(zero) + [("nonnegative", len(signed))] * bool(signed)
    table = [({}, Fraction(0)), *(forms[r + 1] for r in rows)]
    return Reduced(built(table, cones, program.variables), rows, [count[r] for r in rows])


def chain_of_faces(program: Program, effort: Effort) -> tuple[list[Face], dict[str, Any] | None]:
    """The steps that show diagonal entries to be 0, or a Farkas vector (with the steps before it) if one was found."""
    faces: list[Face] = []
    if not available():
        return faces, None
    diagonals = diagonal_rows(program)
    while len(faces) < MOST_FACES and effort.remaining() > 0:
        forced = frozenset().union(*(face.zero for face in faces))
        part = linear_part(program, forced)
        form = linear_form(part.program)
        if form is None:
            return faces, None
        quiet = replace(effort, say=lambda text: None)
        for proposal in linear_proposals(part.program, form, quiet):
            if proposal.side == "infeasible":
                found = part.back(_fractions(proposal.witness["y"], len(part.rows)))
                return faces, lifted(program, faces, found, "farkas")
        free = {place: r for place, r in diagonals.items() if place not in forced}
        zero = _forced(part.program, part.rows, free, effort)
        if not zero:
            return faces, None
        y = _proof(part, {free[place] for place in zero}, effort)
        if y is None:
            return faces, None
        made = lifted(program, faces, y, None)
        if made is None:
            return faces, None
        matrices = _matrices(program, faces, made)
        faces.append(Face(made, matrices, zero))
    return faces, None


def _fractions(vector: Mapping[str, Any], length: int) -> dict[int, Fraction]:
    q = vector["denominator"]
    return {i: Fraction(v, q) for i, v in enumerate(as_entries(vector, length)) if v}


def _forced(
    part: Program, rows: list[int], free: Mapping[tuple[int, int], int], effort: Effort
) -> frozenset[tuple[int, int]]:
    """The diagonal entries that are 0 wherever the linear part holds: where t_d = 0 when Σ t_d is greatest, with
    0 ≤ t_d ≤ 1 and t_d ≤ S_d."""
    forms = forms_of(part)
    at = {r: k for k, r in enumerate(rows)}
    n = part.variables
    tau = n + len(free)  # (x, τ) stands for x/τ: so what can be positive can be 1 at the same time

    def scaled(form: Form, more: Mapping[int, Fraction]) -> Form:
        return {**form[0], tau: form[1], **more}, Fraction(0)

    table: list[Form] = [({n + k: Fraction(-1) for k in range(len(free))}, Fraction(0))]
    table += [scaled(form, {}) for form in forms[1:]]
    cones = [(word, size) for word, size, _, _ in part.cones]
    for k, r in enumerate(free.values()):
        table += [
            scaled(forms[1 + at[r]], {n + k: Fraction(-1)}),
            ({n + k: Fraction(1)}, Fraction(0)),
            ({n + k: Fraction(-1)}, Fraction(1)),
        ]
    table.append(({tau: Fraction(1)}, Fraction(-1)))
    cones.append(("nonnegative", 3 * len(free) + 1))
    form = linear_form(built(table, cones, tau + 1))
    if form is None or not free:
        return frozenset()
    _, basic = optimal_basis(form, effort.remaining, lambda text: None)
    if basic is None or basic.primal or basic.dual:
        return frozenset()
    return frozenset(place for k, place in enumerate(free) if not basic.x[n + k])


def _proof(part: Reduced, zero: set[int], effort: Effort) -> dict[int, Fraction] | None:
    """Multipliers y by row, 1 or more on the rows that are to be 0, with Aᵀy = 0 and ⟨y, b⟩ = 0."""
    rows, program = part.rows, part.program
    forms = forms_of(program)
    total: dict[int, Fraction] = {}
    constant = Fraction(0)
    for k, r in enumerate(rows):
        if r in zero:
            terms, b = forms[1 + k]
            constant += b
            for j, v in terms.items():
                total[j] = total.get(j, Fraction(0)) - v
    cones = [(word, size) for word, size, _, _ in program.cones]
    objective = ({j: v for j, v in total.items() if v}, -constant)
    form = linear_form(built([objective, *forms[1:]], cones, program.variables))
    if form is None:
        return None
    _, basic = optimal_basis(form, effort.remaining, lambda text: None)
    if basic is None or basic.dual or basic.primal:
        return None
    y = part.back(multipliers(form, basic.y, basic.d, basic.r))
    for r in zero:
        y[r] = y.get(r, Fraction(0)) + 1
    return {r: v for r, v in y.items() if v}


def lifted(program: Program, faces: list[Face], y: Mapping[int, Fraction], kind: str | None) -> dict[str, Any] | None:
    """Multipliers y by row, free on what the faces show to be 0, as a witness of that kind (None: as a step).

    What stands in the row and column of a zero diagonal entry is turned away by the matrix of its face.
    """
    turns: list[dict[str, Any]] = []
    turned: dict[int, list[list[Fraction]]] = {}
    done: set[tuple[int, int]] = set()
    number = 0
    for face in faces:
        for c, matrix in face.matrices.items():
            _, size, first, _ = program.cones[c]
            for i in sorted(index for cone, index in face.zero if cone == c):
                w = matrix[i][i]
                by = [Fraction(0)] * size
                for j in range(size):
                    r = first + max(i, j) * (max(i, j) + 1) // 2 + min(i, j)
                    if r in y and (c, j) not in done:
                        by[j] = y[r] / (2 * w if i == j else w)
                done.add((c, i))
                if any(by):
                    turns.append({"face": number, "vector": [int(j == i) for j in range(size)], "by": by})
                    table = turned.setdefault(c, [[Fraction(0)] * (k + 1) for k in range(size)])
                    for j in range(size):
                        table[max(i, j)][min(i, j)] += by[j] * w * (2 if i == j else 1)
            number += 1
    tops = [Fraction(0)] * (len(program.constant) - 1)
    for r, v in y.items():
        tops[r] = v
    for c, table in turned.items():
        _, size, first, _ = program.cones[c]
        for i in range(size):
            for j in range(i + 1):
                tops[first + i * (i + 1) // 2 + j] -= table[i][j]
    common = lcm(*(v.denominator for v in tops))
    proofs = cone_proofs(program, [int(v * common) for v in tops], [1] * len(tops), dual=True)
    if proofs is None:
        return None
    made: dict[str, Any] = {"y": sparse_vector(y), "psd": proofs}
    if turns:
        d = lcm(*(value.denominator for turn in turns for value in turn["by"]))
        made["turns"] = {
            "denominator": d,
            "list": [{**turn, "by": [int(value * d) for value in turn["by"]]} for turn in turns],
        }
    if kind is None:
        return made
    return {"kind": kind, **made, "faces": [face.made for face in faces]} if faces else {"kind": kind, **made}


def _matrices(program: Program, faces: list[Face], made: Mapping[str, Any]) -> dict[int, Triangle]:
    """The matrices that a step proves, as the kernel computes them."""
    from certify.kernel.faces import _turned

    known = [(c, z) for face in faces for c, z in face.matrices.items()]
    free = {
        r
        for face in faces
        for r, v in _fractions(face.made["y"], len(program.constant) - 1).items()
        if v > 0 and any(first <= r < last and word == "nonnegative" for word, _, first, last in program.cones)
    }
    proved = _turned(dict(made), "step", program, free, known, False)[2]
    return {c: z for c, z in proved.items() if any(map(any, z))}


def on_faces(program: Program, faces: list[Face], inner: Iterator[Proposal], smaller: Reduced) -> Iterator[Proposal]:
    """The proposals of the smaller program as witnesses of the program."""
    zero = frozenset().union(*(face.zero for face in faces))
    for proposal in inner:
        witness = proposal.witness
        mapped: dict[str, Any] | None
        if witness["kind"] in ("dual", "farkas"):
            y = smaller.back(_fractions(witness["y"], len(smaller.rows)))
            mapped = None if "faces" in witness else lifted(program, faces, y, witness["kind"])
        else:
            mapped = _point(program, zero, witness)
        if mapped is not None:
            yield replace(proposal, witness=mapped)


def _point(program: Program, zero: frozenset[tuple[int, int]], witness: Mapping[str, Any]) -> dict[str, Any] | None:
    """A point (and direction) of the smaller program with proofs for the whole matrices, which are singular."""
    nulls: dict[int, list[int]] = {}
    for c, i in sorted(zero):
        nulls.setdefault(c, []).append(i)
    x = list(as_entries(witness["x"], program.variables))
    tops, below = values_at(program, x, witness["x"]["denominator"])
    proofs = cone_proofs(program, tops, below, dual=False, nulls=nulls)
    if proofs is None:
        return None
    mapped = {**witness, "psd": proofs}
    if "direction" in witness:
        d = list(as_entries(witness["direction"]["x"], program.variables))
        more = cone_proofs(program, *values_at(program, d, 0), dual=False, nulls=nulls)
        if more is None:
            return None
        mapped["direction"] = {"x": witness["direction"]["x"], "psd": more}
    return mapped
