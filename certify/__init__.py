"""certify: turns a solver's answer into a theorem.

    >>> import certify, networkx as nx
    >>> result = certify.solve(certify.Embedding.from_graph(nx.cycle_graph(4)))
    >>> result.require("distortion_squared >= 1.999999").status.word in ("tight", "exact")
    True

A problem is exact data; whatever solver is fastest proposes; a small kernel in exact arithmetic decides what
is proved. Importing this package is cheap: engines and CVXPY are loaded when they are first needed.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.certificate import Certificate, check_file
from certify.errors import Fault, InputError, NotProvedError
from certify.kernel import Statement, Verdict, check_bytes, check_document

if TYPE_CHECKING:
    from certify import theorems
    from certify.families.basis_pursuit import BasisPursuit
    from certify.families.embedding import Embedding
    from certify.families.kdiameter import KDiameter
    from certify.families.kmeans import KMeans
    from certify.families.medoids import KCenter, KMedian, KMedoids
    from certify.families.mincut import KCut, MinCut
    from certify.families.nullspace import NullSpace
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
    "Embedding": "certify.families.embedding",
    "KCenter": "certify.families.medoids",
    "KCut": "certify.families.mincut",
    "KDiameter": "certify.families.kdiameter",
    "KMedian": "certify.families.medoids",
    "KMedoids": "certify.families.medoids",
    "KMeans": "certify.families.kmeans",
    "About": "certify.problem",
    "MinCut": "certify.families.mincut",
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
    """The problem that a TOML or JSON file states. Raises InputError naming every fault with its line."""
    from certify.problemfile import load as load_file

    return load_file(path)


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
    "Bounds",
    "Certificate",
    "Embedding",
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
    "NotProvedError",
    "NullSpace",
    "Problem",
    "Progress",
    "Result",
    "Spark",
    "Statement",
    "Status",
    "Stopped",
    "Verdict",
    "assess",
    "check",
    "load",
    "recovery_table",
    "solve",
    "theorems",
    "verify",
]
