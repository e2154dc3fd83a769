"""The family basis_pursuit passes the conformance suite that ships in the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import nan
from typing import Any

import numpy as np

from certify import BasisPursuit, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.basis_pursuit import judge, tiny, twins

F = Fraction
WIDE = [[1, 0, "1/2"], [0, 1, "1/2"]]


class TestBasisPursuit(Conformance):
    forged_examples = 600
    step = 5
    certificates = tiny()
    cases = (
        Case("two spikes", lambda: BasisPursuit.of(WIDE, [1, -1]), F(2), F(2)),
        Case("several minimisers", lambda: BasisPursuit.of(WIDE, [1, 1]), F(2), F(2)),
        Case("noise", lambda: BasisPursuit.of([[3, 1]], [2], noise="1/2"), F(1, 2), F(1, 2)),
    )
    degenerate = (
        Degenerate("zero", lambda: BasisPursuit.of(WIDE, [0, 0]), F(0)),
        Degenerate("one number", lambda: BasisPursuit.of([[2]], [3]), F(3, 2)),
        Degenerate("tall and consistent", lambda: BasisPursuit.of([[1], [2]], [1, 2]), F(1)),
        Degenerate("NaN", lambda: BasisPursuit.of([[nan]], [1]), error="NaN|finite"),
        Degenerate("a wrong length", lambda: BasisPursuit.of(WIDE, [1]), error="entries"),
        Degenerate("no right-hand side", lambda: BasisPursuit.of(WIDE), error="exactly one"),
        Degenerate("negative noise", lambda: BasisPursuit.of(WIDE, [1, 1], noise=-1), error="negative"),
    )

    @staticmethod
    def slow_case() -> Problem:
        rng = np.random.default_rng(5)
        return BasisPursuit.of(rng.normal(size=(220, 900)), rng.normal(size=220))

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        return twins(problem)
