"""Optimal Euclidean distortion of a finite metric.

c₂(X)² = min over maps f of X into a Hilbert space of  max z/d² · max d²/z,  z_ij = |f(i) − f(j)|²
(Linial, London, Rabinovich 1995, section 3). The mathematics is on one page: docs/mathematics.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.embedding_words import TEMPLATE, explained, gram_of
from certify.formats.array import exact_rows
from certify.kernel import Rejected
from certify.kernel.embedding import canonical_embedding
from certify.kernel.exact import matrix
from certify.kernel.psd import Triangle
from certify.problem import About, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.closed_form import MOST_CLASSES, MOST_POINTS, closed_form
from certify.rounding.grid import as_floats, over_common_denominator
from certify.rounding.laplacian import repaired, weights_witness
from certify.rounding.maps import classical_scaling, coordinates_witness, distortion_squared, factored, isometric_gram
from certify.solvers import scales
from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.embedding import ENGINES, INSTANT, answers, float_gap, order

if TYPE_CHECKING:
    import cvxpy
    import networkx as nx
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Form = Literal["graph", "squared_distances", "points"]
Norm = Literal["l2", "l1", "linf"]
LARGEST = 5000
SYMMETRIC = 30  # classes of pairs up to which a guess costs next to nothing
GUESSABLE = 1e-6  # gap of an answer from which the exact optimum is guessed
_NUMERICAL = (ArithmeticError, ValueError, LookupError, RuntimeError)  # what engines throw when doubles give out


@dataclass(frozen=True)
class Embedding(Asking):
    """A finite metric whose optimal Euclidean distortion is asked for. Build it with a ``from_`` method.

    form: how the data are held: ``graph`` (rows are edges u, v, length), ``squared_distances`` (rows of
    the matrix) or ``points`` (rows are coordinates, with ``norm``). The numbers are rows/denominator,
    exactly. groups: for merged duplicates, the indices of the user's points that each point stands for.
    """

    form: Form
    denominator: int
    rows: tuple[tuple[int, ...], ...] = field(repr=False)
    size: int
    norm: Norm | None = None
    groups: tuple[tuple[int, ...], ...] | None = field(default=None, repr=False)
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ENGINES

    @staticmethod
    def from_graph(graph: nx.Graph, length: str | None = None, about: About | None = None) -> Embedding:
        """The shortest-path metric of a connected networkx graph.

        length: the edge attribute that is the length (exact number or "p/q"); None: every edge has length
        1, whatever attributes there are. Raises InputError for a disconnected graph or a length <= 0.
        """
        from certify.formats.graph import graph_from_networkx

        data = graph_from_networkx(graph, length=length)
        notes = (about or About()).notes + tuple(data.notes)
        return Embedding.from_edges(
            data.vertices, data.edges, replace(about or About(), notes=notes, labels=tuple(map(str, data.vertices)))
        )

    @staticmethod
    def from_edges(
        vertices: Sequence[Any], edges: Sequence[tuple[int, int, Fraction]], about: About | None = None
    ) -> Embedding:
        """The shortest-path metric of vertices 0..n−1 joined by edges (u, v, length), each pair once."""
        _size(len(vertices), "graph")
        faults = [Fault(f"edge {u}-{v}", f"length {w} is not positive") for u, v, w in edges if w <= 0]
        if faults:
            raise InputError(*faults)
        denominator, lengths = over_common_denominator([[Fraction(w) for _, _, w in edges]])
        rows = sorted((min(u, v), max(u, v), w) for (u, v, _), w in zip(edges, lengths[0], strict=True))
        return Embedding("graph", denominator, tuple(rows), len(vertices), about=about or About()).validated("graph")

    @staticmethod
    def from_distances(distances: Any, *, merge_duplicates: bool = False, about: About | None = None) -> Embedding:
        """A square matrix of distances; entries are taken exactly (floats as the dyadic rationals they are).

        merge_duplicates: points at distance 0 become one; without it they are an error. Raises InputError
        for entries that are not finite, negative or asymmetric. The triangle inequality is not demanded.
        """
        rows = exact_rows(distances, "distances")
        return _from_squares(
            [[x * x if x >= 0 else x for x in row] for row in rows], "distances", merge_duplicates, about
        )

    @staticmethod
    def from_squared_distances(
        squared_distances: Any, *, merge_duplicates: bool = False, about: About | None = None
    ) -> Embedding:
        """A square matrix of squared distances, so that irrational distances can be exact (d = √2 is d² = 2)."""
        return _from_squares(
            exact_rows(squared_distances, "squared_distances"), "squared_distances", merge_duplicates, about
        )

    @staticmethod
    def from_points(
        points: Any, norm: Norm = "l2", *, merge_duplicates: bool = False, about: About | None = None
    ) -> Embedding:
        """The metric that a norm (l2, l1 or linf) puts on points, an (n, k) array.

        With l2 the points themselves have distortion 1, and that is proved at once; such a problem serves
        to assess a map into fewer dimensions.
        """
        if norm not in ("l2", "l1", "linf"):
            raise InputError(Fault("norm", f"{norm!r} is no norm", "l2, l1 or linf"))
        rows = exact_rows(points, "points")
        _size(len(rows), "points")
        groups = _groups_of_equal(rows)
        _duplicates(groups, merge_duplicates, "points")
        denominator, numerators = over_common_denominator([rows[group[0]] for group in groups])
        return Embedding(
            "points",
            denominator,
            tuple(map(tuple, numerators)),
            len(groups),
            norm,
            groups if len(groups) < len(rows) else None,
            about or About(),
        )

    def validated(self, name: str) -> Embedding:
        """Self, if the kernel takes the data; InputError otherwise."""
        try:
            self.squares()
        except Rejected as fault:
            mend = "the metric must be finite and positive"
            if fault.rule in ("work", "size"):
                mend = "give so dense a graph by its distances"
            raise InputError(Fault(name, fault.why, mend)) from None
        return self

    def __len__(self) -> int:
        return self.size

    @property
    def family(self) -> Family:
        return FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        rows = [list(row) for row in self.rows]
        if self.form == "graph":
            return {"metric": {"graph": {"vertices": self.size, "denominator": self.denominator, "edges": rows}}}
        table: dict[str, Any] = {"denominator": self.denominator, "rows": rows}
        if self.form == "points":
            return {"metric": {"points": table, "norm": self.norm}}
        return {"metric": {"squared_distances": table}}

    def squares(self) -> Triangle:
        """Squared distances up to a common factor: exact, the lower triangle."""
        return self._squares

    @cached_property
    def _squares(self) -> Triangle:
        return canonical_embedding(self.canonical())[1]

    def squared_distances(self) -> NDArray[np.float64]:
        """Squared distances in the unit of the data, (n, n), in floating point."""
        unit = Fraction(1, self.denominator if self.form == "squared_distances" else self.denominator**2)
        return as_floats(self.squares(), unit)

    def model(self) -> cvxpy.Problem:
        """The semidefinite programme in CVXPY, over all pairs; its optimal value is the squared distortion."""
        from certify.solvers.cone import embedding_model
        from certify.solvers.pairs import expandable_pairs

        squares = self.squared_distances()
        return embedding_model(squares, expandable_pairs(squares)).problem

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Instant bounds, then an exact test for distortion 1, then the engines, each answer rounded."""
        exact = self.squares()
        yield Proposal({"kind": "one"}, "lower")
        if self.size == 1:
            yield Proposal({"kind": "coordinates", "points": {"denominator": 1, "rows": [[0]]}}, "upper")
            return
        if self.form == "points" and self.norm == "l2":
            table = {"denominator": self.denominator, "rows": [list(row) for row in self.rows]}
            yield Proposal({"kind": "coordinates", "points": table}, "upper")
            return
        effort.say("a first embedding")
        squares = as_floats(exact, Fraction(1, max(max(row) for row in exact)))
        points = classical_scaling(squares)
        isometry = isometric_gram(exact) if distortion_squared(points, squares) < 1 + 1e-9 else None
        if isometry is not None:
            yield Proposal(isometry, "upper", points)
            return
        yield from self._by(INSTANT, squares, effort)
        for name in order(self.size, effort.solver):
            if effort.remaining() > 0:
                effort.say(name)
                yield from self._by(name, squares, effort)

    def _by(self, name: str, squares: NDArray[np.float64], effort: Effort) -> Iterator[Proposal]:
        """The answers of one engine, scale by scale, each rounded. Where the metric is small enough, the exact
        optimum is guessed: from any answer if there is much symmetry, else from the best."""
        best: tuple[float, EmbeddingAnswer] | None = None

        def engine(part: NDArray[np.float64]) -> Iterator[EmbeddingAnswer]:
            chosen, gap = name == effort.solver, float(effort.gap)
            return answers(name, part, gap=gap, remaining=effort.remaining, say=effort.say, chosen=chosen)

        for answer in scales.solve(squares, engine):
            gap = float_gap(answer, squares) if self.size <= MOST_POINTS else inf
            if gap < inf:
                yield from _guessed(self.squares(), answer, SYMMETRIC)
            if gap > GUESSABLE:
                yield from _rounded(answer, squares)
            elif best is None or gap < best[0]:
                best = gap, answer
        if best is not None:
            yield from _guessed(self.squares(), best[1], MOST_CLASSES)
            yield from _rounded(best[1], squares)

    def assessed(self, solution: Any) -> Proposal | str:
        """Coordinates, (n, k), as an upper witness; a sentence if the map has infinite distortion."""
        rows = exact_rows(solution, "solution")
        given = self.size if self.groups is None else sum(map(len, self.groups))
        if len(rows) != given:
            raise InputError(
                Fault("solution", f"{len(rows)} rows for {given} points", "one row of coordinates a point")
            )
        if self.groups is not None:
            for group in self.groups:
                for other in group[1:]:
                    if rows[other] != rows[group[0]]:
                        return f"infinite: points {group[0]} and {other} are at distance 0, their images are not"
            rows = tuple(rows[group[0]] for group in self.groups)
        for group in _groups_of_equal(rows):
            if len(group) > 1:
                return f"infinite: points {self.name_of(group[0])} and {self.name_of(group[1])} have the same image"
        denominator, numerators = over_common_denominator(rows)
        witness = {"kind": "coordinates", "points": {"denominator": denominator, "rows": numerators}}
        return Proposal(witness, "upper", np.array([[float(x) for x in row] for row in rows]))

    def name_of(self, point: int) -> str:
        """A point for a reader: its number in the user's data, and its label if it has one."""
        labels = self.about.labels
        number = point if self.groups is None else self.groups[point][0]
        if not labels or number >= len(labels) or labels[number] == str(number):
            return str(number)
        return f"{number} ({labels[number]})"

    def solution_of(self, witness: Mapping[str, Any]) -> NDArray[np.float64]:
        """Floating-point coordinates, (n, k), of an upper witness; merged duplicates get equal rows."""
        if witness["kind"] == "coordinates":
            denominator, rows = matrix(witness["points"], "points", None, None)
            points = np.array([[entry / denominator for entry in row] for row in rows], dtype=float)
        else:
            points = factored(as_floats(gram_of(witness), Fraction(1)))
        if self.groups is None:
            return points
        full = np.zeros((sum(map(len, self.groups)), points.shape[1]))
        for group, row in zip(self.groups, points, strict=True):
            full[list(group)] = row
        return full


