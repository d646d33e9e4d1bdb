"""The definition of a table: named, typed columns and its physical layout."""

from __future__ import annotations

from dataclasses import dataclass

from model.errors import InvalidScenario
from model.expressions import Column
from model.history import Row
from model.scenario import TableSpec
from model.types import ColumnType, parse_type


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and layout of one table, resolved from its TableSpec.

    ``partitions`` holds the positions of the partition columns, in the order of PARTITIONED BY.
    """

    name: str
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...] = ()

    @property
    def partition_columns(self) -> frozenset[int]:
        """Positions of the partition columns, as a set."""
        return frozenset(self.partitions)

    def stored(self, row: Row) -> Row:
        """The row as the table gives it back: '' in a partition column is read as NULL.

        Source: the Delta transaction log protocol, "Partition Value Serialization".
        """
        if any(row[index] == "" for index in self.partitions):
            return tuple(
                None if value == "" and index in self.partitions else value
                for index, value in enumerate(row)
            )
        return row

    def column(self, name: str) -> Column:
        """The column called ``name`` (case does not count). Raises InvalidScenario."""
        for index, known in enumerate(self.names):
            if known.lower() == name.lower():
                return Column(index, known, self.types[index])
        raise InvalidScenario(
            f"unknown column {name!r} in table {self.name} (columns: {', '.join(self.names)})"
        )


def table_from_spec(name: str, spec: TableSpec) -> Table:
    """The table that ``spec`` describes.

    Raises InvalidScenario for no columns, an unknown type, a name given twice, or a partition
    column that is not one of the columns.
    """
    if not spec.columns:
        raise InvalidScenario(f"table {name} has no columns", ("columns",))
    lowered = [column.lower() for column in spec.columns]
    for column in lowered:
        if lowered.count(column) > 1:
            raise InvalidScenario(f"column {column!r} is given twice", ("columns",))
    types = []
    for column, text in spec.columns.items():
        try:
            types.append(parse_type(text))
        except InvalidScenario as error:
            raise InvalidScenario(str(error), ("columns", column)) from error
    table = Table(name, tuple(spec.columns), tuple(types))
    partitions = []
    for column in spec.partition_by:
        try:
            partitions.append(table.column(column).index)
        except InvalidScenario as error:
            raise InvalidScenario(str(error), ("partition_by",)) from error
    if len(set(partitions)) < len(partitions):
        raise InvalidScenario("a partition column is given twice", ("partition_by",))
    if partitions and len(partitions) == len(table.names):
        raise InvalidScenario("a table needs a column that is no partition", ("partition_by",))
    return Table(table.name, table.names, table.types, tuple(partitions))
