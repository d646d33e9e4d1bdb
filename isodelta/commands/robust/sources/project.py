"""All files of one call: the tables that their jobs write, and the statements left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from sqlglot import exp

from isodelta.commands.robust.sources.dbt import compiled
from isodelta.commands.robust.sources.files import Script, scripts
from isodelta.commands.robust.sources.schemas import Definition, created, from_dbt, from_log
from isodelta.commands.robust.sources.statements import Name, Statement, read, views_of
from isodelta.commands.robust.sources.tables import LoadedTable, loaded_table, written_tables
from isodelta.exits import BadInput
from model.profiles import Profile


@dataclass(frozen=True)
class Files:
    """The options of one call that control how files are read."""

    files: Sequence[str]
    tables: Sequence[str] = ()
    schemas: Sequence[str] = ()
    logs: Sequence[str] = ()


@dataclass(frozen=True)
class Project:
    """The statements of all jobs, the tables that they write, and their definitions and views."""

    statements: tuple[Statement, ...]
    written: tuple[tuple[Name, str], ...]
    definitions: dict[Name, Definition]
    views: dict[str, dict[str, exp.Expr]]

    @property
    def skipped(self) -> list[Statement]:
        """The statements that are left alone."""
        return [statement for statement in self.statements if statement.skipped is not None]

    def tables(self, profile: Profile) -> Iterator[LoadedTable]:
        """The jobs of each written table."""
        for name, shown in self.written:
            yield self.table(name, shown, profile)

    def table(self, name: Name, shown: str, profile: Profile) -> LoadedTable:
        """The jobs of one table."""
        return loaded_table(name, shown, self.statements, self.definitions, self.views, profile)


def read_project(asking: Files) -> Project:
    """Reads the files of one call. Raises BadInput."""
    sources = compiled(scripts(asking.files), asking.files)
    statements = [statement for script in sources for statement in _renamed(script)]
    definitions: dict[Name, Definition] = {}
    for text in asking.logs:
        given, _, path = text.partition("=")
        if not path:
            raise BadInput(f"--delta {text}: give it as NAME=PATH")
        definitions[Name(tuple(part.lower() for part in given.split(".")))] = from_log(path)
    schema_files = [file for file in asking.schemas if Path(file).suffix != ".json"]
    for script in scripts(schema_files):
        definitions = {**created(read(script)), **definitions}
    for file in asking.schemas:
        if Path(file).suffix == ".json":
            definitions = {**from_dbt(Path(file)), **definitions}
    definitions = {**created(statements), **_of_dbt(asking.files), **definitions}
    written = written_tables(statements)
    if asking.tables:
        wanted = [Name(tuple(p.strip("`").lower() for p in t.split("."))) for t in asking.tables]
        for name, text in zip(wanted, asking.tables, strict=True):
            if not any(name.means(other) for other, _ in written):
                listed = ", ".join(shown for _, shown in written) or "none"
                raise BadInput(f"--table {text}: no statement writes it (written: {listed})")
        written = [(n, shown) for n, shown in written if any(name.means(n) for name in wanted)]
    return Project(
        tuple(statements),
        tuple(written),
        definitions,
        views_of(_by_job(statements)),
    )


def _by_job(statements: Sequence[Statement]) -> dict[str, list[Statement]]:
    jobs: dict[str, list[Statement]] = {}
    for statement in statements:
        jobs.setdefault(statement.job, []).append(statement)
    return jobs


def _renamed(script: Script) -> Iterator[Statement]:
    """The statements of a job, with the names of tables completed by USE."""
    used: tuple[str, ...] = ()
    for statement in read(script):
        words = statement.text.replace("`", "").rstrip(";").split()
        if words and words[0].upper() == "USE":
            name = tuple(words[-1].lower().split("."))
            used = name if len(name) > 1 or words[1].upper() == "CATALOG" else (*used[:1], *name)
            if words[1].upper() != "CATALOG" and len(name) == 1:
                used = (*(used[:-1] if len(used) > 1 else ()), *name)
        if statement.target is None or len(statement.target.parts) > 1 or not used:
            yield statement
        else:
            shown = ".".join((*used, statement.shown))
            yield replace(statement, target=Name((*used, *statement.target.parts)), shown=shown)


def _of_dbt(files: Sequence[str]) -> dict[Name, Definition]:
    definitions: dict[Name, Definition] = {}
    for file in files:
        folder = Path(file)
        for place in (folder, folder / "target", *folder.parents):
            for name in ("catalog.json", "manifest.json"):
                if (place / name).is_file():
                    definitions = {**from_dbt(place / name), **definitions}
            if definitions:
                return definitions
    return definitions
