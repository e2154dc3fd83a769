"""Floating-point engines for k-medoids and k-median over finite candidates. Nothing here is trusted.

All take a cost matrix, (m, n) doubles: row i is what candidate i charges the n items. Upper bounds: greedy start and
swaps (Kaufman and Rousseeuw 1987, in the form of Schubert and Rousseeuw 2021). Lower bounds: multipliers v, (n,), of
the Lagrangian Σ v + the k least ρ_i, ρ_i = Σ_j min(0, c_ij − v_j) (Cornuéjols, Fisher, Nemhauser 1977), by subgradient
steps or from the linear programme.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
MOST_PAIRS = 400_000  # pairs of the linear programme
MOST_NODES = 1_500  # of a branching


def greedy(costs: Floats, k: int) -> Indices:
    """k candidates, each the one that lowers the total most."""
    chosen: list[int] = []
    nearest = np.full(costs.shape[1], np.inf)
    for _ in range(min(k, len(costs))):
        if chosen:
            totals = np.concatenate([np.minimum(part, nearest).sum(axis=1) for part in blocks(costs)])
        else:
            totals = costs.sum(axis=1)
        totals[chosen] = np.inf
        chosen.append(int(np.argmin(totals)))
        nearest = np.minimum(nearest, costs[chosen[-1]])
    return np.array(chosen, dtype=np.int64)


def blocks(costs: Floats) -> Iterator[Floats]:
    """Rows of a matrix in blocks that stay in the cache."""
    step = max(1, 2**21 // max(1, costs.shape[1]))
    for start in range(0, len(costs), step):
        yield costs[start : start + step]


def swapped(costs: Floats, centres: Indices, remaining: Callable[[], float], rounds: int = 30) -> Indices:
    """Centres after swaps with gain, taken as they are found, until none is left, or rounds or time are over."""
    centres = centres.copy()
    k = len(centres)
    if k == len(costs):
        return centres
    first, second, owner = _two_nearest(costs, centres)
    unchanged = 0
    for step in range(rounds * len(costs)):
        i = step % len(costs)
        if unchanged >= len(costs) or (step % 64 == 0 and remaining() <= 0):
            break
        unchanged += 1
        line = costs[i]
        better = line < first
        gain = float((line - first)[better].sum())
        # Without centre r its items go to the second nearest, or to i.
        others = np.where(better, first - second, np.minimum(line, second) - second)
        change = np.bincount(owner, weights=others + (second - first), minlength=k) + gain
        r = int(np.argmin(change))
        if change[r] < -1e-12 * max(1.0, float(first.sum())) and i not in centres:
            centres[r] = i
            first, second, owner = _two_nearest(costs, centres)
            unchanged = 0
    return centres


def _two_nearest(costs: Floats, centres: Indices) -> tuple[Floats, Floats, Indices]:
    """Cost to the nearest and the second nearest centre, and which is the nearest."""
    rows = costs[centres]
    owner = np.argmin(rows, axis=0)
    first = rows[owner, np.arange(rows.shape[1])]
    if len(centres) == 1:
        return first, np.full(rows.shape[1], costs.max() * 2 + 1.0), owner
    rows[owner, np.arange(rows.shape[1])] = np.inf
    return first, rows.min(axis=0), owner


def caps(costs: Floats, centres: Indices) -> Floats:
    """Beyond which no multiplier need grow: the cost to the second nearest centre; all costs for a single one."""
    return costs.max(axis=0) if len(centres) == 1 else _two_nearest(costs, centres)[1]


@dataclass(frozen=True)
class Near:
    """The pairs with c_ij < cap_j: what the Lagrangian looks at while v <= cap. Candidates ascending."""

    candidate: Indices
    item: Indices
    cost: Floats
    size: int

    @staticmethod
    def of(costs: Floats, cap: Floats) -> Near:
        parts, offset = [], 0
        for part in blocks(costs):
            i, j = np.nonzero(part < cap)
            parts.append((i + offset, j, part[i, j]))
            offset += len(part)
        i, j, c = (np.concatenate([part[t] for part in parts]) for t in range(3))
        return Near(i, j, c, len(costs))

    def reduced(self, v: Floats) -> Floats:
        """ρ_i for every candidate."""
        slack = np.minimum(self.cost - v[self.item], 0.0)
        rho: Floats = np.bincount(self.candidate, weights=slack, minlength=self.size).astype(np.float64)
        return rho


def bound(near: Near, v: Floats, k: int) -> float:
    """The Lagrangian bound of v."""
    rho = near.reduced(v)
    return float(v.sum() + (np.partition(rho, k - 1)[:k].sum() if k < len(rho) else rho.sum()))


def first_multipliers(near: Near, first: Floats, cap: Floats, k: int) -> Floats:
    """The best of a few simple multipliers: between what each item pays (first) and its cap, or evenly above it."""
    trials = [first + share * (cap - first) for share in (0.05, 0.1, 0.2, 0.3, 0.5, 1.0)]
    trials += [np.minimum(first + share * first.mean(), cap) for share in (0.25, 0.5, 1.0)]
    return max(trials, key=lambda v: bound(near, v, k))


def ascent(
    near: Near,
    start: Floats,
    cap: Floats,
    k: int,
    upper: float,
    remaining: Callable[[], float],
    gap: float,
    rounds: int,
) -> tuple[float, Floats, Indices]:
    """Subgradient steps of Polyak's length towards ``upper``: best bound, its v, the centres that were best for it."""
    v, best, best_v = start.copy(), -np.inf, start.copy()
    chosen = np.arange(k)
    theta, stale, starts = 1.0, 0, np.searchsorted(near.candidate, np.arange(near.size + 1))
    direction = np.zeros(len(v))
    for _ in range(rounds):
        rho = near.reduced(v)
        now = np.argpartition(rho, k - 1)[:k] if k < len(rho) else np.arange(len(rho))
        value = float(v.sum() + rho[now].sum())
        if value > best:
            stale = stale if value < best + 1e-5 * abs(upper - best) else 0
            best, best_v, chosen = value, v.copy(), now
        else:
            stale += 1
        if stale > 25:
            theta, stale, v = theta / 2, 0, best_v.copy()
            direction[:] = 0
        if upper - best <= gap * abs(upper) or theta < 1e-4 or remaining() <= 0:
            break
        step = np.ones(len(v))
        for i in now:
            part = slice(starts[i], starts[i + 1])
            inside = near.item[part][near.cost[part] < v[near.item[part]]]
            step[inside] -= 1
        direction = step + 0.8 * direction  # deflected: fewer zigzags (Camerini, Fratta, Maffioli 1975)
        length = float(direction @ direction)
        if length == 0:
            break
        v = np.minimum(v + theta * (upper - value) / length * direction, cap)
    return best, best_v, chosen


