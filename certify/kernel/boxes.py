"""Proof by boxes: a sum of truncated paraboloids is nowhere below a level (docs/mathematics/kmeans.md).

For items with a weight w, a place x and a level λ (integers; w >= 0) let a(y) = w|x − y|² − λ. It is proved that
Σ_{i∈S} a_i(y) >= floor for every y ∈ ℝᵈ and every set S of items without a conflicting pair. The proof is searched
here, by halving boxes, with nothing but the items from the certificate.

Let S be largest among the sets that attain the least value of min_y Σ_S a_i(y), and y its minimiser. Unless S is
empty, y is the weighted mean of S; an item with a_i(y) > 0 is not in S (without it S would be better); an item with
a_i(y) <= 0 that conflicts with none is in S (with it S would be as good and larger). So in a box
 * an item whose least value is positive is *out*; an unconflicted one whose largest value is not positive is *in*;
 * of an *open* item, with values in [l, u], u >= 0, min(0, a_i) >= θ(a_i − u) whenever l/(l − u) <= θ <= 1 (the chord
   of a concave function): with Σ_in a_i this is one convex parabola, whose minimum on the box is at hand;
 * Σ_in w(x − y) + Σ_open s·w(x − y) = 0 for some s ∈ [0, 1]: this shrinks the box, often to nothing.
Where two conflicting items are both wanted in all of a box, S lacks the one or the other.
"""

from __future__ import annotations

from typing import NamedTuple

from certify.kernel.exact import Rejected

MAX_BOX_WORK = 1 << 29  # coordinates of open items that are looked at, over all boxes; words of 64 bits count apart
_FINE = 10  # bits of the slopes θ


class Item(NamedTuple):
    """a(y) = weight·|place − y|² − level."""

    weight: int
    place: list[int]
    level: int


class _Box(NamedTuple):
    """A box, the items that are in on all of it (Σw, Σwx, Σ(w|x|² − λ)), and the open ones."""

    low: list[int]
    high: list[int]
    mass: int
    first: list[int]
    rest: int
    open: list[int]


def prove_boxes(items: list[Item], conflicts: list[tuple[int, int]], floor: int, work: int, where: str) -> int:
    """Return if Σ_{i∈S} a_i(y) >= floor for every y and every conflict-free S; raise Rejected if the search fails.

    floor <= 0, since the empty set has value 0. The search fails where the claim is false, where it is true by less
    than the grid of integers shows, and where it would take more than MAX_BOX_WORK. ``work`` was done before, for
    the same witness; the sum is returned.
    """
    dimension = len(items[0].place)
    columns = [[item.place[t] for item in items] for t in range(dimension)]
    offsets = [item.weight * sum(x * x for x in item.place) - item.level for item in items]
    words = max(abs(offset).bit_length() for offset in offsets) // 64 + 1
    low, high = [min(column) for column in columns], [max(column) for column in columns]
    stack = [_Box(low, high, 0, [0] * dimension, 0, list(range(len(items))))]
    while stack:
        box = stack.pop()
        work += (len(box.open) + 8) * dimension * words
        if work > MAX_BOX_WORK:
            raise Rejected("boxes.work", where, "the proof by boxes takes too long: leave more room below the levels")
        box, values = _sorted_out(box, items, columns, offsets, conflicts)
        if _least(box, items, columns, offsets, values) >= floor << _FINE:
            continue
        pair = _clash(values, conflicts)
        if pair is not None:
            stack += [box._replace(open=[i for i in box.open if i != lacking]) for lacking in pair]
            continue
        shrunk = _shrunk(box, items, columns)
        if shrunk is not None:
            stack += _halves(shrunk, box, where)
    return work


def _sorted_out(
    box: _Box, items: list[Item], columns: list[list[int]], offsets: list[int], conflicts: list[tuple[int, int]]
) -> tuple[_Box, dict[int, tuple[int, int]]]:
    """The box with its open items sorted into in, out and open; of the open ones the range of a(y), as l and u >= 0."""
    near, far = [0] * len(box.open), [0] * len(box.open)
    for column, a, b in zip(columns, box.low, box.high, strict=True):
        places = [column[i] for i in box.open]
        near = [s + (v * v if (v := a - x) > 0 or (v := x - b) > 0 else 0) for s, x in zip(near, places, strict=True)]
        far = [s + (v * v if (v := x - a) > (w := b - x) else w * w) for s, x in zip(far, places, strict=True)]
    alive = set(box.open)
    tangled = {i for pair in conflicts if pair[0] in alive and pair[1] in alive for i in pair}
    mass, first, rest, values = box.mass, box.first, box.rest, {}
    for i, n, f in zip(box.open, near, far, strict=True):
        weight, place, level = items[i]
        least, most = weight * n - level, weight * f - level
        if least > 0:
            continue
        if most <= 0 and i not in tangled:
            mass += weight
            first = [s + weight * x for s, x in zip(first, place, strict=True)]
            rest += offsets[i]
        else:
            values[i] = (least, most)
    return _Box(box.low, box.high, mass, first, rest, list(values)), values


