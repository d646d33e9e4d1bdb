"""One scenario under every profile: what the implementations and the documents make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from isodelta.files.scenarios import Loaded
from isodelta.runs.judging import Checked, check
from isodelta.runs.results import check_result
from isodelta.terminal import COLOURS, printable
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.preparation import check_known, prepare
from model.profiles import PROFILES, Profile, readings
from model.scenario import Expectation, Scenario


@dataclass(frozen=True, slots=True)
class UnderProfile:
    """A scenario under one profile; ``refused`` says why the profile cannot run it."""

    scenario: Scenario
    profile: Profile
    checked: Checked | None
    refused: str = ""

    @property
    def broken(self) -> bool:
        """Whether the rules admit a history that the level of the table forbids."""
        checked = self.checked
        return checked is not None and checked.verdicts[checked.level].verdict == "violated"

    @property
    def row(self) -> tuple[str, ...]:
        """What the table shows of it, without the profile's name."""
        if self.checked is None:
            return (f"refused: {self.refused}",)
        ended = self.checked.run.ended
        outcomes = ", ".join(f"{name}: {ended[name].outcome}" for name in ended)
        verdicts = self.checked.verdicts
        return (self.checked.level, outcomes, *(verdicts[name].verdict for name in DELTA_LEVELS))


def under_every_profile(loaded: Loaded) -> Iterator[UnderProfile]:
    """Runs a scenario under each profile. What its author expects of one is not asked here."""
    for profile in PROFILES.values():
        yield under_profile(loaded, profile)


def under_profile(loaded: Loaded, profile: Profile) -> UnderProfile:
    """Runs a scenario under one profile."""
    scenario = loaded.scenario
    try:
        workload = prepare(scenario, profile)
        check_known(workload, scenario.schedule, profile)
    except InvalidScenario as error:
        return UnderProfile(scenario, profile, None, str(error))
    plain = Scenario(
        scenario.name,
        scenario.table,
        scenario.transactions,
        scenario.schedule,
        scenario.tables,
        Expectation(),
    )
    checked = check(Loaded(plain, workload, loaded.file, loaded.line), profile)
    return UnderProfile(scenario, profile, checked)


def profile_result(under: UnderProfile) -> dict[str, Any]:
    """The JSON object of a scenario under one profile."""
    if under.checked is not None:
        result = check_result(under.checked)
        result.pop("failures", None)
        return result
    return {
        "scenario": under.scenario.name,
        "profile": under.profile.name,
        "engine": "model",
        "refused": under.refused,
    }


def print_every_profile(loaded: Loaded, results: Sequence[UnderProfile], console: Console) -> None:
    """One table; the readings of a document share a line where they agree."""
    console.print(Text(printable(loaded.scenario.name), "bold"))
    console.print(Text(f"{loaded.file}:{loaded.line}, in the model under every profile", "dim"))
    table = Table(show_edge=False, pad_edge=False)
    for heading in ("profile", "table", "outcomes", *map(_short, DELTA_LEVELS)):
        table.add_column(heading, overflow="fold", no_wrap=heading != "outcomes")
    by_name = {result.profile.name: result for result in results}
    for name, names in readings().items():
        rows = {reading: by_name[reading].row for reading in names}
        if len(set(rows.values())) == 1:
            rows = {name: rows[names[0]]}
        for shown, row in rows.items():
            table.add_row(shown, *_cells(row))
    console.print(table)
    levels = ", ".join(f"{_short(level)} {level}" for level in DELTA_LEVELS)
    console.print(Text(f"table: the level of the table; {levels}", "dim"))


def _short(level: str) -> str:
    """The capitals of a level's name: columns are narrow."""
    return "".join(filter(str.isupper, level))


def _cells(row: tuple[str, ...]) -> list[Text]:
    if len(row) == 1:
        return [Text("-"), Text(printable(row[0]), "dim")]
    level, outcomes, *verdicts = row
    return [
        Text(_short(level)),
        Text(printable(outcomes)),
        *(Text(verdict, COLOURS[verdict]) for verdict in verdicts),
    ]
