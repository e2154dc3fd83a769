"""The null-space constant of a matrix (Donoho, Huo 2001). See docs/mathematics/nullspace.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import frexp, lcm
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.nullspace_words import TEMPLATE, nullspace_explained
from certify.formats.array import exact_rows
from certify.kernel.nullspace import MAX_SPARSITY, canonical_nullspace
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.exact_linear import independent_rows, left_kernel, solved_square
from certify.rounding.grid import over_common_denominator
from certify.solvers.nullspace import gathered

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Floats = NDArray[np.float64]
GRID = 2**60
SIMPLE = 2520  # greatest denominator that an exact dual is looked for with
SECONDS = 4e-7  # that the kernel takes a product of I − WᵀU, both times that it is asked
MOST_OPEN = 4000  # linear programmes of one tree
SMALL = 120  # columns up to which duals are solved over ℚ, if their numbers have some ``SHORT`` bits
SHORT = 1000


@dataclass(frozen=True)
class NullSpace(Asking):
    """A matrix rows/denominator (n, d), exactly, and a number s of entries. Build it with :meth:`of`."""

    denominator: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    sparsity: int
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("highs",)

    @staticmethod
    def of(matrix: Any, s: int, *, about: About | None = None) -> NullSpace:
        """The matrix (n, d), its numbers taken exactly, and 1 ≤ s ≤ d. Raises InputError for what is no number."""
        w = exact_rows(matrix, "matrix")
        if not w or not w[0]:
            raise InputError(Fault("matrix", "there are no entries", "give rows of numbers"))
        most = min(len(w[0]), MAX_SPARSITY)
        if isinstance(s, bool) or not isinstance(s, int | np.integer) or not 1 <= s <= most:
            raise InputError(Fault("s", f"{s!r} is not a number of columns from 1 to {most}"))
        q, rows = over_common_denominator(w)
        return _read({"matrix": {"denominator": q, "rows": rows}, "sparsity": int(s)}, about or About())

    def __len__(self) -> int:
        return len(self.rows[0])

    @property
    def family(self) -> Family:
        return FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        matrix = {"denominator": self.denominator, "rows": [list(row) for row in self.rows]}
        return {"matrix": matrix, "sparsity": self.sparsity}

    @cached_property
    def floats(self) -> tuple[Floats, int]:
        """W·2^−e in floating point, about 1, and e."""
        top = max((abs(e) for row in self.rows for e in row), default=0)
        shift = frexp(Fraction(top, self.denominator))[1] if top else 0
        unit = Fraction(2) ** -shift / self.denominator
        return np.array([[float(e * unit) for e in row] for row in self.rows]), shift

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """A linear programme a column; vectors of local search; then a tree of signed sets for s > 1."""
        yield Proposal({"kind": "none"}, "lower", twin_follows=True)
        injective = self._injective()
        if injective is not None:
            yield injective
            return
        w, _ = self.floats
        d = len(self)
        effort.say("one linear programme a column")
        tops: list[Floats] = []
        duals = list(np.linalg.pinv(w))  # a column that time does not reach has the vector of the projection to ker W
        check = SECONDS * d * d * len(self.rows)
        third = effort.remaining() / 3  # for the exact vector, for rounding and for the kernel
        rest = max(third, check) if check < 2 * third else third
        for j in range(d):
            found = gathered(w, np.eye(d)[j], effort.remaining() - rest)
            if found is None:
                break
            tops.append(found[0])
            duals[j] = found[1]
            if effort.remaining() <= rest:
                break
        if not tops:
            return
        best, vector = self._searched(tops, effort, rest)
        a = np.eye(d) - w.T @ np.array(duals).T  # column j is e_j − Wᵀu_j
        claim = Claim(
            "HiGHS", "optimal", float(np.max(np.sum(np.sort(np.abs(a), axis=1)[:, -self.sparsity :], axis=1)))
        )
        if len(tops) < d and effort.remaining() > check:  # time is short, and exact vectors are long
            yield Proposal({"kind": "dual", **self._on_grid(duals)}, "upper")
        yield from self._lower(vector)
        for witness in self._duals(tops, duals) if len(tops) == d else ():
            yield Proposal(witness, "upper", claim=claim)
        lower, upper = effort.bounds()
        if self.sparsity > 1 and len(tops) == d and lower is not None and upper is not None and lower < upper:
            yield from self._tree(best, duals, a, effort)

    def _injective(self) -> Proposal | None:
        """U with WᵀU = I exactly if the columns are independent."""
        n, d = len(self.rows), len(self)
        if d > n:
            return None
        chosen, _ = independent_rows(self.rows)
        if len(chosen) < d:
            return None
        square = [[self.rows[i][j] for i in chosen] for j in range(d)]
        vectors = []
        for j in range(d):
            u = solved_square(square, [self.denominator * int(i == j) for i in range(d)])
            if u is None:
                return None
            at = dict(zip(chosen, u, strict=True))
            vectors.append([at.get(i, Fraction(0)) for i in range(n)])
        q, table = over_common_denominator(vectors)
        return Proposal({"kind": "dual", "denominator": q, "vectors": table}, "upper")

    def gathers(self, z: Floats) -> float:
        """The part of its ℓ1 norm that z has on its s largest entries; 0 for z = 0."""
        total = float(np.sum(np.abs(z)))
        return float(np.sum(np.sort(np.abs(z))[-self.sparsity :])) / total if total > 1e-12 else 0.0

    def _searched(self, tops: list[Floats], effort: Effort, rest: float) -> tuple[float, Floats]:
        """A vector of the kernel whose s largest entries are as large as alternation finds them."""
        w, _ = self.floats
        starts = sorted(tops, key=self.gathers, reverse=True)[: 12 if self.sparsity > 1 else 1]
        best, vector = self.gathers(starts[0]), starts[0]
        for z in starts if self.sparsity > 1 else []:
            value = 0.0
            while self.gathers(z) > value + 1e-12 and effort.remaining() > rest:
                value = self.gathers(z)
                if value > best:
                    best, vector = value, z
                chosen = np.argsort(-np.abs(z), kind="stable")[: self.sparsity]
                c = np.zeros(len(self))
                c[chosen] = np.sign(z[chosen])
                found = gathered(w, c, effort.remaining())
                if found is None:
                    break
                z = found[0]
        return best, vector

    def _lower(self, z: Floats) -> Iterator[Proposal]:
        """The exact vector of the kernel on the support of a vertex."""
        support = np.flatnonzero(np.abs(z) > 1e-9 * max(float(np.max(np.abs(z), initial=0.0)), 1e-300)).tolist()
        if not support:
            return
        for x in left_kernel([[row[j] for row in self.rows] for j in support])[:4]:
            value = [0] * len(self)
            for j, e in zip(support, x, strict=True):
                value[j] = e
            yield Proposal({"kind": "kernel", "value": value}, "lower")

    def _duals(self, tops: list[Floats], duals: list[Floats]) -> Iterator[dict[str, Any]]:
        """The vectors u_j as simple rationals, if they look it, solved over ℚ, if that is short, and on a grid."""
        _, shift = self.floats
        simple = [[Fraction(float(e)).limit_denominator(SIMPLE) for e in u] for u in duals]
        if (
            max(abs(float(e) - x) for line, u in zip(simple, duals, strict=True) for e, x in zip(line, u, strict=True))
            < 1e-9
        ):
            unit = Fraction(2) ** -shift
            q, table = over_common_denominator([[e * unit for e in line] for line in simple])
            yield {"kind": "dual", "denominator": q, "vectors": table}
        solved = self._solved(tops, duals) if self.sparsity == 1 and self.is_short else None
        if solved is not None:
            yield solved
        yield {"kind": "dual", **self._on_grid(duals)}

    @property
    def is_short(self) -> bool:
        """Whether vectors of the kernel are short enough to solve for their duals exactly."""
        bits = max((abs(e).bit_length() for row in self.rows for e in row), default=0)
        return len(self) <= SMALL and min(len(self.rows), len(self)) * bits <= SHORT

    def _on_grid(self, vectors: list[Floats]) -> dict[str, Any]:
        """Vectors for W·2^−e as integers over a denominator for W."""
        _, shift = self.floats
        table = [[round(float(e) * GRID) << max(-shift, 0) for e in u] for u in vectors]
        return {"denominator": GRID << max(shift, 0), "vectors": table}

    def _solved(self, tops: list[Floats], duals: list[Floats]) -> dict[str, Any] | None:
        """For s = 1: u_j that are tight, with the sign of z_i, on the support of the vertex z; solved over ℚ."""
        vectors = []
        for j, (z, u) in enumerate(zip(tops, duals, strict=True)):
            vector = self.solved_dual({j: 1}, z, u)
            if vector is None:
                return None
            vectors.append(vector)
        q = lcm(*(e.denominator for line in vectors for e in line))
        if q.bit_length() > 200_000:
            return None
        return {"kind": "dual", "denominator": q, "vectors": [[int(e * q) for e in line] for line in vectors]}

    def solved_dual(self, c: Mapping[int, int], z: Floats, near: Floats) -> list[Fraction] | None:
        """u with (c − Wᵀu)_i = α·sign z_i on the support of z, where α = cᵀz, and what is left over as in ``near``."""
        from certify.rounding.recovery import pivots

        w, shift = self.floats
        unit = Fraction(2) ** -shift
        kept = [Fraction(round(float(e) * GRID), GRID) * unit for e in near]
        support = np.flatnonzero(np.abs(z) > 1e-9).tolist()
        if not support:  # cᵀz = 0 on the kernel, or nearly so: the grid is as good
            return kept
        basis = left_kernel([[row[i] for row in self.rows] for i in support])
        if len(basis) != 1:
            return None
        exact = dict(zip(support, basis[0], strict=True))
        top = sum(sign * exact.get(i, 0) for i, sign in c.items())
        if top < 0:
            exact, top = {i: -e for i, e in exact.items()}, -top
        alpha = Fraction(top, sum(map(abs, exact.values())))
        # any |support| − 1 of the equations imply the last one
        wanted = support[1:]
        chosen = sorted(pivots(w[:, wanted].T, len(wanted)))
        if len(chosen) < len(wanted):
            return None
        others = [k for k in range(len(self.rows)) if k not in set(chosen)]
        right = []
        for i in wanted:
            sign = 1 if exact[i] > 0 else -1
            value = (c.get(i, 0) - alpha * sign) * self.denominator - sum(
                (self.rows[k][i] * kept[k] for k in others), Fraction(0)
            )
            right.append(value)
        scale = lcm(*(e.denominator for e in right))
        solved = solved_square([[self.rows[k][i] for k in chosen] for i in wanted], [int(e * scale) for e in right])
        if solved is None:
            return None
        u = list(kept)
        for k, e in zip(chosen, solved, strict=True):
            u[k] = e / scale
        return u

    def _tree(self, best: float, duals: list[Floats], a: Floats, effort: Effort) -> Iterator[Proposal]:
        """All signed sets, their nodes closed by the columns' vectors or by one of their own."""
        search = _Tree(self, best, duals, a, effort)
        closed = search.closed()
        for z in search.better:
            yield from self._lower(z)
        if not closed:
            return
        lower, _ = effort.bounds()
        if lower is not None and search.critical and self.is_short:
            exact = self._closed_exactly(search, duals, lower)
            if exact is not None:
                yield Proposal(exact, "upper")
        bound = Fraction(search.bound + 1e-9 * search.bound).limit_denominator(2**60)
        special = [{"pattern": list(p), "vector": self._on_grid([u])["vectors"][0]} for p, u in search.special.items()]
        grid = self._on_grid(duals)
        yield Proposal({"kind": "tree", **grid, "value": str(bound), "special": special, "work": search.work}, "upper")

    def _closed_exactly(self, search: _Tree, duals: list[Floats], value: Fraction) -> dict[str, Any] | None:
        """The tree at the value itself: the signed sets that attain it have duals over ℚ, the others stay below it."""
        grid = self._on_grid([*duals, *search.special.values()])
        scale = grid["denominator"]
        vectors = [[Fraction(e, scale) for e in line] for line in grid["vectors"]]
        special = dict(zip(search.special, vectors[len(duals) :], strict=True))
        for pattern, z in search.critical.items():
            c = {abs(e) - 1: 1 if e > 0 else -1 for e in pattern}
            solved = self.solved_dual(c, z, search.special[pattern])
            if solved is None:
                return None
            special[pattern] = solved
        q = lcm(*(e.denominator for line in (*vectors, *special.values()) for e in line))
        if q.bit_length() * len(self) > 2_000_000:
            return None
        whole = {pattern: [int(e * q) for e in line] for pattern, line in special.items()}
        return {
            "kind": "tree",
            "denominator": q,
            "vectors": [[int(e * q) for e in line] for line in vectors[: len(duals)]],
            "value": str(value),
            "special": [{"pattern": list(pattern), "vector": line} for pattern, line in whole.items()],
            "work": search.work,
        }

    def assessed(self, solution: Any) -> Proposal | str:
        """A vector (d,) of the kernel of W."""
        given = [x for row in exact_rows(solution, "solution") for x in row]
        if len(given) != len(self):
            raise InputError(Fault("solution", f"{len(given)} entries for {len(self)} columns", "one number a column"))
        _, (z,) = over_common_denominator([given])
        if not any(z) or any(sum(x * y for x, y in zip(row, z, strict=True)) for row in self.rows):
            return "it is zero, or not in the kernel of the matrix"
        return Proposal({"kind": "kernel", "value": z}, "lower")

    def solution_of(self, witness: Mapping[str, Any]) -> Any:
        """The vector (d,) of a lower witness, in floating point, its largest entry 1; zero if there is none."""
        z = [int(x) for x in witness.get("value", [0] * len(self))] if witness["kind"] == "kernel" else [0] * len(self)
        return np.array([float(Fraction(x, max(map(abs, z)) or 1)) for x in z])


