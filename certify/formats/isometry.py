"""The [matrix] of restricted isometry: a matrix with a scale, or a Gram matrix, perhaps by its constructor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from certify.errors import Fault, InputError
from certify.formats.frames import GRAMS, gram_generated
from certify.formats.matrix import matrix_from_section

if TYPE_CHECKING:
    from certify.families.rip import RIP
    from certify.problemfile import ProblemFile


def isometry_from_section(file: ProblemFile) -> RIP:
    """The problem that a file states; InputError names the key."""
    from certify.families.rip import RIP

    data: Any = file.data
    section = data.matrix
    options: dict[str, Any] = {"scaling": data.scaling or "given", "about": file.about}
    try:
        if section.gram is not None:
            gram = [list(row) for row in section.gram]
            imaginary = None if section.imaginary is None else [list(row) for row in section.imaginary]
            return RIP.of_gram(gram, data.s, imaginary=imaginary, radius=section.radius or 0, **options)
        made = section.generator
        if made is not None and made.name in GRAMS:
            if section.scale_squared is not None:
                raise InputError(Fault("scale_squared", f"{made.name} has columns of norm 1", "leave it out"))
            found = gram_generated(made.name, *made.args, **(made.__pydantic_extra__ or {}))
            return RIP.of_gram(found.real, data.s, imaginary=found.imaginary or None, radius=found.radius, **options)
    except InputError as fault:
        raise InputError(*(file.fault(_place(one.where), one.what, one.mend) for one in fault.faults)) from None
    matrix = matrix_from_section(file)
    try:
        return RIP.of(
            matrix, data.s, scale_squared=1 if section.scale_squared is None else section.scale_squared, **options
        )
    except InputError as fault:
        raise InputError(*(file.fault(_place(one.where), one.what, one.mend) for one in fault.faults)) from None


def _place(where: str) -> tuple[str | int, ...]:
    """The key of a fault's place: ``s``, or a key of [matrix], perhaps with a row."""
    name, _, rest = where.partition("[")
    if name == "s":
        return ("s",)
    key = name if name in ("gram", "imaginary", "radius", "scale_squared") else "generator"
    row = rest.partition("]")[0].partition(",")[0]
    return ("matrix", key, int(row)) if row.isdecimal() else ("matrix", key)
