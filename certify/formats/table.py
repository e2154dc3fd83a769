"""Tables of exact numbers from text (CSV, TSV, separated by semicolons or blanks) and from .npy files.

Rules for text
- The separator is the tab in .tsv files; otherwise the first of ``;`` ``,`` tab that is in the first line of
  data, and runs of blanks when none is. Cells may stand in double quotes. Blank lines and lines that start with
  ``#`` or ``%`` are skipped.
- A number is an integer, a decimal with a point, or ``p/q``: the rational that it spells. Empty cells, NaN, NA, inf
  are errors wherever a number is read; they never make a row a header.
- The first row is a header when it does not start with a number and has text, after its first cell, above a cell of
  the second row that is no text (in a table of one column: text above no text). It is one, too, when its first
  cell is empty and the others are 0, 1, 2, …, as pandas writes an index. A header may lack the cell above the
  labels, as R writes it. A note says that there is a header, and that there are labels.
- The first column holds labels when its cells in all rows are text, or when the header's first cell is empty.
- ``columns`` picks columns by names of the header or by numbers, which count all columns from 0; the others may
  then hold anything. Without it every column but the labels is read.

Rules for .npy
- One array of integers, float32 or float64, two-dimensional, no pickle; each float is the dyadic rational it is.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.errors import MOST_FAULTS, Fault, InputError
from certify.formats.exact import NotExactError, is_number, looks_missing, rational, shown
from certify.formats.text import MIB, display, lines_of, read_bytes, read_text

MOST_BYTES = 256 * MIB
MOST_CELLS = 10_000_000
_NPY = b"\x93NUMPY"


@dataclass(frozen=True)
class Table:
    """Rows of exact numbers, all of one length, at least one.

    rows: the numbers; columns: their names, if there is a header; labels: one a row, if there are any; path: the
    file; lines and cells: where they stand in it (line of each row, number from 1 of each column), or None for
    .npy; notes: what a person should know of how the file was read.
    """

    path: Path
    rows: tuple[tuple[Fraction, ...], ...]
    columns: tuple[str, ...] | None = None
    labels: tuple[str, ...] | None = None
    lines: tuple[int, ...] | None = field(default=None, repr=False)
    cells: tuple[int, ...] | None = field(default=None, repr=False)
    notes: tuple[str, ...] = ()

    def where(self, row: int, column: int | None = None) -> str:
        """``file:line:cell`` of an entry (``file[row, column]`` of an array), for errors."""
        name = display(self.path)
        if self.lines is None or self.cells is None:
            return f"{name}[{row}]" if column is None else f"{name}[{row}, {column}]"
        return f"{name}:{self.lines[row]}" + ("" if column is None else f":{self.cells[column]}")


def read_table(path: str | Path, columns: Sequence[str | int] | None = None) -> Table:
    """The table in a file: .npy by its content, text otherwise (rules above).

    path: the file; columns: which to read, in this order. At most 256 MiB and 10 million cells.
    Raises InputError with every bad cell as ``file:line:cell``, cells counted from 1 within their line.
    """
    path = Path(path)
    if path.suffix.lower() == ".npy" or _is_npy(path):
        return _read_npy(path, columns)
    lines = _split(read_text(path, MOST_BYTES, "a table of numbers"), path)
    if not lines:
        raise InputError(Fault(display(path), "holds no data", "it should be a table of numbers"))
    return _Reading(path, lines, columns).table()


# --- text ---------------------------------------------------------------------------------------------


def comment(line: str) -> bool:
    """Whether a line of a data file says nothing: blank, or a comment."""
    return not line.strip() or line.lstrip()[0] in "#%"


def separator(line: str, path: Path) -> str | None:
    """The separator of a table whose first line of data is ``line``; None: runs of blanks."""
    if path.suffix.lower() in (".tsv", ".tab"):
        return "\t"
    return next((mark for mark in ";,\t" if mark in line), None)


def _split(text: str, path: Path) -> list[tuple[int, list[str]]]:
    """Cells of the lines that hold data, with the number of the line."""
    lines = lines_of(text)
    first = next((line for line in lines if not comment(line)), None)
    if first is None:
        return []
    mark = separator(first, path)
    return list(split_lines(lines, mark, path))


def split_lines(lines: Sequence[str], mark: str | None, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Cells, stripped, of each line that holds data; quoted cells end on their line."""
    for number, line in enumerate(lines, 1):
        if comment(line):
            continue
        if '"' not in line:
            yield number, [cell.strip() for cell in line.split(mark)]
            continue
        try:
            rows = list(csv.reader([line.strip()], delimiter=mark or " ", skipinitialspace=True, strict=True))
        except csv.Error as error:
            where = f"{display(path)}:{number}"
            raise InputError(Fault(where, f"CSV: {error}", "quotes open and close within a line")) from None
        yield number, [cell.strip() for cell in rows[0] if mark or cell]


