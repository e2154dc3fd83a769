"""LP files (CPLEX's text format), plain or gzipped, read exactly: every decimal is the rational it spells.

Sections: the sense and the objective, ``Subject To``, ``Bounds``, ``General``, ``Binary``, ``End``. Products of
variables, piecewise linear terms and special ordered sets are refused. Where dialects differ:

- a negative upper bound leaves the lower bound at 0 (then there is no feasible point), as CPLEX and Gurobi do; a note
  says so. The last bound of an end counts, and 1e30 or more is infinite;
- each bound stands on a line of its own. A row goes on over lines; right of a relation a number that ends a line ends
  the row, so that the next may begin with a sign or a variable;
- a word that begins a line is a section unless what follows shows that it is a name: a relation, a colon, a sign.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Literal, NoReturn

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, rational, shown
from certify.formats.linear import End, LinearModel, LinearRow, Terms
from certify.formats.sdpa import MOST_BYTES, unpacked
from certify.formats.text import decode, display, lines_of, read_bytes

_WANTED = "an LP file"
_SECTION = re.compile(
    r"(?P<max>maximi[sz]e|maximum|max)|(?P<min>minimi[sz]e|minimum|min)"
    r"|(?P<rows>subject\s+to|such\s+that|st\.?|s\.t\.)|(?P<bounds>bounds?)"
    r"|(?P<whole>generals?|gen|integers?|int)|(?P<binary>binar(?:y|ies)|bin)|(?P<end>end)"
    r"|(?P<refused>semi-continuous|semis?|semi|sos[12]?|pwlobj|general\s+constraints|gencons|lazy\s+constraints|user\s+cuts)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<relation><=|=<|>=|=>|<|>|=)|(?P<sign>[+-])|(?P<mark>[:*/\[\]^])"
    r"|(?P<name>[A-Za-z!\"#$%&(),;?@_'`{}~|][A-Za-z0-9!\"#$%&(),.;?@_'`{}~|\[\]]*)|(?P<other>\S)"
)
_UNSAID = Fraction(-1, 7)  # a mark, known by its identity
_INFINITE = {"inf", "infinity"}
_LARGE = 10**30  # an end of at least this is infinite, as in MPS files


@dataclass(frozen=True)
class _Word:
    kind: str
    text: str
    line: int
    column: int


@dataclass(frozen=True)
class _Side:
    """An affine expression; ``infinite``: −1 or 1 for an infinite constant."""

    terms: Terms
    constant: Fraction
    infinite: int = 0


class _Reader:
    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.columns: dict[str, int] = {}
        self.parts: list[tuple[str, list[_Word]]] = []
        self.words: list[_Word] = []
        self.at = 0
        self.notes: list[str] = []
        self.ended = self.split(text)

    def refuse(self, word: _Word | None, what: str, mend: str = "") -> NoReturn:
        where = f"{self.name}:{word.line}:{word.column}" if word else self.name
        raise InputError(Fault(where, what, mend))

    def split(self, text: str) -> bool:
        """Words by section; whether there is an End."""
        ended = False
        for number, line in enumerate(lines_of(text), 1):
            content = line.split("\\")[0]
            start = 0
            while True:
                lead = len(content) - len(content[start:].lstrip()) if content[start:].strip() else len(content)
                match = _SECTION.match(content, lead)
                rest = content[match.end() :] if match else ""
                next_one = rest.lstrip()[:1]
                if match is None or (rest and not rest[0].isspace()) or next_one in (":", "<", ">", "="):
                    break
                if next_one in ("+", "-") and match.lastgroup in ("whole", "binary", "end", "refused"):
                    break
                if match["refused"]:
                    self.refuse(
                        _Word("", "", number, lead + 1), f"the section {match.group()} is not linear", "leave it out"
                    )
                section = str(match.lastgroup)
                ended = ended or section == "end"
                self.parts.append((section, []))
                start = match.end()
            for token in _TOKEN.finditer(content, start):
                word = _Word(str(token.lastgroup), token.group(), number, token.start() + 1)
                if word.kind == "other":
                    self.refuse(word, f"{shown(word.text)} has no meaning here")
                if not self.parts:
                    self.refuse(
                        word, f"{shown(word.text)} stands before the objective", "begin with Minimize or Maximize"
                    )
                if ended:
                    self.refuse(word, f"{shown(word.text)} stands after End")
                self.parts[-1][1].append(word)
        return ended

    def peek(self, ahead: int = 0) -> _Word | None:
        return self.words[self.at + ahead] if self.at + ahead < len(self.words) else None

    def take(self) -> _Word:
        word = self.peek()
        if word is None:
            self.refuse(self.words[-1] if self.words else None, "something is missing at the end of the section")
        self.at += 1
        return word

    def label(self) -> str | None:
        first, second = self.peek(), self.peek(1)
        if first is not None and second is not None and second.text == ":" and first.kind in ("name", "number"):
            self.at += 2
            return first.text
        return None

    def column(self, word: _Word) -> int:
        return self.columns.setdefault(word.text, len(self.columns))

    def side(self, closing: bool = False, one: bool = False) -> _Side:
        """An expression up to a relation, a label, or the end.

        closing: a number that ends a line ends it; one: whatever ends a line does.
        """
        terms: Terms = {}
        constant, infinite, count = Fraction(0), 0, 0
        while (word := self.peek()) is not None and word.kind != "relation":
            following = self.peek(1)
            if count and following is not None and following.text == ":":
                break
            if count and word.line != self.words[self.at - 1].line and (one or (closing and not terms)):
                break
            sign, signs = 1, 0
            while (word := self.peek()) is not None and word.kind == "sign":
                sign, signs = sign * (-1 if word.text == "-" else 1), signs + 1
                self.at += 1
            if count and not signs:
                break
            infinite = self.term(sign, terms, closing or one) or infinite
            constant += self.last
            count += 1
        if not count:
            self.refuse(self.peek() or (self.words[-1] if self.words else None), "an expression is missing here")
        return _Side({j: value for j, value in sorted(terms.items()) if value}, constant, infinite)

    def term(self, sign: int, terms: Terms, closing: bool) -> int:
        """One summand: into ``terms``, or into ``last`` if it is a number; ±1 if it is infinite."""
        self.last = Fraction(0)
        first = word = self.take()
        factor = Fraction(sign)
        if word.kind == "number":
            factor *= self.number(word)
            if (star := self.peek()) is not None and star.text == "*":
                self.at += 1
            following, after = self.peek(), self.peek(1)
            alone = following is None or following.kind != "name" or (after is not None and after.text == ":")
            if (alone or (closing and following is not None and following.line != word.line)) and star is following:
                self.last = factor
                return 0
            word = self.take()
        if word.kind != "name":
            mend = "products of variables are not linear" if word.text in "[]^*/" else "write terms like 3 x"
            self.refuse(word, f"{shown(word.text)} stands where a variable or a number should", mend)
        if word.text.lower() in _INFINITE:
            if word is not first:
                self.refuse(word, "a multiple of infinity")
            return sign
        following = self.peek()
        if following is not None and following.text in ("^", "*", "/"):
            self.refuse(following, f"{following.text} after a variable", "products of variables are not linear")
        j = self.column(word)
        terms[j] = terms.get(j, Fraction(0)) + factor
        return 0

    def number(self, word: _Word) -> Fraction:
        try:
            return rational(word.text)
        except NotExactError as error:
            self.refuse(word, error.what, error.mend)

    def chain(self, one: bool = False) -> tuple[list[_Side], list[str]]:
        """Sides with the relations between them."""
        sides, relations = [self.side(one=one)], []
        while (word := self.peek()) is not None and word.kind == "relation":
            self.at += 1
            relations.append("<=" if "<" in word.text else ">=" if ">" in word.text else "=")
            sides.append(self.side(any(side.terms for side in sides), one))
        return sides, relations

    def end(self, at: _Word | None, side: _Side, wanted: int) -> End:
        """A constant side as an upper (wanted: 1) or lower (−1) end, or both (0, which must be finite)."""
        sign = side.infinite or (0 if abs(side.constant) < _LARGE else 1 if side.constant > 0 else -1)
        if sign and sign != wanted:
            self.refuse(at, "an infinite end on the wrong side", "x >= -inf, x <= inf, or x free")
        return None if sign else side.constant

    def read(self) -> LinearModel:
        sense: Literal["min", "max"] = "min"
        objective, cost, constant = "objective", {}, Fraction(0)
        rows: list[LinearRow] = []
        lower: dict[int, End] = {}
        upper: dict[int, End] = {}
        whole: set[int] = set()
        if not self.parts or self.parts[0][0] not in ("max", "min"):
            self.refuse(None, "there is no objective", "begin with Minimize or Maximize")
        if not self.ended:
            self.refuse(None, "there is no End", "the file may be cut short")
        for section, words in self.parts:
            self.words, self.at = words, 0
            if section in ("max", "min"):
                sense = "max" if section == "max" else "min"
                objective = self.label() or objective
                if self.peek() is not None:
                    first, side = self.peek(), self.side()
                    if side.infinite:
                        self.refuse(first, "an infinite objective")
                    cost, constant = side.terms, side.constant
                if self.peek() is not None:
                    self.refuse(self.peek(), "stands after the objective", "Subject To comes next")
            elif section == "rows":
                rows += self.rows()
            elif section == "bounds":
                before = len(self.columns)
                for j, low, high in self.bounds():
                    if low is not _UNSAID:
                        lower[j] = low
                    if high is not _UNSAID:
                        upper[j] = high
                for name in list(self.columns)[before:]:
                    self.notes.append(f"{name} stands under Bounds, but in no row and not in the objective")
            elif section in ("whole", "binary"):
                for word in words:
                    if word.kind != "name" or word.text not in self.columns:
                        self.refuse(word, f"no variable is called {shown(word.text)}")
                    j = self.columns[word.text]
                    whole.add(j)
                    if section == "binary":
                        lower[j], upper[j] = Fraction(0), Fraction(1)
        for name, j in self.columns.items():
            high = upper.get(j)
            if high is not None and high < 0 and j not in lower:
                self.notes.append(
                    f"the upper bound of {name} is negative and its lower bound is 0: write -inf <= {name} if not"
                )
        count = range(len(self.columns))
        return LinearModel(
            sense,
            objective,
            cost,
            constant,
            tuple(rows),
            tuple(self.columns),
            tuple(lower.get(j, Fraction(0)) for j in count),
            tuple(upper.get(j) for j in count),
            tuple(j in whole for j in count),
            tuple(self.notes),
        )

    def rows(self) -> Iterator[LinearRow]:
        count = 0
        while self.peek() is not None:
            count += 1
            name = self.label() or f"R{count}"
            at = self.peek()
            sides, relations = self.chain()
            if len(sides) == 2:
                left, right = sides
                if left.infinite or right.infinite:
                    self.refuse(at, "an infinite side", "leave the row out")
                terms = dict(left.terms)
                for j, value in right.terms.items():
                    terms[j] = terms.get(j, Fraction(0)) - value
                end = right.constant - left.constant
                low = end if relations[0] != "<=" else None
                high = end if relations[0] != ">=" else None
                yield LinearRow(name, {j: v for j, v in sorted(terms.items()) if v}, low, high)
            elif (
                len(sides) == 3
                and not (sides[0].terms or sides[2].terms or sides[1].infinite)
                and relations[0] == relations[1] != "="
            ):
                least, most = (sides[0], sides[2]) if relations[0] == "<=" else (sides[2], sides[0])
                low, high = self.end(at, least, -1), self.end(at, most, 1)
                shift = sides[1].constant
                low, high = None if low is None else low - shift, None if high is None else high - shift
                yield LinearRow(name, sides[1].terms, low, high)
            else:
                self.refuse(at, "is no row", "write terms <= number, or number <= terms <= number")

    def bounds(self) -> Iterator[tuple[int, End, End]]:
        """Column, lower and upper end; _UNSAID where an end is not spoken of."""
        while (first := self.peek()) is not None:
            second = self.peek(1)
            if first.kind == "name" and second is not None and second.text.lower() == "free":
                self.at += 2
                yield self.column(first), None, None
                continue
            sides, relations = self.chain(one=True)
            at = next((k for k, side in enumerate(sides) if side.terms), None)
            if (
                at is None
                or len(sides) < 2
                or any(side.terms for k, side in enumerate(sides) if k != at)
                or len(sides) > 3
                or (len(sides) == 3 and (at != 1 or relations[0] != relations[1] or relations[0] == "="))
            ):
                self.refuse(first, "is no bound", "write number <= x <= number, x >= number, x = number or x free")
            ((j, factor),) = sides[at].terms.items() if len(sides[at].terms) == 1 else ((0, Fraction(0)),)
            if factor != 1 or sides[at].constant or sides[at].infinite:
                self.refuse(first, "a bound of an expression", "put it under Subject To")
            low: End = _UNSAID
            high: End = _UNSAID
            for k, relation in enumerate(relations):
                other = sides[k] if k < at else sides[k + 1]
                less = (relation == "<=") == (k >= at)  # whether x <= other
                if relation == "=":
                    low = high = self.end(first, other, 0)
                elif less:
                    high = self.end(first, other, 1)
                else:
                    low = self.end(first, other, -1)
            yield j, low, high


def read_lp(path: Path) -> LinearModel:
    """The linear program of an LP file. Raises InputError: line, column, what is wrong."""
    raw = read_bytes(path, MOST_BYTES)
    if raw.startswith(b"\x1f\x8b"):
        raw = unpacked(raw, display(path))
    return parse_lp(decode(raw, display(path), _WANTED), display(path))


def parse_lp(text: str, name: str) -> LinearModel:
    """As read_lp, of a text."""
    return _Reader(text, name).read()
