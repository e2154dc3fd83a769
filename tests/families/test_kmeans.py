"""k-means: known optima, the faults that people meet, files and assessment of one's own clustering."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import certify
from certify import InputError, KMeans
from certify.formats.table import read_table
from certify.result import printed_value

ROOT = Path(__file__).parent.parent.parent
TABLE = json.loads((ROOT / "tests/known/kmeans.json").read_text())
DATA = ROOT / "problems/data"
F = Fraction


def rows(name: str) -> Any:
    return read_table(DATA / f"{name}.csv").rows


def proved(problem: KMeans, **options: Any) -> certify.Result:
    result = problem.solve(**{"time_limit": 170, **options})
    assert result.verdict.valid
    assert certify.check(result.certificate.dumps().encode(), pure=True).valid
    return result


def agrees(name: str, k: int) -> certify.Result:
    value, half = printed_value(TABLE[name][str(k)])
    result = proved(KMeans(rows(name), k))
    low, high = result.bounds.lower, result.bounds.upper
    assert low is not None
    assert high is not None
    assert low <= value + half
    assert value - half <= high <= value + half  # the optimum itself is found
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert result.status.word in ("tight", "exact")
    return result


@pytest.mark.parametrize("k", range(2, 11))
def test_ruspini(k: int) -> None:
    agrees("ruspini", k)


@pytest.mark.parametrize("k", [2, 3, 4, 9])
def test_iris(k: int) -> None:
    agrees("iris", k)


@pytest.mark.slow
@pytest.mark.parametrize("k", [5, 6, 7, 8, 10])
def test_iris_thoroughly(k: int) -> None:
    agrees("iris", k)


def test_a_fractional_relaxation_is_closed_by_a_tree() -> None:
    result = agrees("ruspini", 8)
    lower = next(w for w in result.certificate.witnesses if w["kind"] == "dual")
    assert set(lower["root"]) == {"pair", "together", "apart"}


@pytest.mark.parametrize("name", ["moved", "doubled", "reversed", "turned", "weighted"])
def test_metamorphic_twins_of_ruspini(name: str) -> None:
    points = [[int(x) for x in row] for row in rows("ruspini")]
    twin = {
        "moved": lambda: KMeans([[x + 10**9 for x in row] for row in points], 5),
        "doubled": lambda: KMeans(points + points, 5, weights=["1/2"] * 150),
        "reversed": lambda: KMeans(points[::-1], 5),
        "turned": lambda: KMeans([[F(3 * x + 4 * y, 5), F(4 * x - 3 * y, 5)] for x, y in points], 5),
        "weighted": lambda: KMeans(points, 5, weights=[1.0] * 75),
    }[name]()
    result, first = proved(twin), proved(KMeans(points, 5))
    assert result.bounds.upper == first.bounds.upper
    assert result.gap is not None
    assert result.gap <= 1e-6


def test_floats_are_the_exact_numbers_that_they_are() -> None:
    points = np.array([[0.1], [0.2], [0.7]])
    result = proved(KMeans(points, 2))
    assert result.exact == (F(0.2) - F(0.1)) ** 2 / 2
    single = proved(KMeans(points.astype(np.float32), 2))
    assert single.exact == (F(float(np.float32(0.2))) - F(float(np.float32(0.1)))) ** 2 / 2


def test_cancellation_far_from_the_origin() -> None:
    """1.0 and 1.001 a thousand times in float32: numbers that textbook formulas cancel to nothing."""
    a, b = F(1), F(float(np.float32(1.001)))
    problem = KMeans(np.array([[1.0], [1.001]] * 1000, dtype=np.float32), 1)
    assert proved(problem).exact == 500 * (a - b) ** 2


def test_weights_are_neither_normalised_nor_ignored() -> None:
    assert proved(KMeans([[0], [1]], 1, weights=[2, 2])).exact == 1
    assert proved(KMeans([[0], [1]], 1)).exact == F(1, 2)


def test_labels_are_recomputed_not_an_inertia_believed() -> None:
    """Points 1, 2, 3 with three labels cost 0, whatever an estimator says of its inertia."""
    estimator = SimpleNamespace(labels_=np.array([2, 0, 1]), inertia_=1.0)
    result = KMeans([[1], [2], [3]], 3).assess(estimator)
    assert result.assessment is not None
    assert result.assessment.value == 0
    assert result.exact == 0


def test_duplicate_centres_do_not_hide_an_optimum_of_zero() -> None:
    points = [[1086, 348]] * 2 + [[1087, 347]] * 2 + [[1190, 244]] * 2 + [[1185, 249]] * 2
    points += [[1193, 241], [1188, 247], [1187, 233]] + [[26, 111]] * 2 + [[26, 110]] * 4
    result = proved(KMeans(points, 10))
    assert result.exact == 0
    assert len(set(result.solution.tolist())) == 9


def test_one_dimension_is_exact() -> None:
    result = proved(KMeans([[0], [3], [4]], 2))
    assert result.exact == F(1, 2)
    assert result.solution[1] == result.solution[2] != result.solution[0]
    rng = np.random.default_rng(3)
    long = proved(KMeans(rng.normal(size=(400, 1)).round(3).tolist(), 7))
    assert long.gap is not None
    assert long.gap <= 1e-9


def test_lloyd_stops_off_the_optimum() -> None:
    result = KMeans([[1], [2], [3], [4]], 2).assess([0, 0, 0, 1])
    assert result.assessment is not None
    assert result.assessment.value == 2
    assert result.exact == 1
    assert result.assessment.excess == 1.0
    assert "at least 100 % above the optimum, which is known" in result.to_text()


# -- assess -------------------------------------------------------------------------------------------------


def test_best_of_many_default_runs_on_iris() -> None:
    """What 200 runs of a default k-means reach at best for k = 9: 0.213 % above the optimum."""
    cluster = pytest.importorskip("sklearn.cluster")
    points = np.array([[float(x) for x in row] for row in rows("iris")])
    runs = (cluster.KMeans(9, random_state=seed).fit(points) for seed in range(200))
    best = min(runs, key=lambda model: model.inertia_)
    result = KMeans(rows("iris"), 9).assess(best, time_limit=170)
    assert result.status.word == "tight"
    assert result.assessment is not None
    assert result.assessment.excess is not None
    assert result.assessment.ratio_upper is not None
    assert 1 + result.assessment.excess <= result.assessment.ratio_upper
    assert result.assessment.excess > 0.00001
    if abs(best.inertia_ - 27.8453) < 1e-3:
        assert "at least 0.213 % above the optimum, which is known" in result.to_text()


def test_labels_may_be_names_and_centres_are_charged_to_the_nearest() -> None:
    problem = KMeans([[0, 0], [0, 2], [10, 0], [10, 2]], 2)
    for solution in (["a", "a", "b", "b"], [[5], [5], [-3], [-3]], np.array([1.0, 1.0, 0.0, 0.0])):
        result = problem.assess(solution)
        assert result.assessment is not None
        assert result.assessment.value == 4
    centres = problem.assess([[0, 1], [10, 0]])
    assert centres.assessment is not None
    assert centres.assessment.value == 6
    model = SimpleNamespace(cluster_centers_=np.array([[0.0, 1.0], [10.0, 1.0]]))
    assert problem.assess(model).assessment.value == 4  # type: ignore[union-attr]


def test_noise_is_left_out_and_said_so() -> None:
    points = [[0, 0], [0, 2], [99, 99], [10, 0], [10, 2]]
    result = KMeans(points, 2).assess([0, 0, -1, 1, 1])
    assert result.assessment is not None
    assert result.assessment.value == 4
    assert any("1 of 5 points are labelled −1, as noise" in note for note in result.notes)
    assert result.size == 4
    with pytest.raises(InputError, match="every point is labelled"):
        KMeans(points, 2).assess([-1] * 5)


def test_what_is_no_solution() -> None:
    problem = KMeans([[0, 0], [0, 2], [10, 0], [10, 2]], 2)
    many = problem.assess([0, 1, 2, 2])
    assert many.assessment is not None
    assert many.assessment.value is None
    assert "3 clusters, but k = 2" in many.assessment_text()
    for wrong, word in (
        ([0, 1, 1], "3 labels for 4 points"),
        ([0, 0, 1, 0.5], "is no label"),
        ([0, 0, 1, None], "missing"),
        ([[0, 1, 2]], "1 rows of 3"),
        ([[0, float("nan")]], "nan"),
    ):
        with pytest.raises(InputError, match=word):
            problem.assess(wrong)


# -- files --------------------------------------------------------------------------------------------------


def test_files_and_the_command_line(certify_run: Any, tmp_path: Path) -> None:
    table = tmp_path / "p.csv"
    table.write_text("name,x,y,w\na,0,0,1\nb,0,2,1\nc,10,0,2\nd,10,2,1\n")
    (tmp_path / "w.csv").write_text("1\n1\n2\n1\n")
    (tmp_path / "t.toml").write_text(
        'family = "kmeans"\nk = 2\nweights = "w.csv"\n[data]\ncsv = "p.csv"\ncolumns = ["x", "y"]\n'
        '[known]\nvalue = "14/3"\n'
    )
    ran = certify_run("solve", "t.toml", "--json")
    assert ran.code == 0
    answer = json.loads(ran.out)
    assert answer["known"]["agrees"] is True
    np.save(tmp_path / "p.npy", np.array([[0, 0], [0, 2], [10, 0], [10, 2]]))
    (tmp_path / "n.toml").write_text('family = "kmeans"\nk = 2\n[data]\nnpy = "p.npy"\n')
    (tmp_path / "labels.csv").write_text("cluster\n0\n0\n1\n-1\n")
    np.save(tmp_path / "labels.npy", np.array([0, 0, 1, 1]))
    (tmp_path / "centres.csv").write_text("0,1\n10,1\n")
    for name, value in (("labels.csv", "2"), ("labels.npy", "4"), ("centres.csv", "4")):
        ran = certify_run("assess", "n.toml", "--solution", name, "--json", "-o", f"{name}.cert.json")
        assert ran.code == 0, ran.err
        assert json.loads(ran.out)["value"] == value
    assert certify_run("explain", "t.cert.json").code == 0
    assert certify_run("report", "t.cert.json", "-o", "r.html").code == 0
    ran = certify_run("init", "kmeans")
    assert ran.code == 0


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("k = 2\n[data]\n", "there are no points in it"),
        ("k = 0\n[data]\npoints = [[0]]\n", "k: 0 is too small"),
        ("[data]\npoints = [[0]]\n", "k: missing"),
        ("k = 2\n[data]\npoints = [[0]]\n", "2 clusters of 1 points"),
        ("k = 1\n[data]\npoints = [[0], [1, 2]]\n", "has 2 coordinates"),
        ("k = 1\n[data]\npoints = []\n", "there are no points"),
        ('k = 1\n[data]\npoints = [["nan"]]\n', "NaN"),
        ("k = 1\nweights = [1]\n[data]\npoints = [[0], [1]]\n", "1 weights for 2 points"),
        ("k = 1\nweights = [1, -1]\n[data]\npoints = [[0], [1]]\n", "negative"),
        ('k = 1\n[data]\npoints = [[0]]\nlabels = ["a", "b"]\n', "2 names for 1 points"),
        ('k = 1\n[data]\npoints = [[0]]\ncolumns = ["a"]\n', "picks from a table"),
        ('k = 1\n[data]\npoints = [[0]]\ncsv = "x.csv"\n', "already given"),
        ('k = 1\n[data]\ncsv = "absent.csv"\n', "no file"),
    ],
)
def test_faults_of_a_file(tmp_path: Path, text: str, error: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text('family = "kmeans"\n' + text)
    with pytest.raises(InputError) as fault:
        certify.load(path)
    assert error in str(fault.value)
    assert "x.toml" in str(fault.value)


def test_a_missing_number_in_a_table_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("0\nnan\n1\n")
    (tmp_path / "x.toml").write_text('family = "kmeans"\nk = 1\n[data]\ncsv = "p.csv"\n')
    with pytest.raises(InputError, match=r"p\.csv:2"):
        certify.load(tmp_path / "x.toml")


def test_the_certificate_gives_the_problem_back() -> None:
    problem = KMeans([[0, "1/3"], [1, 0], [5, 5]], 2, weights=[1, "1/2", 3])
    result = proved(problem)
    family = problem.family
    again = family.from_canonical(result.certificate.problem, certify.About())
    assert isinstance(again, KMeans)
    assert again.canonical() == problem.canonical()
    lines = family.explain(again, list(result.certificate.witnesses))
    assert any("upper end" in line for line in lines)
    assert any("lower end" in line for line in lines)
    picture = family.picture(again, list(result.certificate.witnesses))
    assert picture is not None
    assert picture.startswith("<svg")


# -- many points --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<i4", "<f2"])
def test_many_points_go_into_a_file_beside_the_certificate(
    dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("certify.families.kmeans.LARGE", 100)
    rng = np.random.default_rng(4)
    middles = np.eye(3, 6) * 40
    table = (middles[np.arange(120) % 3] + rng.normal(size=(120, 6)) * 3).astype(dtype)
    problem = KMeans(table, 3)
    assert problem.table is not None
    result = problem.solve(time_limit=30)
    small = KMeans.from_integers(*_integers(table), 3)
    assert certify.proving.digest(problem) == certify.proving.digest(small)
    low, high = result.bounds.lower, result.bounds.upper
    assert low is not None
    assert high is not None
    assert 0 < low < high < 3 * low
    path = result.certificate.save(tmp_path / "x.cert.json")
    assert len(list(tmp_path.glob("*.npy"))) == 1
    assert certify.check(path).statements == result.statements
    labels = problem.assess(np.arange(120) % 3)
    assert labels.assessment is not None
    assert labels.assessment.value == high
    noise = problem.assess([-1, -1, -1, *(i % 3 for i in range(117))])
    assert noise.size == 117
    centres = problem.assess(middles)
    assert centres.assessment is not None
    assert centres.assessment.value is not None
    assert centres.assessment.value > high


def _integers(table: Any) -> Any:
    from certify.formats.data import exact_points

    return exact_points(table.tolist(), "X")


def test_many_points_with_weights_and_with_nan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.families.kmeans.LARGE", 10)
    table = np.arange(40.0).reshape(20, 2) ** 2
    result = KMeans(table, 2, weights=[1, "1/2"] * 10).solve(time_limit=30)
    assert result.bounds.lower is not None
    assert result.bounds.lower > 0
    table[3, 1] = np.nan
    with pytest.raises(InputError, match=r"X\[3, 1\]"):
        KMeans(table, 2)


# -- many dimensions, and many points of the plane -----------------------------------------------------------


def test_correlated_coordinates_are_turned() -> None:
    rng = np.random.default_rng(0)
    size = rng.normal(size=(60, 1)) * 3
    points = np.round(size * [[1, 2, 0.5, 1.5, 1]] + 0.2 * rng.normal(size=(60, 5)), 2)
    result = proved(KMeans([[str(x) for x in row] for row in points.tolist()], 4))
    assert result.gap is not None
    assert result.gap <= 1e-6
    assert any(w["kind"] == "axes" for w in result.certificate.witnesses)


@pytest.mark.slow
def test_digits_in_parts() -> None:
    data = pytest.importorskip("sklearn.datasets").load_digits().data
    result = KMeans(data, 10).solve(time_limit=250, gap=1e-3)
    assert result.gap is not None
    assert result.gap <= 0.045
    assert any(w["kind"] == "parts" for w in result.certificate.witnesses)


@pytest.mark.slow
def test_planar_data_of_three_thousand_points() -> None:
    rng = np.random.default_rng(1)
    points = np.round(65536 * (rng.random((50, 2))[rng.integers(50, size=3000)] + 0.02 * rng.normal(size=(3000, 2))))
    result = KMeans(points, 50).solve(time_limit=250, gap=1e-2)
    assert result.status.word == "tight"


# -- the curve over k ---------------------------------------------------------------------------------------

RANGE = 'family = "kmeans"\nk = "2..4"\n[data]\npoints = [[0, 0], [0, 2], [10, 0], [10, 2], [40, 1]]\n'


def test_a_file_of_several_numbers_of_clusters(certify_run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(RANGE)
    ran = certify_run("solve", "x.toml")
    assert ran.code == 0
    assert "cost, proved" in ran.out
    assert "falls by at least" in ran.out
    assert {path.name for path in tmp_path.iterdir()} == {
        "x.toml", "x-k2.cert.json", "x-k3.cert.json", "x-k4.cert.json", "x.curve.svg"
    }  # fmt: skip
    assert (tmp_path / "x.curve.svg").read_text().startswith("<svg")
    ran = certify_run("solve", "x.toml", "--json")
    assert [json.loads(line)["family"] for line in ran.out.splitlines()] == ["kmeans"] * 3
    assert certify_run("check", "x-k3.cert.json", "--against", "x.toml#k=3").code == 0
    assert certify_run("check", "x-k3.cert.json", "--against", "x.toml#k=2").code != 0
    one = certify.load(tmp_path / "x.toml#k=3")
    assert isinstance(one, KMeans)
    assert one.k == 3
    with pytest.raises(InputError, match="FILE#k=3"):
        certify.load(tmp_path / "x.toml")


@pytest.mark.parametrize("k", ['"3..2"', '"0..3"', '"2-4"', '"2..900"', "2.5", "true"])
def test_what_is_no_number_of_clusters(k: str, certify_run: Any, tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(RANGE.replace('"2..4"', k))
    ran = certify_run("solve", "x.toml")
    assert ran.code == 2
    assert "x.toml" in ran.err
    assert "k" in ran.err


# -- samples ------------------------------------------------------------------------------------------------


def test_samples_bound_the_cost_with_the_confidence_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("certify.families.kmeans.LARGE", 1000)
    monkeypatch.setattr("certify.families.kmeans.SAMPLE_SIZE", 40)
    monkeypatch.setattr("certify.families.kmeans.MOST_SAMPLES", 12)
    rng = np.random.default_rng(6)
    table = np.eye(3, 5)[np.arange(600) % 3] * 20 + rng.normal(size=(600, 5))
    problem = KMeans(table, 3, confidence=0.99)
    assert problem.confidence == F(99, 100)
    assert certify.proving.digest(problem) == certify.proving.digest(KMeans(table, 3))
    effort = certify.proving.Effort(F(1, 1000), None, 0, lambda: 60.0, lambda: (None, None))
    witness = next(p.witness for p in problem.proposals(effort) if p.witness["kind"] == "sample")
    certificate = certify.Certificate("kmeans", problem.canonical(), (witness,), beside=problem.sidecars().__getitem__)
    (statement,) = certificate.check().statements
    assert statement.rigor == "confidence 1-1/100"
    assert "with confidence 1-1/100 over 12 samples of 40 points" in statement.text
    upper = problem.assess(np.arange(600) % 3).bounds.upper
    assert upper is not None
    assert statement.value is not None
    assert F(1, 2) * upper < statement.value < upper


def test_what_is_no_confidence() -> None:
    for wrong in (0, 1, 1.5, "much", float("nan")):
        with pytest.raises(InputError, match="confidence"):
            KMeans([[0], [1]], 1, confidence=wrong)