_BUNGLED = re.compile(r"[+-]?[\d\s.,'/]+")  # 1,5 or 1 000: an error, never a name


def _text(cell: str) -> bool:
    return not is_number(cell) and not looks_missing(cell) and not _BUNGLED.fullmatch(cell)


class _Reading:
    """One reading of a table: what is header, label and number, and what is wrong."""

    def __init__(self, path: Path, lines: list[tuple[int, list[str]]], columns: Sequence[str | int] | None) -> None:
        self.path = path
        self.notes: list[str] = []
        self.header = self._header(lines)
        self.body = lines if self.header is None else lines[1:]
        if not self.body:
            raise InputError(Fault(display(path), "has a header and no rows", "it should be a table of numbers"))
        self.width = len(self.body[0][1])
        self._ragged()
        self.labelled = self._labelled()
        self._align()
        self.chosen = self._choose(columns)

    def _header(self, lines: list[tuple[int, list[str]]]) -> list[str] | None:
        first, second = lines[0][1], lines[1][1] if len(lines) > 1 else []
        if len(lines) == 1:
            return first if all(map(_text, first)) else None
        if len(first) == len(second) - 1:  # as R writes it
            return first if all(map(_text, first)) and _text(second[0]) else None
        skip = min(1, len(first) - 1)
        above = zip(first[skip:], second[skip:], strict=False)
        named = not is_number(first[0]) and any(_text(one) and not _text(other) for one, other in above)
        indexed = len(first) > 1 and not first[0] and first[1:] == [str(number) for number in range(len(first) - 1)]
        return first if named or indexed else None

    def _ragged(self) -> None:
        faults = [
            Fault(
                f"{display(self.path)}:{number}",
                f"has {len(cells)} cells, the first row has {self.width}",
                "every row has equally many",
            )
            for number, cells in self.body
            if len(cells) != self.width
        ]
        if faults:
            raise InputError(*faults)
        if len(self.body) * self.width > MOST_CELLS:
            raise InputError(Fault(display(self.path), f"has more than {MOST_CELLS:,} cells", "that is the limit"))

    def _labelled(self) -> bool:
        if self.width < 2:
            return False
        if self.header is not None and len(self.header) == self.width and not self.header[0]:
            return True
        return all(_text(cells[0]) for _, cells in self.body)

    def _align(self) -> None:
        """A header without a cell above the labels gets one; any other length is a fault."""
        if self.header is None or len(self.header) == self.width:
            return
        if self.labelled and len(self.header) == self.width - 1:
            self.header = ["", *self.header]
            return
        what = f"the row after the header has {self.width} cells, the header has {len(self.header)}"
        raise InputError(Fault(f"{display(self.path)}:{self.body[0][0]}", what, "every row has equally many"))

    def _choose(self, columns: Sequence[str | int] | None) -> list[int]:
        """The numbers of the columns to read."""
        if columns is None:
            return list(range(1 if self.labelled else 0, self.width))
        chosen, faults = [], []
        names = self.header or []
        for column in columns:
            if isinstance(column, int) and 0 <= column < self.width:
                chosen.append(column)
            elif isinstance(column, str) and names.count(column) == 1:
                chosen.append(names.index(column))
            else:
                there = ", ".join(names) if names else "none: there is no header"
                mend = f"numbers go from 0 to {self.width - 1}; names: {shown(there, 200)[1:-1]}"
                twice = isinstance(column, str) and names.count(column) > 1
                what = f"two columns are called {shown(column)}" if twice else f"has no column {shown(column)}"
                faults.append(Fault(display(self.path), what, mend))
        if not columns:
            faults.append(Fault(display(self.path), "no columns are chosen", "name at least one"))
        if faults:
            raise InputError(*faults)
        return chosen

    def table(self) -> Table:
        """The numbers; raises InputError with every bad cell."""
        faults = list(self._text_columns())
        bad = {column for column, _ in faults}
        known: dict[str, Fraction] = {}
        rows = []
        for number, cells in self.body:
            row = []
            for column in self.chosen:
                cell = cells[column]
                value = known.get(cell)
                if value is None and column not in bad:
                    try:
                        value = known[cell] = rational(cell)
                    except NotExactError as error:
                        where = f"{display(self.path)}:{number}:{column + 1}"
                        faults.append((-1, Fault(where, error.what + self._named(column), error.mend)))
                row.append(value)
            rows.append(tuple(one for one in row if one is not None))
        if faults:
            raise InputError(*(fault for _, fault in faults))
        labels = tuple(cells[0] for _, cells in self.body) if self.labelled else None
        header = None if self.header is None else tuple(self.header[column] for column in self.chosen)
        if header is not None:
            self.notes.append(f"the first row of {self.path.name} is a header")
        if labels is not None:
            self.notes.append(f"the first column of {self.path.name} holds labels")
        lines = tuple(number for number, _ in self.body)
        places = tuple(column + 1 for column in self.chosen)
        return Table(self.path, tuple(rows), header, labels, lines, places, tuple(self.notes))

    def _text_columns(self) -> Iterator[tuple[int, Fault]]:
        """Columns that hold nothing but text are one fault each, not one a row."""
        if len(self.body) < 2:
            return
        for column in self.chosen:
            if all(_text(cells[column]) for _, cells in self.body):
                number, cells = self.body[0]
                what = f"{self._named(column)[4:] or f'column {column}'} holds text, as {shown(cells[column])}"
                yield (
                    column,
                    Fault(f"{display(self.path)}:{number}:{column + 1}", what, "choose the others by columns = […]"),
                )

    def _named(self, column: int) -> str:
        return f" in column {shown(self.header[column])}" if self.header and self.header[column] else ""


