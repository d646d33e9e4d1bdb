"""Statements that bring columns along or change types: what they leave, and whom they fail."""

from __future__ import annotations

from decimal import Decimal

import pytest

from model.errors import InvalidScenario, UnsupportedSQL
from model.history import Row
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Expectation, Scenario, TableSpec
from model.simulator import Run
from model.values.types import (
    BIGINT,
    DATE,
    DOUBLE,
    INT,
    STRING,
    TIMESTAMP,
    decimal,
    upcasts,
    widenable,
)
from tests.notation import scheduled

COLUMNS = {"k": "int", "v": "int"}
ROWS = "INSERT INTO t VALUES (1, 10), (2, 20)"
AUTO_MERGE = "SET spark.databricks.delta.schema.autoMerge.enabled = true; "
WIDENS = {"delta.enableTypeWidening": "true"}
DEFAULTS = {"delta.feature.allowColumnDefaults": "supported"}
SOURCE = "(SELECT 1 AS k, 'x' AS note UNION ALL SELECT 7, 'y') s ON t.k = s.k "
UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
MERGE = f"MERGE WITH SCHEMA EVOLUTION INTO t USING {SOURCE}{UPSERT}"


def ran(
    *texts: str,
    schedule: str = "",
    columns: dict[str, str] | None = None,
    setup: tuple[str, ...] = (ROWS,),
    partition_by: tuple[str, ...] = (),
    expect: dict[str, str] | None = None,
    **properties: str,
) -> Run:
    spec = TableSpec(columns or COLUMNS, partition_by, (), properties, setup)
    names = "ABCDEFGH"[: len(texts)]
    order = scheduled(schedule or ", ".join(names))
    transactions = dict(zip(names, texts, strict=True))
    expected = Expectation(expect or {})
    return run_scenario(Scenario("x", spec, transactions, order, {}, expected), DEFAULT)


def left(*texts: str, **options: object) -> set[Row]:
    return set(ran(*texts, **options).final.shown())  # type: ignore[arg-type]


def outcomes(*texts: str, **options: object) -> list[str]:
    done = ran(*texts, **options)  # type: ignore[arg-type]
    return [ended.outcome for ended in done.ended.values()]


@pytest.mark.parametrize("text", [MERGE, AUTO_MERGE + MERGE.replace(" WITH SCHEMA EVOLUTION", "")])
def test_a_merge_brings_the_columns_of_its_source(text: str) -> None:
    assert left(text) == {(1, 10, "x"), (2, 20, None), (7, None, "y")}


def test_without_schema_evolution_a_merge_leaves_other_columns_out() -> None:
    text = f"MERGE INTO t USING (SELECT 1 AS k, 5 AS v, 'x' AS note) s ON t.k = s.k {UPSERT}"
    assert left(text) == {(1, 5), (2, 20)}


@pytest.mark.parametrize(
    ("clauses", "columns"),
    [
        ("WHEN MATCHED THEN UPDATE SET note = 'z'", ("k", "v", "note")),
        ("WHEN NOT MATCHED THEN INSERT (k, NOTE) VALUES (s.k, 'z')", ("k", "v", "note")),
        ("WHEN MATCHED THEN UPDATE SET v = 1", ("k", "v")),
        ("WHEN MATCHED THEN DELETE", ("k", "v")),
    ],
)
def test_a_merge_brings_only_columns_that_it_assigns(
    clauses: str, columns: tuple[str, ...]
) -> None:
    done = ran(f"MERGE WITH SCHEMA EVOLUTION INTO t USING {SOURCE}{clauses}")
    assert done.final.table.column_names == columns


@pytest.mark.parametrize("condition", ["t.k = s.k", "t.k = s.k + 100"])
def test_a_merge_that_changes_no_row_commits_its_new_columns(condition: str) -> None:
    source = "(SELECT 9 AS k, 'x' AS note) s"
    clause = "WHEN MATCHED THEN UPDATE SET *"
    done = ran(f"MERGE WITH SCHEMA EVOLUTION INTO t USING {source} ON {condition} {clause}")
    footprint = done.ended["A"].footprint
    assert done.ended["A"].outcome == "committed"
    assert footprint is not None
    assert not footprint.adds
    assert footprint.metadata is not None


