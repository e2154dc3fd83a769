"""Conic programs under test: tiny certificates to forge, and the truth by elimination or by trying points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from certify.kernel import Verdict
from certify.testing.conformance import demand

F = Fraction
Row = tuple[list[Fraction], Fraction]  # coefficients and constant of an affine form


def _number(value: Any) -> Fraction:
    if isinstance(value, str) and value.startswith("2^"):
        return F(2 ** int(value[2:]))
    if isinstance(value, str) and "0x" in value:
        return F(int(value, 16))
    return F(value)


def forms_of_problem(problem: Any) -> tuple[list[Row], list[tuple[str, int]]]:
    """The objective and the rows, and the cones as (kind, size)."""
    n = int(_number(problem["variables"]))
    forms: list[Row] = []
    at = 0
    for length, constant, below in zip(problem["lengths"], problem["constants"], problem["denominators"], strict=True):
        terms = [F(0)] * n
        for t in range(at, at + int(_number(length))):
            terms[int(_number(problem["index"][t]))] = _number(problem["value"][t]) / _number(below)
        at += int(_number(length))
        forms.append((terms, _number(constant) / _number(below)))
    return forms, [(cone["kind"], int(_number(cone["size"]))) for cone in problem["cones"]]


def value_at(form: Row, x: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(form[0], x, strict=True)), form[1])


def determinant(rows: list[list[Fraction]]) -> Fraction:
    """By expansion: the matrices are tiny."""
    if not rows:
        return F(1)
    total: Fraction = F(0)
    sign = 1
    for j, a in enumerate(rows[0]):
        total += sign * a * determinant([row[:j] + row[j + 1 :] for row in rows[1:]])
        sign = -sign
    return total


def inside(values: Sequence[Fraction], cones: list[tuple[str, int]]) -> bool:
    """Whether the rows lie in the cones; a matrix is positive semidefinite iff no principal minor is negative."""
    at = 0
    for word, size in cones:
        length = size * (size + 1) // 2 if word == "psd" else size
        part = values[at : at + length]
        at += length
        if word == "zero" and any(part):
            return False
        if word == "nonnegative" and min(part) < 0:
            return False
        if word == "second_order" and (part[0] < 0 or part[0] ** 2 < sum(v * v for v in part[1:])):
            return False
        if word == "psd":
            table = [[part[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for j in range(size)] for i in range(size)]
            for count in range(1, size + 1):
                for chosen in combinations(range(size), count):
                    if determinant([[table[i][j] for j in chosen] for i in chosen]) < 0:
                        return False
    return True


def eliminated(rows: list[Row], n: int) -> tuple[bool, Fraction | None, Fraction | None]:
    """Whether the inequalities rows ≥ 0 have a point, and the ends of the last variable: Fourier and Motzkin."""
    for j in range(n - 1):
        up = [row for row in rows if row[0][j] > 0]
        down = [row for row in rows if row[0][j] < 0]
        rows = [row for row in rows if row[0][j] == 0]
        for a, b in product(up, down):
            s, t = -b[0][j], a[0][j]
            rows.append(([s * x + t * y for x, y in zip(a[0], b[0], strict=True)], s * a[1] + t * b[1]))
    low: Fraction | None = None
    high: Fraction | None = None
    for terms, constant in rows:
        last = terms[n - 1]
        if last == 0 and constant < 0:
            return False, None, None
        if last > 0:
            low = -constant / last if low is None else max(low, -constant / last)
        if last < 0:
            high = -constant / last if high is None else min(high, -constant / last)
    return low is None or high is None or low <= high, low, high


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    problem = document["problem"]
    forms, cones = forms_of_problem(problem)
    if all(word in ("zero", "nonnegative") for word, _ in cones):
        _judge_linear(forms, cones, problem["sense"], verdict)
    else:
        _judge_curved(document, forms, cones, problem["sense"], verdict)


def _judge_linear(forms: list[Row], cones: list[tuple[str, int]], sense: str, verdict: Verdict) -> None:
    n = len(forms[0][0])
    rows: list[Row] = []
    at = 1
    for word, size in cones:
        for terms, constant in forms[at : at + size]:
            rows.append(([*terms, F(0)], constant))
            if word == "zero":
                rows.append(([*(-v for v in terms), F(0)], -constant))
        at += size
    goal = ([*forms[0][0], F(-1)], forms[0][1])
    rows += [goal, ([-v for v in goal[0]], -goal[1])]
    feasible, low, high = eliminated(rows, n + 1)
    for statement in verdict.statements:
        value = statement.value
        best = low if sense == "min" else high
        if statement.relation == "infeasible":
            demand(not feasible, "a feasible program was called infeasible")
        elif statement.relation == "unbounded":
            demand(feasible and best is None, "a bounded program was called unbounded")
        elif value is not None:
            lower = statement.relation in (">=", "==")
            upper = statement.relation in ("<=", "==")
            # An infeasible program has every bound on the side of its multipliers.
            if lower and not (sense == "min" and not feasible):
                true = value <= best if best is not None else sense == "max"
                demand(feasible and true, f">= {value} was accepted, the truth is {best}")
            if upper and not (sense == "max" and not feasible):
                true = value >= best if best is not None else sense == "min"
                demand(feasible and true, f"<= {value} was accepted, the truth is {best}")


GRID = [F(v, 2) for v in range(-8, 9)]


def _points(n: int) -> Iterator[tuple[Fraction, ...]]:
    if n <= 2:
        yield from product(GRID, repeat=n)
        yield from product([F(-1000), F(-1, 100), F(0), F(1, 100), F(1000)], repeat=n)


def _judge_curved(document: Any, forms: list[Row], cones: list[tuple[str, int]], sense: str, verdict: Verdict) -> None:
    """No point tried may contradict; a point or a ray of a witness is looked at anew."""
    good = [
        value_at(forms[0], x)
        for x in _points(len(forms[0][0]))
        if inside([value_at(form, x) for form in forms[1:]], cones)
    ]
    for statement, witness in zip(verdict.statements, document["witnesses"], strict=False):
        value = statement.value
        if statement.relation == "infeasible":
            demand(not good, "a feasible program was called infeasible")
        elif statement.relation == "unbounded":
            x, d = _vector(witness["x"], len(forms[0][0])), _vector(witness["direction"]["x"], len(forms[0][0]))
            ends = [[a + 2**k * b for a, b in zip(x, d, strict=True)] for k in range(0, 24, 4)]
            goals = [value_at(forms[0], end) for end in ends]
            demand(all(inside([value_at(form, end) for form in forms[1:]], cones) for end in ends), "not a ray")
            demand(sorted(set(goals), reverse=sense == "min") == goals, "the objective does not improve")
        elif witness["kind"] == "point":
            x = _vector(witness["x"], len(forms[0][0]))
            demand(inside([value_at(form, x) for form in forms[1:]], cones), "the point is not feasible")
            demand(value_at(forms[0], x) == value, "the objective is another")
        elif value is not None:
            wrong = [v for v in good if (v < value if sense == "min" else v > value)]
            demand(not wrong, f"{statement.relation} {value} was accepted, but {wrong[:1]} is attained")


def _vector(vector: Any, n: int) -> list[Fraction]:
    entries = [F(0)] * n
    for j, value in zip(vector.get("index", range(n)), vector["value"], strict=True):
        entries[int(_number(j))] = _number(value) / _number(vector["denominator"])
    return entries


def program(
    forms: list[tuple[list[int], int]], cones: list[tuple[str, int]], sense: str = "min", below: int = 1
) -> dict[str, Any]:
    """A problem of integer forms, the objective first, over one denominator."""
    terms = [[(j, v) for j, v in enumerate(row) if v] for row, _ in forms]
    return {
        "sense": sense,
        "variables": len(forms[0][0]),
        "cones": [{"kind": word, "size": size} for word, size in cones],
        "lengths": [len(row) for row in terms],
        "index": [j for row in terms for j, _ in row],
        "value": [v for row in terms for _, v in row],
        "constants": [constant for _, constant in forms],
        "denominators": [below] * len(forms),
    }


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of witness."""

    def certificate(problem: dict[str, Any], *witnesses: dict[str, Any]) -> dict[str, Any]:
        return {"format": "certify/1", "family": "conic", "problem": problem, "witnesses": list(witnesses)}

    def vector(*value: int, q: int = 1) -> dict[str, Any]:
        return {"denominator": q, "value": list(value)}

    ldl = {"kind": "ldl"}
    # x ≥ 1, y ≥ 0, x + y = 3: the least of 2x + y is 4, the greatest 6
    rows = [([2, 1], 0), ([1, 1], -3), ([1, 0], -1), ([0, 1], 0)]
    polygon = [("zero", 1), ("nonnegative", 2)]
    # the matrix ((x, 1), (1, x)): x ≥ 1
    square = [([1], 0), ([1], 0), ([0], 1), ([1], 0)]
    # the matrix ((0, x), (x, 1)): x = 0
    corner = [([1], 0), ([0], 0), ([1], 0), ([0], 1)]
    step = {"y": {"denominator": 1, "index": [0], "value": [1]}, "psd": [ldl]}
    return {
        "polygon": certificate(
            program(rows, polygon),
            {"kind": "point", "x": vector(1, 2), "psd": []},
            {"kind": "dual", "y": vector(1, 1, 0), "psd": []},
        ),
        "greatest": certificate(
            program([([2, 1], 1), *rows[1:]], polygon, "max", 2),
            {"kind": "point", "x": vector(3, 0), "psd": []},
            {"kind": "dual", "y": vector(-2, 0, 1), "psd": []},
        ),
        "no point": certificate(
            program([([1], 0), ([1], -2), ([-1], 1)], [("nonnegative", 2)]),
            {"kind": "farkas", "y": vector(1, 1), "psd": []},
        ),
        "no end": certificate(
            program([([-1], 0), ([1], -2)], [("nonnegative", 1)]),
            {"kind": "ray", "x": vector(2), "psd": [], "direction": {"x": vector(1), "psd": []}},
        ),
        "circle": certificate(
            program([([1], 0), ([1], 0), ([0], 3), ([0], 4)], [("second_order", 3)]),
            {"kind": "point", "x": vector(5), "psd": []},
            {"kind": "dual", "y": vector(5, -3, -4, q=5), "psd": []},
        ),
        "matrix": certificate(
            program(square, [("psd", 2)]),
            {
                "kind": "point",
                "x": vector(1),
                "psd": [{"kind": "null", "vectors": [[1, -1]], "weight": 1, "proof": ldl}],
            },
            {"kind": "dual", "y": vector(1, -1, 1, q=2), "psd": [ldl]},
        ),
        "matrices without end": certificate(
            program([([-1], 0), *square[1:]], [("psd", 2)]),
            {"kind": "ray", "x": vector(1), "psd": [ldl], "direction": {"x": vector(1), "psd": [ldl]}},
        ),
        "corner": certificate(
            program(corner, [("psd", 2)]),
            {"kind": "point", "x": vector(0), "psd": [ldl]},
            {
                "kind": "dual",
                "y": {"denominator": 2, "index": [1], "value": [1]},
                "psd": [ldl],
                "faces": [step],
                "turns": {"denominator": 2, "list": [{"face": 0, "vector": [1, 0], "by": [0, 1]}]},
            },
        ),
        "weakly infeasible": certificate(
            program([corner[0], ([1], -1), *corner[1:]], [("zero", 1), ("psd", 2)]),
            {
                "kind": "farkas",
                "y": {"denominator": 2, "index": [0, 2], "value": [2, -1]},
                "psd": [ldl],
                "faces": [{"y": {"denominator": 1, "index": [1], "value": [1]}, "psd": [ldl]}],
                "turns": {"denominator": 2, "list": [{"face": 0, "vector": [1, 0], "by": [0, -1]}]},
            },
        ),
        "freed": certificate(
            program([([1], 0), ([-1], 0), ([1], 0)], [("nonnegative", 2)]),
            {"kind": "dual", "y": vector(-1, 0), "psd": [], "faces": [{"y": vector(1, 1), "psd": []}]},
        ),
    }
