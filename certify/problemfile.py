"""Problem files: TOML, or JSON with the same keys, to a Problem. Every fault names the key and the line.

Rules
- ``.json`` is JSON, ``.toml`` is TOML; anything else, and standard input (``-``), is JSON when it starts with ``{``.
- A file has at most 16 MiB (larger data belong into .csv or .npy files beside it) and is UTF-8; a byte-order
  mark is skipped.
- Every decimal is the rational that it spells; text ``"p/q"`` is a rational. NaN and infinities, numbers of more
  than 4,300 digits, keys that occur twice and unknown keys are errors.
- Paths in a file are relative to its folder; for standard input, to the working folder.
"""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NoReturn, get_args

from certify.errors import Fault, InputError
from certify.formats.exact import MOST_DIGITS, Spelled, shown
from certify.formats.places import Key, json_duplicates, place_of, places
from certify.formats.text import MIB, display, read_text
from certify.problem import About, Family, Known, Problem, SolveOptions, families

if TYPE_CHECKING:
    from pydantic import BaseModel
    from pydantic_core import ErrorDetails

    from certify.formats.places import Place, Places

MOST_BYTES = 16 * MIB
MOST_NAMED = 2000  # faults beyond these are only counted: 20 are shown
MOST_TABLES = 10_000  # a list of more tables takes the parser minutes
WANTED = "a problem file: TOML, or JSON (`certify init FAMILY` writes one to start from)"

Syntax = Literal["toml", "json"]


@dataclass(frozen=True)
class Source:
    """A problem file as text that its parser has accepted: says where keys stand."""

    path: Path
    text: str = field(repr=False)
    syntax: Syntax

    @cached_property
    def _places(self) -> Places:
        return places(self.text, self.syntax)

    def place(self, path: Sequence[Key]) -> Place | None:
        """Line and column of the deepest part of ``path`` that is in the file."""
        return self._places.find(path)

    def where(self, *path: Key) -> str:
        """``file:line:col: key.path``; without line and column when not even its first key is in the file."""
        place = self.place(path)
        spot = "" if place is None else ":{}:{}".format(*place)
        return ": ".join(part for part in (f"{display(self.path)}{spot}", dotted(path)) if part)

    def fault(self, path: Sequence[Key], what: str, mend: str = "") -> Fault:
        """A fault at a key."""
        return Fault(self.where(*path), what, mend)


@dataclass(frozen=True)
class ProblemFile:
    """A problem file that has passed validation.

    path: the file (``-``: standard input); folder: what its paths are relative to; data: the family's own
    model, filled; about: title, source, known and solve. Data files are not read yet.
    """

    path: Path
    folder: Path
    data: BaseModel
    about: About
    source: Source = field(repr=False)
    chosen: int | None = None  # of a file that states several problems, the one that was named: FILE#k=3

    def where(self, *path: Key) -> str:
        """``file:line:col: key.path`` of a key, for errors: ``where("metric", "distances", 0, 1)``."""
        return self.source.where(*path)

    def fault(self, path: Sequence[Key], what: str, mend: str = "") -> Fault:
        """A fault at a key of this file."""
        return self.source.fault(path, what, mend)

    def resolve(self, path: Sequence[Key], name: str) -> Path:
        """The data file that the key ``path`` names, relative to the folder.

        Raises InputError at the key when there is no such file.
        """
        found = self.folder / name
        try:
            there = found.exists()
        except (OSError, ValueError):
            there = False
        if not there:
            mend = "paths are relative to the folder of the problem file"
            raise InputError(self.fault(path, f"there is no file {shown(name, 80)}", mend))
        return found


def load(path: str | Path) -> Problem:
    """The problem in a file; of one that states several, as ``FILE#k=3``. Raises InputError with every fault."""
    name, chosen = one_of(str(path))
    file, family = _read(name)
    if chosen is None:
        return family.from_file(file)
    known = file.about.known if isinstance(getattr(file.data, "k", None), int) else None
    return family.from_file(replace(file, chosen=chosen, about=replace(file.about, known=known)))


def one_of(path: str) -> tuple[str, int | None]:
    """The file and the number of ``FILE#k=3``; None for a plain file."""
    found = re.fullmatch(r"(.*)#k=([1-9][0-9]{0,5})", path)
    return (found[1], int(found[2])) if found else (path, None)


