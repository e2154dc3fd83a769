"""The families of balanced cuts: known values, hostile input, and forgeries of their tiny certificates."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import networkx as nx

from certify import Bisection, Expansion, NormalizedCut, RatioCut, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.ratiocut import judge, tiny

F = Fraction


class TestRatioCut(Conformance):
    forged_examples = 400
    step = 3
    certificates = tiny()
    cases = (
        Case(
            "karate",
            lambda: RatioCut.from_graph(nx.karate_club_graph(), weight="unit"),
            F(136, 145),
            F(136, 145),
            engines=False,
        ),
        Case("path in three", lambda: RatioCut.from_graph(nx.path_graph(6), 3), F(2), F(2), engines=False),
        Case("dodecahedron", lambda: RatioCut.from_graph(nx.dodecahedral_graph()), F(6, 5), F(6, 5), engines=False),
        Case("normalised", lambda: NormalizedCut.from_graph(nx.cycle_graph(8)), F(1, 2), F(1, 2), engines=False),
        Case("bisection", lambda: Bisection.from_graph(nx.grid_2d_graph(4, 4)), F(4), F(4), engines=False),
        Case("expansion", lambda: Expansion.from_graph(nx.petersen_graph()), F(1), F(1), engines=False),
    )
    degenerate = (
        Degenerate("two components", lambda: RatioCut.from_edges([(0, 1), (2, 3)]), F(0)),
        Degenerate("no edge", lambda: RatioCut.from_edges([], 3, 3), F(0)),
        Degenerate("one edge", lambda: Expansion.from_edges([(0, 1, F(1, 3))]), F(1, 3)),
        Degenerate("halves of pieces", lambda: Bisection.from_edges([(0, 1), (1, 2), (3, 4)]), F(0)),
        Degenerate("a lonely vertex", lambda: NormalizedCut.from_edges([(0, 1)], 2, 3), error="volume is 0"),
        Degenerate("too many parts", lambda: RatioCut.from_edges([(0, 1)], 3), error="some would be empty"),
        Degenerate("a negative weight", lambda: RatioCut.from_edges([(0, 1, -1)]), error="negative"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        """The vertices in another order."""
        n = problem.size
        edges = [(n - 1 - u, n - 1 - v, F(w, problem.denominator)) for u, v, w in problem.edges]
        yield "backwards", type(problem).from_edges(edges, problem.k, n)
