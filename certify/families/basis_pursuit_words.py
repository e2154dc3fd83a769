"""What a certificate of basis pursuit says, in words, and a problem file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certify.families.basis_pursuit import BasisPursuit

MOST_LISTED = 12

TEMPLATE = """# The least l1 norm of a vector with given measurements. Solve with: certify solve recovery.toml
family = "basis_pursuit"
title = "One spike seen through three measurements"
# noise = "1/100"                      # then ||Wv - y||_2 <= noise is asked for, not Wv = y

[matrix]
# one row a measurement; or csv = "w.csv", npy = "w.npy", mtx = "w.mtx",
# or generator = {name = "gaussian", rows = 50, columns = 128, seed = 7}
rows = [[1, 0, 1, "1/2"], [0, 1, 1, -1], [1, 1, 0, 0.25]]

[rhs]
# values = [2, 2, 0]                   # the measurements; or csv, npy
x_true = [0, 0, 2, 0]                  # or the vector itself: y := W x_true, exactly

[known]                                # what the literature says; compared and printed
value = "2"
"""


def recovery_explained(problem: BasisPursuit, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which columns carry the vector, how many are tight, and whether the minimiser is unique."""
    for witness in witnesses:
        what = witness["kind"]
        if what == "vector":
            index = [int(j) for j in witness["index"]]
            shown = ", ".join(map(str, index[:MOST_LISTED])) + (", …" if len(index) > MOST_LISTED else "")
            yield f"a vector with {len(index)} of {len(problem)} entries not zero (columns {shown}) is feasible exactly"
        elif what == "farkas":
            used = [i for i, x in enumerate(witness["value"]) if int(x)]
            yield f"the {len(used)} rows {used[:MOST_LISTED]} contradict each other: a combination of them reads 0 = 1"
        else:
            tight = sum(1 for _ in problem._tight(witness))
            yield f"the dual vector is tight on {tight} columns"
            if "unique" in witness:
                yield "these columns are independent: the minimiser is unique"
