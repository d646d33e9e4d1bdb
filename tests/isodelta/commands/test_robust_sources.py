"""isodelta robust with SQL as people write it: files, names, parameters, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isodelta.cli import run
from isodelta.commands.robust import parallel
from isodelta.commands.robust.sources import Files, Project, read_project
from isodelta.commands.robust.sources.parameters import named
from isodelta.commands.robust.sources.statements import split
from isodelta.exits import BadInput
from model.profiles import DEFAULT

ORDERS = (
    "CREATE TABLE main.shop.orders (id BIGINT, day DATE, status STRING, amount DECIMAL(10, 2)) "
    "USING delta PARTITIONED BY (day) TBLPROPERTIES ('delta.isolationLevel' = 'Serializable');"
)


def project(folder: Path, files: dict[str, str], **options: Any) -> Project:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return read_project(Files([str(folder)], **options))


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    code = run(["robust", *arguments, "--json"])
    captured = capsys.readouterr()
    return code, [json.loads(line) for line in captured.out.splitlines()]


def texts(given: Project, number: int = 0) -> dict[str, str]:
    """The SQL of the jobs of one table, as the model has it."""
    name, shown = given.written[number]
    loaded = given.table(name, shown, DEFAULT)
    return {job: template.text for job, template in loaded.jobs.templates.items()}


def test_each_written_table_gets_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "load.sql").write_text(
        f"{ORDERS}\nINSERT INTO shop.orders VALUES (1, DATE '2026-03-01', 'new', 1.5);\n"
        "MERGE INTO `main`.shop.totals USING (SELECT :day AS day, :n AS n) s ON totals.day = s.day "
        "WHEN MATCHED THEN UPDATE SET n = s.n;\nGRANT SELECT ON TABLE x TO y;"
    )
    code, results = asked(capsys, str(tmp_path))
    assert code == 0
    assert [result["table"] for result in results] == ["main.shop.orders", "main.shop.totals"]
    assert [result["level"] for result in results] == ["Serializable", "WriteSerializable"]
    assert [result["verdict"] for result in results] == ["robust", "robust"]
    skipped = {(each["statement"], each["because"]) for r in results for each in r["skipped"]}
    assert skipped == {(1, "it defines the table"), (4, "it concerns permissions")}
    assert results[0]["jobs"][0]["line"] == 2


LEFT_ALONE = ("CREATE VIEW v AS SELECT 1", "SHOW TABLES", "USE x", "SET a=b")


@pytest.mark.parametrize("statement", LEFT_ALONE)
def test_files_that_write_no_delta_table_are_not_an_error(
    statement: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other.sql").write_text(statement)
    code, (result,) = asked(capsys, str(tmp_path / "other.sql"))
    assert code == 0
    assert result["table"] is None
    assert len(result["skipped"]) == 1


def test_what_is_not_sql_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "letter.sql").write_text("\nDear reader, this is a letter.")
    assert run(["robust", str(tmp_path / "letter.sql")]) == 2
    assert "letter.sql, line 2: this is not SQL" in capsys.readouterr().err


def test_names_are_those_of_the_files(tmp_path: Path) -> None:
    given = project(
        tmp_path,
        {
            "a.sql": "USE main.shop; DELETE FROM `order lines` WHERE `order lines`.`line id` = 7",
            "b.sql": "UPDATE main.shop.`order lines` o SET o.n = 1 WHERE main.shop.x = 2",
        },
    )
    assert [shown for _, shown in given.written] == ["main.shop.order lines"]
    assert texts(given)["a"] == "DELETE FROM t order_lines WHERE `order_lines`.`line_id` = 7"


def test_a_temporary_view_stands_for_its_query(tmp_path: Path) -> None:
    """What the view reads of the target is read by the statement that uses the view."""
    given = project(
        tmp_path,
        {
            "load.sql": "CREATE TEMPORARY VIEW fresh AS SELECT s.id, s.v FROM src s "
            "WHERE s.id > (SELECT max(id) FROM t1); INSERT INTO t1 (id, v) SELECT id, v FROM fresh"
        },
    )
    assert "max(id) FROM t" in texts(given)["load"]


def test_statements_of_a_file_run_in_their_order(tmp_path: Path) -> None:
    given = project(
        tmp_path,
        {"reload.sql": f"{ORDERS} DELETE FROM shop.orders; INSERT INTO orders SELECT * FROM s"},
    )
    (name, shown), *_ = given.written
    loaded = given.table(name, shown, DEFAULT)
    assert loaded.jobs.widening.before == {"reload 3": ("reload 2",)}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("DELETE FROM t WHERE d = '{{ ds }}'", "DELETE FROM t WHERE d = :ds"),
        (
            "DELETE FROM ${env}.s WHERE d = ${a b}",
            "DELETE FROM env.s WHERE d = :a_b",
        ),
        (
            "DELETE FROM t WHERE v = ? AND k = ?",
            "DELETE FROM t WHERE v = :parameter1 AND k = :parameter2",
        ),
        ("DELETE FROM IDENTIFIER(:schema || '.t')", "DELETE FROM schema.t"),
        ("SELECT '?' -- {{ not( one) }}", "SELECT '?' " + " " * 18),
    ],
)
def test_parameters_in_their_notations(written: str, meant: str) -> None:
    assert named(written, "file").rstrip() == meant.rstrip()


@pytest.mark.parametrize(
    "jinja", ["{% if x %} 1 {% endif %}", "{{ ref('orders') }}", "{{ a | b }}"]
)
def test_jinja_asks_for_compiled_sql(jinja: str) -> None:
    with pytest.raises(BadInput, match="target/compiled"):
        named(f"SELECT {jinja}", "model.sql")


def test_statements_are_split_at_semicolons_outside_of_texts() -> None:
    parts = list(split("SELECT ';';\n-- a; b\nSELECT 2"))
    assert parts == [(1, "SELECT ';'"), (3, "SELECT 2")]


def test_notebooks_in_source_form(tmp_path: Path) -> None:
    given = project(
        tmp_path,
        {
            "a.py": "# Databricks notebook source\n# MAGIC %sql\n# MAGIC DELETE FROM x\n"
            '# COMMAND ----------\nspark.sql(f"UPDATE x SET v = {value} WHERE k = 2")\n',
            "b.sql": "-- COMMENT\nDELETE FROM x\n-- COMMAND ----------\nVACUUM x",
            "c.ipynb": json.dumps(
                {"cells": [{"cell_type": "code", "source": ["%%sql\n", "DELETE FROM x"]}]}
            ),
        },
    )
    assert sorted(texts(given)) == ["a 1", "a 2", "b 1", "b 2", "c"]


def test_dbt_models_are_the_statements_that_dbt_runs(tmp_path: Path) -> None:
    manifest = {
        "nodes": {
            "model.p.inc": {
                "resource_type": "model",
                "name": "inc",
                "relation_name": "`main`.`dbt`.`inc`",
                "config": {"materialized": "incremental", "unique_key": "id"},
            }
        }
    }
    given = project(
        tmp_path,
        {
            "dbt_project.yml": "name: p",
            "target/manifest.json": json.dumps(manifest),
            "target/compiled/p/models/inc.sql": "select id, v from src",
        },
    )
    assert [shown for _, shown in given.written] == ["main.dbt.inc"]
    assert texts(given)["inc"].startswith("MERGE INTO t DBT_INTERNAL_DEST USING (SELECT id, v FROM")


def test_a_temporary_table_of_dbt_without_its_query_may_read_the_table(tmp_path: Path) -> None:
    given = project(
        tmp_path, {"inc.sql": "insert into table dbt.inc select `id`, `v` from `inc__dbt_tmp`"}
    )
    (name, shown), *_ = given.written
    (rough,) = given.table(name, shown, DEFAULT).jobs.widening.outlines.values()
    assert rough.reads
    assert rough.blind


def test_types_are_inferred_from_uses(tmp_path: Path) -> None:
    given = project(
        tmp_path,
        {
            "a.sql": "UPDATE x SET n = n + 1 WHERE name = 'a' AND live AND day = DATE '2026-03-01'",
        },
    )
    (name, shown), *_ = given.written
    assert given.table(name, shown, DEFAULT).inferred == {
        "name": "string",
        "live": "boolean",
        "day": "date",
        "n": "bigint",
    }


JOBS = Path(__file__).parents[3] / "scenarios" / "jobs"

ANSWERS = {
    "change_capture": {"clients": "robust"},
    "changing_dimension": {"dim_product": "not robust"},
    "dbt_incremental": {
        "main.shop.customers": "robust",
        "main.shop.events": "robust",
        "main.shop.orders": "robust",
    },
    "dbt_snapshot": {"main.snapshots.orders_snapshot": "robust"},
    "deduplicated_stream": {"silver.clicks": "robust"},
    "gdpr_delete": {"crm.visits": "robust"},
    "gdpr_delete_and_report": {"crm.visits": "not robust"},
    "kpi_refresh": {"gold.kpi": "robust"},
    "nightly_rebuild": {"mart.stock": "robust"},
    "running_totals": {"ledger": "not robust"},
    "sales_maintenance": {"store_sales": "robust"},
    "watermark_and_backfill": {"silver.readings": "not robust"},
}


def test_every_folder_of_jobs_has_an_answer() -> None:
    assert {folder.name for folder in JOBS.iterdir()} == set(ANSWERS)


@pytest.mark.slow
@pytest.mark.parametrize("folder", ANSWERS)
def test_the_shipped_jobs_have_definite_answers(
    folder: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, results = asked(capsys, str(JOBS / folder))
    assert {result["table"]: result["verdict"] for result in results} == ANSWERS[folder]


def test_a_witness_begins_with_the_earlier_statements_of_its_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The DELETE comes second in its file, so that the INSERT of the same run has run before."""
    _, (result,) = asked(capsys, str(JOBS / "running_totals"))
    first, second, *_ = result["scenario"]["transactions"].values()
    assert first.startswith("INSERT INTO t SELECT 'balance'")
    assert second.startswith("DELETE FROM t")
    assert result["scenario"]["schedule"][0] == "close_month_1"


