"""Conditions that the optimizer folds away, and parameters told apart from constants.

An INSERT SELECT whose condition no row can meet never scans its table, so the engine logs it as a
blind append: whatever parameters make it so, the answer has to count it as one.
"""

from __future__ import annotations

import datetime
from decimal import Decimal
from random import Random

import pytest

from checker.robustness import roles
from checker.robustness.answer import robustness
from checker.robustness.jobs.folding import may_fold
from checker.robustness.jobs.sentinels import parsed
from checker.robustness.jobs.template import Parameter
from checker.robustness.jobs.workload import jobs
from checker.robustness.remedies import analysed
from checker.robustness.symbolic.access import Job
from model.history import Value
from model.physical.skipping import split_filter
from model.profiles import DEFAULT
from model.scenario import TableSpec
from model.statements import InsertSelect
from model.values.types import parse_type
from tests.nightly import cases

COLUMNS = {
    "k": "int",
    "p": "int",
    "v": "int",
    "b": "bigint",
    "x": "double",
    "price": "decimal(6,2)",
    "live": "boolean",
    "n": "string",
    "d": "date",
    "at": "timestamp",
}
ROW = "(1, 1, 10, 5, 1.5D, 2.50, true, 'a', DATE '2026-03-01', TIMESTAMP '2026-03-01 10:00:00')"
NULLS = ", ".join(["NULL"] * 7)
TABLE = TableSpec(COLUMNS, ("p",), setup=(f"INSERT INTO t VALUES {ROW}",))


def counting(condition: str, **types: str) -> Job:
    text = f"INSERT INTO t SELECT 9, 1, count(*), {NULLS} FROM t WHERE {condition}"
    given = jobs("jobs", TABLE, {}, {"note": text}, DEFAULT, _types(types))
    return analysed(given)["note"]


def _types(types: dict[str, str]) -> dict[str, object]:
    return {name: parse_type(type_) for name, type_ in types.items()}


@pytest.mark.parametrize(
    ("condition", "types"),
    [
        ("v = 3000000000", {}),
        ("v = 1.5", {}),
        ("v >= double('NaN')", {}),
        ("v IN (3000000000, -3000000000)", {}),
        ("v > 2147483647L", {}),
        ("p = 1 AND p = 2", {}),
        ("v = NULL", {}),
        ("v NOT IN (1, NULL)", {}),
        ("CAST(d AS TIMESTAMP) = TIMESTAMP '2026-03-01 10:00:00'", {}),
        ("false", {}),
        ("NOT (1 = 1)", {}),
        ("v < v AND v > 3", {}),
        ("v = :big", {"big": "bigint"}),
        ("v = :price", {"price": "decimal(6,2)"}),
        ("v <=> :x", {"x": "double"}),
        ("v IN (:big, 3000000000)", {"big": "bigint"}),
        ("p = :p AND p = :q", {"q": "int"}),
        ("p >= :p AND p < :p", {}),
        ("p = 1 AND :live", {"live": "boolean"}),
        ("live = :live AND NOT live", {}),
        (":k = 1", {"k": "int"}),
        ("CAST(v AS BIGINT) = :big", {"big": "bigint"}),
        ("n = 'a' AND n LIKE :n", {}),
        ("coalesce(v, 1) = :v", {}),
        ("CASE WHEN live THEN 1 ELSE 2 END = :v", {}),
    ],
)
def test_a_condition_that_may_fold_makes_a_blind_append(
    condition: str, types: dict[str, str]
) -> None:
    assert counting(condition, **types).run().blind


@pytest.mark.parametrize(
    "condition",
    [
        "v = 3",
        "v = :v",
        "v = 2147483647L",
        "b = :b",
        "b = :k",
        "price = :price",
        "price > 1",
        "p = :p AND v > :v",
        "p BETWEEN :p AND :q",
        "p IN (1, :p)",
        "d = :d AND live",
        "NOT live AND n = :n",
        "n LIKE 'a%' AND p = :p",
        "upper(n) = :n",
        "v IS NULL AND p <> :p",
        "CAST(at AS DATE) = DATE '2026-03-01'",
        "x > 1.5D OR live",
    ],
)
def test_a_plain_condition_makes_none(condition: str) -> None:
    assert not counting(condition, q="int").run().blind


