"""A person's own clustering: labels of the items, or centres by number or by coordinates; from memory or a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.formats.exact import NotExactError, exact_number

Place = Callable[[Sequence[Sequence[Fraction]]], "list[int] | None"]


@dataclass(frozen=True)
class Choice:
    """Either a label for each item, or the numbers of centres."""

    labels: tuple[int, ...] | None = None
    centres: tuple[int, ...] | None = None


def choice_of(solution: Any, items: int, candidates: int, k: int, place: Place | None) -> Choice | str:
    """What a solution says: a sequence of ``items`` labels, or else of at most k numbers of centres; rows of
    coordinates of centres (``place`` finds their numbers); ``{"labels": …}`` or ``{"centres": …}``; an estimator with
    ``medoid_indices_`` or ``labels_``.

    A sentence where it is no solution (too many clusters). Raises InputError for what cannot be read. The label −1 of
    an item that was left out as noise is refused: without it the problem is another one.
    """
    named = solution if isinstance(solution, Mapping) else None
    if named is None:
        for key, attribute in (("centres", "medoid_indices_"), ("labels", "labels_")):
            value = getattr(solution, attribute, None)
            if value is not None:
                named = {key: value}
                break
    if named is not None:
        if set(named) - {"labels", "centres"} or len(named) != 1:
            raise InputError(Fault("solution", f"has the keys {sorted(map(str, named))}", 'one of "labels", "centres"'))
        ((key, value),) = named.items()
        return _labels(_integers(value), items, k) if key == "labels" else _centres(_integers(value), candidates, k)
    rows = _rows(solution)
    if rows is not None and place is not None:
        found = place(rows)
        if found is None:
            raise InputError(
                Fault(
                    "solution", "has rows that are not coordinates of candidates", "give labels, or numbers of centres"
                )
            )
        return _centres(found, candidates, k)
    numbers = _integers(solution)
    if len(numbers) == items:
        return _labels(numbers, items, k)
    if place is None:
        raise InputError(Fault("solution", f"{len(numbers)} labels for {items} items", "one label an item"))
    if len(numbers) > k:
        what = f"{len(numbers)} numbers for {items} items and {k} centres"
        raise InputError(Fault("solution", what, "one label an item, or the numbers of at most k centres"))
    return _centres(numbers, candidates, k)


def _rows(solution: Any) -> tuple[tuple[Fraction, ...], ...] | None:
    """Rows of more than one coordinate, or None if it is a plain sequence."""
    values = solution.tolist() if hasattr(solution, "tolist") else solution
    nested = isinstance(values, list | tuple) and values and isinstance(values[0], list | tuple)
    return exact_rows(values, "solution") if nested and len(values[0]) > 1 else None


def _integers(values: Any) -> list[int]:
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, list | tuple) or not values:
        raise InputError(Fault("solution", "expected a sequence of whole numbers", "labels, or numbers of centres"))
    numbers, faults = [], []
    for j, value in enumerate(values):
        entry = value[0] if isinstance(value, list | tuple) and len(value) == 1 else value
        try:
            number = exact_number(entry)
            if number.denominator != 1:
                raise NotExactError(f"{number} is no whole number", "labels are whole numbers")
            numbers.append(int(number))
        except NotExactError as fault:
            faults.append(Fault(f"solution[{j}]", fault.what, fault.mend))
    if faults:
        raise InputError(*faults)
    return numbers


def _labels(labels: list[int], items: int, k: int) -> Choice | str:
    if len(labels) != items:
        raise InputError(Fault("solution", f"{len(labels)} labels for {items} items", "one label an item"))
    noise = labels.count(-1)
    if noise:
        what = f"{noise} items have the label -1 (noise)"
        raise InputError(Fault("solution", what, "leave these items out of the problem, then assess the rest"))
    used = len(set(labels))
    if used > k:
        return f"no solution: the labels make {used} clusters, at most {k} are allowed"
    return Choice(labels=tuple(labels))


def _centres(centres: list[int], candidates: int, k: int) -> Choice | str:
    for t, i in enumerate(centres):
        if not 0 <= i < candidates:
            raise InputError(Fault(f"solution[{t}]", f"{i} is no candidate", f"they are 0 to {candidates - 1}"))
    if len(set(centres)) > k:
        return f"no solution: {len(set(centres))} centres, at most {k} are allowed"
    return Choice(centres=tuple(dict.fromkeys(centres)))


def read_choice(path: Path) -> Any:
    """Numbers of a file in one column or one row as a sequence; a table of coordinates as its rows."""
    from certify.formats.table import read_table

    rows = read_table(path).rows
    if len(rows[0]) == 1:
        return [row[0] for row in rows]
    if len(rows) == 1 and all(x.denominator == 1 for x in rows[0]):
        return list(rows[0])
    return rows
