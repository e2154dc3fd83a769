"""Conic programs, exactly: affine forms in cones, and vectors that are proved to lie in a cone.

A program has n variables, free in sign, and affine forms over ℚ: the objective, then the rows. The rows fill cones in
order: ``zero`` (s = 0), ``nonnegative`` (s ≥ 0), ``second_order`` (s_0 ≥ ‖(s_1, …)‖₂), ``psd`` (the lower triangle, row
after row, of a positive semidefinite matrix). A bound of a variable is a row like any other.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import gcd, lcm
from typing import Any, NamedTuple

from certify.kernel.exact import (
    Rejected,
    affordable,
    array,
    integer,
    integer_rows,
    kind,
    longest,
    mapping,
    storable,
    text,
)
from certify.kernel.psd import Triangle, gram, prove_psd

MAX_VARIABLES = 1 << 22
MAX_TERMS = 1 << 25
CONES = ("zero", "nonnegative", "second_order", "psd")


class Program(NamedTuple):
    """minimise or maximise form 0 over free x with the forms 1, 2, … in the cones.

    Form i is (Σ value_t·x_(column_t) + constant_i)/denominator_i over the terms start_i ≤ t < start_{i+1}. cones: kind,
    size (of a psd cone: the order of the matrix), first row (from 0) and one past the last.
    """

    sense: str
    variables: int
    cones: list[tuple[str, int, int, int]]
    start: list[int]
    column: list[int]
    value: list[int]
    constant: list[int]
    denominator: list[int]


def canonical_program(problem: Any) -> tuple[Any, Program]:
    keys = {"sense", "variables", "cones", "lengths", "index", "value", "constants", "denominators"}
    table = mapping(problem, "problem", keys)
    sense = text(table["sense"], "problem.sense", ("min", "max"))
    n = integer(table["variables"], "problem.variables", 0, MAX_VARIABLES)
    cones, rows = [], 0
    for k, entry in enumerate(array(table["cones"], "problem.cones")):
        place = f"problem.cones[{k}]"
        cone = mapping(entry, place, {"kind", "size"})
        word = text(cone["kind"], f"{place}.kind", CONES)
        size = integer(cone["size"], f"{place}.size", 1, MAX_TERMS)
        length = size * (size + 1) // 2 if word == "psd" else size
        cones.append((word, size, rows, rows + length))
        rows += length
        if rows > MAX_TERMS:
            raise Rejected("size", place, f"more than {MAX_TERMS} rows")
    (lengths,) = integer_rows([table["lengths"]], "problem.lengths", 1, lambda i: rows + 1)
    if min(lengths) < 0 or sum(lengths) > MAX_TERMS:
        raise Rejected("shape", "problem.lengths", f"each is at least 0, and all together at most {MAX_TERMS}")
    (index,) = integer_rows([table["index"]], "problem.index", 1, lambda i: sum(lengths))
    (value,) = integer_rows([table["value"]], "problem.value", 1, lambda i: sum(lengths))
    (constants,) = integer_rows([table["constants"]], "problem.constants", 1, lambda i: rows + 1)
    (denominators,) = integer_rows([table["denominators"]], "problem.denominators", 1, lambda i: rows + 1)
    start = [0, *accumulate(lengths)]
    if 0 in value or min(denominators) < 1 or min(index, default=0) < 0 or max(index, default=-1) >= n:
        why = f"no value is 0, every denominator is at least 1, an index is from 0 to {n - 1}"
        raise Rejected("conic.form", "problem", why)
    for i, (a, b) in enumerate(pairwise(start)):
        if b - a > 1 and any(j >= k for j, k in pairwise(index[a:b])):
            raise Rejected("conic.order", "problem.index", f"the variables of form {i} must increase")
        common = gcd(denominators[i], constants[i], *value[a:b])
        if common > 1:
            value[a:b] = [entry // common for entry in value[a:b]]
            constants[i], denominators[i] = constants[i] // common, denominators[i] // common
    form = {"sense": sense, "variables": n, "cones": [{"kind": word, "size": size} for word, size, _, _ in cones]}
    form |= {"lengths": lengths, "index": index, "value": value, "constants": constants, "denominators": denominators}
    return form, Program(sense, n, cones, start, index, value, constants, denominators)


def conic_vector(value: Any, where: str, length: int) -> tuple[int, list[int]]:
    """``{"denominator": q, "value": […]}``, or with ``index``, where these entries stand: q and all entries."""
    table = mapping(value, where, {"denominator", "value"}, {"index"})
    q = integer(table["denominator"], f"{where}.denominator", least=1)
    if "index" not in table:
        return q, integer_rows([table["value"]], f"{where}.value", 1, lambda i: length)[0]
    index = [integer(e, f"{where}.index", 0, length - 1) for e in array(table["index"], f"{where}.index")]
    if any(a >= b for a, b in pairwise(index)):
        raise Rejected("conic.order", f"{where}.index", "must increase")
    entries = integer_rows([table["value"]], f"{where}.value", 1, lambda i: len(index))[0]
    full = [0] * length
    for j, entry in zip(index, entries, strict=True):
        full[j] = entry
    return q, full


def conic_values(data: Program, x: list[int], q: int, where: str) -> tuple[list[int], list[int]]:
    """Numerators of all forms at x/q, with the constants (q = 0: without), over the denominators times q (times 1)."""
    bits = max(longest([x]), q.bit_length()) + max(longest([data.value]), longest([data.constant]))
    affordable(where, len(data.value) + len(data.constant), longest([data.value]), longest([x]))
    storable(where, len(data.constant), bits + data.variables.bit_length())
    tops = [k * q for k in data.constant]
    for i, (a, b) in enumerate(pairwise(data.start)):
        for t in range(a, b):
            tops[i] += data.value[t] * x[data.column[t]]
    return tops, [(q or 1) * d for d in data.denominator]


def conic_inside(
    data: Program,
    tops: list[int],
    below: list[int],
    proofs: Any,
    where: str,
    pure: bool,
    dual: bool = False,
    free: set[int] = frozenset(),  # type: ignore[assignment]
    turned: dict[int, Triangle] = {},  # noqa: B006 - never written to
) -> dict[int, Triangle]:
    """Return if the vector tops/below, one entry a row, is proved to lie in the cone (dual: in its dual cone).

    proofs: one for each psd cone, in order. free: rows whose sign does not matter; turned: matrices that stand in for
    those of psd cones (see module faces). Returned are the matrices that were proved, by the number of the cone, each
    times a positive number.
    """
    proved: dict[int, Triangle] = {}
    proofs = array(proofs, f"{where}.psd", sum(word == "psd" for word, _, _, _ in data.cones))
    shown = 0
    for c, (word, size, first, last) in enumerate(data.cones):
        if word == "zero":
            if not dual and any(tops[first:last]):
                raise Rejected("conic.zero", where, f"a row of cone {c} is not 0")
        elif word == "nonnegative":
            if any(tops[r] < 0 and r not in free for r in range(first, last)):
                raise Rejected("conic.nonnegative", where, f"a row of cone {c} is negative")
        else:
            entries = _whole(tops[first:last], below[first:last], where)
            if word == "psd":
                triangle = [entries[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(size)]
                proved[c] = turned.get(c, triangle)
                _conic_psd(proofs[shown], f"{where}.psd[{shown}]", proved[c], pure)
                shown += 1
                continue
            affordable(where, size, longest([entries]), longest([entries]))
            if entries[0] < 0 or entries[0] ** 2 < sum(entry**2 for entry in entries[1:]):
                raise Rejected("conic.second-order", where, f"the first row of cone {c} is less than the norm")
    return proved


def _whole(tops: list[int], below: list[int], where: str) -> list[int]:
    """Integers in the proportion of tops/below."""
    common = 1
    for d in set(below):
        common = lcm(common, d)
        affordable(where, len(tops), common.bit_length(), longest([below]))
        storable(where, len(tops), longest([tops]) + common.bit_length())
    return [top * (common // d) for top, d in zip(tops, below, strict=True)]


def _conic_psd(proof: Any, where: str, a: Triangle, pure: bool) -> None:
    """A ⪰ 0 by a proof of module psd; or, kind ``null``, by Aw = 0 for the given integer vectors w and one of those
    proofs for A + weight·Σ wwᵀ: any v is u + w' with w' in the span of the w and u orthogonal to them, and then
    vᵀAv = uᵀAu = uᵀ(A + weight·Σ wwᵀ)u."""
    if kind(proof, where, ("factor", "ldl", "null")) != "null":
        return prove_psd(proof, where, a, pure)
    mapping(proof, where, {"kind", "vectors", "weight", "proof"})
    vectors = integer_rows(proof["vectors"], f"{where}.vectors", None, lambda i: len(a))
    weight = integer(proof["weight"], f"{where}.weight")
    if not 0 < len(vectors) <= len(a):
        raise Rejected("conic.null", f"{where}.vectors", "there is no vector, or there are more than rows")
    affordable(where, len(vectors) * len(a) ** 2, longest(a), longest(vectors))
    for w in vectors:
        if any(sum(a[max(i, j)][min(i, j)] * e for j, e in enumerate(w) if e) for i in range(len(a))):
            raise Rejected("conic.null", f"{where}.vectors", "the matrix times a vector is not 0")
    square = gram([list(column) for column in zip(*vectors, strict=True)], pure, f"{where}.vectors")
    if weight.bit_length() > longest(a) + 64:
        raise Rejected("size", f"{where}.weight", "far longer than the entries of the matrix")
    moved = [[x + weight * y for x, y in zip(row, more, strict=True)] for row, more in zip(a, square, strict=True)]
    prove_psd(proof["proof"], f"{where}.proof", moved, pure)
