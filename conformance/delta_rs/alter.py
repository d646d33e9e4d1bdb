"""ALTER TABLE through delta-rs's API: columns, properties, constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.delta_rs.dialect import datafusion_sql
from conformance.delta_rs.tables import arrow_schema, spelled
from model.statements import AddConstraint, AlterTable

if TYPE_CHECKING:
    from deltalake import DeltaTable, Field


def alter(handle: DeltaTable, statement: AlterTable) -> None:
    """Adds columns or sets properties. Raises what delta-rs raises."""
    before, after = statement.table, statement.after
    if statement.operation == "ADD COLUMNS":
        added = [after.names[place] for place in after.schema if place not in before.schema]
        handle.alter.add_columns(_fields(statement, added))
    else:
        old = dict(before.properties)
        changed = {key: text for key, text in after.properties if old.get(key) != text}
        changed = changed or dict(before.properties)  # Setting the same again is a commit too.
        handle.alter.set_table_properties(
            {key: spelled(key, text) for key, text in changed.items()}, raise_if_not_exists=False
        )


def add_constraint(handle: DeltaTable, statement: AddConstraint) -> None:
    """Adds a CHECK constraint. Raises what delta-rs raises."""
    handle.alter.add_constraint({statement.name: datafusion_sql(statement.condition)})


def _fields(statement: AlterTable, names: list[str]) -> list[Field]:
    """The columns of those names, as delta-rs fields."""
    from deltalake import Schema

    return [f for f in Schema.from_arrow(arrow_schema(statement.after)).fields if f.name in names]
