"""Bounds for metrics of many points: a smoothed distortion of points in few dimensions. Floats, untrusted.

The objective.  For points X, an n×k array, let z_ij = |x_i − x_j|² and r_ij = z_ij/d_ij². With P all pairs, E those
that can be expanded most, and an inverse temperature β,

    f(X) = (1/β) log Σ_E r_e^β + (1/β) log Σ_P r_p^−β

exceeds the logarithm of distortion² by at most (log |E| + log |P|)/β. It is minimised by L-BFGS (Liu, Nocedal 1989)
for growing β, each time from the points before.

*Why its stationary points are global.*  As functions of the Gram matrix G = X Xᵀ the r are linear, (Σ_E r^β)^(1/β) is a
norm of them, hence convex, and (Σ_P r^−β)^(−1/β) is concave: exp f is quasi-convex. A second-order stationary X with
fewer than k dimensions is then a global minimum (Burer, Monteiro 2005; Journée, Bach, Absil, Sepulchre 2010).

*The dual weights come for free.*  Let p_e = r_e^β/Σ_E r^β and q_p = r_p^−β/Σ_P r^−β. With v = e_i − e_j and
∂z_ij/∂X = 2 v vᵀX,

    ∇f = Σ_E p_e ∇z_e/z_e − Σ_P q_p ∇z_p/z_p = 2 (L_E − L_P) X,     y_e = p_e/z_e,  y_p = q_p/z_p,

L_E = Σ_E y_e v vᵀ and L_P alike. At a stationary point (L_E − L_P)X = 0, and a direction that X does not use (a
further, zero column) has the second derivative 2 uᵀ(L_E − L_P)u >= 0. So L_E − L_P ⪰ 0: the softmax weights are
feasible for the dual of Linial, London and Rabinovich (1995), and they prove

    distortion² >= Σ_P y_p d_p² / Σ_E y_e d_e² = (Σ_P q_p/r_p) / (Σ_E p_e/r_e).

Short of stationarity they are off by θ = λ_max(L_P, L_E), which costs a factor θ (:mod:`certify.rounding.laplacian`).

λ_max is convex, so the mean of two such weights loses at most the mean, and less where their errors lie apart.

*Conditioning.*  A pair of softmax weight p adds about β·p/z·(v vᵀ ⊗ a projection onto its direction) to the second
derivative. On average over directions that is a multiple of L_E + L_P, so X = R⁻ᵀU with RRᵀ = L_E + L_P (and a little
of L_w, w = 1/d²) balances it, whatever the lengths of the edges. R is computed anew every time that L-BFGS starts.

*The last factor of two.*  Points at temperature 1/β are off by c/β to first order. So 2X(2β) − X(β), the two turned to
fit (Schönemann 1966), is off by O(1/β²): better points for nothing, if the extremes of the r agree.

One evaluation costs O(n²k); a factorization of n×n for every start of L-BFGS. Memory: about twelve n×n arrays of
doubles at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cholesky, solve_triangular
from scipy.optimize import minimize
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

from certify.problem import Claim
from certify.solvers.answer import EmbeddingAnswer

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NAME = "low rank"
FIRST_BETA, LAST_BETA = 10.0, 1e6
BURST = 100  # steps of L-BFGS between two looks at the bound
MOST_BURSTS = 6  # at one temperature
MEMORY = 20  # pairs that L-BFGS remembers
FEWEST, MOST = 12, 60  # dimensions
MIX = 1e-2  # share of equal weights on E in the preconditioner
LITTLE = 0.02  # a loss below this share of what smoothing costs is left as it is
DONE = 0.2  # a temperature is done when non-stationarity costs this share of what smoothing costs
STALLED = 0.9  # three temperatures must bring the gap below this share of what it was
WORTH = 0.6  # an answer is handed out when its gap is at most this share of that of the one before
MANY = 100  # contraction weights per point: more of them (hot answers have) are costly to round
BLOCK = 200_000  # entries of a block of rows
ROUND = 6e-9  # seconds per n³ that rounding an answer is expected to take, before one has been


def _silent(text: str) -> None:
    """Say nothing."""


class _Pairs:
    """All pairs i < j in blocks of rows a..b by columns a..n, and where the expandable ones lie in them."""

    def __init__(self, squared: Floats, expandable: Ints) -> None:
        n = len(squared)
        step = max(16, BLOCK // n)
        self.squared = squared
        self.blocks = [(a, min(n, a + step)) for a in range(0, n, step)]
        low, high = expandable.min(axis=1), expandable.max(axis=1)
        order = np.lexsort((high, low))
        low, high = low[order], high[order]
        self.expand = np.column_stack((low, high))
        cuts = np.searchsorted(low, [a for a, _ in self.blocks] + [n])
        self.parts = [slice(*cut) for cut in pairwise(cuts)]
        self.cells = [
            (low[part] - a) * (n - a) + high[part] - a for (a, _), part in zip(self.blocks, self.parts, strict=True)
        ]
        self.logs = []
        for a, b in self.blocks:
            with np.errstate(divide="ignore"):
                log = np.log(squared[a:b, a:])
            log[np.tril_indices(b - a)] = -np.inf  # not a pair i < j: ratio ∞, weight 0
            self.logs.append(log)

    def ratios(self, points: Floats) -> tuple[list[Floats], list[Floats], Floats]:
        """z and log r by blocks, and log r on the expandable pairs."""
        square = np.einsum("ij,ij->i", points, points)
        tiny = 1e-15 * float(square.max()) + np.finfo(np.float64).tiny
        z_blocks, r_blocks = [], []
        near = np.empty(len(self.expand))
        for (a, b), log, cells, part in zip(self.blocks, self.logs, self.cells, self.parts, strict=True):
            z = points[a:b] @ points[a:].T
            z *= -2
            z += square[a:b, None]
            z += square[a:]
            np.maximum(z, tiny, out=z)
            r = np.log(z)
            r -= log
            near[part] = r.ravel()[cells]
            z_blocks.append(z)
            r_blocks.append(r)
        return z_blocks, r_blocks, near

    def distortion(self, points: Floats) -> float:
        """log distortion² of points."""
        _, far, near = self.ratios(points)
        return float(near.max() - min(block.min() for block in far))

    def smoothed(self, points: Floats, beta: float) -> tuple[float, Floats]:
        """f and its gradient."""
        z, far, near = self.ratios(points)
        least, most = min(float(block.min()) for block in far), float(near.max())
        total = 0.0
        for block in far:
            block -= least
            block *= -beta
            np.exp(block, out=block)
            total += float(block.sum())
        p = np.exp(beta * (near - most))
        whole = float(p.sum())
        p /= whole
        gradient = np.zeros_like(points)
        for (a, b), z_block, q, cells, part in zip(self.blocks, z, far, self.cells, self.parts, strict=True):
            q /= -total
            q.ravel()[cells] += p[part]
            q /= z_block  # signed weights
            gradient[a:b] += q.sum(axis=1)[:, None] * points[a:b] - q @ points[a:]
            gradient[a:] += q.sum(axis=0)[:, None] * points[a:] - q.T @ points[a:b]
        value = most - least + (np.log(whole) + np.log(total)) / beta
        return float(value), 2 * gradient

    def weights(self, points: Floats, beta: float) -> _Weights:
        """The dual weights of points, those of contraction that do not matter left out, with Σ_E y d² = 1."""
        _, far, near = self.ratios(points)
        least, most = min(float(block.min()) for block in far), float(near.max())
        p = np.exp(beta * (near - most))
        share_e = p / np.exp(near - most)  # ∝ y d²
        scale = float(share_e.sum()) / float(p.sum())
        share_e /= share_e.sum()
        rows, columns, shares = [], [], []
        total, floor = 0.0, np.log(1e-12) / (beta + 1)
        for (a, _), block in zip(self.blocks, far, strict=True):
            near_ones = np.flatnonzero(least - block.ravel() > floor)
            r = block.ravel()[near_ones] - least
            q = np.exp(-beta * r)
            total += float(q.sum())
            shares.append(q * np.exp(-r))
            rows.append(near_ones // block.shape[1] + a)
            columns.append(near_ones % block.shape[1] + a)
        share_p = np.concatenate(shares) * (np.exp(most - least) / (total * scale))
        gain = float(share_p.sum())
        # Contraction weights may be left out freely: each is a term −y v vᵀ.
        slack = max(most - least - np.log(gain), 1e-9)
        order = np.argsort(share_p, kind="stable")
        kept = np.sort(order[np.searchsorted(np.cumsum(share_p[order]), 1e-3 * slack * gain) :])
        contract = np.column_stack((np.concatenate(rows)[kept], np.concatenate(columns)[kept])).astype(np.int64)
        keep = share_e > 1e-14 * share_e.max()
        expand = self.expand[keep]
        return _Weights(
            expand,
            share_e[keep] / self.squared[expand[:, 0], expand[:, 1]],
            contract,
            share_p[kept] / self.squared[contract[:, 0], contract[:, 1]],
            float(share_p[kept].sum()),
            most - least,
        )


@dataclass(frozen=True)
class _Weights:
    """Dual weights with Σ_E y d² = 1, gain = Σ_P y d², and the log distortion² of the points they came from."""

    expand: Ints
    expand_weights: Floats
    contract: Ints
    contract_weights: Floats
    gain: float
    log_distortion: float

    def laplacians(self, n: int) -> tuple[csr_array, csr_array]:
        """L_E and L_P."""
        return _laplacian(n, self.expand, self.expand_weights), _laplacian(n, self.contract, self.contract_weights)

    def loss(self, spread: csr_array, least: float) -> float:
        """log of what repair costs: the least of θ(1 + ε), θ = λ_max(L_P, L_E + ε·L_w), by Lanczos."""
        near, far = self.laplacians(spread.shape[0])
        found = np.inf
        for mix in (least, 1e-2):
            if found > mix:
                found = min(found, _log_largest(far, _factor(near + mix * spread)) + np.log1p(mix))
        return float(found)

    def mean(self, other: _Weights) -> _Weights:
        """The mean of two: what it costs to repair is at most the mean, and less where the two err apart."""
        n = int(max(self.expand.max(), other.expand.max())) + 1
        sides = []
        for pairs, weights in (
            ((self.expand, other.expand), (self.expand_weights, other.expand_weights)),
            ((self.contract, other.contract), (self.contract_weights, other.contract_weights)),
        ):
            both = np.concatenate(pairs)
            codes, place = np.unique(both[:, 0] * n + both[:, 1], return_inverse=True)
            sides.append((np.column_stack(np.divmod(codes, n)), np.bincount(place, np.concatenate(weights)) / 2))
        gain = (self.gain + other.gain) / 2
        return _Weights(*sides[0], *sides[1], gain, self.log_distortion)


def _log_largest(far: csr_array, factor: Floats) -> float:
    """log λ_max(L_P, RRᵀ)."""
    n = len(factor)

    def product(vector: Floats) -> Floats:
        return _solved(factor, far @ _solved(factor, vector, True), False)

    operator = LinearOperator((n, n), matvec=product, dtype=np.float64)
    start = np.random.default_rng(n).standard_normal(n)
    try:
        return float(np.log(eigsh(operator, k=1, which="LA", tol=1e-5, v0=start, return_eigenvectors=False)[0]))
    except ArpackError:
        return np.inf


def _factor(table: csr_array) -> Floats:
    """R with RRᵀ = a Laplacian and something on the constant vector, which it does not see."""
    n = table.shape[0]
    dense: Floats = table.toarray()
    dense += np.trace(dense) / n**2
    factor: Floats = cholesky(dense, lower=True, overwrite_a=True, check_finite=False)
    return factor


def _laplacian(n: int, pairs: Ints, weights: Floats) -> csr_array:
    """Σ w_ij (e_i − e_j)(e_i − e_j)ᵀ, sparse."""
    i, j = pairs[:, 0], pairs[:, 1]
    entries = np.concatenate((weights, weights, -weights, -weights))
    return coo_array((entries, (np.concatenate((i, j, i, j)), np.concatenate((i, j, j, i)))), shape=(n, n)).tocsr()


def _solved(factor: Floats, right: Floats, transposed: bool) -> Floats:
    """R⁻¹ or R⁻ᵀ times something."""
    found: Floats = solve_triangular(factor, right, lower=True, trans=int(transposed), check_finite=False)
    return found


def _start(squared: Floats, k: int) -> Floats:
    """The k strongest coordinates of classical scaling (Torgerson 1952), and a little noise that parts all points."""
    n = len(squared)
    mean = squared.mean(axis=0)
    centred = -(squared - mean - mean[:, None] + mean.mean()) / 2
    random = np.random.default_rng(n)
    try:
        values, vectors = eigsh(centred, k=min(k, n - 1), which="LA", v0=np.ones(n) + random.random(n), tol=1e-3)
    except ArpackError:
        values, vectors = np.zeros(1), np.zeros((n, 1))
    points = np.zeros((n, k))
    points[:, : len(values)] = vectors[:, ::-1] * np.sqrt(np.maximum(values[::-1], 0))
    noise: Floats = random.standard_normal((n, k)) * np.sqrt(squared[squared > 0].min() / k)
    return points + 0.1 * noise


def _turned(points: Floats, k: int) -> Floats:
    """Centred points on principal axes, with k columns; new ones are small noise, that nothing stays unused."""
    points = points - points.mean(axis=0)
    u, sigma, _ = np.linalg.svd(points, full_matrices=False)
    turned = np.zeros((len(points), k))
    used = min(k, len(sigma))
    turned[:, :used] = u[:, :used] * sigma[:used]
    noise = np.random.default_rng(k).standard_normal(turned.shape)
    turned += noise * np.where(np.arange(k) < used, 0.0, 1e-3 * sigma[0] / np.sqrt(len(points)))
    return turned


def _dimensions(points: Floats) -> int:
    """As many columns as the points use, and a few more."""
    sigma = np.linalg.svd(points - points.mean(axis=0), compute_uv=False)
    used = int((sigma > 1e-3 * sigma[0]).sum())
    return int(np.clip(used + max(2, used // 4), FEWEST, min(MOST, len(points) - 1)))


def _extrapolated(before: Floats, after: Floats) -> Floats:
    """2·after − before, with the scale and the axes of before fitted to after."""
    k = max(before.shape[1], after.shape[1])
    before, after = (np.pad(x - x.mean(axis=0), ((0, 0), (0, k - x.shape[1]))) for x in (before, after))
    u, sigma, vt = np.linalg.svd(before.T @ after)
    fitted = before @ (u @ vt) * (sigma.sum() / max(float((before**2).sum()), np.finfo(np.float64).tiny))
    found: Floats = 2 * after - fitted
    return found


class _TimeIsUp(Exception):
    """Raised in the midst of L-BFGS."""


def _descended(
    pairs: _Pairs, points: Floats, factor: Floats, beta: float, remaining: Callable[[], float], kept: float
) -> tuple[Floats, bool]:
    """A burst of L-BFGS in U = RᵀX from points, while more than the kept seconds remain; whether it has converged."""
    start = factor.T @ points
    start /= np.linalg.norm(start)
    best: tuple[float, Floats] = (np.inf, points)

    def function(flat: Floats) -> tuple[float, Floats]:
        nonlocal best
        if remaining() <= kept:
            raise _TimeIsUp
        placed = _solved(factor, flat.reshape(start.shape), True)
        value, gradient = pairs.smoothed(placed, beta)
        if value < best[0]:
            best = value, placed
        return value, _solved(factor, gradient, False).ravel()

    options = {"maxiter": BURST, "maxfun": 2 * BURST, "maxcor": MEMORY, "gtol": 1e-9, "ftol": 1e-13}
    try:
        found = minimize(function, start.ravel(), jac=True, method="L-BFGS-B", options=options)
    except _TimeIsUp:
        return best[1], False
    return best[1], bool(found.success)


def solve(
    squared_distances: Floats,
    expandable: Ints,
    *,
    remaining: Callable[[], float],
    tolerance: float = 1e-5,
    say: Callable[[str], None] = _silent,
) -> Iterator[EmbeddingAnswer]:
    """Points and weights of falling temperature: an answer whenever the gap between the two is much smaller.

    squared_distances: (n, n), positive off the diagonal. expandable: (m, 2) pairs that can be expanded most; they
    must join all points. remaining(): seconds left, rounding of the answers included: the time that the caller
    takes for one is measured, and kept for the last. tolerance: the relative gap at which to stop.
    """
    squared = np.array(squared_distances, dtype=np.float64)
    n = len(squared)
    np.fill_diagonal(squared, 0)
    largest = float(squared.max(initial=0))
    if not np.isfinite(squared).all() or np.count_nonzero(squared > 0) < n * (n - 1):
        raise ValueError("squared distances must be finite, and positive off the diagonal")
    if n < 3 or len(expandable) == 0 or remaining() <= 0:
        return
    pairs = _Pairs(squared / largest, np.asarray(expandable, dtype=np.int64))
    clock, best = _Clock(remaining, ROUND * n**3), _Best()
    states = _cooled(pairs, best, clock.remaining, tolerance, say)
    while True:
        try:
            with np.errstate(all="ignore"):  # what is not finite is never the best
                status = next(states, None)
        except (LinAlgError, np.linalg.LinAlgError):  # doubles allow no further step
            return
        if status is None:
            return
        began = time.monotonic()
        yield best.answer(status)
        clock.reserve = 1.2 * (time.monotonic() - began)


@dataclass
class _Clock:
    """The seconds left when the last answer is still to be rounded."""

    left: Callable[[], float]
    reserve: float

    def remaining(self) -> float:
        return self.left() - self.reserve


@dataclass
class _Best:
    """The best points and the best weights so far, by what they promise (logarithms)."""

    points: Floats | None = None
    upper: float = np.inf
    weights: _Weights | None = None
    lower: float = -np.inf

    def offer_points(self, points: Floats, upper: float) -> None:
        if upper < self.upper and np.isfinite(points).all():
            self.points, self.upper = points, upper

    def offer_weights(self, weights: _Weights, lower: float) -> None:
        if lower > self.lower:
            self.weights, self.lower = weights, lower

    @property
    def gap(self) -> float:
        return float(-np.expm1(self.lower - self.upper))

    @property
    def pairs(self) -> int:
        """How many contraction weights there are."""
        return 0 if self.weights is None else len(self.weights.contract)

    def answer(self, status: str) -> EmbeddingAnswer:
        claim = Claim(NAME, status, float(np.exp(self.upper)) if self.upper < 700 else None)
        if self.weights is None:
            return EmbeddingAnswer(self.points, None, None, None, None, claim)
        w = self.weights
        return EmbeddingAnswer(self.points, w.expand, w.expand_weights, w.contract, w.contract_weights, claim)


def _cooled(
    pairs: _Pairs, best: _Best, remaining: Callable[[], float], tolerance: float, say: Callable[[str], None]
) -> Iterator[str]:
    """Lower the temperature; say what is reached whenever ``best`` is worth an answer."""
    n = len(pairs.squared)
    points = _start(pairs.squared, min(FEWEST + int(2 * np.log2(n)), n - 1))
    even = 1.0 / (len(pairs.expand) * pairs.squared[pairs.expand[:, 0], pairs.expand[:, 1]])
    spread = _laplacian(n, pairs.expand, even)
    factor = _factor(spread)
    handed, seen, fresh, status = np.inf, [np.inf], False, ""
    looking = 0.0  # seconds that the bound after a burst takes
    before: Floats | None = None
    beta = FIRST_BETA
    while beta <= LAST_BETA and remaining() > looking:
        for _ in range(MOST_BURSTS):
            points, converged = _descended(pairs, points, factor, beta, remaining, looking)
            began = time.monotonic()
            weights = pairs.weights(points, beta)
            best.offer_points(points, weights.log_distortion)
            loss = weights.loss(spread, 0.1 / beta)
            smoothing = weights.log_distortion - np.log(weights.gain)
            if best.weights is not None and loss > LITTLE * smoothing:
                mean = weights.mean(best.weights)
                best.offer_weights(mean, np.log(mean.gain) - mean.loss(spread, 0.1 / beta))
            best.offer_weights(weights, np.log(weights.gain) - loss)
            near, far = weights.laplacians(n)
            factor = _factor(near + far + MIX * spread)
            looking = time.monotonic() - began
            if converged or loss < DONE * smoothing or remaining() <= looking:
                break
        if before is not None:
            further = _extrapolated(before, points)
            best.offer_points(further, pairs.distortion(further))
        before = points
        status = f"temperature 1/{beta:g}, {points.shape[1]} dimensions, relative gap {best.gap:.1e}"
        say(f"{status}; distortion² {np.exp(best.upper):.7g}; smoothing {smoothing:.1e} loss {loss:.1e}")
        fresh = best.gap < STALLED * handed
        if best.gap < WORTH * handed and best.pairs <= MANY * n:
            handed, fresh = best.gap, False
            yield status
        seen.append(best.gap)
        if best.gap <= tolerance or best.gap > STALLED * seen[max(0, len(seen) - 4)]:
            break
        points = _turned(points, _dimensions(points))
        beta *= 2
    if fresh or (best.points is not None and handed == np.inf):
        yield status
