"""What one would run without certify: the Linial–London–Rabinovich programme on all pairs, in CVXPY.

min t over Gram matrices G ⪰ 0 with d² <= z on all pairs and z <= t·d² on ``expand``, z_ij = G_ii + G_jj − 2G_ij. All
rows are one sparse matrix times vec(G), divided by d², so that nothing is lost in Python loops. The last point is
mapped to 0, which leaves an interior. Nothing is imported from certify, and nothing is proved.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import cvxpy as cp
import numpy as np
import scipy.sparse as sp

OPTIONS = {
    "CLARABEL": {},
    "SCS": {"eps_abs": 1e-6, "eps_rel": 1e-6, "max_iters": 20_000},
}


@dataclass(frozen=True)
class Outcome:
    """What a solver said, and the seconds that CVXPY and the solver took."""

    status: str
    value: float | None
    compile_seconds: float
    solve_seconds: float


def model(squares: np.ndarray, expand: np.ndarray) -> cp.Problem:
    """The programme. squares: (n, n) squared distances; expand: (m, 2) pairs, the edges for a graph metric."""
    n = len(squares)
    gram, t = cp.Variable((n - 1, n - 1), PSD=True), cp.Variable()

    def stretch(i: np.ndarray, j: np.ndarray) -> cp.Expression:
        """z/d² on the pairs (i, j)."""
        rows, columns, entries = [], [], []
        for a, b, sign in ((i, i, 1.0), (j, j, 1.0), (i, j, -1.0), (j, i, -1.0)):
            inside = np.flatnonzero((a < n - 1) & (b < n - 1))
            rows.append(inside)
            columns.append(a[inside] + b[inside] * (n - 1))
            entries.append(sign / squares[i[inside], j[inside]])
        places = np.concatenate(rows), np.concatenate(columns)
        table = sp.csr_array((np.concatenate(entries), places), shape=(len(i), (n - 1) ** 2))
        return table @ cp.vec(gram, order="F")

    return cp.Problem(cp.Minimize(t), [stretch(*np.triu_indices(n, 1)) >= 1, stretch(*expand.T) <= t])


def solve(name: str, squares: np.ndarray, expand: np.ndarray) -> Outcome:
    """Build, compile and solve; the first two count as compiling. ``name``: CLARABEL or SCS."""
    began = time.perf_counter()
    problem = model(squares, expand)
    data, chain, inverse = problem.get_problem_data(name, solver_opts=dict(OPTIONS[name]))
    compiled = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "may be inaccurate" is in the status
        raw = chain.solve_via_data(problem, data, solver_opts=dict(OPTIONS[name]))
        ended = time.perf_counter()
        problem.unpack_results(raw, chain, inverse)
    value = None if problem.value is None or not np.isfinite(problem.value) else float(problem.value)
    return Outcome(str(problem.status), value, compiled - began, ended - compiled)
