"""Prices for many points in few dimensions: one unknown for a cell of near points, not one for every point.

In the clustering that is known, with means μ, each cluster is cut into cells. Prices
λ_i = w_i·(|x_i − μ_c(i)|² + θ_cell(i)) hold for every clustering once the boxes say so, whatever θ is; at θ = σ/w(C)
they are the closed form that is exact where clusters lie far apart. The best θ >= 0 come from clusters (columns) as in
:mod:`certify.solvers.kmeans_columns`, without branching: a gap of some parts in a thousand stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from certify.solvers.kmeans_columns import Node, Prices
from certify.solvers.kmeans_local import Floats, Labels, lloyd, means, seeded
from certify.solvers.kmeans_pricing import CHECKED, Items, Sets, each_once, fixed_points, search
from certify.solvers.packing_lp import packing

CELLS = 600
STARTS = 400  # centres from which clusters are looked for, besides the cells and the means
ROUNDS = 40


def celled_prices(
    points: Floats,
    weights: Floats,
    labels: Labels,
    k: int,
    pool: Sets,
    share: float,
    seed: int,
    remaining: Callable[[], float],
    say: Callable[[str], None],
) -> Iterator[Node]:
    """Prices that boxes in doubles have shown to hold, each time that the bound has risen; until it is within
    ``share`` of the best clustering, or the cells allow no more."""
    cells, cell_means = _cells(points, weights, labels, k, np.random.default_rng(seed))
    centres, _ = means(points, weights, labels, k)
    base = weights * ((points - centres[labels]) ** 2).sum(axis=1)
    best = float(base.sum())
    items = Items(points, weights, np.zeros(len(points)))
    pool = each_once(np.concatenate([labels == np.arange(k)[:, None], pool]))
    table, right = _columns(items, pool, cells, base, weights)
    goal = np.concatenate([np.bincount(cells, weights), [-float(k)]])
    group = tuple(range(len(points)))
    proved, middle, reach = -np.inf, None, -np.inf
    for turn in range(ROUNDS):
        if remaining() <= 0:
            return
        answer = packing(np.hstack([table, -np.ones((len(table), 1))]), right / best, goal, 1e-4)
        theta, sigma = answer.u[:-1] * best, float(answer.u[-1] * best)
        value = float(base.sum() + goal @ np.append(theta, sigma))
        new = np.zeros((0, len(points)), dtype=bool)
        for query in (theta,) if middle is None else (0.6 * theta + 0.4 * middle, theta):
            prices = base + weights * query[cells]
            starts = np.concatenate([centres, cell_means, _tight(items, pool, prices)])
            found = fixed_points(items, prices, starts)
            if len(found) == 0:
                continue
            reduced = items.costs(found) - found @ prices
            rent = max(0.0, -float(reduced.min()))
            lagrange = float(prices.sum()) - k * rent
            if lagrange > reach:
                reach, middle = lagrange, query
            low = np.flatnonzero(
                items.costs(found) - found @ (base + weights * theta[cells]) < -sigma - 1e-4 * best / k
            )
            if len(low):
                new = found[low[np.argsort(reduced[low])[:400]]]
                break
        say(
            f"prices of {len(goal) - 1} cells: {len(pool)} clusters, at most {value:.6g}, now {reach:.6g} of {best:.6g}"
        )
        done = len(new) == 0 or value - reach < 0.2 * share * best or turn == ROUNDS - 1
        if middle is not None and (done or turn % 6 == 5) and reach > proved + 0.1 * share * best:
            leaf = _shown(items, base + weights * middle[cells], reach, k, share * best, remaining)
            if leaf is not None:
                proved = reach
                yield Node(group, (), leaf)
        if done:
            return
        pool = each_once(np.concatenate([pool, new]))
        table, right = _columns(items, pool, cells, base, weights)
        if len(pool) > 4000:
            slack = right - table @ theta + sigma
            keep = np.sort(np.argsort(slack)[:2500])
            pool, table, right = pool[keep], table[keep], right[keep]


def _shown(
    items: Items, prices: Floats, reach: float, k: int, room: float, remaining: Callable[[], float]
) -> Prices | None:
    """The prices with a rent that boxes show to be enough."""
    sigma = (float(prices.sum()) - reach) / k + 0.05 * room / k
    for _ in range(8):
        shown = search(items, prices, -sigma, CHECKED * remaining() / 3, lambda: remaining() > 0)
        if shown.proved:
            return Prices(prices, sigma, float(prices.sum()) - k * sigma)
        if len(shown.centres) == 0:
            return None
        found = fixed_points(items, prices, shown.centres)
        worst = max(-float((items.costs(found) - found @ prices).min()), sigma)
        sigma = worst + 0.05 * room / k
    return None


def _cells(
    points: Floats, weights: Floats, labels: Labels, k: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], Floats]:
    """The cell of every point, numbered from 0, and the means of the cells: each cluster is cut by k-means."""
    cells = np.zeros(len(points), dtype=np.intp)
    count = 0
    for label in range(k):
        inside = np.flatnonzero(labels == label)
        if len(inside) == 0:
            continue
        pieces = max(1, min(len(inside), round(CELLS * len(inside) / len(points))))
        mine = lloyd(points[inside], weights[inside], seeded(points[inside], weights[inside], pieces, rng), rounds=20)
        _, mine = np.unique(mine, return_inverse=True)
        cells[inside] = count + mine
        count += int(mine.max()) + 1
    return cells, means(points, weights, cells, count)[0]


def _columns(items: Items, pool: Sets, cells: NDArray[np.intp], base: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """What a cluster holds of each cell, (m, cells), and its cost less its part of the base."""
    count = int(cells.max()) + 1
    table = np.zeros((len(pool), count))
    np.add.at(table.T, cells, (pool * weights).T)
    return table, items.costs(pool) - pool @ base


def _tight(items: Items, pool: Sets, prices: Floats) -> Floats:
    """The means of the clusters of least reduced cost."""
    order = np.argsort(items.costs(pool) - pool @ prices)[:STARTS]
    return items.centres(pool[order])
