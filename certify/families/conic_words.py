"""What a certificate of a conic program says, in words, and a problem file to start from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certify.families.conic import Conic

MOST_LISTED = 12

TEMPLATE = """# Rigorous bounds of an LP, SOCP or SDP. Solve with: certify solve program.toml
# (a model file needs no problem file: certify bound truss1.dat-s)
family = "conic"
title = "Chvatal's first example"
# model = "truss1.dat-s"               # in place of lp: SDPA sparse, MPS or LP, plain or gzipped
lp = '''
Maximize
  5 x + 4 y + 3 z
Subject To
  2 x + 3 y + z <= 5
  4 x + y + 2 z <= 11
  3 x + 4 y + 2 z <= 8
End
'''

[known]                                # what the literature says; compared and printed
value = "13"
source = "Chvatal, Linear Programming (1983), chapter 2"
"""


def conic_explained(problem: Conic, witnesses: list[Mapping[str, Any]]) -> Iterator[str]:
    """Which rows carry the bound, which variables the point."""
    for witness in witnesses:
        what = witness["kind"]
        if what == "point":
            yield f"a feasible point with {_count(witness['x'])} of {len(problem)} variables not 0"
            continue
        if what == "ray":
            names = ", ".join(problem.name_of(j) for j, _ in _largest(witness["direction"]["x"]))
            yield f"from a feasible point the objective improves without end along {names}"
            continue
        total = sum(last - first for _, _, first, last in problem.program.cones)
        rows = ", ".join(f"{_short(value)} · {problem.row_of(i)}" for i, value in _largest(witness["y"]))
        if what == "farkas":
            yield f"{_count(witness['y'])} of {total} rows contradict each other; the largest multipliers: {rows}"
        else:
            yield f"the bound is a combination of {_count(witness['y'])} of {total} rows; the largest: {rows}"


def _count(vector: Mapping[str, Any]) -> int:
    return sum(1 for value in vector["value"] if value not in (0, "0"))


def _largest(vector: Mapping[str, Any]) -> list[tuple[int, Fraction]]:
    """The largest entries with their places."""
    q = _integer(vector["denominator"])
    values = [Fraction(_integer(value), q) for value in vector["value"]]
    places = [_integer(i) for i in vector.get("index", range(len(values)))]
    pairs = sorted(zip(places, values, strict=True), key=lambda pair: (-abs(pair[1]), pair[0]))
    return [(i, value) for i, value in pairs[:MOST_LISTED] if value]


def _integer(value: Any) -> int:
    from certify.kernel.exact import integer

    return integer(value, "vector")


def _short(value: Fraction) -> str:
    if value.denominator == 1 and abs(value.numerator) < 10**9:
        return str(value.numerator)
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return "a very large number"
