"""ALTER TABLE ... DROP FEATURE f [TRUNCATE HISTORY]."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from model.errors import StatementFailure
from model.sql.source import Source
from model.statements import Statement
from model.statements.alter.column_mapping import RemoveMapping
from model.statements.alter.drop_feature import (
    CHECKPOINT_PROTECTION,
    CHECKPOINTS,
    Disable,
    DropFeature,
    EmptyCommit,
    ForgetTypes,
    HistoryIsClean,
    Purge,
    RewriteRetyped,
    Tombstones,
)
from model.statements.alter.row_tracking import (
    ENABLED,
    ROW_TRACKING,
    SUSPENDED,
    Suspend,
    Unbackfill,
)
from model.statements.several import SeveralCommits, Stage
from model.tables.protocol import (
    DEFAULT_FEATURES,
    REMOVABLE,
    REMOVABLE_FROM_HISTORY,
    dependents,
    known_feature,
)

_PREPARED: dict[str, tuple[Stage, ...]] = {
    "checkConstraints": (),
    "checkpointProtection": (),
    "deletionVectors": (
        Disable("deletionVectors", "UNSET TBLPROPERTIES"),
        Purge(),
        Tombstones(),
    ),
    "domainMetadata": (),
    "inCommitTimestamp": (
        Disable(
            "inCommitTimestamp",
            "UNSET TBLPROPERTIES",
            (("delta.enableInCommitTimestamps", "false"),),
        ),
    ),
    "columnMapping": (RemoveMapping(unset=True, only_mapped=True),),
    "rowTracking": (Suspend(), Unbackfill()),
    "typeWidening": (
        Disable("typeWidening", "UNSET TBLPROPERTIES"),
        RewriteRetyped(),
        ForgetTypes(),
    ),
    "v2Checkpoint": (
        Disable("v2Checkpoint", "SET TBLPROPERTIES", (("delta.checkpointPolicy", "classic"),)),
    ),
    "vacuumProtocolCheck": (),
}
"""The stages that come before a feature can be dropped."""

_UNSET = {ROW_TRACKING: frozenset({ENABLED, SUSPENDED})}
"""Properties that go together with a feature."""


def drop_feature(source: Source, actions: Sequence[exp.Expr]) -> Statement:
    """DROP FEATURE: the commits that rid the table of it, and the one that drops it."""
    (action,) = actions
    table, truncate, name = source.table, bool(action.args.get("truncate")), action.name
    try:
        feature = known_feature(name)
    except StatementFailure as error:
        raise StatementFailure(
            "DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE", str(error)
        ) from error
    # Here the name's case counts, other than in a property.
    if name != feature or feature not in table.features | DEFAULT_FEATURES:
        raise StatementFailure("DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT", "not in the protocol")
    if feature not in REMOVABLE | REMOVABLE_FROM_HISTORY:
        raise StatementFailure("DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE", "it cannot be dropped")
    if truncate and feature in REMOVABLE:
        raise StatementFailure(
            "DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED", "nothing is left in the history"
        )
    if feature == CHECKPOINT_PROTECTION and not truncate:
        raise StatementFailure(
            "DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION",
            "the history has to go with it",
        )
    if needed := dependents(feature, table.features):
        raise StatementFailure(
            "DELTA_FEATURE_DROP_DEPENDENT_FEATURE", f"{', '.join(sorted(needed))} needs it"
        )
    if feature == "checkConstraints" and table.checks:
        raise StatementFailure("DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE", "it has constraints")
    stages = _PREPARED[feature]
    protect = feature in REMOVABLE_FROM_HISTORY and not truncate
    if truncate:
        stages += (EmptyCommit(), HistoryIsClean(feature))
    elif protect:
        stages += (EmptyCommit(),) * CHECKPOINTS
    drop = DropFeature(feature, protect, _UNSET.get(feature, frozenset()))
    return SeveralCommits(source.text, table, (*stages, drop))
