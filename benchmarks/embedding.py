"""What the embedding family costs, beside what one would otherwise run. One command: python benchmarks/embedding.py

Every case runs in a process of its own, one after the other: its wall-clock times and its peak memory are its own.
The numbers are explained in README.md.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

HERE = Path(__file__).resolve().parent
PACKAGES = ("certify", "numpy", "scipy", "cvxpy", "clarabel", "scs", "python-flint", "networkx")
TIME_LIMIT = 900.0  # seconds for certify.solve, and twice as many for a baseline
PURE_POINTS = 300  # beyond it the check in pure Python is for --long
Json = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One line of a table: a metric, and who solves it (``certify`` or a solver of CVXPY)."""

    group: str
    name: str
    build: Callable[[], Any]  # a networkx graph (with the attribute "length", or length 1) or rows of integer distances
    points: int
    engine: str = "certify"
    long: bool = False
    options: tuple[tuple[str, Any], ...] = ()

    @property
    def key(self) -> str:
        return f"{self.group}/{self.name}/{self.engine}"


def cases() -> Iterator[Case]:
    """Everything that is measured, in order."""
    for n in (20, 40, 80, 160, 300):
        graph = partial(nx.random_regular_graph, 3, n, seed=1)
        yield Case("cubic", f"n = {n}", graph, n, long=n > 160)
        if n <= 80:
            yield Case("cubic", f"n = {n}", graph, n, "CLARABEL")
        if n <= 160:
            yield Case("cubic", f"n = {n}", graph, n, "SCS", long=n > 80)
    yield Case("symmetric", "cycle C_1000", partial(nx.cycle_graph, 1000), 1000)
    yield Case("symmetric", "cycle C_1001", partial(nx.cycle_graph, 1001), 1001)
    yield Case("symmetric", "cube Q_10", partial(nx.hypercube_graph, 10), 1024)
    yield Case("symmetric", "Johnson J(12,4)", partial(johnson, 12, 4), 495)
    yield Case("symmetric", "Cayley graph of S_6", partial(permutohedron, 6), 720)
    for seed in (1, 2, 3):
        yield Case("degenerate", f"random tree, seed {seed}", partial(nx.random_labeled_tree, 100, seed=seed), 100)
    yield Case("degenerate", "binary tree, depth 5", partial(nx.balanced_tree, 2, 5), 63)
    loose = (("gap", 1e-5),)
    yield Case("degenerate", "grid 10×10", partial(nx.grid_2d_graph, 10, 10), 100, options=loose)
    yield Case("degenerate", "grid 15×15", partial(nx.grid_2d_graph, 15, 15), 225, options=loose)
    yield Case("degenerate", "path", partial(nx.path_graph, 200), 200)
    yield Case("degenerate", "star", partial(nx.star_graph, 299), 300)
    yield Case("degenerate", "lengths of spread 1e6", partial(spread, 60), 60)
    yield Case("degenerate", "cities, noisy roads", partial(cities, 120), 120)
    yield Case("degenerate", "cities, L1", partial(blocks, 120), 120)
    for n, name, graph in (
        (500, "cubic", partial(nx.random_regular_graph, 3, 500, seed=1)),
        (1000, "cubic", partial(nx.random_regular_graph, 3, 1000, seed=1)),
        (1000, "geometric", partial(geometric, 1000)),
    ):
        options = (("solver", "low-rank"), ("time_limit", 180), ("gap", 1e-3))
        yield Case("large", f"{name}, n = {n}", graph, n, long=True, options=options)


def johnson(n: int, k: int) -> nx.Graph:
    """k-subsets of n elements, joined when they share k − 1."""
    sets = list(map(frozenset, combinations(range(n), k)))
    return nx.Graph((s, s - {x} | {y}) for s in sets for x in s for y in range(n) if y not in s)


def permutohedron(n: int) -> nx.Graph:
    """The Cayley graph of the symmetric group by adjacent transpositions."""
    return nx.Graph((p, (*p[:i], p[i + 1], p[i], *p[i + 2 :])) for p in permutations(range(n)) for i in range(n - 1))


