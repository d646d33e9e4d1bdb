"""Which shape of cycle is a special case of another one, and what snapshots add to that."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import pytest

from model.levels import LEVELS, EdgeKind, implies
from model.levels.cycles import G1C, G2, G2_ITEM, G2_WRITERS, G_LOG, G_SINGLE
from model.levels.snapshots import implies_on_snapshots


@pytest.mark.parametrize(
    ("wide", "narrow", "covers"),
    [
        (G2, G_SINGLE, True),
        (G2, G2_ITEM, True),
        (G2, G1C, False),
        (G2_ITEM, G2, False),
        (G_SINGLE, G_SINGLE, True),
        (G_SINGLE, G2, False),
        (G_SINGLE, replace(G_SINGLE, counted=frozenset({EdgeKind.RW_ITEM})), False),
        (G2, replace(G1C, counted=frozenset({EdgeKind.RW_ITEM})), False),
        (G_LOG, G2, True),
        (G2_WRITERS, G2, False),
        (G2, G2_WRITERS, True),
    ],
)
def test_a_shape_covers_its_special_cases(wide, narrow, covers):
    assert wide.covers(narrow) is covers


def test_what_snapshots_add_to_the_table():
    added = {
        f"{strong} {weak}"
        for strong, weak in permutations(LEVELS, 2)
        if implies_on_snapshots(strong, weak) and not implies(strong, weak)
    }
    assert added == {
        "ReadUncommitted ReadCommitted",
        "ConsistentView SnapshotIsolation",
        "RepeatableRead ConsistentView",
        "RepeatableRead SnapshotIsolation",
        "WriteSerializable ReadCommitted",
        "WriteSerializable ConsistentView",
        "WriteSerializable SnapshotIsolation",
        "PL-3 SnapshotIsolation",
        "Serializable SnapshotIsolation",
        "Serializable StrictSerializable",
        "StrictSerializable SnapshotIsolation",
    }


def test_snapshots_take_nothing_from_the_table():
    for strong, weak in permutations(LEVELS, 2):
        assert implies_on_snapshots(strong, weak) or not implies(strong, weak)


def test_an_unknown_level_is_an_error():
    with pytest.raises(KeyError, match="PL-4"):
        implies_on_snapshots("Serializable", "PL-4")