def _size(n: int, name: str) -> None:
    if n < 1:
        raise InputError(Fault(name, "there is no point", "give at least one"))
    if n > LARGEST:
        raise InputError(Fault(name, f"{n} points are more than {LARGEST}", "take a subset"))


def _groups_of_equal(rows: Sequence[tuple[Fraction, ...]]) -> tuple[tuple[int, ...], ...]:
    """Indices of equal rows, in order of first occurrence."""
    groups: dict[tuple[Fraction, ...], list[int]] = {}
    for i, row in enumerate(rows):
        groups.setdefault(row, []).append(i)
    return tuple(tuple(group) for group in groups.values())


def _duplicates(groups: Sequence[tuple[int, ...]], merge: bool, name: str) -> None:
    if merge:
        return
    faults = [
        Fault(
            f"{name}[{g[0]}] and {name}[{g[1]}]",
            "distance 0 between distinct points",
            "merge_duplicates = true makes them one",
        )
        for g in groups
        if len(g) > 1
    ]
    if faults:
        raise InputError(*faults)


def _from_squares(rows: Sequence[Sequence[Fraction]], name: str, merge: bool, about: About | None) -> Embedding:
    n = len(rows)
    _size(n, name)
    if len(rows[0]) != n:
        raise InputError(Fault(name, f"{n} rows and {len(rows[0])} columns", "a matrix of distances is square"))
    faults = []
    for i in range(n):
        if rows[i][i] != 0:
            faults.append(Fault(f"{name}[{i}, {i}]", f"{rows[i][i]}, but the distance of a point to itself is 0"))
        for j in range(i):
            if rows[i][j] < 0 or rows[j][i] < 0:
                faults.append(Fault(f"{name}[{j}, {i}]", f"{min(rows[i][j], rows[j][i])} is negative"))
            elif rows[i][j] != rows[j][i]:
                pair = f"{name}[{i}, {j}]"
                faults.append(
                    Fault(f"{name}[{j}, {i}]", f"not symmetric: differs from {pair}", "make the two entries equal")
                )
    if faults:
        raise InputError(*faults)
    groups = _groups_of_zero(rows, name)
    _duplicates(groups, merge, name)
    first = [group[0] for group in groups]
    denominator, numerators = over_common_denominator([[rows[i][j] for j in first] for i in first])
    merged = groups if len(groups) < n else None
    return Embedding(
        "squared_distances", denominator, tuple(map(tuple, numerators)), len(groups), None, merged, about or About()
    )


