"""Least cuts under test: tiny certificates to forge, the truth about any of them, and twins.

The truth is found without the kernel: the file is read again by other code, and every partition is tried.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from certify.families.mincut import MinCut
from certify.kernel import Verdict
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of

MOST_PARTITIONS = 40_000


def optimum(problem: Any) -> Fraction | None:
    """The least weight over all partitions into exactly k parts; None if they are too many to try."""
    graph = problem["graph"]
    n, k = int(rational_of(graph["vertices"])), int(rational_of(problem["k"]))
    if n > 16 or k**n > MOST_PARTITIONS:
        return None
    scale = rational_of(graph["denominator"])
    edges = [(int(u), int(v), w / scale) for u, v, w in (map(rational_of, edge) for edge in graph["edges"])]
    return min(
        sum((w for u, v, w in edges if labels[u] != labels[v]), Fraction(0))
        for labels in product(range(k), repeat=n)
        if len(set(labels)) == k
    )


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    problem = document["problem"]
    n, k = rational_of(problem["graph"]["vertices"]), rational_of(problem["k"])
    demand(2 <= k <= n, "an impossible k was accepted")
    demand(all(rational_of(edge[2]) > 0 for edge in problem["graph"]["edges"]), "a weight <= 0 was accepted")
    truth = optimum(problem)
    for statement in verdict.statements:
        demand(statement.quantity == "cut_weight", f"quantity {statement.quantity}")
        if truth is None or statement.value is None:
            continue
        value = statement.value
        true = {">=": value <= truth, "<=": value >= truth, "==": value == truth}[statement.relation]
        demand(true, f"{statement.relation} {value} was accepted, the truth is {truth}")


def twins(problem: MinCut) -> Iterator[tuple[str, MinCut]]:
    """Problems with the same optimum: vertices in another order, every weight as parallel halves in other units."""
    n = problem.size
    place = [(7 * v + 3) % n if n % 7 else n - 1 - v for v in range(n)]
    edges = sorted((min(place[u], place[v]), max(place[u], place[v]), w) for u, v, w in problem.edges)
    yield "relabelled", replace(problem, edges=tuple(edges))
    halves = [(u, v, Fraction(w, 2 * problem.denominator)) for u, v, w in problem.edges]
    yield "parallel halves", MinCut.from_edges([*halves, *halves], problem.k, range(n))


def _certificate(n: int, edges: list[list[int]], k: int, *witnesses: dict[str, Any], q: int = 1) -> dict[str, Any]:
    graph = {"vertices": n, "denominator": q, "edges": edges}
    problem = {"graph": graph, "k": k}
    return {"format": "certify/1", "family": "mincut", "problem": problem, "witnesses": list(witnesses)}


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness; 3 to 6 vertices."""
    triangle = [[0, 1, 1], [0, 2, 1], [1, 2, 1]]
    barbell = [[0, 1, 2], [0, 2, 2], [1, 2, 2], [2, 3, 1], [3, 4, 2], [3, 5, 2], [4, 5, 2]]
    documents = {
        "weighted barbell": _certificate(
            6,
            barbell,
            2,
            {"kind": "labels", "labels": [0, 0, 0, 1, 1, 1]},
            {"kind": "contraction", "value": 1},
            q=3,
        ),
        "two edges apart": _certificate(
            4, [[0, 1, 1], [2, 3, 2]], 2, {"kind": "labels", "labels": [0, 0, 1, 1]}, {"kind": "zero"}
        ),
        "square in three": _certificate(
            4,
            [[0, 1, 1], [0, 3, 1], [1, 2, 1], [2, 3, 1]],
            3,
            {"kind": "labels", "labels": [0, 1, 2, 2]},
            {
                "kind": "trees",
                "scale": 3,
                "root": {"trees": [[1, 0, 1, 2], [1, 0, 1, 3], [1, 0, 2, 3], [1, 1, 2, 3]]},
            },
        ),
        "branched triangle": _certificate(
            3,
            triangle,
            2,
            {"kind": "labels", "labels": [0, 1, 1]},
            {
                "kind": "trees",
                "scale": 1,
                "root": {
                    "edge": 0,
                    "contract": {"trees": [[1, 1], [1, 2]]},
                    "delete": {"edge": 1, "contract": {"trees": [[1, 2]]}, "delete": {"trees": []}},
                },
            },
        ),
        "triangle in singles": _certificate(
            3,
            triangle,
            3,
            {"kind": "labels", "labels": [0, 1, 2]},
            {
                "kind": "trees",
                "scale": 2,
                "root": {
                    "edge": 2,
                    "contract": {"trees": []},
                    "delete": {"trees": [[2, 0, 1]]},
                },
            },
        ),
    }
    return {name: json.loads(json.dumps(document)) for name, document in documents.items()}
