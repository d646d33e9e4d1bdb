"""What came of one replay: what was observed, judged, and compared with the model."""

from __future__ import annotations

from dataclasses import dataclass

from conformance.replay.comparison import Comparison
from isodelta.files.scenarios import Loaded
from isodelta.runs.replaying import replay_result
from isodelta.runs.results import RunResult


@dataclass(frozen=True, slots=True)
class Replayed:
    """A scenario on a real engine, beside what the rules of ``profile`` predict.

    ``failures`` says in one line each what the scenario's author expects and the engine did
    otherwise. ``seconds`` is how long the replay took.
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
        """What was observed, as plain data."""
        return replay_result(self.comparison, self.profile, self.failures)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta replay --json`` prints."""
        return self.observed.to_json()
