"""The families of centres and diameters under test: tiny certificates to forge, the truth about any of them, and twins.

The truth is found without the kernel: the file is read again by other code, the optimum comes from trying every choice,
roots are compared through their squares or in high precision.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import isqrt
from typing import Any

from certify.families.kdiameter import KDiameter
from certify.families.medoids import Centred
from certify.families.medoids_data import Given
from certify.kernel import Statement, Verdict
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of, rows_of

Table = list[list[Fraction]]
DIGITS = 10**60  # roots are computed to so many places
NEAR = Fraction(1, 10**50)  # what is as near as that is taken to be equal
MOST_CHOICES = 40_000


def distances_of(problem: Any) -> tuple[Table, bool]:
    """What the ``problem`` of a certificate states: distances from candidate to item, or their squares (then True)."""
    metric = problem["metric"]
    if "points" in metric:
        items = rows_of(metric["points"])
        sites = rows_of(problem["candidates"]) if "candidates" in problem else items
        norm = metric["norm"]
        table = [[_distance(x, y, norm) for y in items] for x in sites]
        return table, norm == "l2"
    if "distances" in metric:
        return rows_of(metric["distances"]), False
    if "squared_distances" in metric:
        return rows_of(metric["squared_distances"]), True
    graph = metric["graph"]
    n, scale = int(rational_of(graph["vertices"])), rational_of(graph["denominator"])
    far = 1 + sum((rational_of(edge[2]) for edge in graph["edges"]), Fraction(0)) / scale  # longer than any path
    table = [[Fraction(0) if i == j else far for j in range(n)] for i in range(n)]
    for u, v, length in (map(rational_of, edge) for edge in graph["edges"]):
        table[int(u)][int(v)] = table[int(v)][int(u)] = length / scale
    for k, i, j in product(range(n), repeat=3):
        table[i][j] = min(table[i][j], table[i][k] + table[k][j])
    return table, False


def _distance(x: list[Fraction], y: list[Fraction], norm: str) -> Fraction:
    """The distance, squared for l2."""
    steps = [abs(a - b) for a, b in zip(x, y, strict=True)]
    if norm == "l2":
        return sum((s * s for s in steps), Fraction(0))
    return sum(steps, Fraction(0)) if norm == "l1" else max(steps)


def root(value: Fraction) -> Fraction:
    """The square root, exact if it is rational, else rounded down within 1/DIGITS or better."""
    p, q = value.numerator, value.denominator
    if isqrt(p) ** 2 == p and isqrt(q) ** 2 == q:
        return Fraction(isqrt(p), isqrt(q))
    return Fraction(isqrt(p * q * DIGITS**2), q * DIGITS)


def costs_of(problem: Any) -> Table:
    """c_ij, roots to 60 places."""
    table, squared = distances_of(problem)
    power = int(rational_of(problem["power"]))
    if squared:
        return table if power == 2 else [[root(x) for x in row] for row in table]
    return [[x**power for x in row] for row in table]


def optimum(family: str, problem: Any) -> Fraction | None:
    """The optimum by trying every choice; None if there are too many."""
    k = int(rational_of(problem["k"]))
    if family == "kdiameter":
        table, _ = distances_of(problem)
        n = len(table)
        if k**n > MOST_CHOICES:
            return None
        pairs = list(combinations(range(n), 2))
        return min(
            max((table[i][j] for i, j in pairs if labels[i] == labels[j]), default=Fraction(0))
            for labels in product(range(k), repeat=n)
        )
    costs = costs_of(problem)
    total: Any = max if family == "kcenter" else sum
    choices = list(combinations(range(len(costs)), min(k, len(costs))))
    if len(choices) * len(costs[0]) > MOST_CHOICES:
        return None
    return min(Fraction(total(min(column) for column in zip(*(costs[i] for i in s), strict=True))) for s in choices)


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    family, problem = document["family"], document["problem"]
    table, squared = distances_of(problem)
    demand(all(x >= 0 for row in table for x in row), "a negative dissimilarity was accepted")
    demand(1 <= int(rational_of(problem["k"])) <= len(table), "an impossible k was accepted")
    if family == "kdiameter":
        n = len(table)
        ok = all(len(row) == n and row[i] == 0 for i, row in enumerate(table))
        demand(ok and all(table[i][j] == table[j][i] for i in range(n) for j in range(i)), "no distances were accepted")
    truth = optimum(family, problem)
    name = "cost" if family != "kdiameter" else "diameter_squared" if squared else "diameter"
    for statement in verdict.statements:
        demand(statement.quantity == name, f"quantity {statement.quantity}")
        if truth is not None and statement.value is not None:
            demand(
                _true(statement, truth), f"{statement.relation} {statement.value} was accepted, the truth is {truth}"
            )


def _true(statement: Statement, truth: Fraction) -> bool:
    value = statement.value or Fraction(0)
    slack = NEAR * (1 + truth)
    if statement.relation == "==" and statement.exact is not None:
        low, high = statement.exact.enclosure()
        return low - slack <= truth <= high + slack
    return {
        ">=": value <= truth + slack,
        "<=": value >= truth - slack,
        "==": abs(value - truth) <= slack,
    }[statement.relation]


def _order(n: int) -> list[int]:
    """Reversed, then every other one first."""
    reverse = list(range(n))[::-1]
    return reverse[::2] + reverse[1::2]


def relabelled(given: Given) -> Given:
    """The items in another order; of a table its columns, and its rows where they are the items."""
    order = _order(given.size)
    if given.form == "graph":
        place = {point: k for k, point in enumerate(order)}
        edges = tuple(sorted((*sorted((place[u], place[v])), w) for u, v, w in given.rows))
        return replace(given, rows=edges)
    if given.form == "points":
        return replace(given, rows=tuple(given.rows[i] for i in order))
    rows = given.rows if len(given.rows) != given.size else tuple(given.rows[i] for i in order)
    return replace(given, rows=tuple(tuple(row[j] for j in order) for row in rows))


def scaled(given: Given, factor: Fraction) -> Given:
    """Every distance times a factor."""
    by = factor**2 if given.form == "squared_distances" else factor
    if given.form == "graph":
        rows: tuple[tuple[int, ...], ...] = tuple((u, v, w * by.numerator) for u, v, w in given.rows)
    else:
        rows = tuple(tuple(x * by.numerator for x in row) for row in given.rows)
    return replace(given, denominator=given.denominator * by.denominator, rows=rows)


def moved(given: Given, by: int = 10**9) -> Given:
    """Points, all moved by the same long step."""
    rows = tuple(tuple(x + by * given.denominator for x in row) for row in given.rows)
    return replace(given, rows=rows)


def twins(problem: Centred | KDiameter) -> Iterator[tuple[str, Any]]:
    """Problems with the same optimum: relabelled, moved, and given by distances."""
    yield "relabelled", replace(problem, given=relabelled(problem.given))
    if problem.given.form == "points" and getattr(problem, "sites", None) is None:
        yield "moved by 1e9", replace(problem, given=moved(problem.given))
        table, squared = distances_of(problem.canonical())
        squares = squared or isinstance(problem, KDiameter)
        rows = table if squared else [[x**2 for x in row] for row in table] if squares else table
        yield "as distances", replace(problem, given=Given.table(rows, "squared_distances" if squares else "distances"))


def _certificate(family: str, problem: dict[str, Any], *witnesses: dict[str, Any]) -> dict[str, Any]:
    return {"format": "certify/1", "family": family, "problem": problem, "witnesses": list(witnesses)}


def _table(rows: list[list[int]], denominator: int = 1) -> dict[str, Any]:
    return {"denominator": denominator, "rows": rows}


SEVEN = [[5, 6], [6, 6], [6, 5], [6, 2], [6, 1], [5, 1], [2, 3]]
RING_EDGES = [[0, 1, 2], [0, 4, 2], [1, 2, 2], [2, 3, 2], [3, 4, 2]]


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of data, of witness and of branching; 3 to 7 items."""
    taxi = {"points": _table(SEVEN), "norm": "l1"}
    plane = {"points": _table(SEVEN, 2), "norm": "l2"}
    asymmetric = {"distances": _table([[0, 1, 2], [4, 0, 1], [1, 5, 0]], 3)}
    rim = [(i, 1 + i % 5) for i in range(1, 6)]
    spokes = [(0, i) for i in range(1, 6)]
    far = {frozenset(pair) for pair in [*rim, *spokes]}
    wheel = [[0 if i == j else 3 if frozenset((i, j)) in far else 1 for j in range(6)] for i in range(6)]
    documents = {
        "taxi medoids": _certificate(
            "kmedoids",
            {"metric": taxi, "k": 2, "power": 1},
            {"kind": "centres", "centres": [1, 3], "bits": 0},
            {"kind": "multipliers", "bits": 1, "v": [[2, 2, 2, 2, 2, 2, 10]], "tree": [0]},
        ),
        "Euclidean medoids": _certificate(
            "kmedoids",
            {"metric": plane, "k": 2, "power": 1},
            {"kind": "centres", "centres": [1, 4], "bits": 6, "labels": [0, 0, 0, 1, 1, 1, 1]},
            {"kind": "multipliers", "bits": 2, "v": [[3, 3, 3, 3, 3, 3, 16]], "tree": [-2, 0, -5, 0, 0]},
        ),
        "asymmetric medoids": _certificate(
            "kmedoids",
            {"metric": asymmetric, "k": 1, "power": 1},
            {"kind": "centres", "centres": [0], "bits": 0},
            {"kind": "multipliers", "bits": 0, "v": [[4, 5, 2]], "tree": [0]},
        ),
        "medoids of squares": _certificate(
            "kmedoids",
            {"metric": {"squared_distances": _table([[0, 2, 8], [2, 0, 2], [8, 2, 0]], 2)}, "k": 2, "power": 1},
            {"kind": "centres", "centres": [0, 1], "bits": 0},
            {"kind": "multipliers", "bits": 3, "v": [[8, 8, 8], [0, 0, 0]], "tree": [-1, 0, -2, 0, 1]},
        ),
        "medoids of a graph": _certificate(
            "kmedoids",
            {
                "metric": {"graph": {"vertices": 4, "denominator": 6, "edges": [[0, 1, 4], [1, 2, 8], [2, 3, 4]]}},
                "k": 2,
                "power": 2,
            },
            {"kind": "centres", "centres": [0, 2], "bits": 0},
            {"kind": "multipliers", "bits": 0, "v": [[1, 1, 1, 1]], "tree": [0]},
        ),
        "median of sites": _certificate(
            "kmedian",
            {
                "metric": {"points": _table([[0, 0], [2, 0], [7, 7]]), "norm": "linf"},
                "k": 2,
                "power": 1,
                "candidates": _table([[1, 0], [7, 6], [0, 1], [3, 3]], 1),
            },
            {"kind": "centres", "centres": [0, 1], "bits": 0},
            {"kind": "multipliers", "bits": 0, "v": [[2, 2, 4]], "tree": [0]},
        ),
        "rectangular median": _certificate(
            "kmedian",
            {"metric": {"distances": _table([[1, 5, 2], [6, 1, 1]])}, "k": 1, "power": 2},
            {"kind": "centres", "centres": [0], "bits": 0},
            {"kind": "multipliers", "bits": 0, "v": [[36, 25, 4]], "tree": [0]},
        ),
        "center": _certificate(
            "kcenter",
            {"metric": {"points": _table(SEVEN), "norm": "l2"}, "k": 2, "power": 1},
            {"kind": "centres", "centres": [1, 5]},
            {"kind": "packing", "radius": [5, 6], "weights": [[0, 1, 0, 0, 1, 0, 1]], "tree": [0]},
        ),
        "branched center": _certificate(
            "kcenter",
            {"metric": {"graph": {"vertices": 5, "denominator": 1, "edges": RING_EDGES}}, "k": 1, "power": 1},
            {"kind": "centres", "centres": [0]},
            {
                "kind": "packing",
                "radius": [0, 2],
                "weights": [[1, 0, 0, 1, 1], [0, 0, 1, 0, 0], [1, 1, 1, 1, 1]],
                "tree": [-1, 1, 2],
            },
        ),
        "center of squares": _certificate(
            "kcenter",
            {"metric": {"squared_distances": _table([[0, 8, 9], [8, 0, 12], [9, 3, 0]], 5)}, "k": 1, "power": 1},
            {"kind": "centres", "centres": [0], "labels": [0, 0, 0]},
            {"kind": "packing", "radius": [0, 2], "weights": [[1, 1, 1]], "tree": [-1, 0, -2, 0, 0]},
        ),
        "diameter of points": _certificate(
            "kdiameter",
            {"metric": {"points": _table(SEVEN, 3), "norm": "l2"}, "k": 2},
            {"kind": "labels", "labels": [0, 0, 0, 1, 1, 1, 1]},
            {"kind": "clique", "points": [0, 4, 6]},
        ),
        "diameter of a ring": _certificate(
            "kdiameter",
            {"metric": {"graph": {"vertices": 5, "denominator": 3, "edges": RING_EDGES}}, "k": 2},
            {"kind": "labels", "labels": [0, 0, 0, 1, 1]},
            {"kind": "odd_cycle", "points": [0, 2, 4, 1, 3]},
        ),
        "refuted wheel": _certificate(
            "kdiameter",
            {"metric": {"squared_distances": _table(wheel, 2)}, "k": 3},
            {"kind": "labels", "labels": [0, 1, 2, 1, 2, 0]},
            {
                "kind": "refutation",
                "threshold": [0, 1],
                "vertices": [0, 1, 2, 3, 4, 5],
                "clique": [0, 1],
                "clauses": [[-8], [-9, 10], []],
            },
        ),
        "refuted without a clique": _certificate(
            "kdiameter",
            {"metric": {"squared_distances": _table(wheel, 2)}, "k": 3},
            {
                "kind": "refutation",
                "threshold": [1, 0],
                "vertices": [0, 1, 2, 3, 4, 5],
                "clique": [],
                "clauses": [[-1, -5], [-1, -6], [-1], [-2, -4], [-2, -6], [-2], [-3, -4], [-3, -5], [-3], []],
            },
        ),
        "diameter of a table": _certificate(
            "kdiameter",
            {"metric": {"distances": _table([[0, 2, 5], [2, 0, 4], [5, 4, 0]], 7)}, "k": 2},
            {"kind": "labels", "labels": [0, 0, 1]},
            {"kind": "clique", "points": [2, 0, 1]},
        ),
    }
    return {name: json.loads(json.dumps(document)) for name, document in documents.items()}  # nothing is shared
