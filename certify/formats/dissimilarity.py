"""A [metric] section to exact dissimilarities, where asymmetry and distance zero are allowed.

The rules are those of :mod:`certify.formats.metric`, but a table is taken as it stands: row i is what candidate i
charges the items, its diagonal may be anything that is not negative, and it may be rectangular where candidates are no
items.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from certify.formats.graph import GraphData
from certify.formats.metric import (
    Matrix,
    MetricFaults,
    Norm,
    graph_of_section,
    labels_of_section,
    names_of_table,
    rows_of_section,
    square_rows,
)

if TYPE_CHECKING:
    from certify.problemfile import ProblemFile


@dataclass(frozen=True)
class DissimilarityData:
    """Exactly one of: graph (shortest paths), distances or squared (m × n), points (n × d coordinates, with norm)."""

    graph: GraphData | None = None
    distances: Matrix | None = None
    squared: Matrix | None = None
    points: Matrix | None = None
    norm: Norm | None = None
    labels: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


def dissimilarities_from_section(file: ProblemFile, *, rectangular: bool = False) -> DissimilarityData:
    """The dissimilarities of a problem file whose model is a MetricFile; data files are read here.

    Raises InputError with every fault, at its key and line of the problem file, or line of the data file.
    """
    from certify.formats.schema import MetricFile

    if not isinstance(file.data, MetricFile):
        raise TypeError(f"{type(file.data).__name__} has no [metric]")
    section = file.data.metric
    notes: list[str] = []
    if section.merge_duplicates:
        notes.append("merge_duplicates has no effect here: items at distance zero stay, and each counts")
    if section.graph is not None or section.edges is not None or section.generator is not None:
        data = graph_of_section(file, section)
        return DissimilarityData(
            graph=data.graph, squared=data.squared, labels=data.labels, notes=(*data.notes, *notes)
        )
    key, value = next(
        (key, value)
        for key in ("points", "distances", "squared_distances", "csv", "npy")
        if (value := getattr(section, key)) is not None
    )
    kind = (section.kind or "distances") if key in ("csv", "npy") else key
    given = rows_of_section(file, key, value, section)
    check, rows = MetricFaults(given.where), given.rows
    notes = [*given.notes, *notes]
    if not rows or not max(map(len, rows)):
        check.add((), "no points", "there is at least one item")
        check.settle()
    if kind == "points":
        for i, row in enumerate(rows):
            if len(row) != len(rows[0]):
                what = f"has {len(row)} coordinates, the first point has {len(rows[0])}"
                check.add((i,), what, "give each equally many")
        labels = labels_of_section(file, section, given.labels, len(rows), check)
        check.settle()
        return DissimilarityData(points=rows, norm=section.norm or "l2", labels=labels, notes=tuple(notes))
    wide = rectangular and len(set(map(len, rows))) == 1
    if not wide:
        rows, at = square_rows(given, check)
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            if entry < 0:
                spot = (i, j) if wide else at(i, j)
                check.add(spot, f"the dissimilarity from {i} to {j} is {entry}", "it is zero or more")
    items = len(rows[0])
    names = names_of_table(given, items)
    labels = labels_of_section(file, section, names, items, check)
    check.settle()
    squared = kind == "squared_distances"
    return DissimilarityData(
        distances=None if squared else rows, squared=rows if squared else None, labels=labels, notes=tuple(notes)
    )
