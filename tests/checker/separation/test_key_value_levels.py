"""The levels of key-value histories: what separates them, and what is proved of them."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from checker.proofs.theorems.key_value.levels import implies
from checker.recorded.decide import judge
from checker.separation.key_value.definition import satisfies
from checker.separation.key_value.history import (
    INITIAL,
    KeyValueHistory,
    PredicateRead,
    Read,
    Transaction,
    Write,
)
from checker.separation.key_value.pairs import separate, separate_pair, verdicts
from checker.separation.key_value.smallest import Synthesis, explanation, shape
from checker.separation.result import Separation
from isodelta.cli import run
from isodelta.commands.explore.separating.key_value import separating
from isodelta.commands.explore.separating.page import lattice_picture
from model.levels import KEY_VALUE_LEVELS, SHORT_WITHOUT_LOG

pytestmark = pytest.mark.slow

NAMES = {short: name for name, short in SHORT_WITHOUT_LOG.items()}

# The smallest history of each pair as transactions and operations: line holds, column violates.
ITEMS = """
      RC  RA  UA  CC  PC  PSI SI  WS  RR  SER
RC    .   2,2 2,2 2,2 2,2 2,2 2,2 2,3 2,2 2,2
RA    =>  .   2,4 3,3 3,3 2,4 2,4 2,4 2,4 2,4
UA    =>  =>  .   3,3 3,3 3,3 3,3 2,4 2,4 2,4
CC    =>  =>  2,4 .   4,4 2,4 2,4 2,4 2,4 2,4
PC    =>  =>  2,4 =>  .   2,4 2,4 2,4 2,4 2,4
PSI   =>  =>  =>  =>  4,4 .   4,4 2,4 2,4 2,4
SI    =>  =>  =>  =>  =>  =>  .   2,4 2,4 2,4
WS    2,3 2,2 2,2 2,2 2,2 2,2 2,2 .   2,2 2,2
RR    =>  =>  =>  =>  =>  =>  =>  =>  .   =>
SER   =>  =>  =>  =>  =>  =>  =>  =>  =>  .
"""

# What predicate reads change: a history where there was an implication.
PREDICATES = """
      RC  RA  UA  CC  PC  PSI SI  WS  RR  SER
