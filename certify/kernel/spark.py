"""The spark of a matrix: the least number of columns that are dependent; d + 1 if all d are independent.

Witnesses (docs/mathematics/spark.md): ``dependency``, a vector z ≠ 0 with Wz = 0 (the spark is at most its number of
entries); ``convention`` (at most d + 1); ``independent``, a size m and a modulus: the kernel goes through all sets of m
columns, as a tree of eliminations modulo that number, and finds a unit minor of each.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, gcd
from typing import Any

from certify.kernel.exact import Rejected, affordable, array, integer, kind, longest, mapping
from certify.kernel.sensing import MAX_MODULUS, sensing_matrix
from certify.kernel.statement import Rules


def canonical_spark(problem: Any) -> tuple[Any, list[list[int]]]:
    """The matrix; its columns."""
    table = mapping(problem, "problem", {"matrix"})
    form, _, rows = sensing_matrix(table["matrix"], "problem.matrix")
    return {"matrix": form}, [list(column) for column in zip(*rows, strict=True)]


def _spark_tree(columns: list[list[int]], size: int, modulus: int, where: str) -> None:
    """Every column, reduced by those chosen so far, must have a unit; then those after it are reduced by it."""
    for k, column in enumerate(columns[: len(columns) - size + 1]):
        at = next((i for i, entry in enumerate(column) if gcd(entry, modulus) == 1), None)
        if at is None:
            raise Rejected("spark.dependent", where, "some columns are not independent by this modulus")
        if size > 1:
            inverse = pow(column[at], -1, modulus)
            reduced = []
            for other in columns[k + 1 :]:
                factor = other[at] * inverse % modulus
                reduced.append([(a - factor * b) % modulus for a, b in zip(other, column, strict=True)])
            _spark_tree(reduced, size - 1, modulus, where)


def check_spark(witness: dict[str, Any], where: str, data: list[list[int]], pure: bool) -> tuple[Any, ...]:
    word = kind(witness, where, ("dependency", "convention", "independent"))
    d, n = len(data), len(data[0])
    if word == "convention":
        mapping(witness, where, {"kind"})
        return "<=", Fraction(d + 1)
    if word == "dependency":
        mapping(witness, where, {"kind", "value"})
        z = [integer(e, f"{where}.value[{j}]") for j, e in enumerate(array(witness["value"], f"{where}.value", d))]
        affordable(where, n * d, longest([z]), longest(data))
        used = [(x, column) for x, column in zip(z, data, strict=True) if x]
        if not used or any(sum(x * column[i] for x, column in used) for i in range(n)):
            raise Rejected("spark.dependency", f"{where}.value", "zero, or not in the kernel of the matrix")
        return "<=", Fraction(len(used))
    mapping(witness, where, {"kind", "size", "modulus"})
    size = integer(witness["size"], f"{where}.size", 0, min(n, d))
    modulus = integer(witness["modulus"], f"{where}.modulus", 2, MAX_MODULUS)
    affordable(where, 32 * n * d * sum(comb(d, k) for k in range(size)), 0)
    if size:
        _spark_tree([[entry % modulus for entry in column] for column in data], size, modulus, where)
    return ">=", Fraction(size + 1)


def _spark_facts(data: list[list[int]]) -> dict[str, Any]:
    return {"n": len(data), "rows": len(data[0])}


SPARK = Rules(
    "spark",
    r"\mathrm{spark}(W)",
    {
        "<=": "the {rows} x {n} matrix W has spark at most {value} (columns plus 1 if all are independent)",
        ">=": "any fewer than {value} columns of the {rows} x {n} matrix W are independent",
        "==": "the {rows} x {n} matrix W has spark exactly {value} (columns plus 1 if all are independent)",
    },
    canonical_spark,
    check_spark,
    _spark_facts,
)
