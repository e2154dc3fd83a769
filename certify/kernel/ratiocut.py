"""Statements about balanced cuts of a graph with weights >= 0 (docs/mathematics/ratiocut.md). Parts are never empty.

``ratiocut``   Σ_i w(C_i, rest)/|C_i| over partitions into exactly k parts.
``ncut``       Σ_i w(C_i, rest)/vol(C_i), vol the weight at the vertices; no vertex may be without an edge.
``bisection``  the weight between two parts whose sizes differ by at most one.
``expansion``  min w(S, rest)/|S| over sets S of at most half of the vertices.

``labels``       a partition: an upper bound.
``zero``         weights are not negative.
``contraction``  every cut weighs at least λ (:mod:`certify.kernel.mincut`).
``partition``    the bound of :mod:`certify.kernel.partition`; halves and expansion follow from that of RatioCut.
``enumeration``  no partition is below ``bound``: all were looked at (:mod:`certify.kernel.enumeration`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from certify.kernel.enumeration import MeasuredGraph, enumerate_parts, enumerate_two, order_of
from certify.kernel.exact import Rejected, integer, kind, mapping, rational
from certify.kernel.graph import WeightedGraph, canonical_graph, crossing
from certify.kernel.mincut import contract_below, parts_of
from certify.kernel.partition import partition_bound
from certify.kernel.statement import Rules


class BalancedCut(NamedTuple):
    """The graph, the number of parts, the measures of the vertices, how a cut is judged, and the unit of its value."""

    graph: WeightedGraph
    k: int
    measured: MeasuredGraph
    unit: Fraction  # what a weight of 1 over a measure of 1 (or a weight of 1, of halves) is worth

    def __len__(self) -> int:
        return self.graph.vertices


def canonical_ratiocut(problem: Any) -> tuple[Any, BalancedCut]:
    """The problem of the family ratiocut in the one form that is digested, and its data."""
    form, graph, k = _graph_and_k(problem)
    measured = MeasuredGraph(graph, [1] * graph.vertices, "ratio")
    return form, BalancedCut(graph, k, measured, Fraction(1, graph.denominator))


def canonical_ncut(problem: Any) -> tuple[Any, BalancedCut]:
    """The problem of the family ncut, and its data; both weights and volumes are over the denominator."""
    form, graph, k = _graph_and_k(problem)
    degrees = [0] * graph.vertices
    for u, v, weight in graph.edges:
        degrees[u] += weight
        degrees[v] += weight
    if min(degrees) == 0:
        raise Rejected(
            "ncut.isolated", "problem.graph.edges", f"vertex {degrees.index(0)} has no edge: its volume is 0"
        )
    return form, BalancedCut(graph, k, MeasuredGraph(graph, degrees, "ratio"), Fraction(1))


def canonical_bisection(problem: Any) -> tuple[Any, BalancedCut]:
    """The problem of the family bisection, and its data."""
    return _of_two(problem, "halves")


def canonical_expansion(problem: Any) -> tuple[Any, BalancedCut]:
    """The problem of the family expansion, and its data."""
    return _of_two(problem, "least")


def _graph_and_k(problem: Any) -> tuple[Any, WeightedGraph, int]:
    table = mapping(problem, "problem", {"graph", "k"})
    form, graph = canonical_graph(table["graph"], "problem.graph")
    k = integer(table["k"], "problem.k", 2, graph.vertices)
    return {"graph": form, "k": k}, graph, k


def _of_two(problem: Any, judge: str) -> tuple[Any, BalancedCut]:
    table = mapping(problem, "problem", {"graph"})
    form, graph = canonical_graph(table["graph"], "problem.graph")
    if graph.vertices < 2:
        raise Rejected("shape", "problem.graph.vertices", "two parts need two vertices")
    return {"graph": form}, BalancedCut(
        graph, 2, MeasuredGraph(graph, [1] * graph.vertices, judge), Fraction(1, graph.denominator)
    )


def check_balanced(witness: dict[str, Any], where: str, data: BalancedCut, pure: bool) -> tuple[str, Fraction]:
    """The relation and the value that a witness proves of a balanced cut, or Rejected."""
    what = kind(witness, where, ("labels", "zero", "contraction", "partition", "enumeration"))
    if what == "labels":
        return "<=", _labels_value(witness, where, data)
    if what == "zero":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(0)
    if what == "enumeration":
        return ">=", _enumerated(witness, where, data)
    total, judge = sum(data.measured.measure), data.measured.judge
    if what == "contraction":
        mapping(witness, where, {"kind", "value"})
        least = integer(witness["value"], f"{where}.value", 0)
        contract_below(data.graph, least, f"{where}.value")
        share = {"ratio": Fraction(data.k**2, total), "halves": Fraction(1), "least": Fraction(1, total // 2)}
        return ">=", least * data.unit * share[judge]
    ratio = partition_bound(witness, where, lambda: _laplacian(data.graph), data.measured.measure, data.k, pure)
    # Two parts of s and n − s: w = s(n−s)/n·RatioCut, and w/s = (n−s)/n·RatioCut >= ⌈n/2⌉/n·RatioCut.
    larger = total - total // 2
    part = {
        "ratio": Fraction(1),
        "halves": Fraction(larger * (total - larger), total),
        "least": Fraction(larger, total),
    }
    return ">=", max(ratio, Fraction(0)) * data.unit * part[judge]


def _laplacian(graph: WeightedGraph) -> list[list[int]]:
    """The lower triangle of Deg − W, over the denominator."""
    rows = [[0] * (i + 1) for i in range(graph.vertices)]
    for u, v, weight in graph.edges:
        rows[u][u] += weight
        rows[v][v] += weight
        rows[v][u] -= weight
    return rows


def _labels_value(witness: dict[str, Any], where: str, data: BalancedCut) -> Fraction:
    mapping(witness, where, {"kind", "labels"})
    graph, measure = data.graph, data.measured.measure
    labels = parts_of(witness["labels"], f"{where}.labels", graph, data.k)
    sizes, weights = [0] * data.k, [0] * data.k
    for label, size in zip(labels, measure, strict=True):
        sizes[label] += size
    for u, v, weight in graph.edges:
        if labels[u] != labels[v]:
            weights[labels[u]] += weight
            weights[labels[v]] += weight
    if data.measured.judge == "ratio":
        return sum((Fraction(w, a) for w, a in zip(weights, sizes, strict=True)), Fraction(0)) * data.unit
    if data.measured.judge == "halves" and abs(sizes[0] - sizes[1]) > 1:
        raise Rejected("parts.halves", f"{where}.labels", "the sizes of the two parts differ by more than one")
    cut = crossing(graph, labels) * data.unit
    return cut * Fraction(1, min(sizes)) if data.measured.judge == "least" else cut


def _enumerated(witness: dict[str, Any], where: str, data: BalancedCut) -> Fraction:
    mapping(witness, where, {"kind", "order", "bound"})
    bound = rational(witness["bound"], f"{where}.bound")
    order = order_of(witness["order"], f"{where}.order", data.graph.vertices)
    if data.k > 2:
        enumerate_parts(data.measured, data.k, order, bound * Fraction(1, data.unit), f"{where}.bound")
        return bound
    share = sum(data.measured.measure) if data.measured.judge == "ratio" else 1
    enumerate_two(data.measured, order, bound * Fraction(1, data.unit * share), f"{where}.bound")
    return bound


def _balanced_facts(data: BalancedCut) -> dict[str, Any]:
    return {"n": data.graph.vertices, "m": len(data.graph.edges), "k": data.k}


def _balanced_rules(quantity: str, latex: str, what: str, how: str, canonical: Any) -> Rules:
    return Rules(
        quantity=quantity,
        latex=latex,
        words={
            ">=": f"every {what} has {how} at least {{value}}",
            "<=": f"some {what} has {how} at most {{value}}",
            "==": f"the best {what} has {how} {{value}}",
        },
        canonical=canonical,
        check=check_balanced,
        facts=_balanced_facts,
    )


_PARTS = "partition of the {n} vertices of this graph into {k} parts"

RATIOCUT = _balanced_rules("ratiocut", r"\mathrm{RatioCut}_k(G)", _PARTS, "a RatioCut of", canonical_ratiocut)
NCUT = _balanced_rules("ncut", r"\mathrm{NCut}_k(G)", _PARTS, "a normalised cut of", canonical_ncut)
BISECTION = _balanced_rules(
    "cut_weight", r"\mathrm{bis}(G)", "bisection of the {n} vertices of this graph", "a weight of", canonical_bisection
)
EXPANSION = _balanced_rules(
    "expansion", "h(G)", "set of at most half of the {n} vertices of this graph", "an expansion of", canonical_expansion
)