def _groups_of_zero(rows: Sequence[Sequence[Fraction]], name: str) -> tuple[tuple[int, ...], ...]:
    """Points at distance 0, which must have equal distances to every other point."""
    groups: list[list[int]] = []
    for i, row in enumerate(rows):
        home = next((g for g in groups if row[g[0]] == 0), None)
        if home is None:
            groups.append([i])
            continue
        if tuple(rows[home[0]]) != tuple(row):
            j = next(j for j, x in enumerate(row) if rows[home[0]][j] != x)
            raise InputError(
                Fault(f"{name}[{home[0]}, {i}]", f"distance 0, but the two have different distances to point {j}")
            )
        home.append(i)
    return tuple(map(tuple, groups))


def _guessed(exact: Triangle, answer: EmbeddingAnswer, classes: int) -> Iterator[Proposal]:
    """Witnesses of the exact optimum, if it can be guessed from the answer with at most so many classes of pairs."""
    began = time.monotonic()
    try:
        found = closed_form(exact, answer, classes)
    except _NUMERICAL:  # a guess that doubles cannot make
        return
    if found is not None:
        seconds = time.monotonic() - began
        yield Proposal(found.lower, "lower", None, answer.claim, seconds, twin_follows=True)
        yield Proposal(found.upper, "upper", None, answer.claim)


