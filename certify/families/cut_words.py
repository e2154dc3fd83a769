"""What a certificate of a cut says, in words, and problem files of cuts to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.kernel import rational_text

if TYPE_CHECKING:
    from certify.families.mincut import GraphProblem

MOST_NAMED = 12

MINCUT_TEMPLATE = """# The least weight of the edges between two parts of a graph. Solve with: certify solve mincut.toml
family = "mincut"
title = "A house with a heavy roof"
k = 2                                  # how many parts, none of them empty

[graph]
# [u, v, weight]; a missing weight is 1. Or: edges = "graph.csv" (also .graphml, .gml, METIS .graph, DIMACS .col),
# or generator = {name = "karate_club_graph"}, or points with similarity = {kind = "gaussian", sigma = 1.0}
edges = [[0, 1], [1, 2, 0.5], [2, 3], [3, 0, "1/2"], [0, 4, 3], [1, 4, 3]]

[known]                                # what the literature says; compared and printed
value = "1"

# [solve]
# gap = 1e-6
# time_limit = 60
"""


def cut_explained(problem: GraphProblem, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which edges are cut, how large the parts are, and what the lower end rests on."""
    for witness in witnesses:
        what = witness["kind"]
        if what == "labels":
            yield from _partition(problem, [int(label) for label in witness["labels"]])
        elif what == "zero":
            yield "lower end: weights are not negative"
        elif what == "contraction":
            yield (
                "lower end: pairs of vertices that no lighter cut separates are contracted, in orders of maximum "
                "adjacency, until one vertex is left"
            )
        elif what == "trees":
            yield f"lower end: spanning trees packed into the graph, in {_leaves(witness['root'])} branches"


def _leaves(node: Any) -> int:
    return _leaves(node["contract"]) + _leaves(node["delete"]) if "edge" in node else 1


def _partition(problem: GraphProblem, labels: list[int]) -> Iterator[str]:
    parts: dict[int, list[int]] = {}
    for v, label in enumerate(labels):
        parts.setdefault(label, []).append(v)
    sizes = ", ".join(str(len(members)) for _, members in sorted(parts.items()))
    yield f"upper end: a partition into parts of {sizes} vertices"
    for _, members in sorted(parts.items(), key=lambda entry: (len(entry[1]), entry[0])):
        if len(members) <= MOST_NAMED:
            yield f"  {', '.join(problem.name_of(v)[:40] for v in members)}"
    cut = sorted(((w, u, v) for u, v, w in problem.edges if labels[u] != labels[v]), reverse=True)
    yield f"edges between the parts: {len(cut)}, of weight {rational_text(_sum(problem, cut))}"
    for w, u, v in cut[:MOST_NAMED]:
        ends = f"{problem.name_of(u)[:40]} – {problem.name_of(v)[:40]}"
        yield f"  {ends}: {rational_text(Fraction(w, problem.denominator))}"


def _sum(problem: GraphProblem, cut: list[tuple[int, int, int]]) -> Fraction:
    return Fraction(sum(w for w, _, _ in cut), problem.denominator)


def cut_picture(problem: GraphProblem, witnesses: list[Mapping[str, Any]]) -> str | None:
    """The partition of the upper witness, drawn; None if there is none or the graph is too large."""
    witness = next((w for w in witnesses if w["kind"] == "labels"), None)
    if witness is None:
        return None
    from certify.report.cuts import cut_drawing

    labels = [int(label) for label in witness["labels"]]
    cut = sum(1 for u, v, _ in problem.edges if labels[u] != labels[v])
    parts = len(set(labels))
    words = f"{len(problem)} vertices in {parts} parts; the {cut} edges between them are drawn heavy"
    names = [problem.name_of(v) for v in range(len(problem))]
    return cut_drawing(len(problem), problem.edges, labels, names, words)
