"""The table properties that the model supports, and their meaning.

A property that is not listed here could change the engine's behavior, so a scenario that sets it
is refused. Keys without Delta's prefix are the user's own: they are kept, and mean nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.levels import SERIALIZABLE
from model.scenario import LEVEL_PROPERTY
from model.tables.protocol import is_protocol_property

_NOTHING = "; nothing for isolation"

KNOWN = {
    "delta.appendOnly": "rows may be added only: DELETE and UPDATE fail",
    "delta.autoOptimize.autoCompact": "compaction once there are dozens of files" + _NOTHING,
    "delta.checkpoint.writeStatsAsJson": "a column of checkpoints" + _NOTHING,
    "delta.checkpoint.writeStatsAsStruct": "a column of checkpoints" + _NOTHING,
    "delta.checkpointInterval": "how many commits a checkpoint is for" + _NOTHING,
    "delta.checkpointPolicy": "the form of checkpoints" + _NOTHING,
    "delta.checkpointRetentionDuration": "how long checkpoints are kept" + _NOTHING,
    "delta.columnMapping.mode": "columns may be renamed and dropped",
    "delta.dataSkippingNumIndexedCols": "how many columns have statistics that skip files",
    "delta.dataSkippingStatsColumns": "which columns have statistics that skip files",
    "delta.deletedFileRetentionDuration": "how long VACUUM keeps files" + _NOTHING,
    "delta.dropFeatureTruncateHistory.retentionDuration": "how much history DROP FEATURE keeps",
    "delta.enableChangeDataFeed": "changed rows are recorded as well" + _NOTHING,
    "delta.enableDeletionVectors": "whether statements mark rows instead of rewriting files",
    "delta.enableExpiredLogCleanup": "whether old log entries go" + _NOTHING,
    "delta.enableFullRetentionRollback": "how far back checkpoints are kept" + _NOTHING,
    "delta.enableInCommitTimestamps": "commits carry their time" + _NOTHING,
    "delta.enableRowTracking": "rows have ids that files carry" + _NOTHING,
    "delta.enableTypeWidening": "columns may get a wider type",
    "delta.isolationLevel": "the isolation level of the table's transactions",
    "delta.logRetentionDuration": "how long the log is kept" + _NOTHING,
    "delta.minReaderVersion": "the protocol's reader version",
    "delta.minWriterVersion": "the protocol's writer version, with the features that it implies",
    "delta.randomPrefixLength": "names of folders" + _NOTHING,
    "delta.randomizeFilePrefixes": "names of folders" + _NOTHING,
    "delta.sampleRetentionDuration": "how long samples are kept" + _NOTHING,
    "delta.setTransactionRetentionDuration": "how long the numbers of applications are kept",
}
"""The meaning of every property, by its name as Delta spells it."""

_BOOLEAN, _NUMBER = "true|false", r"[1-9]\d{0,5}"
_POLICY = "classic|v2"
_SPAN = r"interval [1-9]\d* (hours?|days?|weeks?)"

_VALUES: dict[str, str] = {
    "delta.appendOnly": _BOOLEAN,
    "delta.autoOptimize.autoCompact": _BOOLEAN,
    "delta.checkpoint.writeStatsAsJson": _BOOLEAN,
    "delta.checkpoint.writeStatsAsStruct": _BOOLEAN,
    "delta.checkpointInterval": _NUMBER,
    "delta.checkpointPolicy": _POLICY,
    "delta.checkpointRetentionDuration": _SPAN,
    "delta.columnMapping.mode": "none|name|id",
    "delta.dataSkippingNumIndexedCols": r"-1|\d{1,5}",
    "delta.deletedFileRetentionDuration": _SPAN,
    "delta.dropFeatureTruncateHistory.retentionDuration": _SPAN,
    "delta.enableChangeDataFeed": _BOOLEAN,
    "delta.enableDeletionVectors": _BOOLEAN,
    "delta.enableExpiredLogCleanup": _BOOLEAN,
    "delta.enableFullRetentionRollback": _BOOLEAN,
    "delta.enableInCommitTimestamps": _BOOLEAN,
    "delta.enableRowTracking": _BOOLEAN,
    "delta.enableTypeWidening": _BOOLEAN,
    "delta.logRetentionDuration": _SPAN,
    "delta.randomPrefixLength": _NUMBER,
    "delta.randomizeFilePrefixes": _BOOLEAN,
    "delta.sampleRetentionDuration": _SPAN,
    "delta.setTransactionRetentionDuration": _SPAN,
}

_RESERVED = ("owner", "location", "provider", "external")
_UNKNOWN_TO_SET = ("comment", "is_managed_location")

_NO_TEXT = r"(?i:true|false)"
_SPAN_OF_MONTHS = r"interval \d+ (months?|years?)"

_NOT_MODELLED = tuple(
    key.lower()
    for key in (
        "delta.autoOptimize",
        "delta.clusteringColumns",
        "delta.columnMapping.maxColumnId",
        "delta.compatibility.symlinkFormatManifest.enabled",
        "delta.constraints.",
        "delta.coordinatedCommits.",
        "delta.enableIcebergCompat",
        "delta.feature.",
        "delta.identity.",
        "delta.inCommitTimestampEnablement",
        "delta.redirect",
        "delta.requireCheckpointProtectionBeforeVersion",
        "delta.rowTracking",
        "delta.universalFormat.",
    )
)
"""Names, and prefixes of names, of properties that Delta has and the model does not support."""


def canonical(key: str) -> str:
    """A property's name as Delta keeps it: its own names ignore case."""
    for name in KNOWN:
        if name.lower() == key.lower():
            return name
    return key


