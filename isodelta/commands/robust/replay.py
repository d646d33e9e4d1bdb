"""The histories of an answer, replayed on a real engine."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.judging.verdict import judge
from checker.robustness.answer import Answer
from checker.robustness.histories import SERIAL, Found, Stage
from checker.robustness.search import closest
from conformance.engine import Engine
from conformance.replay.comparison import Comparison
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.runs.replaying import replay


@dataclass(frozen=True)
class ReplayedHistory:
    """One history on an engine, and whether it confirms the answer."""

    about: str
    history: Found
    comparison: Comparison
    verdict: str
    expected: str

    @property
    def confirms(self) -> bool:
        """Whether the engine agrees with the model, and the verdict is the expected one."""
        return self.comparison.agrees and self.verdict == self.expected

    def to_json(self) -> dict[str, object]:
        """Its part of the JSON object."""
        return {
            "about": self.about,
            "confirms": self.confirms,
            "agrees": self.comparison.agrees,
            "serial_order": self.verdict,
            "outcomes": dict(self.comparison.observation.outcomes),
            "scenario": scenario_mapping(self.history.scenario),
        }


def histories(answer: Answer, most: int = 6) -> list[tuple[str, Found]]:
    """The histories to replay: the witness; without one, the histories closest to one."""
    if answer.serial.found is not None:
        return [("witness", answer.serial.found)]
    near = closest(Stage(answer.jobs), answer.instances, most)
    return [("close history", history) for history in near]


def replay_answer(answer: Answer, engine: Engine, most: int = 6) -> Iterator[ReplayedHistory]:
    """Replays the histories of an answer. Raises conformance.engine.EngineError."""
    for about, history in histories(answer, most):
        comparison = replay(
            history.scenario, engine, profile=answer.jobs.profile, level=answer.jobs.level
        )
        verdict = judge(comparison.history, (SERIAL,))[SERIAL].verdict
        expected = history.scenario.expect.levels[SERIAL]
        yield ReplayedHistory(about, history, comparison, verdict, expected)
