"""ALTER TABLE by the calls that delta-rs has for it: columns, properties, constraints."""

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
        known = dict(before.properties)
        given = {key: text for key, text in after.properties if known.get(key) != text}
        given = given or dict(before.properties)  # Set again, it is a commit all the same.
        handle.alter.set_table_properties(
            {key: spelled(key, text) for key, text in given.items()}, raise_if_not_exists=False
        )


def add_constraint(handle: DeltaTable, statement: AddConstraint) -> None:
    """Adds a CHECK constraint. Raises what delta-rs raises."""
    handle.alter.add_constraint({statement.name: datafusion_sql(statement.condition)})


def _fields(statement: AlterTable, names: list[str]) -> list[Field]:
    """The columns of those names, as delta-rs takes them."""
    from deltalake import Schema

    return [f for f in Schema.from_arrow(arrow_schema(statement.after)).fields if f.name in names]