@pytest.mark.parametrize(
    "clause",
    [
        "WHEN MATCHED THEN UPDATE SET t.note = 'z'",
        "WHEN MATCHED THEN UPDATE SET other = 'z'",
        "WHEN MATCHED AND note IS NULL AND t.note = '' THEN UPDATE SET *",
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED BY SOURCE THEN UPDATE SET note = 'z'",
    ],
)
def test_a_new_column_goes_by_its_bare_name_and_is_only_written(clause: str) -> None:
    text = f"MERGE WITH SCHEMA EVOLUTION INTO t USING {SOURCE}{clause}"
    assert outcomes(text, expect={"A": "INTERNAL_ERROR"}) == ["INTERNAL_ERROR"]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("INSERT WITH SCHEMA EVOLUTION INTO t SELECT k + 2, v, 'x' AS w FROM t WHERE k = 1", "x"),
        (AUTO_MERGE + "INSERT INTO t BY NAME SELECT 'x' AS w, 10 AS v, 3 AS k", "x"),
        ("INSERT WITH SCHEMA EVOLUTION INTO t VALUES (3, 10, 'x')", "x"),
    ],
)
def test_an_insert_brings_columns(text: str, row: str) -> None:
    assert left(text) == {(1, 10, None), (2, 20, None), (3, 10, row)}


def test_columns_of_values_are_called_by_their_number() -> None:
    done = ran("INSERT WITH SCHEMA EVOLUTION INTO t VALUES (3, 10, 'x')")
    assert done.final.table.column_names == ("k", "v", "col3")
    assert done.final.commit is not None
    assert done.final.commit.blind


def test_an_overwrite_brings_columns() -> None:
    text = "INSERT WITH SCHEMA EVOLUTION OVERWRITE t SELECT k, v, 'x' AS w FROM t"
    assert left(text) == {(1, 10, "x"), (2, 20, "x")}


@pytest.mark.parametrize(
    ("text", "error_class"),
    [
        ("INSERT INTO t BY NAME SELECT 1 AS k, 2 AS other", "DELTA_METADATA_MISMATCH"),
        ("INSERT INTO t (k, K) VALUES (1, 2)", "COLUMN_ALREADY_EXISTS"),
        (
            "INSERT INTO t (k, z, y) VALUES (1, 2)",
            "INSERT_COLUMN_ARITY_MISMATCH.NOT_ENOUGH_DATA_COLUMNS",
        ),
        ("INSERT INTO t (k, z) VALUES (1, 2)", "UNRESOLVED_COLUMN.WITH_SUGGESTION"),
        ("INSERT INTO t VALUES (1, 2), (3)", "INVALID_INLINE_TABLE.NUM_COLUMNS_MISMATCH"),
        ("INSERT INTO t VALUES (1, 2, 3)", "DELTA_METADATA_MISMATCH"),
        (AUTO_MERGE + "INSERT INTO t VALUES (1)", "DELTA_INSERT_COLUMN_ARITY_MISMATCH"),
        (AUTO_MERGE + "INSERT INTO t SELECT k, v, k FROM t", "DELTA_DUPLICATE_COLUMNS_FOUND.DATA"),
        ("UPDATE t SET v = 1, V = 2", "DELTA_CONFLICT_SET_COLUMN"),
        ("DELETE FROM t WHERE k", "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN"),
        ("INSERT INTO t SELECT * FROM nope", "TABLE_OR_VIEW_NOT_FOUND"),
        ("DELETE FROM nope", "TABLE_OR_VIEW_NOT_FOUND"),
        ("INSERT OVERWRITE t PARTITION (z = 1) VALUES (1)", "NON_PARTITION_COLUMN"),
    ],
)
def test_a_statement_that_fails_in_any_case_is_taken_where_its_error_is_expected(
    text: str, error_class: str
) -> None:
    assert outcomes(text, expect={"A": error_class}) == [error_class]


@pytest.mark.parametrize("text", ["DELETE FROM nope", "INSERT INTO t (k, z) VALUES (1, 2)"])
def test_what_looks_like_a_slip_is_refused_where_it_is_not_expected(text: str) -> None:
    with pytest.raises(InvalidScenario):
        ran(text)


@pytest.mark.parametrize("text", [MERGE, "INSERT WITH SCHEMA EVOLUTION INTO t VALUES (3, 10, 'x')"])
def test_new_columns_fail_whoever_is_in_flight(text: str) -> None:
    append = "INSERT INTO t (k) VALUES (9)"
    done = ran(append, text, schedule="begin A, B, commit A")
    assert done.ended["A"].outcome == "MetadataChanged"


