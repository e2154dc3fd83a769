"""Basis pursuit: the least ℓ1 norm of a vector with given linear measurements (Chen, Donoho, Saunders 1998).

min ‖v‖₁ with Wv = y, or with ‖Wv − y‖₂ ≤ σ. The mathematics is on docs/mathematics/basis_pursuit.md.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.basis_pursuit_words import TEMPLATE, recovery_explained
from certify.formats.array import exact_rows
from certify.formats.exact import NotExactError, exact_number
from certify.kernel.recovery import Measured, canonical_recovery
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.exact_linear import independent_rows
from certify.rounding.grid import over_common_denominator
from certify.rounding.recovery import (
    dual_on_support,
    dual_witness,
    farkas_witness,
    full_row_rank,
    on_basis,
    pivots,
    residual,
    residual_square,
    rounded_dual,
    vector_witness,
    with_uniqueness,
)
from certify.solvers.sparse_recovery import central_dual, least_norm, loosened_dual, noisy, recovery_model, widest_dual

if TYPE_CHECKING:
    import cvxpy
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Floats = NDArray[np.float64]
PASSES = 8  # zooms into the residual
MOST_WIDENED = 300_000  # entries of W up to which the dual of largest margin is looked for
SMALL = 1e-7  # entries of a vertex that are noise of the solver, relative to the largest


@dataclass(frozen=True)
class BasisPursuit(Asking):
    """Measurements y of an unknown vector by W. Build it with :meth:`of`.

    rows/denominator are W (n, d), rhs/rhs_denominator are y (n,), noise is σ ≥ 0: all exact.
    """

    denominator: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    rhs_denominator: int
    rhs: tuple[int, ...] = field(repr=False)
    noise: Fraction = Fraction(0)
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("highs", "clarabel", "scs")

    @staticmethod
    def of(
        matrix: Any, y: Any = None, *, x_true: Any = None, noise: Any = 0, about: About | None = None
    ) -> BasisPursuit:
        """The problem of a matrix (n, d) and measurements (n,), or of the vector (d,) that is measured without error.

        Numbers are taken exactly: floats as the dyadic rationals they are, text as "1/3". x_true: y := W x_true
        over ℚ (in floats, fl(Wx) is not Wx). noise: σ. Raises InputError for shapes and entries that are no numbers.
        """
        w = exact_rows(matrix, "matrix")
        if not w or not w[0]:
            raise InputError(Fault("matrix", "there are no entries", "give rows of numbers"))
        if (y is None) == (x_true is None):
            raise InputError(Fault("rhs", "exactly one of y and x_true is needed", "x_true means y := W x_true"))
        name, length = ("y", len(w)) if x_true is None else ("x_true", len(w[0]))
        given = _vector(y if x_true is None else x_true, name)
        if len(given) != length:
            raise InputError(Fault(name, f"has {len(given)} entries for a matrix of {len(w)} x {len(w[0])}"))
        try:
            sigma = exact_number(noise)
        except NotExactError as fault:
            raise InputError(Fault("noise", fault.what, fault.mend)) from None
        if sigma < 0:
            raise InputError(Fault("noise", f"{noise} is negative", "it is a bound of a norm"))
        q, rows = over_common_denominator(w)
        if x_true is None:
            p, (rhs,) = over_common_denominator([given])
        else:
            r, (x,) = over_common_denominator([given])
            p, rhs = q * r, [sum(a * b for a, b in zip(row, x, strict=True) if b) for row in rows]
        return BasisPursuit(q, tuple(map(tuple, rows)), p, tuple(rhs), sigma, about or About()).reduced()

    def reduced(self) -> BasisPursuit:
        """The same problem in the one form that the kernel digests."""
        data = self.exact
        return BasisPursuit(data.q, tuple(map(tuple, data.rows)), data.p, tuple(data.rhs), data.noise, self.about)

    def __len__(self) -> int:
        return len(self.rows[0])

    @property
    def family(self) -> Family:
        return FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        table: dict[str, Any] = {
            "matrix": {"denominator": self.denominator, "rows": [list(row) for row in self.rows]},
            "rhs": {"denominator": self.rhs_denominator, "rows": [list(self.rhs)]},
        }
        return {**table, "noise": str(self.noise)} if self.noise else table

    @cached_property
    def exact(self) -> Measured:
        """The data as the kernel holds them."""
        return canonical_recovery(self.canonical())[1]

    @cached_property
    def floats(self) -> tuple[Floats, Floats, int, int]:
        """W and y in floating point, each scaled by a power of two to be about 1; the two exponents."""
        high = max((abs(e) for row in self.rows for e in row), default=1) or 1
        a = high.bit_length() - self.denominator.bit_length()
        top = max(map(abs, self.rhs), default=1) or 1
        b = top.bit_length() - self.rhs_denominator.bit_length()
        w = np.array([[_scaled(Fraction(e, self.denominator), -a) for e in row] for row in self.rows])
        return w, np.array([_scaled(Fraction(e, self.rhs_denominator), -b) for e in self.rhs]), a, b

    def model(self) -> cvxpy.Problem:
        """The programme in CVXPY, in the unit of the data."""
        w = np.array([[e / self.denominator for e in row] for row in self.rows])
        y = np.array([e / self.rhs_denominator for e in self.rhs])
        return recovery_model(w, y, float(self.noise))[0]

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """0, then whether the rows agree at all, then a basis solved over ℚ and a dual vector that meets it."""
        data = self.exact
        zero: dict[str, Any] = {"kind": "dual", "denominator": 1, "value": [0] * len(data.rows)}
        yield Proposal({**zero, "norm": 0} if data.noise else zero, "lower")
        if sum(Fraction(y, data.p) ** 2 for y in data.rhs) <= data.noise**2:
            yield Proposal(vector_witness({}), "upper")
            return
        effort.say("whether the rows agree")
        kept, others = list(range(len(self.rows))), not full_row_rank(self.floats[0])
        if others:
            kept = independent_rows(self.rows)[0]
        if len(kept) < len(self.rows):
            farkas = farkas_witness(data)
            if farkas is not None:
                yield Proposal(farkas, "infeasible")
                return
        if data.noise:
            yield from self._with_noise(effort)
        else:
            yield from self._without_noise(effort, kept)

    def _without_noise(self, effort: Effort, kept: Sequence[int]) -> Iterator[Proposal]:
        """Vertices of linear programmes, each a zoom into the exact residual of the one before.

        Solvers leave out what is below their tolerance. What they found is held exactly; the rest, scaled to 1, is a
        problem of the same kind in which entries found before may move freely (Gleixner, Steffy, Wolter 2016).
        """
        data = self.exact
        w, y, a, b = self.floats
        signs = np.zeros(len(self))
        v: dict[int, Fraction] = {}
        goal, zoom = y, b
        for step in range(PASSES):
            effort.say("highs" if step == 0 else f"highs, zoom {step}")
            found = least_norm(w[kept], goal[kept], signs, effort.remaining())
            if found is None:
                break
            delta, multipliers = found
            claim = Claim("highs", "optimal", float(np.abs(delta).sum()) * 2.0 ** (b - a)) if step == 0 else None
            u = np.zeros(len(w))
            u[kept] = multipliers
            floor = SMALL * float(np.max(np.abs(delta), initial=0.0))
            for j in np.flatnonzero(np.abs(delta) > floor):
                v[int(j)] = v.get(int(j), Fraction(0)) + Fraction(float(delta[j])) * Fraction(2) ** (zoom - a)
            support = [j for j, x in v.items() if x]
            signs = np.zeros(len(self))
            signs[support] = [1.0 if v[j] > 0 else -1.0 for j in support]
            solved = on_basis(data, w, support) if len(support) <= len(kept) else None
            if solved is not None:
                yield from self._ends(solved, u, effort, claim)
                lower, upper = effort.bounds()
                if lower is not None and lower == upper:
                    return
            # the last resort: what the engine says, scaled (if exact already, it would hide a proof of uniqueness)
            weak = dual_witness(data, [x * Fraction(2) ** -a for x in rounded_dual(u)])[0]
            yield Proposal(weak, "lower", None, claim)
            rest = residual(data, v)
            size = max(map(abs, rest))
            if size == 0 or effort.remaining() <= 0:
                break
            zoom = size.numerator.bit_length() - size.denominator.bit_length()
            goal = np.array([_scaled(x, -zoom) for x in rest])
        if effort.bounds()[1] is None:
            effort.say("any basis")
            weight = np.array([abs(float(v.get(j, 0))) for j in range(len(self))])
            scale = max(float(weight.max()), 1e-300)
            columns = pivots(w * (weight / scale + 1e-3), len(kept))
            solved = on_basis(data, w, columns)
            if solved is not None:
                yield Proposal(vector_witness(solved), "upper")

    def _ends(self, v: dict[int, Fraction], u: Floats, effort: Effort, claim: Claim | None) -> Iterator[Proposal]:
        """A vector on a basis, and the dual vectors that may meet it: first one that proves it to be the only one."""
        data, (w, _, a, _) = self.exact, self.floats
        began = time.monotonic()
        vector = vector_witness(v)
        yield Proposal(vector, "upper", self._dense(v), claim, time.monotonic() - began, twin_follows=True)
        support = np.array(sorted(j for j, x in v.items() if x), dtype=int)
        signs = np.array([1.0 if v[int(j)] > 0 else -1.0 for j in support])
        norm = sum((abs(x) for x in v.values()), Fraction(0))
        plain: dict[str, Any] | None = None
        makers: dict[str, Callable[[], Floats | None]] = {
            "central": lambda: central_dual(w, support, signs),
            "loosened": lambda: loosened_dual(w, support, u),
            "widest": lambda: widest_dual(w, support, signs, effort.remaining()) if w.size <= MOST_WIDENED else None,
            "vertex": lambda: u,
        }
        for name, make in makers.items():
            if effort.remaining() <= 0:
                break
            effort.say(f"a dual vector, {name}")
            near = make()
            if near is None or float(np.max(np.abs(w.T @ near))) > 1 + 1e-6:
                continue
            began = time.monotonic()
            exact = dual_on_support(data, w, v, np.ldexp(near, -a))
            if exact is None:
                continue
            dual, tight = dual_witness(data, exact)
            inner = sum(x * int(e) for x, e in zip(data.rhs, dual["value"], strict=True))
            seconds = time.monotonic() - began
            if Fraction(inner, data.p * dual["denominator"]) != norm:
                continue  # it was scaled down: weaker than that of the engine
            if tight <= len(data.rows) and tight == len(independent_rows(self._tight(dual))[0]):
                yield Proposal(with_uniqueness(dual, vector), "lower", None, claim, seconds)
                return
            plain = plain or dual
        if plain is not None:
            yield Proposal(plain, "lower", None, claim)

    def _tight(self, dual: Mapping[str, Any]) -> list[list[int]]:
        """The columns j with |w_jᵀu| = 1."""
        one = self.denominator * dual["denominator"]
        columns = list(zip(*self.rows, strict=True))
        return [list(c) for c in columns if abs(sum(x * e for x, e in zip(c, dual["value"], strict=True))) == one]

    def _with_noise(self, effort: Effort) -> Iterator[Proposal]:
        """The cone in floats; v is drawn towards a least-squares solution until it is within the noise, exactly."""
        data, (w, y, a, b) = self.exact, self.floats
        scaled = _scaled(data.noise, -b)
        for engine in [effort.solver] if effort.solver in ("clarabel", "scs") else ["clarabel", "scs"]:
            effort.say(engine)
            found = noisy(w, y, scaled, engine)
            if found is None:
                continue
            claim = Claim(engine, "solved", float(np.abs(found).sum()) * 2.0 ** (b - a))
            began = time.monotonic()
            rest = y - w @ found
            size = float(np.max(np.abs(w.T @ rest)))
            if size > 0:
                unit = Fraction(2) ** -a
                witness = dual_witness(data, [x * unit for x in rounded_dual(rest / size)])[0]
                yield Proposal(witness, "lower", None, claim, time.monotonic() - began)
            began = time.monotonic()
            correction = np.linalg.lstsq(w, rest, rcond=None)[0]
            sparse = np.where(np.abs(found) > 1e-9 * np.abs(found).max(), found, 0.0)
            for point in (sparse, found):
                for k in range(30, -1, -3):
                    moved = point + correction * 2.0**-k
                    v = {j: Fraction(float(x)) * Fraction(2) ** (b - a) for j, x in enumerate(moved) if x}
                    if residual_square(data, v) <= data.noise**2:
                        yield Proposal(vector_witness(v), "upper", self._dense(v), claim, time.monotonic() - began)
                        break

    def _dense(self, v: Mapping[int, Fraction]) -> Floats:
        dense = np.zeros(len(self))
        for j, x in v.items():
            dense[j] = _scaled(x, 0)
        return dense

    def assessed(self, solution: Any) -> Proposal | str:
        """A vector (d,) of any solver. If it misses the measurements, it is solved again on a basis that holds its
        largest entries, and that vector is assessed: a note of the least residual cannot be compared with norms."""
        given = _vector(solution, "solution")
        if len(given) != len(self):
            raise InputError(Fault("solution", f"{len(given)} entries for {len(self)} columns", "one number a column"))
        v = {j: x for j, x in enumerate(given) if x}
        data, (w, *_) = self.exact, self.floats
        if residual_square(data, v) <= data.noise**2:
            return Proposal(vector_witness(v), "upper", self._dense(v))
        off = f"its residual ‖Wv − y‖₂ is {float(residual_square(data, v)) ** 0.5:.3g}"
        if data.noise:
            return f"infeasible: {off}, more than {float(data.noise):.3g}"
        sizes = np.array([abs(_scaled(x, 0)) for x in given])
        order = [int(j) for j in np.argsort(-sizes, kind="stable") if sizes[j] > SMALL * sizes.max(initial=0.0)]
        solved = on_basis(data, w, order) if 0 < len(order) <= len(w) else None
        if solved is None:
            weight = np.maximum(sizes / max(float(sizes.max(initial=0.0)), 1e-300), 1e-6)
            solved = on_basis(data, w, pivots(w * weight, len(w)))
        if solved is None:
            return f"infeasible: {off}, and no basis of its largest entries meets the measurements"
        return Proposal(vector_witness(solved), "upper", self._dense(solved))

    def solution_of(self, witness: Mapping[str, Any]) -> Floats:
        """The vector (d,) of an upper witness, in floating point."""
        scale = int(witness["denominator"])
        return self._dense(
            {int(j): Fraction(int(x), scale) for j, x in zip(witness["index"], witness["value"], strict=True)}
        )


def _scaled(value: Fraction, exponent: int) -> float:
    """value·2^exponent as the nearest double; beyond the range, infinite or 0."""
    try:
        return float(value * Fraction(2) ** exponent)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _vector(values: Any, name: str) -> tuple[Fraction, ...]:
    """A vector in memory: a flat sequence, a row or a column, as Fractions."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if isinstance(values, Sequence) and values and not isinstance(values[0], Sequence | np.ndarray):
        values = [values]
    if isinstance(values, Sequence) and len(values) and isinstance(values[0], str):
        values = [values]
    rows = exact_rows(values, name)
    return rows[0] if len(rows) == 1 else tuple(row[0] for row in rows if len(row) == 1)


