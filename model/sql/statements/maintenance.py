"""OPTIMIZE, REORG, VACUUM and RESTORE: statements of Delta's own.

``OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...]``, ``REORG TABLE t [WHERE ...] APPLY (PURGE)``,
``VACUUM t [FULL | LITE] [RETAIN n HOURS] [DRY RUN]``, and ``RESTORE [TABLE] t [TO]`` with
``VERSION AS OF n`` or ``TIMESTAMP AS OF 'text'``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Expression
from model.sql import dialect
from model.sql.expressions.scalar import Scope
from model.sql.source import Source, refuse_subqueries
from model.statements import Optimize, Refused, Reorg, Restore, Statement, Vacuum
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
    """The condition on partitions. Its names are checked first, whether or not they exist."""
    refuse_subqueries(where, "DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES")
    partitioning = {table.names[place].lower() for place in table.partitions}
    for column in where.find_all(exp.Column) if where is not None else ():
        if column.name.lower() not in partitioning:
            raise InvalidScenario(
                f"{what} ... WHERE takes partition columns only, not {column.name!r}",
                error_class="DELTA_NON_PARTITION_COLUMN_REFERENCE",
            )
    return Scope(table, source.target).where(where)


def _zorder(names: Sequence[str], table: Table) -> tuple[int, ...]:
    own = {name.lower() for name in table.column_names}
    for name in names:
        if name.lower() not in own:
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


RETENTION_CHECK = "spark.databricks.delta.retentiondurationcheck.enabled"
"""The setting that forbids to retain less than the table's own retention.

Delta 4.4 looks at it for RETAIN 0 HOURS alone; any other number of hours it ignores.
"""


def vacuum(source: Source) -> Statement:
    """VACUUM. One that retains nothing takes files away that others need."""
    tree = source.tree()
    if not isinstance(tree, dialect.Vacuum):
        raise UnsupportedSQL(
            f"{source.body!r}: only VACUUM {source.target} [FULL | LITE] [RETAIN n HOURS] "
            "[DRY RUN] is supported"
        )
    table = source.check_target(tree.this.sql(dialect="spark"))
    hours, dry = tree.args.get("hours"), bool(tree.args.get("dry_run"))
    nothing = hours is not None and int(hours.name) == 0
    checked = source.settings.get(RETENTION_CHECK, "true").lower() != "false"
    lite = tree.args.get("kind") == "LITE"
    frees = "nothing"
    if nothing and not dry:
        frees = "removed files" if lite else "all files"
    return Vacuum(source.text, table, dry, too_short=nothing and checked, frees=frees)


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")

EARLIEST, LATEST = datetime.datetime(2019, 1, 1), datetime.datetime(2100, 1, 1)
"""Every commit lies between: Delta Lake is not older, and clocks are not that wrong."""


def restore(source: Source) -> Statement:
    """RESTORE to a version; versions are what a replay has in common with the model.

    When the commits of a replay happen is up to the clock, so only a time before or after all
    of them says what becomes of the statement: it fails.
    """
    tree = source.tree()
    if not isinstance(tree, dialect.Restore):
        raise UnsupportedSQL(
            f"{source.body!r}: only RESTORE TABLE {source.target} TO VERSION AS OF n is supported"
        )
    table = source.check_target(tree.this.sql(dialect="spark"))
    version = tree.args.get("version")
    if version is not None:
        return Restore(source.text, table, int(version.name))
    error_class, reason = _failure(tree.args["timestamp"])
    return Refused(source.text, table, "RESTORE", error_class, reason)


def _failure(time: exp.Expr) -> tuple[str, str]:
    """The class and the text of the error that a RESTORE to a time ends in."""
    if not time.is_string:
        return "PARSE_SYNTAX_ERROR", "TIMESTAMP AS OF takes a string"
    text = time.name
    if not any(map(str.isdigit, text)):
        return "DELTA_TIMESTAMP_INVALID", f"{text!r} is not a timestamp"
    try:
        moment = datetime.datetime.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        moment = None
    if moment is None:
        raise UnsupportedSQL(f"{text!r} is not supported here: 'YYYY-MM-DD [hh:mm:ss]' is")
    if moment < EARLIEST:
        return "DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER", "it is before the first version"
    if moment >= LATEST:
        return "DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER", "it is after the last version"
    raise UnsupportedSQL(
        f"which version is in force at {text!r} depends on the clock: VERSION AS OF n is supported"
    )
