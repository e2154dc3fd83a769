"""Guessing the exact optimum: over ℚ and over ℚ(√d), and never a wrong guess that the kernel would take."""

from __future__ import annotations

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest

from certify import Embedding
from certify.kernel.quadratic import Surd
from certify.rounding.closed_form import closed_form, recognised, solve_near
from certify.solvers.pairs import expandable_pairs
from certify.solvers.rank_one import solve

CASES = [
    (nx.petersen_graph(), Fraction(2)),
    (nx.complete_bipartite_graph(2, 3), Fraction(7, 3)),
    (nx.hoffman_singleton_graph(), Fraction(8, 3)),
    (nx.balanced_tree(2, 2), Fraction(81, 56)),
    (nx.circular_ladder_graph(6), Fraction(16, 5)),
    (nx.cycle_graph(5), Surd(Fraction(6), Fraction(-2), 5)),
    (nx.icosahedral_graph(), Surd(Fraction(9, 2), Fraction(-9, 10), 5)),
    (nx.heawood_graph(), Surd(Fraction(12), Fraction(-6), 2)),
]


@pytest.mark.parametrize(("graph", "value"), CASES, ids=lambda x: str(x) if not isinstance(x, nx.Graph) else len(x))
def test_optimum_is_guessed(graph: nx.Graph, value: Fraction | Surd) -> None:
    problem = Embedding.from_graph(graph)
    squares = problem.squared_distances()
    *_, answer = solve(squares, expandable_pairs(squares), remaining=lambda: 60)
    found = closed_form(problem.squares(), answer)
    assert found is not None
    assert found.value == value


def test_an_optimum_of_higher_degree_is_not_guessed() -> None:
    """The seven-cycle's is of degree three over ℚ."""
    problem = Embedding.from_graph(nx.cycle_graph(7))
    squares = problem.squared_distances()
    *_, answer = solve(squares, expandable_pairs(squares), remaining=lambda: 60)
    assert closed_form(problem.squares(), answer) is None


def test_numbers_are_recognised_only_when_nearer_than_chance() -> None:
    assert recognised([0.25, -1 / 3], 0, 1e-9) == [Fraction(1, 4), Fraction(-1, 3)]
    assert recognised([np.sqrt(2) / 7], 0, 1e-9) is None
    assert recognised([np.sqrt(2) / 7], 2, 1e-9) == [Surd(Fraction(0), Fraction(1, 7), 2)]
    assert recognised([(1 + np.sqrt(5)) / 4, 0.5], 5, 1e-9) == [Surd(Fraction(1, 4), Fraction(1, 4), 5), Fraction(1, 2)]
    assert recognised([np.pi / 10], 5, 1e-9) is None


def test_solve_near_takes_the_coarsest_acceptable_point() -> None:
    one = Fraction(1)
    # x + y = 1 near (0.34, 0.66): halves are refused, sixths are taken.
    found = solve_near([[one, one, one]], [0.34, 0.66], lambda x: x[1] < Fraction(7, 10) and x[1] > Fraction(6, 10))
    assert found == [Fraction(1, 3), Fraction(2, 3)]
    assert solve_near([[one, one], [one, 2 * one]], [0.0], lambda x: True) is None
