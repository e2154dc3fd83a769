"""What a theorem is, and what can be said of it on an instance."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from certify.kernel import decimal_text, rational_text
from certify.problem import Problem
from certify.result import Bounds, Result


class TheoremVerdict(Enum):
    """What was found on the instance. The value carries the words a person reads."""

    HOLDS = ("holds", "both sides are proved, and they are as the theorem says")
    VIOLATED = ("violated", "proved: the instance contradicts it")
    VACUOUS = ("vacuous", "true, but it says nothing about this instance")
    UNDECIDED = ("undecided", "the proved intervals are too wide to tell")
    HYPOTHESES_FAIL = ("hypotheses fail", "the theorem does not speak of this instance")

    def __init__(self, word: str, message: str) -> None:
        self.word, self.message = word, message


@dataclass(frozen=True)
class Side:
    """One side of the theorem on the instance: what it is, and its proved interval."""

    meaning: str
    bounds: Bounds


@dataclass(frozen=True)
class TheoremResult:
    """The verdict with its reason, the two proved sides, and the result that proves them."""

    theorem: Theorem
    verdict: TheoremVerdict
    reason: str
    sides: tuple[Side, ...] = ()
    result: Result | None = None

    def as_json(self) -> dict[str, Any]:
        """One JSON-able object."""
        return {
            "theorem": self.theorem.name,
            "verdict": self.verdict.word,
            "reason": self.reason,
            "sides": [
                {
                    "meaning": side.meaning,
                    "lower": None if side.bounds.lower is None else rational_text(side.bounds.lower),
                    "upper": None if side.bounds.upper is None else rational_text(side.bounds.upper),
                }
                for side in self.sides
            ],
            "certificate": None if self.result is None else self.result.path,
            "source": self.theorem.source,
        }

    def to_json(self) -> str:
        """:meth:`as_json` on one line."""
        return json.dumps(self.as_json(), allow_nan=False)

    def to_text(self) -> str:
        """Lines for a terminal."""
        lines = [f"{self.theorem.title}: {self.verdict.word}", f"  {self.reason}"]
        for side in self.sides:
            low = "?" if side.bounds.lower is None else decimal_text(side.bounds.lower, False, 12)
            high = "?" if side.bounds.upper is None else decimal_text(side.bounds.upper, True, 12)
            lines.append(f"  {side.meaning}: in [{low}, {high}]")
        return "\n".join([*lines, f"  source: {self.theorem.source}"])

    __str__ = to_text
    __repr__ = to_text


@dataclass(frozen=True)
class Theorem:
    """A published theorem: its statement in words and LaTeX, its hypotheses, its source, and its check."""

    name: str
    title: str
    statement: str
    latex: str
    hypotheses: str
    source: str
    check: Callable[..., TheoremResult]

    def verify(self, problem: Problem, **options: Any) -> TheoremResult:
        """Check it on a problem; options are those of :func:`certify.solve`."""
        return self.check(problem, **options)
