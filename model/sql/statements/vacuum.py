"""VACUUM t [FULL | LITE] [RETAIN n HOURS] [DRY RUN]."""

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
