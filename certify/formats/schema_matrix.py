"""The keys of ``[matrix]`` and ``[rhs]``, and the problem file of basis pursuit. See :mod:`certify.formats.schema`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import ConfigDict, StrictStr

from certify.formats.schema import ExactNotNegative, FileModel, GeneratorSection, Misuse, Row, Rows, Section

MATRIX_SOURCES = ("rows", "csv", "npy", "mtx", "generator")
RHS_SOURCES = ("values", "x_true", "csv", "npy")


def _exactly_one(given: Mapping[str, Any], sources: tuple[str, ...], what: str) -> Iterator[Misuse]:
    found = [key for key in sources if given.get(key) is not None]
    for key in found[1:]:
        yield Misuse((key,), f"{what} is already given by {found[0]}", "keep exactly one of them")
    if not found:
        yield Misuse((), f"there is no {what} in it", f"give exactly one of {', '.join(sources)}")


class MatrixSection(Section):
    """A matrix, one row a measurement: exactly one of rows, csv, npy, mtx, generator."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": [source]} for source in MATRIX_SOURCES]},
    )

    rows: Rows | None = None
    """Rows of numbers."""
    csv: StrictStr | None = None
    """The path of a table."""
    npy: StrictStr | None = None
    """The path of a .npy file, two-dimensional."""
    mtx: StrictStr | None = None
    """The path of a MatrixMarket file, real or integer."""
    generator: GeneratorSection | None = None
    """gaussian, hadamard, incidence, devore or vandermonde, with its parameters."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source."""
        yield from _exactly_one(given, MATRIX_SOURCES, "matrix")


class RhsSection(Section):
    """The measurements, or the vector that is measured: exactly one of values, x_true, csv, npy."""

    values: Row | None = None
    """The measurements y, one a row of the matrix."""
    x_true: Row | None = None
    """The vector x: y := Wx, exactly."""
    csv: StrictStr | None = None
    """The path of a table of one column or one row with the measurements."""
    npy: StrictStr | None = None
    """The path of a .npy file of shape (n, 1) or (1, n) with the measurements."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source."""
        yield from _exactly_one(given, RHS_SOURCES, "right-hand side")


class BasisPursuitFile(FileModel):
    """The problem file of the family `basis_pursuit`: a matrix and measurements."""

    family: Literal["basis_pursuit"]
    noise: ExactNotNegative | None = None
    """σ of ‖Wv − y‖₂ <= σ (default 0: Wv = y)."""
    matrix: MatrixSection
    rhs: RhsSection


class SparkFile(FileModel):
    """The problem file of the family `spark`: a matrix."""

    family: Literal["spark"]
    matrix: MatrixSection
