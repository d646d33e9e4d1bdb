"""The files that a MERGE writes.

In a partitioned table the rows are grouped by partition, with one file for each. In a table
without partitions every task writes one file, and the number of tasks depends on the join.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from model.expressions import syntax as expressions
from model.expressions.simplification import simplify
from model.expressions.syntax import Comparison, Expression
from model.history import RowId
from model.physical.files import DataFile, StoredRow, write_files
from model.tables.table import Table

if TYPE_CHECKING:
    from model.statements.merge.statement import Merge


@dataclass(frozen=True, slots=True, eq=False)
class Written:
    """The rows that a MERGE writes.

    ``inserted`` has the new rows by the branch of the source that they come from. ``kept`` has
    what is left of the replaced files, each row with the branch that it matched, None for one
    without a match; ``merge``, ``touched`` and ``source_rows`` describe the join behind it.
    ``origins`` has the ``id`` of the source row that each new row comes from.
    """

    inserted: tuple[tuple[StoredRow, ...], ...]
    kept: tuple[tuple[int | None, StoredRow], ...] = ()
    merge: Merge | None = None
    touched: tuple[DataFile, ...] = ()
    source_rows: int = 0
    origins: Mapping[RowId, int] = field(default_factory=dict)

    @property
    def rows(self) -> Iterable[StoredRow]:
        """All rows, new ones first."""
        yield from _flat(self.inserted)
        yield from (row for _, row in self.kept)


def identified(
    written: Written, table: Table, missing: Mapping[RowId, Iterable[int]]
) -> tuple[Written, Table]:
    """The rows with their identity values, and the table with its new high-water marks.

    ``missing`` has the places of the identity columns in which each new row gets a value. Each
    of ``n`` tasks assigns every nth value, starting at its own number
    (GenerateIdentityValues.scala). The mark is the furthest value in the files written.
    """
    identities = dict(table.identities)
    values: dict[RowId, dict[int, int]] = {}
    tasks = _tasks(written)
    for number, task in enumerate(tasks):
        given = dict.fromkeys(identities, number)
        for row in task:
            for place in missing.get(row.row, ()) if row.writer == row.row[0] else ():
                identity = identities[place]
                cells = values.setdefault(row.row, {})
                cells[place] = identity.next + identity.step * given[place]
                given[place] += len(tasks)

    def named(row: StoredRow) -> StoredRow:
        assigned = values.get(row.row)
        if assigned is None:
            return row
        filled = (assigned.get(place, value) for place, value in enumerate(row.values))
        return replace(row, values=tuple(filled))

    inserted = tuple(tuple(map(named, group)) for group in written.inserted)
    written = replace(written, inserted=inserted)
    for place, identity in identities.items():
        reached = [v for row in written.rows if isinstance(v := row.values[place], int)]
        identities[place] = identity.reaching(reached)
    return written, replace(table, identities=tuple(identities.items()))


def write(writer: str, table: Table, written: Written) -> tuple[DataFile, ...]:
    """The files that hold the rows."""
    groups = [group for group in _tasks(written) if group]
    if table.partitions:
        groups = [[row for group in groups for row in group]]
    files: tuple[DataFile, ...] = ()
    for number, group in enumerate(groups):
        prefix = writer if number == 0 else f"{writer}-task{number}"
        files += write_files(prefix, table, group, recording=written.merge is not None)
    return files


def _tasks(written: Written) -> list[list[StoredRow]]:
    """The rows by the task that writes them, in a table without partitions."""
    inserted = [list(group) for group in written.inserted]
    merge = written.merge
    if merge is None:
        return inserted
    kept = [row for _, row in written.kept]
    streams = merge.table.deletion_vectors and not merge.by_source
    if merge.matched_only or (merge.table.deletion_vectors and not merge.not_matched):
        return [kept]
    # With deletion vectors no unchanged row is written: a left outer join is enough, and it
    # goes through the source.
    if not streams and _equi_join(merge):
        return [[*kept, *_flat(inserted)]]
    if not streams and _source_is_broadcast(written):
        return [kept, _flat(inserted)]
    unmatched = [row for branch, row in written.kept if branch is None]
    for branch, row in written.kept:
        if branch is not None:
            inserted[branch].append(row)
    return inserted if streams else [*inserted, unmatched]


def _flat(groups: Iterable[Iterable[StoredRow]]) -> list[StoredRow]:
    return [row for group in groups for row in group]


def _equi_join(merge: Merge) -> bool:
    """Whether a conjunct of ON equates the target with the source: then one task joins both.

    A source column that is a constant is a constant to the join as well, and not a key (for
    ``=``; the null-safe form makes a key of a constant).
    """
    return any(_is_key(part, merge) for part in expressions.conjuncts(simplify(merge.condition)))


def _is_key(part: Expression, merge: Merge) -> bool:
    if not isinstance(part, Comparison) or part.operator not in ("=", "<=>"):
        return False
    width = len(merge.table.names)
    sides = []
    for side in (part.left, part.right):
        mentioned = expressions.columns(side)
        constants = {index for index in mentioned if index - width in merge.source.constant}
        sides.append(mentioned - constants)
    if not any(sides) or (part.operator == "=" and not all(sides)):
        return False
    one, other = sides
    return (_within(one, 0, width) and _within(other, width, None)) or (
        _within(other, 0, width) and _within(one, width, None)
    )


def _within(columns: frozenset[int], low: int, high: int | None) -> bool:
    return all(index >= low and (high is None or index < high) for index in columns)


def _source_is_broadcast(written: Written) -> bool:
    """Whether the join without keys takes the source as its smaller side.

    Spark compares file sizes, counting only the columns that each side uses. The model has no
    sizes: constants are small, and of two tables the one with fewer files, columns or rows
    counts as the smaller one, in this order.
    """
    merge = written.merge
    assert merge is not None
    if merge.source.query is None or len(written.touched) > 1:
        return True
    if _columns_used(merge) < len(merge.table.schema):
        return True
    return sum(map(len, written.touched)) > written.source_rows


def _columns_used(merge: Merge) -> int:
    """The number of columns of the source that ON and the clauses mention."""
    used = expressions.columns(merge.condition)
    for clause in (*merge.matched, *merge.not_matched, *merge.by_source):
        used |= expressions.columns(clause.test)
        for _, value in clause.assignments or ():
            used |= expressions.columns(value)
    return sum(index >= len(merge.table.names) for index in used)
