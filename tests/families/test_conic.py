"""Conic programs: Netlib, SDPLIB, CVXPY problems, and the faults that people meet."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

import certify
from certify import Conic, InputError

KNOWN = Path(__file__).parents[1] / "known"
NETLIB = json.loads((KNOWN / "netlib.json").read_text())["optima"]
INFEASIBLE = json.loads((KNOWN / "netlib_infeasible.json").read_text())["infeasible"]
SDPLIB = json.loads((KNOWN / "sdplib.json").read_text())["problems"]
Folder = Callable[[str], Path]


def model(folder: Path, name: str) -> Path:
    """The file of a model, plain or gzipped."""
    (path,) = [path for path in folder.iterdir() if path.name.split(".")[0] == name]
    return path


def sampled(names: Any, chosen: set[str]) -> list[Any]:
    """Names as parameters; all but the chosen are slow."""
    return [name if name in chosen else pytest.param(name, marks=pytest.mark.slow) for name in names]


def relative(lower: Fraction, upper: Fraction) -> float:
    """The width as VSDP counts it."""
    return float((upper - lower) / max(Fraction(1), (abs(lower) + abs(upper)) / 2))


# --- linear programs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sampled(NETLIB, {"afiro", "adlittle", "scorpion", "forplan", "boeing2", "perold"}))
def test_netlib_is_exact(name: str, data_folder: Folder) -> None:
    """Both ends are equal, and equal to all the digits that are known."""
    result = certify.bound(model(data_folder("data/netlib"), name), time_limit=120)
    assert result.status.word == "exact", result.why_wide
    known, value = NETLIB[name], result.bounds.lower
    assert value is not None
    digits = len(known.split("e")[0].replace("-", "").replace(".", "").lstrip("0"))
    assert abs(value - Fraction(known)) <= abs(Fraction(known)) * Fraction(1, 10 ** (digits - 2))


@pytest.mark.parametrize(("name", "value"), [("e226", "-11.638929066370546"), ("standgub", "1257.6995")])
def test_netlib_where_the_list_is_silent(name: str, value: str, data_folder: Folder) -> None:
    """e226 has a constant in its objective, which the list of optima leaves out."""
    result = certify.bound(model(data_folder("data/netlib"), name), time_limit=120)
    assert result.status.word == "exact"
    assert result.bounds.lower == pytest.approx(float(value), rel=1e-12)


@pytest.mark.parametrize("name", sampled(INFEASIBLE, {"itest2", "galenet", "mondou2", "cplex2", "klein1", "woodinfe"}))
def test_infeasible_linear_programs_are_proved(name: str, data_folder: Folder) -> None:
    result = certify.bound(model(data_folder("data/netlib_infeas"), name), time_limit=120)
    assert result.status.word == "infeasible"
    (witness,) = result.certificate.witnesses
    assert witness["kind"] == "farkas"


# --- semidefinite programs --------------------------------------------------------------------------------

BOTH = [
    *(f"arch{k}" for k in (0, 2, 4, 8)),
    *(f"control{k}" for k in range(1, 12)),
    *(f"truss{k}" for k in range(1, 9)),
    *(f"theta{k}" for k in range(1, 7)),
    "mcp100", *(f"mcp{n}-{k}" for n in ("124", "250", "500") for k in range(1, 5)),
    "gpp100", *(f"gpp{n}-{k}" for n in ("124", "250") for k in range(1, 5)),
    "hinf9", "ss30", "maxG11", "maxG51", "thetaG11", "qpG11",
]  # fmt: skip


@pytest.mark.parametrize(
    "name", sampled(BOTH, {"truss1", "control1", "control3", "theta1", "mcp100", "gpp100", "arch0"})
)
def test_both_ends_of_sdplib(name: str, data_folder: Folder) -> None:
    """A narrow interval, and it holds the digits of SDPA-GMP."""
    result = certify.bound(model(data_folder("data/sdplib"), name), time_limit=900)
    lower, upper = result.bounds.lower, result.bounds.upper
    assert lower is not None, result.why_wide
    assert upper is not None, result.why_wide
    assert relative(lower, upper) <= 1e-5
    known = Fraction(SDPLIB[name]["sdpa_gmp"])
    room = Fraction(1, 10**7) * max(1, abs(known))  # these digits are those of a solver
    assert lower - room <= known <= upper + room


@pytest.mark.parametrize(("name", "word"), [("infp1", "infeasible"), ("infp2", "infeasible")])
def test_infeasible_semidefinite_programs(name: str, word: str, data_folder: Folder) -> None:
    assert certify.bound(model(data_folder("data/sdplib"), name)).status.word == word


@pytest.mark.parametrize("name", ["infd1", "infd2"])
def test_dual_infeasible_is_unbounded(name: str, data_folder: Folder) -> None:
    assert certify.bound(model(data_folder("data/sdplib"), name)).status.word == "unbounded"


def test_hinf1_is_never_said_to_be_solved(data_folder: Folder) -> None:
    """Every solver says 2.0326; there are points with a value below 0.129, far away."""
    result = certify.bound(model(data_folder("data/sdplib"), "hinf1"))
    assert result.status.word == "bounded"
    assert result.bounds.lower is None or result.bounds.lower < Fraction(129, 1000)


@pytest.mark.slow
def test_a_published_value_is_refuted(data_folder: Folder) -> None:
    """The list of SDPLIB says 4003.809 of maxG51; the optimum is at least 4006.25."""
    result = certify.bound(model(data_folder("data/sdplib"), "maxG51"), time_limit=900)
    assert result.bounds.lower is not None
    assert result.bounds.lower > Fraction(SDPLIB["maxG51"]["published"]) + 2


# --- CVXPY, and what goes wrong for people -----------------------------------------------------------------


def test_maximum_cut_of_a_triangle() -> None:
    """The semidefinite relaxation of the maximum cut of K_3 is 9/4 (Goemans and Williamson 1995)."""
    laplacian = 3 * np.eye(3) - np.ones((3, 3))
    x = cp.Variable((3, 3), PSD=True, name="X")
    result = certify.bound(cp.Problem(cp.Maximize(cp.trace(laplacian @ x) / 4), [cp.diag(x) == 1]))
    assert result.exact == Fraction(9, 4)
    assert result.family.sense == "max"


def test_a_quadratic_program() -> None:
    """The point of x + y ≤ 1 nearest to (1, 2) is at distance √2."""
    z = cp.Variable(2, name="z")
    result = certify.bound(cp.Problem(cp.Minimize(cp.sum_squares(z - np.array([1, 2]))), [cp.sum(z) <= 1]))
    assert result.bounds.lower <= 2 <= result.bounds.upper
    assert result.gap is not None
    assert result.gap <= 1e-6


def test_a_linear_program_is_exact_and_names_its_rows() -> None:
    x = cp.Variable(2, name="x")
    problem = cp.Problem(cp.Maximize(x[0] + 2 * x[1]), [x[0] + x[1] <= 3, x >= 0, x[1] <= 2])
    conic = certify.families.conic_cvxpy.conic_from_cvxpy(problem)  # type: ignore[attr-defined]
    result = certify.solve(conic)
    assert result.exact == 5
    assert conic.name_of(0) == "x[0]"
    assert conic.row_of(0).startswith("constraint 0")
    assert any("canonical program" in note for note in result.notes)


def test_cvxpy_and_the_canonical_program_agree() -> None:
    """Random programs with every kind of cone: CVXPY's own optimum lies in the interval, but for its own error."""
    rng = np.random.default_rng(3)
    for _ in range(4):
        x = cp.Variable(4)
        y = cp.Variable((3, 3), symmetric=True)
        a, b = rng.standard_normal((5, 4)), rng.standard_normal((3, 3))
        problem = cp.Problem(
            cp.Minimize(cp.norm(a @ x - 1) + cp.norm1(x) + cp.trace(y) + cp.lambda_max(y)),
            [y >> b @ b.T, cp.sum(x) == y[0, 0], cp.norm(x[:2]) <= 2],
        )
        result = certify.bound(problem)
        value = problem.solve(solver=cp.CLARABEL)
        lower, upper = float(result.bounds.lower), float(result.bounds.upper)
        assert lower - 1e-6 <= value <= upper + 1e-6
        assert upper - lower <= 1e-5