def geometric(n: int) -> nx.Graph:
    """Points of the unit square, joined when nearer than a little more than what connects them; the first connected."""
    radius = 1.6 * math.sqrt(math.log(n) / (math.pi * n))
    graphs = (nx.random_geometric_graph(n, radius, seed=seed) for seed in range(1, 100))
    return next(graph for graph in graphs if nx.is_connected(graph))


def spread(n: int) -> nx.Graph:
    """A cubic graph with lengths 10^u, u even on [0, 6], as integers."""
    graph = nx.random_regular_graph(3, n, seed=1)
    lengths = np.rint(10 ** np.random.default_rng(1).uniform(0, 6, graph.number_of_edges())).astype(int)
    nx.set_edge_attributes(graph, dict(zip(sorted(graph.edges), map(int, lengths), strict=True)), "length")
    return graph


def cities(n: int) -> list[list[int]]:
    """Random points of a plane, distances with noise of a third, made a metric by shortest paths."""
    random = np.random.default_rng(1)
    points = random.random((n, 2)) * 1000
    roads = np.linalg.norm(points[:, None] - points, axis=2) * np.exp(0.3 * random.standard_normal((n, n)))
    roads = np.rint(np.triu(roads, 1)) + 1
    table = nx.floyd_warshall_numpy(nx.from_numpy_array(np.triu(roads, 1)))
    return [[int(x) for x in row] for row in np.asarray(table)]


def blocks(n: int) -> list[list[int]]:
    """Random points of a grid, in the distance of taxis."""
    points = np.random.default_rng(1).choice(10**6, n, replace=False)
    x, y = np.divmod(points, 1000)
    return [[int(d) for d in row] for row in abs(x[:, None] - x) + abs(y[:, None] - y)]


# --------------------------------------------------------------------------------------- one case, in a process


def problem_of(case: Case) -> Any:
    """The exact problem of a case."""
    import certify

    data = case.build()
    if isinstance(data, list):
        return certify.Embedding.from_distances(data)
    weighted = any("length" in attributes for _, _, attributes in data.edges(data=True))
    return certify.Embedding.from_graph(data, length="length" if weighted else None)


def measured(case: Case, long: bool) -> Json:
    """Run one case here."""
    numbers = proved(case, long) if case.engine == "certify" else claimed(case)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # kibibytes on Linux
    return {
        "group": case.group,
        "name": case.name,
        "points": case.points,
        "engine": case.engine,
        **numbers,
        "MiB": peak,
    }


def proved(case: Case, long: bool) -> Json:
    """certify.solve, and checks of the certificate as a file."""
    import certify

    options: Json = {"gap": 1e-6, "time_limit": TIME_LIMIT, **dict(case.options)}
    certify.solve(certify.Embedding.from_graph(nx.cycle_graph(5)))  # imports are not what is measured
    began = time.perf_counter()
    problem = problem_of(case)
    built = time.perf_counter()
    result = certify.solve(problem, **options)
    ended = time.perf_counter()
    low, high = result.bounds.floats()
    numbers: Json = {
        "build": built - began,
        "seconds": ended - built,
        "solve": result.seconds.solve,
        "round": result.seconds.round,
        "check": result.seconds.check,
        "status": result.status.word,
        "stopped": result.stopped.word,
        "lower": low,
        "upper": high,
        "gap": result.gap,
        "engine_used": None if result.claim is None else result.claim.name,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "case.cert.json"
        result.certificate.save(path)
        numbers["bytes"] = path.stat().st_size
        for name, pure in (("check_fast", False), ("check_pure", True)):
            numbers[name] = None
            if not pure or long or case.points <= PURE_POINTS:
                began = time.perf_counter()
                verdict = certify.check(path, pure=pure)
                numbers[name] = time.perf_counter() - began
                if not verdict.valid or verdict.best(">=") != result.bounds.lower:
                    raise SystemExit(f"{case.key}: the certificate is not what solve returned")
    return numbers


def claimed(case: Case) -> Json:
    """A solver of CVXPY on all pairs; the expandable pairs are given, and cost it nothing."""
    from baselines.embedding import solve

    from certify.solvers.pairs import expandable_pairs

    squares = problem_of(case).squared_distances()
    expand = expandable_pairs(squares)
    ring = (np.arange(5)[:, None] - np.arange(5)) % 5
    tiny = np.minimum(ring, 5 - ring) ** 2.0
    solve(case.engine, tiny, expandable_pairs(tiny))
    outcome = solve(case.engine, squares, expand)
    return {
        "seconds": outcome.solve_seconds,
        "compile": outcome.compile_seconds,
        "status": outcome.status,
        "value": outcome.value,
    }


def run(case: Case, long: bool) -> Json:
    """One case in a process of its own; what failed says so instead of numbers."""
    command = [sys.executable, str(Path(__file__).resolve()), "--case", case.key, *(["--long"] if long else [])]
    failed = {"group": case.group, "name": case.name, "points": case.points, "engine": case.engine}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=2 * TIME_LIMIT + 600, check=False)
    except subprocess.TimeoutExpired:
        return {**failed, "status": "out of time"}
    if done.returncode != 0:
        return {**failed, "status": (done.stderr.strip().splitlines() or ["failed"])[-1]}
    numbers: Json = json.loads(done.stdout.splitlines()[-1])
    return numbers


