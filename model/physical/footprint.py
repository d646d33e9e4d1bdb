"""The footprint: everything that a conflict rule may look at.

It is physical throughout. The history has the rows that a transaction read and wrote; the
footprint has the predicates and files that the engine noted as read, and the actions that would
go into the log.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from model.expressions import syntax as expressions
from model.expressions.syntax import Expression
from model.physical.files import DataFile
from model.tables.table import Table


@dataclass(frozen=True, slots=True)
class ReadPredicate:
    """One scan that the engine noted: its condition, split as the conflict check uses it.

    ``partition`` has the conjuncts over partition columns alone, joined by AND; the conflict
    check evaluates it on the partition values of files that others added. ``data`` has the
    rest, which the conflict check treats as TRUE.
    """

    partition: Expression = expressions.TRUE
    data: Expression = expressions.TRUE

    @property
    def text(self) -> str:
        """The whole condition in SQL."""
        parts = [e for e in (self.partition, self.data) if e != expressions.TRUE]
        return expressions.sql(expressions.conjunction(tuple(parts)))


@dataclass(frozen=True, slots=True)
class MetadataChange:
    """A new metadata action: the properties that it adds or changes, and its other changes.

    ``turned_off`` are the properties among them whose new value a transaction in flight cannot
    adopt (deletion vectors disabled, say). ``schema_changed`` (columns and their constraints,
    comments, partitioning) and ``properties_removed`` are changes that no rule resolves.
    ``identity_only`` marks a change of nothing but an identity column's high-water mark. An
    action may also change nothing at all.
    """

    properties: frozenset[str] = frozenset()
    turned_off: frozenset[str] = frozenset()
    schema_changed: bool = False
    properties_removed: bool = False
    identity_only: bool = False


@dataclass(frozen=True, slots=True)
class ProtocolChange:
    """A new protocol action: the table features that it adds and drops."""

    added: frozenset[str] = frozenset()
    dropped: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Footprint:
    """The physical reads of one execution of a statement, and the actions it wants to write.

    ``operation`` is the name that the log records. ``data_changed`` is False for a statement
    that only rearranges files. ``retries`` is True for a statement that starts over by itself
    after a conflict as long as all the files that it removes are still there.
    ``records_empty`` is True for a statement that may write a version without actions, and
    ``records_always`` for one that does so at every level. The
    application ids are those of idempotent writes (a stream's checkpoint), read and written,
    the latter with their version. ``domains`` are the domains of metadata that it writes, such as
    the clustering columns. ``table`` is the definition that the commit puts in force,
    None if the table's definition stays; the rules look at ``metadata`` and ``protocol``.
    ``contends_for`` is the unit over which two transactions conflict: whole files in every
    implementation, single rows where a document says so (which rows a transaction changed
    follows from its files, see ``model.physical.row_level``), nothing for a compaction that a
    document keeps out of all conflicts. ``next_version_only`` is True for a commit that is tried
    only as the version right after its snapshot (OptimisticTransaction.scala, ``commitLarge``).
    ``restates`` is True for a commit that only adds files again that are there already: it
    ignores the files that others add, and leaves out those that they touch. ``frees`` says which
    files it deletes from storage: those that the log says were removed, or all that the snapshot
    does not have, files of transactions in flight among them.
    """

    operation: str
    read_predicates: tuple[ReadPredicate, ...] = ()
    read_files: tuple[DataFile, ...] = ()
    read_whole_table: bool = False
    adds: tuple[DataFile, ...] = ()
    removes: tuple[DataFile, ...] = ()
    data_changed: bool = True
    retries: bool = False
    records_empty: bool = False
    records_always: bool = False
    metadata: MetadataChange | None = None
    protocol: ProtocolChange | None = None
    applications_read: frozenset[str] = frozenset()
    applications_written: tuple[tuple[str, int], ...] = ()
    domains: frozenset[str] = frozenset()
    table: Table | None = None
    contends_for: Literal["files", "rows", "nothing"] = "files"
    next_version_only: bool = False
    restates: bool = False
    frees: Literal["nothing", "removed files", "all files"] = "nothing"

    @property
    def empty(self) -> bool:
        """Whether it has no action to write."""
        return not (
            self.adds
            or self.removes
            or self.metadata
            or self.protocol
            or self.applications_written
            or self.domains
        )

    @property
    def blind_append(self) -> bool:
        """Whether it only adds files and read nothing (OptimisticTransaction.scala)."""
        if self.next_version_only:
            return False  # Logged so whatever it holds.
        return not self.removes and not self.read_predicates and not self.read_files
