"""The restricted isometry constant of a matrix (Candès, Tao 2005). See docs/mathematics/rip.md."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, comb
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.rip_words import TEMPLATE, rip_explained, rip_picture
from certify.formats.array import exact_rows
from certify.formats.exact import NotExactError, exact_number
from certify.kernel.exact import Rejected
from certify.kernel.isometry import Hermitian, Isometry, canonical_isometry, hermitian
from certify.kernel.rip import MAX_ORDER
from certify.kernel.supports import rip_sides, rip_violation
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.exact_linear import left_kernel
from certify.rounding.grid import over_common_denominator
from certify.solvers.isometry import extreme_support, on_support, swapped

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Integers = tuple[tuple[int, ...], ...]
RATE = 2_000_000  # products a second that a tree of eliminations gets through
FEW = 5_000_000  # products that are not worth a bound of lower order first
GRID = 44  # bits of the Gram matrix in a tree
SIMPLE = 4096  # greatest denominator of a constant that is looked for exactly


@dataclass(frozen=True)
class RIP(Asking):
    """√scale·rows (n, d), or the Gram matrix (d, d) as lower triangles over a denominator; and the order s.

    Build it with :meth:`of` or :meth:`of_gram`. The Gram matrix is (rows + i·imaginary)/denominator, within radius.
    """

    source: Literal["matrix", "gram"]
    rows: Integers = field(repr=False)
    sparsity: int
    scale: Fraction = Fraction(1)
    denominator: int = 1
    imaginary: Integers = field(default=(), repr=False)
    radius: Fraction = Fraction(0)
    free: bool = False
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("tree",)

    @staticmethod
    def of(matrix: Any, s: int, *, scale_squared: Any = 1, scaling: str = "given", about: About | None = None) -> RIP:
        """The matrix √scale_squared·matrix (n, d), its numbers taken exactly, and vectors of at most s entries.

        scaling: ``best`` asks for the least constant of all multiples of the matrix. A complex array is taken as its
        exact Gram matrix. Raises InputError for entries that are no numbers, a scale that is not positive, and an order
        that is not from 1 to d.
        """
        scale = _exact(scale_squared, "scale_squared")
        if scale <= 0:
            raise InputError(Fault("scale_squared", f"{scale} is not positive", "it is the square of a factor"))
        if _is_complex(matrix):
            real, skew = _complex_gram(matrix, scale)
            return RIP.of_gram(real, s, imaginary=skew, scaling=scaling, about=about)
        w = exact_rows(matrix, "matrix")
        if not w or not w[0]:
            raise InputError(Fault("matrix", "there are no entries", "give rows of numbers"))
        q, rows = over_common_denominator(w)
        _check_order(s, len(w[0]), scaling)
        table = {"scale_squared": str(scale / q**2), "rows": rows}
        return _read({"matrix": table, "sparsity": s}, scaling == "best", about or About())

    @staticmethod
    def of_gram(
        gram: Any, s: int, *, imaginary: Any = None, radius: Any = 0, scaling: str = "given", about: About | None = None
    ) -> RIP:
        """Any matrix with this Gram matrix WᴴW: real parts (d, d) or lower triangle, imaginary parts alike or None.

        radius: no entry is farther off. A complex array is split. Raises InputError if it is not Hermitian.
        """
        if imaginary is None and _is_complex(gram):
            gram, imaginary = np.real(gram), np.imag(gram)
        off = _exact(radius, "radius")
        if off < 0:
            raise InputError(Fault("radius", f"{off} is negative", "it should be zero or more"))
        real = _triangle(gram, "gram", 1)
        skew = _triangle(imaginary, "imaginary", -1) if imaginary is not None else []
        if not real:
            raise InputError(Fault("gram", "there are no entries", "give rows of numbers"))
        if skew and len(skew) != len(real):
            raise InputError(Fault("imaginary", f"has {len(skew)} rows, gram has {len(real)}"))
        _check_order(s, len(real), scaling)
        q, rows = over_common_denominator([*real, *skew])
        table: dict[str, Any] = {"denominator": q, "rows": rows[: len(real)]}
        if skew:
            table["imaginary"] = rows[len(real) :]
        if off:
            table["radius"] = str(off)
        return _read({"gram": table, "sparsity": s}, scaling == "best", about or About())

    def __len__(self) -> int:
        return len(self.rows[0]) if self.source == "matrix" else len(self.rows)

    @property
    def family(self) -> Family:
        return SCALED if self.free else FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        rows = [list(row) for row in self.rows]
        if self.source == "matrix":
            form: dict[str, Any] = {"scale_squared": str(self.scale), "rows": rows}
        else:
            form = {"denominator": self.denominator, "rows": rows}
            form |= {"imaginary": [list(row) for row in self.imaginary]} if self.imaginary else {}
            form |= {"radius": str(self.radius)} if self.radius else {}
        table = {self.source: form, "sparsity": self.sparsity}
        return table | ({"scaling": "best"} if self.free else {})

    @cached_property
    def exact(self) -> Hermitian:
        """The Gram matrix as the kernel holds it."""
        return hermitian(canonical_isometry(self.canonical())[1], False, "gram")

    @cached_property
    def floats(self) -> NDArray[Any]:
        """The Gram matrix (d, d) in floating point."""
        g = self.exact
        real = np.array([[e / g.q for e in row] for row in g.real])
        return real + 1j * np.array([[e / g.q for e in row] for row in g.imaginary]) if g.imaginary else real

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Gershgorin's bound; vectors of local search; trees, whose counterexamples are vectors again."""
        effort.say("Gershgorin's bound and local search")
        g, s = self.floats, self.sparsity
        if not self.free:
            yield Proposal({"kind": "coherence"}, "upper")

        def half() -> float:  # local search may take half of the time that is left
            return effort.remaining() - stop

        stop = effort.remaining() / 2
        ends = {sign: extreme_support(g, sign, s, remaining=half) for sign in (1, -1)}
        if self.free:
            yield Proposal({"kind": "coherence", "scale": str(self._scale_of(ends))}, "upper")
        yield from self._lower(ends)
        orders = [s] if self._products(s) <= FEW else [*range(min(2, s), s + 1)]
        for order in orders:
            if order > MAX_ORDER or effort.remaining() <= 0:
                return
            effort.say(f"all sets of {order} columns")
            own = ends if order == s else {x: extreme_support(g, x, order, remaining=half) for x in (1, -1)}
            done = yield from self._tree(order, own, effort)
            if not done:
                return

    def _products(self, order: int) -> int:
        """Products of a tree of eliminations that closes nothing early, for both sides."""
        d = len(self)
        return 2 * sum(comb(d, k) * max(1, d * (order - k) // max(order, 1)) ** 2 for k in range(max(order - 1, 1)))

    def _quotients(self, ends: Mapping[int, list[int]]) -> tuple[float, float]:
        """The greatest and the least Rayleigh quotient on these supports."""
        return on_support(self.floats, ends[1], 1)[0], on_support(self.floats, ends[-1], -1)[0]

    def _scale_of(self, ends: Mapping[int, list[int]]) -> Fraction:
        """The scale t that is best for the quotients of these supports: 2/(L + l)."""
        if not self.free:
            return Fraction(1)
        high, low = self._quotients(ends)
        return Fraction(2 / (high + max(low, 0.0))).limit_denominator(2**40) if high > 0 else Fraction(1)

    def _keys(self, kind: str, scale: Fraction) -> dict[str, Any]:
        return {"kind": kind, "scale": str(scale)} if self.free else {"kind": kind}

    def _lower(self, ends: Mapping[int, list[int]]) -> Iterator[Proposal]:
        """The vectors on these supports, exact eigenvectors where their quotient is a simple rational."""
        vectors = {sign: self._vector(support, sign) for sign, support in ends.items()}
        if self.free:
            high, low = self._quotients(ends)
            claim = Claim("tree", "local search", (high - low) / (high + low) if low > 0 else 1.0)
            yield Proposal({"kind": "pair", "high": vectors[1], "low": vectors[-1]}, "lower", claim=claim)
            return
        claim = Claim("tree", "local search", max(abs(quotient - 1) for quotient in self._quotients(ends)))
        for vector in vectors.values():
            yield Proposal({"kind": "vector", "vector": vector}, "lower", claim=claim)

    def _vector(self, support: list[int], sign: int) -> dict[str, Any]:
        value, x = on_support(self.floats, support, sign)
        exact = self._eigenvector(support, value)
        if exact is None:
            parts = [np.real(x), np.imag(x)] if self.exact.imaginary else [np.real(x)]
            exact = [[round(float(e) * 2**50) for e in part] for part in parts]
        kept = [i for i in range(len(support)) if any(part[i] for part in exact)]
        vector: dict[str, Any] = {"index": [support[i] for i in kept], "value": [exact[0][i] for i in kept]}
        if len(exact) > 1:
            vector["imaginary"] = [exact[1][i] for i in kept]
        return vector

    def _eigenvector(self, support: list[int], value: float) -> list[list[int]] | None:
        """An exact eigenvector of the submatrix for the simple rational next to the eigenvalue, if there is one."""
        g = self.exact
        near = Fraction(value).limit_denominator(SIMPLE)
        if g.imaginary or abs(float(near) - value) > 1e-9 or max(map(abs, g.real[0])).bit_length() > 64:
            return None
        p, q = near.numerator, near.denominator
        table = [[q * g.real[i][j] - (p * g.q if i == j else 0) for j in support] for i in support]
        basis = left_kernel(table)
        return [basis[0]] if basis else None

    def _tree(self, order: int, ends: dict[int, list[int]], effort: Effort) -> Generator[Proposal, None, bool]:
        """An upper witness of this order; supports that refute a guess improve ``ends`` (and it is the answer to s).

        Returns whether the sets of this order could be gone through in time.
        """
        whole, g = order == self.sparsity, self.floats
        exact = True
        for _ in range(60):
            high, low = self._quotients(ends)
            scale, value = self._guess(high, low, effort.gap, exact)
            bits = None if exact and not self.exact.radius and self._short() else GRID
            left = [max(int(RATE * effort.remaining() / 4), 0)]
            budget = left[0]
            sides, _ = rip_sides(self.exact, scale, value, bits)
            try:
                found = self._first(sides, order, left)
            except Rejected:
                return False
            if found is None:
                witness = self._keys("supports", scale) | {
                    "value": str(value),
                    "order": order,
                    "work": budget - left[0],
                }
                yield Proposal(witness | ({"bits": bits} if bits is not None else {}), "upper")
                return True
            support, sign = found
            improved = swapped(g, sign, _filled(support, len(self), order))
            if sign * on_support(g, improved, sign)[0] > sign * (high if sign > 0 else low) + 1e-13:
                ends[sign] = improved
                if whole:
                    yield from self._lower(ends)
            elif exact:
                exact = False  # what looks like a simple number is a little more
            else:
                return False
        return False

    def _first(self, sides: Any, order: int, left: list[int]) -> tuple[list[int], int] | None:
        for (real, imaginary), sign in zip(sides, (1, -1), strict=True):
            found = rip_violation(real, imaginary, order, "tree", left)
            if found is not None:
                return found, sign
        return None

    def _short(self) -> bool:
        g = self.exact
        return (
            max(e.bit_length() for part in (g.real, g.imaginary) for row in part for e in row) < 64 if g.real else True
        )

    def _guess(self, high: float, low: float, gap: Fraction, exact: bool) -> tuple[Fraction, Fraction]:
        """The scale t, and the constant of these extreme quotients: a simple rational next to it, or a little more."""
        if self.free:
            low = max(low, 0.0)
            ends = [Fraction(x).limit_denominator(SIMPLE) for x in (high, low)]
            if (
                exact
                and self._short()
                and all(abs(float(e) - x) < 1e-9 for e, x in zip(ends, (high, low), strict=True))
            ):
                total = ends[0] + ends[1]
                return (2 / total, (ends[0] - ends[1]) / total) if total else (Fraction(1), Fraction(1))
            scale = Fraction(2 / (high + low)).limit_denominator(2**30) if high + low > 0 else Fraction(1)
        else:
            scale = Fraction(1)
        t = float(scale)
        value = max(t * high - 1, 1 - t * low, 0.0)
        near = Fraction(value).limit_denominator(SIMPLE)
        if exact and not self.free and self._short() and abs(float(near) - value) < 1e-9:
            return scale, near
        room = max(min(float(gap), 1e-6) / 20, 1e-11) * max(value, 1e-3)
        return scale, Fraction(ceil((value + room) * 2**GRID), 2**GRID)

    def assessed(self, solution: Any) -> Proposal | str:
        """A vector (d,) of at most s entries: how far ‖Wx‖²/‖x‖² is from 1."""
        given = [x for row in exact_rows(solution, "solution") for x in row]
        if len(given) != len(self):
            raise InputError(Fault("solution", f"{len(given)} entries for {len(self)} columns", "one number a column"))
        _, (x,) = over_common_denominator([given])
        index = [j for j, e in enumerate(x) if e]
        if self.free:
            return "one vector says nothing of all multiples of the matrix"
        if not 0 < len(index) <= self.sparsity:
            return f"it has {len(index)} entries that are not 0, and from 1 to {self.sparsity} are asked for"
        vector = {"index": index, "value": [x[j] for j in index]}
        return Proposal({"kind": "vector", "vector": vector}, "lower")

    def solution_of(self, witness: Mapping[str, Any]) -> Any:
        """The vector (d,) of a lower witness, in floating point, its largest entry 1; zero if there is none."""
        table = witness.get("vector", witness.get("high", {"index": [], "value": []}))
        x = [[int(e) for e in table.get(part, [0] * len(table["index"]))] for part in ("value", "imaginary")]
        top = max((abs(e) for part in x for e in part), default=1) or 1
        found = np.zeros(len(self), dtype=complex if any(x[1]) else float)
        for j, a, b in zip(table["index"], x[0], x[1], strict=True):
            found[int(j)] = complex(a / top, b / top) if b else a / top
        return found


def _filled(support: list[int], d: int, size: int) -> list[int]:
    """The support with the first other indices, to this size."""
    more = [j for j in range(d) if j not in set(support)]
    return sorted([*support, *more[: size - len(support)]])


def _exact(value: Any, name: str) -> Fraction:
    try:
        return exact_number(value)
    except NotExactError as fault:
        raise InputError(Fault(name, fault.what, fault.mend)) from None


def _is_complex(values: Any) -> bool:
    """Whether an array or nested lists hold complex numbers; ragged lists are left to those who read them."""
    try:
        return bool(np.iscomplexobj(values))
    except ValueError:
        return False


def _complex_gram(matrix: Any, scale: Fraction) -> tuple[Any, Any]:
    """scale·WᴴW exactly: real and imaginary parts (d, d)."""
    parts = [exact_rows(np.real(matrix), "matrix"), exact_rows(np.imag(matrix), "matrix")]
    if not parts[0] or not parts[0][0]:
        raise InputError(Fault("matrix", "there are no entries", "give rows of numbers"))
    q, rows = over_common_denominator([*parts[0], *parts[1]])
    a, b = (np.array(half, dtype=object) for half in (rows[: len(parts[0])], rows[len(parts[0]) :]))
    unit = scale / q**2
    return (a.T @ a + b.T @ b) * unit, (a.T @ b - b.T @ a) * unit


def _check_order(s: Any, d: int, scaling: str) -> None:
    if isinstance(s, bool) or not isinstance(s, int | np.integer) or not 1 <= s <= d:
        raise InputError(Fault("s", f"{s!r} is not a number of columns from 1 to {d}"))
    if scaling not in ("given", "best"):
        raise InputError(Fault("scaling", f"{scaling!r} is not known", "given or best"))


def _triangle(values: Any, name: str, sign: int) -> list[list[Fraction]]:
    """The lower triangle of a (skew-)symmetric table, or of what is one already."""
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, list | tuple):
        raise InputError(Fault(name, "expected rows of numbers", "give a 2-D array"))
    rows = [list(exact_rows([row], f"{name}[{i}]")[0]) for i, row in enumerate(values)]
    if all(len(row) == i + 1 for i, row in enumerate(rows)):
        table = rows
    else:
        faults = [
            Fault(f"{name}[{i}]", f"{len(row)} entries in {len(rows)} rows")
            for i, row in enumerate(rows)
            if len(row) != len(rows)
        ]
        if not faults:
            faults = [
                Fault(
                    f"{name}[{i}, {j}]",
                    "is not the conjugate of the entry across the diagonal",
                    "a Gram matrix is Hermitian",
                )
                for i in range(len(rows))
                for j in range(i)
                if rows[i][j] != sign * rows[j][i]
            ]
        if faults:
            raise InputError(*faults[:20])
        table = [row[: i + 1] for i, row in enumerate(rows)]
    if sign < 0 and any(row[-1] for row in table):
        raise InputError(Fault(name, "the diagonal of a Hermitian matrix is real", "it is 0 in the imaginary parts"))
    return table


def _read(problem: dict[str, Any], free: bool, about: About) -> RIP:
    """The problem in the one form that the kernel digests."""
    problem["sparsity"] = int(problem["sparsity"])
    form, data = canonical_isometry(problem | ({"scaling": "best"} if free else {}))
    return _of_canonical(form, data, about)


def _of_canonical(form: Mapping[str, Any], data: Isometry, about: About) -> RIP:
    source: Literal["matrix", "gram"] = "gram" if "gram" in form else "matrix"
    rows = tuple(map(tuple, form[source]["rows"]))
    skew = tuple(map(tuple, data.imaginary))
    return RIP(source, rows, data.sparsity, data.scale, data.q, skew, data.radius, data.free, about)


@dataclass
class RipFamily:
    """What the command line and the report need to know of the family."""

    quantity: Quantity
    name: str = "rip"
    summary: str = "how far a matrix is from an isometry on sparse vectors"
    sense: Literal["min", "max"] = "max"
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_isometry import RipFile

        return RipFile

    def from_file(self, file: ProblemFile) -> RIP:
        from certify.formats.isometry import isometry_from_section

        return isometry_from_section(file)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> RIP:
        return _of_canonical(*canonical_isometry(data), about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: RIP, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: RIP, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return rip_explained(len(problem), problem.sparsity, witnesses)

    def picture(self, problem: RIP, witnesses: list[Mapping[str, Any]]) -> str | None:
        return rip_picture(problem.floats, problem.sparsity, witnesses)


FAMILY = RipFamily(
    Quantity(
        "rip_constant",
        r"\delta_s(W)",
        "1",
        "greatest | ‖Wx‖²/‖x‖² − 1 | over vectors x of at most s entries that are not 0",
    )
)
SCALED = RipFamily(
    Quantity(
        "rip_constant_scaled",
        r"\min_c \delta_s(cW)",
        "1",
        "the same of the best multiple of W: recovery does not depend on scale, the constant does",
    )
)
