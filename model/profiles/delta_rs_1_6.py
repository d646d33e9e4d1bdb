"""Profile delta-rs-1.6: the Rust implementation, as the Python package deltalake 1.6 has it.

Measured on deltalake 1.6.6; every rule names its place in the source. The reads that it notes
and the actions that it writes are in ``model.profiles.delta_rs_noted``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import replace

from model.expressions.syntax import Arithmetic, Cast, Expression, Function, Opaque
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.footprint import Footprint
from model.profiles.base import Profile
from model.profiles.delta_rs_noted import noted
from model.queries.query import Query
from model.rules import delta_rs, delta_spark
from model.scenario import LEVEL_PROPERTY
from model.statements import (
    AddConstraint,
    AlterTable,
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Overwrite,
    Restore,
    Select,
    Statement,
    Truncate,
    Update,
    Vacuum,
)
from model.tables.table import Table
from model.values.types import ColumnType

_PLAIN = (
    Delete,
    DynamicOverwrite,
    InsertSelect,
    InsertValues,
    Merge,
    Optimize,
    Restore,
    Select,
    Truncate,
    Update,
    Vacuum,
)
"""Statements that delta-rs has in every form."""

_ALTERATIONS = ("ADD COLUMNS", "SET TBLPROPERTIES")
_PROPERTIES = frozenset({"delta.appendOnly", LEVEL_PROPERTY, "delta.logRetentionDuration"})


def has(statement: Statement) -> bool:
    """Whether delta-rs has the statement, as replays run it."""
    statement = statement.inner
    match statement:
        case Overwrite():
            # New rows are checked against the condition always, and any condition is taken.
            accepted = statement.refused is None and statement.checked >= statement.by_condition
            return accepted and not _in_spark_s_words(statement)
        case AlterTable():
            return statement.operation in _ALTERATIONS and _alters(statement)
        case AddConstraint():
            return True
        case Vacuum():
            return statement.frees == "nothing"
        case InsertValues() | InsertSelect() | Merge() if statement.changes_definition:
            # Its own way to merge schemas is an option of the writer, not a part of the statement.
            return False
        case Update() if any(
            _converted(value, statement.table.types[place])
            for place, value in statement.assignments
        ):
            return False
    return isinstance(statement, _PLAIN) and not _in_spark_s_words(statement)


def _converted(value: Expression, column: ColumnType) -> bool:
    """Whether Spark casts an assigned value to a type of another kind."""
    kinds = (value.type.family, column.family)
    return kinds[0] not in ("null", kinds[1]) and kinds != ("date", "timestamp")


def _in_spark_s_words(part: object) -> bool:
    """Whether a statement has a cast, a function or decimal arithmetic in it.

    Those of DataFusion differ under the same names. A query does not matter: replays compute the
    rows of an INSERT .. SELECT themselves.
    """
    match part:
        case Cast() | Function() | Opaque() | Arithmetic(operator="div"):
            return True
        case Arithmetic(type=type_) if type_.precision:
            return True
        case Query() | Table() | InsertSelect() | InsertValues() | Select():
            return False
        case tuple():
            return any(map(_in_spark_s_words, part))
    if dataclasses.is_dataclass(part):
        values = (getattr(part, field.name) for field in dataclasses.fields(part))
        return any(map(_in_spark_s_words, values))
    return False


def _alters(statement: AlterTable) -> bool:
    """Whether delta-rs can make this change: new columns at the end, without comments."""
    before, after = statement.table, statement.after
    properties = dict(before.properties)
    changed = {key for key, value in after.properties if properties.get(key) != value}
    return (
        after.schema[: len(before.schema)] == before.schema
        and after.comments == before.comments
        and after.features == before.features
        and all(key in _PROPERTIES or not key.startswith("delta.") for key in changed)
    )


def meaning(statement: Statement) -> Statement:
    """The statement as delta-rs means it: a MERGE counts only the matches that a clause acts on."""
    match statement:
        case Merge():
            return replace(statement, by_clause=True)
        case Idempotent(statement=inner):
            return replace(statement, statement=meaning(inner))
    return statement


def level_in_force(table_level: str, footprint: Footprint) -> str:
    """The table's level, for every commit.

    A rule that lowers it for commits without data change exists, but it looks at the winner's
    actions, and the description that every commit contains forbids it (conflict_checker.rs,
    ``can_downgrade_to_snapshot_isolation``).
    """
    return table_level


def skips_empty_commit(level: str) -> bool:
    """False: an append of no rows writes a version at every level."""
    return False


PROFILE = Profile(
    name="delta-rs-1.6",
    source="delta-io/delta-rs, conflict_checker.rs, as measured on deltalake 1.6.6",
    default_level=SERIALIZABLE,
    levels=(SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION),
    rules=(
        delta_spark.NEXT_VERSION,
        delta_rs.PROTOCOL_CHANGED,
        delta_rs.METADATA_CHANGED,
        delta_rs.ADDED_FILES,
        delta_rs.DELETE_READ,
        delta_rs.DELETE_DELETE,
        delta_spark.APPLICATION_TRANSACTION,
    ),
    noted=noted,
    features=frozenset(),
    has=has,
    meaning=meaning,
    level_in_force=level_in_force,
    skips_empty_commit=skips_empty_commit,
    logged=frozenset(),
)


def on_a_spark_table(table_level: str, footprint: Footprint) -> str:
    """Serializable, whatever the table declares: Spark spells the levels differently.

    delta-rs accepts ``writeSerializable``; it ignores ``WriteSerializable``, the spelling of
    Spark and the documents, and uses its default.
    """
    return SERIALIZABLE


ON_A_SPARK_TABLE = replace(PROFILE, level_in_force=on_a_spark_table)
"""The same rules on a table that Spark has made, for histories of both engines."""
