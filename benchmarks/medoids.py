"""k-medoids, k-center, k-diameter: time to the proof and to its check. ``python benchmarks/medoids.py`` (some minutes).

Against scikit-learn there is nothing to compare: it has none of the three. Writes results/medoids.md.
"""

from __future__ import annotations

import csv
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer

from certify import KCenter, KDiameter, KMedoids, check, solve

HERE = Path(__file__).parent
HEAD = """# Centres and diameters

`certify.solve` to the proved interval, one run, wall-clock seconds; `check` is `certify.check` of the certificate.

| case | status | gap | solve | check |
|---|---|---|---|---|
"""


def rows(name: str, columns: int) -> list[list[str]]:
    with (HERE.parent / "problems" / "data" / name).open(encoding="utf-8") as file:
        return [row[:columns] for row in csv.reader(file) if row and row[0].strip()[:1].isdigit()]


def mixture(n: int, k: int, d: int) -> Any:
    """A Gaussian mixture of k parts."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(k, d)) * 6
    return centres[rng.integers(0, k, n)] + rng.normal(size=(n, d))


def cases() -> Iterator[tuple[str, Callable[[], Any], Fraction]]:
    small = Fraction(1, 10**6)
    ruspini, iris, cancer = rows("ruspini.csv", 2), rows("iris.csv", 4), load_breast_cancer().data
    for k in range(2, 11):
        yield f"k-medoids, ruspini, squared, k = {k}", lambda k=k: KMedoids.from_points(ruspini, k, power=2), small
    for k in range(2, 11):
        yield f"k-medoids, iris, squared, k = {k}", lambda k=k: KMedoids.from_points(iris, k, power=2), small
    for k in (3, 7):
        yield f"k-medoids, iris, Euclidean, k = {k}", lambda k=k: KMedoids.from_points(iris, k), small
    yield (
        "k-medoids, 5,000 × 2, Euclidean, k = 10",
        lambda: KMedoids.from_points(mixture(5000, 10, 2), 10),
        Fraction(1, 1000),
    )
    yield (
        "k-medoids, 5,000 × 8, Euclidean, k = 50",
        lambda: KMedoids.from_points(mixture(5000, 50, 8), 50),
        Fraction(1, 1000),
    )
    for k in (2, 3, 5, 10):
        yield f"k-center, breast cancer 569 × 30, k = {k}", lambda k=k: KCenter.from_points(cancer, k), small
    for k in (2, 3, 4):
        yield f"k-diameter, breast cancer 569 × 30, k = {k}", lambda k=k: KDiameter.from_points(cancer, k), small


def main() -> None:
    lines = []
    for name, make, gap in cases():
        problem = make()
        began = time.monotonic()
        result = solve(problem, gap=gap)
        took = time.monotonic() - began
        text = result.certificate.dumps().encode()
        began = time.monotonic()
        valid = check(text).valid
        checked = time.monotonic() - began
        reached = "-" if result.gap is None else f"{result.gap:.1e}"
        lines.append(
            f"| {name} | {result.status.word if valid else 'REJECTED'} | {reached} | {took:.2f} | {checked:.2f} |"
        )
        print(lines[-1], flush=True)
    (HERE / "results" / "medoids.md").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
