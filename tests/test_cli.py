"""The contract of the command line: exit codes, JSON, one line a fault, files that are whole and never weakened."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from commands import PROBLEMS, in_process_of_its_own

import certify
from certify import cli
from certify.terminal import ticker
from certify.theorems import Side, Theorem, TheoremResult, TheoremVerdict

PETERSEN = PROBLEMS / "petersen.toml"
SQUARE = {"family": "embedding", "metric": {"edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a"]]}}
KEYS = {
    "family": str,
    "quantity": str,
    "sense": str,
    "status": str,
    "stopped": str,
    "rigor": str,
    "lower": str,
    "upper": str,
    "lower_float": float,
    "upper_float": float,
    "gap": float,
    "derived": dict,
    "solver_claim": dict,
    "known": dict,
    "why_wide": str,
    "certificate": str,
    "statement": str,
    "seconds": dict,
}
NULLABLE = {"lower", "upper", "lower_float", "upper_float", "gap", "solver_claim", "known", "why_wide", "certificate"}


def square(folder: Path, name: str = "square.json", **more: Any) -> Path:
    """A problem file whose answer is 2."""
    path = folder / name
    path.write_text(json.dumps({**SQUARE, **more}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A problem that no engine finishes in seconds."""
    graph = nx.random_regular_graph(4, 300, seed=1)
    path = tmp_path_factory.mktemp("hard") / "hard.json"
    edges = [[str(u), str(v)] for u, v in graph.edges]
    path.write_text(json.dumps({"family": "embedding", "metric": {"edges": edges}}), encoding="utf-8")
    return path


# --- usage --------------------------------------------------------------------------------------------


def test_alone_it_shows_help_and_proves_nothing(certify_run: Any) -> None:
    ran = certify_run()
    assert ran.code == 2
    assert all(name in ran.out for name in ("solve", "assess", "check", "explain", "cite", "report", "verify"))
    assert not ran.err


@pytest.mark.parametrize("arguments", [["--help"], ["-h"], ["solve", "--help"], ["check", "-h"], ["--version"]])
def test_help(certify_run: Any, arguments: list[str]) -> None:
    ran = certify_run(*arguments)
    assert ran.code == 0
    assert ran.out
    assert not ran.err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["slove"], "did you mean solve?"),
        (["frobnicate"], "one of: solve"),
        (["solve"], "FILE"),
        (["solve", "x.toml", "--gpa", "1"], "--gpa"),
        (["solve", "x.toml", "--ga", "1"], "--ga"),
        (["solve", "x.toml", "--gap"], "--gap"),
        (["solve", "x.toml", "--gap", "-1"], "--gap"),
        (["solve", "x.toml", "--gap", "wide"], "--gap"),
        (["solve", "x.toml", "--gap", "nan"], "--gap"),
        (["solve", "x.toml", "--gap", "1e999999999"], "--gap"),
        (["solve", "x.toml", "--abs-gap", "1/0"], "--abs-gap"),
        (["solve", "x.toml", "--time-limit", "inf"], "--time-limit"),
        (["solve", "x.toml", "--seed", "1.5"], "--seed"),
        (["solve", str(PETERSEN), "--solver", "magic"], "one of: auto"),
        (["solve", str(PETERSEN), "--from", "absent.cert.json"], "absent.cert.json"),
        (["assess", str(PETERSEN)], "--solution"),
        (["assess", str(PETERSEN), "--solution", "absent.csv"], "absent.csv"),
        (["check"], "CERT"),
        (["check", "absent.cert.json"], "absent.cert.json"),
        (["check", "."], "directory"),
        (["explain", "absent.cert.json"], "absent.cert.json"),
        (["cite", "absent.cert.json"], "absent.cert.json"),
        (["report", "absent.cert.json", "-o", "x.html"], "absent.cert.json"),
        (["report", "absent.cert.json"], "-o"),
        (["verify", "fermat", str(PETERSEN)], "one of: llr-duality"),
        (["verify", "cube-distortion", "absent.toml"], "absent.toml"),
        (["init", "knitting"], "one of: basis_pursuit, bisection, conic"),
        (["kernel"], "--export"),
        (["kernel", "--export", "no/such/folder/check.py"], "no/such/folder"),
        (["solve", "absent.toml"], "absent.toml"),
        (["solve", "."], "folder"),
    ],
)
def test_misuse_is_one_line_and_exit_2(certify_run: Any, arguments: list[str], named: str) -> None:
    ran = certify_run(*arguments)
    assert ran.code == 2
    assert len(ran.faults) == 1, ran.err
    assert named in ran.err
    assert not ran.out
    assert not list(Path().iterdir())


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (b"", "empty"),
        (b"\x00\x01\x02\xff" * 50, "binary"),
        (b"\xff\xfe{\x00", "UTF-16"),
        (b"family = embedding", ":1:"),
        (b'family = "embedding"\ncolour = "red"\n[metric]\nedges = [["a", "b"]]\n', "colour"),
        (b'family = "embedding"\n[metric]\nedges = [["a", "b"], ["c", "d"]]\n', "connected"),
        (b'family = "embedding"\n[metric]\ndistances = [[0, 1], [2, 0]]\n', "symmetric"),
        (b'family = "embedding"\n[metric]\ndistances = [[0, nan], [nan, 0]]\n', "NaN"),
        (b'family = "embedding"\n[metric]\ndistances = [[0, -1], [-1, 0]]\n', "positive"),
        (b'family = "embedding"\n[metric]\ndistances = [[0, 0], [0, 0]]\n', "merge_duplicates"),
        (b"[[" * 2_500_000, "bad.toml"),
        (b"x = 1\n" * 900_000, "bad.toml"),
        (b'{"family": "embedding"}', ".json"),
    ],
    ids=lambda value: None if isinstance(value, str) else f"{len(value)} bytes",
)
def test_bad_problem_files(certify_run: Any, content: bytes, named: str) -> None:
    Path("bad.toml").write_bytes(content)
    began = time.monotonic()
    ran = certify_run("solve", "bad.toml")
    assert time.monotonic() - began < 10
    assert ran.code == 2
    assert 1 <= len(ran.faults) <= 20
    assert named in ran.err
    assert all("bad.toml" in line or "metric" in line or "distances" in line for line in ran.faults)


