"""From footprints to SQL: the statement that has a footprint follows from it."""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_uppercase

from checker.search.schedules import ScheduleClass
from checker.synthesis.footprints import Footprints
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

COLUMNS = {"k": "int", "p": "int", "v": "int"}
WITH_DATA_COLUMN = {"k": "int", "p": "int", "s": "int", "v": "int"}


def statement(found: Footprints, i: int) -> str:
    """The SQL of one writer.

    Who reads nothing inserts rows, who adds and removes nothing counts and inserts, who
    removes and adds nothing deletes; who does both updates in place, or moves rows to a cell
    that it takes none out of. Who reads more than it removes is a MERGE, its source the rest;
    who puts new rows where others were is a REPLACE WHERE.
    """
    reads, adds, removes = found.reads[i], found.adds[i], found.removes[i]
    rest = reads - removes
    if not removes:
        return f"INSERT INTO t {_rows(found, i, rest)}"
    if i in found.replaces:
        where = _where(found, removes).removeprefix("WHERE ")
        return f"INSERT INTO t REPLACE WHERE {where} {_rows(found, i, rest)}"
    if rest:
        source = f"(SELECT count(*) AS n FROM t {_where(found, rest)}) AS q"
        on = _where(found, removes, "t.").removeprefix("WHERE ")
        return f"MERGE INTO t USING {source} ON {on} WHEN MATCHED THEN {_action(found, i)}"
    where = _where(found, reads)
    if not adds:
        return f"DELETE FROM t {where}"
    if adds == removes:
        return f"UPDATE t SET v = v + 1 {where}"
    return f"UPDATE t SET {_target(found, min(adds), removes)} {where}"


def _rows(found: Footprints, i: int, reads: frozenset[int]) -> str:
    """The rows that a writer inserts: constants, or what it counts."""
    places = [_place(found, cell) for cell in sorted(found.adds[i])]
    if not reads:
        return "VALUES " + ", ".join(f"({10 + i}, {place}, 0)" for place in places)
    where = _where(found, reads)
    return " UNION ALL ".join(
        f"SELECT {10 + i}, {place}, count(*) FROM t {where}" for place in places
    )


def _action(found: Footprints, i: int) -> str:
    """What a MERGE does with the rows that match."""
    adds, removes = found.adds[i], found.removes[i]
    if not adds:
        return "DELETE"
    if adds == removes:
        return "UPDATE SET v = q.n"
    return f"UPDATE SET {_target(found, min(adds), removes)}"


def kind(found: Footprints, i: int) -> str:
    """The statement's kind in a few words."""
    adds, removes = found.adds[i], found.removes[i]
    if not removes:
        return "INSERT SELECT" if found.reads[i] else "INSERT"
    if i in found.replaces:
        return "REPLACE WHERE"
    merges = found.reads[i] != removes
    if not adds:
        return "MERGE that deletes" if merges else "DELETE"
    what = "MERGE" if merges else "UPDATE"
    return what if adds == removes else f"{what} that moves rows"


def _partition(found: Footprints, cell: int) -> int:
    return cell // found.values + 1


def _value(found: Footprints, cell: int) -> int:
    return cell % found.values + 1


def _place(found: Footprints, cell: int) -> str:
    """The values that put a row into a cell."""
    partition = f"{_partition(found, cell)}"
    return partition if found.values == 1 else f"{partition}, {_value(found, cell)}"


def _target(found: Footprints, cell: int, reads: Collection[int]) -> str:
    """The assignments that move rows to a cell, without those that change nothing."""
    partition, value = _partition(found, cell), _value(found, cell)
    parts = []
    if {_partition(found, c) for c in reads} != {partition}:
        parts.append(f"p = {partition}")
    if {_value(found, c) for c in reads} != {value}:
        parts.append(f"s = {value}")
    return ", ".join(parts)


def _where(found: Footprints, cells: Collection[int], prefix: str = "") -> str:
    values = {_value(found, c) for c in cells}
    where = f"WHERE {_in(f'{prefix}p', {_partition(found, c) for c in cells})}"
    return where if len(values) == found.values else f"{where} AND {_in(f'{prefix}s', values)}"


def _in(column: str, values: Collection[int]) -> str:
    numbers = [str(value) for value in sorted(values)]
    return (
        f"{column} = {numbers[0]}" if len(numbers) == 1 else f"{column} IN ({', '.join(numbers)})"
    )


def setup(found: Footprints) -> tuple[str, ...]:
    """The statements that put the rows in place, in files as the solution has them."""
    rounds: list[list[int]] = []
    for cell in sorted(found.filled):
        partition = cell // found.values
        earlier = sum(c // found.values == partition for c in found.filled if c < cell)
        place = 0 if partition in found.together else earlier
        rounds += [[]] * (place + 1 - len(rounds))
        rounds[place] = [*rounds[place], cell]
    return tuple(
        "INSERT INTO t VALUES "
        + ", ".join(f"({cell + 1}, {_place(found, cell)}, 10)" for cell in cells)
        for cells in rounds
    )


def scenario(found: Footprints, table_level: str, name: str) -> Scenario:
    """The scenario of a solution, on a table partitioned by ``p``."""
    names = tuple(ascii_uppercase[: len(found.reads)])
    return Scenario(
        name,
        TableSpec(
            COLUMNS if found.values == 1 else WITH_DATA_COLUMN,
            partition_by=("p",),
            properties={LEVEL_PROPERTY: table_level},
            setup=setup(found),
        ),
        {writer: statement(found, i) for i, writer in enumerate(names)},
        ScheduleClass(names, found.begins).representative,
    )
