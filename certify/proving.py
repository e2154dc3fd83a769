"""The loop that turns proposals into proved bounds: a family proposes, the kernel disposes.

Whatever ends the work (the gap, the clock, Ctrl-C, a lack of ideas), the result is the best that the kernel
has accepted so far, and the certificate on disk is whole at every moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

from certify.certificate import Certificate, versions
from certify.errors import Fault, InputError
from certify.kernel import Statement, Verdict, check_bytes, check_document
from certify.problem import Claim, Effort, Problem, Proposal
from certify.result import Assessment, Bounds, Result, Seconds, Status, Stopped, float_up

DEFAULT_GAP = Fraction(1, 10**6)
DEFAULT_TIME_LIMIT = 300.0
PACKAGES = ("certify", "numpy", "scipy", "cvxpy", "clarabel", "scs", "python-flint")
RESERVE = 1.0  # seconds of the limit that are kept for the last check and the write


@dataclass(frozen=True)
class Progress:
    """What is known while work goes on: seconds since the start, the proved interval, what is being done."""

    seconds: float
    bounds: Bounds
    doing: str


@dataclass
class _Best:
    """The strongest accepted witness of each side."""

    value: dict[str, Fraction] = field(default_factory=dict)
    proposal: dict[str, Proposal] = field(default_factory=dict)

    def bounds(self) -> Bounds:
        return Bounds(self.value.get("lower"), self.value.get("upper"))

    def offer(self, side: Literal["lower", "upper"], value: Fraction, proposal: Proposal) -> bool:
        old = self.value.get(side)
        if old is not None and (value <= old if side == "lower" else value >= old):
            return False
        self.value[side], self.proposal[side] = value, proposal
        return True

    def joined(self, others: list[tuple[Literal["lower", "upper"], Fraction, Proposal]]) -> _Best:
        both = _Best(dict(self.value), dict(self.proposal))
        for side, value, proposal in others:
            both.offer(side, value, proposal)
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
            number = Fraction(value)
        except (ValueError, OverflowError, TypeError):
            number = Fraction(-1)
        if number < 0:
            faults.append(Fault(name, f"{value!r} is not a number >= 0", "for example 1e-6"))
        return number

    relative = exact("gap", gap, in_file.gap if in_file.gap is not None else DEFAULT_GAP)
    absolute = exact("abs_gap", abs_gap, in_file.abs_gap)
    limit = time_limit if time_limit is not None else in_file.time_limit
    limit = DEFAULT_TIME_LIMIT if limit is None else limit
    if not limit >= 0:
        faults.append(Fault("time_limit", f"{limit!r} is not a number of seconds >= 0", "for example 60"))
    engine = (solver or in_file.solver or "auto").lower()
    engines = getattr(problem, "engines", ())
    if engine not in ("auto", *engines):
        faults.append(Fault("solver", f"no solver is called {engine!r}", f"one of: auto, {', '.join(engines)}"))
    if faults:
        raise InputError(*faults)
    number = seed if seed is not None else in_file.seed
    return _Wanted(relative or Fraction(0), absolute, limit, None if engine == "auto" else engine, number or 0)


def _prove(
    problem: Problem,
    wanted: _Wanted,
    *,
    start: Certificate | str | Path | None,
    save: str | Path | None,
    progress: Callable[[Progress], None] | None,
    given: Proposal | str | None,
) -> Result:
    began = time.monotonic()
    family, data = problem.family, problem.canonical()
    best = _Best()
    claim: Claim | None = None
    refused: list[str] = []
    spent = {"round": 0.0, "check": 0.0}
    doing = "starting"

    def remaining() -> float:
        return wanted.time_limit - RESERVE - (time.monotonic() - began)

    def say(text: str) -> None:
        nonlocal doing
        doing = text
        if progress is not None:
            progress(Progress(time.monotonic() - began, best.bounds(), doing))

    def consider(proposal: Proposal) -> Fraction | None:
        """Ask the kernel; keep the witness if what it proves is stronger. Returns the proved value."""
        spent["round"] += proposal.round_seconds
        at = time.monotonic()
        statements = _statements(family.name, data, proposal)
        spent["check"] += time.monotonic() - at
        if isinstance(statements, Verdict):
            refused.append(f"{proposal.witness.get('kind')}: {statements.rule} {statements.where} {statements.why}")
            return None
        value = statements[0].value
        if best.offer(_side(statements[0]), value, proposal):
            if save is not None:
                _certificate(problem, best.joined(standing), claim, wanted, spent, began).save(save)
            say(doing)
        return value

    standing = [] if save is None else _standing(Path(save), problem, data)
    stopped = Stopped.EXHAUSTED
    assessment: Assessment | None = None
    value: Fraction | None = None
    try:
        for proposal in _starting(problem, start, data):
            consider(proposal)
        if isinstance(given, Proposal):
            value = consider(given)
        effort = Effort(wanted.gap, wanted.solver, wanted.seed, remaining, lambda: _ends(best), say)
        if wanted.met(best.bounds()):
            stopped = Stopped.GAP
        else:
            for proposal in problem.proposals(effort):
                if proposal.claim is not None and (claim is None or claim.name == proposal.claim.name):
                    claim = proposal.claim
                consider(proposal)
                if wanted.met(best.bounds()):
                    stopped = Stopped.GAP
                    break
                if remaining() <= 0:
                    stopped = Stopped.TIME
                    break
            else:
                if remaining() <= 0:
                    stopped = Stopped.TIME
    except KeyboardInterrupt:
        stopped = Stopped.INTERRUPT

    if stopped is Stopped.EXHAUSTED and all(p.claim is None for p in best.proposal.values()):
        stopped = Stopped.ENGINES_FAILED
    best = best.joined(standing)
    certificate = _certificate(problem, best, claim, wanted, spent, began)
    at = time.monotonic()
    verdict = check_bytes(certificate.dumps().encode()) if best.value else Verdict(False, rule="none", why="no witness")
    spent["check"] += time.monotonic() - at
    path = None
    if save is not None and verdict.valid:
        path = str(certificate.save(save))
    bounds = Bounds(verdict.best(">="), verdict.best("<="))
    status = _status(bounds, wanted)
    if status in (Status.EXACT, Status.TIGHT) and stopped in (Stopped.EXHAUSTED, Stopped.ENGINES_FAILED):
        stopped = Stopped.GAP
    if given is not None:
        why = given if isinstance(given, str) else None
        if value is None and why is None:
            why = refused[0] if refused else "the kernel was not asked: interrupted"
        ratio = None
        if value is not None and bounds.lower is not None and bounds.lower > 0:
            ratio = float_up(value / bounds.lower)
        assessment = Assessment(value, ratio, why)
    upper = best.proposal.get("upper")
    total = time.monotonic() - began
    return Result(
        family=family,
        status=status,
        stopped=stopped,
        bounds=bounds,
        verdict=verdict,
        certificate=certificate,
        solution=None if upper is None else _solution(problem, upper),
        claim=claim,
        known=problem.about.known,
        why_wide=_why_wide(status, stopped, wanted, bounds, refused),
        seconds=Seconds(max(0.0, total - spent["round"] - spent["check"]), spent["round"], spent["check"]),
        size=len(problem) if hasattr(problem, "__len__") else 0,
        title=problem.about.title,
        notes=problem.about.notes,
        assessment=assessment,
        path=path,
    )


def _ends(best: _Best) -> tuple[Fraction | None, Fraction | None]:
    bounds = best.bounds()
    return bounds.lower, bounds.upper


def _side(statement: Statement) -> Literal["lower", "upper"]:
    return "lower" if statement.relation == ">=" else "upper"


def _statements(family: str, data: Any, proposal: Proposal) -> tuple[Statement, ...] | Verdict:
    document = {"format": "certify/1", "family": family, "problem": data, "witnesses": [dict(proposal.witness)]}
    verdict = check_document(document)
    return verdict.statements if verdict.valid else verdict


def _solution(problem: Problem, proposal: Proposal) -> Any:
    return proposal.solution if proposal.solution is not None else problem.solution_of(proposal.witness)


def _starting(problem: Problem, start: Certificate | str | Path | None, data: Any) -> list[Proposal]:
    """The witnesses of a certificate to start from; InputError if it is of another problem."""
    if start is None:
        return []
    certificate = start if isinstance(start, Certificate) else Certificate.load(start)
    name = "start" if isinstance(start, Certificate) else str(start)
    verdict = certificate.check()
    if not verdict.valid:
        raise InputError(Fault(name, f"rejected: {verdict.rule} {verdict.where} {verdict.why}", "start without it"))
    if certificate.family != problem.family.name or verdict.statements[0].digest != digest(problem, data):
        raise InputError(Fault(name, "is a certificate of another problem (the digests differ)", "start without it"))
    return _as_proposals(certificate, verdict)


def _as_proposals(certificate: Certificate, verdict: Verdict) -> list[Proposal]:
    pairs = zip(certificate.witnesses, verdict.statements, strict=False)
    return [Proposal(witness, _side(statement)) for witness, statement in pairs]


def digest(problem: Problem, data: Any = None) -> str:
    """The digest of the problem's data, as the kernel computes it for its statements."""
    from certify.kernel.document import FAMILIES, digest_of

    canonical, _ = FAMILIES[problem.family.name].canonical(problem.canonical() if data is None else data)
    return digest_of(problem.family.name, canonical)