def test_at_most_twenty_lines_of_faults_in_a_run(certify_run: Any) -> None:
    ran = certify_run("solve", *(f"absent{i}.toml" for i in range(30)))
    assert ran.code == 2
    assert len(ran.faults) == 20
    assert ran.faults[-1] == "… and 11 more"
    assert len(certify_run("check", *(f"absent{i}" for i in range(20))).faults) == 20


def test_an_unexpected_fault_is_one_line(certify_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("by\nzero")

    monkeypatch.setattr(certify, "load", broken)
    ran = certify_run("solve", "x.toml")
    assert ran.code == 3
    assert len(ran.faults) == 1
    assert "ZeroDivisionError: by zero" in ran.err
    monkeypatch.setenv("CERTIFY_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        certify_run("solve", "x.toml")


# --- solve --------------------------------------------------------------------------------------------


def conforms(found: dict[str, Any], *more: str) -> None:
    """The object of the contract: exactly its keys, of their types, the floats bounds too."""
    assert set(found) == {*KEYS, *more}
    for key, kind in KEYS.items():
        assert (found[key] is None and key in NULLABLE) or type(found[key]) is kind, key
    assert (found["family"], found["quantity"]) == ("embedding", "distortion_squared")
    assert (found["sense"], found["rigor"]) == ("min", "deterministic")
    assert found["status"] in ("exact", "tight", "bounded", "infeasible", "unbounded", "unknown")
    assert found["stopped"] in ("gap", "time", "interrupt", "engines_failed", "exhausted")
    assert set(found["derived"]) == {"distortion"}
    assert set(found["seconds"]) == {"solve", "round", "check"}
    assert found["solver_claim"] is None or set(found["solver_claim"]) == {"name", "status", "value"}
    assert found["known"] is None or set(found["known"]) == {"value", "agrees"}
    for end, outward in (("lower", lambda a, b: a <= b), ("upper", lambda a, b: a >= b)):
        root = found["derived"]["distortion"][f"{end}_float"]
        if found[end] is None:
            assert found[f"{end}_float"] is None
            assert root is None
        else:
            assert re.fullmatch(r"\d+(/\d+)?", found[end])
            assert outward(Fraction(found[f"{end}_float"]), Fraction(found[end]))
            assert outward(Fraction(root) ** 2, Fraction(found[end]))


def test_solve_json(certify_run: Any) -> None:
    path = square(Path(), known={"value": "2.00", "relation": "=="})
    ran = certify_run("solve", path, "--json")
    (found,) = ran.objects
    conforms(found)
    assert ran.code == 0
    assert found["status"] in ("exact", "tight")
    assert found["stopped"] == "gap"
    assert found["known"] == {"value": "2.00", "agrees": True}
    assert found["why_wide"] is None
    assert found["certificate"] == "square.cert.json"
    assert Fraction(found["lower"]) <= 2 <= Fraction(found["upper"])
    assert certify.check("square.cert.json").valid
    assert ran.out.isascii()


def test_solve_text_says_what_is_proved_and_what_was_only_claimed(certify_run: Any) -> None:
    ran = certify_run("solve", square(Path(), title="The square"))
    assert ran.code == 0
    assert ran.out.startswith("The square\n  proved ")
    assert "not proved" in ran.out
    assert "\x1b" not in ran.out + ran.err
    assert certify_run("solve", square(Path()), "--quiet").out == ""


def test_several_files_go_into_a_folder_and_the_worst_code_counts(certify_run: Any) -> None:
    one, two = square(Path(), "one.json"), square(Path(), "two.json")
    ran = certify_run("solve", one, "absent.json", two, "--json", "-o", "made/here")
    assert ran.code == 2
    assert len(ran.objects) == 2
    assert len(ran.faults) == 1 + 2  # a note a problem: edges without length
    assert sorted(p.name for p in Path("made/here").iterdir()) == ["one.cert.json", "two.cert.json"]
    assert certify_run("solve", one, "-o", "new/", "--quiet").code == 0
    assert Path("new/one.cert.json").is_file()


@pytest.mark.parametrize(
    ("codes", "worst"), [([0, 3, 1, 2], 2), ([0, 3, 1], 1), ([3, 0], 3), ([0, 0], 0), ([1, 2], 2), ([1, 3], 1)]
)
def test_order_of_exit_codes(codes: list[int], worst: int) -> None:
    assert cli._worst(codes) == worst


def test_options_may_stand_between_files(certify_run: Any) -> None:
    one, two = square(Path(), "one.json"), square(Path(), "two.json")
    assert len(certify_run("solve", one, "--gap", "1e-3", two, "--json").objects) == 2


@pytest.mark.parametrize("output", ["file-as-folder/x.cert.json", "no/such/folder.cert.json", "x" * 300])
def test_unwritable_output_is_refused_before_the_work(
    certify_run: Any, monkeypatch: pytest.MonkeyPatch, output: str
) -> None:
    Path("file-as-folder").write_text("", encoding="utf-8")
    monkeypatch.setattr("certify.proving.solve", lambda *_, **__: pytest.fail("solved first"))
    ran = certify_run("solve", square(Path()), "-o", output)
    assert ran.code == 2
    assert len(ran.faults) == 1
    assert "cannot be written" in ran.err


def test_outputs_that_make_no_sense(certify_run: Any) -> None:
    one = square(Path(), "one.json")
    Path("sub").mkdir()
    twin = square(Path("sub"), "one.json")
    for arguments in (
        (one, twin),
        (one, twin, "-o", "-"),
        (one, "-o", one),
        (one, square(Path(), "two.json"), "-o", one),
    ):
        ran = certify_run("solve", *arguments)
        assert ran.code == 2
        assert len(ran.faults) == 1
    assert json.loads(one.read_text(encoding="utf-8")) == SQUARE


def test_stdin_and_stdout(certify_run: Any, tmp_path: Path) -> None:
    text = json.dumps(SQUARE)
    made = in_process_of_its_own(["solve", "-", "-o", "-"], tmp_path, input=text)
    assert made.code == 0
    assert certify.check(made.out.encode()).valid
    assert "proved" in made.err
    assert in_process_of_its_own(["check", "-", "--json"], tmp_path, input=made.out).objects[0]["valid"]
    for command in ("explain", "cite"):
        told = in_process_of_its_own([command, "-"], tmp_path, input=made.out)
        assert told.code == 0
        assert not told.err
    assert in_process_of_its_own(["solve", "-", "--quiet"], tmp_path, input=text).code == 0
    assert (tmp_path / "stdin.cert.json").is_file()
    scored = in_process_of_its_own(
        ["assess", square(tmp_path), "--solution", "-", "--json"], tmp_path, input="0,0\n1,0\n1,1\n0,1\n"
    )
    assert scored.objects[0]["value"] == "2"


def test_a_device_is_written_to_and_never_replaced(certify_run: Any) -> None:
    if not Path(os.devnull).is_char_device():
        pytest.skip("no null device here")
    assert certify_run("solve", square(Path()), "-o", os.devnull, "--quiet").code == 0
    assert Path(os.devnull).is_char_device()


def test_a_wider_interval_than_asked_for_is_exit_3(certify_run: Any) -> None:
    ran = certify_run("solve", PETERSEN, "--time-limit", "0", "--json")
    (found,) = ran.objects
    conforms(found)
    assert ran.code == 3
    assert (found["status"], found["stopped"]) == ("bounded", "time")
    assert found["lower"] == "1"
    assert found["upper"] is None
    assert found["gap"] is None
    assert "--from" in found["why_wide"]
    assert certify.check("petersen.cert.json").valid


def test_wide_gap_and_absolute_gap_are_met_at_once(certify_run: Any) -> None:
    for option in ("--gap", "--abs-gap"):
        assert certify_run("solve", PROBLEMS / "karate.toml", option, "9", "--quiet").code == 0


def test_options_of_the_problem_file_count(certify_run: Any) -> None:
    path = square(Path(), solve={"time_limit": 0.001})
    assert certify_run("solve", path, "--quiet").code == 3
    assert certify_run("solve", path, "--quiet", "--time-limit", "60").code == 0
    assert "solver" in certify_run("solve", square(Path(), solve={"solver": "magic"})).err


@pytest.mark.parametrize("limit", [1.0, 4.0])
def test_time_limit_is_kept(tmp_path: Path, hard: Path, limit: float) -> None:
    began = time.monotonic()
    ran = in_process_of_its_own(["solve", hard, "--time-limit", str(limit), "--json"], tmp_path)
    assert time.monotonic() - began < limit + 5
    assert ran.code == 3
    conforms(ran.objects[0])
    assert ran.objects[0]["stopped"] == "time"
    assert certify.check(tmp_path / "hard.cert.json").valid


def test_progress_is_a_line_now_and_then_with_the_proved_interval(capsys: pytest.CaptureFixture[str]) -> None:
    narrow, wide = certify.Bounds(Fraction(2), Fraction(5, 2)), certify.Bounds(Fraction(1), None)
    with ticker(quiet=False, name="x.toml") as show:
        if show is None:
            pytest.fail("no progress")
        for seconds, bounds in ((0.5, wide), (1.5, wide), (2, narrow), (2.6, narrow), (3, narrow), (40, narrow)):
            show(certify.Progress(seconds, bounds, "an engine\nat work"))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "x.toml:    1.5 s  proved in [1, ?]  an engine at work",
        "x.toml:    2.6 s  proved in [2, 2.5]  gap 2.0e-01  an engine at work",
        "x.toml:   40.0 s  proved in [2, 2.5]  gap 2.0e-01  an engine at work",
    ]
    with ticker(quiet=True) as show:
        assert show is None


def test_a_certificate_is_no_problem_file(certify_run: Any, certificate: Path) -> None:
    ran = certify_run("solve", certificate)
    assert (ran.code, len(ran.faults)) == (2, 1)
    assert "certify check" in ran.err


def test_engines_that_doubles_overtax_warn_nobody(tmp_path: Path) -> None:
    distances = [[0, "1e-12", "1e12"], ["1e-12", 0, "1e12"], ["1e12", "1e12", 0]]
    ran = in_process_of_its_own(["solve", square(tmp_path, metric={"distances": distances}), "--json"], tmp_path)
    assert ran.faults == []
    assert ran.code == 0
    assert Fraction(ran.objects[0]["upper"]) <= 1 + Fraction(1, 10**6)


# --- certificates that stand --------------------------------------------------------------------------


def ends(path: str | Path) -> tuple[Fraction | None, Fraction | None]:
    verdict = certify.check(path)
    assert verdict.valid
    return verdict.best(">="), verdict.best("<=")


def test_from_tightens_and_nothing_weakens(certify_run: Any) -> None:
    path = square(Path())
    assert certify_run("solve", path, "-o", "strong.cert.json", "--quiet").code == 0
    strong = ends("strong.cert.json")
    assert certify_run("solve", path, "-o", "strong.cert.json", "--time-limit", "0", "--quiet").code == 0
    assert ends("strong.cert.json") == strong
    assert certify_run("solve", path, "-o", "new.cert.json", "--time-limit", "0", "--quiet").code == 3
    again = certify_run("solve", path, "-o", "new.cert.json", "--time-limit", "0", "--from", "strong.cert.json")
    assert again.code == 0
    assert ends("new.cert.json") == strong


def test_from_another_problem_or_a_forgery_is_refused(certify_run: Any) -> None:
    assert certify_run("solve", square(Path()), "--quiet").code == 0
    ran = certify_run("solve", PETERSEN, "--from", "square.cert.json", "-o", "x.cert.json")
    assert (ran.code, len(ran.faults)) == (2, 1)
    assert "another problem" in ran.err
    forged = Path("square.cert.json").read_text(encoding="utf-8").replace('"expand":[[0,1,', '"expand":[[0,1,-')
    Path("forged.cert.json").write_text(forged, encoding="utf-8")
    ran = certify_run("solve", square(Path()), "--from", "forged.cert.json", "-o", "x.cert.json")
    assert (ran.code, len(ran.faults)) == (2, 1)
    assert "rejected" in ran.err


@pytest.mark.parametrize("content", ["a diary", '{"format": "certify/1"}', None])
def test_what_is_not_ours_is_moved_aside(certify_run: Any, content: str | None) -> None:
    target = Path("mine.cert.json")
    if content is None:
        assert certify_run("solve", PROBLEMS / "k23.toml", "-o", target, "--quiet").code == 0
        content = target.read_text(encoding="utf-8")
    else:
        target.write_text(content, encoding="utf-8")
    ran = certify_run("solve", square(Path()), "-o", target)
    assert ran.code == 0
    assert Path("mine.cert.json.old1").read_text(encoding="utf-8") == content
    assert "mine.cert.json.old1" in ran.out
    assert certify.check(target).valid


def test_two_runs_at_one_file_keep_the_stronger_ends(tmp_path: Path) -> None:
    target = tmp_path / "both.cert.json"
    command = [sys.executable, "-m", "certify.cli", "solve", str(PROBLEMS / "heawood.toml"), "-o", str(target), "-q"]
    runs = [subprocess.Popen([*command, "--gap", gap], cwd=tmp_path) for gap in ("1e-6", "0.5", "0.9")]
    assert [run.wait(60) for run in runs] == [0, 0, 0]
    low, high = ends(target)
    assert low is not None
    assert high is not None
    assert (high - low) / high <= Fraction(1, 10**6)
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


def test_gzipped_certificate(certify_run: Any) -> None:
    assert certify_run("solve", square(Path()), "-o", "x.cert.json.gz", "--quiet").code == 0
    assert Path("x.cert.json.gz").read_bytes().startswith(b"\x1f\x8b")
    assert certify_run("check", "x.cert.json.gz").code == 0


# --- interrupts ---------------------------------------------------------------------------------------


def started(hard: Path, folder: Path, *more: str) -> subprocess.Popen[str]:
    """A long solve that has written its first certificate."""
    command = [sys.executable, "-m", "certify.cli", "solve", str(hard), "--json", "--gap", "0", *more]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    run = subprocess.Popen(command, cwd=folder, **pipes)
    target = folder / f"{hard.stem}.cert.json"
    end = time.monotonic() + 60
    while not target.exists() and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.5)
    return run


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_work_ends_with_the_best_so_far(tmp_path: Path, hard: Path, number: int) -> None:
    run = started(hard, tmp_path)
    run.send_signal(number)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 3
    found = json.loads(out)
    conforms(found)
    assert found["stopped"] == "interrupt"
    assert "Traceback" not in err
    assert str(ends(tmp_path / "hard.cert.json")[0]) == found["lower"]


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["clarabel", pytest.param("scs", marks=pytest.mark.sample)])
def test_engines_in_compiled_code_let_ctrl_c_through(tmp_path: Path, solver: str) -> None:
    run = started(PROBLEMS / "les-miserables-lengths.toml", tmp_path, "--solver", solver)
    time.sleep(6)
    run.send_signal(signal.SIGINT)
    out, _ = run.communicate(timeout=30)
    assert run.returncode == 3
    assert json.loads(out)["stopped"] == "interrupt"


