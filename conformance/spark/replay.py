"""One scenario under way on Delta on Spark."""

from __future__ import annotations

import queue
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from conformance.delta_log.log_reader import LogReader
from conformance.engine import Begun, CommitRecord, Committed, EngineError
from conformance.spark.catalog import use_database
from conformance.spark.footprints import footprint_of
from conformance.spark.forks import Fork
from conformance.spark.lanes import Event, Finished, Function, Held, Lane, Raised, Work
from conformance.spark.outcomes import outcome_of
from conformance.spark.places import Place
from conformance.spark.sharing import SharedRun, State, after, uncontended
from model.errors import InvalidScenario
from model.history import Row
from model.outcomes import COMMITTED, NO_COMMIT, READ
from model.scenario import Scenario
from model.several import homes
from model.sql.dialect import DropFeature, UnsetProperties, Vacuum
from model.sql.printer import actions, syntax, taken_apart

if TYPE_CHECKING:
    from conformance.spark.engine import SparkEngine


_SEVERAL = (Vacuum, exp.AlterSet, UnsetProperties, DropFeature)
"""Statements, and actions of ALTER TABLE, that may commit several times, or fail in between.

VACUUM records its start and its end; enabling row tracking and removing a feature or column
mapping prepare the table in commits of their own.
"""


def commits_again(text: str) -> bool:
    """True if a statement may commit several times, and may fail after some of them."""
    tree = _tree(text)
    return tree is not None and any(isinstance(t, _SEVERAL) for t in (tree, *actions(tree)))


def rebinds(text: str) -> bool:
    """True if a statement puts another entry for a table into the catalog."""
    return isinstance(_tree(text), exp.Create | exp.Drop)


def _tree(text: str) -> exp.Expr | None:
    """A statement's tree; None for what is not SQL, which the engine refuses."""
    try:
        return syntax(text).tree
    except InvalidScenario:
        return None


