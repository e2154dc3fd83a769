"""Matrices and right-hand sides of problem files, exactly; and matrices by the name of their constructor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.formats.table import read_table

if TYPE_CHECKING:
    from certify.problemfile import ProblemFile

Matrix = tuple[tuple[Fraction, ...], ...]
MOST_ENTRIES = 4_000_000


def matrix_from_section(file: ProblemFile) -> Matrix:
    """The [matrix] of a problem file; InputError names the key."""
    section = file.data.matrix  # type: ignore[attr-defined]
    if section.generator is not None:
        given = section.generator
        parameters = dict(given.__pydantic_extra__ or {})
        try:
            return generated(given.name, *given.args, **parameters)
        except InputError as fault:
            raise InputError(
                *(file.fault(("matrix", "generator"), one.what, one.mend) for one in fault.faults)
            ) from None
    if section.rows is not None:
        rows: Matrix = section.rows
        if not rows or not rows[0]:
            raise InputError(file.fault(("matrix", "rows"), "there are no entries", "write rows of numbers"))
        faults = [
            file.fault(("matrix", "rows", i), f"has {len(row)} entries, the first row has {len(rows[0])}")
            for i, row in enumerate(rows)
            if len(row) != len(rows[0])
        ]
        if faults:
            raise InputError(*faults)
        return rows
    key = next(key for key in ("csv", "npy", "mtx") if getattr(section, key) is not None)
    path = file.resolve(("matrix", key), getattr(section, key))
    return read_mtx(path) if key == "mtx" else tuple(map(tuple, read_table(path).rows))


def rhs_from_section(file: ProblemFile, rows: Matrix) -> tuple[str, tuple[Fraction, ...]]:
    """``y`` or ``x_true`` and its entries, from the [rhs] of a problem file."""
    section = file.data.rhs  # type: ignore[attr-defined]
    key = next(key for key in ("values", "x_true", "csv", "npy") if getattr(section, key) is not None)
    given = getattr(section, key)
    if isinstance(given, str):
        table = read_table(file.resolve(("rhs", key), given)).rows
        given = table[0] if len(table) == 1 else tuple(row[0] for row in table if len(row) == 1)
    length = len(rows[0]) if key == "x_true" else len(rows)
    if len(given) != length:
        what = f"has {len(given)} entries, the matrix is {len(rows)} x {len(rows[0])}"
        raise InputError(file.fault(("rhs", key), what, f"give {length}"))
    return ("x_true" if key == "x_true" else "y"), tuple(given)


def read_mtx(path: Path) -> Matrix:
    """A MatrixMarket file (real, integer or pattern). Its decimals are read as doubles; a note says nothing of it."""
    from scipy.io import mmread

    try:
        table = mmread(path)
    except (ValueError, OSError, OverflowError) as fault:
        raise InputError(Fault(str(path), f"is no MatrixMarket file: {fault}")) from None
    return exact_rows(table, str(path))


def gaussian(rows: int, columns: int, seed: int = 0) -> Any:
    """Independent normal entries of variance 1/rows, as the doubles that numpy draws."""
    import numpy as np

    return np.random.default_rng(seed).normal(size=(rows, columns)) / np.sqrt(rows)


def hadamard(n: int, rows: int | None = None, seed: int = 0) -> Any:
    """Sylvester's matrix of order n (a power of two), or ``rows`` of its rows drawn by the seed."""
    import numpy as np
    from scipy.linalg import hadamard as sylvester

    if n < 1 or n & (n - 1):
        raise InputError(Fault("n", f"{n} is not a power of two"))
    table = sylvester(n)
    return table if rows is None else table[np.sort(np.random.default_rng(seed).permutation(n)[:rows])]


def incidence(graph: str, *args: Any) -> Any:
    """The oriented incidence matrix (vertices, edges) of a graph of the allow-list of constructors."""
    import networkx as nx

    from certify.formats.generators import construct

    made = construct(graph, args)[0]
    return nx.incidence_matrix(made, oriented=True).toarray().astype(int)


def devore(p: int, r: int) -> Any:
    """DeVore's binary matrix, p² rows, p^(r+1) columns: the graphs of polynomials of degree ≤ r over F_p."""
    import numpy as np

    if p < 2 or any(p % k == 0 for k in range(2, p)):
        raise InputError(Fault("p", f"{p} is not a prime"))
    table = np.zeros((p * p, p ** (r + 1)), dtype=int)
    for column in range(p ** (r + 1)):
        for x in range(p):
            value = sum((column // p**k % p) * pow(x, k, p) for k in range(r + 1)) % p
            table[x * p + value, column] = 1
    return table


def vandermonde(rows: int, columns: int) -> Any:
    """Powers 0 … rows − 1 of 1 … columns."""
    return [[j**i for j in range(1, columns + 1)] for i in range(rows)]


GENERATORS: Mapping[str, Callable[..., Any]] = {
    "gaussian": gaussian,
    "hadamard": hadamard,
    "incidence": incidence,
    "devore": devore,
    "vandermonde": vandermonde,
}


def generated(name: str, *args: Any, **parameters: Any) -> Matrix:
    """The matrix of a constructor; InputError for an unknown name, wrong parameters or too many entries."""
    if name not in GENERATORS:
        raise InputError(Fault("generator", f"no matrix is called {name!r}", f"one of: {', '.join(GENERATORS)}"))
    numbers = [x for x in (*args, *parameters.values()) if not isinstance(x, str)]
    if any(isinstance(x, bool) or not isinstance(x, int) or not 0 <= x <= 100_000 for x in numbers):
        raise InputError(Fault("generator", "parameters are whole numbers from 0 to 100000"))
    if {"rows", "columns"} <= set(parameters) and parameters["rows"] * parameters["columns"] > MOST_ENTRIES:
        raise InputError(Fault("generator", f"more than {MOST_ENTRIES} entries"))
    if name in ("hadamard", "devore", "vandermonde") and any(x > 2048 for k, x in parameters.items() if k != "seed"):
        raise InputError(Fault("generator", "parameters of this matrix are at most 2048"))
    try:
        return exact_rows(GENERATORS[name](*args, **parameters), name)
    except TypeError as fault:
        raise InputError(Fault("generator", f"{name}: {fault}")) from None
