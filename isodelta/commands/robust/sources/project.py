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
    """The options of one call that say how files are read."""

    files: Sequence[str]
    tables: Sequence[str] = ()
    schemas: Sequence[str] = ()
    logs: Sequence[str] = ()


@dataclass(frozen=True)
class Project:
    """The statements of all jobs, the tables that they write, and what is known of those."""

    statements: tuple[Statement, ...]
    written: tuple[tuple[Name, str], ...]
    definitions: dict[Name, Definition]
    views: dict[str, dict[str, exp.Expr]]

    @property
    def skipped(self) -> list[Statement]:
        """The statements that are left alone."""
        return [each for each in self.statements if each.skipped is not None]

    def tables(self, profile: Profile) -> Iterator[LoadedTable]:
        """The jobs of each written table."""
        for name, shown in self.written:
            yield self.table(name, shown, profile)

    def table(self, name: Name, shown: str, profile: Profile) -> LoadedTable:
        """The jobs of one table."""
        return loaded_table(name, shown, self.statements, self.definitions, self.views, profile)


def read_project(asking: Files) -> Project:
    """Reads the files of one call. Raises BadInput."""
    some = compiled(scripts(asking.files), asking.files)
    statements = [each for script in some for each in _renamed(script)]
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
                known = ", ".join(shown for _, shown in written) or "none"
                raise BadInput(f"--table {text}: no statement writes it (written: {known})")
        written = [each for each in written if any(name.means(each[0]) for name in wanted)]
    return Project(
        tuple(statements),
        tuple(written),
        definitions,
        views_of(_by_job(statements)),
    )


def _by_job(statements: Sequence[Statement]) -> dict[str, list[Statement]]:
    jobs: dict[str, list[Statement]] = {}
    for each in statements:
        jobs.setdefault(each.job, []).append(each)
    return jobs


def _renamed(script: Script) -> Iterator[Statement]:
    """The statements of a job, with their names as USE makes them full."""
    used: tuple[str, ...] = ()
    for each in read(script):
        words = each.text.replace("`", "").rstrip(";").split()
        if words and words[0].upper() == "USE":
            name = tuple(words[-1].lower().split("."))
            used = name if len(name) > 1 or words[1].upper() == "CATALOG" else (*used[:1], *name)
            if words[1].upper() != "CATALOG" and len(name) == 1:
                used = (*(used[:-1] if len(used) > 1 else ()), *name)
        if each.target is None or len(each.target.parts) > 1 or not used:
            yield each
        else:
            shown = ".".join((*used, each.shown))
            yield replace(each, target=Name((*used, *each.target.parts)), shown=shown)


def _of_dbt(files: Sequence[str]) -> dict[Name, Definition]:
    found: dict[Name, Definition] = {}
    for file in files:
        folder = Path(file)
        for place in (folder, folder / "target", *folder.parents):
            for name in ("catalog.json", "manifest.json"):
                if (place / name).is_file():
                    found = {**from_dbt(place / name), **found}
            if found:
                return found
    return found
