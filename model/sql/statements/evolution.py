"""Schema evolution: columns that a MERGE or an INSERT brings along.

It is asked for by WITH SCHEMA EVOLUTION in the statement, or by a setting of the session. New
columns come last, in the source's order; with type widening a column takes the source's wider
type. Source: SchemaMergingUtils.scala, ``mergeSchemas``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.sql.dialect import EVOLVES
from model.sql.source import Source, Written
from model.tables.table import Table
from model.values.types import NULL, ColumnType, widenable

AUTO_MERGE = "spark.databricks.delta.schema.automerge.enabled"
SETTINGS = frozenset({AUTO_MERGE})
"""The session setting that lets statements change the schema."""


def asked_for(written: Written) -> bool:
    """Whether a statement may change the schema, by its words or by the session's setting."""
    if written.settings.get(AUTO_MERGE, "false").lower() == "true":
        return True
    try:
        return bool(written.tree().args.get(EVOLVES))
    except InvalidScenario:
        return False  # Said of the statement where it is resolved to be run.


def evolves(source: Source, tree: exp.Expr) -> bool:
    """Whether the statement may change the schema. Raises InvalidScenario for a wrong setting."""
    if tree.args.get(EVOLVES):
        return True
    value = source.settings.get(AUTO_MERGE, "false").lower()
    if value not in ("true", "false"):
        raise InvalidScenario(f"{AUTO_MERGE} is true or false, not {value!r}")
    return value == "true"


def evolved(table: Table, incoming: Iterable[tuple[str, ColumnType]]) -> Table:
    """The table with the columns of a source, each by its name and type.

    Raises InvalidScenario for a name that comes twice, UnsupportedSQL for a column without a
    type.
    """
    columns = list(incoming)
    lowered = [name.lower() for name, _ in columns]
    if twice := [name for name in lowered if lowered.count(name) > 1]:
        raise InvalidScenario(
            f"the source has two columns {twice[0]!r}",
            error_class="DELTA_DUPLICATE_COLUMNS_FOUND.DATA",
        )
    places = {table.names[place].lower(): place for place in table.schema}
    widens = table.declared("delta.enableTypeWidening") == "true"
    after = table
    for name, type_ in columns:
        place = places.get(name.lower())
        if place is not None:
            if widens and widenable(table.types[place], type_):
                kinds = (type_ if p == place else kind for p, kind in enumerate(after.types))
                after = replace(after, types=tuple(kinds))
            continue
        if type_ is NULL:
            raise UnsupportedSQL(f"the new column {name!r} needs a type: CAST(NULL AS ...)")
        after, place = after.with_place(name, type_)
        after = replace(after, schema=(*after.schema, place))
    return after
