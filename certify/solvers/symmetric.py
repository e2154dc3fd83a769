"""Embedding a symmetric metric: as many variables as classes of pairs, blocks instead of one large matrix.

Optimal weights and Gram matrices may be taken in the algebra that the classes of pairs span
(:mod:`certify.rounding.coherent`). The algebra is block-diagonal in a basis that two random elements show
(Murota, Kanno, Kojima, Kojima 2010): the eigenspaces of the first are the blocks' directions, the second tells
which of them belong together. For a distance-regular graph all blocks are numbers and the problem is a linear
programme in as many variables as the diameter (Vallentin 2008). Floats, untrusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from certify.problem import Claim
from certify.rounding.coherent import Classes, coherent_classes
from certify.solvers.answer import EmbeddingAnswer

NAME = "symmetric"
MOST_CLASSES = 1500
MOST_BLOCK = 40
SAME = 1e-7  # relative distance below which eigenvalues are one

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Block:
    """One block of the algebra: bases[a] is (n, m), and column i of all of them spans copy i of the block."""

    bases: list[Floats]

    def of(self, tables: list[Floats]) -> list[Floats]:
        """The (k, k) matrices that stand for elements of the algebra, from their products with column 0."""
        first = np.column_stack([basis[:, 0] for basis in self.bases])
        return [first.T @ table for table in tables]


def solve(
    squares: Floats,
    expand: Ints,
    *,
    remaining: Callable[[], float],
    say: Callable[[str], None] = lambda text: None,
) -> Iterator[EmbeddingAnswer]:
    """At most one answer; none if the metric has too little symmetry to gain from it."""
    n = len(squares)
    labels = np.unique(squares, return_inverse=True)[1].reshape(n, n).astype(np.int64)
    classes = coherent_classes(labels, min(MOST_CLASSES, max(12, n)))
    if classes is None or remaining() <= 0:
        return
    say(f"{classes.count} classes of pairs")
    blocks = decompose(classes)
    if blocks is None or remaining() <= 0:
        return
    answer = _optimum(squares, expand, classes, blocks, remaining)
    if answer is not None:
        yield answer


def decompose(classes: Classes) -> list[Block] | None:
    """A basis in which every element of the algebra is block-diagonal; None if no small blocks are found."""
    random = np.random.default_rng(2010)
    first, second = (random.standard_normal(classes.count)[classes.pair] for _ in range(2))
    values, vectors = np.linalg.eigh(first)
    span = float(values[-1] - values[0]) or 1.0
    cuts = np.flatnonzero(np.diff(values) > SAME * span) + 1
    spaces = np.split(np.arange(len(values)), cuts)
    coupling = np.abs(vectors.T @ second @ vectors)
    large = SAME * float(coupling.max()) * 10
    starts = [int(space[0]) for space in spaces]
    strength = np.maximum.reduceat(np.maximum.reduceat(coupling, starts, axis=0), starts, axis=1)
    left = set(range(len(spaces)))
    blocks = []
    while left:
        head = min(left)
        together = [b for b in sorted(left) if b == head or strength[head, b] > large]
        left.difference_update(together)
        if len(together) > MOST_BLOCK or any(len(spaces[b]) != len(spaces[head]) for b in together):
            return None
        base = vectors[:, spaces[head]]
        bases = [base]
        for b in together[1:]:
            space = vectors[:, spaces[b]]
            image = space @ (space.T @ (second @ base))
            bases.append(image / np.linalg.norm(image, axis=0))
        blocks.append(Block(bases))
    return blocks


def _optimum(
    squares: Floats, expand: Ints, classes: Classes, blocks: list[Block], remaining: Callable[[], float]
) -> EmbeddingAnswer | None:
    """Solve the reduced problem and write its answer on the points again."""
    n = len(squares)
    pair = classes.pair
    sizes = np.bincount(pair.ravel(), minlength=classes.count) / 2  # pairs in a class (diagonal classes are unused)
    distance = np.zeros(classes.count)
    distance[pair.ravel()] = squares.ravel()
    off = distance > 0
    near = np.unique(pair[expand[:, 0], expand[:, 1]])
    far = np.flatnonzero(off)
    columns = np.column_stack([basis[:, 0] for block in blocks for basis in block.bases])
    tables = _laplacians_times(classes, columns, far)
    matrices: list[dict[int, Floats]] = []
    start = 0
    for block in blocks:
        k = len(block.bases)
        part = slice(start, start + k)
        start += k
        of = block.of([tables[int(c)][:, part] for c in far])
        # Each class is scaled by 1/(its pairs · d²), so that its variable is a share of Σ y d².
        matrices.append({int(c): (m + m.T) / (2 * sizes[c] * distance[c]) for c, m in zip(far, of, strict=True)})
    solved = _programme(near, far, matrices, remaining)
    if solved is None:
        return None
    status, value, shares_near, shares_far, duals = solved
    points = [_points(block, dual) for block, dual in zip(blocks, duals, strict=True)]
    stacked = np.hstack([p for p in points if p.shape[1]]) if any(p.shape[1] for p in points) else None
    y_near = np.zeros(classes.count)
    y_far = np.zeros(classes.count)
    y_near[near] = shares_near / (sizes[near] * distance[near])
    y_far[far] = shares_far / (sizes[far] * distance[far])
    i, j = np.triu_indices(n, 1)
    of_pair = pair[i, j]
    sides = []
    for weights, shares in ((y_near, shares_near), (y_far, shares_far)):
        least = 1e-9 * float(np.max(shares, initial=0.0))
        used = (weights * sizes * distance)[of_pair] > least
        sides.append((np.column_stack([i[used], j[used]]).astype(np.int64), weights[of_pair[used]]))
    return EmbeddingAnswer(stacked, sides[0][0], sides[0][1], sides[1][0], sides[1][1], Claim(NAME, status, value))


def _laplacians_times(classes: Classes, columns: Floats, far: Ints) -> dict[int, Floats]:
    """L_C · columns for each class C: degree times the column, minus the sum over the class."""
    n, width = columns.shape
    order = np.argsort(classes.pair.ravel(), kind="stable")
    bounds = np.searchsorted(classes.pair.ravel()[order], np.arange(classes.count + 1))
    found = {}
    for c in far:
        cells = order[bounds[c] : bounds[c + 1]]
        rows, others = cells // n, cells % n
        # A class is regular on each row that it meets; add up by rows.
        by_row = np.argsort(rows, kind="stable")
        rows, others = rows[by_row], others[by_row]
        present, first = np.unique(rows, return_index=True)
        table = np.zeros((n, width))
        degree = np.diff(np.append(first, len(rows)))
        table[present] = degree[:, None] * columns[present] - np.add.reduceat(columns[others], first, axis=0)
        found[int(c)] = table
    return found


def _programme(
    near: Ints, far: Ints, matrices: list[dict[int, Floats]], remaining: Callable[[], float]
) -> tuple[str, float, Floats, Floats, list[Floats]] | None:
    """max Σ far shares  s.t.  Σ near shares = 1, Σ near·M − Σ far·M ⪰ 0 in each block."""
    if all(next(iter(block.values())).shape[0] == 1 for block in matrices):
        return _linear(near, far, matrices, remaining)
    return _semidefinite(near, far, matrices, remaining)


def _linear(
    near: Ints, far: Ints, matrices: list[dict[int, Floats]], remaining: Callable[[], float]
) -> tuple[str, float, Floats, Floats, list[Floats]] | None:
    from scipy.optimize import linprog

    rows = np.array([[-m[int(c)][0, 0] for c in near] + [m[int(c)][0, 0] for c in far] for m in matrices])
    scale = np.max(np.abs(rows), axis=1)
    live = scale > 1e-12 * np.max(scale)
    rows = rows[live] / scale[live, None]
    objective = np.concatenate([np.zeros(len(near)), -np.ones(len(far))])
    equality = np.concatenate([np.ones(len(near)), np.zeros(len(far))])[None, :]
    tight = {
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
        "time_limit": max(0.1, remaining()),
    }
    found = linprog(
        objective, A_ub=rows, b_ub=np.zeros(len(rows)), A_eq=equality, b_eq=[1.0], method="highs", options=tight
    )
    if found.x is None or found.ineqlin.marginals is None:
        return None
    multipliers = np.zeros(len(matrices))
    multipliers[live] = -found.ineqlin.marginals / scale[live]
    duals = [np.array([[max(0.0, float(x))]]) for x in multipliers]
    status = "optimal" if found.status == 0 else str(found.message)
    return status, -float(found.fun), found.x[: len(near)], found.x[len(near) :], duals


def _semidefinite(
    near: Ints, far: Ints, matrices: list[dict[int, Floats]], remaining: Callable[[], float]
) -> tuple[str, float, Floats, Floats, list[Floats]] | None:
    import warnings

    import cvxpy as cp

    x_near, x_far = cp.Variable(len(near), nonneg=True), cp.Variable(len(far), nonneg=True)
    constraints = [cp.sum(x_near) == 1]
    placed: list[int | None] = []
    top = max(float(np.max(np.abs(m))) for block in matrices for m in block.values())
    for block in matrices:
        k = next(iter(block.values())).shape[0]
        if max(float(np.max(np.abs(m))) for m in block.values()) < 1e-10 * top:
            placed.append(None)
            continue
        left = np.column_stack([block[int(c)].ravel() for c in near])
        right = np.column_stack([block[int(c)].ravel() for c in far])
        flat = left @ x_near - right @ x_far
        placed.append(len(constraints))
        constraints.append(flat >= 0 if k == 1 else cp.reshape(flat, (k, k), order="C") >> 0)
    problem = cp.Problem(cp.Maximize(cp.sum(x_far)), constraints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=cp.CLARABEL, time_limit=max(0.1, remaining()), accept_unknown=True)
        except cp.SolverError:
            return None
    if x_near.value is None or x_far.value is None:
        return None
    duals = []
    for block, place in zip(matrices, placed, strict=True):
        k = next(iter(block.values())).shape[0]
        dual = None if place is None else constraints[place].dual_value
        duals.append(np.zeros((k, k)) if dual is None else np.asarray(dual, dtype=float).reshape(k, k))
    return str(problem.status), float(problem.value), np.maximum(x_near.value, 0), np.maximum(x_far.value, 0), duals


def _points(block: Block, dual: Floats) -> Floats:
    """Coordinates whose Gram matrix is the element of the algebra with this block: m copies of its root."""
    values, vectors = np.linalg.eigh((dual + dual.T) / 2)
    keep = values > 1e-9 * max(1e-300, float(np.max(np.abs(values))))
    copies = block.bases[0].shape[1]
    root = vectors[:, keep] * np.sqrt(values[keep] / copies)
    parts = [sum(root[a, r] * basis for a, basis in enumerate(block.bases)) for r in range(root.shape[1])]
    return np.hstack(parts) if parts else np.zeros((block.bases[0].shape[0], 0))
