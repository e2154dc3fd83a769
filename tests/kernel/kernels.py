"""The kernel as a module made from its source text, so that a test can change that text."""

from __future__ import annotations

import ast
import sys
from types import ModuleType
from typing import Any

from certify.kernel.export import single_file

NAME = "kernel_under_test"


def tree() -> ast.Module:
    """The syntax tree of the exported single file, which holds every line of the kernel."""
    return ast.parse(single_file())


def module_of(source: ast.Module | str, **limits: int) -> Any:
    """Run the source as a module; ``limits`` overwrites some of its constants."""
    module = ModuleType(NAME)
    sys.modules[NAME] = module  # dataclasses look their module up
    exec(compile(source, NAME, "exec"), module.__dict__)
    for name, value in limits.items():
        if name not in module.__dict__:
            raise KeyError(f"the kernel has no limit {name}")
        setattr(module, name, value)
    return module


def outcome(kernel: Any, row: Any, pure: bool = False) -> tuple[Any, ...]:
    """What a kernel says of a row of the table: accepted, or the rule, the place and the reason."""
    old = {name: getattr(kernel, name) for name in row.limits}
    families = dict(kernel.FAMILIES)
    try:
        for name, value in row.limits.items():
            setattr(kernel, name, value)
        if row.lie is not None:
            row.lie(kernel)
        verdict = kernel.check_bytes(row.data, pure)
    except Exception as fault:
        return ("crash", type(fault).__name__)
    finally:
        for name, value in old.items():
            setattr(kernel, name, value)
        kernel.FAMILIES.update(families)
    return ("accepted",) if verdict.valid else (verdict.rule, verdict.where, verdict.why)
