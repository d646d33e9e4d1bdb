"""CHECK and NOT NULL constraints, generated and identity columns, in the model."""

from __future__ import annotations

import pytest

from model.errors import InvalidScenario
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Scenario, Step, TableSpec
from model.simulator import Run
from model.sql import declared_table, parse_statement
from model.tables.table import Identity

CHECK = "ALTER TABLE t ADD CONSTRAINT c CHECK (v > 0)"


def in_turn(columns: dict[str, str], *texts: str, setup: tuple[str, ...] = ()) -> Run:
    names = [chr(ord("A") + i) for i in range(len(texts))]
    steps = tuple(Step(action, n) for n in names for action in ("begin", "commit"))  # type: ignore[arg-type]
    spec = TableSpec(columns, setup=setup)
    return run_scenario(Scenario("x", spec, dict(zip(names, texts, strict=True)), steps), DEFAULT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("INSERT INTO t VALUES (1, 1)", "committed"),
        ("INSERT INTO t VALUES (1, 0)", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("INSERT INTO t VALUES (1, NULL)", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("INSERT INTO t VALUES (NULL, 1)", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("INSERT INTO t VALUES (NULL, 0)", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("INSERT INTO t VALUES (NULL, 1), (1, 0)", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("INSERT INTO t SELECT k, v - 10 FROM t", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("UPDATE t SET v = v - 10", "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"),
        ("UPDATE t SET k = NULL", "DELTA_NOT_NULL_CONSTRAINT_VIOLATED"),
        ("UPDATE t SET v = 0 WHERE k = 7", "no commit"),
        ("DELETE FROM t", "committed"),
    ],
)
def test_rows_that_are_written_keep_to_the_constraints(text: str, expected: str) -> None:
    columns = {"k": "int NOT NULL", "v": "int"}
    run = in_turn(columns, text, setup=("INSERT INTO t VALUES (1, 10)", CHECK))
    assert run.ended["A"].outcome == expected


def test_a_constraint_that_rows_break_cannot_be_added() -> None:
    run = in_turn({"v": "int"}, CHECK, setup=("INSERT INTO t VALUES (NULL)",))
    assert run.ended["A"].outcome == "DELTA_NEW_CHECK_CONSTRAINT_VIOLATION"


def test_names_of_constraints_ignore_case() -> None:
    run = in_turn({"v": "int"}, "ALTER TABLE t DROP CONSTRAINT C", setup=(CHECK,))
    assert run.ended["A"].outcome == "committed"
    assert run.final.table.checks == ()


def test_a_column_of_a_constraint_cannot_be_dropped() -> None:
    spec = {"k": "int", "v": "int"}
    table = declared_table("t", TableSpec(spec, properties={"delta.columnMapping.mode": "name"}))
    add = parse_statement(CHECK, "t", {"t": table})
    after = add.after  # type: ignore[attr-defined]
    drop = parse_statement("ALTER TABLE t DROP COLUMN v", "t", {"t": after})
    assert drop.error_class == "DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE"  # type: ignore[attr-defined]


GENERATED = {"k": "int", "y": "int GENERATED ALWAYS AS (k + 1)"}


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("INSERT INTO t (k) VALUES (5)", ((1, 2), (5, 6))),
        ("INSERT INTO t (k) VALUES (NULL)", ((1, 2), (None, None))),
        ("INSERT INTO t VALUES (5, 6)", ((1, 2), (5, 6))),
        ("INSERT INTO t (k) SELECT y FROM t", ((1, 2), (2, 3))),
        ("UPDATE t SET k = 8", ((8, 9),)),
        ("UPDATE t SET k = 8, y = 9", ((8, 9),)),
    ],
)
def test_a_generated_column_follows_the_others(
    text: str, rows: tuple[tuple[int | None, ...], ...]
) -> None:
    run = in_turn(GENERATED, text, setup=("INSERT INTO t (k) VALUES (1)",))
    assert sorted(run.final.shown(), key=repr) == sorted(rows, key=repr)


@pytest.mark.parametrize(
    "text", ["INSERT INTO t VALUES (5, 7)", "INSERT INTO t VALUES (5, NULL)", "UPDATE t SET y = 7"]
)
def test_a_wrong_value_for_a_generated_column_fails_the_statement(text: str) -> None:
    run = in_turn(GENERATED, text, setup=("INSERT INTO t (k) VALUES (1)",))
    assert run.ended["A"].outcome == "DELTA_VIOLATE_CONSTRAINT_WITH_VALUES"


IDENTITY = {"id": "bigint GENERATED ALWAYS AS IDENTITY (START WITH 10 INCREMENT BY -5)", "k": "int"}


def test_identity_values_go_on_where_they_stopped() -> None:
    run = in_turn(
        IDENTITY,
        "INSERT INTO t (k) VALUES (1), (2)",
        "INSERT INTO t (k) SELECT 3 FROM t WHERE k = 1",
    )
    assert sorted(run.final.shown()) == [(0, 3), (5, 2), (10, 1)]


def test_handing_out_nothing_is_a_commit_of_metadata() -> None:
    run = in_turn(IDENTITY, "INSERT INTO t (k) SELECT k FROM t WHERE FALSE")
    assert run.ended["A"].outcome == "committed"
    metadata = run.ended["A"].footprint.metadata  # type: ignore[union-attr]
    assert metadata is not None
    assert metadata.identity_only
    assert not metadata.schema_changed


def test_handing_out_nothing_in_a_partitioned_table_is_no_commit() -> None:
    text = "INSERT INTO t (k) SELECT k FROM t WHERE FALSE"
    steps = (Step("begin", "A"), Step("commit", "A"))
    scenario = Scenario("x", TableSpec(IDENTITY, ("k",)), {"A": text}, steps)
    assert run_scenario(scenario, DEFAULT).ended["A"].outcome == "no commit"


@pytest.mark.parametrize(
    ("text", "error_class"),
    [
        ("INSERT INTO t VALUES (1, 2)", "DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED"),
        ("INSERT INTO t VALUES (2)", "DELTA_INSERT_COLUMN_ARITY_MISMATCH"),
        ("UPDATE t SET id = 7", "DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED"),
    ],
)
def test_identity_values_cannot_be_given(text: str, error_class: str) -> None:
    table = declared_table("t", TableSpec(IDENTITY))
    with pytest.raises(InvalidScenario) as error:
        parse_statement(text, "t", {"t": table})
    assert error.value.error_class == error_class


@pytest.mark.parametrize(
    ("identity", "values", "mark"),
    [
        (Identity(10, 5), (99,), 100),
        (Identity(10, 5), (100,), 100),
        (Identity(10, 5), (3,), 5),
        (Identity(10, 5, high_water=200), (99,), 200),
        (Identity(-1, -2), (-4,), -5),
        (Identity(1, 1), (), None),
    ],
)
def test_the_high_water_mark_covers_all_values_in_whole_steps(
    identity: Identity, values: tuple[int, ...], mark: int | None
) -> None:
    assert identity.covering(values).high_water == mark


@pytest.mark.parametrize(
    "text",
    [
        "int GENERATED ALWAYS AS IDENTITY",
        "bigint GENERATED BY DEFAULT AS (k)",
        "int GENERATED ALWAYS AS (nothing + 1)",
        "bigint GENERATED ALWAYS AS IDENTITY (INCREMENT BY 0)",
        "int UNIQUE",
    ],
)
def test_a_column_that_makes_no_sense_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(InvalidScenario) as error:
        declared_table("t", TableSpec({"k": "int", "x": text}))
    assert error.value.where == ("columns", "x")