def test_killed_work_leaves_a_whole_certificate(tmp_path: Path, hard: Path) -> None:
    run = started(hard, tmp_path)
    run.kill()
    run.communicate(timeout=30)
    low, _ = ends(tmp_path / "hard.cert.json")
    assert low is not None
    assert low >= 1


# --- assess -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def iris_plane() -> np.ndarray[Any, Any]:
    """The flowers projected to the plane of their two main axes."""
    with (PROBLEMS / "data" / "iris.csv").open(encoding="utf-8") as file:
        rows = [[float(x) for x in row[:4]] for row in csv.reader(file) if re.match(r"[\d.]+$", row[0])]
    points = np.array(rows)
    centred = points - points.mean(axis=0)
    plane: np.ndarray[Any, Any] = centred @ np.linalg.svd(centred, full_matrices=False)[2][:2].T
    return plane


def exact_distortion_squared(points: Any, squares: list[list[Fraction]]) -> Fraction:
    """By definition, in fractions."""
    rows = [[Fraction(float(x)) for x in row] for row in points]
    ratios = [
        sum(((a - b) ** 2 for a, b in zip(rows[i], rows[j], strict=True)), Fraction(0)) / squares[i][j]
        for i in range(len(rows))
        for j in range(i)
    ]
    return max(ratios) / min(ratios)


