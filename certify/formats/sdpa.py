"""SDPA sparse files (``.dat-s``, plain or gzipped), read exactly: every decimal is the rational it spells.

The problem of the file is SDPA's (P): minimise cᵀx over free x ∈ ℝᵐ subject to Σ x_k F_k − F_0 ⪰ 0, block by
block; a block of negative size is diagonal, its rows are linear inequalities. Format: Fujisawa, Kojima, Nakata,
Yamashita, "SDPA User's Manual" (2002), section "sparse data format".
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, rational, shown
from certify.formats.text import MIB, decode, display, lines_of, read_bytes

MOST_BYTES = 256 * MIB
MOST_VARIABLES = 1_000_000
MOST_BLOCKS = 1_000_000
LARGEST_BLOCK = 1_000_000
_WANTED = "an SDPA sparse file"
_TOKEN = re.compile(r"[^\s,(){}]+")
_NUMERIC = re.compile(r"[+-]?\.?\d")
_INTEGER = re.compile(r"[+-]?\d{1,9}", re.ASCII)
_ENTRY = ("matrix", "block", "row", "column", "value")


@dataclass(frozen=True)
class SdpaBlock:
    """One block of the matrices F_0, …, F_m.

    size: number of rows; diagonal: whether it is a block of linear inequalities; entries: (k, i, j, value), the
    entry (i, j) of F_k, i ≤ j from 0, k from 0 to m, none zero, none twice, sorted. F_0 has the sign of the file.
    """

    size: int
    diagonal: bool
    entries: tuple[tuple[int, int, int, Fraction], ...]


@dataclass(frozen=True)
class SdpaProgram:
    """The exact content of a file: cost c of length m, and the blocks of Σ x_k F_k − F_0 ⪰ 0."""

    cost: tuple[Fraction, ...]
    blocks: tuple[SdpaBlock, ...]


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    line: int
    column: int


class _Reader:
    """The lines of a file, and the faults found in them, each with its line and column from 1."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self.lines = lines_of(text)
        self.next = 0
        self.faults: list[Fault] = []
        while self.next < len(self.lines) and self.lines[self.next].lstrip()[:1] in ("", '"', "*"):
            self.next += 1

    def fault(self, at: _Token, what: str, mend: str = "") -> None:
        self.faults.append(Fault(f"{self.name}:{at.line}:{at.column}", what, mend))

    def settle(self) -> None:
        if self.faults:
            raise InputError(*self.faults)

    def line(self) -> list[_Token]:
        """The tokens of the next line that has any; none at the end of the file."""
        while self.next < len(self.lines):
            self.next += 1
            text = self.lines[self.next - 1]
            tokens = [_Token(each.group(), self.next, each.start() + 1) for each in _TOKEN.finditer(text)]
            if tokens:
                return tokens
        return []

    def numbers(self, count: int, what: str) -> list[_Token]:
        """``count`` number tokens from here, over as many lines as they fill; words after the last are comments."""
        found: list[_Token] = []
        while len(found) < count:
            tokens = self.line()
            numeric: list[_Token] = []
            for token in tokens:
                if len(found) + len(numeric) >= count and not _NUMERIC.match(token.text):
                    break
                numeric.append(token)
            if not numeric:
                end = _Token("", len(self.lines), 1)
                self.fault(tokens[0] if tokens else end, f"{len(found)} of {count} {what} are there")
                self.settle()
            found += numeric
        if len(found) > count:
            self.fault(found[count], f"{shown(found[count].text)} is one more than the {count} {what}")
            self.settle()
        return found

    def integer(self, token: _Token, what: str, least: int, most: int) -> int | None:
        if not _INTEGER.fullmatch(token.text):
            self.fault(token, f"the {what} {shown(token.text)} is not an integer of at most 9 digits")
        elif not least <= int(token.text) <= most:
            self.fault(token, f"the {what} {token.text} is not from {least} to {most}")
        else:
            return int(token.text)
        return None

    def value(self, token: _Token, known: dict[str, Fraction]) -> Fraction | None:
        if token.text not in known:
            try:
                known[token.text] = rational(token.text)
            except NotExactError as error:
                self.fault(token, error.what, error.mend)
                return None
        return known[token.text]

    def count(self, what: str, most: int) -> int:
        """The number that starts a line of its own: m, or the number of blocks."""
        number = self.integer(self.numbers(1, what)[0], what, 1, most)
        self.settle()
        return number or 0


