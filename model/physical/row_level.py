"""Row-level changes, read off the files that a transaction replaces.

A rewrite copies the rows that it leaves alone, version and all. So the rows that a transaction
changed are those of its removed files that no added file holds in the same version, and the
rows that it wrote are the rest of the added files. Nothing else is needed to decide whether two
transactions changed the same row, or to carry a change over to files that others have rewritten.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from model.history import RowId
from model.physical.files import DataFile, StoredRow, write_files
from model.physical.footprint import Footprint
from model.physical.log import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class RowChanges:
    """The row versions that a footprint ends and starts.

    ``replaced`` are the versions that it ends, by row; ``written`` the versions that it starts.
    """

    replaced: dict[RowId, StoredRow]
    written: tuple[StoredRow, ...]


@lru_cache(maxsize=8192)
def row_changes(footprint: Footprint) -> RowChanges:
    """The rows that a transaction with this footprint changes."""
    removed = {(row.row, row.writer): row for file in footprint.removes for row in file.rows}
    added = {(row.row, row.writer): row for file in footprint.adds for row in file.rows}
    return RowChanges(
        replaced={row.row: row for key, row in removed.items() if key not in added},
        written=tuple(row for key, row in added.items() if key not in removed),
    )


def reapplied(writer: str, footprint: Footprint, latest: Snapshot, began: int) -> Footprint:
    """The same changes on the newest snapshot, where some of the removed files are gone.

    A compaction goes on with those of its files that no other transaction has touched. The rows
    that a transaction changed must still be there in the version that it read: two changes of
    the same row are a conflict, which the rules have already refused.
    """
    if all(latest.files.get(file.key) is file for file in footprint.removes):
        return footprint
    if footprint.data_changed:
        changes = row_changes(footprint)
        touched = [f for f in latest.files.values() if _holds(f, changes)]
        kept = [r for f in touched for r in f.rows if not _is_old(r, changes)]
        rows = [*kept, *changes.written]
    else:
        touched = [f for f in footprint.removes if latest.files.get(f.key) is f]
        rows = [row for file in touched for row in file.rows]
    adds = write_files(f"{writer}-again", latest.table, rows)
    return replace(footprint, removes=tuple(touched), adds=adds)


def _holds(file: DataFile, changes: RowChanges) -> bool:
    return any(_is_old(row, changes) for row in file.rows)


def _is_old(row: StoredRow, changes: RowChanges) -> bool:
    old = changes.replaced.get(row.row)
    return old is not None and old.writer == row.writer
