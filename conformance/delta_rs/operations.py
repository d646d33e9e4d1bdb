"""Statements as calls of delta-rs's API.

delta-rs has no SQL for writing: a statement becomes an operation on a handle that is pinned at a
version. Parts without an operation are computed on the rows of that version and written as plain
values: the rows of an INSERT SELECT, the value of a subquery in SET. The engine does not see
such reads, just as with any program that reads, computes and appends.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from conformance.delta_rs.alter import add_constraint, alter
from conformance.delta_rs.dialect import assigned_sql, datafusion_sql, quoted
from conformance.delta_rs.merge import merge
from conformance.delta_rs.overwrite import append, overwrite, overwrite_partitions
from conformance.engine import BadStatement
from model.errors import StatementFailure
from model.expressions import syntax as expressions
from model.expressions.evaluation import matcher
from model.expressions.syntax import TRUE, Column, Expression, Literal
from model.history import Row, Value
from model.queries import alone, flat
from model.queries.query import Query
from model.statements import (
    AddConstraint,
    AlterTable,
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Overwrite,
    Restore,
    Select,
    Statement,
    Truncate,
    Update,
    Vacuum,
)
from model.tables.table import Table

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable

Tables = Mapping[str, tuple[Row, ...]]


def write(statement: Statement, handle: DeltaTable, tables: Tables) -> bool:
    """Runs a statement that writes, on a pinned handle, up to its commit.

    ``tables`` has the rows of all tables at the handle's version. Returns False if the statement
    was skipped because it is a numbered write that the application has already made. Raises
    what delta-rs raises, StatementFailure for a computation that fails, and BadStatement for a
    statement that has no operation.
    """
    if not isinstance(statement, Idempotent):
        _write(statement, handle, tables, None)
        return True
    # delta-rs keeps the number; checking it is up to the application.
    written = handle.transaction_version(statement.application)
    if written is not None and written >= statement.version:
        return False
    from deltalake import CommitProperties, Transaction

    number = Transaction(statement.application, statement.version)
    properties = CommitProperties(app_transactions=[number])
    _write(statement.statement, handle, tables, properties)
    return True


def _write(
    statement: Statement,
    handle: DeltaTable,
    tables: Tables,
    properties: CommitProperties | None,
) -> None:
    match statement:
        case InsertValues() | InsertSelect():
            append(handle, statement.table, _inserted(statement, tables), properties)
        case Overwrite(inserts=inserts, replaced=replaced):
            overwrite(handle, statement.table, _inserted(inserts, tables), replaced, properties)
        case DynamicOverwrite(inserts=inserts):
            rows = _inserted(inserts, tables)
            overwrite_partitions(handle, statement.table, rows, properties)
        case Delete(condition=condition):
            handle.delete(_predicate(condition), commit_properties=properties)
        case Truncate():
            handle.delete()
        case Update():
            handle.update(
                updates=_assignments(statement, tables),
                predicate=_predicate(statement.condition),
                commit_properties=properties,
            )
        case Merge():
            merge(handle, statement, statement.source.rows(tables), properties)
        case Optimize():
            _optimize(statement, handle, tables)
        case Restore():
            handle.restore(statement.version)
        case Vacuum():
            handle.vacuum(dry_run=statement.dry)
        case AlterTable():
            alter(handle, statement)
        case AddConstraint():
            add_constraint(handle, statement)
        case _:
            raise BadStatement(f"delta-rs has no operation for {statement.text!r}")


def _optimize(statement: Optimize, handle: DeltaTable, tables: Tables) -> None:
    filters = _partition_filters(statement, tables)
    if statement.zorder:
        columns = [statement.table.names[place] for place in statement.zorder]
        handle.optimize.z_order(columns, partition_filters=filters)
    else:
        handle.optimize.compact(partition_filters=filters)


def read(statement: Select, tables: Tables) -> tuple[Row, ...]:
    """A query's rows."""
    return flat(alone(statement.query, tables)[0])


def reads_target(statement: Statement) -> bool:
    """True if running a statement needs the target's rows, outside of the operation itself."""
    statement = statement.inner
    match statement:
        case Overwrite(inserts=inner) | DynamicOverwrite(inserts=inner):
            return reads_target(inner)
        case Merge():
            return statement.source.reads(statement.table)
        case Update():
            return bool(statement.subqueries)
        case Optimize(condition=condition):
            return condition != TRUE
    return isinstance(statement, InsertSelect | Select)


def rows_of(handle: DeltaTable, table: Table) -> tuple[Row, ...]:
    """The rows of a handle's version, as delta-rs itself reads them."""
    read = _arrow_table(handle, table)
    columns = [[_plain(value) for value in column.to_pylist()] for column in read.columns]
    return tuple(map(table.placed, zip(*columns, strict=True)))


def _arrow_table(handle: DeltaTable, table: Table) -> Any:
    import deltalake
    import pyarrow

    if deltalake.__version__.startswith("0."):
        # Their query builder came late and gives something else in each of them.
        return handle.to_pyarrow_table(columns=list(table.column_names))
    names = ", ".join(map(quoted, table.column_names))
    builder = deltalake.QueryBuilder().register("target", handle)
    return pyarrow.table(builder.execute(f"SELECT {names} FROM target").read_all())


def _plain(value: Any) -> Value:
    """Timestamps arrive with a time zone, UTC; the model's have none."""
    return value.replace(tzinfo=None) if getattr(value, "tzinfo", None) else value


def _predicate(condition: Expression) -> str | None:
    return None if condition == TRUE else datafusion_sql(condition)


def _inserted(statement: InsertValues | InsertSelect, tables: Tables) -> tuple[Row, ...]:
    """The rows that an INSERT adds. Raises StatementFailure."""
    if isinstance(statement, InsertValues):
        return statement.rows
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
    """The partitions to OPTIMIZE, as the list of values that its API takes."""
    if statement.condition == TRUE:
        return None
    table = statement.table
    touched = expressions.columns(statement.condition)
    if len(touched) != 1:
        raise BadStatement("delta-rs compacts by the values of one partition column only")
    (index,) = touched
    matches = matcher(statement.condition)
    values = {row[index] for row in tables[table.name] if matches(row)}
    if None in values:
        raise BadStatement("delta-rs has no filter for the NULL partition")
    return [(table.names[index], "in", sorted(map(_partition_text, values)))]


def _partition_text(value: Value) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def _scalar(query: Query, tables: Tables) -> Value:
    """A scalar subquery's value on the handle's version: NULL if it has no row."""
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
        return tuple(_bound_part(item, width, values) for item in part)
    return _bound(part, width, values) if isinstance(part, Expression) else part
