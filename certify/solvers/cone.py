"""The embedding SDP through CVXPY: the reference model, solved by Clarabel or by SCS."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from certify.problem import Claim
from certify.solvers.answer import EmbeddingAnswer

if TYPE_CHECKING:
    import cvxpy

OVERTIME = 1.0  # seconds beyond its limit after which an engine that does not watch the clock is left alone


@dataclass(frozen=True)
class EmbeddingModel:
    """min t over Gram matrices G ⪰ 0 with  d_p² <= ⟨v_p v_pᵀ, G⟩  and  ⟨v_e v_eᵀ, G⟩ <= t·d_e²."""

    problem: cvxpy.Problem
    gram: Any
    contract: NDArray[np.int64]
    expand: NDArray[np.int64]


def embedding_model(squares: NDArray[np.float64], expand: NDArray[np.int64]) -> EmbeddingModel:
    """The model over all pairs. Rows are divided by d², so that each reads >= 1 or <= t.

    squares: (n, n) squared distances; expand: (m, 2) pairs that can be expanded most. The optimal value is
    the squared distortion; the last point is mapped to 0.
    """
    import cvxpy as cp
    import scipy.sparse as sp

    n = len(squares)
    i, j = np.triu_indices(n, 1)
    contract = np.column_stack([i, j])
    gram = cp.Variable((n - 1, n - 1), PSD=True)
    t = cp.Variable()

    def stretch(pairs: NDArray[np.int64]) -> Any:
        """The vector ⟨v vᵀ, G⟩/d² over the pairs, as one sparse matrix times vec(G)."""
        rows, columns, entries = [], [], []
        for sign, left, right in ((1.0, 0, 0), (1.0, 1, 1), (-1.0, 0, 1), (-1.0, 1, 0)):
            a, b = pairs[:, left], pairs[:, right]
            inside = (a < n - 1) & (b < n - 1)
            rows.append(np.flatnonzero(inside))
            columns.append(a[inside] + b[inside] * (n - 1))
            entries.append(sign / squares[pairs[inside, 0], pairs[inside, 1]])
        data = (np.concatenate(entries), (np.concatenate(rows), np.concatenate(columns)))
        operator = sp.csr_matrix(data, shape=(len(pairs), (n - 1) ** 2))
        return operator @ cp.vec(gram, order="F")

    problem = cp.Problem(cp.Minimize(t), [stretch(contract) >= 1, stretch(expand) <= t])
    return EmbeddingModel(problem, gram, contract, expand)


def solve(
    name: str, squares: NDArray[np.float64], expand: NDArray[np.int64], *, remaining: Callable[[], float]
) -> EmbeddingAnswer:
    """One run of Clarabel or SCS on the full model, within the remaining seconds; whatever came out of it."""
    import cvxpy as cp

    model = embedding_model(squares, expand)
    seconds = max(0.1, remaining())
    options: dict[str, Any]
    if name == "clarabel":
        options = {"solver": cp.CLARABEL, "time_limit": seconds, "accept_unknown": True}
    else:
        options = {"solver": cp.SCS, "time_limit_secs": seconds, "eps_abs": 1e-7, "eps_rel": 1e-7, "max_iters": 20_000}
    failure = _in_background(lambda: _quietly(model.problem, options), seconds + OVERTIME)
    if failure is not None or model.gram.value is None:
        status = f"failed: {failure}" if failure else str(model.problem.status)
        return EmbeddingAnswer(None, None, None, None, None, Claim(name.upper(), status, None))
    full = np.zeros((len(squares), len(squares)))
    full[:-1, :-1] = (model.gram.value + model.gram.value.T) / 2
    values, vectors = np.linalg.eigh(full)
    points = vectors * np.sqrt(np.maximum(values, 0.0))
    duals = [constraint.dual_value for constraint in model.problem.constraints]
    value = float(model.problem.value)
    claim = Claim(name.upper(), str(model.problem.status), value if np.isfinite(value) else None)
    if duals[0] is None or duals[1] is None:
        return EmbeddingAnswer(points, None, None, None, None, claim)
    # A row is divided by d², so its multiplier is y·d².
    y_p = np.asarray(duals[0]) / squares[model.contract[:, 0], model.contract[:, 1]]
    y_e = np.asarray(duals[1]) / squares[model.expand[:, 0], model.expand[:, 1]]
    return EmbeddingAnswer(points, model.expand, y_e, model.contract, y_p, claim)


def _quietly(problem: cvxpy.Problem, options: dict[str, Any]) -> None:
    """Solve; CVXPY's warning that the answer may be inaccurate is for those who would believe it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        problem.solve(**options)


def _in_background(work: Callable[[], Any], seconds: float) -> str | None:
    """Run compiled code in a thread for at most these seconds, so that Ctrl-C reaches this one at once.

    Returns why it failed, or None. A thread that is late goes on by itself: nothing waits for it.
    """
    failure: list[str] = []

    def run() -> None:
        try:
            work()
        except Exception as fault:  # whatever a solver throws is its failure to answer, not ours
            failure.append(f"{type(fault).__name__}: {str(fault).splitlines()[0] if str(fault) else ''}")

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive():
        thread.join(0.1)
        _keep_interrupt()
        if thread.is_alive() and time.monotonic() > end:
            return "it did not stop at the time limit"
    return failure[0] if failure else None


def _keep_interrupt() -> None:
    """Take Ctrl-C back: SCS catches it for itself while it runs, and would only stop its own run."""
    if threading.current_thread() is threading.main_thread():
        handler = signal.getsignal(signal.SIGINT)
        if callable(handler):
            signal.signal(signal.SIGINT, handler)
