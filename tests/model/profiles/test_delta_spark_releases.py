"""Profiles of earlier releases of Delta on Spark: which changes of metadata they ignore."""

from __future__ import annotations

import pytest

from isodelta.files.scenarios import load_scenarios
from model.outcomes import COMMITTED
from model.preparation import run_scenario
from model.profiles import profile
from tests.command_line import ROOT

SCENARIOS = {
    scenario.name: scenario
    for scenario in load_scenarios(ROOT / "scenarios" / "suites" / "releases.yaml")
}

REFUSES = {
    "delta-spark-4.0": {
        "a delete meets deletion vectors switched on",
        "an append meets column mapping switched on",
        "an append meets commit timestamps switched on",
        "an append meets a checkpoint policy",
        "an append meets a restore",
    },
    "delta-spark-4.2": {
        "an append meets commit timestamps switched on",
        "an append meets a checkpoint policy",
    },
}
"""What each refuses and 4.4 does not, as replayed on 3.3.2 and 4.0.1, and on 4.2.0."""


@pytest.mark.parametrize("rules", REFUSES)
def test_what_a_release_refuses_besides(rules: str) -> None:
    refused = set()
    for name, scenario in SCENARIOS.items():
        then = run_scenario(scenario, profile(rules)).ended["A"].outcome
        now = run_scenario(scenario, profile("delta-spark-4.4")).ended["A"].outcome
        if then != now:
            assert (then, now) == ("MetadataChanged", COMMITTED)
            refused.add(name)
    assert refused == REFUSES[rules]
