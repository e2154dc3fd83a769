"""Metrics that live on several scales, taken apart and put together again.

If a metric falls into clusters whose diameters are tiny beside the distances between them (ratio η), then
the clusters and the metric of their representatives can be embedded apart, in orthogonal spaces: every
squared distance of the sum is off by a factor 1 + O(η), so the distortion² is the largest of the parts',
and dual weights of that part alone prove it. Doubles could not hold all the scales in one matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from certify.problem import Claim
from certify.solvers.answer import EmbeddingAnswer
from certify.solvers.pairs import spanning_pairs

SEPARATION = 3e-8  # largest ratio η at which scales are taken apart: it is paid in the bound

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]
Engine = Callable[[Floats], Iterator[EmbeddingAnswer]]


def clusters(squares: Floats) -> list[NDArray[np.int64]] | None:
    """The parts into which the widest gap of scales divides the points, or None if there is no such gap.

    Single linkage: the edges of a minimum spanning tree below the gap join the points of a part.
    """
    n = len(squares)
    if n < 3:
        return None
    tree = spanning_pairs(squares)
    lengths = np.sqrt(squares[tree[:, 0], tree[:, 1]])
    order = np.argsort(lengths, kind="stable")
    tree, lengths = tree[order], lengths[order]
    # n·(length below the gap) bounds the diameter of a part.
    ratios = n * lengths[:-1] / lengths[1:]
    best = int(np.argmin(ratios)) if len(ratios) else 0
    if len(ratios) == 0 or ratios[best] > SEPARATION:
        return None
    home = np.arange(n)
    for i, j in tree[: best + 1]:
        home[home == home[j]] = home[i]
    return [np.flatnonzero(home == h) for h in dict.fromkeys(home.tolist())]


def solve(squares: Floats, engine: Engine) -> Iterator[EmbeddingAnswer]:
    """The engine's answers where the metric has one scale; else the answers of the parts, joined.

    squares: (n, n) squared distances; engine: called with the squared distances of a part.
    """
    parts = clusters(squares)
    if parts is None:
        yield from engine(squares / np.max(squares))
        return
    heads = np.array([part[0] for part in parts])
    pieces = [heads, *(part for part in parts if len(part) > 1)]
    answers: list[tuple[Pairs, EmbeddingAnswer]] = []
    for piece in pieces:
        last = None
        for answer in solve(squares[np.ix_(piece, piece)], engine):
            last = answer
        if last is None:
            return
        answers.append((piece, last))
    yield _joined(squares, parts, answers)


def _joined(
    squares: Floats, parts: list[NDArray[np.int64]], answers: list[tuple[Pairs, EmbeddingAnswer]]
) -> EmbeddingAnswer:
    """Points of all the parts side by side; the weights of the part with the largest distortion."""
    columns: list[Floats] = []
    for number, (piece, answer) in enumerate(answers):
        if answer.points is None:
            columns = []
            break
        points = answer.points - answer.points[0]
        block = np.zeros((len(squares), points.shape[1]))
        # Scaled so that the part contracts nothing: z >= d², with equality somewhere.
        scaled = points / np.sqrt(_least_ratio(points, squares[np.ix_(piece, piece)]))
        if number == 0:
            for part, row in zip(parts, scaled, strict=True):
                block[part] = row
        else:
            block[piece] = scaled
        columns.append(block)
    worst = max(range(len(answers)), key=lambda k: _value(answers[k][1]))
    piece, answer = answers[worst]
    claim = Claim(answer.claim.name, f"{answer.claim.status} (largest of {len(answers)} scales)", answer.claim.value)

    def moved(pairs: Pairs | None) -> Pairs | None:
        return None if pairs is None else np.sort(piece[pairs], axis=1)

    return EmbeddingAnswer(
        np.hstack(columns) if columns else None,
        moved(answer.expand),
        answer.expand_weights,
        moved(answer.contract),
        answer.contract_weights,
        claim,
    )


def _value(answer: EmbeddingAnswer) -> float:
    return answer.claim.value if answer.claim.value is not None else 0.0


def _least_ratio(points: Floats, squares: Floats) -> float:
    pairs = np.triu_indices(len(points), 1)
    steps = points[pairs[0]] - points[pairs[1]]
    least = float(np.min(np.sum(steps**2, axis=1) / squares[pairs]))
    return least if least > 0 else 1.0
