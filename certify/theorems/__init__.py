"""The theorems of the field as objects: hypotheses, the bound, its source, and a check on an instance."""

from __future__ import annotations

from typing import Any

from certify.errors import Fault, InputError
from certify.problem import Problem
from certify.theorems.cube import CUBE_DISTORTION
from certify.theorems.cuts import CHEEGER, RATIOCUT_TRACE
from certify.theorems.duality import LLR_DUALITY
from certify.theorems.farthest import FARTHEST_FIRST
from certify.theorems.kmeans import KMEANS_LOW_RANK, LLOYD_MONOTONE
from certify.theorems.theorem import Side, Theorem, TheoremResult, TheoremVerdict

_REGISTRY: tuple[Theorem, ...] = (
    LLR_DUALITY,
    CUBE_DISTORTION,
    LLOYD_MONOTONE,
    KMEANS_LOW_RANK,
    FARTHEST_FIRST,
    RATIOCUT_TRACE,
    CHEEGER,
)


def theorems() -> dict[str, Theorem]:
    """Every theorem that can be verified on an instance, by name."""
    return {theorem.name: theorem for theorem in _REGISTRY}


def theorem(name: str) -> Theorem:
    """The theorem called ``name``; InputError lists those that exist."""
    found = theorems()
    if name not in found:
        raise InputError(Fault("theorem", f"no theorem is called {name!r}", f"one of: {', '.join(found)}"))
    return found[name]


def verify(name: str, problem: Problem, **options: Any) -> TheoremResult:
    """Check a theorem on an instance; every side of it is proved by the kernel, not computed in floats.

    options are those of :func:`certify.solve`. Raises InputError for an unknown name.
    """
    return theorem(name).verify(problem, **options)


__all__ = ["Side", "Theorem", "TheoremResult", "TheoremVerdict", "theorem", "theorems", "verify"]
