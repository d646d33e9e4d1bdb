"""ALTER TABLE ... SET and UNSET TBLPROPERTIES, DROP FEATURE."""

from __future__ import annotations

import re
from dataclasses import replace

from model.errors import StatementFailure, UnsupportedSQL
from model.properties import canonical, check_key, checked_value
from model.protocol import (
    DEFAULT_FEATURES,
    check_versions,
    features_of,
    is_protocol_property,
    known_feature,
)
from model.scenario import LEVEL_PROPERTY
from model.sql.source import Source
from model.statements import Statement
from model.statements.alter import AlterTable
from model.table import CHECK_PREFIX, UNSET_LEVEL, Table

_PAIR = re.compile(r"\s*'?(?P<key>[\w.]+)'?\s*=\s*('(?P<text>[^']*)'|(?P<bare>\w+))\s*")
_KEY = re.compile(r"\s*'?(?P<key>[\w.]+)'?\s*")

_ROW_TRACKING, _MAPPING = "delta.enableRowTracking", "delta.columnMapping.mode"


def set_properties(source: Source, clause: re.Match[str]) -> Statement:
    """SET TBLPROPERTIES: properties, and features of the protocol by way of properties."""
    table = source.table
    given: dict[str, str] = {}
    for part in clause["pairs"].split(","):
        match = _PAIR.fullmatch(part)
        if match is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no property")
        value = match["text"] if match["text"] is not None else match["bare"]
        given[canonical(match["key"])] = value
    for key, value in given.items():
        if key.lower().startswith(CHECK_PREFIX):
            raise StatementFailure("DELTA_ADD_CONSTRAINTS", "ADD CONSTRAINT adds constraints")
        if key.lower() == "delta.feature.clustering":
            raise StatementFailure(
                "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED", "use CLUSTER BY"
            )
        if not is_protocol_property(key):
            checked_value(key, value)
            _check_change(table, key, value)
    check_versions(table.features, given)
    kept = {key: value for key, value in given.items() if not is_protocol_property(key)}
    features = table.features | features_of(given)
    after = replace(table.with_properties(kept), features=features)
    return AlterTable(source.text, table, "SET TBLPROPERTIES", after)


def unset_properties(source: Source, clause: re.Match[str]) -> Statement:
    """UNSET TBLPROPERTIES: commits whether the properties were there or not.

    The level falls back to Serializable, the engine's default. A CHECK constraint goes this
    way too.
    """
    table = source.table
    keys = []
    for part in clause["keys"].split(","):
        match = _KEY.fullmatch(part)
        if match is None:
            raise UnsupportedSQL(f"{part.strip()!r} is no property")
        keys.append(canonical(match["key"]))
    for key in keys:
        check_key(key)
    if _MAPPING in keys:
        raise UnsupportedSQL("taking column mapping out of a table is not supported")
    names = {key[len(CHECK_PREFIX) :].lower() for key in keys if key.startswith(CHECK_PREFIX)}
    checks = tuple(check for check in table.checks if check[0] not in names)
    after = replace(table.with_properties({}, keys), checks=checks)
    if LEVEL_PROPERTY in keys:
        after = after.with_properties({LEVEL_PROPERTY: UNSET_LEVEL})
    return AlterTable(source.text, table, "UNSET TBLPROPERTIES", after)


def drop_feature(source: Source, clause: re.Match[str]) -> Statement:
    """DROP FEATURE, for features that go in one commit."""
    table = source.table
    try:
        feature = known_feature(clause["feature"])
    except StatementFailure as error:
        raise StatementFailure(
            "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE", str(error)
        ) from error
    if feature not in table.features | DEFAULT_FEATURES:
        raise StatementFailure("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", "not in the protocol")
    if feature in ("appendOnly", "clustering"):
        raise StatementFailure("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", "it cannot be dropped")
    if feature != "checkConstraints" or clause["truncate"]:
        raise UnsupportedSQL(f"DROP FEATURE {feature} takes several commits: not supported")
    if table.checks:
        raise StatementFailure("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE", "it has constraints")
    after = replace(table, features=table.features - {feature})
    return AlterTable(source.text, table, "DROP FEATURE", after)


def _check_change(table: Table, key: str, value: str) -> None:
    """Refuses changes that the engine makes in several commits, or with the data."""
    now = table.declared(key)
    if key == _ROW_TRACKING and value == "true" and now != "true":
        raise UnsupportedSQL("enabling row tracking takes several commits: not supported")
    if key == _MAPPING and value != now:
        if value == "none":
            raise UnsupportedSQL("taking column mapping out of a table is not supported")
        if value == "id":
            raise StatementFailure(
                "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", f"from {now or 'none'} to id"
            )
