"""Symmetry of a metric without its group: the classes of pairs that a coherent configuration makes.

The coarsest stable colouring of ordered pairs (two-dimensional Weisfeiler–Leman, 1968) that refines the
distances is a coherent configuration: its 0/1 matrices span an algebra that is closed under products and
transposition. Averaging a matrix over the classes is an orthogonal projection onto that algebra and keeps
positive semidefiniteness, so optimal weights and Gram matrices may be taken constant on the classes. The
orbits of the automorphism group refine these classes. Nothing here is trusted: what is averaged is proved
afterwards like anything else.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

HASH_RANGE = 1 << 20  # products of two hashes, summed over n <= 4096 points, stay exact in doubles


@dataclass(frozen=True)
class Classes:
    """colour[i, j]: class of the ordered pair; pair[i, j]: the class with its transpose joined, so symmetric."""

    colour: Ints
    pair: Ints

    @property
    def count(self) -> int:
        """Number of symmetric classes, those on the diagonal included."""
        return int(self.pair.max()) + 1

    def average(self, table: Floats) -> Floats:
        """The matrix with each entry replaced by the mean over its symmetric class."""
        sums = np.bincount(self.pair.ravel(), weights=table.ravel(), minlength=self.count)
        sizes = np.bincount(self.pair.ravel(), minlength=self.count)
        means: Floats = (sums / sizes)[self.pair]
        return means

    def representatives(self) -> list[tuple[int, int]]:
        """One ordered pair of each ordered class."""
        n = len(self.colour)
        _, first = np.unique(self.colour.ravel(), return_index=True)
        return [(int(k) // n, int(k) % n) for k in first]

    def members(self) -> list[tuple[int, int]]:
        """One pair (i, j) of each symmetric class, in the order of the classes."""
        n = len(self.pair)
        _, first = np.unique(self.pair.ravel(), return_index=True)
        return [(int(k) // n, int(k) % n) for k in first]


def coherent_classes(labels: Ints, most: int | None = None) -> Classes | None:
    """The classes that refine a symmetric matrix of labels; None as soon as there are more than ``most``.

    Cost: a few products of n×n matrices a round; the hashes are random, a collision would only make the
    later proof fail. Deterministic.
    """
    n = len(labels)
    random = np.random.default_rng(1968)
    diagonal = np.eye(n, dtype=np.int64)
    colour = _renumbered(np.stack([labels, diagonal], axis=-1))
    while True:
        count = int(colour.max()) + 1
        if most is not None and count > most:
            return None
        hashes = random.integers(1, HASH_RANGE, size=(4, count)).astype(np.float64)
        first = hashes[0][colour] @ hashes[1][colour]
        second = hashes[2][colour] @ hashes[3][colour]
        finer = _renumbered(np.stack([colour, first.astype(np.int64), second.astype(np.int64)], axis=-1))
        if int(finer.max()) + 1 == count:
            break
        colour = finer
    joined = np.stack([np.minimum(colour, colour.T), np.maximum(colour, colour.T)], axis=-1)
    return Classes(colour, _renumbered(joined))


def _renumbered(keys: Ints) -> Ints:
    """Equal keys (along the last axis) to equal small numbers; keys are mixed into one word by odd multipliers."""
    n = keys.shape[0]
    word = np.zeros(n * n, dtype=np.uint64)
    for column in np.moveaxis(keys.reshape(n * n, -1), 1, 0):
        word = (word ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        word ^= word >> np.uint64(29)
    _, numbers = np.unique(word, return_inverse=True)
    return numbers.reshape(n, n).astype(np.int64)
