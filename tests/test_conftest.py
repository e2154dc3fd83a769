"""Big data that are missing are a skip where no folder is named, a failure where one is, and always counted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.parametrize(
    ("named", "there", "outcome", "skipped"),
    [(False, True, "1 skipped", 1), (True, True, "1 passed", 0), (True, False, "1 failed", 0)],
)
def test_data_folder(tmp_path: Path, named: bool, there: bool, outcome: str, skipped: int) -> None:
    for name in ("conftest.py", "commands.py"):
        shutil.copy(HERE / name, tmp_path / name)
    test = 'def test_x(data_folder):\n    assert data_folder("facts/x.json").read_text() == "x"\n'
    (tmp_path / "test_x.py").write_text(test, encoding="utf-8")
    data = tmp_path / "data" / "facts"
    data.mkdir(parents=True)
    if there:
        (data / "x.json").write_text("x", encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "CERTIFY_DATA"}
    if named:
        environment["CERTIFY_DATA"] = str(tmp_path / "data")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_x.py"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert outcome in done.stdout
    assert f"skipped: {skipped}\n" in done.stdout
