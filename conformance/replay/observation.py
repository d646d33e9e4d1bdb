"""An observed replay: a scenario run on an engine step by step, with everything seen on the way."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from conformance.delta_log.log_reader import UnreadableTable
from conformance.engine import Begun, CommitRecord, Committed, Engine, EngineError, Replay
from model.history import Row
from model.outcomes import FAILED
from model.scenario import Scenario, Step


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
    of files of some version that a VACUUM has deleted.
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
    replay = engine.open(scenario, level)
    try:
        return drive(replay, engine.name, scenario, level)
    except UnreadableTable as error:
        raise EngineError(f"the table cannot be read: {error}", scenario=scenario.name) from error
    finally:
        replay.close()


def drive(replay: Replay, engine: str, scenario: Scenario, level: str) -> Observation:
    """Takes an opened replay through the scenario's schedule."""
    begun: dict[str, Begun] = {}
    ended: dict[str, Committed] = {}
    steps: list[ObservedStep] = []
    log = tuple(replay.log())
    rows = replay.rows()
    files = _files(replay, log)
    lost: frozenset[str] = frozenset()
    for step in scenario.schedule:
        if step.action == "begin":
            begun[step.transaction] = replay.begin(step.transaction)
        else:
            ended[step.transaction] = replay.commit(step.transaction)
        latest = tuple(replay.log())
        if len(latest) > len(log):
            # At once: a VACUUM may delete files later.
            files |= _files(replay, latest[len(log) :])
            log, rows = latest, replay.rows()
            lost |= replay.lost()
        steps.append(ObservedStep(step, log[-1].version if log else -1, rows))
    return Observation(
        scenario,
        engine,
        level,
        replay.base_version,
        begun,
        ended,
        tuple(steps),
        log,
        files,
        rows,
        lost,
    )


def _files(
    replay: Replay, records: Iterable[CommitRecord]
) -> dict[tuple[int, str], tuple[Row, ...]]:
    """The rows of the files that some versions add."""
    return {
        (record.version, added.path): replay.file_rows(added.path, record.version)
        for record in records
        for added in record.adds
    }
