"""Least cuts: the least weight of the edges between k parts of a graph, none of them empty.

cut_weight counts each edge once; cut_sum = Σ_i w(C_i, rest), as books on spectral clustering count, is twice that.
The mathematics is on docs/mathematics/mincut.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from certify.errors import Fault, InputError
from certify.families.cut_words import MINCUT_TEMPLATE, cut_explained, cut_picture
from certify.formats.weighted_graph import (
    WeightedEdges,
    weighted_from_edges,
    weighted_from_matrix,
    weighted_from_networkx,
    weighted_from_section,
)
from certify.kernel.graph import canonical_graph
from certify.problem import About, Claim, Effort, Family, Proposal, Quantity
from certify.proving import Asking
from certify.solvers.kcut import Packing, branched
from certify.solvers.mincut import components, least_cut, split

if TYPE_CHECKING:
    import networkx as nx
    import numpy as np
    from numpy.typing import NDArray
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

CONTRACTION = "contraction"
BRANCHING = "branching"
MOST_BRANCHED = 400  # edges up to which a k-cut is branched on


@dataclass(frozen=True)
class GraphProblem(Asking):
    """A graph with weights >= 0 and a number k of parts. Build it with a ``from_`` method.

    edges: (u, v, weight) with u < v, integers over the denominator; size: how many vertices.
    """

    size: int
    denominator: int
    edges: tuple[tuple[int, int, int], ...] = field(repr=False)
    k: int = 2
    about: About = field(default_factory=About, compare=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise InputError(Fault("k", f"{self.k!r} is not a number of parts", "a whole number, at least 2"))
        if self.k > self.size:
            what = f"{self.k} parts of {self.size} {'vertex' if self.size == 1 else 'vertices'}: some would be empty"
            raise InputError(Fault("k", what, "ask for fewer parts"))

    @classmethod
    def of(cls, graph: WeightedEdges, k: int = 2, about: About | None = None) -> Any:
        """The problem of a graph that has been read; its names and notes go into ``about``."""
        given = about or About()
        about = replace(given, labels=given.labels or graph.vertices, notes=given.notes + graph.notes)
        common = gcd(graph.denominator, *(w for _, _, w in graph.edges))
        edges = tuple((u, v, w // common) for u, v, w in graph.edges)
        return cls(len(graph.vertices), graph.denominator // common, edges, k, about)

    @classmethod
    def from_graph(cls, graph: nx.Graph[Any], k: int = 2, weight: str | None = None, about: About | None = None) -> Any:
        """A networkx graph; weight: the attribute that is the weight (default "weight" if any edge has it), or "unit".

        Directions are dropped, parallel edges added up, loops left out, each with a note. Raises InputError for a
        negative weight or one that is no number.
        """
        return cls.of(weighted_from_networkx(graph, weight), k, about)

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], k: int = 2, vertices: Iterable[Any] | int = (), about: About | None = None
    ) -> Any:
        """Edges (u, v) or (u, v, weight); vertices: all of them, or how many, where some have no edge."""
        return cls.of(weighted_from_edges(edges, vertices), k, about)

    @classmethod
    def from_matrix(cls, matrix: Any, k: int = 2, about: About | None = None) -> Any:
        """A symmetric matrix of weights, dense or sparse: an adjacency or affinity matrix."""
        return cls.of(weighted_from_matrix(matrix), k, about)

    def __len__(self) -> int:
        return self.size

    def canonical(self) -> dict[str, Any]:
        """The exact data of the certificate."""
        rows = [list(edge) for edge in self.edges]
        return {"graph": {"vertices": self.size, "denominator": self.denominator, "edges": rows}, "k": self.k}

    def name_of(self, v: int) -> str:
        """A vertex for a reader."""
        labels = self.about.labels
        return labels[v] if labels and v < len(labels) else str(v)

    def labelled(self, solution: Any) -> list[int]:
        """Labels of the user, one a vertex (any values), as parts 0 … in order of first occurrence.

        Raises InputError for a wrong number of labels; how many parts there are is not looked at.
        """
        given = list(getattr(solution, "labels_", solution))
        if given and not isinstance(given[0], str) and hasattr(given[0], "__len__"):
            given = [entry[0] if len(entry) == 1 else entry for entry in given]
        if len(given) != self.size:
            what = f"{len(given)} labels for {self.size} vertices"
            raise InputError(Fault("solution", what, "one label a vertex, in the order of the vertices"))
        names: dict[Any, int] = {}
        return [names.setdefault(_plain(label), len(names)) for label in given]

    def assessed(self, solution: Any) -> Proposal | str:
        """Labels of a partition as an upper witness; a sentence if it has not exactly k parts."""
        labels = self.labelled(solution)
        found = max(labels) + 1
        if found != self.k:
            return (
                f"none: the partition has {found} {'part' if found == 1 else 'parts'}, asked for are exactly {self.k}"
            )
        return self.partition(labels)

    def partition(self, labels: Sequence[int], claim: Claim | None = None) -> Proposal:
        """Labels 0 … k−1 as an upper witness."""
        import numpy as np

        witness = {"kind": "labels", "labels": [int(label) for label in labels]}
        return Proposal(witness, "upper", np.array(labels, dtype=np.int64), claim)

    def solution_of(self, witness: Mapping[str, Any]) -> NDArray[np.int64]:
        """The labels of an upper witness."""
        import numpy as np

        return np.array([int(label) for label in witness["labels"]], dtype=np.int64)


def _plain(label: Any) -> Any:
    """Equal labels in one form: 1, 1.0, "1" and numpy's 1 are the same part."""
    text = str(label.item() if hasattr(label, "item") else label).strip()
    try:
        number = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text
    return number


