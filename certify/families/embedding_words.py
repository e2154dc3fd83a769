"""What a certificate of an embedding says, in words: which pairs make its bounds. And a problem file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from certify.kernel import decimal_text
from certify.kernel.exact import integer, matrix
from certify.kernel.psd import gram
from certify.kernel.quadratic import Surd, paired

if TYPE_CHECKING:
    from certify.families.embedding import Embedding


def stretches(problem: Embedding, witness: Mapping[str, Any]) -> list[tuple[Fraction, int, int]]:
    """(z/d², i, j) for every pair of an upper witness, from the most contracted to the most expanded.

    Exact where the witness is rational, else within 2⁻⁸⁰.
    """
    squares, table = problem.squares(), gram_of(witness)
    pairs = [
        (Fraction(table[i][i] + table[j][j] - 2 * table[i][j]) / squares[i][j], j, i)
        for i in range(1, len(squares))
        for j in range(i)
    ]
    return sorted(pairs)


def shares(problem: Embedding, witness: Mapping[str, Any], side: str) -> list[tuple[Fraction, int, int]]:
    """(share of Σ y d², i, j) for the pairs of one side of a weights witness, largest first."""
    squares = problem.squares()
    d = int(witness.get("radicand", 0))
    weights = [(i, j, paired([integer(part, side) for part in y], d)[0]) for i, j, *y in witness[side]]
    parts = [(_middle(y) * squares[j][i], i, j) for i, j, y in weights]
    total = sum((part for part, _, _ in parts), Fraction(0)) or Fraction(1)
    return sorted(((part / total, i, j) for part, i, j in parts), key=lambda entry: (-entry[0], entry[1:]))


def gram_of(witness: Mapping[str, Any]) -> Sequence[Sequence[int | Fraction]]:
    """The Gram matrix of an upper witness up to a factor, lower triangle; irrational entries within 2⁻⁸⁰."""
    if witness["kind"] == "coordinates":
        return gram(matrix(witness["points"], "points", None, None)[1], pure=False)
    d = int(witness.get("radicand", 0))
    rows = matrix(witness["gram"], "gram", None, lambda i: (2 if d else 1) * (i + 1))[1]
    return [[_middle(entry) for entry in paired(row, d)] for row in rows] if d else rows


def _middle(value: int | Surd) -> Fraction:
    """An integer, or the middle of the enclosure of an irrational number."""
    return sum(value.enclosure(), Fraction(0)) / 2 if isinstance(value, Surd) else Fraction(value)


def explained(problem: Embedding, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    def name(point: int) -> str:
        return problem.name_of(point)

    for witness in witnesses:
        kind = witness["kind"]
        if kind == "weights":
            contract, expand = shares(problem, witness, "contract"), shares(problem, witness, "expand")
            yield (
                f"lower end: weights on {len(contract)} pairs that want to be far and {len(expand)} that want "
                "to be near (duality of Linial, London and Rabinovich)"
            )
            for title, parts in (("far", contract), ("near", expand)):
                for share, i, j in parts[:5]:
                    if share * 2000 < 1:
                        break
                    yield f"  {title}: points {name(i)} and {name(j)} carry {float(share):.1%} of that side"
        elif kind == "one":
            yield "lower end: no map has distortion below 1"
        elif problem.size > 1:
            pairs = stretches(problem, witness)
            yield f"upper end: a map into {_dimension(witness)} dimensions"
            for title, chosen in (("contracted", pairs[:3]), ("expanded", pairs[:-4:-1])):
                for stretch, i, j in chosen:
                    relative = stretch / pairs[-1][0]
                    yield (
                        f"  most {title}: points {name(i)} and {name(j)}, "
                        f"z/d² is {decimal_text(relative, False, 8)} of the largest"
                    )


def _dimension(witness: Mapping[str, Any]) -> str:
    if witness["kind"] == "coordinates":
        rows = witness["points"]["rows"]
        return str(len(rows[0])) if rows else "0"
    return f"at most {len(witness['gram']['rows']) - 1}"


TEMPLATE = """\
# A problem file of the family "embedding": the least distortion of a map into a Euclidean space.
# Solve it:  certify solve embedding.toml
family = "embedding"
title  = "The four-cycle"

[metric]
# One of:
#   edges = [["a", "b"], ["b", "c", "1/3"]]     a graph; the third entry is a length, 1 if there is none
#   graph = "graph.graphml"                      a file: edge list (.csv, .txt), GraphML, METIS, DIMACS
#   generator = { name = "petersen_graph" }      a constructor of networkx
#   distances = "table.csv"                      a square table, or rows: [[0, 1], [1, 0]]
#   squared_distances = [[0, 2], [2, 0]]         for distances that are square roots
#   points = "points.csv"                        with norm = "l1", "linf" or "l2"
edges = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]]

[solve]
gap = 1e-6          # relative gap to reach
time_limit = 300    # seconds

[known]
value = "2"         # what the literature says of distortion_squared
relation = "=="
source = "Linial, Magen 2000"
"""
