"""The definition of a table: named, typed columns, layout, and metadata.

A definition never changes; a statement that alters a table puts another one in force. So that
rows keep their shape through such changes, a stored row has a place for every column that the
table has, had, or will have in a scenario; ``schema`` lists the places that are in use.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from model.errors import InvalidScenario, UnsupportedSQL, did_you_mean
from model.expressions.syntax import Column, Expression
from model.history import Row, Value
from model.levels import SERIALIZABLE
from model.scenario import LEVEL_PROPERTY, TableSpec
from model.values.types import ColumnType, parse_type

UNSET_LEVEL = "(unset)"
"""The property's value once the level was unset: the scenario's level no longer counts."""

DEFAULT_LEVEL = SERIALIZABLE
"""The level of a table that declares none (DeltaConfig.scala, ``isolationLevel``)."""

CHECK_PREFIX = "delta.constraints."
"""The prefix under which CHECK constraints are kept among the properties."""

STATISTICS_COLUMNS = "delta.dataSkippingStatsColumns"
INDEXED_COLUMNS = "delta.dataSkippingNumIndexedCols"
DEFAULT_INDEXED_COLUMNS = 32

TABLE_COMMENT = -1
"""Stands for the table itself where comments are kept by the place of a column."""


class NoPlace(UnsupportedSQL):
    """Raised if a statement adds a column for which stored rows have no place.

    Places are kept when a scenario is prepared (:mod:`model.definitions`), for as many columns
    as its statements can bring.
    """


@dataclass(frozen=True, slots=True)
class Identity:
    """GENERATED ... AS IDENTITY: first value, step, and whether values may be given.

    ``high_water`` is the last value that was handed out, None before the first.
    """

    start: int = 1
    step: int = 1
    always: bool = True
    high_water: int | None = None

    @property
    def next(self) -> int:
        """The value for the next row."""
        return self.start if self.high_water is None else self.high_water + self.step

    def reaching(self, values: Iterable[int]) -> Identity:
        """The identity with its high-water mark at the furthest of ``values``; never lowered.

        Source: IdentityColumn.scala, ``updateSchema``.
        """
        marks = [*values, *(() if self.high_water is None else (self.high_water,))]
        if not marks:
            return self
        return replace(self, high_water=max(marks) if self.step > 0 else min(marks))

    def covering(self, values: Iterable[int]) -> Identity:
        """The identity with its high-water mark at or past all of ``values``; never lowered."""
        reached = self.high_water
        sign = 1 if self.step > 0 else -1
        for value in values:
            steps = -((self.start - value) * sign // abs(self.step))
            mark = self.start + steps * self.step
            if reached is None or (mark - reached) * sign > 0:
                reached = mark
        return replace(self, high_water=reached)


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and layout of one table.

    ``names`` and ``types`` have every place of a stored row; ``schema`` the places of the
    columns that the table has now, in their order (all of them unless given). ``partitions``
    holds the places of the partition columns, in the order of PARTITIONED BY, ``clustering``
    those of CLUSTER BY.

    ``properties`` are the table properties, without the isolation level that a scenario
    declares (an ALTER TABLE puts one there), ``features`` the features of its protocol beyond
    the default ones, and ``indexed`` the places that new files have statistics of. ``not_null``
    holds places, ``checks`` the CHECK constraints (name in lower case, condition, its text),
    ``generated`` the expression of each generated column, ``identities`` those of identity
    columns, ``defaults`` the values of columns that a statement leaves out, where those are not
    NULL. ``comments`` are those of columns, by place, and of the table. ``dropped`` holds the
    places of columns that are gone for good. ``created`` tells
    definitions apart that CREATE OR REPLACE has made; it is empty for the scenario's own.
    ``absent`` marks a table that is not there yet: it has places for columns and no column.
    """

    name: str
    names: tuple[str, ...]
    types: tuple[ColumnType, ...]
    partitions: tuple[int, ...] = ()
    schema: tuple[int, ...] = ()
    clustering: tuple[int, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    features: frozenset[str] = frozenset()
    not_null: frozenset[int] = frozenset()
    checks: tuple[tuple[str, Expression, str], ...] = ()
    generated: tuple[tuple[int, Expression], ...] = ()
    identities: tuple[tuple[int, Identity], ...] = ()
    defaults: tuple[tuple[int, Value], ...] = ()
    comments: tuple[tuple[int, str], ...] = ()
    dropped: frozenset[int] = frozenset()
    created: str = ""
    absent: bool = False
    constrained: bool = field(init=False, repr=False, compare=False)
    partition_columns: frozenset[int] = field(init=False, repr=False, compare=False)
    indexed: frozenset[int] = field(init=False, repr=False, compare=False)
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.schema and not self.absent:
            object.__setattr__(self, "schema", tuple(range(len(self.names))))
        object.__setattr__(self, "partition_columns", frozenset(self.partitions))
        object.__setattr__(self, "indexed", self._indexed())
        constrained = bool(self.not_null or self.checks or self.generated)
        object.__setattr__(self, "constrained", constrained)
        # Tables are keys of caches on the hot path of a search.
        layout = (self.partitions, self.schema, self.properties, self.absent)
        key = (self.name, self.names, self.types, layout)
        object.__setattr__(self, "_hash", hash(key))

    def __hash__(self) -> int:
        return self._hash

    def _indexed(self) -> frozenset[int]:
        """The places of the columns that new files get statistics of.

        These are the columns that ``delta.dataSkippingStatsColumns`` names, or else the first
        ones that are not partition columns, up to a number (StatisticsCollection.scala,
        ``statsCollectionSchema``).
        """
        data = [place for place in self.schema if place not in self.partition_columns]
        properties = dict(self.properties)
        named = properties.get(STATISTICS_COLUMNS)
        if named is not None:
            names = {name.strip().strip("`").lower() for name in named.split(",")}
            return frozenset(place for place in data if self.names[place].lower() in names)
        count = int(properties.get(INDEXED_COLUMNS, DEFAULT_INDEXED_COLUMNS))
        return frozenset(data if count < 0 else data[:count])

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns that the table has now, in their order."""
        return tuple(self.names[place] for place in self.schema)

    @property
    def column_types(self) -> tuple[ColumnType, ...]:
        """The types of the columns that the table has now, in their order."""
        return tuple(self.types[place] for place in self.schema)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns that the table has now, in their order."""
        return tuple(Column(i, self.names[i], self.types[i]) for i in self.schema)

    @property
    def level(self) -> str | None:
        """The isolation level that an ALTER TABLE has set; None for the scenario's own."""
        declared = self.declared(LEVEL_PROPERTY)
        return DEFAULT_LEVEL if declared == UNSET_LEVEL else declared

    @property
    def append_only(self) -> bool:
        """Whether rows may be added only, never taken out or changed."""
        return self.declared("delta.appendOnly") == "true"

    @property
    def change_data_feed(self) -> bool:
        """Whether the rows that statements change are recorded as well."""
        return self.declared("delta.enableChangeDataFeed") == "true"

    @property
    def column_mapping(self) -> bool:
        """Whether columns have names of their own in the files, so that they can be renamed."""
        return self.declared("delta.columnMapping.mode") in ("name", "id")

    def declared(self, key: str) -> str | None:
        """The value of a table property, None where it is not set."""
        return dict(self.properties).get(key)

    def with_properties(self, changes: Mapping[str, str], unset: Iterable[str] = ()) -> Table:
        """The table with properties set and others removed."""
        gone = set(unset)
        kept = {key: value for key, value in self.properties if key not in gone}
        return replace(self, properties=tuple(sorted({**kept, **changes}.items())))

    @property
    def deletion_vectors(self) -> bool:
        """Whether statements mark rows as deleted instead of rewriting files."""
        return self.declared("delta.enableDeletionVectors") == "true"

    def stored(self, row: Row) -> Row:
        """The row as the table returns it: '' in a partition column is read as NULL.

        Source: the Delta transaction log protocol, "Partition Value Serialization".
        """
        if any(row[index] == "" for index in self.partitions):
            return tuple(
                None if value == "" and index in self.partitions else value
                for index, value in enumerate(row)
            )
        return row

    def shown(self, row: Row) -> Row:
        """A stored row as ``SELECT *`` shows it: the columns of the schema, in its order."""
        if len(self.schema) == len(self.names) and self.schema == tuple(range(len(self.names))):
            return row
        return tuple(row[place] for place in self.schema)

    def placed(self, shown: Row) -> Row:
        """The stored row that ``SELECT *`` shows as ``shown``; NULL in all other places."""
        if len(shown) != len(self.schema):
            raise ValueError(f"{len(shown)} values for {len(self.schema)} columns of {self.name}")
        row: list[Value] = [None] * len(self.names)
        for place, value in zip(self.schema, shown, strict=True):
            row[place] = value
        return tuple(row)

    def column(self, name: str) -> Column:
        """The column called ``name`` (case does not count). Raises InvalidScenario."""
        for index in self.schema:
            own = self.names[index]
            if own.lower() == name.lower():
                return Column(index, own, self.types[index])
        raise InvalidScenario(
            f"unknown column {name!r} in table {self.name} "
            f"(columns: {', '.join(self.column_names)}){did_you_mean(name, self.column_names)}",
            error_class="UNRESOLVED_COLUMN.WITH_SUGGESTION",
        )

    def with_place(
        self, name: str, type_: ColumnType, taken: Iterable[int] = ()
    ) -> tuple[Table, int]:
        """The table and the place for a new column, which is not one of those ``taken``.

        It is a reserved place, or else a new one at the end, which stored rows do not have;
        every place serves one column only.
        """
        used = self.dropped | set(self.schema) | set(taken)
        for place, own in enumerate(self.names):
            if place not in used and own == name and self.types[place] == type_:
                return self, place
        return self.reserving([(name, type_)]), len(self.names)

    def reserving(self, columns: Iterable[tuple[str, ColumnType]]) -> Table:
        """The table with places for columns that later statements will add."""
        names, types = list(self.names), list(self.types)
        for name, type_ in columns:
            names.append(name)
            types.append(type_)
        return replace(self, names=tuple(names), types=tuple(types))


def table_from_spec(name: str, spec: TableSpec) -> Table:
    """The table that ``spec`` describes.

    Raises InvalidScenario for no columns, an unknown type, a name given twice, or a partition
    or clustering column that is not one of the columns.
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
    partitions = _places(table, spec.partition_by, "partition", "partition_by")
    if partitions and len(partitions) == len(table.names):
        raise InvalidScenario(
            "a table needs a column that is not a partition column", ("partition_by",)
        )
    clustering = _places(table, spec.cluster_by, "clustering", "cluster_by")
    if partitions and clustering:
        raise InvalidScenario("a table is partitioned or clustered, not both", ("cluster_by",))
    declared = {key: text for key, text in spec.properties.items() if key != LEVEL_PROPERTY}
    return replace(table, partitions=partitions, clustering=clustering).with_properties(declared)


def _places(table: Table, names: tuple[str, ...], what: str, key: str) -> tuple[int, ...]:
    places = []
    for name in names:
        try:
            places.append(table.column(name).index)
        except InvalidScenario as error:
            raise InvalidScenario(str(error), (key,)) from error
    if len(set(places)) < len(places):
        raise InvalidScenario(f"a {what} column is given twice", (key,))
    return tuple(places)
