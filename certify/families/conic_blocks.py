"""A conic program as blocks of matrices in doubles, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.kernel.cones import Program
from certify.solvers.semidefinite import Block

Floats = NDArray[np.float64]


def blocks_of(program: Program) -> list[Block] | None:
    """The rows as blocks of Σ x_k F_k − F_0 ⪰ 0 in doubles; None if some cone is neither psd nor nonnegative."""
    blocks = []
    for word, size, first, last in program.cones:
        if word not in ("psd", "nonnegative"):
            return None
        diagonal = word == "nonnegative"
        i, j = (np.arange(size), np.arange(size)) if diagonal else np.tril_indices(size)
        begin, end = program.start[first + 1], program.start[last + 1]
        lengths = np.diff(program.start[first + 1 : last + 2])
        row = np.repeat(np.arange(last - first), lengths)
        below = np.array([float(d) for d in program.denominator[first + 1 : last + 1]])
        value = np.array([float(v) for v in program.value[begin:end]]) / below[row]
        variable = np.array(program.column[begin:end], dtype=np.int64)
        constant = -np.array([float(k) for k in program.constant[first + 1 : last + 1]]) / below
        touched, number = np.unique(variable, return_inverse=True)
        if diagonal:
            entries = sp.csr_matrix((value, (number, row)), shape=(len(touched), size))
            blocks.append(Block(size, True, touched, entries, constant))
            continue
        off = i[row] != j[row]
        place = np.concatenate([i[row] * size + j[row], (j[row] * size + i[row])[off]])
        both, numbers = np.concatenate([value, value[off]]), np.concatenate([number, number[off]])
        entries = sp.csr_matrix((both, (numbers, place)), shape=(len(touched), size * size))
        table = np.zeros((size, size))
        table[i, j] = constant
        table[j, i] = constant
        blocks.append(Block(size, False, touched, entries, table))
    return blocks


def multipliers_of(program: Program, y: Sequence[Floats]) -> Floats:
    """Multipliers of the blocks as one vector, an entry a row."""
    parts = []
    for (word, size, _, _), block in zip(program.cones, y, strict=True):
        parts.append(block if word == "nonnegative" else block[np.tril_indices(size)])
    return np.concatenate(parts) if parts else np.zeros(0)


def costs_of(program: Program) -> Floats:
    """The costs in doubles; those of a maximum with the other sign."""
    cost = np.zeros(program.variables)
    sign = 1.0 if program.sense == "min" else -1.0
    for t in range(program.start[1]):
        cost[program.column[t]] = sign * program.value[t] / program.denominator[0]
    return cost
