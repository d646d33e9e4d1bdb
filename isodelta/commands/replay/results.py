"""The result of one replay: the observation, judged and compared with the model."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.replay.comparison import Comparison
from isodelta.files.scenarios import Loaded
from isodelta.runs.replaying import replay_result
from isodelta.runs.results import RunResult


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
        """Whether the engine did as predicted and as expected."""
        return self.comparison.agrees and not self.failures

    @property
    def observed(self) -> RunResult:
        """The observation, as plain data."""
        return replay_result(self.comparison, self.profile, self.failures)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints."""
        return self.observed.to_json()


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
