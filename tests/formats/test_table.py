"""Tables: the header rule, labels, columns, and a line for every bad cell."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from certify.formats.table import read_table

Lines = Callable[..., list[str]]

GOOD = [
    ("1,2\n3,4\n", None, None),
    ("x,y\n1,2\n3,4\n", ("x", "y"), None),
    ("# c\n\nx;y\n1;2\n% c\n3;4", ("x", "y"), None),
    ("1\t2\n3\t4", None, None),
    ("  1   2\n3 4  \n", None, None),
    ("city,x,y\nParis,1,2\nRome,3,4\n", ("x", "y"), ("Paris", "Rome")),
    ("Paris,1,2\nRome,3,4\n", None, ("Paris", "Rome")),
    (",x,y\na,1,2\nb,3,4", ("x", "y"), ("a", "b")),
    (",0,1\n0,1,2\n1,3,4", ("0", "1"), ("0", "1")),
    ("x y\na 1 2\nb 3 4", ("x", "y"), ("a", "b")),
    ('"x, m","y"\n"1","2"\n3,4', ("x, m", "y"), None),
    ('"New York",1,2\n"a ""b""",3,4', None, ("New York", 'a "b"')),
    ("\ufeffx,y\r\n1,2\r\n3,4\r\n", ("x", "y"), None),
    ("2020-01-01,1,2\n2020-01-02,3,4", None, ("2020-01-01", "2020-01-02")),
]


@pytest.mark.parametrize(("text", "columns", "labels"), GOOD)
def test_good(tmp_path: Path, text: str, columns: tuple[str, ...] | None, labels: tuple[str, ...] | None) -> None:
    (tmp_path / "t.csv").write_text(text)
    table = read_table(tmp_path / "t.csv")
    assert table.rows == ((1, 2), (3, 4))
    assert table.columns == columns
    assert table.labels == labels
    assert len(table.notes) == (columns is not None) + (labels is not None)


