"""The family mincut passes the conformance suite that ships in the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import nan
from typing import Any

import networkx as nx
import pytest

from certify import MinCut, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.mincut import judge, tiny, twins

F = Fraction
HOUSE = [(0, 1), (1, 2, F(1, 2)), (2, 3), (3, 0, "1/2"), (0, 4, 3), (1, 4, 3)]

APART = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]


class TestMinCut(Conformance):
    certificates = tiny()
    forged_examples = 1500
    step = 6
    cases = (
        Case("karate, weighted", lambda: MinCut.from_graph(nx.karate_club_graph()), F(3), F(3)),
        Case("karate, unweighted", lambda: MinCut.from_graph(nx.karate_club_graph(), weight="unit"), F(1), F(1)),
        Case("house", lambda: MinCut.from_edges(HOUSE), F(1), F(1)),
        Case("cube in three", lambda: MinCut.from_graph(nx.hypercube_graph(3), 3), F(5), F(5), engines=False),
        Case("two triangles apart", lambda: MinCut.from_edges(APART), F(0), F(0), engines=False),
    )
    degenerate = (
        Degenerate("two vertices", lambda: MinCut.from_edges([(0, 1, 0.1)]), F(0.1)),
        Degenerate("no edge", lambda: MinCut.from_edges([], 3, 3), F(0)),
        Degenerate("three edges apart in three", lambda: MinCut.from_edges([(0, 1), (2, 3), (4, 5)], 3), F(0)),
        Degenerate("every vertex a part", lambda: MinCut.from_edges([(0, 1), (1, 2, 5)], 3), F(6)),
        Degenerate("2^32 + 5", lambda: MinCut.from_edges([(0, 1, 2**32 + 5), (1, 2, 2**31)]), F(2**31)),
        Degenerate("a loop", lambda: MinCut.from_edges([(0, 0, 9), (0, 1, 2)]), F(2)),
        Degenerate("parallel edges", lambda: MinCut.from_edges([(0, 1, 0.5), (1, 0, "1/3")]), F(5, 6)),
        Degenerate("weight 0", lambda: MinCut.from_edges([(0, 1, 0), (1, 2, 3)]), F(0)),
        Degenerate("negative", lambda: MinCut.from_edges([(0, 1, -1)]), error="NP-hard"),
        Degenerate("NaN", lambda: MinCut.from_edges([(0, 1, nan)]), error="nan|NaN"),
        Degenerate("too many parts", lambda: MinCut.from_edges([(0, 1)], 3), error="empty"),
        Degenerate("one part", lambda: MinCut.from_edges([(0, 1)], 1), error="number of parts"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        return twins(problem)


@pytest.mark.slow
class TestMinCutThoroughly(TestMinCut):
    """The same campaign, longer."""

    forged_examples = 20_000
    step = 1