def test_without_an_aggregate_a_folded_query_adds_no_row() -> None:
    text = "INSERT INTO t SELECT * FROM t WHERE v = 3000000000"
    (job,) = analysed(jobs("jobs", TABLE, {}, {"copy": text}, DEFAULT)).values()
    assert not job.run().blind


PARTS = (
    *("v = :v", "v = :big", "v > :price", "v <= :x", "p = :p", "p >= :p", "p < :q", "p <> :q"),
    *("b = :big", "b = :v", "price = :price", "price < :v", "x = :x", "x > :v", "live = :live"),
    *("live", "NOT live", "n = :n", "n LIKE :n", "n > 'a'", "d = :d", "d < :d", "at = :at"),
    *("CAST(d AS TIMESTAMP) >= :at", "CAST(at AS DATE) = :d", "CAST(v AS BIGINT) = :big"),
    *("v IN (:v, :q)", "v IN (:big, 7)", "p NOT IN (:p, :q)", "p BETWEEN :p AND :q", "v IS NULL"),
    *("coalesce(v, :v) = 1", "v + :v > 3", "v * 2 = :v", "upper(n) = :n", "p = k", "k = v"),
    *(":p = :q", "v <=> :v", "v = 1.5", "v = 3000000000", "p = 1", "n IS NOT NULL", "k = :v"),
)
VALUES: dict[str, tuple[Value, ...]] = {
    "bigint": (1, 3_000_000_000, -(1 << 31), (1 << 31) - 1),
    "int": (1, 2, (1 << 31) - 1, -(1 << 31)),
    "decimal(6,2)": (Decimal("1.50"), Decimal(2)),
    "double": (1.0, 1.5),
    "boolean": (True, False),
    "string": ("a", "", "%"),
    "date": (datetime.date(2026, 3, 1),),
    "timestamp": (datetime.datetime(2026, 3, 1), datetime.datetime(2026, 3, 1, 10)),
}
TYPES = {
    "v": "int",
    "p": "int",
    "q": "int",
    "big": "bigint",
    "price": "decimal(6,2)",
    "x": "double",
    "live": "boolean",
    "n": "string",
    "d": "date",
    "at": "timestamp",
}


@pytest.mark.slow
def test_what_the_optimizer_folds_may_fold() -> None:
    """Random conditions with random values for their parameters, simplified as Spark does it."""
    folded = plain = 0
    for seed in range(cases(500, 5_000)):
        random = Random(seed)
        parts = random.sample(PARTS, random.choice((1, 2, 2, 3)))
        condition = random.choice((" AND ", " AND ", " OR ")).join(parts)
        text = f"INSERT INTO t SELECT 9, 1, count(*), {NULLS} FROM t WHERE {condition}"
        given = jobs("jobs", TABLE, {}, {"note": text}, DEFAULT, _types(TYPES))
        (template,) = given.templates.values()
        found = parsed(given, template)
        if found is None:  # IS NULL beside what is computed from parameters: anything may be.
            continue
        assert isinstance(found.statement, InsertSelect)
        may = may_fold(found.statement.query.condition, given.target, found.types)
        plain += not may
        for _ in range(6):
            values = {each.name: _drawn(each, random) for each in template.parameters}
            statement = given.statement(template.filled(values))
            if split_filter(statement.query.condition, given.target) is None:
                folded += 1
                assert may, template.filled(values)
    assert folded > 150
    assert plain > 100


def _drawn(parameter: Parameter, random: Random) -> Value:
    return random.choice(VALUES[str(parameter.type)])


NOTE = "INSERT INTO t SELECT 9, 1, count(*) FROM t WHERE "
NUMBERS = TableSpec(
    {"k": "int", "p": "int", "v": "int"},
    ("p",),
    setup=("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",),
)


