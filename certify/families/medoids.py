"""k-medoids, k-median over finite candidates, and k-center: the best k centres, and how good given ones are.

c_ij is what candidate i charges item j: the distance to the power 1 or 2. KMedoids and KMedian add up what items pay
to their nearest centres, KCenter takes the largest. The mathematics is on one page: docs/mathematics/medoids.md.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.medoids_data import Form, Given, floats, ranks
from certify.families.medoids_words import explained, template
from certify.formats.array import exact_rows
from certify.formats.choices import Choice, choice_of, read_choice
from certify.kernel import Rejected
from certify.kernel.dissimilarity import Dissimilarity
from certify.kernel.medoids import canonical_centred, canonical_kmedian
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.rounding.grid import over_common_denominator
from certify.rounding.medoids import grid, multipliers_witness
from certify.solvers import kcenter
from certify.solvers import medoids as lagrange

if TYPE_CHECKING:
    import networkx as nx
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

SMALL = 60_000  # entries of a table up to which a second branching looks at all pairs
LATTICE = 1e9  # costs in units up to which doubles tell neighbours on their lattice apart
REACH = 1.25  # multipliers may grow to so many times the cost to the second nearest centre


@dataclass(frozen=True)
class Centred(Asking, ABC):
    """Items, candidates, and at most how many of these become centres. Build it with a ``from_`` method.

    given: the dissimilarities; k: centres; power: 1, or 2 for squared distances; sites: candidates that are points of
    their own, as (denominator, rows); None: the items (or the rows of a table).
    """

    given: Given
    k: int
    power: Literal[1, 2] = 1
    sites: tuple[int, tuple[tuple[int, ...], ...]] | None = field(default=None, repr=False)
    about: About = field(default_factory=About, compare=False, repr=False)

    rectangular: ClassVar[bool] = False

    @classmethod
    def from_points(
        cls, points: Any, k: int, norm: str = "l2", *, power: Literal[1, 2] = 1, about: About | None = None
    ) -> Any:
        """Points, an (n, d) array taken exactly, and a norm: l2, l1 or linf."""
        return cls._made(Given.points(points, norm), k, power, None, about)

    @classmethod
    def from_distances(cls, distances: Any, k: int, *, power: Literal[1, 2] = 1, about: About | None = None) -> Any:
        """A table: row i, column j is what candidate i charges item j; it may be asymmetric."""
        return cls._made(Given.table(distances, "distances", rectangular=cls.rectangular), k, power, None, about)

    @classmethod
    def from_squared_distances(
        cls, squared_distances: Any, k: int, *, power: Literal[1, 2] = 1, about: About | None = None
    ) -> Any:
        """A table of squared distances, so that roots of rationals are exact."""
        given = Given.table(squared_distances, "squared_distances", rectangular=cls.rectangular)
        return cls._made(given, k, power, None, about)

    @classmethod
    def from_graph(
        cls, graph: nx.Graph, k: int, length: str | None = None, *, power: Literal[1, 2] = 1, about: About | None = None
    ) -> Any:
        """The shortest paths of a connected networkx graph; ``length`` names the edge attribute (None: all 1)."""
        given, told = Given.networkx(graph, length, about)
        return cls._made(given, k, power, None, told)

    @classmethod
    def _made(cls, given: Given, k: Any, power: Any, sites: Any, about: About | None) -> Any:
        faults = []
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            faults.append(Fault("k", f"{k!r} is no number of centres", "a whole number, at least 1"))
        if power not in (1, 2):
            faults.append(Fault("power", f"{power!r}", "1, or 2 for squared distances"))
        if faults:
            raise InputError(*faults)
        told = about or About()
        problem = cls(given, int(k), power, sites, replace(told, notes=told.notes + given.notes))
        try:
            problem.centred  # noqa: B018 (the kernel reads the data)
        except Rejected as fault:
            mend = f"at most the number of candidates, {len(problem)}" if fault.where == "problem.k" else ""
            raise InputError(Fault(fault.where.removeprefix("problem."), fault.why, mend)) from None
        return problem

    def __len__(self) -> int:
        return self.given.size

    @property
    def family(self) -> Family:
        return FAMILIES[type(self).__name__]

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        table: dict[str, Any] = {"metric": self.given.metric(), "k": self.k, "power": self.power}
        if self.sites is not None:
            table["candidates"] = {"denominator": self.sites[0], "rows": [list(row) for row in self.sites[1]]}
        return table

    @cached_property
    def centred(self) -> Any:
        """The data as the kernel reads them."""
        return canonical_centred(self.canonical())[1]

    @property
    def dissimilarity(self) -> Dissimilarity:
        """The dissimilarities as the kernel reads them: exact."""
        data: Dissimilarity = self.centred.c
        return data

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        """c_ij in multiples of the kernel's unit, (candidates, items), in floating point."""
        return floats(self.dissimilarity, self.dissimilarity.rooted)

    @abstractmethod
    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Witnesses, from instant and weak to slow and strong."""

    def assessed(self, solution: Any) -> Proposal | str:
        """Labels of the items, or centres, as an upper witness; the best centre of each cluster serves its labels."""
        choice = choice_of(solution, len(self), self.dissimilarity.candidates, self.k, self._place_of)
        if isinstance(choice, str):
            return choice
        return Proposal(self._witness(choice), "upper", self._labels_of(choice))

    def _place_of(self, rows: Sequence[Sequence[Any]]) -> list[int] | None:
        """The candidates that have these coordinates; None if the data are no points, or one is no candidate."""
        if self.given.form != "points":
            return None
        denominator, own = self.sites or (self.given.denominator, self.given.rows)
        places = {tuple(row): i for i, row in reversed(list(enumerate(own)))}
        found = [places.get(tuple(x * denominator for x in row)) for row in rows]
        return None if None in found else [i for i in found if i is not None]

    def _witness(self, choice: Choice) -> dict[str, Any]:
        """The witness of a choice; the centres of labels are the best of each cluster, in floating point."""
        table: dict[str, Any] = {"kind": "centres"}
        if choice.labels is None:
            table["centres"] = list(choice.centres or ())
        else:
            labels = np.array(choice.labels)
            used, places = np.unique(labels, return_inverse=True)
            table["centres"] = [int(np.argmin(self._spent(labels == label))) for label in used]
            table["labels"] = places.tolist()
        return table

    def _spent(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        """What each candidate would charge a cluster."""
        spent: NDArray[np.float64] = self.costs[:, members].sum(axis=1)
        return spent

    def _labels_of(self, choice: Choice) -> NDArray[np.int64]:
        if choice.labels is not None:
            return np.array(choice.labels)
        return np.asarray(np.argmin(self.costs[list(choice.centres or ())], axis=0))

    def solution_of(self, witness: Mapping[str, Any]) -> NDArray[np.int64]:
        """For each item the candidate that serves it, (n,)."""
        centres = np.array([int(i) for i in witness["centres"]])
        if "labels" in witness:
            return np.asarray(centres[[int(t) for t in witness["labels"]]])
        return np.asarray(centres[np.argmin(self.costs[centres], axis=0)])

    def name_of(self, item: int) -> str:
        """An item for a reader: its number, and its label if it has one."""
        labels = self.about.labels
        return str(item) if not labels or item >= len(labels) else f"{item} ({labels[item]})"


class KMedoids(Centred):
    """k-medoids: centres among the items, the least sum of dissimilarities to the nearest of them."""

    engines = ("subgradient", "highs")

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Greedy centres and swaps, then multipliers by subgradient steps, the linear programme, and branching."""
        k, data = self.k, self.dissimilarity
        bits = grid(data.items, 1.0)
        yield Proposal(multipliers_witness([np.zeros(data.items)], [0], 0), "lower")
        effort.say("greedy centres")
        costs = self.costs
        centres = lagrange.greedy(costs, k)
        yield self._centres(centres, None)
        effort.say("swaps")
        centres = lagrange.swapped(costs, centres, effort.remaining)
        upper = float(costs[centres].min(axis=0).sum())
        bits = grid(data.items, upper)
        yield self._centres(centres, Claim("swaps", "local optimum", None))
        if upper == 0:
            return
        cap = lagrange.caps(costs, centres) * (REACH if k > 1 else 1.0)
        near = lagrange.Near.of(costs, cap)
        programmable = len(near.cost) <= lagrange.MOST_PAIRS
        first = costs[centres].min(axis=0)
        v = lagrange.first_multipliers(near, first, cap, k)
        rounds = 60 if programmable and effort.solver != "subgradient" else 3000
        effort.say("subgradient")
        enough = max(float(effort.gap) / 4, 0.0 if data.rooted or upper > LATTICE else 0.9 / upper)
        value, v, chosen = lagrange.ascent(near, v, cap, k, upper, effort.remaining, enough, rounds)
        yield Proposal(
            multipliers_witness([v], [0], bits), "lower", None, Claim("subgradient", "stopped", self._plain(value))
        )
        better = lagrange.swapped(costs, chosen, effort.remaining, 3)
        if costs[better].min(axis=0).sum() < upper:
            centres, upper = better, float(costs[better].min(axis=0).sum())
            yield self._centres(centres, None)
        if programmable and effort.remaining() > 0:
            yield from self._programme(near, cap, centres, effort)

    def _programme(
        self, near: lagrange.Near, cap: NDArray[np.float64], centres: NDArray[np.int64], effort: Effort
    ) -> Iterator[Proposal]:
        """The linear programme, then branching; once more with all pairs if the near ones do not close it."""
        costs, data = self.costs, self.dissimilarity
        for whole in (False, True):
            if whole:
                if costs.size > SMALL:
                    return
                cap = costs.max(axis=0) + 1.0
                near = lagrange.Near.of(costs, cap)
            effort.say("linear programme")
            programme = lagrange.Programme(near, cap, self.k)
            root = programme.solve(frozenset(), frozenset(), effort.remaining())
            if root is None:
                return
            bits = grid(data.items, root.value)
            claim = Claim("HiGHS", "optimal relaxation", self._plain(root.value))
            yield Proposal(multipliers_witness([root.v], [0], bits), "lower", None, claim)
            effort.say("branching")
            found = lagrange.branched(costs, programme, root, centres, self._slack(effort), effort.remaining)
            if found is not None:
                yield self._centres(found.centres, claim)
                yield Proposal(multipliers_witness(found.rows, found.tree, bits), "lower", None, claim)
                return

    def _slack(self, effort: Effort) -> Any:
        """How far below the best cost a bound may stay: less than a step of the lattice, or part of the gap."""
        lattice, gap = not self.dissimilarity.rooted, float(effort.gap)
        return lambda upper: 0.99 if lattice and upper < LATTICE else 0.9 * gap * upper + 1e-12 * upper

    def _plain(self, value: float) -> float:
        return value * float(self.dissimilarity.unit)

    def _centres(self, centres: NDArray[np.int64], claim: Claim | None) -> Proposal:
        return Proposal(self._witness(Choice(centres=tuple(centres.tolist()))), "upper", None, claim)

    def _witness(self, choice: Choice) -> dict[str, Any]:
        bits = grid(len(self), float(self.costs.max())) if self.dissimilarity.rooted else 0
        return {**super()._witness(choice), "bits": bits}


