"""ALTER TABLE ... SET and UNSET TBLPROPERTIES."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from model.errors import StatementFailure, UnsupportedSQL
from model.scenario import LEVEL_PROPERTY
from model.sql.properties import key_of, properties_of
from model.sql.source import Source, refuse_extras
from model.statements import Statement
from model.statements.alter.column_mapping import MAPPING as _MAPPING
from model.statements.alter.column_mapping import RemoveMapping
from model.statements.alter.row_tracking import ROW_TRACKING, Backfill, UpgradeProtocol
from model.statements.alter.statement import AlterTable
from model.statements.several import ChangeDefinition, SeveralCommits, Stage
from model.tables.properties import canonical, check_key, checked_value
from model.tables.protocol import check_versions, features_of, is_protocol_property
from model.tables.table import CHECK_PREFIX, STATISTICS_COLUMNS, TABLE_COMMENT, UNSET_LEVEL, Table
from model.values.types import BOOLEAN

_ROW_TRACKING = "delta.enableRowTracking"


@dataclass(frozen=True, slots=True)
class _Set:
    """A definition with properties set, and features added to its protocol."""

    kept: tuple[tuple[str, str], ...]
    features: frozenset[str]

    def __call__(self, table: Table) -> Table:
        kept = dict(self.kept)
        comment = kept.pop("comment", None)
        after = table.with_properties(kept)
        if comment is not None:
            comments = {**dict(table.comments), TABLE_COMMENT: comment}
            after = replace(after, comments=tuple(sorted(comments.items())))
        return replace(after, features=table.features | self.features)


@dataclass(frozen=True, slots=True)
class _Unset:
    """A definition without some of its properties."""

    keys: tuple[str, ...]

    def __call__(self, table: Table) -> Table:
        constraints = (key for key in self.keys if key.startswith(CHECK_PREFIX))
        names = {key[len(CHECK_PREFIX) :].lower() for key in constraints}
        checks = tuple(check for check in table.checks if check[0] not in names)
        after = replace(table.with_properties({}, self.keys), checks=checks)
        if LEVEL_PROPERTY in self.keys:
            after = after.with_properties({LEVEL_PROPERTY: UNSET_LEVEL})
        return after


def set_properties(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """SET TBLPROPERTIES: properties, and features of the protocol by way of properties."""
    table = source.table
    given = {canonical(key): value for key, value in _pairs(source, actions).items()}
    for key, value in given.items():
        if key == "delta.columnMapping.maxColumnId":
            raise StatementFailure("DELTA_CANNOT_MODIFY_TABLE_PROPERTY", f"{key} is Delta's own")
        if key == STATISTICS_COLUMNS:
            _check_statistics(table, value)
        if key.lower().startswith(CHECK_PREFIX):
            raise StatementFailure("DELTA_ADD_CONSTRAINTS", "ADD CONSTRAINT adds constraints")
        if key.lower() == "delta.feature.clustering":
            raise StatementFailure(
                "DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED", "use CLUSTER BY"
            )
        if key != "comment" and not is_protocol_property(key):
            checked_value(key, value)
            _check_change(table, key, value)
    check_versions(table.features, given)
    kept = {key: value for key, value in given.items() if not is_protocol_property(key)}
    change = _Set(tuple(kept.items()), features_of(given))
    if given.get(_MAPPING) == "none":
        stages: list[Stage] = [RemoveMapping()]
        if len(given) > 1:
            stages.append(ChangeDefinition("SET TBLPROPERTIES", change))
        return SeveralCommits(source.text, table, tuple(stages))
    if given.get(_ROW_TRACKING) == "true":
        enable = ChangeDefinition("SET TBLPROPERTIES", change)
        return SeveralCommits(
            source.text, table, (UpgradeProtocol(ROW_TRACKING), Backfill(), enable)
        )
    return AlterTable(source.text, table, "SET TBLPROPERTIES", change(table))


def _pairs(source: Source, actions: Sequence[exp.Expr]) -> dict[str, str]:
    """The pairs of SET TBLPROPERTIES as they are written."""
    (action,) = actions
    refuse_extras(action, {"expressions"})
    match action.expressions:
        case [exp.Properties() as properties]:
            return properties_of(properties.expressions)
    raise UnsupportedSQL(f"{source.body!r} is not supported")


def unset_properties(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """UNSET TBLPROPERTIES: commits whether the properties were there or not.

    The level falls back to Serializable, the engine's default. A CHECK constraint goes this
    way too.
    """
    table = source.table
    (action,) = actions
    keys = [canonical(key_of(node)) for node in action.expressions]
    for key in keys:
        check_key(key)
    change = _Unset(tuple(keys))
    if _MAPPING in keys:
        stages: list[Stage] = [RemoveMapping(unset=True)]
        if len(keys) > 1:
            stages.append(ChangeDefinition("UNSET TBLPROPERTIES", change))
        return SeveralCommits(source.text, table, tuple(stages))
    return AlterTable(source.text, table, "UNSET TBLPROPERTIES", change(table))


def _check_statistics(table: Table, names: str) -> None:
    """Checks the columns that are to have statistics."""
    places = {
        name.lower(): place for name, place in zip(table.column_names, table.schema, strict=True)
    }
    for name in names.split(","):
        place = places.get(name.strip().strip("`").lower())
        if place is None:
            raise StatementFailure("DELTA_COLUMN_NOT_FOUND_IN_SCHEMA", f"no column {name!r}")
        if place in table.partition_columns or table.types[place] is BOOLEAN:
            raise UnsupportedSQL(f"statistics of column {name!r} are not supported")


def _check_change(table: Table, key: str, value: str) -> None:
    """Refuses changes that the engine makes in several commits, or with the data."""
    now = table.declared(key)
    if key == _MAPPING and value != now and (value == "id" or (value, now) == ("name", "id")):
        raise StatementFailure(
            "DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE", f"from {now or 'none'} to {value}"
        )
