"""Statements about k-diameter: the least diameter that k clusters can all have (docs/mathematics/kdiameter.md).

``labels``      a partition into at most k clusters: its largest distance within a cluster is an upper bound.
``clique``      k + 1 points: two of them share a cluster, so OPT is at least their least distance.
``odd_cycle``   (k <= 2) an odd cycle of points has no two colours, so OPT is at least its least step.
``refutation``  OPT >= r, the distance of the pair ``threshold``: the graph of pairs at distance >= r
                between ``vertices`` has no k colours, by clauses that propagation gives (:mod:`certify.kernel.rup`).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from certify.kernel.dissimilarity import DISSIMILARITY_TABLES, Dissimilarity, canonical_dissimilarity
from certify.kernel.exact import Rejected, affordable, array, integer, kind, mapping
from certify.kernel.rup import replay_colouring
from certify.kernel.statement import Rules


class Diameters(NamedTuple):
    """The data: distances (squared ones for points and tables of squares), how many clusters, whether squared."""

    c: Dissimilarity
    k: int
    squared: bool


def canonical_kdiameter(problem: Any) -> tuple[Any, Diameters]:
    """The problem in the one form that is digested, and its data."""
    table = mapping(problem, "problem", {"metric", "k"})
    metric = table["metric"]
    squared = type(metric) is dict and ("points" in metric or "squared_distances" in metric)
    form, _, c = canonical_dissimilarity(metric, "problem.metric", 2 if squared else 1)
    for name in DISSIMILARITY_TABLES:
        if name in form:
            _diameter_table(form[name]["rows"], f"problem.metric.{name}")
    k = integer(table["k"], "problem.k", 1, c.items)
    return {"metric": form, "k": k}, Diameters(c, k, squared)


def _diameter_table(rows: list[list[int]], where: str) -> None:
    if len(rows) != len(rows[0]):
        raise Rejected("shape", f"{where}.rows", "expected as many columns as rows")
    for i, row in enumerate(rows):
        for j in range(i):
            if row[j] != rows[j][i]:
                raise Rejected("metric.symmetry", f"{where}.rows[{i}][{j}]", f"differs from rows[{j}][{i}]")
        if row[i] != 0:
            raise Rejected("metric.diagonal", f"{where}.rows[{i}][{i}]", "the distance of a point to itself is not 0")


def check_kdiameter(witness: dict[str, Any], where: str, data: Diameters, pure: bool) -> tuple[str, Any]:
    """The relation and the value that a witness proves of the diameter, or Rejected."""
    what = kind(witness, where, ("labels", "clique", "odd_cycle", "refutation"))
    c = data.c
    if what == "labels":
        mapping(witness, where, {"kind", "labels"})
        return "<=", _diameter_of_labels(witness["labels"], f"{where}.labels", data) * c.unit
    if what == "refutation":
        return ">=", _diameter_refuted(witness, where, data) * c.unit
    mapping(witness, where, {"kind", "points"})
    points = _diameter_points(witness["points"], f"{where}.points", c.items)
    if what == "clique":
        if len(points) != data.k + 1:
            raise Rejected("clique.count", f"{where}.points", f"expected {data.k + 1} points")
        pairs = [(points[s], points[:s]) for s in range(1, len(points))]
    else:
        if data.k > 2 or len(points) % 2 == 0:
            raise Rejected("odd-cycle", f"{where}.points", "an odd number of points, and at most two clusters")
        pairs = [(points[s], [points[s - 1]]) for s in range(len(points))]
    return ">=", min(row[j] for i, others in pairs for row in (c.row(i),) for j in others) * c.unit


def _diameter_points(value: Any, where: str, n: int) -> list[int]:
    return [integer(i, f"{where}[{t}]", 0, n - 1) for t, i in enumerate(array(value, where))]


def _diameter_of_labels(value: Any, where: str, data: Diameters) -> int:
    """The largest distance of two points with the same label."""
    labels = [integer(t, f"{where}[{j}]", 0, data.k - 1) for j, t in enumerate(array(value, where, data.c.items))]
    most = 0
    for i, own in enumerate(labels):
        most = max(most, max([b for b, label in zip(data.c.row(i), labels, strict=True) if label == own]))
    return most


def _diameter_refuted(witness: dict[str, Any], where: str, data: Diameters) -> int:
    """The distance r such that the graph of pairs at least r apart has no k colours."""
    mapping(witness, where, {"kind", "threshold", "vertices", "clique", "clauses"})
    c, k = data.c, data.k
    i, j = (
        integer(x, f"{where}.threshold", 0, c.items - 1) for x in array(witness["threshold"], f"{where}.threshold", 2)
    )
    r = c.row(i)[j]
    vertices = _diameter_points(witness["vertices"], f"{where}.vertices", c.items)
    if any(a >= b for a, b in pairwise(vertices)):
        raise Rejected("refutation.vertices", f"{where}.vertices", "expected increasing points")
    affordable(f"{where}.vertices", 16 * len(vertices) * c.items, c.bits)
    near = []
    for s, v in enumerate(vertices):
        row = c.row(v)
        near.append([t for t, w in enumerate(vertices) if row[w] >= r and t != s])
    clique = _diameter_points(witness["clique"], f"{where}.clique", len(vertices))
    if len(clique) > k or any(clique[t] not in near[clique[s]] for s in range(len(clique)) for t in range(s)):
        raise Rejected("refutation.clique", f"{where}.clique", "at most k vertices, each two at least r apart")
    most = k * len(vertices)
    clauses = []
    for t, row in enumerate(array(witness["clauses"], f"{where}.clauses")):
        here = f"{where}.clauses[{t}]"
        clauses.append([integer(x, f"{here}[{s}]", -most, most) for s, x in enumerate(array(row, here))])
        if 0 in clauses[-1]:
            raise Rejected("refutation.literal", here, "literals are ±(1 + vertex·k + colour), never 0")
    replay_colouring(near, k, clique, clauses, f"{where}.clauses")
    return r


def _diameter_facts(data: Diameters) -> dict[str, Any]:
    facts = {"n": data.c.items, "k": data.k, "what": "squared diameter" if data.squared else "diameter"}
    symbol = r"\min_{C_1 \cup \dots \cup C_k} \max_{x, y \in C_i} d(x, y)"
    return (
        {**facts, "quantity": "diameter_squared", "latex": symbol + "^2"}
        if data.squared
        else {**facts, "latex": symbol}
    )


KDIAMETER = Rules(
    "diameter",
    r"\min \max d(x, y)",
    {
        ">=": "every partition of these {n} points into {k} clusters has a cluster of {what} at least {value}",
        "<=": "these {n} points have a partition into {k} clusters, each of {what} at most {value}",
        "==": "the least {what} that {k} clusters of these {n} points can all have is {value}",
    },
    canonical_kdiameter,
    check_kdiameter,
    _diameter_facts,
)
