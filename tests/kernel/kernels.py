"""The kernel as a module made from its source text, so that a test can change that text."""

from __future__ import annotations

import ast
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

from certify.kernel.export import MODULES, single_file

NAME = "kernel_under_test"
PATIENCE = 1.0  # seconds; a changed kernel may run for ever


class Hangs(BaseException):
    """The kernel did not come to an end."""


@contextmanager
def patience(seconds: float = PATIENCE) -> Iterator[None]:
    """Raise Hangs if the body takes longer."""

    def enough(number: int, frame: Any) -> None:
        raise Hangs

    old = signal.signal(signal.SIGALRM, enough)
    # Again and again: an exception that falls into a callback of the garbage collector is lost.
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def told(check: Callable[[], Any]) -> tuple[Any, ...]:
    """What a kernel says: its statements, or rule, place and reason; or that it crashed or did not end."""
    try:
        with patience():
            verdict = check()
            if verdict.valid:
                return ("accepted", *(str(statement) for statement in verdict.statements), *verdict.lines())
            return (verdict.rule, verdict.where, verdict.why)
    except Hangs:
        return ("hangs",)
    except Exception as fault:
        return ("crash", type(fault).__name__)


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


class Package:
    """The installed kernel, with the face of the single file: limits are those of all its modules."""

    MODULES = tuple(name for name in MODULES if name != "__main__")

    def __init__(self) -> None:
        self.__dict__["homes"] = [import_module(f"certify.kernel.{name}") for name in self.MODULES]

    def __getattr__(self, name: str) -> Any:
        return next(getattr(home, name) for home in self.homes if hasattr(home, name))

    def __setattr__(self, name: str, value: Any) -> None:
        for home in self.homes:
            if hasattr(home, name):
                setattr(home, name, value)


def outcome(kernel: Any, row: Any, pure: bool = False) -> tuple[Any, ...]:
    """What a kernel says of a row of the table."""
    old = {name: getattr(kernel, name) for name in row.limits}
    families = dict(kernel.FAMILIES)
    try:
        for name, value in row.limits.items():
            setattr(kernel, name, value)
        if row.lie is not None:
            row.lie(kernel)
        return told(lambda: kernel.check_bytes(row.data, pure, row.beside))
    finally:
        for name, value in old.items():
            setattr(kernel, name, value)
        kernel.FAMILIES.update(families)
