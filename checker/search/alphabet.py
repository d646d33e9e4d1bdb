"""The alphabet of the exhaustive search: a small table and statements that touch its few rows.

Every statement kind is there in the variants that conflict rules and levels tell apart: the
whole table, one partition, single rows found by data columns, NULLs; appends that read and
appends that do not; rows that move between partitions; values that do not change. Two rows in
two files of partition 1 give OPTIMIZE something to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from model.profiles.base import Profile
from model.scenario import Scenario, Step, TableSpec
from model.sql.printer import syntax, tables_of

COLUMNS = {"k": "int", "p": "int", "v": "int"}

SETUP = (
    "INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",
    "INSERT INTO t VALUES (3, 1, 30)",
    "INSERT INTO t VALUES (4, 2, NULL)",
)

OTHER_TABLES = {"s": TableSpec(COLUMNS, setup=("INSERT INTO s VALUES (9, 1, 90)",))}
"""Tables that statements read from and none writes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One physical layout of the same rows."""

    name: str
    table: TableSpec
    tables: Mapping[str, TableSpec] = field(default_factory=lambda: OTHER_TABLES)

    @property
    def statements_of(self) -> str:
        """The layout of ``LAYOUTS`` whose statements this one allows."""
        return "partitioned" if self.table.partition_by else "unpartitioned"


LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("partitioned", TableSpec(COLUMNS, partition_by=("p",), setup=SETUP)),
        Layout("unpartitioned", TableSpec(COLUMNS, setup=SETUP)),
    )
}

_VECTORS = {"delta.enableDeletionVectors": "true"}

ROW_LEVEL_LAYOUTS = {
    layout.name: layout
    for layout in (
        Layout("deletion vectors", TableSpec(COLUMNS, properties=_VECTORS, setup=SETUP)),
        Layout(
            "partitioned with deletion vectors",
            TableSpec(COLUMNS, partition_by=("p",), properties=_VECTORS, setup=SETUP),
        ),
        Layout("clustered", TableSpec(COLUMNS, cluster_by=("p",), setup=SETUP)),
    )
}
"""Layouts that the documents treat apart: what row-level concurrency and N71 are about."""


def layouts(profile: Profile) -> tuple[str, ...]:
    """The names of the layouts that a profile tells apart, in a fixed order."""
    return (*LAYOUTS, *(ROW_LEVEL_LAYOUTS if profile.reapplied is not None else ()))


def layout(name: str) -> Layout:
    """The layout of that name. Raises ``KeyError``."""
    return LAYOUTS[name] if name in LAYOUTS else ROW_LEVEL_LAYOUTS[name]


@dataclass(frozen=True, slots=True)
class NamedStatement:
    """A statement of the alphabet.

    ``name`` says what it does in a few words. ``layouts`` holds the layouts that allow it.
    """

    name: str
    sql: str
    layouts: tuple[str, ...] = tuple(LAYOUTS)


_PARTITIONED = ("partitioned",)

STATEMENTS = (
    # INSERT ... VALUES: blind appends.
    NamedStatement("append to 1", "INSERT INTO t VALUES (5, 1, 50)"),
    NamedStatement("append to 2", "INSERT INTO t VALUES (6, 2, 60)"),
    NamedStatement("append to both", "INSERT INTO t VALUES (5, 1, 50), (6, 2, 60)"),
    NamedStatement("append to partition NULL", "INSERT INTO t VALUES (7, NULL, 70)"),
    NamedStatement("append a NULL", "INSERT INTO t VALUES (8, 1, NULL)"),
    # INSERT ... SELECT: appends that read.
    NamedStatement("copy 1 to 2", "INSERT INTO t SELECT k, 2, v FROM t WHERE p = 1"),
    NamedStatement("copy 2 to 1", "INSERT INTO t SELECT k, 1, v FROM t WHERE p = 2"),
    NamedStatement("copy large", "INSERT INTO t SELECT k, p, v FROM t WHERE v > 25"),
    NamedStatement("copy partition 3", "INSERT INTO t SELECT k, 1, v FROM t WHERE p = 3"),
    NamedStatement("count everything", "INSERT INTO t SELECT 0, 3, count(*) FROM t"),
    NamedStatement("sum of 1 into 2", "INSERT INTO t SELECT 0, 2, sum(v) FROM t WHERE p = 1"),
    NamedStatement("sum of 2 into 1", "INSERT INTO t SELECT 0, 1, sum(v) FROM t WHERE p = 2"),
    NamedStatement("load another table", "INSERT INTO t SELECT k, p, v FROM s"),
    # DELETE: the whole table, partitions, data columns, both.
    NamedStatement("delete everything", "DELETE FROM t"),
    NamedStatement("delete 1", "DELETE FROM t WHERE p = 1"),
    NamedStatement("delete 2", "DELETE FROM t WHERE p = 2"),
    NamedStatement("delete partition NULL", "DELETE FROM t WHERE p IS NULL"),
    NamedStatement("delete one row", "DELETE FROM t WHERE k = 1"),
    NamedStatement("delete large", "DELETE FROM t WHERE v > 25"),
    NamedStatement("delete NULLs", "DELETE FROM t WHERE v IS NULL"),
    NamedStatement("delete large in 1", "DELETE FROM t WHERE p = 1 AND v > 25"),
    # UPDATE: in place, between partitions, and to equal values.
    NamedStatement("raise everything", "UPDATE t SET v = v + 1"),
    NamedStatement("raise 1", "UPDATE t SET v = v + 1 WHERE p = 1"),
    NamedStatement("raise one row", "UPDATE t SET v = v + 1 WHERE k = 1"),
    NamedStatement("cap large", "UPDATE t SET v = 25 WHERE v > 25"),
    NamedStatement("move 1 to 2", "UPDATE t SET p = 2 WHERE p = 1"),
    NamedStatement("move 2 to 1", "UPDATE t SET p = 1 WHERE p = 2"),
    NamedStatement("move one row to 3", "UPDATE t SET p = 3 WHERE k = 1"),
    NamedStatement("set an equal value", "UPDATE t SET v = 10 WHERE k = 1"),
    # SELECT: readers.
    NamedStatement("read everything", "SELECT k, p, v FROM t"),
    NamedStatement("read 1", "SELECT sum(v) FROM t WHERE p = 1"),
    NamedStatement("read large", "SELECT k FROM t WHERE v > 25"),
    # OPTIMIZE: compactions.
    NamedStatement("compact", "OPTIMIZE t"),
    NamedStatement("compact 1", "OPTIMIZE t WHERE p = 1", _PARTITIONED),
)

UNNOTED_READS = (
    NamedStatement(
        "set 1 to the sum of 2", "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 2) WHERE p = 1"
    ),
    NamedStatement(
        "set 2 to the sum of 1", "UPDATE t SET v = (SELECT sum(v) FROM t WHERE p = 1) WHERE p = 2"
    ),
)
"""Updates with a subquery in SET, which the engine does not note as a read.

They break every level on their own, so they stay out of the alphabet proper: what it shows is
whether the rules are sound where the footprint is complete.
"""


def statements(layout_name: str) -> tuple[NamedStatement, ...]:
    """The statements that a layout allows, in a fixed order. ``KeyError`` for no layout."""
    known = layout(layout_name).statements_of
    return tuple(statement for statement in STATEMENTS if known in statement.layouts)


def named(name: str) -> NamedStatement:
    """The statement of that name. Raises ``KeyError``."""
    for statement in STATEMENTS:
        if statement.name == name:
            return statement
    raise KeyError(name)


def scenario(
    layout_name: str,
    level: str,
    transactions: Mapping[str, str],
    schedule: Sequence[Step],
    name: str,
) -> Scenario:
    """A scenario over the alphabet's table, declared at ``level``.

    ``transactions`` are SQL by name. Other tables are there only where a statement reads them.
    """
    chosen = layout(layout_name)
    mentioned = {name for sql in transactions.values() for name in tables_of(syntax(sql).tree)}
    tables = {other: spec for other, spec in chosen.tables.items() if other in mentioned}
    table = chosen.table.at_level(level)
    return Scenario(name, table, dict(transactions), tuple(schedule), tables)
