"""Conic programs (LP, SOCP, SDP): the least or greatest value of an affine function over an affine slice of a cone.

minimise f(x) = cᵀx + c_0 subject to s = Ax + b ∈ K over free x ∈ ℚⁿ; for a maximum, f and its bounds change sign.
Witnesses (docs/mathematics/conic.md), y ∈ K* being a vector with one entry a row and ⟨y, s⟩ counting an entry off the
diagonal of a psd cone twice:

``point``   x with Ax + b ∈ K: the optimum is at most f(x).
``dual``    y ∈ K* with Aᵀy = c: f(x) = c_0 + ⟨y, s⟩ − ⟨y, b⟩ ≥ c_0 − ⟨y, b⟩ for every feasible x.
``farkas``  y ∈ K* with Aᵀy = 0 and ⟨y, b⟩ < 0: no x is feasible, for ⟨y, s⟩ = ⟨y, b⟩.
``ray``     a feasible x and a d with Ad ∈ K and cᵀd < 0: f has no lower bound, along x + td.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import lcm
from typing import Any

from certify.kernel.cones import Program, canonical_program, conic_inside, conic_values, conic_vector
from certify.kernel.exact import Rejected, affordable, kind, longest, mapping, storable
from certify.kernel.statement import Rules


def check_conic(witness: dict[str, Any], where: str, data: Program, pure: bool) -> tuple[Any, ...]:
    word = kind(witness, where, ("point", "dual", "farkas", "ray"))
    sign = 1 if data.sense == "min" else -1
    if word == "point":
        mapping(witness, where, {"kind", "x", "psd"})
        return ("<=" if sign > 0 else ">="), _point(witness, where, data, pure)
    if word == "ray":
        mapping(witness, where, {"kind", "x", "psd", "direction"})
        _point(witness, where, data, pure)
        direction = mapping(witness["direction"], f"{where}.direction", {"x", "psd"})
        _, d = conic_vector(direction["x"], f"{where}.direction.x", data.variables)
        tops, below = conic_values(data, d, 0, f"{where}.direction.x")
        conic_inside(data, tops[1:], below[1:], direction["psd"], f"{where}.direction", False, pure)
        if sign * tops[0] >= 0:
            raise Rejected("conic.ray", f"{where}.direction", "the objective does not improve along it")
        return "unbounded", None
    mapping(witness, where, {"kind", "y", "psd"})
    q, y = conic_vector(witness["y"], f"{where}.y", len(data.constant) - 1)
    conic_inside(data, y, [1] * len(y), witness["psd"], where, True, pure)
    gradient, offset, scale = _paired(data, y, q, f"{where}.y")
    for t in range(data.start[1] if word == "dual" else 0):
        j, c = data.column[t], sign * data.value[t] * scale // data.denominator[0]
        if gradient.pop(j, 0) != c:
            raise Rejected("conic.dual", f"{where}.y", f"the rows do not add up to the objective at variable {j}")
    for j, entry in gradient.items():
        if entry:
            raise Rejected("conic.left", f"{where}.y", f"variable {j} is left in the sum of the rows")
    if word == "dual":
        value = Fraction(data.constant[0], data.denominator[0]) - sign * Fraction(offset, scale)
        return (">=" if sign > 0 else "<="), value
    if offset >= 0:
        raise Rejected("conic.farkas", f"{where}.y", "the sum of the rows is no contradiction")
    return "infeasible", None


def _paired(data: Program, y: list[int], q: int, where: str) -> tuple[dict[int, int], int, int]:
    """Aᵀy by variable and ⟨y, b⟩ for the entries y/q, all times the scale, which comes third."""
    scale = data.denominator[0]
    for d in {data.denominator[i + 1] for i, entry in enumerate(y) if entry}:
        scale = lcm(scale, d)
        storable(where, len(y), scale.bit_length())
    bits = longest([y]) + scale.bit_length() + 1
    affordable(where, len(data.value) + len(y), bits, max(longest([data.value]), longest([data.constant])))
    storable(where, data.variables, bits + longest([data.value]))
    twice = {r for word, size, first, last in data.cones if word == "psd" for r in _off_diagonal(size, first)}
    gradient: dict[int, int] = {}
    offset = 0
    for i, entry in enumerate(y):
        if entry:
            entry *= scale // data.denominator[i + 1] * (2 if i in twice else 1)
            offset += entry * data.constant[i + 1]
            for t in range(data.start[i + 1], data.start[i + 2]):
                j = data.column[t]
                gradient[j] = gradient.get(j, 0) + entry * data.value[t]
    return gradient, offset, q * scale


def _off_diagonal(size: int, first: int) -> Iterator[int]:
    """The rows of a psd cone that stand for two entries of the matrix."""
    for i in range(size):
        yield from range(first + i * (i + 1) // 2, first + i * (i + 1) // 2 + i)


def _point(witness: dict[str, Any], where: str, data: Program, pure: bool) -> Fraction:
    """The objective at a point that is proved feasible."""
    q, x = conic_vector(witness["x"], f"{where}.x", data.variables)
    tops, below = conic_values(data, x, q, f"{where}.x")
    conic_inside(data, tops[1:], below[1:], witness["psd"], where, False, pure)
    return Fraction(tops[0], below[0])


_KINDS = {
    frozenset(): "linear program",
    frozenset({"second_order"}): "second-order cone program",
}


def _conic_facts(data: Program) -> dict[str, Any]:
    curved = frozenset(word for word, _, _, _ in data.cones) - {"zero", "nonnegative"}
    what = _KINDS.get(curved, "semidefinite program")
    aim, latex = ("minimum", r"\min") if data.sense == "min" else ("maximum", r"\max")
    rows = len(data.constant) - 1
    facts = {"what": f"{what} in {data.variables} variables and {rows} rows", "aim": aim, "sense": data.sense}
    return {**facts, "latex": rf"{latex}\, c^{{\top}}x + c_0"}


CONIC = Rules(
    "objective",
    r"\min\, c^{\top}x + c_0",
    {
        "<=": "the {aim} of the objective of the {what} is at most {value}",
        ">=": "the {aim} of the objective of the {what} is at least {value}",
        "==": "the {aim} of the objective of the {what} is exactly {value}",
        "infeasible": "no point satisfies the constraints of the {what}",
        "unbounded": "the objective of the {what} has no finite {aim}: it is unbounded on the feasible points",
    },
    canonical_program,
    check_conic,
    _conic_facts,
)
