"""The meaning of expressions: three-valued logic, numbers, conditionals and aggregates."""

from __future__ import annotations

import math
from decimal import Decimal
from itertools import product

import pytest

from model.errors import StatementFailure
from model.expressions.evaluation import evaluator, matcher
from model.history import Row, Value
from model.queries.query import Query
from model.sql import parse_statement
from model.statements import Delete, Select
from model.tables.table import Table
from model.values.types import BIGINT, BOOLEAN, DOUBLE, INT, STRING, decimal

TABLE = Table(
    "t",
    ("a", "b", "k", "v", "d", "m", "s"),
    (BOOLEAN, BOOLEAN, INT, BIGINT, DOUBLE, decimal(5, 2), STRING),
)
TRUTH = (True, False, None)


def row(**values: Value) -> Row:
    return tuple(values.get(name) for name in TABLE.names)


def query(outputs: str, rest: str = "") -> Query:
    statement = parse_statement(f"SELECT {outputs} FROM t {rest}", "t", {"t": TABLE})
    assert isinstance(statement, Select)
    return statement.query


def value(text: str, **values: Value) -> Value:
    (output,) = query(text).outputs
    return evaluator(output)(row(**values))


def truth(text: str, **values: Value) -> Value:
    statement = parse_statement(f"DELETE FROM t WHERE {text}", "t", {"t": TABLE})
    assert isinstance(statement, Delete)
    return evaluator(statement.condition)(row(**values))


# The truth tables of SQL, with the order FALSE < NULL < TRUE: AND is the least, OR the greatest.
ORDER: dict[Value, int] = {False: 0, None: 1, True: 2}


@pytest.mark.parametrize(("a", "b"), list(product(TRUTH, TRUTH)))
def test_and_or_of_three_truth_values(a: Value, b: Value) -> None:
    assert truth("a AND b", a=a, b=b) is min((a, b), key=ORDER.__getitem__)
    assert truth("a OR b", a=a, b=b) is max((a, b), key=ORDER.__getitem__)


@pytest.mark.parametrize(("a", "negated"), [(True, False), (False, True), (None, None)])
def test_not_leaves_null_alone(a: Value, negated: Value) -> None:
    assert truth("NOT a", a=a) is negated


def test_only_true_matches() -> None:
    statement = parse_statement("DELETE FROM t WHERE a", "t", {"t": TABLE})
    assert isinstance(statement, Delete)
    matches = matcher(statement.condition)
    assert [matches(row(a=a)) for a in TRUTH] == [True, False, False]


@pytest.mark.parametrize(
    ("text", "k", "expected"),
    [
        ("k = 1", None, None),
        ("k <> 1", None, None),
        ("k <=> 1", None, False),
        ("k <=> NULL", None, True),
        ("k IS NULL", None, True),
        ("k IS NOT NULL", None, False),
        ("k IN (1, 2)", 1, True),
        ("k IN (1, 2)", 3, False),
        ("k IN (1, NULL)", 1, True),
        ("k IN (1, NULL)", 3, None),
        ("k NOT IN (1, NULL)", 3, None),
        ("k NOT IN (1, NULL)", 1, False),
        ("k IN (1, 2)", None, None),
        ("k BETWEEN 1 AND 3", 3, True),
        ("k BETWEEN 3 AND 1", 2, False),
        ("k BETWEEN NULL AND 1", 2, False),
        ("k BETWEEN NULL AND 3", 2, None),
        ("k NOT BETWEEN 1 AND 3", 4, True),
    ],
)
def test_what_null_does_to_a_condition(text: str, k: Value, expected: Value) -> None:
    assert truth(text, k=k) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k = v", True),  # both lose a digit only as doubles
        ("v = 9007199254740993", True),
        ("v = 9007199254740992D", True),
        ("d = 0.1", True),
        ("d IN (0.1, 5)", True),
        ("m = 1.5", True),
        ("m > 1.499", True),
        ("m < v", True),
        ("k > 1.5", True),
    ],
)
def test_numbers_of_several_types_compare_in_the_type_where_they_meet(
    text: str, expected: bool
) -> None:
    values: dict[str, Value] = {"v": 9007199254740993, "d": 0.1, "m": Decimal("1.50"), "k": 2}
    if text == "k = v":
        values["v"] = 2
    assert truth(text, **values) is expected


