"""From footprints to SQL: the statement that has a footprint follows from it."""

from __future__ import annotations

from collections.abc import Collection

from checker.exhaustive import WRITERS
from checker.schedules import ScheduleClass
from checker.synthesis.footprints import Footprints
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

COLUMNS = {"k": "int", "p": "int", "v": "int"}
WITH_DATA_COLUMN = {"k": "int", "p": "int", "s": "int", "v": "int"}


def statement(found: Footprints, i: int) -> str:
    """The SQL of one writer.

    Who reads nothing inserts rows, who adds and removes nothing counts and inserts, who
    removes and adds nothing deletes; who does both updates in place, or moves rows to the one
    cell that it does not read.
    """
    reads, adds = found.reads[i], found.adds[i]
    if not found.removes[i]:
        if not reads:
            rows = ", ".join(f"({10 + i}, {_place(found, c)}, 0)" for c in sorted(adds))
            return f"INSERT INTO t VALUES {rows}"
        place = _place(found, min(adds))
        return f"INSERT INTO t SELECT {10 + i}, {place}, count(*) FROM t {_where(found, reads)}"
    where = _where(found, reads)
    if not adds:
        return f"DELETE FROM t {where}"
    if adds == reads:
        return f"UPDATE t SET v = v + 1 {where}"
    return f"UPDATE t SET {_target(found, min(adds), reads)} {where}"


def kind(found: Footprints, i: int) -> str:
    """The statement's kind in a few words."""
    if not found.removes[i]:
        return "INSERT SELECT" if found.reads[i] else "INSERT"
    if not found.adds[i]:
        return "DELETE"
    return "UPDATE" if found.adds[i] == found.reads[i] else "UPDATE that moves rows"


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


def _where(found: Footprints, cells: Collection[int]) -> str:
    values = {_value(found, c) for c in cells}
    where = f"WHERE {_in('p', {_partition(found, c) for c in cells})}"
    return where if len(values) == found.values else f"{where} AND {_in('s', values)}"


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
    names = WRITERS[: len(found.reads)]
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
