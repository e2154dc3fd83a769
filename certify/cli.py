"""The command line: parse, call the public face, print. Nothing is decided here.

Only argparse is loaded to parse: ``certify check`` must start at once.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import certify
from certify.errors import Fault, InputError
from certify.kernel import Verdict, check_bytes

if TYPE_CHECKING:
    from certify.problem import Problem
    from certify.result import Result
    from certify.terminal import Complaints

PROVED, REJECTED, BAD_INPUT, OPEN = 0, 1, 2, 3
_SEVERITY = (BAD_INPUT, REJECTED, OPEN, PROVED)
_LIMIT = 300.0  # seconds, where neither the command nor the problem file says otherwise

_ABOUT = "Turn a solver's answer into a theorem: proved bounds, with certificates that anyone can re-check."
_CODES = """exit codes: 0 proved · 1 a certificate is rejected or a theorem violated · 2 bad input or usage,
hypotheses fail · 3 undecided, wider than asked, out of time, interrupted"""


def main() -> None:
    """The entry point."""
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # once more, while the first was being answered
        code = OPEN
    with suppress(ValueError):  # the answer is given: nothing may interrupt the end of the interpreter
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if threading.active_count() > 1:
        # An engine that was left at work in a thread would abort the end of the interpreter.
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):
                stream.flush()
        os._exit(code)
    sys.exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code. Every error ends as lines on stderr, never as a traceback."""
    from certify.terminal import Complaints, one_line

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a character gets its code
            stream.reconfigure(errors="backslashreplace")
    if not os.environ.get("CERTIFY_DEBUG"):
        warnings.simplefilter("ignore")  # those of engines: they are for who would believe the floats
    complaints = Complaints()
    try:
        code = _run(arguments, complaints)
        sys.stdout.flush()
    except InputError as fault:
        complaints.tell(fault)
        code = BAD_INPUT
    except KeyboardInterrupt as fault:
        # The certificate of what was proved before is on disk.
        what = "the time limit was reached" if type(fault) is not KeyboardInterrupt else "interrupted"
        print(f"certify: {what} before there was anything to say", file=sys.stderr)
        code = OPEN
    except OSError as fault:
        if not isinstance(fault, BrokenPipeError):
            complaints.tell(InputError(Fault(str(fault.filename or "stdout"), (fault.strerror or str(fault)).lower())))
        if fault.filename is None:  # stdout is gone or full: what is left in it must not be tried again at the end
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = OPEN if isinstance(fault, BrokenPipeError) else BAD_INPUT
    except Exception as fault:
        if os.environ.get("CERTIFY_DEBUG"):
            raise
        complaints.tell(one_line(fault))
        code = OPEN
    complaints.close()
    return code


