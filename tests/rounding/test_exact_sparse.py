"""Sparse systems over the rationals by floating point: what is returned is right, and what is singular is None."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from random import Random

import pytest

from certify.rounding.exact_sparse import ExactSystem

Table = list[list[int]]


# Digits of the right-hand side come in 40 at a time; they do not fit into 64 bits where the inverse is larger than 2.


def patient() -> float:
    return 60.0


def system(table: Table) -> ExactSystem:
    entries = [(i, j, v) for i, row in enumerate(table) for j, v in enumerate(row) if v]
    rows, columns, values = ([entry[k] for entry in entries] for k in range(3))
    return ExactSystem(len(table), rows, columns, values)


def solved(table: Sequence[Sequence[int]], right: Sequence[int]) -> list[Fraction] | None:
    """By elimination in fractions."""
    n = len(table)
    a = [[Fraction(v) for v in row] + [Fraction(b)] for row, b in zip(table, right, strict=True)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if a[i][k]), None)
        if pivot is None:
            return None
        a[k], a[pivot] = a[pivot], a[k]
        a[k] = [v / a[k][k] for v in a[k]]
        for i in range(n):
            if i != k and a[i][k]:
                a[i] = [v - a[i][k] * w for v, w in zip(a[i], a[k], strict=True)]
    return [row[n] for row in a]


def assert_exact(table: Table, right: list[int]) -> None:
    transposed = [list(column) for column in zip(*table, strict=True)]
    made = system(table)
    for found, matrix in (
        (made.solve(right, patient), table),
        (made.solve_transposed(right, patient), transposed),
    ):
        wanted = solved(matrix, right)
        if wanted is None:
            assert found is None or not any(right)
            continue
        assert found is not None
        assert found[1] >= 1
        assert [Fraction(x, found[1]) for x in found[0]] == wanted


def random_table(random: Random, n: int, bits: int) -> Table:
    table = [[0] * n for _ in range(n)]
    for _ in range(3 * n):
        table[random.randrange(n)][random.randrange(n)] = random.randint(-(2**bits), 2**bits)
    for i, j in enumerate(random.sample(range(n), n)):  # hardly ever singular
        table[i][j] = random.choice((-1, 1)) * random.randint(1, 2**bits)
    return table


@pytest.mark.parametrize("bits", [1, 8, 30, 36, 37, 60, 64, 200])
def test_random_systems(bits: int) -> None:
    random = Random(bits)
    for n in (1, 2, 3, 5, 8, 13, 20):
        table = random_table(random, n, bits)
        assert_exact(table, [random.randint(-(2**bits), 2**bits) for _ in range(n)])


@pytest.mark.parametrize("bits", [41, 64, 90, 500])
def test_long_right_hand_sides(bits: int) -> None:
    random = Random(bits)
    for n in (1, 4, 12):
        table = random_table(random, n, 5)
        assert_exact(table, [random.randint(-(2**bits), 2**bits) for _ in range(n)])


@pytest.mark.parametrize("bits", [3, 50])
def test_dyadic_solutions(bits: int) -> None:
    random = Random(bits)
    n = 12
    table = [
        [2 ** random.randint(0, bits) if i == j else random.randint(-4, 4) * (j > i) for j in range(n)]
        for i in range(n)
    ]
    assert_exact(table, [random.randint(-1000, 1000) for _ in range(n)])
    assert_exact([[2**bits]], [1])


def test_whole_solutions_of_a_unimodular_matrix() -> None:
    n = 30
    table = [[1 if j in (i, i + 1) else 0 for j in range(n)] for i in range(n)]
    assert_exact(table, [1] * n)
    assert solved(table, [1] * n) == [i % 2 for i in range(n, 0, -1)]


def test_badly_conditioned() -> None:
    """The inverse of this Hilbert matrix has entries of 2^37."""
    n, common = 9, 12252240
    assert_exact([[common // (i + j + 1) for j in range(n)] for i in range(n)], [*range(1, n + 1)])


@pytest.mark.parametrize(
    "table",
    [
        [[0]],
        [[1, 1], [1, 1]],
        [[1, 2], [0, 0]],
        [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
        [[3**30, 3**31], [3**29, 3**30]],
        [[10**30, 10**31], [10**29, 10**30]],
        [[3, 5, 7], [11, 13, 17], [14, 18, 24]],
    ],
)
def test_singular(table: Table) -> None:
    assert solved(table, [1] * len(table)) is None
    right = [1] + [0] * (len(table) - 1)
    for solve in (system(table).solve, system(table).solve_transposed):
        calls = iter(range(200, 0, -1))
        assert solve(right, lambda calls=calls: float(next(calls, 0))) is None  # type: ignore[misc]


def test_nothing_on_the_right_and_nothing_at_all() -> None:
    assert system([[3, 1], [1, 2]]).solve([0, 0], patient) == ([0, 0], 1)
    assert ExactSystem(0, [], [], []).solve([], patient) == ([], 1)


def test_the_time_is_up() -> None:
    assert system([[3, 1], [1, 2]]).solve([1, 1], lambda: 0.0) is None
    assert system([[3**40, 1], [1, 2]]).solve([1, 1], lambda: 0.0) is None


def test_a_singular_matrix_of_long_entries_ends() -> None:
    system = ExactSystem(2, [0, 0, 1, 1], [0, 1, 0, 1], [3**30, 3**31, 3**29, 3**30])
    assert system.solve([1, 2], patient) is None


def test_entries_beyond_doubles_are_out_of_reach() -> None:
    assert ExactSystem(1, [0], [0], [10**400]).solve([1], patient) is None