@dataclass(frozen=True)
class Node:
    """A node of the branching: the programme's value, multipliers, and how much each candidate is a centre."""

    value: float
    v: Floats
    y: Floats


class Programme:
    """The linear programme of the near pairs by HiGHS; candidates may be fixed."""

    def __init__(self, near: Near, cap: Floats, k: int) -> None:
        from scipy import sparse

        self.near, self.k = near, k
        self.scale = float(cap.max()) or 1.0
        pairs, m, n = len(near.cost), near.size, len(cap)
        # Unknowns: x of the pairs, y of the candidates, and for each item z: served at the price of its cap.
        at, ones = np.arange(pairs), np.ones(pairs)
        self.cost = np.concatenate([near.cost, np.zeros(m), cap]) / self.scale
        self.serve = sparse.csr_matrix(
            (
                np.ones(pairs + n),
                (np.concatenate([near.item, np.arange(n)]), np.concatenate([at, pairs + m + np.arange(n)])),
            ),
            shape=(n, pairs + m + n),
        )
        link = sparse.csr_matrix(
            (np.concatenate([ones, -ones]), (np.concatenate([at, at]), np.concatenate([at, pairs + near.candidate]))),
            shape=(pairs, pairs + m + n),
        )
        count = sparse.csr_matrix(
            (np.ones(m), (np.zeros(m, dtype=int), pairs + np.arange(m))), shape=(1, pairs + m + n)
        )
        self.links = sparse.vstack([link, count]).tocsr()
        self.limits = np.concatenate([np.zeros(pairs), [k]])

    def solve(self, opened: frozenset[int], closed: frozenset[int], seconds: float) -> Node | None:
        """The programme with some candidates fixed; None if it was not solved in time."""
        from scipy.optimize import linprog

        near, n = self.near, self.serve.shape[0]
        low = np.zeros(len(self.cost))
        high = np.full(len(self.cost), np.inf)
        high[len(near.cost) : len(near.cost) + near.size] = 1.0
        for i in opened:
            low[len(near.cost) + i] = 1.0
        for i in closed:
            high[len(near.cost) + i] = 0.0
        answer = linprog(
            self.cost,
            A_ub=self.links,
            b_ub=self.limits,
            A_eq=self.serve,
            b_eq=np.ones(n),
            bounds=np.column_stack([low, high]),
            method="highs",
            options={"time_limit": max(0.1, seconds)},
        )
        if answer.status != 0 or answer.x is None:
            return None
        v = np.asarray(answer.eqlin.marginals) * self.scale
        y = answer.x[len(near.cost) : len(near.cost) + near.size]
        return Node(float(answer.fun) * self.scale, v, y)


