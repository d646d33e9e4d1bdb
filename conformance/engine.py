"""The protocol of every engine under test: prepare, begin, commit, inspect.

An engine turns a scenario into a *replay*: the prepared tables, and the transactions driven step
by step in the order that the caller chooses. ``begin`` takes a transaction's snapshot, ``commit``
runs it to its end. A replay never guesses: a step that exceeds its time limit and a state that
was not foreseen are an :class:`EngineError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from model.history import Row
from model.scenario import Scenario


class EngineError(Exception):
    """The engine could not be started, died, hung, or reached an unforeseen state.

    ``scenario`` and ``step`` name the place, if known. The error says nothing about isolation: a
    replay that raised it has no outcome.
    """

    def __init__(self, message: str, *, scenario: str | None = None, step: str | None = None):
        self.message = message
        self.scenario = scenario
        self.step = step
        places = [f"scenario {scenario!r}"] if scenario else []
        places += [f"step {step!r}"] if step else []
        super().__init__(": ".join([", ".join(places), message] if places else [message]))


class BadStatement(EngineError):
    """The engine refuses a statement: the scenario is at fault, not the engine."""


@dataclass(frozen=True, slots=True)
class ReadPredicate:
    """One predicate that the engine recorded as read, split as its conflict check sees it.

    Both parts are conjunctions of SQL texts. ``rewritten`` is True if the partition part is
    applied to files through their partition values (the normal case for partition columns).
    """

    partition: tuple[str, ...]
    data: tuple[str, ...]
    rewritten: bool = True


@dataclass(frozen=True, slots=True)
class Footprint:
    """The reads of a transaction up to its commit, as the engine recorded them.

    ``files`` has the paths, as the log spells them, of the files that count as read after data
    skipping.
    """

    predicates: tuple[ReadPredicate, ...]
    files: frozenset[str]
    whole_table: bool


@dataclass(frozen=True, slots=True)
class Begun:
    """A transaction that has taken its snapshot.

    ``finished`` is True if the statement ended before it reached a commit (it had nothing to do,
    or failed by itself); ``commit`` then only reports how it ended.
    """

    read_version: int
    footprint: Footprint | None = None
    finished: bool = False


@dataclass(frozen=True, slots=True)
class Committed:
    """The end of a transaction.

    ``outcome`` is ``committed``, ``no commit``, ``read``, ``failed`` or the name of a conflict.
    If a statement commits several times (VACUUM records its start and its end),
    ``commit_version`` is its last version and ``earlier_versions`` has the others.
    ``conflict_with_version`` is the winner's version, None if the engine names none.
    ``rows`` are a reader's rows; ``error_class`` and ``message`` describe a conflict or a
    failure in the engine's own words.
    """

    outcome: str
    commit_version: int | None = None
    conflict_with_version: int | None = None
    rows: tuple[Row, ...] | None = None
    error_class: str | None = None
    message: str | None = None
    earlier_versions: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class AddedFile:
    """An ``add`` action: a data file that a commit put into the table."""

    path: str
    partition_values: Mapping[str, str | None]
    size: int
    data_change: bool
    stats: Mapping[str, object] | None
    deletion_vector: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class RemovedFile:
    """A ``remove`` action: a data file that a commit took out of the table."""

    path: str
    data_change: bool
    deletion_vector: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class CommitRecord:
    """One version of the log. Fields that the commit does not state are None."""

    version: int
    adds: tuple[AddedFile, ...]
    removes: tuple[RemovedFile, ...]
    metadata: Mapping[str, object] | None
    protocol: Mapping[str, object] | None
    operation: str | None
    operation_parameters: Mapping[str, object]
    is_blind_append: bool | None
    isolation_level: str | None
    read_version: int | None
    actions: tuple[Mapping[str, object], ...] = field(repr=False, default=())


class Replay(Protocol):
    """One scenario under way on an engine. Not thread-safe; ``close`` may be called twice."""

    @property
    def base_version(self) -> int:
        """The target's version when the replay was opened."""
        ...

    def begin(self, name: str) -> Begun:
        """Take the snapshot of a transaction; raises EngineError."""
        ...

    def commit(self, name: str) -> Committed:
        """Run a begun transaction to its end; raises EngineError."""
        ...

    def log(self, table: str = "t") -> Sequence[CommitRecord]:
        """All versions of a table's log, oldest first."""
        ...

    def file_rows(self, path: str, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a data file of a table as they were after a version (None: the newest).

        In the file's order, without rows that a deletion vector marks as deleted, under the
        schema of that version.
        """
        ...

    def rows(self, version: int | None = None, table: str = "t") -> tuple[Row, ...]:
        """The rows of a table at a version (None: the newest), in no particular order."""
        ...

    def lost(self, table: str = "t") -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        ...

    def close(self) -> None:
        """Abandon transactions in flight and remove the tables."""
        ...


class Engine(Protocol):
    """A Delta implementation under test."""

    @property
    def name(self) -> str:
        """Name as on the command line, for example ``delta-spark``."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Versions of the parts that matter, for reports."""
        ...

    def usable(self) -> bool:
        """True if the engine can replay further scenarios: it has not died."""
        ...

    def open(self, scenario: Scenario, level: str | None = None) -> Replay:
        """Prepare a scenario's tables; ``level`` overrides the table's own isolation level.

        Raises :class:`BadStatement` if the engine refuses the set-up, :class:`EngineError`
        if the engine does not work.
        """
        ...

    def close(self) -> None:
        """Stop the engine and remove all its files."""
        ...
