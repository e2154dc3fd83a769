"""Restricted isometry and the null-space constant: known values, what people meet, through Python and through files."""

from __future__ import annotations

import sys
from fractions import Fraction
from itertools import combinations
from math import pi, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import certify
from certify import RIP, InputError, NullSpace, Status
from certify.families.nullspace_words import TEMPLATE as NULLSPACE_TEMPLATE
from certify.families.rip_words import TEMPLATE
from certify.formats.frames import GramMatrix, gram_generated, root_of_unity
from certify.formats.matrix import generated
from certify.testing.nullspace import alpha_of
from certify.theorems.recovery import recovery_table

sys.path.insert(0, str(Path(__file__).parents[1] / "known"))

from frames import FRAMES, Frame, sharp, simplex

WIDTH = 1e-6


def problem(frame: Frame, s: int, **options: Any) -> RIP:
    made = frame.make()
    if isinstance(made, GramMatrix):
        return RIP.of_gram(made.real, s, imaginary=made.imaginary or None, radius=made.radius, **options)
    if frame.name == "sharp":
        return RIP.of_gram(made, s, **options)
    return RIP.of(made, s, scale_squared=frame.scale, **options)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.name)
def test_known_constants(frame: Frame) -> None:
    for s, value in frame.rip.items():
        result = certify.solve(problem(frame, s))
        assert result.status is Status.EXACT
        assert result.bounds.lower == value, s
    for s, square in frame.rip_squared.items():
        result = certify.solve(problem(frame, s))
        lower, upper = result.bounds.lower, result.bounds.upper
        assert lower is not None
        assert upper is not None
        assert lower**2 <= square <= upper**2, s
        assert upper - lower <= WIDTH
    for s, value in frame.scaled.items():
        result = certify.solve(problem(frame, s, scaling="best"))
        assert (result.status, result.bounds.lower) == (Status.EXACT, value), s
    for s, value in frame.alpha.items():
        result = certify.solve(NullSpace.of(frame.make(), s))
        assert (result.status, result.bounds.lower) == (Status.EXACT, value), s


def test_rows_of_the_fourier_matrix() -> None:
    made = gram_generated("partial_dft", 16, 8)
    result = certify.solve(RIP.of_gram(made.real, 2, imaginary=made.imaginary, radius=made.radius))
    assert result.bounds.upper is not None
    assert float(result.bounds.upper) == pytest.approx(sin(pi / 2) / (8 * sin(pi / 16)), abs=WIDTH)
    assert result.status is Status.TIGHT


def test_the_enclosures_of_roots_of_unity() -> None:
    for n in (3, 5, 8, 9, 12):
        for k in range(n):
            c, s = root_of_unity(k, n)
            assert abs(c * c + s * s - 1) < Fraction(1, 2**90)
            assert float(c) == pytest.approx(np.cos(2 * pi * k / n), abs=1e-15)
            assert float(s) == pytest.approx(np.sin(2 * pi * k / n), abs=1e-15)


def truth(g: Any, s: int) -> float:
    """The constant in floating point, by every set."""
    values = [np.linalg.eigvalsh(g[np.ix_(chosen, chosen)]) for chosen in combinations(range(len(g)), s)]
    return max(max(v[-1] - 1, 1 - v[0]) for v in values)


@pytest.mark.parametrize("s", [1, 2, 3, 4])
def test_gaussian_matrices_are_closed(s: int) -> None:
    w = generated("gaussian", 30, 40, 0)
    result = certify.solve(RIP.of(w, s))
    assert result.status in (Status.EXACT, Status.TIGHT)
    if s < 4:
        table = np.array(w, dtype=float)
        assert float(result.bounds.lower or 0) == pytest.approx(truth(table.T @ table, s), rel=1e-6)


def test_complex_matrices_are_taken_exactly() -> None:
    rng = np.random.default_rng(3)
    w = rng.integers(-4, 5, (4, 7)) + 1j * rng.integers(-4, 5, (4, 7))
    result = certify.solve(RIP.of(w, 3, scale_squared="1/64"))
    g = w.conj().T @ w / 64
    assert float(result.bounds.lower or 0) == pytest.approx(truth(g, 3), rel=1e-6)
    assert result.status is Status.TIGHT


def test_averages_bound_sets_that_are_too_many() -> None:
    w = generated("gaussian", 40, 80, 1)
    result = certify.solve(RIP.of(w, 12), time_limit=6)
    exact = certify.solve(RIP.of(w, 2))
    lower, upper = result.bounds.lower, result.bounds.upper
    assert lower is not None
    assert upper is not None
    assert exact.bounds.upper is not None
    assert exact.bounds.upper < lower < upper
    assert result.seconds.solve < 10


def value_of(asked: RIP | NullSpace, vector: list[int]) -> Fraction | None:
    assessment = certify.assess(asked, [vector]).assessment
    assert assessment is not None
    return assessment.value


