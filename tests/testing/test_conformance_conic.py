"""The family conic: known values, hostile input, and forgeries of its tiny certificates."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from certify import Conic, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.conic import judge, tiny

F = Fraction


def polygon() -> Conic:
    """x + y = 3, x ≥ 1, y ≥ 0: the least of 2x + y is 4."""
    rows = [({0: 1, 1: 1}, -3), ({0: 1}, -1), ({1: 1}, 0)]
    return Conic.of(({0: 2, 1: 1}, 0), rows, [("zero", 1), ("nonnegative", 2)], 2)


def theta_of_pentagon() -> Conic:
    """Lovász' theta of the 5-cycle, √5: least t with tI + Σ x_e E_e − J ⪰ 0 over the edges."""
    rows = []
    edges = {(max(i, (i + 1) % 5), min(i, (i + 1) % 5)): k + 1 for k, i in enumerate(range(5))}
    for i in range(5):
        for j in range(i + 1):
            rows.append(({0: 1} if i == j else {edges[i, j]: 1} if (i, j) in edges else {}, -1))
    return Conic.of(({0: 1}, 0), rows, [("psd", 5)], 6)


def distance() -> Conic:
    """The greatest of −‖(x − 3, x − 4)‖: −√½."""
    rows = [({1: 1}, 0), ({0: 1}, -3), ({0: 1}, -4)]
    return Conic.of(({1: -1}, 0), rows, [("second_order", 3)], 2, sense="max")


class TestConic(Conformance):
    forged_examples = 400
    step = 3
    certificates = tiny()
    cases = (
        Case("polygon", polygon, F(4), F(4), engines=False),
        Case("theta of the pentagon", theta_of_pentagon, 2.2360679774, 2.2360679776),
        Case("distance", distance, -0.70710678119, -0.70710678118, engines=False),
    )
    degenerate = (
        Degenerate("no variables", lambda: Conic.of(({}, 7), [({}, 1)], [("nonnegative", 1)], 0), F(7)),
        Degenerate("no rows", lambda: Conic.of(({}, 2), [], [], 3), F(2)),
        Degenerate("no number", lambda: Conic.of(({0: float("nan")}, 0), [], [], 1), error=r"objective\[0\]"),
        Degenerate("no such cone", lambda: Conic.of(({}, 0), [({}, 0)], [("power", 1)], 1), error="no cone"),
        Degenerate("too few rows", lambda: Conic.of(({}, 0), [], [("zero", 1)], 1), error="0 rows for cones of 1"),
        Degenerate("no such variable", lambda: Conic.of(({1: 1}, 0), [], [], 1), error="names a variable"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        """Scaled rows, and variables in another order."""
        from certify.families.conic_without import forms_of

        program = problem.program
        forms = forms_of(program)
        cones = [(word, size) for word, size, _, _ in program.cones]
        tripled = [({j: 3 * v for j, v in terms.items()}, 3 * k) for terms, k in forms[1:]]
        yield "rows times 3", Conic.of(forms[0], tripled, cones, program.variables, sense=program.sense)
        last = program.variables - 1
        turned = [({last - j: v for j, v in terms.items()}, k) for terms, k in forms]
        yield "variables backwards", Conic.of(turned[0], turned[1:], cones, program.variables, sense=program.sense)