@pytest.mark.parametrize("condition", ["v = 3000000000", "v = :big", "v = 1.5", "p = 1 AND p = 2"])
def test_a_count_of_nothing_beside_a_delete_is_not_robust(condition: str) -> None:
    texts = {
        "note": NOTE + condition,
        "sum up": "INSERT INTO t SELECT 7, 2, count(*) FROM t WHERE p = 1",
        "erase": "DELETE FROM t WHERE p = 1",
    }
    found = robustness(jobs("jobs", NUMBERS, {}, texts, DEFAULT, _types({"big": "bigint"})))
    assert found.serial.verdict == "not robust"


FLAGS = TableSpec(
    {"k": "int", "p": "int", "live": "boolean"},
    ("p",),
    setup=("INSERT INTO t VALUES (1, 1, true), (2, 2, false)",),
)


def test_a_boolean_parameter_is_not_the_truth_of_a_clause_without_a_condition() -> None:
    texts = {
        "append": "INSERT INTO t VALUES (:k, 1, false)",
        "drop": "MERGE INTO t USING (SELECT :live AS live) s ON t.live = s.live AND t.p = 1 "
        "WHEN MATCHED THEN DELETE",
        "count": "INSERT INTO t SELECT count(*), 2, true FROM t WHERE p = 1 AND NOT live",
    }
    found = robustness(jobs("jobs", FLAGS, {}, texts, DEFAULT))
    assert found.serial.verdict == "not robust"


@pytest.mark.parametrize(
    "text",
    [
        "MERGE INTO t USING (SELECT :k AS k, :live AS live) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET live = s.live",
        "MERGE INTO t USING (SELECT :k AS k, :live AS live) s ON t.k = s.k "
        "WHEN MATCHED THEN DELETE",
        "MERGE INTO t USING (SELECT :k AS k, NULL AS live) s ON t.k = s.k "
        "WHEN MATCHED THEN UPDATE SET live = s.live",
        "UPDATE t SET live = (SELECT max(live) FROM s)",
        "UPDATE t SET live = :live WHERE live = :was",
        "MERGE INTO t USING s ON t.k = s.k AND t.live = s.live AND :live WHEN MATCHED THEN DELETE",
        "INSERT INTO t SELECT k, p, :live FROM s WHERE live = :live",
        "INSERT INTO t SELECT k, p, NULL FROM s",
    ],
)
def test_booleans_are_known_wherever_they_stand(text: str) -> None:
    source = TableSpec(FLAGS.columns, setup=("INSERT INTO s VALUES (1, 1, NULL), (2, 1, true)",))
    texts = {"job": text, "append": "INSERT INTO t VALUES (:k, 1, NULL)"}
    for partitions in ((), ("p",), ("live",)):
        table = TableSpec(FLAGS.columns, partitions, setup=("INSERT INTO t VALUES (1, 1, NULL)",))
        given = jobs("jobs", table, {"s": source}, texts, DEFAULT)
        assert analysed(given)["job"].parsed is not None
        assert robustness(given).serial.verdict != "unknown"


@pytest.mark.parametrize(
    "value",
    ["length(:n)", ":k % 7", ":k > 5", "year(:d)", "CASE WHEN :k = 5 THEN 1 ELSE 2 END", ":k + :k"],
)
def test_what_is_computed_from_parameters_is_not_a_constant(value: str) -> None:
    """Where it was taken for one, a MERGE could never delete what it deletes for other values."""
    column = "live" if ">" in value else "v"
    columns = {"k": "int", "v": "int", "live": "boolean", "n": "string", "d": "date"}
    texts = {
        "append": "INSERT INTO t (k, v, live) VALUES (:k, 1, true)",
        "drop": f"MERGE INTO t USING (SELECT {value} AS c) s ON t.{column} = s.c "
        "WHEN MATCHED THEN DELETE",
    }
    known = analysed(jobs("jobs", TableSpec(columns), {}, texts, DEFAULT))
    assert roles.misses(known["drop"], known["append"])
