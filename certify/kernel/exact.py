"""Exact numbers and strict JSON: how the kernel reads a certificate.

Everything here is integer arithmetic. A certificate is untrusted text, so each reader names the rule that
was broken, the place in the file and the reason.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

MAX_BYTES = 1 << 28  # of a certificate, after decompression
MAX_VALUES = 1 << 26  # brackets, braces and commas of a certificate
MAX_BITS = 1 << 17  # of one integer
MAX_DIGITS = 40_000  # of one decimal, its sign included
MAX_ENTRIES = 25_000_000  # of one matrix or list
MAX_WORDS = 1 << 27  # 64-bit words of one matrix, every entry counted as the longest
MAX_WORK = 1 << 35  # products of two 64-bit words in one step of a check

_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)")
_HEX = re.compile(r"-?0x[0-9a-f]+")
_POWER = re.compile(r"2\^(?:0|[1-9][0-9]{0,6})")


class Rejected(Exception):
    """The certificate proves nothing: which rule it breaks, where in the file (no spaces), and why."""

    def __init__(self, rule: str, where: str, why: str) -> None:
        super().__init__(f"{rule} {where} {why}")
        self.rule, self.where, self.why = rule, where, why


def decimal_to_int(digits: str) -> int:
    """Read a decimal in halves: the interpreter refuses more than some 4,300 digits at once."""
    if digits[:1] == "-":
        return -decimal_to_int(digits[1:])
    if len(digits) <= 500:
        return int(digits)
    cut = len(digits) // 2
    unit: int = 10**cut
    return decimal_to_int(digits[:-cut]) * unit + decimal_to_int(digits[-cut:])


def int_to_decimal(value: int) -> str:
    """Write an integer of any size in decimal; the inverse of :func:`decimal_to_int`."""
    if value < 0:
        return "-" + int_to_decimal(-value)
    if value.bit_length() <= 1500:
        return str(value)
    cut = value.bit_length() * 3 // 20
    high, low = divmod(value, 10**cut)
    return int_to_decimal(high) + int_to_decimal(low).rjust(cut, "0")


def rational_text(value: Fraction) -> str:
    """``p/q`` in lowest terms, or ``p`` for an integer."""
    top = int_to_decimal(value.numerator)
    return top if value.denominator == 1 else f"{top}/{int_to_decimal(value.denominator)}"


def decimal_text(value: Fraction, upward: bool, digits: int = 15) -> str:
    """A decimal of about ``digits`` significant digits that is >= value (upward) or <= value."""
    magnitude = len(int_to_decimal(abs(value.numerator))) - len(int_to_decimal(value.denominator))
    places = max(0, digits - magnitude)
    scaled, rest = divmod(value.numerator * 10**places, value.denominator)
    scaled += 1 if upward and rest else 0
    text = int_to_decimal(abs(scaled)).rjust(places + 1, "0")
    whole, part = (text[:-places], text[-places:].rstrip("0")) if places else (text, "")
    return ("-" if scaled < 0 else "") + whole + ("." + part if part else "")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise Rejected("json.duplicate-key", f"file:{spot(key)}", "the key stands twice in one object")
        table[key] = value
    return table


def _no_float(text: str) -> Any:
    raise Rejected("number.not-exact", f"file:{spot(text)}", 'a floating-point number; write an integer or "p/q"')


def _json_integer(text: str) -> int:
    if len(text) < 20 and _DECIMAL.fullmatch(text):  # what follows gives the same, more slowly
        return int(text)
    return integer(text, f"file:{spot(text)}")


def read_json(data: bytes) -> Any:
    """Parse strict JSON: UTF-8, no duplicate key, no NaN, no float, nothing after the value."""
    if len(data) > MAX_BYTES:
        raise Rejected("json.size", "file", f"more than {MAX_BYTES} bytes")
    if sum(map(data.count, (b"[", b"{", b","))) > MAX_VALUES:
        raise Rejected("json.size", "file", f"more than {MAX_VALUES} brackets, braces and commas")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique_keys,
            parse_float=_no_float,
            parse_constant=_no_float,
            parse_int=_json_integer,
        )
    except UnicodeDecodeError as fault:
        raise Rejected("json.encoding", f"file:byte:{fault.start}", "not UTF-8") from None
    except json.JSONDecodeError as fault:
        raise Rejected("json.syntax", f"file:{fault.lineno}:{fault.colno}", fault.msg) from None
    except RecursionError:
        raise Rejected("json.depth", "file", "nested too deeply") from None


def shown(value: Any) -> str:
    """A value cut to a length that fits in a message; only its type if it may be long."""
    small = value is None or isinstance(value, (bool, float)) or (isinstance(value, int) and abs(value) < 1 << 64)
    text = value if isinstance(value, str) else repr(value) if small else type(value).__name__
    text = "".join(c if c.isprintable() else "?" for c in text[:60])
    return text if len(text) < 60 else text[:57] + "..."


def spot(key: Any) -> str:
    """A key as a part of a place: without spaces."""
    return shown(key).replace(" ", "_")


def mapping(value: Any, where: str, required: set[str], optional: set[str] = frozenset()) -> dict[str, Any]:  # type: ignore[assignment]
    """An object with exactly the required keys, and perhaps the optional ones."""
    if type(value) is not dict:
        raise Rejected("json.type", where, f"expected an object, found {shown(value)}")
    for key in value:
        if key not in required and key not in optional:
            raise Rejected("key.unknown", f"{where}.{spot(key)}", "not a key of this object")
    for key in sorted(required):
        if key not in value:
            raise Rejected("key.missing", f"{where}.{key}", "this key is required")
    return value


def kind(value: Any, where: str, allowed: tuple[str, ...]) -> str:
    """The ``kind`` of an object, one of the allowed words; its other keys are for :func:`mapping` to check."""
    if type(value) is not dict:
        raise Rejected("json.type", where, f"expected an object, found {shown(value)}")
    if "kind" not in value:
        raise Rejected("key.missing", f"{where}.kind", "this key is required")
    return text(value["kind"], f"{where}.kind", allowed)


def array(value: Any, where: str, length: int | None = None) -> list[Any]:
    """A list, of the given length if one is given."""
    if type(value) is not list:
        raise Rejected("json.type", where, f"expected a list, found {shown(value)}")
    if len(value) > MAX_ENTRIES:
        raise Rejected("size", where, f"more than {MAX_ENTRIES} entries")
    if length is not None and len(value) != length:
        raise Rejected("shape", where, f"expected {length} entries, found {len(value)}")
    return value


def text(value: Any, where: str, allowed: tuple[str, ...]) -> str:
    """One of the allowed words."""
    if type(value) is not str or value not in allowed:
        raise Rejected("word", where, f"expected one of {', '.join(allowed)}; found {shown(value)}")
    return value


def integer(value: Any, where: str, least: int | None = None, most: int | None = None) -> int:
    """A JSON integer, or decimal, hex or ``2^k`` text, within [least, most]."""
    if type(value) is int:
        number = value
    elif type(value) is not str:
        raise Rejected("number.type", where, f"expected an integer, found {shown(value)}")
    elif _DECIMAL.fullmatch(value):
        number = decimal_to_int(value) if len(value) <= MAX_DIGITS else 1 << MAX_BITS
    elif _HEX.fullmatch(value):
        number = int(value, 16)
    elif _POWER.fullmatch(value):
        number = 1 << min(int(value[2:]), MAX_BITS)
    else:
        raise Rejected("number.syntax", where, f"not an exact integer: {shown(value)}")
    if number.bit_length() > MAX_BITS:
        raise Rejected("number.size", where, f"an integer of more than {MAX_BITS} bits")
    if least is not None and number < least:
        raise Rejected("number.range", where, f"must be at least {least}")
    if most is not None and number > most:
        raise Rejected("number.range", where, f"must be at most {most}")
    return number


def rational(value: Any, where: str) -> Fraction:
    """An integer in any of its forms, or text ``p/q`` with q > 0."""
    if type(value) is str and value.count("/") == 1:
        top, bottom = value.split("/")
        return Fraction(integer(top, where), integer(bottom, where, least=1))
    return Fraction(integer(value, where))


def integer_rows(value: Any, where: str, count: int | None, width: Callable[[int], int] | None) -> list[list[int]]:
    """Rows of integers; row i has width(i) entries (None: as many as the first row)."""
    parsed: list[list[int]] = []
    total = words = 0
    for i, row in enumerate(array(value, where, count)):
        expected = width(i) if width is not None else len(parsed[0]) if parsed else None
        entries = array(row, f"{where}[{i}]", expected)
        parsed.append([])
        total += len(entries)
        if total > MAX_ENTRIES:
            raise Rejected("size", f"{where}[{i}]", f"more than {MAX_ENTRIES} entries")
        for j, entry in enumerate(entries):
            if type(entry) is not int or entry.bit_length() > 64:
                entry = integer(entry, f"{where}[{i}][{j}]")
                words += entry.bit_length() // 64
            parsed[i].append(entry)
            if words > MAX_WORDS:
                raise Rejected("size", f"{where}[{i}][{j}]", f"more than {MAX_WORDS} words of 64 bits")
    return parsed


def longest(rows: list[list[int]]) -> int:
    """The bit length of the longest entry."""
    return max((entry.bit_length() for row in rows for entry in row), default=0)


def affordable(where: str, count: int, *bits: int) -> None:
    """Refuse to multiply ``count`` times numbers of these lengths if a checker could not do it in minutes."""
    for length in bits:
        count *= length // 64 + 1
    if count > MAX_WORK:
        raise Rejected("work", where, f"this would take more than {MAX_WORK} products of 64-bit words")


def storable(where: str, count: int, bits: int) -> None:
    """Refuse to hold ``count`` integers of this length if they are more than memory should bear."""
    if count * (bits // 64 + 1) > MAX_WORDS:
        raise Rejected("size", where, f"this would hold more than {MAX_WORDS} words of 64 bits")


def matrix(
    value: Any, where: str, count: int | None, width: Callable[[int], int] | None
) -> tuple[int, list[list[int]]]:
    """``{"denominator": q, "rows": [[...]]}``: the common denominator q >= 1 and the numerators."""
    table = mapping(value, where, {"denominator", "rows"})
    denominator = integer(table["denominator"], f"{where}.denominator", least=1)
    return denominator, integer_rows(table["rows"], f"{where}.rows", count, width)