def test_assess_a_projection_of_iris(certify_run: Any, iris_plane: Any) -> None:
    buffer = io.StringIO()
    np.savetxt(buffer, iris_plane, fmt="%.17g", delimiter=",")
    Path("plane.csv").write_text(buffer.getvalue(), encoding="utf-8")
    np.save("plane.npy", iris_plane)
    values = []
    for solution in ("plane.csv", "plane.npy"):
        ran = certify_run("assess", PROBLEMS / "iris.toml", "--solution", solution, "--json")
        (found,) = ran.objects
        conforms(found, "value", "ratio_upper")
        assert ran.code == 0
        assert (found["status"], found["lower"], found["upper"]) == ("exact", "1", "1")
        assert Fraction(found["ratio_upper"]) >= Fraction(found["value"]) > 1
        values.append(Fraction(found["value"]))
    assert abs(values[0] / values[1] - 1) < 1e-12
    assert "at most" in certify_run("assess", PROBLEMS / "iris.toml", "--solution", "plane.npy").out


def test_assess_coordinates_of_mds(certify_run: Any) -> None:
    manifold = pytest.importorskip("sklearn.manifold")
    distances = nx.floyd_warshall_numpy(nx.petersen_graph())
    points = manifold.MDS(
        n_components=3, metric="precomputed", init="random", n_init=1, max_iter=50, random_state=0
    ).fit_transform(distances)
    np.save("mds.npy", points)
    ran = certify_run("assess", PETERSEN, "--solution", "mds.npy", "--json")
    (found,) = ran.objects
    squares = [[Fraction(int(d)) ** 2 for d in row] for row in distances]
    assert ran.code == 0
    assert Fraction(found["value"]) == exact_distortion_squared(points, squares)
    assert Fraction(found["ratio_upper"]) >= Fraction(found["value"]) / 2
    assert Fraction(found["ratio_upper"]) <= Fraction(found["value"]) / 2 * Fraction(1001, 1000)
    assert certify_run("assess", PETERSEN, "--solution", "mds.npy", "--time-limit", "0", "-o", "n.json").code == 0
    wide = certify_run("assess", PETERSEN, "--solution", "mds.npy", "--time-limit", "0", "--gap", "0", "-o", "o.json")
    assert wide.code == 3