def _least(
    box: _Box, items: list[Item], columns: list[list[int]], offsets: list[int], values: dict[int, tuple[int, int]]
) -> int:
    """A lower bound, times 2^_FINE, of Σ_{i∈S} a_i over the box."""
    mass, rest, pulls = box.mass << _FINE, box.rest << _FINE, []
    for i, (least, most) in values.items():
        most = max(most, 0)
        theta = -((least << _FINE) // (most - least)) if least else 0
        pulls.append(theta * items[i].weight)
        mass += pulls[-1]
        rest += theta * (offsets[i] - most)
    for column, first, a, b in zip(columns, box.first, box.low, box.high, strict=True):
        pull = (first << _FINE) + sum(p * column[i] for p, i in zip(pulls, values, strict=True))
        if pull <= mass * a:  # the parabola mass·y² − 2·pull·y rises on [a, b]
            rest += (mass * a - 2 * pull) * a
        elif pull >= mass * b:
            rest += (mass * b - 2 * pull) * b
        else:
            rest += -pull * pull // mass
    return rest


def _clash(values: dict[int, tuple[int, int]], conflicts: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Two conflicting items, both of which are wanted in the whole box."""
    for i, j in conflicts:
        if i in values and j in values and values[i][1] <= 0 and values[j][1] <= 0:
            return i, j
    return None


def _shrunk(box: _Box, items: list[Item], columns: list[list[int]]) -> tuple[list[int], list[int]] | None:
    """A smaller box that holds the mean of S, if this one does; None if it cannot."""
    weights = [items[i].weight for i in box.open]
    steepest = box.mass + sum(weights)
    low, high = [], []
    for column, first, a, b in zip(columns, box.first, box.low, box.high, strict=True):
        places = [column[i] for i in box.open]
        # Σ_S w(x − y) <= this at y = b, and it grows by at most steepest for each unit that y falls: S pulls y down.
        down = first - box.mass * b + sum(w * (x - b) for w, x in zip(weights, places, strict=True) if x > b)
        up = first - box.mass * a + sum(w * (x - a) for w, x in zip(weights, places, strict=True) if x < a)
        high.append(b - -down // steepest if down < 0 else b)
        low.append(a + up // steepest if up > 0 else a)
        if low[-1] > high[-1]:
            return None
    return low, high


def _halves(shrunk: tuple[list[int], list[int]], box: _Box, where: str) -> list[_Box]:
    """The shrunk box, if that is less than half as wide somewhere; else its two halves across its widest side."""
    low, high = shrunk
    sides = [b - a for a, b in zip(low, high, strict=True)]
    if any(2 * side < b - a for side, a, b in zip(sides, box.low, box.high, strict=True)):
        return [box._replace(low=low, high=high)]
    widest = max(sides)
    if widest < 2:
        raise Rejected("boxes.level", where, "a box of the finest grid remains: the levels are too high for the floor")
    t = sides.index(widest)
    middle = (low[t] + high[t]) // 2
    left, right = high[:], low[:]
    left[t] = right[t] = middle
    return [box._replace(low=low, high=left), box._replace(low=right, high=high)]


def levelled(weight: int, first: list[int], second: int, scale: int, level: int, where: str) -> Item:
    """Σ_G w|x − y|² − level of a group G with these moments (Σw, Σwx, Σw|x|²), as one item, on a grid ``scale`` times
    as fine; its mean must lie on that grid."""
    if any(scale * s % weight for s in first):
        raise Rejected("boxes.grid", where, "the mean of a group is not on the grid: its scale must be divisible")
    place = [scale * s // weight for s in first]
    return Item(weight, place, level - scale * scale * second + weight * sum(x * x for x in place))