def test_the_solution_has_the_names_of_the_user() -> None:
    x, y = cp.Variable(2, name="x"), cp.Variable((2, 2), PSD=True, name="Y")
    problem = cp.Problem(cp.Minimize(cp.sum(x) + cp.trace(y)), [x >= 1, y[0, 1] == 1])
    problem.solve(solver=cp.SCS)
    result = certify.bound(problem)
    assert result.solution["x"] == pytest.approx([1, 1], abs=1e-5)
    assert result.solution["Y"] == pytest.approx(np.ones((2, 2)), abs=1e-3)
    assert result.claim is not None
    assert result.claim.name == "SCS"


def test_a_standard_form_of_order_60() -> None:
    """A matrix variable with equations: solved on the multipliers of the equations."""
    rng = np.random.default_rng(0)
    weights = np.triu(rng.random((60, 60)) < 0.3, 1).astype(float)
    weights = weights + weights.T
    laplacian = np.diag(weights.sum(axis=1)) - weights
    x = cp.Variable((60, 60), PSD=True)
    result = certify.bound(cp.Problem(cp.Maximize(cp.trace(laplacian @ x) / 4), [cp.diag(x) == 1]))
    assert result.status.word == "tight"
    assert result.claim is not None
    assert result.claim.name == "interior point"


