"""What the null-space constant says to a person: the file to start from, and what proves the bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TEMPLATE = """# How far vectors of the kernel gather on s entries. Solve with: certify solve nullspace.toml
# Below 1/2, and only then, the least l1 norm recovers every vector of at most s entries.
family = "nullspace"
title = "The cycles of K33"
s = 1

[matrix]
generator = {name = "incidence", args = ["complete_bipartite_graph", 3, 3]}

[known]                     # compared and printed: s over the girth
value = "1/4"
"""


def nullspace_explained(s: int, witnesses: list[Mapping[str, Any]]) -> list[str]:
    """Lines on each witness."""
    lines = []
    for witness in witnesses:
        if witness["kind"] == "kernel":
            z = [int(x) for x in witness["value"]]
            largest = sorted(sorted(range(len(z)), key=lambda j: -abs(z[j]))[:s])
            lines.append(f"a vector of the kernel with {sum(map(bool, z))} entries gathers on the columns {largest}")
        elif witness["kind"] == "dual":
            lines.append("one dual vector a column bounds every row of I - W'U")
        elif witness["kind"] == "tree":
            own = len(witness["special"])
            lines.append(
                f"all signed sets of {s} columns were gone through; {own} of them have dual vectors of their own"
            )
    return lines