RR    2,3 2,2 2,2 2,2 2,2 2,2 2,2 2,3 .   2,2
"""


def table(text):
    head, *lines = [line.split() for line in text.strip().splitlines()]
    return {
        (NAMES[held], NAMES[violated]): cell
        for held, *cells in lines
        for violated, cell in zip(head, cells, strict=True)
        if cell != "."
    }


def cells(result):
    return {
        (each.held, each.violated): (
            f"{each.history.size},{each.history.history.operations}"
            if each.history
            else {"implied": "=>", "equal": "="}[each.verdict]
        )
        for each in result.separations
    }


@pytest.fixture(scope="module")
def items():
    return separate()


@pytest.fixture(scope="module")
def predicates():
    return separate(predicates=True)


def test_the_smallest_history_of_every_pair(items):
    assert cells(items) == table(ITEMS)


def test_the_smallest_history_of_every_pair_with_predicate_reads(predicates):
    assert cells(predicates) == table(ITEMS) | table(PREDICATES)


@pytest.mark.parametrize("which", ["items", "predicates"])
def test_every_separating_history_is_confirmed_by_definition_and_decider(which, request):
    known = {"ReadCommitted", "ReadAtomic", "Causal", "SnapshotIsolation", "Serializable"}
    for each in request.getfixturevalue(which).separations:
        if each.history is None:
            continue
        assert each.confirmed[0] == "definition", each
        if not each.history.history.has_predicates and known & {each.held, each.violated}:
            assert each.confirmed[1:] == ("decider of recorded histories",), each


def test_a_third_key_makes_no_history_smaller(items):
    for held, violated in (("Causal", "Prefix"), ("SnapshotIsolation", "Serializable")):
        of_two, of_three = items.between(held, violated), separate_pair(held, violated, keys=3)
        assert of_three.history.cost == of_two.history.cost


def test_a_reader_that_reads_a_key_twice_is_the_smallest_without_read_committed(items):
    history = items.between("WriteSerializable", "ReadCommitted").history.history
    (reader,) = (each for each in history.transactions if not each.writes)
    first, second = reader.reads
    assert (first.key, second.writer) == (second.key, INITIAL)
    assert first.writer != INITIAL


@pytest.mark.parametrize("predicates", [False, True])
def test_where_the_reads_of_a_transaction_agree_no_key_is_read_twice(predicates):
    """So the search may leave repeated reads out at these levels."""
    rng, repeated = random.Random(8), 0
    free = {
        name for name, level in KEY_VALUE_LEVELS.items() if level.each_read or not level.readers
    }
    for _ in range(150):
        history = random_history(rng, predicates)
        reads = [
            [(read.key, read.writer) for read in each.reads if isinstance(read, Read)]
            for each in history.transactions
        ]
        if all(len(dict(each)) == len(set(each)) for each in reads):
            continue
        repeated += 1
        assert not any(verdicts(history, set(KEY_VALUE_LEVELS) - free).values())
    assert repeated > 10


def test_idle_readers_change_no_verdict(items):
    for history in {pair.history.history for pair in items.separations if pair.history}:
        larger = history.larger(6)
        assert len(larger.transactions) == 6
        assert verdicts(larger) == verdicts(history)


@pytest.mark.parametrize("level", KEY_VALUE_LEVELS)
def test_nothing_separates_a_level_from_itself(level):
    same = (KEY_VALUE_LEVELS[level],)
    for size in (2, 3):
        assert Synthesis(shape(size, 2, same), same, same[0]).find() is None
    assert Synthesis(shape(2, 2, same, predicates=True), same, same[0]).find() is None
    assert implies(level, level, predicates=True)


def test_implications_that_hold_are_those_that_no_history_contradicts(items, predicates):
    for result in (items, predicates):
        for each in result.separations:
            proved = implies(each.held, each.violated, predicates=result.predicates)
            assert proved == (each.history is None)


def test_the_read_only_anomaly_takes_three_transactions():
    # Fekete, O'Neil, O'Neil 2004: the writers alone are serializable, with the reader they are not.
    held = (KEY_VALUE_LEVELS["SnapshotIsolation"], KEY_VALUE_LEVELS["WriteSerializable"])
    violated = KEY_VALUE_LEVELS["Serializable"]
    found = [
        Synthesis(shape(size, 2, held, blind_writes=False), held, violated).smallest()
        for size in (2, 3)
    ]
    assert found[0] is None
    assert sorted(len(each.writes) for each in found[1].transactions) == [0, 1, 1]
    assert {name for name, fits in verdicts(found[1]).items() if not fits} == {
        "RepeatableRead",
        "Serializable",
    }


def test_without_blind_writes_a_long_fork_still_takes_four_transactions():
    levels = (KEY_VALUE_LEVELS["Causal"], KEY_VALUE_LEVELS["Prefix"])
    sizes = {
        size: Synthesis(shape(size, 5, levels, blind_writes=False), levels[:1], levels[1]).find()
        for size in (3, 4)
    }
    assert sizes[3] is None
    assert sizes[4] is not None


def random_history(rng, predicates):
    count, keys = rng.randint(1, 4), rng.randint(1, 2)
    writes = [
        {k: rng.random() < 0.5 for k in range(keys) if rng.random() < 0.5} for _ in range(count)
    ]
    initially = frozenset(k for k in range(keys) if predicates and rng.random() < 0.5)
    transactions = []
    for t in range(count):
        versions = {
            k: [INITIAL, *(u for u in range(count) if u != t and k in writes[u])]
            for k in range(keys)
        }
        reads = [Read(k, rng.choice(versions[k])) for k in range(keys) if rng.random() < 0.5]
        if reads and rng.random() < 0.3:
            again = rng.choice(reads).key
            reads.append(Read(again, rng.choice(versions[again])))
        if predicates and rng.random() < 0.5:
            matching = {
                k: [w for w in found if (k in initially if w == INITIAL else writes[w][k])]
                for k, found in versions.items()
            }
            rows = [Read(k, rng.choice(w)) for k, w in matching.items() if w and rng.random() < 0.6]
            reads.append(PredicateRead(tuple(rows)))
        rng.shuffle(reads)
        written = tuple(Write(k, m and predicates) for k, m in writes[t].items())
        transactions.append(Transaction(rng.randint(0, count - 1), tuple(reads), written))
    return KeyValueHistory(tuple(transactions), keys, initially)


@pytest.mark.parametrize("predicates", [False, True])
def test_the_clauses_say_what_the_definitions_say(predicates):
    rng = random.Random(7)
    seen = set()
    for _ in range(250):
        history = random_history(rng, predicates)
        recorded = {}
        if not history.has_predicates:
            recorded = judge(history.recorded(), session_order=True).levels
        for level, fits in verdicts(history).items():
            assert fits == satisfies(history, level), (level, history.lines())
            if level in recorded:
                assert fits == (recorded[level].verdict == "holds"), (level, history.lines())
            seen.add((level, fits))
    assert len(seen) == 2 * len(KEY_VALUE_LEVELS)


def test_an_explanation_is_a_commit_order_of_all_transactions():
    history = KeyValueHistory(
        (Transaction(0, (Read(0, 1),), ()), Transaction(1, (), (Write(0),))), keys=1
    )
    assert explanation(history, "Serializable").order == (1, 0)


@pytest.mark.parametrize("searched", [0, 1, 7, 20, 45, 60, 85])
def test_the_picture_of_a_search_that_was_cut_short_has_a_history_on_every_line(items, searched):
    done, left = items.separations[:searched], items.separations[searched:]
    cut = [pair if pair.reason == "implied" else Separation(pair.held, pair.violated, 0)
           for pair in left]  # fmt: skip
    picture = lattice_picture(separating(replace(items, separations=(*done, *cut))))
    assert {edge.history.label for edge in picture.edges} <= {h.label for h in picture.histories}
    assert bool(picture.edges) == any(pair.history for pair in done)


def test_explore_separate_prints_key_value_levels(capsys, tmp_path):
    report = tmp_path / "report"
    arguments = ["explore", "--separate", "--levels", "key-value", "--json"]
    assert run([*arguments, "--report", str(report)]) == 0
    *pairs, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    summary = last["summary"]
    assert (len(pairs), summary["separated"], summary["implied"]) == (90, 54, 36)
    skew = next(
        pair
        for pair in pairs
        if (pair["holds"], pair["violates"]) == ("SnapshotIsolation", "Serializable")
    )
    assert skew["anomaly"] == "write skew"
    assert skew["history"] == ["T1: r(x0), w(y1)", "T2: r(y0), w(x2)"]
    page = (report / "index.html").read_text()
    assert "lattice-picture" in page
    for label in {pair["label"] for pair in pairs if "label" in pair}:
        assert f'id="history-{label}"' in page


def test_explore_separate_tells_people_what_needs_a_predicate(capsys):
    assert run(["explore", "--separate", "--levels", "predicate", "--transactions", "2"]) == 0
    told = capsys.readouterr().out
    assert "9 of them need a predicate read" in told
    assert "RepeatableRead" in told


def test_key_value_levels_are_for_separations_only(capsys):
    assert run(["explore", "--levels", "key-value"]) == 2
    assert run(["explore", "--separate", "--levels", "key-value", "--engine", "delta-spark"]) == 2
    assert "--levels" in capsys.readouterr().err
