"""Proofs of positive semidefiniteness: accepted only for such matrices, by both ways, with and without flint."""

from __future__ import annotations

from copy import deepcopy
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.kernel import Rejected
from certify.kernel.psd import gram, prove_psd
from certify.rounding.psd import psd_proof
from certify.testing.embedding import is_psd

SETTINGS = settings(max_examples=300, derandomize=True, deadline=None, database=None)
LDL = {"kind": "ldl"}


def full(low: list[list[int]]) -> list[list[Fraction]]:
    n = len(low)
    return [[Fraction(low[max(i, j)][min(i, j)]) for j in range(n)] for i in range(n)]


def accepted(proof: Any, low: list[list[int]], pure: bool = False) -> bool:
    before = deepcopy(low)
    try:
        prove_psd(proof, "proof", low, pure)
    except Rejected:
        return False
    finally:
        assert low == before, "the matrix was changed"
    return True


@st.composite
def triangles(draw: Any) -> list[list[int]]:
    """Small symmetric matrices: any; Gram matrices of few vectors (singular); the latter with one entry moved."""
    n = draw(st.integers(0, 5))
    size = draw(st.sampled_from([1, 3, 50, 2**70]))
    entries = st.integers(-size, size)
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return [[draw(entries) for _ in range(i + 1)] for i in range(n)]
    width = draw(st.integers(0, n + 1))
    rows = [[draw(entries) for _ in range(width)] for _ in range(n)]
    low = [[sum(x * y for x, y in zip(a, b, strict=True)) for b in rows[: i + 1]] for i, a in enumerate(rows)]
    if kind == 1 and n:
        i = draw(st.integers(0, n - 1))
        low[i][draw(st.integers(0, i))] += draw(st.integers(-2, 2))
    return low


@SETTINGS
@given(triangles())
def test_elimination_decides(low: list[list[int]]) -> None:
    """``ldl`` accepts exactly the positive semidefinite matrices."""
    assert accepted(LDL, low) == is_psd(full(low))


def test_elimination_decides_all_small_matrices() -> None:
    for a, b, c, d, e, f in product((-1, 0, 1, 2), repeat=6):
        low = [[a], [b, c], [d, e, f]]
        assert accepted(LDL, low) == is_psd(full(low)), low


@SETTINGS
@given(triangles(), st.randoms(use_true_random=False))
def test_factors_are_sound(low: list[list[int]], dice: Random) -> None:
    """Whatever factor is accepted, the matrix is positive semidefinite; flint and pure agree."""
    n = len(low)
    proof = psd_proof(low)
    if proof is None:
        proof = {
            "kind": "factor",
            "exponents": [0] * n,
            "multiplier": 4,
            "factor": [[2 * (i == j) for j in range(i + 1)] for i in range(n)],
        }
    else:
        assert accepted(proof, low)
    for _ in range(4):
        forged = deepcopy(proof)
        forged["exponents"] = [max(0, k + dice.choice((0, 0, 0, 1, -1))) for k in forged["exponents"]]
        forged["factor"] = [[entry + dice.choice((0, 0, 1, -1)) * dice.choice((1, abs(entry))) for entry in row]
                            for row in forged["factor"]]  # fmt: skip
        first = accepted(forged, low)
        assert first == accepted(forged, low, pure=True)
        if first:
            assert is_psd(full(low))


