"""The session settings that number a write of an application."""

from __future__ import annotations

from model.errors import InvalidScenario
from model.sql.source import Source
from model.statements import (
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Overwrite,
    Statement,
    Update,
)

APPLICATION = "spark.databricks.delta.write.txnappid"
VERSION = "spark.databricks.delta.write.txnversion"
SETTINGS = frozenset({APPLICATION, VERSION})

NUMBERED = (Delete, DynamicOverwrite, InsertSelect, InsertValues, Merge, Overwrite, Update)
"""Statements that honour the number; TRUNCATE, OPTIMIZE, RESTORE and ALTER TABLE do not."""


def numbered(statement: Statement, source: Source) -> Statement:
    """The statement, as the write of an application where the settings say so."""
    application, version = source.settings.get(APPLICATION), source.settings.get(VERSION)
    if application is None and version is None:
        return statement
    if application is None or version is None:
        raise InvalidScenario("txnAppId and txnVersion number a write together, or not at all")
    if not version.isdigit():
        raise InvalidScenario(f"txnVersion is a number, not {version!r}")
    if isinstance(statement, NUMBERED):
        return Idempotent(statement, application, int(version))
    return statement  # The engine does not look at the number.
