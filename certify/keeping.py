"""The certificate file of a run: whole at every moment, and never weakened, not even by another run.

Before each write the file that stands there is read again if it is not the one that this run left: what it
proves of the same problem is kept in the new file. A file that is something else is moved aside.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import ENOENT
from pathlib import Path
from typing import Any

from certify.certificate import Certificate, portable, refuse_unwritable
from certify.errors import Fault, InputError
from certify.kernel import Beside, Rejected, Statement, digest_of, inlined
from certify.kernel.registry import FAMILIES
from certify.kernel.statement import Proved, state
from certify.problem import Problem, Proposal, Side

Accepted = tuple[Statement, Proposal]
_UNEXPECTED = (ValueError, TypeError, ArithmeticError, LookupError, MemoryError, RecursionError)


class Court:
    """The kernel, asked about one witness after the other of one problem, whose data it reads once."""

    def __init__(self, problem: Problem) -> None:
        self.family = problem.family.name
        if self.family not in FAMILIES:
            raise InputError(
                Fault("family", f"the kernel has no checker for {self.family}", "only those it has can be proved")
            )
        self.document = portable(problem.canonical())
        self.beside = _from_memory(problem)
        self._rules = FAMILIES[self.family]
        try:
            canonical, self._data = self._rules.canonical(inlined(self.document, "problem", self.beside))
        except Rejected as fault:
            raise InputError(Fault(fault.where, f"{fault.why} ({fault.rule})")) from None
        self.digest = digest_of(self.family, canonical)

    def ask(self, witness: Any) -> Statement | Rejected:
        """What the kernel says of a witness, as :func:`certify.kernel.check_document` would; ``portable`` first."""
        try:
            proved = Proved(*self._rules.check(witness, "witness", self._data, False))
        except Rejected as fault:
            return fault
        except _UNEXPECTED as fault:
            return Rejected("internal", "kernel", f"{type(fault).__name__}: {fault}")
        return state(self._rules, self._data, proved, self.digest)

    def judged(self, certificate: Certificate) -> list[Accepted] | None:
        """What a certificate proves of this problem. None if it is about another; Rejected is raised if it lies."""
        if certificate.family != self.family:
            return None
        problem = portable(certificate.problem)
        if problem != self.document and self._digest_of(inlined(problem, "problem", certificate.beside)) != self.digest:
            return None
        accepted = []
        for given in certificate.witnesses:
            witness = portable(given)
            found = self.ask(witness)
            if isinstance(found, Rejected):
                raise found
            accepted.append((found, Proposal(witness, side_of(found))))
        return accepted

    def _digest_of(self, problem: Any) -> str:
        try:
            return digest_of(self.family, self._rules.canonical(problem)[0])
        except _UNEXPECTED as fault:
            raise Rejected("internal", "kernel", f"{type(fault).__name__}: {fault}") from None


def _from_memory(problem: Problem) -> Beside | None:
    """Reads the side-cars that a problem offers (``problem.sidecars()``, bytes by name); None if it offers none."""
    offer = getattr(problem, "sidecars", None)
    files: Mapping[str, bytes] = {} if offer is None else offer()

    def read(name: str) -> bytes:
        if name not in files:
            raise FileNotFoundError(ENOENT, "no such side-car")
        return files[name]

    return read if files else None


def side_of(statement: Statement) -> Side:
    """The end of the interval that a statement bounds, or that there is no interval."""
    sides: dict[str, Side] = {">=": "lower", "<=": "upper", "infeasible": "infeasible", "unbounded": "unbounded"}
    return sides[statement.relation]


class Keeper:
    """Where a run keeps its certificate. Made before the work begins: an output that cannot be written is
    refused then, with InputError."""

    def __init__(self, path: Path, court: Court) -> None:
        refuse_unwritable(path)
        self.path = path
        self.notes: list[str] = []
        self._court = court
        self._file = not os.path.exists(path) or path.is_file()  # else a device or a pipe: written once, at the end
        self._standing: list[Accepted] = []
        self._seen: tuple[int, ...] | None = None
        self._foreign = False
        self._look()

    @property
    def standing(self) -> Sequence[Accepted]:
        """What the file has proved already, by an earlier run or by another one."""
        return self._standing

    def save(self, make: Callable[[Sequence[Accepted]], Certificate], last: bool = False) -> Certificate:
        """Write the certificate that ``make`` returns when it is told what stands in the file."""
        if not self._file:
            certificate = make(())
            if last:
                certificate.save(self.path)
            return certificate
        with _alone(self.path.parent):
            self._look()
            certificate = make(self._standing)
            if self._foreign:
                self._move_aside()
            certificate.save(self.path)
            self._seen = self._identity()
        return certificate

    def _identity(self) -> tuple[int, ...] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size

    def _look(self) -> None:
        """Read what stands at the path, unless it is what was read or written last."""
        identity = self._identity() if self._file else None
        if identity is None or identity == self._seen:
            return
        self._seen, self._foreign = identity, True
        try:
            accepted = self._court.judged(Certificate.load(self.path))
        except (InputError, Rejected):
            return
        if accepted is not None:
            self._foreign = False
            self._standing += accepted

    def _move_aside(self) -> None:
        number = 1
        while (aside := self.path.with_name(f"{self.path.name}.old{number}")).exists():
            number += 1
        self.path.rename(aside)
        self._foreign = False
        self.notes.append(f"{self.path} held something else, which is now {aside.name}")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold the folder, so that two runs do not read and write one file at a time. Free where there is no flock."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # a file system without locks: the rename alone still keeps the file whole
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
