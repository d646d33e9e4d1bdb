"""What follows from the parts of a footprint: blind, empty, and the predicate in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.expressions import syntax as expressions
from model.expressions.syntax import Column, Comparison, Literal
from model.physical.files import DataFile
from model.physical.footprint import Footprint, MetadataChange, ProtocolChange, ReadPredicate
from model.values.types import INT

NOTHING = Footprint("WRITE")
FILE = DataFile("f", (), (), (), 0, (), frozenset(), None)
PREDICATE = ReadPredicate()


@pytest.mark.parametrize(
    ("parts", "blind"),
    [
        ({}, True),
        ({"adds": (FILE,)}, True),
        ({"adds": (FILE,), "removes": (FILE,)}, False),
        ({"read_predicates": (PREDICATE,)}, False),
        ({"read_files": (FILE,)}, False),
        ({"next_version_only": True}, False),
        ({"metadata": MetadataChange()}, True),
    ],
)
def test_a_blind_append_removes_and_reads_nothing(parts: dict, blind: bool) -> None:
    assert replace(NOTHING, **parts).blind_append is blind


@pytest.mark.parametrize(
    "parts",
    [
        {"adds": (FILE,)},
        {"removes": (FILE,)},
        {"metadata": MetadataChange()},
        {"protocol": ProtocolChange()},
        {"applications_written": (("a", 1),)},
        {"domains": frozenset({"delta.clustering"})},
    ],
)
def test_every_kind_of_action_is_something_to_write(parts: dict) -> None:
    assert replace(NOTHING, **parts).empty is False


def test_reads_alone_are_nothing_to_write() -> None:
    reading = replace(NOTHING, read_predicates=(PREDICATE,), read_files=(FILE,))
    assert NOTHING.empty is True
    assert reading.empty is True


def test_a_read_predicate_in_sql_has_the_parts_that_say_something() -> None:
    p, k = (
        Comparison("=", Column(place, name, INT), Literal(1, INT))
        for place, name in enumerate(("p", "k"))
    )
    assert ReadPredicate().text == expressions.sql(expressions.TRUE)
    assert ReadPredicate(partition=p).text == "p = 1"
    assert ReadPredicate(data=k).text == "k = 1"
    assert ReadPredicate(p, k).text == "p = 1 AND k = 1"
