"""OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...] and REORG TABLE t [WHERE ...] APPLY (PURGE)."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Expression
from model.sql import dialect
from model.sql.expressions.scalar import Scope
from model.sql.expressions.subqueries import refuse_subqueries
from model.sql.source import Source
from model.statements import Optimize, Reorg, Statement
from model.tables.table import Table


def optimize(source: Source) -> Statement:
    """OPTIMIZE, as compaction, as Z-ordering or as clustering."""
    tree = source.tree()
    if not isinstance(tree, dialect.Optimize):
        raise UnsupportedSQL(
            f"{source.body!r}: only OPTIMIZE {source.target} [FULL] [WHERE ...] "
            "[ZORDER BY (...)] is supported"
        )
    table = source.check_target(tree.this.sql(dialect="spark"))
    full, where, zorder = (tree.args.get(name) for name in ("full", "where", "zorder"))
    # Spark makes these checks when the statement runs, in this order.
    if table.clustering and where:
        raise InvalidScenario(
            "OPTIMIZE of a clustered table takes no WHERE",
            error_class="DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        )
    if table.clustering and zorder:
        raise InvalidScenario(
            "OPTIMIZE of a clustered table takes no ZORDER BY",
            error_class="DELTA_CLUSTERING_WITH_ZORDER_BY",
        )
    if full and not table.clustering:
        raise InvalidScenario(
            "OPTIMIZE FULL is for clustered tables",
            error_class="DELTA_OPTIMIZE_FULL_NOT_SUPPORTED",
        )
    if full and where:
        raise UnsupportedSQL("OPTIMIZE takes FULL or WHERE, not both")
    condition = _partitions(source, where, table, "OPTIMIZE")
    places = _zorder([name.name for name in zorder or ()], table)
    return Optimize(source.text, table, condition, places, bool(full))


def reorg(source: Source) -> Statement:
    """REORG TABLE ... APPLY (PURGE)."""
    tree = source.tree()
    if not isinstance(tree, dialect.Reorg):
        raise UnsupportedSQL(
            f"{source.body!r}: only REORG TABLE {source.target} [WHERE ...] APPLY (PURGE) "
            "is supported"
        )
    table = source.check_target(tree.this.sql(dialect="spark"))
    where = tree.args.get("where")
    if table.clustering and where:
        raise InvalidScenario(
            "REORG of a clustered table takes no WHERE",
            error_class="DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
        )
    return Reorg(source.text, table, _partitions(source, where, table, "REORG"))


def _partitions(source: Source, where: exp.Where | None, table: Table, what: str) -> Expression:
    """The condition on partitions. Its names are checked before it is resolved, known or not."""
    refuse_subqueries(where, "DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES")
    known = {table.names[place].lower() for place in table.partitions}
    for column in where.find_all(exp.Column) if where is not None else ():
        if column.name.lower() not in known:
            raise InvalidScenario(
                f"{what} ... WHERE takes partition columns only, not {column.name!r}",
                error_class="DELTA_NON_PARTITION_COLUMN_REFERENCE",
            )
    return Scope(table, source.target).where(where)


def _zorder(names: Sequence[str], table: Table) -> tuple[int, ...]:
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