class _Tree:
    """The search for a tree that closes: what it found better, and the vectors that some nodes need."""

    def __init__(self, problem: NullSpace, best: float, duals: list[Floats], a: Floats, effort: Effort) -> None:
        self.problem, self.a, self.effort = problem, a, effort
        self.w = problem.floats[0]
        self.best = best
        self.bound = best * (1 + float(effort.gap) / 4) + 1e-12
        self.special: dict[tuple[int, ...], Floats] = {}
        self.critical: dict[tuple[int, ...], Floats] = {}  # signed sets that attain the bound, and their vectors
        self.exact = problem.is_short
        self.better: list[Floats] = []
        self.work = self.programmes = 0
        d, s = len(problem), problem.sparsity
        self.tops = np.zeros((s + 1, d + 1, d))  # [r, k, i]: of the r largest |A_ij| over j ≥ k
        for k in reversed(range(d)):
            order = -np.sort(-np.abs(a[:, k:]), axis=1)
            for r in range(1, s + 1):
                self.tops[r, k] = np.sum(order[:, :r], axis=1)

    def closed(self) -> bool:
        """Whether every set was closed at the bound, in time. A better vector raises the bound and begins again."""
        while True:
            self.work, self.special, self.critical = 0, {}, {}
            self.effort.say("signed sets of columns")
            found = self._visit((), np.zeros(len(self.problem)), 0, self.problem.sparsity)
            if found is None:
                return True
            if not isinstance(found, float):
                return False
            self.best, self.bound = found, found * (1 + float(self.effort.gap) / 4) + 1e-12

    def _visit(self, pattern: tuple[int, ...], row: Floats, start: int, r: int) -> float | bool | None:
        """None: closed. A number: a better value was found. False: out of time."""
        d = len(self.problem)
        self.work += d
        tops = self.tops[r, start]
        closing = self.best - 1e-10 if self.exact and self.best < 1 else self.bound - 1e-11
        if float(np.max(np.abs(row) + tops)) <= closing:
            return None
        if pattern:
            self.programmes += 1
            if self.programmes > MOST_OPEN or self.effort.remaining() <= 0:
                return False
            c = np.zeros(d)
            for e in pattern:
                c[abs(e) - 1] = np.sign(e)
            found = gathered(self.w, c, self.effort.remaining(), tops if r else None)
            if found is None:
                return False
            u = found[1]
            value = self.problem.gathers(found[0])
            if value > self.bound:
                self.better.append(found[0])
                return value
            mine = c - self.w.T @ u
            if float(np.max(np.abs(mine) + tops)) < float(np.max(np.abs(row) + tops)):
                row = mine
                self.special[pattern] = u
            if float(np.max(np.abs(row) + tops)) <= closing:
                return None
            if r == 0 and float(np.max(np.abs(mine))) <= self.bound - 1e-11:
                self.special[pattern], self.critical[pattern] = u, found[0]
                return None
        if r == 0:
            return False
        for j in range(start, d):
            for sign in (1, -1) if pattern else (1,):
                found_below = self._visit((*pattern, sign * (j + 1)), row + sign * self.a[:, j], j + 1, r - 1)
                if found_below is not None:
                    return found_below
        return None


