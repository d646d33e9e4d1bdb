"""The exhaustive search: pinned counts, against brute force, findings that replay."""

from __future__ import annotations

import pickle
from itertools import product

import pytest

from checker.judging import graph
from checker.judging.verdict import judge
from checker.search import alphabet, exhaustive
from checker.search.alphabet import LAYOUTS, named
from checker.search.exhaustive import JUDGED, Search, search_all
from checker.search.finding import (
    READINGS,
    by_reading,
    describe,
    finding,
    readings_in_words,
    strongest_first,
)
from checker.search.minimal import Path
from checker.search.schedules import interleavings
from model.history import History, Transaction
from model.preparation import prepare, run_scenario
from model.profiles import DEFAULT
from model.scenario import Step
from model.simulator import run

pytestmark = pytest.mark.slow

LEVELS = ("Serializable", "WriteSerializable")
KINDS = ("DELETE", "INSERT", "INSERT SELECT", "OPTIMIZE", "SELECT", "UPDATE")
WRITING = tuple(kind for kind in KINDS if kind != "SELECT")

SMALL = tuple(
    map(
        named,
        ["append to both", "copy 2 to 1", "delete 1", "delete partition NULL", "compact 1",
         "read everything"],
    )
)  # fmt: skip


@pytest.fixture(scope="module")
def pairs():
    """Every search of up to two transactions over the whole alphabet."""
    return {(r.layout, r.level): r for r in search_all(transactions=2)}


def test_the_alphabet_has_every_kind_of_statement_in_both_layouts():
    for layout in LAYOUTS:
        assert len(alphabet.statements(layout)) >= 30
        assert {s.kind for s in Search(layout).statements} == set(KINDS)
    names = [statement.name for statement in alphabet.STATEMENTS]
    assert len(set(names)) == len(names)
    with pytest.raises(KeyError):
        named("no such statement")


def test_findings_are_counted_by_reading_and_the_strongest_lead(pairs):
    findings = pairs["partitioned", "WriteSerializable"].findings
    depths = [len(found.violated) for found in findings]
    assert set(depths) == {2, 3}
    assert by_reading(findings) == {
        "conflict": len(depths),
        "view": depths.count(2) + depths.count(3),
        "final_state": depths.count(3),
    }
    assert [len(found.violated) for found in strongest_first(findings)] == sorted(depths)[::-1]
    assert readings_in_words(findings) == (
        f"{depths.count(3)} in all three readings and {depths.count(2)} in the conflict and the "
        "view reading"
    )
    for found in findings:
        assert list(found.readings.values()).count("violated") == len(found.violated)


# Whatever changes one of these numbers changes what is explored, or what the rules admit.
@pytest.mark.parametrize(
    ("layout", "level", "schedules", "runs", "histories", "violations"),
    [
        ("partitioned", "Serializable", 3502, 2111, 1585, (0, 0, 0, 0)),
        ("partitioned", "WriteSerializable", 3502, 2179, 1749, (66, 0, 0, 0)),
        ("unpartitioned", "Serializable", 3300, 1983, 1380, (0, 0, 0, 0)),
        ("unpartitioned", "WriteSerializable", 3300, 2049, 1536, (66, 0, 0, 0)),
    ],
)
def test_pinned_counts_of_two_transactions(
    pairs, layout, level, schedules, runs, histories, violations
):
    result = pairs[layout, level]
    assert (result.schedules, result.runs, result.histories) == (schedules, runs, histories)
    assert tuple(result.violations[name] for name in JUDGED) == violations
    assert result.complete
    assert result.finished == 2


