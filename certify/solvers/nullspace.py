"""Vectors of a kernel that gather their ℓ1 norm on few entries, and the duals of that, in floating point (HiGHS).

Nothing here is proved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def gathered(w: Floats, c: Floats, seconds: float, tops: Floats | None = None) -> tuple[Floats, Floats] | None:
    """max cᵀz + Σ tops_i |z_i| with Wz = 0 and ‖z‖₁ ≤ 1: a vertex z (d,), and u (n,); None if it failed.

    u minimises max_i (|c − Wᵀu|_i + tops_i), which is the maximum. tops: (d,), default 0.
    """
    from scipy.optimize import linprog

    d = w.shape[1]
    more = np.zeros(d) if tops is None else tops
    found = linprog(
        np.concatenate([-c - more, c - more]),
        A_ub=np.ones((1, 2 * d)),
        b_ub=[1.0],
        A_eq=np.hstack([w, -w]),
        b_eq=np.zeros(len(w)),
        bounds=(0, None),
        method="highs-ds",
        options={"time_limit": max(seconds, 0.1), "dual_feasibility_tolerance": 1e-9},
    )
    if found.x is None or found.eqlin is None or not np.isfinite(found.x).all():
        return None
    return found.x[:d] - found.x[d:], -np.asarray(found.eqlin.marginals, dtype=float)