def test_assess_an_infinite_distortion_names_the_pair(certify_run: Any) -> None:
    Path("flat.csv").write_text("0,0\n1,0\n0,0\n1,1\n", encoding="utf-8")
    ran = certify_run("assess", square(Path()), "--solution", "flat.csv", "--json")
    (found,) = ran.objects
    conforms(found, "value", "ratio_upper")
    assert ran.code == 0
    assert found["value"] is None
    assert found["ratio_upper"] is None
    for told in (found["why_wide"], ran.err):
        assert "infinite" in told
        assert "points 0 (a) and 2 (c)" in told
    assert "0 (a) and 2 (c)" in certify_run("assess", square(Path()), "--solution", "flat.csv").out


def test_assess_merged_duplicates_need_one_image(certify_run: Any, iris_plane: Any) -> None:
    moved = iris_plane.copy()
    moved[142] += 1  # the twin of flower 101
    np.save("moved.npy", moved)
    ran = certify_run("assess", PROBLEMS / "iris.toml", "--solution", "moved.npy", "--json")
    assert ran.code == 0
    assert ran.objects[0]["value"] is None
    assert "101" in ran.err
    assert "142" in ran.err


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("0,0\n1,0\n1,1\n", "3 rows for 4 points"),
        ("0,0\n1,0\n1,nan\n0,1\n", "sol.csv:3:2"),
        ("0,0\n1,0\n1\n0,1\n", "sol.csv:3"),
        ("", "sol.csv"),
        ("a,b\nc,d\n", "sol.csv"),
    ],
)
def test_assess_bad_solutions(certify_run: Any, text: str, named: str) -> None:
    Path("sol.csv").write_text(text, encoding="utf-8")
    ran = certify_run("assess", square(Path()), "--solution", "sol.csv")
    assert ran.code == 2
    assert ran.faults
    assert named in ran.err
    assert all("sol.csv" in line for line in ran.faults)


