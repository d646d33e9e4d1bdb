"""One transaction on a real engine: begun at one table of the tree, ended on another.

The transaction is alone. The commits before its begin, and the winners that it then meets, are laid
into the table as files; to the engine they are commits of other writers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from conformance.engine import Begun, Committed, Engine, EngineError, Replay
from conformance.spark.sharing import files_of
from conformance.trees.tables import Contents, Store, TableState, TransactionRun, lay_in
from model.history import Row
from model.scenario import Scenario
from model.workload import TARGET


class TreeReplay(Replay, Protocol):
    """A replay whose tables can be reached as files."""

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
        records = replay.log()
        rows = replay.rows()
        contents = tuple(
            Contents(record, rows, _file_rows(replay, record.version)) for record in records
        )
        return TableState(None, contents)
    finally:
        replay.close()


def run_transaction(
    engine: TreeEngine,
    scenario: Scenario,
    level: str,
    store: Store,
    name: str,
    snapshot: TableState,
    met: TableState,
) -> TransactionRun:
    """Runs a transaction begun at ``snapshot`` that ends on the table ``met``.

    Raises EngineError, and WritesElsewhere if the tree is not the whole of its effects.
    """
    replay = engine.open(scenario, level)
    try:
        table = replay.folder / TARGET
        others = {other: len(replay.log(other)) for other in scenario.tables}
        lay_in(snapshot.path()[1:], table)
        replay.note_foreign_commit()
        begun = replay.begin(name)
        if not begun.finished:
            lay_in(met.since(snapshot), table)
            replay.note_foreign_commit()
        ended = replay.commit(name)
        if any(len(replay.log(other)) != count for other, count in others.items()):
            raise WritesElsewhere(f"{name} writes to another table")
        return TransactionRun(begun, ended, _after(replay, store, begun, ended, snapshot, met))
    finally:
        replay.close()


def _after(
    replay: TreeReplay,
    store: Store,
    begun: Begun,
    ended: Committed,
    snapshot: TableState,
    met: TableState,
) -> TableState:
    before = (snapshot if begun.finished else met).version
    log = replay.log()
    written = len(log) - 1 - before
    if written not in (0, 1) or written != (ended.commit_version is not None):
        raise EngineError(f"{written} new versions after {ended.outcome}")
    if not written:
        return met
    record = log[-1]
    table = replay.folder / TARGET
    contents = Contents(record, replay.rows(), _file_rows(replay, record.version))
    return TableState(met, (contents,), store.keep(table, list(files_of(table, record))))


def _file_rows(replay: TreeReplay, version: int) -> tuple[tuple[str, tuple[Row, ...]], ...]:
    record = replay.log()[version]
    return tuple((added.path, replay.file_rows(added.path, version)) for added in record.adds)
