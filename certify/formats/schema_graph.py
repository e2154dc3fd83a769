"""The keys of a ``[graph]`` section: a graph with weights, or points and how similar they are. See schema.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, StrictInt, StrictStr, Tag

from certify.formats.schema import (
    PATH,
    ROWS,
    Edge,
    ExactPositive,
    FileModel,
    GeneratorSection,
    GraphFormat,
    Misuse,
    RowsOrPath,
    Section,
)

GRAPH_SOURCES = ("edges", "graph", "generator", "points", "csv", "npy")


def _edges_or_path(value: object) -> str:
    return PATH if isinstance(value, str) else ROWS


EdgesOrPath = Annotated[
    Annotated[tuple[Edge, ...], Tag(ROWS)] | Annotated[str, Tag(PATH)], Discriminator(_edges_or_path)
]
"""Edges [u, v] or [u, v, weight] in the file, or the path of a graph file."""


class SimilaritySection(Section):
    """How points become a graph: every pair with weight exp(−d²/σ²), the nearest neighbours, or all within a radius."""

    kind: Literal["gaussian", "knn", "ball"]
    """gaussian: each pair, exp(−d²/σ²) rounded to the nearest double; knn: a pair of which one is among the k nearest
    of the other, weight 1; ball: a pair at most `radius` apart, weight 1."""
    sigma: ExactPositive | None = None
    """σ of gaussian."""
    k: Annotated[StrictInt, Field(ge=1)] | None = None
    """How many neighbours, of knn."""
    radius: ExactPositive | None = None
    """The radius of ball."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Each kind has one number of its own."""
        wants = {"gaussian": "sigma", "knn": "k", "ball": "radius"}
        own = wants.get(str(given.get("kind")))
        if own is None:
            return
        if given.get(own) is None:
            yield Misuse((own,), f"{given['kind']} needs {own}", f"write {own} = …")
        for key in wants.values():
            if key != own and given.get(key) is not None:
                yield Misuse((key,), f"has no meaning with {given['kind']}", "leave it out")


class GraphSection(Section):
    """A graph with weights: exactly one of edges, graph, generator; or points, csv, npy with a similarity."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": [source]} for source in GRAPH_SOURCES]},
    )

    edges: EdgesOrPath | None = None
    """The edges, [u, v] or [u, v, weight], or the path of a graph file."""
    graph: StrictStr | None = None
    """The path of a graph file."""
    format: GraphFormat | None = None
    """The format of the file (default: by the extension of its name)."""
    generator: GeneratorSection | None = None
    """A graph by the name of its constructor."""
    weight: StrictStr | None = None
    """The edge attribute or column that is the weight; "unit": every edge has weight 1."""
    vertices: Annotated[StrictInt, Field(ge=1)] | None = None
    """How many vertices there are, 0 to vertices − 1, if some have no edge."""
    points: RowsOrPath | None = None
    """Coordinates, one row a point: rows here, or the path of a table or .npy file."""
    csv: StrictStr | None = None
    """The path of a table of points."""
    npy: StrictStr | None = None
    """The path of a .npy file of points."""
    columns: tuple[StrictStr | StrictInt, ...] | None = None
    """Which columns of a table of points to read: names of its header, or numbers from 0."""
    similarity: SimilaritySection | None = None
    """How points become a graph."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source of the graph, and only keys that it uses."""
        sources = [key for key in GRAPH_SOURCES if given.get(key) is not None]
        if len(sources) != 1:
            choice = f"one of {', '.join(GRAPH_SOURCES[:-1])} or {GRAPH_SOURCES[-1]}"
            for key in sources[1:]:
                yield Misuse((key,), f"the graph is already given by {sources[0]}", f"keep exactly {choice}")
            if not sources:
                yield Misuse((), "there is no graph in it", f"give exactly {choice}")
            return
        source = sources[0]
        file = source == "graph" or isinstance(given.get("edges"), str)
        points = source in ("points", "csv", "npy")
        if points and given.get("similarity") is None:
            yield Misuse(("similarity",), "points need a similarity", '{kind = "gaussian", sigma = 1.0}, or knn, ball')
        uses = {
            "format": (file, "a graph file"),
            "weight": (file or source == "generator", "a graph file or a generator"),
            "vertices": (source == "edges" and not file, "edges in the file"),
            "columns": (points, "a table of points"),
            "similarity": (points, "points"),
        }
        for key, (used, wants) in uses.items():
            if given.get(key) is not None and not used:
                yield Misuse((key,), f"has no meaning with {source}", f"leave it out: it goes with {wants}")


class GraphFile(FileModel):
    """A problem file with a [graph]."""

    graph: GraphSection


class PartsGraphFile(GraphFile):
    """A problem file with a [graph] and a number of parts."""

    k: Annotated[StrictInt, Field(ge=2)] = 2
    """How many parts, none empty."""


class MinCutFile(PartsGraphFile):
    """The problem file of the family `mincut`: the least weight between k parts of a graph."""

    family: Literal["mincut"]


class RatioCutFile(PartsGraphFile):
    """The problem file of the family `ratiocut`: the least RatioCut into k parts of a graph."""

    family: Literal["ratiocut"]


class NormalizedCutFile(PartsGraphFile):
    """The problem file of the family `ncut`: the least normalised cut into k parts of a graph."""

    family: Literal["ncut"]


class BisectionFile(GraphFile):
    """The problem file of the family `bisection`: the least weight between two halves of a graph."""

    family: Literal["bisection"]


class ExpansionFile(GraphFile):
    """The problem file of the family `expansion`: the edge expansion of a graph."""

    family: Literal["expansion"]
