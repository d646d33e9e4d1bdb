"""Foreign histories: the fast decider against all orders of the versions, and planted anomalies."""

from __future__ import annotations

import itertools
import time
from random import Random

import networkx as nx
import pytest

from checker.judging.witness import Cycle
from checker.recorded import weak_levels
from checker.recorded.decide import judge, level_names
from checker.recorded.generators.serial import PLANTED, Shape, generate
from checker.recorded.history import Operation, Recorded, RecordedHistory
from checker.recorded.observations import INIT, AmbiguousHistory, Observations
from checker.recorded.observing import observe
from checker.recorded.version_order.completion import Completion
from checker.recorded.version_order.constraints import Constraints
from checker.recorded.version_order.cycles import topological
from checker.recorded.version_order.search import OrderSearch
from model.levels import forbids
from tests.notation import recorded

TINY = 3000
"""Random histories that are compared with the exhaustive decider."""


def tiny(seed: int) -> RecordedHistory:
    random = Random(seed)
    keys, sessions = range(random.randint(1, 3)), random.randint(1, 4)
    counter = itertools.count(1)
    values: dict[int, list[int | None]] = {key: [None] for key in keys}
    plan: list[list[tuple[str, int, int | None]]] = []
    for _ in range(random.randint(2, 5)):
        operations: list[tuple[str, int, int | None]] = []
        for _ in range(random.randint(1, 4)):
            key = random.choice(keys)
            if random.random() < 0.5:
                values[key].append(next(counter))
                operations.append(("w", key, values[key][-1]))
            else:
                operations.append(("r", key, None))
        plan.append(operations)
    transactions = tuple(
        Recorded(
            f"T{number}",
            random.randrange(sessions),
            tuple(
                Operation("r", key, random.choice(values[key]))
                if kind == "r"
                else Operation("w", key, value)
                for kind, key, value in operations
            ),
        )
        for number, operations in enumerate(plan)
    )
    return RecordedHistory("register", transactions)


def exhaustive(seen: Observations, sessions: bool) -> tuple[str, str]:
    """Serializable and SnapshotIsolation, by the definition, over all orders of the versions."""
    serializable = snapshot = False
    numbers = range(len(seen.transactions))
    for orders in itertools.product(*map(itertools.permutations, seen.writers)):
        depends: set[tuple[int, int]] = set()
        anti: set[tuple[int, int]] = set()
        if sessions:
            pairs = itertools.combinations(numbers, 2)
            depends |= {(a, b) for a, b in pairs if seen.session[a] == seen.session[b]}
        for order in orders:
            depends |= set(itertools.combinations(order, 2))
        for reader, reads in enumerate(seen.reads):
            for key, writer in reads:
                later = orders[key]
                if writer != INIT:
                    depends.add((writer, reader))
                    later = later[later.index(writer) + 1 :]
                anti |= {(reader, other) for other in later if other != reader}
        serializable |= _acyclic(depends | anti)
        snapshot |= _acyclic(depends | {(a, d) for a, b in depends for c, d in anti if b == c})
    return ("holds" if serializable else "violated", "holds" if snapshot else "violated")


def _acyclic(edges: set[tuple[int, int]]) -> bool:
    return nx.is_directed_acyclic_graph(nx.DiGraph(list(edges)))


def verdicts(made: RecordedHistory, sessions: bool = True) -> dict[str, str]:
    return {
        name: level.verdict for name, level in judge(made, session_order=sessions).levels.items()
    }


@pytest.mark.parametrize("sessions", [True, False])
@pytest.mark.slow
def test_the_fast_decider_agrees_with_every_order_of_the_versions(sessions: bool) -> None:
    met = set()
    for seed in range(TINY):
        made = tiny(seed)
        seen = observe(made)
        if seen.anomalous_reads:
            continue
        found = verdicts(made, sessions)
        expected = exhaustive(seen, sessions)
        assert (found["Serializable"], found["SnapshotIsolation"]) == expected, (seed, made)
        met.add(expected)
    assert met == {("holds", "holds"), ("violated", "holds"), ("violated", "violated")}


