"""k-diameter: the least diameter that k clusters of a metric can all have (Gonzalez 1985), exactly.

OPT = r iff the graph of pairs at distance > r has k colours and that of pairs at distance >= r has not. The mathematics
is on one page: docs/mathematics/kdiameter.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.kdiameter_words import TEMPLATE, explained
from certify.families.medoids_data import Given, ranks
from certify.formats.choices import choice_of, read_choice
from certify.kernel import Rejected
from certify.kernel.kdiameter import Diameters, canonical_kdiameter
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.solvers import colouring
from certify.solvers.kcenter import farthest_first

if TYPE_CHECKING:
    import networkx as nx
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

MOST_NODES = 60_000  # of one search for a colouring
LINKED = 5_000  # points up to which complete linkage is run


@dataclass(frozen=True)
class KDiameter(Asking):
    """Points with distances and at most k clusters of them. Build it with a ``from_`` method."""

    given: Given
    k: int
    about: About = field(default_factory=About, compare=False, repr=False)

    engines = ("colouring",)

    @staticmethod
    def from_points(points: Any, k: int, norm: str = "l2", *, about: About | None = None) -> KDiameter:
        """Points, an (n, d) array taken exactly, and a norm; the quantity is the squared diameter."""
        return KDiameter._made(Given.points(points, norm), k, about)

    @staticmethod
    def from_distances(distances: Any, k: int, *, about: About | None = None) -> KDiameter:
        """A symmetric table of distances; the triangle inequality is not demanded."""
        return KDiameter._made(Given.table(distances, "distances"), k, about)

    @staticmethod
    def from_squared_distances(squared_distances: Any, k: int, *, about: About | None = None) -> KDiameter:
        """A symmetric table of squared distances; the quantity is the squared diameter."""
        return KDiameter._made(Given.table(squared_distances, "squared_distances"), k, about)

    @staticmethod
    def from_graph(graph: nx.Graph, k: int, length: str | None = None, *, about: About | None = None) -> KDiameter:
        """The shortest paths of a connected networkx graph; ``length`` names the edge attribute (None: all 1)."""
        given, told = Given.networkx(graph, length, about)
        return KDiameter._made(given, k, told)

    @staticmethod
    def _made(given: Given, k: Any, about: About | None) -> KDiameter:
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InputError(Fault("k", f"{k!r} is no number of clusters", "a whole number, at least 1"))
        told = about or About()
        problem = KDiameter(given, int(k), replace(told, notes=told.notes + given.notes))
        try:
            problem.diameters  # noqa: B018 (the kernel reads the data)
        except Rejected as fault:
            mend = f"at most the number of points, {len(problem)}" if fault.where == "problem.k" else ""
            if fault.rule == "metric.symmetry":
                mend = "distances are symmetric here; make the two entries equal"
            raise InputError(Fault(fault.where.removeprefix("problem."), fault.why, mend)) from None
        return problem

    def __len__(self) -> int:
        return self.given.size

    @property
    def family(self) -> Family:
        return SQUARED if self.diameters.squared else PLAIN

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        return {"metric": self.given.metric(), "k": self.k}

    @cached_property
    def diameters(self) -> Diameters:
        """The data as the kernel reads them."""
        return canonical_kdiameter(self.canonical())[1]

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], list[int]]:
        """The rank of every distance, (n, n), and the values by rank: comparisons are exact."""
        return ranks(self.diameters.c)

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Farthest-first traversal, complete linkage, then bisection over the distances by colourings."""
        n, k = len(self), self.k
        effort.say("farthest-first traversal")
        table, _ = self.places
        order = farthest_first(table, min(k + 1, n))
        labels = np.argmin(table[order[:k]], axis=0)
        yield self._labels(labels, None)
        high = self._widest(labels)
        if len(order) <= k:
            yield Proposal({"kind": "clique", "points": [0] * (k + 1)}, "lower")
            return
        low = int(table[np.ix_(order, order)][np.triu_indices(k + 1, 1)].min())
        yield Proposal({"kind": "clique", "points": order.tolist()}, "lower")
        if 2 < n <= LINKED and effort.remaining() > 0:
            effort.say("complete linkage")
            labels = self._linked()
            if self._widest(labels) < high:
                high = self._widest(labels)
                yield self._labels(labels, Claim("complete linkage", "heuristic", None))
        while low < high and effort.remaining() > 0:
            middle = (low + high) // 2
            effort.say(f"colourings: {high - low} distances left")
            apart = table > middle
            found = colouring.coloured(apart, k, MOST_NODES, effort.remaining)
            if found is None:
                return
            if isinstance(found, colouring.Coloured):
                labels = np.array(found.colours)
                high = self._widest(labels)
                yield self._labels(labels, Claim("colouring", "colours found", None))
            else:
                low = middle + 1
                yield Proposal(self._refuted(found, low), "lower", None, Claim("colouring", "no colours", None))

    def _linked(self) -> NDArray[np.int64]:
        from scipy.cluster.hierarchy import fcluster, linkage

        table, values = self.places
        most = values[-1] or 1
        distances = np.sqrt(np.array([value / most for value in values]))[table]
        tree = linkage(distances[np.triu_indices(len(self), 1)], "complete")
        labels: NDArray[np.int64] = fcluster(tree, self.k, "maxclust").astype(np.int64) - 1
        return labels

    def _widest(self, labels: NDArray[np.int64]) -> int:
        """The rank of the diameter of labels."""
        table, _ = self.places
        groups = (np.flatnonzero(labels == label) for label in range(self.k))
        return max(int(table[np.ix_(group, group)].max()) for group in groups if len(group))

    def _labels(self, labels: NDArray[np.int64], claim: Claim | None) -> Proposal:
        return Proposal({"kind": "labels", "labels": labels.tolist()}, "upper", labels, claim)

    def _refuted(self, found: Any, rank: int) -> dict[str, Any]:
        """The witness that the pairs at least this far apart have no k colours."""
        if isinstance(found, colouring.Clique):
            return {"kind": "clique", "points": list(found.vertices[: self.k + 1])}
        if isinstance(found, colouring.OddCycle):
            return {"kind": "odd_cycle", "points": list(found.vertices)}
        table, _ = self.places
        i, j = np.unravel_index(int(np.argmax(table == rank)), table.shape)
        return {
            "kind": "refutation",
            "threshold": [int(i), int(j)],
            "vertices": list(found.vertices),
            "clique": list(found.clique),
            "clauses": [list(clause) for clause in found.clauses],
        }

    def assessed(self, solution: Any) -> Proposal | str:
        """Labels, one a point, as an upper witness; a sentence if they make more than k clusters."""
        choice = choice_of(solution, len(self), len(self), self.k, None)
        if isinstance(choice, str):
            return choice
        if choice.labels is None:
            raise InputError(Fault("solution", "centres say nothing of clusters' diameters", "give one label a point"))
        labels = np.unique(np.array(choice.labels), return_inverse=True)[1]
        return self._labels(labels, None)

    def solution_of(self, witness: Mapping[str, Any]) -> NDArray[np.int64]:
        """Labels, (n,)."""
        return np.array([int(label) for label in witness["labels"]])

    def name_of(self, item: int) -> str:
        """A point for a reader: its number, and its label if it has one."""
        labels = self.about.labels
        return str(item) if not labels or item >= len(labels) else f"{item} ({labels[item]})"


