"""Known optimal distortions: the proved interval holds the closed form, with a gap of at most 1e-6.

The table is also run relabelled, given as distances, without the use of symmetry, and with other engines.
"""

from __future__ import annotations

import json
import random
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import certify
from certify import Embedding
from certify.kernel.quadratic import Surd
from certify.result import Result

KNOWN = Path(__file__).parent.parent / "known"
sys.path.insert(0, str(KNOWN))
from metrics import METRICS  # noqa: E402

TABLE = {entry["name"]: entry for entry in json.loads((KNOWN / "distortion.json").read_text())["metrics"]}
GIVEN = [name for name, entry in TABLE.items() if "given" in entry]
SMALL = [name for name in GIVEN if TABLE[name]["n"] <= 16]
IRRATIONAL_OF_HIGHER_DEGREE = {"C_7"}


def problem_of(name: str) -> Embedding:
    metric = METRICS[name]()
    if isinstance(metric, nx.Graph):
        length = "length" if any("length" in data for _, _, data in metric.edges(data=True)) else None
        return Embedding.from_graph(metric, length=length)
    return Embedding.from_squared_distances(metric)


def enclosure(name: str) -> tuple[Fraction, Fraction]:
    """Rationals below and above the closed form, at most 1e-20 apart."""
    form = TABLE[name].get("closed_form_squared")
    if form is not None and "a" in form:
        a, b, d = Fraction(form["a"]), Fraction(form["b"]), int(form["d"])
        return (a, a) if b == 0 else Surd(a, b, d).enclosure()
    value, half = Fraction(TABLE[name]["squared_decimal"]), Fraction(1, 10**38)
    return value - half, value + half


def check_against(name: str, result: Result) -> None:
    low, high = enclosure(name)
    assert result.verdict.valid
    assert result.bounds.lower is not None
    assert result.bounds.upper is not None
    assert result.bounds.lower <= high
    assert low <= result.bounds.upper
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert certify.check(result.certificate.dumps().encode(), pure=True).valid


def test_every_given_metric_is_here() -> None:
    assert len(GIVEN) == 28
    assert len(TABLE) == len(METRICS) >= 53


@pytest.mark.parametrize("name", TABLE)
def test_interval_holds_the_closed_form(name: str) -> None:
    check_against(name, certify.solve(problem_of(name), time_limit=60))


def test_given_values_are_proved_exactly() -> None:
    """At least 20 of the 28 are ``exact``, and those with a rational closed form have it as both ends."""
    exact = 0
    for name in GIVEN:
        result = certify.solve(problem_of(name))
        form = TABLE[name].get("closed_form_squared") or {}
        if form.get("b") == "0":
            assert result.status.word == "exact", name
            assert result.bounds.lower == result.bounds.upper == Fraction(form["a"])
        exact += result.status.word == "exact"
    assert exact >= 20


def relabelled(problem: Embedding) -> Embedding:
    n = len(problem)
    order = list(range(n))
    random.Random(4).shuffle(order)
    squares = problem.squares()
    return Embedding.from_squared_distances([[squares[max(i, j)][min(i, j)] for j in order] for i in order])


def without_symmetry(problem: Embedding) -> Embedding:
    """One distance changed by 1e-9 of itself: no two points are alike any more, the optimum moves by less."""
    squares = problem.squares()
    n = len(problem)
    rows: list[list[Any]] = [[Fraction(squares[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]
    rng = random.Random(7)
    for i in range(n):
        for j in range(i):
            rows[i][j] = rows[j][i] = rows[i][j] * (1 + Fraction(rng.randrange(1000), 10**13))
    return Embedding.from_squared_distances(rows)


@pytest.mark.parametrize("name", SMALL)
def test_relabelled_gives_the_same(name: str) -> None:
    check_against(name, certify.solve(relabelled(problem_of(name))))


@pytest.mark.parametrize("name", SMALL)
def test_without_symmetry(name: str) -> None:
    """The exact guess and the symmetric engine are of no use here; the bounds are those of the rank-one engine."""
    result = certify.solve(without_symmetry(problem_of(name)), solver="rank-one")
    low, high = enclosure(name)
    slack = Fraction(1, 10**8)
    assert result.bounds.lower is not None
    assert result.bounds.upper is not None
    assert result.bounds.lower <= high * (1 + slack)
    assert result.bounds.upper >= low * (1 - slack)
    assert result.gap is not None
    assert result.gap <= 1e-6


@pytest.mark.parametrize("engine", ["clarabel", "scs", "rank-one", "symmetric"])
@pytest.mark.parametrize("name", ["C_5", "K_2,3", "icosahedron", "friendship F_3"])
def test_other_engines(name: str, engine: str) -> None:
    check_against(name, certify.solve(problem_of(name), solver=engine))
