"""Every rule of the kernel rejects what it must, and each of them is needed."""

from __future__ import annotations

import ast
import copy
from functools import partial
from typing import Any

import pytest
from kernels import module_of, outcome, told, tree
from rule_table import ROWS, TINY, Row

from certify.kernel import check_bytes, check_document, read_json
from certify.testing.conformance import PLACE

KERNEL = module_of(tree())


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
        verdict = check_bytes(row.data, pure)
        assert (verdict.valid, verdict.rule, verdict.where, verdict.why) == (False, rule, where, why)
        assert verdict.lines() == [f"s REJECTED {rule} {where} {why}"]
        assert verdict.as_json() == {"valid": False, "rule": rule, "where": where, "why": why}


@pytest.mark.parametrize("row", [row for row in ROWS if row.limits], ids=lambda row: row.name)
def test_limits_are_not_met_a_step_earlier(row: Row) -> None:
    """With the limit of a row raised until the row passes it, the same file is no longer rejected for it."""
    ((name, value),) = row.limits.items()
    raised = Row(row.name, row.rule, row.where, row.data, limits={name: 1000 * value + 1000})
    assert outcome(KERNEL, raised)[:2] != (row.rule, row.where)


def is_rejection(node: ast.AST) -> bool:
    """A statement that rejects: ``raise Rejected(...)``, or a call of a limit that does."""
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name) and node.exc.func.id == "Rejected"
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in GUARDS


LOST = ("accepted", "internal", "crash", "hangs")
GUARDS = ("affordable", "storable", "mapping", "prove_psd", "_eliminate", "_dominate")


class Replace(ast.NodeTransformer):
    """Replace the k-th rejection (all for k = None) by other statements; {k} and {line} stand for it."""

    def __init__(self, k: int | None, source: str) -> None:
        self.k, self.source, self.lines = k, source, list[str]()

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        if not is_rejection(node):
            return node
        self.lines.append(ast.unparse(node))
        number = len(self.lines) - 1
        if self.k not in (None, number):
            return node
        line = self.lines[-1].replace("\n", " ")
        return ast.parse(self.source.format(k=number, line=line)).body[0]


def replaced(k: int | None, source: str) -> tuple[Any, list[str]]:
    replacer = Replace(k, source)
    kernel = module_of(ast.fix_missing_locations(replacer.visit(tree())))
    return kernel, replacer.lines


def test_every_rejection_is_hit_and_needed() -> None:
    """Replace each rejection by nothing: some row of the table is then accepted, or fails in another way."""
    watched, lines = replaced(None, "try:\n    {line}\nexcept Rejected:\n    HITS.add({k})\n    raise")
    hits: dict[int, list[Row]] = {k: [] for k in range(len(lines))}
    for row in ROWS:
        watched.HITS = set()
        outcome(watched, row)
        for k in watched.HITS:
            hits[k].append(row)
    idle, caught_elsewhere = [], []
    for k, rows in hits.items():
        kernel, _ = replaced(k, "pass")
        found = set()
        for row in rows:
            now = outcome(kernel, row)
            if now[:2] != (row.rule, row.where):
                found.add(now[0])
            if now[0] in LOST:
                break
        if not found:
            idle.append(lines[k])
        elif not found & set(LOST):
            caught_elsewhere.append(lines[k])
    assert len(lines) > 60
    assert not idle, "no row of the table needs:\n" + "\n".join(idle)
    # What cannot be read (gzip, UTF-8, JSON) is no certificate in any case; these rules only say why.
    assert len(caught_elsewhere) <= 5, "\n".join(caught_elsewhere)


def test_checkers_are_not_empty() -> None:
    """Replace the body of each checking function by ``return``: some row or certificate notices."""
    module = tree()
    names = [node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    expected = {row.name: outcome(KERNEL, row) for row in ROWS}
    documents = {name: told(partial(KERNEL.check_document, document)) for name, document in TINY.items()}
    harmless = {"main", "_say", "__init__", "__bool__", "as_json"}  # for these see test_export
    for name in names:
        if name in harmless:
            continue
        changed = tree()
        for node in ast.walk(changed):
            if isinstance(node, ast.FunctionDef) and node.name == name:
                node.body = [ast.Return(None)]
        try:
            kernel = module_of(ast.fix_missing_locations(changed))
        except Exception:
            continue
        same = all(outcome(kernel, row) == expected[row.name] for row in ROWS) and all(
            told(partial(kernel.check_document, document)) == documents[tiny] for tiny, document in TINY.items()
        )
        assert not same or name == "_gram_by_flint", f"{name} can return at once and nobody notices"


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
