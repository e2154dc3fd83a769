"""Engines for k-center. ``ranks`` is (m, n): the place of c_ij among all values, so that comparisons are exact.

Upper: farthest-first traversal (Gonzalez 1985), then coverings by HiGHS. Lower: the dual of the covering programme
(a fractional packing), branched where it does not suffice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Ranks = NDArray[np.int64]
Indices = NDArray[np.int64]
MOST_INSIDE = 4_000_000  # pairs within a radius for which a covering is asked of HiGHS
MOST_NODES = 2_000
WEIGHT = 1 << 24  # of a packing: what the floats are multiplied with


def farthest_first(ranks: Ranks, k: int, start: int = 0) -> Indices:
    """k candidates: each next one is the item farthest from those before (an item and a candidate have one index)."""
    chosen = [start]
    nearest = ranks[start].copy()
    while len(chosen) < k:
        chosen.append(int(np.argmax(nearest)))
        nearest = np.minimum(nearest, ranks[chosen[-1]])
    return np.array(chosen, dtype=np.int64)


def radius(ranks: Ranks, centres: Indices) -> int:
    """The rank of the dearest service."""
    return int(ranks[centres].min(axis=0).max())


def apart(ranks: Ranks, items: Indices) -> int:
    """The largest rank r such that no ball {c < r} holds two of the items: min over pairs of min_i max(c_ia, c_ib)."""
    columns = ranks[:, items]
    least = int(columns.max())
    for a in range(1, len(items)):
        least = min(least, int(np.maximum(columns[:, :a], columns[:, a : a + 1]).min()))
    return least


@dataclass
class Packing:
    """A proof that k balls below a radius do not cover: a tree in preorder and rows of integer weights."""

    tree: list[int] = field(default_factory=list)
    rows: list[list[int]] = field(default_factory=list)


def covering(inside: NDArray[np.bool_], k: int, seconds: float) -> Indices | None:
    """At most k candidates whose balls cover all items, by HiGHS; None if it found none."""
    from scipy import sparse
    from scipy.optimize import Bounds, LinearConstraint, milp

    m, n = inside.shape
    answer = milp(
        np.ones(m),
        constraints=LinearConstraint(sparse.csr_matrix(inside.T.astype(float)), lb=np.ones(n)),
        integrality=np.ones(m),
        bounds=Bounds(0, 1),
        options={"time_limit": max(0.1, seconds)},
    )
    if answer.x is None:
        return None
    chosen = np.flatnonzero(answer.x > 0.5)
    return chosen if len(chosen) <= k and inside[chosen].any(axis=0).all() else None


def packed(inside: NDArray[np.bool_], k: int, remaining: Callable[[], float]) -> Packing | Indices | None:
    """A proof that no k balls cover, or k balls that do, or None where nodes or time run out."""
    from scipy import sparse

    found = Packing()
    matrix = sparse.csr_matrix(inside.astype(float))
    waiting: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
    while waiting:
        opened, closed = waiting.pop()
        if len(found.tree) > MOST_NODES or remaining() <= 0:
            return None
        covered: NDArray[np.bool_] = np.asarray(inside[list(opened)].any(axis=0), dtype=np.bool_)
        if covered.all() and len(opened) <= k:
            return np.array(sorted(opened), dtype=np.int64)
        left = k - len(opened)
        if left < 0:
            found.rows.append([0] * inside.shape[1])
            found.tree.append(len(found.rows) - 1)
            continue
        free = np.ones(len(inside), dtype=bool)
        free[list(opened | closed)] = False
        weights, y = _fractional(matrix, free, covered, left, remaining())
        if weights is not None:
            found.rows.append(weights)
            found.tree.append(len(found.rows) - 1)
            continue
        if y is None:
            return None
        whole = np.flatnonzero(y > 1 - 1e-6)
        if len(whole) <= left and (covered | inside[whole].any(axis=0)).all():
            return np.array(sorted({*opened, *whole.tolist()}), dtype=np.int64)
        part = np.where(free, np.abs(y - 0.5), 1.0)
        i = int(np.argmin(part))
        if len(opened) + len(closed) >= 190 or part[i] >= 0.5:
            return None
        found.tree.append(-1 - i)
        waiting += [(opened, closed | {i}), (opened | {i}, closed)]
    return found


def _fractional(
    matrix: object, free: NDArray[np.bool_], covered: NDArray[np.bool_], left: int, seconds: float
) -> tuple[list[int] | None, NDArray[np.float64] | None]:
    """Integer weights on uncovered items that no ``left`` free balls hold, or else a fractional covering by them."""
    from scipy.optimize import linprog

    m, n = matrix.shape  # type: ignore[attr-defined]
    items, rows = np.flatnonzero(~covered), np.flatnonzero(free)
    part = matrix[rows][:, items]  # type: ignore[index]
    weights = [0] * n
    lonely = np.flatnonzero(np.asarray(part.sum(axis=0)).ravel() == 0)
    if left == 0 or len(lonely):
        weights[int(items[lonely[0] if len(lonely) else 0])] = 1
        return weights, None
    # max Σ w, w(ball) <= 1: its dual is the fractional covering.
    answer = linprog(
        -np.ones(len(items)),
        A_ub=part,
        b_ub=np.ones(len(rows)),
        method="highs",
        options={"time_limit": max(0.1, seconds)},
    )
    if answer.status != 0:
        return None, None
    whole = np.rint(answer.x * WEIGHT).astype(np.int64)
    if int(whole.sum()) > left * int((part @ whole).max()):
        for item, weight in zip(items.tolist(), whole.tolist(), strict=True):
            weights[item] = weight
        return weights, None
    y = np.zeros(m)
    y[rows] = -np.asarray(answer.ineqlin.marginals)
    return None, y
