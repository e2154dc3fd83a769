"""The interior point method on small programs whose optimum is known: values, and feasibility on both sides."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.solvers.semidefinite import Block, Iterate, interior_point, restored

Floats = NDArray[np.float64]
ACCURACY = 1e-7


def block(matrices: Sequence[Floats], constant: Floats) -> Block:
    """Σ x_k F_k − F_0 ⪰ 0; vectors in place of matrices for linear inequalities."""
    table = np.array([np.ravel(f) for f in matrices], dtype=float)
    touched = np.flatnonzero(table.any(axis=1))
    constant = np.asarray(constant, dtype=float)
    return Block(len(constant), constant.ndim == 1, touched, sp.csr_matrix(table[touched]), constant)


def unit(n: int, i: int, j: int) -> Floats:
    table = np.zeros((n, n))
    table[i, j] = table[j, i] = 1
    return table


def dense(part: Block, count: int) -> Floats:
    table = np.zeros((count, part.entries.shape[1]))
    table[part.touched] = part.entries.toarray()
    return table


def solve(cost: Sequence[float] | Floats, *blocks: Block) -> Iterate:
    """The last iterate, after both sides are found to be feasible and their values to agree."""
    cost = np.asarray(cost, dtype=float)
    iterates = interior_point(cost, blocks, lambda: 60.0)
    assert len(iterates) <= 6
    last = iterates[-1]
    left, dual = cost.copy(), 0.0
    for part, y, s in zip(blocks, last.y, last.s, strict=True):
        table = dense(part, len(cost))
        slack = (last.x @ table).reshape(part.constant.shape) - part.constant
        assert np.max(np.abs(slack - s)) < ACCURACY * (1 + np.max(np.abs(s)))
        for matrix in (y, s):
            assert np.allclose(matrix, matrix.T)
            assert np.min(matrix if part.diagonal else np.linalg.eigvalsh(matrix)) > 0
        left -= table @ y.ravel()
        dual += float(np.sum(part.constant * y))
    assert np.max(np.abs(left)) < ACCURACY * (1 + np.max(np.abs(cost)))
    assert last.value == pytest.approx(float(cost @ last.x))
    assert dual == pytest.approx(last.value, abs=ACCURACY * (1 + abs(dual)))
    assert max(last.gap, last.infeasible) < ACCURACY
    return last


def test_two_by_two() -> None:
    """x_1 x_2 ≥ 1: the sum is 2 at least."""
    last = solve([1, 1], block([unit(2, 0, 0), unit(2, 1, 1)], -unit(2, 0, 1)))
    assert last.x == pytest.approx([1, 1], abs=1e-4)
    assert last.value == pytest.approx(2, abs=ACCURACY)


def test_a_correlation() -> None:
    assert solve([1], block([unit(2, 0, 1)], -np.eye(2))).value == pytest.approx(-1, abs=ACCURACY)


@pytest.mark.parametrize(("n", "optimum"), [(3, 9 / 4), (5, 25 / 4), (8, 16)])
def test_the_largest_cut_of_a_complete_graph(n: int, optimum: float) -> None:
    """Goemans and Williamson's relaxation of K_n: n²/4."""
    laplacian = n * np.eye(n) - np.ones((n, n))
    last = solve(np.ones(n), block([unit(n, i, i) for i in range(n)], laplacian / 4))
    assert last.value == pytest.approx(optimum, abs=ACCURACY * 10)


@pytest.mark.parametrize("n", [5, 7, 9])
def test_theta_of_an_odd_cycle(n: int) -> None:
    """Lovász (1979): n·cos(π/n)/(1 + cos(π/n)), which is √5 for n = 5."""
    edges = [unit(n, i, (i + 1) % n) for i in range(n)]
    last = solve([1.0] + [0.0] * n, block([np.eye(n), *edges], np.ones((n, n))))
    c = np.cos(np.pi / n)
    assert last.value == pytest.approx(n * c / (1 + c), abs=ACCURACY * 10)
    assert n != 5 or last.value == pytest.approx(np.sqrt(5), abs=ACCURACY * 10)


def test_theta_of_the_petersen_graph() -> None:
    pairs = list(combinations(range(5), 2))
    edges = [unit(10, i, j) for i, j in combinations(range(10), 2) if not set(pairs[i]) & set(pairs[j])]
    assert solve([1.0] + [0.0] * 15, block([np.eye(10), *edges], np.ones((10, 10)))).value == pytest.approx(4, abs=1e-6)


