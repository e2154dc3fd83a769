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

from certify.kernel.exact import (
    Rejected,
    affordable,
    integer,
    integer_rows,
    kind,
    longest,
    mapping,
    matrix,
    storable,
    text,
)
from certify.kernel.psd import Triangle, gram, prove_psd
from certify.kernel.statement import Rules

MAX_POINTS = 5000


def canonical_embedding(problem: Any) -> tuple[Any, Triangle]:
    """The problem in the one form that is digested, and its squared distances (lower triangle)."""
    metric = mapping(problem, "problem", {"metric"})["metric"]
    where = "problem.metric"
    if type(metric) is not dict:
        raise Rejected("json.type", where, "expected an object")
    if "graph" in metric:
        form, squares = _from_graph(mapping(metric, where, {"graph"})["graph"], f"{where}.graph")
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
    n = _count(rows, where)
    if len(rows[0]) != n:
        raise Rejected("shape", f"{where}.rows", "expected as many columns as rows")
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
    n, bits = _count(rows, f"{where}.points"), longest(rows) + 1
    affordable(f"{where}.points", 8 * n * n * len(rows[0]), bits, bits)
    storable(f"{where}.points", n * n // 2, 2 * bits + 32)
    squares: Triangle = []
    for i, row in enumerate(rows):
        line = []
        for j in range(i):
            steps = [abs(x - y) for x, y in zip(row, rows[j], strict=True)]
            if not any(steps):
                raise Rejected("metric.positive", f"{where}.points.rows[{i}]", f"the same point as rows[{j}]")
            if norm == "l2":
                line.append(sum(s * s for s in steps))
            else:
                line.append((sum(steps) if norm == "l1" else max(steps)) ** 2)
        squares.append([*line, 0])
    return {"points": _reduced(denominator, rows), "norm": norm}, squares


def _count(rows: list[list[int]], where: str) -> int:
    if not 1 <= len(rows) <= MAX_POINTS:
        raise Rejected("shape", f"{where}.rows", f"expected 1 to {MAX_POINTS} rows")
    return len(rows)


def _from_graph(value: Any, where: str) -> tuple[Any, Triangle]:
    graph = mapping(value, where, {"vertices", "denominator", "edges"})
    n = integer(graph["vertices"], f"{where}.vertices", 1, MAX_POINTS)
    denominator = integer(graph["denominator"], f"{where}.denominator", 1)
    edges = integer_rows(graph["edges"], f"{where}.edges", None, lambda e: 3)
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    last = (-1, -1)
    for e, (u, v, length) in enumerate(edges):
        here = f"{where}.edges[{e}]"
        if not (0 <= u < v < n and last < (u, v)):
            why = "edges are [u, v, length], 0 <= u < v < vertices, in increasing order, each once"
            raise Rejected("graph.order", here, why)
        if length < 1:
            raise Rejected("graph.length", here, "a length is at least 1 (over the denominator)")
        last = (u, v)
        neighbours[u].append((v, length))
        neighbours[v].append((u, length))
    bits = sum(length for _, _, length in edges).bit_length()
    affordable(f"{where}.edges", 256 * n * len(edges), bits)
    storable(f"{where}.edges", n * n // 2, 2 * bits)
    squares: Triangle = []
    for source in range(n):
        distance = _shortest(neighbours, source)
        if min(distance) < 0:
            lost = distance.index(-1)
            raise Rejected("graph.connected", f"{where}.edges", f"no path joins vertices {source} and {lost}")
        squares.append([length**2 for length in distance[: source + 1]])
    common = gcd(denominator, *(edge[2] for edge in edges))
    form = {"vertices": n, "denominator": denominator // common, "edges": [[u, v, w // common] for u, v, w in edges]}
    return {"graph": form}, squares


def _shortest(neighbours: list[list[tuple[int, int]]], source: int) -> list[int]:
    """Dijkstra (1959): exact shortest-path lengths from the source, -1 where there is no path."""
    best = [-1] * len(neighbours)
    best[source] = 0
    queue = [(0, source)]
    while queue:
        length, v = heappop(queue)
        if length == best[v]:  # else a shorter way to v was found after this one was queued
            for w, step in neighbours[v]:
                further = length + step
                if further < best[w] or best[w] < 0:
                    best[w] = further
                    heappush(queue, (further, w))
    return best


def check_embedding(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> tuple[str, Fraction]:
    """The relation and the value that a witness proves of distortion_squared, or Rejected."""
    what = kind(witness, where, ("coordinates", "gram", "weights", "one"))
    n = len(squares)
    if what == "one":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(1)
    if what == "weights":
        return ">=", _weights(witness, where, squares, pure)
    if what == "coordinates":
        mapping(witness, where, {"kind", "points"})
        g = gram(matrix(witness["points"], f"{where}.points", n, None)[1], pure, f"{where}.points")
    else:
        mapping(witness, where, {"kind", "gram", "psd"})
        g = matrix(witness["gram"], f"{where}.gram", n, lambda i: i + 1)[1]
        prove_psd(witness["psd"], f"{where}.psd", g, pure)
    return "<=", _distortion_squared(g, where, squares)


def _distortion_squared(g: Triangle, where: str, squares: Triangle) -> Fraction:
    """max z/d² · max d²/z with z_ij = g_ii + g_jj − 2 g_ij; 1 for a single point, which has no pair."""
    affordable(where, 2 * len(g) ** 2, longest(g) + 2, longest(squares))
    most, least = (1, 1), (1, 1)  # the largest and the smallest z/d², as numerator and denominator
    for i in range(1, len(g)):
        for j in range(i):
            z, d = g[i][i] + g[j][j] - 2 * g[i][j], squares[i][j]
            if z <= 0:
                raise Rejected("map.injective", where, f"points {j} and {i} have one image: infinite distortion")
            if i == 1 or z * most[1] > most[0] * d:
                most = (z, d)
            if i == 1 or z * least[1] < least[0] * d:
                least = (z, d)
    return Fraction(most[0] * least[1], most[1] * least[0])


def _weights(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> Fraction:
    mapping(witness, where, {"kind", "expand", "contract", "ground", "psd"})
    n = len(squares)
    ground = integer(witness["ground"], f"{where}.ground", 0, n - 1)
    laplacian = [[0] * (i + 1) for i in range(n)]
    total = {"expand": 0, "contract": 0}
    for side, sign in (("expand", 1), ("contract", -1)):
        seen = set()
        for e, (i, j, y) in enumerate(integer_rows(witness[side], f"{where}.{side}", None, lambda e: 3)):
            if not 0 <= i < j < n or y < 1 or (i, j) in seen:
                why = "pairs are [i, j, weight], 0 <= i < j < number of points, weight >= 1, each once"
                raise Rejected("weights.pair", f"{where}.{side}[{e}]", why)
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