def test_a_stronger_level_never_holds_where_a_weaker_one_is_violated() -> None:
    for seed in range(500):
        found = verdicts(tiny(seed))
        for strong, weak in itertools.permutations(found, 2):
            if forbids(strong, weak) and found[weak] == "violated":
                assert found[strong] == "violated", (seed, strong, weak)


@pytest.mark.parametrize("planted", PLANTED)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.slow
def test_a_planted_anomaly_is_found_and_named_at_its_level(planted: str, seed: int) -> None:
    shape = Shape(transactions=120, sessions=6, keys=15)
    assert set(verdicts(generate(seed, shape)).values()) == {"holds"}
    weakest = PLANTED[planted]
    levels = judge(generate(seed, shape, planted), session_order=weakest == "Causal").levels
    for name in ("ReadCommitted", "ReadAtomic", "SnapshotIsolation", "Serializable"):
        violated = forbids(name, weakest)
        assert (levels[name].verdict == "violated") == violated, (name, levels[name])
    assert levels[weakest].anomaly == planted


def test_a_valid_list_history_holds_everything() -> None:
    shape = Shape(transactions=200, sessions=6, keys=10, lists=True)
    assert set(verdicts(generate(3, shape), sessions=False).values()) == {"holds"}


@pytest.mark.parametrize(
    ("made", "anomaly"),
    [
        (recorded("1: a(x=1)", "2: r(x=[2,1])", "3: a(x=2)", "4: r(x=[1])"), "incompatible order"),
        (recorded("!1: a(x=1)", "2: r(x=[1])", "3: a(x=2)"), "G1a (aborted read)"),
        (recorded("1: a(x=1) a(x=2)", "2: r(x=[1])"), "G1b (intermediate read)"),
        (recorded("1: a(x=1) a(x=2) a(x=3)", "2: r(x=[1,3])"), "missing element"),
        (recorded("1: a(x=1) a(x=2)", "2: a(x=3)", "3: r(x=[2,3])"), "missing element"),
        (recorded("1: a(x=1)", "2: r(x=[1,1])"), "duplicate element"),
        (
            recorded("1: a(x=1) a(y=1)", "2: a(x=2) a(y=2)", "3: r(x=[1,2]) r(y=[2,1])"),
            "write cycle",
        ),
        (recorded("1: r(x=[1]) a(x=1)"), "future read"),
        (recorded("1: a(x=1)", "2: r(x=[1,7])"), "unwritten read"),
        (recorded("1: a(x=1) r(x=[])"), "internal inconsistency"),
        (recorded("1: a(x=1) a(x=3)", "2: a(x=2)", "3: r(x=[1,2,3])"), "write cycle"),
    ],
)
def test_anomalies_of_lists(made: RecordedHistory, anomaly: str) -> None:
    level = judge(made, session_order=False).levels["ReadCommitted"]
    assert (level.verdict, level.anomaly) == ("violated", anomaly)


def test_appends_that_no_read_shows_come_after_those_that_one_does() -> None:
    made = recorded("1: a(x=1)", "2: r(x=[1]) a(y=1)", "3: a(x=2) r(y=[])")
    assert verdicts(made, sessions=False)["Serializable"] == "violated"
    assert verdicts(made, sessions=False)["SnapshotIsolation"] == "holds"
    made = recorded(
        "1: a(x=1)", "2: r(x=[1]) r(y=[])", "3: a(y=1)", "4: r(y=[1]) a(x=2)", "5: a(x=3)"
    )
    assert verdicts(made, sessions=False)["Serializable"] == "holds"


def test_session_order_is_part_of_the_strong_levels_only() -> None:
    made = recorded("1: w(x=1)", "1: r(x)")
    judgement = judge(made, session_order=False)
    assert judgement.levels["Serializable"].verdict == "holds"
    assert judgement.levels["StrongSessionSerializable"].verdict == "violated"
    assert [name for name in judgement.levels if judgement.respects_sessions(name)] == [
        "StrongSessionSnapshotIsolation",
        "StrongSessionSerializable",
    ]
    assert verdicts(made)["Serializable"] == "violated"


