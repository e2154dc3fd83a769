"""Explaining and citing: what is proved, in words, with nothing in them that a forger put there to do harm."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

import certify
from certify.certificate import Certificate
from certify.explaining import about, cite, explain, read


@pytest.fixture(scope="module")
def square() -> Certificate:
    """A certificate of the four-cycle with equal ends."""
    return certify.solve(certify.Embedding.from_graph(nx.cycle_graph(4)), gap=0).certificate


def test_explains_an_exact_bound(square: Certificate, tmp_path: Path) -> None:
    verdict, lines = explain(str(square.save(tmp_path / "x.cert.json")))
    assert verdict.valid
    assert lines[0].startswith("s PROVED")
    assert any(line.startswith("lower end:") for line in lines)
    assert any(line.startswith("upper end:") for line in lines)
    assert "nothing is left to prove" in lines[-1]


def test_explains_what_is_missing_and_what_to_try(tmp_path: Path) -> None:
    problem = certify.Embedding.from_graph(nx.heawood_graph())
    certify.solve(problem, time_limit=0, save=tmp_path / "x.cert.json")
    verdict, lines = explain(str(tmp_path / "x.cert.json"))
    assert verdict.valid
    assert "why wide: the upper end is missing" in lines
    assert lines[-1].startswith("try: certify solve FILE --from ")
    certify.solve(problem, gap=0.9, save=tmp_path / "x.cert.json")
    assert any(line.startswith("gap: ") for line in explain(str(tmp_path / "x.cert.json"))[1])


def test_cites_with_digest_and_how_to_check(square: Certificate, tmp_path: Path) -> None:
    verdict, lines = cite(str(square.save(tmp_path / "x.cert.json")))
    text = "\n".join(lines)
    digest = verdict.statements[0].digest
    assert r"c_2(X)^2 = 2" in text
    assert digest[:32] in text
    assert digest[32:] in text
    assert "certify check x.cert.json" in text
    assert f"certify}} {certify.__version__}" in text


@pytest.mark.parametrize("command", [explain, cite])
def test_a_rejected_certificate_is_only_rejected(command: object, square: Certificate, tmp_path: Path) -> None:
    path = replace(square, witnesses=({"kind": "magic"},)).save(tmp_path / "x.cert.json")
    verdict, lines = command(str(path))  # type: ignore[operator]
    assert not verdict.valid
    assert len(lines) == 1
    assert lines[0].startswith("s REJECTED")
    assert read(str(path)) == (verdict, None)


def test_words_in_a_certificate_are_not_trusted(square: Certificate, tmp_path: Path) -> None:
    made_by = {"title": "t\n\\input{/etc/passwd}\x1b[31m", "labels": ["a\r\nb", "\x07", "c", "d"], "source": 3}
    dirty = replace(square, made_by=made_by)
    told = about(dirty)
    assert told.labels == ("a b", "?", "c", "d")
    assert told.source is None
    path = str(dirty.save(tmp_path / "x.cert.json"))
    for command in (explain, cite):
        for line in command(path)[1]:
            assert line.isprintable()
    assert cite(path)[1][0] == "% t \\input{/etc/passwd}?[31m"
    for labels in (["a", 1], "abcd", ["too few"]):
        verdict, _ = explain(str(replace(square, made_by={"labels": labels}).save(tmp_path / "y.cert.json")))
        assert verdict.valid
