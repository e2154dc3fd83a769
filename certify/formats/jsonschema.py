"""JSON Schemas of the problem files of all families: ``python -m certify.formats.jsonschema [--check] FOLDER``.

Without --check it writes FOLDER/<family>.json; with it, exit 1 names the files that are not what the code says.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from certify.problem import families

if TYPE_CHECKING:
    from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def models() -> dict[str, type[BaseModel]]:
    """The file models of the installed families."""
    return {name: family.file_model() for name, family in families().items()}


def render(name: str, model: type[BaseModel]) -> str:
    """The JSON Schema of a family's problem file, as text."""
    schema = {"$schema": DIALECT, **model.model_json_schema(), "title": f"certify problem file: {name}"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def write(folder: Path, models: Mapping[str, type[BaseModel]]) -> list[Path]:
    """Write a schema for each model; returns the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, model in models.items():
        file = folder / f"{name}.json"
        file.write_text(render(name, model), encoding="utf-8")
        files.append(file)
    return files


def stale(folder: Path, models: Mapping[str, type[BaseModel]]) -> list[str]:
    """Names of families whose schema is missing from the folder or is not what the code says."""
    return [
        name
        for name, model in models.items()
        if not (file := folder / f"{name}.json").is_file() or file.read_text(encoding="utf-8") != render(name, model)
    ]


def main(arguments: Sequence[str]) -> int:
    """The command; returns its exit code."""
    check = "--check" in arguments
    folders = [argument for argument in arguments if argument != "--check"]
    if len(folders) != 1:
        print("usage: python -m certify.formats.jsonschema [--check] FOLDER", file=sys.stderr)
        return 2
    folder = Path(folders[0])
    if not check:
        write(folder, models())
        return 0
    wrong = stale(folder, models())
    for name in wrong:
        print(f"{folder / name}.json is stale; run python -m certify.formats.jsonschema {folder}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
