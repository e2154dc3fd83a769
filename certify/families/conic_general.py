"""Proposals for programs of any cones: an answer of Clarabel or SCS, rounded; moved inwards where it has no room."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from certify.families.conic_simple import simple_proposals
from certify.families.conic_without import without_optimum
from certify.kernel.cones import Program
from certify.problem import Claim, Effort, Proposal
from certify.rounding.conic import Rounder
from certify.solvers.conic import float_program, solve_clarabel, solve_scs, with_margin

MARGINS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3)  # relative to the largest constant or cost
_ENGINES = {"clarabel": solve_clarabel, "scs": solve_scs}


def general_proposals(program: Program, effort: Effort) -> Iterator[Proposal]:
    """The ends that an engine's answer proves, with as small a margin as will do; then a proof that there are none."""
    sign = 1.0 if program.sense == "min" else -1.0
    upper, lower = ("upper", "lower") if sign > 0 else ("lower", "upper")
    floats = float_program(program)
    rounder = Rounder(program, effort.remaining)
    offset = program.constant[0] / program.denominator[0]
    engines = [effort.solver] if effort.solver in _ENGINES else list(_ENGINES)
    proved: set[str] = set()
    claim: Claim | None = None
    for engine in engines:
        for margin in MARGINS:
            if effort.remaining() <= 0:
                return
            effort.say(engine if not margin else f"{engine}, moved inwards by {margin:g}")
            size = margin * (1 + float(np.max(np.abs(floats.constant), initial=0.0)))
            moved = with_margin(floats, size) if margin else floats
            answer = _ENGINES[engine](moved, seconds=effort.remaining())
            if not margin:
                value = None if answer.claim.value is None else sign * answer.claim.value + offset
                claim = replace(answer.claim, value=value)
                yield from simple_proposals(program, rounder, answer.x, answer.y, claim)
            if not np.all(np.isfinite(answer.x)) or "nfeasible" in answer.claim.status:
                break
            if "point" not in proved:
                began = time.monotonic()
                found = rounder.point(answer.x)
                if found is not None:
                    proved.add("point")
                    side: Any = upper
                    took = time.monotonic() - began
                    yield Proposal({"kind": "point", **found[0]}, side, answer.x, claim, took, twin_follows=True)
            if "dual" not in proved:
                began = time.monotonic()
                dual = rounder.multiplier(answer.y + size * floats.inner())
                if dual is not None:
                    proved.add("dual")
                    side = lower
                    yield Proposal(dual, side, None, claim, time.monotonic() - began)
            if proved == {"point", "dual"}:
                return
        if proved:
            break
    yield from without_optimum(program, rounder, effort, claim, proved)
