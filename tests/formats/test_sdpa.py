"""SDPA sparse files: what they spell, kept exact; every fault with its line and column."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from certify.errors import InputError
from certify.formats.sdpa import SdpaBlock, SdpaProgram, parse_sdpa, read_sdpa

PLAIN = "2\n2\n2 -1\n1 0.1\n0 1 1 1 -1e-7\n1 1 1 2 1\n2 2 1 1 0.3\n"
PROGRAM = SdpaProgram(
    (Fraction(1), Fraction(1, 10)),
    (
        SdpaBlock(2, False, ((0, 0, 0, Fraction(-1, 10**7)), (1, 0, 1, Fraction(1)))),
        SdpaBlock(1, True, ((2, 0, 0, Fraction(3, 10)),)),
    ),
)


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace("\n", "\r\n"),
        f'\n\n"a title, with 3 numbers"\n* a comment\n{PLAIN}',
        PLAIN.replace("2\n2\n2 -1\n", " 2 = mDIM\n 2 = nBLOCK\n (2, -1) = bLOCKsTRUCT\n"),
        PLAIN.replace("1 0.1", "{+1.0,+0.1}"),
        PLAIN.replace("1 0.1", "1\n0.1"),
        PLAIN.replace("1 1 1 2 1", "1, 1, 2, 1, 1.0"),
        PLAIN + "\n2 1 2 2 0.0\n\n",
    ],
)
def test_spellings_of_one_program(text: str) -> None:
    assert parse_sdpa(text, "x.dat-s") == PROGRAM


def test_plain_and_gzipped(tmp_path: Path) -> None:
    (tmp_path / "x.dat-s").write_text(PLAIN)
    packed = gzip.compress(PLAIN.encode())
    (tmp_path / "x.dat-s.gz").write_bytes(packed)
    (tmp_path / "cut.dat-s.gz").write_bytes(packed[:-9])
    assert read_sdpa(tmp_path / "x.dat-s") == read_sdpa(tmp_path / "x.dat-s.gz") == PROGRAM
    with pytest.raises(InputError, match="ends early"):
        read_sdpa(tmp_path / "cut.dat-s.gz")


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("x\n", "f:1:1", "number of variables"),
        ("2\n", "f:2:1", "0 of 1 number of blocks"),
        (PLAIN.replace("2 -1", "2 0"), "f:3:3", "size 0"),
        (PLAIN.replace("2 -1", "2 -1 4"), "f:3:6", "one more"),
        (PLAIN.replace("1 0.1", "1 nan"), "f:4:3", "NaN"),
        (PLAIN.replace("1 1 1 2 1", "3 1 1 2 1"), "f:6:1", "matrix 3"),
        (PLAIN.replace("1 1 1 2 1", "1 3 1 2 1"), "f:6:3", "block 3"),
        (PLAIN.replace("1 1 1 2 1", "1 1 1 3 1"), "f:6:7", "column 3"),
        (PLAIN.replace("1 1 1 2 1", "1 1 1 2"), "f:6:1", "4 numbers"),
        (PLAIN.replace("1 1 1 2 1", "1 1 1.5 2 1"), "f:6:5", "not an integer"),
        (PLAIN.replace("2 -1", "2 -2").replace("2 2 1 1", "2 2 1 2"), "f:7:5", "off the diagonal"),
        (PLAIN + "1 1 2 1 1\n", "f:8:1", "already in line 6"),
    ],
)
def test_faults_have_line_and_column(text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_sdpa(text, "f")
    assert [fault.where for fault in caught.value.faults] == [where]
    assert what in str(caught.value)


def test_all_faults_at_once() -> None:
    with pytest.raises(InputError) as caught:
        parse_sdpa(PLAIN + "9 1 1 1 1\n1 1 1 1 inf\n", "f")
    assert [fault.where for fault in caught.value.faults] == ["f:8:1", "f:9:9"]


@pytest.mark.slow
def test_every_file_of_sdplib_has_the_size_that_is_published(data_folder: Callable[[str], Path]) -> None:
    folder = data_folder("data/sdplib")
    with data_folder("data/sdplib_reference.csv").open() as stream:
        rows = {row["name"]: (int(row["m"]), int(row["n"])) for row in csv.DictReader(stream)}
    for path in sorted(folder.glob("*.dat-s*")):
        program = read_sdpa(path)
        size = sum(block.size for block in program.blocks)
        name = path.name.split(".")[0]
        # The published list says 250 for these; the files have 251 matrices: the diagonal and the all-ones one.
        extra = 1 if name.startswith("gpp250-") else 0
        assert (len(program.cost) - extra, size) == rows[name], name
