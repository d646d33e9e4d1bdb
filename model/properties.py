"""The table properties that the model knows, and what each of them decides.

A property that is not here could change what the engine does, so a scenario that sets it is
refused. Keys without Delta's prefix are the user's own: they are kept, and mean nothing.
"""

from __future__ import annotations

import re

from model.errors import StatementFailure, UnsupportedSQL

KNOWN = {
    "delta.appendOnly": "rows may be added only: DELETE and UPDATE fail",
    "delta.checkpointPolicy": "the form of checkpoints; nothing for isolation",
    "delta.columnMapping.mode": "columns may be renamed and dropped",
    "delta.enableChangeDataFeed": "changed rows are recorded as well; nothing for isolation",
    "delta.enableInCommitTimestamps": "commits carry their time; nothing for isolation",
    "delta.enableRowTracking": "rows have ids that files carry; nothing for isolation",
    "delta.enableTypeWidening": "columns may get a wider type",
    "delta.feature.checkConstraints": "the feature that CHECK constraints need",
    "delta.isolationLevel": "the isolation level of the table's transactions",
    "delta.enableDeletionVectors": "whether statements mark rows instead of rewriting files",
    "delta.logRetentionDuration": "how long the log is kept; nothing for isolation",
    "delta.minReaderVersion": "the protocol's reader version",
    "delta.minWriterVersion": "the protocol's writer version, with the features that it implies",
}
"""Meaning by name, as Delta spells the name."""

_VALUES: dict[str, str] = {
    "delta.appendOnly": "true|false",
    "delta.checkpointPolicy": "classic|v2",
    "delta.columnMapping.mode": "none|name|id",
    "delta.enableChangeDataFeed": "true|false",
    "delta.enableDeletionVectors": "true|false",
    "delta.enableInCommitTimestamps": "true|false",
    "delta.enableRowTracking": "true|false",
    "delta.enableTypeWidening": "true|false",
    "delta.logRetentionDuration": r"interval \d\d+ days",
}

_RESERVED = ("owner", "location", "provider", "comment", "external", "is_managed_location")


def canonical(key: str) -> str:
    """A property's name as Delta keeps it: its own names ignore case."""
    for known in KNOWN:
        if known.lower() == key.lower():
            return known
    return key


def check_key(key: str) -> None:
    """Refuses properties that Spark keeps for itself. Raises UnsupportedSQL."""
    if key.lower() in _RESERVED:
        raise UnsupportedSQL(f"property {key!r} is reserved")


def checked_value(key: str, value: str) -> None:
    """Checks that ALTER TABLE may give a property this value.

    Raises StatementFailure where Spark fails it, UnsupportedSQL where the model does not know.
    """
    check_key(key)
    if key == "delta.isolationLevel":
        if value != "Serializable":
            raise StatementFailure("UNSUPPORTED_TABLE_CHANGE", f"{key} must be Serializable")
        return
    if key not in KNOWN:
        if key.lower().startswith("delta."):
            raise UnsupportedSQL(f"property {key!r} is not supported")
        return
    if key in _VALUES and not re.fullmatch(_VALUES[key], value):
        raise UnsupportedSQL(f"{key} is one of {_VALUES[key]}, not {value!r}")
