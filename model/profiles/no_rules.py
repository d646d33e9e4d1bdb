"""Profile no-rules: an engine that checks nothing, so every history of snapshots is admitted.

It is not an implementation: levels are distinguished on its histories
(``checker.separation.snapshots``).
"""

from __future__ import annotations

from dataclasses import replace

from model.physical.files import write_files
from model.physical.footprint import Footprint
from model.physical.log import Snapshot
from model.physical.row_level import row_changes
from model.profiles import delta_spark_4_4


def last_writer_wins(writer: str, footprint: Footprint, latest: Snapshot, began: int) -> Footprint:
    """The row changes of a transaction, applied to the files of the newest snapshot.

    If another transaction has changed the same row since, that version is replaced. So a row has
    one version at any time, as in a history of rows, although whole files are replaced unchecked.
    """
    if all(latest.files.get(file.key) is file for file in footprint.removes):
        return footprint
    if not footprint.data_changed:
        return footprint
    changes = row_changes(footprint)
    touched = [f for f in latest.files.values() if any(r.row in changes.replaced for r in f.rows)]
    kept = [r for f in touched for r in f.rows if r.row not in changes.replaced]
    adds = write_files(f"{writer}-again", latest.table, [*kept, *changes.written])
    return replace(footprint, removes=tuple(touched), adds=adds)


PROFILE = replace(
    delta_spark_4_4.PROFILE,
    name="no-rules",
    source="no conflict rules: what snapshots of whole commits alone give",
    rules=(),
    reapplied=last_writer_wins,
)
