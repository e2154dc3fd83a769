"""Balanced cuts: RatioCut, the normalised cut, bisection and edge expansion, by one set of bounds.

RatioCut = Σ_i w(C_i, rest)/|C_i| = tr(HᵀLH) (Hagen and Kahng 1992; von Luxburg 2007). The mathematics is on
docs/mathematics/ratiocut.md.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from certify.families.cut_words import cut_picture
from certify.families.mincut import GraphProblem, problem_from_canonical, problem_from_file
from certify.families.ratiocut_words import balanced_explained, template_of
from certify.kernel.enumeration import MAX_ENUMERATION, MeasuredGraph
from certify.kernel.graph import WeightedGraph
from certify.problem import About, Claim, Effort, Family, Problem, Proposal, Quantity
from certify.rounding.ratiocut import balanced_witness
from certify.solvers.balanced import Judged, enumerated, orders, smallest_eigenvectors, starts
from certify.solvers.mincut import components, least_cut

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

SPECTRAL, RELAXATION, ENUMERATION = "spectral", "relaxation", "enumeration"
MOST_RELAXED = 320  # vertices up to which the semidefinite relaxation is solved
MOST_SPECTRAL = 2000  # up to which the spectral bound is proved
MOST_CONTRACTED = 20_000
MOST_ENUMERATED = 400
FIRST_LOOK = 1 << 21  # steps of a first enumeration


@dataclass(frozen=True)
class BalancedCut(GraphProblem):
    """What the four problems share. ``judge`` as in certify.kernel.enumeration; the measure of a vertex is 1, or its
    weighted degree."""

    judge: ClassVar[Literal["ratio", "halves", "least"]] = "ratio"
    by_degree: ClassVar[bool] = False

    engines = (ENUMERATION, RELAXATION, SPECTRAL)

    @property
    def measure(self) -> list[int]:
        """The measure of each vertex."""
        if not self.by_degree:
            return [1] * self.size
        degrees = [0] * self.size
        for u, v, w in self.edges:
            degrees[u] += w
            degrees[v] += w
        return degrees

    def measured(self) -> MeasuredGraph:
        return MeasuredGraph(WeightedGraph(self.size, self.denominator, self.edges), self.measure, self.judge)

    def exact_value(self, labels: Sequence[int]) -> Fraction | None:
        """The value of a partition; None if it is none of those that count."""
        measure = self.measure
        sizes, outer = [0] * self.k, [0] * self.k
        for label, size in zip(labels, measure, strict=True):
            sizes[label] += size
        for u, v, w in self.edges:
            if labels[u] != labels[v]:
                outer[labels[u]] += w
                outer[labels[v]] += w
        q = 1 if self.by_degree else self.denominator
        if 0 in sizes:
            return None
        if self.judge == "ratio":
            return sum((Fraction(w, q * a) for w, a in zip(outer, sizes, strict=True)), Fraction(0))
        if self.judge == "halves":
            return Fraction(outer[0], q) if abs(sizes[0] - sizes[1]) <= 1 else None
        return Fraction(outer[0], q * min(sizes))

    def assessed(self, solution: Any) -> Proposal | str:
        """Labels of a partition as an upper witness; a sentence if it is none of those that count."""
        found = super().assessed(solution)
        if isinstance(found, str):
            return found
        if self.exact_value(found.witness["labels"]) is None:
            return "none: the two parts differ in size by more than one"
        return found

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Spectral clustering with local search; cuts, eigenvalues, the relaxation; enumeration, which is exact."""
        yield Proposal({"kind": "zero"}, "lower")
        measure = self.measure
        if 0 in measure:
            return
        first = self._of_components()
        if first is not None:
            yield self.partition(first)
        effort.say(SPECTRAL)
        judged = Judged(self.size, self.edges, measure, self.k, self.judge)
        _, vectors = smallest_eigenvectors(self.size, self.edges, np.array(measure, dtype=float), max(self.k, 4))
        best = yield from self._searched(judged, vectors, effort)
        if self.size <= MOST_CONTRACTED and effort.remaining() > 0 and effort.solver is None:
            value, _, proved = least_cut(self.size, self.edges, effort.remaining)
            if proved and value:
                yield Proposal({"kind": "contraction", "value": value}, "lower")
        small = self.size <= MOST_ENUMERATED and best is not None and effort.solver in (None, ENUMERATION)
        if small and best is not None:  # exact at once where there are few beginnings
            yield from self._enumerated(best, vectors, FIRST_LOOK, effort)
        if self.size <= MOST_SPECTRAL and effort.solver in (None, SPECTRAL):
            yield from self._relaxed(None, SPECTRAL, effort)
        if self.size <= MOST_RELAXED and effort.solver in (None, RELAXATION):
            yield from self._relaxed(max(1e-6, float(effort.gap) / 10), RELAXATION, effort)
        if small and best is not None:
            yield from self._enumerated(best, vectors, MAX_ENUMERATION, effort)

    def _of_components(self) -> list[int] | None:
        parts = components(self.size, self.edges)
        if max(parts) + 1 < self.k:
            return None
        labels = [min(part, self.k - 1) for part in parts]
        return labels if self.exact_value(labels) is not None else None

    def _searched(self, judged: Judged, vectors: Any, effort: Effort) -> Generator[Proposal, None, list[int] | None]:
        """Partitions from many starts, each better than the last; returns the labels of the best."""
        best: tuple[Fraction, list[int]] | None = None
        for labels in starts(judged, vectors, effort.seed):
            if effort.remaining() <= 0 and best is not None:
                break
            improved = [int(label) for label in judged.improved(labels, effort.remaining)]
            value = self.exact_value(improved)
            if value is not None and (best is None or value < best[0]):
                best = (value, improved)
                yield self.partition(improved, Claim("local search", "found", float(value)))
        return None if best is None else best[1]

    def _relaxed(self, accuracy: float | None, name: str, effort: Effort) -> Iterator[Proposal]:
        if effort.remaining() <= 0:
            return
        effort.say(name)
        began = time.monotonic()
        witness = balanced_witness(self.size, self.edges, self.measure, self.k, accuracy, effort.remaining)
        if witness is not None:
            yield Proposal(witness, "lower", None, Claim(name, "bound", None), time.monotonic() - began)

    def _enumerated(self, labels: list[int], vectors: Any, most: int, effort: Effort) -> Iterator[Proposal]:
        """All partitions into two parts that might be better than the best known, by beginnings; for more parts the
        kernel itself is asked, in the most promising order."""
        value = self.exact_value(labels)
        if value is None or effort.remaining() <= 0:
            return
        effort.say(ENUMERATION)
        data, share = self.measured(), self._share()
        for order in orders(self.size, self.edges, vectors)[:3]:
            if self.k > 2:
                witness = {"kind": "enumeration", "order": order, "bound": str(value)}
                yield Proposal(witness, "lower", None, Claim(ENUMERATION, "complete", float(value)))
                return
            while True:
                found = enumerated(data, order, value / share, most, effort.remaining)
                if found is None or found.labels is None:
                    break
                better = self.exact_value(found.labels)
                if better is None or better >= value:
                    break
                value = better
                yield self.partition(found.labels, Claim(ENUMERATION, "found", float(value)), twin=True)
            if found is not None:
                witness = {"kind": "enumeration", "order": order, "bound": str(value)}
                yield Proposal(witness, "lower", None, Claim(ENUMERATION, "complete", float(value)))
                return
            if effort.remaining() <= 0:
                return

    def _share(self) -> Fraction:
        """What a value of w·c(a) = 1 is worth: see certify.kernel.ratiocut."""
        unit = Fraction(1) if self.by_degree else Fraction(1, self.denominator)
        return unit * sum(self.measure) if self.judge == "ratio" else unit

    def partition(self, labels: Sequence[int], claim: Claim | None = None, twin: bool = False) -> Proposal:
        """Labels 0 … k−1 as an upper witness."""
        made = super().partition(labels, claim)
        return Proposal(made.witness, made.side, made.solution, made.claim, twin_follows=twin)


