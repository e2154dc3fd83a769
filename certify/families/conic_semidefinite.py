"""Proposals for semidefinite programs without equations: interior points, rounded from the last iterate backwards."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from certify.families.conic_blocks import costs_of, multipliers_of
from certify.families.conic_simple import simple_proposals
from certify.families.conic_without import without_optimum
from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.conic import Rounder
from certify.solvers.semidefinite import Block, Iterate, interior_point, restored

INTERIOR = "interior point"
KEPT = 12  # iterates that are tried
MIXED = (0.03, 0.3)  # shares of an iterate that can be rounded, with the next one
Floats = NDArray[np.float64]


def kept_back(effort: Effort) -> Callable[[], float]:
    """The seconds that remain for an engine, when two fifths of them are kept for rounding what it has by then."""
    kept = 0.4 * effort.remaining()
    return lambda: effort.remaining() - kept


def semidefinite_proposals(program: Program, blocks: list[Block], effort: Effort) -> Iterator[Proposal]:
    """Points and multipliers from an interior point method."""
    effort.say(INTERIOR)
    sign = 1.0 if program.sense == "min" else -1.0
    iterates = interior_point(costs_of(program), blocks, kept_back(effort), keep=KEPT)
    rounder = Rounder(program, effort.remaining)
    offset = program.constant[0] / program.denominator[0]
    last = iterates[-1]
    word = f"relative gap {last.gap:.1e}, infeasibility {last.infeasible:.1e}"
    claim = Claim(INTERIOR, word, sign * last.value + offset)
    yield from rounded(program, blocks, rounder, iterates, effort, claim)


def rounded(
    program: Program, blocks: list[Block], rounder: Rounder, iterates: list[Iterate], effort: Effort, claim: Claim
) -> Iterator[Proposal]:
    """The last iterate of which a point can be proved feasible, and the last of which the multipliers can."""
    upper, lower = ("upper", "lower") if program.sense == "min" else ("lower", "upper")
    costs = costs_of(program)
    yield from simple_proposals(program, rounder, iterates[-1].x, multipliers_of(program, iterates[-1].y), claim)
    effort.say("rounding a point")
    side: Any = upper
    proved: set[str] = set()
    for witness, x, seconds in tightening(iterates, lambda each: _rounded_point(rounder, each), effort):
        proved.add("point")
        yield Proposal(witness, side, x, claim, seconds, twin_follows=True)
    effort.say("rounding multipliers")
    side = lower
    for witness, _, seconds in tightening(
        iterates, lambda each: _rounded_dual(program, costs, blocks, rounder, each), effort
    ):
        proved.add("dual")
        yield Proposal(witness, side, None, claim, seconds)
    yield from without_optimum(program, rounder, effort, claim, proved)


def _rounded_point(rounder: Rounder, iterate: Iterate) -> dict[str, Any] | None:
    found = rounder.point(iterate.x)
    return None if found is None else {"kind": "point", **found[0]}


def _rounded_dual(
    program: Program, costs: Floats, blocks: list[Block], rounder: Rounder, iterate: Iterate
) -> dict[str, Any] | None:
    first = rounder.multiplier(multipliers_of(program, iterate.y))
    if first is not None:
        return first
    return rounder.multiplier(multipliers_of(program, restored(costs, blocks, iterate.y)))


def tightening(
    iterates: list[Iterate], rounding: Callable[[Iterate], dict[str, Any] | None], effort: Effort
) -> Iterator[tuple[dict[str, Any], Floats, float]]:
    """The last iterate that can be rounded, then mixtures of it with the next one, which is too near the boundary."""
    for k in reversed(range(len(iterates))):
        if effort.remaining() <= 0:
            return
        began = time.monotonic()
        witness = rounding(iterates[k])
        if witness is None:
            continue
        yield witness, iterates[k].x, time.monotonic() - began
        if k + 1 < len(iterates):
            for share in MIXED:
                mixed = _mixed(iterates[k], iterates[k + 1], share)
                began = time.monotonic()
                witness = rounding(mixed) if effort.remaining() > 0 else None
                if witness is not None:
                    yield witness, mixed.x, time.monotonic() - began
                    return
        return


def _mixed(first: Iterate, second: Iterate, share: float) -> Iterate:
    """``share`` of the first, the rest of the second."""

    def both(a: Floats, b: Floats) -> Floats:
        return share * a + (1 - share) * b

    y = tuple(both(a, b) for a, b in zip(first.y, second.y, strict=True))
    s = tuple(both(a, b) for a, b in zip(first.s, second.s, strict=True))
    return Iterate(both(first.x, second.x), y, s, second.gap, second.infeasible, second.value)