@dataclass
class Branching:
    """A tree in preorder (−1 − i branches on i, first opened; r >= 0: a leaf with row r); rows; the best centres."""

    tree: list[int]
    rows: list[Floats]
    centres: Indices
    upper: float


def branched(
    costs: Floats,
    programme: Programme,
    root: Node,
    start: Indices,
    slack: Callable[[float], float],
    remaining: Callable[[], float],
) -> Branching | None:
    """Depth first to the proof of optimality, or None if nodes or time run out.

    slack(upper): how far below the best cost a bound may stay to close a leaf.
    """
    k = programme.k
    found = Branching([], [], start, float(costs[start].min(axis=0).sum()))
    waiting: list[tuple[frozenset[int], frozenset[int], Node | None]] = [(frozenset(), frozenset(), root)]
    while waiting:
        opened, closed, node = waiting.pop()
        if len(found.tree) > MOST_NODES or remaining() <= 0:
            return None
        if len(opened) > k:
            found.tree.append(0)
            continue
        node = node or programme.solve(opened, closed, remaining())
        if node is None:
            return None
        rounded = np.argsort(-node.y, kind="stable")[:k]
        trial = swapped(costs, rounded, remaining, 1)
        cost = float(costs[trial].min(axis=0).sum())
        if cost < found.upper:
            found.upper, found.centres = cost, trial
        part = np.abs(node.y - 0.5)
        part[list(opened | closed)] = 1.0
        i = int(np.argmin(part))
        value = _leaf_value(programme.near, node.v, k, opened, closed)
        if value >= found.upper - slack(found.upper):
            found.rows.append(node.v)
            found.tree.append(len(found.rows) - 1)
        elif part[i] > 0.5 - 1e-7 or len(opened) + len(closed) >= 190:
            return None  # an integral programme whose bound falls short: doubles carry no further
        else:
            found.tree.append(-1 - i)
            waiting += [(opened, closed | {i}, None), (opened | {i}, closed, None)]
    return found


def _leaf_value(near: Near, v: Floats, k: int, opened: frozenset[int], closed: frozenset[int]) -> float:
    rho = near.reduced(v)
    free = np.delete(rho, list(opened | closed))
    left = min(k - len(opened), len(free))
    least = np.partition(free, left - 1)[:left].sum() if 0 < left < len(free) else free.sum() if left else 0.0
    return float(v.sum() + rho[list(opened)].sum() + least)
