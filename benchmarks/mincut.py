"""Least cuts: our solve and proof beside networkx. ``python benchmarks/mincut.py`` (some minutes).

G(n, m) with n = 1,000, m = 10,000, unit and weighted, against networkx.stoer_wagner on the same graph in the same run;
graphs that contract slowly; and 10⁵ vertices with 10⁶ edges. Seconds of CPU of this process. Writes results/mincut.md.
"""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from certify import MinCut, check
from certify.solvers.mincut import least_cut

HEAD = """# Least cuts

Seconds of CPU, one run. `engine`: the value and a side, unproved; `proved`: the whole of `certify.solve` (engine,
kernel, and the file checked once more); `check`: `certify.check` of the certificate alone; `stoer_wagner`: networkx on
the same graph.

| graph | value | status | engine | proved | check | stoer_wagner | engine faster by | proved faster by |
|---|---|---|---|---|---|---|---|---|
"""


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    began = time.process_time()
    found = work()
    return time.process_time() - began, found


def row(name: str, problem: MinCut, graph: nx.Graph[Any] | None = None) -> str:
    """One line of the table; ``graph`` is given where networkx is to compete."""
    engine, _ = timed(lambda: least_cut(problem.size, problem.edges))
    whole, result = timed(lambda: problem.solve(time_limit=1800))
    again, _ = timed(lambda: check(result.certificate.dumps().encode()))
    theirs, ratios = "", ["", ""]
    if graph is not None:
        seconds, (value, _) = timed(lambda: nx.stoer_wagner(graph))
        if value != result.bounds.upper:
            raise RuntimeError(f"{name}: networkx says {value}, proved is {result.bounds}")
        theirs, ratios = f"{seconds:.2f}", [f"{seconds / engine:.0f}", f"{seconds / whole:.0f}"]
    cells = [
        name,
        result.bounds.upper,
        result.status.word,
        f"{engine:.3f}",
        f"{whole:.2f}",
        f"{again:.2f}",
        theirs,
        *ratios,
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def large(n: int, m: int) -> MinCut:
    """A random graph with weights from 1 to 99."""
    rng = np.random.default_rng(3)
    pairs = rng.integers(0, n, (m + m // 50, 2))
    pairs = np.unique(np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1), axis=0)
    pairs = pairs[np.sort(rng.permutation(len(pairs))[:m])]
    edges = [(int(u), int(v), int(w)) for (u, v), w in zip(pairs, rng.integers(1, 100, len(pairs)), strict=True)]
    return MinCut.from_edges(edges, vertices=range(n))


def main() -> None:
    lines = []
    graph = nx.gnm_random_graph(1000, 10000, seed=1)
    rng = np.random.default_rng(5)
    for name, top in (("G(1000, 10000), unit", 1), ("G(1000, 10000), weights 1 to 1000", 1000)):
        for _, _, data in graph.edges(data=True):
            data["weight"] = int(rng.integers(1, top + 1))
        lines.append(row(name, MinCut.from_graph(graph), graph))
    slow = {
        "cycle of 1000": nx.cycle_graph(1000),
        "hypercube Q10": nx.hypercube_graph(10),
        "torus 32 × 32": nx.grid_2d_graph(32, 32, periodic=True),
    }
    lines += [row(name, MinCut.from_graph(each)) for name, each in slow.items()]
    lines.append(row("G(10^5, 10^6), weights 1 to 99", large(100_000, 1_000_000)))
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    note = f"\nPeak memory of the whole run: {memory:.2f} GiB.\n"
    path = Path(__file__).parent / "results" / "mincut.md"
    path.write_text(HEAD + "\n".join(lines) + "\n" + note, encoding="utf-8")


if __name__ == "__main__":
    main()
