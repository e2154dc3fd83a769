"""Statements about the optimal Euclidean distortion of a finite metric (docs/mathematics.md).

The data are the squared distances of n points, up to a common factor, which cancels everywhere. For a map
f into a Hilbert space let z_ij = |f(i) − f(j)|². distortion(f)² = max z_ij/d_ij² · max d_ij²/z_ij.

``coordinates``  points, one row each: distortion² of that very map is an upper bound.
``gram``         a rational matrix, proved positive semidefinite, hence the Gram matrix of some points.
``weights``      integers y > 0 on expansion pairs E and contraction pairs P with
                 Σ_E y_e v_e v_eᵀ − Σ_P y_p v_p v_pᵀ ⪰ 0, v_ij = e_i − e_j (row ``ground`` deleted):
                 distortion² >= Σ_P y_p d_p² / Σ_E y_e d_e² for every map (Linial, London, Rabinovich 1995).
                 ``tree``, where it is given, states the matrix in the differences along a tree first.
``one``          distortion² >= 1 for every map.

``gram`` and ``weights`` may be over ℚ(√d): with the key ``radicand``, d, each number is two integers a, b and
means a + b·√d (:mod:`certify.kernel.quadratic`); definiteness is then proved by ``ldl``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from certify.kernel.exact import (
    Rejected,
    affordable,
    integer,
    integer_rows,
    kind,
    longest,
    mapping,
    matrix,
    storable,
)
from certify.kernel.metric import canonical_metric
from certify.kernel.psd import Triangle, gram, prove_psd
from certify.kernel.quadratic import paired, quotient, radicand_of
from certify.kernel.statement import Rules


def canonical_embedding(problem: Any) -> tuple[Any, Triangle]:
    """The problem in the one form that is digested, and its squared distances (lower triangle)."""
    form, squares = canonical_metric(mapping(problem, "problem", {"metric"})["metric"], "problem.metric")
    return {"metric": form}, squares


def check_embedding(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> tuple[str, Any]:
    """The relation and the value that a witness proves of distortion_squared, or Rejected."""
    what = kind(witness, where, ("coordinates", "gram", "weights", "one"))
    n = len(squares)
    if what == "one":
        mapping(witness, where, {"kind"})
        return ">=", Fraction(1)
    if what == "weights":
        return ">=", _weights(witness, where, squares, pure)
    if what == "coordinates":
        mapping(witness, where, {"kind", "points"})
        g = gram(matrix(witness["points"], f"{where}.points", n, None)[1], pure, f"{where}.points")
    else:
        mapping(witness, where, {"kind", "gram", "psd"}, {"radicand"})
        d = radicand_of(witness, where)
        rows = matrix(witness["gram"], f"{where}.gram", n, lambda i: (2 if d else 1) * (i + 1))[1]
        g = [paired(row, d) for row in rows]
        prove_psd(witness["psd"], f"{where}.psd", g, pure, _proofs(d))
    return "<=", _distortion_squared(g, where, squares)


def _distortion_squared(g: Triangle, where: str, squares: Triangle) -> Any:
    """max z/d² · max d²/z with z_ij = g_ii + g_jj − 2 g_ij; 1 for a single point, which has no pair."""
    affordable(where, 2 * len(g) ** 2, longest(g) + 2, longest(squares))
    most, least = (1, 1), (1, 1)  # the largest and the smallest z/d², as numerator and denominator
    for i in range(1, len(g)):
        for j in range(i):
            z, d = g[i][i] + g[j][j] - 2 * g[i][j], squares[i][j]
            if z <= 0:
                raise Rejected("map.injective", where, f"points {j} and {i} have one image: infinite distortion")
            if i == 1 or z * most[1] > most[0] * d:
                most = (z, d)
            if i == 1 or z * least[1] < least[0] * d:
                least = (z, d)
    return quotient(most[0] * least[1], most[1] * least[0])


def _proofs(d: int) -> tuple[str, ...]:
    """Factors have integer remainders; elimination runs in any ordered ring."""
    return ("ldl",) if d else ("factor", "ldl")


def _weights(witness: dict[str, Any], where: str, squares: Triangle, pure: bool) -> Any:
    mapping(witness, where, {"kind", "expand", "contract", "ground", "psd"}, {"radicand", "tree"})
    n, d = len(squares), radicand_of(witness, where)
    ground = integer(witness["ground"], f"{where}.ground", 0, n - 1)
    laplacian: list[list[Any]] = [[0] * (i + 1) for i in range(n)]
    total: dict[str, Any] = {"expand": 0, "contract": 0}
    for side, sign in (("expand", 1), ("contract", -1)):
        seen = set()
        rows = integer_rows(witness[side], f"{where}.{side}", None, lambda e: 4 if d else 3)
        for e, (i, j, *weight) in enumerate(rows):
            (y,) = paired(weight, d)
            if not 0 <= i < j < n or y <= 0 or (i, j) in seen:
                why = "pairs are [i, j, weight], 0 <= i < j < number of points, weight > 0, each once"
                raise Rejected("weights.pair", f"{where}.{side}[{e}]", why)
            seen.add((i, j))
            total[side] += y * squares[j][i]
            laplacian[i][i] += sign * y
            laplacian[j][j] += sign * y
            laplacian[j][i] -= sign * y
    if total["expand"] == 0:
        raise Rejected("weights.empty", f"{where}.expand", "at least one expansion pair is needed")
    # Its rows sum to zero, so the whole matrix is positive semidefinite iff this minor is.
    if "tree" in witness:
        differences(witness["tree"], f"{where}.tree", laplacian, ground)
    minor = [[x for j, x in enumerate(row) if j != ground] for i, row in enumerate(laplacian) if i != ground]
    prove_psd(witness["psd"], f"{where}.psd", minor, pure, _proofs(d))
    return quotient(total["contract"], total["expand"])


def differences(pairs: Any, where: str, a: list[list[Any]], ground: int) -> None:
    """Replace A by SᵀAS for x = Su with u_v = x_v − x_p for each pair [v, p]: row v is added to row p, and column v
    to column p. S is invertible, so A ⪰ 0 iff SᵀAS ⪰ 0; and S⁻¹1, which SᵀAS maps to 0, has a 1 at the ground."""
    joined = set()
    storable(where, len(a) ** 2 // 2, longest(a) + 2 * len(a).bit_length())
    for e, (v, p) in enumerate(integer_rows(pairs, where, None, lambda e: 2)):
        if not (0 <= v < len(a) and 0 <= p < len(a)) or v in (p, ground) or v in joined or p in joined:
            why = "pairs are [point, parent], each point once and after its children, never the ground"
            raise Rejected("weights.tree", f"{where}[{e}]", why)
        joined.add(v)
        row = [a[max(v, j)][min(v, j)] for j in range(len(a))]
        for j in range(len(a)):
            a[max(p, j)][min(p, j)] += row[j] if j != p else 2 * row[p] + row[v]


EMBEDDING = Rules(
    quantity="distortion_squared",
    latex="c_2(X)^2",
    words={
        ">=": "every map of these {n} points into a Euclidean space has distortion² at least {value}",
        "<=": "some map of these {n} points into a Euclidean space has distortion² at most {value}",
        "==": "the least distortion² of a map of these {n} points into a Euclidean space is {value}",
    },
    canonical=canonical_embedding,
    check=check_embedding,
)
