"""Linear programs in floating point, by HiGHS: a basis is what is wanted. Nothing that it says is believed."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from certify.problem import Claim

Floats = NDArray[np.float64]

BASIC, LOWER, UPPER, FREE = "basic", "lower", "upper", "free"


@dataclass(frozen=True)
class BoxedProgram:
    """minimise costᵀx with row_lower ≤ Ax ≤ row_upper and lower ≤ x ≤ upper, in floats; infinite ends are ±inf."""

    cost: Floats
    matrix: sp.csc_matrix
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats


@dataclass(frozen=True)
class LinearAnswer:
    """A basis (a status a column and a row, empty if there is none), the point and row multipliers, and the claim.

    status: optimal, infeasible, unbounded, or whatever else it was.
    """

    status: str
    columns: list[str]
    rows: list[str]
    x: Floats
    y: Floats
    claim: Claim


def available() -> bool:
    """Whether HiGHS is installed with its own interface, which tells the basis."""
    try:
        import highspy  # noqa: F401
    except ImportError:
        return False
    return True


def solve_linear(
    program: BoxedProgram,
    *,
    seconds: float,
    basis: tuple[Sequence[str], Sequence[str]] | None = None,
    primal: bool = False,
    presolve: bool = True,
    scale: bool = True,
) -> LinearAnswer:
    """One run of HiGHS's simplex method within ``seconds``, from a basis if one is given."""
    import highspy

    with _silence():
        engine = highspy.Highs()
    for name, value in (
        ("output_flag", False),
        ("threads", 1),
        ("solver", "simplex"),
        ("time_limit", max(seconds, 0.01)),
        ("presolve", "on" if presolve and basis is None else "off"),
        ("primal_feasibility_tolerance", 1e-9),
        ("dual_feasibility_tolerance", 1e-9),
    ):
        engine.setOptionValue(name, value)
    if basis is not None:  # an exact vertex is near: no perturbation, and the method whose feasibility it has
        engine.setOptionValue("dual_simplex_cost_perturbation_multiplier", 0.0)
        engine.setOptionValue("primal_simplex_bound_perturbation_multiplier", 0.0)
        engine.setOptionValue("simplex_strategy", 4 if primal else 1)
    if not scale:
        engine.setOptionValue("simplex_scale_strategy", 0)
    engine.passModel(_model(program))
    kinds = highspy.HighsBasisStatus
    if basis is not None:
        to = {BASIC: kinds.kBasic, LOWER: kinds.kLower, UPPER: kinds.kUpper, FREE: kinds.kZero}
        given = highspy.HighsBasis()
        given.col_status = [to[word] for word in basis[0]]
        given.row_status = [to[word] for word in basis[1]]
        given.valid = True
        engine.setBasis(given)
    engine.run()
    status = engine.getModelStatus()
    words = {
        highspy.HighsModelStatus.kOptimal: "optimal",
        highspy.HighsModelStatus.kInfeasible: "infeasible",
        highspy.HighsModelStatus.kUnbounded: "unbounded",
        highspy.HighsModelStatus.kUnboundedOrInfeasible: "infeasible or unbounded",
    }
    word = words.get(status, engine.modelStatusToString(status).lower())
    found = engine.getBasis()
    back = {kinds.kBasic: BASIC, kinds.kLower: LOWER, kinds.kUpper: UPPER, kinds.kZero: FREE, kinds.kNonbasic: LOWER}
    solution = engine.getSolution()
    value = float(engine.getInfo().objective_function_value)
    claim = Claim("HIGHS", word, value if word == "optimal" and np.isfinite(value) else None)
    valid = bool(found.valid)
    return LinearAnswer(
        word,
        [back[each] for each in found.col_status] if valid else [],
        [back[each] for each in found.row_status] if valid else [],
        np.array(solution.col_value, dtype=float),
        np.array(solution.row_dual, dtype=float),
        claim,
    )


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing written to the standard output by compiled code: some releases of HiGHS greet before they can be told
    not to, which would spoil what is printed for machines."""
    sys.stdout.flush()
    try:
        kept = os.dup(1)
    except OSError:  # there is no standard output
        yield
        return
    try:
        with open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)


def _model(program: BoxedProgram) -> Any:
    import highspy

    model = highspy.HighsLp()
    rows, columns = program.matrix.shape
    model.num_col_, model.num_row_ = columns, rows
    model.col_cost_ = program.cost
    model.col_lower_, model.col_upper_ = program.lower, program.upper
    model.row_lower_, model.row_upper_ = program.row_lower, program.row_upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = program.matrix.indptr
    model.a_matrix_.index_ = program.matrix.indices
    model.a_matrix_.value_ = program.matrix.data
    return model
