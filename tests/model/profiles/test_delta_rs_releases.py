"""Profiles of earlier releases of delta-rs: what differs from one to the next."""

from __future__ import annotations

import pytest

from isodelta.files.scenarios import load_scenarios
from isodelta.options import engine_profile
from model.preparation import run_scenario
from model.profiles import profile
from model.scenario import Scenario
from tests.command_line import ROOT

RULES = profile("delta-rs-1.6")
FINDINGS = {
    scenario.name: scenario
    for scenario in load_scenarios(ROOT / "docs" / "findings" / "delta_rs.yaml", profile=RULES)
}


def outcome(scenario: Scenario, transaction: str, rules: str) -> str:
    return run_scenario(scenario, profile(rules), "Serializable").ended[transaction].outcome


@pytest.mark.parametrize(
    ("name", "transaction", "outcomes"),
    [
        (
            "two compactions duplicate every row",
            "B",
            {
                "delta-rs-1.1": "ConcurrentDeleteDelete",
                "delta-rs-1.2": "ConcurrentDeleteRead",
                "delta-rs-1.3": "ConcurrentDeleteDelete",
                "delta-rs-1.5": "ConcurrentDeleteDelete",
                "delta-rs-1.6": "committed",
            },
        ),
        (
            "a delete of all rows misses an insert",
            "A",
            {
                "delta-rs-1.1": "ConcurrentAppend",
                "delta-rs-1.3": "ConcurrentAppend",
                "delta-rs-1.5": "committed",
                "delta-rs-1.6": "committed",
            },
        ),
        (
            "an insert conflicts with a delete",
            "A",
            {
                "delta-rs-1.1": "committed",
                "delta-rs-1.2": "ConcurrentDeleteRead",
                "delta-rs-1.6": "ConcurrentDeleteRead",
            },
        ),
    ],
)
def test_as_replayed_on_the_releases(name: str, transaction: str, outcomes: dict[str, str]) -> None:
    for rules, wanted in outcomes.items():
        assert outcome(FINDINGS[name], transaction, rules) == wanted, rules


@pytest.mark.parametrize(
    ("engine", "rules"),
    [
        ("delta-rs", "delta-rs-1.6"),
        ("delta-rs@1.6.6", "delta-rs-1.6"),
        ("delta-rs@1.5.1", "delta-rs-1.5"),
        ("delta-rs@1.4.2", "delta-rs-1.5"),
        ("delta-rs@1.0.2", "delta-rs-1.1"),
        ("delta-spark@4.0.1", "delta-spark-4.0"),
        ("delta-spark@4.2.0", "delta-spark-4.2"),
        ("delta-spark@4.3.0", "delta-spark-4.4"),
    ],
)
def test_a_release_is_compared_with_its_rules(engine: str, rules: str) -> None:
    assert engine_profile(engine) == rules
