"""MPS files, fixed and free, plain or gzipped, read exactly: every decimal is the rational it spells.

The format: IBM (1976), "Mathematical Programming System Extended (MPSX/370)"; free form, negative upper bounds and
integer markers as in Gurobi's and CPLEX's manuals. Where dialects differ (docs/problem-files/conic.md):

- the right-hand side of the objective row is subtracted: with RHS r the constant of the objective is −r;
- an upper bound below 0 of a column without a lower bound makes the lower bound −∞, and a note says so; MI leaves the
  upper bound where it is;
- columns between integer markers without bounds are taken as x ≥ 0, where some readers take 0 ≤ x ≤ 1: a note says so;
- of several N rows the first is the objective, the others are left out; of several RHS, RANGES or BOUNDS vectors the
  first is taken, with a note;
- names with spaces are read in fixed form: fields are columns 2–3, 5–12, 15–22, 25–36, 40–47 and 50–61, and what stands
  between them is a fault, so that no number is cut off;
- of several bounds of one end of a column the last counts; a right-hand side or a range may be given once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Literal

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, rational, shown
from certify.formats.linear import End, LinearModel, LinearRow, Terms
from certify.formats.sdpa import MOST_BYTES, unpacked
from certify.formats.text import decode, display, lines_of, read_bytes

_WANTED = "an MPS file"
_FIELDS = ((1, 3), (4, 12), (14, 22), (24, 36), (39, 47), (49, 61))
_GAPS = ((0, 1), (3, 4), (12, 14), (22, 24), (36, 39), (47, 49))
_SECTIONS = ("NAME", "OBJSENSE", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA")
_CURVED = {"QUADOBJ", "QMATRIX", "QSECTION", "QCMATRIX", "CSECTION"}
_DISCRETE = {"SOS", "SOS1", "SOS2", "SETS", "INDICATORS", "LAZYCONS", "USERCUTS", "PWLOBJ", "GENCONS"}
_BOUNDS = {"UP", "LO", "FX", "FR", "MI", "PL", "BV", "LI", "UI", "SC"}
_VALUELESS = {"FR", "MI", "PL", "BV"}
_SENSES = ("MAX", "MIN", "MAXIMIZE", "MINIMIZE", "MAXIMISE", "MINIMISE")
_FORTRAN = re.compile(r"([+-]?[0-9.]+)[dD]([+-]?[0-9]+)")


@dataclass
class _Line:
    number: int
    fields: list[str]  # free: the words; fixed: the six fields, "" where there is none
    text: str

    def size(self) -> str:
        count = sum(map(bool, self.fields))
        return f"{count} field{'' if count == 1 else 's'}"


@dataclass
class _Model:
    """What is known while a file is read."""

    sense: Literal["min", "max"] = "min"
    kinds: dict[str, str] = field(default_factory=dict)  # of the rows, in order
    columns: dict[str, int] = field(default_factory=dict)
    terms: dict[str, Terms] = field(default_factory=dict)
    right: dict[str, Fraction] = field(default_factory=dict)
    ranges: dict[str, Fraction] = field(default_factory=dict)
    lower: dict[int, End] = field(default_factory=dict)
    upper: dict[int, End] = field(default_factory=dict)
    whole: set[int] = field(default_factory=set)
    between: bool = False  # integer markers
    marked: set[int] = field(default_factory=set)  # columns between them
    chosen: dict[str, str] = field(default_factory=dict)  # the vector taken of each section
    notes: list[str] = field(default_factory=list)


class _Reader:
    def __init__(self, text: str, name: str, fixed: bool) -> None:
        self.name, self.fixed = name, fixed
        self.lines = lines_of(text)
        self.faults: list[Fault] = []
        self.model = _Model()

    def fault(self, line: _Line, what: str, mend: str = "", word: str = "") -> None:
        found = re.search(rf"(?<!\S){re.escape(word)}(?!\S)", line.text) if word else re.search(r"\S", line.text)
        at = found.start() + 1 if found else line.text.find(word) + 1
        self.faults.append(Fault(f"{self.name}:{line.number}:{max(at, 1)}", what, mend))

    def sections(self) -> Iterator[tuple[str, _Line]]:
        """The lines of data with the section that they stand in."""
        section = ""
        for number, text in enumerate(self.lines, 1):
            if not text.strip() or text.startswith("*"):
                continue
            if not text[0].isspace():
                words = text.split()
                line = _Line(number, words, text)
                if section == "OBJSENSE" and words[0].upper() in _SENSES:
                    yield section, line
                    continue
                section = words[0].upper()
                if section in _CURVED or section in _DISCRETE:
                    what = f"the section {section}: this program is not linear"
                    self.fault(line, what, "give it through CVXPY" if section in _CURVED else "leave it out")
                    return
                if section not in _SECTIONS:
                    self.fault(line, f"no section is called {shown(words[0])}", f"one of: {', '.join(_SECTIONS)}")
                    return
                if section == "ENDATA":
                    return
                if section == "OBJSENSE" and len(words) > 1:
                    yield section, _Line(number, words[1:], text)
                elif section != "NAME" and len(words) > 1:
                    what = f"{shown(words[1])} stands behind the name of the section {section}"
                    self.fault(line, what, "lines of data begin with a blank", words[1])
                continue
            fixed = self.fixed and section in ("ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS")
            line = _Line(number, _fixed(text) if fixed else text.split(), text)
            if fixed and (at := _between(text)) is not None:
                where = f"{self.name}:{number}:{at + 1}"
                mend = "fields are columns 2-3, 5-12, 15-22, 25-36, 40-47 and 50-61"
                self.faults.append(Fault(where, "something stands between the fields of fixed form", mend))
                continue
            yield section, line
        self.faults.append(Fault(f"{self.name}:{len(self.lines)}", "there is no ENDATA", "the file may be cut short"))

    def number(self, line: _Line, word: str) -> Fraction | None:
        try:
            return rational(_FORTRAN.sub(r"\1e\2", word) if _FORTRAN.fullmatch(word) else word)
        except NotExactError as error:
            self.fault(line, error.what, error.mend, word)
            return None

    def pairs(self, line: _Line, words: list[str]) -> Iterator[tuple[str, Fraction]]:
        """Names and numbers in turn."""
        if len(words) not in (2, 4):
            self.fault(line, line.size(), "a name is followed by one or two pairs of a row and a number")
            return
        for name, word in zip(words[::2], words[1::2], strict=True):
            if name or word:
                value = self.number(line, word)
                if value is not None:
                    yield name, value

    def read(self) -> LinearModel:
        steps: dict[str, Callable[[_Line], None]] = {
            "OBJSENSE": self.objective_sense,
            "ROWS": self.row,
            "COLUMNS": self.column,
            "RHS": self.right_side,
            "RANGES": self.range,
            "BOUNDS": self.bound,
        }
        for section, line in self.sections():
            if section in steps:
                steps[section](line)
            elif section != "NAME":
                self.fault(line, "stands before the first section", "ROWS, COLUMNS, RHS and so on come first")
            if len(self.faults) > 1000:
                break
        if not self.faults and "N" not in self.model.kinds.values():
            self.faults.append(Fault(self.name, "there is no row of type N", "one of the ROWS is the objective"))
        if self.faults:
            raise InputError(*self.faults)
        return self.made()

    def objective_sense(self, line: _Line) -> None:
        word = line.fields[0].upper()
        if word not in _SENSES:
            self.fault(line, f"{shown(line.fields[0])} is no sense", "MAX or MIN", line.fields[0])
        self.model.sense = "max" if word.startswith("MAX") else "min"

    def row(self, line: _Line) -> None:
        words = line.fields[:2] if self.fixed else line.fields
        if len(words) != 2 or not words[1]:
            self.fault(line, line.size(), "a row reads: N, E, L or G, and its name")
            return
        kind, name = words[0].strip().upper(), words[1]
        if kind not in ("N", "E", "L", "G"):
            self.fault(line, f"{shown(words[0])} is no type of a row", "N, E, L or G")
        elif name in self.model.kinds:
            self.fault(line, f"the row {shown(name)} stands there already", "each row once", name)
        else:
            self.model.kinds[name] = kind
            self.model.terms[name] = {}

    def known(self, line: _Line, name: str) -> bool:
        if name in self.model.kinds:
            return True
        self.fault(line, f"no row is called {shown(name)}", "it should stand in ROWS", name)
        return False

    def column(self, line: _Line) -> None:
        words = line.fields
        if self.fixed:
            words = [word for word in line.fields[1:] if word]
            if line.fields[0] or not line.fields[1]:
                self.fault(line, "the name of the column is missing", "it stands in columns 5-12")
                return
        if len(words) == 3 and words[1].strip("'\"`") == "MARKER" and words[1] != "MARKER":
            kind = words[2].strip("'\"`")
            if kind not in ("INTORG", "INTEND"):
                self.fault(line, f"the marker {shown(kind)}: this program is not linear", "INTORG or INTEND", words[2])
            self.model.between = kind == "INTORG"
            return
        model = self.model
        column = model.columns.setdefault(words[0], len(model.columns))
        if model.between:
            model.whole.add(column)
            model.marked.add(column)
        for name, value in self.pairs(line, words[1:]):
            if self.known(line, name):
                if column in model.terms[name]:
                    what = f"the entry of column {shown(words[0])} in row {shown(name)} is given twice"
                    self.fault(line, what, "", name)
                model.terms[name][column] = value

    def vector(self, section: str, line: _Line) -> Iterator[tuple[str, Fraction]]:
        """Pairs of the first vector of RHS or RANGES; its name may be left out."""
        words = line.fields[1:] if self.fixed else list(line.fields)
        if self.fixed:
            while words and not words[-1]:
                words.pop()
        elif len(words) % 2 == 0:
            words = ["", *words]
        if len(words) < 3:
            self.fault(line, line.size(), "a name of the vector, a row and a number")
        elif self.taken(section, words[0]):
            yield from self.pairs(line, words[1:])

    def taken(self, section: str, name: str) -> bool:
        chosen = self.model.chosen.setdefault(section, name)
        note = f"of several {section} vectors the first is taken"
        if chosen != name and note not in self.model.notes:
            self.model.notes.append(note)
        return chosen == name

    def right_side(self, line: _Line) -> None:
        self.once("right-hand side", self.model.right, line, self.vector("RHS", line))

    def range(self, line: _Line) -> None:
        self.once("range", self.model.ranges, line, self.vector("RANGES", line))

    def once(self, what: str, known: dict[str, Fraction], line: _Line, pairs: Iterator[tuple[str, Fraction]]) -> None:
        for name, value in pairs:
            if self.known(line, name):
                if name in known:
                    self.fault(line, f"the {what} of row {shown(name)} is given twice", "", name)
                known[name] = value

    def bound(self, line: _Line) -> None:
        kind = line.fields[0].strip().upper() if line.fields else ""
        if kind not in _BOUNDS or kind == "SC":
            semi = kind == "SC"
            mend = "semicontinuous columns are not linear" if semi else f"one of: {', '.join(sorted(_BOUNDS - {'SC'}))}"
            self.fault(line, f"{shown(kind)} is no type of a bound here", mend)
            return
        words = line.fields[1:]
        if self.fixed:
            words = words[: 2 if kind in _VALUELESS else 3]
        elif len(words) == (1 if kind in _VALUELESS else 2):
            words = ["", *words]
        if not (len(words) == 3 or (len(words) == 2 and kind in _VALUELESS)):
            self.fault(line, line.size(), "a bound reads: type, vector, column, number")
            return
        if kind in _VALUELESS and words[2:]:
            self.number(line, words[2])
        if not self.taken("BOUNDS", words[0]):
            return
        column = self.model.columns.get(words[1])
        if column is None:
            self.fault(line, f"no column is called {shown(words[1])}", "it should stand in COLUMNS", words[1])
            return
        self.set_bound(kind, column, None if kind in _VALUELESS else self.end(line, kind, words[2]))

    def end(self, line: _Line, kind: str, word: str) -> End:
        """A number, or None for one that is at least 1e30: MPS files write infinity so."""
        if word.lower().lstrip("+-") in ("inf", "infinity"):
            negative = word.startswith("-")
        else:
            value = self.number(line, word)
            if value is None or abs(value) < 10**30:
                return value
            negative = value < 0
        if kind == "FX" or negative != (kind in ("LO", "LI")):
            self.fault(line, f"{shown(word)} is infinite, and no end of that kind", "FR for a free column", word)
        return None

    def set_bound(self, kind: str, column: int, value: End) -> None:
        model = self.model
        if kind in ("LI", "UI", "BV"):
            model.whole.add(column)
        if kind in ("LO", "LI", "FX"):
            model.lower[column] = value
        if kind in ("UP", "UI", "FX"):
            model.upper[column] = value
        if kind in ("FR", "MI"):
            model.lower[column] = None
        if kind in ("FR", "PL"):
            model.upper[column] = None
        if kind == "BV":
            model.lower[column], model.upper[column] = Fraction(0), Fraction(1)

    def made(self) -> LinearModel:
        model = self.model
        objective = next(name for name, kind in model.kinds.items() if kind == "N")
        rows = []
        for name, kind in model.kinds.items():
            if kind != "N":
                rows.append(
                    LinearRow(
                        name,
                        _nonzero(model.terms[name]),
                        *_ends(kind, model.right.get(name, Fraction(0)), model.ranges.get(name)),
                    )
                )
        dropped = sum(kind == "N" for kind in model.kinds.values()) - 1
        notes = list(model.notes)
        if dropped:
            notes.append(f"{dropped} more rows of type N bind nothing and are left out")
        for name, column in model.columns.items():
            high = model.upper.get(column)
            if high is not None and high < 0 and column not in model.lower:
                model.lower[column] = None
                notes.append(f"the upper bound of {name} is negative: its lower bound is taken as -infinity")
        bare = sum(column not in model.lower and column not in model.upper for column in model.marked)
        if bare:
            notes.append(f"{bare} integer columns without bounds are taken as x >= 0; some readers take 0 <= x <= 1")
        columns = range(len(model.columns))
        return LinearModel(
            model.sense,
            objective,
            _nonzero(model.terms[objective]),
            -model.right.get(objective, Fraction(0)),
            tuple(rows),
            tuple(model.columns),
            tuple(model.lower.get(j, Fraction(0)) for j in columns),
            tuple(model.upper.get(j) for j in columns),
            tuple(j in model.whole for j in columns),
            tuple(notes),
        )


def _nonzero(terms: Terms) -> Terms:
    return {j: value for j, value in sorted(terms.items()) if value}


def _ends(kind: str, right: Fraction, width: Fraction | None) -> tuple[End, End]:
    """The interval of a row with its range."""
    if kind == "E":
        return (right, right) if width is None else (min(right, right + width), max(right, right + width))
    if kind == "L":
        return (None if width is None else right - abs(width)), right
    return right, (None if width is None else right + abs(width))


def _fixed(text: str) -> list[str]:
    return [text[a:b].strip() for a, b in _FIELDS]


def _between(text: str) -> int | None:
    """Where something stands between the fields, or runs on behind the last one."""
    for a, b in _GAPS:
        if text[a:b].strip():
            return a + len(text[a:b]) - len(text[a:b].lstrip())
    return 61 if text[60:61].strip() and text[61:62].strip() else None


def read_mps(path: Path) -> LinearModel:
    """The linear program of an MPS file. Raises InputError with every fault: line, column, what is wrong."""
    raw = read_bytes(path, MOST_BYTES)
    if raw.startswith(b"\x1f\x8b"):
        raw = unpacked(raw, display(path))
    return parse_mps(decode(raw, display(path), _WANTED), display(path))


def parse_mps(text: str, name: str) -> LinearModel:
    """As read_mps, of a text. Free form is tried first; fixed form where that has faults (names with spaces)."""
    try:
        return _Reader(text, name, False).read()
    except InputError as free:
        try:
            return _Reader(text, name, True).read()
        except InputError as fixed:
            raise (fixed if len(fixed.faults) < len(free.faults) else free) from None