def test_a_value_written_twice_is_refused_where_it_was_read() -> None:
    assert verdicts(recorded("1: w(x=1)", "2: w(x=1)"))["Serializable"] == "holds"
    with pytest.raises(AmbiguousHistory, match=r"T3 read 1 of key 'x', which both T1 and T2 wrote"):
        judge(recorded("1: w(x=1)", "2: w(x=1)", "3: r(x=1)"), session_order=True)


def test_a_transaction_of_unknown_end_counts_when_somebody_saw_it() -> None:
    writer, reader = "?9: w(x=5)", "1: r(x=5)"
    assert len(observe(recorded(writer)).transactions) == 0
    assert len(observe(recorded(writer, reader)).transactions) == 2


@pytest.mark.slow
def test_no_time_at_all_is_unknown_and_says_what_was_tried() -> None:
    # Two blind writers whose order no read shows, in the way of a greedy run.
    for seed in range(400):
        made = tiny(seed)
        levels = judge(made, session_order=True, time_limit=0.0).levels
        for name, level in levels.items():
            if level.verdict == "unknown":
                assert any(word in (level.why or "") for word in ("z3", "time")), name
            full = judge(made, session_order=True).levels[name].verdict
            assert level.verdict in ("unknown", full), (seed, name)


def test_the_cycle_is_a_cycle_in_words() -> None:
    level = judge(
        recorded("1: w(x=1)", "2: r(x=1) w(x=2)", "3: r(x=1) w(x=3)"), session_order=True
    ).levels["Serializable"]
    assert level.anomaly == "lost update"
    assert isinstance(level.witness, Cycle)
    first, second = level.cycle
    assert (first.target, second.target) == (second.source, first.source)
    assert level.witness.transactions == (first.source, second.source, first.source)
    assert all(edge.because for edge in level.cycle)


def hard(seed: int) -> RecordedHistory:
    """Blind writes read by few: the order of the versions follows from little."""
    random = Random(seed)
    values: dict[int, list[int | None]] = {key: [None] for key in range(2)}
    plan: list[list[tuple[str, int, int | None]]] = []
    counter = itertools.count(1)
    for _ in range(6):
        key = random.randrange(2)
        values[key].append(next(counter))
        plan.append([("w", key, values[key][-1])])
    plan += [[("r", 0, None), ("r", 1, None)] for _ in range(3)]
    return RecordedHistory(
        "register",
        tuple(
            Recorded(
                f"T{number}",
                number,
                tuple(
                    Operation("r", key, random.choice(values[key]))
                    if kind == "r"
                    else Operation("w", key, value)
                    for kind, key, value in operations
                ),
            )
            for number, operations in enumerate(plan)
        ),
    )


@pytest.mark.slow
def test_choices_that_inference_leaves_open_are_searched() -> None:
    for seed in range(300):
        made = hard(seed)
        found = verdicts(made, sessions=False)
        expected = exhaustive(observe(made), sessions=False)
        assert (found["Serializable"], found["SnapshotIsolation"]) == expected, seed


def searched(seen: Observations, split: bool) -> OrderSearch | None:
    """A search without inference, so that every pair of writers is a choice."""
    graph = Constraints(seen, split=split, sessions=False)
    order = topological(graph.after)
    if len(order) < graph.size:
        return None
    pairs = [
        (a, b, key)
        for key, writers in enumerate(seen.writers)
        for a, b in itertools.combinations(writers, 2)
    ]
    return OrderSearch(graph, order, pairs)


@pytest.mark.slow
def test_the_search_that_takes_choices_back_gives_the_same_answers() -> None:
    for seed in range(400):
        seen = observe(tiny(seed) if seed % 2 else hard(seed))
        expected = exhaustive(seen, sessions=False)
        for split in (False, True):
            search = None if seen.anomalous_reads else searched(seen, split)
            if search is not None:
                decision = search.run(time.monotonic() + 30)
                assert decision is not None
                assert decision.verdict == expected[split], (seed, split)


def test_the_search_takes_choices_back_and_agrees_with_z3() -> None:
    conflicts = 0
    met = set()
    for seed in range(40):
        shape = Shape(transactions=24, sessions=24, keys=4, operations=(2, 3), blind=1.0)
        planted = (None, "long fork", "write skew")[seed % 3]
        seen = observe(generate(seed, shape, planted))
        for split in (False, True):
            search = searched(seen, split)
            if search is None:
                continue
            decision = search.run(time.monotonic() + 30)
            assert decision is not None
            solver = Completion(search.graph, list(range(search.graph.size)))
            assert decision.verdict == solver.run(time.monotonic() + 60).verdict, (seed, split)
            met.add((planted, decision.verdict))
            conflicts += search.conflicts
    assert conflicts > 20
    assert (None, "holds") in met


