"""Partial-order reduction: the classes cover every schedule, and each is one history."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement

import pytest

from checker.search import alphabet
from checker.search.schedules import (
    ScheduleClass,
    class_of,
    classes,
    count_interleavings,
    interleavings,
)
from model.history import History
from model.preparation import prepare
from model.profiles import DEFAULT
from model.scenario import Step
from model.simulator import run

pytestmark = pytest.mark.slow

WRITERS = ("A", "B", "C", "D")
READERS = ("R", "S", "U")

SHAPES = [(1, 0), (2, 0), (3, 0), (4, 0), (0, 1), (1, 1), (2, 1), (3, 1), (1, 2), (2, 2), (0, 3)]


@pytest.mark.parametrize(("writers", "readers"), SHAPES)
def test_the_sizes_of_the_classes_add_up_to_all_interleavings(writers, readers):
    found = list(classes(WRITERS[:writers], READERS[:readers]))
    assert sum(each.size for each in found) == count_interleavings(writers + readers)


@pytest.mark.parametrize(("writers", "readers"), SHAPES)
def test_every_interleaving_is_in_exactly_one_class_of_the_size_that_it_says(writers, readers):
    names = WRITERS[:writers] + READERS[:readers]
    members = Counter(class_of(s, READERS) for s in interleavings(names))
    assert sum(members.values()) == count_interleavings(len(names))
    found = list(classes(WRITERS[:writers], READERS[:readers]))
    assert members == {each: each.size for each in found}
    assert len(found) == len(members)


@pytest.mark.parametrize(
    ("writers", "readers", "expected"),
    [(2, 0, 4), (3, 0, 36), (4, 0, 576), (2, 1, 12), (1, 2, 4), (0, 3, 1)],
)
def test_the_number_of_classes(writers, readers, expected):
    assert len(list(classes(WRITERS[:writers], READERS[:readers]))) == expected


def test_the_representative_is_in_its_class_and_begins_late():
    for each in classes(("A", "B", "C"), ("R",)):
        assert class_of(each.representative, READERS) == each
    serial = ScheduleClass(("A", "B"), (0, 1))
    assert list(map(str, serial.representative)) == ["begin A", "commit A", "begin B", "commit B"]
    overlap = ScheduleClass(("A", "B"), (0, 0), ("R",), (1,))
    assert list(map(str, overlap.representative)) == [
        *("begin B", "begin A", "commit A", "begin R", "commit R", "commit B")
    ]


def test_interleavings_begin_before_they_commit():
    assert {tuple(map(str, s)) for s in interleavings(["A"])} == {("begin A", "commit A")}
    assert len(set(interleavings(["A", "B", "C"]))) == 90


PAIRS = list(
    combinations_with_replacement(
        ["append to 1", "count everything", "delete 1", "delete partition NULL", "move 1 to 2",
         "compact", "read everything"], 2
    )
)  # fmt: skip

TRIPLES = [
    ("append to both", "delete 1", "copy 2 to 1"),
    ("append to 1", "count everything", "read 1"),
    ("compact", "delete large", "delete partition NULL"),
    ("move 1 to 2", "read everything", "read large"),
]


@pytest.mark.parametrize("names", [*PAIRS, *TRIPLES], ids=" / ".join)
@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
def test_all_schedules_of_a_class_give_the_same_history(names, level):
    texts = {WRITERS[i]: alphabet.named(name).sql for i, name in enumerate(names)}
    readers = {name for name, sql in texts.items() if sql.startswith("SELECT")}
    steps = [Step(action, name) for name in texts for action in ("begin", "commit")]
    scenario = alphabet.scenario("partitioned", level, texts, steps, "x")
    workload = prepare(scenario, DEFAULT)
    seen: dict[ScheduleClass, tuple[object, ...]] = {}
    for schedule in interleavings(tuple(texts)):
        ran = run(workload, schedule, DEFAULT)
        outcomes = tuple(ran.ended[name].outcome for name in texts)
        result = (outcomes, *content(ran.history))
        assert seen.setdefault(class_of(schedule, readers), result) == result
    assert len(seen) < len(list(interleavings(tuple(texts))))


def content(history: History) -> tuple[object, ...]:
    """A history as a value: what the transactions are, by name, and the final rows."""
    by_name = sorted(history.transactions, key=lambda transaction: transaction.name)
    reads = [[(p.table, p.text) for p in t.predicate_reads] for t in by_name]
    plain = [replace(t, predicate_reads=(), rerun=None) for t in by_name]
    return reads, plain, Counter(history.final)
