"""Basis pursuit in floating point: linear programmes by HiGHS, dual vectors in closed form, and the cone with noise.

Nothing here is proved. Solvers are asked about data scaled to 1: at 1e-8 they call anything optimal.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def least_norm(w: Floats, y: Floats, fixed: Floats, seconds: float) -> tuple[Floats, Floats] | None:
    """min Σ_fixed s_j δ_j + Σ_others |δ_j| with Wδ = y: a vertex δ (d,) and the multipliers u (n,).

    fixed: (d,), the sign s_j of each entry that may go either way at the price of its sign, else 0.
    """
    from scipy.optimize import linprog

    d = w.shape[1]
    cost = np.concatenate([np.where(fixed != 0, fixed, 1.0), np.where(fixed != 0, -fixed, 1.0)])
    found = linprog(
        cost,
        A_eq=np.hstack([w, -w]),
        b_eq=y,
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": max(seconds, 0.1)},
    )
    if found.x is None or found.eqlin is None or not np.isfinite(found.x).all():
        return None
    return found.x[:d] - found.x[d:], np.asarray(found.eqlin.marginals, dtype=float)


def central_dual(w: Floats, support: NDArray[np.int_], signs: Floats) -> Floats:
    """The u of least norm with W_Sᵀu = signs (Fuchs 2004): often strictly below 1 off the support."""
    found: Floats = np.asarray(np.linalg.lstsq(w[:, support].T, signs, rcond=None)[0], dtype=np.float64)
    return found


def loosened_dual(w: Floats, support: NDArray[np.int_], u: Floats) -> Floats | None:
    """A vertex dual u moved to where columns off the support are no longer tight: half as far as it may go.

    The step d has W_Sᵀd = 0 and w_jᵀd = −w_jᵀu on the tight columns j; None if these are dependent.
    """
    values = w.T @ u
    tight = np.setdiff1d(np.flatnonzero(np.abs(values) > 1 - 1e-7), support)
    both = np.concatenate([support, tight])
    goal = np.concatenate([np.zeros(len(support)), -np.sign(values[tight])])
    step: Floats = np.linalg.lstsq(w[:, both].T, goal, rcond=None)[0]
    moves = w.T @ step
    if float(np.max(np.abs(moves[both] - goal), initial=0.0)) > 1e-6:
        return None
    free = np.setdiff1d(np.arange(w.shape[1]), both)
    room = (1 - np.abs(values[free])) / np.maximum(np.abs(moves[free]), 1e-300)
    return u + step * min(0.5, 0.5 * float(np.min(room, initial=1.0)))


def widest_dual(w: Floats, support: NDArray[np.int_], signs: Floats, seconds: float) -> Floats | None:
    """The u with W_Sᵀu = signs whose largest |w_jᵀu| off the support is least: a small linear programme."""
    from scipy.optimize import linprog

    n, d = w.shape
    off = np.setdiff1d(np.arange(d), support)
    if not len(off):
        return central_dual(w, support, signs)
    one = np.ones((len(off), 1))
    found = linprog(
        np.concatenate([np.zeros(n), [1.0]]),
        A_ub=np.vstack([np.hstack([w[:, off].T, -one]), np.hstack([-w[:, off].T, -one])]),
        b_ub=np.zeros(2 * len(off)),
        A_eq=np.hstack([w[:, support].T, np.zeros((len(support), 1))]),
        b_eq=signs,
        bounds=[(None, None)] * n + [(0, None)],
        method="highs",
        options={"time_limit": max(seconds, 0.1)},
    )
    return None if found.x is None else found.x[:n]


def recovery_model(w: Floats, y: Floats, noise: float) -> tuple[Any, Any]:
    """The programme in CVXPY, and its variable v."""
    import cvxpy

    v = cvxpy.Variable(w.shape[1])
    constraint = w @ v == y if noise == 0 else cvxpy.norm2(w @ v - y) <= noise
    return cvxpy.Problem(cvxpy.Minimize(cvxpy.norm1(v)), [constraint]), v


def noisy(w: Floats, y: Floats, noise: float, engine: str) -> Floats | None:
    """A nearly optimal v with ‖Wv − y‖₂ ≤ noise, by Clarabel or SCS."""
    import cvxpy

    model, v = recovery_model(w, y, noise)
    try:
        if engine == "scs":
            model.solve(solver=cvxpy.SCS, eps_abs=1e-9, eps_rel=1e-9, max_iters=20_000)
        else:
            model.solve(solver=cvxpy.CLARABEL)
    except cvxpy.SolverError:
        return None
    if v.value is None or not np.isfinite(v.value).all():
        return None
    return np.asarray(v.value, dtype=float)
