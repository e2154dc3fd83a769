"""Statements about the optimal Euclidean distortion of a finite metric (docs/mathematics.md).

The data are the squared distances of n points, up to a common factor, which cancels everywhere. For a map
f into a Hilbert space let z_ij = |f(i) − f(j)|². distortion(f)² = max z_ij/d_ij² · max d_ij²/z_ij.

``coordinates``  points, one row each: distortion² of that very map is an upper bound.
``gram``         a rational matrix, proved positive semidefinite, hence the Gram matrix of some points.
``weights``      integers y > 0 on expansion pairs E and contraction pairs P with
                 Σ_E y_e v_e v_eᵀ − Σ_P y_p v_p v_pᵀ ⪰ 0, v_ij = e_i − e_j (row ``ground`` deleted):
                 distortion² >= Σ_P y_p d_p² / Σ_E y_e d_e² for every map (Linial, London, Rabinovich 1995).
``one``          distortion² >= 1 for every map.
"""

from __future__ import annotations

from fractions import Fraction
from heapq import heappop, heappush
from math import gcd
from typing import Any

from certify.kernel.exact import MAX_ENTRIES, Rejected, array, integer, mapping, matrix, text
from certify.kernel.psd import Triangle, gram, prove_psd
from certify.kernel.statement import Rules


def canonical_embedding(problem: Any) -> tuple[Any, Triangle]:
    """The problem in the one form that is digested, and its squared distances (lower triangle)."""
    metric = mapping(problem, "problem", {"metric"})["metric"]
    if not isinstance(metric, dict):
        raise Rejected("json.type", "problem.metric", "expected an object")
    where = "problem.metric"
    if "graph" in metric:
        graph = mapping(mapping(metric, where, {"graph"})["graph"], f"{where}.graph", {"vertices", "denominator", "edges"})
        form, squares = _from_graph(graph, f"{where}.graph")
    elif "points" in metric:
        mapping(metric, where, {"points", "norm"})
        form, squares = _from_points(metric, where)
    else:
        mapping(metric, where, {"squared_distances"})
        form, squares = _from_squares(metric["squared_distances"], f"{where}.squared_distances")
    return {"metric": form}, squares


