"""Runs the notebooks of docs/notebooks/ and writes what their cells show into them.

usage: notebooks.py [NOTEBOOK...]

A notebook is JSON and its cells are Python, so this takes no Jupyter. The value of a cell's last
expression is shown as a notebook shows it: its HTML where it has some, else its ``repr``. An
exception ends the run.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "docs" / "notebooks"


def executed(notebook: dict[str, Any]) -> dict[str, Any]:
    """The notebook with the outputs of its code cells. Raises what a cell raises."""
    from isodelta import display  # noqa: F401 - what IPython would cause

    names: dict[str, Any] = {"__name__": "__main__"}
    cells, number = [], 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            outputs = list(_outputs("".join(cell["source"]), names, number))
            cell = {**cell, "execution_count": number, "outputs": outputs}
        cells.append(cell)
    return {**notebook, "cells": cells}


def _outputs(source: str, names: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, value = io.StringIO(), None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), names)
    if text := printed.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(text)}
    if value is not None:
        data = {"text/plain": _lines(repr(value))}
        if (draw := getattr(value, "_repr_html_", None)) is not None:
            data["text/html"] = _lines(draw())
        yield {
            "output_type": "execute_result",
            "execution_count": number,
            "metadata": {},
            "data": data,
        }


def _lines(text: str) -> list[str]:
    """A text as notebooks hold it; line by line, so that changes can be read."""
    return text.splitlines(keepends=True)


def read(path: Path) -> dict[str, Any]:
    """A notebook."""
    notebook: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return notebook


def main() -> None:
    """Run the notebooks named on the command line, or all."""
    for path in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob("*.ipynb")):
        print(f"{path.name} ...", flush=True)
        text = json.dumps(executed(read(path)), indent=1, ensure_ascii=False)
        path.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