def test_nan_equals_itself_and_is_larger_than_every_number() -> None:
    nan = "(d * 1e300 - d * 1e300)"
    assert value(nan, d=1e300) != value(nan, d=1e300)
    assert truth(f"{nan} = {nan}", d=1e300) is True
    assert truth(f"{nan} > 1e300", d=1e300) is True
    assert truth(f"{nan} IN (1, {nan})", d=1e300) is True


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k + 1", 8),
        ("k / 2", 3.5),
        ("v / 2", 5.0),
        ("k % 4", 3),
        ("-k % 4", -3),
        ("k % -4", 3),
        ("d % 2", 1.5),
        ("-d % 2", -1.5),
        ("k * v", 70),
        ("-d * 0", -0.0),
        ("k + NULL", None),
    ],
)
def test_arithmetic(text: str, expected: Value) -> None:
    assert repr(value(text, k=7, v=10, d=3.5)) == repr(expected)


def test_zero_has_a_sign_as_a_double() -> None:
    assert math.copysign(1, value("-d", d=0.0)) == -1  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("k + 1", "ARITHMETIC_OVERFLOW"),
        ("-k - 2", "ARITHMETIC_OVERFLOW"),
        ("v + 1", "ARITHMETIC_OVERFLOW"),
        ("k * 2", "ARITHMETIC_OVERFLOW"),
        ("k / (k - k)", "DIVIDE_BY_ZERO"),
        ("1 / d", "DIVIDE_BY_ZERO"),
        ("k % (k - k)", "REMAINDER_BY_ZERO"),
        ("d % d", "REMAINDER_BY_ZERO"),
    ],
)
def test_arithmetic_fails_as_spark_s_ansi_mode_does(text: str, error: str) -> None:
    with pytest.raises(StatementFailure) as failure:
        value(text, k=2147483647, v=9223372036854775807, d=0.0)
    assert failure.value.error_class == error


def test_an_int_next_to_a_bigint_does_not_overflow() -> None:
    assert value("k + v", k=2147483647, v=1) == 2147483648


def test_doubles_overflow_to_infinity_without_failing() -> None:
    assert value("d * 10", d=1e308) == math.inf


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("coalesce(k, 5)", 5),
        ("coalesce(k, m)", Decimal("1.50")),
        ("coalesce(m, 7)", Decimal("1.50")),
        ("coalesce(k, 7, m)", Decimal("7.00")),
        ("coalesce(k, 1, 2.5D)", 1.0),
        ("CASE WHEN k IS NULL THEN 1 ELSE 2 END", 1),
        ("CASE WHEN k = 1 THEN 1 END", None),
        ("CASE WHEN k IS NULL THEN 1 ELSE 2.5 END", Decimal("1.0")),
        ("CASE s WHEN 'a' THEN 1 WHEN 'b' THEN 2 END", 2),
    ],
)
def test_conditionals_have_the_type_that_all_their_values_have(text: str, expected: Value) -> None:
    assert repr(value(text, m=Decimal("1.50"), s="b")) == repr(expected)


def test_a_branch_that_is_not_taken_cannot_fail() -> None:
    assert value("CASE WHEN k = 0 THEN 0 ELSE 10 % k END", k=0) == 0


ROWS = (row(k=1, d=0.5, s="a"), row(k=None, d=None, s="a"), row(k=5, d=2.5, s="b"))


@pytest.mark.parametrize(
    ("outputs", "expected"),
    [
        ("count(*)", 3),
        ("count(k)", 2),
        ("sum(k)", 6),
        ("min(k)", 1),
        ("max(s)", "b"),
        ("avg(k)", 3.0),
        ("sum(d)", 3.0),
        ("sum(v)", None),
        ("count(v)", 0),
        ("max(k) - min(k)", 4),
    ],
)
def test_aggregates_leave_nulls_out(outputs: str, expected: Value) -> None:
    assert query(outputs).result(ROWS) == ((expected,),)


@pytest.mark.parametrize(("outputs", "expected"), [("count(*)", 0), ("sum(k)", None)])
def test_an_aggregate_over_nothing_is_one_row(outputs: str, expected: Value) -> None:
    assert query(outputs).result(()) == ((expected,),)


def test_groups_over_nothing_are_no_rows() -> None:
    assert query("s, count(*)", "GROUP BY s").result(()) == ()


def test_null_is_a_group() -> None:
    result = query("k, count(*)", "GROUP BY k").result((*ROWS, row(k=None)))
    assert set(result) == {(1, 1), (None, 2), (5, 1)}


def test_a_sum_of_ints_is_a_bigint_that_can_overflow() -> None:
    assert query("sum(k)").result([row(k=2147483647)] * 2) == ((4294967294,),)
    with pytest.raises(StatementFailure, match="overflows"):
        query("sum(v)").result([row(v=9223372036854775807)] * 2)


def test_nan_is_the_largest_of_some_numbers() -> None:
    found = query("max(d), min(d)").result((row(d=math.nan), row(d=1.0)))
    assert repr(found) == "((nan, 1.0),)"
