"""``import certify``: cheap, complete, and the same however it is asked."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest

import certify


@pytest.mark.parametrize("statement", ["import certify", "import certify.cli", "import certify; certify.check(b'{}')"])
def test_importing_is_cheap(statement: str) -> None:
    heavy = {"cvxpy", "numpy", "scipy", "networkx", "pydantic", "rich", "clarabel", "scs"}
    script = f"{statement}\nimport sys\nprint(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_cvxpy_waits_for_a_model() -> None:
    script = "import certify, sys; certify.Embedding.from_distances([[0, 1], [1, 0]]).solve()"
    subprocess.run([sys.executable, "-c", f"{script}; assert 'cvxpy' not in sys.modules"], check=True)


def test_every_name_is_there_twice() -> None:
    for _ in range(2):  # the first look loads a module, which must not take the place of the name
        for name in certify.__all__:
            assert getattr(certify, name) is not None
    assert set(certify.__all__) <= set(dir(certify))
    assert "llr-duality" in certify.theorems.theorems()
    with pytest.raises(AttributeError, match="nonsense"):
        certify.nonsense  # noqa: B018


def test_the_example_of_the_docstring() -> None:
    assert doctest.testmod(certify).failed == 0


def test_check_takes_a_name_bytes_a_document_and_a_certificate(tmp_path: Path) -> None:
    result = certify.solve(certify.Embedding.from_graph(nx.cycle_graph(4)))
    path = result.certificate.save(tmp_path / "x.cert.json")
    verdicts = [
        certify.check(each)
        for each in (path, str(path), path.read_bytes(), result.certificate, result.certificate.document())
    ]
    assert all(verdict == result.verdict for verdict in verdicts)
    assert certify.check(path, pure=True) == result.verdict


@pytest.mark.parametrize("forgery", [b"", b"{}", b"\xff", {"format": "certify/1"}, {"witnesses": float("nan")}])
def test_a_forgery_is_a_no_and_not_an_exception(forgery: bytes | dict[str, object]) -> None:
    verdict = certify.check(forgery)
    assert not verdict
    assert verdict.rule
    assert verdict.where


def test_the_session_of_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    problem = certify.Embedding.from_graph(nx.petersen_graph())
    result = certify.solve(problem, gap=1e-6)
    assert result.bounds.lower is not None
    assert result.bounds.upper is not None
    assert result.bounds.lower <= 2 <= result.bounds.upper
    assert result.solution.shape[0] == 10
    result.certificate.save("petersen.cert.json")
    assert certify.check("petersen.cert.json").statements
    result.require("distortion >= 1.29")
    assert "<math" in result._repr_html_()
    assert problem.model().is_dcp()
    assert problem.solve(gap="1/1000").status.word in ("exact", "tight")
