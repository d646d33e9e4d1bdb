"""Tables on a real engine whose transactions the caller begins and commits, one step at a time.

A transaction is a SQL statement, or a function with code of one's own. ``begin`` runs it up to its
first commit and holds it there, so an order of begins and commits is an order in which things
happen, on every run::

    with isodelta.started_engine("delta-rs") as engine:
        table = isodelta.stepped_table(
            engine, columns={"k": "int"}, setup=["INSERT INTO t VALUES (1)"]
        )
        delete = table.begin("DELETE FROM t WHERE k = 1")
        table.run("UPDATE t SET k = 2")
        assert delete.commit().outcome == "ConcurrentDeleteDelete"
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from string import ascii_uppercase
from typing import Any, Literal, Protocol

from conformance.engine import Begun, CommitRecord, Committed, Engine, Footprint, Replay
from conformance.replay.comparison import Comparison, compare
from conformance.replay.observation import Observation, ObservedStep, Watched
from isodelta.files.profiles import chosen
from isodelta.files.values import plain
from isodelta.options import ENGINES
from isodelta.runs.results import sort_key
from model.errors import InvalidScenario
from model.history import Row
from model.preparation import prepare
from model.profiles import Profile
from model.scenario import Scenario, Step, TableSpec
from model.several import homes
from model.workload import TARGET

Work = str | Callable[[Any], object]
"""A SQL statement over ``t``, or a function.

On Spark the function gets the session, in which ``t`` is the table; on delta-rs it gets a
``DeltaTable`` that is pinned at the transaction's snapshot. The first transaction that it starts
on its own thread is held before its commit, and what follows runs through.
"""


class Steppable(Replay, Protocol):
    """A replay that takes transactions as they come."""

    @property
    def folder(self) -> Path:
        """The folder of the tables."""
        ...

    def add(self, name: str, work: Work) -> None:
        """Add a transaction."""
        ...

    def abandon(self, name: str) -> None:
        """End a begun transaction before its commit."""
        ...


class SteppedTransaction:
    """A transaction that has begun, and waits before its commit. ``begin`` makes it."""

    def __init__(self, table: SteppedTable, name: str, begun: Begun) -> None:
        self._table = table
        self._begun = begun
        self._ended: Committed | None = None
        self.name = name

    @property
    def read_version(self) -> int:
        """The version of its snapshot."""
        return self._begun.read_version

    @property
    def footprint(self) -> Footprint | None:
        """The reads that the engine has recorded (Spark only; None if it recorded none)."""
        return self._begun.footprint

    def commit(self) -> Committed:
        """Lets it go on to its end, and says how it ended.

        ``outcome`` is ``committed``, ``no commit``, ``read``, a conflict's name (such as
        ``ConcurrentAppend``) or ``failed``; ``commit_version``, ``rows``, ``error_class`` and
        ``message`` say more. An exception of a function's own code is raised here. Raises
        ValueError for a second commit, and EngineError.
        """
        if self._ended is not None:
            raise ValueError(f"transaction {self.name} has ended already ({self._ended.outcome})")
        self._ended = self._table._commit(self.name)
        return self._ended

    def abandon(self) -> None:
        """Ends it before its commit, as if its writer had died there."""
        if self._ended is not None:
            raise ValueError(f"transaction {self.name} has ended already ({self._ended.outcome})")
        self._table._abandon(self.name)
        self._ended = Committed("abandoned")

    def __repr__(self) -> str:
        state = "waits before its commit" if self._ended is None else self._ended.outcome
        return f"<transaction {self.name}, snapshot {self.read_version}: {state}>"


class SteppedTable:
    """A Delta table, called ``t`` in SQL, in a folder of its own. `stepped_table` makes it."""

    def __init__(
        self, engine: Engine, table: TableSpec, tables: Mapping[str, TableSpec], level: str | None
    ) -> None:
        empty = Scenario("stepped", table, {}, (), dict(tables))
        self.engine = engine
        self.rules = chosen(ENGINES[engine.name])
        self.level = level or empty.level or self.rules.default_level
        self._start = empty.at_level(self.level)
        replay: Any = engine.open(empty, self.level)
        self._replay: Steppable = replay
        self._seen = Watched(self._replay, TARGET)
        self._begun: dict[str, Begun] = {}
        self._ended: dict[str, Committed] = {}
        self._work: dict[str, Work] = {}
        self._abandoned: set[str] = set()
        self._names = _names()

    @property
    def path(self) -> Path:
        """The table's folder."""
        return self._replay.folder / TARGET

    @property
    def session(self) -> Any:
        """On Spark, the session in which ``t`` is the table. Raises AttributeError elsewhere."""
        replay: Any = self._replay
        return replay.session

    @property
    def version(self) -> int:
        """The newest version."""
        return self.log()[-1].version

    def begin(self, work: Work, name: str | None = None) -> SteppedTransaction:
        """Takes a snapshot, does the work up to its first commit, and holds it there.

        Names are A, B, C, ... unless given. Raises ValueError for a name that is taken, and
        EngineError.
        """
        given: object = work
        if not isinstance(given, str) and not callable(given):
            kind = type(given).__name__
            raise TypeError(f"begin takes a SQL statement or a function, not {kind}")
        name = name or next(free for free in self._names if free not in self._work)
        if name in self._work:
            raise ValueError(f"there is a transaction {name} already")
        self._work[name] = work
        self._replay.add(name, work)
        self._begun[name] = self._replay.begin(name)
        self._look("begin", name)
        return SteppedTransaction(self, name, self._begun[name])

    def run(self, work: Work, name: str | None = None) -> Committed:
        """Begins and commits. Raises like both."""
        return self.begin(work, name).commit()

    def rows(self, version: int | None = None) -> list[Row]:
        """The rows at a version (None: the newest), in the order of their values."""
        return sorted(self._replay.rows(version), key=lambda row: sort_key(tuple(map(plain, row))))

    def log(self) -> Sequence[CommitRecord]:
        """The versions of the table's log, oldest first."""
        return self._replay.log()

    def scenario(self, name: str = "stepped") -> Scenario:
        """What was done so far, as a scenario: it can be saved, checked and replayed.

        Transactions that have not ended are left out. Raises ValueError if one of the others is a
        function, for which there is no SQL.
        """
        if own := [name for name in self._ended if not isinstance(self._work[name], str)]:
            raise ValueError(f"transaction {own[0]} is a function; a scenario has SQL alone")
        texts = {name: str(work) for name, work in self._work.items() if name in self._ended}
        steps = tuple(seen.step for seen in self._steps(texts))
        return Scenario(name, self._start.table, texts, steps, self._start.tables)

    def _steps(self, names: Collection[str]) -> list[ObservedStep]:
        return [seen for seen in self._seen.steps if seen.step.transaction in names]

    def compared(self, profile: Profile | str | None = None) -> Comparison:
        """What was done so far, judged and compared with the model.

        ``verdicts`` has the verdict on the observed history at each level, ``differences`` what
        the model predicts otherwise. Raises ValueError like `scenario` and for transactions that
        write other tables, and InvalidScenario for SQL that the model does not have.
        """
        rules = chosen(profile or self.rules)
        scenario = self.scenario()
        if not scenario.transactions:
            raise ValueError("no transaction has ended yet")
        if others := sorted({*homes(scenario).values()} - {TARGET}):
            raise ValueError(f"table {others[0]} is written too; t alone can be compared")
        workload = prepare(scenario, rules, self.level, opaque=True)
        texts, seen = scenario.transactions, self._seen
        observation = Observation(
            scenario,
            self.engine.name,
            self.level,
            self._replay.base_version,
            {name: begun for name, begun in self._begun.items() if name in texts},
            {name: ended for name, ended in self._ended.items() if name in texts},
            tuple(self._steps(texts)),
            seen.log,
            seen.files,
            seen.rows,
            seen.lost,
        )
        return compare(workload, rules, observation, {})

    def close(self) -> None:
        """Ends the transactions that wait, without a commit, and removes the table."""
        self._replay.close()

    def __repr__(self) -> str:
        waiting = [n for n in self._begun if n not in self._ended and n not in self._abandoned]
        held = f", waiting: {', '.join(waiting)}" if waiting else ""
        return f"<table t on {self.engine.name} at {self.level}, version {self.version}{held}>"

    def _commit(self, name: str) -> Committed:
        self._ended[name] = self._replay.commit(name)
        self._look("commit", name)
        return self._ended[name]

    def _look(self, action: Literal["begin", "commit"], name: str) -> None:
        """Notes what the table looks like after a step."""
        self._seen.look()
        step = ObservedStep(Step(action, name), self._seen.version, self._seen.rows)
        self._seen.steps.append(step)

    def _abandon(self, name: str) -> None:
        self._abandoned.add(name)
        self._replay.abandon(name)


