"""docs/certificate-format.md agrees with the kernel to the letter."""

from __future__ import annotations

import ast
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from kernels import module_of
from rule_table import FAMILIES, ROWS
from rule_table import TINY as EVERY_TINY
from second_checker import DECIMAL, HEX, POWER, check

from certify.kernel import check_bytes, exact
from certify.kernel.export import single_file
from certify.testing import forgeries, respellings, written
from certify.testing.embedding import says, tiny
from certify.testing.forging import composed, raw_forgeries

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "certificate-format.md").read_text(encoding="utf-8")
FAMILY_PAGES = [path.read_text(encoding="utf-8") for path in sorted((DOCS / "certificate-format").glob("*.md"))]
TINY = tiny()
EMBEDDING_ROWS = ROWS[: len(ROWS) - sum(len(family.ROWS) for family in FAMILIES)]


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def table_of(heading: str) -> dict[str, list[str]]:
    """The rows of the tables below a heading, of the main page and the families', by their first cell in code style."""
    parts = [page.split(f"\n## {heading}\n")[1].split("\n## ")[0] for page in [PAGE, *FAMILY_PAGES] if heading in page]
    found = {}
    for line in "\n".join(parts).splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and cells[0].startswith("`"):
            found[cells[0].strip("`")] = cells[1:]
    return found


def test_the_example_is_proved_as_printed() -> None:
    (example,), (printed, *_) = blocks("json"), blocks("text")
    for pure in (False, True):
        assert check_bytes(example.encode(), pure).lines() == printed.splitlines()
    assert {**json.loads(example), "made_by": 0} == {**TINY["four-cycle"], "made_by": 0}


def test_the_digests_are_those_of_the_texts() -> None:
    for text in blocks("text")[1:]:
        assert hashlib.sha256(text.strip().encode()).hexdigest() in PAGE
        assert check_bytes(blocks("json")[0].encode()).statements[0].digest in PAGE
    document = {**TINY["four-cycle"], "witnesses": [{"kind": "one"}]}
    rows = [[0, 1, 4, 1], [1, 0, 1, 4], [4, 1, 0, 1], [1, 4, 1, 0]]
    document["problem"] = {"metric": {"squared_distances": {"denominator": 1, "rows": rows}}}
    assert check_bytes(written(document).encode()).statements[0].digest == (
        hashlib.sha256(blocks("text")[2].strip().encode()).hexdigest()
    )


def test_every_rule_is_listed() -> None:
    raised = {"internal"}
    for node in ast.walk(ast.parse(single_file())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Rejected":
            assert isinstance(node.args[0], ast.Constant)
            raised.add(node.args[0].value)
    assert set(table_of("Rules")) == raised
    assert {row.rule for row in ROWS} == raised - {"internal"}


def test_every_limit_is_listed() -> None:
    kernel = module_of(single_file())
    limits = {name: str(value) for name, value in vars(kernel).items() if name.startswith("MAX_")}
    assert {name: cells[0] for name, cells in table_of("Limits").items()} == limits


def test_the_patterns_are_those_of_the_kernel() -> None:
    assert [p.pattern for p in (exact._DECIMAL, exact._HEX, exact._POWER)] == [DECIMAL, HEX, POWER]
    plain = PAGE.replace("\\|", "|")
    for pattern in (DECIMAL, HEX, POWER.replace("\\", "")):
        assert pattern.replace("(?:", "(") in plain


def test_every_key_and_kind_is_named() -> None:
    def words(value: Any) -> set[str]:
        if isinstance(value, dict):
            inner = set().union(*map(words, value.values())) if value else set()
            return set(value) | inner | ({value["kind"]} if "kind" in value else set())
        return set().union(*map(words, value)) if isinstance(value, list) and value else set()

    pages = "\n".join([PAGE, *FAMILY_PAGES])
    missing = {
        word for word in words(list(EVERY_TINY.values())) if f"`{word}`" not in pages and f'"{word}"' not in pages
    }
    assert not missing


def agree(data: bytes, name: str) -> bool:
    verdict, other = check_bytes(data), check(data)
    if other is None:
        assert not verdict.valid, f"only the kernel accepts {name}: {data[:2000]!r}"
        return False
    assert verdict.valid, f"the kernel rejects {name} ({verdict}): {data[:2000]!r}"
    digest, statements = other
    assert len(verdict.statements) == len(statements), name
    for statement, (relation, value) in zip(verdict.statements, statements, strict=True):
        assert says(statement, relation, value), f"{name}: {statement} is not {relation} {value}"
    assert {s.digest for s in verdict.statements} == {digest}, name
    return True


@pytest.mark.parametrize("name", TINY)
def test_a_second_checker_agrees(name: str) -> None:
    """On the tiny certificates, respelled and forged: both accept, and state the same; or both reject."""
    document = TINY[name]
    assert {agree(same.data, same.name) for same in respellings(document)} == {True}
    for forgery in forgeries(document, 15):
        agree(forgery.data, forgery.name)
    assert {agree(f.data, f.name) for f in raw_forgeries(written(document).encode())} == {False}


def test_a_second_checker_agrees_on_composed_forgeries() -> None:
    accepted = [agree(f.data, f.name) for f in (composed(list(TINY.values()), seed) for seed in range(1500))]
    assert 200 < sum(accepted) < 800


def test_a_second_checker_agrees_on_the_table() -> None:
    assert {agree(row.data, row.name) for row in EMBEDDING_ROWS if not row.limits and row.lie is None} == {False}


@pytest.mark.slow
def test_a_second_checker_agrees_on_many() -> None:
    for seed in range(10_000, 60_000):
        forgery = composed(list(TINY.values()), seed)
        agree(forgery.data, forgery.name)
