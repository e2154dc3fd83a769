"""Every branch of the kernel is needed: without it, a row of the table is wrongly accepted or fails otherwise.

This changes the source text of the exported single file, so it also runs the table on that file.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from functools import partial
from typing import Any

import pytest
from kernels import NAME, module_of, outcome, told, tree
from rule_table import ROWS, TINY, Row

KERNEL = module_of(tree())
FUTURE = ast.parse("from __future__ import annotations").body[0]


def test_the_single_file_obeys_the_table() -> None:
    for row in ROWS:
        assert outcome(KERNEL, row)[:2] == (row.rule, row.where), row.name


def is_rejection(node: ast.AST) -> bool:
    """A statement that rejects: ``raise Rejected(...)``, or a call of a limit that does."""
    if isinstance(node, ast.Raise):
        return isinstance(node.exc, ast.Call) and isinstance(node.exc.func, ast.Name) and node.exc.func.id == "Rejected"
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in GUARDS


LOST = ("accepted", "internal", "crash", "hangs")
GUARDS = (
    "affordable", "storable", "mapping", "prove_psd", "_eliminate", "_dominate", "prove_boxes", "replay",
    "contract_below", "sensing_independent", "_spark_tree", "_symmetric", "_sized",
)  # fmt: skip


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


def without() -> Iterator[tuple[str, Any]]:
    """Each rejection as text, in the order of their numbers, and the kernel while it is not there.

    Only the function that holds it is compiled again, and lends its code to the function of the kernel; where a
    class holds it, the whole kernel is.
    """
    number = 0
    for node in tree().body:
        counter = Replace(None, "{line}")
        counter.visit(deepcopy(node))
        for local, line in enumerate(counter.lines):
            if isinstance(node, ast.FunctionDef):
                changed = Replace(local, "pass").visit(deepcopy(node))
                space = dict(KERNEL.__dict__)
                module = ast.fix_missing_locations(ast.Module([FUTURE, changed], []))
                exec(compile(module, NAME, "exec"), space)
                function = getattr(KERNEL, node.name)
                kept, function.__code__ = function.__code__, space[node.name].__code__
                yield line, KERNEL
                function.__code__ = kept
            else:
                yield line, replaced(number, "pass")[0]
            number += 1


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
    for k, (line, kernel) in enumerate(without()):
        assert line == lines[k]
        found = set()
        for row in hits[k]:
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


@pytest.mark.slow
def test_checkers_are_not_empty() -> None:
    """Replace the body of each checking function by ``return``: some row or certificate notices."""
    module = tree()
    names = [node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)]
    expected = {row.name: outcome(KERNEL, row) for row in ROWS}
    documents = {name: told(partial(KERNEL.check_document, document)) for name, document in TINY.items()}
    # for these see test_export and test_certificate
    harmless = {"main", "_say", "_beside", "__init__", "__bool__", "as_json"}
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