def _reduced(denominator: int, rows: list[list[int]]) -> dict[str, Any]:
    common = gcd(denominator, *(gcd(*row) for row in rows))
    return {"denominator": denominator // common, "rows": [[entry // common for entry in row] for row in rows]}


def _from_squares(value: Any, where: str) -> tuple[Any, Triangle]:
    denominator, rows = matrix(value, where, None, None)
    n = len(rows)
    if n < 1 or len(rows[0]) != n:
        raise Rejected("shape", where, "expected a square matrix with at least one row")
    for i in range(n):
        if rows[i][i] != 0:
            raise Rejected("metric.diagonal", f"{where}.rows[{i}][{i}]", "the distance of a point to itself is not 0")
        for j in range(i):
            if rows[i][j] != rows[j][i]:
                raise Rejected("metric.symmetry", f"{where}.rows[{i}][{j}]", f"differs from rows[{j}][{i}]")
            if rows[i][j] <= 0:
                raise Rejected("metric.positive", f"{where}.rows[{i}][{j}]", "distinct points need a positive distance")
    return {"squared_distances": _reduced(denominator, rows)}, [row[: i + 1] for i, row in enumerate(rows)]


def _from_points(metric: dict[str, Any], where: str) -> tuple[Any, Triangle]:
    norm = text(metric["norm"], f"{where}.norm", ("l2", "l1", "linf"))
    denominator, rows = matrix(metric["points"], f"{where}.points", None, None)
    if len(rows) < 1:
        raise Rejected("shape", f"{where}.points", "expected at least one point")
    squares: Triangle = []
    for i, row in enumerate(rows):
        line = []
        for j in range(i):
            steps = [abs(x - y) for x, y in zip(row, rows[j], strict=True)]
            if not any(steps):
                raise Rejected("metric.positive", f"{where}.points.rows[{i}]", f"the same point as rows[{j}]")
            line.append(sum(s * s for s in steps) if norm == "l2" else (sum(steps) if norm == "l1" else max(steps)) ** 2)
        squares.append([*line, 0])
    return {"points": _reduced(denominator, rows), "norm": norm}, squares


def _from_graph(graph: dict[str, Any], where: str) -> tuple[Any, Triangle]:
    n = integer(graph["vertices"], f"{where}.vertices", 1, 10_000)
    denominator = integer(graph["denominator"], f"{where}.denominator", 1)
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    edges: list[list[int]] = []
    for e, edge in enumerate(array(graph["edges"], f"{where}.edges")):
        here = f"{where}.edges[{e}]"
        u, v, length = array(edge, here, 3)
        u, v = integer(u, here, 0, n - 1), integer(v, here, 0, n - 1)
        if u >= v or (edges and [u, v] <= edges[-1][:2]):
            raise Rejected("graph.order", here, "edges are [u, v, length] with u < v, in increasing order, each once")
        edges.append([u, v, integer(length, here, 1)])
        neighbours[u].append((v, edges[-1][2]))
        neighbours[v].append((u, edges[-1][2]))
    squares: Triangle = []
    for source in range(n):
        distance = _shortest(neighbours, source)
        if len(distance) < n:
            lost = next(v for v in range(n) if v not in distance)
            raise Rejected("graph.connected", where, f"no path joins vertices {source} and {lost}")
        squares.append([distance[v] ** 2 for v in range(source + 1)])
    common = gcd(denominator, *(edge[2] for edge in edges))
    form = {"vertices": n, "denominator": denominator // common, "edges": [[u, v, w // common] for u, v, w in edges]}
    return {"graph": form}, squares


def _shortest(neighbours: list[list[tuple[int, int]]], source: int) -> dict[int, int]:
    """Dijkstra (1959): exact shortest-path lengths from the source."""
    settled: dict[int, int] = {}
    queue = [(0, source)]
    while queue:
        length, v = heappop(queue)
        if v not in settled:
            settled[v] = length
            for w, step in neighbours[v]:
                if w not in settled:
                    heappush(queue, (length + step, w))
    return settled


def check_embedding(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> tuple[str, Fraction]:
    """The relation and the value that a witness proves of distortion_squared, or Rejected."""
    kind = text(witness.get("kind"), f"{where}.kind", ("coordinates", "gram", "weights", "one"))
    n = len(squares)
    if kind == "one":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(1)
    if kind == "weights":
        return ">=", _weights(witness, where, squares, pure)
    if kind == "coordinates":
        mapping(witness, where, {"kind", "points"})
        g = gram(matrix(witness["points"], f"{where}.points", n, None)[1], pure)
    else:
        mapping(witness, where, {"kind", "gram", "psd"})
        g = matrix(witness["gram"], f"{where}.gram", n, lambda i: i + 1)[1]
        prove_psd(witness["psd"], f"{where}.psd", g, pure)
    return "<=", _distortion_squared(g, where, squares)


def _distortion_squared(g: Triangle, where: str, squares: Triangle) -> Fraction:
    """max z/d² · max d²/z with z_ij = g_ii + g_jj − 2 g_ij; 1 for a single point, which has no pair."""
    most, least = (1, 1), (1, 1)  # the largest and the smallest z/d², as numerator and denominator
    for i in range(1, len(g)):
        for j in range(i):
            z, d = g[i][i] + g[j][j] - 2 * g[i][j], squares[i][j]
            if z <= 0:
                raise Rejected("map.injective", f"{where} points {j}, {i}", "two points have one image: infinite distortion")
            if i == 1 or z * most[1] > most[0] * d:
                most = (z, d)
            if i == 1 or z * least[1] < least[0] * d:
                least = (z, d)
    return Fraction(most[0] * least[1], most[1] * least[0])


def _weights(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> Fraction:
    mapping(witness, where, {"kind", "expand", "contract", "ground", "psd"})
    n = len(squares)
    ground = integer(witness["ground"], f"{where}.ground", 0, n - 1)
    if n * n > MAX_ENTRIES:
        raise Rejected("size", where, "too many points")
    laplacian = [[0] * (i + 1) for i in range(n)]
    total = {"expand": 0, "contract": 0}
    for side, sign in (("expand", 1), ("contract", -1)):
        seen = set()
        for e, entry in enumerate(array(witness[side], f"{where}.{side}")):
            here = f"{where}.{side}[{e}]"
            i, j, y = array(entry, here, 3)
            i, j, y = integer(i, here, 0, n - 1), integer(j, here, 0, n - 1), integer(y, here, 1)
            if i >= j or (i, j) in seen:
                raise Rejected("weights.pair", here, "pairs are [i, j, weight] with i < j, each once")
            seen.add((i, j))
            total[side] += y * squares[j][i]
            laplacian[i][i] += sign * y
            laplacian[j][j] += sign * y
            laplacian[j][i] -= sign * y
    if total["expand"] == 0:
        raise Rejected("weights.empty", f"{where}.expand", "at least one expansion pair is needed")
    # Its rows sum to zero, so the whole matrix is positive semidefinite iff this minor is.
    minor = [[x for j, x in enumerate(row) if j != ground] for i, row in enumerate(laplacian) if i != ground]
    prove_psd(witness["psd"], f"{where}.psd", minor, pure)
    return Fraction(total["contract"], total["expand"])


EMBEDDING = Rules(
    quantity="distortion_squared",
    latex="c_2(X)^2",
    words={
        ">=": "every map of these {n} points into a Euclidean space has distortion² at least {value}",
        "<=": "some map of these {n} points into a Euclidean space has distortion² at most {value}",
        "==": "the least distortion² of a map of these {n} points into a Euclidean space is {value}",
    },
    canonical=canonical_embedding,
    check=check_embedding,
)
