"""Matrices whose restricted isometry, null-space constant and spark are known in closed form, restated with sources.

An entry: what makes the matrix, its constants by order s (exact where rational, else as a function of integer square
roots: value² is rational and given), and the source.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from certify.formats.frames import GramMatrix, gram_generated
from certify.formats.matrix import generated

F = Fraction


@dataclass(frozen=True)
class Frame:
    """rip: s → constant (a Fraction), rip_squared: s → its square; alpha: s → constant. scale: of the rows, squared."""

    name: str
    make: Callable[[], Any]
    source: str
    scale: Fraction = Fraction(1)
    rip: dict[int, Fraction] = field(default_factory=dict)
    rip_squared: dict[int, Fraction] = field(default_factory=dict)
    scaled: dict[int, Fraction] = field(default_factory=dict)
    alpha: dict[int, Fraction] = field(default_factory=dict)


def simplex(n: int) -> list[list[int]]:
    """Sylvester's matrix of order n + 1 without its row of ones."""
    return [[(-1) ** (i & j).bit_count() for j in range(n + 1)] for i in range(1, n + 1)]


def lines_28() -> list[list[int]]:
    """28 equiangular lines in the hyperplane Σx = 0 of R^8: 3 on two coordinates, −1 on six (norm² 24)."""
    columns = [[3 if i in pair else -1 for i in range(8)] for pair in combinations(range(8), 2)]
    return [list(row) for row in zip(*columns, strict=True)]


def bases_of_four() -> list[list[int]]:
    """Three mutually unbiased bases of R^4 (the roots of D4): 2e_i, and (±1, ±1, ±1, ±1) with first sign +."""
    columns = [[2 * int(i == j) for i in range(4)] for j in range(4)]
    columns += [[1, *signs] for signs in product((1, -1), repeat=3)]
    return [list(row) for row in zip(*columns, strict=True)]


def sharp() -> list[list[Fraction]]:
    """(12/7)(I − zzᵀ/6) with z = (2, 1, 1): the Gram matrix of 3 columns of rank 2."""
    z = (2, 1, 1)
    return [[F(12, 7) * ((i == j) - F(z[i] * z[j], 6)) for j in range(3)] for i in range(3)]


def identity(n: int) -> list[list[int]]:
    return [[int(i == j) for j in range(n)] for i in range(n)]


def gram(name: str, *args: Any) -> Callable[[], GramMatrix]:
    return lambda: gram_generated(name, *args)


def block(n: int, s: int) -> Fraction:
    return F((s // 2) * (s - s // 2), n)


CYCLES = "incidence/√2: extreme points of kernel and ℓ1 ball are signed cycles over their length (girth g: s/g)"
WELCH = "Gershgorin (s − 1)μ attained by a clique of equal signs; Strohmer, Heath 2003"
DIFFERENCE = "difference set: equiangular, coherence √((v − k)/(k(v − 1))) (Xia, Zhou, Giannakis 2005)"

FRAMES = (
    Frame("icosahedron", gram("icosahedron"), "equiangular lines (Haantjes 1948)",
          rip_squared={2: F(1, 5), 3: F(4, 5)}),
    Frame("Heawood", lambda: generated("incidence", "heawood_graph"), CYCLES, F(1, 2),
          rip={2: F(1, 2), 3: F(1)}, alpha={1: F(1, 6), 2: F(1, 3)}),
    Frame("K33", lambda: generated("incidence", "complete_bipartite_graph", 3, 3), CYCLES, F(1, 2),
          rip={2: F(1, 2), 3: F(1)}, alpha={1: F(1, 4), 2: F(1, 2), 3: F(3, 4)}),
    Frame("identity", lambda: identity(8), "orthonormal", rip={1: F(0), 2: F(0), 3: F(0)}, alpha={1: F(0)}),
    Frame("sharp", sharp, "Cai, Zhang 2014: just above 1/√2", rip={2: F(5, 7)}, alpha={1: F(1, 2)}),
    Frame("28 lines", lines_28, WELCH, F(1, 24), rip={2: F(1, 3), 3: F(2, 3), 4: F(1)}),
    Frame("DeVore 5, 1", lambda: generated("devore", 5, 1), "DeVore 2007: r(s − 1)/p", F(1, 5),
          rip={s: F(s - 1, 5) for s in (2, 3, 4, 5)}, scaled={2: F(1, 5)}),
    Frame("three bases", bases_of_four, "mutually unbiased bases of R^4", F(1, 4), rip={2: F(1, 2), 3: F(1)}),
    Frame("simplex", lambda: simplex(7), "simplex: kernel of the constants", F(1, 7),
          rip={s: F(s - 1, 7) for s in range(2, 9)}, scaled={s: F(s, 16 - s) for s in range(3, 9)},
          alpha={s: F(s, 8) for s in (1, 2, 3, 4)}),
    Frame("identity, Hadamard 8", gram("identity_hadamard", 8), "rank-one blocks (Donoho, Stark 1989)",
          rip_squared={s: block(8, s) for s in (2, 3, 4)}),
    Frame("identity, Fourier 5", gram("identity_dft", 5), "coherence 1/√5; s = 3: √(2/5)",
          rip_squared={2: F(1, 5), 3: F(2, 5)}),
    Frame("identity, Fourier 9", gram("identity_dft", 9), "rank-one blocks (Donoho, Stark 1989)",
          rip_squared={s: block(9, s) for s in (2, 3, 4, 5, 6)}),
    Frame("difference set 13, 4, 1", gram("partial_dft", 13, [0, 1, 3, 9]), DIFFERENCE, rip_squared={2: F(9, 48)}),
    Frame("difference set 11, 5, 2", gram("partial_dft", 11, [1, 3, 4, 5, 9]), DIFFERENCE, rip_squared={2: F(6, 50)}),
)  # fmt: skip
# The 8 x 16 Fourier matrix, sin(πn/d)/(n sin(π/d)) at s = 2, is no root of a rational: see its test.
