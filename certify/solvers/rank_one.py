"""A rank-one interior-point engine for optimal-distortion Euclidean embeddings. Floats, untrusted.

The problem (Linial, London, Rabinovich, *The geometry of graphs and some of its algorithmic
applications*, Combinatorica 15, 1995).  With a_p = v_p/d_p for a pair p, so that <a_p a_pᵀ, G> is the
ratio (embedded distance / distance)²:

    min t        G ⪰ 0,  <a_p a_pᵀ, G> − s_p = 1   (p in P, contraction),   s ≥ 0
                         <a_e a_eᵀ, G> + s_e = t   (e in E, expansion)
    max Σ_P y_p  Z = Σ_E y_e a_e a_eᵀ − Σ_P y_p a_p a_pᵀ ⪰ 0,   Σ_E y_e = 1,   y ≥ 0.

Write σ = +1 on E and −1 on P, b the indicator of E, c that of P: then s + σ<aaᵀ,G> = tb − c and
Z = Σ σ y aaᵀ, for both kinds of row at once.

*A step.*  Newton's method on G Z = μI, s·y = μ in the Nesterov–Todd scaling (Nesterov, Todd 1997/98; the
family of directions: Helmberg, Rendl, Vanderbei, Wolkowicz 1996; Kojima, Shindoh, Hara 1997; Monteiro
1997), with Mehrotra's predictor and corrector.  G = LLᵀ and Z = RRᵀ are kept as factors: with the
singular values RᵀL = U Λ Vᵀ, T = L V Λ^-½ has TᵀZT = Λ = T⁻¹GT⁻ᵀ, and T⁻ᵀ = R U Λ^-½ costs no inverse.  As every
constraint has rank one, with ã = Tᵀa the Schur complement is an entrywise square of one Gram matrix,

    H_ij = σ_i σ_j (ã_iᵀ ã_j)² + δ_ij s_i/y_i,       H dy + b dt = h,   bᵀdy = β,

so a step costs one syrk and one Cholesky factorization of size |E| + |P|.  (HKM has ã from two different
factors, the entrywise product of two Gram matrices: twice the work.)

*Three changes of variables* make it robust.  (1) Points are sums of steps along a minimum spanning tree, each
step in units of its own length: x = B u.  Every entry of a_p is then at most 1 whatever the spread of the
distances.  (2) Points with equal distances to all others (twins: leaves of a star, parts of a multipartite
graph) may be taken to form a regular simplex of squared side τ_c about their centroid, because averaging a solution
over swaps of twins keeps it optimal.  A pair of classes then has squared distance ‖z_c − z_c'‖² + κ_c τ_c +
κ_c' τ_c' with κ = (k−1)/2k: a linear cone τ ≥ 0 beside G; otherwise a star would need all its n²/2 pairs.
(3) Rows are ratios, so every right-hand side is 1 or t.

*Outer rounds.*  Rows start as a small set and are added as they are violated, contraction and expansion
alike; early rounds are loose, the last is tight; each starts from the interior point the round before it
left.  After each round an answer is yielded that a caller may turn into proven bounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, svd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, minimum_spanning_tree
from scipy.spatial.distance import pdist

from certify.problem import Claim
from certify.solvers.answer import EmbeddingAnswer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NAME = "rank-one interior point"
FIRST_GAP = 0.1  # relative gap of the first outer round
MOST_ROUNDS = 60
MOST_STEPS = 60  # Newton steps in one round; a healthy round takes 5 to 20
EPSILON = float(np.finfo(np.float64).eps)


def _silent(text: str) -> None:
    """Say nothing."""


# ---------------------------------------------------------------------------------------------- the metric


def _twin_classes(squared: Floats) -> Ints:
    """Label points so that equal labels mean equal distances to all other points, hence equal ones among themselves."""
    n = len(squared)
    labels = np.full(n, -1, dtype=np.int64)
    ordered = np.sort(squared, axis=1)
    classes = 0
    for point in range(n):
        if labels[point] >= 0:
            continue
        candidates = np.flatnonzero((labels < 0) & (ordered == ordered[point]).all(axis=1))
        differ = squared[candidates] != squared[point]
        differ[:, point] = False
        differ[np.arange(len(candidates)), candidates] = False
        labels[candidates[~differ.any(axis=1)]] = classes
        classes += 1
    if classes == 1:  # everything is twins: keep one point apart, so that there is a cone G at all
        labels[1:] = 1
    return labels


class _Metric:
    """The distances modulo twins: classes, pairs of classes (i < j) and pairs inside a class (i = j)."""

    def __init__(self, squared: Floats) -> None:
        self.labels = _twin_classes(squared)
        first = np.unique(self.labels, return_index=True)[1]
        self.size = np.bincount(self.labels)
        count = len(first)
        self.members = [np.flatnonzero(self.labels == label) for label in range(count)]
        self.fat = np.flatnonzero(self.size > 1)
        self.side = np.array([squared[self.members[c][0], self.members[c][1]] for c in self.fat])
        between = squared[np.ix_(first, first)]
        i, j = np.triu_indices(count, 1)
        self.cross = len(i)
        self.i, self.j = np.concatenate((i, self.fat)), np.concatenate((j, self.fat))
        self.squared = np.concatenate((between[i, j], self.side))
        self.length = np.sqrt(self.squared)
        self.orbit = np.concatenate((self.size[i] * self.size[j], self.size[self.fat] * (self.size[self.fat] - 1) // 2))
        self.tree, self.basis = _tree(np.sqrt(between))
        # κ_c τ_c' in units of the side: centroid to member of a regular simplex
        self.radius = np.zeros((count, len(self.fat)))
        self.radius[self.fat, np.arange(len(self.fat))] = (1 - 1 / self.size[self.fat]) / 2 * self.side
        self.tree = self.index(self.tree)

    def index(self, pairs: Ints) -> Ints:
        """The number of a pair of classes."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        count = len(self.size)
        inside = self.cross + np.searchsorted(self.fat, low)
        return np.where(low == high, inside, low * count - low * (low + 1) // 2 + high - low - 1)

    def vectors(self, rows: Ints) -> Floats:
        """The columns a_p in tree coordinates."""
        vectors: Floats = ((self.basis[self.i[rows]] - self.basis[self.j[rows]]) / self.length[rows, None]).T
        return np.ascontiguousarray(vectors)

    def simplex_parts(self, rows: Ints) -> Floats:
        """What a unit of each τ adds to the ratio of each row."""
        parts = (self.radius[self.i[rows]] + self.radius[self.j[rows]]) / self.squared[rows, None]
        inside = np.flatnonzero(rows >= self.cross)
        parts[inside] = 0
        parts[inside, rows[inside] - self.cross] = 1
        return parts

    def ratios(self, factor: Floats, tau: Floats) -> Floats:
        """(embedded/given)² for every pair, when G = factor factorᵀ."""
        embedded = pdist(self.basis @ factor, "sqeuclidean")
        extra = self.radius @ tau
        embedded += extra[self.i[: self.cross]] + extra[self.j[: self.cross]]
        return np.concatenate((embedded, tau * self.side)) / self.squared

    def points(self, factor: Floats, tau: Floats) -> Floats:
        """Coordinates of the points themselves: the class centres, and a simplex about each."""
        blocks = [(self.basis @ factor)[self.labels]]
        for c, side in zip(self.fat, np.sqrt(tau * self.side / 2), strict=True):
            block = np.zeros((len(self.labels), self.size[c]))
            block[self.members[c]] = side * (np.eye(self.size[c]) - 1 / self.size[c])
            blocks.append(block)
        return np.hstack(blocks)

    def spread(self, rows: Ints, weights: Floats) -> tuple[Ints, Floats]:
        """Weights of rows (sum over y) as weights w on the pairs of points: Σ w v vᵀ = Σ y a aᵀ on symmetric maps."""
        pairs, values = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
        single = (self.orbit[rows] == 1) & (rows < self.cross)
        one = np.stack([np.array([self.members[c][0] for c in ends], dtype=np.int64).reshape(-1)
                        for ends in (self.i[rows[single]], self.j[rows[single]])], axis=1)
        pairs.append(np.sort(one, axis=1))
        values.append(weights[single] / self.squared[rows[single]])
        for row, weight in zip(rows[~single], weights[~single], strict=True):
            left, right = self.members[self.i[row]], self.members[self.j[row]]
            if row >= self.cross:
                upper = np.triu_indices(len(left), 1)
                grid = np.stack((left[upper[0]], left[upper[1]]), axis=1)
            else:
                grid = np.stack(np.meshgrid(left, right, indexing="ij"), axis=-1).reshape(-1, 2)
            pairs.append(np.sort(grid, axis=1))
            values.append(np.full(len(grid), weight / self.squared[row] / len(grid)))
        return np.concatenate(pairs), np.concatenate(values)


def _tree(distances: Floats) -> tuple[Ints, Floats]:
    """A minimum spanning tree, its edges (k, 2), and the matrix B of x = B u: u_e is the step along e over its length."""
    n = len(distances)
    # Ties (all edges of a graph) are broken towards a central point: a shallow tree keeps B well conditioned.
    centre = int(np.argmin(distances.max(axis=1)))
    depth = distances[centre] / max(distances[centre].max(), np.finfo(float).tiny)
    tree = minimum_spanning_tree(csr_array(distances * (1 + 1e-9 * (depth[:, None] + depth[None, :]))))
    order, before = breadth_first_order(tree, centre, directed=False)
    basis = np.zeros((n, n - 1))
    for column, child in enumerate(order[1:]):
        parent = before[child]
        basis[child] = basis[parent]
        basis[child, column] = distances[parent, child]
    edges = np.stack((before[order[1:]], order[1:]), axis=1).astype(np.int64)
    return edges, basis


# ---------------------------------------------------------------------------------- one interior-point path


@dataclass(frozen=True)
class _Iterate:
    """An interior point: G = LLᵀ, Z = RRᵀ, the cone of simplex sides (tau, zeta), slacks s, weights y, bound t."""

    left: Floats
    right: Floats
    tau: Floats
    zeta: Floats
    slack: Floats
    weight: Floats
    bound: float

    @property
    def mu(self) -> float:
        """The mean complementarity product."""
        cone = float(np.vdot(self.right.T @ self.left, self.right.T @ self.left))
        return (cone + float(self.tau @ self.zeta) + float(self.slack @ self.weight)) / self.degree

    @property
    def degree(self) -> int:
        """Number of complementarity products."""
        return len(self.left) + len(self.tau) + len(self.slack)


@dataclass(frozen=True)
class _Rows:
    """The pairs in the model, with sign +1 (expansion) or −1 (contraction), and their vectors."""

    pairs: Ints
    sign: Floats
    vectors: Floats
    parts: Floats

    @classmethod
    def of(cls, metric: _Metric, pairs: Ints, sign: Floats) -> _Rows:
        return cls(pairs, sign, metric.vectors(pairs), metric.simplex_parts(pairs))

    def dual(self, weight: Floats) -> tuple[Floats, Floats]:
        """Z = Σ σ y a aᵀ, and its linear part."""
        signed = self.sign * weight
        return (self.vectors * signed) @ self.vectors.T, self.parts.T @ signed


@dataclass(frozen=True)
class _Progress:
    """What one Newton step saw before it moved, and how far it moved."""

    gap: float
    primal: float
    dual: float
    length: float


def _factor(matrix: Floats) -> Floats | None:
    """The lower Cholesky factor, or None."""
    factor, info = lapack.dpotrf(matrix, lower=1, clean=1)
    return factor if info == 0 and np.isfinite(factor).all() else None


def _length(lam: Floats, step: Floats) -> float:
    """The largest α with Λ + α·step ⪰ 0."""
    root = np.sqrt(lam)
    lowest = float(np.linalg.eigvalsh(step / root[:, None] / root[None, :])[0])
    return 1 / max(-lowest, EPSILON)


def _linear_length(value: Floats, step: Floats) -> float:
    """The largest α with value + α·step ≥ 0."""
    return 1 / max(float((-step / value).max(initial=0)), EPSILON)


class _Broken(Exception):
    """Doubles allow no further step from this iterate."""


def _split(scale: Floats) -> tuple[Floats, int, float]:
    """An orthogonal V with T V = orthogonal columns, largest first; how many are large; the spread of W = TTᵀ."""
    values, turn = np.linalg.eigh(scale.T @ scale)
    values, turn = values[::-1], turn[:, ::-1]
    if values[-1] <= 0:
        raise _Broken
    return turn, int((values > np.sqrt(values[0] * values[-1])).sum()), float(values[0])


class _Cholesky:
    """H = (ãᵀã)² + ff' + diag."""

    def __init__(self, a: Floats, f: Floats, diagonal: Floats) -> None:
        self.a = a
        self.schur = a.T @ a
        self.schur *= self.schur
        if f.shape[1]:
            self.schur += f @ f.T
        entries = np.einsum("ii->i", self.schur)
        entries += diagonal
        for shift in (0.0, 1e-15, 1e-13, 1e-11):
            trial = self.schur + np.diag(shift * entries) if shift else self.schur
            self.chol, info = lapack.dpotrf(trial.T, lower=1, clean=0)
            if info == 0:
                return
        raise _Broken

    def solve(self, right: Floats, k: Floats) -> tuple[Floats, None]:
        right = right + np.einsum("ki,ki->i", k @ self.a, self.a)
        found = lapack.dpotrs(self.chol, right, lower=1)[0]
        found += lapack.dpotrs(self.chol, right - self.schur @ found, lower=1)[0]
        return found, None


class _Augmented:
    def __init__(self, a: Floats, f: Floats, diagonal: Floats, turn: Floats, large: int) -> None:
        self.turn, self.large = turn, large
        self.a = turn.T @ a
        big, small = self.a[:large], self.a[large:]
        gram, rest = big.T @ big, small.T @ small
        i, j = np.triu_indices(large)
        self.i, self.j = i, j
        self.factor = np.where(i == j, 1.0, np.sqrt(2.0))
        k = big[i] * big[j] * self.factor[:, None]
        self.c = float(abs(k).max(initial=1e-300))
        k /= self.c
        m, p = a.shape[1], len(i)
        matrix = np.zeros((m + p, m + p))
        matrix[:m, :m] = -(rest * (rest + 2 * gram) + f @ f.T)
        matrix[np.arange(m), np.arange(m)] -= diagonal
        matrix[m:, :m] = k
        matrix[:m, m:] = k.T
        matrix[np.arange(m, m + p), np.arange(m, m + p)] = self.c**-2
        self.matrix = matrix
        self.m = m
        self.ldl, self.pivots, info = lapack.dsytrf(matrix, lower=1, lwork=64 * (m + p))
        if info != 0:
            raise _Broken

    def solve(self, right: Floats, k: Floats) -> tuple[Floats, Floats]:
        k = self.turn.T @ k @ self.turn
        block = k[: self.large, : self.large][self.i, self.j] * self.factor
        k[: self.large, : self.large] = 0
        h = np.concatenate((-(right + np.einsum("ki,ki->i", k @ self.a, self.a)), block / self.c))
        found = lapack.dsytrs(self.ldl, self.pivots, h, lower=1)[0]
        for _ in range(REFINE):
            found += lapack.dsytrs(self.ldl, self.pivots, h - self.matrix @ found, lower=1)[0]
        return found[: self.m], found[self.m :] / self.c

    def put(self, dg: Floats, large: Floats) -> Floats:
        dg = self.turn.T @ dg @ self.turn
        values = large / self.factor
        dg[self.i, self.j] = values
        dg[self.j, self.i] = values
        return self.turn @ dg @ self.turn.T

REFINE = 2
AUGMENT = 1e4

def _newton(rows: _Rows, at: _Iterate) -> tuple[_Iterate, _Progress]:
    """One predictor-corrector step."""
    sign, y, s, t = rows.sign, at.weight, at.slack, at.bound
    expands = (sign > 0).astype(np.float64)
    contracts = 1 - expands

    u, lam, vt = svd(at.right.T @ at.left, check_finite=False)
    root = np.sqrt(lam)
    if not root.min() > 0:
        raise _Broken
    scale = at.left @ (vt.T / root)  # T
    a = scale.T @ rows.vectors
    w = np.sqrt(at.tau / at.zeta)
    f, line = rows.parts * w, np.sqrt(at.tau * at.zeta)

    turn, large, c = _split(scale)
    if c * c > AUGMENT:
        system: _Cholesky | _Augmented = _Augmented(a, f, s / y, turn, large)
    else:
        system = _Cholesky(a, f, s / y)

    ratio = lam @ (a * a) + f @ line
    primal = t * expands - contracts - s - sign * ratio
    sum_rest = 1 - float(y @ expands)
    border, border_large = system.solve(expands, np.zeros_like(lam[:, None] * lam))

    def direction(k: Floats, k_line: Floats, centre: Floats) -> tuple[Floats, ...]:
        """dG, dZ, dτ, dζ (scaled), ds, dy, dt with dG + dZ = k, y ds + s dy = centre."""
        h = sign * (centre / y - primal) + f @ k_line
        q, dg_large = system.solve(h, k)
        dt = (float(expands @ q) - sum_rest) / float(expands @ border)
        q -= dt * border
        dz, dzeta = (a * q) @ a.T, f.T @ q
        dg, dtau = k - dz, k_line - dzeta
        if dg_large is not None:
            dg = system.put(dg, dg_large - dt * border_large)
        ds = primal - sign * (np.einsum("ki,ki->i", dg @ a, a) + f @ dtau) + dt * expands
        return dg, dz, dtau, dzeta, ds, sign * q, np.float64(dt)

    def lengths(move: tuple[Floats, ...]) -> tuple[float, float]:
        dg, dz, dtau, dzeta, ds, dy, _ = move
        return (
            min(_length(lam, dg), _linear_length(line, dtau), _linear_length(s, ds)),
            min(_length(lam, dz), _linear_length(line, dzeta), _linear_length(y, dy)),
        )

    def product(move: tuple[Floats, ...], p: float, d: float) -> float:
        dg, dz, dtau, dzeta, ds, dy, _ = move
        total = lam @ lam + p * (lam @ np.diag(dg)) + d * (lam @ np.diag(dz)) + p * d * np.vdot(dg, dz)
        return float(total + (line + p * dtau) @ (line + d * dzeta) + (s + p * ds) @ (y + d * dy))

    mu = (float(lam @ lam + line @ line + s @ y)) / at.degree
    predictor = direction(-np.diag(lam), -line, -s * y)
    p, d = (min(1.0, length) for length in lengths(predictor))
    target = max(product(predictor, p, d) / at.degree / mu, 0.0) ** (3 if min(p, d) > 0.1 else 1) * mu
    dg, dz, dtau, dzeta, ds, dy, _ = predictor
    k = (target * np.eye(len(lam)) - np.diag(lam**2) - (dg @ dz + dz @ dg) / 2) * (2 / (lam[:, None] + lam[None, :]))
    move = direction(k, (target - line**2 - dtau * dzeta) / line, target - s * y - ds * dy)
    if not all(np.isfinite(part).all() for part in move):
        raise _Broken
    back = 0.9 + 0.09 * min(p, d)
    p, d = (min(1.0, back * length) for length in lengths(move))
    dg, dz, dtau, dzeta, ds, dy, dt = move

    def moved(step: Floats, length: float) -> tuple[Floats, float]:
        """The factor of Λ + length·step; rounding may ask for a shorter length."""
        for _ in range(6):
            factor = _factor(np.diag(lam) + length * (step + step.T) / 2)
            if factor is not None:
                return factor, length
            length *= 0.7
        raise _Broken

    left, p = moved(dg, p)
    for _ in range(8):
        z, zeta = rows.dual(y + d * dy)
        right = _factor(z)
        if right is not None and (zeta > 0).all():
            break
        d *= 0.7
    else:
        raise _Broken
    after = _Iterate(
        scale @ left, right, at.tau + p * w * dtau, zeta,
        s + p * ds, y + d * dy, t + p * float(dt),
    )
    if not all(np.isfinite(part).all() for part in (after.left, after.right)) or min(
        after.slack.min(), after.weight.min(), after.tau.min(initial=1), after.zeta.min(initial=1)) <= 0:
        raise _Broken
    seen = _Progress(
        (t - float(y @ contracts)) / t, float(abs(primal).max()) / t, c, min(p, d),
    )
    return after, seen


def _start(rows: _Rows) -> _Iterate:
    """A strictly feasible pair: equal weights on E, weights on P small enough, and G ∝ Z⁻¹."""
    expands = rows.sign > 0
    weight = np.where(expands, 1 / expands.sum(), 0.0)
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if right is None:
        raise _Broken
    inverse = lapack.dtrtri(right, lower=1)[0]
    flat = inverse @ rows.vectors[:, ~expands]
    load = float(np.linalg.eigvalsh(flat @ flat.T)[-1])
    load = max(load, float((rows.parts[~expands].sum(axis=0) / np.where(zeta > 0, zeta, 1)).max(initial=0)))
    weight[~expands] = 0.5 / load
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if right is None:
        raise _Broken
    left, tau = lapack.dtrtri(right, lower=1)[0].T, 1 / zeta
    ratio = ((left.T @ rows.vectors) ** 2).sum(axis=0) + rows.parts @ tau
    scale = 2 / ratio[~expands].min()
    left, tau, ratio = left * np.sqrt(scale), tau * scale, ratio * scale
    bound = 1.5 * ratio[expands].max()
    slack = np.where(expands, bound - ratio, ratio - 1)
    return _Iterate(left, right, tau, zeta, slack, weight, float(bound))


def _warm(rows: _Rows, at: _Iterate, known: int) -> _Iterate:
    """Back from ``at`` (an iterate of the first ``known`` rows) into the interior of all rows.

    G moves towards the cold start until every row has slack, the weights by as much as that costs.
    """
    cold = _start(rows)
    expands = rows.sign > 0
    ratio = ((at.left.T @ rows.vectors) ** 2).sum(axis=0) + rows.parts @ at.tau
    other = ((cold.left.T @ rows.vectors) ** 2).sum(axis=0) + rows.parts @ cold.tau
    choices = np.concatenate(((0.0,), 10.0 ** np.arange(-8, 4.1, 0.25)))
    costs = [float((ratio + b * other)[expands].max() / (ratio + b * other)[~expands].min()) for b in choices]
    best = int(np.argmin(costs))
    mix = choices[best]
    room = max(costs[best] / float(at.weight[~expands[:known]].sum()) - 1, 1e-12)
    if room > TOOFAR:
        return cold
    ratio = ratio + mix * other
    scale = (1 + EXTRA * room) / float(ratio[~expands].min())
    bound = float(ratio[expands].max()) * scale * (1 + EXTRA * room)
    left: Floats | None = at.left
    if mix > 0:
        left = _factor(at.left @ at.left.T + mix * cold.left @ cold.left.T)
        if left is None:
            return cold
    left = left * np.sqrt(scale)
    tau = (at.tau + mix * cold.tau) * scale
    slack = np.where(expands, bound - scale * ratio, scale * ratio - 1)
    share = min(DSHARE * room, 0.5)
    weight = share * cold.weight
    weight[:known] += (1 - share) * at.weight
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if right is None or slack.min() <= 0:
        return cold
    return _Iterate(left, right, tau, zeta, slack, weight, bound)

EXTRA = 0.3
DSHARE = 0.3
TOOFAR = 5.0

# ------------------------------------------------------------------------------------------------- the engine


@dataclass(frozen=True)
class _Measured:
    """An iterate as a caller will see it after rounding."""

    upper: float
    lower: float
    ratios: Floats
    points: Floats
    rows: _Rows
    weight: Floats


def _measure(metric: _Metric, rows: _Rows, at: _Iterate) -> _Measured:
    """Upper bound over all pairs from the points; lower bound after adding ε · L_w makes Z feasible."""
    ratios = metric.ratios(at.left, at.tau)
    upper = float(ratios.max() / ratios.min())
    expands = rows.sign > 0
    weight = np.maximum(at.weight, 0) / at.weight[expands].sum()
    z, zeta = rows.dual(weight)
    laplacian, line = rows.dual(np.where(expands, 1 / expands.sum(), 0.0))
    root = _factor(laplacian)
    lower = 0.0
    if root is not None:
        inverse = lapack.dtrtri(root, lower=1)[0]
        lowest = min(float(np.linalg.eigvalsh(inverse @ z @ inverse.T)[0]), float((zeta / line).min(initial=0)))
        lower = float(weight[~expands].sum()) / (1 + max(-lowest, 0.0))
    return _Measured(upper, lower, ratios, metric.points(at.left, at.tau), rows, weight)


def _violated(metric: _Metric, amount: Floats, present: Ints, most: int, cap: int) -> Ints:
    """The most violated pairs not yet in the model, at most ``cap`` about a point and ``most`` in all."""
    amount = amount.copy()
    amount[present] = 0
    found = np.flatnonzero(amount > 0)
    found = found[np.argsort(-amount[found], kind="stable")]
    used = np.zeros(len(metric.size), dtype=np.int64)
    kept: list[int] = []
    for pair in found:
        i, j = metric.i[pair], metric.j[pair]
        if used[i] < cap or used[j] < cap:
            used[i] += 1
            used[j] += 1
            kept.append(int(pair))
            if len(kept) == most:
                break
    return np.array(kept, dtype=np.int64)


def solve(
    squared_distances: Floats,
    expandable: Ints,
    *,
    remaining: Callable[[], float],
    tolerance: float = 1e-9,
    say: Callable[[str], None] = _silent,
) -> Iterator[EmbeddingAnswer]:
    """Embed with least distortion; an answer after every outer round, the last one the best."""
    squared = np.asarray(squared_distances, dtype=np.float64)
    if len(squared) < 2:
        return
    metric = _Metric(squared)
    for found in rounds(metric, expandable, remaining, tolerance, say):
        yield _answer(metric, found)


def _answer(metric: _Metric, found: _Measured) -> EmbeddingAnswer:
    keep = found.weight > 0
    expands = found.rows.sign > 0
    expand, expand_weights = metric.spread(found.rows.pairs[keep & expands], found.weight[keep & expands])
    contract, contract_weights = metric.spread(found.rows.pairs[keep & ~expands], found.weight[keep & ~expands])
    gap = 1 - found.lower / found.upper
    claim = Claim(NAME, f"relative gap {gap:.1e} over all pairs", found.upper)
    return EmbeddingAnswer(found.points, expand, expand_weights, contract, contract_weights, claim)


def rounds(
    metric: _Metric, expandable: Ints, remaining: Callable[[], float], tolerance: float, say: Callable[[str], None],
) -> Iterator[_Measured]:
    """The outer rounds."""
    expand = np.unique(np.concatenate((metric.tree, metric.index(metric.labels[np.asarray(expandable)]))))
    count = len(metric.size)
    far = np.full((count, count), -1.0)
    far[metric.i, metric.j] = far[metric.j, metric.i] = metric.squared
    # ties are broken at random (always the same way), so that equal pairs are chosen evenly
    blur = np.random.default_rng(0).random(len(metric.squared))
    noise = np.zeros((count, count))
    noise[metric.i, metric.j] = noise[metric.j, metric.i] = blur
    isexp = np.zeros(len(metric.squared), dtype=bool)
    isexp[expand] = True
    near = np.full((count, count), np.inf)
    near[metric.i, metric.j] = near[metric.j, metric.i] = np.where(isexp, np.inf, metric.squared)
    orderf = np.lexsort((noise, -far), axis=1)
    ordern = np.lexsort((noise, near), axis=1)
    chosen = [np.unique(metric.index(np.stack((np.arange(count), orderf[:, k]), axis=1))) for k in range(min(FARK, count - 1))]
    chosen += [np.unique(metric.index(np.stack((np.arange(count), ordern[:, k]), axis=1))[np.isfinite(near[np.arange(count), ordern[:, k]])]) for k in range(min(NEARK, count - 1))]
    contract = np.unique(np.concatenate(chosen))
    rows = _Rows.of(
        metric, np.concatenate((expand, contract)),
        np.concatenate((np.ones(len(expand)), -np.ones(len(contract)))),
    )
    at = _start(rows)
    goal = FIRST_GAP
    total=0
    for number in range(MOST_ROUNDS):
        steps = 0
        history = []
        stalled = False
        try:
            while steps < MOST_STEPS and remaining() > 0:
                before = at
                at, seen = _newton(rows, at)
                history.append((seen.gap, before))
                steps += 1
                if DEBUG>1: print("   ", steps, "gap %.2e primal %.1e dual %.1e len %.3f" % (seen.gap, seen.primal, seen.dual, seen.length))
                if seen.gap < goal and seen.primal < goal:
                    break
                if steps > STALL and 1e-3 > seen.gap > 0.7 * history[-STALL][0]:
                    stalled = True
                    break
        except _Broken:
            stalled = True
            if DEBUG: print('broken')
        total += steps
        measured = _measure(metric, rows, at)
        say(f"round {number + 1}: {len(rows.pairs)} rows, {steps} steps, distortion² in [{measured.lower:.12g}, {measured.upper:.12g}] gap {1-measured.lower/measured.upper:.2e} last {seen} total {total}")
        yield measured
        if measured.upper - measured.lower <= 3e-9 * measured.upper:
            break
        least = 0.1 * goal
        short = _violated(metric, np.where(measured.ratios < 1 - least, 1 - measured.ratios, 0), rows.pairs[rows.sign < 0], MUCH * count, CAP)
        long = _violated(metric, np.where(measured.ratios > at.bound * (1 + least), measured.ratios / at.bound - 1, 0), rows.pairs[rows.sign > 0], MUCH * count, CAP)
        worst = max(1 - measured.ratios.min(), measured.ratios.max() / at.bound - 1)
        goal = max(min(FIRST_GAP, GW*worst), tolerance) if len(short) + len(long) else max(min(goal*0.1, GW*worst), tolerance)
        if stalled and not len(short) + len(long): break
        if len(short) + len(long):
            known = len(rows.pairs)
            rows = _Rows.of(metric, np.concatenate((rows.pairs, short, long)), np.concatenate((rows.sign, -np.ones(len(short)), np.ones(len(long)))))
            at = _warm(rows, at, known)

DEBUG = 0
BACK = 1.0
COLD = 0.3
FARK, NEARK, MUCH, CAP = 2, 2, 3, 6
STALL=6
GW=0.1
