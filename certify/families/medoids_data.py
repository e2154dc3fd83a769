"""The dissimilarities that the families of centres and diameters are given: exact, in the form they were given in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.kernel.dissimilarity import MAX_ITEMS, Dissimilarity
from certify.problem import About
from certify.rounding.grid import over_common_denominator

if TYPE_CHECKING:
    import networkx as nx

    from certify.formats.dissimilarity import DissimilarityData

Form = Literal["graph", "distances", "squared_distances", "points"]
Norm = Literal["l2", "l1", "linf"]


@dataclass(frozen=True)
class Given:
    """Distances of ``size`` items: rows/denominator are a table (from row i to j), coordinates, or edges u, v, w."""

    form: Form
    denominator: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    size: int
    norm: Norm | None = None
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @staticmethod
    def points(points: Any, norm: str = "l2") -> Given:
        """Points, an (n, d) array, and a norm; equal points are allowed."""
        if norm not in ("l2", "l1", "linf"):
            raise InputError(Fault("norm", f"{norm!r} is no norm", "l2, l1 or linf"))
        rows = exact_rows(points, "points")
        _sized(rows, "points")
        denominator, numerators = over_common_denominator(rows)
        twice = len(rows) - len(set(rows))
        notes = (f"{_equal(twice)} of another: each counts",) if twice else ()
        return Given("points", denominator, tuple(map(tuple, numerators)), len(rows), norm, notes)  # type: ignore[arg-type]

    @staticmethod
    def table(values: Any, form: Literal["distances", "squared_distances"], *, rectangular: bool = False) -> Given:
        """A table of (squared) distances from row i to column j, which may be asymmetric."""
        rows = exact_rows(values, form)
        _sized(rows, form)
        faults = []
        if not rectangular and len(rows[0]) != len(rows):
            faults.append(Fault(form, f"{len(rows)} rows and {len(rows[0])} columns", "a table of items is square"))
        for i, row in enumerate(rows):
            j = next((j for j, x in enumerate(row) if x < 0), None)
            if j is not None:
                faults.append(Fault(f"{form}[{i}, {j}]", f"{row[j]} is negative", "a dissimilarity is zero or more"))
        if faults:
            raise InputError(*faults)
        denominator, numerators = over_common_denominator(rows)
        return Given(form, denominator, tuple(map(tuple, numerators)), len(rows[0]), notes=tuple(_notes(rows)))

    @staticmethod
    def graph(vertices: Sequence[Any], edges: Sequence[tuple[int, int, Fraction]]) -> Given:
        """The shortest paths of a connected graph with edges (u, v, length > 0), each pair once."""
        faults = [Fault(f"edge {u}-{v}", f"length {w} is not positive") for u, v, w in edges if w <= 0]
        if not vertices:
            faults.append(Fault("graph", "there is no vertex", "give at least one"))
        if faults:
            raise InputError(*faults)
        denominator, lengths = over_common_denominator([[Fraction(w) for _, _, w in edges]])
        rows = sorted((min(u, v), max(u, v), w) for (u, v, _), w in zip(edges, lengths[0], strict=True))
        return Given("graph", denominator, tuple(rows), len(vertices))

    @staticmethod
    def networkx(graph: nx.Graph, length: str | None, about: About | None) -> tuple[Given, About]:
        """The shortest paths of a networkx graph, and what is said of it: the names of its vertices."""
        from dataclasses import replace

        from certify.formats.graph import graph_from_networkx

        data = graph_from_networkx(graph, length=length)
        told = about or About()
        labels = tuple(map(str, data.vertices))
        return Given.graph(data.vertices, data.edges), replace(
            told, notes=told.notes + tuple(data.notes), labels=told.labels or labels
        )

    @staticmethod
    def of(data: DissimilarityData) -> Given:
        """What a [metric] section holds."""
        if data.graph is not None:
            return Given.graph(data.graph.vertices, data.graph.edges)
        if data.points is not None:
            return Given.points(data.points, data.norm or "l2")
        if data.squared is not None:
            return Given.table(data.squared, "squared_distances", rectangular=True)
        return Given.table(data.distances, "distances", rectangular=True)

    @staticmethod
    def canonical(metric: Mapping[str, Any]) -> Given:
        """From the digested form of a certificate."""
        if "graph" in metric:
            graph = metric["graph"]
            return Given("graph", graph["denominator"], tuple(map(tuple, graph["edges"])), graph["vertices"])
        form: Form = next(name for name in ("points", "distances", "squared_distances") if name in metric)
        rows = tuple(map(tuple, metric[form]["rows"]))
        size = len(rows) if form == "points" else len(rows[0])
        return Given(form, metric[form]["denominator"], rows, size, metric.get("norm"))

    def metric(self) -> dict[str, Any]:
        """The ``metric`` of a certificate."""
        rows = [list(row) for row in self.rows]
        if self.form == "graph":
            return {"graph": {"vertices": self.size, "denominator": self.denominator, "edges": rows}}
        table = {"denominator": self.denominator, "rows": rows}
        return {"points": table, "norm": self.norm} if self.form == "points" else {self.form: table}

    def places(self) -> NDArray[np.float64] | None:
        """Points in floating point, (n, d), to draw; None if there are none."""
        if self.form != "points":
            return None
        return np.array([[x / self.denominator for x in row] for row in self.rows], dtype=float)


def _equal(count: int) -> str:
    return "one item is at distance 0" if count == 1 else f"{count} items are at distance 0"


def _sized(rows: Sequence[Sequence[Fraction]], name: str) -> None:
    if not rows or not rows[0]:
        raise InputError(Fault(name, "there is no point", "give at least one"))
    if max(len(rows), len(rows[0])) > MAX_ITEMS:
        raise InputError(Fault(name, f"{max(len(rows), len(rows[0]))} are more than {MAX_ITEMS}", "take a subset"))


def _notes(rows: Sequence[Sequence[Fraction]]) -> list[str]:
    """What is unusual about a table that is taken as it is."""
    n, notes = len(rows), []
    if len(rows[0]) != n:
        return [f"{n} candidates (rows) and {len(rows[0])} items (columns)"]
    zero = sum(1 for i, row in enumerate(rows) if any(x == 0 for j, x in enumerate(row) if j != i))
    if zero:
        notes.append(f"{_equal(zero)} from another: allowed")
    odd = next((i for i in range(n) if rows[i][i] != 0), None)
    if odd is not None:
        notes.append(f"item {odd} has dissimilarity {rows[odd][odd]} from itself: taken as given (is it a similarity?)")
    if any(rows[i][j] != rows[j][i] for i in range(n) for j in range(i)):
        notes.append("the table is asymmetric: row i, column j is what candidate i charges item j")
    return notes


def floats(data: Dissimilarity, root: bool) -> NDArray[np.float64]:
    """c_ij in multiples of the unit, (m, n); the root is taken where it is asked for."""
    table = np.empty((data.candidates, data.items))
    for i in range(data.candidates):
        table[i] = data.row(i)
    return np.sqrt(table) if root else table


def ranks(data: Dissimilarity) -> tuple[NDArray[np.int64], list[int]]:
    """The place of every base_ij among all values, (m, n), and the values: exact comparisons in small integers."""
    rows = [data.row(i) for i in range(data.candidates)]
    if data.bits < 63:
        table = np.array(rows, dtype=np.int64)
        values, places = np.unique(table, return_inverse=True)
        return places.reshape(table.shape).astype(np.int64), values.tolist()
    known = sorted(set().union(*rows))
    place = {value: t for t, value in enumerate(known)}
    return np.array([[place[b] for b in row] for row in rows], dtype=np.int64), known
