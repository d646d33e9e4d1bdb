"""The comparison of a prediction with an observation: the differences, and their class.

The class is not chosen by hand. It follows from the verdict on the history that was observed
and, where the engine refused a commit that the model allows, from the verdict on the history
that the model predicted. If a transaction wrote rows other than those its statement gives on its
own snapshot, there is no history of the statements to judge: the statement differs even when it
runs alone, and concurrency has no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

from checker.judging.verdict import Verdict, judge
from conformance.replay.observation import Observation, outcome
from conformance.replay.observed_history import Observed, observed
from model.history import History, Row
from model.levels import DELTA_LEVELS
from model.listing import cut, listed
from model.outcomes import COMMITTED
from model.physical.log import Snapshot
from model.profiles.base import Profile
from model.scenario import Step
from model.simulator import Run, run, run_together
from model.values.types import sql_row
from model.values.unknown import Unknown
from model.workload import Workload


class DifferenceClass(Enum):
    """The meaning of a difference between model and engine."""

    ENGINE_BREAKS_LEVEL = "the engine breaks the level it claims"
    FALSE_CONFLICT = "the engine is stricter than the level needs"
    ENGINE_DISOBEYS = "the engine does not do what the statement says"
    MODEL_IS_WRONG = "the model is wrong"
    UNKNOWN = "not decided"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between the model's prediction and the engine.

    ``what`` names it (outcome, version, rows, isBlindAppend, isolationLevel, ...), ``about``
    the transaction or step concerned.
    """

    about: str
    what: str
    predicted: str
    observed: str
    classified: DifferenceClass

    def to_json(self) -> dict[str, str]:
        """The difference as the report and ``replay --json`` show it."""
        return {
            "transaction": self.about,
            "what": self.what,
            "predicted": self.predicted,
            "observed": self.observed,
            "class": self.classified.value,
        }


@dataclass(frozen=True)
class Comparison:
    """One scenario, predicted and observed."""

    workload: Workload
    predicted: Run
    observation: Observation

    def __repr__(self) -> str:
        seen = self.observation
        ends = listed(f"{name} {end}" for name, end in seen.outcomes.items())
        count = len(self.differences)
        agrees = "as predicted" if self.agrees else f"{count} differences from the model"
        return f"<Comparison of {cut(seen.scenario.name)} on {seen.engine}: {ends}; {agrees}>"

    @cached_property
    def observed(self) -> Observed:
        """The observed history, and the transactions that did not do what their statements say."""
        return observed(self.workload, self.observation)

    @property
    def history(self) -> History:
        """The observed history."""
        return self.observed.history

    @cached_property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdicts on the observed history, at Delta's levels, the table's and those named."""
        return judge(self.history, self._levels)

    @property
    def _levels(self) -> tuple[str, ...]:
        named = self.observation.scenario.expect.levels
        return tuple(dict.fromkeys((*DELTA_LEVELS, self.observation.level, *named)))

    def _predicted(self) -> str:
        """The verdict on the predicted history, at the table's level."""
        return judge(self.predicted.history, self._levels)[self.observation.level].verdict

    @cached_property
    def differences(self) -> tuple[Difference, ...]:
        """All differences, with their class."""
        raw = _raw_differences(self)
        if not raw:
            return ()
        classified = self._classify(tuple(d.about for d in raw if d.what == "outcome"))
        return tuple(Difference(d.about, d.what, d.predicted, d.observed, classified) for d in raw)

    @property
    def agrees(self) -> bool:
        """True if the engine did exactly what the model predicted."""
        return not self.differences

    def _classify(self, outcomes: Sequence[str]) -> DifferenceClass:
        level = self.observation.level
        verdict = self.verdicts[level].verdict
        # A violation that the rules admit as well does not explain a difference.
        if verdict == "violated" and self._predicted() != "violated":
            return DifferenceClass.ENGINE_BREAKS_LEVEL
        if verdict == "unknown":
            disobedient = self.observed.disobedient
            return DifferenceClass.ENGINE_DISOBEYS if disobedient else DifferenceClass.UNKNOWN
        stricter = [
            name
            for name in outcomes
            if self.predicted.ended[name].outcome == COMMITTED
            and self.observation.outcomes[name].startswith(("Concurrent", "Metadata", "Protocol"))
        ]
        if stricter and len(stricter) == len(outcomes) and self._predicted() == "holds":
            return DifferenceClass.FALSE_CONFLICT
        return DifferenceClass.MODEL_IS_WRONG


def compare(
    workload: Workload,
    profile: Profile,
    observation: Observation,
    profiles: Mapping[str, Profile] | None = None,
) -> Comparison:
    """Runs the observed scenario in the model and compares the two.

    ``profiles`` has the rules of the transactions that ran on a different engine.
    """
    predicted = run(workload, observation.scenario.schedule, profile, profiles)
    return Comparison(workload, predicted, observation)


