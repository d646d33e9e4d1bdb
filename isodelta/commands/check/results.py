"""One scenario under every profile: its results for all implementations and documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from isodelta.files.scenarios import Loaded
from isodelta.runs.judging import Checked, check
from isodelta.runs.results import MODEL
from isodelta.runs.tables import check_tables
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.preparation import check_known, prepare
from model.profiles import PROFILES, Profile
from model.scenario import Expectation, Scenario
from model.several import check_parts, prepare_parts


@dataclass(frozen=True, slots=True)
class UnderProfile:
    """A scenario under one profile; ``refused`` says why the profile cannot run it.

    ``place`` is the scenario's file and line.
    """

    scenario: Scenario
    place: str
    profile: Profile
    checked: Checked | None
    refused: str = ""

    @property
    def broken(self) -> bool:
        """True if the rules admit a history that the level of the table forbids."""
        checked = self.checked
        return checked is not None and checked.verdicts[checked.level].verdict == "violated"

    @property
    def row(self) -> tuple[str, ...]:
        """Its row in the table, without the profile's name."""
        if self.checked is None:
            return (f"refused: {self.refused}",)
        ended = self.checked.run.ended
        outcomes = ", ".join(f"{name}: {ended[name].outcome}" for name in ended)
        verdicts = self.checked.verdicts
        return (self.checked.level, outcomes, *(verdicts[name].verdict for name in DELTA_LEVELS))

    def to_json(self) -> dict[str, object]:
        """The object that ``check --profile all --json`` prints for one profile."""
        if self.checked is not None:
            # The author's expectations are about one profile, and do not apply to the others.
            return replace(self.checked.result, failures=()).to_json()
        return {
            "scenario": self.scenario.name,
            "profile": self.profile.name,
            "engine": MODEL,
            "refused": self.refused,
        }


def under_every_profile(loaded: Loaded) -> Iterator[UnderProfile]:
    """Runs a scenario under each profile. Its author's expectations are not checked."""
    results = [list(_under_profile(loaded, profile)) for profile in PROFILES.values()]
    tables = max(map(len, results))
    for table in range(tables):
        # Refused ones have no tables.
        yield from (some[table] for some in results if table < len(some))


def _under_profile(loaded: Loaded, profile: Profile) -> Iterator[UnderProfile]:
    """One result, or one for each table that the scenario writes."""
    if not loaded.parts:
        yield under_profile(loaded, profile)
        return
    place = f"{loaded.file}:{loaded.line}"
    plain = replace(loaded.scenario, expect=Expectation())
    try:
        workloads = prepare_parts(plain, profile)
        check_parts(workloads, plain.schedule, profile)
    except InvalidScenario as error:
        yield UnderProfile(plain, place, profile, None, str(error))
        return
    ready = {
        name: replace(part, workload=workloads[part.scenario.target])
        for name, part in loaded.parts.items()
    }
    done = check_tables(replace(loaded, scenario=plain, parts=ready), profile)
    for part in done.each():
        yield UnderProfile(part.loaded.scenario, place, profile, part)


def under_profile(loaded: Loaded, profile: Profile) -> UnderProfile:
    """Runs a scenario under one profile."""
    scenario, place = loaded.scenario, f"{loaded.file}:{loaded.line}"
    try:
        workload = prepare(scenario, profile)
        check_known(workload, scenario.schedule, profile)
    except InvalidScenario as error:
        return UnderProfile(scenario, place, profile, None, str(error))
    plain = replace(scenario, expect=Expectation())
    checked = check(replace(loaded, scenario=plain, workload=workload), profile)
    return UnderProfile(scenario, place, profile, checked)