def _certificate(
    problem: Problem, best: _Best, claim: Claim | None, wanted: _Wanted, spent: dict[str, float], began: float
) -> Certificate:
    about = problem.about
    made_by: dict[str, Any] = {"versions": versions(PACKAGES), "seed": wanted.seed}
    made_by["seconds"] = {
        "total": f"{time.monotonic() - began:.3f}",
        "round": f"{spent['round']:.3f}",
        "check": f"{spent['check']:.3f}",
    }
    if about.title:
        made_by["title"] = about.title
    if about.source:
        made_by["source"] = about.source
    if about.labels:
        made_by["labels"] = list(about.labels)
    if claim is not None:
        value = None if claim.value is None else repr(claim.value)
        made_by["solver_claim"] = {"name": claim.name, "status": claim.status, "value": value}
    if about.known is not None:
        known = about.known
        made_by["known"] = {
            "value": known.value, "relation": known.relation, "quantity": known.quantity, "source": known.source
        }
    witnesses = tuple(best.proposal[side].witness for side in ("lower", "upper") if side in best.proposal)
    return Certificate(problem.family.name, problem.canonical(), witnesses, made_by)


def _standing(path: Path, problem: Problem, data: Any) -> list[tuple[Literal["lower", "upper"], Fraction, Proposal]]:
    """What a certificate of the same problem, standing at the path, proves already: it is never lost to a
    weaker one. A file that is something else is moved aside."""
    if not path.is_file():
        return []
    try:
        old = Certificate.load(path)
        verdict = old.check()
    except InputError:
        verdict = Verdict(False)
    if not verdict.valid or verdict.statements[0].digest != digest(problem, data):
        _move_aside(path)
        return []
    return [(_side(s), s.value, p) for p, s in zip(_as_proposals(old, verdict), verdict.statements, strict=False)]


