"""The keys of a problem file of the family ``kmeans``."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import PlainValidator, StrictStr, WithJsonSchema
from pydantic_core import PydanticCustomError

from certify.formats.exact import shown
from certify.formats.schema import ExactNotNegative, ExactPositive
from certify.formats.schema_data import DataFile

RANGE = r"^[1-9][0-9]{0,5}\.\.[1-9][0-9]{0,5}$"


def _clusters(value: object) -> int | str:
    """A number of clusters, or a range of them."""
    what = ""
    if isinstance(value, int) and not isinstance(value, bool):
        if value >= 1:
            return value
        what = f"{value} is too small"
    elif isinstance(value, str) and re.match(RANGE, value):
        return value
    raise PydanticCustomError(
        "fault",
        "{what}",
        {"what": what or f"{shown(value)} is no number of clusters", "mend": 'write 3, or "2..10" for each of these'},
    )


Clusters = Annotated[
    int | str,
    PlainValidator(_clusters),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1}, {"type": "string", "pattern": RANGE}]}),
]
"""One or more clusters, or a range of such numbers as text."""


class KMeansFile(DataFile):
    """The problem file of the family `kmeans`: points, and into how many clusters they are to be put."""

    family: Literal["kmeans"]
    k: Clusters
    """The number of clusters; fewer are allowed. "2..10": a problem for each, and the curve of their optima."""
    confidence: ExactPositive | None = None
    """A number like 0.99: a lower bound by random samples, which holds with this confidence, will do."""
    weights: tuple[ExactNotNegative, ...] | StrictStr | None = None
    """A weight for every point (default 1): numbers, or the path of a table of one column."""
