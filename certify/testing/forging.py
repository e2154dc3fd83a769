"""Forged certificates: every field of a document changed in every way that a liar or a bug would.

A :class:`Forgery` is the bytes of a file. Those of :func:`respellings` say the same in other words and must be
accepted with the same statements. The others may be accepted only if what is then stated is true of the forged
file's own problem; whoever runs the campaign brings the truth.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Path = tuple[str | int, ...]
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)|-?0x[0-9a-f]+|2\^[0-9]+")
LONG = "1" * 100_000
RAW_VALUES = ("null", "true", "false", "NaN", "Infinity", "-Infinity", "1e5", "1.0", "-0.0", "1E400", LONG, f"-{LONG}")
ODD_TEXTS = ("", "x", "2^99999999", "2^131073", "1/0", "1/-1", "0x", "1.0", " 1", "1\n", "+1", "１", "01", "1_0", "-")
TAILS = {"brace": b"}", "comma": b",", "nul": b"\x00", "value": b" {}", "comment": b"// ok"}
REMOVE = object()


@dataclass(frozen=True)
class Raw:
    """Text that :func:`written` puts into JSON as it stands: ``Raw("NaN")``, ``Raw("1.0")``."""

    text: str


@dataclass(frozen=True)
class Forgery:
    """A forged file and what was done to it."""

    name: str
    data: bytes


def written(value: Any) -> str:
    """JSON text of a document that may hold :class:`Raw` parts and integers of any size."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{written(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def number_of(value: Any) -> int | None:
    """The integer that a JSON value spells in any of the accepted spellings; None if it is none."""
    if type(value) is int:
        return value
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return None
    if len(value) > 1000 or (value.startswith("2^") and len(value) > 5):
        return None  # too long to play with
    if value.startswith("2^"):
        return 1 << int(value[2:])
    return int(value, 16) if "0x" in value else int(value)


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """The place of every part of a document, the document itself included, containers before what they hold."""
    yield at
    entries: Any = ()
    if isinstance(value, dict):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, entry in entries:
        yield from paths(entry, (*at, key))


def part(document: Any, path: Path) -> Any:
    """What stands at a place."""
    for key in path:
        document = document[key]
    return document


def changed(document: Any, path: Path, value: Any) -> Any:
    """A copy of a document with another value at a place, or with the place removed."""
    if not path:
        return value
    copy = deepcopy(document)
    home = part(copy, path[:-1])
    if value is REMOVE:
        del home[path[-1]]
    else:
        home[path[-1]] = value
    return copy


