"""MPS files: what they spell, kept exact; dialects resolved as documented; every fault with its line and column."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from certify.errors import InputError
from certify.formats.linear import End, LinearModel, LinearRow
from certify.formats.mps import parse_mps, read_mps


def fixed(*fields: str) -> str:
    """A line of data with its fields in their columns."""
    line = ""
    for start, text in zip((1, 4, 14, 24, 39, 49), fields, strict=False):
        line = line.ljust(start) + text
    return line + "\n"


PLAIN = """* a comment
NAME          SMALL
ROWS
 N  COST
 L  LIM
 G  LEAST
 E  SUM
COLUMNS
    X         COST               1.5   LIM                  1
    X         SUM                 .1
    Y         COST                -2   LEAST                1
    Y         SUM               1e-3
RHS
    RHS       LIM                  4   LEAST               -1
    RHS       SUM               7.25
BOUNDS
 UP BND       X                    4
ENDATA
"""
MODEL = LinearModel(
    "min",
    "COST",
    {0: Fraction(3, 2), 1: Fraction(-2)},
    Fraction(0),
    (
        LinearRow("LIM", {0: Fraction(1)}, None, Fraction(4)),
        LinearRow("LEAST", {1: Fraction(1)}, Fraction(-1), None),
        LinearRow("SUM", {0: Fraction(1, 10), 1: Fraction(1, 1000)}, Fraction(29, 4), Fraction(29, 4)),
    ),
    ("X", "Y"),
    (Fraction(0), Fraction(0)),
    (Fraction(4), None),
    (False, False),
)


def small(rows: str = "", columns: str = "", rhs: str = "", ranges: str = "", bounds: str = "", head: str = "") -> str:
    """A file with the objective C, the row R and the column X, and more lines."""
    text = f"{head}ROWS\n N  C\n L  R\n{rows}COLUMNS\n X C 1 R 1\n{columns}RHS\n R R 4\n{rhs}"
    text += f"RANGES\n{ranges}" if ranges else ""
    return text + (f"BOUNDS\n{bounds}" if bounds else "") + "ENDATA\n"


def faults(text: str) -> list[str]:
    with pytest.raises(InputError) as caught:
        parse_mps(text, "f")
    return [f"{fault.where} {fault.what}" for fault in caught.value.faults]


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        PLAIN.replace("LEAST               -1\n", "LEAST               -1\n\n* between\n"),
        "\n".join(
            " ".join(line.split()) if line[0] != " " else " " + " ".join(line.split())
            for line in PLAIN[:-1].split("\n")
        ),
        PLAIN.replace("1.5", "1.5D0").replace("7.25", "29/4").replace("1e-3", "1E-3"),
        PLAIN.replace("    RHS       ", "    ").replace(" BND ", "     "),
        PLAIN.replace("NAME          SMALL\n", "").replace("ROWS", "rows").replace(" N ", " n "),
        PLAIN + "what stands behind ENDATA is not read\n",
    ],
    ids=["plain", "crlf", "comments", "free", "spellings", "unnamed", "lower", "end"],
)
def test_spellings_of_one_program(text: str) -> None:
    assert parse_mps(text, "x.mps") == MODEL


def test_plain_and_gzipped(tmp_path: Path) -> None:
    (tmp_path / "x.mps").write_text(PLAIN)
    packed = gzip.compress(PLAIN.encode())
    (tmp_path / "x.mps.gz").write_bytes(packed)
    (tmp_path / "cut.mps.gz").write_bytes(packed[:-9])
    assert read_mps(tmp_path / "x.mps") == read_mps(tmp_path / "x.mps.gz") == MODEL
    with pytest.raises(InputError, match="ends early"):
        read_mps(tmp_path / "cut.mps.gz")


def test_decimals_are_the_rationals_that_they_spell() -> None:
    found = parse_mps(small(columns=" Y C 0.1000000000000000000000000001 R -.1e-2\n"), "f")
    assert found.cost[1] == Fraction("0.1000000000000000000000000001")
    assert found.rows[0].terms[1] == Fraction(-1, 1000)
    assert parse_mps(small(columns=" Y C 0 R 0.0\n"), "f").rows[0].terms == {0: Fraction(1)}


SPACED = (
    "ROWS\n"
    + fixed("N", "MY COST")
    + fixed("E", "ROW 1")
    + "COLUMNS\n"
    + fixed("", "A B", "MY COST", "1.0", "ROW 1", "2")
    + fixed("", "C", "ROW 1", "123456789012")
    + "RHS\n"
    + fixed("", "THE RHS", "ROW 1", "5", "MY COST", "-3")
    + "RANGES\n"
    + fixed("", "", "ROW 1", "1")
    + "BOUNDS\n"
    + fixed("UP", "A BOUND", "A B", "9")
    + fixed("FR", "A BOUND", "C")
    + "ENDATA\n"
)


def test_names_with_spaces_are_read_in_fixed_form() -> None:
    found = parse_mps(SPACED, "f")
    assert found.names == ("A B", "C")
    assert found.rows == (LinearRow("ROW 1", {0: Fraction(2), 1: Fraction(123456789012)}, Fraction(5), Fraction(6)),)
    assert (found.objective, found.constant) == ("MY COST", 3)
    assert (found.lower, found.upper) == ((0, None), (9, None))


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [
        ("123456789012", "1234567890123", "f:6:37"),  # a number that is longer than its field is not cut off
        ("C         ROW 1", "COLUMN_10 ROW 1", "f:6:13"),
        ("A B       MY COST ", "A B  MY COST      ", "f:5:13"),
        ("-3", "-0.123456789012", "f:8:62"),
    ],
)
def test_nothing_is_cut_off_in_fixed_form(old: str, new: str, where: str) -> None:
    assert any(fault.startswith(f"{where} ") for fault in faults(SPACED.replace(old, new, 1)))


@pytest.mark.parametrize(
    ("kind", "width", "ends"),
    [
        ("E", "2", (4, 6)),
        ("E", "-2", (2, 4)),
        ("E", "0", (4, 4)),
        ("L", "2", (2, 4)),
        ("L", "-2", (2, 4)),
        ("G", "2", (4, 6)),
        ("G", "-2", (4, 6)),
    ],
)
def test_ranges(kind: str, width: str, ends: tuple[int, int]) -> None:
    row = parse_mps(small(ranges=f" RNG R {width}\n").replace(" L ", f" {kind} "), "f").rows[0]
    assert (row.lower, row.upper) == ends


@pytest.mark.parametrize(
    ("bounds", "ends", "note"),
    [
        ("", (0, None), ""),
        ("UP 3", (0, 3), ""),
        ("UP 0", (0, 0), ""),
        ("UP -3", (None, -3), "lower bound is taken as -infinity"),
        ("LO -5 UP -3", (-5, -3), ""),
        ("UP -3 LO -5", (-5, -3), ""),
        ("UP -3 UP 3", (0, 3), ""),
        ("LO 2", (2, None), ""),
        ("MI", (None, None), ""),
        ("MI UP 3", (None, 3), ""),
        ("UP 3 FR", (None, None), ""),
        ("UP 3 PL", (0, None), ""),
        ("FX 1.5", (Fraction(3, 2), Fraction(3, 2)), ""),
        ("BV", (0, 1), ""),
        ("LI 2 UI 7", (2, 7), ""),
        ("UI -2", (None, -2), "lower bound is taken as -infinity"),
        ("LO -1e30 UP 1e31", (None, None), ""),
        ("LO -Inf UP +infinity", (None, None), ""),
    ],
)
def test_bounds(bounds: str, ends: tuple[End, End], note: str) -> None:
    lines, words = "", bounds.split()
    while words:
        kind = words.pop(0)
        value = words.pop(0) if kind not in ("MI", "FR", "PL", "BV") else ""
        lines += f" {kind} B X {value}\n"
    found = parse_mps(small(bounds=lines), "f")
    assert (found.lower[0], found.upper[0]) == ends
    assert found.whole == (any(kind in bounds for kind in ("BV", "LI", "UI")),)
    assert [note in each for each in found.notes] == ([True] if note else [])


@pytest.mark.parametrize(
    ("head", "sense"),
    [
        ("", "min"),
        ("OBJSENSE\n    MAX\n", "max"),
        ("OBJSENSE\nMAXIMIZE\n", "max"),
        ("OBJSENSE MAX\n", "max"),
        ("OBJSENSE\n  minimise\n", "min"),
    ],
)
def test_sense(head: str, sense: str) -> None:
    assert parse_mps(small(head=head), "f").sense == sense


def test_the_right_hand_side_of_the_objective_is_subtracted(data_folder: Callable[[str], Path]) -> None:
    assert parse_mps(small(rhs=" R C -10\n"), "f").constant == 10
    # Netlib's readme: the optimum of e226 in its table is without this constant.
    assert read_mps(data_folder("data/netlib/e226.mps.gz")).constant == Fraction("7.113")


MARKED = " M1 'MARKER' 'INTORG'\n Y R 1\n Z R 1\n M2 'MARKER' 'INTEND'\n W R 1\n"


@pytest.mark.parametrize("form", ["free", "fixed"])
def test_integer_markers(form: str) -> None:
    text = small(columns=MARKED, bounds=" UP B Y 7\n")
    if form == "fixed":
        text = text.replace(" M1 'MARKER' 'INTORG'\n", fixed("", "M 1", "'MARKER'", "", "'INTORG'"))
        text = text.replace(" M2 'MARKER' 'INTEND'\n", fixed("", "M 2", "'MARKER'", "", "'INTEND'"))
        text = text.replace(" X C 1 R 1\n", fixed("", "X", "C", "1", "R", "1")).replace(
            " R R 4\n", fixed("", "R", "R", "4")
        )
        text = text.replace(" UP B Y 7\n", fixed("UP", "B", "Y", "7"))
        for name in "YZW":
            text = text.replace(f" {name} R 1\n", fixed("", name, "R", "1"))
    found = parse_mps(text, "f")
    assert found.names == ("X", "Y", "Z", "W")
    assert found.whole == (False, True, True, False)
    assert found.upper == (None, 7, None, None)
    assert found.notes == ("1 integer columns without bounds are taken as x >= 0; some readers take 0 <= x <= 1",)


def test_a_row_may_be_called_marker() -> None:
    assert parse_mps(small(rows=" E MARKER\n", columns=" Y MARKER 1\n"), "f").rows[1].terms == {1: Fraction(1)}


def test_the_first_of_several_vectors_and_objectives() -> None:
    found = parse_mps(
        small(
            rows=" N  OTHER\n",
            columns=" Y OTHER 5\n",
            rhs=" SECOND R 9\n SECOND C 9\n",
            ranges=" A R 1\n B R 2\n",
            bounds=" UP A X 3\n UP B X 2\n FR B Y\n",
        ),
        "f",
    )
    assert found.rows == (LinearRow("R", {0: Fraction(1)}, Fraction(3), Fraction(4)),)
    assert (found.objective, found.constant, found.cost) == ("C", 0, {0: 1})
    assert (found.lower, found.upper) == ((0, 0), (3, None))
    assert found.notes == (
        "of several RHS vectors the first is taken",
        "of several RANGES vectors the first is taken",
        "of several BOUNDS vectors the first is taken",
        "1 more rows of type N bind nothing and are left out",
    )


@pytest.mark.parametrize(
    ("parts", "fault"),
    [
        ({"rows": " X  Q\n"}, "f:4:2 'X' is no type of a row"),
        ({"rows": " E\n"}, "f:4:2 1 field"),
        ({"rows": " E  R\n"}, "f:4:5 the row 'R' stands there already"),
        ({"columns": " Y Q 1\n"}, "f:6:4 no row is called 'Q'"),
        ({"columns": " Y R one\n"}, "f:6:6 'one' is not a number"),
        ({"columns": " Y R nan\n"}, "f:6:6 NaN"),
        ({"columns": " Y R 1,5\n"}, "f:6:6 '1,5' has a decimal comma"),
        ({"columns": " Y R inf\n"}, "f:6:6 inf is not finite"),
        ({"columns": " Y R 1e99999\n"}, "f:6:6 the exponent"),
        ({"columns": " Y R\n"}, "f:6:2 2 fields"),
        ({"columns": " Y C 1 R\n"}, "f:6:2 4 fields"),
        ({"columns": " X R 2\n"}, "f:6:4 the entry of column 'X' in row 'R' is given twice"),
        ({"columns": " M 'MARKER' 'SOSORG'\n"}, "f:6:13 the marker 'SOSORG'"),
        ({"rhs": " R Q 1\n"}, "f:8:4 no row is called 'Q'"),
        ({"rhs": " R R 5\n"}, "f:8:2 the right-hand side of row 'R' is given twice"),
        ({"ranges": " A R 1 R 2\n"}, "f:9:4 the range of row 'R' is given twice"),
        ({"rhs": " 5\n"}, "f:8:2 1 field"),
        ({"bounds": " UP B Y 1\n"}, "f:9:7 no column is called 'Y'"),
        ({"bounds": " XX B X 1\n"}, "f:9:2 'XX' is no type of a bound here"),
        ({"bounds": " SC B X 1\n"}, "f:9:2 'SC' is no type of a bound here"),
        ({"bounds": " UP B X\n"}, "f:9:5 no column"),
        ({"bounds": " UP B X 1 2\n"}, "f:9:2 5 fields"),
        ({"bounds": " FR B 1 X\n"}, "f:9:9 'X' is not a number"),
        ({"bounds": " UP B X ?\n"}, "f:9:9 missing (?)"),
        ({"bounds": " LO B X 1e30\n"}, "f:9:9 '1e30' is infinite"),
        ({"bounds": " UP B X -inf\n"}, "f:9:9 '-inf' is infinite"),
        ({"bounds": " FX B X 1e30\n"}, "f:9:9 '1e30' is infinite"),
        ({"head": "OBJSENSE\n  UP\n"}, "f:2:3 'UP' is no sense"),
        ({"head": "WHAT\n"}, "f:1:1 no section is called 'WHAT'"),
        ({"head": " X C 1\n"}, "f:1:2 stands before the first section"),
    ],
)
def test_faults_have_line_and_column(parts: dict[str, str], fault: str) -> None:
    found = faults(small(**parts))
    assert found[0].startswith(fault), found


@pytest.mark.parametrize("section", ["QUADOBJ", "QMATRIX", "SOS", "SOS2", "INDICATORS"])
def test_what_is_not_linear(section: str) -> None:
    assert faults(small().replace("ENDATA", f"{section}\n X X 1\nENDATA")) == [
        f"f:8:1 the section {section}: this program is not linear"
    ]


def test_whole_files() -> None:
    assert faults(PLAIN.removesuffix("ENDATA\n")) == ["f:18 there is no ENDATA"]
    assert faults(small().replace(" N  C\n", "").replace("C 1 ", "")) == ["f there is no row of type N"]
    assert faults(small().replace("RHS\n R R 4\n", "RHS R 4\n")) == [
        "f:6:5 'R' stands behind the name of the section RHS"
    ]


def test_all_faults_at_once() -> None:
    text = small(rows=" X Q\n", columns=" Y P one\n", rhs=" R S 1\n", bounds=" UP B X 1e\n")
    assert [fault.split()[0] for fault in faults(text)] == ["f:4:2", "f:7:6", "f:10:4", "f:12:9"]


def test_a_file_of_faults_alone_ends() -> None:
    assert len(faults("ROWS\n" + " X Q\n" * 5000)) <= 1002


@pytest.mark.parametrize("raw", [b"", b"\xff\xfeN\0", b"NAME\n\0"])
def test_what_is_no_text(tmp_path: Path, raw: bytes, lines: Callable[..., Any]) -> None:
    (tmp_path / "x.mps").write_bytes(raw)
    assert lines(read_mps, tmp_path / "x.mps")
