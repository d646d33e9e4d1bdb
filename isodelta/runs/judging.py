"""One scenario, run in the model, judged, and compared with its author's expectations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.judging.verdict import Verdict, judge
from isodelta.exits import BadInput
from isodelta.files.scenarios import Loaded
from isodelta.runs.expectation import failures
from isodelta.runs.results import MODEL, RunResult, TransactionResult, plain_rows
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.outcomes import Ending
from model.preparation import prepare
from model.profiles import DEFAULT, Profile
from model.scenario import Scenario
from model.simulator import Run, run

if TYPE_CHECKING:
    from checker.search.finding import Finding


@dataclass(frozen=True, slots=True)
class Checked:
    """A scenario's run in the model with the verdicts on it.

    ``failures`` has one line for each unmet expectation (isodelta.runs.expectation).
    """

    loaded: Loaded
    run: Run
    verdicts: dict[str, Verdict]
    failures: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether every expectation is met."""
        return not self.failures

    @property
    def level(self) -> str:
        """The isolation level of the table."""
        return self.run.workload.level

    @property
    def result(self) -> RunResult:
        """The result, as plain data."""
        return run_result(self.loaded.scenario, self.run, self.verdicts, self.failures)

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta check --json`` prints."""
        return self.result.to_json()


def check(loaded: Loaded, profile: Profile = DEFAULT) -> Checked:
    """Runs a scenario and judges it at Delta's two levels, the table's, and those that it names.

    Raises BadInput if a statement computes values that the model does not have.
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


def check_scenario(scenario: Scenario, profile: Profile = DEFAULT) -> Checked:
    """`check` for a scenario without a file. Raises InvalidScenario and BadInput."""
    return check(Loaded(scenario, prepare(scenario, profile), "", 0), profile)


def run_result(
    scenario: Scenario,
    done: Run,
    verdicts: Mapping[str, Verdict],
    failures: tuple[str, ...] = (),
) -> RunResult:
    """The result of a run in the model that has been judged already."""
    return RunResult(
        scenario=scenario.name,
        profile=done.profile.name,
        engine=MODEL,
        transactions={
            name: _transaction(done.ended[name].ending) for name in scenario.transactions
        },
        rows=plain_rows(done.final.shown()),
        levels=verdicts,
        failures=failures,
    )


def finding_result(finding: Finding, profile: Profile) -> RunResult:
    """The result of a search's finding, from its own run; it is not run again.

    It equals the result of ``check`` on its scenario under ``profile``, whose rules admit it.
    """
    shown = dict.fromkeys((*DELTA_LEVELS, finding.table_level))
    verdicts = {level: finding.verdicts[level] for level in shown}
    return RunResult(
        scenario=finding.scenario.name,
        profile=profile.name,
        engine=MODEL,
        transactions={name: _transaction(ending) for name, ending in finding.endings.items()},
        rows=plain_rows(finding.rows),
        levels=verdicts,
        failures=failures(
            finding.scenario,
            {name: ending.outcome for name, ending in finding.endings.items()},
            finding.rows,
            {level: verdict.verdict for level, verdict in verdicts.items()},
            finding.table_level,
        ),
    )


def _transaction(ending: Ending) -> TransactionResult:
    return TransactionResult(
        outcome=ending.outcome,
        read_version=ending.read_version,
        commit_version=ending.commit_version,
        conflicts_with=ending.conflicts_with,
        because=ending.because,
        rows=None if ending.rows is None else plain_rows(ending.rows),
    )
