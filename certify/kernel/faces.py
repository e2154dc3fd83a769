"""Multipliers of conic programs: how they add up, and chains of faces where the feasible points have no interior.

A step of a chain is a vector y in the dual cone with Aᵀy = 0 and ⟨y, b⟩ = 0. Then ⟨y, s⟩ = 0 for every feasible s, a
sum of terms that are not negative: so s_r = 0 for a linear row with y_r > 0, and SZ = 0 for the matrix Z of a psd cone.
From then on the sign of y_r does not matter, and a matrix Y may be proved as Y − Σ (μwᵀ + wμᵀ), for any μ and w = Zv:
⟨μwᵀ + wμᵀ, S⟩ = 2μᵀSZv = 0 (Borwein and Wolkowicz 1981; in this form Ramana 1997, Liu and Pataki 2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm
from typing import Any

from certify.kernel.cones import Program, conic_inside, conic_vector
from certify.kernel.exact import Rejected, affordable, array, integer, integer_rows, longest, mapping, storable
from certify.kernel.psd import Triangle

MAX_FACES = 64


def conic_multipliers(witness: dict[str, Any], where: str, data: Program, pure: bool) -> tuple[int, list[int]]:
    """q and y of the keys ``y``, ``psd``, perhaps ``faces`` and ``turns``: ⟨y/q, s⟩ ≥ 0 for every feasible s."""
    steps = array(witness.get("faces", []), f"{where}.faces")
    if len(steps) > MAX_FACES:
        raise Rejected("size", f"{where}.faces", f"more than {MAX_FACES} faces")
    free: set[int] = set()
    known: list[tuple[int, Triangle]] = []
    for k, step in enumerate(steps):
        place = f"{where}.faces[{k}]"
        mapping(step, place, {"y", "psd"}, {"turns"})
        q, y, proved = _turned(step, place, data, free, known, pure)
        gradient, offset, _ = conic_paired(data, y, q, f"{place}.y")
        if offset or any(gradient.values()):
            raise Rejected("conic.face", f"{place}.y", "the rows do not add up to 0")
        for word, _, first, last in data.cones:
            if word == "nonnegative":
                free |= {r for r in range(first, last) if y[r] > 0}
        known += [(c, z) for c, z in proved.items() if any(map(any, z))]
    q, y, _ = _turned(witness, where, data, free, known, pure)
    return q, y


def _turned(
    step: dict[str, Any], where: str, data: Program, free: set[int], known: list[tuple[int, Triangle]], pure: bool
) -> tuple[int, list[int], dict[int, Triangle]]:
    q, y = conic_vector(step["y"], f"{where}.y", len(data.constant) - 1)
    turned: dict[int, Triangle] = {}
    if "turns" in step:
        table = mapping(step["turns"], f"{where}.turns", {"denominator", "list"})
        d = integer(table["denominator"], f"{where}.turns.denominator", least=1)
        turns = array(table["list"], f"{where}.turns.list")
        for k, turn in enumerate(turns):
            place = f"{where}.turns.list[{k}]"
            mapping(turn, place, {"face", "vector", "by"})
            c, z = known[integer(turn["face"], f"{place}.face", 0, len(known) - 1)]
            _, n, first, last = data.cones[c]
            v, mu = integer_rows([turn["vector"], turn["by"]], place, 2, {0: n, 1: n}.__getitem__)
            affordable(place, 256 * len(turns) * n * n, longest(z) + longest([v]), longest([mu]) + q.bit_length())
            w = [sum(z[max(i, j)][min(i, j)] * e for j, e in enumerate(v) if e) for i in range(n)]
            entries = iter(y[first:last])
            start = turned[c] if c in turned else [[d * next(entries) for _ in range(i + 1)] for i in range(n)]
            turned[c] = [[e - q * (mu[i] * w[j] + w[i] * mu[j]) for j, e in enumerate(start[i])] for i in range(n)]
    return q, y, conic_inside(data, y, [1] * len(y), step["psd"], where, pure, True, free, turned)


def conic_paired(data: Program, y: list[int], q: int, where: str) -> tuple[dict[int, int], int, int]:
    """Aᵀy by variable and ⟨y, b⟩ for the entries y/q, all times the scale, which comes third."""
    scale = data.denominator[0]
    for d in {data.denominator[i + 1] for i, entry in enumerate(y) if entry}:
        scale = lcm(scale, d)
        affordable(where, len(y), scale.bit_length(), longest([data.denominator]))
    bits = longest([y]) + scale.bit_length() + 1
    affordable(where, len(data.value) + len(y), bits, max(longest([data.value]), longest([data.constant])))
    storable(where, data.variables, bits + longest([data.value]))
    twice = {r for word, size, first, last in data.cones if word == "psd" for r in _off_diagonal(size, first)}
    gradient: dict[int, int] = {}
    offset = 0
    for i, entry in enumerate(y):
        if entry:
            entry *= scale // data.denominator[i + 1] * (2 if i in twice else 1)
            offset += entry * data.constant[i + 1]
            for t in range(data.start[i + 1], data.start[i + 2]):
                j = data.column[t]
                gradient[j] = gradient.get(j, 0) + entry * data.value[t]
    return gradient, offset, q * scale


def _off_diagonal(size: int, first: int) -> Iterator[int]:
    """The rows of a psd cone that stand for two entries of the matrix."""
    for i in range(size):
        yield from range(first + i * (i + 1) // 2, first + i * (i + 1) // 2 + i)
