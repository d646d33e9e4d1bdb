"""One scenario, run in the model, judged, and held against what its author expects."""

from __future__ import annotations

from dataclasses import dataclass

from checker.judging.verdict import Verdict, judge
from isodelta.exits import BadInput
from isodelta.files.scenarios import Loaded
from isodelta.runs.expectation import failures
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.profiles import DEFAULT, Profile
from model.simulator import Run, run


@dataclass(frozen=True, slots=True)
class Checked:
    """A scenario's run in the model with the verdicts on it.

    ``failures`` says in one line each what is not as it should be (isodelta.runs.expectation).
    """

    loaded: Loaded
    run: Run
    verdicts: dict[str, Verdict]
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether all is as it should be."""
        return not self.failures

    @property
    def level(self) -> str:
        """The isolation level of the table."""
        return self.run.workload.level


def check(loaded: Loaded, profile: Profile = DEFAULT) -> Checked:
    """Runs and judges a scenario at both levels of Delta, the table's, and those that it names.

    Raises BadInput where a statement comes to values that the model does not have.
    """
    scenario = loaded.scenario
    try:
        result = run(loaded.workload, scenario.schedule, profile)
    except InvalidScenario as error:
        raise BadInput(f"{loaded.file}:{loaded.line}: {scenario.name}: {error}") from error
    levels = dict.fromkeys((*DELTA_LEVELS, loaded.workload.level, *scenario.expect.levels))
    verdicts = judge(result.history, tuple(levels))
    unmet = failures(
        scenario,
        {name: ended.outcome for name, ended in result.ended.items()},
        result.final.shown(),
        {level: verdict.verdict for level, verdict in verdicts.items()},
        loaded.workload.level,
    )
    return Checked(loaded, result, verdicts, unmet)
