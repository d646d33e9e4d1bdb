"""INSERT OVERWRITE, REPLACE WHERE and TRUNCATE: what leaves, what comes, what counts as read."""

from __future__ import annotations

import pytest

from checker.search.shrinking import minimise
from model.errors import InvalidScenario, UnsupportedSQL
from model.preparation import run_scenario, steps
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Ended, Run
from model.sql import parse_statement
from model.tables.table import table_from_spec
from tests.notation import scheduled

DYNAMIC = "SET spark.sql.sources.partitionOverwriteMode=dynamic; "
SETUP = (
    "INSERT INTO t VALUES (1, 1, 10), (2, 2, 20), (3, null, 30)",
    "INSERT INTO t VALUES (4, 1, 40)",
)
COLUMNS = {"k": "int", "p": "int", "v": "int"}


def ran(
    *texts: str,
    partition_by: tuple[str, ...] = ("p",),
    schedule: str = "",
    level: str = "Serializable",
) -> Run:
    names = "ABC"[: len(texts)]
    spec = TableSpec(COLUMNS, partition_by, (), {"delta.isolationLevel": level}, SETUP)
    order = scheduled(schedule or ", ".join(names))
    return run_scenario(Scenario("x", spec, dict(zip(names, texts, strict=True)), order), DEFAULT)


def alone(text: str, partition_by: tuple[str, ...] = ("p",)) -> Ended:
    return ran(text, partition_by=partition_by).ended["A"]


def rows(text: str, partition_by: tuple[str, ...] = ("p",)) -> set[tuple[object, ...]]:
    return set(ran(text, partition_by=partition_by).final.rows())


NEW = (9, 1, 90)
OLD = {(1, 1, 10), (2, 2, 20), (3, None, 30), (4, 1, 40)}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("INSERT OVERWRITE t VALUES (9, 1, 90)", set()),
        ("INSERT OVERWRITE TABLE t (v, k, p) VALUES (90, 9, 1)", set()),
        ("INSERT OVERWRITE t PARTITION (p = 1) VALUES (9, 90)", {(2, 2, 20), (3, None, 30)}),
        ("INSERT OVERWRITE t PARTITION (p) VALUES (9, 1, 90)", set()),
        (DYNAMIC + "INSERT OVERWRITE t VALUES (9, 1, 90)", {(2, 2, 20), (3, None, 30)}),
        ("INSERT INTO t REPLACE WHERE p = 1 VALUES (9, 1, 90)", {(2, 2, 20), (3, None, 30)}),
        ("INSERT INTO t REPLACE WHERE k > 3 VALUES (9, 1, 90)", OLD - {(4, 1, 40)}),
        ("INSERT INTO t REPLACE WHERE TRUE VALUES (9, 1, 90)", set()),
    ],
)
def test_the_rows_that_meet_the_condition_leave(text: str, left: set[tuple[object, ...]]) -> None:
    assert rows(text) == left | {NEW}


def test_a_null_partition_is_replaced_as_any_other() -> None:
    assert rows(DYNAMIC + "INSERT OVERWRITE t VALUES (9, null, 90)") == OLD - {(3, None, 30)} | {
        (9, None, 90)
    }
    assert rows("INSERT OVERWRITE t PARTITION (p = null) VALUES (9, 90)") == OLD - {
        (3, None, 30)
    } | {(9, None, 90)}


def test_dynamic_mode_without_partitions_replaces_the_table() -> None:
    assert rows(DYNAMIC + "INSERT OVERWRITE t VALUES (9, 1, 90)", ()) == {NEW}


def test_dynamic_mode_notes_the_partitions_and_no_file() -> None:
    footprint = alone(DYNAMIC + "INSERT OVERWRITE t VALUES (9, 1, 90), (8, null, 80)").footprint
    assert footprint is not None
    assert [p.text for p in footprint.read_predicates] == ["p <=> 1 OR p <=> NULL"]
    assert footprint.read_files == ()
    assert len(footprint.removes) == 3


def test_dynamic_mode_without_rows_reads_nothing_and_removes_nothing() -> None:
    ended = alone(DYNAMIC + "INSERT OVERWRITE t SELECT k, p, v FROM t WHERE k = 100")
    assert ended.outcome == "no commit"
    assert ended.footprint is not None
    assert ended.footprint.read_predicates[-1].text == "FALSE"


def test_what_dynamic_mode_reads_depends_on_the_rows_written() -> None:
    read = alone(DYNAMIC + "INSERT OVERWRITE t SELECT k, 2, v FROM t WHERE p = 1").logical
    replaced, selected = read.predicate_reads
    assert (replaced.text, selected.text) == ("p <=> 2", "p = 1")


def test_new_rows_and_kept_rows_never_share_a_file() -> None:
    footprint = alone("INSERT INTO t REPLACE WHERE k = 1 VALUES (1, 1, 11)", ()).footprint
    assert footprint is not None
    assert [len(file) for file in footprint.adds] == [1, 2]
    assert len(footprint.removes) == 1


