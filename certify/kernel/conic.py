"""Conic programs (LP, SOCP, SDP): the least or greatest value of an affine function over an affine slice of a cone.

minimise f(x) = cᵀx + c_0 subject to s = Ax + b ∈ K over free x ∈ ℚⁿ; for a maximum, f and its bounds change sign.
Witnesses (docs/mathematics/conic.md), y ∈ K* being a vector with one entry a row and ⟨y, s⟩ counting an entry off the
diagonal of a psd cone twice:

``point``   x with Ax + b ∈ K: the optimum is at most f(x).
``dual``    y ∈ K* with Aᵀy = c: f(x) = c_0 + ⟨y, s⟩ − ⟨y, b⟩ ≥ c_0 − ⟨y, b⟩ for every feasible x.
``farkas``  y ∈ K* with Aᵀy = 0 and ⟨y, b⟩ < 0: no x is feasible, for ⟨y, s⟩ = ⟨y, b⟩.
            These two may carry a chain of ``faces`` (module faces), on which more y will do.
``ray``     a feasible x and a d with Ad ∈ K and cᵀd < 0: f has no lower bound, along x + td.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify.kernel.cones import Program, canonical_program, conic_inside, conic_values, conic_vector
from certify.kernel.exact import Rejected, kind, mapping
from certify.kernel.faces import conic_multipliers, conic_paired
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
        conic_inside(data, tops[1:], below[1:], direction["psd"], f"{where}.direction", pure)
        if sign * tops[0] >= 0:
            raise Rejected("conic.ray", f"{where}.direction", "the objective does not improve along it")
        return "unbounded", None
    mapping(witness, where, {"kind", "y", "psd"}, {"faces", "turns"})
    q, y = conic_multipliers(witness, where, data, pure)
    gradient, offset, scale = conic_paired(data, y, q, f"{where}.y")
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


def _point(witness: dict[str, Any], where: str, data: Program, pure: bool) -> Fraction:
    """The objective at a point that is proved feasible."""
    q, x = conic_vector(witness["x"], f"{where}.x", data.variables)
    tops, below = conic_values(data, x, q, f"{where}.x")
    conic_inside(data, tops[1:], below[1:], witness["psd"], where, pure)
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
