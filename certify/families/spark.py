"""The spark of a matrix: the least number of dependent columns (Donoho, Elad 2003). See docs/mathematics/spark.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.kernel.spark import canonical_spark
from certify.problem import About, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.exact_linear import PRIME, left_kernel
from certify.rounding.grid import over_common_denominator

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

MOST_SETS = 300_000  # sets of columns of one size that are gone through

TEMPLATE = """# The least number of dependent columns. Solve with: certify solve spark.toml
family = "spark"
title = "Powers of 1 to 6"

[matrix]
rows = [[1, 1, 1, 1, 1, 1], [1, 2, 3, 4, 5, 6], [1, 4, 9, 16, 25, 36]]

[known]                 # compared and printed: any three columns are a Vandermonde matrix
value = "4"
"""


@dataclass(frozen=True)
class Spark(Asking):
    """A matrix rows/denominator (n, d), exactly. Build it with :meth:`of`."""

    denominator: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("enumeration",)

    @staticmethod
    def of(matrix: Any, about: About | None = None) -> Spark:
        """The matrix (n, d), its numbers taken exactly. Raises InputError for entries that are no numbers."""
        w = exact_rows(matrix, "matrix")
        if not w or not w[0]:
            raise InputError(Fault("matrix", "there are no entries", "give rows of numbers"))
        q, rows = over_common_denominator(w)
        table = canonical_spark({"matrix": {"denominator": q, "rows": rows}})[0]["matrix"]
        return Spark(table["denominator"], tuple(map(tuple, table["rows"])), about or About())

    def __len__(self) -> int:
        return len(self.rows[0])

    @property
    def family(self) -> Family:
        return FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        return {"matrix": {"denominator": self.denominator, "rows": [list(row) for row in self.rows]}}

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Sets of columns of size 1, 2, …: in floats for a dependent one, which then is solved exactly."""
        d, n = len(self), len(self.rows)
        yield Proposal({"kind": "independent", "size": 0, "modulus": PRIME}, "lower")
        if d > n:
            yield from self._dependency(tuple(range(n + 1)))
        else:
            yield Proposal({"kind": "convention"}, "upper")
        top = max((abs(e) for row in self.rows for e in row), default=1) or 1
        w = np.array([[float(Fraction(e, top)) for e in row] for row in self.rows])
        for size in range(1, min(n, d) + 1):
            if comb(d, size) > MOST_SETS or effort.remaining() <= 0:
                return
            effort.say(f"sets of {size} columns")
            for chosen in combinations(range(d), size):
                values = np.linalg.svd(w[:, chosen], compute_uv=False)
                if values[-1] <= 1e-9 * max(values[0], 1e-300):
                    found = list(self._dependency(chosen))
                    yield from found
                    if found:
                        return
                if effort.remaining() <= 0:
                    return
            yield Proposal({"kind": "independent", "size": size, "modulus": PRIME}, "lower")

    def _dependency(self, chosen: tuple[int, ...]) -> Iterator[Proposal]:
        """A vector of the kernel on these columns, if there is one: that of fewest entries among a basis."""
        basis = left_kernel([[row[j] for row in self.rows] for j in chosen])
        if basis:
            z = [0] * len(self)
            for j, x in zip(chosen, min(basis, key=lambda v: sum(map(bool, v))), strict=True):
                z[j] = x
            yield Proposal({"kind": "dependency", "value": z}, "upper")

    def assessed(self, solution: Any) -> Proposal | str:
        """A vector (d,) of the kernel of W."""
        rows = exact_rows(solution, "solution")
        given = [x for row in rows for x in row]
        if len(given) != len(self):
            raise InputError(Fault("solution", f"{len(given)} entries for {len(self)} columns", "one number a column"))
        _, (z,) = over_common_denominator([given])
        if not any(z) or any(sum(a * b for a, b in zip(row, z, strict=True)) for row in self.rows):
            return "it is zero, or not in the kernel of the matrix"
        return Proposal({"kind": "dependency", "value": z}, "upper")

    def solution_of(self, witness: Mapping[str, Any]) -> Any:
        """The vector (d,) of an upper witness, in floating point, its largest entry 1; zero if there is none."""
        z = [int(x) for x in witness.get("value", [0] * len(self))]
        return np.array([float(Fraction(x, max(map(abs, z)) or 1)) for x in z])


class SparkFamily:
    """What the command line and the report need to know of the family."""

    name = "spark"
    summary = "least number of dependent columns of a matrix"
    sense: Literal["min", "max"] = "min"
    quantity = Quantity(
        "spark", r"\mathrm{spark}(W)", "1", "least number of columns that are dependent; d + 1 if all d are independent"
    )
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_matrix import SparkFile

        return SparkFile

    def from_file(self, file: ProblemFile) -> Spark:
        from certify.formats.matrix import matrix_from_section

        return Spark.of(matrix_from_section(file), file.about)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> Spark:
        table = canonical_spark(data)[0]["matrix"]
        return Spark(table["denominator"], tuple(map(tuple, table["rows"])), about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: Spark, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: Spark, witnesses: list[Mapping[str, Any]]) -> list[str]:
        lines = []
        for witness in witnesses:
            if witness["kind"] == "dependency":
                lines.append(f"the columns {[j for j, x in enumerate(witness['value']) if int(x)]} are dependent")
            elif witness["kind"] == "independent":
                sets = comb(len(problem), int(witness["size"]))
                lines.append(f"all {sets} sets of {witness['size']} columns are independent")
        return lines

    def picture(self, problem: Spark, witnesses: list[Mapping[str, Any]]) -> str | None:
        return None


FAMILY = SparkFamily()
