"""Every rule of the kernel rejects what it must. That each of them is needed: test_branches."""

from __future__ import annotations

import copy
import gzip
import sys
from types import ModuleType
from typing import Any

import pytest
from kernels import Package, outcome
from rule_table import ROWS, TINY, Row

from certify.kernel import check_bytes, check_document, read_json
from certify.testing import written
from certify.testing.conformance import PLACE

KERNEL = Package()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
@pytest.mark.parametrize("pure", [False, True], ids=["flint", "pure"])
def test_rule(row: Row, pure: bool) -> None:
    rule, where, why = outcome(KERNEL, row, pure)
    assert (rule, where) == (row.rule, row.where), why
    assert row.why in why
    assert PLACE.fullmatch(where)
    assert why.isprintable()
    assert 5 < len(why) < 250
    if not row.limits and row.lie is None:
        verdict = check_bytes(row.data, pure, row.beside)
        assert (verdict.valid, verdict.rule, verdict.where, verdict.why) == (False, rule, where, why)
        assert verdict.lines() == [f"s REJECTED {rule} {where} {why}"]
        assert verdict.as_json() == {"valid": False, "rule": rule, "where": where, "why": why}


@pytest.mark.parametrize("row", [row for row in ROWS if row.limits], ids=lambda row: row.name)
def test_limits_are_not_met_a_step_earlier(row: Row) -> None:
    """With the limit of a row raised until the row passes it, the same file is no longer rejected for it."""
    ((name, value),) = row.limits.items()
    raised = Row(row.name, row.rule, row.where, row.data, limits={name: 1000 * value + 1000}, files=row.files)
    assert outcome(KERNEL, raised)[:2] != (row.rule, row.where)


AT_THE_LIMIT = [
    ("MAX_POINTS", 3, "simplex"), ("MAX_POINTS", 5, "taxi"), ("MAX_POINTS", 4, "star"),
    ("MAX_LDL", 3, "simplex"), ("MAX_LDL", 3, "four-cycle"), ("MAX_WITNESSES", 2, "four-cycle"),
    ("MAX_ENTRIES", 12, "four-cycle"), ("MAX_EXPONENT", 1, "star"), ("MAX_RADICAND", 5, "pentagon"),
    ("MAX_WORDS", 8, "four-cycle"), ("MAX_WORK", 4096, "four-cycle"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value", "tiny_name"), AT_THE_LIMIT)
def test_limits_are_inclusive(name: str, value: int, tiny_name: str) -> None:
    """A certificate that just meets a limit is accepted; with the limit one lower it is not."""
    data = written(TINY[tiny_name]).encode()
    assert outcome(KERNEL, Row("", "", "", data, limits={name: value}))[0] == "accepted"
    rule = outcome(KERNEL, Row("", "", "", data, limits={name: value - 1}))[0]
    assert rule in ("size", "shape", "number.range", "work")


@pytest.mark.parametrize(("name", "tiny_name"), [("MAX_BYTES", "star"), ("MAX_VALUES", "star")])
def test_limits_of_the_text_are_inclusive(name: str, tiny_name: str) -> None:
    data = written(TINY[tiny_name]).encode()
    value = len(data) if name == "MAX_BYTES" else sum(data.count(c) for c in (b"[", b"{", b","))
    for packed in (data, gzip.compress(data)):
        assert outcome(KERNEL, Row("", "", "", packed, limits={name: value}))[0] == "accepted"
        rule = outcome(KERNEL, Row("", "", "", packed, limits={name: value - 1}))[0]
        assert rule == ("gzip.size" if packed is not data and name == "MAX_BYTES" else "json.size")


def test_pure_means_pure(monkeypatch: pytest.MonkeyPatch) -> None:
    """With pure=True nothing of flint is touched; without it, flint is what does the products."""

    class Broken(Exception):
        pass

    def broken(*arguments: Any) -> Any:
        raise Broken

    fake = ModuleType("flint")
    fake.fmpz_mat = broken  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "flint", fake)
    for name, document in TINY.items():
        assert check_document(document, pure=True).valid, name
        assert check_bytes(written(document).encode(), pure=True).valid, name
    for name in ("star", "four-cycle"):
        assert check_document(TINY[name]).why.startswith("Broken")
        assert check_bytes(written(TINY[name]).encode()).why.startswith("Broken")


def test_two_fields_in_one_certificate() -> None:
    """Numbers of ℚ(√5) and ℚ(√2) are each exact, and never equal."""
    document = copy.deepcopy(TINY["pentagon"])
    rows = [[part for j in range(i + 1) for part in ([2, 0] if i == j else [0, 0])] for i in range(5)]
    rows[3][:2] = [1, -1]
    other = {"kind": "gram", "radicand": 2, "gram": {"denominator": 1, "rows": rows}, "psd": {"kind": "ldl"}}
    document["witnesses"].append(other)
    verdict = check_document(document)
    assert verdict.valid, verdict
    fields = [(s.relation, s.exact.d) for s in verdict.statements if s.exact is not None]
    assert fields == [(">=", 5), ("<=", 5), ("<=", 2), ("==", 5)]
    del document["witnesses"][1]
    verdict = check_document(document)
    assert [s.relation for s in verdict.statements] == [">=", "<="]


def test_tiny_documents_are_accepted() -> None:
    for name, document in TINY.items():
        verdict = check_document(document)
        assert verdict.valid, f"{name}: {verdict}"
        assert verdict == check_document(document, pure=True)


ODD_VALUES = (1.5, float("nan"), (1, 2), {1}, b"1", object(), 10**6000, -(10**6000), complex(1))


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: type(value).__name__)
def test_python_objects_are_rejected_too(value: object) -> None:
    """A document that never was JSON: no value of another type, however placed, and no exception."""
    for path in (("format",), ("family",), ("problem",), ("witnesses",), ("made_by",)):
        document = copy.deepcopy(TINY["four-cycle"])
        document[path[0]] = value
        verdict = check_document(document)
        assert not verdict.valid
        assert verdict.rule != "internal"
    for change in () if isinstance(value, int) else ("vertices", "denominator", "edges"):
        document = copy.deepcopy(TINY["four-cycle"])
        document["problem"]["metric"]["graph"][change] = value
        verdict = check_document(document)
        assert not verdict.valid
        assert verdict.rule != "internal"
    assert not check_document(value).valid


class Liar(int):
    """An integer that is smaller than nothing."""

    def __lt__(self, other: object) -> bool:
        return False

    def bit_length(self) -> int:
        return 0


class LyingDict(dict):  # type: ignore[type-arg]
    """A table that answers otherwise the second time."""


def test_subclasses_are_not_trusted() -> None:
    """A number, a list or a table with methods of its own is not exact data."""
    document = copy.deepcopy(TINY["four-cycle"])
    document["witnesses"][0]["contract"][0][2] = Liar(7)
    assert check_document(document).rule == "number.type"
    document = copy.deepcopy(TINY["four-cycle"])
    document["witnesses"][0] = LyingDict(document["witnesses"][0])
    assert check_document(document).rule == "json.type"
    document["witnesses"][0] = LyingDict
    assert check_document(document).rule == "json.type"


def test_read_json_gives_plain_values() -> None:
    assert read_json(b'{"a":[1,-0,"x",null,true,{}]}') == {"a": [1, 0, "x", None, True, {}]}
