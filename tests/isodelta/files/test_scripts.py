"""Scenarios written as SQL scripts."""

from __future__ import annotations

from pathlib import Path

import pytest

from isodelta.exits import BadInput
from isodelta.files.scenarios import BadScenarios, Loaded
from isodelta.files.scripts import read_scenarios
from isodelta.runs.tables import decided
from tests.command_line import SCENARIOS

TABLES = """\
CREATE TABLE main.shop.orders (id INT NOT NULL, amount DECIMAL(10,2), p STRING) USING delta
  PARTITIONED BY (p) TBLPROPERTIES ('delta.isolationLevel' = 'WriteSerializable');
CREATE TABLE totals (n BIGINT);
INSERT INTO orders VALUES (1, 10, 'a');
"""
TWO = "-- A\nUPDATE shop.orders SET amount = 0;\n-- B\nDELETE FROM orders WHERE orders.id = 1;\n"


def read(folder: Path, *texts: str, schema: str = "") -> list[Loaded]:
    files = []
    for number, text in enumerate(texts):
        file = folder / f"f{number}.sql"
        file.write_text(text)
        files.append(file)
    if schema:
        (folder / "schema.txt").write_text(schema)
    return read_scenarios(files, schemas=[folder / "schema.txt"] if schema else [])


def test_a_script_with_a_schedule_is_one_scenario(tmp_path: Path) -> None:
    text = f"-- name: two\n{TABLES}{TWO}-- schedule: begin A, B, commit A\n"
    (loaded,) = read(tmp_path, text)
    scenario = loaded.scenario
    assert scenario.name == "two"
    assert scenario.level == "WriteSerializable"
    assert dict(scenario.table.columns) == {
        "id": "int NOT NULL",
        "amount": "decimal(10, 2)",
        "p": "string",
    }
    assert scenario.table.partition_by == ("p",)
    assert [str(step) for step in scenario.schedule] == [
        *("begin A", "begin B", "commit B", "commit A"),
    ]
    assert decided(loaded).to_json()["transactions"]["A"]["outcome"] == "ConcurrentDeleteRead"


def test_without_a_schedule_every_order_that_makes_a_difference_is_one(tmp_path: Path) -> None:
    schedules = {loaded.scenario.schedule for loaded in read(tmp_path, TABLES + TWO)}
    assert len(schedules) == 4
    reader = "-- R\nSELECT count(*) FROM orders\n"
    assert len(read(tmp_path, TABLES + TWO + reader)) == 12


def test_files_without_labels_are_the_transactions_of_one_scenario(tmp_path: Path) -> None:
    loaded = read(tmp_path, TABLES, "DELETE FROM orders", "INSERT INTO totals SELECT 1 FROM orders")
    assert {name for one in loaded for name in one.scenario.transactions} == {"f1", "f2"}
    assert all(list(one.parts) == ["main.shop.orders", "totals"] for one in loaded)
    assert len(loaded) == 4
    given = read(tmp_path, "DELETE FROM orders", "DELETE FROM orders", schema=TABLES)
    assert len(given) == 4


def test_a_setting_belongs_to_the_statement_after_it(tmp_path: Path) -> None:
    setting = "SET spark.sql.sources.partitionOverwriteMode = dynamic"
    overwrite = "INSERT OVERWRITE orders VALUES (2, 20, 'b')"
    for lead, left in ((f"{setting};\n", 2), ("", 1)):
        (loaded,) = read(tmp_path, f"{TABLES}-- A\n{lead}{overwrite};\n")
        done = decided(loaded)
        assert len(done.to_json()["rows"]) == left


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TABLES + "DELETE FROM nowhere;\n" + TWO, ":5: before the first label"),
        (TABLES + TWO + "DELETE FROM orders;\n", ":9: a second statement of B"),
        (TABLES + TWO + "-- C\n", ":9: there is no statement under C"),
        (TABLES + "-- A\n-- B\nDELETE FROM orders", ":5: there is no statement under A"),
        (TWO, ":2: table shop.orders is not defined"),
        (TABLES, "there is no transaction"),
        (TABLES + TWO + "-- schedule: begin A, C", ":9: schedule"),
        (TABLES + "CREATE TABLE shop.orders (id INT);\n" + TWO, ":5: table shop.orders is created"),
        (TABLES + "-- A\nDELETE FROM orders WHERE idd = 1", ":6: transactions.A: "),
        (TABLES + "".join(f"-- T{n}\nDELETE FROM orders;\n" for n in range(5)), "more than 600"),
        (TABLES + TWO + "-- schedule: A, B\n-- schedule: B, A", "a second schedule"),
    ],
)
def test_a_problem_has_its_line(tmp_path: Path, text: str, expected: str) -> None:
    with pytest.raises(BadInput) as error:
        read(tmp_path, text)
    assert expected in str(error.value)


@pytest.mark.parametrize("path", sorted((SCENARIOS / "scripts").iterdir()), ids=lambda p: p.name)
def test_the_collection_keeps_its_levels(path: Path) -> None:
    for loaded in read_scenarios([path]):
        assert decided(loaded).ok


@pytest.mark.parametrize("loaded", read_scenarios(sorted((SCENARIOS / "several").glob("*.yaml"))))
def test_scenarios_of_several_tables_are_as_expected(loaded: Loaded) -> None:
    assert len(loaded.parts) == 2
    assert decided(loaded).failures == ()


def test_what_is_expected_of_each_table_is_checked(tmp_path: Path) -> None:
    (file,) = (SCENARIOS / "several").glob("*.yaml")
    changed = tmp_path / "changed.yaml"
    changed.write_text(file.read_text().replace("rows: [[9], [30]]", "rows: [[9], [20]]"))
    done = decided(read_scenarios([changed])[0])
    assert done.failures == ("shop.totals: rows: missing (20); unexpected (30)",)
    assert done.to_json()["tables"]["shop.totals"]["rows"] == [[9], [30]]


def test_a_folder_stands_for_the_scenarios_and_the_scripts_in_it(tmp_path: Path) -> None:
    source = Path("scenarios/lost_update.yaml")
    (tmp_path / "one.yaml").write_text(source.read_text())
    alone = [loaded.scenario.name for loaded in read_scenarios([source])]
    assert [loaded.scenario.name for loaded in read_scenarios([tmp_path])] == alone
    (tmp_path / "two.sql").write_text(
        "CREATE TABLE t (k INT) USING delta;\n-- A\nINSERT INTO t VALUES (1);\n"
    )
    assert [loaded.scenario.name for loaded in read_scenarios([tmp_path])][: len(alone)] == alone
    assert len(read_scenarios([tmp_path])) > len(alone)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadScenarios, match=r"there are no \.yaml or \.sql files in it"):
        read_scenarios([tmp_path / "empty"])
