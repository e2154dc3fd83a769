"""Semidefinite programs whose multipliers have no interior: the face that they lie in, and proposals on it.

If d is a direction with Ad in the cones and cᵀd = 0, every multiplier Y has ⟨Y, Ad⟩ = 0, so Y annihilates the matrix
Ad = W (Borwein and Wolkowicz 1981): Y = VỸVᵀ with the columns of V a basis of ker W. The program with the block VᵀSV in
place of S, without one variable of d, has those Ỹ as multipliers; its points x become points of the program as x + td.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.conic_blocks import blocks_of, costs_of, multipliers_of
from certify.families.conic_semidefinite import kept_back, tightening
from certify.families.conic_without import built, forms_of
from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.conic import Rounder, as_entries, with_null
from certify.solvers.conic import FloatProgram, float_program
from certify.solvers.semidefinite import Iterate, interior_point, restored

Floats = NDArray[np.float64]
MOST_EXPONENT = 60  # of t in x + td


@dataclass(frozen=True)
class DualFace:
    """The psd cone number ``cone`` has multipliers with Yw = 0 for the integer vector w; variable ``variable`` has the
    matrix ±wwᵀ there, nothing elsewhere, and no cost."""

    cone: int
    variable: int
    w: tuple[int, ...]
    sign: int


def dual_face(program: Program) -> DualFace | None:
    """A variable without cost whose matrix is ±wwᵀ in one psd cone and that stands in no other row, if there is one."""
    costly = {program.column[t] for t in range(program.start[1])}
    where: dict[int, set[int]] = {}
    entries: dict[tuple[int, int], dict[tuple[int, int], Fraction]] = {}
    for c, (word, size, first, last) in enumerate(program.cones):
        places = [(i, j) for i in range(size) for j in range(i + 1)] if word == "psd" else []
        for r in range(first, last):
            for t in range(program.start[r + 1], program.start[r + 2]):
                k = program.column[t]
                if k in costly:
                    continue
                where.setdefault(k, set()).add(c)
                if places:
                    value = Fraction(program.value[t], program.denominator[r + 1])
                    entries.setdefault((k, c), {})[places[r - first]] = value
    for k, cones in where.items():
        (c, *more) = cones
        if more or (k, c) not in entries:
            continue
        found = _rank_one(entries[k, c], program.cones[c][1])
        if found is not None:
            return DualFace(c, k, *found)
    return None


def _rank_one(table: dict[tuple[int, int], Fraction], size: int) -> tuple[tuple[int, ...], int] | None:
    """w and ±1 if the symmetric matrix is ±wwᵀ times a positive number, w integer without a common factor."""
    from math import gcd, lcm

    pivot = next((i for i in range(size) if table.get((i, i))), None)
    if pivot is None:
        return None
    row = [table.get((max(i, pivot), min(i, pivot)), Fraction(0)) for i in range(size)]
    common = lcm(*(value.denominator for value in row))
    whole = [int(value * common) for value in row]
    divisor = gcd(*whole)
    w = [value // divisor for value in whole]
    factor = table[pivot, pivot] / w[pivot] ** 2
    support = [i for i, value in enumerate(w) if value]
    if len(table) != len(support) * (len(support) + 1) // 2 or len(support) < 2:
        return None
    if any(table.get((i, j)) != factor * w[i] * w[j] for a, i in enumerate(support) for j in support[: a + 1]):
        return None
    return tuple(w), 1 if factor > 0 else -1


def reduced(program: Program, face: DualFace) -> Program:
    """The program on the face. The columns of V: p is the last i with w_i ≠ 0, and the column of i ≠ p is
    w_p·e_i − w_i·e_p."""
    size = len(face.w)
    p = max(i for i in range(size) if face.w[i])
    columns = [{i: face.w[p], p: -face.w[i]} if face.w[i] else {i: 1} for i in range(size) if i != p]
    forms = forms_of(program)
    rows: list[tuple[dict[int, Fraction], Fraction]] = []
    cones: list[tuple[str, int]] = []
    for c, (word, order, first, last) in enumerate(program.cones):
        part = [({k: v for k, v in terms.items() if k != face.variable}, b) for terms, b in forms[1 + first : 1 + last]]
        if c != face.cone:
            rows += part
            cones.append((word, order))
            continue
        cones.append(("psd", size - 1))
        for a, left in enumerate(columns):
            for right in columns[: a + 1]:
                rows.append(_combined(part, left, right))
    return built([forms[0], *rows], cones, program.variables, program.sense)


def _combined(
    part: list[tuple[dict[int, Fraction], Fraction]], left: dict[int, int], right: dict[int, int]
) -> tuple[dict[int, Fraction], Fraction]:
    """leftᵀ S right for the forms of a lower triangle."""
    terms: dict[int, Fraction] = {}
    constant = Fraction(0)
    for i, x in left.items():
        for j, y in right.items():
            more, b = part[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)]
            constant += x * y * b
            for k, v in more.items():
                terms[k] = terms.get(k, Fraction(0)) + x * y * v
    return terms, constant


def _without(program: Program, variable: int) -> Program:
    """The program without a variable that stands nowhere; those after it move up by one."""
    column = [k - (k > variable) for k in program.column]
    return program._replace(variables=program.variables - 1, column=column)


def faced_proposals(program: Program, face: DualFace, effort: Effort) -> Iterator[Proposal]:
    """Both ends, from the program on the face."""
    effort.say("facial reduction")
    sign = 1.0 if program.sense == "min" else -1.0
    upper, lower = ("upper", "lower") if sign > 0 else ("lower", "upper")
    small = _without(reduced(program, face), face.variable)
    blocks = blocks_of(small)
    if blocks is None:
        return
    costs = costs_of(small)
    iterates = interior_point(costs, blocks, kept_back(effort), keep=12)
    offset = program.constant[0] / program.denominator[0]
    last = iterates[-1]
    claim = Claim(
        "interior point on a face",
        f"relative gap {last.gap:.1e}, infeasibility {last.infeasible:.1e}",
        sign * last.value + offset,
    )
    inner, outer = Rounder(small, effort.remaining), Rounder(program, effort.remaining)
    floats = float_program(program)
    side: Any = lower

    def multiplier(iterate: Iterate) -> dict[str, Any] | None:
        found = inner.multiplier(multipliers_of(small, iterate.y))
        if found is None:
            found = inner.multiplier(multipliers_of(small, restored(costs, blocks, iterate.y)))
        return _lifted(program, face, small, found)

    def point(iterate: Iterate) -> dict[str, Any] | None:
        for exponent in range(0, MOST_EXPONENT, 4):
            x = np.insert(iterate.x, face.variable, face.sign * 2.0**exponent)
            if effort.remaining() <= 0:
                return None
            if _positive(program, face, floats, x):
                found = outer.point(x)
                if found is not None:
                    return {"kind": "point", **found[0]}
        return None

    for witness, _, seconds in tightening(iterates, multiplier, effort):
        yield Proposal(witness, side, None, claim, seconds, twin_follows=True)
    side = upper
    for witness, x, seconds in tightening(iterates, point, effort):
        yield Proposal(witness, side, np.insert(x, face.variable, 0.0), claim, seconds)


def _positive(program: Program, face: DualFace, floats: FloatProgram, x: Floats) -> bool:
    """Whether the matrix of the face is positive definite at x in doubles: cheaper than to try to round it."""
    _, size, first, last = program.cones[face.cone]
    s = (floats.matrix @ x + floats.constant)[first:last]
    table = np.zeros((size, size))
    table[np.tril_indices(size)] = s
    try:
        np.linalg.cholesky(table + np.tril(table, -1).T)
    except np.linalg.LinAlgError:
        return False
    return True


def _lifted(program: Program, face: DualFace, small: Program, witness: dict[str, Any] | None) -> dict[str, Any] | None:
    """Multipliers on the face as multipliers of the program: Y = VỸVᵀ."""
    if witness is None:
        return None
    entries = list(as_entries(witness["y"], len(small.constant) - 1))
    q = witness["y"]["denominator"]
    size = len(face.w)
    lifted: list[int] = []
    proofs = []
    shown = 0
    for c, ((word, _, first, last), (_, order, at, end)) in enumerate(zip(small.cones, program.cones, strict=True)):
        if c != face.cone:
            lifted += entries[first:last]
            if word == "psd":
                proofs.append(witness["psd"][shown])
                shown += 1
            continue
        shown += 1
        dense = np.zeros((order - 1, order - 1), dtype=object)
        i, j = np.tril_indices(order - 1)
        dense[i, j] = entries[first:last]
        dense[j, i] = entries[first:last]
        table = np.zeros((size, size), dtype=object)
        p = max(i for i in range(size) if face.w[i])
        others = [i for i in range(size) if i != p]
        scale = np.array([face.w[p] if face.w[i] else 1 for i in others], dtype=object)
        tail = np.array([-face.w[i] for i in others], dtype=object)
        table[np.ix_(others, others)] = dense * scale[:, None] * scale[None, :]
        corner = scale * (dense @ tail)
        table[others, p] = corner
        table[p, others] = corner
        table[p, p] = tail @ dense @ tail
        triangle = [[int(v) for v in table[r, : r + 1]] for r in range(size)]
        proof = with_null(triangle, [list(face.w)])
        if proof is None:
            return None
        proofs.append(proof)
        lifted += [v for row in triangle for v in row]
        del at, end
    return {"kind": witness["kind"], "y": {"denominator": q, "value": lifted}, "psd": proofs}
