"""``certify report``: one page that shows what certificates prove. It stands alone: no network, no script.

Three things are kept apart on it: what the kernel proved just now, what a solver had claimed, and what the
literature says. The word "proved" stands only at statements that the kernel returned.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.resources import files
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import certify
from certify.certificate import read_bytes, write_whole
from certify.errors import Fault, InputError
from certify.explaining import about as about_of
from certify.explaining import decided, formula, read
from certify.kernel import Rejected, Verdict, rational_text, read_json, unpack
from certify.kernel.statement import DETERMINISTIC
from certify.problem import Family, Known, family
from certify.report.interval import Mark, end_text, interval_svg, outside
from certify.report.mathml import bounds_mathml, mathml
from certify.report.svg import DARK, about, cleaned
from certify.result import Bounds, agrees, printed_value, shared_digits

if TYPE_CHECKING:
    from jinja2 import Template

SUFFIXES = (".cert.json", ".cert.json.gz")
SHORT = 60  # an exact end with more characters than this is folded away
LONGEST = 4000  # and with more than this it is cut
NUMBER = re.compile(r"[+-]?\d{1,60}(?:\.\d{0,60}|/\d{1,60})?(?:[eE][+-]?\d{1,3})?")


def write_report(paths: list[str], output: str) -> bool:
    """Check certificates and write the page about them. True if none is rejected.

    paths: certificates (``.cert.json``, ``.cert.json.gz``, ``-`` for standard input), or folders that are
    searched for them; output: the page, ``-`` for standard output. The page is the same, byte for byte, for the
    same certificates. Raises InputError for a path that is missing or no certificate, and for an output that
    cannot be written.
    """
    template = _template()
    entries = [entry_of(path, name) for path, name in found(paths)]
    page = template.render(
        entries=entries,
        title=cleaned(entries[0].title) if len(entries) == 1 else f"{len(entries)} certificates",
        version=certify.__version__,
        dark=DARK,
        rejected=[entry for entry in entries if not entry.valid],
    ).encode("utf-8", "replace")
    if output == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
    else:
        write_whole(Path(output), page)
    return all(entry.valid for entry in entries)


def _template() -> Template:
    """The page's template. InputError if jinja2 is not installed."""
    try:
        from jinja2 import Environment, StrictUndefined
    except ImportError:
        raise InputError(Fault("certify report", "needs jinja2", "pip install 'certify[report]'")) from None
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(files("certify.report").joinpath("page.html.j2").read_text(encoding="utf-8"))


def found(paths: list[str]) -> list[tuple[Path, str]]:
    """Every certificate that the paths name, once, with its name on the page. InputError lists every fault."""
    faults: list[Fault] = []
    names: dict[Path, str] = {}
    for text in paths:
        path = Path(text)
        if text == "-":
            names.setdefault(path, "stdin")
            continue
        if not path.is_dir():
            try:
                if not _looks_like_one(path):
                    faults.append(Fault(text, "is not a certificate", "certify solve makes one from a problem file"))
            except InputError as fault:
                faults.extend(fault.faults)
            names.setdefault(path, path.name)
            continue
        inside = sorted(p for p in path.rglob("*.cert.json*") if p.name.endswith(SUFFIXES) and p.is_file())
        if not inside:
            faults.append(Fault(text, "a folder without any certificate", "give one with .cert.json files"))
        for each in inside:
            names.setdefault(each, each.relative_to(path).as_posix())
    if faults:
        raise InputError(*faults)
    return list(names.items())


def _looks_like_one(path: Path) -> bool:
    """By its name, or else by its content. What is only damaged is for the kernel to reject."""
    data = read_bytes(path)
    if path.name.endswith(SUFFIXES):
        return True
    try:
        document = read_json(unpack(data))
    except Rejected:
        return False
    return isinstance(document, dict) and str(document.get("format", "")).startswith("certify/")


