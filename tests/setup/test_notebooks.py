"""The notebooks of the documentation: they run, and show what they say they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.setup.test_setup import ROOT, load

NOTEBOOKS = ROOT / "docs" / "notebooks"

ON_SPARK = {"a_campaigns_store"}
"""Those that start Spark, whose output is another on every run."""


def shown(notebook: dict[str, Any]) -> list[tuple[str, bool]]:
    """What each cell shows as text, and whether it draws something as well."""
    return [
        (
            "".join(output.get("text") or output["data"]["text/plain"]),
            "text/html" in output.get("data", {}),
        )
        for cell in notebook["cells"]
        for output in cell.get("outputs", ())
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb") if path.stem not in ON_SPARK)
)
def test_a_notebook_shows_what_it_shows_when_it_is_run(name: str) -> None:
    runner = load("setup/notebooks.py")
    notebook = runner.read(NOTEBOOKS / f"{name}.ipynb")
    assert shown(notebook)
    assert shown(runner.executed(notebook)) == shown(notebook)


@pytest.mark.nightly
@pytest.mark.spark
@pytest.mark.parametrize("name", sorted(ON_SPARK))
def test_a_notebook_on_spark_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISODELTA_STORE", str(tmp_path / "store"))
    runner = load("setup/notebooks.py")
    notebook = runner.read(NOTEBOOKS / f"{name}.ipynb")
    assert len(shown(runner.executed(notebook))) == len(shown(notebook))


def test_the_last_expression_of_a_cell_is_shown() -> None:
    runner = load("setup/notebooks.py")
    source = ["import pandas\n", "print('a')\n", "pandas.DataFrame({'x': [1]})"]
    cell = {"cell_type": "code", "source": source}
    notebook = runner.executed({"cells": [{"cell_type": "markdown", "source": []}, cell]})
    assert shown(notebook) == [("a\n", False), ("   x\n0  1", True)]
    assert notebook["cells"][1]["execution_count"] == 1


def test_an_exception_in_a_cell_ends_the_run() -> None:
    runner = load("setup/notebooks.py")
    with pytest.raises(ZeroDivisionError):
        runner.executed({"cells": [{"cell_type": "code", "source": ["1 / 0"]}]})
