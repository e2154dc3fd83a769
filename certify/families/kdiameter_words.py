"""What a certificate of k-diameter says, in words. And a problem file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from certify.families.kdiameter import KDiameter


def explained(problem: KDiameter, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which points make the bounds."""
    what = "squared distance" if problem.diameters.squared else "distance"
    unit = float(problem.diameters.c.unit)
    for witness in witnesses:
        if witness["kind"] == "labels":
            labels = problem.solution_of(witness)
            table, values = problem.places
            sizes = sorted((int((labels == label).sum()) for label in set(labels.tolist())), reverse=True)
            yield f"upper end: clusters of {', '.join(map(str, sizes[:30]))} points"
            same = labels[:, None] == labels[None, :]
            i, j = np.unravel_index(int(np.argmax(np.where(same, table, -1))), table.shape)
            far = values[int(table[i, j])] * unit
            yield f"  the widest pair: {problem.name_of(int(i))} and {problem.name_of(int(j))}, {what} about {far:.8g}"
        elif witness["kind"] == "refutation":
            yield (
                f"lower end: among {len(witness['vertices'])} points the pairs at least that far apart cannot be "
                f"parted into {problem.k} clusters: a refutation of {len(witness['clauses'])} clauses, replayed"
            )
        else:
            points = ", ".join(problem.name_of(int(i)) for i in witness["points"][:20])
            shape = "points far from each other" if witness["kind"] == "clique" else "an odd cycle of far steps"
            yield f"lower end: {shape}: {points}{', …' if len(witness['points']) > 20 else ''}"


TEMPLATE = """\
# A problem file of the family "kdiameter": the least diameter that k clusters can all have.
# Solve it:  certify solve kdiameter.toml
family = "kdiameter"
title  = "Seven points in the plane"
k = 2                 # at most so many clusters

[metric]
# One of:
#   points = "points.csv"                        with norm = "l2", "l1" or "linf"; the quantity is diameter_squared
#   squared_distances = [[0, 2], [2, 0]]         a symmetric table; the quantity is diameter_squared
#   distances = "table.csv"                      a symmetric table; the quantity is diameter
#   edges = [["a", "b"], ["b", "c", "1/3"]]      a graph: the length of shortest paths; also graph, generator
points = [[5, 6], [6, 6], [6, 5], [6, 2], [6, 1], [5, 1], [2, 3]]

[solve]
gap = 1e-6            # relative gap to reach
time_limit = 300      # seconds

[known]               # what is known of diameter_squared; compared and printed
value = "20"
relation = "=="
"""
