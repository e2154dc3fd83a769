"""The family rip: known values, hostile input, and forgeries of its tiny certificates."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from certify import RIP, Verdict
from certify.formats.frames import gram_generated
from certify.formats.matrix import generated
from certify.testing import Case, Conformance, Degenerate
from certify.testing.rip import judge, tiny

F = Fraction


def disk() -> RIP:
    """[I, F] of order 5: complex and irrational, enclosed."""
    made = gram_generated("identity_dft", 5)
    return RIP.of_gram(made.real, 3, imaginary=made.imaginary, radius=made.radius)


class TestRip(Conformance):
    forged_examples = 300
    step = 3
    certificates = tiny()
    cases = (
        Case(
            "K33",
            lambda: RIP.of(generated("incidence", "complete_bipartite_graph", 3, 3), 3, scale_squared="1/2"),
            1,
            1,
        ),
        Case("DeVore", lambda: RIP.of(generated("devore", 3, 1), 3, scale_squared="1/3"), F(2, 3), F(2, 3)),
        Case("[I, F]", disk, sqrt(2 / 5), sqrt(2 / 5)),
        Case("best multiple", lambda: RIP.of([[1, 0], [0, 2]], 1, scaling="best"), F(3, 5), F(3, 5)),
    )
    degenerate = (
        Degenerate("a zero column", lambda: RIP.of([[1, 0], [0, 0]], 1), F(1)),
        Degenerate("a zero matrix, best multiple", lambda: RIP.of([[0, 0], [0, 0]], 2, scaling="best"), F(1)),
        Degenerate("orthonormal", lambda: RIP.of([[1, 0], [0, 1]], 2), F(0)),
        Degenerate("no isometry at all", lambda: RIP.of([[10**6]], 1), F(10**12 - 1)),
        Degenerate("nothing", lambda: RIP.of([], 1), error="no entries"),
        Degenerate("no vectors", lambda: RIP.of([[1, 2]], 0), error="from 1 to 2"),
        Degenerate("longer vectors than there are", lambda: RIP.of([[1, 2]], 3), error="from 1 to 2"),
        Degenerate("not a number", lambda: RIP.of([[1, float("nan")]], 1), error="nan"),
        Degenerate("a negative scale", lambda: RIP.of([[1]], 1, scale_squared=-1), error="not positive"),
        Degenerate("not symmetric", lambda: RIP.of_gram([[1, 2], [3, 1]], 1), error="conjugate"),
        Degenerate("no complex Gram matrix", lambda: RIP.of_gram(np.array([[1j]]), 1), error="real"),
        Degenerate("a negative radius", lambda: RIP.of_gram([[1]], 1, radius=-1), error="negative"),
        Degenerate("unknown scaling", lambda: RIP.of([[1]], 1, scaling="worst"), error="given or best"),
    )

    def judge(self, document: Any, verdict: Verdict) -> None:
        judge(document, verdict)
