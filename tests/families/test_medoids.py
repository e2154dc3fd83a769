"""k-medoids, k-median, k-center, k-diameter: known optima, faults that people meet, files, other people's solutions."""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

from certify import Bounds, InputError, KCenter, KDiameter, KMedian, KMedoids, check, load, solve
from certify.families.medoids_data import Given
from certify.formats.choices import choice_of
from certify.solvers import colouring
from certify.testing.medoids import SEVEN, moved, scaled

F = Fraction
ROOT = Path(__file__).parents[2]
RUSPINI = (97298, 53390, 13169, 10575, 8945, 7599, 6540, 5537, 4791)
IRIS = ("157.58", "83.91", "60.39", "50.92", "43.98", "38.75", "34.19", "31.86", "29.79")


def rows_of(name: str) -> list[list[str]]:
    """Numbers of a table of the gallery, as text."""
    with (ROOT / "problems" / "data" / name).open(encoding="utf-8") as file:
        rows = [row for row in csv.reader(file) if row and not row[0].startswith("#")]
    return [row for row in rows if row[0].strip()[:1].isdigit()]


@pytest.mark.parametrize("k", range(2, 11))
def test_known_optima_are_proved_exactly(k: int) -> None:
    ruspini = solve(KMedoids.from_points([row[:2] for row in rows_of("ruspini.csv")], k, power=2), time_limit=60)
    assert ruspini.bounds == Bounds(F(RUSPINI[k - 2]), F(RUSPINI[k - 2])), ruspini.sentence()
    iris = solve(KMedoids.from_points([row[:4] for row in rows_of("iris.csv")], k, power=2), time_limit=60)
    assert iris.bounds == Bounds(F(IRIS[k - 2]), F(IRIS[k - 2])), iris.sentence()
    assert ruspini.status.word == iris.status.word == "exact"


def test_diameter_of_iris() -> None:
    result = solve(KDiameter.from_points([row[:4] for row in rows_of("iris.csv")], 3))
    assert result.bounds.lower == result.bounds.upper == F("6.68")
    assert result.as_json()["derived"]["diameter"]["lower_float"] == pytest.approx(2.5846, abs=1e-4)


@pytest.mark.parametrize("k", [2, 3])
def test_diameter_of_breast_cancer(k: int) -> None:
    """569 points of 30 doubles."""
    datasets = pytest.importorskip("sklearn.datasets")
    result = solve(KDiameter.from_points(datasets.load_breast_cancer().data, k), time_limit=60)
    assert result.status.word == "exact"
    assert float(result.bounds.upper) == pytest.approx({2: 5654675.28984, 3: 2956400.28601}[k])


def test_fault_seven_points_l1() -> None:
    """A k-medoids code returned 18; the optimum is 10."""
    assert solve(KMedoids.from_points(SEVEN, 2, "l1")).bounds == Bounds(F(10), F(10))


def test_fault_identity_block_similarity_given_as_distances() -> None:
    """Zero distance between distinct items is a note, not an error; the optimum is 0."""
    blocks = np.kron(np.eye(3, dtype=int), np.ones((4, 4), dtype=int))
    for family in (KMedoids, KMedian, KCenter):
        problem = family.from_distances(blocks, 2)
        assert any("distance 0" in note for note in problem.about.notes)
        assert any("similarity" in note for note in problem.about.notes)
        assert solve(problem).bounds == Bounds(F(0), F(0))


def test_fault_not_a_number_is_refused_with_its_row() -> None:
    for family in (KMedoids, KMedian, KCenter, KDiameter):
        with pytest.raises(InputError, match=r"points\[1, 0\]"):
            family.from_points([[0], [float("nan")], [1]], 1)


