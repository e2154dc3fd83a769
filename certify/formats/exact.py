"""Numbers as they are spelled: text, and objects in memory, to the rational they mean.

Every decimal in a file is the rational it spells ("0.1" is 1/10), every float in memory is the dyadic
rational it is. Sizes are bounded, so that ``1e999999999`` is a line and not a full memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

MOST_DIGITS = 4300
MOST_EXPONENT = 4300
RATIONAL_PATTERN = r"^\s*[+-]?(\d+/\d+|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)\s*$"

_NUMBER = re.compile(
    r"(?P<sign>[+-]?)(?:(?P<top>\d+)/(?P<bottom>\d+)"
    r"|(?:(?P<whole>\d+)(?:\.(?P<part>\d*))?|\.(?P<only>\d+))(?:[eE](?P<power>[+-]?\d+))?)",
    re.ASCII,
)
_MISSING = frozenset({"", "na", "n/a", "null", "none", "-", "--", "?", ".", "*", "missing"})
_NAN = frozenset({"nan", "-nan", "+nan", "nan()", "#n/a", "1.#qnan"})
_INFINITE = frozenset({"inf", "infinity", "∞"})


class NotExactError(ValueError):
    """Why something is not an exact finite number: ``what`` is wrong, and the ``mend``."""

    def __init__(self, what: str, mend: str = 'write a number or "p/q"') -> None:
        super().__init__(what)
        self.what = what
        self.mend = mend


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number token of a file, unread: a decimal, or what stands where a number should (nan, too long)."""

    text: str


def shown(value: object, width: int = 40) -> str:
    """``value`` for an error line: as a person would write it, on one line, cut to ``width`` characters."""
    if isinstance(value, Spelled):
        text = value.text
    elif isinstance(value, Mapping):
        text = "a table"
    elif isinstance(value, list | tuple):
        text = f"a list of {len(value)}"
    elif isinstance(value, str):
        text = repr(value[: width + 2])
    elif isinstance(value, bool) or value is None:
        text = {True: "true", False: "false", None: "null"}[value]
    else:
        try:
            text = str(value)
        except ValueError:  # an integer that is too long to print
            text = "a very long number"
    return text if len(text) <= width + 4 else f"{text[:width]}…"


def looks_missing(text: str) -> bool:
    """Whether a cell says that there is no number here (empty, NaN, NA, inf, …): an error, never a name."""
    low = text.strip().lower()
    return low in _MISSING or low in _NAN or low.lstrip("+-") in _INFINITE


def is_number(text: str) -> bool:
    """Whether ``text`` spells a number; its size is not judged."""
    return _NUMBER.fullmatch(text.strip()) is not None


def rational(text: str) -> Fraction:
    """The rational that ``text`` spells: an integer, a decimal with or without exponent, or ``p/q``.

    Raises NotExactError: missing, NaN, infinite, no number, a zero denominator, more than 4,300 digits, or an
    exponent beyond ±4,300.
    """
    text = text.strip()
    if len(text) > 2 * MOST_DIGITS + 12:
        raise NotExactError(f"{shown(text)} has {len(text):,} characters", f"at most {MOST_DIGITS:,} digits")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise _no_number(text)
    sign = -1 if match["sign"] == "-" else 1
    if match["top"]:
        _short(match["top"], match["bottom"])
        bottom = int(match["bottom"])
        if bottom == 0:
            raise NotExactError(f"{shown(text)} has denominator zero")
        return Fraction(sign * int(match["top"]), bottom)
    whole, part = match["whole"] or "", match["part"] or match["only"] or ""
    _short(whole + part)
    power = match["power"] or "0"
    if len(power) > 12 or abs(int(power)) > MOST_EXPONENT:
        raise NotExactError(
            f"the exponent of {shown(text)} is out of range",
            f"exponents go from -{MOST_EXPONENT:,} to {MOST_EXPONENT:,}",
        )
    shift = int(power) - len(part)
    digits = sign * int(whole + part)
    return Fraction(digits * 10**shift) if shift >= 0 else Fraction(digits, 10**-shift)


def exact_number(value: Any) -> Fraction:
    """A number in memory (int, Fraction, float, Decimal, a numpy scalar) or its text, as a rational.

    Raises NotExactError for whatever is not an exact finite real number; ``True`` is not one.
    """
    if isinstance(value, Fraction):
        return value
    if isinstance(value, Spelled):
        return rational(value.text)
    if isinstance(value, str):
        return rational(value)
    if value is None:
        raise NotExactError("missing (null)")
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()  # numpy: float32 and integers become exact Python numbers
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | Rational):
        raise NotExactError(f"{shown(value)} is not a number")
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        raise NotExactError(f"{shown(value)} is not finite") from None


def _short(*digits: str) -> None:
    longest = max(map(len, digits))
    if longest > MOST_DIGITS:
        raise NotExactError(f"a number of {longest:,} digits", f"at most {MOST_DIGITS:,} digits")


def _no_number(text: str) -> NotExactError:
    low = text.lower()
    if low in _NAN:
        return NotExactError("NaN is not a number")
    if low.lstrip("+-") in _INFINITE:
        return NotExactError(f"{text} is not finite")
    if low in _MISSING:
        return NotExactError("missing" if not text else f"missing ({text})")
    if re.fullmatch(r"[+-]?\d+,\d+", text):
        return NotExactError(f"{shown(text)} has a decimal comma", "write a decimal point")
    return NotExactError(f"{shown(text)} is not a number")
