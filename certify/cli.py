"""The command line: parse, call the public face, print. Nothing is decided here."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import certify
from certify.errors import Fault, InputError
from certify.kernel import Verdict

if TYPE_CHECKING:
    from certify.problem import Problem
    from certify.proving import Progress
    from certify.result import Result

PROVED, REJECTED, BAD_INPUT, OPEN = 0, 1, 2, 3
_SEVERITY = (BAD_INPUT, REJECTED, OPEN, PROVED)
_CLICK_ERROR = next(c for c in typer.BadParameter.__mro__ if c.__name__ == "ClickException")

app = typer.Typer(
    name="certify",
    help="Turn a solver's answer into a theorem: proved bounds, with certificates that anyone can re-check.",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Output = Annotated[str | None, typer.Option("-o", "--output", metavar="CERT", help="certificate file, or a folder for several problems; - is stdout")]
From = Annotated[str | None, typer.Option("--from", metavar="CERT", help="tighten this certificate")]
Gap = Annotated[str | None, typer.Option("--gap", help="relative gap to reach (default 1e-6)")]
AbsGap = Annotated[str | None, typer.Option("--abs-gap", help="absolute gap that also counts")]
TimeLimit = Annotated[str | None, typer.Option("--time-limit", metavar="S", help="wall-clock seconds, all included (default 300)")]
Solver = Annotated[str | None, typer.Option("--solver", metavar="NAME", help="the engine to try first")]
Seed = Annotated[int | None, typer.Option("--seed", help="seed of whatever is random (default 0)")]
Json = Annotated[bool, typer.Option("--json", help="print one JSON object a problem, one a line")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="no progress, no table")]


def main() -> None:
    """The entry point. Every error ends as lines on stderr and an exit code, never as a traceback."""
    try:
        code = app(standalone_mode=False)
    except InputError as fault:
        _complain(fault)
        code = BAD_INPUT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        code = OPEN
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = PROVED
    except _CLICK_ERROR as fault:
        print(f"certify: {' '.join(str(fault.format_message()).split())}; see certify --help", file=sys.stderr)
        code = BAD_INPUT
    except typer.Abort:
        code = OPEN
    except Exception as fault:
        if os.environ.get("CERTIFY_DEBUG"):
            raise
        what = " ".join(f"{type(fault).__name__}: {fault}".split())[:300]
        print(f"certify: a fault of ours, nothing was proved ({what}); CERTIFY_DEBUG=1 shows where", file=sys.stderr)
        code = OPEN
    sys.exit(code if isinstance(code, int) else PROVED)


def _complain(fault: InputError) -> None:
    for line in fault.lines():
        print(line, file=sys.stderr)


def _worst(codes: list[int]) -> int:
    return next(code for code in _SEVERITY if code in codes or code == PROVED)


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="print the version")] = False,
) -> None:
    if version:
        print(f"certify {certify.__version__}")
        raise typer.Exit(PROVED)


@app.command()
def solve(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="problem files; - is stdin")],
    output: Output = None,
    start: From = None,
    gap: Gap = None,
    abs_gap: AbsGap = None,
    time_limit: TimeLimit = None,
    solver: Solver = None,
    seed: Seed = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """Prove the tightest interval for the optimum of each problem, and write its certificate."""
    from certify.proving import solve as prove

    def work(problem: Problem, options: dict[str, Any]) -> Result:
        return prove(problem, **options)

    options = _options(start, gap, abs_gap, time_limit, solver, seed)
    return _solve_all(files, output, options, work, as_json, quiet, lambda r: _solve_code(r))


@app.command()
def assess(
    file: Annotated[str, typer.Argument(metavar="FILE", help="problem file; - is stdin")],
    solution: Annotated[str, typer.Option("--solution", metavar="SOL", help="your solution: CSV or .npy")],
    output: Output = None,
    start: From = None,
    gap: Gap = None,
    abs_gap: AbsGap = None,
    time_limit: TimeLimit = None,
    solver: Solver = None,
    seed: Seed = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> int:
    """How far is your solution from the optimum, provably?"""
    from certify.proving import assess as prove

    def work(problem: Problem, options: dict[str, Any]) -> Result:
        return prove(problem, problem.family.read_solution(problem, Path(solution)), **options)

    def code(result: Result) -> int:
        if result.stopped.word == "interrupt":
            return OPEN
        return _solve_code(result) if gap is not None or abs_gap is not None else PROVED

    options = _options(start, gap, abs_gap, time_limit, solver, seed)
    return _solve_all([file], output, options, work, as_json, quiet, code)


def _solve_code(result: Result) -> int:
    return PROVED if result.status.word in ("exact", "tight", "infeasible", "unbounded") else OPEN


def _options(
    start: str | None, gap: str | None, abs_gap: str | None, time_limit: str | None, solver: str | None, seed: int | None
) -> dict[str, Any]:
    faults: list[Fault] = []

    def number(name: str, text: str | None) -> Fraction | None:
        if text is None:
            return None
        try:
            value = Fraction(text)
        except (ValueError, ZeroDivisionError):
            value = Fraction(-1)
        if value < 0:
            faults.append(Fault(name, f"{text!r} is not a number >= 0", "for example 1e-6"))
        return value

    options: dict[str, Any] = {
        "start": start,
        "gap": number("--gap", gap),
        "abs_gap": number("--abs-gap", abs_gap),
        "time_limit": number("--time-limit", time_limit),
        "solver": solver,
        "seed": seed,
    }
    if faults:
        raise InputError(*faults)
    if options["time_limit"] is not None:
        options["time_limit"] = float(options["time_limit"])
    return options


def _solve_all(
    files: list[str],
    output: str | None,
    options: dict[str, Any],
    work: Callable[[Problem, dict[str, Any]], Result],
    as_json: bool,
    quiet: bool,
    code: Callable[[Result], int],
) -> int:
    targets = _targets(files, output)
    codes = []
    for name, target in zip(files, targets, strict=True):
        try:
            problem = certify.load(name)
            with _ticker(quiet, name if len(files) > 1 else None) as progress, _terminated_like_interrupt():
                result = work(problem, {**options, "save": target, "progress": progress})
        except InputError as fault:
            _complain(fault)
            codes.append(BAD_INPUT)
            continue
        face = sys.stderr if output == "-" else sys.stdout
        if output == "-":
            sys.stdout.write(result.certificate.dumps())
        if as_json:
            print(result.to_json(), file=face, flush=True)
        elif not quiet:
            _table(result, face)
        for note in result.notes if as_json else ():
            print(f"note: {note}", file=sys.stderr)
        codes.append(code(result))
        if result.stopped.word == "interrupt":
            break
    return _worst(codes)


def _targets(files: list[str], output: str | None) -> list[Path | None]:
    """Where each certificate goes: ``./<stem>.cert.json``, the file given, or a folder for several."""
    if output == "-":
        return [None] * len(files)
    names = [f"{Path(name).stem if name != '-' else 'stdin'}.cert.json" for name in files]
    if output is None or Path(output).is_dir() or len(files) > 1:
        folder = Path(output or ".")
        if folder.exists() and not folder.is_dir():
            raise InputError(Fault(output or ".", "several certificates cannot go into one file", "give a folder with -o"))
        twins = sorted({name for name in names if names.count(name) > 1})
        if twins:
            raise InputError(Fault("-o", f"two problems would be written to {twins[0]}", "solve them one by one"))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise InputError(Fault(str(folder), f"cannot be made: {(fault.strerror or str(fault)).lower()}")) from None
        return [folder / name for name in names]
    return [Path(output)]


def _table(result: Result, face: Any) -> None:
    """The table of a result: with rich on a terminal, plain elsewhere."""
    if not face.isatty():
        print(result.to_text(), file=face, flush=True)
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(show_header=False, box=None, title=result.title, title_justify="left", pad_edge=False)
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    for word, value in result.rows():
        table.add_row(word, value)
    Console(file=face, markup=False, highlight=False).print(table)


@contextmanager
def _ticker(quiet: bool, name: str | None) -> Iterator[Callable[[Progress], None] | None]:
    """Progress on stderr: one living line on a terminal, a line an improvement elsewhere."""
    if quiet:
        yield None
        return
    prefix = f"{name}: " if name else ""
    if sys.stderr.isatty():
        from rich.console import Console

        console = Console(stderr=True, markup=False, highlight=False)
        with console.status(f"{prefix}starting") as status:
            yield lambda at: status.update(f"{prefix}{_progress_text(at)}")
        return
    last = [""]

    def show(at: Progress) -> None:
        interval = _progress_text(at).split("  ", 1)[1].rsplit("  ", 1)[0]
        if interval != last[0] and at.bounds.lower is not None:
            last[0] = interval
            print(f"{prefix}{_progress_text(at)}", file=sys.stderr, flush=True)

    yield show


def _progress_text(at: Progress) -> str:
    low, high = at.bounds.floats()
    gap = at.bounds.gap
    left = "?" if low is None else f"{low:.9g}"
    right = "?" if high is None else f"{high:.9g}"
    tail = "" if gap is None else f" gap {float(gap):.1e}"
    return f"{at.seconds:6.1f} s  proved [{left}, {right}]{tail}  {at.doing}"


@contextmanager
def _terminated_like_interrupt() -> Iterator[None]:
    """A polite kill ends work as Ctrl-C does: with the best certificate so far."""

    def interrupt(number: int, frame: Any) -> None:
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, old)


@app.command()
def check(
    files: Annotated[list[str], typer.Argument(metavar="CERT...", help="certificates; - is stdin")],
    against: Annotated[str | None, typer.Option("--against", metavar="FILE", help="read this problem file again and compare")] = None,
    pure: Annotated[bool, typer.Option("--pure", help="do not use python-flint even if it is installed")] = False,
    trust: Annotated[str | None, typer.Option("--trust", metavar="PACKAGE", help="also ask this package about kinds the kernel does not know")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
) -> int:
    """Check certificates with the kernel, in exact arithmetic, trusting no solver."""
    expected = None
    if against is not None:
        from certify.proving import digest

        expected = digest(certify.load(against))
    codes: list[int] = []
    tables: list[dict[str, Any]] = []
    for name in files:
        try:
            data = sys.stdin.buffer.read() if name == "-" else certify.certificate.read_bytes(Path(name))
        except InputError as fault:
            _complain(fault)
            codes.append(BAD_INPUT)
            continue
        verdict = _compared(certify.check(data, pure=pure), expected, against)
        claims = _claims(data, trust) if trust and not verdict.valid and verdict.where == "family" else []
        table, lines = verdict.as_json(), verdict.lines()
        if claims:
            table, lines = {"valid": False, "rule": "claimed", "where": trust, "why": "; ".join(claims)}, claims
        tables.append(table)
        if not as_json:
            print("\n".join(lines if len(files) == 1 else [*lines[:1], f"c in {name}", *lines[1:]]))
        codes.append(PROVED if verdict.valid else OPEN if claims else REJECTED)
    if as_json and tables:
        several = {"valid": all(t["valid"] for t in tables) and BAD_INPUT not in codes, "results": tables}
        print(json.dumps(tables[0] if len(files) == 1 else several, ensure_ascii=False))
    return _worst(codes)


def _compared(verdict: Verdict, expected: str | None, against: str | None) -> Verdict:
    """The verdict, or a rejection if the certificate is of another problem than the file's."""
    if not verdict.valid or expected is None or verdict.statements[0].digest == expected:
        return verdict
    why = f"the data of {against} have the digest {expected[:16]}…, the certificate is about {verdict.statements[0].digest[:16]}…"
    return Verdict(False, rule="against", where="problem", why=why)