# --------------------------------------------------------------------------------------------------- the tables


def shown(value: float | None, digits: int = 3) -> str:
    """A number for a table; a dash for none."""
    if value is None:
        return "–"
    return f"{value:.{digits}g}" if abs(value) < 1000 else f"{value:.0f}"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with even columns."""
    widths = [max(len(row[c]) for row in [head, *rows]) for c in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(x.ljust(w) for x, w in zip(line, widths, strict=True)) + " |" for line in lines)


def comparison(results: list[Json]) -> str:
    """certify against the solvers, a line for each size."""
    head = ["n", "certify: s", "gap (proved)", "Clarabel: s", "SCS: s", "off by (Clarabel)", "off by (SCS)", "ratio"]
    rows = []
    ours = {r["points"]: r for r in results if r["group"] == "cubic" and r["engine"] == "certify"}
    for n, mine in sorted(ours.items()):
        theirs = {r["engine"]: r for r in results if r["group"] == "cubic" and r["points"] == n and r is not mine}
        seconds = [r["seconds"] for r in theirs.values() if "seconds" in r]
        ratio = f"{min(seconds) / mine['seconds']:.1f}" if seconds and "seconds" in mine else "–"
        cells = [str(n), shown(mine.get("seconds")), shown(mine.get("gap"))]
        cells += [took(theirs.get(name)) for name in ("CLARABEL", "SCS")]
        cells += [shown(off(theirs.get(name), mine)) for name in ("CLARABEL", "SCS")]
        rows.append([*cells, ratio])
    return table(head, rows)


def took(result: Json | None) -> str:
    """Solve time, and compile time in brackets."""
    if result is None:
        return "–"
    return f"{shown(result['seconds'])} (+{shown(result['compile'])})" if "seconds" in result else result["status"]


def off(result: Json | None, mine: Json) -> float | None:
    """By how much, relatively, a claimed value lies outside the proved interval."""
    if result is None or result.get("value") is None or mine.get("upper") is None or mine.get("lower") is None:
        return None
    value: float = result["value"]
    return max(float(mine["lower"]) - value, value - float(mine["upper"]), 0.0) / float(mine["upper"])


def detail(results: list[Json], group: str) -> str:
    """certify alone, a line for each case of a group."""
    head = [
        "case",
        "n",
        "s",
        "solve",
        "round",
        "kernel",
        "gap",
        "status",
        "certificate",
        "check",
        "pure",
        "MiB",
        "engine",
    ]
    rows = []
    for r in results:
        if r["group"] == group and r["engine"] == "certify":
            times = [shown(r.get(key)) for key in ("seconds", "solve", "round", "check")]
            size = f"{r['bytes'] / 2**20:.2g} MiB" if "bytes" in r else "–"
            checks = [shown(r.get(key)) for key in ("check_fast", "check_pure", "MiB")]
            used = r.get("engine_used") or "–"
            rows.append([r["name"], str(r["points"]), *times, shown(r.get("gap")), r["status"], size, *checks, used])
    return table(head, rows) if rows else ""


TITLES = {
    "cubic": "Random cubic graphs, seed 1: certify alone",
    "symmetric": "Vertex-transitive graphs",
    "degenerate": "Degenerate and general metrics",
    "large": "Bounds for many points",
}


def page(results: list[Json], made: Json) -> str:
    """All tables, in Markdown."""
    parts = ["# Embedding", f"{made['machine']}; {made['versions']}. What the columns mean: ../README.md."]
    if any(r["group"] == "cubic" for r in results):
        parts += [
            "## Random cubic graphs, seed 1: proof included, against solvers that prove nothing",
            comparison(results),
        ]
    for group, title in TITLES.items():
        if lines := detail(results, group):
            parts += [f"## {title}", lines]
    return "\n\n".join(parts) + "\n"


def figure(results: list[Json], path: Path) -> None:
    """Seconds against n on logarithmic axes; the same bytes for the same numbers."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "certify"
    from matplotlib import pyplot as plt

    drawing, axes = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
    for engine, mark, label in (
        ("certify", "o-", "certify, proof included"),
        ("CLARABEL", "s--", "CVXPY + Clarabel, nothing proved"),
        ("SCS", "^:", "CVXPY + SCS, nothing proved"),
    ):
        points = sorted(
            (r["points"], r["seconds"])
            for r in results
            if r["group"] == "cubic" and r["engine"] == engine and "seconds" in r
        )
        if not points:
            continue
        (line,) = axes.loglog(*zip(*points, strict=True), mark, label=label)
        across, along = ("left", "top") if engine == "certify" else ("right", "bottom")
        for (n, s), (m, t) in pairwise(points):
            exponent = f"$n^{{{math.log(t / s) / math.log(m / n):.1f}}}$"
            middle = math.sqrt(n * m), math.sqrt(s * t)
            axes.annotate(exponent, middle, fontsize=8, color=line.get_color(), ha=across, va=along)
    ticks = sorted({r["points"] for r in results if r["group"] == "cubic"})
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.minorticks_off()
    axes.set(xlabel="points of a random cubic graph", ylabel="seconds")
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)
    drawing.savefig(path, format="svg", metadata={"Date": None})
    plt.close(drawing)


