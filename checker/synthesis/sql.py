"""SQL for synthesised footprints: for each footprint a statement that has it."""

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


def statement(solution: Footprints, i: int) -> str:
    """The SQL of one writer.

    A writer that reads nothing inserts rows; one that reads, adds and removes nothing counts and
    inserts; one that removes and adds nothing deletes. One that removes and adds updates in place,
    or moves rows to a cell that it takes none out of. One that reads more than it removes is a
    MERGE with the rest as its source; one that puts new rows in the place of others is a REPLACE
    WHERE.
    """
    return printed(_statement(solution, i))


def _statement(solution: Footprints, i: int) -> exp.Expr:
    reads, adds, removes = solution.reads[i], solution.adds[i], solution.removes[i]
    rest = reads - removes
    if not removes:
        return exp.Insert(this=named("t"), expression=_rows(solution, i, rest))
    if i in solution.replaces:
        where = _condition(solution, removes)
        return exp.Insert(this=named("t"), where=where, expression=_rows(solution, i, rest))
    if rest:
        counted = exp.alias_(count(), "n")
        source = query([counted], named("t"), exp.Where(this=_condition(solution, rest)))
        when = exp.When(matched=True, then=_action(solution, i))
        return exp.Merge(
            this=named("t"),
            using=exp.Subquery(this=source, alias=exp.TableAlias(this=exp.to_identifier("q"))),
            on=_condition(solution, removes, "t"),
            whens=exp.Whens(expressions=[when]),
        )
    where = exp.Where(this=_condition(solution, reads))
    if not adds:
        return exp.Delete(this=named("t"), where=where)
    if adds == removes:
        assigned = [equal(column("v"), binary(column("v"), "+", literal(1)))]
    else:
        assigned = _assigned(solution, min(adds), removes)
    return exp.Update(this=named("t"), expressions=assigned, where=where)


def _rows(solution: Footprints, i: int, reads: frozenset[int]) -> exp.Expr:
    """The rows that a writer inserts: constants, or what it counts."""
    places = [_place(solution, cell) for cell in sorted(solution.adds[i])]
    if not reads:
        return values([(10 + i, *place, 0) for place in places])
    selects: list[exp.Expr] = [
        query(
            [*map(literal, (10 + i, *place)), count()],
            named("t"),
            exp.Where(this=_condition(solution, reads)),
        )
        for place in places
    ]
    return selects[0] if len(selects) == 1 else exp.union(*selects, distinct=False)


def _action(solution: Footprints, i: int) -> exp.Expr:
    """What a MERGE does with the rows that match."""
    adds, removes = solution.adds[i], solution.removes[i]
    if not adds:
        return exp.var("DELETE")
    if adds == removes:
        return exp.Update(expressions=[equal(column("v"), column("n", "q"))])
    return exp.Update(expressions=_assigned(solution, min(adds), removes))


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


def _place(solution: Footprints, cell: int) -> tuple[int, ...]:
    """The values that put a row into a cell."""
    partition = _partition(solution, cell)
    return (partition,) if solution.values == 1 else (partition, _value(solution, cell))


def _assigned(solution: Footprints, cell: int, reads: Collection[int]) -> list[exp.Expr]:
    """The assignments that move rows to a cell, without those that change nothing."""
    partition, value = _partition(solution, cell), _value(solution, cell)
    assigned = []
    if {_partition(solution, c) for c in reads} != {partition}:
        assigned.append(equal(column("p"), literal(partition)))
    if {_value(solution, c) for c in reads} != {value}:
        assigned.append(equal(column("s"), literal(value)))
    return assigned


def _condition(solution: Footprints, cells: Collection[int], table: str | None = None) -> exp.Expr:
    """The condition that the rows of some cells meet."""
    data_values = {_value(solution, c) for c in cells}
    partitions = _in(column("p", table), {_partition(solution, c) for c in cells})
    if len(data_values) == solution.values:
        return partitions
    return exp.and_(partitions, _in(column("s", table), data_values))


def _in(this: exp.Expr, numbers: Collection[int]) -> exp.Expr:
    constants = list(map(literal, sorted(numbers)))
    if len(constants) == 1:
        return equal(this, constants[0])
    return exp.In(this=this, expressions=constants)


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
        printed(insert(None, [(cell + 1, *_place(solution, cell), 10) for cell in cells]))
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
