"""Appends and overwrites through ``write_deltalake``; TRUNCATE as a DELETE of everything."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from conformance.delta_rs.dialect import datafusion_sql
from conformance.delta_rs.tables import arrow_schema
from model.expressions import syntax as expressions
from model.expressions.simplification.shape import FALSE
from model.expressions.syntax import TRUE, Column, Comparison, Expression, IsNull, Literal, Or
from model.history import Row
from model.tables.table import Table

if TYPE_CHECKING:
    from deltalake import CommitProperties, DeltaTable


def append(
    handle: DeltaTable,
    table: Table,
    rows: Iterable[Row],
    properties: CommitProperties | None = None,
) -> None:
    """Appends rows; appending none is a commit as well."""
    _write(handle, table, rows, "append", None, properties)


def overwrite(
    handle: DeltaTable,
    table: Table,
    rows: Iterable[Row],
    replaced: Expression,
    properties: CommitProperties | None,
) -> None:
    """Replaces the rows that match a condition; TRUE replaces all."""
    predicate = None if replaced == TRUE else datafusion_sql(replaced)
    _write(handle, table, rows, "overwrite", predicate, properties)


def overwrite_partitions(
    handle: DeltaTable,
    table: Table,
    rows: Iterable[Row],
    properties: CommitProperties | None,
) -> None:
    """Replaces the partitions of the rows: delta-rs takes a condition, which its users compute."""
    replacement = tuple(rows)
    overwrite(handle, table, replacement, _partitions_of(replacement, table), properties)


def _partitions_of(rows: Iterable[Row], table: Table) -> Expression:
    """The condition that selects the partitions of the rows, as a user would write it."""
    partitions = dict.fromkeys(tuple(row[place] for place in table.partitions) for row in rows)
    condition: Expression | None = None
    for values in partitions:
        parts: list[Expression] = []
        for place, value in zip(table.partitions, values, strict=True):
            column = Column(place, table.names[place], table.types[place])
            equal = Comparison("=", column, Literal(value, column.type))
            parts.append(IsNull(column) if value is None else equal)
        here = expressions.conjunction(tuple(parts))
        condition = here if condition is None else Or(condition, here)
    return FALSE if condition is None else condition


def _write(
    handle: DeltaTable,
    table: Table,
    rows: Iterable[Row],
    mode: Any,  # One of its modes: the stubs have an overload for each.
    predicate: str | None,
    properties: CommitProperties | None,
) -> None:
    import pyarrow
    from deltalake import write_deltalake

    schema = arrow_schema(table)
    cells: list[list[Any]] = [list(c) for c in zip(*map(table.shown, rows), strict=True)]
    arrays = [
        pyarrow.array(values, field.type)
        for values, field in zip(cells or [[] for _ in schema], schema, strict=True)
    ]
    write_deltalake(
        handle,
        pyarrow.Table.from_arrays(arrays, schema=schema),
        mode=mode,
        predicate=predicate,
        commit_properties=properties,
    )
