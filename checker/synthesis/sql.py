"""From footprints to SQL: the statement that has a footprint follows from it."""

from __future__ import annotations

from collections.abc import Iterable

from checker.exhaustive import WRITERS
from checker.schedules import ScheduleClass
from checker.synthesis.encoding import Footprints
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

COLUMNS = {"k": "int", "p": "int", "v": "int"}


def statement(found: Footprints, i: int) -> str:
    """The SQL of one writer.

    Who reads nothing inserts rows, who adds and removes nothing counts and inserts, who
    removes and adds nothing deletes; who does both updates in place, or moves rows to the one
    partition that it does not read.
    """
    reads, adds = found.reads[i], found.adds[i]
    where = f"WHERE {_in(reads)}"
    if not found.removes[i]:
        if not reads:
            rows = ", ".join(f"({10 + i}, {p + 1}, 0)" for p in sorted(adds))
            return f"INSERT INTO t VALUES {rows}"
        return f"INSERT INTO t SELECT {10 + i}, {min(adds) + 1}, count(*) FROM t {where}"
    if not adds:
        return f"DELETE FROM t {where}"
    if adds == reads:
        return f"UPDATE t SET v = v + 1 {where}"
    return f"UPDATE t SET p = {min(adds) + 1} {where}"


def kind(found: Footprints, i: int) -> str:
    """The statement's kind in a few words."""
    if not found.removes[i]:
        return "INSERT SELECT" if found.reads[i] else "INSERT"
    if not found.adds[i]:
        return "DELETE"
    return "UPDATE" if found.adds[i] == found.reads[i] else "UPDATE that moves rows"


def _in(partitions: Iterable[int]) -> str:
    numbers = [str(p + 1) for p in sorted(partitions)]
    return f"p = {numbers[0]}" if len(numbers) == 1 else f"p IN ({', '.join(numbers)})"


def scenario(found: Footprints, table_level: str, name: str) -> Scenario:
    """The scenario of a solution, on a table partitioned by ``p``."""
    names = WRITERS[: len(found.reads)]
    rows = ", ".join(f"({p + 1}, {p + 1}, 10)" for p in sorted(found.filled))
    return Scenario(
        name,
        TableSpec(
            COLUMNS,
            partition_by=("p",),
            properties={LEVEL_PROPERTY: table_level},
            setup=(f"INSERT INTO t VALUES {rows}",) if rows else (),
        ),
        {writer: statement(found, i) for i, writer in enumerate(names)},
        ScheduleClass(names, found.begins).representative,
    )
