"""Repair of dual weights on pairs:  L_E(y) − L_P(y) ⪰ 0, with the bound Σ_P y d² / Σ_E y d² kept high.

Floating-point weights miss positive semidefiniteness by a little. With the connected Laplacian L_w,
w_e = 1/(|E|·d_e²), normalised so that Σ w d² = 1 = Σ_E y d², the family  θ·(L_E + ε·L_w) − L_P,
θ = λ_max(L_P, L_E + ε·L_w), is feasible for every ε and proves Σ_P y d² / (θ(1 + ε)). ε = 0 is plain
scaling, which wants the support of y_E connected; a larger ε pays 1/(1 + ε) for a better θ. The best is kept.

Where the weights are of very different sizes (a metric of graded scales), the small ones drown in the diagonal of
the vertex basis. There everything is done in the differences along a spanning tree of the heaviest expansion pairs, in
which each scale has coordinates of its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, frexp

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, eigh, solve_triangular

from certify.kernel.embedding import differences
from certify.kernel.graph import cut_part
from certify.kernel.psd import Triangle
from certify.rounding.psd import elimination_proof, psd_proof, slack_needed
from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.pairs import spanning_pairs

EPSILONS = (0.0, 1e-13, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1)
FEW_EPSILONS = (0.0, 1e-9, 1e-7, 1e-5, 1e-2)
MANY_POINTS = 300  # from here on an eigenvalue costs seconds
WEIGHT_BITS = 50
GRADED = 1e5  # largest over smallest weight from which the tree basis is used
MOST_PATHS = 3e7  # entries of the table of paths

Pairs = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairWeights:
    """Feasible floating-point weights and the bound that they give in floating point."""

    expand: Pairs
    expand_weights: Floats
    contract: Pairs
    contract_weights: Floats
    value: float


def laplacian(n: int, pairs: Pairs, weights: Floats) -> Floats:
    """Σ w_ij (e_i − e_j)(e_i − e_j)ᵀ, an n×n array."""
    table = np.zeros((n, n))
    np.add.at(table, (pairs[:, 0], pairs[:, 1]), -weights)
    table += table.T
    np.fill_diagonal(table, -table.sum(axis=1))
    return table


def repaired(squares: Floats, answer: EmbeddingAnswer) -> PairWeights | None:
    """The best feasible weights near the answer's; None if it holds nothing to repair.

    squares: (n, n) squared distances. Points that no weight touches play no part.
    """
    if answer.expand is None or answer.contract is None:
        return None
    if answer.expand_weights is None or answer.contract_weights is None:
        return None
    contract, y_p = _positive(answer.contract, answer.contract_weights, squares)
    expand, y_e = _positive(answer.expand, answer.expand_weights, squares)
    if len(contract) == 0:
        return None
    points = np.unique(np.concatenate([contract.ravel(), expand.ravel()]))
    inside = np.searchsorted(points, contract), np.searchsorted(points, expand)
    best = _best_mixture(squares[np.ix_(points, points)], inside[1], y_e, inside[0], y_p)
    return None if best is None else replace(best, expand=points[best.expand], contract=points[best.contract])


def _best_mixture(squares: Floats, expand: Pairs, y_e: Floats, contract: Pairs, y_p: Floats) -> PairWeights | None:
    """Try every ε of the family in the module's text, on a metric all of whose points carry weight."""
    n = len(squares)
    pairs = np.unique(np.vstack([expand, spanning_pairs(squares)]), axis=0)
    d2 = squares[pairs[:, 0], pairs[:, 1]]
    base = np.zeros(len(pairs))
    place = {(int(i), int(j)): k for k, (i, j) in enumerate(pairs)}
    for (i, j), y in zip(expand, y_e, strict=True):
        base[place[int(i), int(j)]] += y
    total = float(base @ d2)
    if total > 0:
        base, y_p = base / total, y_p / total
    spread = 1.0 / (len(pairs) * d2)
    tree = _tree(n, pairs, base + 1e-3 * spread)
    graded = _graded(base) and n * (len(pairs) + len(contract)) < MOST_PATHS
    l_p = _by_paths(n, tree, contract, y_p) if graded else laplacian(n, contract, y_p)[:-1, :-1]
    gain = float(y_p @ squares[contract[:, 0], contract[:, 1]])
    best: PairWeights | None = None
    choices = EPSILONS if n < MANY_POINTS else FEW_EPSILONS
    for epsilon in choices if total > 0 else (1.0,):
        weights = base + epsilon * spread
        l_e = _by_paths(n, tree, pairs, weights) if graded else laplacian(n, pairs, weights)[:-1, :-1]
        theta = _largest_ratio(l_p, l_e)
        if theta is None:
            continue
        value = gain / (theta * float(weights @ d2))
        if np.isfinite(value) and (best is None or value > best.value):
            support = weights > 0
            best = PairWeights(pairs[support], theta * weights[support], contract, y_p, value)
    return best


def _graded(weights: Floats) -> bool:
    positive = weights[weights > 0]
    return len(positive) > 0 and float(np.max(positive)) > GRADED * float(np.min(positive))


