"""The tree of tables: a prepared table, and each table that a commit makes of another.

A table is known by its place in the tree: the commits on the way from the root, whose files are
kept. The names of files are part of it, so two commits of the same statement on the same table are
one edge, run once.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance.engine import Begun, CommitRecord, Committed
from model.history import Row


@dataclass(frozen=True, slots=True)
class TransactionRun:
    """One transaction, run by the engine: its begin, its end, and the table after it.

    ``after`` is the table that it met where it committed nothing.
    """

    begun: Begun
    ended: Committed
    after: TableState


@dataclass(frozen=True, slots=True)
class Contents:
    """What can be seen of the newest version of a table: all that a replay observes of it.

    ``files`` are the rows of the data files that the version adds, by path.
    """

    record: CommitRecord
    rows: tuple[Row, ...]
    files: tuple[tuple[str, tuple[Row, ...]], ...]


@dataclass(eq=False)
class TableState:
    """A table of the tree: the one before it, and what its newest commit added.

    ``before`` is None for the prepared table, whose ``contents`` are all its versions. ``stored``
    has the files of the newest commit, by their path in the table.
    """

    before: TableState | None
    contents: tuple[Contents, ...]
    stored: tuple[tuple[Path, str], ...] = ()
    _runs: dict[tuple[str, int], Future[TransactionRun]] = field(default_factory=dict)
    _ended: dict[str, TransactionRun] = field(default_factory=dict)
    _lock: Any = field(default_factory=threading.Lock)

    @property
    def version(self) -> int:
        """The number of the newest version."""
        return self.contents[-1].record.version

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of the newest version."""
        return self.contents[-1].rows

    @property
    def protocol(self) -> Mapping[str, object] | None:
        """The protocol in force."""
        state: TableState | None = self
        while state is not None:
            for each in reversed(state.contents):
                if each.record.protocol is not None:
                    return each.record.protocol
            state = state.before
        return None

    def path(self) -> list[TableState]:
        """The tables from the root to this one, both included."""
        states = [self]
        while (before := states[-1].before) is not None:
            states.append(before)
        return states[::-1]

    def since(self, earlier: TableState) -> list[TableState]:
        """The tables after an earlier one on the way to this one, oldest first."""
        return [state for state in self.path() if state.version > earlier.version]

    def run(
        self, statement: str, snapshot: TableState, do: Callable[[], TransactionRun]
    ) -> TransactionRun:
        """The run of a statement begun at ``snapshot`` that ends on this table, done if need be.

        Thread-safe: one thread does it, the others wait. What the engine raises is raised in all of
        them, and again later.
        """
        # A statement that ends at its begin has met no winner.
        if (ended := snapshot._ended.get(statement)) is not None:
            return TransactionRun(ended.begun, ended.ended, self)
        key = statement, snapshot.version
        with self._lock:
            future = self._runs.get(key)
            if mine := future is None:
                future = self._runs[key] = Future()
        if mine:
            try:
                done = do()
            except BaseException as error:  # noqa: BLE001 - every waiting thread must see it
                future.set_exception(error)
            else:
                if done.begun.finished:
                    snapshot._ended[statement] = done
                future.set_result(done)
        return future.result()

    def runs(self) -> Iterator[TransactionRun]:
        """The runs that ended on this table so far."""
        with self._lock:
            futures = list(self._runs.values())
        return (f.result() for f in futures if f.done() and f.exception() is None)


class Store:
    """The files of commits, linked out of the tables in which they were made. Thread-safe."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._count = itertools.count(1)

    def keep(self, table: Path, names: list[str]) -> tuple[tuple[Path, str], ...]:
        """Keeps files of a table; the last of them is laid in last."""
        folder = self._folder / str(next(self._count))
        folder.mkdir(parents=True)
        kept = []
        for number, name in enumerate(names):
            place = folder / str(number)
            os.link(table / name, place)
            kept.append((place, name))
        return tuple(kept)


def lay_in(states: list[TableState], table: Path) -> None:
    """Makes the commits of some tables in another copy, data first, each log entry last."""
    for state in states:
        for stored, name in state.stored:
            place = table / name
            if not place.exists():  # A file that is added again, with a deletion vector.
                place.parent.mkdir(parents=True, exist_ok=True)
                os.link(stored, place)
