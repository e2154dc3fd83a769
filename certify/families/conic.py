"""Conic programs: any LP, SOCP or SDP that someone has in a file or in CVXPY, with proved bounds of its optimum.

minimise or maximise cᵀx + c_0 with Ax + b in a product of cones. The mathematics is on docs/mathematics/conic.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import Fault, InputError
from certify.families.conic_blocks import blocks_of
from certify.families.conic_dual_faces import dual_face, faced_proposals
from certify.families.conic_faces import chain_of_faces, on_faces, reduced
from certify.families.conic_general import general_proposals
from certify.families.conic_linear import constant_contradiction, linear_proposals, sparse_vector
from certify.families.conic_semidefinite import semidefinite_proposals
from certify.families.conic_standard import standard_form, standard_proposals
from certify.families.conic_words import TEMPLATE, conic_explained
from certify.formats.exact import NotExactError, exact_number
from certify.formats.linear import LinearModel
from certify.kernel.cones import CONES, Program, canonical_program
from certify.problem import About, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.exact_lp import linear_form

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from certify.formats.sdpa import SdpaProgram
    from certify.problemfile import ProblemFile

GRACE = 1.0  # seconds
SDPA, MPS, LP = (".dat-s", ".sdpa"), (".mps",), (".lp",)  # endings of model files
Form = tuple[Mapping[int, Fraction], Fraction]  # terms by variable, constant


@dataclass(frozen=True)
class Conic(Asking):
    """A conic program. Build it with :meth:`of`, :meth:`from_linear`, :meth:`from_sdpa` or ``certify.bound``.

    program: the exact data; names: of the variables, and rows: of the rows, for a reader ("" where there is none).
    """

    program: Program = field(repr=False)
    names: tuple[str, ...] = field(default=(), compare=False, repr=False)
    rows: tuple[str, ...] = field(default=(), compare=False, repr=False)
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("highs", "ipm", "clarabel", "scs")

    @staticmethod
    def of(
        objective: Form,
        rows: Sequence[Form],
        cones: Sequence[tuple[str, int]],
        variables: int,
        *,
        sense: Literal["min", "max"] = "min",
        names: Sequence[str] = (),
        row_names: Sequence[str] = (),
        about: About | None = None,
    ) -> Conic:
        """The program of affine forms (terms by variable from 0, constant), in exact numbers.

        rows fill the cones in order: ("zero", rows), ("nonnegative", rows), ("second_order", rows), first the bound of
        the norm, or ("psd", n): the n(n + 1)/2 rows are the lower triangle, row after row. Raises InputError for
        numbers that are not exact and for shapes.
        """
        if sense not in ("min", "max"):
            raise InputError(Fault("sense", f"{sense!r} is no sense", "min or max"))
        length = 0
        for word, size in cones:
            if word not in CONES or size < 1:
                raise InputError(Fault("cones", f"({word!r}, {size}) is no cone", f"one of: {', '.join(CONES)}"))
            length += size * (size + 1) // 2 if word == "psd" else size
        if length != len(rows):
            raise InputError(
                Fault("rows", f"{len(rows)} rows for cones of {length}", "one row for each place of a cone")
            )
        table: dict[str, Any] = {
            "sense": sense,
            "variables": variables,
            "cones": [{"kind": word, "size": size} for word, size in cones],
            **{key: [] for key in ("lengths", "index", "value", "constants", "denominators")},
        }
        for i, (terms, constant) in enumerate((objective, *rows)):
            place = "objective" if i == 0 else f"rows[{i - 1}]"
            exact = {j: _exact(value, f"{place}[{j}]") for j, value in terms.items()}
            last = _exact(constant, place)
            kept = sorted(j for j, value in exact.items() if value)
            if kept and not (kept[0] >= 0 and kept[-1] < variables):
                raise InputError(Fault(place, f"names a variable that is not from 0 to {variables - 1}"))
            common = lcm(last.denominator, *(exact[j].denominator for j in kept))
            table["lengths"].append(len(kept))
            table["index"] += kept
            table["value"] += [exact[j].numerator * (common // exact[j].denominator) for j in kept]
            table["constants"].append(last.numerator * (common // last.denominator))
            table["denominators"].append(common)
        about = about or About()
        named = (*names, *row_names)
        about = replace(about, labels=about.labels or (tuple(named) if any(named) else None))
        return Conic(canonical_program(table)[1], tuple(names), tuple(row_names), about)

    @staticmethod
    def from_linear(model: LinearModel, about: About | None = None) -> Conic:
        """The linear program of a file; columns that should be integers may be anything, which a note says."""
        equal: list[tuple[str, Form]] = []
        unequal: list[tuple[str, Form]] = []

        def ends(name: str, terms: Mapping[int, Fraction], low: Fraction | None, high: Fraction | None) -> None:
            if low is not None and low == high:
                equal.append((name, (terms, -low)))
                return
            if low is not None:
                unequal.append((f"{name} >=", (terms, -low)))
            if high is not None:
                unequal.append((f"{name} <=", ({j: -v for j, v in terms.items()}, high)))

        for row in model.rows:
            ends(row.name, row.terms, row.lower, row.upper)
        for j, (name, low, high) in enumerate(zip(model.names, model.lower, model.upper, strict=True)):
            ends(name, {j: Fraction(1)}, low, high)
        cones = [("zero", len(equal))] * bool(equal) + [("nonnegative", len(unequal))] * bool(unequal)
        notes = list(model.notes)
        if any(model.whole):
            notes.append(
                f"{sum(model.whole)} variables should be integers: what is bounded is the relaxation without that"
            )
        about = about or About()
        about = replace(about, notes=(*about.notes, *notes))
        forms = [form for _, form in (*equal, *unequal)]
        named = [name for name, _ in (*equal, *unequal)]
        objective = (model.cost, model.constant)
        return Conic.of(
            objective,
            forms,
            cones,
            len(model.names),
            sense=model.sense,
            names=model.names,
            row_names=named,
            about=about,
        )

    @staticmethod
    def from_sdpa(program: SdpaProgram, about: About | None = None) -> Conic:
        """SDPA's problem (P): minimise cᵀx with Σ x_k F_k − F_0 ⪰ 0 over free x."""
        rows: list[Form] = []
        cones = []
        for block in program.blocks:
            length = block.size if block.diagonal else block.size * (block.size + 1) // 2
            terms: list[dict[int, Fraction]] = [{} for _ in range(length)]
            constants = [Fraction(0)] * length
            for k, i, j, value in block.entries:
                at = i if block.diagonal else j * (j + 1) // 2 + i
                if k:
                    terms[at][k - 1] = value
                else:
                    constants[at] = -value
            rows += zip(terms, constants, strict=True)
            cones.append(("nonnegative" if block.diagonal else "psd", block.size))
        cost = dict(enumerate(program.cost))
        return Conic.of((cost, Fraction(0)), rows, cones, len(program.cost), about=about)

    def __len__(self) -> int:
        return self.program.variables

    @property
    def family(self) -> Family:
        return MINIMUM if self.program.sense == "min" else MAXIMUM

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        program = self.program
        return {
            "sense": program.sense,
            "variables": program.variables,
            "cones": [{"kind": word, "size": size} for word, size, _, _ in program.cones],
            "lengths": [b - a for a, b in zip(program.start, program.start[1:], strict=False)],
            "index": program.column,
            "value": program.value,
            "constants": program.constant,
            "denominators": program.denominator,
        }

    @cached_property
    def _linear(self) -> Any:
        return linear_form(self.program)

    def name_of(self, j: int) -> str:
        """A variable for a reader."""
        labels = self.names or self.about.labels or ()
        return labels[j] if j < len(labels) and labels[j] else f"x[{j}]"

    def row_of(self, i: int) -> str:
        """A row for a reader."""
        labels = self.rows or (self.about.labels or ())[self.program.variables :]
        return labels[i] if i < len(labels) and labels[i] else f"row {i}"

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """An exact basis for a linear program; interior points, rounded, for the others.

        There is no instant witness, so engines get a second however short the limit is.
        """
        began, remaining = time.monotonic(), effort.remaining
        effort = replace(effort, remaining=lambda: max(remaining(), GRACE - (time.monotonic() - began)))
        if self._linear is not None and effort.solver in (None, "highs"):
            yield from linear_proposals(self.program, self._linear, effort)
            return
        contradiction = constant_contradiction(self.program)
        if contradiction is not None:
            yield Proposal(contradiction, "infeasible")
            return
        if any(word == "psd" for word, _, _, _ in self.program.cones) and effort.solver is None:
            faces, contradiction = chain_of_faces(self.program, effort)
            if contradiction is not None:
                yield Proposal(contradiction, "infeasible")
                return
            if faces:
                smaller = reduced(self.program, frozenset().union(*(face.zero for face in faces)))
                inner = Conic(smaller.program)._engines(effort)
                yield from on_faces(self.program, faces, inner, smaller)
                return
        yield from self._engines(effort)

    def _engines(self, effort: Effort) -> Iterator[Proposal]:
        """The proposals of the engine that suits the cones."""
        if self._linear is not None:
            yield from linear_proposals(self.program, self._linear, effort)
            return
        blocks = blocks_of(self.program)
        if blocks is not None and effort.solver in (None, "ipm"):
            face = dual_face(self.program)
            if face is not None:
                yield from faced_proposals(self.program, face, effort)
            else:
                yield from semidefinite_proposals(self.program, blocks, effort)
            return
        standard = standard_form(self.program) if effort.solver in (None, "ipm") else None
        if standard is not None:
            yield from standard_proposals(self.program, standard, effort)
        else:
            yield from general_proposals(self.program, effort)

    def assessed(self, solution: Any) -> Proposal | str:
        """Values of the variables (a vector, or a mapping from names) as a feasible point, if they are exactly that."""
        x = self.exact_point(solution)
        witness = {"kind": "point", "x": sparse_vector(dict(enumerate(x))), "psd": []}
        return Proposal(witness, "upper" if self.program.sense == "min" else "lower", solution)

    def exact_point(self, solution: Any) -> list[Fraction]:
        """The values of a solution, exactly. Raises InputError for a wrong number of them."""
        if isinstance(solution, Mapping):
            places = {self.name_of(j): j for j in range(len(self))}
            x = [Fraction(0)] * len(self)
            for name, value in solution.items():
                if name not in places:
                    raise InputError(Fault("solution", f"no variable is called {str(name)[:60]!r}"))
                x[places[name]] = _exact(value, f"solution.{name}")
            return x
        given = list(solution)
        if len(given) != len(self):
            raise InputError(Fault("solution", f"{len(given)} values for {len(self)} variables", "one a variable"))
        return [
            _exact(entry[0] if hasattr(entry, "__len__") and not isinstance(entry, str) else entry, "solution")
            for entry in given
        ]

    def solution_of(self, witness: Mapping[str, Any]) -> NDArray[np.float64] | None:
        """The point of a witness, in doubles; None for one without a point."""
        if "x" not in witness:
            return None
        import numpy as np

        from certify.kernel.cones import conic_vector

        q, x = conic_vector(witness["x"], "x", len(self))
        return np.array([float(Fraction(value, q)) for value in x])


