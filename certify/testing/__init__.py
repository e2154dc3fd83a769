"""The conformance suite that a family or an engine must pass.

    from certify.testing import Case, Conformance

    class TestMine(Conformance):
        cases = (Case("three points", make, low=1.0, high=1.0),)

pytest collects the inherited tests. What a family adds: factories, truths, twins and tiny certificates to
forge; see :mod:`certify.testing.embedding` for one that is complete. Needs pytest; the forging campaign also
needs hypothesis.
"""

from certify.testing.conformance import Case, Conformance, Degenerate, demand
from certify.testing.forging import Forgery, Raw, forged, forgeries, respellings, written

__all__ = [
    "Case",
    "Conformance",
    "Degenerate",
    "Forgery",
    "Raw",
    "demand",
    "forged",
    "forgeries",
    "respellings",
    "written",
]