@dataclass(frozen=True)
class End:
    """An end of a proved interval in exact form; cut: how many characters it has if they are not all here."""

    sign: str
    text: str
    cut: int = 0

    @property
    def folded(self) -> bool:
        return len(self.text) > SHORT


@dataclass(frozen=True)
class Said:
    """A number that is not proved, as text, and how it stands to what is proved."""

    text: str
    beside: str
    good: bool | None
    source: str = ""


@dataclass(frozen=True)
class Entry:
    """Everything that the page shows of one certificate."""

    name: str
    anchor: str
    title: str
    verdict: Verdict
    bounds: Bounds = field(default_factory=lambda: Bounds(None, None))
    quantity: str = ""
    meaning: str = ""
    lower: str = ""
    upper: str = ""
    formulas: tuple[str, ...] = ()
    interval: str | None = None
    picture: str | None = None
    claim: Said | None = None
    known: Said | None = None
    reasons: tuple[tuple[str, tuple[str, ...]], ...] = ()
    made_by: tuple[tuple[str, str], ...] = ()
    source: str = ""

    @property
    def valid(self) -> bool:
        return self.verdict.valid

    @property
    def digest(self) -> str:
        return self.verdict.statements[0].digest

    @property
    def exact(self) -> bool:
        return self.bounds.lower is not None and self.bounds.lower == self.bounds.upper

    @property
    def gap(self) -> str:
        gap = self.bounds.gap
        if decided(self.verdict):
            return "–"
        return "one end only" if gap is None else "0, exact" if gap == 0 else about(gap)

    @property
    def ends(self) -> list[End]:
        """The exact ends, as the kernel returned them."""
        found = [s for s in self.verdict.statements if self.exact == (s.relation == "==")]
        ends = []
        for statement in found:
            if statement.value is None:
                continue
            text = statement.exact.text() if statement.exact else rational_text(statement.value)
            sign = {">=": "≥", "<=": "≤", "==": "="}[statement.relation]
            ends.append(End(sign, text[:LONGEST], len(text) if len(text) > LONGEST else 0))
        return ends


def entry_of(path: Path, name: str) -> Entry:
    """Check one certificate, now, and gather what the page shows of it."""
    shown = cleaned(name)
    anchor = "c-" + re.sub(r"[^a-z0-9]+", "-", shown.lower().removesuffix(".gz").removesuffix(".cert.json")).strip("-")
    verdict, certificate = read(str(path))
    if certificate is None:
        return Entry(shown, anchor, shown, verdict)
    made_by = certificate.made_by
    kind = family(certificate.family)
    about = about_of(certificate)
    problem = kind.from_canonical(certificate.data(), about)
    kind = problem.family
    bounds = Bounds(verdict.best(">="), verdict.best("<="))
    claim, claimed = _claim(made_by, bounds)
    known, printed = _known(made_by, kind, bounds)
    witnesses = list(certificate.witnesses)
    caveat = "" if verdict.rigor() == DETERMINISTIC else f" ({verdict.rigor()})"
    return Entry(
        name=shown,
        anchor=anchor,
        title=cleaned(about.title or shown),
        verdict=verdict,
        bounds=bounds,
        quantity=kind.quantity.name,
        meaning=kind.quantity.meaning,
        lower="" if bounds.lower is None else end_text(bounds.lower, False, bounds) + caveat,
        upper="" if bounds.upper is None else end_text(bounds.upper, True, bounds) + caveat,
        formulas=(
            mathml(formula(kind.quantity, verdict)),
            *(bounds_mathml(q, bounds.of(q)) for q in ([] if decided(verdict) else kind.derived)),
        ),
        interval=interval_svg(kind.quantity.name, bounds, [m for m in (claimed, printed) if m is not None]),
        picture=kind.picture(problem, witnesses),
        claim=claim,
        known=known,
        reasons=_grouped(kind.explain(problem, witnesses)),
        made_by=tuple(_words(made_by)),
        source=cleaned(about.source or "", 600),
    )


