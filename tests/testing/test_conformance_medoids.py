"""The families kmedoids, kmedian, kcenter and kdiameter pass the conformance suite that ships in the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import nan, sqrt
from typing import Any

import networkx as nx
import numpy as np
import pytest

from certify import KCenter, KDiameter, KMedian, KMedoids, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.medoids import SEVEN, judge, tiny, twins

F = Fraction
CERTIFICATES = tiny()
BLOCKS = np.kron(np.eye(3, dtype=int), np.ones((4, 4), dtype=int))  # a similarity, given as distances


def of(*families: str) -> dict[str, dict[str, Any]]:
    return {name: document for name, document in CERTIFICATES.items() if document["family"] in families}


def cloud(n: int, dimensions: int = 2) -> Any:
    return np.random.default_rng(7).normal(size=(n, dimensions))


def near(value: float) -> tuple[float, float]:
    return value * (1 - 1e-9), value * (1 + 1e-9)


class Centres(Conformance):
    forged_examples = 900
    step = 12

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        return twins(problem)


class TestKMedoids(Centres):
    certificates = of("kmedoids", "kmedian")
    cases = (
        Case("seven points, l1", lambda: KMedoids.from_points(SEVEN, 2, "l1"), F(10), F(10)),
        Case("the path of seven", lambda: KMedoids.from_graph(nx.path_graph(7), 2), F(6), F(6)),
        Case("asymmetric", lambda: KMedoids.from_distances([[0, 1, 2], [4, 0, 1], [1, 5, 0]], 1), F(3), F(3)),
        Case("sites", lambda: KMedian.from_points([[0], [2], [7]], 2, candidates=[["1/2"], [7], [5]]), F(2), F(2)),
    )
    degenerate = (
        Degenerate("one point", lambda: KMedoids.from_points([[1, 2]], 1), F(0)),
        Degenerate("equal points", lambda: KMedoids.from_points([[1], [1], [1]], 2), F(0)),
        Degenerate("a similarity given as distances", lambda: KMedoids.from_distances(BLOCKS, 2), F(0)),
        Degenerate("as many centres as points", lambda: KMedoids.from_points(SEVEN, 7, "linf"), F(0)),
        Degenerate("one centre", lambda: KMedoids.from_points([[0], [1], [5]], 1, power=2), F(17)),
        Degenerate("a wide table", lambda: KMedian.from_distances([[1, 5, 2], [6, 1, 1]], 1, power=2), F(30)),
        Degenerate("tiny and huge", lambda: KMedoids.from_points([[0], ["1e-30"], ["1e30"]], 2), F(1, 10**30)),
        Degenerate("too many centres", lambda: KMedoids.from_points(SEVEN, 8), error="k: must be at most 7"),
        Degenerate("no centre", lambda: KMedoids.from_points(SEVEN, 0), error="at least 1"),
        Degenerate("NaN", lambda: KMedoids.from_points([[0], [nan], [1]], 1), error=r"points\[1, 0\].*NaN|finite"),
        Degenerate("negative", lambda: KMedoids.from_distances([[0, -1], [1, 0]], 1), error="negative"),
        Degenerate("not square", lambda: KMedoids.from_distances([[0, 1]], 1), error="square"),
        Degenerate("power 3", lambda: KMedoids.from_points(SEVEN, 1, power=3), error="power"),  # type: ignore[arg-type]
        Degenerate("a norm", lambda: KMedoids.from_points(SEVEN, 1, "l7"), error="norm"),
        Degenerate("no points", lambda: KMedoids.from_points([], 1), error="no point"),
        Degenerate("disconnected", lambda: KMedoids.from_graph(nx.empty_graph(3), 1), error="path|connected"),
    )

    @staticmethod
    def slow_case() -> Problem:
        return KMedoids.from_points(cloud(900, 6), 11)


class TestKCenter(Centres):
    certificates = of("kcenter")
    cases = (
        Case("seven points", lambda: KCenter.from_points(SEVEN, 2), *near(sqrt(13))),
        Case("the cycle of nine", lambda: KCenter.from_graph(nx.cycle_graph(9), 3), F(1), F(1)),
        Case("Petersen", lambda: KCenter.from_graph(nx.petersen_graph(), 2), F(2), F(2)),
        Case("asymmetric", lambda: KCenter.from_distances([[0, 1, 2], [4, 0, 1], [1, 5, 0]], 1), F(2), F(2)),
    )
    degenerate = (
        Degenerate("one point", lambda: KCenter.from_points([[1, 2]], 1), F(0)),
        Degenerate("equal points", lambda: KCenter.from_points([[1], [1], [1]], 2), F(0)),
        Degenerate("a similarity given as distances", lambda: KCenter.from_distances(BLOCKS, 2), F(0)),
        Degenerate("squares", lambda: KCenter.from_points([[0], [1], [5]], 1, power=2), F(16)),
        Degenerate("long numbers", lambda: KCenter.from_points([["1e-40", 1], [0, "1e40"], [3, 4]], 2)),
        Degenerate("too many centres", lambda: KCenter.from_points(SEVEN, 8), error="at most 7"),
    )


class TestKDiameter(Centres):
    certificates = of("kdiameter")
    cases = (
        Case("seven points", lambda: KDiameter.from_points(SEVEN, 2), F(20), F(20)),
        Case("the cycle of nine", lambda: KDiameter.from_graph(nx.cycle_graph(9), 3), F(2), F(2)),
        Case("Petersen", lambda: KDiameter.from_graph(nx.petersen_graph(), 3), F(2), F(2)),
        Case("cube", lambda: KDiameter.from_graph(nx.hypercube_graph(3), 3), F(2), F(2)),
        Case("twenty points", lambda: KDiameter.from_points(cloud(20), 3), 0, 100),
    )
    degenerate = (
        Degenerate("one point", lambda: KDiameter.from_points([[1, 2]], 1), F(0)),
        Degenerate("equal points", lambda: KDiameter.from_points([[1], [1], [1]], 2), F(0)),
        Degenerate("as many clusters as points", lambda: KDiameter.from_points(SEVEN, 7), F(0)),
        Degenerate("one cluster", lambda: KDiameter.from_points([[0], [2], [5]], 1, "l1"), F(25)),
        Degenerate("asymmetric", lambda: KDiameter.from_distances([[0, 1], [2, 0]], 1), error="symmetric"),
        Degenerate("a similarity", lambda: KDiameter.from_distances(BLOCKS, 2), error="itself"),
        Degenerate("too many clusters", lambda: KDiameter.from_points(SEVEN, 8), error="at most 7"),
    )


@pytest.mark.slow
class TestKMedoidsThoroughly(TestKMedoids):
    """The same campaign, longer."""

    forged_examples = 20_000
    step = 1


@pytest.mark.slow
class TestKCenterThoroughly(TestKCenter):
    forged_examples = 20_000
    step = 1


@pytest.mark.slow
class TestKDiameterThoroughly(TestKDiameter):
    forged_examples = 20_000
    step = 1
