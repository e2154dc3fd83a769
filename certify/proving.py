"""The loop that turns proposals into proved bounds: a family proposes, the kernel disposes.

Whatever ends the work (the gap, the clock, Ctrl-C, a lack of ideas), the result is the best that the kernel
has accepted so far, and the certificate on disk is whole at every moment.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass, field
from fractions import Fraction
from math import isnan
from pathlib import Path
from typing import Any

from certify.certificate import Certificate, portable, versions
from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, exact_number
from certify.keeping import Accepted, Court, Keeper, side_of
from certify.kernel import Rejected, Verdict, check_bytes
from certify.kernel.statement import DETERMINISTIC
from certify.problem import Claim, Effort, Problem, Proposal, Side
from certify.result import Assessment, Bounds, Result, Seconds, Status, Stopped, float_down, float_up

DEFAULT_GAP = Fraction(1, 10**6)
DEFAULT_TIME_LIMIT = 300.0
PACKAGES = ("certify", "numpy", "scipy", "cvxpy", "clarabel", "scs", "python-flint")
LONGEST_LIMIT = 1e9  # seconds: solvers take no infinite limit
NOTHING = Verdict(False, rule="none", where="witnesses", why="no witness was accepted")
DOUBLES = 1e-8  # a relative gap below which an engine in doubles can hardly go on
RESERVE = 1.0  # seconds of the limit that are kept for the end, or a tenth of it if that is less


class TimeIsUpError(KeyboardInterrupt):
    """Raised by a clock in the midst of work (the command line sets one): the work ends as with Ctrl-C, in time."""


@dataclass(frozen=True)
class Progress:
    """What is known while work goes on: seconds since the start, the proved interval, what is being done."""

    seconds: float
    bounds: Bounds
    doing: str


@dataclass
class _Best:
    """The strongest accepted witness of each side; one that is certain beside one that holds with some confidence."""

    of: dict[Side, Accepted] = field(default_factory=dict)
    unsure: dict[Side, Accepted] = field(default_factory=dict)

    def bounds(self) -> Bounds:
        lower = [each[0].value for each in self.accepted() if side_of(each[0]) == "lower" and each[0].value is not None]
        upper = [each[0].value for each in self.accepted() if side_of(each[0]) == "upper" and each[0].value is not None]
        return Bounds(max(lower, default=None), min(upper, default=None))

    def decided(self) -> bool:
        """Whether it is proved that there is no interval to look for."""
        return "infeasible" in self.of or "unbounded" in self.of

    def accepted(self) -> list[Accepted]:
        """The lower end first; only the proof of infeasibility or unboundedness if there is one."""
        decided: list[Side] = [side for side in self.of if side in ("infeasible", "unbounded")]
        certain = [self.of[side] for side in decided[:1] or sorted(self.of)]
        return certain if decided else [*certain, *(self.unsure[side] for side in sorted(self.unsure))]

    def offer(self, accepted: Accepted) -> bool:
        side, value = side_of(accepted[0]), accepted[0].value
        kept = self.of if accepted[0].rigor == DETERMINISTIC else self.unsure
        for old in {id(kept): kept, id(self.of): self.of}.values():  # what is unsure must beat what is certain too
            if side in old:
                best = old[side][0].value
                if value is None or best is None or (value <= best if side == "lower" else value >= best):
                    return False
        kept[side] = accepted
        return True

    def joined(self, others: Sequence[Accepted]) -> _Best:
        both = _Best(dict(self.of), dict(self.unsure))
        for accepted in others:
            both.offer(accepted)
        return both


def solve(
    problem: Problem,
    *,
    gap: float | Fraction | None = None,
    abs_gap: float | Fraction | None = None,
    time_limit: float | None = None,
    solver: str | None = None,
    seed: int | None = None,
    start: Certificate | str | Path | None = None,
    save: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """Prove the tightest interval for the optimum that the time allows.

    gap: relative gap at which to stop (default 1e-6); abs_gap: absolute gap that also counts; time_limit:
    wall-clock seconds, rounding and checking included (default 300). Options left None come from the
    problem file, then from the defaults. solver: which engine to try first. start: a certificate of the
    same problem to tighten. save: a file that is rewritten, whole, at every improvement. progress: called
    with the current interval. Ctrl-C ends the work with the best so far. Deterministic for a given seed.

    Raises InputError for a wrong option, or a ``start`` that belongs to another problem.
    """
    wanted = _options(problem, gap, abs_gap, time_limit, solver, seed)
    return _prove(problem, wanted, start=start, save=save, progress=progress, given=None)


def assess(
    problem: Problem,
    solution: Any,
    *,
    gap: float | Fraction | None = None,
    abs_gap: float | Fraction | None = None,
    time_limit: float | None = None,
    solver: str | None = None,
    seed: int | None = None,
    start: Certificate | str | Path | None = None,
    save: str | Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Result:
    """How far a given solution is from the optimum, provably: its exact value and a proved ratio.

    solution: what the family takes (for an embedding, an (n, k) array of coordinates, taken as the exact
    numbers they are). The other arguments are those of :func:`solve`, which finds the other end.
    """
    wanted = _options(problem, gap, abs_gap, time_limit, solver, seed)
    if hasattr(problem, "facing"):  # a solution may leave out some of the data (noise): it solves another problem
        problem = problem.facing(solution)
    given = problem.assessed(solution)
    return _prove(problem, wanted, start=start, save=save, progress=progress, given=given)


class Asking:
    """``problem.solve()`` and ``problem.assess(solution)``, for the problem classes."""

    def solve(self: Problem, **options: Any) -> Result:
        """:func:`certify.solve` of this problem."""
        return solve(self, **options)

    def assess(self: Problem, solution: Any, **options: Any) -> Result:
        """:func:`certify.assess` of a solution of this problem."""
        return assess(self, solution, **options)


@dataclass(frozen=True)
class _Wanted:
    gap: Fraction
    abs_gap: Fraction | None
    time_limit: float
    solver: str | None
    seed: int

    def met(self, bounds: Bounds) -> bool:
        gap = bounds.gap
        if gap is None or bounds.lower is None or bounds.upper is None:
            return False
        return gap <= self.gap or (self.abs_gap is not None and bounds.upper - bounds.lower <= self.abs_gap)


def _options(
    problem: Problem,
    gap: float | Fraction | None,
    abs_gap: float | Fraction | None,
    time_limit: float | None,
    solver: str | None,
    seed: int | None,
) -> _Wanted:
    in_file = problem.about.solve
    faults = []

    def exact(name: str, value: float | Fraction | None, default: Fraction | None) -> Fraction | None:
        if value is None:
            return default
        try:
            number = exact_number(value)
        except NotExactError:
            number = Fraction(-1)
        if number < 0:
            faults.append(Fault(name, f"{value!r} is not a number >= 0", "for example 1e-6"))
        return number

    relative = exact("gap", gap, in_file.gap if in_file.gap is not None else DEFAULT_GAP)
    absolute = exact("abs_gap", abs_gap, in_file.abs_gap)
    limit = time_limit if time_limit is not None else in_file.time_limit
    limit = DEFAULT_TIME_LIMIT if limit is None else limit
    if isnan(limit) or limit < 0:
        faults.append(Fault("time_limit", f"{limit!r} is not a number of seconds >= 0", "for example 60"))
    engine = (solver if solver is not None else in_file.solver or "auto").lower()
    engines = getattr(problem, "engines", ())
    if engine not in ("auto", *engines):
        faults.append(Fault("solver", f"no solver is called {engine!r}", f"one of: auto, {', '.join(engines)}"))
    if faults:
        raise InputError(*faults)
    number = seed if seed is not None else in_file.seed
    return _Wanted(
        relative or Fraction(0),
        absolute,
        min(float(limit), LONGEST_LIMIT),
        None if engine == "auto" else engine,
        number or 0,
    )


def _prove(
    problem: Problem,
    wanted: _Wanted,
    *,
    start: Certificate | str | Path | None,
    save: str | Path | None,
    progress: Callable[[Progress], None] | None,
    given: Proposal | str | None,
) -> Result:
    work = _Work(problem, wanted, save, progress)
    work.begin(start)
    stopped = work.run(given)
    while True:
        try:
            return work.result(stopped, given)
        except KeyboardInterrupt as fault:
            # Ctrl-C in the last seconds still ends with what there is; a second one ends at once.
            if stopped is Stopped.INTERRUPT and not isinstance(fault, TimeIsUpError):
                raise
            stopped = _why_interrupted(fault)


def _why_interrupted(fault: KeyboardInterrupt) -> Stopped:
    return Stopped.TIME if isinstance(fault, TimeIsUpError) else Stopped.INTERRUPT


def _one_thread(proposals: Iterator[Proposal]) -> Iterator[Proposal]:
    """The proposals, made with one thread of linear algebra: at these sizes a second one costs more than it brings
    (several times the time on a busy machine), and what is computed no longer depends on the machine's cores."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        yield from proposals


