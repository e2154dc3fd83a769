"""The family spark: known values, hostile input, and forgeries of its tiny certificates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify import Spark, Verdict
from certify.formats.matrix import generated
from certify.testing import Case, Conformance, Degenerate
from certify.testing.spark import judge, tiny

F = Fraction


class TestSpark(Conformance):
    forged_examples = 300
    step = 3
    certificates = tiny()
    cases = (
        Case("Vandermonde 4 x 9", lambda: Spark.of(generated("vandermonde", 4, 9)), F(5), F(5)),
        Case("K33", lambda: Spark.of(generated("incidence", "complete_bipartite_graph", 3, 3)), F(4), F(4)),
        Case("identity", lambda: Spark.of([[int(i == j) for j in range(8)] for i in range(8)]), F(9), F(9)),
    )
    degenerate = (
        Degenerate("a zero column", lambda: Spark.of([[1, 0], [0, 0]]), F(1)),
        Degenerate("equal columns", lambda: Spark.of([[1, 1], [2, 2]]), F(2)),
        Degenerate("nothing", lambda: Spark.of([]), error="no entries"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)
