"""The keys of a ``[data]`` section: points as rows of numbers. See :mod:`certify.formats.schema`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ConfigDict, StrictInt, StrictStr

from certify.formats.schema import FileModel, Misuse, RowsOrPath, Section

DATA_SOURCES = ("points", "csv", "npy")


class DataSection(Section):
    """Points, one row each: exactly one of points, csv, npy."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": [source]} for source in DATA_SOURCES]},
    )

    points: RowsOrPath | None = None
    """Coordinates, one row a point: rows here, or the path of a table or .npy file."""
    csv: StrictStr | None = None
    """The path of a table: one row a point; a header and a first column of labels are recognised."""
    npy: StrictStr | None = None
    """The path of a .npy file, two-dimensional."""
    columns: tuple[StrictStr | StrictInt, ...] | None = None
    """Which columns of a file to read: names of its header, or numbers from 0 (default: all but labels)."""
    labels: tuple[StrictStr, ...] | None = None
    """Names of the points, for people."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source of the points, and columns only of a file."""
        sources = [key for key in DATA_SOURCES if given.get(key) is not None]
        for key in sources[1:]:
            yield Misuse((key,), f"the points are already given by {sources[0]}", "keep exactly one of them")
        if not sources:
            yield Misuse((), "there are no points in it", f"give exactly one of {', '.join(DATA_SOURCES)}")
        elif given.get("columns") is not None and not isinstance(given[sources[0]], str):
            yield Misuse(("columns",), "has no meaning with points in the file", "leave it out: it picks from a table")


class DataFile(FileModel):
    """A problem file with a [data]."""

    data: DataSection
