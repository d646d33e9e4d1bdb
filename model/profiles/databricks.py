"""The generations of the documents as profiles: the rules as documented, not as implemented.

`databricks-2020` (N50-N55, N86-N94 in the older wording), `databricks-14.2` (row-level
concurrency), `databricks-14.3` (metadata changes, REORG) and `databricks-2026` (ZORDER, "might");
`databricks-13.3` and `databricks-14.1` are the legacy runtimes that the document of 14.2
describes (N82-N85). All have WriteSerializable as default level (N5).

Where the words leave a choice, the bare name is the *strongest* reading: the fewest histories
commit. A promise of isolation has to be kept under whatever reading a vendor claims to have
meant, so a violation that the strongest reading lets through is the document's own; one that
only the weakest lets through (`NAME:weakest`) is a question to the vendor.

| choice | weakest | strongest |
|---|---|---|
| "the same row" (N39, N40) | both modify it | one modifies it, the other reads it |
| an INSERT, Serializable (N39) | an INSERT modifies no row | a row that matches |
| what counts as read (N90) | files that statistics leave over | all files of the partitions |
| a file read, compacted since (N90, N71) | is gone | lives on where its rows went |
| who adds files (N86) | INSERT, DELETE, UPDATE, MERGE | compactions too |
| INSERT that reads (2020) | INSERT x INSERT never conflicts | the text on exceptions |
| metadata changes "might" fail writes (2026) | changes of the schema | every change |
| Photon (N72, N85), the preview (N84) | there, on | not there, off |
| a subquery in SET (N76) | is not a condition | takes part in one |

The model has no columns of type struct, array or map (N75), no non-deterministic expressions
and no subqueries in conditions (N76, N77), so those fallbacks cannot be reached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from model.expressions.syntax import TRUE
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Snapshot
from model.physical.row_level import reapplied
from model.physical.skipping import partition_matches, scan, split_filter
from model.profiles.base import Profile
from model.rules import delta_spark, documented
from model.rules.base import Rule
from model.statements import Statement
from model.statements.base import live_files
from model.tables.protocol import FEATURES
from model.tables.table import Table

Reading = Literal["weakest", "strongest"]
READINGS: tuple[Reading, ...] = ("weakest", "strongest")


@dataclass(frozen=True, slots=True)
class RowLevelConcurrency:
    """The conditions under which a generation resolves conflicts row by row.

    ``layouts`` are the layouts for which it is on: ``vectors`` for unpartitioned tables with
    deletion vectors, ``clustered`` for liquid clustering. ``preview`` says that ``vectors`` must
    be switched on by a setting of the cluster (N84). ``photon`` has the operations that need
    Photon.
    """

    layouts: frozenset[str]
    preview: bool = False
    photon: frozenset[str] = frozenset()

    def on(self, table: Table, reading: Reading) -> bool:
        """Whether it is on for a table (N68, N69, N70, N82-N84)."""
        if not vectors_in_force(table) or table.partitions:
            return False
        if table.clustering:
            return "clustered" in self.layouts
        return "vectors" in self.layouts and (reading == "weakest" or not self.preview)


@dataclass(frozen=True, slots=True)
class Noted:
    """The footprint according to a document: its reads, and the unit of its conflicts.

    ``zorder_conflicts`` is False if deletion vectors keep OPTIMIZE with ZORDER BY out of
    conflicts like any other OPTIMIZE. The documents mention neither retries nor versions without
    actions.
    """

    reading: Reading
    rows: RowLevelConcurrency | None = None
    zorder_conflicts: bool = False

    def __call__(self, statement: Statement, snapshot: Snapshot, footprint: Footprint) -> Footprint:
        predicates = (*footprint.read_predicates, *_in_set(statement, snapshot.table))
        return replace(
            footprint,
            read_predicates=predicates,
            read_files=self._read_files(snapshot, footprint, predicates),
            retries=False,
            records_empty=False,
            contends_for=self._contends_for(statement, snapshot.table, footprint),
        )

    def _read_files(
        self, snapshot: Snapshot, footprint: Footprint, predicates: tuple[ReadPredicate, ...]
    ) -> tuple[DataFile, ...]:
        files, table = live_files(snapshot), snapshot.table
        noted = {file.key for file in footprint.read_files}
        for predicate in predicates:
            if self.reading == "weakest":
                noted |= {file.key for file in scan(predicate, files, table)}
            elif footprint.data_changed:
                noted |= {f.key for f in files if partition_matches(predicate, f, table)}
        return tuple(file for file in files if file.key in noted)

    def _contends_for(
        self, statement: Statement, table: Table, footprint: Footprint
    ) -> Literal["files", "rows", "nothing"]:
        rows = self.rows
        if rows is None:
            return "files"
        if not footprint.data_changed:
            spared = vectors_in_force(table) and not (self.zorder_conflicts and statement.zorder)
            return "nothing" if spared else "files"
        if not rows.on(table, self.reading) or self._falls_back(statement, footprint, rows):
            return "files"
        return "rows"

    def _falls_back(
        self, statement: Statement, footprint: Footprint, rows: RowLevelConcurrency
    ) -> bool:
        """Whether the limitations of row-level concurrency exclude a statement from it."""
        if footprint.operation in rows.photon and self.reading == "strongest":
            return True
        if self.reading == "strongest" and statement.subqueries:
            return True
        # N78, and N57 for an INSERT that reads its own table: it has the limits of MERGE.
        like_merge = footprint.operation in ("MERGE", "WRITE")
        return like_merge and any(
            predicate.partition == predicate.data == TRUE for predicate in footprint.read_predicates
        )


def vectors_in_force(table: Table) -> bool:
    """Whether a table has deletion vectors: enabled, or clustered and not disabled.

    The documents speak of clustered tables "unless you have disabled deletion vectors" (N69).
    """
    if table.clustering:
        return table.declared("delta.enableDeletionVectors") != "false"
    return table.deletion_vectors


def _in_set(statement: Statement, table: Table) -> tuple[ReadPredicate, ...]:
    """The reads of subqueries in SET: to the documents, whatever an operation reads is a read."""
    predicates = [
        split_filter(query.condition, table)
        for query in statement.subqueries
        if query.table == table.name
    ]
    return tuple(predicate for predicate in predicates if predicate is not None)


def _profile(
    name: str,
    source: str,
    reading: Reading,
    rules: tuple[Rule, ...],
    features: frozenset[str],
    noted: Noted,
) -> Profile:
    return Profile(
        name=name if reading == "strongest" else f"{name}:{reading}",
        source=source,
        default_level=WRITE_SERIALIZABLE,
        levels=(SERIALIZABLE, WRITE_SERIALIZABLE),
        rules=rules,
        noted=noted,
        skips_empty_commit=_always,
        reapplied=None if noted.rows is None else reapplied,
        has=_mentioned,
        features=features,
    )


def _mentioned(statement: Statement) -> bool:
    """Whether a document states the conflicts of a statement: none does for RESTORE."""
    return statement.kind != "RESTORE"


def _always(level: str) -> bool:
    """True: no document mentions a version without actions."""
    return True


def _of_2020(reading: Reading) -> Profile:
    appended = (
        documented.ADDED_FILES_BY_THE_MATRIX_OF_2020
        if reading == "weakest"
        else documented.ADDED_FILES_OF_2020
    )
    return _profile(
        "databricks-2020",
        "Isolation levels, Azure Databricks, about 2020",
        reading,
        (
            documented.PROTOCOL_CHANGED,
            documented.METADATA_CHANGED,
            delta_spark.APPLICATION_TRANSACTION,
            appended,
            delta_spark.DELETE_READ,
            delta_spark.DELETE_DELETE,
        ),
        frozenset(),
        Noted(reading),
    )


def _with_rows(
    name: str,
    source: str,
    reading: Reading,
    rows: RowLevelConcurrency,
    *,
    metadata: Rule = documented.METADATA_CHANGED,
    zorder_conflicts: bool = False,
) -> Profile:
    weakest = reading == "weakest"
    by_row = (documented.ROW_MODIFIED,) if weakest else (documented.ROW_READ, documented.ROW_ADDED)
    return _profile(
        name,
        source,
        reading,
        (
            documented.PROTOCOL_CHANGED,
            metadata,
            documented.IDENTITY_COLUMNS,
            delta_spark.APPLICATION_TRANSACTION,
            documented.ADDED_FILES_WITH_DATA if weakest else documented.ADDED_FILES,
            documented.DELETE_READ if weakest else documented.MOVED_DELETE_READ,
            documented.DELETE_DELETE,
            *by_row,
        ),
        frozenset(FEATURES),
        Noted(reading, rows, zorder_conflicts),
    )


_CLUSTERED, _BOTH = frozenset({"clustered"}), frozenset({"clustered", "vectors"})
_ALL_BUT_DELETE = frozenset({"UPDATE", "MERGE", "WRITE"})
_A = "Isolation levels and write conflicts, Azure Databricks, Runtime 14.2"


def _generations(reading: Reading) -> tuple[Profile, ...]:
    weakest = reading == "weakest"
    return (
        _of_2020(reading),
        _with_rows(
            "databricks-13.3",
            f"{_A}, section on legacy behaviour: 13.3",
            reading,
            RowLevelConcurrency(_CLUSTERED, photon=_ALL_BUT_DELETE),
        ),
        _with_rows(
            "databricks-14.1",
            f"{_A}, section on legacy behaviour: 14.0 and 14.1",
            reading,
            RowLevelConcurrency(_BOTH, preview=True, photon=_ALL_BUT_DELETE),
        ),
        _with_rows(
            "databricks-14.2",
            _A,
            reading,
            RowLevelConcurrency(_BOTH, photon=frozenset({"MERGE"})),
        ),
        _with_rows(
            "databricks-14.3",
            "Isolation levels and write conflicts, Azure Databricks, Runtime 14.3",
            reading,
            RowLevelConcurrency(_BOTH),
        ),
        _with_rows(
            "databricks-2026",
            "Isolation levels and write conflicts, Azure Databricks, 2026",
            reading,
            RowLevelConcurrency(_BOTH),
            metadata=documented.SCHEMA_CHANGED if weakest else documented.METADATA_CHANGED,
            zorder_conflicts=True,
        ),
    )


PROFILES = tuple(profile for reading in READINGS for profile in _generations(reading))
"""Both readings of every generation; the strongest goes by the bare name."""
