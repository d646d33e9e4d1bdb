"""Job templates: parameters get the types of the columns that they meet."""

from __future__ import annotations

import pytest

from checker.robustness.jobs.template import template
from model.errors import InvalidScenario
from model.values.types import BIGINT, BOOLEAN, DATE, INT, STRING, ColumnType, decimal

TARGET = {"k": INT, "day": DATE, "name": STRING, "price": decimal(6, 2), "live": BOOLEAN}
OTHER = {"id": INT, "label": STRING}


def types(sql: str, **given: ColumnType) -> dict[str, str]:
    found = template(sql, {"t": TARGET, "s": OTHER}, given)
    return {parameter.name: str(parameter.type) for parameter in found.parameters}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DELETE FROM t WHERE k = :a", {"a": "int"}),
        ("DELETE FROM t WHERE :a <= t.day", {"a": "date"}),
        ("DELETE FROM t WHERE name IN ('x', :a)", {"a": "string"}),
        ("DELETE FROM t WHERE name NOT IN (:a, :b)", {"a": "string", "b": "string"}),
        ("DELETE FROM t WHERE k BETWEEN :a AND :b", {"a": "int", "b": "int"}),
        ("UPDATE t SET price = :a WHERE live = :b", {"a": "decimal(6,2)", "b": "boolean"}),
        ("UPDATE t SET k = k + :a WHERE k > -:b", {"a": "int", "b": "int"}),
        ("INSERT INTO t VALUES (:a, :b, :c, 1, true)", {"a": "int", "b": "date", "c": "string"}),
        ("INSERT INTO t (name, k) VALUES (:a, 1), ('x', :b)", {"a": "string", "b": "int"}),
        ("INSERT INTO t SELECT :a, :b, label, 1, true FROM s", {"a": "int", "b": "date"}),
        ("INSERT INTO t SELECT * FROM s WHERE id = :a", {"a": "int"}),
        ("INSERT INTO t REPLACE WHERE day = :a VALUES (:b, :a)", {"a": "date", "b": "int"}),
        ("INSERT OVERWRITE t PARTITION (k = :a) VALUES (:b)", {"a": "int", "b": "date"}),
        ("OPTIMIZE t WHERE day >= :a", {"a": "date"}),
        ("SELECT count(*) FROM t WHERE ':no' = name AND k = :k -- :neither\n", {"k": "int"}),
        (
            "MERGE INTO t USING (SELECT :a AS k, :b AS label) s ON t.k = s.k "
            "WHEN NOT MATCHED THEN INSERT (k, day) VALUES (s.k, :c)",
            {"a": "int", "b": "string", "c": "date"},
        ),
        ("DELETE FROM t WHERE name LIKE :a OR name NOT LIKE :b", {"a": "string", "b": "string"}),
        ("UPDATE t SET price = coalesce(:price, 1)", {"price": "decimal(6,2)"}),
    ],
)  # fmt: skip
def test_a_parameter_has_the_type_of_what_it_meets(sql: str, expected: dict[str, str]) -> None:
    assert types(sql) == expected


def test_a_parameter_that_meets_nothing_is_refused() -> None:
    with pytest.raises(InvalidScenario, match="the type of :x cannot be told"):
        types("DELETE FROM t WHERE :x")


def test_a_type_that_is_given_is_the_one() -> None:
    assert types("DELETE FROM t WHERE :x", x=BOOLEAN) == {"x": "boolean"}
    assert types("DELETE FROM t WHERE k = :a", a=BIGINT) == {"a": "bigint"}


def test_a_parameter_for_columns_of_several_types_is_refused() -> None:
    with pytest.raises(InvalidScenario, match=r"several types: k \(int\), name \(string\)"):
        types("DELETE FROM t WHERE k = :x OR name = :x")


def test_literals_stand_in_the_place_of_parameters() -> None:
    found = template("DELETE FROM t\n  WHERE k = :a AND name = ':a' OR name = :b", {"t": TARGET})
    filled = found.filled({"a": -1, "b": "it's"})
    assert filled == r"DELETE FROM t WHERE k = (-1) AND name = ':a' OR name = 'it\'s'"