def test_assess_a_bad_array(certify_run: Any) -> None:
    np.save("sol.npy", np.array([[0.0], [1.0], [math.inf], [2.0]]))
    ran = certify_run("assess", square(Path()), "--solution", "sol.npy")
    assert ran.code == 2
    assert len(ran.faults) == 1
    assert "sol.npy" in ran.err


# --- check --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of the square."""
    folder = tmp_path_factory.mktemp("certificates")
    path = folder / "square.cert.json"
    certify.load(square(folder)).solve(save=path)  # type: ignore[attr-defined]
    return path


def test_check_says_proved(certify_run: Any, certificate: Path) -> None:
    ran = certify_run("check", certificate)
    assert ran.code == 0
    assert ran.out.startswith("s PROVED ")
    for more in ([], ["--pure"]):
        (found,) = certify_run("check", certificate, "--json", *more).objects
        assert set(found) == {"valid", "statements"}
        assert found["valid"] is True
        for statement in found["statements"]:
            assert set(statement) == {"quantity", "relation", "value", "rigor", "digest", "text"}
            assert statement["relation"] in ("<=", ">=", "==")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\x80",
        b"{" * 100_000,
        b"[" * 5_000_000,
        b"[1," * 1_700_000,
        b"1" * 5_000_000,
        b"{}",
        b"\x1f\x8b broken",
        b'{"format":"certify/1","family":"embedding","problem":{"metric":{}},"witnesses":[]}',
        b'{"format":"certify/1","family":"knitting","problem":{},"witnesses":[]}',
        b'{"format":"certify/1","format":"certify/1"}',
    ],
    ids=lambda content: f"{content[:12]!r}",
)
def test_check_rejects(certify_run: Any, content: bytes) -> None:
    Path("bad.cert.json").write_bytes(content)
    ran = certify_run("check", "bad.cert.json")
    assert ran.code == 1
    assert re.match(r"s REJECTED \S+ \S+ .+", ran.out)
    assert not ran.err
    (found,) = certify_run("check", "bad.cert.json", "--json").objects
    assert set(found) == {"valid", "rule", "where", "why"}
    assert found["valid"] is False
    for command in ("explain", "cite"):
        assert certify_run(command, "bad.cert.json").code == 1


