"""One scenario that writes several tables, run, and judged table by table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from checker.judging.verdict import Verdict
from isodelta.files.scenarios import Loaded
from isodelta.runs.judging import Checked, Undecided, bad, checked, judged
from isodelta.runs.results import Compared, RunResult, TableResult
from model.errors import InvalidScenario, NotPredicted
from model.profiles import DEFAULT, Profile
from model.simulator import run_together


@dataclass(frozen=True)
class CheckedTables:
    """A scenario's run in the model, with the verdicts on each table that it writes.

    ``tables`` has the part of each, by the table's name in the file, the target's first.
    """

    loaded: Loaded
    tables: Mapping[str, Checked]

    @property
    def ok(self) -> bool:
        """True if every expectation is met."""
        return not self.failures

    @property
    def failures(self) -> tuple[str, ...]:
        """A line for each unmet expectation, with the table that it is about."""
        return in_tables({name: part.failures for name, part in self.tables.items()})

    @property
    def level(self) -> str:
        """The isolation level of the target."""
        return self.loaded.workload.level

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """The verdicts on the target."""
        return next(iter(self.tables.values())).verdicts

    @cached_property
    def result(self) -> RunResult:
        """The result, as plain data."""
        results = {name: part.result for name, part in self.tables.items()}
        levels = {name: part.level for name, part in self.tables.items()}
        return together(self.loaded, results, levels, self.failures)

    def each(self) -> list[Checked]:
        """One result for each table, with all transactions of the scenario."""
        ended = {n: e for c in self.tables.values() for n, e in c.run.ended.items()}
        whole = self.loaded.scenario
        return [
            replace(
                part,
                loaded=replace(
                    part.loaded,
                    scenario=replace(whole, name=f"{whole.name}: {name}"),
                    written=self.loaded.written,
                ),
                run=replace(part.run, ended=ended),
            )
            for name, part in self.tables.items()
        ]

    def to_json(self) -> dict[str, object]:
        """The object that ``isodelta check --json`` prints."""
        return self.result.to_json()


def decided(loaded: Loaded, profile: Profile = DEFAULT) -> Checked | CheckedTables | Undecided:
    """A scenario, run and judged, or the reason why it cannot be decided. Raises BadInput."""
    try:
        return check_tables(loaded, profile) if loaded.parts else checked(loaded, profile)
    except NotPredicted as error:
        return Undecided(loaded, profile.name, error)


def check_tables(loaded: Loaded, profile: Profile = DEFAULT) -> CheckedTables:
    """Runs a scenario that writes several tables, and judges each of them.

    Raises NotPredicted for a course that depends on a part that the model cannot evaluate, and
    BadInput likewise as ``check`` does.
    """
    try:
        runs = run_together(loaded.workloads, loaded.scenario.schedule, profile)
    except NotPredicted:
        raise
    except InvalidScenario as error:
        raise bad(loaded, error) from error
    return CheckedTables(
        loaded,
        {name: judged(part, runs[part.scenario.target]) for name, part in loaded.parts.items()},
    )


def together(
    loaded: Loaded,
    results: Mapping[str, RunResult],
    levels: Mapping[str, str],
    failures: tuple[str, ...],
) -> RunResult:
    """The results of the tables as one; ``levels`` are those that the tables are at."""
    first = next(iter(results.values()))
    ends = {
        name: replace(end, table=table)
        for table, result in results.items()
        for name, end in result.transactions.items()
    }
    compared = first.compared
    if compared is not None:
        every = (r.compared.differences for r in results.values() if r.compared is not None)
        compared = Compared(compared.level, tuple(d for some in every for d in some))
    return replace(
        first,
        scenario=loaded.scenario.name,
        transactions={name: ends[name] for name in loaded.scenario.transactions},
        compared=compared,
        failures=failures,
        tables={
            name: TableResult(levels[name], result.rows, result.levels)
            for name, result in results.items()
        },
    )


def in_tables(failures: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The lines about each table, with its name."""
    return tuple(f"{name}: {line}" for name, lines in failures.items() for line in lines)