def test_fault_more_clusters_than_distinct_points() -> None:
    """17 points at 9 places, ten clusters: 0, exactly."""
    places = [(1086, 348), (1087, 347), (1190, 244), (1185, 249), (1193, 241), (1188, 247), (1187, 233)]
    points = places[:4] * 2 + places[4:] + [(26, 111)] * 2 + [(26, 110)] * 4
    assert len(points) == 17
    for problem in (
        KMedoids.from_points(points, 10),
        KCenter.from_points(points, 10),
        KDiameter.from_points(points, 10),
    ):
        assert solve(problem).bounds == Bounds(F(0), F(0))


def test_scaling_scales_the_optimum() -> None:
    """Far steps and small ones do not matter: the lattice is found in the data."""
    points = Given.points(SEVEN)
    for factor in (F(2**40), F(7, 3), F(1, 10**12)):
        made = KMedoids(scaled(moved(points), factor), 2, 2)
        assert solve(made).bounds == Bounds(*(2 * [solve(KMedoids(points, 2, 2)).bounds.lower * factor**2]))


def test_directions() -> None:
    """Row i, column j is what candidate i charges item j."""
    table = [[0, 1, 1], [9, 0, 9], [9, 9, 0]]
    one, other = solve(KMedoids.from_distances(table, 1)), solve(KMedoids.from_distances(np.transpose(table), 1))
    assert one.bounds.upper == 2
    assert other.bounds.upper == 10
    assert set(one.solution.tolist()) == {0}


def test_duplicates_count() -> None:
    twice = solve(KMedoids.from_points([*SEVEN, *SEVEN], 2, "l1"))
    assert twice.bounds == Bounds(F(20), F(20))


def test_assess_labels_and_centres() -> None:
    problem = KMedoids.from_points(SEVEN, 2, "l1")
    worse = problem.assess([0, 0, 0, 0, 0, 0, 1])
    assert worse.assessment.value == 15
    assert worse.assessment.ratio_upper == pytest.approx(1.5)
    for given in ([1, 3], {"centres": [1, 4]}, [SEVEN[1], SEVEN[3]], np.array([0, 0, 0, 7, 7, 7, 7])):
        assert problem.assess(given).assessment.value == 10
    assert problem.assess([0, 1, 2, 0, 0, 0, 0]).assessment.value is None
    for wrong in ([0, -1, 0, 0, 0, 0, 0], [0, 9], [0.5] * 7, [[1, 1], [2, 2]], {"what": [1]}, "abc", [1, 2, 3]):
        with pytest.raises(InputError):
            problem.assess(wrong)
    diameter = KDiameter.from_points(SEVEN, 2)
    assert diameter.assess([5, 5, 5, 8, 8, 8, 8]).assessment.value == 20
    with pytest.raises(InputError):
        diameter.assess([0, 1])


def test_choice_of_estimators() -> None:
    class Fitted:
        labels_ = np.array([0, 1, 1])

    assert choice_of(Fitted(), 3, 3, 2, None).labels == (0, 1, 1)  # type: ignore[union-attr]


@pytest.mark.parametrize("name", sorted(path.stem for path in (ROOT / "problems").glob("k[mcd]e[dn]*.toml")))
def test_gallery(name: str, tmp_path: Path) -> None:
    problem = load(ROOT / "problems" / f"{name}.toml")
    result = problem.solve(save=tmp_path / "x.cert.json")
    assert result.status.word == "exact"
    assert check(tmp_path / "x.cert.json").valid
    witnesses = list(result.certificate.witnesses)
    assert problem.family.explain(problem, witnesses)
    picture = problem.family.picture(problem, witnesses)
    assert picture is None or picture.startswith("<svg")


