"""The result of one replay: the observation, judged and compared with the model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from checker.judging.verdict import Verdict
from checker.judging.witness import Reason
from conformance.replay.comparison import Comparison
from conformance.replay.observation import Observation
from isodelta.files.scenarios import Loaded
from isodelta.runs.expectation import failures
from isodelta.runs.replaying import observed_result, replay_result
from isodelta.runs.results import RunResult
from isodelta.runs.tables import in_tables, together
from model.levels import DELTA_LEVELS


@dataclass(frozen=True, slots=True)
class Replayed:
    """A scenario on a real engine, with the prediction of the rules of ``profile``.

    ``failures`` has one line for each of the author's expectations that the engine did not meet.
    ``seconds`` is the duration of the replay.
    """

    loaded: Loaded
    comparison: Comparison
    profile: str
    failures: tuple[str, ...]
    seconds: float

    @property
    def good(self) -> bool:
        """True if the engine did as predicted and as expected."""
        return self.comparison.agrees and not self.failures

    @property
    def observed(self) -> RunResult:
        """The observation, as plain data."""
        return replay_result(self.comparison, self.profile, self.failures)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints."""
        return self.observed.to_json()


@dataclass(frozen=True, slots=True)
class ReplayedTables:
    """A scenario that writes several tables on a real engine: a replay for each table.

    ``tables`` has them by the tables' names in the file, the target's first.
    """

    loaded: Loaded
    tables: Mapping[str, Replayed]

    @property
    def good(self) -> bool:
        """True if the engine did as predicted and as expected in every table."""
        return all(replayed.good for replayed in self.tables.values())

    @property
    def seconds(self) -> float:
        """The duration of the replay."""
        return next(iter(self.tables.values())).seconds

    @property
    def failures(self) -> tuple[str, ...]:
        """A line for each of the author's expectations that the engine did not meet."""
        return in_tables({name: replayed.failures for name, replayed in self.tables.items()})

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints."""
        results = {name: replayed.observed for name, replayed in self.tables.items()}
        levels = {n: r.comparison.observation.level for n, r in self.tables.items()}
        return together(self.loaded, results, levels, self.failures).to_json()


@dataclass(frozen=True, slots=True)
class NotPredicted:
    """A scenario on a real engine whose course the model does not predict, for ``reason``."""

    loaded: Loaded
    observation: Observation
    profile: str
    reason: str

    @property
    def good(self) -> bool:
        """Nothing contradicts a prediction; expectations of outcomes and rows still count."""
        return not self.failures

    @property
    def failures(self) -> tuple[str, ...]:
        """The author's expectations that the engine did not meet, but for those of levels."""
        plain = replace(self.loaded.scenario.expect, levels={})
        scenario = replace(self.loaded.scenario, expect=plain)
        seen = self.observation
        return failures(scenario, seen.outcomes, seen.rows, {}, seen.level)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints: what the engine did."""
        why = Reason(f"it depends on a part that is not predicted: {self.reason}")
        levels = {level: Verdict(level, "unknown", why) for level in DELTA_LEVELS}
        result = observed_result(self.observation, self.profile, levels)
        written = {**result.to_json(), "not_predicted": self.reason}
        return {**written, "failures": list(self.failures)} if self.failures else written


@dataclass(frozen=True, slots=True)
class NotReplayed:
    """A scenario whose replay broke down, by an error of the engine or of isodelta itself."""

    loaded: Loaded
    profile: str
    engine: str
    error: str

    @property
    def good(self) -> bool:
        """Never: nothing was observed."""
        return False

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints."""
        return {
            "scenario": self.loaded.scenario.name,
            "profile": self.profile,
            "engine": self.engine,
            "error": self.error,
        }