def test_a_duality_gap_is_closed_on_the_face() -> None:
    """X_22 = 0 forces X_23 = 0, so X_11 = 1; the dual of the problem as it stands has value 0."""
    x = cp.Variable((3, 3), symmetric=True)
    result = certify.bound(cp.Problem(cp.Minimize(x[0, 0]), [x >> 0, x[1, 1] == 0, x[0, 0] + 2 * x[1, 2] == 1]))
    assert result.bounds.lower <= 1 <= result.bounds.upper
    assert result.gap is not None
    assert result.gap <= 1e-6


def test_a_weakly_infeasible_pair() -> None:
    """X_11 = 0, X_12 = 1: infeasible, but points nearly satisfy it; only a chain of faces proves that."""
    x = cp.Variable((2, 2), symmetric=True)
    result = certify.bound(cp.Problem(cp.Minimize(0), [x >> 0, x[0, 0] == 0, x[0, 1] == 1]))
    assert result.status.word == "infeasible"
    (witness,) = result.certificate.witnesses
    assert len(witness["faces"]) == 1


def test_infeasible_by_a_hair() -> None:
    y = cp.Variable((2, 2), symmetric=True)
    x, z = cp.Variable(), cp.Variable(2)
    small = cp.Problem(cp.Minimize(0), [y >> 0, y[0, 0] == -1e-7, 2 * y[0, 1] + 0.1 * y[1, 1] == 1])
    assert certify.bound(small).status.word == "infeasible"
    assert certify.bound(cp.Problem(cp.Minimize(x), [x >= 0, x == -1e-8])).status.word == "infeasible"
    assert certify.bound(cp.Problem(cp.Minimize(x), [x >= 0, cp.Constant(0) == 1])).status.word == "infeasible"
    apart = cp.Problem(cp.Minimize(-z[0]), [z[0] >= 1, z[1] <= -1, z[1] >= 1])
    assert certify.bound(apart).status.word == "infeasible"


def test_unbounded_programs() -> None:
    a = cp.Variable(3)
    one = cp.Variable((1, 1), PSD=True)
    three = cp.Problem(cp.Minimize(a[0] - 2 * a[1]), [a[0] - a[1] + a[2] == 0, a >= 1])
    assert certify.bound(three).status.word == "unbounded"
    assert certify.bound(cp.Problem(cp.Maximize(one[0, 0]))).status.word == "unbounded"


def test_greenbea_where_a_solver_is_off(data_folder: Folder) -> None:
    """One interior point code calls −72462468 solved."""
    result = certify.bound(model(data_folder("data/netlib"), "greenbea"))
    assert result.exact == pytest.approx(-72555248.1298, rel=1e-10)


