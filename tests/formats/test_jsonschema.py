"""Published JSON Schemas: they are what the code says, and they judge files as the code does."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from certify.formats.jsonschema import main, models, render, stale, write
from certify.formats.schema import EmbeddingFile

PUBLISHED = Path(__file__).parents[2] / "docs" / "schema"


def test_published_schemas_are_current() -> None:
    assert stale(PUBLISHED, models()) == [], "run python -m certify.formats.jsonschema docs/schema"


def test_write_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "schema"
    assert main(["--check", str(folder)]) == 1
    assert "embedding.json is stale" in capsys.readouterr().err
    assert main([str(folder)]) == 0
    assert main(["--check", str(folder)]) == 0
    write(folder, {"embedding": EmbeddingFile})
    (folder / "embedding.json").write_text("{}")
    assert stale(folder, {"embedding": EmbeddingFile}) == ["embedding"]
    assert main([]) == 2


METRICS = [
    ({"points": [[1, "1/3"], [0.5, "1e-3"]], "norm": "l1"}, True),
    ({"points": "x.csv", "columns": ["a", 1]}, True),
    ({"distances": [[0]]}, True),
    ({"edges": [["a", 1], ["a", 2, "1/3"]]}, True),
    ({"generator": {"name": "cycle_graph", "n": 3}}, True),
    ({"generator": {"name": "cycle_graph", "args": [3]}, "length": "weight"}, True),
    ({}, False),
    ({"points": [[1]], "graph": "x"}, False),
    ({"points": [["x"]]}, False),
    ({"points": [[1]], "norm": "l3"}, False),
    ({"edges": [["a"]]}, False),
    ({"distances": [[0]], "zzz": 1}, False),
]


@pytest.mark.parametrize(("metric", "good"), METRICS)
def test_schema_and_model_agree(metric: dict[str, object], good: bool) -> None:
    schema = json.loads(render("embedding", EmbeddingFile))
    jsonschema.Draft202012Validator.check_schema(schema)
    document = {"family": "embedding", "metric": metric, "known": {"value": 1.5}, "solve": {"gap": "1e-6"}}
    assert jsonschema.Draft202012Validator(schema).is_valid(document) is good
    if good:
        EmbeddingFile.model_validate(document)
    else:
        with pytest.raises(ValueError, match="validation error"):
            EmbeddingFile.model_validate(document)
