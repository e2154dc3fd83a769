"""Basis pursuit on the cases that people meet (faults of sensing), through Python and through files."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import certify
from certify import BasisPursuit, InputError, Status
from certify.families.basis_pursuit_words import TEMPLATE


def instance(scale: float = 1.0) -> tuple[Any, Any]:
    """50 x 128, 14-sparse."""
    rng = np.random.default_rng(1)
    w = rng.normal(size=(50, 128)) / np.sqrt(50)
    x = np.zeros(128)
    x[rng.choice(128, 14, replace=False)] = rng.normal(size=14)
    return w, x * scale


@pytest.mark.parametrize("scale", [1e-6, 1e-8, 1e-10])
def test_small_vectors_where_solvers_are_wrong(scale: float) -> None:
    w, x = instance(scale)
    measured = certify.solve(BasisPursuit.of(w, w @ x))
    assert measured.status is Status.EXACT
    true = certify.solve(BasisPursuit.of(w, x_true=x))
    assert true.status is Status.EXACT
    assert true.bounds.lower == sum(abs(Fraction(float(e))) for e in x)
    assert "the minimiser is unique" in true.verdict.statements[0].text
    assert np.array_equal(true.solution, x)


def test_a_redundant_row_perturbed_is_infeasible() -> None:
    w, x = instance()
    rows = [[Fraction(float(e)) for e in row] for row in w]
    rows.append([a + b for a, b in zip(rows[0], rows[1], strict=True)])
    y = [sum(a * Fraction(float(b)) for a, b in zip(row, x, strict=True)) for row in rows]
    assert certify.solve(BasisPursuit.of(rows, y)).status is Status.EXACT
    y[-1] += Fraction(1, 10**7)
    assert certify.solve(BasisPursuit.of(rows, y)).status is Status.INFEASIBLE


def test_petersen_two_sparse_all_exact_and_unique() -> None:
    w = nx.incidence_matrix(nx.petersen_graph(), oriented=True).toarray().astype(int)
    for i, j in combinations(range(15), 2):
        for sign in (1, -1):
            x = [0] * 15
            x[i], x[j] = 1, sign
            result = certify.solve(BasisPursuit.of(w, x_true=x))
            assert result.status is Status.EXACT
            assert result.bounds.lower == 2
            assert "the minimiser is unique" in result.verdict.statements[0].text


def test_a_vector_of_a_solver_is_repaired_before_it_is_compared() -> None:
    w, x = instance()
    problem = BasisPursuit.of(w, x_true=x)
    result = problem.assess(x * (1 + 1e-9))
    assert result.assessment is not None
    assert result.assessment.value == result.bounds.lower
    assert problem.assess(np.zeros(128)).assessment is not None


def test_noise() -> None:
    w, x = instance()
    y = w @ x + 1e-3 * np.random.default_rng(2).normal(size=50)
    assert certify.solve(BasisPursuit.of(w, y, noise=0.01)).status is Status.TIGHT
    assert certify.solve(BasisPursuit.of([[1], [0]], [1, 1], noise="1/2")).status is Status.INFEASIBLE


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "recovery.toml"
    path.write_text(TEMPLATE)
    problem = certify.load(path)
    result = certify.solve(problem)
    assert result.bounds.lower == result.bounds.upper == 2
    path.write_text(TEMPLATE.replace("x_true = [0, 0, 2, 0]", "x_true = [0, 0]"))
    with pytest.raises(InputError, match=r"x_true.*has 2 entries"):
        certify.load(path)
    path.write_text(
        'family = "basis_pursuit"\n[matrix]\ngenerator = {name = "incidence", args = ["petersen_graph"]}\n'
        "[rhs]\nx_true = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\n"
    )
    assert certify.solve(certify.load(path)).bounds.upper == 1