def machine() -> str:
    """Cores and memory, and nothing else of the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{os.cpu_count()} cores, {math.ceil(memory)} GiB"


def main() -> None:
    """Parse, run, print; write the results of a whole run, or where --out says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--long", action="store_true", help="also what takes many minutes")
    parser.add_argument("--only", default="", help="cases whose group/name/engine contains this text")
    parser.add_argument("--most", type=int, default=10**9, help="cases of at most so many points")
    parser.add_argument(
        "--out", type=Path, help="folder for embedding.json, .md and .svg (default: results/ for a whole run)"
    )
    parser.add_argument("--case", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.case:
        case = next(case for case in cases() if case.key == wanted.case)
        print(json.dumps(measured(case, wanted.long)))
        return
    chosen = [c for c in cases() if wanted.only in c.key and c.points <= wanted.most and (wanted.long or not c.long)]
    results = []
    for number, case in enumerate(chosen, 1):
        print(f"[{number}/{len(chosen)}] {case.key} …", file=sys.stderr, end=" ", flush=True)
        results.append(run(case, wanted.long))
        print(shown(results[-1].get("seconds")), results[-1]["status"], file=sys.stderr)
    made = {"machine": machine(), "versions": ", ".join(f"{name} {version(name)}" for name in PACKAGES)}
    print(page(results, made))
    whole = not wanted.only and wanted.most == 10**9
    folder = wanted.out or (HERE / "results" if whole else None)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "embedding.json").write_text(
            json.dumps({**made, "results": results}, indent=1, ensure_ascii=False) + "\n"
        )
        (folder / "embedding.md").write_text(page(results, made))
        figure(results, folder / "embedding.svg")


if __name__ == "__main__":
    main()
