"""The family ``kmeans`` passes the conformance suite that ships in the package."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certify import KMeans, Verdict
from certify.problem import Problem
from certify.testing import Case, Conformance, Degenerate
from certify.testing.kmeans import judge, tiny, twins

F = Fraction
TWO_PAIRS = [[0, 0], [0, 2], [10, 0], [10, 2]]
GRID = [[x, y] for x in range(4) for y in range(3)]
SEVENTEEN = (
    [[1086, 348]] * 2 + [[1087, 347]] * 2 + [[1190, 244]] * 2 + [[1185, 249]] * 2
    + [[1193, 241], [1188, 247], [1187, 233]] + [[26, 111]] * 2 + [[26, 110]] * 4
)  # fmt: skip


def random_points(n: int, d: int) -> Any:
    return np.random.default_rng(7).normal(size=(n, d))


CASES = (
    Case("two pairs", lambda: KMeans(TWO_PAIRS, 2), F(4), F(4)),
    Case("a grid in two", lambda: KMeans(GRID, 2), F(11), F(11)),
    Case("weights", lambda: KMeans(TWO_PAIRS, 2, weights=[1, 1, 2, 1]), F(14, 3), F(14, 3)),
    Case("a line", lambda: KMeans([[0], [3], [4], ["1/2"], [9]], 3), F(5, 8), F(5, 8), engines=False),
    Case("one cluster", lambda: KMeans(TWO_PAIRS, 1), F(104), F(104), engines=False),
)

DEGENERATE = (
    Degenerate("17 points, 9 of them distinct, k = 10", lambda: KMeans(SEVENTEEN, 10), F(0)),
    Degenerate("sparse 1, 2, 3", lambda: KMeans(sparse.csr_matrix([[1.0], [2.0], [3.0]]), 3), F(0)),
    Degenerate(
        "1.0 and 1.001 a thousand times in float32",
        lambda: KMeans(np.array([[1.0], [1.001]] * 1000, dtype=np.float32), 2),
        F(0),
    ),
    Degenerate(
        "1.0 and 1.001 in float32, one cluster",
        lambda: KMeans(np.array([[1.0], [1.001]] * 1000, dtype=np.float32), 1),
        F(500) * (F(float(np.float32(1.001))) - 1) ** 2,
    ),
    Degenerate("weights 2 and 2", lambda: KMeans([[0], [1]], 1, weights=[2, 2]), F(1)),
    Degenerate("0, 3, 4 in two", lambda: KMeans([[0], [3], [4]], 2), F(1, 2)),
    Degenerate("one point", lambda: KMeans([[5, 5]], 1), F(0)),
    Degenerate("as many clusters as points", lambda: KMeans(TWO_PAIRS, 4), F(0)),
    Degenerate("a point without weight", lambda: KMeans([[0], [1], [50]], 1, weights=[1, 1, 0]), F(1, 2)),
    Degenerate("1/1000 apart", lambda: KMeans([[0, 0], ["1/1000", 0], [1, 0], [1, "1/1000"]], 2), F(1, 10**6)),
    Degenerate("a constant column", lambda: KMeans([[0, 7], [1, 7], [9, 7], [10, 7]], 2), F(1)),
    Degenerate("NaN in row 1", lambda: KMeans([[0], [nan], [1]], 2), error=r"X\[1, 0\].*nan"),
    Degenerate("NaN in an array", lambda: KMeans(np.array([[0.0], [nan], [1.0]]), 2), error=r"X\[1, 0\].*nan"),
    Degenerate("infinite", lambda: KMeans([[0], [inf]], 1), error="not finite"),
    Degenerate("ragged", lambda: KMeans([[0, 1], [2]], 1), error="row 0 has"),
    Degenerate("a vector", lambda: KMeans(np.arange(4.0), 2), error="one-dimensional"),
    Degenerate("nothing", lambda: KMeans([], 1), error="no points"),
    Degenerate("no cluster", lambda: KMeans([[0]], 0), error="k"),
    Degenerate("more clusters than points", lambda: KMeans([[0], [1]], 3), error="number of points"),
    Degenerate("half a cluster", lambda: KMeans([[0], [1]], 1.5), error="whole number"),  # type: ignore[arg-type]
    Degenerate("too few weights", lambda: KMeans([[0], [1]], 1, weights=[1]), error="1 weights for 2"),
    Degenerate("a negative weight", lambda: KMeans([[0], [1]], 1, weights=[1, -1]), error="negative"),
    Degenerate("no weight at all", lambda: KMeans([[0], [1]], 1, weights=[0, 0]), error="every weight is 0"),
)


class TestKMeans(Conformance):
    cases = CASES
    degenerate = DEGENERATE
    certificates = tiny()
    forged_examples = 700

    @staticmethod
    def slow_case() -> Problem:
        return KMeans(random_points(200, 6), 6)

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        return twins(problem)


@pytest.mark.slow
class TestKMeansThoroughly(TestKMeans):
    """The same campaign, longer."""

    forged_examples = 20_000
    step = 1
