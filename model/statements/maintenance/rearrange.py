"""The common part of OPTIMIZE and REORG: replacing files by others with the same rows."""

from __future__ import annotations

from collections.abc import Iterable

from model.history import Value
from model.physical.files import Cube, DataFile, write_files
from model.physical.footprint import Footprint, ReadPredicate
from model.statements.base import Execution
from model.tables.table import Table


def rearrange(
    operation: str,
    table: Table,
    writer: str,
    predicate: ReadPredicate,
    files: Iterable[DataFile],
    cube: Cube | None = None,
) -> Execution:
    """The execution that replaces ``files`` by one file for each partition.

    No row changes, so logically nothing is read or written. Physically the
    predicate and the files replaced count as read, and the transaction starts over after a
    conflict as long as those files are still there, each with the deletion vector that it had
    (OptimizeTableCommand.scala, ``commitAndRetry``).
    """
    replaced = tuple(files)
    rows = (row for file in replaced for row in file.rows)
    return Execution(
        Footprint(
            operation,
            read_predicates=(predicate,),
            read_files=replaced,
            adds=write_files(writer, table, rows, cube),
            removes=replaced,
            data_changed=False,
            retries=True,
        )
    )


def purge(table: Table, writer: str, files: Iterable[DataFile]) -> Footprint:
    """The footprint of REORG ... APPLY (PURGE) of these files, as run by other statements."""
    footprint = rearrange("REORG", table, writer, ReadPredicate(), files).footprint
    assert footprint is not None
    return footprint


def to_cluster(table: Table, files: Iterable[DataFile], full: bool = False) -> list[DataFile]:
    """The files of a clustered table that OPTIMIZE clusters again.

    These are the files that were never clustered, and those of cubes made by the same columns;
    with FULL also those of other columns. None if all of them are one cube already.
    (OptimizeTableStrategy.scala, ``applyMinZCube``. The sizes that make a cube complete are
    far beyond any table here.)
    """
    chosen = [
        file for file in files if full or file.cube is None or file.cube.columns == table.clustering
    ]
    cubes = {file.cube for file in chosen}
    done = len(cubes) == 1 and all(
        cube is not None and cube.columns == table.clustering for cube in cubes
    )
    return [] if done else chosen


def by_partition(files: Iterable[DataFile]) -> dict[tuple[Value, ...], list[DataFile]]:
    """Files by their partition values."""
    groups: dict[tuple[Value, ...], list[DataFile]] = {}
    for file in files:
        groups.setdefault(file.partition, []).append(file)
    return groups