def test_pinned_counts_of_three_transactions_over_a_small_alphabet():
    search = Search("partitioned", statements=SMALL)
    counts = {}
    for level in LEVELS:
        result = search.run(level, 3)
        counts[level] = (result.schedules, result.runs, result.histories, result.violations)
    schedules = 6 + 3 * 6**2 + 15 * 6**3
    none = dict.fromkeys(JUDGED, 0)
    assert counts == {
        "Serializable": (schedules, 712, 542, none),
        "WriteSerializable": (
            schedules,
            941,
            779,
            {"Serializable": 74, "WriteSerializable": 1, "SnapshotIsolation": 0, "PL-3": 3},
        ),
    }


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_schedule_is_counted_once(pairs, layout, level):
    statements = len(alphabet.statements(layout))
    assert pairs[layout, level].schedules == statements + 3 * statements**2


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_search_sees_exactly_the_histories_that_brute_force_sees(level, size, monkeypatch):
    statements = SMALL if size < 3 else (SMALL[0], SMALL[1], SMALL[2], SMALL[5])
    seen: set[object] = set()

    def watch(
        walk: object, path: Path, transactions: tuple[Transaction, ...], last: object
    ) -> None:
        if len(transactions) == size:
            seen.add(shape(transactions))

    search = Search("partitioned", statements=statements)
    with monkeypatch.context() as patched:
        patched.setattr(exhaustive._Walk, "judge", watch)
        result = search.run(level, size)
    assert result.schedules == sum(
        count * len(statements) ** n for n, count in ((1, 1), (2, 3), (3, 15)) if n <= size
    )
    naive: set[object] = set()
    violations: dict[str, set[object]] = {name: set() for name in JUDGED}
    for history in brute_force(statements, level, size):
        naive.add(shape(history.transactions))
        for name in JUDGED:
            if graph.judge(history, name).verdict == "violated":
                violations[name].add(shape(history.transactions))
    assert seen == naive
    smaller = search.run(level, size - 1).violations if size > 1 else dict.fromkeys(JUDGED, 0)
    found = search.run(level, size).violations
    assert {n: found[n] - smaller[n] for n in JUDGED} == {n: len(violations[n]) for n in JUDGED}


def brute_force(statements, level, size):
    """The histories of every interleaving in which every transaction comes through."""
    names = ("A", "B", "C")[:size]
    steps = [Step(action, name) for name in names for action in ("begin", "commit")]
    for chosen in product(statements, repeat=size):
        texts = {name: each.sql for name, each in zip(names, chosen, strict=True)}
        scenario = alphabet.scenario("partitioned", level, texts, steps, "x")
        workload = prepare(scenario, DEFAULT)
        for schedule in interleavings(names):
            ended = run(workload, schedule, DEFAULT)
            if all(each.logical.committed for each in ended.ended.values()):
                yield ended.history


def shape(transactions):
    """A history up to the names of its transactions."""
    return tuple(sorted((t.text, t.read_version, t.commit_version or 0) for t in transactions))


def test_no_level_is_broken_that_a_table_promises_to_two_transactions(pairs):
    for (_, level), result in pairs.items():
        assert {found.kind for found in result.findings} <= {"documented"}
        for bound in result.bounds:
            assert bound.finished == 2
            if bound.kind == "level-violation":
                assert bound.minimal == {}
                assert bound.sentence.startswith("no history of up to 2 transactions violates")
        if level == "Serializable":
            assert result.findings == ()


def test_an_append_may_take_effect_before_a_statement_that_the_log_has_later(pairs):
    """N8: allowed at WriteSerializable, and found without being told."""
    for layout in LAYOUTS:
        found = pairs[layout, "WriteSerializable"].findings
        assert {f.level for f in found} == {"Serializable"}
        assert ("INSERT", "DELETE") in {f.statement_kinds for f in found}
        assert all(f.transactions == 2 for f in found)


@pytest.fixture(scope="module")
def broken():
    """A search whose alphabet is known to break WriteSerializable with three transactions."""
    names = ["append to 1", "copy 1 to 2", "count everything", "delete 1", "read everything"]
    search = Search("partitioned", statements=tuple(map(named, names)))
    return search.run("WriteSerializable", 3)


