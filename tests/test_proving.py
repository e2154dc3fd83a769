"""The proving loop: only what the kernel returns counts, whatever ends the work, and whoever else writes the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import networkx as nx
import numpy as np
import pytest

import certify
from certify.certificate import Certificate
from certify.errors import InputError
from certify.keeping import Court, Keeper
from certify.problem import About, Claim, Effort, Known, Proposal, SolveOptions
from certify.proving import TimeIsUpError, digest

ONE = Proposal({"kind": "one"}, "lower")
Script = Callable[[Effort], Iterator[Proposal]]


def square_metric(about: About | None = None) -> certify.Embedding:
    """The four-cycle: distortion² is 2."""
    return certify.Embedding.from_graph(nx.cycle_graph(4), about=about)


def points(*rows: tuple[int, ...], claim: Claim | None = None) -> Proposal:
    """A map of the four-cycle."""
    return Proposal({"kind": "coordinates", "points": {"denominator": 1, "rows": rows}}, "upper", claim=claim)


SQUARE = points((0, 0), (1, 0), (1, 1), (0, 1))
LINE = points((0,), (1,), (3,), (2,))
FLAT = points((0, 0), (1, 0), (0, 0), (0, 1))


@dataclass(frozen=True)
class Scripted:
    """The four-cycle, with proposals that a test makes up."""

    script: Script
    about: About = field(default_factory=About)
    engines = ("magic",)

    @property
    def family(self) -> Any:
        return square_metric().family

    def canonical(self) -> dict[str, Any]:
        return square_metric().canonical()

    def proposals(self, effort: Effort) -> Iterator[Proposal]:
        return self.script(effort)

    def assessed(self, solution: Any) -> Proposal | str:
        return solution

    def solution_of(self, witness: Any) -> Any:
        return witness["kind"]


def scripted(*proposals: Proposal | BaseException, about: About | None = None) -> Scripted:
    """A problem that proposes these, and raises those that are exceptions."""

    def script(effort: Effort) -> Iterator[Proposal]:
        for proposal in proposals:
            if isinstance(proposal, BaseException):
                raise proposal
            yield proposal

    return Scripted(script, about or About())


def test_only_what_the_kernel_accepts_counts() -> None:
    lie = Proposal({"kind": "weights", "expand": [[0, 1, 1]], "contract": [[0, 2, 9]], "ground": 0, "psd": {}}, "lower")
    odd = Proposal({"kind": "coordinates", "points": None}, "upper")
    result = certify.solve(scripted(lie, FLAT, odd, ONE, LINE))
    assert result.bounds == certify.Bounds(Fraction(1), Fraction(16))
    assert result.why_wide is not None
    assert "refused 3 witnesses" in result.why_wide
    assert result.verdict == certify.check(result.certificate)


def test_the_side_is_what_the_kernel_says_and_not_the_proposal() -> None:
    swapped = Proposal(SQUARE.witness, "lower")
    assert certify.solve(scripted(swapped)).bounds == certify.Bounds(None, Fraction(2))


def test_the_strongest_of_each_side_is_kept_in_any_order() -> None:
    for order in ((LINE, SQUARE, ONE), (SQUARE, ONE, LINE), (ONE, SQUARE, LINE, ONE)):
        result = certify.solve(scripted(*order))
        assert result.bounds == certify.Bounds(Fraction(1), Fraction(2))
        assert len(result.certificate.witnesses) == 2


def test_equal_ends_are_exact_and_the_work_stops() -> None:
    problem = square_metric()
    exact = problem.solve(gap=0)
    late = Scripted(lambda effort: iter([*exact_proposals(exact.certificate), ZeroDivisionError]))  # type: ignore[list-item]
    result = certify.solve(late)
    assert (result.status.word, result.stopped.word) == ("exact", "gap")
    assert [s.relation for s in result.statements] == [">=", "<=", "=="]
    assert result.verdict == certify.check(result.certificate.dumps().encode())


def exact_proposals(certificate: Certificate) -> list[Proposal]:
    sides: tuple[Literal["lower"], Literal["upper"]] = ("lower", "upper")
    return [Proposal(witness, side) for witness, side in zip(certificate.witnesses, sides, strict=True)]


def test_twins_are_both_considered() -> None:
    lower, upper = exact_proposals(square_metric().solve(gap=0).certificate)
    first = Proposal(lower.witness, "lower", twin_follows=True)
    result = certify.solve(scripted(SQUARE, first, upper), gap=Fraction(9, 10))
    assert result.status.word == "exact"


@pytest.mark.parametrize(
    ("proposals", "status", "stopped"),
    [
        ([], "unknown", "engines_failed"),
        ([ONE, LINE], "bounded", "engines_failed"),
        ([ONE, points((0,), (1,), (3,), (2,), claim=Claim("magic", "done", 1.0))], "bounded", "exhausted"),
        ([ONE, points((0,), (0,), (0,), (0,), claim=Claim("magic", "done", 1.0))], "bounded", "engines_failed"),
        ([ONE, SQUARE, KeyboardInterrupt()], "bounded", "interrupt"),
        ([ONE, SQUARE, TimeIsUpError()], "bounded", "time"),
        ([KeyboardInterrupt()], "unknown", "interrupt"),
        ([ONE, SQUARE, ZeroDivisionError("0 / 0")], "bounded", "engines_failed"),
    ],
)
def test_why_the_work_ended(
    proposals: list[Any], status: str, stopped: str, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    path = tmp_path / "x.cert.json"
    result = certify.solve(scripted(*proposals), save=path)
    assert (result.status.word, result.stopped.word) == (status, stopped)
    assert path.exists() is (result.bounds != certify.Bounds(None, None))
    assert (result.path is not None) is path.exists()
    assert ("ZeroDivisionError: 0 / 0" in str(result.why_wide)) is ("ZeroDivisionError" in repr(proposals))
    if path.exists():
        assert certify.check(path) == result.verdict


def test_time_and_gap() -> None:
    assert certify.solve(scripted(ONE, SQUARE), time_limit=0).stopped.word == "time"
    assert certify.solve(scripted(ONE, SQUARE), gap=0.5).status.word == "tight"
    assert certify.solve(scripted(ONE, SQUARE), gap=0.49).status.word == "bounded"
    assert certify.solve(scripted(ONE, SQUARE), gap=0, abs_gap=1).status.word == "tight"
    assert certify.solve(scripted(ONE, SQUARE), abs_gap=0.5).status.word == "bounded"
    in_file = About(solve=SolveOptions(gap=Fraction(1, 2)))
    assert certify.solve(scripted(ONE, SQUARE, about=in_file)).status.word == "tight"
    assert certify.solve(scripted(ONE, SQUARE, about=in_file), gap=0.1).status.word == "bounded"


@pytest.mark.parametrize(
    "options",
    [
        {"gap": -1},
        {"gap": float("nan")},
        {"gap": "wide"},
        {"gap": "1e999999999"},
        {"gap": True},
        {"abs_gap": float("inf")},
        {"abs_gap": []},
        {"time_limit": -1},
        {"time_limit": float("nan")},
        {"solver": "nobody"},
        {"solver": ""},
    ],
    ids=str,
)
def test_wrong_options(options: dict[str, Any]) -> None:
    with pytest.raises(InputError) as caught:
        certify.solve(scripted(ONE), **options)
    assert len(caught.value.lines()) == 1


@pytest.mark.parametrize(
    "options",
    [
        {"gap": "1/3"},
        {"gap": np.float32(0.5)},
        {"gap": 0},
        {"time_limit": float("inf")},
        {"solver": "MAGIC"},
        {"seed": 7},
    ],
    ids=str,
)
def test_right_options(options: dict[str, Any]) -> None:
    assert certify.solve(scripted(ONE), **options).bounds.lower == 1


def test_interrupts_in_the_last_seconds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from certify import proving

    faults: list[BaseException] = [KeyboardInterrupt()]
    finished = proving._Work.finished

    def interrupted(self: Any) -> Certificate:
        if faults:
            raise faults.pop()
        return finished(self)

    monkeypatch.setattr(proving._Work, "finished", interrupted)
    result = certify.solve(scripted(ONE, SQUARE))
    assert (result.stopped.word, result.bounds.upper) == ("interrupt", 2)
    faults.append(TimeIsUpError())
    assert certify.solve(scripted(ONE, SQUARE)).stopped.word == "time"
    faults += [KeyboardInterrupt(), KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt):
        certify.solve(scripted(ONE, SQUARE), save=tmp_path / "x.cert.json")
    assert certify.check(tmp_path / "x.cert.json").best("<=") == 2


def test_an_interrupt_in_the_kernel(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    ask = Court.ask

    def interrupted(self: Court, witness: Any) -> Any:
        if witness["kind"] == "coordinates":
            raise KeyboardInterrupt
        return ask(self, witness)

    monkeypatch.setattr(Court, "ask", interrupted)
    result = certify.solve(scripted(ONE, SQUARE), save=tmp_path / "x.cert.json")
    assert (result.stopped.word, result.bounds) == ("interrupt", certify.Bounds(Fraction(1), None))


def test_progress_is_told_the_proved_interval() -> None:
    told: list[certify.Progress] = []
    certify.solve(scripted(ONE, LINE, SQUARE), progress=told.append)
    intervals = [(at.bounds.lower, at.bounds.upper) for at in told]
    assert intervals == [(None, None), (1, None), (1, 16), (1, 2)]
    assert all(at.seconds >= 0 and at.doing for at in told)


def test_the_file_is_whole_at_every_improvement(tmp_path: Path) -> None:
    path = tmp_path / "x.cert.json"
    seen: list[Fraction | None] = []

    def look(at: certify.Progress) -> None:
        if path.exists():
            verdict = certify.check(path)
            assert verdict.valid
            seen.append(verdict.best("<="))

    certify.solve(scripted(ONE, LINE, SQUARE), save=path, progress=look)
    assert seen == [None, 16, 2]


def test_made_by_holds_words_and_no_floats() -> None:
    about = About(title="t", source="s", labels=("a", "b", "c", "d"), known=Known("2.0", "==", None, "Enflo"))
    claim = Claim("magic", "done", 0.1)
    result = certify.solve(scripted(points((0,), (1,), (3,), (2,), claim=claim), about=about), seed=3)
    made_by = result.certificate.made_by
    assert set(made_by) == {"versions", "seed", "seconds", "title", "source", "labels", "solver_claim", "known"}
    assert made_by["solver_claim"] == {"name": "magic", "status": "done", "value": "0.1"}

    def no_float(value: Any) -> bool:
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return not isinstance(value, float) and all(map(no_float, inner))

    assert no_float(made_by)


def test_the_same_seed_gives_the_same_certificate() -> None:
    problem = certify.Embedding.from_graph(nx.heawood_graph())
    first, second = (certify.solve(problem, seed=1).certificate for _ in range(2))
    assert first == second
    assert first.witnesses == second.witnesses


# --- start, and files that stand ----------------------------------------------------------------------


def test_start_from_a_certificate_in_memory_or_in_a_file(tmp_path: Path) -> None:
    strong = certify.solve(scripted(ONE, SQUARE)).certificate
    path = strong.save(tmp_path / "s.cert.json")
    loose = Certificate(strong.family, {"metric": dict(strong.problem["metric"])}, tuple(map(dict, strong.witnesses)))
    for start in (strong, loose, path, str(path)):
        result = certify.solve(scripted(), start=start)
        assert result.bounds == certify.Bounds(Fraction(1), Fraction(2))
        assert result.solution == "coordinates"


def test_start_may_hold_the_same_data_in_another_form() -> None:
    strong = certify.solve(scripted(ONE, SQUARE)).certificate
    graph = strong.problem["metric"]["graph"]
    doubled = {**graph, "denominator": "0x2", "edges": [[u, v, 2] for u, v, _ in graph["edges"]]}
    start = Certificate(strong.family, {"metric": {"graph": doubled}}, strong.witnesses)
    assert certify.solve(scripted(), start=start).bounds.upper == 2


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"family": "kmeans"}, "another problem"),
        (
            {"problem": {"metric": {"squared_distances": {"denominator": 1, "rows": [[0, 1], [1, 0]]}}}},
            "another problem",
        ),
        ({"problem": {"metric": None}}, "rejected"),
        ({"witnesses": ({"kind": "magic"},)}, "rejected"),
        ({"witnesses": (FLAT.witness,)}, "rejected"),
    ],
)
def test_a_start_that_will_not_do(change: dict[str, Any], why: str) -> None:
    good = certify.solve(scripted(ONE)).certificate
    parts = {"family": good.family, "problem": good.problem, "witnesses": good.witnesses, **change}
    with pytest.raises(InputError, match=why):
        certify.solve(scripted(ONE), start=Certificate(**parts))


def certificate_of(*proposals: Proposal) -> Certificate:
    """A certificate of the four-cycle with these witnesses."""
    return certify.solve(scripted(*proposals)).certificate


def test_what_stands_is_joined_end_by_end(tmp_path: Path) -> None:
    path = certificate_of(SQUARE).save(tmp_path / "x.cert.json")
    result = certify.solve(scripted(ONE, LINE), save=path)
    assert result.bounds == certify.Bounds(Fraction(1), Fraction(2))
    assert certify.check(path) == result.verdict


def test_another_run_that_writes_meanwhile_is_not_weakened(tmp_path: Path) -> None:
    path = tmp_path / "x.cert.json"

    def script(effort: Effort) -> Iterator[Proposal]:
        yield ONE
        certificate_of(SQUARE).save(path)
        yield LINE

    result = certify.solve(Scripted(script), save=path)
    assert certify.check(path).best("<=") == 2
    assert result.bounds == certify.Bounds(Fraction(1), Fraction(2))
    assert result.verdict == certify.check(path)


@pytest.mark.parametrize("content", ["", "a diary", '{"format": "certify/1"}'])
def test_another_file_is_moved_aside_only_when_there_is_something_to_write(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.cert.json"
    path.write_text(content, encoding="utf-8")
    certify.solve(scripted(KeyboardInterrupt()), save=path)
    assert path.read_text(encoding="utf-8") == content
    (tmp_path / "x.cert.json.old1").write_text("older", encoding="utf-8")
    result = certify.solve(scripted(ONE), save=path)
    assert (tmp_path / "x.cert.json.old2").read_text(encoding="utf-8") == content
    assert (tmp_path / "x.cert.json.old1").read_text(encoding="utf-8") == "older"
    assert any("x.cert.json.old2" in note for note in result.notes)


def test_a_forgery_that_stands_is_not_joined(tmp_path: Path) -> None:
    good = certificate_of(ONE)
    forged = Certificate(good.family, good.problem, (ONE.witness, FLAT.witness))
    path = forged.save(tmp_path / "x.cert.json")
    assert certify.solve(scripted(LINE), save=path).bounds == certify.Bounds(None, Fraction(16))
    assert (tmp_path / "x.cert.json.old1").exists()


def test_the_output_is_tried_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        certify.solve(scripted(ZeroDivisionError()), save=tmp_path / "no" / "x.cert.json")
    with pytest.raises(InputError, match="cannot be written"):
        Keeper(tmp_path, Court(square_metric()))


def test_a_family_without_a_checker_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.keeping.FAMILIES", {})
    with pytest.raises(InputError, match="no checker"):
        certify.solve(scripted(ONE))


def test_digest_is_that_of_the_statements() -> None:
    result = certify.solve(scripted(ONE))
    assert digest(square_metric()) == result.statements[0].digest


# --- assess -------------------------------------------------------------------------------------------


def test_assess_gives_the_exact_value_and_a_proved_ratio() -> None:
    result = certify.assess(scripted(ONE, SQUARE), LINE)
    assert result.assessment is not None
    assert result.assessment.value == 16
    assert result.assessment.ratio_upper == 16.0
    assert result.bounds.upper == 2
    best = square_metric().assess([[0], [1], [3], [2]]).assessment
    assert best is not None
    assert 8 <= (best.ratio_upper or 0) < 8.01


def test_assess_without_a_value() -> None:
    infinite = certify.assess(scripted(ONE), "infinite: two points meet").assessment
    assert infinite is not None
    assert (infinite.value, infinite.ratio_upper, infinite.why) == (None, None, "infinite: two points meet")
    refused = certify.assess(scripted(ONE), FLAT).assessment
    assert refused is not None
    assert refused.value is None
    assert "map.injective" in (refused.why or "")
    no_lower_end = certify.assess(scripted(), LINE).assessment
    assert no_lower_end is not None
    assert (no_lower_end.value, no_lower_end.ratio_upper) == (16, None)
