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

so a step costs one Gram matrix and one Cholesky factorization of size |E| + |P|.  (HKM has two different
factors, hence the entrywise product of two Gram matrices: twice the work.)

*The last digits.*  On the range of the optimal G the entries of H grow like 1/μ while its small eigenvalues
shrink like μ, so plain Cholesky stops helping at a gap near 1e-7.  Then that block of dG is kept as an unknown of its
own: with the eigenvectors of W = TTᵀ split into large (R) and small, K the matrix of the svec(ã_R ã_Rᵀ) and
H' = H − KᵀK, which is bounded,

    [ −H'  Kᵀ ] [ σ dy ]   [ ⋆ ]
    [  K   I  ] [ dG_R ] = [ ⋆ ]      (quasi-definite; Bunch–Kaufman LDLᵀ after scaling K by its largest entry)

imposes the primal equations directly, and gaps of 1e-10 are ordinary.

*Three changes of variables* make it robust.  (1) Points are sums of steps along a minimum spanning tree, each
step in units of its own length: x = B u.  Every entry of a_p is then at most 1 whatever the spread of the
distances.  (2) Points with equal distances to all others (twins: leaves of a star, parts of a multipartite
graph) may be taken to form a regular simplex of squared side τ_c about their centroid, because averaging a solution
over swaps of twins keeps it optimal.  A pair of classes then has squared distance ‖z_c − z_c'‖² + κ_c τ_c +
κ_c' τ_c' with κ = (k−1)/2k: a linear cone τ ≥ 0 beside G; otherwise a star would need all its n²/2 pairs.
(3) Rows are ratios, so every right-hand side is 1 or t.

*Outer rounds.*  Rows start as a small set and are added as they are violated, contraction and expansion
alike; idle ones are dropped, each at most once; early rounds are loose, the last is tight.  Every iterate
is strictly feasible on both sides (Z is always formed from y): a round starts from the iterate before it,
moved towards a cold start until all new rows have slack.  After each round an answer is yielded that a
caller may turn into proven bounds.

Matrix products go through SciPy's BLAS, as the factorizations do: NumPy brings a copy of its own, and the
threads of two copies that wait for each other on few cores cost far more than they save.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, eigh, eigvalsh, lapack, svd
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
MOST_STEPS = 60  # Newton steps in one round; a healthy round takes 3 to 12
PATIENCE = 6  # steps in which the gap must fall by a third, once it is small
MOST_A_POINT, MOST_A_ROUND = 6, 3  # rows added in a round, about one point and per point
MANY = 5  # expandable pairs per point beyond which they too are added by violation
IDLE = (
    0.3  # a contraction row is idle with less than this share of the mean weight, and of the worst violation as slack
)
EARLY = 0.1  # violation below which no row is dropped any more: late additions must not chase late removals
FAR = 5.0  # relative loss beyond which a cold start is better than a warm one
ROOM = 0.3  # share of that loss by which slacks and weights move into the interior
AUGMENT = 1e5  # largest eigenvalue of the scaling W from which the augmented system is used
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
        self.given = squared
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
        edges, self.basis = _tree(np.sqrt(between))
        # κ_c times the squared side: squared distance from the centroid to a member, when τ_c is in units of that
        self.radius = np.zeros((count, len(self.fat)))
        self.radius[self.fat, np.arange(len(self.fat))] = (1 - 1 / self.size[self.fat]) / 2 * self.side
        self.tree = self.index(edges)
        # scales of tree steps, numbered from the smallest; a new one begins where lengths jump by 1e5
        steps = self.length[self.tree]
        order = np.argsort(steps, kind="stable")
        self.scales = np.zeros(len(steps), dtype=np.int64)
        self.scales[order[1:]] = np.cumsum(steps[order[1:]] > 1e5 * steps[order[:-1]])
        self.wild = bool(steps.max() > 1e6 * steps.min())
        self.all_vectors = self.vectors(np.arange(self.cross)) if self.wild else np.empty((0, 0))

    def index(self, pairs: Ints) -> Ints:
        """The number of a pair of classes."""
        low, high = pairs.min(axis=1), pairs.max(axis=1)
        count = len(self.size)
        inside = self.cross + np.searchsorted(self.fat, low)
        across: Ints = low * count - low * (low + 1) // 2 + high - low - 1
        return np.where(low == high, inside, across)

    def vectors(self, rows: Ints) -> Floats:
        """The columns a_p in tree coordinates."""
        return np.ascontiguousarray(((self.basis[self.i[rows]] - self.basis[self.j[rows]]) / self.length[rows, None]).T)

    def simplex_parts(self, rows: Ints) -> Floats:
        """What a unit of each τ adds to the ratio of each row."""
        parts: Floats = (self.radius[self.i[rows]] + self.radius[self.j[rows]]) / self.squared[rows, None]
        inside = np.flatnonzero(rows >= self.cross)
        parts[inside] = 0
        parts[inside, rows[inside] - self.cross] = 1
        return parts

    def ratios(self, factor: Floats, tau: Floats) -> Floats:
        """(embedded/given)² for every pair, when G = factor factorᵀ."""
        if self.wild:  # differences of coordinates would lose the small distances: sum the steps between the ends
            embedded = (_times(self.all_vectors.T, factor) ** 2).sum(axis=1) * self.squared[: self.cross]
        else:
            embedded = pdist(_times(self.basis, factor), "sqeuclidean")
        extra = self.radius @ tau
        embedded += extra[self.i[: self.cross]] + extra[self.j[: self.cross]]
        found: Floats = np.concatenate((embedded, tau * self.side)) / self.squared
        return found

    def apart(self, factor: Floats) -> Floats | None:
        """Make steps of different scales orthogonal: a change of at most 1e-5 that keeps small steps in doubles."""
        g = _times(factor, factor.T)
        g[self.scales[:, None] != self.scales[None, :]] = 0
        return _factor(g)

    def points(self, factor: Floats, tau: Floats, turn: bool = True) -> Floats:
        """Coordinates of the points, on principal axes if they may turn: the class centres, a simplex about each."""
        blocks = [_times(self.basis, factor)[self.labels]]
        for c, side in zip(self.fat, np.sqrt(tau * self.side / 2), strict=True):
            block = np.zeros((len(self.labels), self.size[c]))
            block[self.members[c]] = side * (np.eye(self.size[c]) - 1 / self.size[c])
            blocks.append(block)
        points = np.hstack(blocks)
        if not turn:
            return points
        points -= points.mean(axis=0)
        try:
            u, sigma, _ = svd(points, full_matrices=False, check_finite=False)
        except np.linalg.LinAlgError:
            return points
        # an axis is left out if it changes no squared distance by more than 1e-12 of the smallest
        tail = np.cumsum(sigma[::-1] ** 2)[::-1]
        axes = max(int((2 * tail > 1e-12 * self.squared.min()).sum()), 1)
        return np.ascontiguousarray((u * sigma)[:, :axes])

    def distortion(self, points: Floats) -> float:
        """Distortion² of points over all pairs; infinite if two of them coincide."""
        i, j = np.triu_indices(len(self.given), 1)
        ratios = pdist(points, "sqeuclidean") / self.given[i, j]
        found = float(ratios.max() / ratios.min())
        return found if np.isfinite(found) else np.inf

    def spread(self, rows: Ints, weights: Floats) -> tuple[Ints, Floats]:
        """Weights of rows (sum over y) as weights w on the pairs of points: Σ w v vᵀ = Σ y a aᵀ on symmetric maps."""
        pairs, values = [np.empty((0, 2), dtype=np.int64)], [np.empty(0)]
        single = (self.orbit[rows] == 1) & (rows < self.cross)
        first = np.array([members[0] for members in self.members], dtype=np.int64)
        one = np.stack((first[self.i[rows[single]]], first[self.j[rows[single]]]), axis=1)
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
    """A minimum spanning tree: its edges (k, 2), and B with x = B u, where u_e is the step along e over its length."""
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


def _times(left: Floats, right: Floats) -> Floats:
    """left · right, two matrices, without copies: column-major BLAS computes the transpose."""
    if 0 in left.shape or 0 in right.shape:
        return np.zeros((left.shape[0], right.shape[1]))
    first, turn_first = (right.T, 0) if right.flags.c_contiguous else (right, 1)
    second, turn_second = (left.T, 0) if left.flags.c_contiguous else (left, 1)
    found: Floats = blas.dgemm(1.0, first, second, trans_a=turn_first, trans_b=turn_second).T
    return found


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
    def interior(self) -> bool:
        """Is it finite and strictly inside the cones?"""
        lines = np.concatenate((self.tau, self.zeta, self.slack, self.weight))
        finite = all(np.isfinite(part).all() for part in (self.left, self.right, lines, self.bound))
        return finite and bool(lines.min() > 0)

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

    def ratios(self, left: Floats, tau: Floats) -> Floats:
        """(embedded/given)² of every row for G = left leftᵀ."""
        found: Floats = (_times(left.T, self.vectors) ** 2).sum(axis=0) + self.parts @ tau
        return found

    def dual(self, weight: Floats) -> tuple[Floats, Floats]:
        """Z = Σ σ y a aᵀ, and its linear part."""
        signed = self.sign * weight
        return _times(self.vectors * signed, self.vectors.T), self.parts.T @ signed


@dataclass(frozen=True)
class _Progress:
    """What one Newton step saw before it moved: the relative gap and the largest primal residual."""

    gap: float
    primal: float


class _Broken(Exception):
    """Doubles allow no further step from this iterate."""


def _factor(matrix: Floats) -> Floats | None:
    """The lower Cholesky factor, or None."""
    factor, info = lapack.dpotrf(matrix, lower=1, clean=1)
    return factor if info == 0 and np.isfinite(factor).all() else None


def _length(lam: Floats, step: Floats) -> float:
    """The largest α with Λ + α·step ⪰ 0."""
    root = np.sqrt(lam)
    lowest = float(eigvalsh(step / root[:, None] / root[None, :], check_finite=False)[0])
    return 1 / max(-lowest, EPSILON)


def _linear_length(value: Floats, step: Floats) -> float:
    """The largest α with value + α·step ≥ 0."""
    return 1 / max(float((-step / value).max(initial=0)), EPSILON)


def _diagonals(vectors: Floats, matrix: Floats) -> Floats:
    """aᵀ M a for every column a."""
    found: Floats = np.einsum("ki,ki->i", _times(matrix, vectors), vectors)
    return found


class _Cholesky:
    """H q = h with H = (ãᵀã)∘² + f fᵀ + diag, in the unknown q = σ dy."""

    def __init__(self, a: Floats, f: Floats, diagonal: Floats) -> None:
        self.a, self.f = a, f
        self.schur = _times(a.T, a)
        self.schur *= self.schur
        if f.shape[1]:
            self.schur += _times(f, f.T)
        entries = np.einsum("ii->i", self.schur)
        entries += diagonal
        for shift in (0.0, 1e-15, 1e-13, 1e-11):
            trial = self.schur + np.diag(shift * entries) if shift else self.schur
            self.chol, info = lapack.dpotrf(trial.T, lower=1, clean=0)
            if info == 0:
                return
        raise _Broken

    def solve(self, right: Floats, k: Floats, k_line: Floats) -> tuple[Floats, Floats, Floats]:
        """q, dG and dτ for the right-hand sides of the rows, of dG + dZ = k and of dτ + dζ = k_line."""
        right = right + _diagonals(self.a, k) + self.f @ k_line
        found: Floats = lapack.dpotrs(self.chol, right, lower=1)[0]
        found += lapack.dpotrs(self.chol, right - blas.dsymv(1.0, self.schur.T, found), lower=1)[0]
        return found, k - _times(self.a * found, self.a.T), k_line - self.f.T @ found


class _Augmented:
    """The same equations with the large block of dG, and dτ, as unknowns of their own (see the module's text)."""

    def __init__(self, a: Floats, f: Floats, diagonal: Floats, turn: Floats, large: int) -> None:
        self.turn, self.large, self.a = turn, large, _times(turn.T, a)
        big, small = self.a[:large], self.a[large:]
        self.i, self.j = np.triu_indices(large)
        self.svec = np.where(self.i == self.j, 1.0, np.sqrt(2.0))
        k = np.vstack((big[self.i] * big[self.j] * self.svec[:, None], f.T))
        self.unit = float(abs(k).max(initial=EPSILON))
        k /= self.unit
        m, p = a.shape[1], len(k)
        rest = _times(small.T, small)
        self.matrix = np.zeros((m + p, m + p))
        self.matrix[:m, :m] = -rest * (rest + 2 * _times(big.T, big))
        self.matrix[m:, :m] = k
        self.matrix[:m, m:] = k.T
        entries = np.einsum("ii->i", self.matrix)
        entries[:m] -= diagonal
        entries[m:] = self.unit**-2
        self.ldl, self.pivots, info = lapack.dsytrf(self.matrix, lower=1, lwork=64 * (m + p))
        if info != 0:
            raise _Broken

    def solve(self, right: Floats, k: Floats, k_line: Floats) -> tuple[Floats, Floats, Floats]:
        """q, dG and dτ for the right-hand sides of the rows, of dG + dZ = k and of dτ + dζ = k_line."""
        k = _times(_times(self.turn.T, k), self.turn)
        rest = k.copy()
        rest[: self.large, : self.large] = 0
        large = np.concatenate((k[self.i, self.j] * self.svec, k_line))
        h = np.concatenate((-(right + _diagonals(self.a, rest)), large / self.unit))
        found = lapack.dsytrs(self.ldl, self.pivots, h, lower=1)[0]
        for _ in range(2):
            found += lapack.dsytrs(self.ldl, self.pivots, h - blas.dsymv(1.0, self.matrix.T, found), lower=1)[0]
        m = self.a.shape[1]
        block, dtau = np.split(found[m:] / self.unit, (len(self.i),))
        dg = k - _times(self.a * found[:m], self.a.T)
        dg[self.i, self.j] = dg[self.j, self.i] = block / self.svec
        return found[:m], _times(_times(self.turn, dg), self.turn.T), dtau


def _system(a: Floats, f: Floats, diagonal: Floats, scale: Floats, careful: bool) -> _Cholesky | _Augmented:
    """The linear system of a step: augmented when W = TTᵀ is so spread that Cholesky would lose the last digits."""
    values, turn = eigh(_times(scale.T, scale), check_finite=False)
    if values[0] <= 0:
        raise _Broken
    if values[-1] < AUGMENT and not careful:
        return _Cholesky(a, f, diagonal)
    # a block of more entries than there are rows costs more than it brings
    large = min(int((values > np.sqrt(values[0] * values[-1])).sum()), int(np.sqrt(2 * a.shape[1])))
    return _Augmented(a, f, diagonal, turn[:, ::-1], large)


def _newton(rows: _Rows, at: _Iterate, careful: bool) -> tuple[_Iterate, _Progress]:
    """One predictor-corrector step."""
    sign, y, s, t = rows.sign, at.weight, at.slack, at.bound
    expands = (sign > 0).astype(np.float64)
    contracts = 1 - expands

    _, lam, vt = svd(_times(at.right.T, at.left), check_finite=False)
    if not lam.min() > 0:
        raise _Broken
    scale = _times(at.left, vt.T / np.sqrt(lam))  # T
    a = _times(scale.T, rows.vectors)
    w = np.sqrt(at.tau / at.zeta)
    f, line = rows.parts * w, np.sqrt(at.tau * at.zeta)
    system = _system(a, f, s / y, scale, careful)
    # s + σ<aaᵀ,G> = tb − c and bᵀy = 1 hold but for rounding, which each step mends again
    primal = t * expands - contracts - s - sign * (lam @ (a * a) + f @ line)
    missing = 1 - float(y @ expands)
    border = system.solve(expands, np.zeros((len(lam), len(lam))), np.zeros(len(line)))

    def direction(k: Floats, k_line: Floats, centre: Floats) -> _Move:
        """dG + dZ = k, dτ + dζ = k_line (all in scaled space), y ds + s dy = centre."""
        found = system.solve(sign * (centre / y - primal), k, k_line)
        dt = (float(expands @ found[0]) - missing) / float(expands @ border[0])
        q, dg, dtau = (part - dt * per_dt for part, per_dt in zip(found, border, strict=True))
        ds = primal - sign * (_diagonals(a, dg) + f @ dtau) + dt * expands
        return _Move(dg, dtau, ds, dt, _times(a * q, a.T), f.T @ q, sign * q)

    def lengths(move: _Move) -> tuple[float, float]:
        return (
            min(_length(lam, move.dg), _linear_length(line, move.dtau), _linear_length(s, move.ds)),
            min(_length(lam, move.dz), _linear_length(line, move.dzeta), _linear_length(y, move.dy)),
        )

    mu = (float(lam @ lam + line @ line + s @ y)) / at.degree
    first = direction(-np.diag(lam), -line, -s * y)
    p, d = (min(1.0, length) for length in lengths(first))
    after_first = float(
        np.vdot(np.diag(lam) + p * first.dg, np.diag(lam) + d * first.dz)
        + (line + p * first.dtau) @ (line + d * first.dzeta)
        + (s + p * first.ds) @ (y + d * first.dy)
    )
    target = max(after_first / at.degree / mu, 0.0) ** (3 if min(p, d) > 0.1 else 1) * mu
    cross = _times(first.dg, first.dz)
    k = (target * np.eye(len(lam)) - np.diag(lam**2) - (cross + cross.T) / 2) * (2 / (lam[:, None] + lam[None, :]))
    move = direction(k, (target - first.dtau * first.dzeta) / line - line, target - s * y - first.ds * first.dy)
    if not all(np.isfinite(part).all() for part in (move.dg, move.dtau, move.ds, move.dt, move.dz, move.dy)):
        raise _Broken
    back = 0.9 + 0.09 * min(p, d)
    p, d = (min(1.0, back * length) for length in lengths(move))

    for _ in range(8):  # rounding may ask for a shorter step than the eigenvalues promised
        middle = _factor(np.diag(lam) + p * (move.dg + move.dg.T) / 2)
        if middle is not None:
            break
        p *= 0.7
    for _ in range(8):
        z, zeta = rows.dual(y + d * move.dy)
        right = _factor(z)
        if right is not None and (zeta > 0).all():
            break
        d *= 0.7
    if middle is None or right is None:
        raise _Broken
    after = _Iterate(
        _times(scale, middle),
        right,
        at.tau + p * w * move.dtau,
        zeta,
        s + p * move.ds,
        y + d * move.dy,
        t + p * move.dt,
    )
    if not after.interior:
        raise _Broken
    return after, _Progress((t - float(y @ contracts)) / t, float(abs(primal).max()) / t)


@dataclass(frozen=True)
class _Move:
    """A Newton direction: primal part, dual part."""

    dg: Floats
    dtau: Floats
    ds: Floats
    dt: float
    dz: Floats
    dzeta: Floats
    dy: Floats


def _start(rows: _Rows) -> _Iterate:
    """A strictly feasible pair: equal weights on E, weights on P small enough, and G ∝ Z⁻¹."""
    expands = rows.sign > 0
    weight = np.where(expands, 1 / expands.sum(), 0.0)
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if right is None:
        raise _Broken
    flat = _times(lapack.dtrtri(right, lower=1)[0], rows.vectors[:, ~expands])
    load = float(eigvalsh(_times(flat, flat.T), check_finite=False)[-1])
    load = max(load, float((rows.parts[~expands].sum(axis=0) / zeta).max(initial=0)))
    weight[~expands] = 0.5 / load
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if right is None or (zeta <= 0).any():
        raise _Broken
    left, tau = lapack.dtrtri(right, lower=1)[0].T, 1 / zeta
    ratio = rows.ratios(left, tau)
    scale = 2 / ratio[~expands].min()
    left, tau, ratio = left * np.sqrt(scale), tau * scale, ratio * scale
    bound = 1.5 * float(ratio[expands].max())
    slack = np.where(expands, bound - ratio, ratio - 1)
    return _Iterate(left, right, tau, zeta, slack, weight, bound)


def _restart(rows: _Rows, at: _Iterate) -> _Iterate:
    """From an iterate of the first rows into the interior of all rows.

    G moves towards the cold start as far as is cheapest for the bound, and is blown up until every row has slack;
    the weights move by as much as that costs, which gives the new rows theirs.
    """
    cold = _start(rows)
    known = len(at.weight)
    expands = rows.sign > 0
    ratio, other = rows.ratios(at.left, at.tau), rows.ratios(cold.left, cold.tau)
    mixes = np.concatenate(((0.0,), 10.0 ** np.arange(-8, 4.1, 0.25)))
    costs = [float((ratio + mix * other)[expands].max() / (ratio + mix * other)[~expands].min()) for mix in mixes]
    best = int(np.argmin(costs))
    mix = float(mixes[best])
    loss = max(costs[best] / float(at.weight[~expands[:known]].sum()) - 1, 1e-12)
    if not loss < FAR:
        return cold
    ratio += mix * other
    scale = (1 + ROOM * loss) / float(ratio[~expands].min())
    bound = float(ratio[expands].max()) * scale * (1 + ROOM * loss)
    left = _factor(_times(at.left, at.left.T) + mix * _times(cold.left, cold.left.T)) if mix > 0 else at.left
    share = min(ROOM * loss, 0.5)
    weight = share * cold.weight
    weight[:known] += (1 - share) * at.weight
    z, zeta = rows.dual(weight)
    right = _factor(z)
    if left is None or right is None:
        return cold
    slack = np.where(expands, bound - scale * ratio, scale * ratio - 1)
    moved = _Iterate(left * np.sqrt(scale), right, (at.tau + mix * cold.tau) * scale, zeta, slack, weight, bound)
    return moved if moved.interior else cold


# ------------------------------------------------------------------------------------------------- the engine


@dataclass(frozen=True)
class _Dual:
    """Weights of rows and the lower bound that they give once ε·L_w has made Z feasible."""

    rows: _Rows
    weight: Floats
    value: float


def _dual_bound(rows: _Rows, at: _Iterate) -> _Dual:
    """The weights with Σ_E y = 1, and their bound."""
    expands = rows.sign > 0
    weight = at.weight / at.weight[expands].sum()
    z, zeta = rows.dual(weight)
    laplacian, line = rows.dual(np.where(expands, 1 / expands.sum(), 0.0))
    root = _factor(laplacian)
    if root is None:
        return _Dual(rows, weight, 0.0)
    inverse = lapack.dtrtri(root, lower=1)[0]
    lowest = min(
        float(eigvalsh(_times(_times(inverse, z), inverse.T), check_finite=False)[0]),
        float((zeta / line).min(initial=0)),
    )
    return _Dual(rows, weight, float(weight[~expands].sum()) / (1 + max(-lowest, 0.0)))


def _placements(metric: _Metric, at: _Iterate) -> Iterator[Floats]:
    """Points for the iterate; if its lengths are of very different scales, in a way that doubles can hold too."""
    yield metric.points(at.left, at.tau)
    if metric.wild:
        yield metric.points(at.left, at.tau, turn=False)
        apart = metric.apart(at.left)
        if apart is not None:
            yield metric.points(apart, at.tau, turn=False)


def _violated(metric: _Metric, amount: Floats, present: Ints) -> Ints:
    """The most violated pairs not yet in the model, at most MOST_A_POINT about a point and MOST_A_ROUND·n in all."""
    amount = amount.copy()
    amount[present] = 0
    found = np.flatnonzero(amount > 0)
    found = found[np.argsort(-amount[found], kind="stable")]
    used = np.zeros(len(metric.size), dtype=np.int64)
    kept: list[int] = []
    for pair in found:
        i, j = metric.i[pair], metric.j[pair]
        if used[i] < MOST_A_POINT or used[j] < MOST_A_POINT:
            used[i] += 1
            used[j] += 1
            kept.append(int(pair))
            if len(kept) == MOST_A_ROUND * len(metric.size):
                break
    return np.array(kept, dtype=np.int64)


def _drop_idle(rows: _Rows, at: _Iterate, worst: float, dropped: NDArray[np.bool_]) -> tuple[_Rows, _Iterate]:
    """Leave out contraction rows that do nothing, each at most once, so that the rounds end."""
    contracts = rows.sign < 0
    idle = contracts & (at.weight < IDLE * at.weight[contracts].mean()) & (at.slack > IDLE * worst)
    idle &= ~dropped[rows.pairs]
    if idle[contracts].all():
        return rows, at
    dropped[rows.pairs[idle]] = True
    kept = _Rows(rows.pairs[~idle], rows.sign[~idle], rows.vectors[:, ~idle], rows.parts[~idle])
    return kept, replace(at, slack=at.slack[~idle], weight=at.weight[~idle])


def _extremes(metric: _Metric, among: NDArray[np.bool_], nearest: int, farthest: int) -> Ints:
    """Of the pairs allowed, the nearest and the farthest few of every class."""
    count = len(metric.size)
    key = np.full((count, count), np.nan)
    allowed = np.where(among[: metric.cross], metric.length[: metric.cross], np.nan)
    i, j = metric.i[: metric.cross], metric.j[: metric.cross]
    key[i, j] = key[j, i] = allowed
    # ties are broken at random, always the same way: the first of equals would load a few points with all pairs
    blur = np.random.default_rng(0).random((count, count))
    chosen = []
    for sign, many in ((1, nearest), (-1, farthest)):
        order = np.lexsort((blur, sign * key), axis=1)[:, : min(many, count - 1)]
        ends = np.stack((np.repeat(np.arange(count), order.shape[1]), order.ravel()), axis=1)
        chosen.append(metric.index(ends[np.isfinite(key[ends[:, 0], ends[:, 1]])]))
    return np.unique(np.concatenate(chosen))


def _first_rows(metric: _Metric, expandable: Ints, start: Ints) -> tuple[Ints, Ints]:
    """Expansion and contraction pairs to begin with."""
    count = len(metric.size)
    inside = np.arange(metric.cross, len(metric.squared))
    among = np.zeros(len(metric.squared), dtype=bool)
    among[metric.index(metric.labels[expandable])] = True
    listed = np.flatnonzero(among)
    if len(listed) > MANY * count:  # general metrics: nearly every pair may be the most expanded, few are
        listed = _extremes(metric, among, 2, 1)
    expand = np.unique(np.concatenate((metric.tree, inside, listed)))
    contract = np.union1d(_extremes(metric, ~among, 2, 2), _extremes(metric, ~np.zeros_like(among), 0, 1))
    if len(start):
        contract = np.union1d(contract, metric.index(metric.labels[start]))
    return expand, contract


def _rounds(
    metric: _Metric,
    expandable: Ints,
    start: Ints,
    remaining: Callable[[], float],
    tolerance: float,
    say: Callable[[str], None],
) -> Iterator[EmbeddingAnswer]:
    expand, contract = _first_rows(metric, expandable, start)
    rows = _Rows.of(metric, np.concatenate((expand, contract)), np.repeat((1.0, -1.0), (len(expand), len(contract))))
    at = _start(rows)
    dropped = np.zeros(len(metric.squared), dtype=bool)
    goal, upper, points, dual = FIRST_GAP, np.inf, None, _Dual(rows, at.weight, 0.0)
    for number in range(1, MOST_ROUNDS + 1):
        gaps: list[float] = []
        stuck = careful = False
        try:
            while not stuck and len(gaps) < MOST_STEPS and remaining() > 0:
                at, seen = _newton(rows, at, careful)
                careful |= len(gaps) > 0 and 1e-3 > seen.gap > 0.5 * gaps[-1]
                gaps.append(seen.gap)
                if seen.gap < goal and seen.primal < goal:
                    break
                stuck = len(gaps) > PATIENCE and 1e-3 > seen.gap > 0.7 * gaps[-1 - PATIENCE]
        except (_Broken, np.linalg.LinAlgError):
            stuck = True

        ratios = metric.ratios(at.left, at.tau)
        for placed in _placements(metric, at):
            distortion = metric.distortion(placed)
            if distortion < upper:
                upper, points = distortion, placed
        dual = max(dual, _dual_bound(rows, at), key=lambda found: found.value)
        gap = 1 - dual.value / upper
        say(f"round {number}: {len(rows.pairs)} rows, {len(gaps)} steps, distortion² {upper:.9g}, gap {gap:.1e}")
        yield _answer(metric, points, dual, upper, f"round {number}, relative gap {gap:.1e} over all pairs")
        if not gap > 3 * tolerance or remaining() <= 0:
            return

        too_short, too_long = 1 - ratios, ratios / at.bound - 1
        worst = max(float(too_short.max()), float(too_long.max()))
        if worst > EARLY:
            rows, at = _drop_idle(rows, at, worst, dropped)
        least = 0.1 * goal
        short = _violated(metric, np.where(too_short > least, too_short, 0), rows.pairs[rows.sign < 0])
        long = _violated(metric, np.where(too_long > least, too_long, 0), rows.pairs[rows.sign > 0])
        if len(short) + len(long):
            goal = max(min(FIRST_GAP, 0.1 * worst), tolerance)
            pairs = np.concatenate((rows.pairs, short, long))
            rows = _Rows.of(metric, pairs, np.concatenate((rows.sign, np.repeat((-1.0, 1.0), (len(short), len(long))))))
            try:
                at = _restart(rows, at)
            except (_Broken, np.linalg.LinAlgError):
                return
        elif stuck or goal <= tolerance / 10:
            return
        else:
            goal = min(0.1 * goal, max(0.1 * worst, tolerance))


def _answer(metric: _Metric, points: Floats | None, dual: _Dual, upper: float, status: str) -> EmbeddingAnswer:
    """The answer on the points themselves."""
    keep = dual.weight > 0
    expands = dual.rows.sign > 0
    expand, expand_weights = metric.spread(dual.rows.pairs[keep & expands], dual.weight[keep & expands])
    contract, contract_weights = metric.spread(dual.rows.pairs[keep & ~expands], dual.weight[keep & ~expands])
    value = upper if np.isfinite(upper) else None
    return EmbeddingAnswer(points, expand, expand_weights, contract, contract_weights, Claim(NAME, status, value))


def solve(
    squared_distances: Floats,
    expandable: Ints,
    *,
    remaining: Callable[[], float],
    tolerance: float = 1e-9,
    say: Callable[[str], None] = _silent,
    start: Ints | None = None,
) -> Iterator[EmbeddingAnswer]:
    """Embed with least distortion. An answer after every outer round: the best points and the best weights so far.

    squared_distances: symmetric, positive off the diagonal. expandable: pairs that may be the most expanded (see
    :func:`expandable_pairs`): only a hint, no answer is wrong for a bad one. remaining(): seconds left, asked
    before every step. tolerance: the relative gap at which to stop. start: contraction pairs to begin with, those
    that carry weight in another engine's answer, say.
    """
    squared = np.array(squared_distances, dtype=np.float64)
    np.fill_diagonal(squared, 0)
    if not np.isfinite(squared).all() or (squared[~np.eye(len(squared), dtype=bool)] <= 0).any():
        raise ValueError("squared distances must be finite, and positive off the diagonal")
    if len(squared) < 2:
        return
    unit = 4.0 ** np.round(np.log2(squared[squared > 0].min()) / 4 + np.log2(squared.max()) / 4)
    pairs = np.asarray(expandable, dtype=np.int64).reshape(-1, 2)
    with np.errstate(all="ignore"):  # what is not finite is looked for where it matters
        metric = _Metric(squared / unit)
    begin = np.empty((0, 2), dtype=np.int64) if start is None else np.asarray(start, dtype=np.int64).reshape(-1, 2)
    answers = _rounds(metric, pairs, begin, remaining, tolerance, say)
    while True:
        try:
            with np.errstate(all="ignore"):
                answer = next(answers, None)
        except (_Broken, np.linalg.LinAlgError):  # not even a start
            return
        if answer is None:
            return
        yield replace(answer, points=None if answer.points is None else answer.points * np.sqrt(unit))
