"""Basis pursuit under test: tiny certificates to forge, the truth about any of them, and twins.

The truth is found without the kernel: without noise the minimisers are a polytope whose corners are solutions on
independent columns, and every set of columns is tried; with noise it is told for one measurement only.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from certify.families.basis_pursuit import BasisPursuit
from certify.kernel import Verdict
from certify.testing.conformance import demand
from certify.testing.embedding import rational_of, rows_of

MOST_COLUMNS = 10


def solved_on(columns: list[list[Fraction]], y: list[Fraction]) -> list[Fraction] | None:
    """The only solution on these columns, or None if there is none or there are several."""
    work = [[*(column[i] for column in columns), y[i]] for i in range(len(y))]
    for r in range(len(columns)):
        at = next((i for i in range(r, len(work)) if work[i][r]), None)
        if at is None:
            return None
        work[r], work[at] = work[at], work[r]
        work[r] = [x / work[r][r] for x in work[r]]
        for i, row in enumerate(work):
            if i != r and row[r]:
                work[i] = [a - row[r] * b for a, b in zip(row, work[r], strict=True)]
    if any(row[-1] for row in work[len(columns) :]):
        return None
    return [row[-1] for row in work[: len(columns)]]


def corners(problem: Any) -> list[tuple[Fraction, tuple[Fraction, ...]]] | None:
    """ℓ1 norm and vector of every solution on independent columns; None if there are too many columns to try."""
    w = rows_of(problem["matrix"])
    y = rows_of(problem["rhs"])[0]
    d = len(w[0])
    if d > MOST_COLUMNS:
        return None
    found = {}
    for size in range(min(d, len(w)) + 1):
        for chosen in combinations(range(d), size):
            solution = solved_on([[row[j] for row in w] for j in chosen], y)
            if solution is not None:
                v = [Fraction(0)] * d
                for j, x in zip(chosen, solution, strict=True):
                    v[j] = x
                found[tuple(v)] = sum(map(abs, v), Fraction(0))
    return [(norm, v) for v, norm in found.items()]


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    problem = document["problem"]
    noise = rational_of(problem.get("noise", 0))
    demand(noise >= 0, "a negative noise was accepted")
    w, (y, *_) = rows_of(problem["matrix"]), rows_of(problem["rhs"])
    best, unique, feasible = Fraction(0), False, True
    if noise:
        if len(w) > 1:
            return
        largest = max(map(abs, w[0]))
        short = max(Fraction(0), abs(y[0]) - noise)
        feasible = short == 0 or largest > 0
        best = short / largest if short and largest else Fraction(0)
    else:
        found = corners(problem)
        if found is None:
            return
        feasible = bool(found)
        best = min((norm for norm, _ in found), default=Fraction(0))
        unique = sum(norm == best for norm, _ in found) == 1
    for statement in verdict.statements:
        demand(statement.quantity == "norm1", f"quantity {statement.quantity}")
        if statement.relation == "infeasible":
            demand(not feasible, "infeasible was accepted of a problem that is not")
        elif feasible and statement.value is not None:
            value = statement.value
            true = {">=": value <= best, "<=": value >= best, "==": value == best}[statement.relation]
            demand(true, f"{statement.relation} {value} was accepted, the truth is {best}")
            demand(unique or "unique" not in statement.text, "uniqueness was accepted of one among several")
        else:
            demand(statement.relation == ">=", "a vector was accepted where there is none")


def twins(problem: BasisPursuit) -> Iterator[tuple[str, BasisPursuit]]:
    """Problems with the same optimum: columns reversed and of other signs, rows added up, W and y in other units."""
    w = [[Fraction(e, problem.denominator) for e in row] for row in problem.rows]
    y = [Fraction(e, problem.rhs_denominator) for e in problem.rhs]
    turned = [[-x if j % 2 else x for j, x in enumerate(row)][::-1] for row in w]
    yield "columns in another order and sign", BasisPursuit.of(turned, y, noise=problem.noise)
    scaled = [[x * Fraction(7, 3) for x in row] for row in w]
    yield "other units", BasisPursuit.of(scaled, [x * Fraction(7, 3) for x in y], noise=problem.noise * Fraction(7, 3))
    if not problem.noise:
        more = [*w, [a + 2 * b for a, b in zip(w[0], w[-1], strict=True)]]
        yield "a redundant row", BasisPursuit.of(more, [*y, y[0] + 2 * y[-1]])


def _table(rows: Any, denominator: int = 1) -> dict[str, Any]:
    return {"denominator": denominator, "rows": rows}


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""
    wide = _table([[2, 0, 1], [0, 2, 1]], 2)
    spikes = {"denominator": 1, "index": [0, 1], "value": [1, -1]}

    def certificate(problem: dict[str, Any], *witnesses: dict[str, Any]) -> dict[str, Any]:
        return {"format": "certify/1", "family": "basis_pursuit", "problem": problem, "witnesses": list(witnesses)}

    return {
        "two spikes": certificate(
            {"matrix": wide, "rhs": _table([[1, -1]])},
            {"kind": "dual", "denominator": 1, "value": [1, -1], "unique": {**spikes, "modulus": 101}},
            {"kind": "vector", **spikes},
        ),
        "several minimisers": certificate(
            {"matrix": wide, "rhs": _table([[1, 1]])},
            {"kind": "dual", "denominator": 1, "value": [1, 1]},
            {"kind": "vector", "denominator": 1, "index": [2], "value": [2]},
        ),
        "rows that contradict": certificate(
            {"matrix": _table([[1], [2]]), "rhs": _table([[1, 3]])}, {"kind": "farkas", "value": [2, -1]}
        ),
        "noise": certificate(
            {"matrix": _table([[3, 1]]), "rhs": _table([[2]]), "noise": "1/2"},
            {"kind": "vector", "denominator": 2, "index": [0], "value": [1]},
            {"kind": "dual", "denominator": 3, "value": [1], "norm": "1/3"},
        ),
    }
