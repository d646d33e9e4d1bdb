"""Scenarios from text, and their runs in the model, for use from Python."""

from __future__ import annotations

from isodelta.files.profiles import chosen
from isodelta.files.scenarios import read_text
from model.preparation import run_scenario
from model.profiles import DEFAULT, Profile
from model.scenario import Scenario
from model.simulator import Run


def parse_scenarios(text: str) -> list[Scenario]:
    """The scenarios in a YAML text, one or many. Raises BadScenarios."""
    return [loaded.scenario for loaded in read_text(text)]


def run(scenario: Scenario, *, profile: Profile | str = DEFAULT, level: str | None = None) -> Run:
    """Runs a scenario in the model.

    ``profile`` is a profile, its name or ``FILE.py:NAME``; ``level`` overrides the isolation level
    of the table. The run's ``history`` is what ``judge`` takes. Raises InvalidScenario.
    """
    return run_scenario(scenario, chosen(profile), level)
