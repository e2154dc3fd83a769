"""The certificate as a file: whatever a family hands over is written exactly, whole or not at all."""

from __future__ import annotations

import gzip
import json
import os
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import certify.cli
from certify import Embedding, check_bytes, solve
from certify.certificate import (
    Certificate,
    check_file,
    portable,
    read_bytes,
    refuse_unwritable,
    sidecar,
    versions,
    write_whole,
)
from certify.errors import InputError
from certify.explaining import explain
from certify.kernel import inlined, read_json
from certify.kernel.__main__ import main
from certify.kernel.exact import MAX_BYTES

PAIR = {"metric": {"squared_distances": {"denominator": 1, "rows": [[0, 1], [1, 0]]}}}
ONE = {"kind": "one"}
LINE = {"kind": "coordinates", "points": {"denominator": 1, "rows": [[0], [1]]}}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (2**53 - 1, 2**53 - 1),
        (2**53, "9007199254740992"),
        (-(2**60), "-1152921504606846976"),
        (10**5000, "1" + "0" * 5000),
        (np.int64(2**60), "1152921504606846976"),
        (np.uint8(3), 3),
        (np.bool_(True), True),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        (((0, 1, 2**60), (2, 3, 4)), [[0, 1, "1152921504606846976"], [2, 3, 4]]),
        (range(3), [0, 1, 2]),
        (Fraction(6, 4), "3/2"),
        (Fraction(4, 2), "2"),
        (0.25, "0.25"),
        (np.float64(0.5), "0.5"),
        (float("nan"), "nan"),
        ({"a": (1, np.int32(2)), 3: None}, {"a": [1, 2], "3": None}),
        ("größe", "größe"),
        ("\ud800", "?"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_portable(value: Any, written: Any) -> None:
    found = portable(value)
    assert found == written
    assert type(found) is type(written)
    assert portable(found) == found
    if written is not None:
        assert read_json(json.dumps(found, ensure_ascii=False).encode()) is not None


def test_portable_refuses_what_is_no_data() -> None:
    with pytest.raises(TypeError):
        portable(object())


@given(st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_made_by_is_written_whatever_it_is(value: Any) -> None:
    text = Certificate("embedding", PAIR, (ONE,), {"x": value}).dumps()
    assert certify.check(text.encode()).valid
    assert portable(read_json(text.encode())["made_by"]) == portable({"x": value})


def test_tuples_and_numpy_integers_are_checked_as_they_are_written() -> None:
    points = {"denominator": np.int64(1), "rows": ((np.int64(0),), (np.int32(1),))}
    certificate = Certificate("embedding", PAIR, (ONE, {"kind": "coordinates", "points": points}))
    assert certificate.check().valid
    assert certify.check(certificate) == certify.check(certificate.dumps().encode())
    assert certificate.check().best("<=") == 1


def test_floats_in_made_by_are_text_and_floats_in_a_witness_are_refused() -> None:
    certificate = Certificate("embedding", PAIR, (ONE,), {"seconds": 0.5, "deep": [{"x": np.float64(1.5)}]})
    assert certificate.check().valid
    assert read_json(certificate.dumps().encode())["made_by"] == {"seconds": "0.5", "deep": [{"x": "1.5"}]}
    floating = {"kind": "coordinates", "points": {"denominator": 1, "rows": [[0.0], [1.0]]}}
    assert not Certificate("embedding", PAIR, (floating,)).check().valid


@pytest.mark.parametrize("name", ["x.cert.json", "x.cert.json.gz"])
def test_saved_and_loaded(tmp_path: Path, name: str) -> None:
    certificate = Certificate("embedding", PAIR, (ONE, LINE), {"title": "zwei"})
    path = certificate.save(tmp_path / name)
    assert Certificate.load(path) == certificate
    assert Certificate.load(path).made_by == certificate.made_by
    assert certify.check(path).valid
    assert [p.name for p in tmp_path.iterdir()] == [name]
    if name.endswith(".gz"):
        assert gzip.decompress(path.read_bytes()).decode() == certificate.dumps()
        before = path.read_bytes()
        certificate.save(path)
        assert path.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        '{"format": "certify/2"}',
        '{"format": "certify/1"}',
        '{"format": "certify/1", "family": "embedding", "problem": [], "witnesses": []}',
        '{"format": "certify/1", "family": "embedding", "problem": {}, "witnesses": [1]}',
        '{"format": "certify/1", "family": 1, "problem": {}, "witnesses": []}',
        '{"format": "certify/1", "family": "x", "problem": {}, "witnesses": [], "made_by": 1}',
        '{"format": "certify/1", "x": 1.5}',
    ],
)
def test_what_is_no_certificate_is_one_line(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        Certificate.load(path)
    (line,) = caught.value.lines()
    assert line.startswith(f"{path}: not a certificate")


def test_unreadable_files(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent", tmp_path / ("x" * 300)):
        with pytest.raises(InputError) as caught:
            read_bytes(path)
        assert len(caught.value.lines()) == 1
        with pytest.raises(InputError):
            certify.check(path)


def test_an_endless_file_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("certify.certificate.MAX_BYTES", 1000)
    path = tmp_path / "long"
    path.write_bytes(b"x" * 5000)
    assert len(read_bytes(path)) == 1001
    assert MAX_BYTES > 1000


def test_write_follows_links_and_keeps_the_old_file_on_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_bytes(b"old")
    link.symlink_to(real)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(InputError, match="no space left on device"):
        write_whole(real, b"newer")
    assert real.read_bytes() == b"new"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.json", "real.json"]


def test_an_interrupted_write_leaves_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_whole(tmp_path / "x.json", b"text")
    assert not list(tmp_path.iterdir())


def test_refuse_unwritable(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "x.json")
    (tmp_path / "file").write_text("", encoding="utf-8")
    for path in (tmp_path, tmp_path / "no" / "x", tmp_path / "file" / "x", tmp_path / ("x" * 300)):
        with pytest.raises(InputError, match="cannot be written"):
            refuse_unwritable(path)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_permissions_are_those_of_the_umask(tmp_path: Path) -> None:
    mask = os.umask(0o027)
    try:
        write_whole(tmp_path / "x", b"")
    finally:
        os.umask(mask)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o640


def test_versions_name_only_what_is_installed() -> None:
    found = versions(("numpy", "no-such-package-anywhere"))
    assert set(found) == {"python", "numpy"}
    assert found["numpy"] == np.__version__


def test_sidecars_are_read_and_written_with_the_certificate(tmp_path: Path) -> None:
    """A problem whose points are in a .npy file: the same digest and statements as with the points in the text."""
    points = np.array([[0, 0], [3, 0], [0, 2], [1, 1], [5, 3.5]])
    inline = Embedding.from_points(points, "l1")
    result = solve(inline, gap=1e-3)
    entry, files = sidecar(points)
    problem = {"metric": {"points": entry, "norm": "l1"}}
    (name,) = files
    certificate = Certificate("embedding", problem, result.certificate.witnesses, {}, files.__getitem__)
    assert certificate.check() == result.verdict
    home = tmp_path / "there"
    home.mkdir()
    path = certificate.save(home / "x.cert.json")
    assert sorted(p.name for p in home.iterdir()) == sorted(["x.cert.json", name])
    assert check_file(path) == result.verdict
    assert Certificate.load(path).check() == result.verdict
    assert Certificate.load(path).save(tmp_path / "y.cert.json").parent == tmp_path
    assert check_file(tmp_path / "y.cert.json") == result.verdict
    assert explain(str(path))[0] == result.verdict
    assert (main([str(path)]), certify.cli.run(["check", str(path)])) == (0, 0)
    again = solve(inline, start=path, time_limit=0)
    assert again.bounds == result.bounds
    (home / name).write_bytes(files[name][:-8] + bytes(8))
    assert check_file(path).rule == "sidecar.sha256"
    (home / name).unlink()
    assert check_file(path).rule == "sidecar.absent"
    assert check_bytes(path.read_bytes()).rule == "sidecar.absent"


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "int16", "int8", "uint8"])
def test_sidecars_of_every_type(dtype: str) -> None:
    table = np.array([[0, 1, 2], [3, 100, 5]], dtype=dtype)
    if dtype.startswith("float"):
        table[0, 0], table[1, 2] = -0.1, 1e-30
    entry, files = sidecar(table)
    matrix = inlined(entry, "problem", files.__getitem__)
    found = [[Fraction(x, matrix["denominator"]) for x in row] for row in matrix["rows"]]
    assert found == [[Fraction(x.item()) for x in row] for row in table]
