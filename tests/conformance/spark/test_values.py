"""Values of random expressions: the model's against Spark's, to the type and the sign of a zero."""

from __future__ import annotations

from random import Random

import pytest

from conformance.spark.engine import SparkEngine
from conformance.spark.outcomes import outcome_of
from model.errors import InvalidScenario, StatementFailure
from model.expressions.evaluation import evaluator
from model.history import Value
from model.sql import parse_statement
from model.statements import Select
from model.values.types import sql_literal
from tests.model.expressions.calls import CALLS, FAILING
from tests.model.expressions.random_values import COLUMNS, ROWS, TABLE, Values

AT_ONCE = 30
EXPRESSIONS = 120


def predicted(text: str) -> list[Value] | None:
    """What the expression gives on each row; None where the statement fails or is refused."""
    try:
        statement = parse_statement(f"SELECT {text} FROM t", "t", {"t": TABLE})
    except InvalidScenario:
        return None
    assert isinstance(statement, Select)
    (output,) = statement.query.outputs
    evaluate = evaluator(output)
    try:
        return [evaluate(row) for row in ROWS]
    except StatementFailure:
        return None


def literal(value: Value) -> str:
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return f"double('{value}')"
    return sql_literal(value)


def table_in_spark() -> str:
    casts = ", ".join(f"CAST({name} AS {type_}) AS {name}" for name, type_ in COLUMNS.items())
    rows = ", ".join(f"({', '.join(map(literal, row))})" for row in ROWS)
    return f"(SELECT {casts} FROM VALUES {rows} AS x({', '.join(COLUMNS)}))"


def test_random_expressions_have_the_values_that_spark_gives_them(
    spark_engine: SparkEngine,
) -> None:
    values = Values(Random("values"))
    texts = dict.fromkeys(values.any() for _ in range(EXPRESSIONS))
    known = {text: found for text in texts if (found := predicted(text)) is not None}
    assert len(known) > EXPRESSIONS / 2
    assert differences(spark_engine, known) == []


def differences(
    spark_engine: SparkEngine, known: dict[str, list[Value]]
) -> list[tuple[str, list[Value], list[Value]]]:
    """The expressions whose values on Spark are others: the values predicted and observed."""
    found = []
    for start in range(0, len(known), AT_ONCE):
        batch = list(known)[start : start + AT_ONCE]
        outputs = ", ".join(f"({text}) AS c{index}" for index, text in enumerate(batch))
        sql = f"SELECT {outputs} FROM {table_in_spark()}"
        rows = spark_engine.process.session.sql(sql).collect()
        for index, text in enumerate(batch):
            observed = [row[index] for row in rows]
            if list(map(repr, observed)) != list(map(repr, known[text])):
                found.append((text, known[text], observed))
    return found


def test_calls_have_the_values_that_spark_gives_them(spark_engine: SparkEngine) -> None:
    known = {text: values for text in CALLS if (values := predicted(text)) is not None}
    assert len(known) >= len(CALLS) - 1
    assert differences(spark_engine, known) == []


@pytest.mark.parametrize("text", FAILING)
def test_calls_fail_as_spark_fails_them(text: str, spark_engine: SparkEngine) -> None:
    assert predicted(text) is None
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever Py4J makes of it
        spark_engine.process.session.sql(f"SELECT {text} FROM {table_in_spark()}").collect()
    assert outcome_of(caught.value).error_class == FAILING[text]  # type: ignore[arg-type]
