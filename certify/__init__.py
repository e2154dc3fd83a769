"""certify: turns a solver's answer into a theorem.

    >>> import certify, networkx as nx
    >>> result = certify.solve(certify.Embedding.from_graph(nx.cycle_graph(4)))
    >>> result.require("distortion_squared >= 1.999999").status.word in ("tight", "exact")
    True

A problem is exact data; whatever solver is fastest proposes; a small kernel in exact arithmetic decides what
is proved. Importing this package is cheap: engines and CVXPY are loaded when they are first needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.certificate import Certificate, check_file
from certify.errors import Fault, InputError, NotProvedError
from certify.kernel import Statement, Verdict, check_bytes, check_document

if TYPE_CHECKING:
    from certify import theorems
    from certify.families.basis_pursuit import BasisPursuit
    from certify.families.conic import Conic
    from certify.families.embedding import Embedding
    from certify.families.kdiameter import KDiameter
    from certify.families.kmeans import KMeans
    from certify.families.medoids import KCenter, KMedian, KMedoids
    from certify.families.mincut import KCut, MinCut
    from certify.families.nullspace import NullSpace
    from certify.families.ratiocut import Bisection, Expansion, NormalizedCut, RatioCut
    from certify.families.rip import RIP
    from certify.families.spark import Spark
    from certify.problem import About, Known, Problem
    from certify.proving import Progress, assess, solve
    from certify.result import Bounds, Result, Status, Stopped
    from certify.theorems import verify
    from certify.theorems.recovery import recovery_table

__version__ = "0.1.0"

_HOMES = {
    "BasisPursuit": "certify.families.basis_pursuit",
    "Bisection": "certify.families.ratiocut",
    "Conic": "certify.families.conic",
    "Embedding": "certify.families.embedding",
    "Expansion": "certify.families.ratiocut",
    "KCenter": "certify.families.medoids",
    "KCut": "certify.families.mincut",
    "KDiameter": "certify.families.kdiameter",
    "KMedian": "certify.families.medoids",
    "KMedoids": "certify.families.medoids",
    "KMeans": "certify.families.kmeans",
    "About": "certify.problem",
    "MinCut": "certify.families.mincut",
    "NormalizedCut": "certify.families.ratiocut",
    "RatioCut": "certify.families.ratiocut",
    "Known": "certify.problem",
    "NullSpace": "certify.families.nullspace",
    "RIP": "certify.families.rip",
    "Spark": "certify.families.spark",
    "Problem": "certify.problem",
    "Progress": "certify.proving",
    "assess": "certify.proving",
    "solve": "certify.proving",
    "Bounds": "certify.result",
    "Result": "certify.result",
    "Status": "certify.result",
    "Stopped": "certify.result",
    "recovery_table": "certify.theorems.recovery",
    "verify": "certify.theorems",
}


def __getattr__(name: str) -> Any:
    """Load a part of the public face when it is first asked for."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name == "theorems":
        return import_module("certify.theorems")
    raise AttributeError(f"module 'certify' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES, "theorems"})


def load(path: str | Path) -> Problem:
    """The problem that a TOML or JSON file states, or a model (.dat-s, .mps, .lp, plain or gzipped).

    Raises InputError naming every fault with its line.
    """
    from certify.families.conic import is_model, read_model
    from certify.problemfile import load as load_file

    if is_model(Path(path)):
        return read_model(Path(path))

    return load_file(path)


def bound(problem: Any, *, bounds: Mapping[Any, tuple[Any, Any]] | None = None, **options: Any) -> Result:
    """A proved interval for the optimum of any LP, SOCP or SDP, or a proof that it is infeasible or unbounded.

    problem: a cvxpy.Problem (if it was solved, what its solver said is the claim that is shown), a Conic, or the path
    of a model (.dat-s, .mps, .lp, plain or gzipped).
    bounds: what is known of CVXPY variables or expressions, {x: (low, high)}, with None for no bound; the statement is
    about the program with them. options: those of :func:`solve`. For a CVXPY problem the ``solution`` is a mapping from
    the names of its variables to arrays. Raises InputError.
    """
    from certify.families.conic import Conic, read_model
    from certify.proving import solve as prove

    if isinstance(problem, str | Path):
        if bounds:
            raise InputError(Fault("bounds", "are for CVXPY problems", "write them into the model"))
        return prove(read_model(Path(problem)), **options)
    if isinstance(problem, Conic):
        return prove(problem, **options)
    from certify.families.conic_cvxpy import claim_of, conic_from_cvxpy, user_values

    conic = conic_from_cvxpy(problem, bounds)
    result = prove(conic, **options)
    if (
        result.solution is not None
        and problem.variables()
        and not bounds
        and not any("relaxation" in note for note in result.notes)
    ):
        result = replace(result, solution=user_values(problem, result.solution))
    return replace(result, claim=claim_of(problem) or result.claim)


def check(certificate: str | Path | bytes | Certificate | dict[str, Any], *, pure: bool = False) -> Verdict:
    """What a certificate proves, by the kernel. A forgery is a verdict that is not valid, never an exception.

    certificate: a file name, the bytes of a file, a Certificate, or a parsed document. pure: do not use
    python-flint even if it is installed. Raises InputError only for a file that cannot be read.
    """
    if isinstance(certificate, Certificate):
        return certificate.check(pure)
    if isinstance(certificate, bytes):
        return check_bytes(certificate, pure)
    if isinstance(certificate, dict):
        return check_document(certificate, pure)
    return check_file(certificate, pure)


__all__ = [
    "RIP",
    "About",
    "BasisPursuit",
    "Bisection",
    "Bounds",
    "Certificate",
    "Conic",
    "Embedding",
    "Expansion",
    "Fault",
    "InputError",
    "KCenter",
    "KCut",
    "KDiameter",
    "KMeans",
    "KMedian",
    "KMedoids",
    "Known",
    "MinCut",
    "NormalizedCut",
    "NotProvedError",
    "NullSpace",
    "Problem",
    "Progress",
    "RatioCut",
    "Result",
    "Spark",
    "Statement",
    "Status",
    "Stopped",
    "Verdict",
    "assess",
    "bound",
    "check",
    "load",
    "recovery_table",
    "solve",
    "theorems",
    "verify",
]