def read_sdpa(path: Path) -> SdpaProgram:
    """The program of an SDPA sparse file, plain or gzipped.

    Raises InputError with every fault of the file: line, column, what is wrong.
    """
    raw = read_bytes(path, MOST_BYTES)
    if raw.startswith(b"\x1f\x8b"):
        raw = unpacked(raw, display(path))
    return parse_sdpa(decode(raw, display(path), _WANTED), display(path))


def parse_sdpa(text: str, name: str) -> SdpaProgram:
    """As read_sdpa, of a text; ``name`` stands in the error lines."""
    reader = _Reader(text, name)
    variables = reader.count("number of variables", MOST_VARIABLES)
    count = reader.count("number of blocks", MOST_BLOCKS)
    sizes = []
    for token in reader.numbers(count, "block sizes"):
        size = reader.integer(token, "block size", -LARGEST_BLOCK, LARGEST_BLOCK)
        if size == 0:
            reader.fault(token, "a block of size 0")
        sizes.append(size or 0)
    reader.settle()
    known: dict[str, Fraction] = {}
    cost = [reader.value(token, known) or Fraction(0) for token in reader.numbers(variables, "costs")]
    entries: list[dict[tuple[int, int, int], Fraction]] = [{} for _ in sizes]
    seen: dict[tuple[int, int, int, int], int] = {}
    for tokens in _entry_lines(reader):
        place = _place(reader, tokens, variables, sizes)
        value = reader.value(tokens[4], known)
        if place is None or value is None:
            continue
        matrix, block, row, column = place
        if place in seen:
            reader.fault(tokens[0], f"this entry stands already in line {seen[place]}", "give each entry once, i ≤ j")
        seen[place] = tokens[0].line
        if value:
            entries[block][matrix, row, column] = value
    reader.settle()
    blocks = tuple(
        SdpaBlock(abs(size), size < 0, tuple((*key, block[key]) for key in sorted(block)))
        for size, block in zip(sizes, entries, strict=True)
    )
    return SdpaProgram(tuple(cost), blocks)


def _entry_lines(reader: _Reader) -> Iterator[list[_Token]]:
    while tokens := reader.line():
        if len(tokens) < 5 or (len(tokens) > 5 and _NUMERIC.match(tokens[5].text)):
            reader.fault(tokens[0], f"{len(tokens)} numbers", "an entry is: matrix block row column value")
        else:
            yield tokens


def _place(reader: _Reader, tokens: list[_Token], variables: int, sizes: list[int]) -> tuple[int, int, int, int] | None:
    """(matrix, block, row, column) of an entry, row ≤ column; all but the matrix from 0."""
    matrix = reader.integer(tokens[0], _ENTRY[0], 0, variables)
    block = reader.integer(tokens[1], _ENTRY[1], 1, len(sizes))
    most = abs(sizes[block - 1]) if block else LARGEST_BLOCK
    row = reader.integer(tokens[2], _ENTRY[2], 1, most)
    column = reader.integer(tokens[3], _ENTRY[3], 1, most)
    if matrix is None or block is None or row is None or column is None:
        return None
    if sizes[block - 1] < 0 and row != column:
        reader.fault(tokens[2], f"({row}, {column}) is off the diagonal of the diagonal block {block}")
        return None
    return matrix, block - 1, min(row, column) - 1, max(row, column) - 1


def unpacked(raw: bytes, name: str) -> bytes:
    """The content of gzip members, at most MOST_BYTES of it."""
    parts: list[bytes] = []
    size = 0
    while raw:
        stream = zlib.decompressobj(wbits=31)
        try:
            part = stream.decompress(raw, MOST_BYTES + 1 - size)
        except zlib.error:
            raise InputError(Fault(name, "is a broken gzip file", "pack it again")) from None
        size += len(part)
        if size > MOST_BYTES:
            raise InputError(Fault(name, f"unpacks to more than {MOST_BYTES // MIB} MiB", "that is the limit"))
        if not stream.eof:
            raise InputError(Fault(name, "is a gzip file that ends early", "pack it again"))
        parts.append(part)
        raw = stream.unused_data
    return b"".join(parts)
