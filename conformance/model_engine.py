"""The model behind the engines' protocol: replays without a real engine.

It tests the comparison of engines with the model, and lets a changed profile play the engine:
a profile that drops a rule is an engine with a bug.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from conformance.engine import (
    AddedFile,
    Begun,
    CommitRecord,
    Committed,
    Footprint,
    RemovedFile,
)
from model.history import Row
from model.levels import SERIALIZABLE
from model.outcomes import FAILED, SUCCEEDED
from model.physical.files import DataFile
from model.physical.log import Snapshot
from model.preparation import prepare
from model.profiles import DEFAULT, Profile
from model.scenario import Scenario
from model.simulator import InFlight, after_begin, begin_in, commit
from model.workload import TARGET


class ModelEngine:
    """An engine that follows the rules of ``profile`` to the letter."""

    name = "model"

    def __init__(self, profile: Profile = DEFAULT) -> None:
        self.profile = profile

    def versions(self) -> Mapping[str, str]:
        """The profile, by name, as the only version."""
        return {"profile": self.profile.name}

    def usable(self) -> bool:
        """Always."""
        return True

    def open(self, scenario: Scenario, level: str | None = None) -> ModelReplay:
        """Prepares a scenario. Raises InvalidScenario."""
        return ModelReplay(scenario, self.profile, level)

    def close(self) -> None:
        """Nothing to stop."""


class ModelReplay:
    """One scenario under way in the model."""

    def __init__(self, scenario: Scenario, profile: Profile, level: str | None) -> None:
        self._workload = prepare(scenario, profile, level)
        self._profile = profile
        self._latest = self._workload.base
        self._in_flight: dict[str, InFlight] = {}
        self._begun = 0
        self.base_version = self._latest.version

    def begin(self, name: str) -> Begun:
        """Takes the snapshot of a transaction."""
        self._begun += 1
        running = begin_in(self._workload, name, self._latest, self._profile, self._begun)
        self._in_flight[name] = running
        if self._latest.table.absent:
            self._latest = after_begin(running, self._latest)
        footprint = running.execution.footprint
        recorded = None
        if footprint is not None:
            files = frozenset(file.path for file in footprint.read_files)
            recorded = Footprint((), files, footprint.read_whole_table)
        return Begun(running.snapshot.version, recorded)

    def commit(self, name: str) -> Committed:
        """Runs a begun transaction to its end."""
        before = self._latest
        ended = commit(self._in_flight.pop(name), before, self._profile, self._workload.level)
        self._latest = ended.latest
        if ended.conflict is not None:
            return Committed(
                ended.outcome,
                conflict_with_version=ended.conflict.version,
                error_class=ended.outcome,
                message=ended.conflict.because,
            )
        versions = [c.version for c in ended.latest.commits_after(before.version)]
        if ended.outcome not in SUCCEEDED:
            earlier = tuple(versions)
            return Committed(FAILED, error_class=ended.outcome, earlier_versions=earlier)
        return Committed(
            ended.outcome,
            ended.logical.commit_version,
            rows=ended.rows,
            earlier_versions=tuple(versions[:-1]),
        )

    def log(self, table: str = TARGET) -> Sequence[CommitRecord]:
        """All versions of the target's log, oldest first."""
        return tuple(_record(snapshot) for snapshot in self._snapshots())

    def file_rows(
        self, path: str, version: int | None = None, table: str = TARGET
    ) -> tuple[Row, ...]:
        """The rows of a data file of the target."""
        snapshot: Snapshot | None = self._latest if version is None else self._latest.at(version)
        while snapshot is not None and snapshot.commit is not None:
            for file in snapshot.commit.footprint.adds:
                if file.path == path:
                    return tuple(snapshot.table.shown(row.values) for row in file.rows)
            snapshot = snapshot.parent
        raise KeyError(path)

    def rows(self, version: int | None = None, table: str = TARGET) -> tuple[Row, ...]:
        """The rows of the target at a version (None: the newest)."""
        return (self._latest if version is None else self._latest.at(version)).shown()

    def lost(self, table: str = TARGET) -> frozenset[str]:
        """The paths of the newest version's files that a VACUUM has deleted."""
        lost = self._latest.lost
        files = self._latest.files.values()
        return frozenset(file.path for file in files if not lost.isdisjoint(file.storage))

    def close(self) -> None:
        """Nothing to remove."""

    def _snapshots(self) -> list[Snapshot]:
        snapshots: list[Snapshot] = []
        snapshot: Snapshot | None = self._latest
        while snapshot is not None and not snapshot.table.absent:
            snapshots.append(snapshot)
            snapshot = snapshot.parent
        return snapshots[::-1]


def _record(snapshot: Snapshot) -> CommitRecord:
    entry = snapshot.commit
    if entry is None:
        return CommitRecord(0, (), (), {}, {}, "CREATE TABLE", {}, True, SERIALIZABLE, None)
    footprint, table = entry.footprint, snapshot.table
    return CommitRecord(
        version=snapshot.version,
        adds=tuple(
            AddedFile(
                file.path,
                {
                    table.names[i]: None if value is None else str(value)
                    for i, value in zip(table.partitions, file.partition, strict=True)
                },
                len(file),
                footprint.data_changed,
                None,
                _vector(file),
            )
            for file in footprint.adds
        ),
        removes=tuple(
            RemovedFile(f.path, footprint.data_changed, _vector(f)) for f in footprint.removes
        ),
        metadata=None,
        protocol=None,
        operation=footprint.operation,
        operation_parameters={},
        is_blind_append=footprint.blind_append,
        isolation_level=entry.level,
        read_version=entry.read_version,
        actions=tuple(
            {"txn": {"appId": application, "version": version}}
            for application, version in footprint.applications_written
        ),
    )


def _vector(file: DataFile) -> Mapping[str, object] | None:
    if file.vector is None:
        return None
    return {"storageType": "u", "pathOrInlineDv": file.vector, "offset": None}