def named(path: Path) -> str:
    """A place as it is written in a verdict: ``witnesses[0].points.rows[1]``."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.lstrip(".") or "certificate"


Change = tuple[str, Any]


def respelled(value: Any) -> Iterator[Change]:
    """Other spellings of the same number."""
    number = number_of(value)
    if number is None:
        if isinstance(value, str) and value.count("/") == 1:
            top, bottom = map(number_of, value.split("/"))
            if top is not None and bottom is not None:
                yield "rational in hex", f"{_hex(top)}/{_hex(bottom)}"
                yield "rational not in lowest terms", f"{3 * top}/{3 * bottom}"
        return
    yield "integer", number
    yield "decimal text", str(number)
    yield "hex", _hex(number)
    yield "hex with zeros", _hex(number).replace("0x", "0x000")
    if number > 0 and number & (number - 1) == 0:
        yield "power of two", f"2^{number.bit_length() - 1}"
    if number == 0:
        yield "minus zero", Raw("-0")


def _hex(number: int) -> str:
    return ("-" if number < 0 else "") + hex(abs(number))


def changes(value: Any) -> Iterator[Change]:
    """What a forger may write in the place of a value."""
    for text in RAW_VALUES:
        yield f"{text[:8]} instead", Raw(text)
    others: list[Any] = [[], {}, [[]], *ODD_TEXTS]
    for other in others:
        yield f"{json.dumps(other)[:12]} instead", other
    if isinstance(value, dict):
        for key in value:
            yield f"without {key}", {k: v for k, v in value.items() if k != key}
            yield f"{key} renamed", {(k + "_" if k == key else k): v for k, v in value.items()}
        yield "unknown key", {**value, "sigma": 1}
        yield "empty key", {**value, "": 1}
        yield "surrogate key", {**value, "\ud800": 1}
    elif isinstance(value, list):
        yield from _list_changes(value)
    else:
        yield from _number_changes(value)


def _list_changes(value: list[Any]) -> Iterator[Change]:
    yield "last removed", value[:-1]
    yield "first removed", value[1:]
    yield "in an extra list", [value]
    yield "reversed", value[::-1]
    yield "rotated", value[1:] + value[:1]
    if value:
        yield "last twice", [*value, value[-1]]
        yield "first twice", [value[0], *value]
        yield "zero added", [*value, 0]
        yield "first two swapped", value[1::-1] + value[2:]
        yield "middle removed", value[: len(value) // 2] + value[len(value) // 2 + 1 :]
    if value and all(isinstance(row, list) for row in value):
        least, most = min(map(len, value)), max(map(len, value))
        yield "transposed", [[row[j] for row in value] for j in range(least)]
        yield "mirrored triangle", [[row[j] for row in value if j < len(row)] for j in range(most)]
        yield "first column removed", [row[1:] for row in value]
        yield "last column removed", [row[:-1] for row in value]
        yield "a zero column more", [[*row, 0] for row in value]
        yield "one row shorter", [*value[:-1], value[-1][:-1]]
        yield "zeros", [[0] * len(row) for row in value]
    if value and all(number_of(entry) is not None for entry in value):
        yield "all negative", [-(number_of(entry) or 0) for entry in value]
        yield "all doubled", [2 * (number_of(entry) or 0) for entry in value]


def _number_changes(value: Any) -> Iterator[Change]:
    number = number_of(value)
    if number is None:
        if isinstance(value, str) and value.count("/") == 1:
            top, bottom = value.split("/")
            yield from (
                ("upside down", f"{bottom}/{top}"),
                ("denominator twice as large", f"{top}/{2 * (number_of(bottom) or 1)}"),
                ("denominator 0", f"{top}/0"),
                ("negative", f"-{top}/{bottom}"),
                ("three parts", f"{value}/1"),
            )
        return
    yield "sign changed", -number
    for step in (-2, -1, 1, 2):
        yield f"off by {step:+d}", number + step
    yield "zero", 0
    yield "one", 1
    yield "doubled", 2 * number
    yield "tenfold", 10 * number
    yield "halved", number // 2
    yield "last bit flipped", number ^ 1
    yield "a large number", 10**40 + number
    yield "a float of the same value", Raw(f"{number}.0")
    yield "an exponent", Raw(f"{number}e0")
    yield "in capitals", f"0X{abs(number):X}"


def forgeries(document: dict[str, Any], step: int = 1) -> Iterator[Forgery]:
    """Every change of every part, one at a time (or every step-th), then those of the text and the container."""
    for name, parts in islice(_changes_of_parts(document), 0, None, step):
        changed_document: Any = document
        for path, value in parts:
            changed_document = changed(changed_document, path, value)
        yield Forgery(name, written(changed_document).encode())
    yield from raw_forgeries(written(document).encode())


def _changes_of_parts(document: Any) -> Iterator[tuple[str, list[tuple[Path, Any]]]]:
    for path in paths(document):
        for name, value in changes(part(document, path)):
            yield f"{named(path)}: {name}", [(path, value)]
    for path in paths(document):
        value = part(document, path)
        later = [other for other in paths(document) if other > path and other[: len(path)] != path]
        for other in [other for other in later if _alike(part(document, other), value)][:6]:
            yield f"{named(path)} swapped with {named(other)}", [(path, part(document, other)), (other, value)]


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, (dict, list)) or isinstance(other, (dict, list)):
        return isinstance(one, list) and isinstance(other, list) and len(one) == len(other) and one != other
    return number_of(one) is not None and number_of(other) is not None and one != other


def respellings(document: dict[str, Any]) -> Iterator[Forgery]:
    """Files that say exactly the same: other spellings of a number, of a key, other white space, gzip."""
    for path in paths(document):
        for name, value in respelled(part(document, path)):
            yield Forgery(f"{named(path)}: {name}", written(changed(document, path, value)).encode())
    text = written(document)
    yield Forgery("white space", json.dumps(document, indent=3).replace("\n", "\r\n\t").encode())
    yield Forgery("keys in reverse order", written(_reversed_keys(document)).encode())
    yield Forgery("escaped letters", text.replace('"family"', '"\\u0066amily"').encode())
    yield Forgery("gzip", gzip.compress(text.encode(), mtime=0))
    yield Forgery("gzip, stored", gzip.compress(text.encode(), 0, mtime=0))
    yield Forgery("gzip with a name", _gzip_with_name(text.encode()))
    yield Forgery("made by a liar", written({**document, "made_by": {"value": "0", "proved": True}}).encode())


def _gzip_with_name(data: bytes) -> bytes:
    plain = gzip.compress(data, mtime=0)
    return plain[:3] + b"\x08" + plain[4:10] + b"name\x00" + plain[10:]


def _reversed_keys(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed_keys(value[key]) for key in reversed(value)}
    return [_reversed_keys(entry) for entry in value] if isinstance(value, list) else value


def raw_forgeries(data: bytes) -> Iterator[Forgery]:
    """Changes of the text and of the container. All must be rejected."""
    text = data.decode()
    for match in list(re.finditer(r'"[a-z_]+":', text)):
        twice = text[: match.start()] + match.group() + "0," + text[match.start() :]
        yield Forgery(f"{match.group()} twice", twice.encode())
    escaped = text.replace('{"', '{"\\u0066ormat":"certify/1","', 1)
    yield Forgery("format twice, once escaped", escaped.encode())
    for name, tail in TAILS.items():
        yield Forgery(f"trailing {name}", data + tail)
    yield Forgery("twice in a row", data + data)
    yield Forgery("BOM", b"\xef\xbb\xbf" + data)
    yield Forgery("UTF-16", text.encode("utf-16"))
    yield Forgery("invalid UTF-8", data.replace(b'"kind"', b'"ki\xffnd"'))
    yield Forgery("overlong UTF-8", data.replace(b'"kind"', b'"k\xc1\xa9nd"'))
    yield Forgery("surrogate in UTF-8", data.replace(b'"kind"', b'"\xed\xa0\x80kind"'))
    yield Forgery("lone surrogate", data.replace(b'"kind"', b'"\\ud800kind"'))
    yield Forgery("control character", data.replace(b'"kind"', b'"kind\n"'))
    yield Forgery("comment", data.replace(b"{", b"{/* */", 1))
    yield Forgery("single quotes", data.replace(b'"', b"'"))
    yield Forgery("comma before the end", data[:-1] + b",}")
    yield Forgery("deep list", data[:-1] + b',"made_by":{"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}}")
    yield Forgery("deep object", data[:-1] + b',"made_by":' + b'{"x":' * 100_000 + b"0" + b"}" * 100_000 + b"}")
    yield Forgery("only opened", b"[" * 1_000_000)
    yield Forgery("empty", b"")
    yield Forgery("a list around it", b"[" + data + b"]")
    for cut in (1, len(data) // 3, len(data) // 2, len(data) - 1):
        yield Forgery(f"cut at {cut}", data[:cut])
    packed = gzip.compress(data, mtime=0)
    for cut in (2, 9, 15, len(packed) // 2, len(packed) - 9, len(packed) - 8, len(packed) - 1):
        yield Forgery(f"gzip cut at {cut}", packed[:cut])
    yield Forgery("gzip and a byte", packed + b"\x00")
    yield Forgery("gzip twice in a row", packed + packed)
    yield Forgery("gzip and an empty member", packed + gzip.compress(b"", mtime=0))
    yield Forgery("gzip in gzip", gzip.compress(packed, mtime=0))
    yield Forgery("gzip with a wrong checksum", packed[:-8] + bytes([packed[-8] ^ 1]) + packed[-7:])
    yield Forgery("gzip with a wrong length", packed[:-1] + bytes([packed[-1] ^ 1]))
    yield Forgery("gzip with a broken stream", packed[:12] + bytes(b ^ 0x55 for b in packed[12:40]) + packed[40:])
    yield Forgery("zlib without gzip", zlib.compress(data))
    yield Forgery("gzip of nothing", gzip.compress(b"", mtime=0))


def bomb(size: int) -> bytes:
    """A gzip file of ``size`` blanks, a thousand times smaller than what it holds."""
    engine = zlib.compressobj(9, wbits=31)
    block = b" " * (1 << 20)
    pieces = [engine.compress(block) for _ in range(size >> 20)]
    return b"".join([*pieces, engine.compress(block[: size & ((1 << 20) - 1)]), engine.flush()])


def composed(documents: Sequence[dict[str, Any]], seed: int) -> Forgery:
    """One of the documents, changed in one to three places, or with parts of another: the same for a seed."""
    dice = Random(seed)
    document: Any = dice.choice(documents)
    names = []
    for _ in range(dice.choice((1, 1, 2, 3))):
        places = [path for path in paths(document) if path and not isinstance(part(document, path), Raw)]
        mild = [path for path in places if isinstance(part(document, path), list) or _spells(part(document, path))]
        how = dice.randrange(20)
        path = dice.choice(mild if how < 16 and mild else places or [()])
        value = part(document, path)
        if how < 16 and mild:
            name, other = dice.choice([*_own_changes(value), *respelled(value)])
        elif how < 18 and path:
            donor = dice.choice(documents)
            name, other = "from another certificate", part(donor, dice.choice(list(paths(donor))[1:]))
        elif how < 19 and path:
            name, other = "removed", REMOVE
        else:
            name, other = dice.choice(list(changes(value)))
        document = changed(document, path, other)
        names.append(f"{named(path)}: {name}")
    return Forgery("; ".join(names), written(document).encode())


def forged(documents: Sequence[dict[str, Any]]) -> SearchStrategy[Forgery]:
    """:func:`composed` as a hypothesis strategy; what was done is in the name, so there is nothing to shrink."""
    from hypothesis import strategies as st

    return st.integers(0, 2**64 - 1).map(lambda seed: composed(documents, seed))


def _spells(value: Any) -> bool:
    return number_of(value) is not None or (isinstance(value, str) and value.count("/") == 1)


def _own_changes(value: Any) -> Iterator[Change]:
    """The changes that keep the type, so that the result may still be a certificate."""
    if isinstance(value, list):
        yield from _list_changes(value)
    elif not isinstance(value, dict):
        yield from _number_changes(value)