def test_write_serializable_is_broken_by_three_transactions_in_a_partitioned_table(broken):
    violating = [found for found in broken.findings if found.level == "WriteSerializable"]
    assert violating
    for found in violating:
        assert found.kind == "level-violation"
        assert found.transactions == 3
        assert found.statement_kinds[0] == "INSERT"
    assert any(
        f.violated == READINGS and f.statement_kinds == ("INSERT", "INSERT SELECT", "DELETE")
        for f in broken.findings
    )


def test_a_reader_sees_a_state_that_never_was(broken):
    """N11: at WriteSerializable a reader may see what no serial order of the writers shows."""
    readers = [f for f in broken.findings if f.level == "PL-3"]
    assert readers
    for found in readers:
        assert found.kind == "documented"
        assert found.statement_kinds[-1] == "SELECT"


def test_a_finding_replays_to_what_it_says(broken):
    for found in broken.findings:
        ran = run_scenario(found.scenario, DEFAULT)
        verdicts = judge(ran.history, JUDGED)
        assert verdicts[found.level].verdict == "violated"
        assert verdicts[found.level].contradiction is None
        assert {n: e.outcome for n, e in ran.ended.items()} == found.scenario.expect.outcomes
        assert sorted(map(str, ran.history.final)) == sorted(map(str, found.scenario.expect.rows))
        assert found.scenario.expect.levels == {n: verdicts[n].verdict for n in LEVELS}
        assert len(found.cycle) == len(found.reasons) >= 2
        assert found.scenario.name in found.title


def test_a_finding_needs_all_of_its_transactions(broken):
    for found in broken.findings:
        for name in found.scenario.transactions:
            fewer = tuple(s for s in found.scenario.schedule if s.transaction != name)
            texts = {n: t for n, t in found.scenario.transactions.items() if n != name}
            part = alphabet.scenario(found.layout, found.table_level, texts, fewer, "a part")
            history = run_scenario(part, DEFAULT).history
            assert graph.judge(history, found.level).verdict == "holds"


def test_results_are_plain_data_that_another_process_may_send(broken):
    again = pickle.loads(pickle.dumps(broken))
    assert again.findings == broken.findings
    assert again.bounds == broken.bounds


def test_a_finding_that_is_none_is_refused():
    steps = [Step("begin", "A"), Step("commit", "A")]
    sql = {"A": named("append to 1").sql}
    scenario = alphabet.scenario("partitioned", "Serializable", sql, steps, "alone")
    with pytest.raises(ValueError, match="alone: Serializable is not violated"):
        finding(scenario, "partitioned", "Serializable", DEFAULT)


def test_the_search_is_deterministic(broken):
    names = ["append to 1", "copy 1 to 2", "count everything", "delete 1", "read everything"]
    again = Search("partitioned", statements=tuple(map(named, names))).run("WriteSerializable", 3)
    assert again.findings == broken.findings
    assert again.coverage == broken.coverage


def test_a_search_without_time_says_that_it_is_not_complete():
    result = Search("partitioned").run("WriteSerializable", 3, budget=0.0)
    assert not result.complete
    assert result.finished < 3
    whole = len(result.findings), result.schedules
    assert whole[1] < 34 + 3 * 34**2 + 15 * 34**3
    for bound in result.bounds:
        assert bound.finished == result.finished
        assert "up to 3" not in bound.sentence


def test_nothing_is_said_of_a_level_when_nothing_was_finished(monkeypatch):
    monkeypatch.setattr(exhaustive, "_BETWEEN_LOOKS", 1)
    result = Search("partitioned").run("Serializable", 1, budget=0.0)
    assert result.finished == 0
    assert {b.sentence for b in result.bounds if b.reading == "conflict"} == {
        f"nothing is known of {level} (conflict reading)" for level in JUDGED
    }


