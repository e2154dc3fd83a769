"""Points to exact data: a [data] section, or an array in memory, as integers over a common denominator.

A file is read by the rules of :mod:`certify.formats.table`: ``csv`` by what it spells, ``npy`` as the exact numbers
that the floats are. Every entry that is missing, NaN or infinite is refused with its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.formats.table import read_table

if TYPE_CHECKING:
    from certify.problemfile import ProblemFile

IntegerRows = tuple[tuple[int, ...], ...]
_BITS = 62  # of integers that a double can be turned into all at once


@dataclass(frozen=True)
class PointsData:
    """rows/denominator are the coordinates, exactly; names of the points, if there are any; notes for people."""

    denominator: int
    rows: IntegerRows
    labels: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()


def points_from_section(file: ProblemFile) -> PointsData:
    """The points of a problem file whose model is a DataFile; data files are read here.

    Raises InputError with every fault, at its key and line of the problem file, or line of the data file.
    """
    from certify.formats.schema_data import DataFile

    if not isinstance(file.data, DataFile):
        raise TypeError(f"{type(file.data).__name__} has no [data]")
    section = file.data.data
    key = next(key for key in ("points", "csv", "npy") if getattr(section, key) is not None)
    given = getattr(section, key)
    labels = section.labels
    notes: tuple[str, ...] = ()
    if isinstance(given, str):
        table = read_table(file.resolve(("data", key), given), section.columns)
        rows, labels, notes = table.rows, labels or table.labels, table.notes
    else:
        rows = given
        _rectangle(file, rows, key)
    if labels is not None and len(labels) != len(rows):
        what = f"{len(labels)} names for {len(rows)} points"
        raise InputError(file.fault(("data", "labels"), what, "give one a point"))
    denominator, numerators = over_denominator(rows)
    return PointsData(denominator, numerators, labels, notes)


def _rectangle(file: ProblemFile, rows: Sequence[Sequence[Fraction]], key: str) -> None:
    if not rows or not rows[0]:
        raise InputError(file.fault(("data", key), "there are no points", "write rows of numbers: [[0, 1], [2, 3]]"))
    faults = [
        file.fault(
            ("data", key, i),
            f"has {len(row)} coordinates, the first point has {len(rows[0])}",
            "give each equally many",
        )
        for i, row in enumerate(rows)
        if len(row) != len(rows[0])
    ]
    if faults:
        raise InputError(*faults)


def over_denominator(rows: Sequence[Sequence[Fraction]]) -> tuple[int, IntegerRows]:
    """Integers a_ij and the least q > 0 with rows_ij = a_ij/q."""
    q = lcm(*{entry.denominator for row in rows for entry in row})
    return q, tuple(tuple(entry.numerator * (q // entry.denominator) for entry in row) for row in rows)


def exact_points(values: Any, name: str) -> tuple[int, IntegerRows]:
    """A matrix in memory as integers over a common denominator: (n, d), n and d >= 1.

    values: a numpy array, a scipy sparse matrix, a data frame, or nested sequences of numbers or of their text.
    Integers and floats (float32 too) are taken as the exact numbers they are. Raises InputError naming every
    entry that is not finite or no number, by row and column.
    """
    import numpy as np

    if hasattr(values, "toarray"):
        values = values.toarray()
    if isinstance(values, np.ndarray) and values.ndim == 1:
        raise InputError(Fault(name, "is one-dimensional", "give points on a line as x.reshape(-1, 1)"))
    if isinstance(values, np.ndarray) and values.ndim == 2 and values.size and values.dtype.kind in "iuf":
        quick = _all_at_once(values)
        if quick is not None:
            return quick
    rows = exact_rows(values, name)
    if not rows or not rows[0]:
        raise InputError(Fault(name, "there are no points", "give rows of numbers"))
    return over_denominator(rows)


def _all_at_once(values: Any) -> tuple[int, IntegerRows] | None:
    """A finite numeric array over its common power of two, if the integers fit in 64 bits; else None."""
    import numpy as np

    if values.dtype.kind in "iu" and values.dtype.itemsize <= 8:
        return 1, tuple(map(tuple, values.tolist()))
    doubles = values.astype(np.float64)  # exact for float16, float32 and float64
    if values.dtype.itemsize > 8 or not np.isfinite(doubles).all():
        return None
    mantissa, exponent = np.frexp(doubles)
    whole = np.ldexp(mantissa, 53).astype(np.int64)  # doubles are whole·2^(exponent − 53)
    trailing = np.where(whole == 0, 0, np.log2((whole & -whole).astype(np.float64) + (whole == 0)).astype(np.int64))
    least = int(np.where(whole == 0, 0, exponent - 53 + trailing).min(initial=0))
    top = int(np.where(whole == 0, least, exponent).max())
    if top - least > _BITS or least < -1000:
        return None
    scaled = np.ldexp(doubles, -least).astype(np.int64)
    return 1 << -least, tuple(map(tuple, scaled.tolist()))
