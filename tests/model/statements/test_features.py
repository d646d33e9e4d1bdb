"""Statements of several commits: row tracking, DROP FEATURE, column mapping taken out."""

from __future__ import annotations

import pytest

from conformance.model_engine import ModelEngine
from conformance.replay.observation import observe
from conformance.replay.observed_history import observed
from model.errors import InvalidScenario
from model.physical.log import Snapshot
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Run
from model.sql import declared_table, parse_statement
from model.statements import Refused

TRACK = "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'true')"
SUPPORT = "ALTER TABLE t SET TBLPROPERTIES ('delta.feature.rowTracking' = 'supported')"
ROWS = ("INSERT INTO t VALUES (1, 10), (2, 20)", "INSERT INTO t VALUES (5, 50)")
VECTORS = {"delta.enableDeletionVectors": "true"}


def scenario(
    transactions: dict[str, str],
    *schedule: str,
    setup: tuple[str, ...] = ROWS,
    properties: dict[str, str] | None = None,
) -> Scenario:
    table = TableSpec({"k": "int", "v": "int"}, (), (), properties or {}, setup)
    entries = schedule or tuple(transactions)
    return Scenario("x", table, transactions, tuple(s for e in entries for s in steps(e)))


def ran(
    *texts: str, setup: tuple[str, ...] = ROWS, properties: dict[str, str] | None = None
) -> Run:
    named = {chr(ord("A") + i): text for i, text in enumerate(texts)}
    return run_scenario(scenario(named, setup=setup, properties=properties), DEFAULT)


def operations(run: Run) -> list[str]:
    found: list[str] = []
    snapshot: Snapshot | None = run.final
    while snapshot is not None and snapshot.version > run.workload.base.version:
        assert snapshot.commit is not None
        found.insert(0, snapshot.commit.footprint.operation)
        snapshot = snapshot.parent
    return found


def test_row_tracking_takes_three_commits() -> None:
    run = ran(TRACK)
    assert operations(run) == ["UPGRADE PROTOCOL", "ROW TRACKING BACKFILL", "SET TBLPROPERTIES"]
    assert run.ended["A"].logical.commit_version == run.final.version
    assert len(run.final.files) == 2
    assert {"rowTracking", "domainMetadata"} <= run.final.table.features


def test_a_table_without_files_has_nothing_to_backfill() -> None:
    assert operations(ran(TRACK, setup=())) == ["UPGRADE PROTOCOL", "SET TBLPROPERTIES"]


def test_files_written_since_the_feature_is_there_have_row_ids() -> None:
    run = ran(TRACK, setup=(ROWS[0], SUPPORT, ROWS[1]))
    assert operations(run) == ["ROW TRACKING BACKFILL", "SET TBLPROPERTIES"]
    (backfill,) = (
        c for c in run.final.commits_after(run.workload.base.version) if c.footprint.restates
    )
    assert [file.path for file in backfill.footprint.adds] == ["setup1-0"]


def test_a_backfill_leaves_out_what_winners_have_touched() -> None:
    found = scenario(
        {"A": TRACK, "B": "UPDATE t SET v = 0 WHERE k = 1"},
        "begin A", "B", "commit A", setup=(*ROWS, SUPPORT),
    )  # fmt: skip
    run = run_scenario(found, DEFAULT)
    backfill = run.ended["A"].footprint
    assert backfill is not None
    assert [file.path for file in backfill.adds] == ["setup2-0"]
    assert sorted(run.final.rows()) == [(1, 0), (2, 20), (5, 50)]


def test_enabled_again_it_takes_one_commit() -> None:
    off = "ALTER TABLE t SET TBLPROPERTIES ('delta.enableRowTracking' = 'false')"
    assert operations(ran(off, TRACK, properties={"delta.enableRowTracking": "true"})) == [
        "SET TBLPROPERTIES",
        "SET TBLPROPERTIES",
    ]


@pytest.mark.parametrize(
    ("feature", "properties", "expected"),
    [
        ("domainMetadata", {"delta.feature.domainMetadata": "supported"}, ["DROP FEATURE"]),
        (
            "inCommitTimestamp",
            {"delta.enableInCommitTimestamps": "true"},
            ["UNSET TBLPROPERTIES", "DROP FEATURE"],
        ),
        (
            "rowTracking",
            {"delta.enableRowTracking": "true"},
            ["SET TBLPROPERTIES", "ROW TRACKING UNBACKFILL", "DROP FEATURE"],
        ),
        (
            "vacuumProtocolCheck",
            {"delta.feature.vacuumProtocolCheck": "supported"},
            ["Empty Commit"] * 3 + ["DROP FEATURE"],
        ),
        (
            "columnMapping",
            {"delta.columnMapping.mode": "name"},
            ["REMOVE COLUMN MAPPING"] + ["Empty Commit"] * 3 + ["DROP FEATURE"],
        ),
        (
            "deletionVectors",
            VECTORS,
            ["UNSET TBLPROPERTIES", "Deletion Vector Tombstones"]
            + ["Empty Commit"] * 3
            + ["DROP FEATURE"],
        ),
    ],
)
def test_what_comes_before_a_feature_is_dropped(
    feature: str, properties: dict[str, str], expected: list[str]
) -> None:
    run = ran(f"ALTER TABLE t DROP FEATURE {feature}", properties=properties)
    assert operations(run) == expected
    assert feature not in run.final.table.features


