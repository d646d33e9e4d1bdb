"""The table and the job that a person gives beside the exception, as a scenario of the model."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from checker.judging.explanation import row as row_in_words
from checker.logs.actions import LoggedCommit, LoggedFile, TableState
from checker.logs.reads.file_facts import Columns
from checker.logs.reads.predicates import Predicate, predicate
from checker.logs.source import Jump
from checker.refusals.necessity import CURRENT, SCHEDULE, WINNER
from checker.refusals.texts import Refusal
from conformance.delta_log.stores import UnreadableStore, store
from conformance.delta_log.table_log import DataFiles, NoLog, TableLog
from isodelta.exits import BadInput
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

MOST_ROWS = 200
MOST_FILES = 30
"""Rows and files of the largest table that is taken into the model as it is."""

_SQL_NAMES = {"integer": "int", "long": "bigint"}
_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge)


@dataclass(frozen=True, slots=True)
class Job:
    """The statement that was refused, on a table called ``t``, and its condition if it has one."""

    sql: str
    condition: str | None


@dataclass
class Given:
    """The commit that won, the state before it, and what could not be found out.

    ``commit`` is None if the log has no such commit.
    """

    commit: LoggedCommit | None = None
    before: TableState = field(default_factory=TableState)
    rows: DataFiles | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def metadata(self) -> Mapping[str, Any] | None:
        """The metadata in force before the winner."""
        return self.before.metadata

    @property
    def partitioned(self) -> bool | None:
        """True if the table has partitions; None if that is not known."""
        metadata = self.metadata
        return None if metadata is None else bool(metadata.get("partitionColumns"))

    @property
    def level(self) -> str | None:
        """The level that the table declares; None if it declares none."""
        declared = str(self.before.configuration.get(LEVEL_PROPERTY) or "")
        return declared[:1].upper() + declared[1:] if declared else None


def read_job(file: str) -> Job:
    """The first statement in a file that writes. Raises BadInput."""
    try:
        text = Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"--sql: {file}: cannot be read: {error}") from error
    try:
        trees = [tree for tree in sqlglot.parse(text, read="spark") if tree is not None]
    except (SqlglotError, RecursionError) as error:
        reason = " ".join(str(error).split())[:120]
        raise BadInput(f"--sql: {file}: this is not SQL: {reason}") from error
    for tree in trees:
        if isinstance(tree, _WRITES):
            return _on_t(tree)
        if tree.sql(dialect="spark").upper().startswith("OPTIMIZE"):
            return Job("OPTIMIZE t", None)
    raise BadInput(f"--sql: {file}: there is no INSERT, UPDATE, DELETE, MERGE or OPTIMIZE in it")


def _on_t(tree: exp.Expr) -> Job:
    """The statement with its target called ``t``."""
    target = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
    where = tree.args.get("where")
    condition = where.this.sql(dialect="spark") if where is not None else None
    if isinstance(target, exp.Table):
        name = target.sql(dialect="spark", comments=False).partition(" ")[0]
        for table in tree.find_all(exp.Table):
            if table.sql(dialect="spark").partition(" ")[0] == name:
                alias = table.args.get("alias")
                renamed = exp.Table(this=exp.to_identifier("t"))
                if alias is not None:
                    renamed.set("alias", alias.copy())
                table.replace(renamed)
    if isinstance(tree, exp.Merge):
        condition = None
    return Job(tree.sql(dialect="spark"), condition)


def read_table(location: str, refusal: Refusal) -> Given:
    """Finds the commit that won in a table's log. Raises BadInput if there is no log."""
    given = Given()
    try:
        place = store(location)
        log = TableLog(place)
        if place.folder is not None:
            given.rows = DataFiles(place.folder)
        commits: list[LoggedCommit] = []
        for entry in log.entries(refusal.version or 0):
            if isinstance(entry, LoggedCommit):
                commits.append(entry)
        given.commit = _winner(commits, refusal)
        if given.commit is None:
            given.notes.append(f"the log of {location} has no commit that fits the exception")
        last = given.commit.version if given.commit is not None else None
        for entry in log.entries(refusal.version or 0):
            if isinstance(entry, Jump):
                given.before = entry.state or TableState(entry.version, complete=False)
            elif last is None or entry.version < last:
                given.before.apply(entry)
            else:
                break
    except (UnreadableStore, NoLog) as error:
        raise BadInput(f"--delta: {error}") from error
    return given


