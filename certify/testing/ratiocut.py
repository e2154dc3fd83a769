"""Balanced cuts under test: tiny certificates to forge, and the truth by trying every partition."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from certify.kernel import Verdict
from certify.testing.conformance import demand

F = Fraction


def _number(value: Any) -> int:
    if isinstance(value, str) and value.startswith("2^"):
        return int(2 ** int(value[2:]))
    return int(value, 16) if isinstance(value, str) and "0x" in value else int(value)


def partitions(n: int, k: int) -> Iterator[tuple[int, ...]]:
    """All labels of n vertices with exactly k parts, the first of each part in order."""
    for labels in product(range(k), repeat=n):
        if len(set(labels)) == k and labels[0] == 0:
            yield labels


def value_of(family: str, n: int, edges: list[list[int]], q: int, labels: tuple[int, ...], k: int) -> Fraction | None:
    """The value of a partition; None where it is not one of those that count."""
    outer, sizes, volumes = [0] * k, [0] * k, [0] * k
    degrees = [0] * n
    for u, v, w in edges:
        degrees[u] += w
        degrees[v] += w
        if labels[u] != labels[v]:
            outer[labels[u]] += w
            outer[labels[v]] += w
    for v, label in enumerate(labels):
        sizes[label] += 1
        volumes[label] += degrees[v]
    if family == "ratiocut":
        return sum((F(w, q * s) for w, s in zip(outer, sizes, strict=True)), F(0))
    if family == "ncut":
        return sum((F(w, s) for w, s in zip(outer, volumes, strict=True)), F(0))
    if family == "bisection":
        return F(outer[0], q) if abs(sizes[0] - sizes[1]) <= 1 else None
    return F(outer[0], q * min(sizes))


def truth(family: str, problem: Any) -> Fraction:
    """The least value over all partitions."""
    graph = problem["graph"]
    n, q = _number(graph["vertices"]), _number(graph["denominator"])
    edges = [[_number(entry) for entry in edge] for edge in graph["edges"]]
    k = _number(problem.get("k", 2))
    found = (value_of(family, n, edges, q, labels, k) for labels in partitions(n, k))
    return min(value for value in found if value is not None)


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    best = truth(document["family"], document["problem"])
    for statement in verdict.statements:
        value = statement.value
        demand(value is not None, f"{statement.relation} without a value")
        if value is not None:
            true = {">=": value <= best, "<=": value >= best, "==": value == best}[statement.relation]
            demand(true, f"{statement.relation} {value} was accepted, the truth is {best}")


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""

    def certificate(family: str, n: int, edges: Any, k: int | None, *witnesses: dict[str, Any]) -> dict[str, Any]:
        problem: dict[str, Any] = {"graph": {"vertices": n, "denominator": 1, "edges": edges}}
        if k is not None:
            problem["k"] = k
        return {"format": "certify/1", "family": family, "problem": problem, "witnesses": list(witnesses)}

    path = [[0, 1, 2], [1, 2, 1], [2, 3, 2]]
    order = [0, 1, 2, 3]
    ring = [[0, 1, 1], [0, 3, 1], [1, 2, 1], [2, 3, 1]]
    return {
        "path": certificate(
            "ratiocut", 4, path, 2,
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "enumeration", "order": order, "bound": 1},
            {"kind": "zero"},
        ),
        "path in three": certificate(
            "ratiocut", 4, path, 3,
            {"kind": "labels", "labels": [0, 0, 1, 2]},
            {"kind": "enumeration", "order": order, "bound": "9/2"},
        ),
        "ring": certificate(
            "ratiocut", 4, ring, 2,
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "contraction", "value": 2},
            {"kind": "partition", "scale": 2, "y": [0, 0, 0, 0], "shift": 0, "psd": {"kind": "ldl"}},
        ),
        "normalised": certificate(
            "ncut", 4, path, 2,
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "enumeration", "order": order, "bound": "2/5"},
            {"kind": "contraction", "value": 1},
        ),
        "halves": certificate(
            "bisection", 4, path, None,
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "enumeration", "order": order, "bound": 1},
            {"kind": "contraction", "value": 1},
        ),
        "expansion": certificate(
            "expansion", 4, path, None,
            {"kind": "labels", "labels": [0, 0, 1, 1]},
            {"kind": "enumeration", "order": order, "bound": "1/2"},
            {"kind": "contraction", "value": 1},
        ),
    }  # fmt: skip