def _tree(n: int, pairs: Pairs, weights: Floats) -> list[list[int]]:
    """A spanning tree of the heaviest pairs (Kruskal 1956), as (point, parent), each point after its children.

    The root is the one point that is never first; pairs that do not join all points give a forest, whose other roots
    are hung below that one.
    """
    home = list(range(n))

    neighbours: list[list[int]] = [[] for _ in range(n)]
    for e in np.argsort(-weights, kind="stable"):
        i, j = int(pairs[e, 0]), int(pairs[e, 1])
        if weights[e] > 0 and cut_part(home, i) != cut_part(home, j):
            home[cut_part(home, i)] = cut_part(home, j)
            neighbours[i].append(j)
            neighbours[j].append(i)
    root = max(range(n), key=lambda v: len(neighbours[v]))
    seen = {root}
    order: list[list[int]] = []
    for start in [root, *(v for v in range(n) if v != root)]:
        if start not in seen:
            order.append([start, root])
            seen.add(start)
        queue = [start]
        while queue:
            p = queue.pop()
            for v in neighbours[p]:
                if v not in seen:
                    seen.add(v)
                    order.append([v, p])
                    queue.append(v)
    return order[::-1]


def _by_paths(n: int, tree: list[list[int]], pairs: Pairs, weights: Floats) -> Floats:
    """Σ w_ij (e_i − e_j)(e_i − e_j)ᵀ in the differences along the tree, (n−1, n−1), without cancellation."""
    above = np.zeros((n, n - 1))  # which differences lie on the way from a point to the root
    for place, (v, p) in reversed(list(enumerate(tree))):
        above[v] = above[p]
        above[v, place] = 1.0
    steps = above[pairs[:, 0]] - above[pairs[:, 1]]
    table: Floats = steps.T @ (steps * weights[:, None])
    return table


def _positive(pairs: Pairs, weights: Floats, squares: Floats) -> tuple[Pairs, Floats]:
    """The pairs that matter: weights that are finite, positive and not lost beside the others."""
    share = weights * squares[pairs[:, 0], pairs[:, 1]] if len(pairs) else weights
    keep = np.isfinite(share) & (weights > 0)
    keep &= share > 1e-14 * np.max(share, initial=0.0, where=np.isfinite(share))
    return pairs[keep], weights[keep]


def _largest_ratio(a: Floats, b: Floats) -> float | None:
    """λ_max of the pencil (a, b), b ≻ 0 after scaling to a unit diagonal; None where doubles cannot tell."""
    diagonal = np.diag(b)
    if not np.all(diagonal > 0):
        return None
    d = 1.0 / np.sqrt(diagonal)
    a, b = a * np.outer(d, d), b * np.outer(d, d)
    try:
        factor = np.linalg.cholesky(b)
        half = solve_triangular(factor, a, lower=True)
        middle = solve_triangular(factor, half.T, lower=True)
        n = len(a)
        top = float(eigh((middle + middle.T) / 2, eigvals_only=True, subset_by_index=(n - 1, n - 1))[0])
    except (LinAlgError, np.linalg.LinAlgError, ValueError):
        return None
    return top if np.isfinite(top) and top > 0 else None


def weights_witness(weights: PairWeights, squares: Floats) -> dict[str, object] | None:
    """Integer weights with a PSD proof, or None. The row of the busiest point is deleted.

    Expansion weights go up and contraction weights down, so rounding never costs definiteness; a growing
    factor on the expansion side pays for the PSD factor.
    """
    n = len(squares)
    ground = int(np.bincount(weights.expand.ravel(), minlength=n).argmax())
    tree: list[list[int]] = []
    if _graded(weights.expand_weights):
        tree = _tree(n, weights.expand, weights.expand_weights)
        ground = tree[-1][1]
    for step in range(12):
        factor = 1.0 + slack_needed(n) * 4.0**step
        expand, contract = _integers(weights, squares, factor)
        if not contract:
            return None
        a = grounded(n, expand, contract, ground, tree)
        proof = elimination_proof(a) if step == 0 and n <= 8 else None
        proof = proof or psd_proof(a)
        if proof is not None:
            witness = {"kind": "weights", "expand": expand, "contract": contract, "ground": ground, "psd": proof}
            return {**witness, "tree": tree} if tree else witness
    return None


def _integers(weights: PairWeights, squares: Floats, factor: float) -> tuple[list[list[int]], list[list[int]]]:
    """Weights on the grid 2^-s, with s fine enough for the smallest vertex and for the value."""
    n = len(squares)
    y_e = weights.expand_weights * factor
    vertex = np.zeros(n)
    np.add.at(vertex, weights.expand.ravel(), np.repeat(y_e, 2))
    d2 = squares[weights.expand[:, 0], weights.expand[:, 1]]
    mean = float(y_e @ d2) / (len(d2) * float(np.max(squares)))
    least = min(float(np.min(vertex[vertex > 0])), mean)
    s = WEIGHT_BITS - frexp(least)[1]
    expand = [[int(i), int(j), ceil(float(np.ldexp(y, s)))] for (i, j), y in zip(weights.expand, y_e, strict=True)]
    contract = [
        [int(i), int(j), floor(float(np.ldexp(y, s)))]
        for (i, j), y in zip(weights.contract, weights.contract_weights, strict=True)
    ]
    return expand, [entry for entry in contract if entry[2] > 0]


def grounded(
    n: int, expand: list[list[int]], contract: list[list[int]], ground: int, tree: list[list[int]]
) -> Triangle:
    """The lower triangle of L_E − L_P, in the differences along the tree (if there is one), with one row and column
    deleted, exactly."""
    table = [[0] * (i + 1) for i in range(n)]
    for pairs, sign in ((expand, 1), (contract, -1)):
        for i, j, y in pairs:
            table[i][i] += sign * y
            table[j][j] += sign * y
            table[j][i] -= sign * y
    differences(tree, "tree", table, ground)
    return [[x for j, x in enumerate(row) if j != ground] for i, row in enumerate(table) if i != ground]
