"""An observed replay: a scenario run on an engine step by step, with everything seen on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from conformance.delta_log.log_reader import UnreadableTable
from conformance.engine import Begun, CommitRecord, Committed, Engine, EngineError, Replay
from model.history import Row
from model.listing import cut, listed
from model.outcomes import FAILED
from model.scenario import Scenario, Step
from model.several import parts


@dataclass(frozen=True, slots=True)
class ObservedStep:
    """The state after one step: the newest version, and that version's rows."""

    step: Step
    version: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Observation:
    """One replay, as seen from outside: the log, the files, and the end of each transaction.

    ``outcomes`` has the names that scenario files use; a statement that failed by itself has its
    error class there. ``files`` holds the rows of every data file that a version adds, by version
    and path: a path is added again with a deletion vector, or by RESTORE. ``lost`` has the paths
    of files of some version that a VACUUM has deleted. If other tables are written as well,
    ``others_at`` has the rows that they had when a transaction began, by its name.
    """

    scenario: Scenario
    engine: str
    level: str
    base_version: int
    begun: Mapping[str, Begun]
    ended: Mapping[str, Committed]
    steps: tuple[ObservedStep, ...]
    log: tuple[CommitRecord, ...]
    files: Mapping[tuple[int, str], tuple[Row, ...]]
    rows: tuple[Row, ...]
    lost: frozenset[str] = frozenset()
    others_at: Mapping[str, Mapping[str, tuple[Row, ...]]] = field(default_factory=dict)

    def __repr__(self) -> str:
        ends = listed(f"{name} {end}" for name, end in self.outcomes.items())
        return f"<Observation of {cut(self.scenario.name)} on {self.engine}: {ends}>"

    @property
    def version(self) -> int:
        """The newest version at the end; -1 if there is no table."""
        return self.log[-1].version if self.log else -1

    @property
    def outcomes(self) -> dict[str, str]:
        """The outcome of each transaction, by name."""
        return {name: outcome(end) for name, end in self.ended.items()}


def outcome(end: Committed) -> str:
    """A transaction's outcome; for a failure, its error class."""
    if end.outcome == FAILED:
        return end.error_class or "failed without an error class"
    return end.outcome


def observe(engine: Engine, scenario: Scenario, level: str) -> Observation:
    """Replays a scenario on an engine at an isolation level. Raises EngineError."""
    return observe_parts(engine, scenario, {scenario.target: level}, level)[scenario.target]


def observe_parts(
    engine: Engine, scenario: Scenario, levels: Mapping[str, str], level: str | None = None
) -> dict[str, Observation]:
    """Replays a scenario that may write several tables: one observation for each of them.

    ``levels`` has the levels that the tables are at, ``level`` the one that they are put at: None
    leaves each at its own. Raises EngineError.
    """
    replay = engine.open(scenario, level)
    try:
        return _driven(replay, engine.name, scenario, levels)
    except UnreadableTable as error:
        raise EngineError(f"the table cannot be read: {error}", scenario=scenario.name) from error
    finally:
        replay.close()


def drive(replay: Replay, engine: str, scenario: Scenario, level: str) -> Observation:
    """Takes an opened replay of a scenario with one written table through its schedule."""
    return _driven(replay, engine, scenario, {scenario.target: level})[scenario.target]


class Watched:
    """One table of a replay: its log, files and rows so far."""

    def __init__(self, replay: Replay, table: str) -> None:
        self.replay = replay
        self.table = table
        self.log = tuple(replay.log(table))
        self.rows = replay.rows(table=table)
        self.files = self._files(self.log)
        self.lost: frozenset[str] = frozenset()
        self.steps: list[ObservedStep] = []
        self.base_version = self.version

    @property
    def version(self) -> int:
        return self.log[-1].version if self.log else -1

    def look(self) -> None:
        """Notes new versions, at once: a VACUUM may delete files later."""
        latest = tuple(self.replay.log(self.table))
        if len(latest) > len(self.log):
            self.files |= self._files(latest[len(self.log) :])
            self.log, self.rows = latest, self.replay.rows(table=self.table)
            self.lost |= self.replay.lost(self.table)

    def _files(self, records: Iterable[CommitRecord]) -> dict[tuple[int, str], tuple[Row, ...]]:
        """The rows of the files that some versions add."""
        return {
            (record.version, added.path): self.replay.file_rows(
                added.path, record.version, self.table
            )
            for record in records
            for added in record.adds
        }


def _driven(
    replay: Replay, engine: str, scenario: Scenario, levels: Mapping[str, str]
) -> dict[str, Observation]:
    pieces = parts(scenario)
    home = {name: table for table, piece in pieces.items() for name in piece.transactions}
    watched = {table: Watched(replay, table) for table in pieces}
    begun: dict[str, Begun] = {}
    ended: dict[str, Committed] = {}
    found: dict[str, dict[str, Mapping[str, tuple[Row, ...]]]] = {table: {} for table in pieces}
    for step in scenario.schedule:
        name = step.transaction
        table = home[name]
        if step.action == "begin":
            begun[name] = replay.begin(name)
            if len(pieces) > 1:
                others = pieces[table].tables
                found[table][name] = {
                    other: watched[other].rows if other in watched else replay.rows(table=other)
                    for other in others
                }
        else:
            ended[name] = replay.commit(name)
        for one in watched.values():
            one.look()
        seen = watched[table]
        seen.steps.append(ObservedStep(step, seen.version, seen.rows))
    return {
        table: Observation(
            piece,
            engine,
            levels[table],
            replay.base_version if table == scenario.target else watched[table].base_version,
            {name: begun[name] for name in begun if name in piece.transactions},
            {name: ended[name] for name in ended if name in piece.transactions},
            tuple(watched[table].steps),
            watched[table].log,
            watched[table].files,
            watched[table].rows,
            watched[table].lost,
            found[table],
        )
        for table, piece in pieces.items()
    }
