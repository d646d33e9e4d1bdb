"""One scenario, run in the model, judged, and compared with its author's expectations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from checker.judging.verdict import Verdict, judge
from checker.judging.witness import Reason
from isodelta.exits import BadInput
from isodelta.files.scenarios import Loaded
from isodelta.runs.expectation import failures
from isodelta.runs.results import MODEL, RunResult, TransactionResult, plain_rows
from model.errors import InvalidScenario, NotPredicted
from model.levels import DELTA_LEVELS
from model.outcomes import Ending
from model.preparation import prepare
from model.profiles import DEFAULT, Profile
from model.scenario import Expectation, Scenario
from model.simulator import Run, run
from model.statements import Refused

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
        """True if every expectation is met."""
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


@dataclass(frozen=True, slots=True)
class Undecided:
    """A scenario whose course depends on a part that the model cannot evaluate: ``error`` says so.

    ``failures`` has one line for each expectation, since none is met.
    """

    loaded: Loaded
    profile: str
    error: NotPredicted

    @property
    def level(self) -> str:
        """The isolation level of the table."""
        return self.loaded.workload.level

    @property
    def verdicts(self) -> dict[str, Verdict]:
        """The verdict at each level: unknown, with the part as the reason."""
        why = Reason(f"it depends on a part that is not predicted: {self.error}")
        levels = _levels(self.loaded)
        return {level: Verdict(level, "unknown", why) for level in levels}

    @property
    def failures(self) -> tuple[str, ...]:
        """The expectations that cannot be met, one line each."""
        scenario = self.loaded.scenario
        outcomes = dict.fromkeys(scenario.transactions, UNKNOWN)
        unknown = dict.fromkeys(_levels(self.loaded), UNKNOWN)
        return failures(scenario, outcomes, None, unknown, self.level)

    @property
    def ok(self) -> bool:
        """True if the scenario expects just this."""
        return not self.failures

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta check --json`` prints: without rows, which are not known."""
        unknown = {"outcome": UNKNOWN, "because": str(self.error)}
        written: dict[str, object] = {
            "scenario": self.loaded.scenario.name,
            "profile": self.profile,
            "engine": MODEL,
            "transactions": dict.fromkeys(self.loaded.scenario.transactions, unknown),
            "levels": {level: verdict.to_json() for level, verdict in self.verdicts.items()},
        }
        return {**written, "failures": list(self.failures)} if self.failures else written


UNKNOWN = "unknown"


def _levels(loaded: Loaded) -> tuple[str, ...]:
    """Delta's two levels, the table's, and those that the scenario names."""
    levels = (*DELTA_LEVELS, loaded.workload.level, *loaded.scenario.expect.levels)
    return tuple(dict.fromkeys(levels))


def check(loaded: Loaded, profile: Profile = DEFAULT) -> Checked:
    """Runs a scenario and judges it at Delta's two levels, the table's, and those that it names.

    Raises BadInput if a statement computes values that the model does not have.
    """
    try:
        return checked(loaded, profile)
    except NotPredicted as error:
        raise bad(loaded, error) from error


def bad(loaded: Loaded, error: InvalidScenario) -> BadInput:
    """The error of one scenario, with its file, line and name."""
    return BadInput(f"{loaded.file}:{loaded.line}: {loaded.scenario.name}: {error}")


def checked(loaded: Loaded, profile: Profile) -> Checked:
    """`check`, but raises NotPredicted as it is."""
    scenario = loaded.scenario
    try:
        result = run(loaded.workload, scenario.schedule, profile)
    except NotPredicted:
        raise
    except InvalidScenario as error:
        raise bad(loaded, error) from error
    return judged(loaded, result)


def judged(loaded: Loaded, result: Run) -> Checked:
    """A run in the model, judged and compared with the author's expectations."""
    scenario = loaded.scenario
    verdicts = judge(result.history, _levels(loaded))
    unmet = failures(
        scenario,
        {name: ended.outcome for name, ended in result.ended.items()},
        result.final.shown(),
        {level: verdict.verdict for level, verdict in verdicts.items()},
        loaded.workload.level,
    )
    return Checked(loaded, result, verdicts, (*unmet, *_always_failing(loaded)))


def _always_failing(loaded: Loaded) -> Iterator[str]:
    """The transactions that fail whenever they run, of a scenario that expects nothing."""
    if loaded.scenario.expect != Expectation():
        return
    for name, statement in loaded.workload.statements.items():
        if isinstance(statement, Refused):
            yield (
                f"{name} always fails by itself: {statement.message} ({statement.error_class}); "
                f"if that is meant, say so: expect: {{outcomes: {{{name}: "
                f"{statement.error_class}}}}}"
            )


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