def test_numbers_are_exact(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("0.1,1/3\n1e-3,-0.10000000000000000000000001\n")
    table = read_table(tmp_path / "t.csv")
    assert table.rows[0] == (Fraction(1, 10), Fraction(1, 3))
    assert table.rows[1] == (Fraction(1, 1000), -Fraction(10**25 + 1, 10**26))
    assert table.where(1, 1).endswith("t.csv:2:2")
    assert table.where(1).endswith("t.csv:2")


def test_one_column(tmp_path: Path) -> None:
    for text, columns in (("1\n2\n", None), ("x\n1\n2\n", ("x",))):
        (tmp_path / "t.csv").write_text(text)
        table = read_table(tmp_path / "t.csv")
        assert table.rows == ((1,), (2,))
        assert table.columns == columns


def test_columns(tmp_path: Path) -> None:
    (tmp_path / "iris.csv").write_text("5.1,3.5,setosa\n4.9,3,setosa\n")  # no header: a number comes first
    assert read_table(tmp_path / "iris.csv", [1, 0]).rows == (
        (Fraction(7, 2), Fraction(51, 10)),
        (3, Fraction(49, 10)),
    )
    (tmp_path / "iris.csv").write_text("name,width,length,kind\na,1,2,x\nb,3,4,\n")
    table = read_table(tmp_path / "iris.csv", ["length", 1])
    assert table.rows == ((2, 1), (4, 3))
    assert table.columns == ("length", "width")
    assert table.labels == ("a", "b")


N = 'write a number or "p/q"'
BAD = [
    ("1,2\n3\n4,5,6\n", None, ["t.csv:2: has 1 cells, the first row has 2; every row has equally many",
                               "t.csv:3: has 3 cells, the first row has 2; every row has equally many"]),
    ("city,A,B\nA,0,NaN\nB,,x\n", None, [
        f"t.csv:2:3: NaN is not a number in column 'B'; {N}", f"t.csv:3:2: missing in column 'A'; {N}",
        f"t.csv:3:3: 'x' is not a number in column 'B'; {N}"]),
    ("0,NaN\nNaN,0", None, [f"t.csv:1:2: NaN is not a number; {N}", f"t.csv:2:1: NaN is not a number; {N}"]),
    ("1,x\n2,3", None, [f"t.csv:1:2: 'x' is not a number; {N}"]),
    (",1\n1,0", None, [f"t.csv:1:1: missing; {N}"]),
    ("1;2,5\n", None, ["t.csv:1:2: '2,5' has a decimal comma; write a decimal point"]),
    ("1 000,2\n3,4", None, [f"t.csv:1:1: '1 000' is not a number; {N}"]),
    ("inf,2\n", None, [f"t.csv:1:1: inf is not finite; {N}"]),
    ("a,b,s\n1,2,x\n3,4,y", None, ["t.csv:2:3: column 's' holds text, as 'x'; choose the others by columns = […]"]),
    ("1,2,x\n3,4,y", None, ["t.csv:1:3: column 2 holds text, as 'x'; choose the others by columns = […]"]),
    ("a,b\n1,2", ["q", 2, "a"], ["t.csv: has no column 'q'; numbers go from 0 to 1; names: a, b",
                                 "t.csv: has no column 2; numbers go from 0 to 1; names: a, b"]),
    ("a,a\n1,2", ["a"], ["t.csv: two columns are called 'a'; numbers go from 0 to 1; names: a, a"]),
    ("1,2", [], ["t.csv: no columns are chosen; name at least one"]),
    ("x,y\n", None, ["t.csv: has a header and no rows; it should be a table of numbers"]),
    ("x,y,z\n1,2\n", None, [
        "t.csv:2: the row after the header has 2 cells, the header has 3; every row has equally many"]),
    ("# c\n\n", None, ["t.csv: holds no data; it should be a table of numbers"]),
    ("", None, ["t.csv: is empty; it should be a table of numbers"]),
    ('1,"2\n3,4', None, ["t.csv:1: CSV: unexpected end of data; quotes open and close within a line"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "columns", "expected"), BAD)
def test_bad(tmp_path: Path, lines: Lines, text: str, columns: list[str | int] | None, expected: list[str]) -> None:
    (tmp_path / "t.csv").write_text(text)
    assert lines(read_table, tmp_path / "t.csv", columns) == expected


def test_no_file(tmp_path: Path, lines: Lines) -> None:
    assert lines(read_table, tmp_path / "t.csv") == ["t.csv: no such file; check the path"]
    assert lines(read_table, tmp_path / "t.npy") == ["t.npy: no such file; check the path"]
    (tmp_path / "d.npy").mkdir()
    assert lines(read_table, tmp_path / "d.npy") == ["d.npy: is a folder; name a file in it"]


@settings(deadline=None)  # files
@given(
    hnp.arrays(st.sampled_from(["f4", "f8", "i2", "u8"]), (3, 2), elements=None).filter(lambda a: np.isfinite(a).all())
)
def test_arrays_are_dyadic(tmp_path_factory: pytest.TempPathFactory, array: np.ndarray) -> None:
    path = tmp_path_factory.getbasetemp() / "a.npy"
    np.save(path, array)
    table = read_table(path)
    assert table.rows == tuple(tuple(Fraction(x.item()) for x in row) for row in array)
    assert table.where(1, 0) == f"{path}[1, 0]"


BAD_ARRAYS = [
    (np.array([1.0, 2.0]), ["a.npy: has shape (2,); save x.reshape(-1, 1) for points on a line"]),
    (np.zeros((0, 3)), ["a.npy: has shape (0, 3); an array of rows is needed"]),
    (np.array([[1, np.nan], [-np.inf, 2]]), ["a.npy[0, 1]: NaN is not a number", "a.npy[1, 0]: is not finite"]),
    (np.array([[1j]]), ["a.npy: holds complex128; save it as float64 or as integers"]),
    (np.array([[True]]), ["a.npy: holds bool; save it as float64 or as integers"]),
    (np.array([["a"]]), ["a.npy: holds <U1; save it as float64 or as integers"]),
    (np.array([[{}]]), ["a.npy: cannot be read: it holds Python objects; write it with numpy.save of numbers"]),
]


@pytest.mark.parametrize(("array", "expected"), BAD_ARRAYS, ids=lambda value: str(value)[:30])
def test_bad_arrays(tmp_path: Path, lines: Lines, array: np.ndarray, expected: list[str]) -> None:
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    assert lines(read_table, tmp_path / "a.npy") == expected


def test_broken_arrays(tmp_path: Path, lines: Lines) -> None:
    np.save(tmp_path / "a.npy", np.arange(4).reshape(2, 2))
    good = (tmp_path / "a.npy").read_bytes()
    assert read_table(tmp_path / "a.npy", [1]).rows == ((1,), (3,))
    assert lines(read_table, tmp_path / "a.npy", [2]) == ["a.npy: has no column 2; columns are numbers from 0 to 1"]
    broken = [
        good[:40],
        good[:-1],
        good.replace(b"(2, 2)", b"(9**9,"),
        good.replace(b"(2, 2)", b"(9, 9)"),
        b"\x93NUMPY",
    ]
    for content in broken:
        (tmp_path / "a.npy").write_bytes(content)
        line = "a.npy: cannot be read: it is broken; write it with numpy.save of numbers"
        assert lines(read_table, tmp_path / "a.npy") == [line]
    (tmp_path / "a.npy").write_bytes(b"1,2")
    assert lines(read_table, tmp_path / "a.npy") == ["a.npy: is not a .npy file; write it with numpy.save"]
