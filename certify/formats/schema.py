"""The keys of problem files, as pydantic models. Imported only when a file is read: pydantic is slow to load.

A family's model is a FileModel (or MetricFile, …) with its own keys. Sections forbid unknown keys and are
frozen. Rules between keys are said once, in ``misuse``, which sees raw data as well as validated data, so
that they are reported together with faults of single values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from certify.formats.exact import RATIONAL_PATTERN, NotExactError, Spelled, exact_number, shown

ROWS, PATH = "~rows", "~path"  # tags of a choice: in pydantic's error places, never in a person's file
TAGS = frozenset({ROWS, PATH})


def _fault(what: str, mend: str = "") -> PydanticCustomError:
    return PydanticCustomError("fault", "{what}", {"what": what, "mend": mend})


class Patience:
    """The context of a validation that gives up naming bad numbers one by one, and only counts them, at a limit.

    A matrix of a million bad entries is refused in the time of one that is good.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bad = 0

    @property
    def unnamed(self) -> int:
        """How many bad numbers were only counted."""
        return max(0, self.bad - self.limit)


def _exact(value: object) -> Fraction:
    try:
        return exact_number(value)
    except NotExactError as error:
        raise _fault(error.what, error.mend) from None


def _exact_entry(value: object, info: ValidationInfo) -> Fraction:
    try:
        return exact_number(value)
    except NotExactError as error:
        if isinstance(info.context, Patience):
            info.context.bad += 1
            if info.context.bad > info.context.limit:
                return Fraction(0)  # never seen: the validation has failed already
        raise _fault(error.what, error.mend) from None


def _not_negative(value: object) -> Fraction:
    number = _exact(value)
    if number < 0:
        raise _fault(f"{shown(value)} is negative", "it should be zero or more")
    return number


def _positive(value: object) -> Fraction:
    number = _exact(value)
    if number <= 0:
        raise _fault(f"{shown(value)} is not positive", "it should be more than zero")
    return number


def _as_printed(value: object) -> str:
    """A number with the digits it was given with: they say how precise it is."""
    _exact(value)
    text = value.text if isinstance(value, Spelled) else str(value)
    return text.strip().replace("_", "")


_NUMBER_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": RATIONAL_PATTERN}]}

Exact = Annotated[Fraction, PlainValidator(_exact_entry), WithJsonSchema(_NUMBER_SCHEMA)]
"""A rational: a number of the file, or the text of a decimal or of ``p/q``."""

ExactNotNegative = Annotated[Fraction, PlainValidator(_not_negative), WithJsonSchema(_NUMBER_SCHEMA)]
ExactPositive = Annotated[Fraction, PlainValidator(_positive), WithJsonSchema(_NUMBER_SCHEMA)]
AsPrinted = Annotated[str, PlainValidator(_as_printed), WithJsonSchema(_NUMBER_SCHEMA)]

Row = tuple[Exact, ...]
Rows = tuple[Row, ...]
"""Rows of numbers, not necessarily of equal length."""


def _rows_or_path(value: object) -> str:
    return PATH if isinstance(value, str) else ROWS


RowsOrPath = Annotated[Annotated[Rows, Tag(ROWS)] | Annotated[str, Tag(PATH)], Discriminator(_rows_or_path)]
"""Rows in the file, or the path of a table or of a .npy file."""


def _edge(value: object) -> tuple[str, str, Fraction | None]:
    if not isinstance(value, list | tuple) or len(value) not in (2, 3):
        raise _fault(f"an edge is {shown(value)}", "write [u, v] or [u, v, length]")
    for end in value[:2]:
        if isinstance(end, bool) or not isinstance(end, str | int) or end == "":
            raise _fault(f"{shown(end)} is no vertex", "vertices are text or whole numbers")
    return str(value[0]), str(value[1]), _exact(value[2]) if len(value) == 3 else None


Edge = Annotated[
    tuple[str, str, Fraction | None],
    PlainValidator(_edge),
    WithJsonSchema(
        {
            "type": "array",
            "prefixItems": [{"type": ["string", "integer"]}, {"type": ["string", "integer"]}, _NUMBER_SCHEMA],
            "minItems": 2,
            "maxItems": 3,
        }
    ),
]
"""An edge [u, v] or [u, v, number]; vertices are text or integers."""


def _argument(value: object) -> object:
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, list | tuple):
        return tuple(_argument(one) for one in value)
    return _exact(value)


Argument = Annotated[
    Any,
    PlainValidator(_argument),
    WithJsonSchema({"type": ["integer", "number", "string", "boolean", "array"]}),
]


@dataclass(frozen=True)
class Misuse:
    """Keys that do not go together: the key (inside its section), what is wrong, and the mend."""

    key: tuple[str | int, ...]
    what: str
    mend: str = ""