class KDiameterFamily:
    """What the command line and the report need to know of the family; the quantity depends on the data."""

    name = "kdiameter"
    summary = "k-diameter: the least diameter that k clusters can all have"
    sense: Literal["min", "max"] = "min"
    _LATEX = r"\min_{C_1 \cup \dots \cup C_k} \max_{x, y \in C_i} d(x, y)"

    def __init__(self, squared: bool) -> None:
        meaning = "least, over partitions into k clusters, of the largest distance within a cluster"
        plain = Quantity("diameter", self._LATEX, "d", meaning, root=2 if squared else 1)
        if squared:
            self.quantity = Quantity(
                "diameter_squared", self._LATEX + "^2", "d^2", meaning + ", squared (distances given: diameter itself)"
            )
            self.derived: tuple[Quantity, ...] = (plain,)
        else:
            self.quantity, self.derived = plain, ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_medoids import KDiameterFile

        return KDiameterFile

    def from_file(self, file: ProblemFile) -> KDiameter:
        from certify.formats.dissimilarity import dissimilarities_from_section

        keys: Any = file.data
        data = dissimilarities_from_section(file)
        about = replace(file.about, labels=data.labels or file.about.labels, notes=file.about.notes + data.notes)
        given = Given.of(data)
        if keys.k > given.size:
            raise InputError(file.fault(("k",), f"{keys.k} clusters of {given.size} points", "at most one a point"))
        return KDiameter._made(given, keys.k, about)

    def from_canonical(self, data: Mapping[str, Any], about: About) -> KDiameter:
        form = canonical_kdiameter(data)[0]
        return KDiameter(Given.canonical(form["metric"]), form["k"], about)

    def template(self) -> str:
        return TEMPLATE

    def read_solution(self, problem: KDiameter, path: Path) -> Any:
        return read_choice(path)

    def explain(self, problem: KDiameter, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(explained(problem, witnesses))

    def picture(self, problem: KDiameter, witnesses: list[Mapping[str, Any]]) -> str | None:
        from certify.report.clusters import picture

        upper = next((w for w in witnesses if w["kind"] == "labels"), None)
        places = problem.given.places()
        return None if upper is None or places is None else picture(places, problem.solution_of(upper), [])


SQUARED, PLAIN = KDiameterFamily(True), KDiameterFamily(False)
FAMILY = SQUARED
