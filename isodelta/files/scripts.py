"""Scenarios written as SQL scripts.

The statements at the top define and fill the tables: CREATE TABLE, and whatever else comes before
the first label. A label is a comment that is a transaction's name, ``-- A``, before its statement.
``-- schedule: begin A, B, commit A`` gives the order of the steps; without it, the script stands
for one scenario for each order of begins and commits that can make a difference.

Scripts without labels make one scenario together: each is a transaction named after its file, but
for those that only define and fill tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import Any

from sqlglot import exp

from checker.search.schedules import classes
from isodelta.files.scenario_writer import schedule_entries
from isodelta.files.scenarios import (
    BadScenarios,
    Loaded,
    Problem,
    contents,
    read_files,
    read_source_of,
)
from isodelta.files.sql_text import split
from isodelta.files.yaml_source import Path, Source
from model.errors import InvalidScenario
from model.profiles import DEFAULT, Profile
from model.sql.names import Name, mentioned_tables, name_of, renamed, written_table
from model.sql.printer import syntax

MOST_SCHEDULES = 600
"""The largest number of schedules that a script stands for; four writers have 576."""

_COMMENT = re.compile(r"^[ \t]*--[ \t]*(?P<text>.*?)[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"[A-Za-z_][\w.-]*")
_SCHEDULE = re.compile(r"schedule\s*:\s*(?P<steps>.+)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"(?:name|scenario)\s*:\s*(?P<name>.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Statement:
    """One statement; ``label`` is the transaction that it is under, if any."""

    text: str
    file: str
    line: int
    label: str | None


@dataclass(slots=True)
class _Script:
    """One file, read."""

    file: str
    name: str
    statements: list[_Statement] = field(default_factory=list)
    schedule: tuple[str, int] | None = None

    @property
    def labelled(self) -> bool:
        return any(statement.label is not None for statement in self.statements)


def is_script(file: str | FilePath) -> bool:
    """Whether a path given to a command is a script, or a folder of them."""
    path = FilePath(file)
    return path.suffix.lower() == ".sql" or path.is_dir()


def read_scenarios(
    files: Sequence[str | FilePath],
    profile: Profile = DEFAULT,
    schemas: Sequence[str | FilePath] = (),
) -> list[Loaded]:
    """The scenarios of YAML files and scripts. Raises BadScenarios with all problems.

    A folder stands for the YAML files and the scripts in it, not for those in folders below.
    """
    scripts: list[str | FilePath] = []
    yaml: list[str | FilePath] = []
    scenarios: list[Loaded] = []
    problems: list[Problem] = []
    for file in files:
        inside = _yaml_in(file)
        yaml += inside if is_script(file) else [file]
        if is_script(file) and not (inside and not any(FilePath(file).glob("*.sql"))):
            scripts.append(file)
    readers: list[Callable[[], list[Loaded]]] = [lambda: read_files(yaml, profile)]
    if scripts:
        readers.append(lambda: read_scripts(scripts, profile, schemas))
    for read in readers:
        try:
            scenarios += read()
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(problems)
    return scenarios


def read_scripts(
    files: Sequence[str | FilePath],
    profile: Profile = DEFAULT,
    schemas: Sequence[str | FilePath] = (),
) -> list[Loaded]:
    """The scenarios of scripts, prepared for a profile. Raises BadScenarios with all problems.

    A folder stands for the scripts in it. ``schemas`` are scripts that define and fill tables.
    """
    scripts = [_read(file) for file in _files(files)]
    shared = [statement for file in schemas for statement in _read(file).statements]
    own = [script for script in scripts if script.labelled]
    together = [script for script in scripts if not script.labelled]
    scenarios: list[Loaded] = []
    problems: list[Problem] = []
    groups = [(script, list(script.statements)) for script in own]
    if together:
        groups.append(_one_scenario(together))
    for script, statements in groups:
        try:
            scenarios += _scenarios(script, [*shared, *statements], profile)
        except BadScenarios as error:
            problems += error.problems
    if problems:
        raise BadScenarios(dict.fromkeys(problems))
    return scenarios


def _yaml_in(file: str | FilePath) -> list[FilePath]:
    """The YAML files in a folder; none if it is not a folder."""
    path = FilePath(file)
    names = [*path.glob("*.yaml"), *path.glob("*.yml")] if path.is_dir() else []
    return sorted(names)


def _files(files: Iterable[str | FilePath]) -> Iterator[str]:
    for file in files:
        path = FilePath(file)
        if not path.is_dir():
            yield str(file)
            continue
        inside = sorted(path.glob("*.sql"))
        if not inside:
            raise BadScenarios(
                [Problem(str(file), 0, "", "there are no .yaml or .sql files in it")]
            )
        yield from map(str, inside)


def _read(file: str | FilePath) -> _Script:
    text = contents(str(file))
    script = _Script(str(file), FilePath(file).stem)
    labels: list[tuple[int, str]] = []
    for match in _COMMENT.finditer(text):
        words, line = match["text"], text.count("\n", 0, match.start()) + 1
        if given := _SCHEDULE.fullmatch(words):
            if script.schedule is not None:
                raise _bad(script.file, line, "a second schedule: a script has one")
            script.schedule = (given["steps"], line)
        elif given := _NAME.fullmatch(words):
            script.name = given["name"]
        elif _LABEL.fullmatch(words):
            labels.append((line, words))
    end = 0
    label: str | None = None
    for line, sql in split(text):
        # A comment within a statement is not a label.
        here = [(at, name) for at, name in labels if end < at < line]
        if len(here) > 1:
            raise _bad(script.file, here[0][0], f"there is no statement under {here[0][1]}")
        if here:
            label = here[0][1]
        script.statements.append(_Statement(sql, script.file, line, label))
        end = line + sql.count("\n")
    if late := [(at, name) for at, name in labels if at > end]:
        raise _bad(script.file, late[0][0], f"there is no statement under {late[0][1]}")
    return script


def _one_scenario(scripts: Sequence[_Script]) -> tuple[_Script, list[_Statement]]:
    """The scripts without labels as one scenario; each of the others is a transaction."""
    statements: list[_Statement] = []
    running: list[_Script] = []
    for script in scripts:
        created = any(_creates(statement.text) for statement in script.statements)
        if created and all(_creates(s.text) or _inserts_values(s.text) for s in script.statements):
            statements += script.statements
        else:
            running.append(script)
    for script in running:
        for statement in script.statements:
            label = None if _creates(statement.text) else script.name
            statements.append(_Statement(statement.text, statement.file, statement.line, label))
    if not running:
        file, line = scripts[0].file, 0
        reason = (
            "there is no transaction: mark each with a comment line before it, such as `-- A`, "
            "or give each a file of its own"
        )
        raise _bad(file, line, reason)
    given = [script.schedule for script in scripts if script.schedule is not None]
    if len(given) > 1:
        raise _bad(running[-1].file, given[-1][1], "a second schedule: these files have one")
    name = ", ".join(script.name for script in running)
    whole = _Script(running[0].file, name, statements, given[0] if given else None)
    return whole, statements


def _tree(text: str) -> exp.Expr | None:
    """A statement's tree; None for what is not understood, of which more is said later."""
    try:
        return syntax(text).tree
    except InvalidScenario:
        return None


