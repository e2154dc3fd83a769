"""max bᵀu subject to Au <= c, u >= 0, for a table A of zeros and ones with far more rows than columns, from inside.

Mehrotra's predictor-corrector method (1992) with dense normal equations AᵀDA: the multipliers stay near the central
path, so that the answer lies in the middle of the optimal face. A sparse method loses here: the rows overlap, so the
normal equations are dense anyway.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.linalg.blas import dsyrk

Floats = NDArray[np.float64]
STEPS = 80


@dataclass(frozen=True)
class Answer:
    """u (n,) and the multipliers z (m,) of the rows; gap: the relative gap that was reached."""

    u: Floats
    z: Floats
    gap: float


def packing(table: Floats, right: Floats, goal: Floats, accuracy: float) -> Answer:
    """Solve to a relative gap; table (m, n), right (m,) >= 0, goal (n,). What doubles cannot reach is in the gap.

    Rows Au + s = c with multipliers z >= 0, signs u >= 0 with multipliers t >= 0: Aᵀz − t = b.
    """
    m, n = table.shape
    u, z = np.ones(n), np.ones(m)
    s, t = np.maximum(right - table @ u, 1.0), np.maximum(table.T @ z - goal, 1.0)
    gap = np.inf
    best = Answer(u, z, gap)
    for _ in range(STEPS):
        down, across = right - table @ u - s, goal - table.T @ z + t
        value = float(goal @ u)
        mu = float(s @ z + t @ u) / (m + n)
        slip = max(float(np.abs(down).max()) / (1 + float(np.abs(right).max())), float(np.abs(across).max()))
        gap = max(abs(float(right @ z) - value) / (1 + abs(value)), slip)
        if gap < best.gap:
            best = Answer(u.copy(), z.copy(), gap)
        if gap <= accuracy or not np.isfinite(gap):
            break
        try:
            newton = _Newton(table, u, z, s, t, down, across)
            du, ds, dz, dt = newton.direction(-z * s, -t * u)
        except (LinAlgError, ValueError):
            break
        reach = _reach((u, du), (s, ds)), _reach((z, dz), (t, dt))
        ahead = float((s + reach[0] * ds) @ (z + reach[1] * dz) + (t + reach[1] * dt) @ (u + reach[0] * du)) / (m + n)
        centre = mu * (ahead / mu) ** 3
        du, ds, dz, dt = newton.direction(centre - z * s - ds * dz, centre - t * u - du * dt)
        first, second = 0.995 * _reach((u, du), (s, ds)), 0.995 * _reach((z, dz), (t, dt))
        u, s = u + first * du, s + first * ds
        z, t = z + second * dz, t + second * dt
    return best


class _Newton:
    """The Newton equations at a point, factored once."""

    def __init__(self, table: Floats, u: Floats, z: Floats, s: Floats, t: Floats, down: Floats, across: Floats) -> None:
        self.table, self.u, self.z, self.s, self.t, self.down, self.across = table, u, z, s, t, down, across
        self.weight = z / s
        normal = dsyrk(1.0, (table * np.sqrt(self.weight)[:, None]).T, lower=1)
        diagonal = np.diag_indices(len(u))
        normal[diagonal] += t / u
        normal[diagonal] += 1e-14 * normal[diagonal].mean()
        self.factor = cho_factor(normal, lower=True, overwrite_a=True)

    def direction(self, sz: Floats, tu: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The step (du, ds, dz, dt) for z∘ds + s∘dz = sz and t∘du + u∘dt = tu."""
        side = self.across + tu / self.u + self.table.T @ (self.weight * self.down - sz / self.s)
        du = cho_solve(self.factor, side, check_finite=False)
        ds = self.down - self.table @ du
        return du, ds, (sz - self.z * ds) / self.s, (tu - self.t * du) / self.u


def _reach(*pairs: tuple[Floats, Floats]) -> float:
    """The longest step, at most 1, that keeps every number positive."""
    longest = 1.0
    for value, step in pairs:
        falling = step < 0
        if falling.any():
            longest = min(longest, float((value[falling] / -step[falling]).min()))
    return longest
