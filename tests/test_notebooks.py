"""The notebooks run from top to bottom, and each stands twice: as a script and as a notebook with its outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def test_there_are_notebooks() -> None:
    assert "c2-of-famous-graphs" in [script.stem for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_script_and_notebook_say_the_same(script: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    notebook = jupytext.read(script.with_suffix(".ipynb"))
    assert [(c.cell_type, c.source) for c in notebook.cells] == [
        (c.cell_type, c.source) for c in jupytext.read(script).cells
    ]
    assert all(output.output_type != "error" for cell in notebook.cells for output in cell.get("outputs", []))
    assert script.with_suffix(".ipynb").stat().st_size < 300_000


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.stem)
def test_notebook_runs(script: Path) -> None:
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    notebook = jupytext.read(script)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=str(FOLDER))
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert outputs
    assert all(output.output_type != "error" for output in outputs)
