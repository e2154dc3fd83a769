"""Proposals for linear programs: both ends exact from one basis, or an exact proof that there is no optimum."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.exact_lp import Basic, ExactLinear, elastic, multipliers, optimal_basis, recession

SIMPLEX = "highs"


def sparse_vector(entries: Mapping[int, Fraction]) -> dict[str, Any]:
    """Rationals by place as a vector of a witness."""
    common = lcm(*(value.denominator for value in entries.values()))
    places = sorted(j for j, value in entries.items() if value)
    values = [entries[j].numerator * (common // entries[j].denominator) for j in places]
    return {"denominator": common, "index": places, "value": values}


def whole_vector(x: Sequence[int], q: int) -> dict[str, Any]:
    """x/q as a vector of a witness."""
    return {"denominator": q, "index": [j for j, v in enumerate(x) if v], "value": [v for v in x if v]}


def floats_of(x: Sequence[int], q: int) -> Any:
    """x/q in doubles."""
    return np.array([_float(Fraction(v, q)) for v in x])


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def constant_contradiction(program: Program) -> dict[str, Any] | None:
    """A Farkas vector of one row without variables that is false by itself, or of two bounds that cross."""
    for word, _, first, last in program.cones:
        for r in range(first, last):
            if program.start[r + 1] == program.start[r + 2]:
                k = program.constant[r + 1]
                if word == "zero" and k:
                    return {"kind": "farkas", "y": sparse_vector({r: Fraction(-1 if k > 0 else 1)}), "psd": []}
                if word == "nonnegative" and k < 0:
                    return {"kind": "farkas", "y": sparse_vector({r: Fraction(1)}), "psd": []}
    return None


def _crossing(form: ExactLinear) -> dict[str, Any] | None:
    for low, high in zip(form.lower, form.upper, strict=True):
        if low is not None and high is not None and low.end > high.end:
            y = {low.source: 1 / low.factor, high.source: -1 / high.factor}
            return {"kind": "farkas", "y": sparse_vector(y), "psd": []}
    return None


def linear_proposals(program: Program, form: ExactLinear, effort: Effort) -> Iterator[Proposal]:
    """Witnesses for a program of which ``form`` is all that there is."""
    sign = 1 if program.sense == "min" else -1
    upper, lower = ("upper", "lower") if sign > 0 else ("lower", "upper")
    contradiction = constant_contradiction(program) or _crossing(form)
    if contradiction is not None:
        yield Proposal(contradiction, "infeasible")
        return
    effort.say(SIMPLEX)
    answer, basic = optimal_basis(form, effort.remaining, effort.say)
    offset = program.constant[0] / program.denominator[0]
    value = None if answer.claim.value is None else sign * answer.claim.value + offset
    claim = Claim(answer.claim.name, answer.claim.status, value)
    if basic is not None and not basic.primal:
        yield _point(basic, upper, claim, program.variables, twin=not basic.dual)
    if basic is not None and not basic.dual:
        yield _dual(form, basic, lower, claim)
    if basic is not None and not basic.primal and not basic.dual:
        return
    if effort.remaining() > 0:
        yield from _without_optimum(program, form, effort, claim, upper)


def _point(basic: Basic, side: Any, claim: Claim, n: int, twin: bool) -> Proposal:
    witness = {"kind": "point", "x": whole_vector(basic.x[:n], basic.q), "psd": []}
    return Proposal(witness, side, floats_of(basic.x[:n], basic.q), claim, twin_follows=twin)


def _dual(form: ExactLinear, basic: Basic, side: Any, claim: Claim) -> Proposal:
    y = multipliers(form, basic.y, basic.d, basic.r)
    return Proposal({"kind": "dual", "y": sparse_vector(y), "psd": []}, side, claim=claim)


def _without_optimum(
    program: Program, form: ExactLinear, effort: Effort, claim: Claim, upper: Any
) -> Iterator[Proposal]:
    """A Farkas vector, or a feasible point and perhaps a ray from it."""
    began = time.monotonic()
    effort.say("feasibility")
    loose = elastic(form)
    _, basic = optimal_basis(loose, effort.remaining, effort.say)
    if basic is None or basic.primal:
        return
    violated = any(basic.x[form.variables :])
    if violated and not basic.dual:
        y = multipliers(form, basic.y, basic.d[: form.variables], basic.r)
        witness = {"kind": "farkas", "y": sparse_vector(y), "psd": []}
        yield Proposal(witness, "infeasible", claim=claim, round_seconds=time.monotonic() - began)
    if violated:
        return
    point = {"x": whole_vector(basic.x[: form.variables], basic.q), "psd": []}
    yield Proposal({"kind": "point", **point}, upper, floats_of(basic.x[: form.variables], basic.q), claim)
    effort.say("recession")
    _, direction = optimal_basis(recession(form), effort.remaining, effort.say)
    if direction is None or direction.primal:
        return
    if sum(c * direction.x[j] for j, c in form.cost.items()) < 0:
        ray = {"x": whole_vector(direction.x, direction.q), "psd": []}
        yield Proposal({"kind": "ray", **point, "direction": ray}, "unbounded", claim=claim)