def _exact(value: Any, where: str) -> Fraction:
    if isinstance(value, Fraction):
        return value
    try:
        return exact_number(value)
    except NotExactError as fault:
        raise InputError(Fault(where, fault.what, fault.mend)) from None


@dataclass
class ConicFamily:
    """What the command line and the report need to know of the family."""

    sense: Literal["min", "max"] = "min"

    name = "conic"
    summary = "optimum of a linear, second-order cone or semidefinite program"
    quantity = Quantity("objective", r"f^\star", "1", "the optimal value of the objective, as the program states it")
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_conic import ConicFile

        return ConicFile

    def from_file(self, file: ProblemFile) -> Conic:
        from certify.formats.lpfile import parse_lp

        data: Any = file.data
        if data.lp is not None:
            return Conic.from_linear(parse_lp(data.lp, f"{file.path}: lp"), file.about)
        return read_model(file.resolve(("model",), data.model), file.about)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> Conic:
        return Conic(canonical_program(data)[1], about=about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: Conic, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: Conic, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(conic_explained(problem, witnesses))

    def picture(self, problem: Conic, witnesses: list[Mapping[str, Any]]) -> str | None:
        return None


def _ending(path: Path) -> str:
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() != ".gz"]
    return suffixes[-1] if suffixes else ""


def is_model(path: Path) -> bool:
    """Whether the name of a file is that of a model."""
    return _ending(path) in (*SDPA, *MPS, *LP)


def read_model(path: Path, about: About | None = None) -> Conic:
    """The program of a model file: ``.dat-s``, ``.mps`` or ``.lp``, plain or gzipped (``.gz``).

    Raises InputError with every fault of the file.
    """
    from certify.formats.lpfile import read_lp
    from certify.formats.mps import read_mps
    from certify.formats.sdpa import read_sdpa

    ending = _ending(path)
    if ending in SDPA:
        return Conic.from_sdpa(read_sdpa(path), about)
    if ending in MPS:
        return Conic.from_linear(read_mps(path), about)
    if ending in LP:
        return Conic.from_linear(read_lp(path), about)
    raise InputError(
        Fault(str(path), f"is no model by its name ({ending or 'no ending'})", "name it .dat-s, .mps or .lp")
    )


MINIMUM = ConicFamily("min")
MAXIMUM = ConicFamily("max")
FAMILY = MINIMUM