def test_many_blind_writes_of_few_keys_are_decided() -> None:
    shape = Shape(transactions=600, sessions=10, keys=30, blind=1.0)
    for sessions in (True, False):
        found = verdicts(generate(1, shape), sessions)
        assert set(found.values()) == {"holds"}
        found = verdicts(generate(1, shape, "long fork"), sessions)
        assert found["SnapshotIsolation"] == found["Serializable"] == "violated"


def test_the_search_alone_gives_the_same_answers() -> None:
    """Without inference and without a good guess, so that z3 has to find the order."""
    asked = 0
    for seed in range(400):
        seen = observe(tiny(seed))
        if seen.anomalous_reads:
            continue
        expected = exhaustive(seen, sessions=False)
        for split in (False, True):
            graph = Constraints(seen, split=split, sessions=False)
            if len(topological(graph.after)) < graph.size:
                continue
            search = Completion(graph, list(range(graph.size))[::-1])
            assert search.run(time.monotonic() + 30).verdict == expected[split], seed
            asked += search.clauses > 0
    assert asked > 20


def test_every_anomaly_of_a_history_is_told_not_only_the_first() -> None:
    """An element twice, and what Elle finds behind it."""
    made = recorded("1: a(x=1) r(y=[1])", "2: a(x=2) a(y=1)", "3: r(x=[1,2,1])")
    judgement = judge(made, session_order=False)
    assert [finding.anomaly for finding in judgement.anomalous_reads] == ["duplicate element"]
    assert "G1c" in {cycle.phenomenon for cycle in judgement.cycles}


def test_a_list_that_contradicts_its_reader_still_shows_an_order() -> None:
    made = recorded("1: a(x=1) a(x=2) a(x=4)", "2: a(x=3) r(x=[1,2,3,4])")
    judgement = judge(made, session_order=False)
    assert [finding.anomaly for finding in judgement.anomalous_reads] == ["internal inconsistency"]
    assert [cycle.phenomenon for cycle in judgement.cycles] == ["G0"]


def test_an_append_after_an_aborted_one_is_a_dirty_update() -> None:
    made = recorded("!1: a(x=1)", "2: a(x=2)", "3: r(x=[1,2])")
    found = {finding.anomaly for finding in observe(made).anomalous_reads}
    assert found == {"G1a (aborted read)", "dirty update"}


def test_a_cycle_without_consecutive_anti_dependencies_is_called_so() -> None:
    made = recorded("1: a(x=1)", "2: r(x=[1]) r(y=[])", "3: a(y=1)", "4: r(y=[1]) r(x=[])")
    level = judge(made, session_order=False).levels["SnapshotIsolation"]
    assert (level.verdict, level.phenomenon) == ("violated", "G-nonadjacent")


def test_the_verdict_without_the_order_of_sessions_stands_beside_the_other() -> None:
    judgement = judge(recorded("1: w(x=1)", "1: r(x)"), session_order=True)
    assert judgement.levels["Serializable"].verdict == "violated"
    assert judgement.without_sessions["Serializable"] == "holds"
    judgement = judge(
        recorded("1: w(x=1)", "2: r(x=1) w(x=2)", "3: r(x=1) w(x=3)"), session_order=True
    )
    assert judgement.without_sessions["Serializable"] == "violated"
    assert "Causal" not in judgement.without_sessions


def plain(made: RecordedHistory) -> dict[str, str]:
    """The verdicts on the levels without sessions."""
    levels = judge(made, session_order=False).levels
    return {name: v.verdict for name, v in levels.items() if not name.startswith("StrongSession")}


