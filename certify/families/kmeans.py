"""k-means: into k clusters, with the least sum of squared distances to the cluster means.

OPT_k = min over at most k centres y of Σ_i w_i·min_c |x_i − y_c|². The mathematics: docs/mathematics/kmeans.md.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.certificate import sidecar
from certify.errors import Fault, InputError
from certify.families.kmeans_words import TEMPLATE, explained
from certify.formats.array import exact_rows
from certify.formats.data import IntegerRows, exact_points, over_denominator
from certify.formats.exact import NotExactError, exact_number, is_number
from certify.kernel import inlined
from certify.kernel.exact import matrix
from certify.kernel.kmeans import canonical_kmeans
from certify.kernel.kmeans_sample import sample_draws
from certify.kernel.points import PointSet
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.axes import principal_turn
from certify.rounding.grid import over_common_denominator
from certify.rounding.kmeans import in_unit_box, labels_witness, quick_spectral_witness, spectral_witness
from certify.rounding.line import on_line
from certify.rounding.prices import dual_witness
from certify.solvers import kmeans as engine

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Labels = NDArray[np.intp]
MOST_PRICED = 1500  # distinct points up to which prices are looked for
MOST_AXES = 40
MOST_CELLED, FEW_AXES = 10_000, 3  # points and coordinates up to which prices of cells are worth their while
PART_SIZES = (900, 600, 400, 250, 150)  # points of one semidefinite relaxation
NOISE = -1
SAMPLE_SIZE, FEWEST_SAMPLES, MOST_SAMPLES = 300, 5, 100
MOST_CHOICES = 100
LARGE = 2_000_000  # entries of a table that is kept as it is, in a file beside the certificate
SIDECAR_TYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "|u1")
ROOM = Fraction(9, 10)  # share of the gap asked for that engines use up


@dataclass(frozen=True, init=False)
class KMeans(Asking):
    """Points that are to be put into k clusters: ``KMeans(X, k=3)``, ``KMeans(X, 3, weights=w)``.

    X: (n, d) numbers, dense or sparse, an array, a data frame or nested lists; floats (float32 too) are taken as the
    exact numbers they are, text as the rational it spells ("1/3"). weights: n numbers >= 0; the cost charges
    w_i·|x_i − y|². confidence: a number like 0.99 if a lower bound by random samples, which holds with this
    confidence, will do where a certain one is out of reach; it is no part of the problem. Held as integers:
    rows/denominator and masses/unit (None: all 1); many points as the table they came in. Raises InputError that names
    every entry that is no finite number.
    """

    denominator: int
    rows: IntegerRows = field(repr=False)  # empty where there is a table
    k: int
    unit: int
    masses: tuple[int, ...] | None = field(repr=False)
    about: About = field(compare=False, repr=False)
    table: NDArray[Any] | None = field(default=None, compare=False, repr=False)  # many points, as they were given
    confidence: Fraction | None = field(default=None, compare=False)  # of bounds by samples, if they are wanted

    engines = ("prices",)

    def __init__(
        self, X: Any, k: int, weights: Any = None, *, confidence: Any = None, about: About | None = None
    ) -> None:
        object.__setattr__(self, "confidence", _confidence(confidence))
        table = _large(X)
        if table is not None:
            unit, masses = _masses(weights, len(table))
            self._fill(1, (), k, unit, masses, about, table)
            return
        denominator, rows = exact_points(X, "X")
        unit, masses = _masses(weights, len(rows))
        self._fill(denominator, rows, k, unit, masses, about)

    @classmethod
    def from_integers(
        cls,
        denominator: int,
        rows: IntegerRows,
        k: int,
        unit: int = 1,
        masses: tuple[int, ...] | None = None,
        about: About | None = None,
    ) -> KMeans:
        """The problem of the points rows/denominator with weights masses/unit."""
        problem = object.__new__(cls)
        problem._fill(denominator, rows, k, unit, masses, about)
        return problem

    def _fill(
        self,
        denominator: int,
        rows: IntegerRows,
        k: int,
        unit: int,
        masses: tuple[int, ...] | None,
        about: About | None,
        table: NDArray[Any] | None = None,
    ) -> None:
        count = len(rows) if table is None else len(table)
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or not 1 <= k <= count:
            mend = f"a whole number from 1 to {count}, the number of points"
            raise InputError(Fault("k", f"{k!r} clusters of {count} points", mend))
        values = {
            "denominator": denominator,
            "rows": rows,
            "k": int(k),
            "unit": unit,
            "masses": masses,
            "about": about or About(),
            "table": table,
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        return len(self.rows) if self.table is None else len(self.table)

    @property
    def family(self) -> Family:
        return FAMILY

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        points: dict[str, Any] = {"denominator": self.denominator, "rows": [list(row) for row in self.rows]}
        if self.table is not None:
            points = dict(self._beside[0])
        if self.masses is None:
            return {"points": points, "k": self.k}
        return {"points": points, "k": self.k, "weights": {"denominator": self.unit, "values": list(self.masses)}}

    def sidecars(self) -> Mapping[str, bytes]:
        """The file beside the certificate that holds many points."""
        return {} if self.table is None else self._beside[1]

    @cached_property
    def _beside(self) -> tuple[dict[str, str], Mapping[str, bytes]]:
        return sidecar(self.table)

    @property
    def width(self) -> int:
        """The number of coordinates of a point."""
        return len(self.rows[0]) if self.table is None else int(self.table.shape[1])

    @cached_property
    def points(self) -> PointSet:
        """The points as the kernel holds them."""
        return self._read()

    def _read(self) -> PointSet:
        read = self.sidecars().__getitem__
        return canonical_kmeans(inlined(self.canonical(), "problem", read))[1].points

    def coordinates(self) -> NDArray[np.float64]:
        """The points in floating point, (n, d)."""
        if self.table is not None:
            return np.asarray(self.table, dtype=np.float64)
        return np.array([[entry / self.denominator for entry in row] for row in self.rows])

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Clusterings, from fast to good; lower bounds, from the instant ones to those that close the gap."""
        yield from self._certain(effort)
        if self.confidence is not None:
            yield from self._sampled(effort)

    def _certain(self, effort: Effort) -> Iterator[Proposal]:
        """Bounds that hold for certain."""
        if self.table is not None:
            yield from self._many(effort)
            return
        points, k = self.points, self.k
        distinct = points.distinct()
        home = _homes(points, distinct)
        yield Proposal({"kind": "zero"}, "lower")
        if len(distinct) <= k:
            yield Proposal(labels_witness(home), "upper", home)
            return
        if k == 1:
            yield Proposal(labels_witness(np.zeros(len(self), dtype=np.intp)), "upper")
            witness = spectral_witness(points, 1)
            if witness is not None:
                yield Proposal(witness, "lower")
            return
        if len(points.rows[0]) == 1:
            effort.say("dynamic programming")
            line = on_line(distinct, k)
            if line is not None:
                yield Proposal(labels_witness(line.labels[home]), "upper", line.labels[home], twin_follows=True)
                yield Proposal(line.witness, "lower")
                return
        floats, weights, unit = in_unit_box(distinct)
        worth = float(unit / (points.unit * points.denominator**2))  # of a cost of 1 in the unit box
        found = engine.Clusterings(floats, weights, k, effort.seed)
        effort.say("a first clustering")
        for cost, labels in found.fast(effort.remaining):
            yield self._clustering(labels[home], cost * worth)
        began = time.monotonic()
        witness = spectral_witness(points, k)
        if witness is not None:
            yield Proposal(witness, "lower", None, None, time.monotonic() - began)
        effort.say("better clusterings")
        for cost, labels in found.thorough(effort.remaining):
            yield self._clustering(labels[home], cost * worth)
        if len(distinct) <= MOST_PRICED and len(points.rows[0]) <= MOST_AXES:
            yield from self._priced(distinct, home, found, unit, worth, effort)
        elif len(distinct) <= MOST_CELLED and len(points.rows[0]) <= FEW_AXES:
            share = float(effort.gap * ROOM)
            for node in engine.celled(found, share, effort.seed, effort.remaining, effort.say):
                claim = Claim("prices", "bound", node.value() * worth)
                yield Proposal(dual_witness(distinct, node, unit), "lower", None, claim)
            return
        yield from self._relaxed(distinct, found.best[1][home], effort)

    def _many(self, effort: Effort) -> Iterator[Proposal]:
        """For a table too large for exact work on every point in every step: one pass each for the two ends."""
        if self.table is None:
            return
        yield Proposal({"kind": "zero"}, "lower")
        effort.say("the spectral bound of many points")
        began = time.monotonic()
        weights = None if self.masses is None else list(self.masses)
        witness = quick_spectral_witness(self.table, weights, self.k)
        claim = Claim("spectral", "bound", None)
        if witness is not None:
            yield Proposal(witness, "lower", None, claim, time.monotonic() - began)
        if not effort.bounds()[0]:
            witness = spectral_witness(self._read(), self.k)
            if witness is not None:
                yield Proposal(witness, "lower", None, claim)
        effort.say("a clustering of many points")
        points = self.coordinates()
        mass = np.ones(len(self)) if weights is None else np.array(weights, dtype=np.float64) / max(weights)
        labels = engine.quick(points, mass, self.k, effort.seed, effort.remaining)
        yield Proposal(labels_witness(labels), "upper", labels, Claim("local search", "found", None))

    def _sampled(self, effort: Effort) -> Iterator[Proposal]:
        """The semidefinite relaxation of random samples, which bounds the mean cost of a point with confidence."""
        from certify.rounding.kmeans_partition import partition_witness

        if self.confidence is None or (self.masses is not None and len(set(self.masses)) > 1):
            return
        effort.say("drawing samples")
        size = min(len(self), SAMPLE_SIZE)
        count = int(effort.remaining() * 0.6 / engine.relaxation_seconds(size, size))
        if count < FEWEST_SAMPLES or size <= self.k:
            return
        count, delta = min(count, MOST_SAMPLES), 1 - self.confidence
        points = self._read()  # not kept: a million points take a gigabyte
        draws = sample_draws(points, self.k, delta, size, count)
        witnesses: list[dict[str, Any]] = []
        for number in range(count):
            effort.say(f"the semidefinite relaxation of sample {number + 1} of {count}")
            sample = points.part([next(draws) for _ in range(size)]).distinct()
            share = 0.8 * effort.remaining() / (count - number)
            end = time.monotonic() + share
            witness = None
            if len(sample) > self.k:
                witness = partition_witness(sample, self.k, 1e-3, lambda end=end: end - time.monotonic())  # type: ignore[misc]
            witnesses.append({"kind": "zero"} if witness is None else witness)
        del points, draws
        claim = Claim("alternating directions", "bound", None)
        yield Proposal({"kind": "sample", "delta": delta, "size": size, "witnesses": witnesses}, "lower", None, claim)

    def _clustering(self, labels: Labels, cost: float) -> Proposal:
        return Proposal(labels_witness(labels), "upper", labels, Claim("local search", "found", cost))

    def _priced(
        self,
        distinct: PointSet,
        home: Labels,
        found: engine.Clusterings,
        unit: Fraction,
        worth: float,
        effort: Effort,
    ) -> Iterator[Proposal]:
        """Prices by column generation, proved by boxes, in a tree of branches."""
        share = float(effort.gap * ROOM) if effort.gap else 1e-9
        shown = found.best[0]
        # Where boxes may fail (many coordinates), time is kept for the relaxation that comes after them.
        kept = 0.4 * effort.remaining() if len(distinct.rows[0]) > FEW_AXES else 0.0
        turn = principal_turn(distinct) if len(distinct.rows[0]) > 2 else None
        if turn is not None:
            distinct = turn.image(distinct).distinct()
            floats, weights, unit = in_unit_box(distinct)
            scale = worth / float(unit / (distinct.unit * distinct.denominator**2))
            found = found.turned(floats, weights, scale)
            worth, shown = worth / scale, shown * scale
        for root, cost, labels in engine.priced(found, share, lambda: effort.remaining() - kept, effort.say):
            if cost < shown:
                shown = cost
                yield self._clustering(labels[home], cost * worth)
            began = time.monotonic()
            witness = dual_witness(distinct, root, unit)
            yield Proposal(
                witness if turn is None else turn.witness(witness),
                "lower",
                None,
                Claim("prices", "bound", root.value() * worth),
                time.monotonic() - began,
            )

    def _relaxed(self, distinct: PointSet, labels: Labels, effort: Effort) -> Iterator[Proposal]:
        """The semidefinite relaxation: of all points, or of parts that each look like the whole."""
        from certify.rounding.kmeans_partition import partition_witness

        accuracy = max(1e-6, float(effort.gap) / 10)
        n, k, left = len(distinct), self.k, effort.remaining()
        if left <= 0:
            return
        size = next((size for size in PART_SIZES if engine.relaxation_seconds(n, size) <= left / 2), PART_SIZES[-1])
        claim = Claim("alternating directions", "bound", None)
        if n <= size:
            effort.say("the semidefinite relaxation")
            began = time.monotonic()
            witness = partition_witness(distinct, k, accuracy, effort.remaining)
            if witness is not None:
                yield Proposal(witness, "lower", None, claim, time.monotonic() - began)
            return
        parts = engine.alike(self.coordinates(), labels, -(-len(self) // size))
        done: list[dict[str, Any]] = []
        for number, indices in enumerate(parts):
            effort.say(f"the semidefinite relaxation of part {number + 1} of {len(parts)}")
            part = self.points.part(indices).distinct()
            if len(part) <= k:
                continue
            share = effort.remaining() / (len(parts) - number)
            end = time.monotonic() + 0.7 * share
            witness = partition_witness(part, k, accuracy, lambda end=end: end - time.monotonic())  # type: ignore[misc]
            if witness is not None:
                done.append({"points": indices, "witness": witness})
        if done:
            yield Proposal({"kind": "parts", "parts": done}, "lower", None, claim)

    # -- solutions of the user's own ---------------------------------------------------------------------------

    def facing(self, solution: Any) -> KMeans:
        """The problem that a solution is a solution of: without the points that it labels −1, as noise."""
        given = _as_labels(solution)
        if given is None or len(given) != len(self) or NOISE not in given:
            return self
        keep = [i for i, label in enumerate(given) if label != NOISE]
        if not keep:
            raise InputError(Fault("solution", "every point is labelled −1, as noise", "leave one in a cluster"))
        note = f"{len(self) - len(keep)} of {len(self)} points are labelled −1, as noise: the problem is without them"
        about = replace(self.about, known=None, labels=None, notes=(*self.about.notes, note))
        masses = None if self.masses is None else tuple(self.masses[i] for i in keep)
        if self.table is not None:
            return KMeans(self.table[keep], min(self.k, len(keep)), _fractions(masses, self.unit), about=about)
        rows = tuple(self.rows[i] for i in keep)
        return KMeans.from_integers(self.denominator, rows, min(self.k, len(keep)), self.unit, masses, about)

    def assessed(self, solution: Any) -> Proposal | str:
        """Labels (n,), centres (m, d) or an estimator with ``labels_`` as an upper witness; a sentence if it has
        more clusters than k. Names of clusters are arbitrary; −1 is noise (see :meth:`facing`)."""
        labels = _as_labels(solution)
        if labels is None:
            return self._centres(solution)
        if len(labels) == len(self) + sum(1 for label in labels if label == NOISE):
            labels = [label for label in labels if label != NOISE]
        if len(labels) != len(self):
            raise InputError(Fault("solution", f"{len(labels)} labels for {len(self)} points", "one label a point"))
        names = {name: number for number, name in enumerate(dict.fromkeys(labels))}
        if len(names) > self.k:
            return f"infeasible: it has {len(names)} clusters, but k = {self.k}"
        numbers = np.array([names[label] for label in labels], dtype=np.intp)
        return Proposal(labels_witness(numbers), "upper", numbers)

    def _centres(self, solution: Any) -> Proposal | str:
        rows = exact_rows(getattr(solution, "cluster_centers_", solution), "solution")
        if not rows or len(rows[0]) != self.width:
            mend = f"labels, one a point, or centres, {self.width} coordinates each"
            width = len(rows[0]) if rows else 0
            raise InputError(Fault("solution", f"{len(rows)} rows of {width}", mend))
        distinct = list(dict.fromkeys(rows))
        if len(distinct) > self.k:
            return f"infeasible: it has {len(distinct)} centres, but k = {self.k}"
        denominator, numerators = over_common_denominator(distinct)
        return Proposal({"kind": "centres", "centres": {"denominator": denominator, "rows": numerators}}, "upper")

    def solution_of(self, witness: Mapping[str, Any]) -> Labels:
        """The cluster of every point, (n,), of an upper witness; of centres: the nearest one, in doubles."""
        if witness["kind"] == "labels":
            return np.array([int(label) for label in witness["labels"]], dtype=np.intp)
        denominator, rows = matrix(witness["centres"], "centres", None, None)
        if self.table is not None:
            floats = np.array([[entry / denominator for entry in row] for row in rows])
            return engine.nearest(self.coordinates(), floats)[0]
        shift = self.rows[0]
        q = self.denominator
        places = [
            [(y * q - x * denominator) / (q * denominator) for y, x in zip(row, shift, strict=True)] for row in rows
        ]
        moved = [[(entry - x) / q for entry, x in zip(row, shift, strict=True)] for row in self.rows]
        return engine.nearest(np.array(moved), np.array(places))[0]

    def name_of(self, point: int) -> str:
        """A point for a reader: its number, and its label if it has one."""
        labels = self.about.labels
        if not labels or point >= len(labels) or labels[point] == str(point):
            return str(point)
        return f"{point} ({labels[point]})"


def _confidence(value: Any) -> Fraction | None:
    """A confidence as the rational that it spells: 0.99 is 99/100, not the double next to it."""
    if value is None:
        return None
    try:
        exact = exact_number(repr(value) if isinstance(value, float) else value)
    except NotExactError as fault:
        raise InputError(Fault("confidence", fault.what, "for example 0.99")) from None
    if not 0 < exact < 1:
        raise InputError(Fault("confidence", f"{value!r} is no number between 0 and 1", "for example 0.99"))
    return exact


def _large(values: Any) -> NDArray[Any] | None:
    """A numeric table with so many entries that it goes into a file beside the certificate; None if it is not one."""
    if not isinstance(values, np.ndarray) or values.ndim != 2 or values.size < LARGE or values.dtype.kind not in "iuf":
        return None
    if values.dtype.newbyteorder("<").str not in SIDECAR_TYPES:
        values = values.astype(np.float64) if values.dtype.kind == "f" and values.dtype.itemsize < 8 else values
    if values.dtype.newbyteorder("<").str not in SIDECAR_TYPES or not np.isfinite(values).all():
        return None  # then it is read entry by entry, which names what is wrong
    return np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).copy()


def _fractions(masses: tuple[int, ...] | None, unit: int) -> list[Fraction] | None:
    return None if masses is None else [Fraction(mass, unit) for mass in masses]


def _masses(weights: Any, count: int) -> tuple[int, tuple[int, ...] | None]:
    """Weights as integers over a common denominator; None: all 1."""
    if weights is None:
        return 1, None
    values = weights.tolist() if hasattr(weights, "tolist") else weights
    if not isinstance(values, Sequence) or isinstance(values, str) or len(values) != count:
        size = len(values) if isinstance(values, Sequence) and not isinstance(values, str) else "no list of"
        raise InputError(Fault("weights", f"{size} weights for {count} points", "one a point"))
    faults, exact = [], []
    for i, value in enumerate(values):
        try:
            exact.append(exact_number(value))
        except NotExactError as fault:
            faults.append(Fault(f"weights[{i}]", fault.what, fault.mend))
            continue
        if exact[-1] < 0:
            faults.append(Fault(f"weights[{i}]", f"{value} is negative", "weights are zero or more"))
    if not faults and not any(exact):
        faults.append(Fault("weights", "every weight is 0", "give one point a weight"))
    if faults:
        raise InputError(*faults)
    unit, rows = over_denominator([exact])
    return unit, rows[0]


def _homes(points: PointSet, distinct: PointSet) -> Labels:
    """The number among the distinct points of every point; 0 for those without weight."""
    corner = list(map(min, zip(*points.rows, strict=True)))
    number = {tuple(row): i for i, row in enumerate(distinct.rows)}
    moved = (tuple(x - c for x, c in zip(row, corner, strict=True)) for row in points.rows)
    return np.array([number.get(place, 0) for place in moved], dtype=np.intp)


def _as_labels(solution: Any) -> list[Any] | None:
    """Labels as a list of hashable names, −1 where a number says so; None if these are no labels."""
    values = getattr(solution, "labels_", solution)
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str) or not values:
        return None
    if all(isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 1 for value in values):
        values = [value[0] for value in values]
    if any(isinstance(value, Sequence) and not isinstance(value, str) for value in values):
        return None
    return [_label(value, i) for i, value in enumerate(values)]


