"""From a float optimum to the exact one: guess the optimal face, solve it over ℚ, and let the kernel decide.

At an optimal pair the Gram matrix G and M = L_E(y) − L_P(y) have G·M = 0. Averaged over the classes of the
coherent configuration (:mod:`certify.rounding.coherent`), few numbers are left. The projection Π onto the
range of G is recognised as a rational matrix; then M·Π = 0 and G·Π = G are linear conditions, and so are
z_p = d_p² on the contraction pairs and z_e = t·d_e² on the expansion pairs that carry weight. Any rational
solution near the floats has lower = upper = t, if it is feasible at all: the kernel checks that by exact
elimination, since both matrices are singular. Where Π is not rational it is sought over ℚ(√d) for small d,
and everything is solved in that field.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from certify.kernel.psd import Triangle
from certify.kernel.quadratic import Surd, quotient
from certify.rounding.coherent import Classes, coherent_classes
from certify.rounding.grid import over_common_denominator
from certify.rounding.laplacian import laplacian
from certify.solvers.answer import EmbeddingAnswer

MOST_POINTS = 64
MOST_CLASSES = 220
ACTIVE = 1e-6  # share of a side's weight from which a class counts as active
SPLIT = 1e-5  # relative eigenvalue below which a direction belongs to neither range
RADICANDS = (5, 2, 3, 13, 17, 6, 7, 10, 11, 21, 29, 33)
SURD_HEIGHT = 120
STRICT, LOOSE = 1e-9, 1e-5  # how near to a number of the field an entry of Π must be
DENOMINATORS = (1, 2, 6, 12, 60, 840, 27720, 10**6)

Number = Fraction | Surd  # of ℚ, or of ℚ(√d)
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class ClosedForm:
    """Witnesses whose two values are both t."""

    value: Number
    lower: dict[str, object]
    upper: dict[str, object]


def closed_form(squares: Triangle, answer: EmbeddingAnswer, most_classes: int = MOST_CLASSES) -> ClosedForm | None:
    """The exact optimum near a float answer, or None if it is not found (too large, irrational, degenerate).

    squares: exact squared distances, lower triangle. What is returned is a guess with witnesses; only the
    kernel says whether it is right.
    """
    n = len(squares)
    if n > MOST_POINTS or answer.points is None or answer.expand is None or answer.contract is None:
        return None
    if answer.expand_weights is None or answer.contract_weights is None:
        return None
    d2 = [[squares[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    classes = coherent_classes(_labels(d2), most_classes)
    if classes is None:
        return None
    scale = Fraction(1, max(map(max, d2)))
    floats = np.array([[float(x * scale) for x in row] for row in d2])
    y_e = _class_weights(classes, answer.expand, answer.expand_weights, floats)
    y_p = _class_weights(classes, answer.contract, answer.contract_weights, floats)
    members = classes.members()
    expand = _active(y_e, classes, floats)
    contract = _active(y_p, classes, floats)
    if not expand or not contract:
        return None
    m = classes.average(_laplacian_of(classes, y_e) - _laplacian_of(classes, y_p))
    g = classes.average(_gram(answer.points, floats))
    if not (np.all(np.isfinite(m)) and np.all(np.isfinite(g)) and m.any() and g.any()):
        return None
    projection = _range_projection(g, m)
    entries = [float(projection[i, j]) for i, j in members]
    for radicand, tolerance in ((0, STRICT), *((d, STRICT) for d in RADICANDS), (0, LOOSE)):
        pi = recognised(entries, radicand, tolerance)
        if pi is None or not _idempotent(classes, pi):
            continue
        weights = _dual(classes, d2, pi, expand, contract, y_e, y_p, radicand)
        if weights is None:
            continue
        t, lower = weights
        upper = _primal(classes, d2, pi, expand, contract, t, g / float(scale), radicand)
        if upper is not None:
            return ClosedForm(t, lower, upper)
    return None


def _labels(d2: list[list[int]]) -> Ints:
    names = {value: k for k, value in enumerate(sorted({x for row in d2 for x in row}))}
    return np.array([[names[x] for x in row] for row in d2], dtype=np.int64)


def _class_weights(classes: Classes, pairs: Ints, weights: Floats, floats: Floats) -> Floats:
    """Mean weight over each symmetric class, of pairs (each once)."""
    table = np.zeros(floats.shape)
    np.add.at(table, (pairs[:, 0], pairs[:, 1]), np.maximum(weights, 0.0))
    table += table.T
    sums = np.bincount(classes.pair.ravel(), weights=table.ravel(), minlength=classes.count)
    means: Floats = sums / np.bincount(classes.pair.ravel(), minlength=classes.count)
    return means


def _active(weights: Floats, classes: Classes, floats: Floats) -> list[int]:
    shares = weights * np.bincount(classes.pair.ravel(), weights=floats.ravel(), minlength=classes.count)
    total = float(shares.sum())
    return [k for k in range(classes.count) if shares[k] > ACTIVE * total] if total > 0 else []


def _laplacian_of(classes: Classes, weights: Floats) -> Floats:
    n = len(classes.pair)
    pairs = np.column_stack(np.triu_indices(n, 1)).astype(np.int64)
    return laplacian(n, pairs, weights[classes.pair[pairs[:, 0], pairs[:, 1]]])


def _gram(points: Floats, floats: Floats) -> Floats:
    """The centred Gram matrix, scaled so that the map contracts nothing."""
    centred = points - points.mean(axis=0)
    table: Floats = centred @ centred.T
    pairs = np.triu_indices(len(points), 1)
    square = np.diag(table)
    z = (square[:, None] + square - 2 * table)[pairs]
    least = float(np.min(z / floats[pairs]))
    return table / least if least > 0 else table


def _range_projection(g: Floats, m: Floats) -> Floats:
    """The projection onto the range of G, told from that of M by which of the two is larger there."""
    values, vectors = np.linalg.eigh(m / np.linalg.norm(m, 2) - g / np.linalg.norm(g, 2))
    inside = vectors[:, values < -SPLIT]
    projection: Floats = inside @ inside.T
    return projection


def recognised(numbers: Sequence[float], radicand: int, tolerance: float) -> list[Number] | None:
    """The numbers of small height in ℚ (radicand 0) or ℚ(√radicand) that the floats are near to, or None.

    Near means nearer than chance would have it: the tolerance falls with the height.
    """
    found: list[Number] = []
    for x in numbers:
        near: Number | None = _rational_near(x, tolerance)
        if near is None and radicand:
            near = _surd_near(x, radicand, tolerance)
        if near is None:
            return None
        found.append(near)
    if radicand and not any(isinstance(x, Surd) for x in found):
        return None  # the rational case, tried before
    return found


def _rational_near(x: float, tolerance: float) -> Fraction | None:
    """The fraction of least height; about 3q²/π² fractions up to the denominator q lie in a unit interval."""
    for most in (30, 200, 2000):
        f = Fraction(x).limit_denominator(most)
        if abs(float(f) - x) < min(tolerance, 0.02 / f.denominator**2):
            return f
    return None


def _surd_near(x: float, radicand: int, tolerance: float) -> Surd | None:
    """(p + k·√d)/q of least height with q and |k| at most SURD_HEIGHT."""
    q = np.arange(1, SURD_HEIGHT + 1)[:, None]
    k = np.arange(-SURD_HEIGHT, SURD_HEIGHT + 1)[None, :]
    rest = x * q - k * np.sqrt(radicand)
    error = np.abs(rest - np.rint(rest)) / q
    height = q + np.abs(k)
    error[np.broadcast_to(k == 0, error.shape) | (error > tolerance)] = np.inf
    if not np.isfinite(error).any():
        return None
    best = np.unravel_index(np.argmin(np.where(np.isfinite(error), height, np.inf)), error.shape)
    bottom, middle = int(q[best[0], 0]), int(k[0, best[1]])
    return Surd(Fraction(round(float(rest[best])), bottom), Fraction(middle, bottom), radicand)


def _idempotent(classes: Classes, pi: Sequence[Number]) -> bool:
    pair = classes.pair
    return all(
        sum(pi[a] * pi[b] for a, b in zip(pair[i], pair[j], strict=True)) == pi[pair[i, j]]
        for i, j in classes.representatives()
    )


def _dual(
    classes: Classes,
    d2: list[list[int]],
    pi: Sequence[Number],
    expand: list[int],
    contract: list[int],
    y_e: Floats,
    y_p: Floats,
    radicand: int,
) -> tuple[Number, dict[str, object]] | None:
    """Weights on the active classes with M·Π = 0 and Σ_E y d² = 1; the value Σ_P y d² is t."""
    n = len(d2)
    pair = classes.pair
    unknown = [(k, 1) for k in expand] + [(k, -1) for k in contract]
    equations: list[list[Number]] = []
    for i, j in classes.representatives():
        # (L_C Π)_ij = Σ_k [pair(i,k) = C]·(Π_ij − Π_kj)
        sums: dict[int, Number] = {}
        here = pi[pair[i, j]]
        for k in range(n):
            if k != i:
                c = int(pair[i, k])
                sums[c] = sums.get(c, Fraction(0)) + here - pi[pair[k, j]]
        equations.append([*(sums.get(c, Fraction(0)) * sign for c, sign in unknown), Fraction(0)])
    mass = [0] * classes.count
    for i in range(n):
        for j in range(i):
            mass[pair[i, j]] += d2[i][j]
    equations.append([*(Fraction(mass[c] if sign > 0 else 0) for c, sign in unknown), Fraction(1)])
    total = sum(float(mass[c]) * y_e[c] for c in expand)
    hints = [(y_e[c] if sign > 0 else y_p[c]) / total for c, sign in unknown]
    solution = solve_near(equations, hints, lambda y: all(x > 0 for x in y))
    if solution is None:
        return None
    _, numerators = _integers(solution, radicand)
    value = {(c, sign): y for (c, sign), y in zip(unknown, numerators, strict=True)}
    sides = [
        [[j, i, *value[(int(pair[i, j]), sign)]] for i in range(n) for j in range(i) if (pair[i, j], sign) in value]
        for sign in (1, -1)
    ]
    parts = [y * mass[c] for (c, sign), y in zip(unknown, solution, strict=True) if sign < 0]
    t = sum(parts[1:], parts[0])
    witness: dict[str, object] = {"kind": "weights", "expand": sides[0], "contract": sides[1], "ground": 0}
    return t, {**witness, **_field(radicand), "psd": {"kind": "ldl"}}


def _primal(
    classes: Classes,
    d2: list[list[int]],
    pi: Sequence[Number],
    expand: list[int],
    contract: list[int],
    t: Number,
    hint: Floats,
    radicand: int,
) -> dict[str, object] | None:
    """A Gram matrix on the range of Π with z = d² on the active contractions and z = t·d² on expansions."""
    n, count, pair = len(d2), classes.count, classes.pair
    members = classes.members()
    equations: list[list[Number]] = []
    for i, j in classes.representatives():
        row: list[Number] = [Fraction(0)] * (count + 1)
        for k in range(n):
            row[pair[i, k]] += pi[pair[k, j]]
        row[pair[i, j]] -= 1
        equations.append(row)
    for active, factor in ((contract, Fraction(1)), (expand, t)):
        for c in active:
            i, j = members[c]
            row = [Fraction(0)] * (count + 1)
            row[pair[i, i]] += 1
            row[pair[j, j]] += 1
            row[c] -= 2
            row[count] = factor * d2[i][j]
            equations.append(row)

    def feasible(g: Sequence[Number]) -> bool:
        for i, j in members:
            if i != j:
                z = g[pair[i, i]] + g[pair[j, j]] - 2 * g[pair[i, j]]
                if z - d2[i][j] < 0 or t * d2[i][j] - z < 0:
                    return False
        return True

    solution = solve_near(equations, [hint[i, j] for i, j in members], feasible)
    if solution is None:
        return None
    denominator, numerators = _integers(solution, radicand)
    rows = [[part for j in range(i + 1) for part in numerators[pair[i, j]]] for i in range(n)]
    gram = {"denominator": denominator, "rows": rows}
    return {"kind": "gram", "gram": gram, **_field(radicand), "psd": {"kind": "ldl"}}


def _field(radicand: int) -> dict[str, int]:
    return {"radicand": radicand} if radicand else {}


def _integers(numbers: Sequence[Number], radicand: int) -> tuple[int, list[list[int]]]:
    """A common denominator, and for each number its integer parts: [a], or [a, b] for a + b·√radicand."""
    pairs = [(Fraction(x.a), Fraction(x.b)) if isinstance(x, Surd) else (x, Fraction(0)) for x in numbers]
    return over_common_denominator([pair[: 2 if radicand else 1] for pair in pairs])


def solve_near(
    equations: list[list[Number]], hints: Sequence[float], accept: Callable[[list[Number]], bool]
) -> list[Number] | None:
    """A solution of linear equations (last column: right-hand side) near the hints.

    The free unknowns are set to fractions of small denominator near their hints, coarse ones first, until
    ``accept(solution)`` holds; None if the equations contradict or nothing is accepted.
    """
    width = len(hints)
    pivots, rows = _reduced(equations, width)
    if rows is None:
        return None
    free = [k for k in range(width) if k not in pivots]
    for q in DENOMINATORS if free else (1,):
        chosen = {k: Fraction(round(hints[k] * q), q) if np.isfinite(hints[k]) else Fraction(0) for k in free}
        solution: list[Number] = [chosen.get(k, Fraction(0)) for k in range(width)]
        for pivot, row in zip(pivots, rows, strict=True):
            solution[pivot] = row[width] - sum((row[k] * chosen[k] for k in free if row[k]), Fraction(0))
        if accept(solution):
            return solution
    return None


def _reduced(equations: list[list[Number]], width: int) -> tuple[list[int], list[list[Number]] | None]:
    """Reduced row echelon form over the field: pivot columns and their rows; None for rows that contradict."""
    work = [row[:] for row in equations if any(row)]
    pivots: list[int] = []
    done: list[list[Number]] = []
    for column in range(width):
        at = next((r for r, row in enumerate(work) if row[column] != 0), None)
        if at is None:
            continue
        row = work.pop(at)
        inverse = quotient(Fraction(1), row[column])
        row = [x * inverse if x else x for x in row]
        for others in (work, done):
            for r, other in enumerate(others):
                factor = other[column]
                if factor != 0:
                    others[r] = [x - factor * y if y else x for x, y in zip(other, row, strict=True)]
        work = [r for r in work if any(r)]
        pivots.append(column)
        done.append(row)
    return pivots, (None if work else done)