def several(path: str) -> list[str]:
    """The names of the problems in a file, as :func:`load` takes them: mostly the file itself. A file that cannot be
    read is one problem, and loading it says what is wrong."""
    try:
        file, family = _read(path) if path != "-" else (None, None)
        choices = getattr(family, "choices", lambda file: None)(file)
    except InputError:
        return [path]
    return [path] if choices is None else [f"{path}#k={k}" for k in choices]


def read(path: str | Path) -> ProblemFile:
    """The validated keys of a problem file; ``-`` is standard input.

    Raises InputError with every fault of the file, one line each.
    """
    return _read(path)[0]


def _read(path: str | Path) -> tuple[ProblemFile, Family]:
    path = Path(path)
    text = read_text(path, MOST_BYTES, WANTED)
    suffix = path.suffix.lower()
    sniffed: Syntax = "json" if text.lstrip().startswith("{") else "toml"
    syntax: Syntax = "json" if suffix == ".json" else "toml" if suffix == ".toml" else sniffed
    name = display(path)
    raw = _parse_json(text, name) if syntax == "json" else _parse_toml(text, name)
    source = Source(path, text, syntax)
    if "witnesses" in raw and "problem" in raw:
        raise InputError(Fault(name, "is a certificate, not a problem file", "use `certify check`, or --from"))
    family = _family(raw, source)
    data = _validate(raw, family, source)
    folder = Path() if name == "<stdin>" else path.parent
    return ProblemFile(path, folder, data, _about(data), source), family


# --- text to raw data ---------------------------------------------------------------------------------

_AT = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG = re.compile(rf"[0-9_]{{{MOST_DIGITS + 1},}}")
_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_DEEP_KEY = re.compile(rf"(?:^|[\[{{,])[ \t]*+{_PART}(?:\.[ \t]*+{_PART}){{32}}", re.MULTILINE)
_HEADER = re.compile(r"^[ \t]*\[\[?[\w .\"'-]+\]\]?[ \t]*$", re.MULTILINE)
_TOML_MENDS = {
    "Invalid value": 'text stands in quotes, a fraction is written "1/3"',
    "Cannot overwrite a value": "a key may be given once",
    "Cannot declare": "a table may be opened once",
    "Expected '=' after a key": "a line reads key = value",
    "Unclosed array": "close it with ] and part its values by commas",
    "Unclosed inline table": "close it with } and keep it on one line",
    "Unterminated string": "close the quotes",
    "Expected newline or end of document": 'one key = value a line; text stands in quotes, a fraction is written "1/3"',
    "Expected ']'": "close the bracket",
    'Expected "\'"': "close the quotes",
    "Invalid statement": "a line reads key = value, or [section]",
    "Invalid initial character": "a key has letters, digits, - and _, or quotes",
    "Illegal character": "a text ends on the line where it starts",
}


def _parse_toml(text: str, name: str) -> dict[str, Any]:
    deep = _DEEP_KEY.search(text)
    if deep is not None:  # the parser takes quadratic time on those
        line, column = place_of(text, deep.start())
        raise InputError(Fault(f"{name}:{line}:{column}", "a dotted key of more than 32 parts", "no key is so deep"))
    if sum(1 for _ in islice(_HEADER.finditer(text), MOST_TABLES + 1)) > MOST_TABLES:
        raise InputError(Fault(name, f"has more than {MOST_TABLES:,} tables", "put the data into a .csv beside it"))
    try:
        return tomllib.loads(text, parse_float=Spelled)
    except tomllib.TOMLDecodeError as error:
        raise InputError(_toml_fault(error, text, name)) from None
    except RecursionError:
        _too_deep(name)
    except ValueError:  # int() on too many digits
        found = _LONG.search(text)
        line, column = place_of(text, found.start() if found else 0)
        what, mend = f"an integer of more than {MOST_DIGITS:,} digits", "no number may be so long"
        raise InputError(Fault(f"{name}:{line}:{column}", what, mend)) from None