def check_key(key: str) -> None:
    """Refuses properties that Spark reserves. Raises UnsupportedSQL or StatementFailure."""
    if key.lower() in _RESERVED:
        raise StatementFailure("UNSUPPORTED_FEATURE.SET_TABLE_PROPERTY", f"{key!r} is reserved")
    if key.lower() in _UNKNOWN_TO_SET:
        raise UnsupportedSQL(f"property {key!r} is not supported here")


def declared_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """The properties that a new table is given, under the names by which Delta keeps them.

    Those of the protocol (``delta.feature.x``, ``delta.minWriterVersion``) are not checked.
    Raises UnsupportedSQL with the key for a property that the model does not support.
    """
    checked: dict[str, str] = {}
    for key, value in properties.items():
        name = canonical(key)
        try:
            if name != LEVEL_PROPERTY and not is_protocol_property(name):
                checked_value(name, value)
        except UnsupportedSQL as error:
            raise UnsupportedSQL(str(error), ("properties", key)) from error
        except StatementFailure as error:
            reason = f"{error} ({error.error_class})"
            raise InvalidScenario(reason, ("properties", key), error.error_class) from error
        checked[name] = value
    return checked


def checked_value(key: str, value: str) -> None:
    """Checks that a property may be given this value.

    Raises StatementFailure if Spark refuses it, UnsupportedSQL if the model does not support it.
    """
    check_key(key)
    if key == LEVEL_PROPERTY:
        if value != SERIALIZABLE:
            raise StatementFailure("UNSUPPORTED_TABLE_CHANGE", f"{key} must be Serializable")
        return
    if key not in KNOWN:
        if key.lower().startswith(_NOT_MODELLED):
            raise UnsupportedSQL(f"property {key!r} is not supported")
        if key.lower().startswith("delta."):
            raise StatementFailure("DELTA_UNKNOWN_CONFIGURATION", f"there is no property {key!r}")
        return
    if key in _VALUES and not re.fullmatch(_VALUES[key], value):
        if _fails(_VALUES[key], value):
            raise StatementFailure("UNSUPPORTED_TABLE_CHANGE", f"{key} = {value!r}")
        raise UnsupportedSQL(f"{key} is one of {_VALUES[key]}, not {value!r}")


def _fails(allowed: str, value: str) -> bool:
    """Whether Delta refuses a value, as far as the model knows."""
    if allowed == _BOOLEAN:
        return re.fullmatch(_NO_TEXT, value) is None
    if allowed == _SPAN:
        return re.fullmatch(_SPAN_OF_MONTHS, value) is not None
    if allowed == _NUMBER:
        return value in ("0", "") or not value.isdigit()
    return allowed == _POLICY