def test_marked_rows_leave_the_files_before_deletion_vectors_are_dropped() -> None:
    setup = (*ROWS, "DELETE FROM t WHERE k = 1")
    run = ran("ALTER TABLE t DROP FEATURE deletionVectors", setup=setup, properties=VECTORS)
    assert operations(run)[1] == "REORG"
    assert all(file.vector is None for file in run.final.files.values())
    assert sorted(run.final.rows()) == [(2, 20), (5, 50)]


@pytest.mark.parametrize(
    ("feature", "properties", "error"),
    [
        ("clustering", {}, "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT"),
        ("invariants", {}, "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"),
        (
            "changeDataFeed",
            {"delta.enableChangeDataFeed": "true"},
            "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE",
        ),
        (
            "domainMetadata",
            {"delta.enableRowTracking": "true"},
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE",
        ),
        (
            "rowTracking TRUNCATE HISTORY",
            {"delta.enableRowTracking": "true"},
            "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED",
        ),
        (
            "checkpointProtection",
            {"delta.feature.checkpointProtection": "supported"},
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
        ),
    ],
)
def test_features_that_cannot_be_dropped(
    feature: str, properties: dict[str, str], error: str
) -> None:
    before = declared_table("t", TableSpec({"k": "int"}, properties=properties))
    statement = parse_statement(f"ALTER TABLE t DROP FEATURE {feature}", "t", {"t": before})
    assert isinstance(statement, Refused)
    assert statement.error_class == error


def test_type_widening_is_dropped_once_the_files_have_the_types() -> None:
    widen = "ALTER TABLE t ALTER COLUMN v TYPE bigint"
    run = ran(
        "ALTER TABLE t DROP FEATURE typeWidening",
        setup=(ROWS[0], widen, ROWS[1]),
        properties={"delta.enableTypeWidening": "true"},
    )
    found = operations(run)
    assert found[:3] == ["UNSET TBLPROPERTIES", "REORG", "DROP FEATURE"]
    assert found[3:] == ["Empty Commit"] * 3 + ["DROP FEATURE"]
    purge = run.final.at(run.workload.base.version + 2).commit
    assert purge is not None
    assert [file.path for file in purge.footprint.removes] == ["setup1-0"]


def test_the_removal_of_column_mapping_rewrites_the_table() -> None:
    text = "ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none', 'team' = 'x')"
    run = ran(text, properties={"delta.columnMapping.mode": "name"})
    assert operations(run) == ["REMOVE COLUMN MAPPING", "SET TBLPROPERTIES"]
    assert len(run.final.files) == 1
    assert not run.final.table.column_mapping
    assert run.ended["A"].logical.changes == ()


def test_a_table_without_column_mapping_is_rewritten_as_well() -> None:
    run = ran("ALTER TABLE t SET TBLPROPERTIES ('delta.columnMapping.mode' = 'none')")
    assert operations(run) == ["REMOVE COLUMN MAPPING"]
    assert len(run.final.files) == 1


def test_a_set_up_statement_may_take_several_commits() -> None:
    run = ran("INSERT INTO t VALUES (7, 70)", setup=(*ROWS, TRACK))
    assert run.workload.base.version == 5
    assert run.ended["A"].logical.commit_version == 6


def test_the_log_of_several_commits_gives_the_history_that_was_predicted() -> None:
    found = scenario(
        {"A": "UPDATE t SET v = v + 1 WHERE k = 1", "B": TRACK}, "begin A", "B", "commit A"
    )
    seen = observed(
        prepare(found, DEFAULT), observe(ModelEngine(DEFAULT), found, DEFAULT.default_level)
    )
    assert seen.history.unknown == ()
    assert seen.disobedient == ()


@pytest.mark.parametrize(
    ("key", "value", "error_class"),
    [
        ("delta.autoOptimize.optimizeWrite", "true", None),
        ("delta.deletedFileRetentionDuration", "interval 0 hours", None),
        ("delta.enableDeletionVectors", "maybe", "UNSUPPORTED_TABLE_CHANGE"),
        ("delta.nonsense", "1", "DELTA_UNKNOWN_CONFIGURATION"),
        ("owner", "me", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
    ],
)
def test_a_declared_property_that_is_not_known_is_refused(
    key: str, value: str, error_class: str | None
) -> None:
    with pytest.raises(InvalidScenario) as error:
        declared_table("t", TableSpec({"k": "int"}, properties={key: value}))
    assert error.value.where == ("properties", key)
    assert error.value.error_class == error_class


def test_declared_properties_go_by_the_names_that_delta_keeps() -> None:
    given = {"DELTA.enabledeletionvectors": "true", "team": "sales"}
    found = declared_table("t", TableSpec({"k": "int"}, properties=given))
    assert found.deletion_vectors
    assert found.declared("team") == "sales"
    assert found.features == {"deletionVectors"}


def test_an_unknown_feature_is_refused_where_it_is_declared() -> None:
    with pytest.raises(InvalidScenario):
        declared_table("t", TableSpec({"k": "int"}, properties={"delta.feature.no": "supported"}))


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ({}, {1, 2}),
        ({"delta.dataSkippingNumIndexedCols": "0"}, set()),
        ({"delta.dataSkippingNumIndexedCols": "1"}, {1}),
        ({"delta.dataSkippingNumIndexedCols": "-1"}, {1, 2}),
        ({"delta.dataSkippingStatsColumns": "V"}, {2}),
    ],
)
def test_columns_with_statistics(properties: dict[str, str], expected: set[int]) -> None:
    spec = TableSpec({"p": "int", "k": "int", "v": "int"}, ("p",), (), properties)
    assert declared_table("t", spec).indexed == expected
