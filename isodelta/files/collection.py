"""The scenario collection: beside the packages in a checkout, inside an installed one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.files.scenarios import load_scenarios
from model.scenario import Scenario


def collection_files() -> list[Path]:
    """The files about isolation, by name. Raises BadInput where there are none."""
    return sorted(_folder().glob("*.yaml"))


def statement_files() -> list[Path]:
    """The files about single statements and what they do to each other. Raises BadInput."""
    return sorted(_folder().glob("statements/*.yaml"))


def suite_files() -> list[Path]:
    """The files that say what the implementations' own conflict suites expect. Raises BadInput."""
    return sorted(_folder().glob("suites/*.yaml"))


def collected(name: str) -> Scenario:
    """The scenario of a name among the files about isolation.

    Raises ``KeyError`` where there is none, BadInput and BadScenarios.
    """
    return _by_name()[name]


@cache
def _by_name() -> Mapping[str, Scenario]:
    return {scenario.name: scenario for scenario in load_scenarios(*collection_files())}


def _folder() -> Path:
    package = Path(__file__).parents[1]
    for folder in (package.parent / "scenarios", package / "scenarios"):
        if any(folder.glob("*.yaml")):
            return folder
    raise BadInput(f"no scenario collection beside {package}")
