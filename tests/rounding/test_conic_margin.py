"""One solve of the moved program gives exact points and multipliers of the program itself, close to its optimum."""

from __future__ import annotations

from fractions import Fraction

from certify.formats.sdpa import parse_sdpa
from certify.rounding.conic_margin import from_margin, with_margin
from certify.rounding.conic_sdp import exact_multipliers, exact_point
from certify.solvers.conic_sdp import solve_sdp

# min x1 + x2 subject to [[x1, 1/3], [1/3, x2]] ⪰ 0 and x1 >= 1/10: the optimum is 2/3.
PROGRAM = parse_sdpa("2\n2\n2 -1\n1 1\n0 1 1 2 -1/3\n1 1 1 1 1\n2 1 2 2 1\n0 2 1 1 0.1\n1 2 1 1 1\n", "x.dat-s")
MARGIN = Fraction(1, 2**20)


def test_the_moved_program_is_exact() -> None:
    moved = with_margin(PROGRAM, MARGIN)
    assert moved.cost == (1 - 2 * MARGIN, 1 - MARGIN)
    assert moved.blocks[0].entries[0] == (0, 0, 0, MARGIN)
    assert moved.blocks[1].entries[0] == (0, 0, 0, Fraction(1, 10) + MARGIN)


def test_both_ends_come_from_one_solve() -> None:
    answer = solve_sdp(with_margin(PROGRAM, MARGIN), seconds=10)
    lower = exact_multipliers(PROGRAM, from_margin(answer.multipliers, float(MARGIN)), 50)
    upper = exact_point(PROGRAM, answer.x, 50)
    assert lower is not None
    assert upper is not None
    assert lower.value <= Fraction(2, 3) <= sum(upper[0])
    assert sum(upper[0]) - lower.value < Fraction(1, 10**5)
