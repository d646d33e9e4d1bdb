"""The results of an exploration, by search or by solver: findings and counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.search.finding import Finding
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.runs.judging import finding_result
from isodelta.runs.results import RunResult
from model.profiles import Profile
from model.scenario import Scenario

if TYPE_CHECKING:
    from checker.synthesis.search import Bounds, SizeResult
    from conformance.replay.comparison import Comparison


@dataclass(frozen=True)
class Violation:
    """A minimal history that the rules of ``profile`` admit and a level forbids."""

    finding: Finding
    profile: Profile

    @property
    def scenario(self) -> Scenario:
        """The history as a scenario, with the model's results as expectations."""
        return self.finding.scenario

    @property
    def result(self) -> RunResult:
        """Its run in the model, with the verdicts at both levels of Delta."""
        return finding_result(self.finding, self.profile)

    def to_json(self) -> dict[str, object]:
        """The object that ``explore --json`` prints.

        ``readings`` has the verdict of each reading of the violated level that was decided.
        ``promised`` is True if the table's level promises the violated level. A WriteSerializable
        table does not promise the order of the log, and the documents say so.
        """
        finding = self.finding
        return {
            "finding": "level-violation",
            "level": finding.level,
            "table_level": finding.table_level,
            "promised": finding.kind == "level-violation",
            "transactions": finding.transactions,
            "anomaly": finding.anomaly,
            "readings": finding.readings,
            "title": finding.title,
            "similar": finding.count,
            "scenario": scenario_mapping(self.scenario),
            "levels": self.result.to_json()["levels"],
        }


@dataclass(frozen=True)
class Difference:
    """A scenario on which an engine differs from the prediction of the rules of ``profile``."""

    scenario: Scenario
    comparison: Comparison
    profile: Profile

    def to_json(self) -> dict[str, object]:
        """The object that ``explore --json`` prints."""
        from isodelta.runs.replaying import replay_result

        result = replay_result(self.comparison, self.profile.name).to_json()
        level = self.comparison.observation.level
        return {
            "finding": "difference",
            "level": level,
            "transactions": len(self.scenario.transactions),
            "scenario": scenario_mapping(self.scenario.at_level(level)),
            "levels": result["levels"],
            "differences": result["differences"],
        }


@dataclass(frozen=True, slots=True)
class Replays:
    """The number of replays on an engine, and of those that differ from the model."""

    replays: int
    differences: int

    def to_json(self) -> dict[str, object]:
        """Its part of a summary."""
        return {"replays": self.replays, "differences": self.differences}


@dataclass(frozen=True, slots=True)
class SearchSummary:
    """The counts of a search.

    ``readings`` counts the findings that violate each reading, ``replays`` is None if no engine
    was used.
    """

    schedules: int
    histories: int
    violations: int
    readings: Mapping[str, int]
    broken_promises: int
    complete: bool
    seconds: float
    replays: Replays | None

    def to_json(self) -> dict[str, object]:
        """The last object of ``explore --json``."""
        counts: dict[str, object] = {
            "schedules": self.schedules,
            "histories": self.histories,
            "violations": self.violations,
            "readings": dict(self.readings),
            "broken_promises": self.broken_promises,
            "complete": self.complete,
            "seconds": round(self.seconds, 2),
        }
        return {"summary": counts | ({} if self.replays is None else self.replays.to_json())}


@dataclass(frozen=True, slots=True)
class SymbolicSummary:
    """A solver's questions and answers, by the table's level.

    ``readings`` counts the violations of each reading, ``gave_up`` has a line for each listing
    that ran out of time, ``replays`` is None if nothing was replayed.
    """

    violations: int
    readings: Mapping[str, int]
    bounds: Bounds
    sizes: tuple[tuple[str, SizeResult], ...]
    gave_up: tuple[str, ...]
    complete: bool
    seconds: float
    replays: Replays | None

    def to_json(self) -> dict[str, object]:
        """The last object of ``explore --symbolic --json``."""
        counts: dict[str, object] = {
            "violations": self.violations,
            "readings": dict(self.readings),
            "partitions": self.bounds.partitions,
            "data_values": self.bounds.values,
            "every_kind": self.bounds.every_kind,
            "sizes": [
                {
                    "level": level,
                    "transactions": size.transactions,
                    "answer": size.answer,
                    "seconds": round(size.seconds, 3),
                }
                for level, size in self.sizes
            ],
            "gave_up": list(self.gave_up),
            "complete": self.complete,
            "seconds": round(self.seconds, 2),
        }
        return {"summary": counts | ({} if self.replays is None else self.replays.to_json())}
