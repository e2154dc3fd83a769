"""A CVXPY problem as a conic program: the cone program before any solver's own format.

CVXPY's canonicalisation works in doubles, so what is bounded is the canonical program, whose numbers are taken exactly
(Agrawal, Verschueren, Diamond and Boyd 2018). The steps that are trusted to lead there are named in the notes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from certify.errors import Fault, InputError
from certify.families.conic import Conic
from certify.problem import About, Claim

if TYPE_CHECKING:
    import cvxpy

Floats = NDArray[np.float64]
_SKIPPED = {"ExactCone2Cone"}  # scales matrices by a rounded square root of 2, for solvers
_LONGEST = 48  # characters of a constraint in the name of a row


def conic_from_cvxpy(problem: cvxpy.Problem, bounds: Mapping[Any, Any] | None = None) -> Conic:
    """The conic program of a CVXPY problem; ``bounds``: known bounds of variables, (low, high) each, which become rows.

    Raises InputError for a problem that is not DCP, has parameters without value, exponential or power cones.
    Integer and Boolean variables are relaxed, which a note says.
    """
    import cvxpy as cp

    if not isinstance(problem, cp.Problem):
        raise InputError(
            Fault("problem", f"{type(problem).__name__} is no cvxpy.Problem", "give one, or the path of a model")
        )
    if any(parameter.value is None for parameter in problem.parameters()):
        unset = ", ".join(p.name() for p in problem.parameters() if p.value is None)
        raise InputError(Fault("problem", f"parameters without a value: {unset}", "set their .value"))
    if not problem.is_dcp():
        raise InputError(Fault("problem", "is not convex by CVXPY's rules (DCP)", "see problem.is_dcp() and its parts"))
    if not problem.variables() and not bounds:
        return _without_variables(problem)
    known = [*_known(bounds or {})]
    relaxed, notes = _relaxed(problem, known)
    try:
        reductions = _reductions(relaxed)
    except Exception as fault:
        what = " ".join(f"cannot be brought to a cone program: {fault}".split())[:200]
        raise InputError(Fault("problem", what)) from None
    current: Any = relaxed
    inverses = []
    for reduction in reductions:
        current, inverse = reduction.apply(current)
        inverses.append(inverse)
    cost, offset, matrix, constant = current.apply_parameters()[:4]
    if not all(np.all(np.isfinite(part)) for part in (cost, offset, matrix.data, constant)):
        raise InputError(Fault("problem", "holds a number that is infinite or undefined", "leave such constraints out"))
    maximise = isinstance(relaxed.objective, cp.Maximize)
    sign = -1 if maximise else 1
    rows, cones, named = _rows(current, matrix, constant, _user_rows(relaxed, inverses))
    objective = (
        {j: sign * Fraction(float(c)) for j, c in enumerate(np.asarray(cost).ravel()) if c},
        sign * Fraction(float(offset)),
    )
    names = _names(current, relaxed, inverses, matrix.shape[1])
    steps = ", ".join(type(reduction).__name__ for reduction in reductions)
    notes.append(
        f"what is proved is about CVXPY's canonical program, in doubles taken exactly; trusted to lead there: {steps}"
    )
    return Conic.of(
        objective,
        rows,
        cones,
        matrix.shape[1],
        sense="max" if maximise else "min",
        names=names,
        row_names=named,
        about=About(notes=tuple(notes)),
    )


def _without_variables(problem: cvxpy.Problem) -> Conic:
    """A problem of constants: its objective is its optimum, unless a constraint is false."""
    import cvxpy as cp

    value = np.asarray(problem.objective.args[0].value, dtype=float).item()
    if not np.isfinite(value):
        raise InputError(Fault("problem", "the objective is no finite number"))
    rows: list[tuple[dict[int, Fraction], Fraction]] = [
        ({}, Fraction(1 if constraint.value(0) else -1)) for constraint in problem.constraints
    ]
    cones = [("nonnegative", len(rows))] * bool(rows)
    sense: Any = "max" if isinstance(problem.objective, cp.Maximize) else "min"
    return Conic.of(({}, Fraction(value)), rows, cones, 0, sense=sense)


def _known(bounds: Mapping[Any, Any]) -> Iterator[Any]:
    """Constraints for what the user knows."""
    for expression, pair in bounds.items():
        if len(pair) != 2:
            raise InputError(Fault("bounds", f"{pair!r} is not a pair", "give (low, high), with None for no bound"))
        low, high = pair
        if low is not None:
            yield expression >= low
        if high is not None:
            yield expression <= high


def _relaxed(problem: cvxpy.Problem, more: Sequence[Any]) -> tuple[cvxpy.Problem, list[str]]:
    """The problem with the known bounds, without integrality."""
    import cvxpy as cp

    notes: list[str] = []
    constraints = [*problem.constraints, *more]
    discrete = [v for v in problem.variables() if v.attributes["integer"] or v.attributes["boolean"]]
    if not discrete:
        return (cp.Problem(problem.objective, constraints) if more else problem), notes
    swaps = {}
    for variable in discrete:
        free = cp.Variable(variable.shape, name=variable.name())
        swaps[variable.id] = free
        if variable.attributes["boolean"]:
            constraints += [free >= 0, free <= 1]
    notes.append(f"{len(discrete)} variables should be integers: what is bounded is the relaxation without that")
    return cp.Problem(
        type(problem.objective)(_swapped(problem.objective.args[0], swaps)),
        [_swapped(each, swaps) for each in constraints],
    ), notes


def _swapped(tree: Any, swaps: Mapping[int, Any]) -> Any:
    """An expression or a constraint with some variables replaced."""
    import cvxpy as cp

    if isinstance(tree, cp.Variable):
        return swaps.get(tree.id, tree)
    if not tree.args:
        return tree
    return tree.copy([_swapped(part, swaps) for part in tree.args])


def _reductions(problem: cvxpy.Problem) -> list[Any]:
    """CVXPY's steps to its cone program, less those for a solver."""
    import cvxpy as cp

    _, chain, _ = problem.get_problem_data(cp.CLARABEL, solver_opts={"use_quad_obj": False})
    return [reduction for reduction in chain.reductions[:-1] if type(reduction).__name__ not in _SKIPPED]


