"""Finite metrics: how a certificate states one, and its squared distances.

The data are squared distances of n points, up to a common factor, as integers. They are given as a table, as
points with a norm, or as the shortest paths of a graph. Which of these it was belongs to the data (and to their
digest); how the numbers were spelled, and a factor common to all of them and the denominator, does not.
"""

from __future__ import annotations

from heapq import heappop, heappush
from math import gcd
from typing import Any

from certify.kernel.exact import Rejected, affordable, integer, integer_rows, longest, mapping, matrix, storable, text
from certify.kernel.psd import Triangle

MAX_POINTS = 5000


def canonical_metric(metric: Any, where: str) -> tuple[Any, Triangle]:
    """The metric in the one form that is digested, and its squared distances (lower triangle)."""
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
    return form, squares


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
    affordable(f"{where}.points", 32 * n * n * len(rows[0]), bits, bits)
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
    common = gcd(denominator, *(edge[2] for edge in edges))
    unit = edges[0][2] if edges and all(edge[2] == edges[0][2] for edge in edges) else 0  # 0: lengths differ
    near = [{v for v, _ in row} for row in neighbours] if unit else []
    for source in range(n):
        distance = _levels(near, source) if unit else _shortest(neighbours, source)
        if min(distance) < 0:
            lost = distance.index(-1)
            raise Rejected("graph.connected", f"{where}.edges", f"no path joins vertices {source} and {lost}")
        squares.append([(length * (unit or 1)) ** 2 for length in distance[: source + 1]])
    form = {"vertices": n, "denominator": denominator // common, "edges": [[u, v, w // common] for u, v, w in edges]}
    return {"graph": form}, squares


def _levels(near: list[set[int]], source: int) -> list[int]:
    """Breadth first (Moore 1959): the least number of edges from the source, -1 where there is no path."""
    level = [-1] * len(near)
    ring, left, steps = {source}, set(range(len(near))), 0
    while ring:
        left -= ring
        for v in ring:
            level[v] = steps
        ring = left.intersection(set().union(*(near[v] for v in ring)))
        steps += 1
    return level


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