def _grouped(lines: list[str]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Lines that begin with a space belong to the line before them."""
    groups: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and groups:
            groups[-1][1].append(cleaned(line, 300))
        else:
            groups.append((cleaned(line, 300), []))
    return tuple((head, tuple(rest)) for head, rest in groups)


def _number(text: Any) -> Fraction | None:
    """A number from untrusted text, None if it is not one (or one that only an attacker would write)."""
    if not isinstance(text, str) or NUMBER.fullmatch(text) is None:
        return None
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None


def _claim(made_by: Mapping[str, Any], bounds: Bounds) -> tuple[Said | None, Mark | None]:
    """What a solver had said of the optimum: words and a mark, never a bound."""
    claim = made_by.get("solver_claim")
    if not isinstance(claim, dict):
        return None, None
    name, status = (cleaned(str(claim.get(key, "?")), 80) for key in ("name", "status"))
    value = _number(claim.get("value"))
    if value is None:
        return Said(f"no value ({name}: {status})", "", None), None
    number = _short(value, shared_digits(bounds))
    text = f"{number} ({name}: {status})"
    mark = Mark("claimed", value, f"claimed, not proved: {number}")
    distance = outside(bounds, value)
    if distance == 0:
        return Said(text, "inside of the proved interval", True), mark
    side = "below" if bounds.lower is not None and value < bounds.lower else "above"
    said = Said(text, f"outside of the proved interval, {about(distance)} {side} it: the optimum is not there", False)
    return said, mark


def claim_mark(made_by: Mapping[str, Any], bounds: Bounds) -> Mark | None:
    """The mark of what a solver had claimed, from the ``made_by`` of a certificate; None if there is no number."""
    return _claim(made_by, bounds)[1]


def _short(value: Fraction, digits: int) -> str:
    """A claimed float with as many digits as tell it from the proved ends."""
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    return f"{number:.{min(digits + 1, 17)}g}" if isfinite(number) else about(value)


def _known(made_by: Mapping[str, Any], kind: Family, bounds: Bounds) -> tuple[Said | None, Mark | None]:
    """What the literature says, whether the proved interval allows it, and its mark on the scale of the quantity."""
    table = made_by.get("known")
    quantities = {q.name: q for q in (kind.quantity, *kind.derived)}
    if not isinstance(table, dict):
        return None, None
    value, relation, source = table.get("value"), table.get("relation", "=="), table.get("source")
    name = table.get("quantity") or kind.quantity.name
    if not isinstance(value, str) or not isinstance(name, str) or _number(value) is None:
        return None, None
    if relation not in ("==", ">=", "<=") or name not in quantities:
        return None, None
    root, factor = quantities[name].root, quantities[name].factor
    good = agrees(Known(value, relation, name), bounds.of(quantities[name]))
    sign = {"==": "= ", ">=": "≥ ", "<=": "≤ "}[relation]
    text = f"{name} {sign}{value}"
    beside = "agrees with what is proved" if good else "disagrees with what is proved"
    said = Said(text, beside, good, cleaned(source, 600) if isinstance(source, str) else "")
    exact, half = (number / factor for number in printed_value(value))
    if root != 1 and exact < 0:
        return said, None
    if root != 1:
        exact, half = exact**root, ((exact + half) ** root - (exact - half) ** root) / 2
    label = f"known: {sign.removeprefix('= ')}{value}" if root == 1 else f"known: {text}"
    return said, Mark("known", exact, label if good else f"{label} (disagrees)", half)


def _words(made_by: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What the maker wrote beside the data, flat: versions, seed, seconds. Not trusted, so cut and cleaned."""
    for key, value in list(made_by.items())[:20]:
        if key in ("title", "source", "labels", "known", "solver_claim"):
            continue
        if isinstance(value, dict):
            text = ", ".join(f"{k} {v}" for k, v in list(value.items())[:20] if isinstance(v, (str, int)))
        elif isinstance(value, (str, int)):
            text = str(value)
        else:
            continue
        yield cleaned(str(key), 40), cleaned(text, 400)
