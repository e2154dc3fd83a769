"""The engines for the embedding SDP by name, and the order in which they are worth asking."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import inf

import numpy as np
from numpy.typing import NDArray

from certify.problem import Claim
from certify.rounding.laplacian import repaired
from certify.rounding.maps import classical_scaling, distortion_squared
from certify.solvers.answer import EmbeddingAnswer

ENGINES = ("symmetric", "low-rank", "rank-one", "clarabel", "scs")
INSTANT = "classical scaling and the spectral bound"
CONE_POINTS = 120  # beyond it the full model is out of reach for Clarabel and SCS in minutes
MANY_POINTS = 200  # from here on a quick bound is worth having before the exact engine


def order(n: int, first: str | None) -> list[str]:
    """The engines to ask for n points: first the one that the user names, then the exact ones, then the reference."""
    names = ["symmetric", "rank-one"]
    if n >= MANY_POINTS:
        names.insert(1, "low-rank")
    if n <= CONE_POINTS:
        names += ["clarabel", "scs"]
    return [first, *(name for name in names if name != first)] if first else names


def answers(
    name: str,
    squares: NDArray[np.float64],
    *,
    gap: float,
    remaining: Callable[[], float],
    say: Callable[[str], None],
    chosen: bool = False,
) -> Iterator[EmbeddingAnswer]:
    """The answers of the engine called ``name`` on a metric of one scale, (n, n) squared distances.

    gap: the relative gap asked for; chosen: the user named this engine, so it may take all the time.
    """
    from certify.solvers.pairs import expandable_pairs

    expand = expandable_pairs(squares)
    try:
        if name == INSTANT:
            yield spectral_answer(squares, expand)
        elif name == "symmetric":
            from certify.solvers.symmetric import solve as symmetric

            yield from symmetric(squares, expand, remaining=remaining, say=say)
        elif name == "low-rank":
            from certify.solvers.low_rank import solve as low_rank

            # A quick bound where the exact engine will come to its end; else all the time, for the best one.
            quick = rank_one_seconds(len(squares), len(expand)) < remaining() / 2 and not chosen
            until = remaining() * 3 / 4
            yield from low_rank(
                squares,
                expand,
                remaining=(lambda: remaining() - until) if quick else remaining,
                tolerance=1e-2 if quick else max(gap / 2, 1e-5),
                say=say,
            )
        elif name == "rank-one":
            from certify.solvers.rank_one import solve as rank_one

            yield from rank_one(squares, expand, remaining=remaining, say=say)
        else:
            from certify.solvers.cone import solve as cone

            found = cone(name, squares, expand, remaining=remaining)
            yield found
            if float_gap(found, squares) > gap and remaining() > 0:
                yield from polished(found, squares, expand, remaining=remaining, say=say)
    except (ArithmeticError, np.linalg.LinAlgError) as fault:
        yield EmbeddingAnswer(None, None, None, None, None, Claim(name, f"failed: {fault}", None))


def polished(
    answer: EmbeddingAnswer,
    squares: NDArray[np.float64],
    expand: NDArray[np.int64],
    *,
    remaining: Callable[[], float],
    say: Callable[[str], None],
) -> Iterator[EmbeddingAnswer]:
    """An answer that stopped early, brought to full accuracy: the rank-one engine begins with the contraction pairs
    that carry its weight (at most six a point), which are the active ones but for few."""
    from certify.solvers.rank_one import solve as rank_one

    say("polishing")
    start = None
    if answer.contract is not None and answer.contract_weights is not None and len(answer.contract):
        share = answer.contract_weights * squares[answer.contract[:, 0], answer.contract[:, 1]]
        heavy = np.argsort(-share, kind="stable")[: 6 * len(squares)]
        start = answer.contract[heavy[share[heavy] > 1e-6 * np.max(share)]]
    yield from rank_one(squares, expand, remaining=remaining, say=say, start=start)


def float_gap(answer: EmbeddingAnswer, squares: NDArray[np.float64]) -> float:
    """The relative gap that rounding the answer will give, in floating point: a hint."""
    if answer.points is None or not np.all(np.isfinite(answer.points)):
        return inf
    weights = repaired(squares, answer)
    return inf if weights is None else 1 - weights.value / distortion_squared(answer.points, squares)


def rank_one_seconds(n: int, expand: int) -> float:
    """About how long the rank-one engine takes: measured on cubic and geometric graphs of 160 to 500 points."""
    return 7e-9 * (min(expand, 5 * n) + 4 * n) ** 3


def spectral_answer(squares: NDArray[np.float64], expand: NDArray[np.int64]) -> EmbeddingAnswer:
    """Classical scaling, and equal weights on all pairs against 1/d² on the expandable ones: at once.

    Many points have too many pairs to write down; there each is paired with the farthest from it.
    """
    n = len(squares)
    if n <= MANY_POINTS:
        pairs = np.column_stack(np.triu_indices(n, 1))
    else:
        pairs = np.unique(np.sort(np.column_stack([np.arange(n), squares.argmax(axis=1)]), axis=1), axis=0)
    points = classical_scaling(squares)
    weights = 1.0 / squares[expand[:, 0], expand[:, 1]]
    claim = Claim(INSTANT, "no engine", distortion_squared(points, squares))
    return EmbeddingAnswer(points, expand, weights, pairs, np.ones(len(pairs)), claim)