@dataclass(frozen=True)
class RatioCut(BalancedCut):
    """Σ_i w(C_i, rest)/|C_i| over partitions into exactly k parts."""

    @property
    def family(self) -> Family:
        return RATIOCUT


@dataclass(frozen=True)
class NormalizedCut(BalancedCut):
    """Σ_i w(C_i, rest)/vol(C_i) over partitions into exactly k parts (Shi and Malik 2000)."""

    by_degree = True

    def __post_init__(self) -> None:
        from certify.errors import Fault, InputError

        super().__post_init__()
        touched = {end for u, v, _ in self.edges for end in (u, v)}
        lonely = next((v for v in range(self.size) if v not in touched), None)
        if lonely is not None:
            what = f"{self.name_of(lonely)} has no edge of positive weight: its volume is 0"
            raise InputError(Fault("graph", what, "leave it out"))

    @property
    def family(self) -> Family:
        return NCUT


@dataclass(frozen=True)
class Bisection(BalancedCut):
    """The weight between two parts whose sizes differ by at most one."""

    judge = "halves"

    @property
    def family(self) -> Family:
        return BISECTION

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        return {"graph": super().canonical()["graph"]}


@dataclass(frozen=True)
class Expansion(BalancedCut):
    """The least w(S, rest)/|S| over sets S of at most half of the vertices: the isoperimetric number."""

    judge = "least"

    @property
    def family(self) -> Family:
        return EXPANSION

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        return {"graph": super().canonical()["graph"]}


