"""Pricing of clusters: for prices λ of points, the clusters S whose cost is least below Σ_S λ.

With a_i(y) = w_i|x_i − y|² + c_i − λ_i the least reduced cost is min over y and conflict-free S of Σ_S a_i(y). Two
ways: a fixed point iteration from many starts finds good S fast; branch and bound over boxes finds whether there is any
below a given level, by the rules that :mod:`certify.kernel.boxes` checks in integers, here in doubles for a thousand
boxes at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Sets = NDArray[np.bool_]
BATCH = 1024
ROUNDS = 60
CHECKED = 2_500_000  # coordinates of open items that the check of a proof looks at in a second, about


def each_once(sets: Sets) -> Sets:
    """The different rows of a table of sets, in some fixed order."""
    if len(sets) == 0:
        return sets
    packed = np.packbits(sets, axis=1)
    whole = np.ascontiguousarray(packed).view(np.dtype((np.void, packed.shape[1])))[:, 0]
    return np.asarray(sets[np.sort(np.unique(whole, return_index=True)[1])])


@dataclass(frozen=True)
class Items:
    """Weighted places (n, d) with weights (n,) > 0 and constants (n,) >= 0; pairs that no cluster may hold.

    The constant is what a group of points costs that has been made one item: its scatter about its mean.
    """

    places: Floats
    weights: Floats
    constants: Floats
    conflicts: Sequence[tuple[int, int]] = ()

    def __len__(self) -> int:
        return len(self.places)

    def costs(self, sets: Sets) -> Floats:
        """The cost of each cluster, (m,); of the empty one 0."""
        chosen = sets * self.weights
        mass = chosen.sum(axis=1)
        first = chosen @ self.places
        second = chosen @ (self.places**2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            scatter = second - (first**2).sum(axis=1) / mass
        return np.where(mass > 0, np.maximum(scatter, 0.0), 0.0) + sets @ self.constants

    def centres(self, sets: Sets) -> Floats:
        """The mean of each cluster, (m, d); none may be empty."""
        chosen = sets * self.weights
        return np.asarray(chosen @ self.places / chosen.sum(axis=1)[:, None])

    def allowed(self, sets: Sets) -> Sets:
        """Which of the clusters hold no conflicting pair, (m,)."""
        good = np.ones(len(sets), dtype=bool)
        for i, j in self.conflicts:
            good &= ~(sets[:, i] & sets[:, j])
        return good

    def wanted(self, prices: Floats, centres: Floats) -> Sets:
        """The items with a_i(y) < 0 at each centre; of two in conflict the better one."""
        values = self.values(prices, centres)
        sets = values < 0
        for i, j in self.conflicts:
            both = sets[:, i] & sets[:, j]
            worse = values[:, i] > values[:, j]
            sets[both & worse, i] = False
            sets[both & ~worse, j] = False
        return sets

    def values(self, prices: Floats, centres: Floats) -> Floats:
        """a_i(y), (m, n)."""
        square = np.zeros((len(centres), len(self)))
        for t in range(self.places.shape[1]):
            square += (centres[:, t, None] - self.places[None, :, t]) ** 2
        return square * self.weights + (self.constants - prices)


def fixed_points(items: Items, prices: Floats, centres: Floats) -> Sets:
    """Clusters that want exactly their own items at their own mean, reached from these centres; each once."""
    sets = np.zeros((0, len(items)), dtype=bool)
    for _ in range(ROUNDS):
        found = items.wanted(prices, centres)
        found = each_once(found[found.any(axis=1)])
        if len(found) == 0 or np.array_equal(found, sets):
            return found
        sets, centres = found, items.centres(found)
    return sets


@dataclass(frozen=True)
class Search:
    """What the boxes showed: that no cluster is below the level, or centres where one is; or neither, when the
    proof would be too long."""

    proved: bool
    centres: Floats


@dataclass
class _Boxes:
    """A stack of boxes: low and high corners (m, d), and which items are lacking (m, n), or None if none ever is."""

    low: Floats
    high: Floats
    lacking: Sets | None

    def __len__(self) -> int:
        return len(self.low)

    def pick(self, which: NDArray[np.bool_] | slice) -> _Boxes:
        return _Boxes(self.low[which], self.high[which], None if self.lacking is None else self.lacking[which])

    def joined(self, other: _Boxes) -> _Boxes:
        lacking = None
        if self.lacking is not None and other.lacking is not None:
            lacking = np.concatenate([self.lacking, other.lacking])
        return _Boxes(np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high]), lacking)


def search(items: Items, prices: Floats, level: float, most: float, more: Callable[[], bool]) -> Search:
    """Whether Σ_S a_i(y) >= level for all y and all conflict-free S. level < 0; most: coordinates to look at."""
    low, high = items.places.min(axis=0)[None], items.places.max(axis=0)[None]
    stack = _Boxes(low, high, np.zeros((1, len(items)), dtype=bool) if items.conflicts else None)
    seen, nowhere = 0.0, np.zeros((0, items.places.shape[1]))
    while len(stack):
        batch, stack = stack.pick(slice(-BATCH, None)), stack.pick(slice(None, -BATCH))
        if seen > most or not more():
            return Search(False, nowhere)
        step, looked = _step(items, prices, level, batch)
        if isinstance(step, np.ndarray):
            return Search(False, step)
        seen += looked
        stack = stack.joined(step)
    return Search(True, nowhere)


def _step(items: Items, prices: Floats, level: float, boxes: _Boxes) -> tuple[_Boxes | Floats, float]:
    """The boxes that are left of these, smaller or halved, or centres with a value below the level; and how many
    coordinates a check looks at here."""
    places, weights = items.places, items.weights
    near, far = np.zeros((len(boxes), len(items))), np.zeros((len(boxes), len(items)))
    for t in range(places.shape[1]):
        above, below = places[None, :, t] - boxes.low[:, t, None], boxes.high[:, t, None] - places[None, :, t]
        near += np.minimum(np.minimum(above, below), 0.0) ** 2
        far += np.maximum(above, below) ** 2
    least = weights * near + (items.constants - prices)
    most = weights * far + (items.constants - prices)
    alive = least <= 0
    if boxes.lacking is not None:
        alive &= ~boxes.lacking
    looked = float(alive.sum() + 8 * len(boxes)) * places.shape[1]
    free = alive & (most > 0)
    clash = np.full((len(boxes), 2), -1)
    for i, j in items.conflicts:
        both = alive[:, i] & alive[:, j]
        free[both, i] = free[both, j] = True
        clash[both & (most[:, i] <= 0) & (most[:, j] <= 0)] = i, j
    inside = alive & ~free
    top = np.maximum(most, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        theta = np.where(free & (least < 0), -least / (top - least), 0.0)
    slope = np.where(inside, 1.0, theta)
    mass = slope @ weights
    pull = slope @ (weights[:, None] * places)
    offset = slope @ (weights * (places**2).sum(axis=1) + items.constants - prices)
    offset -= np.einsum("ij,ij->i", theta, top)
    with np.errstate(invalid="ignore", divide="ignore"):
        best = np.where(mass[:, None] > 0, pull / mass[:, None], boxes.low)
    best = np.clip(best, boxes.low, boxes.high)
    bound = mass * (best**2).sum(axis=1) - 2 * (best * pull).sum(axis=1) + offset
    keep: Sets = np.array(bound < level)
    if not keep.any():
        return boxes.pick(slice(0, 0)), looked
    boxes, inside, free, clash, best = (
        boxes.pick(np.array(keep, dtype=bool)),
        inside[keep],
        free[keep],
        clash[keep],
        best[keep],
    )
    sets = items.wanted(prices, best)
    found = (items.values(prices, best) * sets).sum(axis=1) < level
    if found.any():
        return np.asarray(best[found][:200]), looked
    torn = clash[:, 0] >= 0
    left = _split(items, boxes.pick(~torn), inside[~torn], free[~torn])
    if torn.any() and boxes.lacking is not None:
        for side in range(2):
            part = boxes.pick(torn)
            lacking = boxes.lacking[torn].copy()
            lacking[np.arange(len(part)), clash[torn, side]] = True
            left = left.joined(_Boxes(part.low, part.high, lacking))
    return left, looked


def _split(items: Items, boxes: _Boxes, inside: Sets, free: Sets) -> _Boxes:
    """Each box shrunk to where the mean of its cluster can be; halved if that did not help much."""
    weights = items.weights
    mass = inside @ weights
    steepest = np.maximum(mass + free @ weights, 1e-300)
    low, high = boxes.low.copy(), boxes.high.copy()
    for t in range(items.places.shape[1]):
        place = items.places[:, t]
        pull, loose = inside @ (weights * place), free * weights
        down = pull - mass * high[:, t] + (loose * np.maximum(place[None] - high[:, t, None], 0.0)).sum(axis=1)
        up = pull - mass * low[:, t] + (loose * np.minimum(place[None] - low[:, t, None], 0.0)).sum(axis=1)
        high[:, t] += np.minimum(down, 0.0) / steepest
        low[:, t] += np.maximum(up, 0.0) / steepest
    there = (low <= high).all(axis=1)
    narrow = (2 * (high - low) < boxes.high - boxes.low).any(axis=1)
    shrunk = _Boxes(low, high, boxes.lacking)
    again, whole = shrunk.pick(np.array(there & narrow)), shrunk.pick(np.array(there & ~narrow))
    if len(whole) == 0:
        return again
    rows, side = np.arange(len(whole)), (whole.high - whole.low).argmax(axis=1)
    middle = (whole.low[rows, side] + whole.high[rows, side]) / 2
    left, right = whole.high.copy(), whole.low.copy()
    left[rows, side] = right[rows, side] = middle
    halves = _Boxes(whole.low, left, whole.lacking).joined(_Boxes(right, whole.high, whole.lacking))
    return again.joined(halves)
