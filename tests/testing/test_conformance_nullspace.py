"""The family nullspace: known values, hostile input, and forgeries of its tiny certificates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify import NullSpace, Verdict
from certify.formats.matrix import generated
from certify.testing import Case, Conformance, Degenerate
from certify.testing.nullspace import judge, tiny

F = Fraction


class TestNullSpace(Conformance):
    forged_examples = 300
    step = 3
    certificates = tiny()
    cases = (
        Case(
            "K33", lambda: NullSpace.of(generated("incidence", "complete_bipartite_graph", 3, 3), 2), F(1, 2), F(1, 2)
        ),
        Case("Petersen", lambda: NullSpace.of(generated("incidence", "petersen_graph"), 1), F(1, 5), F(1, 5)),
        Case("powers", lambda: NullSpace.of(generated("vandermonde", 3, 5), 1), F(3, 8), F(1, 2)),
    )
    degenerate = (
        Degenerate("a zero column", lambda: NullSpace.of([[1, 0], [0, 0]], 1), F(1)),
        Degenerate("equal columns", lambda: NullSpace.of([[1, 1], [2, 2]], 1), F(1, 2)),
        Degenerate("independent columns", lambda: NullSpace.of([[1, 0], [0, 3], [1, 1]], 2), F(0)),
        Degenerate("zeros", lambda: NullSpace.of([[0, 0]], 2), F(1)),
        Degenerate("graded scales", lambda: NullSpace.of([[1e-150, 1e-150], [0, 0]], 1), F(1, 2)),
        Degenerate("nothing", lambda: NullSpace.of([], 1), error="no entries"),
        Degenerate("no entries to add", lambda: NullSpace.of([[1, 2]], 0), error="from 1 to 2"),
        Degenerate("not a number", lambda: NullSpace.of([[1, "x"]], 1), error="x"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)