@dataclass
class BalancedFamily:
    """What the command line and the report need to know of one of the families."""

    name: str
    summary: str
    kind: type[BalancedCut]
    quantity: Quantity
    sense: Literal["min", "max"] = "min"
    derived: tuple[Quantity, ...] = ()

    def file_model(self) -> type[BaseModel]:
        from certify.formats import schema_graph

        models: dict[str, type[BaseModel]] = {
            "ratiocut": schema_graph.RatioCutFile,
            "ncut": schema_graph.NormalizedCutFile,
            "bisection": schema_graph.BisectionFile,
            "expansion": schema_graph.ExpansionFile,
        }
        return models[self.name]

    def from_file(self, file: ProblemFile) -> Problem:
        problem: Problem = problem_from_file(self.kind, file)
        return problem

    def from_canonical(self, data: Mapping[str, Any], about: About) -> Problem:
        problem: Problem = problem_from_canonical(self.kind, data, about)
        return problem

    def template(self) -> str:
        return template_of(self.name)

    def read_solution(self, problem: BalancedCut, path: Path) -> Any:
        from certify.formats.labels import read_labels

        return read_labels(path)

    def explain(self, problem: BalancedCut, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(balanced_explained(problem, witnesses))

    def picture(self, problem: BalancedCut, witnesses: list[Mapping[str, Any]]) -> str | None:
        return cut_picture(problem, witnesses)


_OVER = "over all partitions of the vertices into exactly k parts"

RATIOCUT = BalancedFamily(
    "ratiocut",
    "least RatioCut of a graph into k parts",
    RatioCut,
    Quantity("ratiocut", r"\mathrm{RatioCut}_k(G)", "weight", f"least Σ_i w(C_i, rest)/|C_i| {_OVER}"),
)
NCUT = BalancedFamily(
    "ncut",
    "least normalised cut of a graph into k parts",
    NormalizedCut,
    Quantity("ncut", r"\mathrm{NCut}_k(G)", "1", f"least Σ_i w(C_i, rest)/vol(C_i) {_OVER}"),
)
BISECTION = BalancedFamily(
    "bisection",
    "least weight between two halves of a graph",
    Bisection,
    Quantity(
        "cut_weight", r"\mathrm{bis}(G)", "weight", "least weight between two parts whose sizes differ by at most 1"
    ),
)
EXPANSION = BalancedFamily(
    "expansion",
    "edge expansion (isoperimetric number) of a graph",
    Expansion,
    Quantity("expansion", "h(G)", "weight", "least w(S, rest)/|S| over sets S of at most half of the vertices"),
)
