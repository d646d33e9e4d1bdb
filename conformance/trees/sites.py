"""Sites: where the transactions of a tree are run, one at a time on each.

On most engines a site is nothing that lasts: each run takes a fresh copy of the prepared table. On
Spark loading a table costs more than a statement, and a begun transaction can be committed past
several winners; so a site there keeps its copy, the tables that Delta has loaded, and the
transactions that were begun on them.
"""

from __future__ import annotations

import queue
import threading
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from conformance.engine import Committed, EngineError
from conformance.spark.engine import SparkEngine
from conformance.spark.forks import Fork, why_not
from conformance.spark.lanes import Raised
from conformance.spark.places import LoadedTable, Place
from conformance.spark.replay import SparkReplay
from conformance.trees.runs import TreeEngine, kept_run, run_through, run_transaction
from conformance.trees.tables import Store, TableState, TransactionRun, lay_in
from model.scenario import Scenario

LOADED = 16
"""Tables that Delta keeps loaded for a site, and begun transactions that it keeps."""


class Site(Protocol):
    """Runs one transaction at a time."""

    def run(
        self, case: Scenario, name: str, snapshot: TableState, met: TableState
    ) -> TransactionRun:
        """Runs a transaction. Raises EngineError and WritesElsewhere."""
        ...

    def close(self) -> None:
        """Gives back what the site holds."""
        ...


def make_site(engine: TreeEngine, scenario: Scenario, level: str, store: Store) -> Site:
    """A site for the tables of a scenario. Raises EngineError."""
    if isinstance(engine, SparkEngine):
        return SparkSite(engine, scenario, level, store)
    return FreshSite(engine, level, store)


class FreshSite:
    """Runs every transaction from its begin on a fresh copy of the table."""

    def __init__(self, engine: TreeEngine, level: str, store: Store):
        self._engine, self._level, self._store = engine, level, store

    def run(
        self, case: Scenario, name: str, snapshot: TableState, met: TableState
    ) -> TransactionRun:
        """Runs a transaction. Raises EngineError and WritesElsewhere."""
        return run_transaction(self._engine, case, self._level, self._store, name, snapshot, met)

    def close(self) -> None:
        """Nothing is held."""


