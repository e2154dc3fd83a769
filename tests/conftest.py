"""What the tests share: the big data, the count of skips, and the command line run in this process."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from commands import Ran

from certify import cli

# Where the tests run in the background, Ctrl-C may be ignored, and the processes that they start would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """A run ends with its count of skips, so that data that went missing are seen."""
    terminalreporter.write_line(f"skipped: {len(terminalreporter.stats.get('skipped', []))}")


@pytest.fixture(scope="session")
def data_folder() -> Callable[[str], Path]:
    """Where a big data file is: ``data_folder("facts/x.json")``.

    Skips where CERTIFY_DATA is unset; where it is set, a missing file is a failure.
    """
    folder = os.environ.get("CERTIFY_DATA")
    if not folder:
        pytest.skip("CERTIFY_DATA is not set")

    def find(name: str) -> Path:
        path = Path(folder) / name
        if not path.exists():
            pytest.fail(f"CERTIFY_DATA is set, but holds no {name}")
        return path

    return find


@pytest.fixture
def certify_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command line in this process, in a folder of its own: ``certify_run("check", "x.cert.json")``."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> Ran:
        capsys.readouterr()
        code = cli.run([str(each) for each in arguments])
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return run