def compare_parts(
    workloads: Mapping[str, Workload],
    schedule: Sequence[Step],
    profile: Profile,
    observations: Mapping[str, Observation],
) -> dict[str, Comparison]:
    """The same for a scenario that writes several tables: one comparison for each of them.

    A transaction's statement is measured by the rows that the engine showed of the other tables
    when it began.
    """
    predicted = run_together(workloads, schedule, profile)
    return {
        table: Comparison(
            replace(workload, others_at=observations[table].others_at),
            predicted[table],
            observations[table],
        )
        for table, workload in workloads.items()
    }


@dataclass(frozen=True, slots=True)
class _Raw:
    about: str
    what: str
    predicted: str
    observed: str


def _raw_differences(comparison: Comparison) -> list[_Raw]:
    raw: list[_Raw] = []
    observation, predicted = comparison.observation, comparison.predicted
    if observation.base_version != comparison.workload.base.version:
        raw.append(
            _Raw(
                "set-up",
                "version",
                str(comparison.workload.base.version),
                str(observation.base_version),
            )
        )
    for name, ended in predicted.ended.items():
        end, begun = observation.ended[name], observation.begun[name]
        _note(raw, name, "outcome", ended.outcome, outcome(end))
        _note(raw, name, "read version", ended.logical.read_version, begun.read_version)
        _note(raw, name, "commit version", ended.logical.commit_version, end.commit_version)
        if begun.footprint is not None and ended.footprint is not None:
            read = len(ended.footprint.read_files)
            _note(raw, name, "files read", read, len(begun.footprint.files))
        if ended.conflict is not None and end.conflict_with_version is not None:
            winner = ended.conflict.version
            _note(raw, name, "conflicts with version", winner, end.conflict_with_version)
        if ended.rows is not None or end.rows is not None:
            _note_rows(raw, name, "rows read", ended.rows or (), end.rows or ())
    _compare_log(raw, comparison)
    return raw


def _compare_log(raw: list[_Raw], comparison: Comparison) -> None:
    """Version by version: rows, file counts, and what the commit's info states."""
    observation, final = comparison.observation, comparison.predicted.final
    rows_at = {step.version: step.rows for step in observation.steps}
    snapshots: dict[int, Snapshot] = {}
    walker: Snapshot | None = final
    while walker is not None:
        snapshots[walker.version] = walker
        walker = walker.parent
    for record in observation.log[observation.base_version + 1 :]:
        snapshot = snapshots.get(record.version)
        if snapshot is None or snapshot.commit is None:
            # An extra version shows up as a commit version above.
            continue
        about, footprint = snapshot.commit.transaction, snapshot.commit.footprint
        logged = comparison.predicted.profile_of(about).logged
        blind = footprint.blind_append if "isBlindAppend" in logged else None
        level = snapshot.commit.level if "isolationLevel" in logged else None
        _note(raw, about, "isBlindAppend", blind, record.is_blind_append)
        _note(raw, about, "isolationLevel", level, record.isolation_level)
        _note(raw, about, "files added", len(footprint.adds), len(record.adds))
        _note(raw, about, "files removed", len(footprint.removes), len(record.removes))
        if record.version in rows_at:
            shown = f"rows of version {record.version}"
            _note_rows(raw, about, shown, snapshot.shown(), rows_at[record.version])
    _note(raw, "table", "versions", final.version, observation.version)
    _note_rows(raw, "table", "final rows", final.shown(), observation.rows)


def _note(raw: list[_Raw], about: str, what: str, predicted: object, observed: object) -> None:
    if predicted != observed:
        raw.append(_Raw(about, what, str(predicted), str(observed)))


def _note_rows(
    raw: list[_Raw],
    about: str,
    what: str,
    predicted: tuple[Row, ...],
    observed: tuple[Row, ...],
) -> None:
    open_ = frozenset(
        place for row in predicted for place, value in enumerate(row) if isinstance(value, Unknown)
    )
    if _counted(predicted, open_) != _counted(observed, open_):
        raw.append(_Raw(about, what, show_rows(predicted), show_rows(observed)))


def _counted(rows: tuple[Row, ...], open_: frozenset[int]) -> Counter[str]:
    """The rows, with their counts, without the columns that have a value that is not predicted."""
    predicted = ([v for place, v in enumerate(row) if place not in open_] for row in rows)
    return Counter(map(repr, predicted))


def show_rows(rows: Sequence[Row]) -> str:
    """Rows in SQL's notation, sorted so that two equal sets look alike."""
    return ", ".join(sorted(map(sql_row, rows))) or "no rows"
