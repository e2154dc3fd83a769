"""The keys of a problem file of the family ``kmeans``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt, StrictStr

from certify.formats.schema import ExactNotNegative
from certify.formats.schema_data import DataFile


class KMeansFile(DataFile):
    """The problem file of the family `kmeans`: points, and into how many clusters they are to be put."""

    family: Literal["kmeans"]
    k: Annotated[StrictInt, Field(ge=1)]
    """The number of clusters; fewer are allowed."""
    weights: tuple[ExactNotNegative, ...] | StrictStr | None = None
    """A weight for every point (default 1): numbers, or the path of a table of one column."""
