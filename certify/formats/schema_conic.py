"""The problem file of a conic program: a model in a file of its own. See :mod:`certify.formats.schema`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import ConfigDict, StrictStr

from certify.formats.schema import FileModel, Misuse


class ConicFile(FileModel):
    """An LP, SOCP or SDP: exactly one of model, lp."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"oneOf": [{"required": ["model"]}, {"required": ["lp"]}]},
    )

    family: Literal["conic"]
    """The family of the problem."""
    model: StrictStr | None = None
    """The path of the model: SDPA sparse (.dat-s), MPS (.mps) or CPLEX LP (.lp), plain or gzipped."""
    lp: StrictStr | None = None
    """A linear program in CPLEX's LP format, in the file itself."""

    @classmethod
    def misuse(cls, given: Mapping[str, Any]) -> Iterator[Misuse]:
        """Exactly one of model and lp."""
        if given.get("model") is not None and given.get("lp") is not None:
            yield Misuse(("lp",), "the program is already given by model", "keep exactly one of them")
        if given.get("model") is None and given.get("lp") is None:
            yield Misuse((), "there is no program in it", "give exactly one of model, lp")