# --- arrays -------------------------------------------------------------------------------------------


def _is_npy(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(len(_NPY)) == _NPY
    except (OSError, ValueError):
        return False  # read_text says what is wrong with it


def _read_npy(path: Path, columns: Sequence[str | int] | None) -> Table:
    import numpy as np

    name = display(path)
    if read_head(path) != _NPY:
        raise InputError(Fault(name, "is not a .npy file", "write it with numpy.save"))
    try:
        # Mapped, not loaded: the size in the header is then checked against the file before any memory is taken.
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except Exception as error:  # the header is Python text: its readers raise whatever they like
        reason = "it holds Python objects" if "allow_pickle" in str(error) or "object" in str(error) else "it is broken"
        raise InputError(Fault(name, f"cannot be read: {reason}", "write it with numpy.save of numbers")) from None
    if array.dtype.kind not in "iuf" or array.dtype.itemsize > 8:
        raise InputError(Fault(name, f"holds {array.dtype}", "save it as float64 or as integers"))
    if array.ndim != 2 or array.size == 0:
        mend = "an array of rows is needed" if array.ndim != 1 else "save x.reshape(-1, 1) for points on a line"
        raise InputError(Fault(name, f"has shape {array.shape}", mend))
    if array.size > MOST_CELLS:
        raise InputError(Fault(name, f"has {array.size:,} cells", f"the limit is {MOST_CELLS:,}"))
    if columns is not None:
        wrong = [one for one in columns if not isinstance(one, int) or not 0 <= one < array.shape[1]]
        if wrong or not columns:
            what = f"has no column {shown(wrong[0])}" if wrong else "no columns are chosen"
            raise InputError(Fault(name, what, f"columns are numbers from 0 to {array.shape[1] - 1}"))
        array = array[:, list(columns)]
    bad = np.argwhere(~np.isfinite(array))
    if len(bad):
        faults = [
            Fault(f"{name}[{i}, {j}]", "NaN is not a number" if np.isnan(array[i, j]) else "is not finite")
            for i, j in bad[: 50 * MOST_FAULTS]
        ]
        raise InputError(*faults)
    known: dict[float, Fraction] = {}
    rows = tuple(
        tuple(known[x] if x in known else known.setdefault(x, Fraction(x)) for x in row) for row in array.tolist()
    )
    return Table(path, rows)


def read_head(path: Path) -> bytes:
    """The first bytes of a file; raises InputError as read_bytes does, but for its size."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(_NPY))
    except (OSError, ValueError):
        return read_bytes(path, MOST_BYTES)[: len(_NPY)]
