"""LP files: what they spell, kept exact; dialects resolved as documented; a fault with its line and column."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.formats.linear import End, LinearModel, LinearRow
from certify.formats.lpfile import parse_lp, read_lp

PLAIN = r"""\ a comment
Maximize
 profit: 1.5 x - y + 2 z
Subject To
 c1: x + 0.1 y <= 4  \ another one
 c2: y - z >= -1
 c3: x + z = 7.25
Bounds
 x <= 4
 -5 <= y <= 3
 z free
End
"""
MODEL = LinearModel(
    "max",
    "profit",
    {0: Fraction(3, 2), 1: Fraction(-1), 2: Fraction(2)},
    Fraction(0),
    (
        LinearRow("c1", {0: Fraction(1), 1: Fraction(1, 10)}, None, Fraction(4)),
        LinearRow("c2", {1: Fraction(1), 2: Fraction(-1)}, Fraction(-1), None),
        LinearRow("c3", {0: Fraction(1), 2: Fraction(1)}, Fraction(29, 4), Fraction(29, 4)),
    ),
    ("x", "y", "z"),
    (Fraction(0), Fraction(-5), None),
    (Fraction(4), Fraction(3), None),
    (False, False, False),
)


def parsed(rows: str = "x + y <= 4", bounds: str = "", objective: str = "x", more: str = "") -> LinearModel:
    """The objective over rows and bounds."""
    bounds = f"Bounds\n {bounds}\n" if bounds else ""
    return parse_lp(f"Minimize\n {objective}\nSubject To\n {rows}\n{bounds}{more}End\n", "f")


def fault(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse_lp(text, "f")
    (found,) = caught.value.faults
    return f"{found.where} {found.what}"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("Maximize", "MAX").replace("Subject To", "st").replace("Bounds", "bound").replace("End", "END"),
        PLAIN.replace("Subject To\n", "s.t. "),
        PLAIN.replace("Subject To", "such that").replace("<=", "=<").replace(">=", "=>"),
        PLAIN.replace("<=", "<").replace(">=", ">"),
        PLAIN.replace(" - y + 2 z", "\n - y\n + 2 z").replace("y - z", "\n y\n - z"),
        PLAIN.replace("1.5 x", "1.5x").replace("0.1 y", "1e-1 * y").replace("2 z", "+ 2.z"),
        PLAIN.replace("x + z = 7.25", "2 x + z - x - 7 = 0.25"),
        PLAIN.replace("x <= 4", "0 <= x <= 4")
        .replace("-5 <= y <= 3", "y >= -5\n 3 >= y")
        .replace("z free", "z >= -inf"),
        PLAIN.replace("z free", "z Free").replace("-5 <= y <= 3", "y = 9\n 3 >= y >= - 5"),
        PLAIN.replace("z free", "-infinity <= z <= +Infinity"),
        PLAIN.replace("z free", "-1e30 <= z <= 1e31"),
    ],
)
def test_spellings_of_one_program(text: str) -> None:
    assert parse_lp(text, "x.lp") == MODEL


def test_plain_and_gzipped(tmp_path: Path) -> None:
    (tmp_path / "x.lp").write_text(PLAIN)
    packed = gzip.compress(PLAIN.encode())
    (tmp_path / "x.lp.gz").write_bytes(packed)
    (tmp_path / "cut.lp.gz").write_bytes(packed[:-9])
    assert read_lp(tmp_path / "x.lp") == read_lp(tmp_path / "x.lp.gz") == MODEL
    with pytest.raises(InputError, match="ends early"):
        read_lp(tmp_path / "cut.lp.gz")


def test_decimals_are_the_rationals_that_they_spell() -> None:
    found = parsed(rows=".3 x >= 0.1000000000000000000000000001").rows[0]
    assert found == LinearRow("R1", {0: Fraction(3, 10)}, Fraction("0.1000000000000000000000000001"), None)


@pytest.mark.parametrize(
    ("row", "lower", "upper"),
    [
        ("-2 <= x + y <= 4", -2, 4),
        ("4 >= x + y >= -2", -2, 4),
        ("-2 < x + y + 1 < 4", -3, 3),
        ("-inf <= x + y <= 4", None, 4),
        ("-2 <= x + y <= +inf", -2, None),
        ("x + y >= 2 + 3", 5, None),
        ("3 x + y >= 2 x + 5", 5, None),
        ("x + y = - 3", -3, -3),
        ("x + y + 0 z = -+- 3", 3, 3),
    ],
)
def test_rows(row: str, lower: End, upper: End) -> None:
    (found,) = parsed(rows=row).rows
    assert found == LinearRow("R1", {0: Fraction(1), 1: Fraction(1)}, lower, upper)


def test_the_variables_may_stand_on_the_right() -> None:
    (found,) = parsed(rows="2 <= x + y").rows
    assert found == LinearRow("R1", {0: Fraction(-1), 1: Fraction(-1)}, None, Fraction(-2))


def test_rows_without_names() -> None:
    """A number at the end of a line ends the row, whatever begins the next one."""
    found = parsed(rows="x + y <= 4\n y <= 3\n - x + y\n >= -2\n + y >= 1\n last: x\n + 3 y >=\n 6")
    assert [(row.name, row.terms, row.lower, row.upper) for row in found.rows] == [
        ("R1", {0: 1, 1: 1}, None, 4),
        ("R2", {1: 1}, None, 3),
        ("R3", {0: -1, 1: 1}, -2, None),
        ("R4", {1: 1}, 1, None),
        ("last", {0: 1, 1: 3}, 6, None),
    ]


@pytest.mark.parametrize(
    ("bounds", "ends"),
    [
        ("x <= 4", (0, 4)),
        ("x >= 4", (4, None)),
        ("-5 <= x", (-5, None)),
        ("5 >= x", (0, 5)),
        ("x = -2.5", (Fraction(-5, 2), Fraction(-5, 2))),
        ("x free", (None, None)),
        ("x >= -inf", (None, None)),
        ("x >= -infinity\n x <= -3", (None, -3)),
        ("x <= 3\n x <= 5\n x >= 1", (1, 5)),
        ("0 <= y\n -5 <= x\n - 6 <= y", (-5, None)),
        ("y >= -5\n -5 <= x <= 3", (-5, 3)),
        ("y free\n x <= 1e30", (0, None)),
        ("3 >= x >= 2", (2, 3)),
    ],
)
def test_bounds(bounds: str, ends: tuple[End, End]) -> None:
    found = parsed(bounds=bounds)
    assert (found.lower[0], found.upper[0]) == ends
    assert found.notes == ()


def test_notes() -> None:
    assert parsed(bounds="x <= -1").lower == (0, 0)
    assert "the upper bound of x is negative" in parsed(bounds="x <= -1").notes[0]
    assert parsed(bounds="xx <= 1").notes == ("xx stands under Bounds, but in no row and not in the objective",)


@pytest.mark.parametrize(
    ("objective", "terms", "constant"),
    [
        ("obj: x + 3", {0: 1}, 3),
        ("x - 3 + 2 y + 1.5", {0: 1, 1: 2}, Fraction(-3, 2)),
        ("- 2\n + x", {0: 1}, -2),
        ("obj: 7", {}, 7),
        ("obj:", {}, 0),
        ("x + x - 2 x + y", {1: 1}, 0),
    ],
)
def test_constants_in_the_objective(objective: str, terms: dict[int, Fraction], constant: Fraction) -> None:
    found = parsed(objective=objective)
    assert (found.cost, found.constant) == (terms, constant)


@pytest.mark.parametrize(("word", "sense"), [("min", "min"), ("MINIMUM", "min"), ("maximise", "max"), ("Max", "max")])
def test_sense(word: str, sense: str) -> None:
    assert parse_lp(f"{word} x\nst x >= 1\nend", "f").sense == sense


def test_integers() -> None:
    found = parsed(bounds="x <= 7\n y <= 9", more="General\n x\nBinaries\n y\n")
    assert found.whole == (True, True)
    assert (found.lower, found.upper) == ((0, 0), (7, 1))
    assert parsed(more="int x y\n").whole == (True, True)
    assert parsed(more="gen\n").whole == (False, False)


def test_words_of_sections_as_names() -> None:
    found = parsed(rows="bin + x <= 3\n st: free + x >= 1\n bounds = 2\n c: x\n + end >= 1", objective="x + int")
    assert found.names == ("x", "int", "bin", "free", "bounds", "end")


def test_names() -> None:
    names = ("x[1]", "y_2.a", "z#1", "e", "E1x", "_w(1)")
    assert parsed(rows=" + ".join(names) + " <= 3", objective="").names == names


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("x + y\n", "f:1:1 'x' stands before the objective"),
        ("Subject To\n x >= 1\nEnd\n", "f there is no objective"),
        ("Minimize\n x\nSubject To\n x >= 1\n", "f there is no End"),
        (PLAIN + "x\n", "f:13:1 'x' stands after End"),
        ("Minimize\n x y\nEnd\n", "f:2:4 stands after the objective"),
        ("Minimize\n x >= 1\nEnd\n", "f:2:4 stands after the objective"),
        ("Minimize\n x + inf\nEnd\n", "f:2:2 an infinite objective"),
        ("Minimize\n 3 +\nEnd\n", "f:2:4 something is missing"),
        ("Minimize\n 3 *\nEnd\n", "f:2:4 something is missing"),
        ("Minimize\n 2 inf\nEnd\n", "f:2:4 a multiple of infinity"),
        ("Minimize\n 1e99999 x\nEnd\n", "f:2:2 the exponent"),
        ("Minimize\n x \x01 y\nEnd\n", "f:2:4 "),
    ],
)
def test_faults_of_files(text: str, found: str) -> None:
    assert fault(text).startswith(found)


@pytest.mark.parametrize(
    ("row", "found"),
    [
        ("x * y >= 1", "f:4:4 * after a variable"),
        ("x ^ 2 >= 1", "f:4:4 ^ after a variable"),
        ("c: x + [ x * y ] >= 1", "f:4:9 '[' stands where"),
        ("x / 2 >= 1", "f:4:4 / after a variable"),
        ("2 / 3 x >= 1", "f:4:2 is no row"),
        ("2 x y >= 1", "f:4:2 is no row"),
        ("x + y", "f:4:2 is no row"),
        ("c: x >=", "f:4:7 an expression is missing"),
        ("c: >= 1", "f:4:5 an expression is missing"),
        ("x == 1", "f:4:5 an expression is missing"),
        ("c: d: x >= 1", "f:4:5 is no row"),
        ("x <= 3 >= 1", "f:4:2 is no row"),
        ("1 <= x <= y", "f:4:2 is no row"),
        ("1 = x = 1", "f:4:2 is no row"),
        ("1 <= x <= 2 <= 3", "f:4:2 is no row"),
        ("x <= inf", "f:4:2 an infinite side"),
        ("1 <= inf <= 2", "f:4:2 is no row"),
        ("inf <= x <= 2", "f:4:2 an infinite end"),
        ("1 <= x + y <= -inf", "f:4:2 an infinite end"),
        ("1 <= x <= -1e40", "f:4:2 an infinite end"),
    ],
)
def test_faults_of_rows(row: str, found: str) -> None:
    assert fault(f"Minimize\n x\nSubject To\n {row}\nEnd\n").startswith(found)


@pytest.mark.parametrize(
    ("bound", "found"),
    [
        ("2 x <= 3", "f:6:2 a bound of an expression"),
        ("- x <= 3", "f:6:2 a bound of an expression"),
        ("x + y <= 3", "f:6:2 a bound of an expression"),
        ("x + 1 <= 3", "f:6:2 a bound of an expression"),
        ("x <= y", "f:6:2 is no bound"),
        ("x", "f:6:2 is no bound"),
        ("3 <= 4", "f:6:2 is no bound"),
        ("x <= 3 <= 4", "f:6:2 is no bound"),
        ("3 <= x >= 4", "f:6:2 is no bound"),
        ("3 = x = 3", "f:6:2 is no bound"),
        ("x >= inf", "f:6:2 an infinite end"),
        ("x <= -inf", "f:6:2 an infinite end"),
        ("x = inf", "f:6:2 an infinite end"),
        ("x >= 1e30", "f:6:2 an infinite end"),
        ("x >= nan\n", "f:6:2 is no bound"),
    ],
)
def test_faults_of_bounds(bound: str, found: str) -> None:
    assert fault(f"Minimize\n x\nSubject To\n x >= 1\nBounds\n {bound}\nEnd\n").startswith(found)


@pytest.mark.parametrize(
    ("section", "found"),
    [
        ("General\n q\n", "f:6:2 no variable is called 'q'"),
        ("Binary\n x 3\n", "f:6:4 no variable is called '3'"),
        ("Semi-continuous\n x\n", "f:5:1 the section Semi-continuous is not linear"),
        ("SOS1\n s: x:1\n", "f:5:1 the section SOS1"),
        ("PWLObj\n x\n", "f:5:1 the section PWLObj"),
        ("General Constraints\n", "f:5:9 no variable is called 'Constraints'"),
    ],
)
def test_faults_of_sections(section: str, found: str) -> None:
    assert fault(f"Minimize\n x\nSubject To\n x >= 1\n{section}End\n").startswith(found)


@pytest.mark.parametrize("raw", [b"", b"\xff\xfeM\0", b"Minimize\n\0"])
def test_what_is_no_text(tmp_path: Path, raw: bytes, lines: Callable[..., Any]) -> None:
    (tmp_path / "x.lp").write_bytes(raw)
    assert lines(read_lp, tmp_path / "x.lp")
