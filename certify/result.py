"""What a person gets: the proved interval, what the solver had claimed, and the certificate."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import inf, isfinite, isqrt, nextafter
from typing import Any

from certify.certificate import Certificate
from certify.errors import Fault, InputError, NotProvedError
from certify.formats.exact import NotExactError, rational
from certify.kernel import Statement, Verdict, decimal_text, rational_text
from certify.kernel.quadratic import Surd
from certify.kernel.statement import DETERMINISTIC
from certify.problem import Claim, Family, Known, Quantity


class Status(Enum):
    """What is proved. The value carries the words a person reads."""

    EXACT = ("exact", "proved exactly: the two ends are equal")
    TIGHT = ("tight", "proved to the gap asked for")
    BOUNDED = ("bounded", "proved, but wider than asked for")
    INFEASIBLE = ("infeasible", "proved: there is no solution")
    UNBOUNDED = ("unbounded", "proved: the objective has no bound")
    UNKNOWN = ("unknown", "nothing could be proved")

    def __init__(self, word: str, message: str) -> None:
        self.word, self.message = word, message


class Stopped(Enum):
    """Why work ended."""

    GAP = ("gap", "the gap asked for is met")
    TIME = ("time", "the time limit was reached")
    INTERRUPT = ("interrupt", "it was interrupted")
    ENGINES_FAILED = ("engines_failed", "every engine failed")
    EXHAUSTED = ("exhausted", "nothing stronger is left to try")

    def __init__(self, word: str, message: str) -> None:
        self.word, self.message = word, message


@dataclass(frozen=True)
class Bounds:
    """A proved interval of the optimum; an end that is not proved is None. Exact."""

    lower: Fraction | None
    upper: Fraction | None

    @property
    def gap(self) -> Fraction | None:
        """(upper − lower)/max(|lower|, |upper|); 0 if the ends are equal, None if one is missing."""
        if self.lower is None or self.upper is None:
            return None
        if self.lower == self.upper:
            return Fraction(0)
        return (self.upper - self.lower) / max(abs(self.lower), abs(self.upper))

    def of(self, quantity: Quantity) -> Bounds:
        """Outward rational enclosure of a derived quantity."""
        rooted = self.root(quantity.root)
        low, high, factor = rooted.lower, rooted.upper, quantity.factor
        return Bounds(None if low is None else factor * low, None if high is None else factor * high)

    def root(self, k: int) -> Bounds:
        """Outward rational enclosure of the k-th roots of the ends (k = 1 or 2; ends not negative)."""
        if k == 1:
            return self
        return Bounds(
            None if self.lower is None else root_down(self.lower), None if self.upper is None else root_up(self.upper)
        )

    def floats(self) -> tuple[float | None, float | None]:
        """The ends as doubles, rounded outward, so that they are bounds too."""
        return (
            None if self.lower is None else float_down(self.lower),
            None if self.upper is None else float_up(self.upper),
        )


def root_down(value: Fraction) -> Fraction:
    """A rational r <= √value, exact if the root is rational, else within 2⁻⁶⁰ relative."""
    shift = max(0, 128 - value.numerator.bit_length() - value.denominator.bit_length()) // 2 + 64
    product = value.numerator * value.denominator << (2 * shift)
    return Fraction(isqrt(product), value.denominator << shift)


def root_up(value: Fraction) -> Fraction:
    """A rational r >= √value, exact if the root is rational."""
    low = root_down(value)
    if low * low == value:
        return low
    shift = max(0, 128 - value.numerator.bit_length() - value.denominator.bit_length()) // 2 + 64
    return low + Fraction(1, value.denominator << shift)


def float_down(value: Fraction) -> float:
    """The largest double <= value."""
    try:
        near = value.numerator / value.denominator
    except OverflowError:
        return nextafter(inf, 0) if value > 0 else -inf
    return near if Fraction(near) <= value else nextafter(near, -inf)


def float_up(value: Fraction) -> float:
    """The least double >= value."""
    return 0.0 - float_down(-value)


@dataclass(frozen=True)
class Seconds:
    """Wall-clock seconds spent on solving, on rounding, and in the kernel."""

    solve: float
    round: float
    check: float


@dataclass(frozen=True)
class Assessment:
    """A given solution: its exact value (None: infinite or infeasible) and the proved ratio to the optimum.

    excess: how much worse than the optimum it is at least, as a share of the optimum, proved and rounded down;
    None where no excess is proved.
    """

    value: Fraction | None
    ratio_upper: float | None
    why: str | None = None
    excess: float | None = None


@dataclass(frozen=True)
class Result:
    """The answer to ``solve`` or ``assess``.

    bounds are what the kernel returned (``verdict``); ``claim`` is what a solver said; ``solution`` is
    floating-point and unproved, except that the certificate holds its exact twin.
    """

    family: Family
    status: Status
    stopped: Stopped
    bounds: Bounds
    verdict: Verdict
    certificate: Certificate
    solution: Any
    claim: Claim | None
    known: Known | None
    why_wide: str | None
    seconds: Seconds
    size: int
    title: str | None = None
    notes: tuple[str, ...] = ()
    assessment: Assessment | None = None
    path: str | None = None

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What the kernel proved."""
        return self.verdict.statements

    @property
    def rigor(self) -> str:
        """``deterministic``, or the confidence of the weakest statement that an end rests on."""
        return self.verdict.rigor()

    @property
    def caveat(self) -> str:
        """What stands behind a claim that rests on a statement of confidence; empty where all is certain."""
        return "" if self.rigor == DETERMINISTIC else f", with {self.rigor}"

    @property
    def gap(self) -> float | None:
        """The relative gap, rounded up."""
        gap = self.bounds.gap
        return None if gap is None else float_up(gap)

    @property
    def exact(self) -> Fraction | Surd | None:
        """The optimum itself, if it is proved exactly; an irrational one as a + b·√d."""
        return next((s.exact or s.value for s in self.statements if s.relation == "=="), None)

    def derived(self, quantity: Quantity) -> Bounds:
        """Proved interval of a derived quantity, rounded outward."""
        return self.bounds.of(quantity)

    def interval(self, name: str | None = None) -> Bounds:
        """Proved interval of a quantity by name (default: the primary one). KeyError if there is none such."""
        if name in (None, self.family.quantity.name):
            return self.bounds
        for quantity in self.family.derived:
            if quantity.name == name:
                return self.derived(quantity)
        names = [self.family.quantity.name, *(q.name for q in self.family.derived)]
        raise KeyError(f"{name!r} is not a quantity of {self.family.name}: {', '.join(names)}")

    @property
    def certain(self) -> Bounds:
        """The strongest interval that no statement of confidence is needed for."""
        return Bounds(self._certain(">="), self._certain("<="))

    def _certain(self, relation: str) -> Fraction | None:
        end = self.bounds.lower if relation == ">=" else self.bounds.upper
        sure = tuple(s for s in self.statements if s.rigor == DETERMINISTIC)
        resting = {s.rigor for s in self.statements if (s.relation, s.value) == (relation, end)}
        return end if DETERMINISTIC in resting or not resting else Verdict(True, sure).best(relation)

    def require(self, claim: str) -> Result:
        """Return self if ``QUANTITY (<=|>=|==) VALUE`` is proved; raise NotProvedError if not.

        A bound that holds with some confidence only is not enough.

        VALUE is a decimal or ``p/q`` and is taken exactly; a derived quantity is compared on its power, so
        ``distortion >= 1.29`` means distortion² >= 1.6641. InputError if the claim cannot be read.
        """
        match = re.fullmatch(r"\s*(\w+)\s*(<=|>=|==)\s*(\S+)\s*", claim)
        if match is None:
            raise _unreadable(claim, 'is not of the form "QUANTITY >= VALUE"', "the relations are >=, <= and ==")
        name, relation, spelled = match.groups()
        try:
            value = rational(spelled)
        except NotExactError as fault:
            raise _unreadable(claim, fault.what, fault.mend) from None
        quantities = {q.name: q for q in (self.family.quantity, *self.family.derived)}
        if name not in quantities:
            mend = f"one of: {', '.join(quantities)}"
            raise _unreadable(claim, f"{name!r} is not a quantity of {self.family.name}", mend)
        root = quantities[name].root
        value /= quantities[name].factor
        lower, upper, power = self.certain.lower, self.certain.upper, value
        if root != 1 and value < 0:
            lower = Fraction(0)  # a root is never negative: ">= negative" is true of any value, the others of none
        else:
            power = value**root
        above = lower is not None and lower >= power
        below = upper is not None and upper <= power
        if (relation == ">=" and above) or (relation == "<=" and below) or (relation == "==" and above and below):
            return self
        raise NotProvedError(f"not proved: {claim.strip()}; proved is {self.sentence()}")

    def agrees_with_known(self) -> bool | None:
        """Whether the proved interval allows the known value, to half a unit in its last printed digit."""
        return None if self.known is None else agrees(self.known, self.interval(self.known.quantity))

    def sentence(self) -> str:
        """One sentence of plain language, outward rounded."""
        name = self.family.quantity.name
        low, high = self.bounds.lower, self.bounds.upper
        if low is None and high is None:
            return next((s.text for s in self.statements if s.value is None), f"nothing is proved of {name}")
        if isinstance(self.exact, Surd) and low is not None:
            return f"{name} = {self.exact.text()} = {decimal_text(low, False, 12)}…, exactly"
        if low is not None and low == high and not self.caveat:
            text = rational_text(low)
            return f"{name} = {text}, exactly" if len(text) < 60 else f"{name} = {decimal_text(low, False)}…, exactly"
        digits = shared_digits(self.bounds)
        left = "" if low is None else f"{decimal_text(low, False, digits)} <= "
        right = "" if high is None else f" <= {decimal_text(high, True, digits)}"
        if high is None and low is not None:
            left, right = "", f" >= {decimal_text(low, False, digits)}"
        return f"{left}{name}{right}{self.caveat}"

    def as_json(self) -> dict[str, Any]:
        """The object that ``certify solve --json`` prints."""
        lower_float, upper_float = map(_finite, self.bounds.floats())
        derived = {}
        for quantity in self.family.derived:
            low, high = map(_finite, self.derived(quantity).floats())
            derived[quantity.name] = {"lower_float": low, "upper_float": high}
        table: dict[str, Any] = {
            "family": self.family.name,
            "quantity": self.family.quantity.name,
            "sense": self.family.sense,
            "status": self.status.word,
            "stopped": self.stopped.word,
            "rigor": self.rigor,
            "lower": None if self.bounds.lower is None else rational_text(self.bounds.lower),
            "upper": None if self.bounds.upper is None else rational_text(self.bounds.upper),
            "lower_float": lower_float,
            "upper_float": upper_float,
            "gap": self.gap,
            "derived": derived,
            **({"exact_value": self.exact.as_json()} if isinstance(self.exact, Surd) else {}),
            "solver_claim": None
            if self.claim is None
            else {"name": self.claim.name, "status": self.claim.status, "value": _finite(self.claim.value)},
            "known": None if self.known is None else {"value": self.known.value, "agrees": self.agrees_with_known()},
            "why_wide": self.why_wide,
            "certificate": self.path,
            "statement": self.sentence(),
            "seconds": {
                "solve": round(self.seconds.solve, 3),
                "round": round(self.seconds.round, 3),
                "check": round(self.seconds.check, 3),
            },
        }
        if self.assessment is not None:
            value = self.assessment.value
            table["value"] = None if value is None else rational_text(value)
            table["ratio_upper"] = _finite(self.assessment.ratio_upper)
            if value is None:
                table["why_wide"] = f"{self.assessment_text()}; no ratio is proved"
        return table

    def to_json(self) -> str:
        """:meth:`as_json` on one line, in ASCII, so that no terminal or pipe can spoil it."""
        return json.dumps(self.as_json(), allow_nan=False)

    def assessment_text(self) -> str:
        """The value of the given solution, or why it has none."""
        if self.assessment is None:
            return ""
        value, name = self.assessment.value, self.family.quantity.name
        shown = self.assessment.why or "infinite" if value is None else _value_text(value)
        return f"{name} of your solution{':' if value is None else ' ='} {shown}"

    def claim_judged(self) -> str:
        """Whether the value that a solver claimed can be the optimum, as far as that is proved."""
        value = None if self.claim is None else self.claim.value
        if value is None or not isfinite(value) or self.caveat:
            return "not proved"
        if self.status in (Status.INFEASIBLE, Status.UNBOUNDED):
            return "not true"
        exact, low, high = Fraction(value), self.bounds.lower, self.bounds.upper
        size: Fraction = max(abs(exact), Fraction(1))
        below = Fraction(0) if low is None else low - exact
        above = Fraction(0) if high is None else exact - high
        off = max(below, above)
        if off <= size / 10**6:
            return "not proved" if off <= size / 10**12 else "not proved; true but for its last digits"
        return f"not true: off by at least {decimal_text(off, False, 3)}"

    def rows(self) -> list[tuple[str, str]]:
        """What the terminal and the notebook show: pairs of a word and its value."""
        quantity = self.family.quantity
        rows = [("proved", f"{self.sentence()}   [{self.status.word}]")]
        for other in self.family.derived if self.bounds != Bounds(None, None) else ():
            bounds = self.derived(other)
            rows.append((other.name, f"{interval_text(bounds)}{self.caveat}"))
        if self.assessment is not None:
            rows.append(("assessed", self.assessment_text()))
            if self.assessment.ratio_upper is not None:
                rows.append(("ratio to optimum", f"at most {self.assessment.ratio_upper:.9g} (proved{self.caveat})"))
            if self.assessment.excess is not None:
                share = decimal_text(Fraction(self.assessment.excess) * 100, False, 3)
                settled = self.status in (Status.EXACT, Status.TIGHT) and not self.caveat
                known = ", which is known" if settled else ""
                side = "above" if self.family.sense == "min" else "below"
                rows.append(("so it is", f"at least {share} % {side} the optimum{known} (proved)"))
        if self.gap is not None:
            rows.append(("gap", "0 (exact)" if self.exact is not None else f"{self.gap:.2g}{self.caveat}"))
        if self.claim is not None:
            value_text = "" if self.claim.value is None else f"{self.claim.value:.10g} "
            judged = self.claim_judged()
            rows.append(("solver claimed", f"{value_text}({self.claim.name}: {self.claim.status}; {judged})"))
        if self.known is not None:
            verdict = "agrees" if self.agrees_with_known() else "DISAGREES with what is proved"
            name = self.known.quantity or quantity.name
            rows.append(("known", f"{name} {self.known.relation} {self.known.value}: {verdict}"))
        if self.why_wide is not None:
            rows.append(("why so wide", self.why_wide))
        rows.extend(("note", note) for note in self.notes)
        if self.path is not None:
            rows.append(("certificate", self.path))
        s = self.seconds
        rows.append(
            ("seconds", f"solve {s.solve:.2f}, round {s.round:.2f}, check {s.check:.2f}; stopped: {self.stopped.word}")
        )
        return rows

    def heading(self) -> str:
        """The title of the problem, or what it is."""
        return self.title or f"{self.family.name} of size {self.size}"

    def to_text(self) -> str:
        """The table of the terminal, in plain text."""
        return "\n".join([self.heading(), *(f"  {word:<17}{value}" for word, value in self.rows())])

    __str__ = to_text
    __repr__ = to_text

    def _repr_html_(self) -> str:
        head = html.escape(self.heading())
        body = "".join(
            f"<tr><th style='text-align:left'>{html.escape(word)}</th>"
            f"<td style='text-align:left'>{html.escape(value)}</td></tr>"
            for word, value in self.rows()
        )
        from certify.report.mathml import bounds_mathml, mathml

        equal = next((s.latex for s in self.statements if s.relation == "==" or s.value is None), None)
        shown = mathml(equal) if equal else bounds_mathml(self.family.quantity, self.bounds)
        return f"<div><p><b>{head}</b></p><p>{shown}</p><table>{body}</table></div>"