def test_a_vector_is_assessed() -> None:
    asked = RIP.of(simplex(7), 3, scale_squared="1/7")
    assert value_of(asked, [1, 1, 0, 0, 0, 0, 0, 0]) == Fraction(1, 7)
    assert value_of(asked, [1, 1, 1, 1, 0, 0, 0, 0]) is None
    with pytest.raises(InputError, match="8 columns"):
        certify.assess(asked, [[1, 1]])
    kernel = NullSpace.of(simplex(7), 2)
    assert value_of(kernel, [1] * 8) == Fraction(1, 4)
    assert value_of(kernel, [1] * 7 + [0]) is None
    assert np.array_equal(np.abs(certify.solve(kernel).solution), np.ones(8))


@pytest.mark.parametrize(("n", "d", "s"), [(3, 6, 1), (3, 7, 2), (4, 7, 3), (2, 5, 2)])
def test_null_spaces_against_every_circuit(n: int, d: int, s: int) -> None:
    rng = np.random.default_rng(10 * d + s)
    w = rng.integers(-9, 10, (n, d))
    result = certify.solve(NullSpace.of(w, s))
    assert result.status is Status.EXACT
    assert result.bounds.lower == alpha_of([[Fraction(int(e)) for e in row] for row in w], s)


def test_a_wide_gaussian_matrix_recovers_three_entries() -> None:
    result = certify.solve(NullSpace.of(generated("gaussian", 64, 128, 0), 3), gap=1)
    assert result.bounds.upper is not None
    assert result.bounds.upper < Fraction(1, 2)
    assert result.seconds.solve < 60


def test_the_table_of_recovery() -> None:
    table = recovery_table(simplex(7))
    assert table.s == 3
    assert [row.s for row in table.rows] == [3, 3, 2, 3, 3]
    assert all(row.fails for row in table.rows)
    assert "does not hold" in str(table)
    gaussian = recovery_table(generated("gaussian", 10, 14, 0), time_limit=20)
    assert not any(row.condition.startswith("coherence") for row in gaussian.rows)
    assert recovery_table(sharp()).s == 0  # δ_2 = 5/7 is just above 1/√2, and e_1 is not recovered


def test_files(tmp_path: Path) -> None:
    for name, text, value in (("rip", TEMPLATE, Fraction(2, 7)), ("nullspace", NULLSPACE_TEMPLATE, Fraction(1, 4))):
        path = tmp_path / f"{name}.toml"
        path.write_text(text, encoding="utf-8")
        result = certify.solve(certify.load(path))
        assert (result.status, result.bounds.lower) == (Status.EXACT, value)
    path.write_text(
        'family = "rip"\ns = 2\nscaling = "best"\n[matrix]\ngram = [["3"], ["0", "2"], [1, 0, 3]]\nradius = "1e-9"\n',
        encoding="utf-8",
    )
    result = certify.solve(certify.load(path))
    assert result.verdict.statements[0].quantity == "rip_constant_scaled"
    assert float(result.bounds.lower or 0) == pytest.approx(1 / 3, abs=1e-8)
    again = certify.solve(certify.load(path), start=result.certificate)
    assert again.bounds.lower == result.bounds.lower


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('family = "rip"\ns = 0\n[matrix]\nrows = [[1]]\n', "s"),
        ('family = "rip"\ns = 2\n[matrix]\nrows = [[1]]\n', "s"),
        ('family = "rip"\ns = 1\n[matrix]\nrows = [[1]]\nradius = 1\n', "radius belongs to gram"),
        ('family = "rip"\ns = 1\n[matrix]\ngram = [[1]]\nscale_squared = 2\n', "scale_squared"),
        ('family = "rip"\ns = 1\n[matrix]\ngram = [[1, 2], [3, 1]]\n', "conjugate"),
        ('family = "rip"\ns = 1\n[matrix]\ngram = [[1]]\nrows = [[1]]\n', "already given"),
        ('family = "rip"\ns = 1\n[matrix]\ngenerator = {name = "identity_hadamard", n = 6}\n', "power of two"),
        ('family = "rip"\ns = 1\n[matrix]\ngenerator = {name = "partial_dft", d = 6}\n', "generator"),
        ('family = "nullspace"\ns = 3\n[matrix]\nrows = [[1, 2]]\n', "from 1 to 2"),
    ],
)
def test_faults_of_files(tmp_path: Path, text: str, place: str) -> None:
    path = tmp_path / "x.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=place):
        certify.load(path)


def test_the_gallery() -> None:
    folder = Path(__file__).parents[2] / "problems"
    for name, value in (("rip-devore", Fraction(4, 5)), ("nullspace-heawood", Fraction(1, 3))):
        assert certify.solve(certify.load(folder / f"{name}.toml")).bounds.lower == value
    waves = certify.solve(certify.load(folder / "rip-spikes-and-waves.toml"))
    assert float(waves.bounds.upper or 0) == pytest.approx(2 / 3, abs=WIDTH)
    assert sqrt(2 / 3) > float(waves.bounds.upper or 0)