def _toml_fault(error: tomllib.TOMLDecodeError, text: str, name: str) -> Fault:
    message = str(error)
    at = _AT.search(message)
    what = shown(Spelled(re.sub(r"\('([^)]*?)',?\)", r"\1", _AT.sub("", message)).replace("', '", ".")), 80)
    mend = next((mend for start, mend in _TOML_MENDS.items() if what.startswith(start)), "see https://toml.io")
    if text.lstrip().startswith("{"):
        mend = "this looks like JSON: name it .json"
    if at is None or at[1] is None:
        line, column = place_of(text, len(text.rstrip()))
        if what.startswith(("Invalid value", "Unterminated")):
            mend = "a bracket or a quote is not closed, or a value is missing"
        if not what.startswith("Cannot"):
            what = f"{what} at the end of the file"
    else:
        line, column = int(at[1]), int(at[2])
    return Fault(f"{name}:{line}:{column}", f"TOML: {what[:1].lower()}{what[1:]}", mend)


def _parse_json(text: str, name: str) -> dict[str, Any]:
    twice: list[str] = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(members)
        if len(table) != len(members):
            twice.append("")
        return table

    def whole(digits: str) -> int | Spelled:
        return int(digits) if len(digits) <= MOST_DIGITS else Spelled(digits)

    try:
        raw = json.loads(text, parse_float=Spelled, parse_int=whole, parse_constant=Spelled, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        what = f"JSON: {error.msg[:1].lower()}{error.msg[1:]}".removesuffix(" starting at")
        raise InputError(Fault(f"{name}:{error.lineno}:{error.colno}", what, _json_mend(error))) from None
    except RecursionError:
        _too_deep(name)
    if twice:
        raise InputError(
            *(
                Fault(
                    "{}:{}:{}: {}".format(name, *second, dotted(path)),
                    f"is given twice, first in line {first[0]}",
                    "keep one",
                )
                for path, second, first in json_duplicates(text)
            )
        )
    if not isinstance(raw, dict):
        raise InputError(Fault(name, "JSON: the file is not an object", 'it should read {"family": …}'))
    return raw


def _json_mend(error: json.JSONDecodeError) -> str:
    if error.msg.startswith("Unterminated string"):
        return "close the quotes"
    here = error.doc[error.pos : error.pos + 1]
    if error.pos >= len(error.doc.rstrip()):
        return "the file ends too early"
    if here == "'":
        return "text stands in double quotes"
    if here in "]}" or error.msg.startswith(("Expecting property name", "Illegal trailing comma")):
        return "there is a comma too many, or a value is missing"
    return "see https://json.org"


def _too_deep(name: str) -> NoReturn:
    raise InputError(Fault(name, "is nested too deeply", "a problem file has at most four levels")) from None


# --- raw data to a validated model --------------------------------------------------------------------


def _family(raw: Mapping[str, Any], source: Source) -> Family:
    found = families()
    names = f"families: {', '.join(found)}"
    if "family" not in raw:
        raise InputError(source.fault(("family",), "missing", f'write family = "…" in the first line; {names}'))
    name = raw["family"]
    if not isinstance(name, str):
        raise InputError(source.fault(("family",), f"{shown(name)} is not the name of a family", names))
    if name not in found:
        raise InputError(
            source.fault(("family",), f"no family is called {shown(name)}", _did_you_mean(name, found) or names)
        )
    return found[name]


def _validate(raw: dict[str, Any], family: Family, source: Source) -> BaseModel:
    from pydantic import ValidationError

    from certify.formats.schema import Patience

    patience = Patience(MOST_NAMED)
    model = family.file_model()
    data: BaseModel | None = None
    unnamed = 0
    wrong: list[tuple[tuple[Key, ...], str, str]] = [*_misuses(model, raw, ())]
    try:
        data = model.model_validate(raw, context=patience)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            if detail["type"] == "misuse" and wrong:  # it is in the list already, with its key
                continue
            if len(wrong) < MOST_NAMED:
                path = _path(detail["loc"])
                wrong.append((path, *_say(detail, model, path)))
            else:
                unnamed += 1
    quantities = (family.quantity.name, *(quantity.name for quantity in family.derived))
    named = raw["known"].get("quantity") if isinstance(raw.get("known"), dict) else None
    if isinstance(named, str) and named not in quantities:
        mend = _did_you_mean(named, quantities) or f"one of: {', '.join(quantities)}"
        wrong.append((("known", "quantity"), f"{family.name} has no quantity {shown(named)}", mend))
    if wrong or data is None:
        more = repeat(Fault("", "more of the kind"), unnamed + patience.unnamed)
        raise InputError(*_located(source, wrong), *more)
    return data


def _located(source: Source, wrong: Sequence[tuple[tuple[Key, ...], str, str]]) -> Iterator[Fault]:
    """Faults in the order of the file."""
    for path, what, mend in sorted(wrong, key=lambda one: source.place(one[0]) or (0, 0)):
        yield source.fault(path, what, mend)


def _path(loc: Sequence[Key]) -> tuple[Key, ...]:
    from certify.formats.schema import TAGS

    return tuple(part for part in loc if part not in TAGS)


def _misuses(
    model: type[BaseModel], raw: Mapping[str, Any], path: tuple[Key, ...]
) -> Iterator[tuple[tuple[Key, ...], str, str]]:
    """Faults between keys, in this section and those below it."""
    from certify.formats.schema import Section

    if issubclass(model, Section):
        for misuse in model.misuse(raw):
            yield (*path, *misuse.key), misuse.what, misuse.mend
    for key, value in raw.items():
        below = _section(model, key)
        if below is not None and isinstance(value, dict):
            yield from _misuses(below, value, (*path, key))


def _section(model: type[BaseModel], key: Key) -> type[BaseModel] | None:
    """The model of the section that a key of ``model`` opens, if it does."""
    from pydantic import BaseModel

    todo = [model.model_fields[key].annotation] if isinstance(key, str) and key in model.model_fields else []
    while todo:
        kind: Any = todo.pop()
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
        todo.extend(get_args(kind))
    return None


_TYPES = {
    "string_type": "text in quotes",
    "string_unicode": "text",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
}


def _say(error: ErrorDetails, model: type[BaseModel], path: tuple[Key, ...]) -> tuple[str, str]:
    """What is wrong and the mend, of one error of pydantic."""
    kind, context, value = error["type"], error.get("ctx", {}), error.get("input")
    if kind == "extra_forbidden":
        return "unknown key", _unknown(model, path)
    if kind == "missing":
        return "missing", f"add [{path[-1]}]" if len(path) == 1 and _section(model, path[0]) else f"add {path[-1]} = …"
    if kind in ("fault", "misuse"):
        return str(context["what"]), str(context["mend"])
    if kind == "literal_error":
        return f"{shown(value)} is not one of the choices", f"one of {context['expected']}"
    if kind == "greater_than_equal":
        return f"{shown(value)} is too small", f"at least {context['ge']}"
    if kind in _TYPES:
        return f"{shown(value)} stands where {_TYPES[kind]} should", f"write {_TYPES[kind]}"
    return error["msg"], ""


def _unknown(model: type[BaseModel], path: tuple[Key, ...]) -> str:
    """What may have been meant by an unknown key."""
    inner, key = model, str(path[-1])
    for part in path[:-1]:
        inner = _section(inner, part) or inner
    if key in inner.model_fields:
        return ""
    if inner is not model and key in model.model_fields:
        return "it belongs above the first [section]"
    for name in model.model_fields:
        below = _section(model, name)
        if below is not None and below is not inner and key in below.model_fields:
            return f"it belongs into [{name}]"
    return _did_you_mean(key, inner.model_fields) or f"keys here: {', '.join(inner.model_fields)}"


def _did_you_mean(name: str, names: Sequence[str] | Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name[:80], list(names), n=1)
    return f"did you mean {close[0]}?" if close else ""


def _about(data: BaseModel) -> About:
    from certify.formats.schema import FileModel

    if not isinstance(data, FileModel):  # a third party's own model: what it has of these keys is its own affair
        return About()
    known, solve = data.known, data.solve
    return About(
        title=data.title,
        source=data.source,
        known=None if known is None else Known(known.value, known.relation, known.quantity, known.source),
        solve=SolveOptions(
            solve.gap,
            solve.abs_gap,
            None if solve.time_limit is None else float(min(solve.time_limit, Fraction(10**9))),
            solve.solver,
            solve.seed,
        ),
    )


def dotted(path: Sequence[Key]) -> str:
    """``metric.distances.0.1``"""
    return ".".join(str(part) if len(str(part)) <= 60 else f"{str(part)[:60]}…" for part in path)
