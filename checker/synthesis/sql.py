"""From footprints to SQL: the statement that has a footprint follows from it."""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_uppercase

from sqlglot import exp

from checker.search.schedules import ScheduleClass
from checker.synthesis.footprints import Footprints
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec
from model.sql.printer import printed
from model.sql.trees import binary, column, count, equal, insert, literal, named, query, values

COLUMNS = {"k": "int", "p": "int", "v": "int"}
WITH_DATA_COLUMN = {"k": "int", "p": "int", "s": "int", "v": "int"}


def statement(found: Footprints, i: int) -> str:
    """The SQL of one writer.

    Who reads nothing inserts rows, who adds and removes nothing counts and inserts, who
    removes and adds nothing deletes; who does both updates in place, or moves rows to a cell
    that it takes none out of. Who reads more than it removes is a MERGE, its source the rest;
    who puts new rows where others were is a REPLACE WHERE.
    """
    return printed(_statement(found, i))


def _statement(found: Footprints, i: int) -> exp.Expr:
    reads, adds, removes = found.reads[i], found.adds[i], found.removes[i]
    rest = reads - removes
    if not removes:
        return exp.Insert(this=named("t"), expression=_rows(found, i, rest))
    if i in found.replaces:
        where = _condition(found, removes)
        return exp.Insert(this=named("t"), where=where, expression=_rows(found, i, rest))
    if rest:
        counted = exp.alias_(count(), "n")
        source = query([counted], named("t"), exp.Where(this=_condition(found, rest)))
        when = exp.When(matched=True, then=_action(found, i))
        return exp.Merge(
            this=named("t"),
            using=exp.Subquery(this=source, alias=exp.TableAlias(this=exp.to_identifier("q"))),
            on=_condition(found, removes, "t"),
            whens=exp.Whens(expressions=[when]),
        )
    where = exp.Where(this=_condition(found, reads))
    if not adds:
        return exp.Delete(this=named("t"), where=where)
    if adds == removes:
        assigned = [equal(column("v"), binary(column("v"), "+", literal(1)))]
    else:
        assigned = _assigned(found, min(adds), removes)
    return exp.Update(this=named("t"), expressions=assigned, where=where)


def _rows(found: Footprints, i: int, reads: frozenset[int]) -> exp.Expr:
    """The rows that a writer inserts: constants, or what it counts."""
    places = [_place(found, cell) for cell in sorted(found.adds[i])]
    if not reads:
        return values([(10 + i, *place, 0) for place in places])
    selects: list[exp.Expr] = [
        query(
            [*map(literal, (10 + i, *place)), count()],
            named("t"),
            exp.Where(this=_condition(found, reads)),
        )
        for place in places
    ]
    return selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False)


def _action(found: Footprints, i: int) -> exp.Expr:
    """What a MERGE does with the rows that match."""
    adds, removes = found.adds[i], found.removes[i]
    if not adds:
        return exp.var("DELETE")
    if adds == removes:
        return exp.Update(expressions=[equal(column("v"), column("n", "q"))])
    return exp.Update(expressions=_assigned(found, min(adds), removes))


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


def _place(found: Footprints, cell: int) -> tuple[int, ...]:
    """The values that put a row into a cell."""
    partition = _partition(found, cell)
    return (partition,) if found.values == 1 else (partition, _value(found, cell))


def _assigned(found: Footprints, cell: int, reads: Collection[int]) -> list[exp.Expr]:
    """The assignments that move rows to a cell, without those that change nothing."""
    partition, value = _partition(found, cell), _value(found, cell)
    assigned = []
    if {_partition(found, c) for c in reads} != {partition}:
        assigned.append(equal(column("p"), literal(partition)))
    if {_value(found, c) for c in reads} != {value}:
        assigned.append(equal(column("s"), literal(value)))
    return assigned


def _condition(found: Footprints, cells: Collection[int], table: str | None = None) -> exp.Expr:
    """The condition that the rows of some cells meet."""
    known = {_value(found, c) for c in cells}
    partitions = _in(column("p", table), {_partition(found, c) for c in cells})
    if len(known) == found.values:
        return partitions
    return exp.and_(partitions, _in(column("s", table), known))


def _in(this: exp.Expr, numbers: Collection[int]) -> exp.Expr:
    constants = list(map(literal, sorted(numbers)))
    if len(constants) == 1:
        return equal(this, constants[0])
    return exp.In(this=this, expressions=constants)


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
        printed(insert(None, [(cell + 1, *_place(found, cell), 10) for cell in cells]))
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
