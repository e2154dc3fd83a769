"""Proved intervals as MathML: mathematics that a browser draws without any network."""

from __future__ import annotations

from latex2mathml.converter import convert

from certify.kernel import decimal_text, rational_text
from certify.problem import Quantity
from certify.result import Bounds, shared_digits


def bounds_latex(quantity: Quantity, bounds: Bounds) -> str:
    """``symbol ∈ [lower, upper]`` in LaTeX, the decimals rounded outward; ``symbol = value`` if exact."""
    low, high = bounds.lower, bounds.upper
    if low is None and high is None:
        return rf"{quantity.latex} \text{{ unknown}}"
    if low is not None and low == high:
        if low.denominator == 1:
            return f"{quantity.latex} = {low.numerator}"
        if len(rational_text(low)) < 40:
            return rf"{quantity.latex} = \frac{{{low.numerator}}}{{{low.denominator}}}"
    digits = shared_digits(bounds)
    if low is None and high is not None:
        return rf"{quantity.latex} \le {decimal_text(high, True, digits)}"
    if high is None and low is not None:
        return rf"{quantity.latex} \ge {decimal_text(low, False, digits)}"
    if low is None or high is None:
        return ""
    return rf"{quantity.latex} \in [{decimal_text(low, False, digits)},\ {decimal_text(high, True, digits)}]"


def bounds_mathml(quantity: Quantity, bounds: Bounds) -> str:
    """:func:`bounds_latex` as MathML."""
    return mathml(bounds_latex(quantity, bounds))


def mathml(latex: str) -> str:
    """LaTeX as MathML."""
    return str(convert(latex))
