"""Scenarios made smaller: what does not matter goes, what is looked for stays."""

from __future__ import annotations

import pytest

from checker.judging import graph
from checker.search.random_search import random_scenario
from checker.search.reductions import simpler_statements
from checker.search.shrinking import minimise
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import Scenario, Step, TableSpec
from model.sql.printer import syntax


def violates(scenario: Scenario, level: str) -> bool:
    history = run_scenario(scenario, DEFAULT).history
    return graph.judge(history, level).verdict == "violated"


def test_minimising_drops_what_does_not_matter() -> None:
    scenario = Scenario(
        "much too large",
        TableSpec(
            {"k": "int", "p": "int", "v": "int"},
            partition_by=("p",),
            properties={"delta.isolationLevel": "WriteSerializable"},
            setup=("INSERT INTO t VALUES (1, 1, 1), (2, 2, 2)", "INSERT INTO t VALUES (3, 1, 3)"),
        ),
        {
            "A": "INSERT INTO t VALUES (7, 1, 7), (8, 2, 8)",
            "B": "DELETE FROM t WHERE (p = 1 AND NOT (NOT (v > 0))) OR p = 3",
            "C": "INSERT INTO t SELECT p, p, count(*) FROM s WHERE k = 9 OR v > 0 GROUP BY p",
        },
        tuple(
            Step(action, name)
            for action, name in [
                *[("begin", "C"), ("begin", "B"), ("begin", "A"), ("commit", "A")],
                *[("commit", "B"), ("commit", "C")],
            ]
        ),
        {"s": TableSpec({"k": "int", "p": "int", "v": "int"}, setup=PLAIN_OTHER)},
    )

    small = minimise(scenario, lambda each: violates(each, "Serializable"))
    assert violates(small, "Serializable")
    assert set(small.transactions) == {"A", "B"}
    assert small.tables == {}
    assert small.table.partition_by == ()
    assert sum(sql.count("(") for sql in small.table.setup) <= 1
    assert small.transactions["A"].count("(") == 1
    assert small.transactions["B"] == "DELETE FROM t"
    assert [s.transaction for s in small.schedule] == ["B", "A", "A", "B"]
    with pytest.raises(ValueError, match="nothing to keep"):
        minimise(scenario, lambda each: False)


def test_minimising_knows_every_form_that_is_drawn() -> None:
    tried = set()
    for number in range(40):
        scenario = random_scenario(9, number)
        ended = run_scenario(scenario, DEFAULT).ended
        for outcome in {each.outcome for each in ended.values() if each.conflict} - tried:
            tried.add(outcome)
            small = minimise(scenario, lambda each: outcome in outcomes(each))  # noqa: B023
            assert outcome in outcomes(small)
            assert len(small.transactions) == 2  # A conflict is between two.
            assert len(small.table.setup) <= 3
    assert len(tried) >= 3


def outcomes(scenario: Scenario) -> set[str]:
    return {each.outcome for each in run_scenario(scenario, DEFAULT).ended.values()}


@pytest.mark.parametrize(
    ("sql", "smaller"),
    [
        ("INSERT INTO t VALUES (1, 2), (3, 4)", "INSERT INTO t VALUES (3, 4)"),
        ("INSERT INTO t (k) VALUES ('(a), ('), (2)", "INSERT INTO t (k) VALUES (2)"),
        ("SET a.b = c; INSERT INTO t VALUES (1), (2)", "SET a.b = c; INSERT INTO t VALUES (2)"),
        ("SET a.b = c; INSERT INTO t VALUES (1)", "INSERT INTO t VALUES (1)"),
        ("INSERT OVERWRITE t VALUES (1), (2)", "INSERT OVERWRITE t VALUES (2)"),
        (
            "INSERT INTO t REPLACE WHERE k IN (1, 2) VALUES (1), (2)",
            "INSERT INTO t REPLACE WHERE k IN (1, 2) VALUES (2)",
        ),
    ],
)
def test_values_lose_a_row_whatever_stands_around_them(sql: str, smaller: str) -> None:
    assert smaller in list(simpler_statements(sql))


@pytest.mark.parametrize(
    ("sql", "smaller"),
    [
        ("DELETE FROM t WHERE k = 1", ["DELETE FROM t"]),
        (
            "DELETE FROM t WHERE k = 1 AND (p = 1 OR p = 2)",
            [
                "DELETE FROM t",
                "DELETE FROM t WHERE p = 1 OR p = 2",
                "DELETE FROM t WHERE k = 1",
                "DELETE FROM t WHERE k = 1 AND p = 2",
                "DELETE FROM t WHERE k = 1 AND p = 1",
            ],
        ),
        (
            "DELETE FROM t WHERE NOT (k = 1 OR (k = 2 AND p = 1))",
            [
                "DELETE FROM t",
                "DELETE FROM t WHERE k = 1 OR (k = 2 AND p = 1)",
                "DELETE FROM t WHERE NOT (k = 2 AND p = 1)",
                "DELETE FROM t WHERE NOT k = 1",
                "DELETE FROM t WHERE NOT (k = 1 OR p = 1)",
                "DELETE FROM t WHERE NOT (k = 1 OR k = 2)",
            ],
        ),
        (
            "DELETE FROM t WHERE (k = 1 AND b) = c",
            ["DELETE FROM t", "DELETE FROM t WHERE b = c", "DELETE FROM t WHERE (k = 1) = c"],
        ),
        (
            "OPTIMIZE t WHERE p BETWEEN 1 AND 2 ZORDER BY (v)",
            [
                "OPTIMIZE t ZORDER BY (v)",
                "OPTIMIZE t WHERE p >= 1 ZORDER BY (v)",
                "OPTIMIZE t WHERE p <= 2 ZORDER BY (v)",
            ],
        ),
        ("REORG TABLE t WHERE p = 1 APPLY (PURGE)", ["REORG TABLE t APPLY (PURGE)"]),
        ("UPDATE t SET k = 1, v = 2", ["UPDATE t SET v = 2", "UPDATE t SET k = 1"]),
        (
            "RESTORE TABLE t TO VERSION AS OF 2",
            ["RESTORE TABLE t TO VERSION AS OF 0", "RESTORE TABLE t TO VERSION AS OF 1"],
        ),
        (
            "INSERT INTO t SELECT k FROM t WHERE k = 1 UNION ALL SELECT k FROM s",
            [
                "INSERT INTO t SELECT k FROM s",
                "INSERT INTO t SELECT k FROM t WHERE k = 1",
                "INSERT INTO t SELECT k FROM t UNION ALL SELECT k FROM s",
            ],
        ),
        ("VACUUM t", []),
        ("no statement at all", []),
    ],
)
def test_a_statement_loses_one_part_at_a_time(sql: str, smaller: list[str]) -> None:
    assert list(simpler_statements(sql)) == smaller


@pytest.mark.slow
def test_every_smaller_statement_is_shorter_and_prints_the_same_again() -> None:
    for number in range(300):
        for sql in random_scenario(4, number).transactions.values():
            for smaller in simpler_statements(sql):
                assert syntax(smaller).sql() == smaller
                assert "RESTORE" in sql or len(smaller) < len(syntax(sql).sql())


PLAIN_OTHER = ("INSERT INTO s VALUES (9, 1, 1)",)
