"""The names of cycles, where nothing tells reads of items from reads of predicates."""

from __future__ import annotations

import pytest

from model.levels import common_name, cycle_name


@pytest.mark.parametrize(
    ("kinds", "adya", "field"),
    [
        ("ww ww", "G0", "write cycle"),
        ("ww wr", "G1c", "circular information flow"),
        ("wr so", "G1c-session", "causality violation"),
        ("ww so", "G1c-session", "causality violation"),
        ("wr rt", "G1c-realtime", "real-time violation"),
        ("rw wr", "G-single", "read skew"),
        ("rw so", "G-single-session", "causality violation"),
        ("rw rw", "G2", "write skew"),
        ("rw rw wr", "G2", "serialization anomaly (consecutive anti-dependencies)"),
        ("rw wr rw", "G2", "serialization anomaly (consecutive anti-dependencies)"),
        ("rw wr rw wr", "G-nonadjacent", "long fork"),
        ("rw ww rw wr rw wr", "G-nonadjacent", "anti-dependency cycle"),
    ],
)
def test_a_cycle_has_adyas_name_and_the_fields(kinds: str, adya: str, field: str) -> None:
    assert (cycle_name(kinds.split()), common_name(kinds.split())) == (adya, field)


def test_orders_that_are_not_dependencies_follow_the_name() -> None:
    assert cycle_name(["rw", "log", "so"]) == "G-single-log-session"
    assert cycle_name(["rw item", "wr item", "log"]) == "G-single-log"


def test_what_was_lost_or_contradicts_itself_says_more_than_the_shape() -> None:
    assert common_name(["rw", "ww"], lost_update=True) == "lost update"
    assert common_name(["ww", "ww"], cyclic_versions=True) == "cyclic versions"