def test_a_witness_is_shown_in_the_words_of_the_files(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["robust", str(JOBS / "watermark_and_backfill")]) == 1
    text = " ".join(capsys.readouterr().out.split())
    assert "silver.readings: no, WriteSerializable is not enough for load and backfill." in text
    assert "WHERE r.at > (SELECT max(at) FROM silver.readings)" in text
    assert "To run again after an open error is unsafe for backfill" in text


def test_sarif_names_file_and_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "answers.sarif"
    assert run(["robust", str(JOBS / "watermark_and_backfill"), "--sarif", str(file)]) == 1
    capsys.readouterr()
    (log,) = json.loads(file.read_text())["runs"]
    found = {(each["ruleId"], each["level"]) for each in log["results"]}
    assert found == {("not-robust", "error"), ("retry-unsafe", "note")}
    place = log["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("watermark_and_backfill/load.sql")
    assert place["region"] == {"startLine": 2}


def test_the_definition_comes_from_the_log(tmp_path: Path) -> None:
    import pyarrow
    from deltalake import write_deltalake

    rows = pyarrow.table({"id": [1], "day": ["2026-03-01"]})
    write_deltalake(str(tmp_path / "table"), rows, partition_by=["day"])
    given = project(tmp_path / "sql", {"a.sql": "DELETE FROM x WHERE id = 1"})
    logs = [f"x={tmp_path / 'table'}"]
    given = read_project(Files([str(tmp_path / "sql")], logs=logs))
    (name, shown), *_ = given.written
    table = given.table(name, shown, DEFAULT).jobs.table
    assert (dict(table.columns), table.partition_by) == (
        {"id": "bigint", "day": "string"},
        ("day",),
    )


def test_the_answer_says_what_it_takes_for_granted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.sql").write_text("DELETE FROM x WHERE k = 1 AND exotic(v)")
    _, (result,) = asked(capsys, str(tmp_path))
    assert result["assumptions"] == [
        "the columns and types are those inferred, partitioned by nothing",
        "what is not evaluated fails on no row",
    ]
    (tmp_path / "a.sql").write_text(f"{ORDERS} DELETE FROM main.shop.orders WHERE id = 1")
    _, (result,) = asked(capsys, str(tmp_path))
    assert result["assumptions"] == []


@pytest.mark.slow
def test_several_processes_give_the_answers_of_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(parallel.FEWEST):
        text = f"INSERT INTO t{number} VALUES (:k); DELETE FROM t{number} WHERE k = {number};"
        (tmp_path / f"job{number}.sql").write_text(text)
    monkeypatch.setattr(parallel, "processes", lambda tables: 2)
    together = asked(capsys, str(tmp_path))
    monkeypatch.setattr(parallel, "processes", lambda tables: 1)
    alone = asked(capsys, str(tmp_path))
    for answer in (*together[1], *alone[1]):
        del answer["seconds"]
    assert len(alone[1]) == parallel.FEWEST
    assert together == alone
