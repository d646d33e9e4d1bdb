"""SQL for a solution: the statement of each footprint, the set-up and the scenario."""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_uppercase

from checker.search.schedules import ScheduleClass
from checker.synthesis.footprints import Footprints
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec

COLUMNS = {"k": "int", "p": "int", "v": "int"}
WITH_DATA_COLUMN = {"k": "int", "p": "int", "s": "int", "v": "int"}


def statement(solution: Footprints, i: int) -> str:
    """The SQL of one writer.

    A writer that reads nothing inserts rows; one that reads, adds and removes nothing counts and
    inserts; one that removes and adds nothing deletes. One that removes and adds updates in place,
    or moves rows to a cell that it takes none out of. One that reads more than it removes is a
    MERGE with the rest as its source; one that puts new rows in the place of others is a REPLACE
    WHERE.
    """
    reads, adds, removes = solution.reads[i], solution.adds[i], solution.removes[i]
    rest = reads - removes
    if not removes:
        return f"INSERT INTO t {_rows(solution, i, rest)}"
    if i in solution.replaces:
        where = _where(solution, removes).removeprefix("WHERE ")
        return f"INSERT INTO t REPLACE WHERE {where} {_rows(solution, i, rest)}"
    if rest:
        source = f"(SELECT count(*) AS n FROM t {_where(solution, rest)}) AS q"
        on = _where(solution, removes, "t.").removeprefix("WHERE ")
        return f"MERGE INTO t USING {source} ON {on} WHEN MATCHED THEN {_action(solution, i)}"
    where = _where(solution, reads)
    if not adds:
        return f"DELETE FROM t {where}"
    if adds == removes:
        return f"UPDATE t SET v = v + 1 {where}"
    return f"UPDATE t SET {_target(solution, min(adds), removes)} {where}"


def _rows(solution: Footprints, i: int, reads: frozenset[int]) -> str:
    """The rows that a writer inserts: constants, or what it counts."""
    places = [_place(solution, cell) for cell in sorted(solution.adds[i])]
    if not reads:
        return "VALUES " + ", ".join(f"({10 + i}, {place}, 0)" for place in places)
    where = _where(solution, reads)
    return " UNION ALL ".join(
        f"SELECT {10 + i}, {place}, count(*) FROM t {where}" for place in places
    )


def _action(solution: Footprints, i: int) -> str:
    """What a MERGE does with the rows that match."""
    adds, removes = solution.adds[i], solution.removes[i]
    if not adds:
        return "DELETE"
    if adds == removes:
        return "UPDATE SET v = q.n"
    return f"UPDATE SET {_target(solution, min(adds), removes)}"


def kind(solution: Footprints, i: int) -> str:
    """The statement's kind in a few words."""
    adds, removes = solution.adds[i], solution.removes[i]
    if not removes:
        return "INSERT SELECT" if solution.reads[i] else "INSERT"
    if i in solution.replaces:
        return "REPLACE WHERE"
    merges = solution.reads[i] != removes
    if not adds:
        return "MERGE that deletes" if merges else "DELETE"
    what = "MERGE" if merges else "UPDATE"
    return what if adds == removes else f"{what} that moves rows"


def _partition(solution: Footprints, cell: int) -> int:
    return cell // solution.values + 1


def _value(solution: Footprints, cell: int) -> int:
    return cell % solution.values + 1


def _place(solution: Footprints, cell: int) -> str:
    """The values that put a row into a cell."""
    partition = f"{_partition(solution, cell)}"
    return partition if solution.values == 1 else f"{partition}, {_value(solution, cell)}"


def _target(solution: Footprints, cell: int, reads: Collection[int]) -> str:
    """The assignments that move rows to a cell, without those that change nothing."""
    partition, value = _partition(solution, cell), _value(solution, cell)
    parts = []
    if {_partition(solution, c) for c in reads} != {partition}:
        parts.append(f"p = {partition}")
    if {_value(solution, c) for c in reads} != {value}:
        parts.append(f"s = {value}")
    return ", ".join(parts)


def _where(solution: Footprints, cells: Collection[int], prefix: str = "") -> str:
    values = {_value(solution, c) for c in cells}
    where = f"WHERE {_in(f'{prefix}p', {_partition(solution, c) for c in cells})}"
    return where if len(values) == solution.values else f"{where} AND {_in(f'{prefix}s', values)}"


def _in(column: str, values: Collection[int]) -> str:
    numbers = [str(value) for value in sorted(values)]
    return (
        f"{column} = {numbers[0]}" if len(numbers) == 1 else f"{column} IN ({', '.join(numbers)})"
    )


def setup(solution: Footprints) -> tuple[str, ...]:
    """The statements that put the rows in place, in files as the solution has them."""
    rounds: list[list[int]] = []
    for cell in sorted(solution.filled):
        partition = cell // solution.values
        earlier = sum(c // solution.values == partition for c in solution.filled if c < cell)
        place = 0 if partition in solution.together else earlier
        rounds += [[]] * (place + 1 - len(rounds))
        rounds[place] = [*rounds[place], cell]
    return tuple(
        "INSERT INTO t VALUES "
        + ", ".join(f"({cell + 1}, {_place(solution, cell)}, 10)" for cell in cells)
        for cells in rounds
    )


def scenario(solution: Footprints, table_level: str, name: str) -> Scenario:
    """The scenario of a solution, on a table partitioned by ``p``."""
    names = tuple(ascii_uppercase[: len(solution.reads)])
    return Scenario(
        name,
        TableSpec(
            COLUMNS if solution.values == 1 else WITH_DATA_COLUMN,
            partition_by=("p",),
            properties={LEVEL_PROPERTY: table_level},
            setup=setup(solution),
        ),
        {writer: statement(solution, i) for i, writer in enumerate(names)},
        ScheduleClass(names, solution.begins).representative,
    )