def test_check_against_the_problem_file(certify_run: Any, certificate: Path) -> None:
    assert certify_run("check", certificate, "--against", square(Path(), title="only words differ")).code == 0
    longer = {"edges": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "a", 2]]}
    ran = certify_run("check", certificate, "--against", square(Path(), metric=longer), "--json")
    assert ran.code == 1
    assert ran.objects[0]["rule"] == "against"
    assert certify_run("check", certificate, "--against", "absent.toml").code == 2


def test_check_several(certify_run: Any, certificate: Path) -> None:
    Path("bad.cert.json").write_text("{}", encoding="utf-8")
    for names, code, valid in (
        ([certificate, certificate], 0, [True, True]),
        ([certificate, "bad.cert.json"], 1, [True, False]),
        (["absent", certificate, "bad.cert.json"], 2, [False, True, False]),
    ):
        ran = certify_run("check", *names, "--json")
        (found,) = ran.objects
        assert ran.code == code
        assert found["valid"] is (code == 0)
        assert [each["valid"] for each in found["results"]] == valid
    ran = certify_run("check", certificate, "bad.cert.json")
    assert [line[:3] for line in ran.out.splitlines() if line.startswith("s ")] == ["s P", "s R"]
    assert certify_run("check", "absent", "--json").out == ""