@dataclass(frozen=True)
class MinCut(GraphProblem):
    """The least weight of the edges between k parts (k = 2: the minimum cut) of a graph with weights >= 0."""

    engines = (CONTRACTION, BRANCHING)

    @property
    def family(self) -> Family:
        return FAMILY

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """A disconnected graph at once; then contraction, which is exact for k = 2; then splitting and branching."""
        yield Proposal({"kind": "zero"}, "lower")
        parts = components(self.size, self.edges)
        if max(parts) + 1 >= self.k:
            yield self.partition([min(part, self.k - 1) for part in parts])
            return
        connected = max(parts) == 0
        if connected:
            effort.say(CONTRACTION)
            value, side, proved = least_cut(self.size, self.edges, effort.remaining)
            if self.k == 2:
                inside = set(side)
                weight = float(Fraction(value, self.denominator))
                claim = Claim(CONTRACTION, "optimal" if proved else "stopped", weight)
                yield self.partition([int(v in inside) for v in range(self.size)], claim)
            if proved:
                yield Proposal({"kind": "contraction", "value": value}, "lower", twin_follows=self.k > 2)
            if self.k == 2:
                return
        effort.say("splitting")
        labels = split(self.size, self.edges, self.k, effort.remaining)
        yield self.partition(labels)
        if len(self.edges) <= MOST_BRANCHED:
            effort.say(BRANCHING)
            yield from self._branched(labels, effort)

    def _branched(self, labels: Sequence[int], effort: Effort) -> Iterator[Proposal]:
        """The tree of branches that proves the best partition known, or a better bound than without."""
        grid = gcd(*(w for _, _, w in self.edges))
        incumbent = sum(w for u, v, w in self.edges if labels[u] != labels[v])
        tree, scale = branched(self.size, self.edges, self.k, grid, incumbent, effort.remaining)
        best = _integral(tree, self, labels)
        if best is not None:
            yield self.partition(best)
        yield Proposal({"kind": "trees", "scale": scale, "root": _rounded(tree, scale)}, "lower")


@dataclass(frozen=True)
class KCut(MinCut):
    """The least weight of the edges between k parts: MinCut with three parts unless another k is given."""

    k: int = 3

    @classmethod
    def from_graph(cls, graph: nx.Graph[Any], k: int = 3, weight: str | None = None, about: About | None = None) -> Any:
        """As of MinCut."""
        return super().from_graph(graph, k, weight, about)

    @classmethod
    def from_edges(
        cls, edges: Iterable[Sequence[Any]], k: int = 3, vertices: Iterable[Any] | int = (), about: About | None = None
    ) -> Any:
        """As of MinCut."""
        return super().from_edges(edges, k, vertices, about)

    @classmethod
    def from_matrix(cls, matrix: Any, k: int = 3, about: About | None = None) -> Any:
        """As of MinCut."""
        return super().from_matrix(matrix, k, about)


