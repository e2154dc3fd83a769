"""What a certificate of a balanced cut says, in words, and problem files to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from certify.families.cut_words import cut_explained

if TYPE_CHECKING:
    from certify.families.mincut import GraphProblem

_WHAT = {
    "ratiocut": ("The least sum over two parts of the weight to the rest over the size", "k = 2\n", "2/3"),
    "ncut": ("The least sum over two parts of the weight to the rest over the volume", "k = 2\n", "2/7"),
    "bisection": ("The least weight between two halves of a graph", "", "1"),
    "expansion": ("The least weight to the rest over the size, of at most half of the vertices", "", "1/3"),
}


def template_of(name: str) -> str:
    """A problem file to start from."""
    what, keys, value = _WHAT[name]
    return f"""# {what}. Solve with: certify solve {name}.toml
family = "{name}"
title = "Two triangles, held together by one edge"
{keys}
[graph]
# [u, v, weight]; a missing weight is 1. Or: edges = "graph.csv" (also .graphml, .gml, METIS .graph, DIMACS .col),
# or generator = {{name = "karate_club_graph"}}, or points with similarity = {{kind = "gaussian", sigma = 1.0}}
edges = [[0, 1], [1, 2], [2, 0], [2, 3], [3, 4], [4, 5], [5, 3]]

[known]                                # what the literature says; compared and printed
value = "{value}"

# [solve]
# gap = 1e-6
# time_limit = 60
"""


def balanced_explained(problem: GraphProblem, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which edges are cut, how large the parts are, and what the lower end rests on."""
    for witness in witnesses:
        what = witness["kind"]
        if what == "enumeration":
            yield "lower end: all partitions were looked at, those with equal beginnings together, and none is better"
        elif what == "contraction":
            yield "lower end: the weight of a least cut, and that parts are at most half or add up to all"
        elif what == "partition" and any(any(row) for row in witness.get("nonnegative", [])):
            yield "lower end: the semidefinite relaxation of partitions, with multipliers of its signs"
        elif what == "partition":
            yield "lower end: the smallest eigenvalues of the Laplacian (Ky Fan)"
        else:
            yield from cut_explained(problem, [witness])
