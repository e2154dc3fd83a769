"""From floats to exact points and multipliers of semidefinite programs: what they are must hold over ℚ."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certify.formats.sdpa import parse_sdpa
from certify.rounding.conic_sdp import exact_multipliers, exact_point
from certify.solvers.conic_sdp import solve_sdp

# min x1 + x2 subject to [[x1, 1/3], [1/3, x2]] ⪰ 0 and x1 >= 1/10: the optimum is 2/3.
PROGRAM = parse_sdpa("2\n2\n2 -1\n1 1\n0 1 1 2 -1/3\n1 1 1 1 1\n2 1 2 2 1\n0 2 1 1 0.1\n1 2 1 1 1\n", "x.dat-s")


def test_both_ends_are_near_and_true() -> None:
    answer = solve_sdp(PROGRAM, seconds=10)
    # The optimal multiplier is singular: a millionth of one with room makes it provable.
    inside = (np.diag([0.5, 1.0]), np.array([0.5]))
    mixed = [part + 1e-6 * (room - part) for part, room in zip(answer.multipliers, inside, strict=True)]
    lower = exact_multipliers(PROGRAM, mixed, 40)
    upper = exact_point(PROGRAM, answer.x + 1e-6, 40)
    assert lower is not None
    assert upper is not None
    (first, second), _ = upper
    assert lower.value <= Fraction(2, 3) <= first + second
    assert first + second - lower.value < Fraction(1, 10**4)
    assert first * second >= Fraction(1, 9)
    # ⟨F_1, Y⟩ = Y_11 + w = 1 and ⟨F_2, Y⟩ = Y_22 = 1 hold exactly, with Y ⪰ 0 and w >= 0.
    matrix, diagonal = lower.entries
    assert matrix[0, 0] + diagonal[0, 0] == matrix[1, 1] == 1
    assert matrix[0, 0] * matrix[1, 1] >= matrix[0, 1] ** 2
    assert lower.value == -2 * Fraction(1, 3) * matrix[0, 1] + Fraction(1, 10) * diagonal[0, 0]


def test_what_is_outside_gets_nothing() -> None:
    assert exact_point(PROGRAM, np.array([1 / 3, 0.33]), 40) is None
    assert exact_point(PROGRAM, np.array([0.09, 100.0]), 40) is None
    assert exact_point(PROGRAM, np.array([np.nan, 1.0]), 40) is None
    assert exact_multipliers(PROGRAM, [np.array([[1.0, -1.5], [-1.5, 1.0]]), np.zeros(1)], 40) is None
    assert exact_multipliers(PROGRAM, [np.array([[1.0, np.inf], [np.inf, 1.0]]), np.zeros(1)], 40) is None


def test_a_hair_below_zero_is_not_feasible() -> None:
    program = parse_sdpa("1\n1\n1\n1\n1 1 1 1 1\n", "x.dat-s")
    assert exact_point(program, np.array([-1e-7]), 60) is None
    assert exact_point(program, np.array([0.0]), 60) is not None