def _rounded(node: Any, scale: int) -> Any:
    """The floats of a tree of branches on the grid of the witness; weights go down."""
    if isinstance(node, Packing):
        rows = [[int(y * scale * (1 - 1e-9)), *tree] for tree, y in node.trees]
        return {"trees": [row for row in rows if row[0] > 0]}
    return {
        "edge": node["edge"],
        "contract": _rounded(node["contract"], scale),
        "delete": _rounded(node["delete"], scale),
    }


def _integral(node: Any, problem: MinCut, labels: Sequence[int]) -> list[int] | None:
    """The best partition that some leaf of the tree suggests, if it is lighter than ``labels``."""
    best = sum(w for u, v, w in problem.edges if labels[u] != labels[v])
    chosen: list[int] | None = None
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            todo += [part["contract"], part["delete"]]
            continue
        kept = [edge for edge, x in zip(problem.edges, part.x, strict=True) if x < 0.5]
        found = components(problem.size, kept)
        if max(found) + 1 < problem.k:
            continue
        found = [min(label, problem.k - 1) for label in found]
        weight = sum(w for u, v, w in problem.edges if found[u] != found[v])
        if weight < best:
            best, chosen = weight, found
    return chosen


class MinCutFamily:
    """What the command line and the report need to know of the family."""

    name = "mincut"
    summary = "least weight of the edges between k parts of a graph"
    sense: Literal["min", "max"] = "min"
    quantity = Quantity(
        "cut_weight",
        r"\mathrm{cut}_k(G)",
        "weight",
        "least weight of the edges between the parts, over all partitions of the vertices into exactly k parts; "
        "each edge once",
    )
    derived: tuple[Quantity, ...] = (
        Quantity(
            "cut_sum",
            r"\textstyle\sum_i w(C_i, \overline{C_i})",
            "weight",
            "the same with every edge counted from both sides: twice cut_weight",
            factor=2,
        ),
    )

    def file_model(self) -> type[BaseModel]:
        from certify.formats.schema_graph import MinCutFile

        return MinCutFile

    def from_file(self, file: ProblemFile) -> MinCut:
        problem: MinCut = problem_from_file(MinCut, file)
        return problem

    def from_canonical(self, data: Mapping[str, Any], about: About) -> MinCut:
        problem: MinCut = problem_from_canonical(MinCut, data, about)
        return problem

    def template(self) -> str:
        return MINCUT_TEMPLATE

    def read_solution(self, problem: MinCut, path: Path) -> Any:
        from certify.formats.labels import read_labels

        return read_labels(path)

    def explain(self, problem: MinCut, witnesses: list[Mapping[str, Any]]) -> list[str]:
        return list(cut_explained(problem, witnesses))

    def picture(self, problem: MinCut, witnesses: list[Mapping[str, Any]]) -> str | None:
        return cut_picture(problem, witnesses)


def problem_from_file(kind: Any, file: ProblemFile) -> Any:
    """A problem of a graph and k parts from a problem file; faults of k name its key."""
    graph = weighted_from_section(file)
    k = getattr(file.data, "k", 2)
    if k > len(graph.vertices):
        what = f"{k} parts of {len(graph.vertices)} vertices: some would be empty"
        raise InputError(file.fault(("k",), what, "ask for fewer parts"))
    return kind.of(graph, k, file.about)


def problem_from_canonical(kind: Any, data: Mapping[str, Any], about: About) -> Any:
    """A problem of a graph and k parts from the data of a certificate."""
    graph = canonical_graph(data["graph"], "problem.graph")[1]
    edges = tuple((u, v, w) for u, v, w in graph.edges)
    return kind(graph.vertices, graph.denominator, edges, int(data.get("k", 2)), about)


FAMILY = MinCutFamily()
