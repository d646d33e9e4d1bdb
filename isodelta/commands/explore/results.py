"""What an exploration finds, by search or by solver, and its counts."""

from __future__ import annotations

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
        """The history as a scenario, with what the model expects of it."""
        return self.finding.scenario

    @property
    def result(self) -> RunResult:
        """Its run in the model, with the verdicts at both levels of Delta."""
        return finding_result(self.finding, self.profile)

    def to_json(self) -> dict[str, object]:
        """The object that ``explore --json`` prints.

        ``promised`` tells whether the level of the table promises the level that is violated. A
        WriteSerializable table does not promise the order of the log, and the documents say so.
        """
        finding = self.finding
        return {
            "finding": "level-violation",
            "level": finding.level,
            "table_level": finding.table_level,
            "promised": finding.kind == "level-violation",
            "transactions": finding.transactions,
            "anomaly": finding.anomaly,
            "title": finding.title,
            "similar": finding.count,
            "scenario": scenario_mapping(self.scenario),
            "levels": self.result.to_json()["levels"],
        }


@dataclass(frozen=True)
class Difference:
    """A scenario that an engine runs otherwise than the rules of ``profile`` predict."""

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
    """How many replays an engine made, and how many of them differ from the model."""

    replays: int
    differences: int

    def to_json(self) -> dict[str, object]:
        """Its part of a summary."""
        return {"replays": self.replays, "differences": self.differences}


@dataclass(frozen=True, slots=True)
class SearchSummary:
    """The counts of a search. ``replays`` is None where no engine was asked."""

    schedules: int
    histories: int
    violations: int
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
            "broken_promises": self.broken_promises,
            "complete": self.complete,
            "seconds": round(self.seconds, 2),
        }
        return {"summary": counts | ({} if self.replays is None else self.replays.to_json())}


@dataclass(frozen=True, slots=True)
class SymbolicSummary:
    """What a solver was asked, and what it answered, by level of the table.

    ``gave_up`` has a line for each listing that ran out of time, ``replays`` is None where
    nothing was replayed.
    """

    violations: int
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
