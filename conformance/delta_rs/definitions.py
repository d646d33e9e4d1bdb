"""The definition of the target at each version, from its metadata in the log.

Statements are parsed against the definition of their snapshot. Constraints are left out:
delta-rs enforces them, and they do not change the meaning of any statement.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from conformance.delta_log.log_reader import LogReader, Schema
from model.definitions import with_places
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec
from model.several import parts
from model.sql import declared_table
from model.tables.table import CHECK_PREFIX, Table


def declared(scenario: Scenario, specs: Mapping[str, TableSpec]) -> dict[str, Table]:
    """The definitions of the tables; those of written ones have places for columns added later."""
    tables = {name: declared_table(name, spec) for name, spec in specs.items()}
    made = dict(tables)
    for table, part in parts(scenario).items():
        others = {name: other for name, other in tables.items() if name != table}
        texts = part.transactions.values()
        made[table] = with_places(tables[table], part.table.setup, texts, others)
    return made


class Definitions:
    """The definitions in one table's log so far.

    ``declared`` is the scenario's own, with a place for every column added later.
    """

    def __init__(self, declared: Table, reader: LogReader):
        self._reader = reader
        self._definitions = [declared]

    def at(self, version: int) -> Table:
        """The definition in force at a version of the log."""
        for record in self._reader.commits()[len(self._definitions) : version + 1]:
            latest = self._definitions[-1]
            after = latest if record.metadata is None else _changed(latest, record.metadata)
            self._definitions.append(after)
        return self._definitions[version]


def _changed(table: Table, metadata: Mapping[str, Any]) -> Table:
    """The definition with the columns and the properties of a metadata action."""
    places = {name: place for place, name in enumerate(table.names)}
    columns = [column.name for column in Schema.of(metadata).columns]
    unchanged = tuple(columns) == table.column_names
    schema = table.schema if unchanged else tuple(places[name] for name in columns)
    properties = {
        key: text
        for key, text in (metadata.get("configuration") or {}).items()
        if not key.startswith(CHECK_PREFIX) and key != LEVEL_PROPERTY
    }
    return replace(table, schema=schema, properties=tuple(sorted(properties.items())))