def test_an_anti_dependency_that_a_session_caused_shows_nothing_without_sessions() -> None:
    """Only its session makes T3 see x of T1; the cycle of T1 and T3 has no edge of a session."""
    made = recorded("0: a(x=1)", "0: a(y=2)", "0: r(x=[]) r(y=[]) a(x=5)", "0: r(x=[1]) a(x=7)")
    judgement = judge(made, session_order=True)
    level = judgement.levels["ReadAtomic"]
    assert [edge.kind for edge in level.cycle] == ["rw", "so"]
    assert isinstance(level.witness, Cycle)
    assert not level.witness.inferred
    assert (level.verdict, judgement.without_sessions["ReadAtomic"]) == ("violated", "holds")
    assert judgement.without_sessions == plain(made)


def test_a_weaker_levels_cycle_shows_nothing_at_snapshot_isolation_without_sessions() -> None:
    """T5 should have seen T1 by its session; without it T9 -rw-> T5 -rw-> T1 -wr-> T9 is left."""
    idle = [f"0: w({key}=1)" for key in "abcdef"]
    made = recorded("0: w(y=1) w(z=1)", *idle[:3], "0: r(y) w(x=1)", *idle[3:], "0: r(x) r(z=1)")
    judgement = judge(made, session_order=True)
    level = judgement.levels["SnapshotIsolation"]
    assert [edge.kind for edge in level.cycle] == ["rw", "so"]
    assert judgement.without_sessions["Serializable"] == "violated"
    assert (level.verdict, judgement.without_sessions[level.level]) == ("violated", "holds")
    assert judgement.without_sessions == plain(made)


@pytest.mark.slow
def test_a_level_is_decided_without_sessions_at_any_size() -> None:
    shape = Shape(transactions=6000, sessions=20, keys=600)
    judgement = judge(generate(1, shape, "causality violation"), session_order=True)
    assert judgement.levels["Serializable"].verdict == "violated"
    assert set(judgement.without_sessions.values()) == {"holds", "violated"}


@pytest.mark.slow
def test_a_transaction_of_many_reads_is_judged_like_one_of_few() -> None:
    """Would take minutes if each read were compared with all the others."""
    for size in (3, 60_000):
        for kind, write in (("register", "w"), ("list", "a")):
            whole = (1,) if kind == "list" else 1
            operations = [
                tuple(Operation(write, key, 1) for key in range(size)),  # type: ignore[arg-type]
                tuple(
                    operation
                    for key in range(size)
                    for operation in (Operation("r", key, whole), Operation(write, key, 2))  # type: ignore[arg-type]
                ),
            ]
            made = RecordedHistory(
                kind,  # type: ignore[arg-type]
                tuple(Recorded(f"T{n}", n, each) for n, each in enumerate(operations)),
            )
            for sessions in (True, False):
                levels = judge(made, session_order=sessions).levels
                assert {verdict.verdict for verdict in levels.values()} == {"holds"}


def test_what_read_committed_orders_is_what_its_axiom_says() -> None:
    """Each writer read before, or read from at all, against the definition written out."""
    met = 0
    for seed in range(500):
        seen = observe(tiny(seed))
        writes = [set(keys) for keys in seen.writes]
        after, related = set(), set()
        for reader, reads in enumerate(seen.every_read):
            for place, (key, writer) in enumerate(reads):
                for _, other in reads[:place]:
                    if other not in (INIT, writer) and key in writes[other]:
                        after.add((reader, key, writer, other))
            for key, writer in seen.reads[reader]:
                for _, other in reads:
                    if other not in (INIT, writer) and key in writes[other]:
                        related.add((reader, key, writer, other))
        assert set(weak_levels._after_reads(seen)) == after, seed
        assert set(weak_levels._related(seen, False)) == related, seed
        met += len(after) + len(related)
    assert met > 100


@pytest.mark.parametrize("sessions", [True, False])
def test_a_level_alone_has_the_verdict_that_it_has_beside_the_others(sessions: bool) -> None:
    met = set()
    for seed in range(150):
        made = tiny(seed)
        together = judge(made, session_order=sessions).levels
        assert list(together) == level_names(sessions)
        for name in level_names(sessions):
            alone = judge(made, session_order=sessions, only=[name]).levels
            assert list(alone) == [name]
            assert alone[name].verdict == together[name].verdict, (seed, name)
            met.add((name, alone[name].verdict))
    assert len(met) == 2 * len(level_names(sessions))
