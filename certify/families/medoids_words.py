"""What certificates of centres say, in words, and problem files to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from certify.families.medoids import Centred


def explained(problem: Centred, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which items make the bounds."""
    unit = float(problem.dissimilarity.unit)
    for witness in witnesses:
        kind = witness["kind"]
        if kind == "centres":
            serving = problem.solution_of(witness)
            paid = problem.costs[serving, np.arange(len(problem))] * unit
            centres = sorted(set(serving.tolist()))
            yield f"upper end: {len(centres)} centres"
            for i in centres[:20]:
                own = serving == i
                yield (
                    f"  candidate {_candidate(problem, i)} serves {int(own.sum())} items, "
                    f"in all about {paid[own].sum():.6g}, the dearest for about {paid[own].max():.6g}"
                )
            dear = int(np.argmax(paid))
            yield f"  the dearest item is {problem.name_of(dear)}: about {paid[dear]:.6g}"
        elif kind == "multipliers":
            leaves = sum(1 for entry in witness["tree"] if int(entry) >= 0)
            v = np.array([float(int(x)) for x in witness["v"][0]])
            yield (
                "lower end: a price for each item (Lagrangian multipliers of Cornuéjols, Fisher and Nemhauser)"
                + (f", by {leaves} cases of which candidates are centres" if leaves > 1 else "")
            )
            for j in np.argsort(-v, kind="stable")[:5].tolist():
                if v.sum() > 0:
                    yield f"  item {problem.name_of(j)} carries {v[j] / v.sum():.1%} of the prices"
        else:
            leaves = sum(1 for entry in witness["tree"] if int(entry) >= 0)
            i, j = (int(x) for x in witness["radius"])
            weights = [int(w) for w in witness["weights"][0]]
            carrying = [t for t, w in enumerate(weights) if w]
            yield (
                f"lower end: no {problem.k} balls below the dissimilarity of {_candidate(problem, i)} to "
                f"{problem.name_of(j)} hold all items"
                + (f", by {leaves} cases of which candidates are centres" if leaves > 1 else "")
            )
            names = ", ".join(problem.name_of(t) for t in carrying[:12])
            yield f"  {len(carrying)} items carry weight: {names}{', …' if len(carrying) > 12 else ''}"


def _candidate(problem: Centred, i: int) -> str:
    own = problem.sites is None and problem.dissimilarity.candidates == len(problem)
    return problem.name_of(i) if own else str(i)


_HEAD = """\
# A problem file of the family "{name}": {what}.
# Solve it:  certify solve {name}.toml
family = "{name}"
title  = "Seven points in the plane"
k = 2                 # at most so many centres
power = 1             # 2: squared distances
{more}
[metric]
# One of:
#   points = "points.csv"                        with norm = "l2", "l1" or "linf"
#   distances = "table.csv"                      row i, column j: what candidate i charges item j; may be asymmetric
#   squared_distances = [[0, 2], [2, 0]]         for distances that are square roots
#   edges = [["a", "b"], ["b", "c", "1/3"]]      a graph: the length of shortest paths; also graph, generator
points = [[5, 6], [6, 6], [6, 5], [6, 2], [6, 1], [5, 1], [2, 3]]
norm = "l1"

[solve]
gap = 1e-6            # relative gap to reach
time_limit = 300      # seconds

[known]               # what is known of the cost; compared and printed
value = "{known}"
relation = "=="
"""
_KNOWN = {"kmedoids": "10", "kmedian": "10", "kcenter": "5"}  # of the seven points: by looking at all 21 pairs
_WHAT = {
    "kmedoids": ("k items become centres, and the others pay for the way to the nearest of them", ""),
    "kmedian": (
        "k candidates become centres, and all items pay for the way to the nearest of them",
        "# candidates = [[5, 5], [6, 2]]     points that may be centres (default: the points), or a path\n",
    ),
    "kcenter": ("k items become centres, and the farthest of the others is as near as can be", ""),
}


def template(name: str) -> str:
    """A commented problem file."""
    what, more = _WHAT[name]
    return _HEAD.format(name=name, what=what, more=more, known=_KNOWN[name])
