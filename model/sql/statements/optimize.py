"""OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...] and REORG TABLE t [WHERE ...] APPLY (PURGE)."""

from __future__ import annotations

import re

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Expression
from model.sql.expressions.scalar import Scope
from model.sql.expressions.subqueries import refuse_subqueries
from model.sql.source import Source
from model.statements import Optimize, Reorg, Statement
from model.tables.table import Table

_OPTIMIZE = re.compile(
    r"OPTIMIZE\s+(?P<table>[^\s(]+)(?P<full>\s+FULL)?(\s+WHERE\s+(?P<where>.+?))?"
    r"(\s+ZORDER\s+BY\s*(?P<zorder>[^()]+|\([^()]+\)))?\s*",
    re.IGNORECASE | re.DOTALL,
)
_REORG = re.compile(
    r"REORG\s+TABLE\s+(?P<table>\S+)(\s+WHERE\s+(?P<where>.+?))?\s+APPLY\s*\(\s*PURGE\s*\)\s*",
    re.IGNORECASE | re.DOTALL,
)


def optimize(source: Source) -> Statement:
    """OPTIMIZE, as compaction, as Z-ordering or as clustering."""
    match = _OPTIMIZE.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only OPTIMIZE {source.target} [FULL] [WHERE ...] "
            "[ZORDER BY (...)] is supported"
        )
    table = source.check_target(match["table"])
    # Spark makes these checks when the statement runs, in this order.
    if table.clustering and match["where"]:
        raise InvalidScenario(
            "OPTIMIZE of a clustered table takes no WHERE",
            error_class="DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        )
    if table.clustering and match["zorder"]:
        raise InvalidScenario(
            "OPTIMIZE of a clustered table takes no ZORDER BY",
            error_class="DELTA_CLUSTERING_WITH_ZORDER_BY",
        )
    if match["full"] and not table.clustering:
        raise InvalidScenario(
            "OPTIMIZE FULL is for clustered tables",
            error_class="DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
        )
    if match["full"] and match["where"]:
        raise UnsupportedSQL("OPTIMIZE takes FULL or WHERE, not both")
    condition = _partitions(source, match["where"], table, "OPTIMIZE")
    places = _zorder(match["zorder"], table) if match["zorder"] else ()
    return Optimize(source.text, table, condition, places, match["full"] is not None)


def reorg(source: Source) -> Statement:
    """REORG TABLE ... APPLY (PURGE)."""
    match = _REORG.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only REORG TABLE {source.target} [WHERE ...] APPLY (PURGE) "
            "is supported"
        )
    table = source.check_target(match["table"])
    if table.clustering and match["where"]:
        raise InvalidScenario(
            "REORG of a clustered table takes no WHERE",
            error_class="DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        )
    return Reorg(source.text, table, _partitions(source, match["where"], table, "REORG"))


def _partitions(source: Source, where: str | None, table: Table, what: str) -> Expression:
    """The condition on partitions. Its names are checked before it is resolved, known or not."""
    tree = source.condition(where) if where else None
    refuse_subqueries(tree, "DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES")
    known = {table.names[place].lower() for place in table.partitions}
    for column in tree.find_all(exp.Column) if tree is not None else ():
        if column.name.lower() not in known:
            raise InvalidScenario(
                f"{what} ... WHERE takes partition columns only, not {column.name!r}",
                error_class="DELTA_NON_PARTITION_COLUMN_REFERENCE",
            )
    return Scope(table, source.target).where(tree)


def _zorder(text: str, table: Table) -> tuple[int, ...]:
    names = [part.strip().strip("`") for part in text.strip().strip("()").split(",")]
    known = {name.lower() for name in table.column_names}
    for name in names:
        if name.lower() not in known:
            raise InvalidScenario(
                f"unknown column {name!r} in ZORDER BY (columns: {', '.join(table.column_names)})",
                error_class="DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST",
            )
    places = tuple(table.column(name).index for name in names)
    for place in places:
        if place in table.partition_columns:
            raise InvalidScenario(
                f"ZORDER BY takes no partition column ({table.names[place]!r})",
                error_class="DELTA_ZORDERING_ON_PARTITION_COLUMN",
            )
    return places
