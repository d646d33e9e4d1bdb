"""RESTORE [TABLE] t [TO] VERSION AS OF n, or TIMESTAMP AS OF 'text'."""

from __future__ import annotations

import datetime
import re

from sqlglot import exp

from model.errors import UnsupportedSQL
from model.sql import dialect
from model.sql.source import Source
from model.statements import Refused, Restore, Statement

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
