"""The family ``embedding`` under test: tiny certificates to forge, the truth about any of them, and twins.

The truth is found without the kernel: the file is read again by other code (shortest paths by Floyd and
Warshall), the optimum comes from a semidefinite programme in floating point (Clarabel, all pairs), and what a
witness is good for is recomputed with plain fractions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import isqrt
from typing import Any

from certify.families.embedding import Embedding
from certify.kernel import Statement, Verdict
from certify.testing.conformance import demand
from certify.testing.field import Root, same
from certify.testing.forging import number_of

Squares = tuple[tuple[Fraction, ...], ...]
TOLERANCE = 2e-6  # relative, of the optimum in floating point
SPREAD = 10**7  # ratio of squared distances up to which floating point is asked


def rational_of(value: Any) -> Fraction:
    """The number that a value of a certificate spells."""
    number = number_of(value)
    if number is not None:
        return Fraction(number)
    top, bottom = map(number_of, value.split("/"))
    return Fraction(top or 0, bottom or 0)


def rows_of(table: Any) -> list[list[Fraction]]:
    """The entries of ``{"denominator", "rows"}``."""
    scale = rational_of(table["denominator"])
    return [[rational_of(entry) / scale for entry in row] for row in table["rows"]]


def squares_of(problem: Any) -> Squares:
    """The squared distances that the ``problem`` of a certificate states."""
    metric = problem["metric"]
    if "squared_distances" in metric:
        return tuple(map(tuple, rows_of(metric["squared_distances"])))
    if "points" in metric:
        return _of_points(rows_of(metric["points"]), metric["norm"])
    graph = metric["graph"]
    n, scale = int(rational_of(graph["vertices"])), rational_of(graph["denominator"])
    distance: list[list[Fraction | None]] = [[None] * n for _ in range(n)]
    for i in range(n):
        distance[i][i] = Fraction(0)
    for u, v, length in (map(rational_of, edge) for edge in graph["edges"]):
        distance[int(u)][int(v)] = distance[int(v)][int(u)] = length / scale
    for k, i, j in ((k, i, j) for k in range(n) for i in range(n) for j in range(n)):
        first, second, now = distance[i][k], distance[k][j], distance[i][j]
        if first is not None and second is not None and (now is None or first + second < now):
            distance[i][j] = first + second
    demand(all(entry is not None for row in distance for entry in row), "a disconnected graph was accepted")
    return tuple(tuple((entry or Fraction(0)) ** 2 for entry in row) for row in distance)


def _of_points(rows: list[list[Fraction]], norm: str) -> Squares:
    def square(x: list[Fraction], y: list[Fraction]) -> Fraction:
        steps = [abs(a - b) for a, b in zip(x, y, strict=True)]
        if norm == "l2":
            return sum((s * s for s in steps), Fraction(0))
        return (sum(steps, Fraction(0)) if norm == "l1" else max(steps, default=Fraction(0))) ** 2

    return tuple(tuple(square(x, y) for y in rows) for x in rows)


def metric_is_sound(squares: Squares) -> bool:
    """Square, symmetric, zero on the diagonal and positive elsewhere."""
    n = len(squares)
    return all(
        len(squares[i]) == n
        and squares[i][j] == squares[j][i]
        and (squares[i][j] == 0 if i == j else squares[i][j] > 0)
        for i in range(n)
        for j in range(n)
    )


@cache
def optimum(squares: Squares) -> float | None:
    """The least distortion² in floating point, good to TOLERANCE; None where floating point cannot tell."""
    import clarabel
    import numpy as np
    from scipy import sparse

    n = len(squares)
    if n < 3:
        return 1.0
    pairs = list(combinations(range(n), 2))
    values = [squares[i][j] for i, j in pairs]
    if max(values) > SPREAD * min(values) or n > 12:
        return None
    # min t, 1 <= z/d² <= t, G ⪰ 0; the last point is at 0. The unknowns are the upper triangle of G by columns,
    # off the diagonal times √2 (its inner product is then that of matrices), and t.
    place = {pair: k for k, pair in enumerate((i, j) for j in range(n - 1) for i in range(j + 1))}
    stretch = np.zeros((len(pairs), len(place) + 1))
    for row, (i, j), value in zip(stretch, pairs, values, strict=True):
        d2 = float(value / max(values))
        row[place[i, i]] = 1 / d2
        if j < n - 1:
            row[place[j, j]] = 1 / d2
            row[place[i, j]] = -(2**0.5) / d2
    below = stretch.copy()
    below[:, -1] = -1
    cone = np.eye(len(place), len(place) + 1)
    matrix = sparse.csc_matrix(np.vstack([-stretch, below, -cone]))
    right = np.concatenate([-np.ones(len(pairs)), np.zeros(len(pairs) + len(place))])
    cost = np.zeros(len(place) + 1)
    cost[-1] = 1
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(2 * len(pairs)), clarabel.PSDTriangleConeT(n - 1)]
    nothing = sparse.csc_matrix((len(cost), len(cost)))
    answer = clarabel.DefaultSolver(nothing, cost, matrix, right, cones, settings).solve()
    return float(answer.obj_val) if str(answer.status) == "Solved" else None


def is_psd(table: list[list[Any]]) -> bool:
    """Whether a symmetric matrix is positive semidefinite: elimination with the largest diagonal entry first."""
    work = [row[:] for row in table]
    left = list(range(len(work)))
    while left:
        p = max(left, key=lambda i: work[i][i])
        left.remove(p)
        if work[p][p] <= 0:
            return bool(work[p][p] == 0 and all(work[i][j] == 0 for i in (p, *left) for j in (p, *left)))
        for i in left:
            for j in left:
                work[i][j] -= work[i][p] * work[p][j] / work[p][p]
    return True


def distortion_squared(gram: list[list[Any]], squares: Squares) -> Any:
    """max z/d² · max d²/z of the points with this Gram matrix."""
    pairs = list(combinations(range(len(gram)), 2))
    stretch = [(gram[i][i] + gram[j][j] - 2 * gram[i][j]) / squares[i][j] for i, j in pairs]
    demand(all(s > 0 for s in stretch), "a map that is not injective was accepted")
    return max(stretch) / min(stretch) if pairs else Fraction(1)


def numbers_of(row: list[Any], witness: Any) -> list[Any]:
    """The numbers of a row: rationals, or pairs a, b for a + b·√radicand."""
    plain = [rational_of(entry) for entry in row]
    if "radicand" not in witness:
        return plain
    d = int(rational_of(witness["radicand"]))
    demand(d > 1 and isqrt(d) ** 2 != d, "the root of a square was accepted")
    return [Root(a, b, d) for a, b in zip(plain[::2], plain[1::2], strict=True)]


def proved_by(witness: Any, squares: Squares) -> tuple[str, Any]:
    """What an accepted witness is good for, from its own data with plain fractions."""
    n = len(squares)
    if witness["kind"] == "one":
        return ">=", Fraction(1)
    if witness["kind"] == "coordinates":
        rows = rows_of(witness["points"])
        demand(len(rows) == n, "coordinates of another number of points were accepted")
        gram: list[list[Any]]
        gram = [[sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)) for b in rows] for a in rows]
        return "<=", distortion_squared(gram, squares)
    if witness["kind"] == "gram":
        low = [numbers_of(row, witness) for row in witness["gram"]["rows"]]
        gram = [[low[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
        demand(is_psd(gram), "a Gram matrix that is not positive semidefinite was accepted")
        return "<=", distortion_squared(gram, squares)
    table: list[list[Any]] = [[Fraction(0)] * n for _ in range(n)]
    total: dict[str, Any] = {"expand": Fraction(0), "contract": Fraction(0)}
    for side, sign in (("expand", 1), ("contract", -1)):
        for i, j, *weight in witness[side]:
            (y,) = numbers_of(weight, witness)
            demand(y > 0, "a weight that is not positive was accepted")
            a, b = int(rational_of(i)), int(rational_of(j))
            total[side] += y * squares[a][b]
            for row, column, term in ((a, a, y), (b, b, y), (a, b, -y), (b, a, -y)):
                table[row][column] += sign * term
    demand(is_psd(table), "weights that are not positive semidefinite were accepted")
    return ">=", total["contract"] / total["expand"]


def says(statement: Statement, relation: str, value: Any) -> bool:
    """Whether a statement is that of an exact number; an irrational one has a rational beyond it."""
    if statement.relation != relation:
        return False
    if statement.exact is None:
        return same(value, statement.value, 0, 0)
    exact = statement.exact
    beyond = value <= statement.value if relation == "<=" else value >= statement.value
    return same(value, exact.a, exact.b, exact.d) and bool(beyond) and abs(value - statement.value) < Fraction(1, 2**79)


def judge(document: Any, verdict: Verdict) -> None:
    """Raise AssertionError unless every statement of an accepted certificate is true of its own problem."""
    squares = squares_of(document["problem"])
    demand(metric_is_sound(squares), "what is no metric was accepted")
    for witness, statement in zip(document["witnesses"], verdict.statements, strict=False):
        relation, value = proved_by(witness, squares)
        demand(says(statement, relation, value), f"{statement} but the witness gives {value}")
    truth = optimum(squares)
    for statement in verdict.statements:
        demand(statement.quantity == "distortion_squared", "another quantity")
        if truth is not None and statement.value is not None:
            slack = TOLERANCE * truth
            ok = {
                ">=": statement.value <= Fraction(truth + slack),
                "<=": statement.value >= Fraction(truth - slack),
                "==": abs(statement.value - Fraction(truth)) <= Fraction(slack),
            }[statement.relation]
            demand(ok, f"{statement.relation} {statement.value} was accepted, the truth is {truth}")


def relabelled(problem: Embedding, order: list[int] | None = None) -> Embedding:
    """The same metric with its points in another order (default: reversed, then every other one first)."""
    n = problem.size
    reverse = list(range(n))[::-1]
    order = order or reverse[::2] + reverse[1::2]
    place = {point: k for k, point in enumerate(order)}
    if problem.form == "graph":
        edges = [(*sorted((place[u], place[v])), w) for u, v, w in problem.rows]
        return Embedding("graph", problem.denominator, tuple(sorted(edges)), n)
    rows = tuple(problem.rows[point] for point in order)
    if problem.form == "squared_distances":
        rows = tuple(tuple(row[point] for point in order) for row in rows)
    return Embedding(problem.form, problem.denominator, rows, n, problem.norm)


def scaled(problem: Embedding, factor: Fraction) -> Embedding:
    """The metric times a factor."""
    by = factor**2 if problem.form == "squared_distances" else factor
    if problem.form == "graph":
        rows: tuple[tuple[int, ...], ...] = tuple((u, v, w * by.numerator) for u, v, w in problem.rows)
    else:
        rows = tuple(tuple(entry * by.numerator for entry in row) for row in problem.rows)
    return Embedding(problem.form, problem.denominator * by.denominator, rows, problem.size, problem.norm)


def as_distances(problem: Embedding) -> Embedding:
    """The same metric given by its squared distances."""
    scale = problem.denominator if problem.form == "squared_distances" else problem.denominator**2
    low = problem.squares()
    rows = tuple(tuple(low[max(i, j)][min(i, j)] for j in range(problem.size)) for i in range(problem.size))
    return Embedding("squared_distances", scale, rows, problem.size)


def twins(problem: Embedding) -> Iterator[tuple[str, Embedding]]:
    """Problems with the same optimum."""
    yield "relabelled", relabelled(problem)
    yield "times 7/3", scaled(problem, Fraction(7, 3))
    yield "times 2^40", scaled(problem, Fraction(2**40))
    yield "times 10^-12", scaled(problem, Fraction(1, 10**12))
    yield "as distances", as_distances(problem)
    yield "as distances, relabelled and scaled", scaled(relabelled(as_distances(problem)), Fraction(3, 10**6))


def _certificate(metric: dict[str, Any], *witnesses: dict[str, Any]) -> dict[str, Any]:
    return {
        "format": "certify/1",
        "family": "embedding",
        "problem": {"metric": metric},
        "witnesses": list(witnesses),
    }


def _table(rows: list[list[int]], denominator: int = 1) -> dict[str, Any]:
    return {"denominator": denominator, "rows": rows}


def tiny() -> dict[str, dict[str, Any]]:
    """Hand-made certificates that hold every kind of problem, of witness and of proof; 1 to 5 points."""
    ldl = {"kind": "ldl"}
    cycle = {"graph": {"vertices": 4, "denominator": 1, "edges": [[0, 1, 1], [0, 3, 1], [1, 2, 1], [2, 3, 1]]}}
    star = {"graph": {"vertices": 4, "denominator": 3, "edges": [[0, 1, 2], [0, 2, 2], [0, 3, 2]]}}
    leaves = [[1, 2, 4], [1, 3, 4], [2, 3, 4]]
    factor = {"kind": "factor", "exponents": [0, 1, 0], "multiplier": "8/2", "factor": [[4], [8, 3], [4, 1, 0]]}
    ring_edges = [[0, 1, 2], [0, 4, 3], [1, 2, 4], [2, 3, 2], [3, 4, 5]]
    ring = {"graph": {"vertices": 5, "denominator": 2, "edges": ring_edges}}
    sides, diagonals = [(0, 2), (0, 3), (1, 3), (1, 4), (2, 4)], [(0, 1), (0, 4), (1, 2), (2, 3), (3, 4)]
    pentagon = [
        [part for j in range(i) for part in ([-5, 3] if (j, i) in sides else [0, -2])] + [10, -2] for i in range(5)
    ]
    odd = [[0, 6, 4, 9], [6, 0, 1, 2], [4, 1, 0, 1], [9, 2, 1, 0]]
    simplex = [[0, 2, 2], [2, 0, 2], [2, 2, 0]]
    taxi = [[0, 0], [3, 0], [0, 2], [1, 1], [5, 3]]
    documents = {
        "four-cycle": _certificate(
            cycle,
            {
                "kind": "weights",
                "expand": [[0, 1, 1], [1, 2, 1], [2, 3, 1], [0, 3, 1]],
                "contract": [[0, 2, 1], [1, 3, 1]],
                "ground": 3,
                "psd": ldl,
            },
            {"kind": "coordinates", "points": _table([[0, 0], [1, 0], [1, 1], [0, 1]])},
        ),
        "star": _certificate(
            star,
            {
                "kind": "weights",
                "expand": [[0, 1, 13], [0, 2, 13], [0, 3, 13]],
                "contract": leaves,
                "ground": 0,
                "psd": factor,
            },
            {"kind": "coordinates", "points": _table([[0, 0, 0], [2, -1, -1], [-1, 2, -1], [-1, -1, 2]], 5)},
        ),
        "ring of five": _certificate(
            ring,
            {"kind": "one"},
            {
                "kind": "weights",
                "expand": [[0, 1, 743], [0, 4, 463], [1, 2, 283], [2, 3, 439], [3, 4, 331]],
                "contract": [[0, 3, 293], [1, 4, 259], [2, 4, 207]],
                "ground": 2,
                "psd": ldl,
            },
            {"kind": "coordinates", "points": _table([[-3, -19], [-11, -8], [-7, 17], [6, 20], [14, -11]])},
        ),
        "ring in differences": _certificate(
            ring,
            {
                "kind": "weights",
                "expand": [[0, 1, 743], [0, 4, 463], [1, 2, 283], [2, 3, 439], [3, 4, 331]],
                "contract": [[0, 3, 293], [1, 4, 259], [2, 4, 207]],
                "ground": 2,
                "tree": [[0, 1], [1, 2], [4, 3], [3, 2]],
                "psd": ldl,
            },
        ),
        "pentagon": _certificate(
            {"graph": {"vertices": 5, "denominator": 1, "edges": [[u, v, 1] for u, v in sides]}},
            {
                "kind": "weights",
                "radicand": 5,
                "expand": [[u, v, 2, 0] for u, v in sides],
                "contract": [[u, v, 3, -1] for u, v in diagonals],
                "ground": 0,
                "psd": ldl,
            },
            {"kind": "gram", "radicand": 5, "gram": _table(pentagon, 5), "psd": ldl},
        ),
        "root of two": _certificate(
            {"squared_distances": _table([[0, 2, 1], [2, 0, 2], [1, 2, 0]])},
            {"kind": "gram", "radicand": 2, "gram": _table([[0, 0], [0, 0, 2, 1], [0, 0, 0, 0, 1, 0]]), "psd": ldl},
            {
                "kind": "weights",
                "radicand": 2,
                "expand": [[0, 1, 3, -2]],
                "contract": [[0, 1, 17, -12]],
                "ground": 1,
                "psd": ldl,
            },
        ),
        "no triangle inequality": _certificate(
            {"squared_distances": _table(odd, 2)},
            {
                "kind": "weights",
                "expand": [[0, 2, 364], [1, 2, 162], [2, 3, 708]],
                "contract": [[0, 1, 47], [0, 3, 206], [1, 3, 91]],
                "ground": 1,
                "psd": ldl,
            },
            {"kind": "coordinates", "points": _table([[2, -24], [-10, 6], [3, 3], [6, 15]])},
        ),
        "simplex": _certificate(
            {"squared_distances": _table(simplex, 3)},
            {"kind": "one"},
            {"kind": "gram", "gram": _table([[0], [0, 4], [0, 2, 4]], 7), "psd": ldl},
        ),
        "taxi": _certificate(
            {"points": _table(taxi, 2), "norm": "l1"},
            {
                "kind": "weights",
                "expand": [[0, 1, 535], [0, 2, 641], [1, 4, 148], [2, 4, 178]],
                "contract": [[0, 4, 252], [1, 2, 368]],
                "ground": 4,
                "psd": ldl,
            },
            {
                "kind": "coordinates",
                "points": _table([[-2, -2, -13], [-1, -13, 1], [-2, 10, -9], [5, 2, -5], [-1, 3, 26]]),
            },
        ),
        "maximum norm": _certificate(
            {"points": _table([[0, 0], [4, 1], [1, 3]], 1), "norm": "linf"},
            {"kind": "one"},
            {
                "kind": "gram",
                "gram": _table([[2], [-1, 3], [-1, -1, 2]]),
                "psd": {
                    "kind": "factor",
                    "exponents": [0, 0, 0],
                    "multiplier": 64,
                    "factor": [[11], [-6, 12], [-6, -8, 4]],
                },
            },
        ),
        "Euclidean points": _certificate(
            {"points": _table([[0, 0], [4, 1], [1, 3]], 6), "norm": "l2"},
            {"kind": "one"},
            {"kind": "coordinates", "points": _table([[0, 0], [4, 1], [1, 3]])},
        ),
        "one point": _certificate(
            {"squared_distances": _table([[0]])}, {"kind": "one"}, {"kind": "coordinates", "points": _table([[0]])}
        ),
        "two points": _certificate(
            {"graph": {"vertices": 2, "denominator": 7, "edges": [[0, 1, 3]]}},
            {"kind": "weights", "expand": [[0, 1, 2]], "contract": [[0, 1, 2]], "ground": 1, "psd": ldl},
            {"kind": "coordinates", "points": _table([[3], [1]], 9)},
        ),
    }
    return {name: json.loads(json.dumps(document)) for name, document in documents.items()}  # nothing is shared


def orders(n: int) -> Iterator[list[int]]:
    """All orders of a few points."""
    return map(list, permutations(range(n)))
