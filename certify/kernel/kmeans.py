"""Statements about k-means (docs/mathematics/kmeans.md): the least Σ_i w_i·|x_i − y_c(i)|² over at most k centres y.

The points x_i have weights w_i >= 0 (1 where none are given); the sum is not divided by anything.

Upper ends:  ``labels``    a cluster for every point: each cluster costs its scatter about its mean.
             ``centres``   k points: each x_i is charged to the nearest.
Lower ends: see :mod:`certify.kernel.kmeans_lower`; ``sample``: :mod:`certify.kernel.kmeans_sample`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, affordable, array, integer, kind, longest, mapping, matrix
from certify.kernel.kmeans_lower import LOWER_KINDS, kmeans_lower
from certify.kernel.kmeans_sample import sample_bound
from certify.kernel.points import PointSet, canonical_point_set
from certify.kernel.statement import Rules


class KMeansData(NamedTuple):
    """The points and the number of clusters."""

    points: PointSet
    k: int


def canonical_kmeans(problem: Any) -> tuple[Any, KMeansData]:
    """The problem in the one form that is digested, and its data."""
    table = mapping(problem, "problem", {"points", "k"}, {"weights"})
    form, points = canonical_point_set(table)
    k = integer(table["k"], "problem.k", 1, len(points))
    return {**form, "k": k}, KMeansData(points, k)


def check_kmeans(witness: dict[str, Any], where: str, data: KMeansData, pure: bool) -> tuple[Any, ...]:
    """The relation and the value that a witness proves of cost (and the confidence of samples), or Rejected."""
    what = kind(witness, where, ("labels", "centres", "sample", *LOWER_KINDS))
    if what == "labels":
        return "<=", _labels_cost(witness, where, data)
    if what == "centres":
        return "<=", _centres_cost(witness, where, data)
    if what == "sample":
        return sample_bound(witness, where, data.points, data.k, pure)
    return ">=", kmeans_lower(witness, where, data.points, data.k, pure, LOWER_KINDS)


def _labels_cost(witness: dict[str, Any], where: str, data: KMeansData) -> Fraction:
    points, k = data
    mapping(witness, where, {"kind", "labels"})
    given = array(witness["labels"], f"{where}.labels", len(points))
    labels = [integer(label, f"{where}.labels[{i}]", 0, k - 1) for i, label in enumerate(given)]
    bits = longest(points.rows) + max(points.weights).bit_length()
    affordable(where, 2 * len(points) * len(points.rows[0]), bits, bits)
    members: list[list[int]] = [[] for _ in range(k)]
    for i, label in enumerate(labels):
        members[label].append(i)
    cost = Fraction(0)
    for cluster in members:
        mass, first, second = points.part(cluster).moments()
        cost += Fraction(mass * second - sum(s * s for s in first), mass) if mass else 0
    return cost * Fraction(1, points.unit * points.denominator**2)


def _centres_cost(witness: dict[str, Any], where: str, data: KMeansData) -> Fraction:
    points, k = data
    mapping(witness, where, {"kind", "centres"})
    n, d = len(points), len(points.rows[0])
    denominator, centres = matrix(witness["centres"], f"{where}.centres", None, lambda c: d)
    if not 1 <= len(centres) <= k:
        raise Rejected("shape", f"{where}.centres.rows", f"expected 1 to {k} centres")
    q = points.denominator
    bits = max(longest(points.rows) + denominator.bit_length(), longest(centres) + q.bit_length())
    affordable(where, 2 * n * d * len(centres), bits, bits)
    places = [[q * y for y in centre] for centre in centres]
    cost = 0
    for row, weight in zip(points.rows, points.weights, strict=True):
        x = [denominator * entry for entry in row]
        cost += weight * min(sum((a - b) ** 2 for a, b in zip(x, y, strict=True)) for y in places)
    return Fraction(cost, points.unit * (q * denominator) ** 2)


def _kmeans_facts(data: KMeansData) -> dict[str, Any]:
    weighted = "weighted " if set(data.points.weights) != {data.points.unit} else ""
    return {"n": len(data.points), "k": data.k, "d": len(data.points.rows[0]), "weighted": weighted}


_OF = "of the {n} points into {k} clusters"
_SUM = "a {weighted}sum of squared distances to the means of its clusters of"

KMEANS = Rules(
    quantity="cost",
    latex=r"\mathrm{OPT}_k",
    words={
        ">=": f"every partition {_OF} has {_SUM} at least {{value}}",
        "<=": f"some partition {_OF} has {_SUM} at most {{value}}",
        "==": f"the best partition {_OF} has {_SUM} {{value}}",
    },
    canonical=canonical_kmeans,
    check=check_kmeans,
    facts=_kmeans_facts,
)
