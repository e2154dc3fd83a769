"""Numbers from memory as exact rationals: a float is the dyadic rational it is."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from certify.errors import Fault, InputError
from certify.formats.exact import NotExactError, exact_number


def exact_rows(values: Any, name: str) -> tuple[tuple[Fraction, ...], ...]:
    """A matrix as rows of Fractions.

    values: a numpy array, a scipy sparse matrix, a data frame, or nested sequences of int, float, Fraction,
    Decimal or text ("1/3", "0.1"). Integers and floats are taken as the exact numbers they are.

    Raises InputError naming every entry that is not finite, not a number or missing, and ragged rows.
    """
    if hasattr(values, "toarray"):
        values = values.toarray()
    if hasattr(values, "to_numpy"):
        values = values.to_numpy()
    if hasattr(values, "tolist"):
        values = values.tolist()
    if not isinstance(values, Sequence) or isinstance(values, str):
        raise InputError(Fault(name, f"expected rows of numbers, found {type(values).__name__}", "give a 2-D array"))
    faults: list[Fault] = []
    rows: list[tuple[Fraction, ...]] = []
    for i, row in enumerate(values):
        if hasattr(row, "tolist"):
            row = row.tolist()
        if not isinstance(row, Sequence) or isinstance(row, str):
            raise InputError(Fault(f"{name}[{i}]", "expected a row of numbers", "give a 2-D array"))
        line = []
        for j, entry in enumerate(row):
            try:
                line.append(exact_number(entry))
            except NotExactError as fault:
                faults.append(Fault(f"{name}[{i}, {j}]", fault.what, fault.mend))
                line.append(Fraction(0))
        if rows and len(line) != len(rows[0]):
            faults.append(Fault(f"{name}[{i}]", f"{len(line)} entries, but row 0 has {len(rows[0])}"))
        rows.append(tuple(line))
    if faults:
        raise InputError(*faults)
    return tuple(rows)