def _claims(data: bytes, package: str) -> list[str]:
    """What a third party's own checker says; reported as claimed, never as proved."""
    from certify.problem import claims_of

    return [f"s CLAIMED by {package} {claim}" for claim in claims_of(package, data)]


@app.command()
def explain(file: Annotated[str, typer.Argument(metavar="CERT")]) -> int:
    """Which pairs, points, rows make the bound; why it is wide; what to try."""
    from certify.explaining import explain as lines

    verdict, text = lines(file)
    print("\n".join(text))
    return PROVED if verdict.valid else REJECTED


@app.command()
def cite(file: Annotated[str, typer.Argument(metavar="CERT")]) -> int:
    """A LaTeX statement with the digest, the versions, and how to re-check it."""
    from certify.explaining import cite as lines

    verdict, text = lines(file)
    print("\n".join(text))
    return PROVED if verdict.valid else REJECTED


@app.command()
def report(
    paths: Annotated[list[str], typer.Argument(metavar="PATH...", help="certificates, or folders of them")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="OUT.html", help="the page to write; - is stdout")],
) -> int:
    """A self-contained page: the statement, the interval to scale, the picture, how to re-check."""
    from certify.report.page import write_report

    return PROVED if write_report(paths, output) else REJECTED


@app.command()
def verify(
    theorem: Annotated[str, typer.Argument(metavar="THEOREM", help="see certify theorems")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="problem file; - is stdin")],
    gap: Gap = None,
    time_limit: TimeLimit = None,
    solver: Solver = None,
    as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False,
    quiet: Quiet = False,
) -> int:
    """Does this theorem's bound hold on this instance? Both sides are proved."""
    from certify.theorems import verify as decide

    options = _options(None, gap, None, time_limit, solver, None)
    with _ticker(quiet, None) as progress, _terminated_like_interrupt():
        found = decide(theorem, certify.load(file), **options, progress=progress)
    print(found.to_json() if as_json else found.to_text())
    codes = {"holds": PROVED, "vacuous": PROVED, "violated": REJECTED, "hypotheses fail": BAD_INPUT, "undecided": OPEN}
    return codes[found.verdict.word]


