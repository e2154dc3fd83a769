"""Command lines that tests run, and what came of them."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

PROBLEMS = Path(__file__).parent.parent / "problems"


@dataclass(frozen=True)
class Ran:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[Any]:
        """stdout as one JSON object a line, and nothing else."""
        return [json.loads(line, parse_constant=pytest.fail) for line in self.out.splitlines()]

    @property
    def faults(self) -> list[str]:
        """stderr, line by line, after a check that it is no traceback."""
        assert "Traceback" not in self.err
        return self.err.splitlines()


def in_process_of_its_own(arguments: Sequence[str | Path], folder: Path, **options: Any) -> Ran:
    """Runs a command line in a new interpreter."""
    command = [sys.executable, "-m", "certify.cli", *map(str, arguments)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False, **options)
    return Ran(done.returncode, done.stdout, done.stderr)
