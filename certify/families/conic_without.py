"""Proposals for programs that have no optimum: Farkas vectors, and rays from feasible points.

Both come from programs that do have one: the elastic program, least t with Ax + b + te in the cones, and the recession
program, greatest t with Ad − te in the cones along directions d in which the objective improves.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.conic_blocks import blocks_of, costs_of, multipliers_of
from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.conic import Rounder, as_entries
from certify.solvers.conic import float_program, solve_clarabel, with_margin
from certify.solvers.semidefinite import interior_point

Floats = NDArray[np.float64]
Terms = Mapping[int, Fraction]
MARGINS = (0.0, 1e-8, 1e-6, 1e-4, 1e-2)
KEPT = 30


def without_optimum(
    program: Program, rounder: Rounder, effort: Effort, claim: Claim | None, proved: set[str]
) -> Iterator[Proposal]:
    """A ray if no multipliers were proved, a Farkas vector if no point was."""
    if "dual" not in proved and effort.remaining() > 0:
        yield from _rays(program, rounder, effort, claim)
    if "point" not in proved and effort.remaining() > 0:
        yield from _contradictions(program, rounder, effort, claim)


def answers(program: Program, effort: Effort) -> Iterator[tuple[Floats, Floats]]:
    """Approximate points and multipliers, the most accurate first, the others with more room for rounding."""
    blocks = blocks_of(program)
    if blocks is not None:
        for iterate in reversed(interior_point(costs_of(program), blocks, effort.remaining, keep=KEPT)):
            yield iterate.x, multipliers_of(program, iterate.y)
        return
    floats = float_program(program)
    for margin in MARGINS:
        if effort.remaining() <= 0:
            return
        answer = solve_clarabel(with_margin(floats, margin) if margin else floats, seconds=effort.remaining())
        if np.all(np.isfinite(answer.x)) and np.all(np.isfinite(answer.y)):
            yield answer.x, answer.y + margin * floats.inner()


def forms_of(program: Program) -> list[tuple[dict[int, Fraction], Fraction]]:
    """The objective and the rows, as terms and constants."""
    forms = []
    for i, d in enumerate(program.denominator):
        part = range(program.start[i], program.start[i + 1])
        terms = {program.column[t]: Fraction(program.value[t], d) for t in part}
        forms.append((terms, Fraction(program.constant[i], d)))
    return forms


def built(
    forms: list[tuple[dict[int, Fraction], Fraction]], cones: list[tuple[str, int]], variables: int, sense: str = "min"
) -> Program:
    """A program of forms: the objective, then the rows of the cones."""
    start, column, value, constant, denominator = [0], [], [], [], []
    for terms, last in forms:
        common = lcm(last.denominator, *(entry.denominator for entry in terms.values()))
        for j in sorted(terms):
            if terms[j]:
                column.append(j)
                value.append(terms[j].numerator * (common // terms[j].denominator))
        start.append(len(column))
        constant.append(last.numerator * (common // last.denominator))
        denominator.append(common)
    placed, first = [], 0
    for word, size in cones:
        last_row = first + (size * (size + 1) // 2 if word == "psd" else size)
        placed.append((word, size, first, last_row))
        first = last_row
    return Program(sense, variables, placed, start, column, value, constant, denominator)


def _inside(program: Program) -> list[int]:
    """A vector e in the interior of the cones, an entry a row; 0 on a zero cone."""
    e = [0] * (len(program.constant) - 1)
    for word, size, first, last in program.cones:
        if word == "nonnegative":
            e[first:last] = [1] * size
        elif word == "second_order":
            e[first] = 1
        elif word == "psd":
            for i in range(size):
                e[first + i * (i + 3) // 2] = 1
    return e


def elastic(program: Program) -> Program:
    """Least t ≥ −1 with Ax + b + te in the cones; t is the last variable."""
    n = program.variables
    rows = [
        ({**terms, n: Fraction(e)}, k) for (terms, k), e in zip(forms_of(program)[1:], _inside(program), strict=True)
    ]
    cones = [(word, size) for word, size, _, _ in program.cones]
    t = {n: Fraction(1)}
    return built([(t, Fraction(0)), *rows, (t, Fraction(1))], [*cones, ("nonnegative", 1)], n + 1)


def recession(program: Program) -> Program:
    """Least −t ≥ −1 with Ad − te in the cones and an objective that improves by at least 1 along d."""
    n = program.variables
    forms = forms_of(program)
    rows = [
        ({**terms, n: Fraction(-e)}, Fraction(0)) for (terms, _), e in zip(forms[1:], _inside(program), strict=True)
    ]
    sign = -1 if program.sense == "min" else 1
    better = {j: sign * c for j, c in forms[0][0].items()}
    cones = [(word, size) for word, size, _, _ in program.cones]
    less = {n: Fraction(-1)}
    return built(
        [(less, Fraction(0)), *rows, (better, Fraction(-1)), (less, Fraction(1))], [*cones, ("nonnegative", 2)], n + 1
    )


def _contradictions(program: Program, rounder: Rounder, effort: Effort, claim: Claim | None) -> Iterator[Proposal]:
    effort.say("a contradiction")
    rows = len(program.constant) - 1
    for x, y in answers(elastic(program), effort):
        if effort.remaining() <= 0:
            return
        began = time.monotonic()
        witness = rounder.multiplier(y[:rows], kind="farkas") if x[-1] > 0 else None
        if witness is not None and contradicts(program, witness):
            yield Proposal(witness, "infeasible", claim=claim, round_seconds=time.monotonic() - began)
            return


def contradicts(program: Program, witness: Mapping[str, Any]) -> bool:
    """Whether ⟨y, b⟩ < 0 for the multipliers y of a witness."""
    total = Fraction(0)
    entries = list(as_entries(witness["y"], len(program.constant) - 1))
    once = {first + i * (i + 3) // 2 for word, size, first, _ in program.cones if word == "psd" for i in range(size)}
    for word, _, first, last in program.cones:
        for r in range(first, last):
            if entries[r]:
                weight = 2 if word == "psd" and r not in once else 1
                total += Fraction(weight * entries[r] * program.constant[r + 1], program.denominator[r + 1])
    return total < 0


def _rays(program: Program, rounder: Rounder, effort: Effort, claim: Claim | None) -> Iterator[Proposal]:
    if program.start[1] == 0:  # nothing to improve
        return
    effort.say("a ray")
    direction = None
    for x, _ in answers(recession(program), effort):
        direction = rounder.direction(x[:-1]) if x[-1] > 0 else None
        if direction is not None or effort.remaining() <= 0:
            break
    if direction is None:
        return
    effort.say("a feasible point")
    for x, _ in answers(elastic(program), effort):
        point = rounder.point(x[:-1])
        if point is not None:
            yield Proposal({"kind": "ray", **point[0], "direction": direction}, "unbounded", claim=claim)
            return
        if effort.remaining() <= 0:
            return
