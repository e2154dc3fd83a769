"""What k-means costs, beside what one would otherwise run. One command: python benchmarks/kmeans.py

Ours: solve to a gap of 1e-6, and check the certificate in a process of its own. Beside it: scikit-learn's KMeans (a
clustering without any bound), and the Peng–Wei semidefinite programme in CVXPY with SCS (a bound in floating point).
CPU seconds of one process, one thread of linear algebra.
"""

from __future__ import annotations

import os

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import certify
from certify.formats.table import read_table

HERE = Path(__file__).resolve().parent
DATA = HERE.parent / "problems" / "data"


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    began = time.process_time()
    return work(), time.process_time() - began


def checked(result: certify.Result) -> float:
    """Seconds of CPU that a new process takes to check the certificate, its start included."""
    with tempfile.TemporaryDirectory() as folder:
        path = result.certificate.save(Path(folder) / "x.cert.json")
        before = os.times()
        done = subprocess.run(
            [sys.executable, "-I", "-m", "certify.kernel", str(path)], capture_output=True, check=False
        )
        after = os.times()
    assert done.returncode == 0
    return after.children_user + after.children_system - before.children_user - before.children_system


def proved(name: str, rows: Any, k: int) -> str:
    from sklearn.cluster import KMeans

    result, seconds = timed(lambda: certify.KMeans(rows, k).solve(time_limit=300))
    floats = np.array([[float(x) for x in row] for row in rows])
    model, theirs = timed(lambda: KMeans(k, n_init=10, random_state=0).fit(floats))
    low, high = result.bounds.floats()
    excess = model.inertia_ / high - 1 if high else 0.0
    return (
        f"| {name} | {k} | {low:.8g} | {high:.8g} | {result.gap:.1e} | {seconds:.2f} | {checked(result):.2f} "
        f"| {theirs:.2f} | {max(excess, 0):.3%} |"
    )


def peng_wei(floats: Any, k: int) -> tuple[float, float]:
    """The bound of the semidefinite programme as SCS returns it, and its seconds."""
    import cvxpy as cp

    n = len(floats)
    distances = ((floats[:, None] - floats[None]) ** 2).sum(axis=2)
    z = cp.Variable((n, n), PSD=True)
    problem = cp.Problem(cp.Minimize(cp.trace(distances @ z) / 2), [z >= 0, cp.sum(z, axis=1) == 1, cp.trace(z) == k])
    value, seconds = timed(lambda: problem.solve(solver=cp.SCS, eps=1e-5))
    return float(value), seconds


def relaxed(rows: Any, n: int, k: int) -> str:
    some = rows[:: len(rows) // n][:n]
    result, seconds = timed(lambda: certify.KMeans(some, k).solve(time_limit=300))
    value, theirs = peng_wei(np.array([[float(x) for x in row] for row in some]), k)
    low, high = result.bounds.floats()
    return (
        f"| {n} | {k} | {low:.8g} | {high:.8g} | {seconds:.2f} | {value:.8g} | {1 - value / high:.2%} | {theirs:.2f} |"
    )


def lines() -> Iterator[str]:
    iris, ruspini = read_table(DATA / "iris.csv").rows, read_table(DATA / "ruspini.csv").rows
    yield "# k-means: proved optima, beside a clustering and a relaxation\n"
    yield "CPU seconds. `excess`: how far the best of 10 starts of scikit-learn lies above our clustering.\n"
    yield "| data | k | proved lower | proved upper | gap | solve | check | scikit-learn | excess |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, rows in (("ruspini", ruspini), ("iris", iris)):
        for k in range(2, 11):
            yield proved(name, rows, k)
    yield "\nBeside the Peng–Wei programme (CVXPY, SCS at 1e-5; every so many rows of iris). Its bound is not proved.\n"
    yield "| n | k | proved lower | proved upper | solve | SDP bound | its gap | SDP solve |"
    yield "|---|---|---|---|---|---|---|---|"
    for n in (50, 100, 150):
        yield relaxed(iris, n, 3)


if __name__ == "__main__":
    text = []
    for line in lines():
        print(line, flush=True)
        text.append(line)
    (HERE / "results" / "kmeans.md").write_text("\n".join(text) + "\n", encoding="utf-8")
