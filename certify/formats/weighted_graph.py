"""Graphs with weights, for the families of cuts: a [graph] section, a networkx graph, a matrix, points and similarity.

Rules
- Weights are not negative. Missing: 1, with a note. Parallel edges are added up, loops and weights of zero change no
  cut and are left out; each with a note. The graph need not be connected.
- Weights of similarity come from points: ``gaussian`` exp(−d²/σ²) rounded to the nearest double, from the exact d² (the
  graph with those doubles is the problem); ``knn`` and ``ball`` compare exact squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import Fault, InputError
from certify.formats.exact import shown
from certify.formats.graph import GraphData, RawEdge, assemble, generate, graph_from_networkx, read_graph
from certify.formats.table import read_table

if TYPE_CHECKING:
    import networkx as nx

    from certify.formats.schema_graph import GraphSection, SimilaritySection
    from certify.problemfile import ProblemFile

MOST_PAIRS = 5_000_000  # of a similarity graph
Similarity = Literal["gaussian", "knn", "ball"]


@dataclass(frozen=True)
class WeightedEdges:
    """vertices by name; edges (u, v, weight) with u < v, sorted, integers over the denominator; notes for people."""

    vertices: tuple[str, ...]
    denominator: int
    edges: tuple[tuple[int, int, int], ...]
    notes: tuple[str, ...] = ()

    def canonical(self) -> dict[str, Any]:
        """The graph as a certificate states it."""
        rows = [list(edge) for edge in self.edges]
        return {"vertices": len(self.vertices), "denominator": self.denominator, "edges": rows}


def weighted(graph: GraphData) -> WeightedEdges:
    """A graph with exact weights over one denominator."""
    q = lcm(*{weight.denominator for _, _, weight in graph.edges})
    edges = tuple((u, v, weight.numerator * (q // weight.denominator)) for u, v, weight in graph.edges)
    return WeightedEdges(graph.vertices, q, edges, graph.notes)


def weighted_from_networkx(graph: nx.Graph[Any], weight: str | None = None) -> WeightedEdges:
    """A networkx graph; weight: the attribute that is the weight (default "weight", if any edge has it), or "unit"."""
    return weighted(graph_from_networkx(graph, weight, weights=True))


def weighted_from_edges(edges: Iterable[Sequence[Any]], vertices: Iterable[Any] | int = ()) -> WeightedEdges:
    """Edges (u, v) or (u, v, weight); vertices: those that may have no edge, or how many (0 to n − 1) there are."""
    names = [str(v) for v in (range(vertices) if isinstance(vertices, int) else vertices)]
    raw = [RawEdge((str(e[0]), str(e[1])), e[2] if len(e) > 2 else None, i) for i, e in enumerate(edges)]
    graph = assemble(names, raw, where=lambda at: f"edges[{at}]", weights=True)
    if not graph.vertices:
        raise InputError(Fault("edges", "the graph has no vertices", "give edges, or the number of vertices"))
    if isinstance(vertices, int) and vertices and len(graph.vertices) > vertices:
        what = f"name {len(graph.vertices)} vertices, there are {vertices}"
        raise InputError(Fault("edges", what, "vertices are numbered from 0"))
    return weighted(graph)


def weighted_from_matrix(matrix: Any) -> WeightedEdges:
    """A symmetric matrix of weights (an adjacency or affinity matrix), dense or sparse; its diagonal is left out."""
    from certify.formats.array import exact_rows

    if hasattr(matrix, "tocoo"):
        return _from_sparse(matrix)
    rows = exact_rows(matrix, "matrix")
    n = len(rows)
    faults = [
        Fault(f"matrix[{i}]", f"has {len(row)} entries, there are {n} rows")
        for i, row in enumerate(rows)
        if len(row) != n
    ]
    if not faults:
        faults = [
            Fault(f"matrix[{i}, {j}]", f"differs from matrix[{j}, {i}]", "an undirected graph is symmetric")
            for i in range(n)
            for j in range(i)
            if rows[i][j] != rows[j][i]
        ]
    if faults:
        raise InputError(*faults)
    raw = [RawEdge((str(i), str(j)), rows[i][j], (i, j)) for i in range(n) for j in range(i) if rows[i][j] != 0]
    return weighted(assemble(map(str, range(n)), raw, where=lambda at: f"matrix[{at[0]}, {at[1]}]", weights=True))


def _from_sparse(matrix: Any) -> WeightedEdges:
    table = matrix.tocoo()
    n = table.shape[0]
    entries: dict[tuple[int, int], Any] = {}
    for i, j, weight in zip(table.row.tolist(), table.col.tolist(), table.data.tolist(), strict=True):
        entries[i, j] = entries.get((i, j), 0) + weight
    if table.shape[0] != table.shape[1] or any(entries.get((j, i)) != w for (i, j), w in entries.items()):
        raise InputError(Fault("matrix", "is not symmetric", "an undirected graph has a symmetric matrix"))
    raw = [RawEdge((str(i), str(j)), w, (i, j)) for (i, j), w in entries.items() if i < j]
    return weighted(assemble(map(str, range(n)), raw, where=lambda at: f"matrix[{at[0]}, {at[1]}]", weights=True))


def weighted_from_section(file: ProblemFile) -> WeightedEdges:
    """The graph of a problem file whose model is a GraphFile; data files are read here.

    Raises InputError with every fault, at its key and line of the problem file, or line of the data file.
    """
    from certify.formats.schema_graph import GraphFile

    if not isinstance(file.data, GraphFile):
        raise TypeError(f"{type(file.data).__name__} has no [graph]")
    section = file.data.graph
    if section.generator is not None:
        return weighted(_of_generator(file, section))
    key = next(key for key in ("edges", "graph", "points", "csv", "npy") if getattr(section, key) is not None)
    given = getattr(section, key)
    if key in ("points", "csv", "npy"):
        return _of_points(file, section, key, given)
    if isinstance(given, str):
        source = file.resolve(("graph", key), given)
        return weighted(read_graph(source, section.format, section.weight, weights=True))
    names = map(str, range(section.vertices or 0))
    raw = (RawEdge((u, v), weight, k) for k, (u, v, weight) in enumerate(given))
    graph = assemble(names, raw, where=lambda k: file.where("graph", "edges", k), weights=True)
    if not graph.vertices:
        raise InputError(file.fault(("graph", "edges"), "the graph has no vertices", "give edges, or vertices = n"))
    if section.vertices is not None and len(graph.vertices) > section.vertices:
        what = f"the edges name {len(graph.vertices)} vertices, there are {section.vertices}"
        raise InputError(file.fault(("graph", "vertices"), what, "vertices are numbered from 0"))
    return weighted(graph)


def _of_generator(file: ProblemFile, section: GraphSection) -> GraphData:
    generator = section.generator
    if generator is None:
        raise TypeError("there is no generator")
    extra: Mapping[str, Any] = generator.__pydantic_extra__ or {}
    try:
        return generate(generator.name, generator.args, extra, section.weight, weights=True)
    except InputError as error:
        faults = [file.fault(("graph", "generator"), fault.what, fault.mend) for fault in error.faults]
        raise InputError(*faults) from None


def _of_points(file: ProblemFile, section: GraphSection, key: str, given: Any) -> WeightedEdges:
    labels: Sequence[str] | None = None
    notes: Sequence[str] = ()
    if isinstance(given, str):
        table = read_table(file.resolve(("graph", key), given), section.columns)
        rows, labels, notes = table.rows, table.labels, table.notes
    else:
        rows = given
    if not rows or any(len(row) != len(rows[0]) for row in rows) or not rows[0]:
        raise InputError(file.fault(("graph", key), "points are rows of equally many coordinates", "[[0, 1], [2, 3]]"))
    rule: SimilaritySection | None = section.similarity
    if rule is None:
        raise TypeError("there is no similarity")
    graph = similarity_graph(rows, rule.kind, rule.sigma or rule.k or rule.radius or 1, labels)
    return WeightedEdges(graph.vertices, graph.denominator, graph.edges, (*notes, *graph.notes))


def similarity_graph(
    points: Sequence[Sequence[Fraction]],
    kind: Similarity,
    number: Fraction | int,
    labels: Sequence[str] | None = None,
) -> WeightedEdges:
    """The graph of points (n rows of exact coordinates) by a similarity.

    number: σ of ``gaussian`` (weight exp(−d²/σ²), the nearest double), how many neighbours of ``knn`` (pairs of which
    one is among the nearest of the other; ties by index), the radius of ``ball`` (weight 1 for both).
    """
    n = len(points)
    if n * n > 2 * MOST_PAIRS:
        raise InputError(Fault("points", f"{n} points have more than {MOST_PAIRS} pairs", "take a sample"))
    q = lcm(*{entry.denominator for row in points for entry in row})
    rows = [[entry.numerator * (q // entry.denominator) for entry in row] for row in points]
    squares = [
        [sum((a - b) ** 2 for a, b in zip(row, other, strict=True)) for other in rows[:i]] for i, row in enumerate(rows)
    ]
    names = tuple(labels) if labels and len(labels) == n else tuple(map(str, range(n)))
    if kind == "gaussian":
        unit = Fraction(1, q * q) / Fraction(number) ** 2
        pairs = ((j, i, _exponential(square * unit)) for i, row in enumerate(squares) for j, square in enumerate(row))
        found = sorted((j, i, Fraction(weight)) for j, i, weight in pairs if weight)
        lost = n * (n - 1) // 2 - len(found)
        notes = (f"{lost} pairs are so far apart that exp(−d²/σ²) is 0 as a double",) if lost else ()
        return weighted(GraphData(names, tuple(found), notes))
    if kind == "ball":
        limit = Fraction(number) ** 2 * q * q
        chosen = {(j, i) for i, row in enumerate(squares) for j, square in enumerate(row) if square <= limit}
    else:
        k, chosen = int(number), set()
        for i in range(n):
            order = sorted((squares[max(i, j)][min(i, j)], j) for j in range(n) if j != i)
            chosen |= {(min(i, j), max(i, j)) for _, j in order[:k]}
    return WeightedEdges(names, 1, tuple((i, j, 1) for i, j in sorted(chosen)))


def _exponential(x: Fraction) -> float:
    """exp(−x) rounded to the nearest double, x >= 0; 0 where it is below all of them."""
    from decimal import Context, Decimal

    if x > 800:
        return 0.0
    context = Context(prec=60)
    exponent = context.divide(Decimal(-x.numerator), Decimal(x.denominator))
    return float(context.exp(exponent))


def vertex_name(names: Sequence[str], v: int) -> str:
    """A vertex for a reader: its number, and its name if that is another."""
    return names[v] if names[v] == str(v) else f"{shown(names[v])}"
