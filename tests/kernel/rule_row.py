"""A row of the table of rules: a file, and how the kernel must reject it. Families bring tables of their own.

A module ``rows_<family>.py`` beside this one offers ``TINY`` (small valid certificates by name) and ``ROWS``; the
table of all of them is in :mod:`rule_table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from certify.testing import written

GONE = object()


@dataclass(frozen=True)
class Row:
    """A file, and how the kernel must reject it. ``why``: a word of its reason, where rule and place are not all.

    ``limits`` lowers stated limits of the kernel, so that a small file goes beyond one; ``lie`` swaps in a checker that
    contradicts itself, which no file can do; ``files`` lie beside it (None: it is not known what does).
    """

    name: str
    rule: str
    where: str
    data: bytes
    why: str = ""
    limits: dict[str, int] = field(default_factory=dict)
    lie: Callable[[Any], None] | None = None
    files: Mapping[str, bytes] | None = None

    @property
    def beside(self) -> Callable[[str], bytes] | None:
        """Reads the files that lie beside it."""
        files = self.files
        if files is None:
            return None

        def read(name: str) -> bytes:
            if name not in files:
                raise FileNotFoundError(2, "No such file")
            return files[name]

        return read


class Edits:
    """Rows that are edits of tiny certificates: ``rows = Edits(TINY); rows("word", "format", "star", format=1)``."""

    def __init__(self, tiny: Mapping[str, dict[str, Any]]) -> None:
        self.tiny = tiny

    def edited(self, base: str, **changes: Any) -> bytes:
        """A tiny certificate with parts changed: ``problem__metric__norm="l3"``, ``witnesses__0=GONE``."""
        document = deepcopy(self.tiny[base])
        for path, value in changes.items():
            *home, last = [int(key) if key.isdigit() else key for key in path.split("__")]
            table: Any = document
            for key in home:
                table = table[key]
            if value is GONE:
                del table[last]
            else:
                table[last] = value
        return written(document).encode()

    def __call__(
        self, rule: str, where: str, base: str, name: str = "", why: str = "", limits: Any = None, **changes: Any
    ) -> Row:
        """The row that expects ``rule`` at ``where`` of a tiny certificate with these changes."""
        title = name or f"{where}: {', '.join(f'{key} = {value!r}' for key, value in changes.items())}"[:90]
        return Row(f"{rule} {title}", rule, where, self.edited(base, **changes), why, limits or {})


def raw(rule: str, where: str, name: str, data: bytes, why: str = "", **limits: int) -> Row:
    """The row that expects ``rule`` at ``where`` of these bytes."""
    return Row(f"{rule} {name}", rule, where, data, why, limits)