def test_check_trusts_a_package_only_by_name(certify_run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{"format":"certify/1","family":"knitting","problem":{},"witnesses":[]}'
    Path("x.cert.json").write_text(text, encoding="utf-8")
    ran = certify_run("check", "x.cert.json", "--trust", "nobody")
    assert (ran.code, len(ran.faults)) == (2, 1)
    monkeypatch.setattr("certify.problem.claims_of", lambda package, data: ["scarf <= 3"])
    ran = certify_run("check", "x.cert.json", "--trust", "wool")
    assert ran.code == 3
    assert ran.out == "s CLAIMED by wool scarf <= 3\n"
    assert certify_run("check", "x.cert.json", "--trust", "wool", "--json").objects[0]["valid"] is False


def test_check_is_quick_and_loads_no_engine(certificate: Path) -> None:
    heavy = "('cvxpy', 'numpy', 'scipy', 'pydantic', 'networkx', 'typer', 'rich')"
    script = (
        "import sys, certify.cli as c; code = c.run(sys.argv[1:]); "
        f"print([m for m in {heavy} if m in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    command = [sys.executable, "-c", script, "check", str(certificate)]
    best = math.inf
    for _ in range(5):
        began = os.times()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        ended = os.times()
        best = min(best, ended.children_user + ended.children_system - began.children_user - began.children_system)
    assert done.stderr.strip() == "[]"
    assert best < 0.3


# --- the other commands -------------------------------------------------------------------------------


def test_explain_and_cite(certify_run: Any, certificate: Path) -> None:
    told = certify_run("explain", certificate)
    assert told.code == 0
    assert told.out.startswith("s PROVED")
    assert "points 0 (a)" in told.out
    cited = certify_run("cite", certificate)
    assert cited.code == 0
    assert r"\[" in cited.out
    assert "re-check: certify check square.cert.json" in cited.out
    assert certify.check(certificate).statements[0].digest[:32] in cited.out


def test_report_writes_a_page(certify_run: Any, certificate: Path) -> None:
    ran = certify_run("report", certificate, "-o", "page.html")
    assert ran.code == 0
    assert "<html" in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("scale", ["1", "3/7"])
def test_verify_cubes(certify_run: Any, dimension: int, scale: str) -> None:
    graph = nx.convert_node_labels_to_integers(nx.hypercube_graph(dimension))
    metric = {"edges": [[str(u), str(v), scale] for u, v in graph.edges]}
    path = square(Path(), metric=metric)
    for theorem in ("cube-distortion", "llr-duality"):
        ran = certify_run("verify", theorem, path, "--json")
        (found,) = ran.objects
        assert ran.code == 0
        assert found["verdict"] == "holds"
        assert set(found) == {"theorem", "verdict", "reason", "sides", "certificate", "source"}
        low, high = (Fraction(found["sides"][0][end]) for end in ("lower", "upper"))
        assert low <= dimension <= high


@pytest.mark.parametrize(
    ("arguments", "verdict", "code"),
    [
        (["cube-distortion", PETERSEN], "hypotheses fail", 2),
        (["cube-distortion", PROBLEMS / "cube-q4.toml", "--time-limit", "0"], "undecided", 3),
        (["llr-duality", PETERSEN, "--time-limit", "0"], "undecided", 3),
        (["llr-duality", PETERSEN], "holds", 0),
        (["llr-duality", PROBLEMS / "broken-triangle.toml", "--gap", "1e-3"], "holds", 0),
    ],
)
def test_verify(certify_run: Any, arguments: list[Any], verdict: str, code: int) -> None:
    ran = certify_run("verify", *arguments, "--json")
    assert ran.code == code
    assert ran.objects[0]["verdict"] == verdict
    assert verdict in certify_run("verify", *arguments).out


@pytest.mark.parametrize(
    ("verdict", "code"),
    [
        (TheoremVerdict.HOLDS, 0),
        (TheoremVerdict.VACUOUS, 0),
        (TheoremVerdict.VIOLATED, 1),
        (TheoremVerdict.HYPOTHESES_FAIL, 2),
        (TheoremVerdict.UNDECIDED, 3),
    ],
)
def test_every_verdict_has_its_code(
    certify_run: Any, monkeypatch: pytest.MonkeyPatch, verdict: TheoremVerdict, code: int
) -> None:
    def found(problem: Any, **_: Any) -> TheoremResult:
        half = certify.Bounds(None, Fraction(1, 2))
        return TheoremResult(entry, verdict, "because", (Side("a side", half),))

    entry = Theorem("t", "T", "s", "l", "h", "src", found)
    monkeypatch.setattr("certify.theorems.theorem", lambda name: entry)
    ran = certify_run("verify", "t", square(Path()), "--json")
    assert ran.code == code
    assert ran.objects[0]["verdict"] == verdict.word
    assert ran.objects[0]["sides"] == [{"meaning": "a side", "lower": None, "upper": "1/2"}]


def test_init_then_solve(certify_run: Any) -> None:
    for family in certify_run("families", "--json").objects[0]:
        assert certify_run("init", family).code == 0
        ran = certify_run("solve", f"{family}.toml", "--json")
        assert ran.code == 0
        assert ran.objects[0]["known"]["agrees"] is True
        assert certify_run("init", family).code == 2
        assert certify_run("init", family, "-o", "-").out == Path(f"{family}.toml").read_text(encoding="utf-8")


def test_the_exported_kernel_needs_nothing(certify_run: Any, certificate: Path) -> None:
    assert certify_run("kernel", "--export", "check.py").code == 0
    bare = [sys.executable, "-I", "-S", "check.py"]
    done = subprocess.run([*bare, str(certificate)], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout == certify_run("check", certificate).out
    assert done.stdout.startswith("s PROVED")
    Path("bad.cert.json").write_text("{}", encoding="utf-8")
    assert subprocess.run([*bare, "bad.cert.json"], capture_output=True, check=False).returncode == 1
    assert certify_run("kernel", "--export", "-").out == Path("check.py").read_text(encoding="utf-8")


def test_families_and_theorems(certify_run: Any) -> None:
    assert "distortion_squared (distortion)" in certify_run("families").out
    assert certify_run("families", "--json").objects[0]["embedding"]["quantity"] == "distortion_squared"
    told = certify_run("theorems")
    assert told.code == 0
    assert "Linial" in told.out
    assert "Enflo" in told.out
    assert set(certify_run("theorems", "--json").objects[0]) == {
        "llr-duality",
        "cube-distortion",
        "lloyd-monotone",
        "kmeans-low-rank",
        "farthest-first",
        "ratiocut-trace",
        "cheeger",
    }


# --- streams ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_encoding_of_the_terminal_will_do(tmp_path: Path, encoding: str) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    path = square(tmp_path, title="\ud800 Größe ≤ ½")
    command = [sys.executable, "-m", "certify.cli", "solve", str(path)]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert certify.check(tmp_path / "square.cert.json").valid


def test_a_reader_that_leaves_and_a_disk_that_is_full(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "certify.cli", "theorems"]
    run = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if run.stdout is not None:
        run.stdout.close()
    assert run.stderr is not None
    assert run.stderr.read() == ""
    assert run.wait(20) == 3
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w", encoding="utf-8") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1


def test_on_a_terminal_it_shows_a_table_and_respects_no_color(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty")
    path = square(tmp_path, title="The square [bold]")
    for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        leader, follower = pty.openpty()
        command = [sys.executable, "-m", "certify.cli", "solve", str(path)]
        run = subprocess.Popen(
            command, cwd=tmp_path, env={**os.environ, **environment}, stdout=follower, stderr=follower
        )
        os.close(follower)
        shown = b""
        while True:
            try:
                piece = os.read(leader, 4096)
            except OSError:
                break
            if not piece:
                break
            shown += piece
        os.close(leader)
        assert run.wait(20) == 0
        text = shown.decode()
        assert "The square [bold]" in text
        assert "distortion_squared" in text
        assert not re.search(r"\x1b\[(\d+;)*(3[0-7]|9[0-7])m", text)
