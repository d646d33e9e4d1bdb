"""ALTER TABLE in the model: the definition that it leaves behind, and what it records."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.definitions import with_places
from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.history import Row
from model.physical.definition_change import metadata_change, protocol_change, rebased
from model.physical.footprint import Footprint
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Scenario, Step, TableSpec
from model.simulator import Run
from model.sql import declared_table, parse_statement
from model.statements import AlterTable, Refused
from model.tables.table import Table

MAPPED = {"delta.columnMapping.mode": "name"}
WRITE_SERIALIZABLE = {"delta.isolationLevel": "WriteSerializable"}
SET_LEVEL = "SET TBLPROPERTIES ('delta.isolationLevel' = 'WriteSerializable')"
NEW_WITH_DEFAULT = "ADD COLUMN w int DEFAULT 5"
UNKNOWN_FEATURE = "SET TBLPROPERTIES ('delta.feature.no' = 'supported')"


def table(properties: dict[str, str] | None = None, *later: str, **columns: str) -> Table:
    spec = TableSpec(columns or {"k": "int", "v": "int"}, properties=properties or {})
    return with_places(declared_table("t", spec), (), later, {})


def altered(text: str, before: Table) -> Table:
    statement = parse_statement(text, "t", {"t": before})
    assert isinstance(statement, AlterTable)
    return statement.after


def failure(text: str, before: Table) -> str:
    statement = parse_statement(text, "t", {"t": before})
    assert isinstance(statement, Refused)
    return statement.error_class


def in_turn(setup: tuple[str, ...], *texts: str, **properties: str) -> Run:
    spec = TableSpec({"k": "int", "v": "int"}, (), (), properties, setup)
    names = [chr(ord("A") + i) for i in range(len(texts))]
    steps = tuple(Step(action, n) for n in names for action in ("begin", "commit"))  # type: ignore[arg-type]
    return run_scenario(Scenario("x", spec, dict(zip(names, texts, strict=True)), steps), DEFAULT)


def test_new_columns_take_their_positions() -> None:
    text = "ALTER TABLE t ADD COLUMNS (a string FIRST, b bigint AFTER k, c int COMMENT 'x')"
    assert altered(text, table(None, text)).column_names == ("a", "k", "b", "v", "c")


def test_a_column_moves_to_the_front_or_behind_another() -> None:
    before = table(a="int", b="int", c="int")
    first = altered("ALTER TABLE t ALTER COLUMN c FIRST", before)
    assert first.column_names == ("c", "a", "b")
    assert altered("ALTER TABLE t ALTER COLUMN c AFTER a", first).column_names == ("a", "c", "b")


def test_a_column_added_again_has_another_place() -> None:
    add, drop = "ALTER TABLE t ADD COLUMN v int", "ALTER TABLE t DROP COLUMN v"
    before = table(MAPPED, add)
    after = altered(add, altered(drop, before))
    assert after.column_names == before.column_names
    assert after.schema != before.schema


def test_a_dropped_column_takes_its_values_out_of_sight() -> None:
    run = in_turn(
        ("INSERT INTO t VALUES (1, 10)",),
        "ALTER TABLE t DROP COLUMN v",
        "ALTER TABLE t ADD COLUMN v int",
        **MAPPED,
    )
    assert run.final.shown() == ((1, None),)


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("ADD COLUMN v int", "FIELD_ALREADY_EXISTS"),
        ("ADD COLUMN w int NOT NULL", "DELTA_OPERATION_NOT_ALLOWED"),
        ("RENAME COLUMN v TO w", "DELTA_UNSUPPORTED_RENAME_COLUMN"),
        ("DROP COLUMN v", "DELTA_UNSUPPORTED_DROP_COLUMN"),
        ("ALTER COLUMN v SET NOT NULL", "_LEGACY_ERROR_TEMP_2330"),
        ("ALTER COLUMN v TYPE bigint", "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
        ("ALTER COLUMN v TYPE string", "DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP"),
        ("ALTER COLUMN v TYPE decimal(5,0)", "NOT_SUPPORTED_CHANGE_COLUMN"),
        ("ALTER COLUMN v SET DEFAULT 5", "WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED"),
        ("ALTER COLUMN v SET DEFAULT k + 1", "INVALID_DEFAULT_VALUE.NOT_CONSTANT"),
        ("ALTER COLUMN v SET DEFAULT 'a'", "INVALID_DEFAULT_VALUE.DATA_TYPE"),
        (NEW_WITH_DEFAULT, "WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED"),
        (SET_LEVEL, "UNSUPPORTED_TABLE_CHANGE"),
        ("SET TBLPROPERTIES ('delta.constraints.c' = 'v > 0')", "DELTA_ADD_CONSTRAINTS"),
        (UNKNOWN_FEATURE, "DELTA_UNSUPPORTED_FEATURES_IN_CONFIG"),
        ("SET TBLPROPERTIES ('delta.minWriterVersion' = '8')", "UNSUPPORTED_TABLE_CHANGE"),
        ("SET TBLPROPERTIES ('owner' = 'me')", "UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY"),
        ("SET TBLPROPERTIES ('delta.nonsense' = '1')", "DELTA_UNKNOWN_CONFIGURATION"),
        ("DROP CONSTRAINT c", "DELTA_CONSTRAINT_DOES_NOT_EXIST"),
        ("DROP FEATURE deletionVectors", "DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT"),
        ("DROP FEATURE appendOnly", "DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE"),
    ],
)  # fmt: skip
def test_what_the_engine_refuses_when_it_runs_is_a_statement_that_fails(
    clause: str, expected: str
) -> None:
    text = f"ALTER TABLE t {clause}"
    assert failure(text, table(None, text)) == expected


@pytest.mark.parametrize(
    "clause",
    [
        "SET TBLPROPERTIES ('delta.autoOptimize.optimizeWrite' = 'true')",
        "SET TBLPROPERTIES ('delta.logRetentionDuration' = 'interval 0 hours')",
        "SET TBLPROPERTIES ('is_managed_location' = 'true')",
        "SET LOCATION '/tmp'",
        "ALTER COLUMN v COMMENT NULL",
    ],
)
def test_what_is_not_known_is_refused(clause: str) -> None:
    with pytest.raises(UnsupportedSQL):
        parse_statement(f"ALTER TABLE t {clause}", "t", {"t": table(MAPPED)})


def test_a_column_that_is_not_there_is_an_error_of_analysis() -> None:
    with pytest.raises(InvalidScenario) as error:
        parse_statement("ALTER TABLE t RENAME COLUMN x TO y", "t", {"t": table(MAPPED)})
    assert error.value.error_class == "UNRESOLVED_COLUMN.WITH_SUGGESTION"


def change_of(clause: str, before: Table | None = None) -> tuple[Table, Table]:
    before = before or table()
    return before, altered(f"ALTER TABLE t {clause}", before)


def test_a_property_is_a_change_of_metadata_and_its_feature_one_of_protocol() -> None:
    before, after = change_of("SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')")
    change = metadata_change(before, after)
    assert change.properties == {"delta.enableDeletionVectors"}
    assert not change.turned_off
    assert not change.schema_changed
    protocol = protocol_change(before, after)
    assert protocol is not None
    assert protocol.added == {"deletionVectors"}


def test_a_property_with_the_value_that_it_has_changes_nothing() -> None:
    before = table({"delta.appendOnly": "true"})
    same = change_of("SET TBLPROPERTIES ('delta.appendOnly' = 'true')", before)
    assert metadata_change(*same) == metadata_change(before, before)


def test_turning_a_feature_off_is_told_apart_from_turning_it_on() -> None:
    before = table({"delta.enableDeletionVectors": "true"})
    off = change_of("SET TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')", before)
    assert metadata_change(*off).turned_off == {"delta.enableDeletionVectors"}
    assert protocol_change(*off) is None


def test_a_writer_version_brings_its_features() -> None:
    before, after = change_of("SET TBLPROPERTIES ('delta.minWriterVersion' = '4')")
    change = protocol_change(before, after)
    assert change is not None
    assert change.added == {"checkConstraints", "changeDataFeed", "generatedColumns"}
    assert metadata_change(before, after) == metadata_change(before, before)


def test_a_writer_version_does_not_go_with_features_for_readers() -> None:
    text = "ALTER TABLE t SET TBLPROPERTIES ('delta.minWriterVersion' = '4')"
    before = table({"delta.enableTypeWidening": "true"})
    assert failure(text, before) == "DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE"


def test_changes_of_different_parts_meet() -> None:
    base = replace(table({"delta.appendOnly": "false"}), clustering=(0,))
    mine = replace(base, clustering=(1,))
    theirs = base.with_properties({"delta.enableDeletionVectors": "true"})
    merged = rebased(base, mine, theirs)
    assert merged.clustering == (1,)
    assert merged.deletion_vectors


def test_the_level_that_a_commit_sets_is_the_level_that_it_is_checked_at() -> None:
    run = in_turn(
        (),
        "ALTER TABLE t UNSET TBLPROPERTIES ('delta.isolationLevel')",
        "DELETE FROM t WHERE k = 1",
        **WRITE_SERIALIZABLE,
    )
    assert run.final.commit is not None
    assert run.final.commit.level == "Serializable"
    # At WriteSerializable the DELETE would have recorded an empty version.
    assert run.ended["B"].outcome == "no commit"


def footprint(run: Run, name: str) -> Footprint:
    found = run.ended[name].footprint
    assert found is not None
    return found


def test_setting_the_level_that_the_scenario_has_changes_nothing() -> None:
    text = "ALTER TABLE t SET TBLPROPERTIES ('delta.isolationLevel' = 'Serializable')"
    same = footprint(in_turn((), text), "A").metadata
    other = footprint(in_turn((), text, **WRITE_SERIALIZABLE), "A").metadata
    assert same is not None
    assert not same.properties
    assert other is not None
    assert other.properties == {"delta.isolationLevel"}


@pytest.mark.parametrize("text", ["DELETE FROM t WHERE k = 7", "UPDATE t SET v = 1 WHERE k = 7"])
def test_an_append_only_table_refuses_changes_even_of_nothing(text: str) -> None:
    run = in_turn(("INSERT INTO t VALUES (1, 1)",), text, **{"delta.appendOnly": "true"})
    assert run.ended["A"].outcome == "DELTA_CANNOT_MODIFY_APPEND_ONLY"


def test_a_failing_statement_fails_when_it_is_run_alone_too() -> None:
    text = "ALTER TABLE t DROP COLUMN v"
    statement = parse_statement(text, "t", {"t": table()})
    rows: tuple[Row, ...] = ()
    with pytest.raises(StatementFailure):
        statement.rerun({"t": rows})