def stepped_table(
    engine: Engine,
    columns: Mapping[str, str] | None = None,
    *,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    properties: Mapping[str, str] | None = None,
    setup: Sequence[str] = (),
    level: str | None = None,
    tables: Mapping[str, TableSpec] | None = None,
) -> SteppedTable:
    """A new table on an engine, whose transactions are begun and committed step by step.

    ``columns`` maps names to Spark's SQL types, {"k": "int", "v": "int"} by default; each entry
    of ``setup`` is a statement and a commit. ``level`` is the isolation level, else that of the
    properties, else the engine's own default. Raises TypeError for text where a list belongs,
    InvalidScenario for an unknown level, and EngineError.
    """
    for name, given in (("setup", setup), ("partition_by", partition_by)):
        if isinstance(given, str):
            raise TypeError(f"{name} is a list of strings, not a string")
    spec = TableSpec(
        dict(columns or {"k": "int", "v": "int"}),
        tuple(partition_by),
        tuple(cluster_by),
        dict(properties or {}),
        tuple(setup),
    )
    rules = chosen(ENGINES[engine.name])
    if level is not None and level not in rules.levels:
        raise InvalidScenario(f"no isolation level {level!r} (known: {', '.join(rules.levels)})")
    return SteppedTable(engine, spec, tables or {}, level)


def _names() -> Iterator[str]:
    yield from ascii_uppercase
    yield from (f"T{number}" for number in count(len(ascii_uppercase) + 1))