def _rows(
    program: Any, matrix: Any, constant: Any, users: Mapping[int, str]
) -> tuple[list[tuple[dict[int, Fraction], Fraction]], list[tuple[str, int]], list[str]]:
    """The rows in the order of the kernel, the cones, and names of the rows after the user's constraints."""
    table = matrix.tocsr()
    forms = [
        (
            {int(j): Fraction(float(v)) for j, v in zip(table.indices[a:b], table.data[a:b], strict=True) if v},
            Fraction(float(k)),
        )
        for a, b, k in zip(table.indptr, table.indptr[1:], np.asarray(constant).ravel(), strict=False)
    ]
    rows: list[tuple[dict[int, Fraction], Fraction]] = []
    cones: list[tuple[str, int]] = []
    named: list[str] = []
    at = 0
    for constraint in program.constraints:
        kind = type(constraint).__name__
        count = sum(int(np.prod(arg.shape)) for arg in constraint.args)
        part, at = forms[at : at + count], at + count
        if count == 0:
            continue
        if kind in ("Zero", "NonNeg"):
            cones.append(("zero" if kind == "Zero" else "nonnegative", count))
            order = [[i] for i in range(count)]
        elif kind == "SOC":
            size, axis = constraint.args[1].shape, constraint.axis
            many = int(np.prod(constraint.args[0].shape))
            inner = (count - many) // many
            cones += [("second_order", inner + 1)] * many
            along = axis == 0 or len(size) < 2
            order = [
                [c, *(many + (c * inner + k if along else k * many + c) for k in range(inner))] for c in range(many)
            ]
        elif kind == "PSD":
            n = constraint.args[0].shape[0]
            cones.append(("psd", n))
            part = _symmetric(part, n)
            order = [[i + j * n for i in range(n) for j in range(i + 1)]]
        else:
            what = f"has a cone of the kind {kind}"
            raise InputError(Fault("problem", what, "linear, second-order and semidefinite constraints can be bounded"))
        label = users.get(constraint.id, "")
        for group in order:
            for i in group:
                rows.append(part[i])
                named.append(f"{label}[{len(named)}]" if label else "")
    return rows, cones, named