def test_an_overwrite_is_no_blind_append_on_an_empty_table_either() -> None:
    footprint = ran("TRUNCATE TABLE t", "INSERT OVERWRITE t VALUES (9, 1, 90)").ended["B"].footprint
    assert footprint is not None
    assert not footprint.removes
    assert not footprint.blind_append


@pytest.mark.parametrize(
    ("text", "failure"),
    [
        ("INSERT INTO t REPLACE WHERE k = 1 VALUES (2, 1, 1)", "DELTA_REPLACE_WHERE_MISMATCH"),
        ("INSERT INTO t REPLACE WHERE k = 1 VALUES (null, 1, 1)", "DELTA_REPLACE_WHERE_MISMATCH"),
        ("INSERT INTO t REPLACE WHERE k = v VALUES (1, 1, 1)", "_LEGACY_ERROR_TEMP_2245"),
        ("INSERT INTO t REPLACE WHERE k % 2 = 1 VALUES (1, 1, 1)", "_LEGACY_ERROR_TEMP_2245"),
        ("INSERT INTO t REPLACE WHERE NULL VALUES (1, 1, 1)", "_LEGACY_ERROR_TEMP_1109"),
        (
            "SET spark.databricks.delta.replaceWhere.dataColumns.enabled=false; "
            "INSERT INTO t REPLACE WHERE k = 1 VALUES (1, 1, 1)",
            "DELTA_NON_PARTITION_COLUMN_REFERENCE",
        ),
    ],
)
def test_what_replace_where_does_not_take(text: str, failure: str) -> None:
    assert alone(text).outcome == failure


def test_a_row_outside_passes_where_the_check_is_off() -> None:
    text = "INSERT INTO t REPLACE WHERE k = 1 VALUES (7, 1, 70)"
    off = "SET spark.databricks.delta.replaceWhere.constraintCheck.enabled=false; "
    assert rows(off + text) == OLD - {(1, 1, 10)} | {(7, 1, 70)}


@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
def test_truncate_of_an_empty_table_starts_no_transaction(level: str) -> None:
    done = ran("TRUNCATE TABLE t", "TRUNCATE TABLE t", level=level)
    assert [done.ended[name].outcome for name in "AB"] == ["committed", "no commit"]
    assert done.final.rows() == ()


def test_an_overwrite_does_alone_on_rows_what_it_does_on_files() -> None:
    for text in (
        DYNAMIC + "INSERT OVERWRITE t SELECT k, 2, v FROM t WHERE p = 1",
        "INSERT OVERWRITE t SELECT k + 1, p, v FROM t",
        "INSERT INTO t REPLACE WHERE p = 1 SELECT k, p, v + 1 FROM t WHERE p = 1",
        "TRUNCATE TABLE t",
    ):
        done = ran(text)
        rerun = done.ended["A"].logical.rerun
        assert rerun is not None
        before = done.workload.base.rows()
        assert sorted(map(repr, rerun({"t": before}).tables["t"])) == sorted(
            map(repr, done.final.rows())
        )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("TRUNCATE TABLE t PARTITION (p = 1)", InvalidScenario),
        ("TRUNCATE TABLE u", InvalidScenario),
        ("INSERT OVERWRITE t PARTITION (v = 1) VALUES (9, 1)", InvalidScenario),
        ("INSERT OVERWRITE t PARTITION (p = 1) (k, v) VALUES (9, 1)", UnsupportedSQL),
        ("INSERT OVERWRITE t VALUES (9, 1)", InvalidScenario),
        ("SET spark.sql.sources.partitionOverwriteMode=often; TRUNCATE TABLE t", None),
    ],
)
def test_what_is_not_known_is_refused(text: str, error: type[Exception] | None) -> None:
    table = table_from_spec("t", TableSpec(COLUMNS, ("p",)))
    if error is None:
        assert parse_statement(text, "t", {"t": table}).kind == "TRUNCATE"
        return
    with pytest.raises(error):
        parse_statement(text, "t", {"t": table})


def test_shrinking_drops_settings_and_rows() -> None:
    texts = {"A": DYNAMIC + "INSERT OVERWRITE t VALUES (9, 1, 90), (8, 2, 80)"}
    given = Scenario("x", TableSpec(COLUMNS, ("p",), setup=SETUP), texts, steps("A"))
    smallest = minimise(given, lambda s: "OVERWRITE" in s.transactions["A"])
    assert smallest.transactions["A"] == "INSERT OVERWRITE t VALUES (8, 2, 80)"


def test_shrinking_restores_to_the_earliest_version() -> None:
    texts = {"A": "RESTORE TABLE t TO VERSION AS OF 1"}
    given = Scenario("x", TableSpec(COLUMNS, ("p",), setup=SETUP), texts, steps("A"))
    smallest = minimise(given, lambda s: run_scenario(s, DEFAULT).ended["A"].outcome == "committed")
    assert smallest.transactions["A"] == "RESTORE TABLE t TO VERSION AS OF 0"