def _rounded(answer: EmbeddingAnswer, squares: NDArray[np.float64]) -> Iterator[Proposal]:
    """The upper and the lower witness of one answer, whichever of them it holds."""
    claim = None if answer.claim.name == INSTANT else answer.claim
    if answer.points is not None and np.all(np.isfinite(answer.points)):
        began = time.monotonic()
        yield Proposal(
            coordinates_witness(answer.points, squares), "upper", answer.points, claim, time.monotonic() - began
        )
    began = time.monotonic()
    weights = repaired(squares, answer)
    witness = None if weights is None else weights_witness(weights, squares)
    if witness is not None:
        yield Proposal(witness, "lower", None, claim, time.monotonic() - began)
    elif answer.points is None:
        yield Proposal({"kind": "one"}, "lower", None, claim)


class EmbeddingFamily:
    """What the command line and the report need to know of the family."""

    name = "embedding"
    summary = "optimal Euclidean distortion of a finite metric"
    sense: Literal["min", "max"] = "min"
    quantity = Quantity(
        "distortion_squared",
        "c_2(X)^2",
        "1",
        "least (max expansion · max contraction)² over all maps of the points into a Euclidean space",
    )
    derived: tuple[Quantity, ...] = (
        Quantity("distortion", "c_2(X)", "1", "least distortion: the square root of distortion_squared", root=2),
    )

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema import EmbeddingFile

        return EmbeddingFile

    def from_file(self, file: ProblemFile) -> Embedding:
        from certify.formats.metric import metric_from_section

        data = metric_from_section(file)
        about = replace(file.about, labels=data.labels or file.about.labels, notes=file.about.notes + tuple(data.notes))
        if data.graph is not None:
            return Embedding.from_edges(data.graph.vertices, data.graph.edges, about)
        if data.points is not None:
            return Embedding.from_points(
                data.points, data.norm or "l2", merge_duplicates=data.merge_duplicates, about=about
            )
        return Embedding.from_squared_distances(data.squared, merge_duplicates=data.merge_duplicates, about=about)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> Embedding:
        metric = canonical_embedding(data)[0]["metric"]
        if "graph" in metric:
            graph = metric["graph"]
            rows = tuple(tuple(edge) for edge in graph["edges"])
            return Embedding("graph", graph["denominator"], rows, graph["vertices"], about=about)
        form: Form = "points" if "points" in metric else "squared_distances"
        rows = tuple(tuple(row) for row in metric[form]["rows"])
        return Embedding(form, metric[form]["denominator"], rows, len(rows), metric.get("norm"), about=about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: Embedding, path: Path) -> Any:
        from certify.formats.table import read_table

        return read_table(path).rows

    def explain(self, problem: Embedding, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(explained(problem, witnesses))

    def picture(self, problem: Embedding, witnesses: list[Mapping[str, Any]]) -> str | None:
        from certify.report.embedding import picture

        return picture(problem, witnesses)


FAMILY = EmbeddingFamily()
