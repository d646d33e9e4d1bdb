"""The same jobs on tables with other rows, in more files.

An answer is about any rows in the table and any number of files, but the set-up may leave too few
for a conflict: a compaction has nothing to do in a partition of one file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from checker.robustness.jobs.domain import usual_values
from checker.robustness.jobs.workload import Jobs, jobs
from model.errors import InvalidScenario, StatementFailure
from model.history import Row, Value
from model.scenario import TableSpec
from model.tables.table import Table
from model.values.types import sql_literal

MOST_ROWS = 4
"""The most rows that are added, each in a file of its own."""


def with_other_rows(given: Jobs) -> tuple[Jobs, ...]:
    """The jobs on tables with more rows, as far as the table accepts them.

    One table repeats the rows of the set-up, another has rows of values that the jobs mention. If
    the set-up leaves none, a third one has a single row.
    """
    again = list(dict.fromkeys(given.base.rows()))[:MOST_ROWS]
    mentioned = list(islice(_rows(given), MOST_ROWS))
    variants = []
    for rows in (again, mentioned, [] if again else mentioned[:1]):
        for added in (rows, rows[:1]):
            made = with_rows(given, added) if added else None
            if made is not None:
                variants.append(made)
                break
    return tuple(variants)


def with_rows(
    given: Jobs,
    rows: Sequence[Row],
    elsewhere: Mapping[str, Sequence[Row]] | None = None,
    *,
    alone: bool = False,
) -> Jobs | None:
    """The jobs with rows added to the set-up one by one, or None if a table rejects them.

    ``elsewhere`` has rows of other tables. With ``alone`` no other row is inserted.
    """
    sql = {name: template.text for name, template in given.templates.items()}
    spec = _added(given.table, "t", given.target, rows, alone)
    tables = dict(given.tables)
    for name, others in (elsewhere or {}).items():
        tables[name] = _added(tables[name], name, given.definitions[name], others, alone)
    try:
        extended = jobs(given.name, spec, tables, sql, given.profile, given.types, given.widening)
    except (InvalidScenario, StatementFailure):
        return None
    return replace(extended, parts=given.parts)


def _added(spec: TableSpec, name: str, table: Table, rows: Sequence[Row], alone: bool) -> TableSpec:
    """The table with rows inserted after its set-up, or in the place of what that inserts."""
    made = {place for place, _ in (*table.generated, *table.identities)}
    places = [place for place in range(len(table.names)) if place not in made]
    columns = ", ".join(f"`{table.names[place]}`" for place in places)
    inserts = [
        f"INSERT INTO {name} ({columns}) VALUES ({', '.join(sql_literal(row[p]) for p in places)})"
        for row in rows
        if places
    ]
    setup = (text for text in spec.setup if not (alone and text.upper().startswith("INSERT")))
    return replace(spec, setup=(*setup, *inserts))


def _rows(given: Jobs) -> Iterator[Row]:
    """Rows of the values that jobs mention, two in each partition."""
    table = given.target
    columns: list[tuple[Value, ...]] = [
        usual_values(given, name.lower(), type_)
        for name, type_ in zip(table.names, table.types, strict=True)
    ]
    for number in range(2 * MOST_ROWS):
        yield tuple(
            values[(number // 2 if place in table.partitions else number) % len(values)]
            for place, values in enumerate(columns)
        )