def _label(value: Any, i: int) -> Any:
    """A label: a whole number, or text."""
    if isinstance(value, str) and not is_number(value):
        return value
    try:
        number = exact_number(value)
    except NotExactError as fault:
        raise InputError(Fault(f"solution[{i}]", fault.what, "a label is a whole number or text")) from None
    if number.denominator != 1:
        raise InputError(Fault(f"solution[{i}]", f"{value} is no label", "a label is a whole number or text"))
    return int(number)


class KMeansFamily:
    """What the command line and the report need to know of the family."""

    name = "kmeans"
    summary = "k-means: least sum of squared distances to the means of k clusters"
    sense: Literal["min", "max"] = "min"
    quantity = Quantity(
        "cost",
        r"\mathrm{OPT}_k",
        "2",
        "least (weighted) sum of squared distances of the points to the means of at most k clusters",
    )
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_kmeans import KMeansFile

        return KMeansFile

    def from_file(self, file: ProblemFile) -> KMeans:
        from certify.formats.data import points_from_section
        from certify.formats.schema_kmeans import KMeansFile
        from certify.formats.table import read_table

        if not isinstance(file.data, KMeansFile):
            raise TypeError(f"{type(file.data).__name__} is not a file of kmeans")
        k = file.chosen if file.chosen is not None else file.data.k
        if isinstance(k, str):
            what = f"k = {k!r} is several problems"
            raise InputError(file.fault(("k",), what, 'solve takes them all; name one as "FILE#k=3"'))
        data = points_from_section(file)
        given = file.data.weights
        if isinstance(given, str):
            table = read_table(file.resolve(("weights",), given))
            if len(table.rows[0]) != 1:
                raise InputError(file.fault(("weights",), f"{given} has {len(table.rows[0])} columns", "one is needed"))
            given = tuple(row[0] for row in table.rows)
        about = replace(file.about, labels=data.labels, notes=(*file.about.notes, *data.notes))
        try:
            unit, masses = _masses(given, len(data.rows))
            problem = KMeans.from_integers(data.denominator, data.rows, k, unit, masses, about)
            object.__setattr__(problem, "confidence", _confidence(file.data.confidence))
            return problem
        except InputError as error:
            raise InputError(*(_located(file, fault) for fault in error.faults)) from None

    def choices(self, file: ProblemFile) -> range | None:
        """The numbers of clusters of a file that asks for several; None if it asks for one."""
        from certify.formats.schema_kmeans import KMeansFile

        if not isinstance(file.data, KMeansFile) or isinstance(file.data.k, int):
            return None
        first, last = map(int, file.data.k.split(".."))
        if last < first or last - first > MOST_CHOICES:
            what = f"{file.data.k!r} is no range of at most {MOST_CHOICES + 1} numbers"
            raise InputError(file.fault(("k",), what, 'for example "2..10"'))
        return range(first, last + 1)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> KMeans:
        table, held = canonical_kmeans(data)
        points = held.points
        masses = tuple(points.weights) if "weights" in table else None
        rows = tuple(map(tuple, points.rows))
        return KMeans.from_integers(points.denominator, rows, held.k, points.unit, masses, about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: KMeans, path: Path) -> Any:
        """Labels or centres: a table of one column with as many rows as points is labels, which may be text."""
        from certify.formats.labels import read_labels

        return read_labels(path)

    def explain(self, problem: KMeans, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(explained(problem, witnesses))

    def picture(self, problem: KMeans, witnesses: list[Mapping[str, Any]]) -> str | None:
        from certify.report.kmeans import picture

        return picture(problem, witnesses)


def _located(file: ProblemFile, fault: Fault) -> Fault:
    key = fault.where.split("[")[0]
    return file.fault((key,), f"{fault.where}: {fault.what}" if "[" in fault.where else fault.what, fault.mend)


FAMILY = KMeansFamily()
