"""What a certificate of k-means says, in words; and a problem file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.kernel import decimal_text

if TYPE_CHECKING:
    from certify.families.kmeans import KMeans

_MOST_CLUSTERS = 12


def explained(problem: KMeans, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """What makes the two ends, and what to try where they are far apart."""
    for witness in witnesses:
        kind = witness["kind"]
        if kind == "labels":
            yield from _clusters(problem, [int(label) for label in witness["labels"]])
        elif kind == "centres":
            yield f"upper end: {len(witness['centres']['rows'])} centres, each point charged to the nearest"
        else:
            yield from _lower(problem, witness, "lower end: ")


def _clusters(problem: KMeans, labels: list[int]) -> Iterator[str]:
    points = problem.points
    members: dict[int, list[int]] = {}
    for i, label in enumerate(labels):
        members.setdefault(label, []).append(i)
    yield f"upper end: a clustering into {len(members)} clusters"
    costs = []
    for label, inside in members.items():
        mass, first, second = points.part(inside).moments()
        spread = Fraction(mass * second - sum(s * s for s in first), mass or 1)
        costs.append((spread / (points.unit * points.denominator**2), label))
    for cost, label in sorted(costs, reverse=True)[:_MOST_CLUSTERS]:
        size = len(members[label])
        few = ", ".join(problem.name_of(i) for i in members[label][:4])
        yield (
            f"  cluster {label}: {size} point{'s' if size > 1 else ''} ({few}{', …' if size > 4 else ''}), "
            f"costs {decimal_text(cost, True, 8)}"
        )


def _lower(problem: KMeans, witness: Mapping[str, Any], start: str) -> Iterator[str]:
    kind = witness["kind"]
    if kind == "zero":
        yield f"{start}no cost is negative"
    elif kind == "spectral":
        yield f"{start}the total scatter less the {problem.k - 1} largest eigenvalues of the scatter matrix (Ky Fan)"
        if problem.k > 1:
            yield "  it is near the optimum only where clusters lie far apart; prices are stronger: give more time"
    elif kind == "line":
        yield f"{start}clusters on a line are intervals; the rent of an interval and the prices of the points prove it"
    elif kind == "dual":
        leaves = list(_leaves(witness["root"]))
        tree = "" if len(leaves) == 1 else f" in a tree of {len(leaves)} branches"
        yield f"{start}prices of the points{tree}: no cluster costs less than its prices less a rent"
        prices = sorted(((int(p), i) for i, p in enumerate(leaves[0]["prices"])), reverse=True)
        total = sum(p for p, _ in prices) or 1
        rows = list(dict.fromkeys(tuple(row) for row in problem.rows))
        for price, i in prices[:5]:
            if len(rows) == len(leaves[0]["prices"]):
                point = problem.rows.index(rows[i])
                yield f"  point {problem.name_of(point)} carries {price / total:.1%} of the prices"
    elif kind == "axes":
        yield f"{start}the points on {sum(len(b['axes']) for b in witness['blocks'])} turned axes"
        for block in witness["blocks"]:
            yield from _lower(problem, block["witness"], "  there: ")
    elif kind == "parts":
        sizes = [len(part["points"]) for part in witness["parts"]]
        yield f"{start}{len(sizes)} disjoint parts of {min(sizes)} to {max(sizes)} points, whose bounds add up"
    else:
        yield f"{start}a witness of kind {kind}"


def _leaves(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "pair" not in node:
        yield node
        return
    yield from _leaves(node["together"])
    yield from _leaves(node["apart"])


TEMPLATE = """\
# A problem file of the family "kmeans": k clusters with the least sum of squared distances to their means.
# Solve it:             certify solve kmeans.toml
# Judge your own one:   certify assess kmeans.toml --solution labels.csv
family = "kmeans"
title  = "Six points on a line"
k = 2                       # fewer clusters are allowed
# weights = [1, 1, 2, 1, 1, 1]   one a point (default 1), or the path of a table of one column

[data]
# One of:
#   points = [[0, 1], ["1/3", 0.5]]      rows of numbers, one a point
#   csv = "points.csv"                   a table; columns = ["x", "y"] or [0, 1] picks from it
#   npy = "points.npy"                   an array: floats are the exact numbers that they are
points = [[0], [1], [2], [10], [11], [12]]

[solve]
gap = 1e-6          # relative gap to reach
time_limit = 300    # seconds

[known]
value = "4"         # what the literature says of cost
relation = "=="
"""
