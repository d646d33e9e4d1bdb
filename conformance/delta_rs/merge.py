"""MERGE through delta-rs's builder: the model's joined rows become its two aliases.

The source is passed as a table in memory with columns renamed, so that no name is ambiguous.
If the source is a query, its rows are computed on the pinned version.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from conformance.delta_rs.dialect import Naming, assigned_sql, datafusion_sql, quoted
from conformance.delta_rs.tables import arrow_type
from model.expressions.syntax import Column, Comparison, Expression, walk
from model.history import Row
from model.statements import Merge
from model.statements.merge.clause import MergeClause
from model.values.types import ColumnType

if TYPE_CHECKING:
    import pyarrow
    from deltalake import CommitProperties, DeltaTable

TARGET, SOURCE = "t", "s"


def merge(
    handle: DeltaTable, statement: Merge, rows: Sequence[Row], properties: CommitProperties | None
) -> None:
    """Runs a MERGE from the source rows given, up to its commit. Raises what delta-rs raises."""
    naming = _naming(len(statement.table.names))
    builder = handle.merge(
        _source(statement, rows),
        datafusion_sql(statement.condition, naming),
        source_alias=SOURCE,
        target_alias=TARGET,
        commit_properties=properties,
    )
    for clause in statement.matched:
        condition = _condition(clause, naming)
        if clause.deletes:
            builder = builder.when_matched_delete(condition)
        else:
            builder = builder.when_matched_update(_assigned(clause, naming), condition)
    for clause in statement.not_matched:
        values = _assigned(clause, naming)
        builder = builder.when_not_matched_insert(values, _condition(clause, naming))
    for clause in statement.by_source:
        condition = _condition(clause, naming)
        if clause.deletes:
            builder = builder.when_not_matched_by_source_delete(condition)
        else:
            builder = builder.when_not_matched_by_source_update(
                _assigned(clause, naming), condition
            )
    builder.execute()


def _naming(width: int) -> Naming:
    """Columns by their places: the target's come first, then the source's."""

    def name(column: Column) -> str:
        if column.index < width:
            return f"{TARGET}.{quoted(column.name)}"
        return f"{SOURCE}.{_source_name(column.index - width)}"

    return name


def _source_name(place: int) -> str:
    return f"source_{place}"


def _condition(clause: MergeClause, naming: Naming) -> str | None:
    return None if clause.condition is None else datafusion_sql(clause.condition, naming)


def _assigned(clause: MergeClause, naming: Naming) -> dict[str, str]:
    assert clause.assignments is not None
    table = clause.table
    return {
        table.names[place]: assigned_sql(value, table.types[place], naming)
        for place, value in clause.assignments
    }


def _source(statement: Merge, rows: Sequence[Row]) -> pyarrow.Table:
    """The source's columns that the statement mentions, and one that numbers its rows."""
    import pyarrow

    columns = {"ordinal": pyarrow.array(range(len(rows)), pyarrow.int64())}
    for place, kind in sorted(_mentioned(statement).items()):
        values = [row[place] for row in rows]
        # Unlike Spark, delta-rs cannot compare an int with a literal of a wider type.
        wide = pyarrow.int64() if kind.name == "int" else arrow_type(kind)
        columns[_source_name(place)] = pyarrow.array(values, wide)
    return pyarrow.table(columns)


def _mentioned(statement: Merge) -> dict[int, ColumnType]:
    width = len(statement.table.names)
    parts = itertools.chain.from_iterable(map(walk, _expressions(statement)))
    columns = (part for part in parts if isinstance(part, Column))
    types = {c.index - width: c.type for c in columns if c.index >= width}
    return {place: _typed(statement, place + width, kind) for place, kind in types.items()}


def _typed(statement: Merge, index: int, kind: ColumnType) -> ColumnType:
    """The type of a source column; a column of NULLs only takes the type that it first meets."""
    if kind.family != "null":
        return kind
    for clause in (*statement.matched, *statement.not_matched):
        for place, value in clause.assignments or ():
            if isinstance(value, Column) and value.index == index:
                return statement.table.types[place]
    for part in itertools.chain.from_iterable(map(walk, _expressions(statement))):
        if isinstance(part, Comparison):
            for one, other in ((part.left, part.right), (part.right, part.left)):
                if isinstance(one, Column) and one.index == index:
                    return other.type
    return kind


def _expressions(statement: Merge) -> Iterator[Expression]:
    yield statement.condition
    for clause in (*statement.matched, *statement.not_matched, *statement.by_source):
        yield clause.test
        yield from (value for _, value in clause.assignments or ())
