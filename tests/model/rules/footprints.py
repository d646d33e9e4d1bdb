"""Random footprints with every kind of action, of statements that there are and that are not."""

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
from model.rules.delta_spark import HARMLESS_PROPERTIES, REARRANGING_OPERATIONS
from model.tables.protocol import ENABLING

TABLES = {layout: Search(layout).workload.base.table for layout in alphabet.LAYOUTS}

PROPERTIES = (
    *sorted(HARMLESS_PROPERTIES),
    *sorted(name for name, _ in ENABLING.values()),
    *("delta.constraints.positive", "delta.isolationLevel", "owner"),
)
FEATURES = (*sorted(ENABLING), "checkConstraints", "identityColumns")
OPERATIONS = ("WRITE", "DELETE", "MERGE", *sorted(REARRANGING_OPERATIONS))


def _some(pick: Random, values: tuple[str, ...], most: int) -> frozenset[str]:
    return frozenset(pick.sample(values, pick.randrange(most + 1)))


def _metadata(pick: Random) -> MetadataChange | None:
    """None, a mark that moved or not, or any change of properties and columns."""
    if pick.random() < 0.5:
        return None
    if pick.random() < 0.3:
        return MetadataChange(identity_only=True, schema_changed=pick.random() < 0.7)
    properties = _some(pick, PROPERTIES, 3)
    return MetadataChange(
        properties,
        frozenset(name for name in sorted(properties) if pick.random() < 0.2),
        schema_changed=pick.random() < 0.15,
        properties_removed=pick.random() < 0.15,
    )


def _protocol(pick: Random) -> ProtocolChange | None:
    """None, or features that come and go, those among them that a property enables."""
    if pick.random() < 0.6:
        return None
    added = _some(pick, FEATURES, 2) if pick.random() < 0.5 else frozenset()
    return ProtocolChange(added, _some(pick, FEATURES, 3) - added)


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

    bare = pick.random() < 0.4  # Nothing of the definition, so that files decide.

    count = pick.choice((0, 0, 1, 2))
    return Footprint(
        pick.choice(OPERATIONS),
        read_predicates=tuple(_predicate(pick, layout) for _ in range(count)),
        read_files=some(0.2),
        read_whole_table=pick.random() < 0.1,
        adds=some(0.3),
        removes=some(0.15),
        data_changed=pick.random() < 0.8,
        metadata=None if bare else _metadata(pick),
        protocol=None if bare else _protocol(pick),
        domains=frozenset() if bare else _some(pick, ("delta.clustering", "d", "e"), 1),
        applications_read=frozenset() if bare else _some(pick, ("a", "b", "c"), 1),
        applications_written=tuple((a, 1) for a in _some(pick, ("a", "b", "c"), 0 if bare else 2)),
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