class _Work:
    """One run: asks the kernel about every proposal and keeps the best, in memory and on disk."""

    def __init__(
        self,
        problem: Problem,
        wanted: _Wanted,
        save: str | Path | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.began = time.monotonic()
        self.problem, self.wanted, self.progress = problem, wanted, progress
        self.court = Court(problem)
        self.reading = time.monotonic() - self.began
        self.round, self.check, self.write = 0.0, self.reading, 0.0
        self.cost: dict[Side, float] = {}  # seconds that the kernel took for the best witness of each side
        self.saved: Certificate | None = None  # as it stands on disk, unless something is new
        self.keeper = None if save is None else Keeper(Path(save), self.court)
        self.best = _Best()
        self.claim: Claim | None = None
        self.answered = False  # whether an engine gave anything that the kernel accepted
        self.refused: list[str] = []
        self.failed: str | None = None
        self.value: Fraction | None = None  # of the given solution
        self.doing = "starting"

    def remaining(self) -> float:
        """Seconds left for solving: what writing the certificate and checking it takes is kept for the end."""
        reserve = min(RESERVE, self.wanted.time_limit / 10) + 2 * self.write + self.reading + sum(self.cost.values())
        return self.wanted.time_limit - reserve - (time.monotonic() - self.began)

    def say(self, text: str) -> None:
        self.doing = text
        if self.progress is not None:
            self.progress(Progress(time.monotonic() - self.began, self.best.bounds(), text))

    def begin(self, start: Certificate | str | Path | None) -> None:
        """Take over the witnesses of a certificate to start from; InputError if it is of another problem."""
        if start is None:
            return
        certificate = start if isinstance(start, Certificate) else Certificate.load(start)
        name = "start" if isinstance(start, Certificate) else str(start)
        try:
            accepted = self.court.judged(certificate)
        except Rejected as fault:
            raise InputError(Fault(name, f"rejected: {fault}", "start without it")) from None
        if accepted is None:
            raise InputError(
                Fault(name, "is a certificate of another problem (the digests differ)", "start without it")
            )
        for each in accepted:
            self.best.offer(each)

    def run(self, given: Proposal | str | None) -> Stopped:
        """Work until the gap is met, the time is over, the user has had enough, or nothing is left to try."""
        try:
            if isinstance(given, Proposal):
                self.value = self.consider(given)
            self.say(self.doing)
            if self.done():
                return Stopped.GAP
            effort = Effort(self.wanted.gap, self.wanted.solver, self.wanted.seed, self.remaining, self.ends, self.say)
            for proposal in _one_thread(self.problem.proposals(effort)):
                before = self.ends()
                self.consider(proposal)
                self._hear(proposal.claim, self.ends() != before)
                if not proposal.twin_follows and self.done():
                    return Stopped.GAP
                if self.remaining() <= 0:
                    return Stopped.TIME
        except KeyboardInterrupt as fault:
            return _why_interrupted(fault)
        except InputError:
            raise
        except Exception as fault:
            # Proposals are not trusted, nor is what makes them: its end is not the end of what is proved already.
            if os.environ.get("CERTIFY_DEBUG"):
                raise
            self.failed = f"{self.doing}: " + " ".join(f"{type(fault).__name__}: {fault}".split())[:200]
        if self.remaining() <= 0:
            return Stopped.TIME
        return Stopped.EXHAUSTED if self.answered else Stopped.ENGINES_FAILED

    def _hear(self, claim: Claim | None, stronger: bool) -> None:
        """Remember what is claimed: by the engine that was asked for by name, which comes first, or else by the one
        whose answer was last of use."""
        if claim is None or claim == self.claim:
            return
        if self.claim is None or self.claim.name == claim.name or (stronger and self.wanted.solver is None):
            self.claim, self.saved = claim, None

    def done(self) -> bool:
        """Whether what was asked for is proved, or that there is nothing to ask for."""
        return self.best.decided() or self.wanted.met(self.best.bounds())

    def ends(self) -> tuple[Fraction | None, Fraction | None]:
        bounds = self.best.bounds()
        return bounds.lower, bounds.upper

    def consider(self, proposal: Proposal) -> Fraction | None:
        """Ask the kernel; keep the witness if what it proves is stronger. Returns the proved value."""
        self.round += proposal.round_seconds
        at = time.monotonic()
        witness = portable(proposal.witness)
        statement = self.court.ask(witness)
        cost = time.monotonic() - at
        self.check += cost
        if isinstance(statement, Rejected):
            self.refused.append(f"{witness.get('kind')}: {statement}")
            return None
        self.answered = self.answered or proposal.claim is not None
        if self.best.offer((statement, Proposal(witness, side_of(statement), proposal.solution))):
            self.cost[side_of(statement)] = cost
            if self.keeper is not None:
                at = time.monotonic()
                self.saved = self.keeper.save(self.certificate)
                self.write = time.monotonic() - at
            self.say(self.doing)
        return statement.value

    def certificate(self, standing: Sequence[Accepted] = ()) -> Certificate:
        """The best so far, and what stands in the file already, as a certificate."""
        about, wanted, claim = self.problem.about, self.wanted, self.claim
        seconds = {"total": time.monotonic() - self.began, "round": self.round, "check": self.check}
        made_by: dict[str, Any] = {
            "versions": versions(PACKAGES),
            "seed": wanted.seed,
            "seconds": {name: f"{value:.3f}" for name, value in seconds.items()},
        }
        if about.title:
            made_by["title"] = about.title
        if about.source:
            made_by["source"] = about.source
        if about.labels:
            made_by["labels"] = list(about.labels)
        if claim is not None:
            value = None if claim.value is None else repr(float(claim.value))
            made_by["solver_claim"] = {"name": claim.name, "status": claim.status, "value": value}
        if about.known is not None:
            known = about.known
            made_by["known"] = {
                "value": known.value,
                "relation": known.relation,
                "quantity": known.quantity,
                "source": known.source,
            }
        witnesses = tuple(proposal.witness for _, proposal in self.best.joined(standing).accepted())
        return Certificate(self.court.family, self.court.document, witnesses, made_by, self.court.beside)

    def standing(self) -> Sequence[Accepted]:
        """What the file had proved already when it was last looked at."""
        return () if self.keeper is None else self.keeper.standing

    def finished(self) -> Certificate:
        """The certificate of the run, which then stands on disk, if it is kept there."""
        if self.keeper is None or not self.best.accepted():
            return self.certificate(self.standing())
        witnesses = tuple(proposal.witness for _, proposal in self.best.joined(self.standing()).accepted())
        if self.saved is not None and self.saved.witnesses == witnesses:
            return self.saved
        return self.keeper.save(self.certificate, last=True)

    def result(self, stopped: Stopped, given: Proposal | str | None) -> Result:
        """The answer, with its certificate written for the last time."""
        problem, wanted = self.problem, self.wanted
        certificate = self.finished()
        best = self.best.joined(self.standing())
        # What is reported is what the kernel returns of the text of the file, read from its first byte.
        at = time.monotonic()
        verdict = check_bytes(certificate.dumps().encode(), False, self.court.beside) if best.accepted() else NOTHING
        self.check += time.monotonic() - at
        bounds = Bounds(verdict.best(">="), verdict.best("<="))
        status = _status(verdict, bounds, wanted)
        if status not in (Status.BOUNDED, Status.UNKNOWN) and stopped is not Stopped.INTERRUPT:
            stopped = Stopped.GAP
        attained = best.of.get("upper" if problem.family.sense == "min" else "lower")
        total = time.monotonic() - self.began
        return Result(
            family=problem.family,
            status=status,
            stopped=stopped,
            bounds=bounds,
            verdict=verdict,
            certificate=certificate,
            solution=None if attained is None else _solution(problem, attained[1]),
            claim=self.claim,
            known=problem.about.known,
            why_wide=_why_wide(status, stopped, wanted, bounds, self.refused, self.failed),
            seconds=Seconds(max(0.0, total - self.round - self.check), self.round, self.check),
            size=len(problem) if isinstance(problem, Sized) else 0,
            title=problem.about.title,
            notes=(*problem.about.notes, *(() if self.keeper is None else self.keeper.notes)),
            assessment=None if given is None else self._assessment(given, bounds),
            path=None if self.keeper is None or not verdict.valid else str(self.keeper.path),
        )

    def _assessment(self, given: Proposal | str, bounds: Bounds) -> Assessment:
        if isinstance(given, str):
            return Assessment(None, None, given)
        if self.value is None:
            why = self.refused[0] if self.refused else "the kernel was not asked: the work ended before"
            return Assessment(None, None, f"not proved: {why}")
        low, high = bounds.lower, bounds.upper
        minimal = self.problem.family.sense == "min"
        best = high if minimal else low  # the optimum is as good as this one, or better
        gain = None if best is None or best <= 0 else (self.value - best if minimal else best - self.value) / best
        excess = float_down(gain) if gain else None
        if low is None or low <= 0:
            return Assessment(self.value, None, excess=excess)
        if minimal:
            return Assessment(self.value, float_up(self.value / low), excess=excess)
        ratio = None if high is None or self.value <= 0 else float_up(high / self.value)
        return Assessment(self.value, ratio, excess=excess)


def _solution(problem: Problem, proposal: Proposal) -> Any:
    return proposal.solution if proposal.solution is not None else problem.solution_of(proposal.witness)


def digest(problem: Problem) -> str:
    """The digest of the problem's data, as the kernel computes it for its statements."""
    return Court(problem).digest


def _status(verdict: Verdict, bounds: Bounds, wanted: _Wanted) -> Status:
    for status in (Status.INFEASIBLE, Status.UNBOUNDED):
        if any(statement.relation == status.word for statement in verdict.statements):
            return status
    if bounds.lower is None and bounds.upper is None:
        return Status.UNKNOWN
    if any(statement.relation == "==" for statement in verdict.statements):
        return Status.EXACT
    return Status.TIGHT if wanted.met(bounds) else Status.BOUNDED


def _why_wide(
    status: Status, stopped: Stopped, wanted: _Wanted, bounds: Bounds, refused: list[str], failed: str | None
) -> str | None:
    if status not in (Status.BOUNDED, Status.UNKNOWN):
        return None
    gap = bounds.gap
    reached = (
        "one end is missing" if gap is None else f"the gap is {float(gap):.2g}, asked for was {float(wanted.gap):.2g}"
    )
    why = f"{reached}: {stopped.message}"
    if stopped in (Stopped.TIME, Stopped.INTERRUPT):
        return f"{why}; go on from here with --from CERT and a longer --time-limit"
    if gap is not None and gap < DOUBLES:
        why += "; engines compute in double precision, which carries no further"
    if failed is not None:
        why += f"; an engine broke ({failed})"
    if refused:
        why += f"; the kernel refused {len(refused)} witness{'es' if len(refused) > 1 else ''} ({refused[-1]})"
    return why