FILES = {
    "k": ('family = "kmedoids"\nk = 9\n[metric]\npoints = [[0], [1]]\n', "k: 9 centres of fewer"),
    "none": ('family = "kcenter"\n[metric]\npoints = [[0], [1]]\n', "k: missing"),
    "ragged": ('family = "kmedoids"\nk = 1\n[metric]\npoints = [[0], [1, 2]]\n', "coordinates"),
    "negative": ('family = "kmedian"\nk = 1\n[metric]\ndistances = [[0, -1]]\n', "zero or more"),
    "wide": ('family = "kmedoids"\nk = 1\n[metric]\ndistances = [[0, 1, 2]]\n', "not square"),
    "sites": ('family = "kmedian"\nk = 1\ncandidates = [[1, 2]]\n[metric]\npoints = [[0]]\n', "coordinates"),
    "table": ('family = "kmedian"\nk = 1\ncandidates = [[1]]\n[metric]\ndistances = [[0]]\n', "need points"),
    "power": ('family = "kcenter"\nk = 1\npower = 3\n[metric]\npoints = [[0]]\n', "power"),
    "empty": ('family = "kdiameter"\nk = 1\n[metric]\ndistances = []\n', "no points"),
    "skew": ('family = "kdiameter"\nk = 1\n[metric]\ndistances = [[0, 1], [2, 0]]\n', "symmetric"),
}


@pytest.mark.parametrize("name", FILES)
def test_files_with_faults(name: str, tmp_path: Path) -> None:
    text, word = FILES[name]
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=word):
        load(path)


@pytest.mark.parametrize("family", ["kmedoids", "kmedian", "kcenter", "kdiameter"])
def test_command_line(family: str, certify_run: Any, tmp_path: Path) -> None:
    assert certify_run("init", family).code == 0
    assert certify_run("solve", f"{family}.toml", "--quiet").code == 0
    (tmp_path / "mine.csv").write_text("0\n0\n0\n1\n1\n1\n1\n", encoding="utf-8")
    assert certify_run("assess", f"{family}.toml", "--solution", "mine.csv", "--quiet").code == 0
    assert certify_run("check", f"{family}.cert.json", "--against", f"{family}.toml").code == 0
    assert certify_run("explain", f"{family}.cert.json").code == 0


def random_graph(n: int, p: float, seed: int) -> Any:
    return nx.to_numpy_array(nx.gnp_random_graph(n, p, seed)).astype(bool)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("k", [2, 3, 4])
def test_colourings_and_refutations(k: int, seed: int) -> None:
    """Colourings are proper; what is refuted is a valid certificate."""
    adjacency = random_graph(14 + 8 * k, (0.12, 0.22, 0.32)[k - 2], seed)
    found = colouring.coloured(adjacency, k, 100_000, lambda: 60.0)
    if isinstance(found, colouring.Coloured):
        colours = np.array(found.colours)
        assert not adjacency[colours[:, None] == colours[None, :]].any()
        assert colours.max() < k
        return
    problem = KDiameter.from_distances(2 * adjacency + 1 - np.eye(len(adjacency), dtype=int), k)
    rank = problem.places[1].index(3)
    witness = problem._refuted(found, rank)
    document = {"format": "certify/1", "family": "kdiameter", "problem": problem.canonical(), "witnesses": [witness]}
    verdict = check(document)
    assert verdict.valid, verdict
    assert verdict.best(">=") == 3


def test_a_refutation_is_needed_and_replayed() -> None:
    """The Grötzsch graph (Mycielski 1955) has no triangle and no three colours."""
    graph = nx.mycielski_graph(4)
    adjacency = nx.to_numpy_array(graph).astype(int)
    result = solve(KDiameter.from_distances(adjacency + 1 - np.eye(11, dtype=int), 3))
    assert result.bounds == Bounds(F(2), F(2))
    assert any(witness["kind"] == "refutation" and witness["clauses"] for witness in result.certificate.witnesses)


@pytest.mark.slow
def test_five_thousand_points() -> None:
    """Within 0.1 % in five minutes."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(10, 2)) * 6
    points = centres[rng.integers(0, 10, 5000)] + rng.normal(size=(5000, 2))
    result = solve(KMedoids.from_points(points, 10), gap=F(1, 1000), time_limit=300)
    assert result.status.word == "tight"
