"""The files of jobs: SQL scripts, folders of them, notebooks in source form, dbt projects."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.files.scenarios import contents

YAML = (".yaml", ".yml")
_NOTEBOOK = "# Databricks notebook source"
_CELL = re.compile(r"^# COMMAND -+[ \t]*$", re.MULTILINE)
_MAGIC = re.compile(r"^# MAGIC ?", re.MULTILINE)
_SPARK_SQL = re.compile(
    r"""spark\.sql\(\s*(?P<f>[fF]?)(?P<quote>\"\"\"|'''|"|')(?P<sql>.*?)(?P=quote)""", re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Script:
    """One job: its name, its file, and its SQL. ``line`` is the first line of each part."""

    job: str
    file: str
    parts: tuple[tuple[int, str], ...]


def scripts(paths: Iterable[str]) -> list[Script]:
    """The jobs in files and folders, each named after its file. Raises BadInput."""
    files = [file for path in paths for file in _files(Path(path))]
    stems = [file.stem for file in files]
    made = []
    for file in files:
        unique = stems.count(file.stem) == 1
        name = file.stem if unique else str(file.with_suffix("")).replace("/", ".").strip(".")
        parts = tuple(_parts(file))
        if parts:
            made.append(Script(name, str(file), parts))
    return made


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(_in_folder(path))
    elif path.exists():
        yield path
    else:
        raise BadInput(f"{path}: there is no such file or folder")


def _in_folder(folder: Path) -> Iterator[Path]:
    if (folder / "dbt_project.yml").exists():
        for made in ("run", "compiled"):
            if any((folder / "target" / made).rglob("*.sql")):
                folder = folder / "target" / made
                break
        else:
            raise BadInput(
                f"{folder}: this dbt project has no compiled SQL: `dbt compile` puts it in "
                "target/compiled, `dbt run` in target/run"
            )
    files = [file for file in folder.rglob("*.sql") if file.is_file()]
    for notebook in (*folder.rglob("*.py"), *folder.rglob("*.ipynb")):
        if notebook.suffix == ".ipynb" or _is_notebook(notebook):
            files.append(notebook)
    if not files:
        raise BadInput(f"{folder}: there are no .sql files or notebooks in this folder")
    return iter(files)


def _is_notebook(file: Path) -> bool:
    with file.open(encoding="utf-8", errors="replace") as opened:
        return opened.readline().startswith(_NOTEBOOK)


def _parts(file: Path) -> Iterator[tuple[int, str]]:
    """The SQL of a file, each part with the line that it begins at."""
    text = contents(str(file))
    if file.suffix == ".ipynb":
        yield from _jupyter(file, text)
    elif file.suffix == ".py":
        yield from _cells(text)
    else:
        yield 1, text.replace("-- COMMAND ----------", ";")


def _cells(text: str) -> Iterator[tuple[int, str]]:
    """The SQL cells of a notebook's source, and the texts given to ``spark.sql``."""
    start = 0
    for end in (*_CELL.finditer(text), None):
        cell = text[start : end.start() if end else len(text)]
        line = text.count("\n", 0, start) + 1
        bare = _MAGIC.sub("", cell)
        body = bare.replace(_NOTEBOOK, "", 1).lstrip()
        if body.startswith("%sql"):
            yield line, f"{_blank(bare, body)}{body.removeprefix('%sql')}"
        else:
            yield from _python(line, cell)
        start = end.end() if end else len(text)


def _blank(text: str, body: str) -> str:
    """The line breaks in front of the body."""
    return "\n" * text[: len(text) - len(body)].count("\n")


def _python(line: int, cell: str) -> Iterator[tuple[int, str]]:
    for match in _SPARK_SQL.finditer(cell):
        sql = match["sql"]
        if match["f"]:
            sql = re.sub(r"(?<!\{)\{([A-Za-z_][\w.\[\]'\"()]*)\}(?!\})", _braced, sql)
        yield line + cell.count("\n", 0, match.start("sql")), sql


def _braced(match: re.Match[str]) -> str:
    name = re.sub(r"\W+", "_", match[1]).strip("_")
    return "${" + name + "}"


def _jupyter(file: Path, text: str) -> Iterator[tuple[int, str]]:
    try:
        cells = json.loads(text).get("cells", [])
    except (json.JSONDecodeError, AttributeError) as error:
        raise BadInput(f"{file}: not a notebook: {error}") from error
    for cell in cells:
        source = cell.get("source", "") if isinstance(cell, dict) else ""
        source = "".join(source) if isinstance(source, list) else str(source)
        if cell.get("cell_type") != "code":
            continue
        body = source.lstrip()
        magic = re.match(r"%%?(spark)?sql[^\n]*\n?", body)
        if magic:
            first = body[: magic.end()].strip()
            rest = body[magic.end() :]
            inline = re.sub(r"^%%?(spark)?sql", "", first)
            yield 1, f"{inline}\n{rest}" if not rest.strip() else rest
        else:
            yield from _python(1, source)
