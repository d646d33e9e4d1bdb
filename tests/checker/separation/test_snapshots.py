"""The levels of the table, told apart by the smallest histories."""

from __future__ import annotations

import json

import pytest

from checker.generators.abstract_histories import from_seed
from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.judging.verdict import judge
from checker.judging.wellformed import contradictions
from checker.proofs.theorems import snapshot_levels
from checker.separation.lattice import lattice
from checker.separation.snapshots import STATEMENTS, separate, separations
from isodelta.cli import run
from isodelta.commands.explore.separating.snapshots import replay, separating
from model.levels import LEVELS, implies
from model.levels.snapshots import SNAPSHOT_IMPLICATIONS, implies_on_snapshots
from model.preparation import run_scenario
from model.profiles import DEFAULT, NO_RULES, profile

# With the engine, since one of the tests replays what all of them have searched for.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def result():
    return separate(3)


@pytest.fixture(scope="module")
def shown(result):
    return separating(result, DEFAULT)


def test_every_pair_is_separated_implied_or_proved(result):
    verdicts = [each.verdict for each in result.separations]
    assert len(verdicts) == len(LEVELS) * (len(LEVELS) - 1)
    assert [verdicts.count(v) for v in ("separated", "implied", "proved for snapshots")] == [
        34,
        27,
        11,
    ]
    assert (result.histories, result.complete) == (5652, True)


def test_no_history_contradicts_an_implication(result):
    for each in result.separations:
        if each.history is not None:
            assert not implies_on_snapshots(each.held, each.violated), each


def test_the_deciders_agree_on_every_separating_history(result):
    for each in result.separations:
        if each.history is None:
            continue
        history = run_scenario(each.history.scenario, NO_RULES).history
        assert contradictions(history) == ()
        assert graph.decide(dependencies(history), each.violated).anomaly == each.anomaly
        expected = {"graph", "solver"}
        if LEVELS[each.held].serial_order is not None:
            expected.add("definition")
        assert set(each.confirmed) == expected


def test_two_transactions_tell_apart_all_but_two_pairs():
    sizes = [each.transactions for each in separations(2) if each.history is not None]
    assert sizes == [2] * 32


def test_a_search_that_was_cut_short_claims_no_more_than_it_saw():
    found = separate(3, budget=1e-9)
    assert not found.complete
    assert {each.up_to for each in found.separations} == {found.finished}
    assert any(each.verdict == "equal" for each in found.separations)


def test_a_reader_tells_write_serializable_from_serializability_in_any_order():
    chosen = ("append to 1", "raise everything", "read everything")
    assert set(chosen) <= set(STATEMENTS)
    found = {(each.held, each.violated): each for each in separations(3, chosen)}
    apart = found["WriteSerializable", "PL-3"]
    assert apart.transactions == 3
    assert any("SELECT" in sql for sql in apart.history.scenario.transactions.values())


def test_random_histories_of_snapshots_keep_the_proved_implications():
    """Where no row is overwritten unread; with blind overwrites some of them fail."""
    proved = [
        (strong, weak)
        for strong in LEVELS
        for weak in LEVELS
        if implies_on_snapshots(strong, weak) and not implies(strong, weak)
    ]
    kept, broken = 0, set()
    for seed in range(4_000):
        history = from_seed(seed)
        blind = any(
            change.row not in {read.row for read in transaction.item_reads}
            and change.row[0] != transaction.name
            for transaction in history.committed
            for change in transaction.changes
        )
        judged = dependencies(history)
        holds = {level for level in LEVELS if graph.decide(judged, level).verdict == "holds"}
        wrong = {pair for pair in proved if pair[0] in holds and pair[1] not in holds}
        if blind:
            broken |= wrong
        else:
            assert not wrong, history
            kept += any(weak not in holds for _, weak in proved)
    assert kept > 50, "too few histories violate anything that is implied"
    assert ("ConsistentView", "SnapshotIsolation") in broken, "the premise is needed"


def test_the_implications_name_lemmas_that_there_are():
    names = {lemma.name for lemma in snapshot_levels.LEMMAS}
    assert {name for each in SNAPSHOT_IMPLICATIONS for name in each.lemmas} == names
    with pytest.raises(KeyError):
        implies_on_snapshots("Serializable", "PL-4")


