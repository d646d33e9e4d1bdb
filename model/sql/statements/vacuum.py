"""VACUUM t [FULL | LITE] [RETAIN n HOURS] [DRY RUN]."""

from __future__ import annotations

from model.errors import UnsupportedSQL
from model.sql import dialect
from model.sql.source import Source
from model.statements import Statement, Vacuum

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