def test_integers_are_relaxed_and_it_is_said() -> None:
    b = cp.Variable(3, boolean=True)
    result = certify.bound(cp.Problem(cp.Maximize(b[0] + 2 * b[1]), [cp.sum(b) <= 1.5]))
    assert result.exact == Fraction(5, 2)
    assert any("relaxation" in note for note in result.notes)


def test_problems_without_variables() -> None:
    assert certify.bound(cp.Problem(cp.Maximize(5))).exact == 5
    assert certify.bound(cp.Problem(cp.Minimize(5), [cp.Constant(1) >= 0])).exact == 5
    assert certify.bound(cp.Problem(cp.Minimize(5), [cp.Constant(1) <= 0])).status.word == "infeasible"


def test_known_bounds_become_rows() -> None:
    x = cp.Variable(name="x")
    free = cp.Problem(cp.Minimize(x))
    assert certify.bound(free).status.word == "unbounded"
    assert certify.bound(free, bounds={x: (-2, None)}).exact == -2


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda x: cp.Problem(cp.Minimize(cp.exp(x))), "ExpCone"),
        (lambda x: cp.Problem(cp.Minimize(cp.sqrt(x))), "not convex"),
        (lambda x: cp.Problem(cp.Minimize(cp.Parameter(name="p") * x)), "parameters without a value: p"),
        (lambda x: "nothing", "no cvxpy.Problem"),
        (lambda x: cp.Problem(cp.Minimize(x), [x >= np.inf]), "infinite or undefined"),
        (lambda x: cp.Problem(cp.Minimize(x), [x >= np.nan]), "infinite or undefined"),
    ],
)
def test_what_cannot_be_bounded_is_one_line(make: Any, words: str) -> None:
    problem = make(cp.Variable())
    with pytest.raises(InputError, match=words) as caught:
        certify.bound(problem if not isinstance(problem, str) else 3)
    assert len(caught.value.faults) == 1


# --- the public face ---------------------------------------------------------------------------------------


def test_assess_a_point() -> None:
    problem = Conic.of(({0: 1, 1: 1}, 0), [({0: 1}, -1), ({1: 1}, -1)], [("nonnegative", 2)], 2)
    result = problem.assess([Fraction(3, 2), 1])
    assert result.assessment is not None
    assert result.assessment.value == Fraction(5, 2)
    assert problem.assess([0, 1]).assessment.value is None  # type: ignore[union-attr]


def test_command_line(certify_run: Any, tmp_path: Path) -> None:
    """bound and solve of a model file; a certificate is checked against it."""
    (tmp_path / "diet.lp").write_text("Minimize\n 3 x + 2 y\nSubject To\n c: x + y >= 4\n x + 3 y >= 6\nEnd\n")
    ran = certify_run("bound", "diet.lp", "--json")
    assert ran.code == 0
    table = json.loads(ran.out)
    assert table["status"] == "exact"
    assert table["lower"] == table["upper"] == "8"
    assert certify_run("check", "diet.cert.json", "--against", "diet.lp").code == 0
    assert certify_run("solve", "diet.lp").code == 0
    assert "c >=" in certify_run("explain", "diet.cert.json").out
    assert certify_run("bound", "diet.txt").code == 2
    assert certify_run("bound", "absent.mps").code == 2


def test_a_problem_file_with_a_model(certify_run: Any, tmp_path: Path) -> None:
    (tmp_path / "m.lp").write_text("Maximize\n x\nSubject To\n x <= 7/2\nEnd\n".replace("7/2", "3.5"))
    (tmp_path / "m.toml").write_text('family = "conic"\nmodel = "m.lp"\n[known]\nvalue = "3.5"\n')
    ran = certify_run("solve", "m.toml", "--json")
    assert json.loads(ran.out)["known"]["agrees"]
    (tmp_path / "two.toml").write_text('family = "conic"\nmodel = "m.lp"\nlp = "Minimize x"\n')
    assert certify_run("solve", "two.toml").code == 2