class SparkReplay:
    """A scenario's tables in a place of their own, and its transactions, each on a lane."""

    def __init__(self, engine: SparkEngine, scenario: Scenario, place: Place):
        self.scenario = scenario
        self._engine = engine
        self._place: Place | None = place
        self._session = place.seat.session
        use_database(self._session, place.database)
        template = place.template
        self._readers = {name: LogReader(place.folder / name) for name in template.tables}
        for name in template.absent:
            self._readers[name] = LogReader(place.folder / name, may_be_absent=True)
        self._lanes: dict[str, Lane] = {}
        self._held: dict[str, Held] = {}
        self._ended: dict[str, Committed] = {}
        self._begun: dict[str, tuple[Begun, State]] = {}
        self._laid: dict[str, SharedRun] = {}
        self._state: State = (place.template.folder,)
        self._prepared = {name: reader.version() for name, reader in self._readers.items()}
        self.base_version = self._prepared[scenario.target]
        self._homes = homes(scenario)
        self._unshared = len({scenario.target, *self._homes.values()}) > 1
        self._functions: dict[str, Function] = {}

    @property
    def folder(self) -> Path:
        """The folder of the tables, each in a folder of its name."""
        return self._place_now.folder

    @property
    def session(self) -> Any:
        """The Spark session whose bare names are the tables of this replay."""
        return self._session

    def add(self, name: str, work: str | Function) -> None:
        """Add a transaction: a statement, or a function of the session.

        Runs are not shared from now on, since the schedule is not known beforehand.
        """
        self._unshared = True
        text, home = ("", self.scenario.target)
        if callable(work):
            self._functions[name] = work
        else:
            text = work
            home = homes(replace(self.scenario, transactions={name: work}))[name]
        transactions = {**self.scenario.transactions, name: text}
        self.scenario = replace(self.scenario, transactions=transactions)
        self._homes = {**self._homes, name: home}

    def begin(self, name: str) -> Begun:
        """Run a statement up to its first commit, or a query up to its executed plan."""
        step = f"begin {name}"
        if name in self._begun:
            raise self._error(step, "begun twice")
        run = self._shared(name)
        if run is not None:
            self._laid[name] = run
            begun = run.begun
        else:
            with self._engine.process.watched(self.scenario.name, step):
                begun = self._begin(name, step)
        self._begun[name] = begun, self._state
        return begun

    def commit(self, name: str) -> Committed:
        """Release a held statement and report how it ended."""
        step = f"commit {name}"
        if name not in self._begun or not (
            name in self._lanes or name in self._ended or name in self._laid
        ):
            raise self._error(step, "committed without a begin")
        begun, state = self._begun[name]
        if name in self._laid:
            if state != self._state:
                raise self._error(step, "another transaction committed against the schedule")
            run = self._laid.pop(name)
            run.lay_into(self._place_now.folder / self._homes[name])
            ended, shared = run.ended, True
        else:
            with self._engine.process.watched(self.scenario.name, step):
                ended = self._commit(name, step)
            shared = self._share(name, begun, ended)
        if ended.outcome == COMMITTED or ended.earlier_versions:
            self._state = after(self._state, self.scenario.transactions[name], shared)
        return ended

    def abandon(self, name: str) -> None:
        """End a held statement before its commit, as if its writer had died there."""
        step = f"abandon {name}"
        if name not in self._lanes:
            raise self._error(step, "nothing is held")
        with self._engine.process.watched(self.scenario.name, step):
            self._lanes[name].release(abandon=True)
            self._wait(self._lanes[name], step)
            self._return_lane(name)

    def fork(self, name: str) -> Fork | None:
        """A held transaction that can be committed more than once; its statement is abandoned.

        None, and nothing is abandoned, if there is no such transaction.
        """
        step = f"fork {name}"
        if name not in self._lanes or name not in self._held:
            return None
        with self._engine.process.watched(self.scenario.name, step):
            fork = Fork.of(self._begun[name][0], self._held[name], self._session)
        if fork is not None:
            self.abandon(name)
        return fork

    def _begin(self, name: str, step: str) -> Begun:
        home = self._homes[name]
        read_version = self._readers[home].version()
        lane = self._lanes[name] = self._engine.take_lane()
        if home in self._place_now.template.tables and rebinds(self.scenario.transactions[name]):
            self._place_now.name_again(home)
        lane.start(*self._task(name))
        event = self._wait(lane, step)
        if read_version == self._prepared[home]:
            self._place_now.keep_loaded()
        if not isinstance(event, Held):
            self._return_lane(name)
            self._expect_no_version(step, read_version)
            self._ended[name] = self._end(event, step, read_version)
            return Begun(read_version, finished=True)
        if event.transaction is None:
            return Begun(read_version)
        self._held[name] = event
        version = event.transaction.readVersion()
        if version != read_version:
            raise self._error(step, f"snapshot {version} of a log that is at {read_version}")
        return Begun(read_version, footprint_of(event.transaction))

    def _commit(self, name: str, step: str) -> Committed:
        if name in self._ended:
            return self._ended.pop(name)
        before = self._readers[self._homes[name]].version()
        self._lanes[name].release()
        event = self._wait(self._lanes[name], step)
        self._return_lane(name)
        return self._end(event, step, before)

    def _end(self, event: Event, step: str, before: int) -> Committed:
        """The end of a statement, from its last event and the new versions in the log."""
        if isinstance(event, Raised):
            if self._engine.process.stopped:
                raise self._error(step, event.error) from event.error
            written = self._new_versions(step, before)
            if written and not self._may_commit_again(step):
                raise self._error(step, f"{len(written)} new versions in the log")
            try:
                return replace(outcome_of(event.error), earlier_versions=written)
            except Exception as error:
                if _transaction(step) in self._functions:
                    raise  # The function's own.
                raise self._error(step, error) from error
        if not isinstance(event, Finished):
            raise self._error(step, "held a second time")
        if event.rows is not None:
            return Committed(READ, rows=event.rows)
        versions = self._new_versions(step, before)
        if not versions:
            return Committed(NO_COMMIT)
        return Committed(COMMITTED, versions[-1], earlier_versions=versions[:-1])

    def _shared(self, name: str) -> SharedRun | None:
        """The earlier run of a transaction that no commit interrupts, if there was one."""
        runs = self._engine.shared_runs
        if (
            runs is None
            or self._created
            or self._unshared
            or not uncontended(self.scenario.schedule, name)
        ):
            return None
        return runs.get(self._state, self.scenario.transactions[name])

    def _share(self, name: str, begun: Begun, ended: Committed) -> bool:
        """Keep a run that no commit interrupted and that wrote to no other table."""
        runs, state = self._engine.shared_runs, self._begun[name][1]
        home = self._homes[name]
        others = {t: reader.version() for t, reader in self._readers.items() if t != home}
        if (
            runs is None
            or self._created
            or self._unshared
            or state != self._state
            or not others.items() <= self._prepared.items()
        ):
            return False
        if ended.earlier_versions:
            return False  # A VACUUM deletes files, which copying files in cannot repeat.
        version = ended.commit_version
        record = None if version is None else self._readers[home].commits()[version]
        table = self._place_now.folder / home
        return runs.put(state, self.scenario.transactions[name], begun, ended, table, record)

    def note_foreign_commit(self) -> None:
        """Note that another engine has written to the table: sharing ends here."""
        self._state = after(self._state, "", False)

    def log(self, table: str = "t") -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        return self._readers[table].commits()

    def file_rows(self, path: str, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a data file of a table after a version, in the file's order."""
        return self._readers[table].file_rows(path, version)

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest)."""
        return self._readers[table].rows(version)

    def lost(self, table: str = "t") -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        return self._readers[table].lost()

    def close(self) -> None:
        """End held statements without a commit, drop the names, remove the folder."""
        if self._place is None:
            return
        place, self._place = self._place, None
        with self._engine.process.watched(self.scenario.name, "close"):
            self.end_held()
            rebound = any(
                rebinds(text) and self._homes[name] in place.template.tables
                for name, text in self.scenario.transactions.items()
            )
            if rebound:
                # The catalog's entry for the table is not the one that the place was given.
                self._engine.places.drop(place)
            else:
                self._engine.places.give_back(place)

    def end_held(self) -> None:
        """End held statements without a commit."""
        for name in list(self._lanes):
            self._lanes[name].release(abandon=True)
            self._wait(self._lanes[name], f"end of {name}")
            self._return_lane(name)

    @property
    def _created(self) -> bool:
        """True if a statement creates the target: copied files would not put it in the catalog."""
        return self.scenario.target in self._place_now.template.absent

    @property
    def _place_now(self) -> Place:
        if self._place is None:
            raise self._error("after close", "the replay is closed")
        return self._place

    def _task(self, name: str) -> tuple[Any, Work]:
        """A transaction's session and work; one with SET has its own session."""
        if name in self._functions:
            return self._session, self._functions[name]
        *settings, statement = statements(self.scenario.transactions[name])
        if not settings:
            return self._session, (statement,)
        session = self._session.newSession()
        use_database(session, self._place_now.database)
        return session, (*settings, statement)

    def _new_versions(self, step: str, before: int) -> tuple[int, ...]:
        """The versions written since: at most one, unless the statement may write more."""
        new = self._readers[self._home_of(step)].commits()[before + 1 :]
        if len(new) > 1 and not self._may_commit_again(step):
            operations = tuple(record.operation for record in new)
            raise self._error(step, f"{len(new)} new versions in the log: {operations}")
        return tuple(record.version for record in new)

    def _may_commit_again(self, step: str) -> bool:
        """True if the step is about a statement that may commit several times."""
        name = _transaction(step)
        return name in self._functions or commits_again(self.scenario.transactions[name])

    def _home_of(self, step: str) -> str:
        """The table that the transaction of a step writes or, for a query, belongs to."""
        return self._homes[_transaction(step)]

    def _expect_no_version(self, step: str, before: int) -> None:
        written = self._readers[self._home_of(step)].version() - before
        if written:
            raise self._error(step, f"{written} new versions in the log")

    def _wait(self, lane: Lane, step: str) -> Event:
        try:
            return lane.wait(self._engine.step_seconds)
        except queue.Empty:
            raise self._error(step, f"no answer within {self._engine.step_seconds:g} s") from None

    def _return_lane(self, name: str) -> None:
        self._engine.give_back_lane(self._lanes.pop(name))

    def _error(self, step: str, error: object) -> EngineError:
        message = self._engine.process.explained(error)
        return EngineError(message, scenario=self.scenario.name, step=step)


def _transaction(step: str) -> str:
    """The name of the transaction that a step such as ``begin A`` is about."""
    return step.split(" ", 1)[1]


def statements(text: str) -> tuple[str, ...]:
    """``SET key = value; statement`` taken apart; a lone statement stays as it is."""
    settings, statement = taken_apart(text)
    if not settings:
        return (text,)
    return (*(f"SET {key}={value}" for key, value in settings), statement)
