"""From a statement to the operation of delta-rs that it stands for.

delta-rs has no SQL for writing: a statement becomes a call of its API on a handle that is
pinned at a version. What it has no operation for is computed on the rows of that version and
written as plain values: the rows of an INSERT SELECT, the value of a subquery in SET. Of such a
read the engine knows nothing, just as with any program that reads, computes and appends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from conformance.delta_rs.dialect import assigned_sql, datafusion_sql
from conformance.delta_rs.tables import arrow_schema
from conformance.engine import BadStatement
from model import expressions
from model.errors import StatementFailure
from model.evaluation import matcher
from model.expressions import TRUE, Column, Expression, Literal
from model.history import Row, Value
from model.query import Query
from model.statements import (
    Delete,
    InsertSelect,
    InsertValues,
    Optimize,
    Select,
    Statement,
    Update,
)
from model.table import Table

if TYPE_CHECKING:
    from deltalake import DeltaTable

Tables = Mapping[str, tuple[Row, ...]]


def write(statement: Statement, handle: DeltaTable, tables: Tables) -> None:
    """Runs a statement that writes, on a pinned handle, up to its commit.

    ``tables`` has the rows of all tables as the handle's version shows them. Raises what
    delta-rs raises, StatementFailure for a computation that fails, and BadStatement for a
    statement that has no operation.
    """
    match statement:
        case InsertValues():
            append(handle, statement.table, statement.rows)
        case InsertSelect():
            append(handle, statement.table, _selected(statement, tables))
        case Delete(condition=condition):
            handle.delete(_predicate(condition))
        case Update():
            handle.update(
                updates=_assignments(statement, tables), predicate=_predicate(statement.condition)
            )
        case Optimize():
            handle.optimize.compact(partition_filters=_partition_filters(statement, tables))
        case _:
            raise BadStatement(f"delta-rs has no operation for {statement.text!r}")


def read(statement: Select, tables: Tables) -> tuple[Row, ...]:
    """A query's rows."""
    query = statement.query
    return query.result(query.matching(tables[query.table]))


def append(handle: DeltaTable, table: Table, rows: Iterable[Row]) -> None:
    """Appends rows, which may be none: that too is a commit."""
    import pyarrow
    from deltalake import write_deltalake

    schema = arrow_schema(table)
    cells: list[list[Any]] = [list(column) for column in zip(*rows, strict=True)]
    arrays = [
        pyarrow.array(values, field.type)
        for values, field in zip(cells or [[] for _ in schema], schema, strict=True)
    ]
    write_deltalake(handle, pyarrow.Table.from_arrays(arrays, schema=schema), mode="append")


def rows_of(handle: DeltaTable, table: Table) -> tuple[Row, ...]:
    """The rows of a handle's version, as delta-rs itself reads them."""
    import pyarrow
    from deltalake import QueryBuilder

    names = ", ".join(f'"{name}"' for name in table.names)
    result = QueryBuilder().register("target", handle).execute(f"SELECT {names} FROM target")
    read = pyarrow.table(result.read_all())
    columns = [[_plain(value) for value in column.to_pylist()] for column in read.columns]
    return tuple(zip(*columns, strict=True))


def _plain(value: Any) -> Value:
    """Timestamps come with a time zone, which is UTC; the model's have none."""
    return value.replace(tzinfo=None) if getattr(value, "tzinfo", None) else value


def _predicate(condition: Expression) -> str | None:
    return None if condition == TRUE else datafusion_sql(condition)


def _selected(statement: InsertSelect, tables: Tables) -> tuple[Row, ...]:
    name = statement.table.name
    return statement.rerun(tables).tables[name][len(tables[name]) :]


def _assignments(statement: Update, tables: Tables) -> dict[str, str]:
    table = statement.table
    values = tuple(_scalar(query, tables) for query in statement.subqueries)
    return {
        table.names[index]: assigned_sql(
            _bound(value, len(table.names), values), table.types[index]
        )
        for index, value in statement.assignments
    }


def _partition_filters(statement: Optimize, tables: Tables) -> list[tuple[str, str, Any]] | None:
    """The partitions that OPTIMIZE is about, as the list of values that its API takes."""
    if statement.condition == TRUE:
        return None
    table = statement.table
    touched = expressions.columns(statement.condition)
    if len(touched) != 1:
        raise BadStatement("delta-rs compacts by the values of one partition column only")
    (index,) = touched
    matches = matcher(statement.condition)
    found = {row[index] for row in tables[table.name] if matches(row)}
    if None in found:
        raise BadStatement("delta-rs has no filter for the NULL partition")
    return [(table.names[index], "in", sorted(map(_partition_text, found)))]


def _partition_text(value: Value) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _scalar(query: Query, tables: Tables) -> Value:
    """A scalar subquery's value on the handle's version: NULL where it has no row."""
    result = query.result(query.matching(tables[query.table]))
    if len(result) > 1:
        raise StatementFailure(
            "SCALAR_SUBQUERY_TOO_MANY_ROWS", "a subquery used as a value returned several rows"
        )
    return result[0][0] if result else None


def _bound(expression: Expression, width: int, values: Row) -> Expression:
    """The expression with the values of its subqueries, which follow the table's columns."""
    if isinstance(expression, Column) and expression.index >= width:
        return Literal(values[expression.index - width], expression.type)
    if not values:
        return expression
    changes = {
        field.name: _bound_part(getattr(expression, field.name), width, values)
        for field in dataclasses.fields(expression)
    }
    return dataclasses.replace(expression, **changes)


def _bound_part(part: Any, width: int, values: Row) -> Any:
    if isinstance(part, tuple):
        return tuple(_bound_part(each, width, values) for each in part)
    return _bound(part, width, values) if isinstance(part, Expression) else part