def test_progress_is_told_and_grows(monkeypatch):
    monkeypatch.setattr(exhaustive, "_BETWEEN_LOOKS", 50)
    told: list[tuple[int, int]] = []
    results = search_all(
        levels=("WriteSerializable",),
        layouts=("partitioned",),
        transactions=2,
        progress=lambda schedules, found: told.append((schedules, found)),
    )
    assert told == sorted(told)
    assert told[-1][0] <= results[0].schedules
    assert told[-1][1] > 0


def test_two_processes_find_the_same_as_one(pairs):
    results = search_all(levels=("WriteSerializable",), transactions=2, jobs=2)
    for result in results:
        alone = pairs[result.layout, result.level]
        assert result.findings == alone.findings
        assert result.coverage == alone.coverage


def test_bad_arguments_are_refused():
    search = Search("partitioned", statements=SMALL)
    with pytest.raises(ValueError, match="has no level ReadCommitted"):
        search.run("ReadCommitted", 2)
    with pytest.raises(ValueError, match="1 to 6 transactions"):
        search.run("Serializable", 7)
    with pytest.raises(KeyError):
        Search("diagonal")


def test_the_search_reaches_what_there_is_to_reach(pairs):
    """A green run cannot be vacuous: every pair of kinds meets, and every edge occurs."""
    for (_, level), result in pairs.items():
        coverage = result.coverage
        assert set(coverage.pairs) == set(product(WRITING, repeat=2))
        assert {"committed", "no commit", "read", "ConcurrentAppend", "ConcurrentDeleteRead"} <= (
            set(coverage.outcomes)
        )
        assert set(coverage.edge_kinds) == {
            *("ww", "wr item", "wr predicate", "rw item", "rw predicate"),
            *("log", "start", "unseen"),
        }
        appends = met(coverage, "ConcurrentAppend")
        removals = met(coverage, "ConcurrentDeleteRead")
        assert ("DELETE", "UPDATE") in appends
        assert ("UPDATE", "DELETE") in removals
        assert ("OPTIMIZE", "OPTIMIZE") in removals
        # N87: at WriteSerializable a blind append never fails a transaction.
        assert (("DELETE", "INSERT") in appends) == (level == "Serializable")


def met(coverage, conflict):
    """The pairs of kinds, current and winner, that ended in a conflict of this name."""
    return {(current, winner) for name, current, winner in coverage.conflicts if name == conflict}


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("layout", "level", "schedules", "runs", "histories", "violations"),
    [
        ("partitioned", "Serializable", 593062, 135295, 88105, (0, 0, 0, 0)),
        ("partitioned", "WriteSerializable", 593062, 159663, 114435, (11185, 78, 0, 221)),
        ("unpartitioned", "Serializable", 542355, 112141, 66713, (0, 0, 0, 0)),
        ("unpartitioned", "WriteSerializable", 542355, 134803, 87623, (9458, 0, 0, 143)),
    ],
)
def test_pinned_counts_of_three_transactions(layout, level, schedules, runs, histories, violations):
    result = Search(layout).run(level, 3)
    assert (result.schedules, result.runs, result.histories) == (schedules, runs, histories)
    assert tuple(result.violations[name] for name in JUDGED) == violations
    assert result.complete


def test_a_list_in_words():
    assert describe(["a"]) == "a"
    assert describe(["a", "b"]) == "a and b"
    assert describe(["a", "b", "c"]) == "a, b and c"


def test_a_history_is_given_with_its_final_rows(monkeypatch):
    histories: list[History] = []
    original = exhaustive.dependencies

    def keep(history: History) -> object:
        histories.append(history)
        return original(history)

    monkeypatch.setattr(exhaustive, "dependencies", keep)
    Search("partitioned", statements=SMALL).run("Serializable", 2)
    assert histories
    for history in histories:
        assert judge(history, ("Serializable",))["Serializable"].contradiction is None
        assert judge(history, ("Serializable",))["Serializable"].verdict == "holds"