def _creates(text: str) -> bool:
    tree = _tree(text)
    return isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema)


def _inserts_values(text: str) -> bool:
    tree = _tree(text)
    return isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Values)


def _bad(file: str, line: int, reason: str) -> BadScenarios:
    return BadScenarios([Problem(file, line, "", reason)])


@dataclass
class _Tables:
    """The tables of a scenario, by name, with the texts of their names and their places."""

    specs: dict[Name, dict[str, Any]] = field(default_factory=dict)
    shown: dict[Name, str] = field(default_factory=dict)
    lines: dict[Name, int] = field(default_factory=dict)
    setup: dict[Name, list[_Statement]] = field(default_factory=dict)

    def meant(self, name: Name) -> Name | None:
        """The declared table that a name means: one is a suffix of the other."""
        for declared in self.specs:
            least = min(len(declared), len(name))
            if declared[-least:] == name[-least:]:
                return declared
        return None

    def spelled_out(self, text: str) -> str:
        """A statement with the names that CREATE TABLE gives the tables."""
        names = {}
        for name in mentioned_tables(text):
            declared = self.meant(name)
            if declared is not None and declared != name:
                names[name] = self.shown[declared]
        return renamed(text, names) if names else text


def _scenarios(
    script: _Script, statements: Sequence[_Statement], profile: Profile
) -> Iterator[Loaded]:
    tables = _Tables()
    transactions: dict[str, _Statement] = {}
    settings: dict[str, list[str]] = {}
    for statement in statements:
        if statement.label is None and _creates(statement.text):
            _declare(tables, statement)
    for statement in statements:
        if statement.label is None:
            if not _creates(statement.text):
                _set_up(tables, statement)
        elif statement.text.split(None, 1)[0].upper() == "SET":
            settings.setdefault(statement.label, []).append(statement.text)
        elif statement.label in transactions:
            reason = (
                f"a second statement of {statement.label}: a transaction is one statement; give "
                "each a label of its own"
            )
            raise _bad(statement.file, statement.line, reason)
        else:
            transactions[statement.label] = statement
    if not transactions:
        raise _bad(script.file, 0, "there is no transaction under a label")
    target = _target(tables, transactions)
    data, lines = _mapping(script, tables, target, transactions, settings)
    for schedule in _schedules(script, transactions):
        mapping = {**data, "schedule": schedule}
        if script.schedule is None:
            mapping["name"] = f"{script.name}: {', '.join(schedule)}"
        source = Source(mapping)
        source.lines.update(lines)
        yield from read_source_of(source, script.file, profile)


