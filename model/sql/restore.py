"""RESTORE [TABLE] t [TO] VERSION AS OF n."""

from __future__ import annotations

import re

from model.errors import UnsupportedSQL
from model.sql.source import Source
from model.statements import Restore, Statement

_RESTORE = re.compile(
    r"RESTORE\s+(TABLE\s+)?(?P<table>\S+)\s+(TO\s+)?VERSION\s+AS\s+OF\s+(?P<version>\d+)",
    re.IGNORECASE,
)


def restore(source: Source) -> Statement:
    """RESTORE to a version; versions are what a replay has in common with the model."""
    match = _RESTORE.fullmatch(source.body)
    if match is None:
        raise UnsupportedSQL(
            f"{source.body!r}: only RESTORE TABLE {source.target} TO VERSION AS OF n is supported"
        )
    return Restore(source.text, source.check_target(match["table"]), int(match["version"]))