def test_statements_meet_the_columns_that_others_have_brought() -> None:
    later = "INSERT INTO t VALUES (9, 90, 'z')"
    again = MERGE.replace("'x'", "'again'")
    assert left(MERGE, later, again) == {
        (1, 10, "again"), (2, 20, None), (7, None, "y"), (9, 90, "z")
    }  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "value"),
    [("bigint", 10), ("double", 10.0), ("decimal(12,2)", Decimal("10.00"))],
)
def test_values_follow_the_type_of_their_column(type_: str, value: object) -> None:
    done = ran(f"ALTER TABLE t ALTER COLUMN v TYPE {type_}", **WIDENS)
    shown = {repr(row[1]) for row in done.final.shown() if row[0] == 1}
    assert shown == {repr(value)}


def test_a_compaction_that_began_before_a_change_of_type_writes_the_new_one() -> None:
    setup = (ROWS, "INSERT INTO t VALUES (3, 30)")
    change = "ALTER TABLE t ALTER COLUMN v TYPE double"
    done = ran("OPTIMIZE t", change, schedule="begin A, B, commit A", setup=setup, **WIDENS)
    assert [ended.outcome for ended in done.ended.values()] == ["committed", "committed"]
    assert all(isinstance(row[1], float) for row in done.final.shown())


def test_a_restore_takes_the_type_back() -> None:
    change, back = "ALTER TABLE t ALTER COLUMN v TYPE double", "RESTORE t TO VERSION AS OF 1"
    done = ran(change, "INSERT INTO t VALUES (3, 1.5)", back, **WIDENS)
    assert {repr(row) for row in done.final.shown()} == {"(1, 10)", "(2, 20)"}


def test_a_partition_column_gets_another_type() -> None:
    change, delete = "ALTER TABLE t ALTER COLUMN k TYPE double", "DELETE FROM t WHERE k = 1"
    assert left(change, delete, partition_by=("k",), **WIDENS) == {(2.0, 20)}


def test_a_merge_widens_a_column() -> None:
    source = "(SELECT 1 AS k, 1.5D AS v) s ON t.k = s.k WHEN MATCHED THEN UPDATE SET *"
    done = ran(f"MERGE WITH SCHEMA EVOLUTION INTO t USING {source}", **WIDENS)
    assert {repr(row) for row in done.final.shown()} == {"(1, 1.5)", "(2, 20.0)"}


def test_widening_needs_room_for_every_value() -> None:
    assert widenable(INT, decimal(10, 0))
    assert widenable(INT, decimal(12, 2))
    assert not widenable(INT, decimal(11, 2))
    assert widenable(decimal(5, 2), decimal(7, 4))
    assert not widenable(decimal(5, 2), decimal(6, 4))
    assert not widenable(BIGINT, DOUBLE)


def test_spark_takes_more_for_safe_than_delta_widens() -> None:
    assert all(upcasts(type_, STRING) for type_ in (INT, DATE, DOUBLE))
    assert upcasts(BIGINT, DOUBLE)
    assert upcasts(DATE, TIMESTAMP)
    assert not upcasts(BIGINT, INT)


def test_what_has_no_meaning_for_the_new_type_is_refused() -> None:
    change = "CREATE OR REPLACE TABLE t (k int, v string) USING delta"
    with pytest.raises(UnsupportedSQL, match="once the columns have changed"):
        ran(change, "UPDATE t SET v = v + 1")


def test_defaults_are_for_new_rows_that_leave_a_column_out() -> None:
    merge = "MERGE INTO t USING (SELECT 9 AS k) s ON t.k = s.k "
    rows = left(
        "ALTER TABLE t ALTER COLUMN v SET DEFAULT 2 + 3",
        "INSERT INTO t (k) VALUES (3)",
        "INSERT INTO t VALUES (4, DEFAULT)",
        "INSERT INTO t BY NAME SELECT 5 AS k",
        merge + "WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)",
        "UPDATE t SET v = DEFAULT WHERE k = 1",
        "ALTER TABLE t ALTER COLUMN v DROP DEFAULT",
        "INSERT INTO t (k) VALUES (6)",
        **DEFAULTS,
    )
    assert rows == {(1, 5), (2, 20), (3, 5), (4, 5), (5, 5), (9, 5), (6, None)}


@pytest.mark.parametrize(
    ("time", "outcome"),
    [
        ("'1999-01-01'", "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER"),
        ("'2100-01-01 00:00:00'", "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER"),
        ("'nonsense'", "DELTA_TIMESTAMP_INVALID"),
        ("current_timestamp()", "PARSE_SYNTAX_ERROR"),
    ],
)
def test_a_restore_to_a_time_before_or_after_all_versions_fails(time: str, outcome: str) -> None:
    assert outcomes(f"RESTORE TABLE t TO TIMESTAMP AS OF {time}") == [outcome]


