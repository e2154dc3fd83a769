"""What the kernel returns: statements, and the verdict that holds them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from certify.kernel.exact import decimal_text, int_to_decimal, rational_text
from certify.kernel.quadratic import Surd

DETERMINISTIC = "deterministic"


class Proved(NamedTuple):
    """What one witness proves: a relation of the quantity and a value (None: ``infeasible``, ``unbounded``).

    rigor is ``deterministic``, or ``confidence 1-δ`` over the randomness that ``given`` names in words.
    """

    relation: str
    value: Any = None
    rigor: str = DETERMINISTIC
    given: str = ""


def _size(data: Any) -> dict[str, Any]:
    return {"n": len(data)}


@dataclass(frozen=True)
class Rules:
    """What a checker module offers for its family.

    ``words`` phrases each relation, with {value} and what ``facts`` tells of the data (default: {n}, their
    len()), which may override ``quantity`` and ``latex``. ``canonical`` maps the ``problem`` of a certificate to its
    one digested form and to the data that ``check`` works on; ``check(witness, where, data, pure)`` returns what is
    proved (:class:`Proved`, or just relation and value), or raises Rejected. ``sense`` is min or max, unless ``facts``
    tell it.
    """

    quantity: str
    latex: str
    words: dict[str, str]
    canonical: Callable[[Any], tuple[Any, Any]]
    check: Callable[[dict[str, Any], str, Any, bool], tuple[Any, ...]]
    facts: Callable[[Any], dict[str, Any]] = _size
    sense: str = "min"


@dataclass(frozen=True)
class Statement:
    """What the kernel proved: ``quantity relation value`` for the problem with this digest.

    relation is >=, <=, ==, or ``infeasible`` or ``unbounded``, which have no value. value is exact; if the proved
    value is irrational, ``exact`` holds it and value is a rational beyond it, within 2⁻⁸⁰, that the relation is true
    of all the more (for ``==``: below it). rigor is ``deterministic``: a theorem about the data that the digest
    names; or ``confidence 1-δ``, over randomness that the text names.
    """

    quantity: str
    relation: str
    value: Fraction | None
    rigor: str
    digest: str
    text: str
    latex: str
    exact: Surd | None = None

    def as_json(self) -> dict[str, Any]:
        irrational = self.exact is not None and self.relation == "=="
        table: dict[str, Any] = {
            "quantity": self.quantity,
            "relation": self.relation,
            "value": None if irrational or self.value is None else rational_text(self.value),
            "rigor": self.rigor,
            "digest": self.digest,
            "text": self.text,
        }
        if self.exact is not None:
            table["exact_value"] = self.exact.as_json()
        return table


@dataclass(frozen=True)
class Verdict:
    """Valid with its statements, or rejected with the rule, the place and the reason."""

    valid: bool
    statements: tuple[Statement, ...] = ()
    rule: str = ""
    where: str = ""
    why: str = ""

    def __bool__(self) -> bool:
        return self.valid

    def best(self, relation: str) -> Fraction | None:
        """The strongest proved lower (>=) or upper (<=) end, or None."""
        values = [s.value for s in self.statements if s.relation == relation and s.value is not None]
        return (max(values) if relation == ">=" else min(values)) if values else None

    def rigor(self) -> str:
        """``deterministic``, or the confidence of a statement that one of the best ends rests on."""
        for relation in (">=", "<="):
            at_end = [s.rigor for s in self.statements if s.relation == relation and s.value == self.best(relation)]
            if at_end and DETERMINISTIC not in at_end:
                return at_end[0]
        return DETERMINISTIC

    def as_json(self) -> dict[str, Any]:
        if self.valid:
            return {"valid": True, "statements": [s.as_json() for s in self.statements]}
        return {"valid": False, "rule": self.rule, "where": self.where, "why": self.why}

    def lines(self) -> list[str]:
        """``s PROVED …`` or ``s REJECTED rule where why``, then a line for every statement."""
        if not self.valid:
            return [f"s REJECTED {self.rule} {self.where} {self.why}"]
        first = self.statements[0]
        lower, upper = self.best(">="), self.best("<=")
        equal = next((s for s in self.statements if s.relation == "=="), None)
        without = next((s for s in self.statements if s.value is None), None)
        if without is not None:
            interval = f"{first.quantity} {without.relation}"
        elif equal is not None and equal.value is not None:
            interval = f"{first.quantity} == {_both(equal.exact or equal.value, False)}"
        else:
            left = f"{decimal_text(lower, False)} <= " if lower is not None else ""
            right = f" <= {decimal_text(upper, True)}" if upper is not None else ""
            interval = left + first.quantity + right
        interval += "" if self.rigor() == DETERMINISTIC else f" with {self.rigor()}"
        return [f"s PROVED {interval} sha256:{first.digest}", *(f"c {s.text}" for s in self.statements)]


def _both(value: Fraction | Surd, upward: bool) -> str:
    """Exact and short, or an outward decimal with the exact value behind it."""
    if isinstance(value, Surd):
        return f"{value.text()} ({decimal_text(value.enclosure()[0], False)}…)"
    if value.denominator == 1 or max(value.numerator, value.denominator) < 10**9:
        return rational_text(value)
    digits = len(int_to_decimal(value.denominator))
    return f"{decimal_text(value, upward)} (exactly a rational with a denominator of {digits} digits)"


def state(rules: Rules, data: Any, proved: Proved, digest: str) -> Statement:
    """The statement in its exact form, in words and in LaTeX."""
    facts = rules.facts(data)
    name, symbol = facts.get("quantity", rules.quantity), facts.get("latex", rules.latex)
    relation, value, rigor, given = proved
    upward = relation == "<="
    phrase = rules.words[relation].format(**facts, value="" if value is None else _both(value, upward))
    if rigor != DETERMINISTIC:
        phrase += f", with {rigor} over {given}"
    elif given:  # what the witness proves besides
        phrase += f", {given}"
    if value is None:
        return Statement(name, relation, None, rigor, digest, phrase, rf"{symbol}\colon\ \text{{{relation}}}")
    exact = value if isinstance(value, Surd) else None
    rational = value.enclosure()[upward] if isinstance(value, Surd) else value
    sign = {">=": r"\ge", "<=": r"\le", "==": "="}[relation]
    if relation != "==":
        short = decimal_text(rational, upward)
    elif exact is not None:
        short = exact.text().replace("*sqrt(", r"\sqrt{").replace(")", "}")
    else:
        short = rational_text(rational)
    return Statement(name, relation, rational, rigor, digest, phrase, f"{symbol} {sign} {short}", exact)