class KMedian(KMedoids):
    """k-median over finite candidates: as k-medoids, but the centres are chosen among candidates of their own."""

    rectangular = True

    @classmethod
    def from_points(
        cls,
        points: Any,
        k: int,
        norm: str = "l2",
        *,
        candidates: Any = None,
        power: Literal[1, 2] = 1,
        about: About | None = None,
    ) -> KMedian:
        """Points, an (n, d) array, and candidates, an (m, d) array (default: the points)."""
        given = Given.points(points, norm)
        sites = None
        if candidates is not None:
            rows = exact_rows(candidates, "candidates")
            if not rows or len(rows[0]) != len(given.rows[0]):
                what = f"{len(rows[0]) if rows else 0} coordinates, the points have {len(given.rows[0])}"
                raise InputError(Fault("candidates", what, "give each equally many"))
            denominator, numerators = over_common_denominator(rows)
            sites = denominator, tuple(map(tuple, numerators))
        made: KMedian = cls._made(given, k, power, sites, about)
        return made

    @cached_property
    def centred(self) -> Any:
        """The data as the kernel reads them."""
        return canonical_kmedian(self.canonical())[1]


class KCenter(Centred):
    """k-center: centres among the items, the least radius within which each item has one of them."""

    engines = ("packing",)

    @cached_property
    def places(self) -> tuple[NDArray[np.int64], list[int]]:
        """The rank of every dissimilarity, and the values by rank: comparisons are exact."""
        return ranks(self.dissimilarity)

    def _spent(self, members: NDArray[np.bool_]) -> NDArray[np.float64]:
        spent: NDArray[np.float64] = self.costs[:, members].max(axis=1)
        return spent

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Farthest-first traversal, its k + 1 points as a packing, then bisection over the radii by coverings."""
        table, _ = self.places
        k = self.k
        yield self._centres([0])
        effort.say("farthest-first traversal")
        order = kcenter.farthest_first(table, min(k + 1, len(self)))
        high = kcenter.radius(table, order[:k])
        yield self._centres(order[:k].tolist())
        low = kcenter.apart(table, order) if len(order) > k else 0
        weights = np.bincount(order, minlength=len(self)) if len(order) > k else np.ones(len(self), dtype=int)
        yield self._packing(low, [weights.tolist()], [0])
        while low < high and effort.remaining() > 0:
            middle = (low + high) // 2
            inside = table <= middle
            if inside.sum() > kcenter.MOST_INSIDE:
                return
            effort.say(f"coverings: {high - low} radii left")
            found: Any = kcenter.packed(inside, k, effort.remaining)
            if found is None:
                found = kcenter.covering(inside, k, effort.remaining())
            if found is None:
                return
            if isinstance(found, kcenter.Packing):
                low = middle + 1
                yield self._packing(low, found.rows, found.tree)
            else:
                high = kcenter.radius(table, found)
                yield self._centres(found.tolist())

    def _packing(self, rank: int, rows: list[list[int]], tree: list[int]) -> Proposal:
        table, _ = self.places
        i, j = np.unravel_index(int(np.argmax(table == rank)), table.shape)
        claim = Claim("HiGHS", "no covering", None)
        witness = {"kind": "packing", "radius": [int(i), int(j)], "weights": rows, "tree": tree}
        return Proposal(witness, "lower", None, claim)

    def _centres(self, centres: list[int]) -> Proposal:
        return Proposal(self._witness(Choice(centres=tuple(centres))), "upper", None, Claim("HiGHS", "covering", None))


class CentredFamily:
    """What the command line and the report need to know of such a family."""

    sense: Literal["min", "max"] = "min"
    derived: tuple[Quantity, ...] = ()

    def __init__(self, kind: type[Centred], name: str, summary: str, latex: str, meaning: str) -> None:
        self.kind, self.name, self.summary = kind, name, summary
        self.quantity = Quantity("cost", latex, "d^power", meaning)

    def file_model(self) -> type[BaseModel]:
        from certify.formats import schema_medoids

        models: dict[str, type[BaseModel]] = {
            "kmedoids": schema_medoids.KMedoidsFile,
            "kmedian": schema_medoids.KMedianFile,
            "kcenter": schema_medoids.KCenterFile,
        }
        return models[self.name]

    def from_file(self, file: ProblemFile) -> Centred:
        from certify.formats.dissimilarity import dissimilarities_from_section

        keys: Any = file.data
        data = dissimilarities_from_section(file, rectangular=self.kind.rectangular)
        about = replace(file.about, labels=data.labels or file.about.labels, notes=file.about.notes + data.notes)
        given = Given.of(data)
        sites = None
        if getattr(keys, "candidates", None) is not None:
            sites = self._sites(file, keys.candidates, given)
        if keys.k > (len(sites[1]) if sites else len(given.rows) if self.kind.rectangular else given.size):
            raise InputError(file.fault(("k",), f"{keys.k} centres of fewer candidates", "at most one a candidate"))
        made: Centred = self.kind._made(given, keys.k, keys.power, sites, about)
        return made

    def _sites(self, file: ProblemFile, value: Any, given: Given) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The candidates of a problem file: rows in it, or a table beside it."""
        from certify.formats.table import read_table

        path = ("candidates",)
        rows = read_table(file.resolve(path, value)).rows if isinstance(value, str) else value
        if given.form != "points":
            raise InputError(file.fault(path, "candidates of their own need points", "give points in [metric]"))
        width = len(given.rows[0])
        wrong = [
            file.fault(
                (*path, i) if not isinstance(value, str) else path, f"row {i} has {len(row)} coordinates, not {width}"
            )
            for i, row in enumerate(rows)
            if len(row) != width
        ]
        if not rows:
            wrong = [file.fault(path, "there is no candidate", "give at least one")]
        if wrong:
            raise InputError(*wrong)
        denominator, numerators = over_common_denominator(rows)
        return denominator, tuple(map(tuple, numerators))

    def from_canonical(self, data: Mapping[str, Any], about: About) -> Centred:
        read = canonical_kmedian if self.kind.rectangular else canonical_centred
        form = read(data)[0]
        sites = form.get("candidates")
        own = None if sites is None else (sites["denominator"], tuple(map(tuple, sites["rows"])))
        return self.kind(Given.canonical(form["metric"]), form["k"], form["power"], own, about)

    def template(self) -> str:
        return template(self.name)

    def read_solution(self, problem: Centred, path: Path) -> Any:
        return read_choice(path)

    def explain(self, problem: Centred, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(explained(problem, witnesses))

    def picture(self, problem: Centred, witnesses: list[Mapping[str, Any]]) -> str | None:
        from certify.report.clusters import picture

        upper = next((w for w in witnesses if w["kind"] == "centres"), None)
        places = problem.given.places()
        if upper is None or places is None or problem.sites is not None:
            return None
        serving = problem.solution_of(upper)
        return picture(places, serving, sorted(set(serving.tolist())))


FAMILIES: dict[str, CentredFamily] = {
    "KMedoids": CentredFamily(
        KMedoids,
        "kmedoids",
        "k-medoids: centres among the items, least sum of dissimilarities",
        r"\min_{\lvert S \rvert = k} \sum_j \min_{i \in S} c_{ij}",
        "least Σ_j c_ij to the nearest of k centres chosen among the items; i charges j",
    ),
    "KMedian": CentredFamily(
        KMedian,
        "kmedian",
        "k-median over finite candidates: least sum of dissimilarities",
        r"\min_{\lvert S \rvert = k} \sum_j \min_{i \in S} c_{ij}",
        "least Σ_j c_ij to the nearest of k centres chosen among the candidates; i charges j",
    ),
    "KCenter": CentredFamily(
        KCenter,
        "kcenter",
        "k-center: centres among the items, least radius",
        r"\min_{\lvert S \rvert = k} \max_j \min_{i \in S} c_{ij}",
        "least radius within which every item has one of k centres chosen among the items; i charges j",
    ),
}
KMEDOIDS, KMEDIAN, KCENTER = (FAMILIES[name] for name in ("KMedoids", "KMedian", "KCenter"))
FORMS: tuple[Form, ...] = ("points", "distances", "squared_distances", "graph")
