"""Semidefinite programs in floating point: an infeasible primal–dual interior point method with sparse data.

minimise cᵀx with F(x) = Σ x_k F_k − F_0 ⪰ 0 over free x (blocks of 1×1 matrices are linear inequalities), and its dual,
maximise ⟨F_0, Y⟩ with ⟨F_k, Y⟩ = c_k, Y ⪰ 0. The direction is that of Helmberg, Rendl, Vanderbei and Wolkowicz (1996),
Kojima, Shindoh and Hara (1997) and Monteiro (1997), the predictor–corrector Mehrotra's (1992). The m×m system of x is
built from the entries of the F_k or from products with them, whichever is cheaper (Fujisawa, Kojima, Nakata 1997).
All iterates are kept for a while: those before the last have room for rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, eigh, qr, solve_triangular

Floats = NDArray[np.float64]
MOST_STEPS = 120
LARGE = 400  # order of a matrix from which a second thread is worth its cost
MOST_DENSE = 60_000_000  # entries of a dense table of all F_k
CHUNK = 1 << 22  # entries of a table that is held at once


@dataclass(frozen=True)
class Block:
    """One block of the program: order n; ``entries``: (rows, n²) sparse, row k the matrix F_k as a vector, for the k in
    ``touched``; ``constant``: F_0. A diagonal block has n for n² and vectors for matrices."""

    size: int
    diagonal: bool
    touched: NDArray[np.int64]
    entries: sp.csr_matrix
    constant: Floats


@dataclass(frozen=True)
class Iterate:
    """x, the multipliers Y and slacks S of the blocks, and how good they are: relative gap and infeasibilities."""

    x: Floats
    y: tuple[Floats, ...]
    s: tuple[Floats, ...]
    gap: float
    infeasible: float
    value: float


@dataclass
class _State:
    x: Floats
    y: list[Floats]
    s: list[Floats]
    kept: list[Iterate] = field(default_factory=list)


def interior_point(
    cost: Floats,
    blocks: Sequence[Block],
    remaining: Callable[[], float],
    *,
    accuracy: float = 1e-10,
    keep: int = 6,
) -> list[Iterate]:
    """The last iterates, the best last. Ends at the accuracy, where it no longer gets on, or when the time is up."""
    from threadpoolctl import threadpool_limits

    large = len(cost) >= LARGE or any(not block.diagonal and block.size >= LARGE for block in blocks)
    with threadpool_limits(limits=2 if large else 1):
        return _iterates(cost, blocks, remaining, accuracy, keep)


def _iterates(
    cost: Floats, blocks: Sequence[Block], remaining: Callable[[], float], accuracy: float, keep: int
) -> list[Iterate]:
    m = len(cost)
    order = sum(block.size for block in blocks)
    state = _start(cost, blocks)
    stalled = 0
    best = np.inf
    for _ in range(MOST_STEPS):
        mu = sum(float(np.sum(y * s)) for y, s in zip(state.y, state.s, strict=True)) / order
        left = cost - sum((_against(block, y, m) for block, y in zip(blocks, state.y, strict=True)), np.zeros(m))
        right = [_combined(block, state.x) - block.constant - s for block, s in zip(blocks, state.s, strict=True)]
        primal = float(cost @ state.x)
        dual = sum(float(np.sum(block.constant * y)) for block, y in zip(blocks, state.y, strict=True))
        scale = 1 + abs(primal) + abs(dual)
        gap = mu * order / scale
        infeasible = max(
            float(np.linalg.norm(left)) / (1 + float(np.max(np.abs(cost), initial=0.0))),
            max(float(np.linalg.norm(r)) for r in right)
            / (1 + max(float(np.max(np.abs(b.constant), initial=0.0)) for b in blocks)),
        )
        if not state.kept or gap < 0.5 * state.kept[-1].gap:  # of iterates that hardly differ the first is best centred
            state.kept.append(Iterate(state.x.copy(), tuple(state.y), tuple(state.s), gap, infeasible, primal))
            del state.kept[:-keep]
        merit = max(gap, abs(primal - dual) / scale, infeasible)
        stalled = 0 if merit < 0.9 * best else stalled + 1
        best = min(best, merit)
        if merit < accuracy or stalled > 8 or remaining() <= 0 or not np.isfinite(merit):
            break
        try:
            step = _step(cost, blocks, state, left, right, mu, order)
        except (LinAlgError, ValueError):
            break
        if step < 1e-7:
            break
    return state.kept


def restored(cost: Floats, blocks: Sequence[Block], y: Sequence[Floats], rounds: int = 3) -> tuple[Floats, ...]:
    """Multipliers nearer to ⟨F_k, Y⟩ = c_k: Y + LWLᵀ with Y = LLᵀ and W of least norm, so that what is near the
    boundary moves least. By QR, for normal equations would square the condition. Returned as they are where that does
    not help, or is too large to try."""
    m = len(cost)
    best = tuple(y)

    def off(parts: Sequence[Floats]) -> Floats:
        return cost - sum((_against(block, part, m) for block, part in zip(blocks, parts, strict=True)), np.zeros(m))

    left = off(best)
    least = float(np.linalg.norm(left))
    width = sum(block.size if block.diagonal else block.size**2 for block in blocks)
    if width * m > MOST_DENSE or least <= 1e-14 * (1 + float(np.linalg.norm(cost))):
        return best
    try:
        roots = [np.sqrt(part) if part.ndim == 1 else cholesky(part, lower=True) for part in best]
        turned = np.zeros((width, m))
        start = 0
        for block, root in zip(blocks, roots, strict=True):
            n = block.size
            for k, column in enumerate(block.touched):
                row = block.entries[k]
                if block.diagonal:
                    turned[start + row.indices, column] = row.data * root[row.indices]
                else:
                    matrix = sp.csr_matrix((row.data, (row.indices // n, row.indices % n)), shape=(n, n))
                    turned[start : start + n * n, column] = (root.T @ (matrix @ root)).ravel()
            start += n if block.diagonal else n * n
        q, r = qr(turned, mode="economic", overwrite_a=True, check_finite=False)
        for _ in range(rounds):
            w = q @ solve_triangular(r, left, trans=1)
            new, start = [], 0
            for block, part, root in zip(blocks, best, roots, strict=True):
                n = block.size
                size = n if block.diagonal else n * n
                step = w[start : start + size]
                new.append(part + root * step if block.diagonal else part + _both(root, step.reshape(n, n)))
                start += size
            trial = tuple(new)
            left = off(trial)
            norm = float(np.linalg.norm(left))
            if not norm < least:
                break
            best, least = trial, norm
    except (LinAlgError, ValueError):
        return best
    return best


def _both(root: Floats, d: Floats) -> Floats:
    """L·D·Lᵀ, symmetric."""
    product = root @ d @ root.T
    return np.asarray((product + product.T) / 2)


def _start(cost: Floats, blocks: Sequence[Block]) -> _State:
    y, s = [], []
    for block in blocks:
        norms = np.sqrt(np.asarray(block.entries.multiply(block.entries).sum(axis=1)).ravel())
        ratio = float(np.max((1 + np.abs(cost[block.touched])) / (1 + norms), initial=1.0))
        root = np.sqrt(block.size)
        large = max(float(np.max(norms, initial=0.0)), float(np.linalg.norm(block.constant)))
        first = max(10.0, root, root * ratio if not block.diagonal else ratio)
        second = max(10.0, root, large)
        unit = np.ones(block.size) if block.diagonal else np.eye(block.size)
        y.append(first * unit)
        s.append(second * unit)
    return _State(np.zeros(len(cost)), y, s)


def _combined(block: Block, x: Floats) -> Floats:
    """Σ x_k F_k of a block."""
    flat = np.asarray(block.entries.T @ x[block.touched])
    return flat if block.diagonal else flat.reshape(block.size, block.size)


def _against(block: Block, y: Floats, m: int) -> Floats:
    """⟨F_k, Y⟩ for all k."""
    total = np.zeros(m)
    total[block.touched] = block.entries @ y.ravel()
    return total


def _inverse(s: Floats) -> Floats:
    if s.ndim == 1:
        return 1 / s
    factor = cholesky(s, lower=True)
    root = solve_triangular(factor, np.eye(len(s)), lower=True)
    return np.asarray(root.T @ root)


def _times(y: Floats, r: Floats, inverse: Floats) -> Floats:
    """The symmetric part of Y·R·S⁻¹."""
    if y.ndim == 1:
        return y * r * inverse
    product = y @ r @ inverse
    return np.asarray((product + product.T) / 2)


def _step(
    cost: Floats,
    blocks: Sequence[Block],
    state: _State,
    left: Floats,
    right: list[Floats],
    mu: float,
    order: int,
) -> float:
    """One predictor–corrector step; returns the shorter of its two lengths."""
    m = len(cost)
    inverses = [_inverse(s) for s in state.s]
    system = np.zeros((m, m))
    for block, y, inverse in zip(blocks, state.y, inverses, strict=True):
        _schur(system, block, y, inverse)
    diagonal = np.diagonal(system).copy()
    scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
    system *= scale[:, None]
    system *= scale
    regular = 0.0
    while True:
        try:
            system[np.diag_indices(m)] += regular
            factor = cho_factor(system, lower=True, check_finite=False)
            break
        except LinAlgError:
            regular = max(1e-14, 100 * regular)
            if regular > 1e-6:
                raise

    def solved(rhs: Floats) -> Floats:
        answer = scale * cho_solve(factor, scale * rhs, check_finite=False)
        return np.asarray(answer)

    def direction(target: float, corrections: list[Floats] | None) -> tuple[Floats, list[Floats], list[Floats]]:
        bases = []
        for k, (y, r, inverse) in enumerate(zip(state.y, right, inverses, strict=True)):
            base = target * inverse - y - _times(y, r, inverse)
            bases.append(base if corrections is None else base - corrections[k])
        rhs = -left + sum((_against(b, base, m) for b, base in zip(blocks, bases, strict=True)), np.zeros(m))
        dx = solved(rhs)
        ds, dy = [], []
        for block, y, r, base, inverse in zip(blocks, state.y, right, bases, inverses, strict=True):
            moved = _combined(block, dx)
            ds.append(moved + r)
            dy.append(base - _times(y, moved, inverse))
        return dx, ds, dy

    dx, ds, dy = direction(0.0, None)
    along_y, along_s = _lengths(state.y, dy), _lengths(state.s, ds)
    ahead = (
        sum(
            float(np.sum((y + along_y * a) * (s + along_s * b)))
            for y, a, s, b in zip(state.y, dy, state.s, ds, strict=True)
        )
        / order
    )
    shorter = min(along_y, along_s)
    power = max(1.0, 3 * shorter**2)
    sigma = min(1.0, max(ahead, 0.0) / mu) ** power if mu > 0 else 0.0
    sigma = max(sigma, 1e-6)
    corrections = [_second(a, b, inverse) for a, b, inverse in zip(dy, ds, inverses, strict=True)]
    dx, ds, dy = direction(sigma * mu, corrections)
    along_y, along_s = _lengths(state.y, dy), _lengths(state.s, ds)
    share = 0.9 + 0.09 * min(along_y, along_s)
    along_y, along_s = min(1.0, share * along_y), min(1.0, share * along_s)
    state.x = state.x + along_s * dx
    state.s = [s + along_s * d for s, d in zip(state.s, ds, strict=True)]
    state.y = [y + along_y * d for y, d in zip(state.y, dy, strict=True)]
    return min(along_y, along_s)


def _second(dy: Floats, ds: Floats, inverse: Floats) -> Floats:
    return _times(dy, ds, inverse)


def _lengths(points: list[Floats], steps: list[Floats]) -> float:
    """How far one may go, at most a little more than 1, until a block leaves the cone."""
    most = 1.2
    for point, step in zip(points, steps, strict=True):
        if point.ndim == 1:
            down = step < 0
            if down.any():
                most = min(most, float(np.min(-point[down] / step[down])))
            continue
        factor = cholesky(point, lower=True)
        half = solve_triangular(factor, step, lower=True)
        turned = solve_triangular(factor, half.T, lower=True)
        turned = (turned + turned.T) / 2
        least = (
            float(eigh(turned, eigvals_only=True, subset_by_index=[0, 0])[0])
            if len(turned) > 1
            else float(turned[0, 0])
        )
        if least < 0:
            most = min(most, -1 / least)
    return most


def _schur(system: Floats, block: Block, y: Floats, inverse: Floats) -> None:
    """Add ⟨F_k, Y F_j S⁻¹⟩ of a block to the system."""
    touched, entries, n = block.touched, block.entries, block.size
    if block.diagonal:
        scaled = entries.multiply(y * inverse).tocsr()
        table = np.asarray((scaled @ entries.T).todense())
        system[np.ix_(touched, touched)] += table
        return
    counts = np.diff(entries.indptr).astype(np.int64)
    total = int(entries.nnz)
    rows, columns = entries.indices // n, entries.indices % n
    # Seconds, about: gathering costs 6 ns an entry, a product of dense matrices 0.2 ns a multiplication.
    gathered = counts * total * 6e-9
    inner = np.minimum(counts, 2 * n)
    multiplied = 2e-10 * n * n * inner + total * 3e-9 + 2e-5
    small = gathered <= multiplied
    starts = entries.indptr
    # All by gathering, many constraints at a time; duplicates by symmetry are not worth the trouble.
    listed = np.flatnonzero(small & (counts > 0))
    position = 0
    while position < len(listed):
        last, size = position, 0
        while last < len(listed) and (last == position or size + counts[listed[last]] * total <= CHUNK):
            size += counts[listed[last]] * total
            last += 1
        group = listed[position:last]
        at = np.concatenate([np.arange(starts[j], starts[j + 1]) for j in group])
        table = y[np.ix_(columns[at], rows)]
        table *= inverse[np.ix_(rows[at], columns)]
        table *= entries.data
        table *= entries.data[at][:, None]
        by_column = np.add.reduceat(table, starts[:-1][counts > 0], axis=1)
        offsets = np.concatenate([[0], np.cumsum(counts[group])[:-1]])
        summed = np.add.reduceat(by_column, offsets, axis=0)
        system[np.ix_(touched[group], touched[counts > 0])] += summed
        position = last
    dense = np.flatnonzero(~small)
    for first in range(0, len(dense), 32):
        group = dense[first : first + 32]
        products = np.empty((n * n, len(group)))
        for c, j in enumerate(group):
            part = slice(starts[j], starts[j + 1])
            if counts[j] < n:
                product = (y[:, rows[part]] * entries.data[part]) @ inverse[columns[part], :]
            else:
                matrix = sp.csr_matrix((entries.data[part], (rows[part], columns[part])), shape=(n, n))
                product = (matrix.T @ y.T).T @ inverse
            products[:, c] = product.ravel()
        system[np.ix_(touched[group], touched)] += (entries @ products).T