def test_the_largest_eigenvalue() -> None:
    rng = np.random.default_rng(1)
    for n in (1, 2, 6, 20):
        a = rng.standard_normal((n, n))
        a = a + a.T
        wanted = np.linalg.eigvalsh(a)[-1]
        assert solve([1], block([np.eye(n)], a)).value == pytest.approx(wanted, abs=1e-6)


def test_linear_inequalities_among_the_blocks() -> None:
    """x_1 ≥ 3 makes x_2 = 1/3, and x_3, in linear rows only, is 5."""
    linear = block([np.array([1, 0, 0]), np.array([0, 0, 0]), np.array([0, 1, -1])], np.array([3, 2, -9]))
    linear = block([np.array([1.0, 0, 0]), np.zeros(3), np.array([0, 1.0, -1.0])], np.array([3.0, 5.0, -9.0]))
    psd = block([unit(2, 0, 0), unit(2, 1, 1), np.zeros((2, 2))], -unit(2, 0, 1))
    last = solve([1, 1, 1], linear, psd)
    assert last.value == pytest.approx(3 + 1 / 3 + 5, abs=1e-6)
    assert solve([1, 1], block([np.array([1.0, 0]), np.array([0, 1.0])], np.array([1.0, 2.0]))).value == pytest.approx(
        3
    )


@pytest.mark.parametrize(("n", "m", "density"), [(40, 4, 1.0), (30, 25, 0.02), (12, 60, 0.3)])
def test_random_programs_with_sparse_and_dense_matrices(n: int, m: int, density: float) -> None:
    """The system of a step is built by gathering entries or by products; either way both sides agree."""
    rng = np.random.default_rng(n)
    matrices = []
    for _ in range(m):
        a = rng.standard_normal((n, n)) * (rng.random((n, n)) < density)
        a[0, 0] = 1.0
        matrices.append(a + a.T)
    s, y = rng.standard_normal((n, n)), rng.standard_normal((n, n))
    constant = np.tensordot(rng.standard_normal(m), np.array(matrices), 1) - s @ s.T / n  # feasible inside
    cost = np.array([float(np.sum(f * (y @ y.T / n))) for f in matrices])  # and so are the multipliers
    solve(cost, block(matrices, constant))


def test_the_time_is_up() -> None:
    part = block([unit(2, 0, 0), unit(2, 1, 1)], -unit(2, 0, 1))
    assert len(interior_point(np.ones(2), [part], lambda: 0.0)) == 1


@pytest.mark.parametrize("cost", [1.0, -1.0])
def test_programs_without_an_optimum_end(cost: float) -> None:
    """x ≥ 1 and x ≤ 0; x ≥ 1 alone with a cost that falls."""
    rows = [np.array([1.0, -1.0])] if cost > 0 else [np.array([1.0, 1.0])]
    iterates = interior_point(np.array([cost]), [block(rows, np.array([1.0, 0.0]))], lambda: 10.0)
    assert iterates
    assert iterates[-1].infeasible > 1e-9 or iterates[-1].value < -1e6


def test_restored_multipliers_satisfy_the_equations() -> None:
    n = 6
    rng = np.random.default_rng(2)
    cost = np.ones(n + 1)
    parts = [
        block([*(unit(n, i, i) for i in range(n)), unit(n, 0, 1)], np.eye(n)),
        block([*(np.array([1.0]) for _ in range(n)), np.array([1.0])], np.array([0.0])),
    ]
    noise = 1e-6 * rng.standard_normal((n, n))
    y = (0.5 * np.eye(n) + 0.25 * unit(n, 0, 1) + noise + noise.T, np.array([0.5 + 1e-6]))

    def off(given: Sequence[Floats]) -> float:
        left = cost - sum(dense(part, n + 1) @ each.ravel() for part, each in zip(parts, given, strict=True))
        return float(np.linalg.norm(left))

    found = restored(cost, parts, y)
    assert off(y) > 1e-7
    assert off(found) < 1e-13
    assert max(float(np.max(np.abs(a - b))) for a, b in zip(found, y, strict=True)) < 1e-5
    assert restored(cost, parts, found) == found
    broken = (-np.eye(n), np.array([1.0]))
    assert restored(cost, parts, broken) == broken
