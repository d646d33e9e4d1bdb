"""Statements as people write them, replayed on Spark beside a second statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.statement_replays import fate, replayed, statements
from conformance.spark.engine import SparkEngine

USUAL = {
    "a catalog, a backquoted column and a parameter": "DELETE FROM main.crm.`web visits` "
    "WHERE `visit day` < '${cutoff}'",
    "the newest change of each key": "MERGE INTO silver.accounts a USING (SELECT account, state, "
    "row_number() OVER (PARTITION BY account ORDER BY changed DESC) AS nth FROM bronze.changes) c "
    "ON a.account = c.account AND c.nth = 1 WHEN MATCHED THEN UPDATE SET state = c.state",
}
NIGHTLY = {
    "only what is not there yet": "INSERT INTO silver.sightings SELECT b.id, b.place FROM "
    "bronze.birds b LEFT ANTI JOIN silver.sightings s ON s.id = b.id",
    "a report that is written anew": "INSERT OVERWRITE mart.totals SELECT region, sum(amount) AS "
    "amount FROM silver.sales GROUP BY region",
    "a list of requests": "DELETE FROM crm.people WHERE person IN (SELECT person FROM gdpr.asked)",
    "a flag by a condition": "UPDATE ops.tickets SET state = CASE WHEN age > 30 THEN 'late' "
    "ELSE 'open' END WHERE state <> 'closed'",
    "a load with a clock": "INSERT INTO ops.loads SELECT 'daily' AS name, current_date() AS day",
    "both ends of a dimension": "MERGE INTO dim.shops d USING stage.shops s ON d.shop = s.shop AND "
    "d.current WHEN MATCHED AND d.town <> s.town THEN UPDATE SET current = false "
    "WHEN NOT MATCHED THEN INSERT (shop, town, current) VALUES (s.shop, s.town, true)",
}


@pytest.mark.parametrize(
    "text",
    [
        *(pytest.param(sql, id=name) for name, sql in USUAL.items()),
        *(pytest.param(q, id=name, marks=pytest.mark.nightly) for name, q in NIGHTLY.items()),
    ],
)
def test_model_and_engine_agree(spark_engine: SparkEngine, tmp_path: Path, text: str) -> None:
    file = tmp_path / "job.sql"
    file.write_text(text)
    (statement,) = statements([str(file)])
    made = fate(statement)
    assert made.kind == "accepted", made.because
    replayed(spark_engine, made)
    assert made.kind == "agrees", made.because


def test_a_statement_that_writes_no_table_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "job.sql"
    file.write_text("SHOW TABLES")
    (statement,) = statements([str(file)])
    assert fate(statement).kind == "left alone"
