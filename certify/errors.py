"""Misuse and bad input. Mathematical outcomes (infeasible, not proved, forged) are never exceptions."""

from __future__ import annotations

from dataclasses import dataclass

MOST_FAULTS = 20


@dataclass(frozen=True)
class Fault:
    """One thing wrong with the input.

    where: file, line or key (``cities.toml:7:1: metric.csv``); what: what is wrong; mend: what to do.
    """

    where: str
    what: str
    mend: str = ""

    def __str__(self) -> str:
        line = f"{self.where}: {self.what}" if self.where else self.what
        return " ".join((f"{line}; {self.mend}" if self.mend else line).split())


class InputError(ValueError):
    """The input cannot be used. Carries every fault found, not only the first."""

    def __init__(self, *faults: Fault) -> None:
        self.faults = faults
        super().__init__("\n".join(self.lines()))

    def lines(self) -> list[str]:
        """One line a fault, at most 20, then a count of the rest."""
        shown = [str(fault) for fault in self.faults[:MOST_FAULTS]]
        left = len(self.faults) - len(shown)
        return [*shown[: MOST_FAULTS - 1], f"… and {left + 1} more"] if left else shown


class NotProvedError(ValueError):
    """``Result.require`` was asked for a statement that the kernel did not prove."""
