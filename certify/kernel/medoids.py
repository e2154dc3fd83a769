"""Statements about k-medoids and k-median over finite candidates (docs/mathematics/medoids.md).

OPT = min over at most k candidates S of Σ_j min_{i ∈ S} c_ij.

``centres``      candidates, and perhaps which of them serves each item: what that costs is an upper bound.
``multipliers``  integers v_j on a grid. For every S, Σ_j min_{i ∈ S} c_ij >= Σ_j v_j + Σ_{i ∈ S} ρ_i with
                 ρ_i = Σ_j min(0, c_ij − v_j) <= 0, so OPT >= Σ v + the sum of the k least ρ (Cornuéjols, Fisher,
                 Nemhauser 1977). A tree branches on "i is a centre", "i is none"; OPT is at least the least bound of a
                 leaf. Where all c are rational, OPT lies on their lattice, and each leaf is rounded up to it.

Square roots are replaced by the lower ends of enclosures in lower bounds, by the upper ones in upper bounds.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import Any, NamedTuple

from certify.kernel.dissimilarity import Dissimilarity, canonical_dissimilarity
from certify.kernel.exact import Rejected, affordable, array, integer, integer_rows, kind, longest, mapping
from certify.kernel.intervals import MAX_ROOT_BITS, root_enclosure
from certify.kernel.statement import Rules

MAX_CENTRE_LEAVES = 10_000
MAX_CENTRE_DEPTH = 200


class Centred(NamedTuple):
    """The data of a problem of centres: dissimilarities, and at most how many centres there may be."""

    c: Dissimilarity
    k: int


def canonical_centred(problem: Any) -> tuple[Any, Centred]:
    """The problem of the families kmedoids and kcenter in the one form that is digested, and its data."""
    table = mapping(problem, "problem", {"metric", "k", "power"})
    form, c = _centred_form(table, None)
    if c.c.candidates != c.c.items:
        raise Rejected("shape", "problem.metric", "the centres are among the items: a table of them is square")
    return form, c


def canonical_kmedian(problem: Any) -> tuple[Any, Centred]:
    """The problem of the family kmedian: candidates may be points of their own, or the rows of any table."""
    table = mapping(problem, "problem", {"metric", "k", "power"}, {"candidates"})
    if "candidates" in table:
        mapping(table["candidates"], "problem.candidates", {"denominator", "rows"})
    return _centred_form(table, table.get("candidates"))


def _centred_form(table: dict[str, Any], sites: Any) -> tuple[Any, Centred]:
    power = integer(table["power"], "problem.power", 1, 2)
    form, own, c = canonical_dissimilarity(table["metric"], "problem.metric", power, sites)
    k = integer(table["k"], "problem.k", 1, c.candidates)
    canonical = {"metric": form, "k": k, "power": power}
    return canonical if own is None else {**canonical, "candidates": own}, Centred(c, k)


def service_of(witness: dict[str, Any], where: str, data: Centred) -> list[int]:
    """base_ij of every item j to the centre i that serves it: the one that the witness says, or the nearest."""
    c = data.c
    centres = [
        integer(i, f"{where}.centres[{t}]", 0, c.candidates - 1)
        for t, i in enumerate(array(witness["centres"], f"{where}.centres"))
    ]
    if not 1 <= len(centres) <= data.k:
        raise Rejected("centres.count", f"{where}.centres", f"expected 1 to {data.k} centres")
    rows = [c.row(i) for i in centres]
    if "labels" not in witness:
        return [min(column) for column in zip(*rows, strict=True)]
    labels = array(witness["labels"], f"{where}.labels", c.items)
    return [rows[integer(t, f"{where}.labels[{j}]", 0, len(centres) - 1)][j] for j, t in enumerate(labels)]


class CentreLeaf(NamedTuple):
    """A leaf of a branching: candidates that are centres, candidates that are none, and which row bounds it."""

    opened: frozenset[int]
    closed: frozenset[int]
    row: int


def centre_leaves(tree: Any, where: str, data: Centred, rows: int) -> list[CentreLeaf]:
    """The leaves of a tree in preorder: −1 − i branches on candidate i (first opened, then closed), r >= 0 is a leaf
    that row r bounds. Leaves that open more than k candidates hold no solution and are left out."""
    leaves: list[CentreLeaf] = []
    waiting: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    entries = array(tree, where)
    if len(entries) > 2 * MAX_CENTRE_LEAVES:
        raise Rejected("size", where, f"more than {MAX_CENTRE_LEAVES} leaves")
    for t, value in enumerate(entries):
        entry = integer(value, f"{where}[{t}]", -data.c.candidates, rows - 1)
        if not waiting:
            raise Rejected("tree.shape", f"{where}[{t}]", "something follows a whole tree")
        opened, closed = waiting.pop()
        if entry >= 0:
            leaves += [CentreLeaf(opened, closed, entry)] if len(opened) <= data.k else []
            continue
        if len(opened) + len(closed) >= MAX_CENTRE_DEPTH:
            raise Rejected("tree.depth", f"{where}[{t}]", f"more than {MAX_CENTRE_DEPTH} branchings above a leaf")
        waiting += [(opened, closed | {-1 - entry}), (opened | {-1 - entry}, closed)]
    if waiting:
        raise Rejected("tree.shape", where, "the tree is cut short")
    return leaves


def check_medoids(witness: dict[str, Any], where: str, data: Centred, pure: bool) -> tuple[str, Any]:
    """The relation and the value that a witness proves of the cost, or Rejected."""
    c = data.c
    if kind(witness, where, ("centres", "multipliers")) == "centres":
        mapping(witness, where, {"kind", "centres", "bits"}, {"labels"})
        bits = integer(witness["bits"], f"{where}.bits", 0, MAX_ROOT_BITS)
        base = service_of(witness, where, data)
        if not c.rooted:
            return "<=", sum(base) * c.unit
        return "<=", Fraction(sum(root_enclosure(b, bits)[1] for b in base), 1 << bits) * c.unit
    mapping(witness, where, {"kind", "bits", "v", "tree"})
    bits = integer(witness["bits"], f"{where}.bits", 0, MAX_ROOT_BITS)
    v = integer_rows(witness["v"], f"{where}.v", None, lambda r: c.items)
    leaves = centre_leaves(witness["tree"], f"{where}.tree", data, len(v))
    affordable(f"{where}.v", 16 * len(v) * c.candidates * c.items, c.bits + 2 * bits + longest(v))
    rho = _medoid_reduced_costs(c, bits, v)
    order = [sorted(range(c.candidates), key=line.__getitem__) for line in rho]
    totals = [_centre_leaf_bound(leaf, sum(v[leaf.row]), rho[leaf.row], order[leaf.row], data.k) for leaf in leaves]
    least = min(totals)
    if not c.rooted:  # the cost of every choice is a multiple of 1 = 2^bits steps
        least = -(-least >> bits) << bits
    return ">=", Fraction(least, 1 << bits) * c.unit


def _medoid_reduced_costs(c: Dissimilarity, bits: int, v: list[list[int]]) -> list[list[int]]:
    """ρ_i of each row of v in steps of 2^-bits, for lower ends of c. Only pairs with c_ij < v_j are looked at: those
    whose base is at most the largest integer below v_j (v_j² under a root)."""
    most = [[-1 if x <= 0 else (x * x - 1) >> (2 * bits) if c.rooted else (x - 1) >> bits for x in line] for line in v]
    rho: list[list[int]] = [[] for _ in v]
    for i in range(c.candidates):
        row = c.row(i)
        for line, limits, out in zip(v, most, rho, strict=True):
            near = [(b, x) for b, x, limit in zip(row, line, limits, strict=True) if b <= limit]
            ends = [isqrt(b << (2 * bits)) if c.rooted else b << bits for b, _ in near]
            out.append(sum(ends) - sum([x for _, x in near]))
    return rho


def _centre_leaf_bound(leaf: CentreLeaf, total: int, rho: list[int], order: list[int], k: int) -> int:
    """Σv + ρ of the opened candidates + the least ρ of those that are free, to at most k in all."""
    left = k - len(leaf.opened)
    total += sum(rho[i] for i in leaf.opened)
    for i in order:
        if left == 0:
            break
        if i not in leaf.opened and i not in leaf.closed:
            total, left = total + rho[i], left - 1
    return total


def centred_facts(data: Centred) -> dict[str, Any]:
    """What the words say of the data."""
    return {"n": data.c.items, "k": data.k, "m": data.c.candidates}


_MEDOIDS_WORDS = {
    ">=": "every choice of {k} of these {m} candidates as centres of these {n} items costs at least {value} in all",
    "<=": "some choice of {k} of these {m} candidates as centres of these {n} items costs at most {value} in all",
    "==": "the cheapest choice of {k} of these {m} candidates as centres of these {n} items costs {value} in all",
}

KMEDOIDS = Rules(
    "cost",
    r"\min_{\lvert S \rvert = k} \sum_j \min_{i \in S} c_{ij}",
    _MEDOIDS_WORDS,
    canonical_centred,
    check_medoids,
    centred_facts,
)
KMEDIAN = Rules(
    "cost",
    r"\min_{\lvert S \rvert = k} \sum_j \min_{i \in S} c_{ij}",
    _MEDOIDS_WORDS,
    canonical_kmedian,
    check_medoids,
    centred_facts,
)
