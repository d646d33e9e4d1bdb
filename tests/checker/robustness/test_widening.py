"""Jobs known only roughly: the analysis allows at least what it allows of the exact jobs."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from random import Random

import pytest
import sqlglot

from checker.robustness.answer import robustness
from checker.robustness.jobs.context import Tables
from checker.robustness.jobs.fitting import fitted, outline
from checker.robustness.jobs.opaque_parts import Parts
from checker.robustness.jobs.widening import Outline, Widening
from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.remedies import analysed
from checker.robustness.roles import shape
from checker.robustness.symbolic.access import outlined_job
from model.errors import InvalidScenario
from model.profiles import DEFAULT
from model.scenario import TableSpec
from model.sql import declared_table
from model.sql.dialect import Delta
from model.values.types import parse_type
from tests.checker.robustness.workload_fuzz import Fuzz

SPEC = TableSpec({"id": "int", "day": "date", "v": "int"})
SOURCE = TableSpec({"id": "int", "v": "int"}, setup=("INSERT INTO s VALUES (1, 10), (2, 20)",))


def fuzzed(seed: int) -> Jobs | None:
    """The jobs of one fuzzed workload; None where the model refuses one of them."""
    given = Fuzz(Random(seed)).workload()
    types = {name: parse_type(text) for name, text in given.types.items()}
    try:
        made = jobs("fuzzed", given.table, given.tables, given.jobs, DEFAULT, types)
        analysed(made)
    except InvalidScenario:
        return None
    return made


@pytest.mark.parametrize("seed", range(12))
def test_an_outline_allows_all_that_the_statement_can_do(seed: int) -> None:
    made = fuzzed(seed)
    if made is None:
        pytest.skip("not a workload of the model")
    known = analysed(made)
    exact = shape(list(known.values()))
    for name, template in made.templates.items():
        tree = sqlglot.parse(template.text.rpartition(";")[2], dialect=Delta)[0]
        assert tree is not None
        rough = known | {name: outlined_job(made, name, outline(tree))}
        wider = shape(list(rough.values()))
        assert set(exact.appends) <= set(wider.appends)
        assert set(exact.missed) <= set(wider.missed)
        assert set(exact.triples) <= set(wider.triples) or not wider.backs
        if wider.impossible:
            assert exact.impossible


def fit(sql: str) -> tuple[str | None, Outline | None, Parts]:
    """A statement over ``t`` made to fit, with its opaque parts."""
    tables = Tables({"t": declared_table("t", SPEC), "s": declared_table("s", SOURCE)})
    parts = Parts("job", tables, count(1))
    tree = sqlglot.parse(sql, dialect=Delta)[0]
    assert tree is not None
    made = fitted(tree, parts)
    return made.sql, made.outline, parts


def test_what_the_model_has_stays_as_it_is() -> None:
    sql, rough, parts = fit("DELETE FROM t WHERE id = :id")
    assert (sql, rough, dict(parts.opaque)) == ("DELETE FROM t WHERE id = :id", None, {})


def test_only_the_part_that_the_model_lacks_is_opaque() -> None:
    sql, rough, parts = fit("DELETE FROM t WHERE id = 1 AND exotic(v) AND day < exotic(day)")
    assert rough is None
    assert sql == "DELETE FROM t WHERE id = 1 AND id <=> :opaque_1 AND day < :opaque_2".replace(
        "AND id <=>", "AND t.id <=>"
    )
    assert [(part.role, part.anything) for part in parts.opaque.values()] == [
        ("condition", False),
        ("value", False),
    ]


def test_a_source_that_the_model_lacks_holds_any_rows() -> None:
    sql, rough, parts = fit(
        "MERGE INTO t USING (SELECT *, exotic() OVER () AS n FROM s QUALIFY n = 1) q "
        "ON t.id = q.id WHEN MATCHED THEN UPDATE SET v = q.v"
    )
    assert rough is None
    assert sql is not None
    assert "USING opaque_1 q" in sql
    assert parts.relations["opaque_1"].columns == {"id": "int", "v": "int"}


def test_a_part_that_reads_the_target_leaves_an_outline() -> None:
    sql, rough, _ = fit("INSERT INTO t SELECT id, day, v FROM t QUALIFY exotic() OVER () = 1")
    assert sql is None
    assert rough == Outline("INSERT", reads=True, adds=True, blind=True)


def test_an_append_of_any_rows_reads_nothing() -> None:
    widening = Widening(outlines={"load": Outline("INSERT", adds=True, blind=True)})
    made = jobs("appends", SPEC, {}, {"erase": "DELETE FROM t WHERE id = :id"}, DEFAULT)
    answer = robustness(replace(made, widening=widening))
    assert answer.serial.verdict == "robust"


@pytest.mark.slow
def test_a_history_that_rests_on_an_opaque_condition_is_not_called_one() -> None:
    """If the condition holds for no row, the deletes never miss anything."""
    tables = Tables({"t": declared_table("t", SPEC)})
    parts = Parts("sum up", tables, count(1))
    texts = {
        "stream": "INSERT INTO t VALUES (:id, :day, :v)",
        "sum up": "INSERT INTO t SELECT max(id), max(day), count(*) FROM t WHERE exotic(v)",
        "erase": "DELETE FROM t WHERE id = :id",
    }
    sql = {}
    for name, text in texts.items():
        tree = sqlglot.parse(text, dialect=Delta)[0]
        assert tree is not None
        sql[name] = fitted(tree, parts).sql or ""
    widening = Widening(dict(parts.opaque))
    made = jobs("opaque", SPEC, {}, sql, DEFAULT, tables.types, widening)
    answer = robustness(made)
    assert answer.serial.verdict != "robust"
    if answer.serial.verdict == "unknown":
        assert "exotic(v)" in answer.serial.because.lower()


@pytest.mark.parametrize(
    "load",
    [
        "INSERT INTO t SELECT id, NULL, v FROM s WHERE NOT EXISTS "
        "(SELECT 1 FROM t WHERE t.id = s.id)",
        "INSERT INTO t SELECT s.id, NULL, s.v FROM s LEFT ANTI JOIN t ON t.id = s.id",
        "INSERT INTO t SELECT id, NULL, v FROM s WHERE id NOT IN (SELECT id FROM t)",
        "INSERT INTO t SELECT s.id, NULL, s.v FROM s LEFT JOIN t ON t.id = s.id WHERE t.id IS NULL",
        "INSERT INTO t SELECT id, NULL, v FROM s WHERE id > (SELECT max(id) FROM t)",
    ],
)
def test_an_insert_of_what_is_not_there_yet_is_not_a_blind_append(load: str) -> None:
    made = jobs("idempotent load", SPEC, {"s": SOURCE}, {"load": load}, DEFAULT)
    assert robustness(made).serial.verdict == "robust"


def test_a_join_that_the_optimizer_can_leave_out_may_be_a_blind_append() -> None:
    load = "INSERT INTO t SELECT s.id, NULL, s.v FROM s LEFT ANTI JOIN t ON t.id = s.id AND 1 = 2"
    made = jobs("folded", SPEC, {"s": SOURCE}, {"load": load}, DEFAULT)
    assert analysed(made)["load"].run().blind
