"""A clustering of the user's own from a file: labels, one a point, or centres, one row each.

A file whose rows have one cell each holds labels, which may be whole numbers or any text; a first row that is text
above numbers is a header. A file with more cells a row holds centres, by the rules of :mod:`certify.formats.table`. A
``.npy`` file with one dimension (or one column) holds labels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from certify.errors import Fault, InputError
from certify.formats.exact import is_number, looks_missing
from certify.formats.table import MOST_BYTES, read_head, read_table, separator, split_lines
from certify.formats.text import display, lines_of, read_text

_NPY = b"\x93NUMPY"


def read_labels(path: Path) -> list[Any] | tuple[Any, ...]:
    """Labels as a list of numbers as text or of names, or rows of exact numbers. Raises InputError."""
    if str(path) != "-" and read_head(path) == _NPY:
        return _from_npy(path)
    lines = lines_of(read_text(path, MOST_BYTES, "labels, one a line, or rows of numbers"))
    filled = next((line for line in lines if line.strip() and line.lstrip()[0] not in "#%"), "")
    cells = [(number, row) for number, row in split_lines(lines, separator(filled, path), path)]
    if any(len(row) != 1 for _, row in cells):
        return read_table(path).rows
    if len(cells) > 1 and not is_number(cells[0][1][0]) and all(is_number(row[0]) for _, row in cells[1:]):
        cells = cells[1:]
    faults = [
        Fault(f"{display(path)}:{number}", f"{row[0] or 'nothing'} stands where a label should", "write its cluster")
        for number, row in cells
        if looks_missing(row[0])
    ]
    if faults:
        raise InputError(*faults)
    return [row[0] for _, row in cells]


def _from_npy(path: Path) -> list[Any] | tuple[Any, ...]:
    import numpy as np

    try:
        values: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (
        Exception
    ):  # its header is Python text, whose readers raise whatever they like; read_table says what is wrong
        return read_table(path).rows
    if values.ndim == 1 and values.dtype.kind in "iuf":
        return list(values.tolist())
    return read_table(path).rows