class _Parser(argparse.ArgumentParser):
    """argparse whose errors are InputError, and whose options are never abbreviated."""

    def __init__(self, name: str, about: str) -> None:
        super().__init__(prog=f"certify {name}", description=about, epilog=_CODES, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        raise InputError(Fault(self.prog, message, f"see {self.prog} --help"))


def _run(arguments: Sequence[str], complaints: Complaints) -> int:
    name, rest = (arguments[0], arguments[1:]) if arguments else ("", ())
    if name in ("", "-h", "--help"):
        print(_help())
        return PROVED if name else BAD_INPUT  # 0 would say that something is proved
    if name == "--version":
        print(f"certify {certify.__version__}")
        return PROVED
    if name not in _COMMANDS:
        from difflib import get_close_matches

        near = get_close_matches(name, _COMMANDS, n=1)
        mend = f"did you mean {near[0]}?" if near else f"one of: {', '.join(_COMMANDS)}"
        raise InputError(Fault("certify", f"no command is called {name[:60]!r}", mend))
    command, declare = _COMMANDS[name]
    parser = _Parser(name, (command.__doc__ or "").strip())
    for each in declare:
        each(parser)
    try:
        options = parser.parse_intermixed_args(rest)
    except SystemExit:  # --help has printed itself
        return PROVED
    options.complaints = complaints
    return command(options)


def _help() -> str:
    lines = ["usage: certify COMMAND …", "", _ABOUT, ""]
    for name, (command, _) in _COMMANDS.items():
        lines.append(f"  {name:<10} {(command.__doc__ or '').strip()}")
    return "\n".join([*lines, "", "certify COMMAND --help shows its options; certify --version the version.", _CODES])


def _worst(codes: Sequence[int]) -> int:
    return next(code for code in _SEVERITY if code in codes or code == PROVED)


# --- solve and assess -----------------------------------------------------------------------------------


def solve(options: argparse.Namespace) -> int:
    """Prove the tightest interval for the optimum of each problem, and write its certificate."""
    from certify.proving import solve as prove

    return _solve_all(options, options.files, prove, _solve_code)


def bound(options: argparse.Namespace) -> int:
    """Prove bounds of the optimum of an LP, SOCP or SDP in a model file (.dat-s, .mps, .lp)."""
    from certify.families.conic import read_model
    from certify.proving import solve as prove

    return _solve_all(options, options.files, prove, _solve_code, lambda name: read_model(Path(name)))


def assess(options: argparse.Namespace) -> int:
    """How far is your solution from the optimum, provably?"""
    from certify.proving import assess as prove

    def work(problem: Problem, **how: Any) -> Result:
        solution = problem.family.read_solution(problem, Path(options.solution))
        try:
            return prove(problem, solution, **how)
        except InputError as fault:
            raise _about_file(fault, "solution", options.solution) from None

    def code(result: Result) -> int:
        asked = options.gap is not None or options.abs_gap is not None
        return _solve_code(result) if asked or result.stopped.word == "interrupt" else PROVED

    return _solve_all(options, [options.file], work, code)


def _about_file(error: InputError, what: str, name: str) -> InputError:
    """Faults in the data called ``what`` with the name of the file that they came from."""
    return InputError(
        *(
            Fault(f"{name}: {fault.where}", fault.what, fault.mend) if fault.where.startswith(what) else fault
            for fault in error.faults
        )
    )


def _solve_code(result: Result) -> int:
    done = result.status.word in ("exact", "tight", "infeasible", "unbounded")
    return PROVED if done and result.stopped.word != "interrupt" else OPEN


def _solve_all(
    options: argparse.Namespace,
    files: list[str],
    work: Callable[..., Result],
    code: Callable[[Result], int],
    load: Callable[[str], Problem] | None = None,
) -> int:
    from certify.problemfile import several
    from certify.terminal import Clock, stopped_by, table, ticker

    how = _how(options)
    if load is None:
        load, files = certify.load, [one for name in files for one in several(name)]
    targets = _targets(files, options.output)
    codes = []
    results: dict[str, Result] = {}
    for name, target in zip(files, targets, strict=True):
        try:
            clock = Clock(how["time_limit"])
            with stopped_by(clock.limit):
                problem = load(name)
            if clock.limit is None:
                clock.limit = _LIMIT if problem.about.solve.time_limit is None else problem.about.solve.time_limit
            left = clock.left()
            with ticker(options.quiet, name if len(files) > 1 else None) as progress, stopped_by(left):
                result = work(problem, **{**how, "time_limit": left}, save=target, progress=progress)
        except InputError as fault:
            options.complaints.tell(fault)
            codes.append(BAD_INPUT)
            continue
        face = sys.stdout
        results[name] = result
        if options.output == "-":
            face = sys.stderr
            sys.stdout.write(result.certificate.dumps() if result.verdict.valid else "")
        if options.json:
            print(result.to_json(), file=face, flush=True)
            for note in (*result.notes, result.assessment_text() if _without_value(result) else ""):
                print(f"note: {note}" if note else "", end="\n" if note else "", file=sys.stderr)
        elif not options.quiet:
            table(result, face)
        codes.append(code(result))
        if result.stopped.word == "interrupt":
            break
    _curves(options, results, dict(zip(files, targets, strict=True)))
    return _worst(codes)


def _curves(options: argparse.Namespace, results: dict[str, Result], targets: dict[str, Path | None]) -> None:
    """Of every file that states several problems: the curve of their optima, as a table and as a figure beside the
    certificates."""
    from certify.certificate import write_whole
    from certify.problemfile import one_of
    from certify.report.curve import curve_svg, curve_text
    from certify.report.svg import standing_alone

    for file in dict.fromkeys(one_of(name)[0] for name in results if one_of(name)[1] is not None):
        mine = {one_of(name)[1] or 0: name for name in results if one_of(name)[0] == file}
        curve = {k: results[name].certain for k, name in mine.items()}
        first = results[mine[min(mine)]]
        quantity, target = first.family.quantity.name, targets[mine[min(mine)]]
        if not options.json and not options.quiet:
            print(curve_text(quantity, curve))
        figure = curve_svg(quantity, first.title or f"{quantity} by the number of clusters", curve)
        if figure is not None and target is not None and len(curve) > 1:
            path = target.parent / f"{Path(file).stem}.curve.svg"
            write_whole(path, standing_alone(figure, 460).encode())
            if not options.json and not options.quiet:
                print(f"  figure {path}")


def _without_value(result: Result) -> bool:
    return result.assessment is not None and result.assessment.value is None


def _how(options: argparse.Namespace) -> dict[str, Any]:
    """The options of ``solve`` that the public face takes; InputError for what is no number."""
    faults: list[Fault] = []

    def number(name: str, text: str | None, example: str = "1e-6") -> Fraction | None:
        from certify.formats.exact import NotExactError, rational

        if text is None:
            return None
        try:
            value = rational(text)
        except NotExactError:
            value = Fraction(-1)
        if value < 0:
            faults.append(Fault(name, f"{text[:60]!r} is not a number >= 0", f"for example {example}"))
        return value

    gap, abs_gap = number("--gap", options.gap), number("--abs-gap", options.abs_gap)
    limit = number("--time-limit", options.time_limit, "60")
    if options.seed is not None and not (options.seed.isdecimal() and len(options.seed) <= 18):
        what = f"{options.seed[:60]!r} is not a whole number of at most 18 digits"
        faults.append(Fault("--seed", what, "for example 1"))
    if faults:
        raise InputError(*faults)
    return {
        "gap": gap,
        "abs_gap": abs_gap,
        "time_limit": None if limit is None else float(min(limit, Fraction(10**9))),
        "solver": options.solver,
        "seed": None if options.seed is None else int(options.seed),
        "start": options.start,
    }


def _stem(name: str) -> str:
    """What the certificate of a problem is called after: the file, and which of its problems."""
    from certify.problemfile import one_of

    file, k = one_of(name)
    stem = Path(file).name.removesuffix(".gz")
    return (Path(stem).stem if file != "-" else "stdin") + (f"-k{k}" if k is not None else "")


def _targets(files: list[str], output: str | None) -> list[Path | None]:
    """Where each certificate goes: ``./<stem>.cert.json``, the file given, or a folder for several.

    Raises InputError now for what could not be written later.
    """
    from certify.certificate import refuse_unwritable

    if output == "-":
        if len(files) > 1:
            raise InputError(Fault("-o -", "several certificates cannot go to stdout", "give a folder with -o"))
        return [None]
    names = [f"{_stem(name)}.cert.json" for name in files]
    if output is not None and len(files) == 1 and not output.endswith(("/", os.sep)) and not os.path.isdir(output):
        targets = [Path(output)]
    else:
        folder = Path(output or ".")
        if os.path.exists(folder) and not os.path.isdir(folder):
            what = "several certificates cannot go into one file"
            raise InputError(Fault(str(folder), what, "give a folder with -o"))
        for name in names:
            twins = [file for file, other in zip(files, names, strict=True) if other == name]
            if len(twins) > 1:
                what = f"{' and '.join(twins[:3])} would all be written to {folder / name}"
                raise InputError(Fault("-o", what, "solve them one by one"))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            reason = (fault.strerror or str(fault)).lower()
            raise InputError(Fault(str(folder), f"cannot be made: {reason}", "give another folder with -o")) from None
        targets = [folder / name for name in names]
    for name, target in zip(files, targets, strict=True):
        if name != "-" and os.path.exists(target) and os.path.exists(name) and target.samefile(name):
            raise InputError(Fault(str(target), "is the problem file itself", "choose another name with -o"))
        refuse_unwritable(target)
    return [*targets]


# --- certificates ---------------------------------------------------------------------------------------


def check(options: argparse.Namespace) -> int:
    """Check certificates with the kernel, in exact arithmetic, trusting no solver."""
    expected = None
    if options.against is not None:
        from certify.proving import digest

        expected = digest(certify.load(options.against))
    codes: list[int] = []
    tables: list[dict[str, Any]] = []
    for name in options.files:
        try:
            data = certify.certificate.read_bytes(Path(name))
        except InputError as fault:
            options.complaints.tell(fault)
            codes.append(BAD_INPUT)
            tables.append({"valid": False, "rule": "file", "where": name, "why": fault.faults[0].what})
            continue
        found_by_kernel = check_bytes(data, options.pure, certify.certificate.beside(name))
        verdict = _compared(found_by_kernel, expected, options.against)
        unknown = not verdict.valid and verdict.where == "family"
        claims = _claims(data, options.trust) if options.trust and unknown else []
        found, lines = verdict.as_json(), verdict.lines()
        if claims:
            found = {"valid": False, "rule": "claimed", "where": options.trust, "why": "; ".join(claims)}
            lines = claims
        tables.append(found)
        if not options.json:
            print("\n".join(lines if len(options.files) == 1 else [*lines[:1], f"c in {_printable(name)}", *lines[1:]]))
        codes.append(PROVED if verdict.valid else OPEN if claims else REJECTED)
    if options.json and len(options.files) > 1:
        print(json.dumps({"valid": all(found["valid"] for found in tables), "results": tables}))
    elif options.json and codes != [BAD_INPUT]:
        print(json.dumps(tables[0]))
    return _worst(codes)


def _compared(verdict: Verdict, expected: str | None, against: str | None) -> Verdict:
    """The verdict, or a rejection if the certificate is of another problem than the file's."""
    if not verdict.valid or expected is None or verdict.statements[0].digest == expected:
        return verdict
    here, there = expected[:16], verdict.statements[0].digest[:16]
    why = f"the data of {against} have the digest {here}…, the certificate is about {there}…"
    return Verdict(False, rule="against", where="problem", why=why)


def _printable(text: str) -> str:
    """Text that cannot begin a line of its own: a file name may hold anything."""
    return "".join(c if c.isprintable() else "?" for c in text)


def _claims(data: bytes, package: str) -> list[str]:
    """What a third party's own checker says; reported as claimed, never as proved."""
    from certify.problem import claims_of

    return [f"s CLAIMED by {package} {_printable(claim)}" for claim in claims_of(package, data)]


def explain(options: argparse.Namespace) -> int:
    """Which pairs, points, rows make the bound; why it is wide; what to try."""
    from certify.explaining import explain as lines

    verdict, text = lines(options.file)
    print("\n".join(text))
    return PROVED if verdict.valid else REJECTED


def cite(options: argparse.Namespace) -> int:
    """A LaTeX statement with the digest, the versions, and how to re-check it."""
    from certify.explaining import cite as lines

    verdict, text = lines(options.file)
    print("\n".join(text))
    return PROVED if verdict.valid else REJECTED


def report(options: argparse.Namespace) -> int:
    """A self-contained page: the statement, the interval to scale, the picture, how to re-check."""
    from certify.report.page import write_report

    if write_report(options.files, options.output):
        return PROVED
    print("certify report: a certificate is rejected; the page says which rule it breaks", file=sys.stderr)
    return REJECTED


# --- theorems, families, the kernel ---------------------------------------------------------------------


def verify(options: argparse.Namespace) -> int:
    """Does this theorem's bound hold on this instance? Both sides are proved."""
    from certify.terminal import Clock, stopped_by, ticker
    from certify.theorems import theorem

    entry = theorem(options.theorem)
    how = _how(options)
    del how["start"]
    clock = Clock(how["time_limit"])
    with stopped_by(clock.limit):
        problem = certify.load(options.file)
    if clock.limit is None:
        clock.limit = _LIMIT if problem.about.solve.time_limit is None else problem.about.solve.time_limit
    left = clock.left()
    with ticker(options.quiet) as progress, stopped_by(left):
        found = entry.verify(problem, **{**how, "time_limit": left}, progress=progress)
    print(found.to_json() if options.json else found.to_text())
    if found.result is not None and found.result.stopped.word == "interrupt":
        return OPEN
    codes = {"holds": PROVED, "vacuous": PROVED, "violated": REJECTED, "hypotheses fail": BAD_INPUT, "undecided": OPEN}
    return codes[found.verdict.word]


def families(options: argparse.Namespace) -> int:
    """The families of problems that are installed."""
    from certify.problem import families as find

    found = find()
    if options.json:
        print(json.dumps({name: {"summary": f.summary, "quantity": f.quantity.name} for name, f in found.items()}))
        return PROVED
    for name, entry in found.items():
        derived = ", ".join(q.name for q in entry.derived)
        print(f"{name:<12} {entry.summary}; bounds {entry.quantity.name}" + (f" ({derived})" if derived else ""))
    return PROVED


def theorems(options: argparse.Namespace) -> int:
    """The theorems that can be verified on an instance."""
    from certify.theorems import theorems as find

    keys = ("title", "statement", "latex", "hypotheses", "source")
    if options.json:
        print(json.dumps({name: {key: getattr(entry, key) for key in keys} for name, entry in find().items()}))
        return PROVED
    for name, entry in find().items():
        print(f"{name}: {entry.title}\n  {entry.statement}")
        print(f"  hypotheses: {entry.hypotheses}\n  source: {entry.source}")
    return PROVED


def init(options: argparse.Namespace) -> int:
    """Write a commented problem file to start from."""
    from certify.certificate import write_whole
    from certify.problem import family as find

    text = find(options.family).template()
    if options.output == "-":
        print(text, end="")
        return PROVED
    target = Path(options.output or f"{options.family}.toml")
    if target.exists():
        raise InputError(Fault(str(target), "stands there already", "choose another name with -o"))
    write_whole(target, text.replace(f"{options.family}.toml", target.name).encode())
    print(f"wrote {target}; next: certify solve {target}")
    return PROVED


def kernel(options: argparse.Namespace) -> int:
    """Write the kernel as one file that any Python checks certificates with."""
    from certify.certificate import write_whole
    from certify.kernel.export import single_file

    text = single_file()
    if options.export == "-":
        print(text, end="")
        return PROVED
    write_whole(Path(options.export), text.encode())
    print(f"wrote {options.export}; use: python -I {options.export} CERT")
    return PROVED


# --- what the commands take -----------------------------------------------------------------------------

_Declare = Callable[[_Parser], Any]


def _files(metavar: str, text: str) -> _Declare:
    return lambda parser: parser.add_argument("files", nargs="+", metavar=metavar, help=text)


def _one(name: str, metavar: str, text: str) -> _Declare:
    return lambda parser: parser.add_argument(name, metavar=metavar, help=text)


def _json(parser: _Parser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON, one object a line, and nothing else")


def _output(metavar: str, text: str, required: bool = False) -> _Declare:
    return lambda parser: parser.add_argument("-o", "--output", metavar=metavar, required=required, help=text)


def _effort(parser: _Parser) -> None:
    parser.add_argument("--gap", metavar="G", help="relative gap to reach (default 1e-6)")
    parser.add_argument("--abs-gap", metavar="A", help="absolute gap that also counts")
    parser.add_argument("--time-limit", metavar="S", help="wall-clock seconds, all included (default 300)")
    parser.add_argument("--solver", metavar="NAME", help="the engine to try first")
    parser.add_argument("--seed", metavar="N", help="seed of whatever is random (default 0)")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress, no table")
    parser.set_defaults(start=None)


def _from(parser: _Parser) -> None:
    parser.add_argument("--from", dest="start", metavar="CERT", help="tighten this certificate")


def _solution(parser: _Parser) -> None:
    parser.add_argument("--solution", metavar="SOL", required=True, help="your solution: CSV or .npy; - is stdin")


def _checking(parser: _Parser) -> None:
    parser.add_argument("--against", metavar="FILE", help="read this problem file again and compare")
    parser.add_argument("--pure", action="store_true", help="do not use python-flint even if it is installed")
    parser.add_argument("--trust", metavar="PACKAGE", help="also ask this package about kinds the kernel does not know")


def _export(parser: _Parser) -> None:
    parser.add_argument("--export", metavar="CHECK.py", required=True, help="the file to write; - is stdout")


_PROBLEM = _one("file", "FILE", "problem file; - is stdin")
_CERTIFICATE = _one("file", "CERT", "certificate; - is stdin")
_CERTIFICATE_OUT = _output("CERT", "certificate file, or a folder for several problems; - is stdout")
_COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], int], tuple[_Declare, ...]]] = {
    "solve": (solve, (_files("FILE", "problem files; - is stdin"), _CERTIFICATE_OUT, _effort, _from, _json)),
    "bound": (bound, (_files("MODEL", "models: .dat-s, .mps, .lp"), _CERTIFICATE_OUT, _effort, _from, _json)),
    "assess": (assess, (_PROBLEM, _solution, _CERTIFICATE_OUT, _effort, _from, _json)),
    "check": (check, (_files("CERT", "certificates; - is stdin"), _checking, _json)),
    "explain": (explain, (_CERTIFICATE,)),
    "cite": (cite, (_CERTIFICATE,)),
    "report": (
        report,
        (_files("PATH", "certificates, or folders of them"), _output("OUT.html", "the page; - is stdout", True)),
    ),
    "verify": (verify, (_one("theorem", "THEOREM", "see certify theorems"), _PROBLEM, _effort, _json)),
    "families": (families, (_json,)),
    "theorems": (theorems, (_json,)),
    "init": (
        init,
        (_one("family", "FAMILY", "see certify families"), _output("FILE", "default ./FAMILY.toml; - is stdout")),
    ),
    "kernel": (kernel, (_export,)),
}

if __name__ == "__main__":
    main()