def _move_aside(path: Path) -> None:
    if not path.is_file():
        return
    for number in range(1, 1000):
        aside = path.with_name(f"{path.name}.old{number}")
        if not aside.exists():
            path.rename(aside)
            return


def _status(bounds: Bounds, wanted: _Wanted) -> Status:
    if bounds.lower is None and bounds.upper is None:
        return Status.UNKNOWN
    if bounds.lower is not None and bounds.lower == bounds.upper:
        return Status.EXACT
    return Status.TIGHT if wanted.met(bounds) else Status.BOUNDED


def _why_wide(
    status: Status, stopped: Stopped, wanted: _Wanted, bounds: Bounds, refused: list[str]
) -> str | None:
    if status not in (Status.BOUNDED, Status.UNKNOWN):
        return None
    gap = bounds.gap
    reached = "one end is missing" if gap is None else f"the gap is {float(gap):.2g}, asked for was {float(wanted.gap):.2g}"
    why = f"{reached}: {stopped.message}"
    if stopped in (Stopped.TIME, Stopped.INTERRUPT):
        return f"{why}; go on from here with --from CERT and a longer --time-limit"
    if refused:
        why += f"; the kernel refused {len(refused)} witness{'es' if len(refused) > 1 else ''} ({refused[-1]})"
    return why



