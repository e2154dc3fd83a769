"""Matrices from MatrixMarket files and constructors: exact, or refused with the place of the fault."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_array

from certify.errors import InputError
from certify.formats.matrix import generated, read_mtx

HEAD = "%%MatrixMarket matrix coordinate real general\n% a comment\n"


def read(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "x.mtx"
    path.write_text(text)
    return read_mtx(path)


def test_decimals_are_the_rationals_that_they_spell(tmp_path: Path) -> None:
    found = read(tmp_path, HEAD + "2 3 3\n1 1 0.1000000000000000000000000001\n2 3 -1e-2\n2 3 1\n")
    assert found == ((Fraction("0.1000000000000000000000000001"), 0, 0), (0, 0, Fraction(99, 100)))


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("%%MatrixMarket matrix array integer general\n2 2\n1\n2\n3\n4\n", ((1, 3), (2, 4))),
        ("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n", ((1, 2), (2, 3))),
        ("%%MatrixMarket matrix coordinate pattern general\n1 2 1\n1 2\n", ((0, 1),)),
        ("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 5\n", ((0, -5), (5, 0))),
    ],
)
def test_forms(tmp_path: Path, text: str, rows: Any) -> None:
    assert read(tmp_path, text) == rows


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("1 2 3\n", "x.mtx:1"),
        ("", "empty"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex"),
        (HEAD, "sizes"),
        (HEAD + "2 2 2\n1 1 1\n", "its sizes say 2"),
        (HEAD + "2 2 1\n3 1 1\n", "x.mtx:4"),
        (HEAD + "2 2 1\n1 1 nan\n", "x.mtx:4"),
        (HEAD + "2 2 1\n1 1\n", "x.mtx:4"),
        (HEAD + "2 2 1\n1 1 2 3\n", "x.mtx:4"),
        (HEAD + "99999 99999 1\n1 1 1\n", "more than"),
    ],
)
def test_what_is_no_matrix(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read(tmp_path, text)


def test_what_scipy_writes(tmp_path: Path) -> None:
    table = np.array([[0.5, 0, -3], [0, 2.25, 0]])
    mmwrite(tmp_path / "s.mtx", coo_array(table))
    mmwrite(tmp_path / "d.mtx", table)
    for name in ("s.mtx", "d.mtx"):
        assert [[float(x) for x in row] for row in read_mtx(tmp_path / name)] == table.tolist()


@pytest.mark.parametrize(
    ("name", "args", "parameters"),
    [
        ("gaussian", (100_000, 100_000), {}),
        ("gaussian", (100_000,), {"columns": 100_000}),
        ("hadamard", (65_536,), {}),
        ("devore", (97, 50), {}),
        ("devore", (), {"p": 1999, "r": 1}),
        ("vandermonde", (2000, 2000), {}),
        ("gaussian", (0, 3), {}),
        ("gaussian", (2,), {}),
        ("gaussian", (2, 2, 1, 1), {}),
    ],
)
def test_large_and_wrong_parameters_are_refused_at_once(name: str, args: Any, parameters: Any) -> None:
    with pytest.raises(InputError):
        generated(name, *args, **parameters)


def test_constructors() -> None:
    assert generated("vandermonde", 2, 3) == ((1, 1, 1), (1, 2, 3))
    assert generated("hadamard", n=2) == ((1, 1), (1, -1))
    assert len(generated("devore", 5, 2)) == 25
    assert generated("gaussian", 2, 3, seed=1) == generated("gaussian", rows=2, columns=3, seed=1)
