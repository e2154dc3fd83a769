"""Points and labels, from memory and from files: exact, or refused with the place of the fault."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from certify.errors import InputError
from certify.formats.data import exact_points
from certify.formats.labels import read_labels


def as_fractions(values: Any) -> list[list[Fraction]]:
    denominator, rows = exact_points(values, "X")
    return [[Fraction(entry, denominator) for entry in row] for row in rows]


@pytest.mark.parametrize(
    "table",
    [
        np.array([[0.1, 2.0], [-3.5, 0.0]]),
        np.array([[0.1, 2.0], [-3.5, 0.0]], dtype=np.float32),
        np.array([[0.1, 2.0]], dtype=np.float16),
        np.array([[1, -2], [3, 2**60]]),
        np.array([[1, 255]], dtype=np.uint8),
        np.array([[1e300, 1e-300], [0.0, 5e-324]]),
        np.array([[2.0**40, 2.0**-40]]),
        np.zeros((2, 2)),
        np.array([[2.0**70, 1.0]]),
    ],
    ids=lambda table: str(table.dtype) + str(table.ravel()[:2]),
)
def test_arrays_are_the_exact_numbers_that_they_are(table: Any) -> None:
    assert as_fractions(table) == [[Fraction(x) for x in row] for row in table.tolist()]


def test_other_tables() -> None:
    assert as_fractions(sparse.csr_matrix([[0.0, 1.5]])) == [[0, Fraction(3, 2)]]
    assert as_fractions([["1/3", "0.1"]]) == [[Fraction(1, 3), Fraction(1, 10)]]


@pytest.mark.parametrize(
    ("table", "word"),
    [
        (np.array([1.0, 2.0]), "reshape"),
        (np.array([[1.0], [np.nan]]), r"X\[1, 0\]"),
        (np.array([[np.inf]]), "not finite"),
        ([], "no points"),
        (np.zeros((0, 2)), "no points"),
        ([[]], "no points"),
        ("abc", "rows of numbers"),
        ([[True]], "not a number"),
    ],
)
def test_what_is_no_table(table: Any, word: str) -> None:
    with pytest.raises(InputError, match=word):
        exact_points(table, "X")


def read(tmp_path: Path, text: str) -> Any:
    path = tmp_path / "labels.csv"
    path.write_text(text)
    return read_labels(path)


def test_labels_and_centres(tmp_path: Path) -> None:
    assert read(tmp_path, "0\n1\n\n# a comment\n-1\n") == ["0", "1", "-1"]
    assert read(tmp_path, "cluster\n0\n1\n") == ["0", "1"]
    assert read(tmp_path, "red\nblue\nred\n") == ["red", "blue", "red"]
    assert read(tmp_path, "1,2\n3,4\n") == ((1, 2), (3, 4))
    np.save(tmp_path / "l.npy", np.array([0, 1, 1]))
    assert read_labels(tmp_path / "l.npy") == [0, 1, 1]
    np.save(tmp_path / "c.npy", np.array([[0.5, 1.0]]))
    assert read_labels(tmp_path / "c.npy") == ((Fraction(1, 2), 1),)


@pytest.mark.parametrize(("text", "word"), [("0\nnan\n", "labels.csv:2"), ("", "empty"), ("1,2\n3,x\n", "labels.csv")])
def test_what_is_no_clustering(tmp_path: Path, text: str, word: str) -> None:
    with pytest.raises(InputError, match=word):
        read(tmp_path, text)


def test_a_broken_array_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(b"\x93NUMPY\x01\x00broken")
    with pytest.raises(InputError, match="broken"):
        read_labels(tmp_path / "x.npy")
    np.save(tmp_path / "s.npy", np.array(["a"]))
    with pytest.raises(InputError, match="holds"):
        read_labels(tmp_path / "s.npy")