def _declare(tables: _Tables, statement: _Statement) -> None:
    tree = syntax(statement.text).tree
    node = tree.this.this
    shown = ".".join(
        f"`{part.name}`" if not part.name.isidentifier() else part.name for part in node.parts
    )
    name = name_of(shown)
    if tables.meant(name) is not None:
        raise _bad(statement.file, statement.line, f"table {shown} is created twice")
    tables.specs[name] = _spec(tree)
    tables.shown[name] = shown
    tables.lines[name] = statement.line


def _spec(tree: exp.Expr) -> dict[str, Any]:
    """The keys of a table, from its CREATE TABLE."""
    columns: dict[str, str] = {}
    partition_by: list[str] = []
    partitioned = tree.find(exp.PartitionedByProperty)
    parts = partitioned.this.expressions if partitioned is not None else []
    for node in (*tree.this.expressions, *parts):
        if isinstance(node, exp.ColumnDef) and node.args.get("kind") is not None:
            constraints = (c.sql(dialect="spark") for c in node.args.get("constraints") or ())
            kind = node.args["kind"].sql(dialect="spark").lower()
            columns[node.name] = " ".join((kind, *constraints))
    for node in parts:
        partition_by.append(node.name)
    cluster = tree.find(exp.Cluster)
    spec: dict[str, Any] = {"columns": columns}
    if partition_by:
        spec["partition_by"] = partition_by
    if cluster is not None:
        spec["cluster_by"] = [part.name for part in cluster.expressions]
    properties = {
        node.name: node.args["value"].name
        for node in tree.find_all(exp.Property)
        if type(node) is exp.Property and isinstance(node.args.get("value"), exp.Expr)
    }
    if properties:
        spec["properties"] = properties
    return spec


def _set_up(tables: _Tables, statement: _Statement) -> None:
    name = written_table(statement.text)
    declared = None if name is None else tables.meant(name)
    if declared is None:
        first = statement.text.split(None, 1)[0].upper()
        reason = (
            f"before the first label only statements that define and fill tables: this {first} "
            "writes none of those created above it; a transaction has a label, such as `-- A`"
        )
        raise _bad(statement.file, statement.line, reason)
    tables.setup.setdefault(declared, []).append(statement)


def _target(tables: _Tables, transactions: dict[str, _Statement]) -> Name:
    """The first table that a transaction writes, or, if they only read, the first one."""
    for statement in transactions.values():
        name = written_table(statement.text)
        if name is None:
            continue
        declared = tables.meant(name)
        if declared is None:
            reason = (
                f"table {'.'.join(name)} is not defined: put its CREATE TABLE at the top, or give "
                "it with --schema FILE.sql"
            )
            raise _bad(statement.file, statement.line, reason)
        return declared
    if not tables.specs:
        first = next(iter(transactions.values()))
        raise _bad(first.file, first.line, "no table is defined: put its CREATE TABLE at the top")
    return next(iter(tables.specs))


def _mapping(
    script: _Script,
    tables: _Tables,
    target: Name,
    transactions: dict[str, _Statement],
    settings: dict[str, list[str]],
) -> tuple[dict[str, Any], dict[Path, int]]:
    """The scenario as a file in YAML would have it, and the lines of its parts."""
    lines: dict[Path, int] = {(): 1, ("transactions",): 1, ("schedule",): 1}
    if script.schedule is not None:
        lines["schedule",] = script.schedule[1]
    data: dict[str, Any] = {"name": script.name, "transactions": {}, "tables": {}}
    for name, spec in tables.specs.items():
        where: Path = ("table",) if name == target else ("tables", tables.shown[name])
        lines[where] = tables.lines[name]
        setup = tables.setup.get(name, [])
        for index, statement in enumerate(setup):
            lines[(*where, "setup", index)] = statement.line
        made = {**spec, "setup": [tables.spelled_out(s.text) for s in setup]}
        if name == target:
            data["table"] = made
        else:
            data["tables"][tables.shown[name]] = made
    for label, statement in transactions.items():
        lines["transactions", label] = statement.line
        text = "; ".join((*settings.get(label, ()), tables.spelled_out(statement.text)))
        data["transactions"][label] = text
    return data, lines


def _schedules(script: _Script, transactions: dict[str, _Statement]) -> Iterator[list[str]]:
    if script.schedule is not None:
        yield [step.strip() for step in script.schedule[0].split(",") if step.strip()]
        return
    readers = [name for name, s in transactions.items() if isinstance(_tree(s.text), exp.Query)]
    writers = [name for name in transactions if name not in readers]
    every = list(classes(writers, readers)) if len(transactions) <= 6 else []
    if not every or len(every) > MOST_SCHEDULES:
        reason = (
            f"these {len(transactions)} transactions have more than {MOST_SCHEDULES} schedules: "
            "choose one with a comment such as `-- schedule: begin A, B, commit A`"
        )
        raise _bad(script.file, 1, reason)
    for one in every:
        yield schedule_entries(one.representative)
