"""The metadata and protocol actions that the log records when a table's definition changes."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from model.physical.footprint import MetadataChange, ProtocolChange
from model.scenario import LEVEL_PROPERTY
from model.tables.table import CHECK_PREFIX, UNSET_LEVEL, Table

_TURNED_ON = {
    "delta.checkpointPolicy": "v2",
    "delta.enableDeletionVectors": "true",
    "delta.enableInCommitTimestamps": "true",
    "delta.enableRowTracking": "true",
}
"""For each property that enables a feature, the value that enables it."""

_ROW_TRACKING = "delta.enableRowTracking"
_MAPPING = "delta.columnMapping.mode"
_MATERIALIZED = "delta.rowTracking.materializedRowIdColumnName"

_SCHEMA = (
    "names",
    "types",
    "schema",
    "partitions",
    "not_null",
    "generated",
    "identities",
    "defaults",
    "comments",
    "created",
)
"""The fields of a definition that its metadata holds in addition to the properties."""


def metadata_change(before: Table, after: Table) -> MetadataChange:
    """The metadata action that leads from one definition to another; it may change nothing."""
    old, new = _configuration(before), _configuration(after)
    changed = frozenset(key for key, value in new.items() if old.get(key) != value)
    return MetadataChange(
        properties=changed,
        turned_off=frozenset(key for key in changed if not _harmless(key, old, new)),
        schema_changed=any(getattr(before, f) != getattr(after, f) for f in _SCHEMA),
        properties_removed=bool(old.keys() - new.keys()) or _unset_level(before, after),
    )


def protocol_change(before: Table, after: Table) -> ProtocolChange | None:
    """The protocol action that leads from one definition to another; None if none is needed."""
    if before.features == after.features:
        return None
    return ProtocolChange(after.features - before.features, before.features - after.features)


def _configuration(table: Table) -> dict[str, str]:
    """The metadata's configuration: properties, CHECK constraints, and keys that features add."""
    configuration = {key: value for key, value in table.properties if value != UNSET_LEVEL}
    configuration |= {f"{CHECK_PREFIX}{name}": text for name, _, text in table.checks}
    if "rowTracking" in table.features:
        configuration[_MATERIALIZED] = "assigned"
    return configuration


def _unset_level(before: Table, after: Table) -> bool:
    """Whether the level is unset; a level that the scenario declares is not in the definition."""
    unset = after.declared(LEVEL_PROPERTY) == UNSET_LEVEL
    return unset and before.declared(LEVEL_PROPERTY) != UNSET_LEVEL


def _harmless(key: str, old: dict[str, str], new: dict[str, str]) -> bool:
    """Whether a transaction in flight can adopt the new value of a key.

    Source: ConflictChecker.scala, ``checkConfigurationChangesForConflicts``.
    """
    if key == _MATERIALIZED:
        return new.get(_ROW_TRACKING) == "true"
    if key == _MAPPING:
        return old.get(key, "none") == "none" and new[key] == "name"
    return key not in _TURNED_ON or new[key] == _TURNED_ON[key]


def rebased(base: Table, changed: Table, latest: Table) -> Table:
    """``latest`` with the changes that a commit made to ``base``, the definition it began with.

    The conflict check admits concurrent changes of a definition only if they touch different
    parts of it.
    """
    if latest is base or latest == base:
        return changed
    parts: dict[str, Any] = {
        f.name: getattr(changed, f.name)
        for f in fields(Table)
        if f.init and getattr(changed, f.name) != getattr(base, f.name)
    }
    return replace(latest, **parts)