class BasisPursuitFamily:
    """What the command line and the report need to know of the family."""

    name = "basis_pursuit"
    summary = "least l1 norm of a vector with given linear measurements"
    sense: Literal["min", "max"] = "min"
    quantity = Quantity(
        "norm1", r"\min \|v\|_1", "1", "least ‖v‖₁ over all v with Wv = y, or with ‖Wv − y‖₂ <= σ where noise is given"
    )
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_matrix import BasisPursuitFile

        return BasisPursuitFile

    def from_file(self, file: ProblemFile) -> BasisPursuit:
        from certify.formats.matrix import matrix_from_section, rhs_from_section

        rows = matrix_from_section(file)
        key, vector = rhs_from_section(file, rows)
        noise = getattr(file.data, "noise", None) or 0
        return BasisPursuit.of(rows, noise=noise, about=file.about, **{key: vector})

    def from_canonical(self, data: Mapping[str, Any], about: About) -> BasisPursuit:
        exact = canonical_recovery(data)[1]
        rows = tuple(map(tuple, exact.rows))
        return BasisPursuit(exact.q, rows, exact.p, tuple(exact.rhs), exact.noise, about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: BasisPursuit, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: BasisPursuit, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(recovery_explained(problem, witnesses))

    def picture(self, problem: BasisPursuit, witnesses: list[Mapping[str, Any]]) -> str | None:
        return None


FAMILY = BasisPursuitFamily()
