"""Random footprints, of statements that there are and that there are not."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from checker.search import alphabet
from checker.search.exhaustive import Search
from model.expressions.syntax import TRUE, Column, Comparison, Expression, Literal
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange, ReadPredicate
from model.physical.log import Commit
from model.rules.base import Attempt

TABLES = {layout: Search(layout).workload.base.table for layout in alphabet.LAYOUTS}

METADATA = (
    None,
    MetadataChange(),
    MetadataChange(identity_only=True, schema_changed=True),
    MetadataChange(schema_changed=True),
    MetadataChange(properties_removed=True),
    MetadataChange(frozenset({"delta.appendOnly"})),
    MetadataChange(frozenset({"delta.enableRowTracking"})),
    MetadataChange(
        frozenset({"delta.enableDeletionVectors"}), frozenset({"delta.enableDeletionVectors"})
    ),
    MetadataChange(frozenset({"delta.constraints.positive"})),
)
PROTOCOL = (
    None,
    ProtocolChange(frozenset({"appendOnly"})),
    ProtocolChange(dropped=frozenset({"checkConstraints"})),
)


def _file(layout: str, number: int, vector: str | None) -> DataFile:
    partition = (number % 3,) if layout == "partitioned" else ()
    return DataFile(f"f{number}", partition, (), (), 0, (), frozenset(), vector)


def _predicate(pick: Random, layout: str) -> ReadPredicate:
    partition: Expression = TRUE
    if layout == "partitioned" and pick.random() < 0.7:
        table = TABLES[layout]
        (place,) = table.partitions
        column = Column(place, table.names[place], table.types[place])
        partition = Comparison("=", column, Literal(pick.randrange(3), column.type))
    return ReadPredicate(partition)


def _footprint(pick: Random, layout: str, files: list[DataFile]) -> Footprint:
    def some(share: float) -> tuple[DataFile, ...]:
        return tuple(file for file in files if pick.random() < share)

    def seldom(values: tuple[Any, ...]) -> Any:
        return pick.choice(values) if pick.random() < 0.35 else values[0]

    count = pick.choice((0, 0, 1, 2))
    return Footprint(
        "WRITE",
        read_predicates=tuple(_predicate(pick, layout) for _ in range(count)),
        read_files=some(0.2),
        read_whole_table=pick.random() < 0.1,
        adds=some(0.3),
        removes=some(0.15),
        data_changed=pick.random() < 0.8,
        metadata=seldom(METADATA),
        protocol=seldom(PROTOCOL),
        domains=seldom((frozenset(), frozenset({"d"}))),
        applications_read=seldom((frozenset(), frozenset({"a"}))),
        applications_written=seldom(((), (("a", 1),))),
        next_version_only=seldom((False, True)),
        restates=seldom((False, True)),
    )


def random_attempts(seed: int, count: int) -> Iterator[tuple[Attempt, Commit]]:
    """Attempts and a winner each, at every level, on tables with partitions and without."""
    pick = Random(seed)
    levels = (SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION)
    for _ in range(count):
        layout = pick.choice(tuple(TABLES))
        files = [
            _file(layout, number, vector) for number in range(4) for vector in (None, f"dv{number}")
        ]
        commits = []
        for version in (1, 2):
            theirs = _footprint(pick, layout, files)
            blind = theirs.blind_append
            commits.append(Commit(version, f"W{version}", theirs, 0, SERIALIZABLE, blind))
        winners = tuple(commits[pick.randrange(2) :])
        mine = _footprint(pick, layout, files)
        yield Attempt("T", mine, pick.choice(levels), TABLES[layout], winners), winners[-1]