def _symmetric(part: list[tuple[dict[int, Fraction], Fraction]], n: int) -> list[tuple[dict[int, Fraction], Fraction]]:
    """The entries of the symmetric part of a matrix, column after column: that is what CVXPY's A ⪰ 0 is about."""
    half = Fraction(1, 2)
    found = list(part)
    for i in range(n):
        for j in range(i):
            (one, a), (two, b) = part[i + j * n], part[j + i * n]
            terms = {k: half * (one.get(k, Fraction(0)) + two.get(k, Fraction(0))) for k in one.keys() | two.keys()}
            found[i + j * n] = ({k: v for k, v in terms.items() if v}, half * (a + b))
    return found


def _user_rows(problem: cvxpy.Problem, inverses: Sequence[Any]) -> dict[int, str]:
    """Canonical constraints by the user's constraint that they come from, as far as CVXPY tells."""
    labels = {}
    for k, constraint in enumerate(problem.constraints):
        text = " ".join(str(constraint).split())
        labels[constraint.id] = f"constraint {k} ({text[:_LONGEST]}{'…' if len(text) > _LONGEST else ''})"
    for inverse in inverses:
        moved = getattr(inverse, "cons_id_map", None)
        if isinstance(moved, Mapping):
            labels = {
                **labels,
                **{new: labels[old] for old, new in moved.items() if old in labels and isinstance(new, int)},
            }
    return labels


def _names(program: Any, problem: cvxpy.Problem, inverses: Sequence[Any], count: int) -> list[str]:
    """Names of the variables: the user's where there is one, with the place in column order."""
    user = {variable.id: variable.name() for variable in problem.variables()}
    for inverse in inverses:
        moved = inverse[0] if isinstance(inverse, tuple) and inverse else inverse
        if isinstance(moved, Mapping):
            for old, new in moved.items():
                if old in user and hasattr(new, "id"):
                    user[new.id] = user[old]
    names = [""] * count
    for variable in program.variables:
        start = program.var_id_to_col[variable.id]
        size = int(np.prod(variable.shape))
        label = user.get(variable.id, f"aux{variable.id}")
        for k in range(size):
            names[start + k] = label if size == 1 else f"{label}[{k}]"
    return names


def user_values(problem: cvxpy.Problem, x: Floats) -> dict[str, Any]:
    """The variables of the user by name, in doubles, at a point x of the canonical program."""
    from cvxpy.reductions.solution import Solution

    current: Any = problem
    steps = []
    for reduction in _reductions(problem):
        current, inverse = reduction.apply(current)
        steps.append((reduction, inverse))
    found = Solution("optimal", 0.0, {current.x.id: x}, {}, {})
    for reduction, inverse in reversed(steps):
        found = reduction.invert(found, inverse)
    return {variable.name(): found.primal_vars.get(variable.id) for variable in problem.variables()}


def claim_of(problem: cvxpy.Problem) -> Claim | None:
    """What the solver of a CVXPY problem had said; None if none was asked."""
    if problem.status is None:
        return None
    name = "a solver" if problem.solver_stats is None else str(problem.solver_stats.solver_name)
    value = problem.value
    return Claim(name, str(problem.status), None if value is None else float(np.asarray(value).item()))