def test_the_lattice_is_a_diamond_on_a_stem(result):
    found = lattice(result.separations)
    assert found.groups == (
        ("ReadUncommitted", "ReadCommitted"),
        ("ConsistentView", "SnapshotIsolation"),
        ("RepeatableRead",),
        ("WriteSerializable",),
        ("PL-3",),
        ("Serializable", "StrictSerializable"),
    )
    assert found.covers == ((0, 1), (1, 2), (1, 3), (2, 4), (3, 4), (4, 5))
    assert found.apart == ((2, 3),)
    for low, high in found.covers:
        assert result.between(*next(found.most_telling(low, high))).history is not None


def test_the_lattice_of_fewer_transactions_has_fewer_levels():
    found = lattice(separate(1).separations)
    assert found.groups == (tuple(LEVELS),)
    assert len(lattice(separate(2).separations).groups) == 5


def test_delta_admits_what_its_level_allows(shown):
    assert len(shown.histories) == 5
    for history in shown.histories:
        for level, what in history.admitted.items():
            if what == "admitted":
                assert history.scenario.expect.levels[level] == "holds"
            else:
                assert what == "B: ConcurrentAppend"
    admitted = [list(history.admitted.values()) for history in shown.histories]
    assert [what.count("admitted") for what in admitted] == [0, 0, 0, 1, 1]


def test_a_history_is_named_by_the_strongest_level_it_holds_and_the_weakest_it_violates(shown):
    assert [(history.holds, history.violates) for history in shown.histories] == [
        (("ReadCommitted",), ("ConsistentView",)),
        (("SnapshotIsolation",), ("RepeatableRead", "WriteSerializable")),
        (("RepeatableRead",), ("WriteSerializable",)),
        (("PL-3",), ("Serializable",)),
        (("WriteSerializable",), ("RepeatableRead",)),
    ]
    assert sum(history.pairs for history in shown.histories) == shown.summary.separated


def test_the_scenarios_run_as_expected_without_rules(shown):
    assert profile("no-rules") is NO_RULES
    for history in shown.histories:
        expect = history.scenario.expect
        run = run_scenario(history.scenario, NO_RULES)
        assert {name: ended.outcome for name, ended in run.ended.items()} == expect.outcomes
        decided = judge(run.history, tuple(LEVELS))
        assert {level: verdict.verdict for level, verdict in decided.items()} == expect.levels


def test_explore_separate_prints_every_pair_and_writes_its_page(capsys, tmp_path):
    report = tmp_path / "report"
    arguments = ["explore", "--separate", "--transactions", "2", "--json", "--report", str(report)]
    assert run(arguments) == 0
    *pairs, last = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(pairs) == last["summary"]["pairs"] == 72
    assert {pair["verdict"] for pair in pairs} == {
        "separated",
        "implied",
        "proved for snapshots",
        "equal up to 2",
    }
    first = next(pair for pair in pairs if pair["verdict"] == "separated")
    assert {"transactions", "anomaly", "scenario", "confirmed", "admitted"} <= set(first)
    page = (report / "index.html").read_text()
    assert "lattice-picture" in page
    assert 'href="#finding-h1"' in page
    files = sorted(path.name for path in (report / "findings").iterdir())
    assert files == ["h1.yaml", "h2.yaml", "h3.yaml", "h4.yaml"]
    assert run(["check", "--profile", "no-rules", *map(str, (report / "findings").iterdir())]) == 0


def test_explore_separate_for_people(capsys):
    assert run(["explore", "--separate", "--transactions", "2"]) == 0
    told = capsys.readouterr().out
    assert "32 of 72 ordered pairs separated" in told
    assert "<=2" in told
    assert run(["explore", "--separate", "--symbolic"]) == 2


@pytest.mark.spark
def test_delta_does_with_the_separating_histories_what_the_model_says(result, spark_engine):
    replays = list(replay(result, DEFAULT, spark_engine))
    assert len(replays) == 10
    assert separating(result, DEFAULT, replays).differences == ()
