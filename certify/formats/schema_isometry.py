"""The problem files of restricted isometry and of the null-space constant. See :mod:`certify.formats.schema`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StrictInt

from certify.formats.schema import ExactNotNegative, ExactPositive, FileModel, Misuse, Rows
from certify.formats.schema_matrix import MATRIX_SOURCES, MatrixSection, _exactly_one

ISOMETRY_SOURCES = (*MATRIX_SOURCES, "gram")
Sparsity = Annotated[StrictInt, Field(ge=1)]


class IsometrySection(MatrixSection):
    """A matrix, one row a measurement, or its Gram matrix: exactly one of rows, csv, npy, mtx, generator, gram."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": [source]} for source in ISOMETRY_SOURCES]},
    )

    gram: Rows | None = None
    """Rows of the Gram matrix (real parts), or of its lower triangle."""
    imaginary: Rows | None = None
    """The imaginary parts of ``gram``, in the same form (default: none)."""
    radius: ExactNotNegative | None = None
    """No entry of ``gram`` is farther off (default 0: it is exact)."""
    scale_squared: ExactPositive | None = None
    """c: the matrix is √c times the numbers that are given (default 1)."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one source; what belongs to one of them only with it."""
        yield from _exactly_one(given, ISOMETRY_SOURCES, "matrix")
        if given.get("gram") is None:
            for key in ("imaginary", "radius"):
                if given.get(key) is not None:
                    yield Misuse((key,), f"{key} belongs to gram", "give gram, or leave it out")
        elif given.get("scale_squared") is not None:
            yield Misuse(("scale_squared",), "a Gram matrix has no scale of its own", "multiply it into gram")


class RipFile(FileModel):
    """The problem file of the family `rip`: a matrix or its Gram matrix, and a number of entries."""

    family: Literal["rip"]
    s: Sparsity
    """The greatest number of entries of a vector that are not 0."""
    scaling: Literal["given", "best"] | None = None
    """best: the least constant of all multiples of the matrix (default: given)."""
    matrix: IsometrySection


class NullspaceFile(FileModel):
    """The problem file of the family `nullspace`: a matrix, and a number of entries."""

    family: Literal["nullspace"]
    s: Sparsity
    """How many entries of a vector of the kernel are added up."""
    matrix: MatrixSection
