"""Every command that the README and the guide show is run, as it stands there, in a folder of its own.

Shown are lines ``$ certify …`` or ``certify …`` of ``console`` and ``sh`` blocks. A block below the comment
``<!-- not run -->`` is not run. The commands of one page are run in their order, in one folder that holds
``problems/``, so that a page may go on from its own certificates.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest
from commands import PROBLEMS

ROOT = PROBLEMS.parent
PAGES = [page for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if page.is_file()]
BLOCK = re.compile(
    r"(?P<mark><!--\s*not run\s*-->\s*)?^```(?:console|sh|shell|bash)[^\n]*\n(?P<body>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
SHELL = re.compile(r"[|<>;&`]|\$\(")  # what only a shell understands
SECONDS = "20"  # that a shown solve may take


def shown(text: str) -> list[list[str]]:
    """The command lines of a page that can be run: those whose problem files are in problems/."""
    commands = []
    for block in BLOCK.finditer(text):
        if block["mark"]:
            continue
        for line in block["body"].replace("\\\n", " ").splitlines():
            found = re.match(r"\s*(?:\$\s+)?certify\s+(?P<rest>\S.*)", line)
            if found and not SHELL.search(found["rest"]):
                commands.append(shlex.split(found["rest"], comments=True))
    return commands


def missing(arguments: list[str]) -> list[str]:
    """Files that a command reads and that neither the repository nor an earlier command made."""
    files = [each for each in arguments[1:] if re.search(r"\.(toml|json|gz|csv|npy)$", each)]
    read = [each for each in files if arguments[arguments.index(each) - 1] not in ("-o", "--output", "--export")]
    return [each for each in read if not Path(each).exists()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_of_the_page(page: Path, certify_run: Any) -> None:
    shutil.copytree(PROBLEMS, "problems")
    for arguments in shown(page.read_text(encoding="utf-8")):
        if missing(arguments):
            continue
        if arguments[0] in ("solve", "assess", "verify") and "--time-limit" not in arguments:
            arguments = [*arguments, "--time-limit", SECONDS]
        ran = certify_run(*arguments)
        line = " ".join(arguments)
        assert "Traceback" not in ran.err, line
        assert ran.code in (0, 3), f"{line}\n{ran.err}"
        assert "unrecognized" not in ran.err, line


PAGE = """
```console
$ certify solve problems/k23.toml  # the least bipartite graph
s PROVED whatever
$ certify check k23.cert.json \\
    --pure
$ ls
```
<!-- not run -->
```sh
certify solve mine.toml
```
```python
certify check nothing
```
```sh
certify check - < x
certify solve absent.toml -o y.cert.json
```
"""


def test_the_reading_of_pages(certify_run: Any) -> None:
    commands = shown(PAGE)
    assert commands == [
        ["solve", "problems/k23.toml"],
        ["check", "k23.cert.json", "--pure"],
        ["solve", "absent.toml", "-o", "y.cert.json"],
    ]
    assert missing(commands[2]) == ["absent.toml"]
