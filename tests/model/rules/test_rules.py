"""Each conflict rule by itself, and the level that a commit is checked at."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.expressions.syntax import Column, Comparison, Literal
from model.physical.files import DataFile, StoredRow, data_file
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange, ReadPredicate
from model.physical.log import Commit
from model.profiles import DEFAULT
from model.rules.base import Attempt
from model.rules.delta_spark import level_in_force, skips_empty_commit
from model.tables.table import Table
from model.values.types import INT

TABLE = Table("t", ("k", "p"), (INT, INT), (1,))
FLAT = replace(TABLE, partitions=())
P = Column(1, "p", INT)


def file(path: str, partition: int, table: Table = TABLE) -> DataFile:
    return data_file(path, table, (StoredRow(("setup", 0), "setup", (1, partition)),))


def reads(partition: int) -> ReadPredicate:
    return ReadPredicate(Comparison("=", P, Literal(partition, INT)))


def conflict(
    current: Footprint, winner: Footprint, level: str = "Serializable", table: Table = TABLE
) -> str | None:
    attempt = Attempt("A", current, level, table)
    found = DEFAULT.conflict(attempt, [Commit(2, "B", winner, 1, level, winner.blind_append)])
    return found.name if found else None


READER = Footprint("DELETE", read_predicates=(reads(1),), read_files=(file("f", 1),))
APPEND = Footprint("WRITE", adds=(file("new", 1),))
REWRITE = Footprint(
    "UPDATE", read_predicates=(reads(1),), adds=(file("new", 1),), removes=(file("g", 1),)
)


def test_an_append_to_a_partition_that_was_read_conflicts() -> None:
    assert conflict(READER, APPEND) == "ConcurrentAppend"


def test_an_append_to_another_partition_does_not() -> None:
    assert conflict(READER, replace(APPEND, adds=(file("new", 2),))) is None


def test_any_file_added_to_a_table_without_partitions_conflicts() -> None:
    added = replace(APPEND, adds=(file("new", 2, FLAT),))
    assert conflict(READER, added, table=FLAT) == "ConcurrentAppend"


def test_a_blind_append_never_conflicts() -> None:
    assert conflict(APPEND, REWRITE) is None


def test_write_serializable_passes_over_blind_appends_and_nothing_else() -> None:
    assert conflict(READER, APPEND, "WriteSerializable") is None
    assert conflict(READER, REWRITE, "WriteSerializable") == "ConcurrentAppend"


def test_write_serializable_counts_blind_appends_for_a_change_of_metadata() -> None:
    changing = replace(READER, metadata=MetadataChange(frozenset({"delta.x"})))
    assert conflict(changing, APPEND, "WriteSerializable") == "ConcurrentAppend"


def test_snapshot_isolation_passes_over_all_added_files() -> None:
    assert conflict(READER, REWRITE, "SnapshotIsolation") is None


def test_removal_of_a_file_that_was_read_conflicts() -> None:
    removal = Footprint("DELETE", removes=(file("f", 1),))
    assert conflict(READER, removal) == "ConcurrentDeleteRead"


def test_any_removal_conflicts_with_a_read_of_the_whole_table() -> None:
    removal = Footprint("DELETE", removes=(file("other", 2),))
    assert conflict(READER, removal) is None
    assert conflict(replace(READER, read_whole_table=True), removal) == "ConcurrentDeleteRead"


def test_removal_of_the_same_file_conflicts() -> None:
    removal = Footprint("DELETE", removes=(file("f", 1),))
    assert conflict(removal, removal) == "ConcurrentDeleteDelete"


DISABLED = MetadataChange(
    frozenset({"delta.enableDeletionVectors"}), frozenset({"delta.enableDeletionVectors"})
)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (MetadataChange(frozenset({"delta.appendOnly"})), "MetadataChanged"),
        (MetadataChange(schema_changed=True), "MetadataChanged"),
        (MetadataChange(properties_removed=True), "MetadataChanged"),
        (MetadataChange(frozenset({"delta.enableDeletionVectors"})), None),
        (DISABLED, "MetadataChanged"),
        (MetadataChange(identity_only=True), None),
        (MetadataChange(), None),
    ],
)
def test_a_change_of_metadata_conflicts_unless_it_is_harmless(
    change: MetadataChange, expected: str | None
) -> None:
    assert conflict(READER, Footprint("SET TBLPROPERTIES", metadata=change)) == expected


def test_two_changes_of_metadata_always_conflict() -> None:
    harmless = Footprint("x", metadata=MetadataChange(frozenset({"delta.enableRowTracking"})))
    assert conflict(harmless, harmless) == "MetadataChanged"


def test_no_metadata_is_harmless_once_identity_values_were_handed_out() -> None:
    handing_out = Footprint(
        "WRITE", metadata=MetadataChange(identity_only=True, schema_changed=True)
    )
    nothing_new = Footprint("SET TBLPROPERTIES", metadata=MetadataChange())
    winners = (Commit(2, "B", handing_out, 1, ""), Commit(3, "C", nothing_new, 2, ""))
    attempt = Attempt("A", READER, "Serializable", TABLE, winners)
    found = DEFAULT.conflict(attempt, winners)
    assert found is not None
    assert (found.winner, found.name) == ("C", "MetadataChanged")


def test_two_writes_of_one_domain_conflict() -> None:
    clustering = Footprint("CLUSTER BY", domains=frozenset({"delta.clustering"}))
    other = Footprint("x", domains=frozenset({"other"}))
    assert conflict(clustering, clustering) == "ConcurrentTransaction"
    assert conflict(clustering, other) is None


def test_a_feature_that_a_winner_uses_cannot_be_dropped() -> None:
    dropping = Footprint(
        "DROP FEATURE",
        metadata=MetadataChange(),
        protocol=ProtocolChange(dropped=frozenset({"checkConstraints"})),
    )
    check = Footprint("x", metadata=MetadataChange(frozenset({"delta.constraints.c"})))
    assert conflict(dropping, check) == "DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL"
    assert conflict(dropping, Footprint("x", metadata=MetadataChange())) == "MetadataChanged"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (ProtocolChange(dropped=frozenset({"deletionVectors"})), "ProtocolChanged"),
        (ProtocolChange(added=frozenset({"identityColumns"})), None),
        (ProtocolChange(added=frozenset({"deletionVectors"})), None),
    ],
)
def test_a_change_of_protocol_conflicts_when_a_feature_goes(
    change: ProtocolChange, expected: str | None
) -> None:
    assert conflict(READER, Footprint("UPGRADE", protocol=change)) == expected


def test_one_stream_cannot_write_twice_at_once() -> None:
    stream = Footprint(
        "STREAMING UPDATE",
        applications_read=frozenset({"s"}),
        applications_written=(("s", 1),),
    )
    other = replace(stream, applications_written=(("other", 1),))
    assert conflict(stream, stream) == "ConcurrentTransaction"
    assert conflict(stream, other) is None


def test_rules_are_tried_in_the_engines_order() -> None:
    everything = Footprint(
        "x",
        adds=(file("new", 1),),
        removes=(file("f", 1),),
        metadata=MetadataChange(schema_changed=True),
        protocol=ProtocolChange(dropped=frozenset({"deletionVectors"})),
    )
    removing = replace(READER, removes=(file("f", 1),))
    found = []
    for lack in ({"protocol": None}, {"metadata": None}, {"adds": ()}, {"removes": ()}):
        found.append(conflict(removing, everything))
        everything = replace(everything, **lack)  # type: ignore[arg-type]
    assert found == [
        "ProtocolChanged",
        "MetadataChanged",
        "ConcurrentAppend",
        "ConcurrentDeleteRead",
    ]


def test_the_oldest_winner_is_named() -> None:
    attempt = Attempt("A", READER, "Serializable", TABLE)
    winners = [Commit(2, "B", APPEND, 1, ""), Commit(3, "C", APPEND, 1, "")]
    found = DEFAULT.conflict(attempt, winners)
    assert found is not None
    assert (found.winner, found.version) == ("B", 2)


def test_only_a_mark_that_moved_before_makes_harmless_metadata_conflict() -> None:
    """A later mark is not in the metadata that the winner wrote."""
    vectors = MetadataChange(frozenset({"delta.enableDeletionVectors"}))
    harmless = Commit(3, "B", Footprint("SET TBLPROPERTIES", metadata=vectors), 1, "")
    moved = Footprint("WRITE", metadata=MetadataChange(schema_changed=True, identity_only=True))
    before, after = Commit(2, "C", moved, 1, ""), Commit(4, "D", moved, 1, "")
    for winners, expected in (((before, harmless), "MetadataChanged"), ((harmless, after), None)):
        attempt = Attempt("A", APPEND, "Serializable", TABLE, winners)
        found = DEFAULT.conflict(attempt, winners)
        assert (found.name if found else None) == expected


COMPACTION = Footprint(
    "OPTIMIZE", adds=(file("n", 1),), removes=(file("f", 1),), data_changed=False
)
NOTHING = Footprint("DELETE", read_predicates=(reads(1),))


@pytest.mark.parametrize(
    ("footprint", "table_level", "expected"),
    [
        (REWRITE, "Serializable", "Serializable"),
        (REWRITE, "WriteSerializable", "WriteSerializable"),
        (COMPACTION, "Serializable", "SnapshotIsolation"),
        (COMPACTION, "WriteSerializable", "SnapshotIsolation"),
        (replace(COMPACTION, metadata=MetadataChange()), "Serializable", "Serializable"),
        (replace(COMPACTION, domains=frozenset({"d"})), "WriteSerializable", "WriteSerializable"),
        (replace(COMPACTION, protocol=ProtocolChange()), "Serializable", "Serializable"),
        (replace(COMPACTION, applications_written=(("a", 1),)), "Serializable", "Serializable"),
        (Footprint("RESTORE", next_version_only=True), "WriteSerializable", "Serializable"),
        (NOTHING, "Serializable", "SnapshotIsolation"),
        (NOTHING, "WriteSerializable", "WriteSerializable"),
    ],
)
def test_the_level_in_force_depends_on_what_a_commit_does(
    footprint: Footprint, table_level: str, expected: str
) -> None:
    assert level_in_force(table_level, footprint) == expected


def test_an_empty_commit_is_recorded_at_write_serializable_alone() -> None:
    assert skips_empty_commit("Serializable")
    assert skips_empty_commit("SnapshotIsolation")
    assert not skips_empty_commit("WriteSerializable")
