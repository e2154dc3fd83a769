"""What every problem and every family is, and how families are found.

A family *proposes* witnesses (exact data rounded from whatever floats a solver gave); only the kernel
turns a witness into a statement. So a family never says what is proved: it yields proposals, and the
loop in :mod:`certify.proving` asks the kernel about each of them.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from certify.errors import Fault, InputError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from certify.problemfile import ProblemFile

Sense = Literal["min", "max"]
Side = Literal["lower", "upper", "infeasible", "unbounded"]
Json = Any  # what json.dumps takes; floats never occur in a certificate


@dataclass(frozen=True)
class Quantity:
    """A named number that a family bounds.

    ``root`` and ``factor`` are for derived quantities: factor times the root-th root (1 or 2) of the primary one.
    ``latex`` is its symbol, ``unit`` the power of the unit of the data ("1" for a pure number).
    """

    name: str
    latex: str
    unit: str
    meaning: str
    root: int = 1
    factor: int = 1


@dataclass(frozen=True)
class Known:
    """What the literature says: ``value`` as it is printed there, so that its last digit is meant."""

    value: str
    relation: Literal["==", "<=", ">="] = "=="
    quantity: str | None = None
    source: str | None = None


@dataclass(frozen=True)
class SolveOptions:
    """How hard to try. ``None``: the default. Never part of the problem, so never of its digest."""

    gap: Fraction | None = None
    abs_gap: Fraction | None = None
    time_limit: float | None = None
    solver: str | None = None
    seed: int | None = None


@dataclass(frozen=True)
class About:
    """What a problem file says beside the data: for people, not part of the problem."""

    title: str | None = None
    source: str | None = None
    known: Known | None = None
    solve: SolveOptions = field(default_factory=SolveOptions)
    labels: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Claim:
    """What a solver said of itself. Shown, compared, never believed."""

    name: str
    status: str
    value: float | None


@dataclass(frozen=True)
class Effort:
    """What a family may use up while it proposes.

    remaining() is the number of seconds left (wall clock); a family passes it on to its solvers. ``gap``
    is the relative gap asked for; ``bounds`` tells the interval proved so far (either end None).
    ``say`` shows a short word on what is being done.
    """

    gap: Fraction
    solver: str | None
    seed: int
    remaining: Callable[[], float]
    bounds: Callable[[], tuple[Fraction | None, Fraction | None]]
    say: Callable[[str], None] = lambda text: None


@dataclass(frozen=True)
class Proposal:
    """An untrusted suggestion: a witness for the kernel, the floats it came from, and who made it.

    twin_follows: the next proposal belongs with this one (two ends that are equal, say), so the work does not
    stop between the two even if the gap is met.
    """

    witness: Mapping[str, Json]
    side: Side
    solution: Any = None
    claim: Claim | None = None
    round_seconds: float = 0.0
    twin_follows: bool = False


@runtime_checkable
class Problem(Protocol):
    """Exact data and an objective, of one family. Implementations are frozen dataclasses."""

    @property
    def family(self) -> Family: ...

    @property
    def about(self) -> About: ...

    def __len__(self) -> int:
        """The size of the problem: its points, variables, …"""

    def canonical(self) -> dict[str, Json]:
        """The ``problem`` part of a certificate: exact data in canonical form."""

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        """Witnesses, from instant and weak to slow and strong, until nothing is left to try."""

    def assessed(self, solution: Any) -> Proposal | str:
        """A given solution as a proposal, or why it proves nothing (infinite value, infeasible)."""

    def solution_of(self, witness: Mapping[str, Json]) -> Any:
        """The floating-point solution that an upper witness of a certificate holds (for min)."""


class Family(Protocol):
    """One family of problems: what it is called, what its file may say, how it is drawn and explained."""

    name: str
    summary: str
    sense: Sense
    quantity: Quantity
    derived: tuple[Quantity, ...]

    def file_model(self) -> type[BaseModel]:
        """The keys of its problem file, as a pydantic model (imported lazily: it is slow)."""

    def from_file(self, file: ProblemFile) -> Problem:
        """Build the problem from validated data; raise InputError naming keys."""

    def from_canonical(self, data: Mapping[str, Json], about: About) -> Problem:
        """Build the problem from the ``problem`` part of a certificate."""

    def template(self) -> str:
        """A commented problem file to start from."""

    def read_solution(self, problem: Any, path: Path) -> Any:
        """The user's own solution from a file, for ``assess``; raise InputError."""

    def explain(self, problem: Any, witnesses: list[Mapping[str, Json]]) -> list[str]:
        """Which pairs, points, rows make the bounds: lines for a person."""

    def picture(self, problem: Any, witnesses: list[Mapping[str, Json]]) -> str | None:
        """An SVG of the solution, or None."""


def families() -> dict[str, Family]:
    """Every family installed, by name, found through the entry-point group ``certify.families``."""
    found = {}
    for point in sorted(entry_points(group="certify.families"), key=lambda p: p.name):
        try:
            found[point.name] = point.load()
        except Exception as fault:  # a package that does not load must not take the others with it
            warnings.warn(f"the family {point.name!r} does not load: {fault}", stacklevel=2)
    return found


def family(name: str) -> Family:
    """The family called ``name``; InputError lists those that exist."""
    found = families()
    if name not in found:
        raise InputError(Fault("family", f"no family is called {name!r}", f"one of: {', '.join(found)}"))
    return found[name]


def claims_of(package: str, certificate: bytes) -> list[str]:
    """What the families of a third-party package claim of a certificate that the kernel does not know.

    Such a family has ``claims(certificate: bytes) -> list[str]``. Its words are reported as claimed, never as
    proved. InputError if the package has no family here.
    """
    points = [p for p in entry_points(group="certify.families") if p.dist is not None and p.dist.name == package]
    if not points:
        raise InputError(Fault("--trust", f"the package {package!r} offers no family here", "install it"))
    return [claim for point in points for claim in getattr(point.load(), "claims", lambda data: [])(certificate)]
