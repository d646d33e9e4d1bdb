"""Profile delta-rs-1.6: the Rust implementation, as the Python package deltalake 1.6 has it.

Measured on deltalake 1.6.6; the sources say where each rule is written down. Metadata and
protocol changes have no rule here, since no statement of the model makes one yet.
"""

from __future__ import annotations

from dataclasses import replace

from model.expressions import TRUE
from model.footprint import Footprint, ReadPredicate
from model.log import Snapshot
from model.profiles.base import Profile
from model.pruning import pruner
from model.rules import application_transaction, data_removed, pruned_added_files
from model.rules.base import SERIALIZABLE, WRITE_SERIALIZABLE
from model.statements import (
    Delete,
    InsertSelect,
    InsertValues,
    Optimize,
    Select,
    Statement,
    Update,
)
from model.statements.base import live_files


def noted(statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
    """What delta-rs notes as read, and what it writes when there is nothing to write.

    Only DELETE and UPDATE carry a predicate to the conflict check, an UPDATE without WHERE the
    predicate TRUE, a DELETE without WHERE none at all. What has no predicate counts as reader of
    every file of its snapshot, and of no file that is yet to come; an append too. A write of no
    rows is a version without files; a DELETE, UPDATE or OPTIMIZE without effect writes none.
    Sources: crates/core/src/protocol/mod.rs, ``DeltaOperation::read_predicate``;
    crates/core/src/kernel/transaction/conflict_checker.rs, ``TransactionInfo::read_files``.
    """
    files = live_files(snapshot)
    predicates: tuple[ReadPredicate, ...] = ()
    match statement:
        case Update(condition=condition):
            predicates = (ReadPredicate(data=condition),)
        case Delete(condition=condition) if condition != TRUE:
            predicates = (ReadPredicate(data=condition),)
    if predicates:
        matches = pruner(predicates[0].data)
        files = tuple(file for file in files if matches(file))
    return replace(
        footprint,
        read_predicates=predicates,
        read_files=files,
        read_whole_table=False,
        retries=False,
        records_empty=isinstance(statement, InsertValues | InsertSelect),
    )


def has(statement: Statement) -> bool:
    """Whether delta-rs has the statement, in the way in which replays drive it."""
    if isinstance(statement, Optimize):
        return not statement.zorder
    return isinstance(statement, InsertValues | InsertSelect | Delete | Update | Select)


def level_in_force(table_level: str, footprint: Footprint) -> str:
    """The table's level, for every commit.

    A rule that lowers it for commits without data change exists, but looks at the winner's
    actions, of which the commit's own description is one that forbids it (conflict_checker.rs,
    ``can_downgrade_to_snapshot_isolation``).
    """
    return table_level


def skips_empty_commit(level: str) -> bool:
    """Never: an append of no rows writes a version at every level."""
    return False


PROFILE = Profile(
    name="delta-rs-1.6",
    source="delta-io/delta-rs, conflict_checker.rs, as measured on deltalake 1.6.6",
    default_level=SERIALIZABLE,
    levels=(SERIALIZABLE, WRITE_SERIALIZABLE),
    rules=(
        pruned_added_files.RULE,
        data_removed.READ,
        data_removed.REMOVED,
        application_transaction.RULE,
    ),
    noted=noted,
    features=frozenset(),
    has=has,
    level_in_force=level_in_force,
    skips_empty_commit=skips_empty_commit,
    logged=frozenset(),
)


def on_a_spark_table(table_level: str, footprint: Footprint) -> str:
    """Serializable, whatever the table says: Spark spells the levels in another way.

    delta-rs knows ``writeSerializable``; ``WriteSerializable``, as Spark and the documents
    write it, it takes for no level at all and goes by its default.
    """
    return SERIALIZABLE


ON_A_SPARK_TABLE = replace(PROFILE, level_in_force=on_a_spark_table)
"""The same rules on a table that Spark has made, for histories of both engines."""
