"""What a certificate says, for a reader: ``certify explain`` and ``certify cite``."""

from __future__ import annotations

import platform
from pathlib import Path

from certify.certificate import Certificate, beside, read_bytes, versions
from certify.errors import InputError
from certify.kernel import Statement, Verdict, check_bytes, rational_text
from certify.kernel.statement import DETERMINISTIC
from certify.problem import About, Quantity, family
from certify.proving import DOUBLES
from certify.report.mathml import bounds_latex
from certify.result import Bounds


def read(path: str) -> tuple[Verdict, Certificate | None]:
    """The verdict on a file, and the certificate if it is valid."""
    data = read_bytes(Path(path))  # once: it may be stdin, or change in between
    verdict = check_bytes(data, False, beside(path))
    if not verdict.valid:
        return verdict, None
    try:
        return verdict, Certificate.parse(data, path, beside(path))
    except InputError as fault:
        return Verdict(False, rule="format", where=path, why=str(fault)), None


def about(certificate: Certificate) -> About:
    """Title and labels that the maker wrote beside the data: words for people, not proved, and not trusted."""
    made_by = certificate.made_by
    labels = made_by.get("labels")
    title, source = made_by.get("title"), made_by.get("source")
    named = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    return About(
        title=_plain(title) if isinstance(title, str) else None,
        source=_plain(source) if isinstance(source, str) else None,
        labels=tuple(_plain(label) for label in labels) if named and isinstance(labels, list) else None,
    )


def _plain(text: str) -> str:
    """Untrusted words on one line, without what would steer a terminal or end a comment of LaTeX."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text[:600].split()))


def explain(path: str) -> tuple[Verdict, list[str]]:
    """Which pairs, points or rows make the bounds, why they are wide, what to try."""
    verdict, certificate = read(path)
    if certificate is None:
        return verdict, verdict.lines()
    entry = family(certificate.family)
    problem = entry.from_canonical(certificate.data(), about(certificate))
    bounds = Bounds(verdict.best(">="), verdict.best("<="))
    lines = [*verdict.lines(), *entry.explain(problem, list(certificate.witnesses))]
    gap = bounds.gap
    if decided(verdict):
        lines.append(f"this is proved {decided(verdict)}: there is no interval to look for")
    elif gap is None:
        missing = "lower" if bounds.lower is None else "upper"
        lines += [f"why wide: the {missing} end is missing", f"try: certify solve FILE --from {path}"]
    elif any(s.relation == "==" for s in verdict.statements):
        lines.append("the two ends are equal: this is the optimum, nothing is left to prove")
    else:
        lines.append(f"gap: {float(gap):.2g} of the value")
        if gap <= DOUBLES:
            lines.append("a smaller gap is more than engines in double precision can give")
        elif gap > 1e-6:
            lines.append("why wide: the work ended before the engine had converged, or doubles do not suffice")
            lines.append(f"try: certify solve FILE --from {path} --time-limit 3600, or another --solver")
    return verdict, lines


def cite(path: str) -> tuple[Verdict, list[str]]:
    """LaTeX for a paper: the interval, the exact ends in a comment, the digest, the versions, how to re-check."""
    verdict, certificate = read(path)
    if certificate is None:
        return verdict, verdict.lines()
    entry = family(certificate.family).from_canonical(certificate.data(), About()).family
    bounds = Bounds(verdict.best(">="), verdict.best("<="))
    digest = verdict.statements[0].digest
    title = about(certificate).title
    made = versions(("certify",))
    derived = [] if decided(verdict) else [bounds_latex(q, bounds.of(q)) for q in entry.derived]
    lines = [
        f"% {title or entry.summary}",
        r"\[",
        "  " + r",\qquad ".join([formula(entry.quantity, verdict), *derived]),
        r"\]",
        "Proved by an exact certificate, checked by \\texttt{certify} "
        f"{made.get('certify', '')} (Python {platform.python_version()});",
        "the data have the SHA-256 digest",
        rf"\texttt{{{digest[:32]}}}\allowbreak\texttt{{{digest[32:]}}}.",
    ]
    for s in verdict.statements:
        lines.append(f"% exact: {s.quantity} {s.relation} {_value(s)}")
    name = "CERT" if path == "-" else Path(path).name
    lines += [
        f"% re-check: certify check {name}",
        f"% or, with nothing installed: python -I check.py {name}   (check.py from: certify kernel --export check.py)",
    ]
    return verdict, lines


def decided(verdict: Verdict) -> str | None:
    """``infeasible`` or ``unbounded`` if that is what is proved: then there is no interval."""
    return next((s.relation for s in verdict.statements if s.value is None), None)


def formula(quantity: Quantity, verdict: Verdict) -> str:
    """What a valid certificate proves of the primary quantity, in LaTeX on one line."""
    whole = next((s.latex for s in verdict.statements if s.relation == "==" or s.value is None), None)
    rigor = verdict.rigor()
    caveat = "" if rigor == DETERMINISTIC else rf"\quad\text{{with {rigor}}}"
    return whole or bounds_latex(quantity, Bounds(verdict.best(">="), verdict.best("<="))) + caveat


def _value(statement: Statement) -> str:
    if statement.value is None:
        return ""
    return statement.exact.text() if statement.exact else rational_text(statement.value)