def _read(problem: dict[str, Any], about: About) -> NullSpace:
    table = canonical_nullspace(problem)[0]
    matrix = table["matrix"]
    return NullSpace(matrix["denominator"], tuple(map(tuple, matrix["rows"])), table["sparsity"], about)


class NullspaceFamily:
    """What the command line and the report need to know of the family."""

    name = "nullspace"
    summary = "how far vectors of the kernel of a matrix gather on few entries"
    sense: Literal["min", "max"] = "max"
    quantity = Quantity(
        "alpha",
        r"\alpha_s(W)",
        "1",
        "greatest sum of the s largest moduli of the entries of z over z with Wz = 0 and ‖z‖₁ = 1; 0 if there is none. "
        "Below 1/2, and only then, ℓ1 recovers every s-sparse vector",
    )
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_isometry import NullspaceFile

        return NullspaceFile

    def from_file(self, file: ProblemFile) -> NullSpace:
        from certify.formats.matrix import matrix_from_section

        matrix = matrix_from_section(file)
        s: Any = file.data.s  # type: ignore[attr-defined]
        most = min(len(matrix[0]), MAX_SPARSITY)
        if s > most:
            raise InputError(file.fault(("s",), f"{s} is not a number of columns from 1 to {most}"))
        return NullSpace.of(matrix, s, about=file.about)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> NullSpace:
        return _read(dict(data), about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: NullSpace, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: NullSpace, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return nullspace_explained(problem.sparsity, witnesses)

    def picture(self, problem: NullSpace, witnesses: list[Mapping[str, Any]]) -> str | None:
        return None


FAMILY = NullspaceFamily()
