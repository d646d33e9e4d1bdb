"""VACUUM t [RETAIN n HOURS] [DRY RUN]."""

from __future__ import annotations

import re

from model.errors import UnsupportedSQL
from model.sql.source import Source
from model.statements import Statement, Vacuum

RETENTION_CHECK = "spark.databricks.delta.retentiondurationcheck.enabled"
"""The setting that forbids to retain less than the table's own retention.

Delta 4.4 looks at it for RETAIN 0 HOURS alone; any other number of hours it ignores.
"""

_VACUUM = re.compile(
    r"VACUUM\s+(?P<table>\S+)(\s+RETAIN\s+(?P<hours>\d+)\s+HOURS)?(?P<dry>\s+DRY\s+RUN)?\s*",
    re.IGNORECASE,
)


def vacuum(source: Source) -> Statement:
    """VACUUM that retains at least an hour."""
    match = _VACUUM.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only VACUUM {source.target} [RETAIN n HOURS] [DRY RUN] is supported"
        )
    table = source.check_target(match["table"])
    dry, nothing = match["dry"] is not None, bool(match["hours"]) and int(match["hours"]) == 0
    checked = source.settings.get(RETENTION_CHECK, "true").lower() != "false"
    if nothing and not checked and not dry:
        raise UnsupportedSQL(
            "VACUUM ... RETAIN 0 HOURS takes files away from transactions in flight, and the "
            "table can be lost; it is not modelled"
        )
    return Vacuum(source.text, table, dry, too_short=nothing and checked)
