"""OPTIMIZE, REORG, VACUUM and RESTORE: statements that sqlglot does not take apart.

``OPTIMIZE t [FULL] [WHERE ...] [ZORDER BY ...]``, ``REORG TABLE t [WHERE ...] APPLY (PURGE)``,
``VACUUM t [FULL | LITE] [RETAIN n HOURS] [DRY RUN]``, and ``RESTORE [TABLE] t [TO]`` with
``VERSION AS OF n`` or ``TIMESTAMP AS OF 'text'``.
"""

from __future__ import annotations

import datetime
import re

from sqlglot import exp

from model.errors import InvalidScenario, UnsupportedSQL
from model.expressions.syntax import Expression
from model.sql.expressions.scalar import Scope
from model.sql.source import Source, refuse_subqueries, tree_of
from model.statements import Optimize, Refused, Reorg, Restore, Statement, Vacuum
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
    tree = tree_of(where) if where else None
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


RETENTION_CHECK = "spark.databricks.delta.retentiondurationcheck.enabled"
"""The setting that forbids to retain less than the table's own retention.

Delta 4.4 looks at it for RETAIN 0 HOURS alone; any other number of hours it ignores.
"""

_VACUUM = re.compile(
    r"VACUUM\s+(?P<table>\S+)(\s+(?P<kind>FULL|LITE))?(\s+RETAIN\s+(?P<hours>\d+)\s+HOURS)?"
    r"(?P<dry>\s+DRY\s+RUN)?\s*",
    re.IGNORECASE,
)


def vacuum(source: Source) -> Statement:
    """VACUUM. One that retains nothing takes files away that others need."""
    match = _VACUUM.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only VACUUM {source.target} [FULL | LITE] [RETAIN n HOURS] "
            "[DRY RUN] is supported"
        )
    table = source.check_target(match["table"])
    dry, nothing = match["dry"] is not None, bool(match["hours"]) and int(match["hours"]) == 0
    checked = source.settings.get(RETENTION_CHECK, "true").lower() != "false"
    lite = (match["kind"] or "").upper() == "LITE"
    frees = "nothing"
    if nothing and not dry:
        frees = "removed files" if lite else "all files"
    return Vacuum(source.text, table, dry, too_short=nothing and checked, frees=frees)


_RESTORE = re.compile(
    r"RESTORE\s+(TABLE\s+)?(?P<table>\S+)\s+(TO\s+)?"
    r"(VERSION\s+AS\s+OF\s+(?P<version>\d+)|TIMESTAMP\s+AS\s+OF\s+(?P<time>.+))",
    re.IGNORECASE | re.DOTALL,
)
_TEXT = re.compile(r"'(?P<text>[^']*)'")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?)?")

EARLIEST, LATEST = datetime.datetime(2019, 1, 1), datetime.datetime(2100, 1, 1)
"""Every commit lies between: Delta Lake is not older, and clocks are not that wrong."""


def restore(source: Source) -> Statement:
    """RESTORE to a version; versions are what a replay has in common with the model.

    When the commits of a replay happen is up to the clock, so only a time before or after all
    of them says what becomes of the statement: it fails.
    """
    match = _RESTORE.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only RESTORE TABLE {source.target} TO VERSION AS OF n is supported"
        )
    table = source.check_target(match["table"])
    if match["version"] is not None:
        return Restore(source.text, table, int(match["version"]))
    error_class, reason = _failure(match["time"].strip())
    return Refused(source.text, table, "RESTORE", error_class, reason)


def _failure(time: str) -> tuple[str, str]:
    """The class and the text of the error that a RESTORE to a time ends in."""
    quoted = _TEXT.fullmatch(time)
    if quoted is None:
        return "PARSE_SYNTAX_ERROR", "TIMESTAMP AS OF takes a string"
    text = quoted["text"]
    if not any(map(str.isdigit, text)):
        return "DELTA_TIMESTAMP_INVALID", f"{text!r} is no timestamp"
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
