"""The keys of problem files of k-medoids, k-median, k-center and k-diameter."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictInt

from certify.formats.schema import MetricFile, RowsOrPath

Count = Annotated[StrictInt, Field(ge=1)]


class CentresFile(MetricFile):
    """A problem file whose answer is a choice of centres."""

    k: Count
    """At most how many centres."""
    power: Literal[1, 2] = 1
    """The dissimilarity is the distance to this power: 2 gives squared distances."""


class KMedoidsFile(CentresFile):
    """The problem file of the family `kmedoids`: centres among the items, the sum of dissimilarities."""

    family: Literal["kmedoids"]


class KCenterFile(CentresFile):
    """The problem file of the family `kcenter`: centres among the items, the largest dissimilarity."""

    family: Literal["kcenter"]


class KMedianFile(CentresFile):
    """The problem file of the family `kmedian`: centres among candidates, the sum of dissimilarities."""

    family: Literal["kmedian"]
    candidates: RowsOrPath | None = None
    """Points that may be centres, rows or a path (default: the items themselves)."""


class KDiameterFile(MetricFile):
    """The problem file of the family `kdiameter`: the largest distance within a cluster."""

    family: Literal["kdiameter"]
    k: Count
    """At most how many clusters."""
