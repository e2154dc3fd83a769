"""Basis pursuit: the least ℓ1 norm of a vector v with Wv = y, or with ‖Wv − y‖₂ ≤ σ.

Witnesses (docs/mathematics/basis_pursuit.md):

``vector``  a sparse rational v that satisfies the constraint exactly: the optimum is at most ‖v‖₁.
``dual``    u with ‖Wᵀu‖_∞ ≤ 1: the optimum is at least yᵀu − σ‖u‖₂. With ``unique`` (no noise): a v with Wv = y and
            ‖v‖₁ = yᵀu, and independence of the columns j with |w_jᵀu| = 1: then v is the only minimiser.
``farkas``  u with Wᵀu = 0 and |yᵀu| > σ‖u‖₂: no v satisfies the constraint.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from certify.kernel.exact import Rejected, affordable, array, integer, kind, longest, mapping, rational, rational_text
from certify.kernel.sensing import MAX_MODULUS, sensing_independent, sensing_matrix, sensing_products
from certify.kernel.statement import DETERMINISTIC, Rules


class Measured(NamedTuple):
    """W = rows/q of shape (n, d), y = rhs/p, and the noise σ ≥ 0."""

    q: int
    rows: list[list[int]]
    p: int
    rhs: list[int]
    noise: Fraction

    def __len__(self) -> int:
        return len(self.rows[0])


def canonical_recovery(problem: Any) -> tuple[Any, Measured]:
    table = mapping(problem, "problem", {"matrix", "rhs"}, {"noise"})
    form, q, rows = sensing_matrix(table["matrix"], "problem.matrix")
    right, p, (rhs, *more) = sensing_matrix(table["rhs"], "problem.rhs", len(rows))
    if more:
        raise Rejected("shape", "problem.rhs.rows", "the right-hand side is one row")
    noise = rational(table.get("noise", 0), "problem.noise")
    if noise < 0:
        raise Rejected("recovery.noise", "problem.noise", "the noise is not negative")
    canonical: dict[str, Any] = {"matrix": form, "rhs": right}
    if noise:
        canonical["noise"] = rational_text(noise)
    return canonical, Measured(q, rows, p, rhs, noise)


def _recovery_vector(value: dict[str, Any], where: str, data: Measured) -> Fraction:
    """‖v‖₁ of a sparse v that satisfies the constraint exactly."""
    scale = integer(value["denominator"], f"{where}.denominator", least=1)
    entries = array(value["index"], f"{where}.index")
    v = [integer(e, f"{where}.value[{i}]") for i, e in enumerate(array(value["value"], f"{where}.value", len(entries)))]
    index = [integer(e, f"{where}.index[{i}]", 0, len(data) - 1) for i, e in enumerate(entries)]
    if any(a >= b for a, b in pairwise(index)):
        raise Rejected("recovery.order", f"{where}.index", "must increase")
    bits = max(longest([v]) + data.p.bit_length(), scale.bit_length() + data.q.bit_length())
    affordable(where, len(data.rows) * (len(v) + 1), max(longest(data.rows), longest([data.rhs])), bits)
    rest_bits = max(longest(data.rows), longest([data.rhs])) + bits + len(v).bit_length() + data.p.bit_length()
    affordable(where, len(data.rows), rest_bits + data.q.bit_length(), rest_bits + data.q.bit_length())
    square = 0
    for row, y in zip(data.rows, data.rhs, strict=True):
        rest = data.p * sum(row[j] * x for j, x in zip(index, v, strict=True)) - y * data.q * scale
        square += rest * rest
    if Fraction(square, (data.p * data.q * scale) ** 2) > data.noise**2:
        raise Rejected("recovery.residual", where, "Wv is not y (or is farther from it than the noise)")
    return Fraction(sum(map(abs, v)), scale)


def _recovery_values(value: Any, where: str, data: Measured) -> tuple[list[int], int, int]:
    """u as integers; yᵀu times p, and ‖u‖₂²."""
    u = [integer(e, f"{where}[{i}]") for i, e in enumerate(array(value, where, len(data.rows)))]
    affordable(where, 2 * len(u), max(longest([u]), longest([data.rhs])), longest([u]))
    return u, sum(a * b for a, b in zip(u, data.rhs, strict=True)), sum(a * a for a in u)


def _recovery_dual(witness: dict[str, Any], where: str, data: Measured) -> tuple[Any, ...]:
    keys = {"kind", "denominator", "value"}
    mapping(witness, where, keys | {"norm"} if data.noise else keys, set() if data.noise else {"unique"})
    scale = integer(witness["denominator"], f"{where}.denominator", least=1)
    u, inner, square = _recovery_values(witness["value"], f"{where}.value", data)
    products = sensing_products(data.rows, u, f"{where}.value")
    one = data.q * scale
    for j, product in enumerate(products):
        if abs(product) > one:
            raise Rejected("recovery.dual", f"{where}.value", f"the product with column {j} exceeds 1")
    value = Fraction(inner, data.p * scale)
    if data.noise:
        norm = rational(witness["norm"], f"{where}.norm")
        if norm < 0 or norm * norm * scale * scale < square:
            raise Rejected("recovery.norm", f"{where}.norm", "less than the Euclidean norm")
        return ">=", value - data.noise * norm
    if "unique" not in witness:
        return ">=", value
    place = f"{where}.unique"
    proof = mapping(witness["unique"], place, {"denominator", "index", "value", "modulus"})
    modulus = integer(proof["modulus"], f"{place}.modulus", 2, MAX_MODULUS)
    if _recovery_vector(proof, place, data) != value:
        raise Rejected("recovery.unique", place, "the vector is not a minimiser by this dual")
    tight = [j for j, product in enumerate(products) if abs(product) == one]
    sensing_independent([[row[j] for row in data.rows] for j in tight], modulus, place)
    support = sum(1 for entry in proof["value"] if integer(entry, f"{place}.value"))
    return ">=", value, DETERMINISTIC, f"and the minimiser is unique, with {support} entries that are not 0"


def check_recovery(witness: dict[str, Any], where: str, data: Measured, pure: bool) -> tuple[Any, ...]:
    word = kind(witness, where, ("vector", "dual", "farkas"))
    if word == "vector":
        mapping(witness, where, {"kind", "denominator", "index", "value"})
        return "<=", _recovery_vector(witness, where, data)
    if word == "dual":
        return _recovery_dual(witness, where, data)
    mapping(witness, where, {"kind", "value"})
    u, inner, square = _recovery_values(witness["value"], f"{where}.value", data)
    if any(sensing_products(data.rows, u, f"{where}.value")):
        raise Rejected("recovery.farkas", f"{where}.value", "the product with a column is not zero")
    if Fraction(inner, data.p) ** 2 <= data.noise**2 * square:
        raise Rejected("recovery.farkas", f"{where}.value", "the product with y does not exceed the noise")
    return "infeasible", None


def _recovery_facts(data: Measured) -> dict[str, Any]:
    constraint = f"‖Wv - y‖₂ <= {rational_text(data.noise)}" if data.noise else "Wv = y"
    return {"n": len(data), "rows": len(data.rows), "constraint": constraint}


_RECOVERY = "vector v with {constraint} for the {rows} x {n} matrix W"

RECOVERY = Rules(
    "norm1",
    r"\min \|v\|_1",
    {
        "<=": f"some {_RECOVERY} has l1 norm at most {{value}}",
        ">=": f"every {_RECOVERY} has l1 norm at least {{value}}",
        "==": f"the least l1 norm of a {_RECOVERY} is exactly {{value}}",
        "infeasible": f"there is no {_RECOVERY}",
    },
    canonical_recovery,
    check_recovery,
    _recovery_facts,
)
