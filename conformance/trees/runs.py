"""One transaction on a real engine: begun at one table of the tree, ended on another.

The transaction is alone. The commits before its begin, and the winners that it then meets, are laid
into the table as files; to the engine they are commits of other writers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from conformance.delta_log.log_reader import LogReader
from conformance.engine import Begun, CommitRecord, Committed, Engine, EngineError, Replay
from conformance.spark.sharing import files_of
from conformance.trees.tables import Contents, Store, TableState, TransactionRun, lay_in
from model.history import Row
from model.scenario import Scenario


class TreeReplay(Replay, Protocol):
    """A replay whose tables can be reached as files."""

    scenario: Scenario

    @property
    def folder(self) -> Path:
        """The folder of the tables, each in a folder of its name."""
        ...

    def note_foreign_commit(self) -> None:
        """Note that something else has written to the target."""
        ...


class TreeEngine(Engine, Protocol):
    """An engine that trees can be run on."""

    @property
    def folder(self) -> Path:
        """A folder on the file system of the tables, removed when the engine is closed."""
        ...

    def open(self, scenario: Scenario, level: str | None = None) -> TreeReplay:
        """Prepare a scenario's tables."""
        ...


class WritesElsewhere(Exception):
    """A transaction has written to another table than the target."""


def prepared(engine: TreeEngine, scenario: Scenario, level: str) -> TableState:
    """The prepared table of a scenario: the root of its tree. Raises EngineError."""
    replay = engine.open(scenario, level)
    try:
        reader = LogReader(replay.folder / replay.scenario.target)
        rows = reader.rows()
        contents = (
            Contents(record, rows, _file_rows(reader, record)) for record in reader.commits()
        )
        return TableState(None, tuple(contents))
    finally:
        replay.close()


def run_through(
    replay: TreeReplay, name: str, begun: Begun, snapshot: TableState, met: TableState
) -> Committed:
    """Ends a begun transaction on the table ``met``.

    Raises EngineError, and WritesElsewhere if the tree is not the whole of its effects.
    """
    others = [table for table in replay.scenario.tables if table != replay.scenario.target]
    before = {other: len(replay.log(other)) for other in others}
    if not begun.finished:
        lay_in(met.since(snapshot), replay.folder / replay.scenario.target)
        replay.note_foreign_commit()
    ended = replay.commit(name)
    if any(len(replay.log(other)) != count for other, count in before.items()):
        raise WritesElsewhere(f"{name} writes to another table")
    return ended


def run_transaction(
    engine: TreeEngine,
    scenario: Scenario,
    level: str,
    store: Store,
    name: str,
    snapshot: TableState,
    met: TableState,
) -> TransactionRun:
    """Runs a transaction begun at ``snapshot`` that ends on the table ``met``, on a fresh copy.

    Raises EngineError and WritesElsewhere.
    """
    replay = engine.open(scenario, level)
    try:
        table = replay.folder / replay.scenario.target
        lay_in(snapshot.path()[1:], table)
        replay.note_foreign_commit()
        begun = replay.begin(name)
        ended = run_through(replay, name, begun, snapshot, met)
        return kept_run(table, store, begun, ended, snapshot, met)
    finally:
        replay.close()


def kept_run(
    table: Path,
    store: Store,
    begun: Begun,
    ended: Committed,
    snapshot: TableState,
    met: TableState,
) -> TransactionRun:
    """A run that has just ended, with the table that it left. Raises EngineError."""
    reader = LogReader(table)
    before = (snapshot if begun.finished else met).version
    log = reader.commits()
    written = len(log) - 1 - before
    if written not in (0, 1) or written != (ended.commit_version is not None):
        raise EngineError(f"{written} new versions after {ended.outcome}")
    if not written:
        return TransactionRun(begun, ended, met)
    record = log[-1]
    contents = Contents(record, reader.rows(), _file_rows(reader, record))
    after = TableState(met, (contents,), store.keep(table, list(files_of(table, record))))
    return TransactionRun(begun, ended, after)


def _file_rows(reader: LogReader, record: CommitRecord) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    return tuple((a.path, reader.file_rows(a.path, record.version)) for a in record.adds)