@pytest.mark.parametrize(
    ("low", "multiplier", "exponents", "factor", "good"),
    [
        ([], 1, [], [], True),
        ([[0]], 1, [0], [[0]], True),
        ([[4]], 1, [0], [[2]], True),
        ([[4]], 1, [0], [[-2]], True),
        ([[4]], 1, [0], [[3]], False),
        ([[-1]], 1, [0], [[0]], False),
        ([[1], [1, 1]], 1, [0, 0], [[1], [1, 0]], True),
        ([[1], [1, 1]], 1, [0, 0], [[0], [0, 0]], True),  # 1 >= |1|: dominance with equality
        ([[1], [2, 1]], 1, [0, 0], [[0], [0, 0]], False),
        ([[1], [-1, 1]], 1, [0, 0], [[0], [0, 0]], True),
        ([[1], [-2, 1]], 1, [0, 0], [[0], [0, 0]], False),
        ([[2], [1, 1]], 1, [0, 0], [[0], [0, 0]], True),
        ([[1], [1, 2]], 1, [0, 0], [[0], [0, 0]], True),
        ([[4], [2, 1]], 1, [0, 1], [[2], [2, 0]], True),  # D = (1, 2): all entries 4
        ([[4], [2, 1]], 1, [0, 1], [[0], [0, 0]], True),
        ([[4], [2, 1]], 1, [0, 0], [[0], [0, 0]], False),
        ([[4], [2, 1]], 1, [1, 0], [[0], [0, 0]], False),
        ([[9], [0, 1]], "1/9", [0, 0], [[1], [0, 0]], True),
        ([[9], [0, 1]], "1/10", [0, 0], [[1], [0, 0]], False),
        ([[9], [0, 1]], "10/9", [0, 0], [[3], [0, 1]], True),
        ([[9], [0, 1]], "8/9", [0, 0], [[3], [0, 0]], False),
        ([[2**40], [0, 1]], 1, [0, 20], [[2**20], [0, 2**20]], True),
        ([[2**40], [0, 1]], 1, [0, 19], [[2**20], [0, 2**20]], False),
        ([[3], [1, 3], [1, 1, 3]], 1, [0, 0, 0], [[1], [0, 1], [0, 0, 1]], True),
        ([[3], [1, 3], [1, 1, 3]], 1, [0, 0, 0], [[1], [0, 1], [0, 0, 2]], False),
        ([[3], [1, 3], [1, 1, 3]], 1, [0, 0, 0], [[2], [0, 1], [0, 0, 1]], False),
    ],
)
def test_factors(low: Any, multiplier: Any, exponents: Any, factor: Any, good: bool) -> None:
    proof = {"kind": "factor", "exponents": exponents, "multiplier": multiplier, "factor": factor}
    assert accepted(proof, low) == accepted(proof, low, pure=True) == good
    assert not good or is_psd(full(low))


ROWS = st.integers(0, 6).flatmap(
    lambda m: st.lists(st.lists(st.integers(-(2**80), 2**80), min_size=m, max_size=m), max_size=6)
)
RAGGED = st.lists(st.lists(st.integers(-(2**70), 2**70), max_size=5), max_size=6)


@SETTINGS
@given(ROWS | RAGGED)
def test_flint_and_pure_give_the_same_product(rows: list[list[int]]) -> None:
    pytest.importorskip("flint")
    both = gram(rows, pure=True), gram(rows, pure=False)
    assert both[0] == both[1]
    width = max(map(len, rows), default=0)
    padded = [row + [0] * (width - len(row)) for row in rows]
    assert both[0] == [
        [sum(x * y for x, y in zip(a, b, strict=True)) for b in padded[: i + 1]] for i, a in enumerate(padded)
    ]
    assert all(type(entry) is int for row in both[1] for entry in row)


def test_without_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "flint", None)
    assert gram([[1, 2], [3, 4]], pure=False) == [[5], [11, 25]]


@pytest.mark.parametrize("n", [30, 60])
def test_larger_matrices(n: int) -> None:
    """Definite ones are proved by both ways; with one eigenvalue pushed below zero by neither."""
    dice = Random(n)
    rows = [[dice.randrange(-99, 100) for _ in range(n)] for _ in range(n)]
    low = gram(rows, pure=True)
    for i in range(n):
        low[i][i] += 50
    proof = psd_proof(low)
    assert proof is not None
    assert accepted(proof, low)
    assert accepted(LDL, low)
    vector = [dice.choice((-1, 1)) for _ in range(n)]
    form = sum(v * w * low[max(i, j)][min(i, j)] for i, v in enumerate(vector) for j, w in enumerate(vector))
    worse = [[x - (form // n**2 + 1) * vector[i] * vector[j] for j, x in enumerate(row)] for i, row in enumerate(low)]
    assert not accepted(proof, worse)
    assert not accepted(LDL, worse)
