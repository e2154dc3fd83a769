"""What every family and every engine must pass, as a class of tests.

A family subclasses :class:`Conformance` and fills in tables; pytest runs every inherited test on every row.
Nothing here imports pytest: ``pytest_generate_tests`` is found by name, and ``tmp_path`` is pytest's own fixture.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from certify.certificate import Certificate, check_file
from certify.errors import InputError
from certify.kernel import Verdict, check_bytes, read_json, unpack
from certify.kernel.export import single_file
from certify.problem import Problem
from certify.proving import digest, solve
from certify.result import Result
from certify.testing.forging import Forgery, bomb, forged, forgeries, raw_forgeries, respellings, written

PLACE = re.compile(r"(certificate|format|family|problem|witnesses|made_by|file)([.\[:]\S*)?")
LATE = 5.0  # seconds that work may last beyond its limit
PROVED_WORDS = ("exact", "tight")


def demand(condition: object, why: str) -> None:
    """Raise AssertionError with a reason unless the condition holds."""
    if not condition:
        raise AssertionError(why)


@dataclass(frozen=True)
class Case:
    """A problem whose optimum is known: it lies in [low, high] (of the primary quantity).

    gap: the relative gap that must be reached; engines: which of the problem's engines are tried on it.
    """

    name: str
    make: Callable[[], Problem]
    low: float | Fraction
    high: float | Fraction
    gap: float = 1e-6
    engines: bool = True


@dataclass(frozen=True)
class Degenerate:
    """A hostile input: either its optimum is ``value``, or making it fails with a line that matches ``error``."""

    name: str
    make: Callable[[], Problem]
    value: Fraction | None = None
    error: str | None = None


class Conformance:
    """Inherit, name the class ``Test…``, and fill in the tables.

    cases: problems of known optimum. degenerate: hostile inputs. slow_case: a problem on which an engine can
    be interrupted: work on it must last several seconds. certificates: tiny certificates, as documents, by name;
    :meth:`judge` tells whether what an accepted forgery of one of them states is true.
    """

    cases: tuple[Case, ...] = ()
    degenerate: tuple[Degenerate, ...] = ()
    slow_case: Callable[[], Problem] | None = None
    certificates: Mapping[str, dict[str, Any]] = {}
    forged_examples = 2600
    step = 5  # of the single changes, take every fifth; 1: all
    engine_gap = 1e-3

    def judge(self, document: Any, verdict: Verdict) -> None:
        """Raise AssertionError unless every statement of an accepted certificate is true."""
        raise NotImplementedError

    def twins(self, problem: Any) -> Iterable[tuple[str, Problem]]:
        """Problems with the same optimum, by name."""
        return ()

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """One test a row of the table that a test asks for by the name of its argument."""
        tables: dict[str, Any] = {
            "case": self.cases,
            "odd": self.degenerate,
        }
        for name, rows in tables.items():
            if name in metafunc.fixturenames:
                metafunc.parametrize(name, rows, ids=[row.name for row in rows])
        if "certificate_name" in metafunc.fixturenames:
            metafunc.parametrize("certificate_name", list(self.certificates))

    # -- what is proved --------------------------------------------------------------------------------------

    def test_known_value(self, case: Case) -> None:
        """The known optimum lies in the proved interval, and the interval is tight."""
        result = solved(case)
        contains(result, case)
        demand(result.status.word in PROVED_WORDS, f"{result.status.word}: {result.sentence()}; {result.why_wide}")
        gap = result.bounds.gap
        demand(gap is not None and gap <= Fraction(case.gap), f"gap {gap}")

    def test_certificate_checks_everywhere(self, case: Case, tmp_path: Path) -> None:
        """Written, read, checked: by this process with and without flint, by a new one, by the exported file."""
        result = solved(case)
        verdict = result.verdict
        checker = tmp_path / "check.py"
        checker.write_text(single_file(), encoding="utf-8")
        for name in ("x.cert.json", "x.cert.json.gz"):
            path = result.certificate.save(tmp_path / name)
            demand(Certificate.load(path) == _as_read(result.certificate), "the certificate changed on its way")
            demand(check_file(path) == check_file(path, pure=True) == verdict, "another verdict from the file")
        expected = verdict.as_json()
        for command in (
            [sys.executable, "-I", "-m", "certify.kernel", "--pure"],
            [sys.executable, "-I", "-m", "certify.kernel"],
            [sys.executable, "-I", "-S", str(checker)],
        ):
            done = subprocess.run([*command, "--json", str(path)], capture_output=True, text=True, check=False)
            demand(done.returncode == 0, f"{command}: exit code {done.returncode}: {done.stderr}")
            demand(json.loads(done.stdout) == expected, f"{command}: another verdict")
        demand(
            verdict.statements[0].digest == digest(case.make()),
            "the statement names another digest than that of the problem",
        )

    def test_json_contract(self, case: Case) -> None:
        """``Result.as_json``: the exact keys and types of the contract, and floats that are bounds too."""
        json_contract(solved(case))

    def test_faces(self, case: Case) -> None:
        """The terminal table and the notebook page never say more than the bounds."""
        result = solved(case)
        text, page = result.to_text(), result._repr_html_()
        demand(result.status.word in text and result.family.quantity.name in text, "the table lacks the result")
        demand("<math" in page, "the page lacks the mathematics")
        low, high = result.bounds.lower, result.bounds.upper
        name = result.family.quantity.name
        if low is not None and high is not None:
            result.require(f"{name} >= {low}").require(f"{name} <= {high}")

    def test_twins(self, case: Case) -> None:
        """Relabelled, scaled, given in another way: the intervals overlap and the status is of the same class."""
        result = solved(case)
        for name, twin in self.twins(case.make()):
            other = solve(twin, gap=case.gap, time_limit=60)
            overlap(result, other, name)
            contains(other, case)
            demand(other.status.word in PROVED_WORDS, f"{name}: {other.status.word}, {other.why_wide}")

    def test_engines(self, case: Case) -> None:
        """Every engine that is asked for by name proves an interval that overlaps the first one."""
        problem = case.make()
        for name in getattr(problem, "engines", ()) if case.engines else ():
            other = solve(problem, solver=name, gap=self.engine_gap, time_limit=60)
            overlap(solved(case), other, name)
            contains(other, case)
            demand(other.status.word in PROVED_WORDS, f"{name}: {other.status.word}, {other.why_wide}")

    def test_deterministic(self, case: Case) -> None:
        """The same seed gives the same witnesses."""
        again = solve(case.make(), gap=case.gap, time_limit=60)
        demand(again.bounds == solved(case).bounds, f"another interval: {again.sentence()}")
        demand(again.certificate == solved(case).certificate, "other witnesses")

    # -- what is on disk -------------------------------------------------------------------------------------

    def test_start(self, case: Case, tmp_path: Path) -> None:
        """A certificate to start from is taken over; one of another problem, or a forgery, is refused."""
        result = solved(case)
        path = result.certificate.save(tmp_path / "start.cert.json")
        again = solve(case.make(), start=path, time_limit=0, gap=case.gap)
        demand(again.bounds == result.bounds, f"{again.sentence()} after starting from {result.sentence()}")
        weak = solve(case.make(), time_limit=0, gap=0)
        better = solve(case.make(), start=weak.certificate, gap=case.gap, time_limit=60)
        demand(not looser(better, weak), "weaker than what it started from")
        contains(better, case)
        forgery = {**result.certificate.document(), "witnesses": [{"kind": "no such kind"}]}
        (tmp_path / "forged.cert.json").write_text(written(forgery), encoding="utf-8")
        for name, other in (("forged", tmp_path / "forged.cert.json"), ("absent", tmp_path / "absent")):
            try:
                solve(case.make(), start=other, time_limit=0)
            except InputError:
                continue
            raise AssertionError(f"a {name} certificate was taken to start from")

    def test_stronger_is_kept(self, case: Case, tmp_path: Path) -> None:
        """A certificate on disk is never overwritten by a weaker one, and a foreign file is moved aside."""
        path = tmp_path / "kept.cert.json"
        result = solved(case)
        result.certificate.save(path)
        weak = solve(case.make(), save=path, time_limit=0)
        on_disk = check_file(path)
        demand(on_disk.valid and on_disk.statements == result.verdict.statements, "the stronger certificate was lost")
        demand(not looser(weak, result), "the result is weaker than the certificate that it is about")
        path.write_text("notes", encoding="utf-8")
        solve(case.make(), save=path, time_limit=0)
        demand(check_file(path).valid, "no certificate was written")
        demand(any(p.read_text(encoding="utf-8") == "notes" for p in tmp_path.glob("kept*old*")), "a file was lost")

    def test_no_litter(self, case: Case, tmp_path: Path) -> None:
        """One file is left, whole, and it is what the result says."""
        result = solve(case.make(), save=tmp_path / "x.cert.json.gz", gap=case.gap, time_limit=60)
        demand([p.name for p in tmp_path.iterdir()] == ["x.cert.json.gz"], f"left: {list(tmp_path.iterdir())}")
        demand(check_file(tmp_path / "x.cert.json.gz") == result.verdict, "the file proves something else")
        demand(result.path == str(tmp_path / "x.cert.json.gz"), f"path {result.path}")

    # -- hostile input ---------------------------------------------------------------------------------------

    def test_degenerate(self, odd: Degenerate) -> None:
        """The true answer, or an InputError of one clear line a fault."""
        try:
            problem = odd.make()
        except InputError as fault:
            demand(odd.error is not None, f"refused: {fault}")
            demand(re.search(odd.error or "", str(fault)), f"{fault} does not say {odd.error}")
            demand(all("\n" not in line and line for line in fault.lines()), "not one line a fault")
            return
        demand(odd.error is None, f"accepted, but should say {odd.error}")
        result = solve(problem, time_limit=60)
        bounds = result.bounds
        demand(bounds.lower is not None and bounds.upper is not None, f"{result.sentence()}: {result.why_wide}")
        demand(odd.value is None or (bounds.lower or 0) <= odd.value <= (bounds.upper or 0), result.sentence())
        demand(result.status.word in PROVED_WORDS, f"{result.status.word}: {result.sentence()}; {result.why_wide}")
        demand(check_bytes(result.certificate.dumps().encode(), pure=True).valid, "the certificate does not check")
        json_contract(result)

    # -- clocks and signals ----------------------------------------------------------------------------------

    def test_time_limit(self) -> None:
        """The limit is kept within five seconds, with what was proved until then."""
        for limit in (0.0, 2.0):
            if self.slow_case is None:
                return
            began = time.monotonic()
            result = solve(type(self).slow_case(), gap=0, time_limit=limit)  # type: ignore[misc]
            took = time.monotonic() - began
            demand(took <= limit + LATE, f"{took:.1f} s with a limit of {limit} s")
            demand(result.verdict.valid, "nothing was proved")
            demand(result.stopped.word in ("time", "gap"), f"stopped: {result.stopped.word}")
            json_contract(result)

    def test_interrupt(self, tmp_path: Path) -> None:
        """Ctrl-C ends work soon, with the best certificate so far, whole and on disk."""
        for wait in (0.0, 1.0):
            process, path = self._at_work(tmp_path, wait)
            if process is None:
                return
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            out, err = process.communicate(timeout=60)
            demand(time.monotonic() - began <= LATE, "Ctrl-C took more than five seconds")
            demand(process.returncode == 0 and "Traceback" not in err, f"exit code {process.returncode}: {err}")
            table = json.loads(out)
            demand(table["stopped"] in ("interrupt", "gap", "exhausted"), f"stopped: {table['stopped']}")
            verdict = check_file(path)
            demand(verdict.valid, f"the certificate on disk is rejected: {verdict}")
            ends = [None if end is None else str(end) for end in (verdict.best(">="), verdict.best("<="))]
            demand(ends == [table["lower"], table["upper"]], f"{ends} on disk, {table['lower']}, {table['upper']} told")
            path.unlink()

    def test_kill(self, tmp_path: Path) -> None:
        """kill −9 at any moment leaves a whole certificate that checks."""
        for wait in (0.0, 0.05, 0.3, 1.0):
            process, path = self._at_work(tmp_path, wait)
            if process is None:
                return
            process.kill()
            process.communicate()
            verdict = check_file(path)
            demand(verdict.valid, f"the certificate on disk is rejected: {verdict}")

    def _at_work(self, folder: Path, wait: float) -> tuple[subprocess.Popen[str] | None, Path]:
        """A process that solves the slow case, some seconds after its first certificate was written."""
        path = folder / "work.cert.json"
        if self.slow_case is None:
            return None, path
        problem = type(self).slow_case()  # type: ignore[misc]
        data = folder / "problem.json"
        data.write_text(written({"family": problem.family.name, "problem": problem.canonical()}), encoding="utf-8")
        command = [sys.executable, "-I", "-c", _WORK, str(data), str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        end = time.monotonic() + 60
        while not path.exists() and process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        time.sleep(wait)
        if not path.exists():
            process.kill()
            raise AssertionError(f"no certificate was written: {process.communicate()[1]}")
        if process.poll() is not None:
            raise AssertionError(f"the slow case is done after {wait} s: {process.communicate()}")
        return process, path

    # -- forgeries -------------------------------------------------------------------------------------------

    def test_tiny_certificates_are_valid(self, certificate_name: str) -> None:
        """What is forged below is valid before it is forged, in every spelling, with and without flint."""
        document = self.certificates[certificate_name]
        verdict = check_bytes(written(document).encode())
        demand(verdict.valid, f"{verdict}")
        self.judge(document, verdict)
        for same in respellings(document):
            for pure in (False, True):
                demand(check_bytes(same.data, pure) == verdict, f"{same.name}: {check_bytes(same.data, pure)}")

    def test_raw_forgeries(self, certificate_name: str) -> None:
        """A damaged text or container is always rejected."""
        for forgery in raw_forgeries(written(self.certificates[certificate_name]).encode()):
            verdict = check_bytes(forgery.data)
            demand(not verdict.valid, f"{forgery.name} was accepted")
            rejection(forgery, verdict)

    def test_bomb(self) -> None:
        """A file that unpacks to more than the limit is rejected without being read to its end."""
        verdict = check_bytes(bomb((1 << 28) + 1))
        demand(verdict.rule == "gzip.size", f"{verdict}")

    def test_every_single_change(self, certificate_name: str) -> None:
        """Every field changed in the listed ways: rejected with rule and place, or true."""
        for forgery in forgeries(self.certificates[certificate_name], self.step):
            self.try_forgery(forgery)

    def test_forging_campaign(self) -> None:
        """Thousands of composed changes, drawn by hypothesis, the same ones every time."""
        if not self.certificates:
            return
        from hypothesis import HealthCheck, Phase, given, settings

        @settings(
            max_examples=self.forged_examples,
            derandomize=True,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        @given(forged(list(self.certificates.values())))
        def campaign(forgery: Forgery) -> None:
            seen[forgery.data] = self.try_forgery(forgery)

        seen: dict[bytes, bool] = {}
        campaign()
        demand(2 * len(seen) >= self.forged_examples, f"only {len(seen)} different forgeries")
        demand(any(seen.values()) and not all(seen.values()), "the campaign only sees one side")

    def try_forgery(self, forgery: Forgery) -> bool:
        """Whether it was accepted; AssertionError if that was wrong or a rejection is not explained."""
        verdict = check_bytes(forgery.data)
        demand(verdict == check_bytes(forgery.data, pure=True), f"{forgery.name}: flint and pure differ")
        if verdict.valid:
            try:
                self.judge(read_json(unpack(forgery.data)), verdict)
            except AssertionError as fault:
                raise AssertionError(f"{forgery.name}: {fault}\n{forgery.data[:3000]!r}") from None
        else:
            rejection(forgery, verdict)
        return verdict.valid


_WORK = """
import json, sys
from certify.problem import About, family
from certify.proving import solve
table = json.load(open(sys.argv[1]))
problem = family(table["family"]).from_canonical(table["problem"], About())
print(solve(problem, gap=0, time_limit=120, save=sys.argv[2]).to_json())
"""


@cache
def solved(case: Case) -> Result:
    """The result of a case; solved once in a test run."""
    return solve(case.make(), gap=case.gap, time_limit=60)


def _as_read(certificate: Certificate) -> Certificate:
    """A certificate as it is after it was written: large integers are text."""
    document = read_json(certificate.dumps().encode())
    return Certificate(document["family"], document["problem"], tuple(document["witnesses"]))


def contains(result: Result, case: Case) -> None:
    """The known optimum lies in the proved interval."""
    low, high = result.bounds.lower, result.bounds.upper
    demand(low is not None and high is not None, f"an end is missing: {result.sentence()}; {result.why_wide}")
    demand((low or 0) <= case.high and (high or 0) >= case.low, f"{case.name}: {result.sentence()} excludes the truth")


def overlap(one: Result, other: Result, name: str) -> None:
    """Two proved intervals of the same optimum have a point in common."""
    ends = (one.bounds.lower, one.bounds.upper, other.bounds.lower, other.bounds.upper)
    demand(None not in ends, f"{name}: an end is missing: {other.sentence()}; {other.why_wide}")
    a, b, c, d = (end or Fraction(0) for end in ends)
    demand(a <= d and c <= b, f"{name}: {one.sentence()} and {other.sentence()} exclude each other")


def looser(one: Result, other: Result) -> bool:
    """Whether an end of the first interval is weaker than that of the second."""
    below = other.bounds.lower is not None and (one.bounds.lower is None or one.bounds.lower < other.bounds.lower)
    above = other.bounds.upper is not None and (one.bounds.upper is None or one.bounds.upper > other.bounds.upper)
    return below or above


def rejection(forgery: Forgery, verdict: Verdict) -> None:
    """A rejection names the rule, a place in the document and a reason, in one printable line."""
    told = f"{forgery.name}: {verdict}"
    demand(re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)*", verdict.rule), f"{told}: no rule")
    demand(verdict.rule != "internal", f"{told}: a fault of the kernel")
    demand(PLACE.fullmatch(verdict.where), f"{told}: the place {verdict.where!r} is not in the document")
    demand(verdict.why and verdict.why.isprintable() and len(verdict.why) < 300, f"{told}: no reason in one line")
    demand(verdict.as_json().keys() == {"valid", "rule", "where", "why"}, f"{told}: other keys")
    lines = verdict.lines()
    demand(len(lines) == 1 and lines[0].startswith(f"s REJECTED {verdict.rule} {verdict.where} "), f"{told}: {lines}")


_NUMBER, _TEXT = (int, float), (str,)
_KEYS: dict[str, tuple[type, ...]] = {
    "family": _TEXT,
    "quantity": _TEXT,
    "sense": _TEXT,
    "status": _TEXT,
    "stopped": _TEXT,
    "rigor": _TEXT,
    "lower": (str, type(None)),
    "upper": (str, type(None)),
    "lower_float": (float, type(None)),
    "upper_float": (float, type(None)),
    "gap": (float, type(None)),
    "derived": (dict,),
    "solver_claim": (dict, type(None)),
    "known": (dict, type(None)),
    "why_wide": (str, type(None)),
    "certificate": (str, type(None)),
    "statement": _TEXT,
    "seconds": (dict,),
}
_OPTIONAL: dict[str, tuple[type, ...]] = {
    "value": (str, list, type(None)),
    "ratio_upper": (float, type(None)),
    "exact_value": (dict,),
}
_WORDS = {
    "sense": ("min", "max"),
    "status": ("exact", "tight", "bounded", "infeasible", "unbounded", "unknown"),
    "stopped": ("gap", "time", "interrupt", "engines_failed", "exhausted"),
}


def json_contract(result: Result) -> None:
    """The object that ``certify solve --json`` prints: keys, types, words, and floats that are bounds."""
    table = json.loads(result.to_json(), parse_constant=_no_constant)
    keys = [key for key in table if key not in _OPTIONAL]
    demand(keys == list(_KEYS), f"keys {keys}")
    for key, types in (*_KEYS.items(), *((k, t) for k, t in _OPTIONAL.items() if k in table)):
        demand(type(table[key]) in types, f"{key}: {table[key]!r}")
    for key, words in _WORDS.items():
        demand(table[key] in words, f"{key}: {table[key]!r}")
    demand(table["rigor"] == "deterministic" or table["rigor"].startswith("confidence "), f"rigor {table['rigor']!r}")
    demand(set(table["seconds"]) == {"solve", "round", "check"}, f"seconds {table['seconds']}")
    demand(all(type(s) in _NUMBER and s >= 0 for s in table["seconds"].values()), f"seconds {table['seconds']}")
    demand(set(table["derived"]) == {q.name for q in result.family.derived}, f"derived {table['derived']}")
    for ends in (table, *table["derived"].values()):
        low, high = ends["lower_float"], ends["upper_float"]
        demand(low is None or high is None or low <= high, f"{low} > {high}")
    for entry in table["derived"].values():
        demand(set(entry) == {"lower_float", "upper_float"}, f"derived {entry}")
    for side, sign in (("lower", 1), ("upper", -1)):
        exact, near = table[side], table[f"{side}_float"]
        demand((exact is None) == (near is None), f"{side}: {exact} and {near}")
        if exact is not None:
            demand(re.fullmatch(r"-?\d+(/\d+)?", exact), f"{side}: {exact!r} is not p/q")
            demand(sign * Fraction(near) <= sign * Fraction(exact), f"{side}_float is not outward")
            demand(Fraction(exact) == getattr(result.bounds, side), f"{side} is not that of the bounds")
    demand((table["gap"] is None) == (table["lower"] is None or table["upper"] is None), f"gap {table['gap']}")
    demand(table["gap"] is None or Fraction(table["gap"]) >= (result.bounds.gap or 0), "the gap is rounded down")
    equal = "exact_value" in table or (table["lower"] is not None and table["lower"] == table["upper"])
    demand((table["status"] == "exact") == equal, f"status {table['status']}")
    if "exact_value" in table:
        value = table["exact_value"]
        demand(set(value) == {"a", "b", "d"} and type(value["d"]) is int, f"exact_value {value}")
        demand(all(re.fullmatch(r"-?\d+(/\d+)?", value[key]) for key in "ab"), f"exact_value {value}")
    if table["solver_claim"] is not None:
        demand(set(table["solver_claim"]) == {"name", "status", "value"}, f"{table['solver_claim']}")
    if table["known"] is not None:
        demand(set(table["known"]) == {"value", "agrees"}, f"{table['known']}")
    demand("\n" not in result.to_json() and "\n" not in table["statement"], "more than one line")


def _no_constant(text: str) -> Any:
    raise AssertionError(f"{text} is not JSON")
