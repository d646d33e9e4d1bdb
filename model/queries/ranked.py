"""Relations that depend on an order of rows: window functions, and ORDER BY with LIMIT.

An order that leaves rows equal does not determine the engine's choice. What depends on that choice
is an unknown value, or not predicted: unless the rows are equal in everything that is used of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from model.errors import NotPredicted
from model.expressions.evaluation import aggregate
from model.expressions.syntax import Aggregate
from model.history import PredicateRead, Row, Value
from model.queries.relation import Branches, Inputs, Relation, flat
from model.values.doubles import sort_key
from model.values.types import ColumnType
from model.values.unknown import Unknown, any_unknown

if TYPE_CHECKING:
    from model.queries.query import Query

_TIES = "rows that the order leaves equal have no order of their own"


@dataclass(frozen=True, slots=True)
class Key:
    """One key of an order: the place of a column, its direction, and where NULLs go."""

    place: int
    descending: bool = False
    nulls_first: bool = True


@dataclass(frozen=True, slots=True)
class Window:
    """``function OVER (PARTITION BY ... ORDER BY ...)`` over the columns of a relation.

    ``function`` is row_number, rank, dense_rank, lag, lead or aggregate. ``place`` is the column
    that lag and lead take, ``offset`` how many rows away; ``aggregate`` is what an aggregate
    computes over the rows of the partition or, with an order, those up to the current one and its
    equals.
    """

    text: str
    function: str
    type: ColumnType
    partition: tuple[int, ...] = ()
    order: tuple[Key, ...] = ()
    place: int = 0
    offset: int = 1
    aggregate: Aggregate | None = None


@dataclass(frozen=True)
class Windowed:
    """The rows of a relation, each with the values of some window functions behind it."""

    source: Relation
    windows: tuple[Window, ...]

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of the source, then those of the windows."""
        return (*self.source.types, *(window.type for window in self.windows))

    @property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the source."""
        return self.source.scans

    def branches(self, inputs: Inputs) -> Branches:
        """The rows, from one task. Raises StatementFailure and NotPredicted."""
        rows = flat(self.source.branches(inputs))
        columns = [_values(window, rows) for window in self.windows]
        return (tuple((*row, *cells) for row, *cells in zip(rows, *columns, strict=True)),)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of the source."""
        return self.source.reads(inputs)


@dataclass(frozen=True)
class First:
    """ORDER BY with LIMIT: the first ``count`` rows of a relation in an order."""

    source: Relation
    order: tuple[Key, ...]
    count: int

    @property
    def types(self) -> tuple[ColumnType, ...]:
        """The types of the source."""
        return self.source.types

    @property
    def scans(self) -> tuple[Query, ...]:
        """The scans of the source."""
        return self.source.scans

    def branches(self, inputs: Inputs) -> Branches:
        """The rows, from one task. Raises NotPredicted where the limit cuts rows that are equal."""
        rows = flat(self.source.branches(inputs))
        taken: list[Row] = []
        for peers in _peers(rows, range(len(rows)), self.order):
            left = self.count - len(taken)
            if 0 < left < len(peers) and _differ(rows, peers):
                raise NotPredicted(f"LIMIT {self.count}", _TIES)
            taken += [rows[i] for i in peers[:left]]
        return (tuple(taken),)

    def reads(self, inputs: Inputs) -> tuple[PredicateRead, ...]:
        """The reads of the source."""
        return self.source.reads(inputs)


def _values(window: Window, rows: Sequence[Row]) -> list[Value]:
    """The value of a window function for each row."""
    made: list[Value] = [None] * len(rows)
    partitions: dict[Any, list[int]] = {}
    for index, row in enumerate(rows):
        partitions.setdefault(tuple(_comparable(row[p]) for p in window.partition), []).append(
            index
        )
    for members in partitions.values():
        groups = list(_peers(rows, members, window.order))
        for index, value in _of_partition(window, rows, groups):
            made[index] = value
    return made


def _of_partition(
    window: Window, rows: Sequence[Row], groups: Sequence[Sequence[int]]
) -> Iterator[tuple[int, Value]]:
    """The values in one partition, given as groups of rows that its order leaves equal."""
    ties = [_differ(rows, group) for group in groups]
    ordered = [index for group in groups for index in group]
    if window.function in ("lag", "lead"):
        step = -window.offset if window.function == "lag" else window.offset
        for at, index in enumerate(ordered):
            other = at + step
            value = rows[ordered[other]][window.place] if 0 <= other < len(ordered) else None
            yield index, Unknown(window.text, _TIES, settled=False) if any(ties) else value
        return
    before: list[Row] = []
    for number, group in enumerate(groups):
        whole = [*before, *(rows[index] for index in group)]
        for offset, index in enumerate(group, 1):
            match window.function:
                case "row_number":
                    exact = len(before) + offset
                    open_ = Unknown(window.text, _TIES, settled=False)
                    yield index, open_ if ties[number] else exact
                case "rank":
                    yield index, len(before) + 1
                case "dense_rank":
                    yield index, number + 1
                case _:
                    assert window.aggregate is not None
                    yield index, aggregate(window.aggregate, whole)
        before = whole


def _peers(
    rows: Sequence[Row], members: Sequence[int], order: Sequence[Key]
) -> Iterator[list[int]]:
    """The rows in their order, as groups of those that it leaves equal."""
    ordered = list(members)
    for key in reversed(order):
        # A reversed sort turns the places of NULLs around as well.
        null = 0 if key.nulls_first != key.descending else 2
        ordered.sort(
            key=lambda index, p=key.place, null=null: _ranked(rows[index][p], null),  # type: ignore[misc]
            reverse=key.descending,
        )
    group: list[int] = []
    for index in ordered:
        same = group and all(
            _comparable(rows[group[0]][key.place]) == _comparable(rows[index][key.place])
            for key in order
        )
        if group and not same:
            yield group
            group = []
        group.append(index)
    if group:
        yield group


def _differ(rows: Sequence[Row], members: Sequence[int]) -> bool:
    """Whether some rows differ, be it by the sign of a zero."""
    return len({tuple(map(repr, rows[index])) for index in members}) > 1


def _ranked(value: Value, null: int) -> tuple[int, Any]:
    present, key = _comparable(value)
    return (1, key) if present else (null, ())


def _comparable(value: Value) -> tuple[bool, Any]:
    """A value such that equal ones are equal here, NULLs and NaNs included."""
    if (unknown := any_unknown((value,))) is not None:
        unknown.needed()
    return (False, None) if value is None else (True, sort_key(value))