@app.command()
def families(as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False) -> int:
    """The families of problems that are installed."""
    from certify.problem import families as find

    found = find()
    if as_json:
        print(json.dumps({name: {"summary": f.summary, "quantity": f.quantity.name} for name, f in found.items()}))
    else:
        for name, entry in found.items():
            derived = ", ".join(q.name for q in entry.derived)
            print(f"{name:<12} {entry.summary}; bounds {entry.quantity.name}" + (f" ({derived})" if derived else ""))
    return PROVED


@app.command()
def theorems(as_json: Annotated[bool, typer.Option("--json", help="print one JSON object")] = False) -> int:
    """The theorems that can be verified on an instance."""
    from certify.theorems import theorems as find

    found = find()
    if as_json:
        print(json.dumps({n: {"statement": t.statement, "hypotheses": t.hypotheses, "source": t.source} for n, t in found.items()}, ensure_ascii=False))
    else:
        for name, entry in found.items():
            print(f"{name}: {entry.title}\n  {entry.statement}\n  hypotheses: {entry.hypotheses}\n  source: {entry.source}")
    return PROVED


@app.command()
def init(
    family: Annotated[str, typer.Argument(metavar="FAMILY", help="see certify families")],
    output: Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="the file to write (default ./FAMILY.toml); - is stdout")] = None,
) -> int:
    """Write a commented problem file to start from."""
    from certify.certificate import write_whole
    from certify.problem import family as find

    text = find(family).template()
    if output == "-":
        print(text, end="")
        return PROVED
    target = Path(output or f"{family}.toml")
    if target.exists():
        raise InputError(Fault(str(target), "stands there already", "choose another name with -o"))
    write_whole(target, text.encode())
    print(f"wrote {target}; next: certify solve {target}")
    return PROVED


@app.command()
def kernel(
    export: Annotated[str, typer.Option("--export", metavar="CHECK.py", help="the file to write; - is stdout")],
) -> int:
    """Write the kernel as one file that any Python checks certificates with."""
    from certify.certificate import write_whole
    from certify.kernel.export import single_file

    text = single_file()
    if export == "-":
        print(text, end="")
    else:
        write_whole(Path(export), text.encode())
        print(f"wrote {export}; use: python {export} CERT")
    return PROVED


if __name__ == "__main__":
    main()