class SparkSite:
    """One place of Delta on Spark, moved from table to table of a tree."""

    def __init__(self, engine: SparkEngine, scenario: Scenario, level: str, store: Store):
        self._engine, self._store = engine, store
        self._place: Place = engine.take_place(scenario, level)
        self._target = scenario.target
        self._table = self._place.folder / self._target
        self._loaded: OrderedDict[TableState, LoadedTable] = OrderedDict()
        self._forks: OrderedDict[
            tuple[str, TableState], tuple[Fork, tuple[tuple[Path, str], ...]]
        ] = OrderedDict()

    def run(
        self, case: Scenario, name: str, snapshot: TableState, met: TableState
    ) -> TransactionRun:
        """Runs a transaction, from its begin or, if it was begun here before, its commit alone."""
        key = case.transactions[name], snapshot
        with self._engine.process.watched(case.name, f"run {name}"):
            self._enter(snapshot)
            if (kept := self._forks.get(key)) is not None:
                fork, files = kept
                self._forks.move_to_end(key)
                lay_in([TableState(None, (), files)], self._table)
                return self._commit(fork, case.name, name, snapshot, met)
            replay = SparkReplay(self._engine, case, self._place)
            try:
                replay.note_foreign_commit()
                present = self._data()
                begun = replay.begin(name)
                self._keep_loaded(snapshot)
                again = self._fork(replay, name, snapshot)
                if again is None:
                    ended = run_through(replay, name, begun, snapshot, met)
                    return kept_run(self._table, self._store, begun, ended, snapshot, met)
                files = self._store.keep(self._table, sorted(self._data() - present))
                self._forks[key] = again, files
                if len(self._forks) > LOADED:
                    self._forks.popitem(last=False)
                return self._commit(again, case.name, name, snapshot, met)
            finally:
                replay.end_held()

    def close(self) -> None:
        """Resets the place and gives it back, unless Spark is gone."""
        self._loaded.clear()
        self._forks.clear()
        if self._engine.usable():
            self._engine.places.give_back(self._place)

    def _commit(
        self, fork: Fork, scenario: str, name: str, snapshot: TableState, met: TableState
    ) -> TransactionRun:
        """Commits a begun transaction past its winners. Raises EngineError."""
        lay_in(met.since(snapshot), self._table)
        step, seconds = f"commit {name}", self._engine.step_seconds
        lane = self._engine.take_lane()
        done: list[Committed] = []
        lane.start(self._place.seat.session, lambda _: done.append(fork.commit()), hold=False)
        try:
            event = lane.wait(seconds)
        except queue.Empty:
            raise EngineError(
                f"no answer within {seconds:g} s", scenario=scenario, step=step
            ) from None
        self._engine.give_back_lane(lane)
        if isinstance(event, Raised):
            message = self._engine.process.explained(event.error)
            raise EngineError(message, scenario=scenario, step=step) from event.error
        return kept_run(self._table, self._store, fork.begun, done[0], snapshot, met)

    def _enter(self, state: TableState) -> None:
        """Makes the place's table that of a state, in the files and in Delta's view."""
        self._place.reset()
        lay_in(state.path()[1:], self._table)
        if (loaded := self._loaded.get(state)) is not None:
            self._loaded.move_to_end(state)
            loaded.reset()

    def _keep_loaded(self, state: TableState) -> None:
        """Keeps what Delta has computed of the table, for the next begin on it."""
        if state.before is None:
            return  # The place does that for the prepared table.
        now = self._place.loaded_now(self._target)
        if now.version == state.version:
            now.keep()
            self._loaded[state] = now
            if len(self._loaded) > LOADED:
                self._loaded.popitem(last=False)

    def _fork(self, replay: SparkReplay, name: str, snapshot: TableState) -> Fork | None:
        if why_not(replay.scenario.transactions[name], snapshot.protocol) is not None:
            return None
        return replay.fork(name)

    def _data(self) -> set[str]:
        """The files of the table outside of its log."""
        files = (file for file in self._table.rglob("*") if file.is_file())
        names = {file.relative_to(self._table) for file in files}
        return {str(name) for name in names if name.parts[0] != "_delta_log"}


class Sites:
    """The sites of a tree, each used by one thread at a time. Thread-safe.

    A transaction goes to the site where it was begun before.
    """

    def __init__(self, make: Callable[[], Site], most: int):
        self._make, self._most = make, most
        self._changed = threading.Condition()
        self._idle: list[Site] = []
        self._all: list[Site] = []
        self._making = 0
        self._begun: dict[tuple[str, TableState], Site] = {}

    def run(
        self, case: Scenario, name: str, snapshot: TableState, met: TableState
    ) -> TransactionRun:
        """Runs a transaction on one of the sites. Raises EngineError and WritesElsewhere."""
        site = self._take((case.transactions[name], snapshot))
        try:
            return site.run(case, name, snapshot, met)
        finally:
            with self._changed:
                self._idle.append(site)
                self._changed.notify_all()

    def close(self) -> None:
        """Closes all sites; none may be in use."""
        for site in self._all:
            site.close()

    def _take(self, key: tuple[str, TableState]) -> Site:
        with self._changed:
            while True:
                begun = self._begun.get(key)
                if begun is not None and begun in self._idle:
                    self._idle.remove(begun)
                    return begun
                if begun is None and self._idle:
                    site = self._begun[key] = self._idle.pop()
                    return site
                if begun is None and len(self._all) + self._making < self._most:
                    self._making += 1
                    break
                self._changed.wait()
        try:
            site = self._make()
        finally:
            with self._changed:
                self._making -= 1
                self._changed.notify_all()
        with self._changed:
            self._all.append(site)
            self._begun.setdefault(key, site)
        return site
