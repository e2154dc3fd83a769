"""The family ``embedding`` passes the conformance suite that ships in the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, nan, pi, sin
from typing import Any

import networkx as nx
import numpy as np
import pytest

from certify import Embedding, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.embedding import judge, tiny, twins

F = Fraction


def graph(constructor: Any, *arguments: Any) -> Any:
    return lambda: Embedding.from_graph(constructor(*arguments))


def near(value: float) -> tuple[float, float]:
    return value * (1 - 1e-14), value * (1 + 1e-14)


def random_metric(n: int) -> Embedding:
    """Distances in [1, 2]: any such table is a metric, and none of it is symmetric."""
    rng = np.random.default_rng(5)
    table = np.triu(1 + rng.random((n, n)), 1)
    return Embedding.from_distances(table + table.T)


def weighted_cycle() -> nx.Graph:
    weighted = nx.cycle_graph(4)
    nx.set_edge_attributes(weighted, {(0, 1): "1/3", (1, 2): "1/2", (2, 3): "1/3", (0, 3): "1/2"}, "length")
    return weighted


CASES = (
    Case("four-cycle", graph(nx.cycle_graph, 4), F(2), F(2)),
    Case("five-cycle", graph(nx.cycle_graph, 5), *near((4 * sin(pi / 10)) ** 2)),
    Case("star with 5 leaves", graph(nx.star_graph, 5), F(8, 5), F(8, 5)),
    Case("three-cube", graph(nx.hypercube_graph, 3), F(3), F(3)),
    Case("Petersen", graph(nx.petersen_graph), F(2), F(2)),
    Case("complete graph", graph(nx.complete_graph, 6), F(1), F(1)),
    Case("K_23", graph(nx.complete_bipartite_graph, 2, 3), F(7, 3), F(7, 3)),
    Case(
        "rectangle 1/3 by 1/2",
        lambda: Embedding.from_graph(weighted_cycle(), length="length"),
        F(25, 13),
        F(25, 13),
    ),
)

DEGENERATE = (
    Degenerate("one point", lambda: Embedding.from_distances([[0]]), F(1)),
    Degenerate("two points", lambda: Embedding.from_distances([[0, "1/3"], ["1/3", 0]]), F(1)),
    Degenerate("collinear", lambda: Embedding.from_distances([[0, 1, 3], [1, 0, 2], [3, 2, 0]]), F(1)),
    Degenerate("collinear points", lambda: Embedding.from_points([[0.1], [0.2], [7]]), F(1)),
    Degenerate("l1 in one dimension", lambda: Embedding.from_points([[1], [5], [2]], "l1"), F(1)),
    Degenerate("square roots", lambda: Embedding.from_squared_distances([[0, 2, 2], [2, 0, 4], [2, 4, 0]]), F(1)),
    # Three points, d = 1, 1, 3: the middle one can only be stretched; |z| <= 2, so 9/4.
    Degenerate("no triangle inequality", lambda: Embedding.from_distances([[0, 1, 3], [1, 0, 1], [3, 1, 0]]), F(9, 4)),
    Degenerate("path", lambda: Embedding.from_graph(nx.path_graph(7)), F(1)),
    Degenerate(
        "lengths of 1e-12 and 1e12",
        lambda: Embedding.from_edges(range(3), [(0, 1, F(1, 10**12)), (1, 2, F(10**12))]),
        F(1),
    ),
    Degenerate(
        "duplicates merged",
        lambda: Embedding.from_distances([[0, 0, 1], [0, 0, 1], [1, 1, 0]], merge_duplicates=True),
        F(1),
    ),
    Degenerate("duplicates", lambda: Embedding.from_distances([[0, 0, 1], [0, 0, 1], [1, 1, 0]]), error="distance 0"),
    Degenerate("equal points", lambda: Embedding.from_points([[1, 2], [1, 2]]), error="distance 0"),
    Degenerate("disconnected", lambda: Embedding.from_graph(nx.empty_graph(3)), error="path|connected"),
    Degenerate("asymmetric", lambda: Embedding.from_distances([[0, 1], [2, 0]]), error="symmetric"),
    Degenerate("negative", lambda: Embedding.from_distances([[0, -1], [-1, 0]]), error="negative"),
    Degenerate("NaN", lambda: Embedding.from_distances([[0, nan], [nan, 0]]), error="nan|finite"),
    Degenerate("infinite", lambda: Embedding.from_points([[0], [inf]]), error="inf|finite"),
    Degenerate("diagonal", lambda: Embedding.from_distances([[1, 1], [1, 0]]), error="itself"),
    Degenerate("ragged", lambda: Embedding.from_distances([[0, 1], [1]]), error="row|rectangular|length|shape"),
    Degenerate("not square", lambda: Embedding.from_distances([[0, 1, 2], [1, 0, 2]]), error="square"),
    Degenerate("nothing", lambda: Embedding.from_distances([]), error="no |empty|at least"),
    Degenerate("a length of 0", lambda: Embedding.from_edges(range(2), [(0, 1, F(0))]), error="positive"),
)


class TestEmbedding(Conformance):
    cases = CASES
    degenerate = DEGENERATE
    certificates = tiny()

    @staticmethod
    def slow_case() -> Problem:
        return random_metric(60)

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        return twins(problem)


@pytest.mark.slow
class TestEmbeddingThoroughly(TestEmbedding):
    """The same campaign, longer."""

    forged_examples = 40_000
    step = 1