def shared_digits(bounds: Bounds) -> int:
    """How many significant digits show the difference of the two ends, with two to spare."""
    gap = bounds.gap
    if gap is None or gap == 0:
        return 12
    digits = 3
    while digits < 16 and gap * 10 ** (digits - 2) < 1:
        digits += 1
    return max(digits, 7)


def interval_text(bounds: Bounds) -> str:
    """``in [lower, upper]`` with outward rounded decimals, a missing end as ?; ``= value`` if the ends are equal."""
    digits = shared_digits(bounds)
    if bounds.lower is not None and bounds.lower == bounds.upper:
        return f"= {_value_text(bounds.lower)}"
    low = "?" if bounds.lower is None else decimal_text(bounds.lower, False, digits)
    high = "?" if bounds.upper is None else decimal_text(bounds.upper, True, digits)
    return f"in [{low}, {high}]"


def _value_text(value: Fraction) -> str:
    text = rational_text(value)
    return text if len(text) <= 24 else f"{decimal_text(value, False, 12)}…"


def printed_value(text: str) -> tuple[Fraction, Fraction]:
    """A printed number and half a unit of its last digit (0 for ``p/q`` and for integers, which are exact)."""
    value = rational(text)
    mantissa, _, exponent = text.strip().lower().partition("e")
    if "." not in mantissa:
        return value, Fraction(0)
    places = len(mantissa.split(".")[1]) - int(exponent or 0)
    return value, Fraction(1, 2) / Fraction(10) ** places


def agrees(known: Known, bounds: Bounds) -> bool:
    """Whether a proved interval of the known quantity allows the known value, to half a unit in its last digit."""
    value, half = printed_value(known.value)
    not_below = bounds.lower is None or value + half >= bounds.lower
    not_above = bounds.upper is None or value - half <= bounds.upper
    return (not_above or known.relation == "<=") and (not_below or known.relation == ">=")


def _finite(value: float | None) -> float | None:
    """JSON has no infinity and no NaN: a number beyond the doubles is null."""
    return value if value is not None and isfinite(value) else None


def _unreadable(claim: str, what: str, mend: str) -> InputError:
    return InputError(Fault(f"claim {claim.strip()[:80]!r}", what, mend))
