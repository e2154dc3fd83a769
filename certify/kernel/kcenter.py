"""Statements about k-center (docs/mathematics/medoids.md).

OPT = min over at most k candidates S of max_j min_{i ∈ S} c_ij.

``centres``  candidates, and perhaps which of them serves each item: the dearest service is an upper bound.
``packing``  OPT >= r where r = c_ij of the pair ``radius``. Else k balls B_i = {j : c_ij < r} would cover all items.
             Weights w >= 0 on the items with w(B_i) <= W for all i and Σ w > kW exclude that (the dual of the covering
             programme); k + 1 items of which no two share a ball are the case of weights 0 and 1. A tree branches on "i
             is a centre", "i is none"; at a leaf only items that no opened ball covers count, and k − |opened| balls.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify.kernel.exact import Rejected, affordable, integer, integer_rows, kind, longest, mapping
from certify.kernel.intervals import MAX_ROOT_BITS, root_enclosure
from certify.kernel.medoids import Centred, CentreLeaf, canonical_centred, centre_leaves, centred_facts, service_of
from certify.kernel.quadratic import Surd
from certify.kernel.statement import Rules

MAX_SURD_BITS = 256  # of a number whose root is stated as a root, not as an enclosure
_SMALL_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


def check_kcenter(witness: dict[str, Any], where: str, data: Centred, pure: bool) -> tuple[str, Any]:
    """The relation and the value that a witness proves of the cost, or Rejected."""
    c = data.c
    if kind(witness, where, ("centres", "packing")) == "centres":
        mapping(witness, where, {"kind", "centres"}, {"labels"})
        most = max(service_of(witness, where, data))
        return "<=", exact_root(most, c.unit, True) if c.rooted else most * c.unit
    mapping(witness, where, {"kind", "radius", "weights", "tree"})
    ((i, j),) = integer_rows([witness["radius"]], f"{where}.radius", 1, lambda t: 2)
    radius = c.row(integer(i, f"{where}.radius[0]", 0, c.candidates - 1))[
        integer(j, f"{where}.radius[1]", 0, c.items - 1)
    ]
    weights = integer_rows(witness["weights"], f"{where}.weights", None, lambda t: c.items)
    for t, line in enumerate(weights):
        if min(line) < 0:
            raise Rejected("packing.weight", f"{where}.weights[{t}]", "a weight is not negative")
    leaves = centre_leaves(witness["tree"], f"{where}.tree", data, len(weights))
    affordable(
        f"{where}.weights", 16 * (len(weights) * c.candidates + len(leaves) * data.k) * c.items, longest(weights)
    )
    loads: list[list[int]] = [[] for _ in weights]
    for s in range(c.candidates):
        near = [b < radius for b in c.row(s)]
        for line, out in zip(weights, loads, strict=True):
            out.append(sum([w for w, inside in zip(line, near, strict=True) if inside]))
    for leaf in leaves:
        if not _uncoverable(leaf, data, radius, weights[leaf.row], loads[leaf.row]):
            why = "k balls below this radius could hold all the weight of a leaf"
            raise Rejected("packing.short", f"{where}.weights[{leaf.row}]", why)
    return ">=", exact_root(radius, c.unit, False) if c.rooted else radius * c.unit


def _uncoverable(leaf: CentreLeaf, data: Centred, radius: int, weights: list[int], loads: list[int]) -> bool:
    """Whether the balls of the opened candidates and any k − |opened| free ones leave some weight uncovered."""
    outside = list(weights)
    for i in leaf.opened:
        outside = [0 if b < radius else w for w, b in zip(outside, data.c.row(i), strict=True)]
    fixed = leaf.opened | leaf.closed
    most = max((load for i, load in enumerate(loads) if i not in fixed), default=0)
    return sum(outside) > (data.k - len(leaf.opened)) * most


def exact_root(square: int, unit: Fraction, upward: bool) -> Any:
    """√square·unit: a Fraction if it is rational, else a Surd; of a very long number the end of an enclosure.

    Equal arguments give equal numbers, and of one unit only those. Small square factors are taken out of the root.
    """
    low, high = root_enclosure(square, 0)
    if low == high:
        return low * unit
    if square.bit_length() > MAX_SURD_BITS:
        ends = root_enclosure(square, MAX_ROOT_BITS)
        return Fraction(ends[upward], 1 << MAX_ROOT_BITS) * unit
    outside = 1
    for p in _SMALL_PRIMES:
        while square % (p * p) == 0:
            square, outside = square // (p * p), outside * p
    return Surd(Fraction(0), outside * unit, square)


KCENTER = Rules(
    "cost",
    r"\min_{\lvert S \rvert = k} \max_j \min_{i \in S} c_{ij}",
    {
        ">=": "however {k} of these {m} candidates are made centres, some of these {n} items is at least {value} away",
        "<=": "some choice of {k} of these {m} candidates as centres has each of these {n} items within {value}",
        "==": "the least radius within which {k} of these {m} candidates as centres have these {n} items is {value}",
    },
    canonical_centred,
    check_kcenter,
    centred_facts,
)
