"""The bench on which checks run: the model under any profile, and a real engine if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checker.judging.verdict import judge
from checker.search.exhaustive import Search
from checker.search.search_result import SearchResult
from conformance.engine import Engine
from conformance.replay import campaign
from conformance.replay.observation import observe
from isodelta.commands.claims.results import CannotRun, Evidence
from isodelta.files.scenario_writer import scenario_mapping
from model.errors import InvalidScenario
from model.history import Row
from model.outcomes import CONFLICT_NAMES, SUCCEEDED
from model.preparation import check_known, prepare, run_scenario, steps
from model.profiles import DEFAULT, Profile, profile
from model.scenario import Scenario, Step, TableSpec

if TYPE_CHECKING:
    from conformance.spark.engine import SparkEngine
    from conformance.spark.replay import SparkReplay

CONFLICT, NO_CONFLICT = "a conflict", "no conflict"
"""Outcomes that a claim may expect without naming a conflict."""

VECTORS = {"delta.enableDeletionVectors": "true"}
"""The properties of a table with deletion vectors."""


def story(
    name: str,
    schedule: str,
    transactions: Mapping[str, str],
    *,
    setup: Sequence[str] = ("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",),
    columns: Mapping[str, str] | None = None,
    partition_by: Sequence[str] = (),
    cluster_by: Sequence[str] = (),
    level: str | None = None,
    properties: Mapping[str, str] | None = None,
    tables: Mapping[str, TableSpec] | None = None,
) -> Scenario:
    """A scenario, with its schedule as in a scenario file: ``begin A, B, commit A``.

    With empty ``columns`` the table does not exist yet.
    """
    declared = dict(properties or {})
    if level is not None:
        declared["delta.isolationLevel"] = level
    table = TableSpec(
        {"k": "int", "p": "int", "v": "int"} if columns is None else columns,
        tuple(partition_by),
        tuple(cluster_by),
        declared,
        tuple(setup),
    )
    taken: tuple[Step, ...] = ()
    for step in schedule.split(",") if schedule else ():
        taken += steps(step.strip())
    return Scenario(name, table, dict(transactions), taken, dict(tables or {}))


@dataclass(frozen=True, slots=True)
class Seen:
    """One run of a scenario, by an engine or a profile. ``verdicts`` is empty if not judged."""

    scenario: Scenario
    by: str
    real: bool
    outcomes: Mapping[str, str]
    rows: tuple[Row, ...]
    verdicts: Mapping[str, str]
    read: Mapping[str, tuple[Row, ...]] = field(default_factory=dict)

    def shows(self, text: str, holds: bool) -> Evidence:
        """Evidence from this run."""
        return Evidence(text, holds, self.by, self.real, scenario_mapping(self.scenario))

    @property
    def ends(self) -> str:
        """How the transactions ended, in words."""
        return ", ".join(f"{name} {outcome}" for name, outcome in self.outcomes.items())


class Bench:
    """Runs scenarios and searches for checks. ``start`` starts an engine; None: model only."""

    def __init__(self, start: Callable[[], Engine] | None, rules: Profile = DEFAULT) -> None:
        self._start = start
        self._engine: Engine | None = None
        self.rules = rules
        self._searches: dict[tuple[str, str, str, int], SearchResult] = {}

    @property
    def real(self) -> bool:
        """Whether there is an engine."""
        return self._start is not None

    @property
    def started(self) -> bool:
        """Whether an engine has been started and not closed since."""
        return self._engine is not None

    @property
    def engine(self) -> Engine:
        """The engine, started when it is first needed. Raises CannotRun if there is none."""
        if self._start is None:
            raise CannotRun("it needs a real engine, and this run has none")
        if self._engine is None:
            self._engine = self._start()
        return self._engine

    @property
    def spark(self) -> SparkEngine:
        """The engine as Delta on Spark. Raises CannotRun for another one."""
        from conformance.spark.engine import SparkEngine

        engine = self.engine
        if not isinstance(engine, SparkEngine):
            raise CannotRun(f"its experiment is written for Delta on Spark, not {engine.name}")
        return engine

    @cached_property
    def engine_name(self) -> str:
        """The engine with its version, for evidence."""
        versions = self.engine.versions()
        return f"{self.engine.name} {versions.get('delta-spark', '')}".strip()

    def close(self) -> None:
        """Stops the engine. It starts again when it is needed."""
        engine, self._engine = self._engine, None
        if engine is not None:
            engine.close()

    def play(self, scenario: Scenario, level: str | None = None) -> Seen:
        """Runs a scenario on the engine if there is one, else in the model."""
        if not self.real:
            return self.model(scenario, self.rules, level)
        in_force = level or scenario.level or self.rules.default_level
        try:
            workload = prepare(scenario, self.rules, in_force)
            check_known(workload, scenario.schedule, self.rules)
        except InvalidScenario:
            # The model cannot read it: the engine's run can be observed, but not judged.
            seen = observe(self.engine, scenario, in_force)
            verdicts: Mapping[str, str] = {}
        else:
            job = campaign.Job(scenario, in_force)
            comparison = campaign.replay(self.engine, job, self.rules).comparison
            seen = comparison.observation
            verdicts = {name: v.verdict for name, v in comparison.verdicts.items()}
        read = {name: end.rows for name, end in seen.ended.items() if end.rows is not None}
        return Seen(scenario, self.engine_name, True, seen.outcomes, seen.rows, verdicts, read)

    def model(self, scenario: Scenario, rules: Profile | str, level: str | None = None) -> Seen:
        """Runs a scenario in the model. Raises CannotRun if the model cannot read it."""
        chosen = profile(rules) if isinstance(rules, str) else rules
        try:
            done = run_scenario(scenario, chosen, level)
        except InvalidScenario as error:
            raise CannotRun(f"the model does not run {scenario.name!r}: {error}") from error
        outcomes = {name: ended.outcome for name, ended in done.ended.items()}
        verdicts = {name: v.verdict for name, v in judge(done.history).items()}
        read = {n: ended.rows for n, ended in done.ended.items() if ended.rows is not None}
        by = f"model, {chosen.name}"
        return Seen(scenario, by, False, outcomes, done.final.shown(), verdicts, read)

    def expect(
        self,
        scenario: Scenario,
        outcomes: Mapping[str, str],
        levels: Mapping[str, str] | None = None,
        *,
        rules: str | None = None,
    ) -> Evidence:
        """Runs a scenario and compares it with a claim about outcomes and levels.

        ``rules`` names a profile to run it under in the model; without it the engine runs it.
        An outcome may be ``CONFLICT`` or ``NO_CONFLICT``.
        """
        seen = self.play(scenario) if rules is None else self.model(scenario, rules)
        wrong = [
            f"{name} {wanted}"
            for name, wanted in outcomes.items()
            if not _is(seen.outcomes[name], wanted)
        ]
        text = f"{scenario.name}: {seen.ends}"
        for name, wanted in (levels or {}).items():
            verdict = seen.verdicts.get(name)
            if verdict is None:
                raise CannotRun(f"{scenario.name!r} was run and could not be judged")
            text += f"; {name} {verdict}"
            if verdict != wanted:
                wrong.append(f"{name} {wanted}")
        if wrong:
            text += f" (it should be: {', '.join(wrong)})"
        return seen.shows(text, not wrong)

    @contextmanager
    def opened(self, scenario: Scenario) -> Iterator[SparkReplay]:
        """A scenario's tables on Delta on Spark, for experiments. Raises CannotRun."""
        replay = self.spark.open(scenario, scenario.level)
        try:
            yield replay
        finally:
            replay.close()

    def fact(self, text: str, holds: bool, scenario: Scenario | None = None) -> Evidence:
        """Evidence from the engine beyond the run of a scenario."""
        mapping = None if scenario is None else _mapping(scenario)
        return Evidence(text, holds, self.engine_name, True, mapping)

    def search(self, rules: str, layout: str, level: str, transactions: int = 2) -> SearchResult:
        """An exhaustive search over the alphabet; repeated searches are cached."""
        key = (rules, layout, level, transactions)
        if key not in self._searches:
            self._searches[key] = Search(layout, profile(rules)).run(level, transactions)
        return self._searches[key]


def _mapping(scenario: Scenario) -> dict[str, Any] | None:
    return scenario_mapping(scenario) if scenario.schedule else None


def _is(outcome: str, wanted: str) -> bool:
    if wanted == CONFLICT:
        return outcome in CONFLICT_NAMES
    if wanted == NO_CONFLICT:
        return outcome in SUCCEEDED
    return outcome == wanted