def _winner(commits: Sequence[LoggedCommit], refusal: Refusal) -> LoggedCommit | None:
    """The commit that the exception names: by version, by id, by time, by operation."""
    said = refusal.winner
    for commit in reversed(commits):
        if refusal.version is not None:
            if commit.version == refusal.version:
                return commit
            continue
        if "txnId" in said:
            if commit.info.get("txnId") == said["txnId"]:
                return commit
            continue
        if "timestamp" in said:
            same = str(commit.info.get("timestamp")) == said["timestamp"]
            if same and commit.operation == said.get("operation", commit.operation):
                return commit
    return None


def scenario_of(given: Given, job: Job) -> Scenario | None:
    """The two transactions on the table's own rows; None, with a note, if that cannot be.

    The refused transaction is taken to have begun right before the winner.
    """
    commit, metadata = given.commit, given.metadata
    if commit is None or metadata is None:
        return None
    columns = _columns(metadata)
    winner = _statement(given, commit, metadata)
    if columns is None or winner is None:
        given.notes.append(
            "the table has columns that the model does not have"
            if columns is None
            else f"no log has all of what version {commit.version} ({commit.operation}) did"
        )
        return None
    setup = _setup(given, metadata)
    if setup is None:
        given.notes.append("the table is too large, or not readable, to be taken into the model")
        return None
    table = TableSpec(columns, tuple(metadata.get("partitionColumns") or ()), (), {}, setup)
    return Scenario(
        f"the job, and version {commit.version}",
        table,
        {CURRENT: job.sql, WINNER: winner},
        SCHEDULE,
    )


def _columns(metadata: Mapping[str, Any]) -> dict[str, str] | None:
    fields = json.loads(metadata["schemaString"])["fields"]
    if not all(isinstance(column["type"], str) for column in fields):
        return None
    return {column["name"]: _SQL_NAMES.get(column["type"], column["type"]) for column in fields}


def _setup(given: Given, metadata: Mapping[str, Any]) -> tuple[str, ...] | None:
    """One INSERT for each live file."""
    files = list(given.before.live.values())
    if not given.before.complete or len(files) > MOST_FILES:
        return None
    inserts = []
    total = 0
    for file in files:
        rows = _rows(given, file, metadata)
        if rows is None:
            return None
        total += len(rows)
        if total > MOST_ROWS:
            return None
        if rows:
            inserts.append(_insert(rows))
    return tuple(inserts)


def _rows(given: Given, file: LoggedFile, metadata: Mapping[str, Any]) -> list[Any] | None:
    rows = given.rows.rows(file, metadata) if given.rows is not None else None
    return None if rows is None else list(rows)


def _insert(rows: Sequence[Any]) -> str:
    return f"INSERT INTO t VALUES {', '.join(map(row_in_words, rows))}"


def _statement(given: Given, commit: LoggedCommit, metadata: Mapping[str, Any]) -> str | None:
    """The statement behind a commit, as far as the log and the files have it."""
    if commit.operation == "OPTIMIZE":
        return "OPTIMIZE t"
    if commit.operation == "DELETE":
        read = winner_predicate(given)
        if read is None or not read.parsed:
            return None
        return "DELETE FROM t" + ("" if read.text.upper() == "TRUE" else f" WHERE {read.text}")
    if commit.removes or not commit.adds:
        return None
    rows: list[Any] = []
    for file in commit.adds:
        added = _rows(given, file, metadata)
        if added is None:
            return None
        rows += added
    return _insert(rows) if 0 < len(rows) <= MOST_ROWS else None


def winner_predicate(given: Given) -> Predicate | None:
    """The predicate that the winner recorded."""
    if given.commit is None:
        return None
    recorded = given.commit.parameters.get("predicate") or "[]"
    return predicate(recorded, Columns.of(given.metadata))


def files_read(given: Given, job: Job) -> tuple[str, str] | None:
    """The answer whether the job's condition matches rows that the winner added, and the reason.

    None if the condition does not decide it.
    """
    commit = given.commit
    if commit is None or job.condition is None or given.metadata is None or commit.removes:
        return None
    columns = Columns.of(given.metadata)
    read = predicate(job.condition, columns)
    answers = [read.of(file, columns) for file in commit.adds if file.data_change]
    name = f"version {commit.version} ({commit.operation})"
    if answers and all(answer is False for answer in answers):
        return "no", f"no row that {name} added matches {job.condition}"
    if True in answers:
        return "yes", f"rows that {name} added match {job.condition}"
    return None
