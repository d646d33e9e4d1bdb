"""The scenario collection: next to the packages in a checkout, inside an installed package."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from isodelta.exits import BadInput
from isodelta.files.scenarios import load_scenarios
from model.scenario import Scenario


def collection_files() -> list[Path]:
    """The files about isolation, by name. Raises BadInput if there are none."""
    return sorted(_folder().glob("*.yaml"))


def statement_files() -> list[Path]:
    """The files about single statements and their effects on each other. Raises BadInput."""
    return sorted(_folder().glob("statements/*.yaml"))


def suite_files() -> list[Path]:
    """The expectations of the implementations' own conflict suites. Raises BadInput."""
    return sorted(_folder().glob("suites/*.yaml"))


def collected(name: str) -> Scenario:
    """The scenario with a name in the files about isolation.

    Raises ``KeyError`` if there is none, BadInput and BadScenarios.
    """
    return _by_name()[name]


@cache
def _by_name() -> Mapping[str, Scenario]:
    return {scenario.name: scenario for scenario in load_scenarios(*collection_files())}


def _folder() -> Path:
    package = Path(__file__).parents[1]
    for folder in (package / "scenarios", package.parent / "scenarios"):
        if any(folder.glob("*.yaml")):
            return folder
    raise BadInput(f"no scenario collection next to {package}")
