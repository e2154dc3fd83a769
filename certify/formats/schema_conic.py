"""The problem file of a conic program: a model in a file of its own. See :mod:`certify.formats.schema`."""

from __future__ import annotations

from typing import Literal

from pydantic import StrictStr

from certify.formats.schema import FileModel


class ConicFile(FileModel):
    """An LP, SOCP or SDP in a model file."""

    family: Literal["conic"]
    """The family of the problem."""
    model: StrictStr
    """The path of the model: SDPA sparse (.dat-s), MPS (.mps) or CPLEX LP (.lp), plain or gzipped."""