def test_which_version_a_time_between_means_is_up_to_the_clock() -> None:
    with pytest.raises(UnsupportedSQL, match="VERSION AS OF"):
        ran("RESTORE TABLE t TO TIMESTAMP AS OF '2026-01-01'")


IDENTITY = {"id": "bigint GENERATED BY DEFAULT AS IDENTITY", "k": "int"}
THREE = "MERGE INTO t USING (SELECT * FROM VALUES (10), (30), (40) AS x(k)) s ON t.k = s.k "
BRANCHES = (
    "MERGE INTO t USING (SELECT 10 AS k UNION ALL SELECT 30 UNION ALL SELECT 40) s ON t.k = s.k "
)
INSERTS = "WHEN NOT MATCHED THEN INSERT (k) VALUES (s.k)"


@pytest.mark.parametrize(("merge", "ids"), [(THREE, {2, 3}), (BRANCHES, {3, 4})])
def test_each_task_of_a_merge_hands_out_every_nth_value(merge: str, ids: set[int]) -> None:
    setup = ("INSERT INTO t (k) VALUES (10)",)
    rows = left(merge + INSERTS, columns=IDENTITY, setup=setup)
    assert {row[0] for row in rows if row[1] != 10} == ids


def test_each_branch_of_a_union_is_a_task() -> None:
    branches = "INSERT INTO t (k) SELECT 30 UNION ALL SELECT 40 UNION ALL SELECT k + 40 FROM t"
    setup = ("INSERT INTO t (k) VALUES (10), (11)",)
    rows = left(branches, columns=IDENTITY, setup=setup)
    assert rows == {(1, 10), (2, 11), (3, 30), (4, 40), (5, 50), (8, 51)}


def test_the_mark_of_a_merge_covers_values_given_by_hand() -> None:
    clauses = "WHEN NOT MATCHED AND s.k = 40 THEN INSERT (id, k) VALUES (99, s.k) " + INSERTS
    setup = ("INSERT INTO t (k) VALUES (10)",)
    rows = left(THREE + clauses, "INSERT INTO t (k) VALUES (50)", columns=IDENTITY, setup=setup)
    assert rows == {(1, 10), (2, 30), (99, 40), (100, 50)}


@pytest.mark.parametrize("partition_by", [(), ("k",)])
def test_a_merge_without_new_rows_writes_the_mark_as_an_insert_does(
    partition_by: tuple[str, ...],
) -> None:
    text = "MERGE INTO t USING (SELECT 10 AS k) s ON t.k = s.k " + INSERTS
    setup = ("INSERT INTO t (k) VALUES (10)",)
    done = ran(text, columns=IDENTITY, setup=setup, partition_by=partition_by)
    assert done.ended["A"].outcome == ("no commit" if partition_by else "committed")


def test_a_query_knows_of_a_partition_column_that_copies_another() -> None:
    columns = {"k": "int", "v": "int", "y": "int GENERATED ALWAYS AS (k)"}
    setup = ("INSERT INTO t (k, v) VALUES (1, 10), (2, 20)",)
    copy = "INSERT INTO t (k, v) SELECT k, v FROM t WHERE k = 1"
    other = "UPDATE t SET v = 0 WHERE k = 2"
    queried = outcomes(
        copy, other, schedule="begin A, B, commit A", columns=columns, setup=setup,
        partition_by=("y",),
    )  # fmt: skip
    assert queried == ["committed", "committed"]


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("k = TIMESTAMP '2024-01-01 10:00:00'", "committed"),
        ("k < TIMESTAMP '2025-01-01 00:00:00'", "ConcurrentAppend"),
        ("k <=> TIMESTAMP '2024-01-01 10:00:00'", "ConcurrentAppend"),
        ("k IN (TIMESTAMP '2024-01-01 10:00:00', NULL)", "ConcurrentAppend"),
    ],
)
def test_a_query_knows_of_a_partition_column_that_is_the_day(condition: str, outcome: str) -> None:
    """A time before midnight may well be of the day that begins there."""
    columns = {"k": "timestamp", "v": "int", "y": "date GENERATED ALWAYS AS (CAST(k AS DATE))"}
    first = "TIMESTAMP '2024-01-01 10:00:00'"
    done = ran(
        f"INSERT INTO t (k, v) SELECT k, v + 1 FROM t WHERE {condition}",
        "INSERT INTO t (k, v) VALUES (TIMESTAMP '2025-01-01 10:00:00', 20)",
        schedule="begin A, B, commit A",
        columns=columns,
        setup=(f"INSERT INTO t (k, v) VALUES ({first}, 10)",),
        partition_by=("y",),
    )
    assert done.ended["A"].outcome == outcome