class Section(BaseModel):
    """A table of a problem file: frozen, unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """What is wrong between the keys that are given; values may be raw and must not be relied on."""
        yield from ()

    @model_validator(mode="after")
    def _consistent(self) -> Section:
        for misuse in self.misuse({key: getattr(self, key) for key in self.model_fields_set}):
            raise PydanticCustomError("misuse", "{what}", {"what": misuse.what, "mend": misuse.mend})
        return self


class KnownSection(Section):
    """What the literature says of the optimum; compared with what is proved, and printed."""

    value: AsPrinted
    """The value as printed: its last digit says how precise it is."""
    relation: Literal["==", "<=", ">="] = "=="
    """How the optimum relates to the value."""
    source: StrictStr | None = None
    """Where the value is printed."""
    quantity: StrictStr | None = None
    """Which quantity of the family (default: the primary one)."""


class SolveSection(Section):
    """How hard to try; options of the command line go before these."""

    gap: ExactNotNegative | None = None
    """Relative gap that is good enough."""
    abs_gap: ExactNotNegative | None = None
    """Absolute gap that is good enough."""
    time_limit: ExactPositive | None = None
    """Seconds of wall clock, round and check included."""
    solver: StrictStr | None = None
    """Name of the engine."""
    seed: Annotated[StrictInt, Field(ge=0)] | None = None
    """Seed of whatever is random in solving."""


class FileModel(Section):
    """The keys that every problem file has."""

    family: StrictStr
    """Which family of problems this is."""
    title: StrictStr | None = None
    """One line for people."""
    source: StrictStr | None = None
    """Where the data come from."""
    solve: SolveSection = SolveSection()
    known: KnownSection | None = None


class GeneratorSection(Section):
    """A graph by the name of its constructor: ``{name = "cycle_graph", n = 12}`` or ``args = [12]``."""

    model_config = ConfigDict(extra="allow", frozen=True, use_attribute_docstrings=True)
    __pydantic_extra__: dict[str, Argument]

    name: StrictStr
    """A constructor of the allow-list (networkx names)."""
    args: tuple[Argument, ...] = ()
    """Positional arguments; any argument may be given by its name instead."""


GraphFormat = Literal["edges", "graphml", "gml", "metis", "dimacs"]
SOURCES = ("points", "distances", "squared_distances", "graph", "edges", "generator", "csv", "npy")


class MetricSection(Section):
    """A finite metric: exactly one of points, distances, squared_distances, graph, edges, generator, csv, npy."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": [source]} for source in SOURCES]},
    )

    points: RowsOrPath | None = None
    """Coordinates, one row a point: rows here, or the path of a table or .npy file."""
    norm: Literal["l2", "l1", "linf"] | None = None
    """The norm of the points (default l2)."""
    distances: RowsOrPath | None = None
    """A square symmetric matrix (rows here may be one triangle with its diagonal), or a path."""
    squared_distances: RowsOrPath | None = None
    """As distances, each entry squared: so that square roots of rationals are exact."""
    csv: StrictStr | None = None
    """The path of a table; `kind` says of what."""
    npy: StrictStr | None = None
    """The path of a .npy file; `kind` says of what."""
    kind: Literal["distances", "squared_distances", "points"] | None = None
    """What `csv` or `npy` holds (default distances)."""
    columns: tuple[StrictStr | StrictInt, ...] | None = None
    """Which columns of a table of points to read: names of its header, or numbers from 0."""
    graph: StrictStr | None = None
    """The path of a graph file; the metric is the length of shortest paths."""
    format: GraphFormat | None = None
    """The format of `graph` (default: by the extension of its name)."""
    edges: tuple[Edge, ...] | None = None
    """The edges of a graph, [u, v] or [u, v, length]."""
    generator: GeneratorSection | None = None
    """A graph by the name of its constructor."""
    length: StrictStr | None = None
    """The edge attribute or column that is the length; "unit": every edge has length 1."""
    merge_duplicates: StrictBool = False
    """Points at distance zero are one point; otherwise they are an error."""
    labels: tuple[StrictStr, ...] | None = None
    """Names of the points, for people."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source of the metric, and only keys that it uses."""
        sources = [key for key in SOURCES if given.get(key) is not None]
        if len(sources) != 1:
            choice = f"one of {', '.join(SOURCES[:-1])} or {SOURCES[-1]}"
            for key in sources[1:]:
                yield Misuse((key,), f"the metric is already given by {sources[0]}", f"keep exactly {choice}")
            if not sources:
                yield Misuse((), "there is no metric in it", f"give exactly {choice}")
            return
        source = sources[0]
        points = source == "points" or (source in ("csv", "npy") and given.get("kind") == "points")
        table = source == "csv" or isinstance(given.get("points"), str)
        uses = {
            "norm": points,
            "kind": source in ("csv", "npy"),
            "columns": points and table,
            "format": source == "graph",
            "length": source in ("graph", "generator"),
        }
        wants = {
            "norm": "points",
            "kind": "csv or npy",
            "columns": "a table of points",
            "format": "graph",
            "length": "graph or generator",
        }
        for key, used in uses.items():
            if given.get(key) is not None and not used:
                yield Misuse((key,), f"has no meaning with {source}", f"leave it out: it goes with {wants[key]}")


class MetricFile(FileModel):
    """A problem file with a [metric]."""

    metric: MetricSection


class EmbeddingFile(MetricFile):
    """The problem file of the family `embedding`: the least distortion of a metric in Euclidean space."""

    family: Literal["embedding"]
