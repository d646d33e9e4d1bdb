"""One scenario under way on Delta on Spark."""

from __future__ import annotations

import queue
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.engine import (
    COMMITTED,
    NO_COMMIT,
    READ,
    Begun,
    CommitRecord,
    Committed,
    EngineError,
)
from conformance.log_reader import LogReader
from conformance.spark.footprints import footprint_of
from conformance.spark.lanes import Event, Finished, Held, Lane, Raised
from conformance.spark.outcomes import outcome_of
from model.history import Row
from model.scenario import Scenario

if TYPE_CHECKING:
    from conformance.spark.engine import SparkEngine


class SparkReplay:
    """A scenario's tables in a folder of their own, and its transactions, each on a lane."""

    def __init__(
        self, engine: SparkEngine, scenario: Scenario, folder: Path, tables: Sequence[str]
    ):
        self.scenario = scenario
        self.folder = folder
        self._engine = engine
        self._tables = tables
        self._readers = {name: LogReader(folder / name) for name in tables}
        self._lanes: dict[str, Lane] = {}
        self._ended: dict[str, Event] = {}
        self._database: str | None = engine.names.take()
        for name in tables:
            engine.names.bind(self._database, name, folder / name)
        self.base_version = self._readers["t"].version()

    def begin(self, name: str) -> Begun:
        """Run a statement up to its first commit, or a query up to its executed plan."""
        if name in self._lanes or name in self._ended:
            raise self._error(f"begin {name}", "begun twice")
        assert self._database is not None
        read_version = self._readers["t"].version()
        lane = self._lanes[name] = self._engine.take_lane()
        lane.start(self._database, _statements(self.scenario.transactions[name]))
        event = self._wait(lane, f"begin {name}")
        if not isinstance(event, Held):
            self._ended[name] = event
            self._return_lane(name)
            self._new_version(f"begin {name}", read_version, expected=0)
            return Begun(read_version, finished=True)
        if event.transaction is None:
            return Begun(read_version)
        version = event.transaction.readVersion()
        if version != read_version:
            raise self._error(
                f"begin {name}", f"snapshot at version {version}, the log is at {read_version}"
            )
        return Begun(read_version, footprint_of(event.transaction))

    def commit(self, name: str) -> Committed:
        """Release a held statement and report how it ended."""
        step = f"commit {name}"
        before = self._readers["t"].version()
        if name in self._ended:
            event = self._ended.pop(name)
        elif name in self._lanes:
            self._lanes[name].release()
            event = self._wait(self._lanes[name], step)
            self._return_lane(name)
        else:
            raise self._error(step, "committed before its begin")
        if isinstance(event, Raised):
            self._new_version(step, before, expected=0)
            try:
                return outcome_of(event.error)
            except Exception as error:
                raise self._error(step, f"{error}") from error
        if not isinstance(event, Finished):
            raise self._error(step, "held a second time")
        if event.rows is not None:
            return Committed(READ, rows=event.rows)
        version = self._new_version(step, before)
        return Committed(NO_COMMIT) if version is None else Committed(COMMITTED, version)

    def log(self, table: str = "t") -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        return self._readers[table].commits()

    def file_rows(self, path: str, table: str = "t") -> tuple[Row, ...]:
        """The rows stored in a data file, in its order."""
        return self._readers[table].file_rows(path)

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest)."""
        return self._readers[table].rows(version)

    def close(self) -> None:
        """End what is held without a commit, drop the names, remove the folder."""
        if self._database is None:
            return
        database, self._database = self._database, None
        for name in list(self._lanes):
            self._lanes[name].release(abandon=True)
            self._wait(self._lanes[name], f"close {name}")
            self._return_lane(name)
        self._engine.names.give_back(database, self._tables)
        for table in self._tables:
            self._engine.forget_log(self.folder / table)
        shutil.rmtree(self.folder)

    def _new_version(self, step: str, before: int, expected: int | None = None) -> int | None:
        """The version written since, None where there is none."""
        written = self._readers["t"].version() - before
        if written > 1 or (expected is not None and written != expected):
            raise self._error(step, f"{written} new versions in the log")
        return before + 1 if written else None

    def _wait(self, lane: Lane, step: str) -> Event:
        try:
            return lane.wait(self._engine.step_seconds)
        except queue.Empty:
            raise self._error(step, f"no answer within {self._engine.step_seconds:g} s") from None

    def _return_lane(self, name: str) -> None:
        self._engine.give_back_lane(self._lanes.pop(name))

    def _error(self, step: str, message: str) -> EngineError:
        if not self._engine.process.alive:
            message = f"the engine's process has died ({message})"
        return EngineError(message, scenario=self.scenario.name, step=step)


def _statements(text: str) -> tuple[str, ...]:
    """``SET key = value; statement`` taken apart; a lone statement stays as it is."""
    parts = [part.strip() for part in text.split(";")]
    if len(parts) > 1 and all(part.upper().startswith("SET ") for part in parts[:-1]):
        return tuple(parts)
    return (text,)
