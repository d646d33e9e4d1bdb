"""One scenario under way on delta-rs.

A handle pinned at a version is a transaction's snapshot: the operation works on it and commits
against whatever is newest by then. delta-rs does all of its work at the commit; since its
snapshot is fixed and data files never change, this is indistinguishable from earlier work.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.delta_log.log_reader import LogReader
from conformance.delta_rs.definitions import Definitions
from conformance.delta_rs.operations import read, reads_target, rows_of, write
from conformance.delta_rs.outcomes import is_from_delta_rs, outcome_of
from conformance.engine import BadStatement, Begun, CommitRecord, Committed, EngineError
from model.errors import InvalidScenario, StatementFailure
from model.history import Row
from model.outcomes import COMMITTED, FAILED, NO_COMMIT, READ
from model.scenario import Scenario
from model.several import homes
from model.sql import parse_statement
from model.statements import Select, Statement
from model.tables.table import Table
from model.workload import TARGET

if TYPE_CHECKING:
    from deltalake import DeltaTable


Function = Callable[["DeltaTable"], object]
"""A function of a table pinned at a version that runs code of its own."""

_UNREADABLE = "Failed to parse value"
"""Part of the error of a commit that wrote a partition value which delta-rs cannot parse.

deltalake 1.6.6 writes the decimal -0.75 as ``0.-75``. The version is in the log by then.
"""


class DeltaRsReplay:
    """A scenario's tables in a folder of their own, and a pinned handle for each transaction."""

    def __init__(self, scenario: Scenario, folder: Path, tables: Mapping[str, Table]) -> None:
        self.scenario = scenario
        self._folder = folder
        self._tables = tables
        self._readers = {name: LogReader(folder / name) for name in tables}
        self._in_flight: dict[str, DeltaTable] = {}
        self._homes = homes(scenario)
        self._functions: dict[str, Function] = {}
        self._found: dict[str, dict[str, tuple[Row, ...]]] = {}
        self.base_version = self._readers[scenario.target].version()
        self._definitions = {
            home: Definitions(tables[home], self._readers[home])
            for home in {scenario.target, *self._homes.values()}
        }

    @property
    def folder(self) -> Path:
        """The folder of the tables, each in a folder of its name."""
        return self._folder

    def add(self, name: str, work: str | Function) -> None:
        """Adds a transaction: a statement, or a function of a table pinned at the snapshot."""
        home = self.scenario.target
        if callable(work):
            self._functions[name] = work
        else:
            home = homes(replace(self.scenario, transactions={name: work}))[name]
            transactions = {**self.scenario.transactions, name: work}
            self.scenario = replace(self.scenario, transactions=transactions)
        self._homes = {**self._homes, name: home}
        if home not in self._definitions:
            self._definitions[home] = Definitions(self._tables[home], self._readers[home])

    def begin(self, name: str) -> Begun:
        """Pins a handle at the newest version."""
        from deltalake import DeltaTable

        home = self._homes[name]
        version = self._readers[home].version()
        self._in_flight[name] = DeltaTable(str(self._folder / home), version=version)
        self._found[name] = {
            other: self.rows(table=other) for other in self._tables if other != home
        }
        return Begun(version)

    def commit(self, name: str) -> Committed:
        """Runs the statement on its pinned handle.

        Raises BadStatement if it damages the table, and EngineError for another unforeseen end.
        """
        if name not in self._in_flight:
            raise self._error(f"commit {name}", "committed before its begin, or twice")
        handle = self._in_flight.pop(name)
        if name in self._functions:
            return self._call(self._functions[name], handle)
        text = self.scenario.transactions[name]
        home = self._homes[name]
        target = self._definitions[home].at(handle.version())
        try:
            statement = parse_statement(text, home, {**self._tables, home: target})
        except InvalidScenario as error:
            return Committed(FAILED, error_class=error.error_class, message=str(error))
        before = self._readers[home].version()
        ended = self._run(statement, handle, self._found[name])
        written = self._readers[home].version() - before
        if written > (ended.outcome == COMMITTED):
            step = f"commit {name}"
            if _UNREADABLE in (ended.message or ""):
                # Nothing that comes after it can be observed: delta-rs no longer opens the table.
                raise BadStatement(
                    f"it wrote a version that delta-rs cannot read again: {ended.message}",
                    scenario=self.scenario.name,
                    step=step,
                )
            raise self._error(
                step, f"{written} new versions after {ended.outcome}: {ended.message}"
            )
        if ended.outcome != COMMITTED:
            return ended
        return Committed(COMMITTED, before + 1) if written else Committed(NO_COMMIT)

    def abandon(self, name: str) -> None:
        """Forgets a begun transaction, as if its writer had died before its commit."""
        if self._in_flight.pop(name, None) is None:
            raise self._error(f"abandon {name}", "nothing is held")

    def _call(self, function: Function, handle: DeltaTable) -> Committed:
        """Calls a function with its pinned handle. Raises what its own code raises."""
        reader = self._readers[self.scenario.target]
        before = reader.version()
        try:
            function(handle)
        except Exception as error:
            ended = outcome_of(error)
            if ended is None or not is_from_delta_rs(error):
                raise
            return ended
        written = tuple(range(before + 1, reader.version() + 1))
        if not written:
            return Committed(NO_COMMIT)
        return Committed(COMMITTED, written[-1], earlier_versions=written[:-1])

    def note_foreign_commit(self) -> None:
        """Nothing to do: each step looks at the log as it is."""

    def log(self, table: str = TARGET) -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        return self._readers[table].commits()

    def file_rows(
        self, path: str, version: int | None = None, table: str = TARGET
    ) -> tuple[Row, ...]:
        """The rows of a data file of a table after a version, in the file's order."""
        return self._readers[table].file_rows(path, version)

    def rows(self, version: int | None = None, table: str = TARGET) -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest)."""
        return self._readers[table].rows(version)

    def lost(self, table: str = TARGET) -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        return self._readers[table].lost()

    def close(self) -> None:
        """Forgets the handles and removes the folder."""
        self._in_flight.clear()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _run(
        self, statement: Statement, handle: DeltaTable, others: Mapping[str, tuple[Row, ...]]
    ) -> Committed:
        """Runs a statement that finds these rows in the other tables."""
        try:
            own = needed_rows(statement, handle, statement.table)
            tables = {**others, statement.table.name: own}
            if isinstance(statement, Select):
                return Committed(READ, rows=read(statement, tables))
            if not write(statement, handle, tables):
                return Committed(NO_COMMIT)
        except StatementFailure as error:
            return Committed(FAILED, error_class=error.error_class, message=str(error))
        except EngineError as error:
            raise type(error)(
                error.message, scenario=self.scenario.name, step=statement.text
            ) from error
        except Exception as error:
            ended = outcome_of(error, statement)
            if ended is None:
                raise
            return ended
        return Committed(COMMITTED)

    def _error(self, step: str, message: str) -> EngineError:
        return EngineError(message, scenario=self.scenario.name, step=step)


def needed_rows(statement: Statement, handle: DeltaTable, table: Table) -> tuple[Row, ...]:
    """The rows of the handle's version, for statements that need them; none for the others."""
    return rows_of(handle, table) if reads_target(statement) else ()
