"""Verdicts on logs, held against those on the histories that were seen while the log was made.

The audit knows less than an observer, so it may say unknown; it never says the opposite.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import pytest

from checker.judging.verdict import judge
from checker.logs.audit import Audit, Window
from checker.search.random_search import scenarios_in_groups
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import EngineError
from conformance.replay.campaign import valid
from conformance.replay.observation import drive
from conformance.replay.observed_history import observed_history
from conformance.spark.engine import SparkEngine
from isodelta.files.scenarios import load_scenarios
from isodelta.runs.running import parse_scenarios
from model.levels import DELTA_LEVELS, SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.preparation import prepare
from model.profiles import DEFAULT, Profile, profile
from model.scenario import Scenario
from tests.command_line import ROOT
from tests.log_files import audited
from tests.nightly import cases

DELTA_RS = profile("delta-rs-1.6")
FINDINGS = ROOT / "docs" / "findings" / "delta_rs.yaml"


@pytest.fixture(scope="module")
def delta_rs() -> Iterator[DeltaRsEngine]:
    engine = DeltaRsEngine()
    yield engine
    engine.close()


def both(
    engine: DeltaRsEngine | SparkEngine, scenario: Scenario, level: str, rules: Profile
) -> tuple[Audit, dict[str, str]]:
    """The audit of the table that a replay leaves, and the verdicts on what was observed."""
    replay = engine.open(scenario, level)
    try:
        observation = drive(replay, engine.name, scenario, level)
        result = audited(replay.folder / "t", Window(first=observation.base_version + 1))
    finally:
        replay.close()
    workload = prepare(scenario.at_level(level), rules)
    verdicts = judge(observed_history(workload, observation))
    return result, {name: verdicts[name].verdict for name in DELTA_LEVELS}


def told(result: Audit) -> set[str]:
    """The kinds of findings, without files left behind by transactions that were refused."""
    return {each.kind for each in result.findings} - {"orphan-file"}


@pytest.mark.parametrize("scenario", load_scenarios(FINDINGS), ids=lambda each: each.name)
def test_what_delta_rs_does_to_rows_is_never_called_the_opposite(
    delta_rs: DeltaRsEngine, scenario: Scenario
) -> None:
    level = scenario.level or SERIALIZABLE
    result, observed = both(delta_rs, scenario, level, DELTA_RS)
    for name, verdict in observed.items():
        assert {result.levels[name], verdict} != {"holds", "violated"}


DAMAGED = {
    "two compactions duplicate every row": (
        "rewritten-twice",
        (3, 4),
        "(1, 10), (2, 20) are there twice after version 4",
    ),
    "a delete of all rows is lost to a compaction": (
        "removed-not-live",
        (3, 4),
        "(1, 10), (2, 20) are there again, although one of the two had deleted or changed it",
    ),
    "a compaction brings deleted rows back": (
        "rewritten-twice",
        (3, 5),
        "(2, 20) is there twice after version 5; (1, 10) is there again",
    ),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_table_that_delta_rs_damaged_is_told_by_versions_and_rows(
    delta_rs: DeltaRsEngine, name: str
) -> None:
    (scenario,) = (each for each in load_scenarios(FINDINGS) if each.name == name)
    result, observed = both(delta_rs, scenario, SERIALIZABLE, DELTA_RS)
    kind, versions, rows = DAMAGED[name]
    (finding,) = (each for each in result.findings if each.kind == kind)
    assert finding.versions == versions
    assert rows in finding.because
    assert result.levels == observed == dict.fromkeys(DELTA_LEVELS, "violated")


def random_verdicts(
    engine: DeltaRsEngine | SparkEngine, rules: Profile, levels: tuple[str, ...], most: int
) -> Counter[tuple[str, str]]:
    """How often each verdict of the audit met each of the observer."""
    met: Counter[tuple[str, str]] = Counter()
    for scenario in islice(valid(scenarios_in_groups(3, 12, (2, 3)), rules), most):
        for level in levels:
            try:
                result, observed = both(engine, scenario, level, rules)
            except EngineError:
                continue  # Not every statement is one of delta-rs.
            for name, verdict in observed.items():
                met[result.levels[name], verdict] += 1
            if "violated" not in observed.values() and "VACUUM" not in str(scenario.transactions):
                assert told(result) == set()
    return met


@pytest.mark.slow
def test_random_tables_of_delta_rs(delta_rs: DeltaRsEngine) -> None:
    met = random_verdicts(delta_rs, DELTA_RS, (SERIALIZABLE, SNAPSHOT_ISOLATION), 120)
    assert not met["holds", "violated"] + met["violated", "holds"]
    assert met["holds", "holds"]
    assert met["violated", "violated"]


@pytest.mark.spark
def test_random_tables_of_spark(spark_engine: SparkEngine) -> None:
    met = random_verdicts(spark_engine, DEFAULT, (SERIALIZABLE, WRITE_SERIALIZABLE), cases(2, 60))
    assert not met["holds", "violated"] + met["violated", "holds"]
    assert met["holds", "holds"]


FEATURES: dict[str, tuple[dict[str, object], tuple[str, ...]]] = {
    "deletion vectors, row tracking, in-commit timestamps": (
        {
            "columns": {"k": "int", "p": "int"},
            "properties": {
                "delta.enableDeletionVectors": "true",
                "delta.enableRowTracking": "true",
                "delta.enableInCommitTimestamps": "true",
            },
        },
        (
            "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
            "DELETE FROM t WHERE k = 1",
            "UPDATE t SET p = 9 WHERE k = 2",
            "OPTIMIZE t",
            "DELETE FROM t WHERE k = 3",
            "RESTORE TABLE t TO VERSION AS OF 2",
            "REORG TABLE t APPLY (PURGE)",
        ),
    ),
    "column mapping, checkpoints": (
        {
            "columns": {"k": "int", "p": "int"},
            "partition_by": ["p"],
            "properties": {"delta.columnMapping.mode": "name", "delta.checkpointInterval": "2"},
        },
        (
            "INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)",
            "ALTER TABLE t RENAME COLUMN k TO kk",
            "DELETE FROM t WHERE p = 1",
            "UPDATE t SET kk = 9 WHERE kk = 2",
            "INSERT OVERWRITE t VALUES (1, 1)",
        ),
    ),
    "checkpoints of the second version, text": (
        {
            "columns": {"k": "int", "s": "string"},
            "properties": {"delta.checkpointPolicy": "v2", "delta.checkpointInterval": "2"},
        },
        (
            "INSERT INTO t VALUES (1, 'a b'), (2, 'c')",
            "DELETE FROM t WHERE s = 'a b'",
            "INSERT INTO t VALUES (3, 'd')",
            "DELETE FROM t",
        ),
    ),
}


@pytest.mark.spark
def test_tables_of_spark_are_clean_whatever_features_they_have(spark_engine: SparkEngine) -> None:
    for name, (table, statements) in FEATURES.items():
        transactions = {f"T{number}": sql for number, sql in enumerate(statements)}
        mapping = {
            "name": name,
            "table": table,
            "transactions": transactions,
            "schedule": list(transactions),
        }
        (scenario,) = parse_scenarios(json.dumps(mapping))
        replay = spark_engine.open(scenario)
        try:
            drive(replay, "delta-spark", scenario, SERIALIZABLE)
            result = audited(replay.folder / "t")
        finally:
            replay.close()
        assert result.findings == []
        assert set(result.levels.values()) == {"holds"}
        assert result.commits == len(statements) + 1
