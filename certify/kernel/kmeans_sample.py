"""A lower bound of k-means from random samples, with a stated confidence (docs/mathematics/kmeans.md).

The mean cost of a point in a sample of s points, clustered as well as can be, is on average at most that of all n
points: X = OPT_k(sample)/s has mean at most μ = OPT_k/n. For m independent samples the product has mean at most μᵐ,
so by Markov's inequality it is above μᵐ/δ with probability at most δ. Hence μ >= (δ·ΠX)^(1/m) with confidence 1 − δ.

Which points are drawn is not a choice: the draws are SHA-256 of the data, δ, s, m and a counter. The confidence is
over these draws, taken as random ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from hashlib import sha256
from typing import Any

from certify.kernel.exact import Rejected, array, integer, mapping, rational, rational_text
from certify.kernel.kmeans_lower import kmeans_lower
from certify.kernel.points import PointSet

MAX_SAMPLES = 1000
MAX_SAMPLE_SIZE = 5000
SAMPLE_KINDS = ("zero", "spectral", "line", "dual", "partition", "axes")
_DIGITS = 64  # bits of a root


def sample_bound(
    witness: dict[str, Any], where: str, points: PointSet, k: int, pure: bool
) -> tuple[str, Fraction, str, str]:
    """The relation, the value n·(δ·ΠX)^(1/m), the confidence, and over what it is."""
    mapping(witness, where, {"kind", "delta", "size", "witnesses"})
    delta = rational(witness["delta"], f"{where}.delta")
    size = integer(witness["size"], f"{where}.size", 1, MAX_SAMPLE_SIZE)
    samples = array(witness["witnesses"], f"{where}.witnesses")
    if not 0 < delta < 1:
        raise Rejected("sample.delta", f"{where}.delta", "expected a probability between 0 and 1")
    if not 1 <= len(samples) <= MAX_SAMPLES:
        raise Rejected("size", f"{where}.witnesses", f"expected 1 to {MAX_SAMPLES} samples")
    if min(points.weights) != max(points.weights):
        raise Rejected("sample.weights", where, "samples are for points of one common weight")
    draws = sample_draws(points, k, delta, size, len(samples))
    product = delta
    for t, inner in enumerate(samples):
        sample = points.part([next(draws) for _ in range(size)])
        bound = kmeans_lower(inner, f"{where}.witnesses[{t}]", sample, k, pure, SAMPLE_KINDS)
        product *= max(bound, Fraction(0)) * Fraction(1, size)
    value = len(points) * _root_below(product, len(samples))
    given = f"{len(samples)} samples of {size} points, drawn by SHA-256 of the data and of these numbers"
    return ">=", value, f"confidence 1-{rational_text(delta)}", given


def sample_draws(points: PointSet, k: int, delta: Fraction, size: int, count: int) -> Iterator[int]:
    """Indices of points, each equally likely: SHA-256 of a seed and 0, 1, 2, …, as whole numbers modulo n; the few
    that would favour the first points are passed over."""
    data = sha256(f"{points.denominator:x};{points.unit:x};{k:x};{points.weights[0]:x}".encode())
    for row in points.rows:
        data.update((";" + ",".join(format(entry, "x") for entry in row)).encode())
    seed = f"{data.hexdigest()};{rational_text(delta)};{size};{count}"
    n, counter = len(points), 0
    even = (1 << 256) // n * n
    while True:
        drawn = int.from_bytes(sha256(f"{seed};{counter}".encode()).digest(), "big")
        counter += 1
        if drawn < even:
            yield drawn % n


def _root_below(value: Fraction, m: int) -> Fraction:
    """A rational whose m-th power is at most the value >= 0, and nearly so."""
    bits = _DIGITS + max(0, value.denominator.bit_length() - value.numerator.bit_length()) // m
    whole = (value.numerator << (bits * m)) // value.denominator
    if whole == 0:
        return Fraction(0)
    root = 1 << -(-whole.bit_length() // m)  # Newton's method from above
    while True:
        lower = ((m - 1) * root + whole // root ** (m - 1)) // m
        if lower >= root:
            return Fraction(root if root**m <= whole else root - 1, 1 << bits)
        root = lower
