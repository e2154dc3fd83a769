"""The partition bound of ⟨C, Z⟩ over all partitions into exactly k clusters (docs/mathematics/partition.md).

Let items have measures d_i > 0, and d(S) = Σ_S d_i. For clusters S_1 … S_k, none empty, Z = Σ_j 1_j1_jᵀ/d(S_j) has
0 ⪯ Z ⪯ D⁻¹ with D = Diag(d), Z >= 0, Zd = 1 and ⟨D, Z⟩ = k. If

    C − ½(ydᵀ + dyᵀ) − λD − N + W ⪰ 0   with N >= 0 and W ⪰ 0,

then ⟨C, Z⟩ >= Σy + kλ + ⟨N, Z⟩ − ⟨W, Z⟩ >= Σy + kλ − Σ_i W_ii/d_i (Peng and Wei 2007 for d = 1; W = VVᵀ brings in
Z ⪯ D⁻¹: Ky Fan 1949). RatioCut is ⟨L, Z⟩ with d = 1, L the Laplacian; the normalised cut is ⟨L, Z⟩ with the degrees d;
k-means costs ½⟨Q, Z⟩ with Q the squared distances times both weights, d the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from certify.kernel.exact import Rejected, affordable, array, integer, integer_rows, longest, mapping, storable
from certify.kernel.psd import Triangle, gram, prove_psd

MAX_ITEMS_OF_PARTITION = 3000


def partition_bound(
    witness: dict[str, Any], where: str, matrix: Callable[[], Triangle], measure: list[int], k: int, pure: bool
) -> Fraction:
    """Σy + kλ − Σ W_ii/d_i in units of C (lower triangle, integers, made by ``matrix``), with d the measure.

    The witness has integers ``scale``, ``y``, ``shift`` (λ), perhaps ``nonnegative`` (N, rows below the diagonal) and
    perhaps ``projection`` (V): y, λ and N over scale, W = VVᵀ over 2·scale; and a proof ``psd``.
    """
    mapping(witness, where, {"kind", "scale", "y", "shift", "psd"}, {"nonnegative", "projection"})
    n = len(measure)
    if n > MAX_ITEMS_OF_PARTITION:
        raise Rejected("size", where, f"more than {MAX_ITEMS_OF_PARTITION} items")
    c = matrix()
    scale = integer(witness["scale"], f"{where}.scale", 1)
    shift = integer(witness["shift"], f"{where}.shift")
    y = [integer(e, f"{where}.y[{i}]") for i, e in enumerate(array(witness["y"], f"{where}.y", n))]
    bits = max(longest(c), longest([measure]))
    affordable(where, 4 * n * n, bits, max(scale.bit_length(), longest([y])))
    storable(where, n * n, bits + scale.bit_length() + longest([y]) + 2)
    rest = [
        [2 * scale * entry - y[i] * measure[j] - measure[i] * y[j] for j, entry in enumerate(row)]
        for i, row in enumerate(c)
    ]
    for i in range(n):
        rest[i][i] -= 2 * shift * measure[i]
    if "nonnegative" in witness:
        for i, row in enumerate(integer_rows(witness["nonnegative"], f"{where}.nonnegative", n, lambda i: i)):
            if min(row, default=0) < 0:
                raise Rejected("partition.sign", f"{where}.nonnegative[{i}]", "a multiplier of Z >= 0 is negative")
            for j, entry in enumerate(row):
                rest[i][j] -= 2 * entry
    trace = Fraction(0)
    if "projection" in witness:
        square = gram(integer_rows(witness["projection"], f"{where}.projection", n, None), pure, f"{where}.projection")
        for i, row in enumerate(square):
            trace += Fraction(row[i], measure[i])
            for j, entry in enumerate(row):
                rest[i][j] += entry
    prove_psd(witness["psd"], f"{where}.psd", rest, pure)
    return (2 * (sum(y) + k * shift) - trace) * Fraction(1, 2 * scale)
