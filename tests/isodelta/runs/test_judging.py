"""A search's finding: what came of its run is what ``check`` makes of its scenario."""

from __future__ import annotations

import pytest

from checker.search.exhaustive import Search
from isodelta.runs.judging import check_scenario, finding_result
from model.levels import SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.profiles import profile


@pytest.mark.parametrize(
    ("rules", "level"),
    [("delta-spark-4.4", WRITE_SERIALIZABLE), ("delta-rs-1.6", SNAPSHOT_ISOLATION)],
)
def test_a_finding_keeps_what_check_says_of_it(rules: str, level: str) -> None:
    chosen = profile(rules)
    findings = Search("partitioned", chosen).run(level, 2).findings
    assert findings
    for finding in findings:
        assert finding_result(finding, chosen) == check_scenario(finding.scenario, chosen).result
