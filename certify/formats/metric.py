"""A [metric] section to exact data: a graph, squared distances, or points; everything wrong with it at once.

Rules
- ``distances`` and ``squared_distances`` are square and symmetric with zeros on the diagonal. Rows in the file
  may also be one triangle with its diagonal: rows of 1, 2, …, n entries (lower) or n, n−1, …, 1 (upper), or the lower
  one without it: rows of 0, 1, …, n−1 entries, the first of them []. No other shape is guessed at.
- Distance zero between two points is an error unless ``merge_duplicates = true``; then both are left in the data,
  and whoever builds the problem merges them.
- A graph is connected. With ``merge_duplicates`` its lengths may be zero; then its distances are the data.
- A distance that breaks the triangle inequality is no error: a note names the worst one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import repeat
from math import lcm
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import MOST_FAULTS, Fault, InputError
from certify.formats.exact import shown
from certify.formats.graph import GraphData, RawEdge, assemble, generate, read_graph
from certify.formats.table import Table, read_table
from certify.kernel.graph import numbered_parts

if TYPE_CHECKING:
    from certify.formats.schema import MetricSection
    from certify.problemfile import ProblemFile

Norm = Literal["l2", "l1", "linf"]
Matrix = tuple[tuple[Fraction, ...], ...]
MOST_TRIPLES = 10**9  # beyond n = 1000 the triangle inequality is not looked at
MERGE = "merge_duplicates = true in [metric] makes them one"


@dataclass(frozen=True)
class MetricData:
    """A finite metric, exactly one of: graph (shortest paths), squared (n × n squared distances), points (n × d
    coordinates, with norm).

    labels: names of the points, if there are any; notes: for people; merge_duplicates: points at distance
    zero are still in the data and are to be merged.
    """

    graph: GraphData | None = None
    squared: Matrix | None = None
    points: Matrix | None = None
    norm: Norm | None = None
    labels: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    merge_duplicates: bool = False


def metric_from_section(file: ProblemFile) -> MetricData:
    """The metric of a problem file whose model is a MetricFile; data files are read here.

    Raises InputError with every fault, at its key and line of the problem file, or line of the data file.
    """
    from certify.formats.schema import MetricFile

    if not isinstance(file.data, MetricFile):
        raise TypeError(f"{type(file.data).__name__} has no [metric]")
    section = file.data.metric
    if section.graph is not None or section.edges is not None or section.generator is not None:
        return graph_of_section(file, section)
    key, given = next(
        (key, value)
        for key in ("points", "distances", "squared_distances", "csv", "npy")
        if (value := getattr(section, key)) is not None
    )
    kind = (section.kind or "distances") if key in ("csv", "npy") else key
    rows = rows_of_section(file, key, given, section)
    if kind == "points":
        return _points(file, section, rows)
    return _distances(file, section, rows, squared=kind == "squared_distances")


@dataclass(frozen=True)
class SectionRows:
    """Rows as given, where each entry stands, and what a table says of them."""

    rows: Matrix
    where: Callable[..., str]  # (), (row) or (row, column)
    triangles: bool
    labels: tuple[str, ...] | None = None
    columns: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


def rows_of_section(file: ProblemFile, key: str, given: Matrix | str, section: MetricSection) -> SectionRows:
    path = ("metric", key)
    if not isinstance(given, str):
        return SectionRows(given, lambda *at: file.where(*path, *at), triangles=True)
    table = read_table(file.resolve(path, given), section.columns)

    def where(*at: int) -> str:
        return table.where(*at) if at else str(table.path)

    return SectionRows(table.rows, where, False, table.labels, _names(table), table.notes)


def names_of_table(given: SectionRows, n: int) -> tuple[str, ...] | None:
    """The names of n items in a table of distances: of its rows, or of its columns."""
    rows = given.labels if given.labels and len(given.labels) == n else None
    return rows or (given.columns if given.columns and len(given.columns) == n else None)


def _names(table: Table) -> tuple[str, ...] | None:
    return table.columns if table.columns and all(table.columns) else None


class MetricFaults:
    """Gathers the faults of a metric; beyond the first few only their number."""

    def __init__(self, where: Callable[..., str]) -> None:
        self.where = where
        self.faults: list[Fault] = []
        self.more = 0

    def add(self, at: Sequence[int], what: str, mend: str = "") -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(Fault(self.where(*at), what, mend))
        else:
            self.more += 1

    def settle(self) -> None:
        if self.faults:
            raise InputError(*self.faults, *repeat(Fault("", "more of the kind"), self.more))


# --- points -------------------------------------------------------------------------------------------


def _points(file: ProblemFile, section: MetricSection, given: SectionRows) -> MetricData:
    check = MetricFaults(given.where)
    rows = given.rows
    if not rows or not rows[0]:
        check.add((), "no points", "a metric has at least one point, and a point one coordinate")
        check.settle()
    seen: dict[tuple[Fraction, ...], int] = {}
    for i, row in enumerate(rows):
        if len(row) != len(rows[0]):
            check.add((i,), f"has {len(row)} coordinates, the first point has {len(rows[0])}", "give each equally many")
        first = seen.setdefault(row, i)
        if first != i and not section.merge_duplicates:
            check.add((i,), f"points {first} and {i} are the same", MERGE)
    labels = labels_of_section(file, section, given.labels, len(rows), check)
    check.settle()
    return MetricData(
        points=rows,
        norm=section.norm or "l2",
        labels=labels,
        notes=given.notes,
        merge_duplicates=section.merge_duplicates,
    )


# --- distances ----------------------------------------------------------------------------------------


def _distances(file: ProblemFile, section: MetricSection, given: SectionRows, *, squared: bool) -> MetricData:
    check = MetricFaults(given.where)
    word = "squared distance" if squared else "distance"
    rows, at = square_rows(given, check)
    n = len(rows)
    _signs(rows, at, check, word, section.merge_duplicates)
    labels = labels_of_section(file, section, names_of_table(given, n), n, check)
    check.settle()
    squares = rows if squared else _squares(rows)
    notes = [*given.notes, *_triangle(squares, labels)]
    return MetricData(squared=squares, labels=labels, notes=tuple(notes), merge_duplicates=section.merge_duplicates)


Locate = Callable[[int, int], tuple[int, int]]


def square_rows(given: SectionRows, check: MetricFaults) -> tuple[Matrix, Locate]:
    """The full matrix, and where its entry i, j stands in the rows as given."""
    rows = given.rows
    n = len(rows)
    lengths = [len(row) for row in rows]
    if n == 0:
        check.add((), "no points", "a metric has at least one point: [[0]]")
        check.settle()
    if lengths == [n] * n:
        return rows, lambda i, j: (i, j)
    if given.triangles and lengths == list(range(1, n + 1)):
        return _mirror(n, lambda i, j: rows[max(i, j)][min(i, j)]), lambda i, j: (max(i, j), min(i, j))
    if given.triangles and lengths == list(range(n, 0, -1)):
        full = _mirror(n, lambda i, j: rows[min(i, j)][abs(i - j)])
        return full, lambda i, j: (min(i, j), abs(i - j))
    if given.triangles and lengths == list(range(n)):
        full = _mirror(n, lambda i, j: rows[max(i, j)][min(i, j)] if i != j else Fraction(0))
        return full, lambda i, j: (max(i, j), min(i, j))
    even = len(set(lengths)) == 1
    if even:
        check.add((), f"is {n} × {lengths[0]}, not square", "give as many columns as rows")
    for i, length in enumerate(lengths):
        if length != n and not even:
            check.add(
                (i,), f"row {i} has {length} entries, there are {n} rows", "the matrix is square, or one triangle"
            )
    check.settle()
    raise InputError(Fault(given.where(), "is not square"))


def _mirror(n: int, entry: Callable[[int, int], Fraction]) -> Matrix:
    return tuple(tuple(entry(i, j) for j in range(n)) for i in range(n))


def _signs(rows: Matrix, at: Locate, check: MetricFaults, word: str, merge: bool) -> None:
    """Diagonal, symmetry, signs, and distinct points at distance zero."""
    for i, row in enumerate(rows):
        if row[i] != 0:
            mend = "a point has distance 0 from itself"
            if at(0, 1)[0] == 1:
                mend += "; a triangle without its diagonal starts with an empty row []"
            check.add(at(i, i), f"the {word} from point {i} to itself is {shown(row[i])}", mend)
        for j in range(i):
            here, there = row[j], rows[j][i]
            if here is not there and here != there:
                what = f"the {word} from {i} to {j} is {shown(here)}, from {j} to {i} it is {shown(there)}"
                check.add(at(i, j), what, "a metric is symmetric")
            elif here < 0:
                check.add(at(i, j), f"the {word} from {i} to {j} is {shown(here)}", f"a {word} is positive")
            elif here == 0 and not merge:
                check.add(at(i, j), f"the points {j} and {i} have {word} 0", MERGE)
            elif there < 0:
                check.add(at(j, i), f"the {word} from {j} to {i} is {shown(there)}", f"a {word} is positive")


def _squares(rows: Matrix) -> Matrix:
    """Entries squared, of a symmetric matrix: each pair once, and without hashing, which is slow for Fractions."""
    lower = [[x * x for x in row[: i + 1]] for i, row in enumerate(rows)]
    return _mirror(len(rows), lambda i, j: lower[i][j] if j <= i else lower[j][i])


def _triangle(squares: Matrix, labels: Sequence[str] | None) -> Iterator[str]:
    """A note on the worst violation of the triangle inequality, found in floats and confirmed exactly."""
    n = len(squares)
    if n < 3 or n**3 > MOST_TRIPLES:
        return
    import numpy as np

    top = max(max(row) for row in squares)
    if top == 0:
        return
    scaled = np.zeros((n, n))
    for row, exact in enumerate(squares):
        scaled[row, :row] = [_ratio(x, top) for x in exact[:row]]
    d = np.sqrt(scaled + scaled.T)
    best = np.full((n, n), np.inf)
    for k in range(n):
        path = d[:, k, None] + d[None, k, :]
        path[k, :] = path[:, k] = np.inf
        np.minimum(best, path, out=best)
    np.fill_diagonal(best, np.inf)
    with np.errstate(divide="ignore", invalid="ignore"):
        excess = np.nan_to_num(d / best, nan=0.0, posinf=np.inf)
    i, j = (int(x) for x in np.unravel_index(np.argmax(excess), excess.shape))
    ways = d[i] + d[j]
    ways[[i, j]] = np.inf
    k = int(np.argmin(ways))
    a, b, c = squares[i][k], squares[k][j], squares[i][j]
    # √c > √a + √b, on the squares
    if c > a + b and (c - a - b) ** 2 > 4 * a * b:
        name = [labels[x][:40] if labels else str(x) for x in (i, k, j)]
        ratio = float(excess[i, j])
        factor = "far more than" if ratio == np.inf else f"{ratio:.4g} times" if ratio > 1.001 else "a little more than"
        yield (
            f"not a metric: the distance from {name[0]} to {name[2]} is {factor} the way through {name[1]} "
            "(the worst case); the triangle inequality is not needed"
        )


def _ratio(x: Fraction, top: Fraction) -> float:
    # Integer true division rounds correctly, whatever the sizes; the quotient is at most 1.
    return (x.numerator * top.denominator) / (x.denominator * top.numerator)


# --- graphs -------------------------------------------------------------------------------------------


def graph_of_section(file: ProblemFile, section: MetricSection) -> MetricData:
    merge = section.merge_duplicates
    if section.graph is not None:
        path = ("metric", "graph")
        source = file.resolve(path, section.graph)
        graph = read_graph(source, section.format, section.length, allow_zero=merge)
    elif section.edges is not None:
        path = ("metric", "edges")
        raw = (RawEdge((u, v), length, k) for k, (u, v, length) in enumerate(section.edges))
        graph = assemble((), raw, where=lambda k: file.where("metric", "edges", k), allow_zero=merge)
    else:
        path = ("metric", "generator")
        graph = _generated(file, section)
    check = MetricFaults(lambda *at: file.where(*path, *at))
    if not graph.vertices:
        check.add((), "no points", "a metric has at least one point")
    parts = components(graph)
    if len(parts) > 1:
        one, two = (graph.vertices[part[0]] for part in parts[:2])
        what = f"the graph is not connected: {len(parts)} components, no path from {shown(one)} to {shown(two)}"
        check.add((), what, "take one component, or add edges")
    labels = labels_of_section(file, section, graph.vertices, len(graph.vertices), check)
    check.settle()
    if merge and any(length == 0 for _, _, length in graph.edges):
        return MetricData(
            squared=_squares(shortest_paths(graph)), labels=labels, notes=graph.notes, merge_duplicates=True
        )
    return MetricData(graph=graph, labels=labels, notes=graph.notes, merge_duplicates=merge)


def _generated(file: ProblemFile, section: MetricSection) -> GraphData:
    generator = section.generator
    if generator is None:
        raise TypeError("there is no generator")
    extra: dict[str, Any] = generator.__pydantic_extra__ or {}
    try:
        return generate(generator.name, generator.args, extra, section.length)
    except InputError as error:
        faults = [file.fault(("metric", "generator"), fault.what, fault.mend) for fault in error.faults]
        raise InputError(*faults) from None


def shortest_paths(graph: GraphData) -> Matrix:
    """All distances of a connected graph, exact, n × n (Dijkstra on integers over one denominator)."""
    n = len(graph.vertices)
    unit = lcm(*(length.denominator for _, _, length in graph.edges))
    near: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for i, j, length in graph.edges:
        steps = length.numerator * (unit // length.denominator)
        near[i].append((j, steps))
        near[j].append((i, steps))
    rows = []
    for start in range(n):
        far: dict[int, int] = {}
        todo = [(0, start)]
        while todo:
            walked, v = heappop(todo)
            if v not in far:
                far[v] = walked
                for other, steps in near[v]:
                    if other not in far:
                        heappush(todo, (walked + steps, other))
        rows.append(tuple(Fraction(far[v], unit) for v in range(n)))
    return tuple(rows)


def components(graph: GraphData) -> list[list[int]]:
    """The connected components, each in increasing order, by their first vertices."""
    parts: dict[int, list[int]] = {}
    for v, part in enumerate(numbered_parts(len(graph.vertices), ((i, j) for i, j, _ in graph.edges))):
        parts.setdefault(part, []).append(v)
    return list(parts.values())


def labels_of_section(
    file: ProblemFile, section: MetricSection, own: tuple[str, ...] | None, n: int, check: MetricFaults
) -> tuple[str, ...] | None:
    """The labels given in the section, or those of the data."""
    given = section.labels
    if given is None:
        return own
    if len(given) != n:
        check.faults.append(file.fault(("metric", "labels"), f"{len(given)} labels for {n} points", "give one a point"))
    return given
