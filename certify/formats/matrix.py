"""Matrices and right-hand sides of problem files, exactly; and matrices by the name of their constructor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.errors import Fault, InputError
from certify.formats.array import exact_rows
from certify.formats.exact import NotExactError, rational, shown
from certify.formats.table import read_table
from certify.formats.text import MIB, display, lines_of, read_text

if TYPE_CHECKING:
    from certify.problemfile import ProblemFile

Matrix = tuple[tuple[Fraction, ...], ...]
MOST_ENTRIES = 4_000_000
MOST_BYTES = 256 * MIB


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
    """A MatrixMarket file, each decimal the rational that it spells. Raises InputError with file and line.

    Formats coordinate and array; fields real, integer and pattern; general, symmetric and skew-symmetric.
    """
    name = display(path)
    lines = lines_of(read_text(path, MOST_BYTES, "a MatrixMarket file"))
    head = lines[0].lower().split() if lines else []
    if len(head) != 5 or head[:2] != ["%%matrixmarket", "matrix"]:
        raise InputError(Fault(f"{name}:1", "is no MatrixMarket file", "it begins with %%MatrixMarket matrix …"))
    form, kind, symmetry = head[2:]
    known = form in ("coordinate", "array") and kind in ("real", "integer", "pattern")
    if not known or symmetry not in ("general", "symmetric", "skew-symmetric") or (form, kind) == ("array", "pattern"):
        what = f"{form} {kind} {symmetry} is not read"
        raise InputError(Fault(f"{name}:1", what, "coordinate or array, real or integer, general or symmetric"))
    body = [(number, line.split()) for number, line in enumerate(lines[1:], 2) if line.strip() and line[0] != "%"]
    sizes = body[0][1] if body else []
    wanted = 3 if form == "coordinate" else 2
    if len(sizes) != wanted or not all(size.isdecimal() and len(size) < 10 for size in sizes):
        raise InputError(
            Fault(f"{name}:{body[0][0] if body else 1}", "the line of sizes is missing", f"{wanted} numbers")
        )
    n, d = int(sizes[0]), int(sizes[1])
    if not 0 < n * d <= MOST_ENTRIES:
        raise InputError(Fault(f"{name}:{body[0][0]}", f"{n} x {d} is empty, or more than {MOST_ENTRIES} entries"))
    if symmetry != "general" and n != d:
        raise InputError(Fault(f"{name}:{body[0][0]}", f"{n} x {d} is not square, but {symmetry}"))
    skew = symmetry == "skew-symmetric"
    entries: list[tuple[int, tuple[int, int] | None, list[str]]]
    if form == "array":
        places = [(i, j) for j in range(d) for i in range(0 if symmetry == "general" else j + skew, n)]
        entries = [(number, place, cells) for (number, cells), place in zip(body[1:], places, strict=False)]
        expected = len(places)
    else:
        entries = [(number, None, cells) for number, cells in body[1:]]
        expected = int(sizes[2])
    if len(body) - 1 != expected:
        raise InputError(Fault(f"{name}:{body[-1][0]}", f"has {len(body) - 1} entries, its sizes say {expected}"))
    table = [[Fraction(0)] * d for _ in range(n)]
    faults = []
    for number, given, cells in entries:
        try:
            place, value = (given, cells) if given is not None else (_place(cells[:2], n, d), cells[2:])
            number_of = Fraction(1) if kind == "pattern" and not value else rational(*value)
        except NotExactError as fault:
            faults.append(Fault(f"{name}:{number}", fault.what, fault.mend))
            continue
        except (TypeError, ValueError):
            faults.append(Fault(f"{name}:{number}", f"{shown(' '.join(cells))} is no entry of a {n} x {d} matrix"))
            continue
        i, j = place
        table[i][j] += number_of  # entries of one place are added up, as the format says
        if symmetry != "general" and i != j:
            table[j][i] += -number_of if skew else number_of
    if faults:
        raise InputError(*faults)
    return tuple(map(tuple, table))


def _place(cells: list[str], n: int, d: int) -> tuple[int, int]:
    """Row and column from 0; ValueError if they are outside of the matrix."""
    i, j = (int(cell) - 1 for cell in cells)
    if not (0 <= i < n and 0 <= j < d):
        raise ValueError
    return i, j


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


@dataclass(frozen=True)
class Generator:
    """A constructor of matrices, and how many entries its parameters ask for, reckoned before anything is made."""

    make: Callable[..., Any]
    entries: Callable[[Mapping[str, Any]], int]


GENERATORS: Mapping[str, Generator] = {
    "gaussian": Generator(gaussian, lambda p: p["rows"] * p["columns"]),
    "hadamard": Generator(hadamard, lambda p: p["n"] ** 2),
    "incidence": Generator(incidence, lambda p: 1),  # graphs have limits of their own
    "devore": Generator(devore, lambda p: p["p"] ** 2 * p["p"] ** (min(p["r"], 64) + 1)),
    "vandermonde": Generator(vandermonde, lambda p: p["rows"] * p["columns"] * (1 + p["rows"] // 8)),  # long numbers
}


def generated(name: str, *args: Any, **parameters: Any) -> Matrix:
    """The matrix of a constructor; InputError for an unknown name, wrong parameters or too many entries."""
    if name not in GENERATORS:
        raise InputError(Fault("generator", f"no matrix is called {name!r}", f"one of: {', '.join(GENERATORS)}"))
    numbers = [x for x in (*args, *parameters.values()) if not isinstance(x, str)]
    if any(isinstance(x, bool) or not isinstance(x, int) or not 0 <= x <= 100_000 for x in numbers):
        raise InputError(Fault("generator", "parameters are whole numbers from 0 to 100000"))
    entry = GENERATORS[name]
    try:
        bound = signature(entry.make).bind(*args, **parameters)
        bound.apply_defaults()
        if entry.entries(bound.arguments) > MOST_ENTRIES:
            raise InputError(Fault("generator", f"{name} of these parameters has more than {MOST_ENTRIES} entries"))
        rows = exact_rows(entry.make(*args, **parameters), name)
    except TypeError as fault:
        raise InputError(Fault("generator", f"{name}: {fault}")) from None
    if not rows or not rows[0] or len(rows) * len(rows[0]) > MOST_ENTRIES:
        raise InputError(
            Fault("generator", f"{name} of these parameters is empty, or more than {MOST_ENTRIES} entries")
        )
    return rows
