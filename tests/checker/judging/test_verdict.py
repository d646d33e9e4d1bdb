"""The verdict put together: the JSON of it, and what keeps it from ever holding wrongly."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from checker.judging import definition, graph, solver
from checker.judging.verdict import LOST_EFFECT, Verdict, judge
from checker.judging.wellformed import contradictions, infidelities
from model.errors import StatementFailure
from model.history import History, ItemRead, Row, RowChange, SerialResult
from model.levels import DELTA_LEVELS, LEVELS
from tests.notation import history

LATE_INSERT = history("x=1", "A@0>2: p(v = 1) d(x)", "B@0>1: w(y=0)")
DELETE_AND_INSERT = history("x=1", "A@0>2: p(v = 1) d(x)", "B@0>1: w(y=1)")
IN_TURN = history("x=1", "A@0>1: r(x) w(x=2)", "B@1>2: r(x) w(x=3)", "R@1: p(any)")


def test_both_delta_levels_as_json():
    found = judge(DELETE_AND_INSERT)
    assert list(found) == list(DELTA_LEVELS)
    assert found["Serializable"].to_json() == {
        "verdict": "violated",
        "cycle": ["A", "B", "A"],
        "anomaly": "G-single-log",
        "edges": [
            {
                "from": "A",
                "to": "B",
                "kind": "rw",
                "because": "A read v = 1 before B added ('y', 1)",
            },
            {
                "from": "B",
                "to": "A",
                "kind": "log",
                "because": "the log has B (version 1) before A (version 2)",
            },
        ],
        "view": "violated",
        "final_state": "holds",
        "final_state_order": ["B", "A"],
    }
    assert found["WriteSerializable"].to_json() == {
        "verdict": "holds",
        "serial_order": ["A", "B"],
        "view": "holds",
        "final_state": "holds",
    }
    json.dumps([verdict.to_json() for verdict in found.values()])


def test_readers_stand_at_their_snapshots_in_the_logs_order():
    found = judge(IN_TURN)
    assert found["Serializable"].serial_order == ("A", "R", "B")
    assert found["WriteSerializable"].serial_order == ("A", "B")
    assert judge(IN_TURN, ["PL-3"])["PL-3"].serial_order == ("A", "R", "B")


def test_a_level_without_a_serial_order_has_one_reading():
    found = judge(LATE_INSERT, ["SnapshotIsolation"])["SnapshotIsolation"]
    assert found.to_json() == {"verdict": "holds"}


def test_an_unknown_level_is_an_error():
    with pytest.raises(KeyError):
        judge(LATE_INSERT, ["Chaos"])


@pytest.mark.parametrize("level", LEVELS)
def test_what_was_not_observed_never_holds(level: str):
    blind = replace(IN_TURN, unknown=("the reads of A",))
    verdict = judge(blind, [level])[level]
    assert verdict.verdict == "unknown"
    assert verdict.why == "not observed: the reads of A"
    assert verdict.serial_order is None
    assert graph.judge(blind, level).verdict == "unknown"
    assert graph.judge(blind, level).serial_order is None
    assert solver.judge(blind, level).verdict == "unknown"


def test_a_violation_stands_whatever_else_was_not_observed():
    blind = replace(DELETE_AND_INSERT, unknown=("the reads of B",))
    verdict = judge(blind, ["Serializable"])["Serializable"]
    assert verdict.verdict == "violated"
    assert verdict.to_json()["view"] == "unknown"
    assert verdict.to_json()["view_why"] == "not observed: the reads of B"


def with_rerun(judged: History, name: str, rerun: object) -> History:
    changed = tuple(
        replace(transaction, rerun=rerun) if transaction.name == name else transaction
        for transaction in judged.transactions
    )
    return replace(judged, transactions=changed)


def test_a_statement_that_is_not_known_leaves_its_readings_unknown():
    verdict = judge(with_rerun(IN_TURN, "A", None))["WriteSerializable"]
    assert verdict.verdict == "holds"
    assert verdict.view is not None
    assert verdict.view.verdict == "unknown"
    assert verdict.view.why == "the statement of A cannot be run again"


def test_too_many_orders_are_unknown_and_say_so():
    lines = [f"T{n}@{n}>{n + 1}: w(x={n})" for n in range(definition.MOST_PERMUTED + 1)]
    many = history("x=0", *lines)
    view = definition.judge_view(many, "WriteSerializable")
    assert view.verdict == "unknown"
    assert view.why == "9 transactions have too many orders to run them all"
    assert definition.judge_view(many, "Serializable").verdict == "holds"


def test_deciders_that_contradict_each_other_never_hold():
    original = IN_TURN["B"].rerun
    assert original is not None

    def reads_wrongly(tables: dict[str, tuple[Row, ...]]) -> SerialResult:
        return replace(original(tables), reads=((("x", 9),),))

    verdict = judge(with_rerun(IN_TURN, "B", reads_wrongly))["Serializable"]
    assert verdict.verdict == "unknown"
    assert verdict.contradiction == (
        "no edge of the graph objects, yet the view reading fails: "
        "in the order of the log, B reads other rows for name = 'x'"
    )


def lost_delete() -> History:
    """B's delete committed, and the row that A had moved in the meantime is still there."""
    meant = history("x=1", "A@0>1:", "B@0>2: r(x) d(x)")
    lost = replace(meant["B"], changes=(RowChange("t", ("setup x", 0), ("x", 1), ("x", 1)),))
    return replace(meant, transactions=(meant["A"], lost), final=(("x", 1),))


@pytest.mark.parametrize("level", DELTA_LEVELS)
def test_an_effect_that_the_engine_lost_is_a_violation_without_a_cycle(level: str):
    assert graph.judge(lost_delete(), level).verdict == "holds"
    assert contradictions(lost_delete()) == ()
    verdict = judge(lost_delete())[level]
    assert verdict.verdict == "violated"
    assert verdict.anomaly == LOST_EFFECT
    assert verdict.contradiction is None
    assert verdict.why is not None
    assert verdict.why.startswith("B did not do what its statement does on its snapshot")
    as_json = verdict.to_json()
    assert "cycle" not in as_json
    assert as_json["view"] == as_json["final_state"] == "violated"


def test_rows_that_no_change_explains_are_a_violation_where_no_order_leaves_them():
    doubled = replace(IN_TURN, final=IN_TURN.final * 2)
    verdict = judge(doubled)["Serializable"]
    assert verdict.verdict == "violated"
    assert verdict.anomaly == LOST_EFFECT
    assert verdict.why is not None
    assert verdict.why.startswith("the final rows are not those that the changes lead to")


def test_an_effect_lost_at_one_level_violates_those_that_take_effects_for_granted():
    done = history("x=10", "A@0>1: r(x) w(x=11)", "B@1>2: r(x) d(x)")
    lost = replace(done, final=(("x", 11),))
    verdicts = judge(
        lost, ("ReadCommitted", "SnapshotIsolation", "WriteSerializable", "Serializable")
    )
    why = "the final rows are not those that the changes lead to"
    assert {level: (v.verdict, v.anomaly) for level, v in verdicts.items()} == {
        "ReadCommitted": ("violated", "lost effect"),
        "SnapshotIsolation": ("violated", "lost effect"),
        # A after B leaves these rows, though not with these reads, which are in doubt.
        "WriteSerializable": ("unknown", None),
        "Serializable": ("violated", "lost effect"),
    }
    assert all(why in verdict.to_json()["why"] for verdict in verdicts.values())
    alone = judge(lost, ("ReadCommitted",))["ReadCommitted"]
    assert (alone.verdict, alone.why) == ("unknown", f"the history contradicts itself: {why}")


def test_a_statement_that_did_not_do_its_work_is_a_lost_effect_whatever_the_final_rows():
    done = history("x=10", "A@0>1: r(x) w(x=11)", "B@1>2: r(x) d(x)")
    idle = replace(done["B"], changes=())
    judged = replace(done, transactions=(done["A"], idle), final=(("x", 11),))
    verdict = judge(judged, ("WriteSerializable",))["WriteSerializable"]
    assert (verdict.verdict, verdict.anomaly) == ("violated", "lost effect")
    assert verdict.final_state is not None
    assert verdict.final_state.verdict == "holds"


def test_a_cycle_says_more_than_an_effect_lost_at_another_level():
    blind = history("x=10", "A@0>1: w(x=1)", "B@0>2: w(x=2)")
    verdicts = judge(replace(blind, final=(("x", 7),)), ("SnapshotIsolation", "WriteSerializable"))
    assert verdicts["WriteSerializable"].anomaly == "lost effect"
    assert verdicts["SnapshotIsolation"].cycle
    assert verdicts["SnapshotIsolation"].anomaly != "lost effect"


def test_the_phenomenon_is_in_the_json_if_the_anomaly_has_another_name():
    written = Verdict("PL-3", "violated", anomaly="write skew", phenomenon="G2").to_json()
    assert (written["anomaly"], written["phenomenon"]) == ("write skew", "G2")
    assert "phenomenon" not in Verdict("PL-3", "violated", anomaly="G2").to_json()


def test_a_statement_that_could_not_have_succeeded_is_no_witness():
    def fails(tables: object) -> SerialResult:
        raise StatementFailure("DIVIDE_BY_ZERO", "1 / 0")

    assert infidelities(with_rerun(IN_TURN, "B", fails)) == (
        "B succeeded where its statement fails: DIVIDE_BY_ZERO",
    )


@pytest.mark.parametrize("raises", [True, False])
def test_a_statement_that_fails_when_run_alone_cannot_stand_there(raises: bool):
    original = IN_TURN["B"].rerun
    assert original is not None

    def fails_on_two(tables: dict[str, tuple[Row, ...]]) -> SerialResult:
        if ("x", 2) not in tables["t"]:
            return original(tables)
        if raises:
            raise StatementFailure("ARITHMETIC_OVERFLOW", "2 + 1")
        return SerialResult(((),), tables, failed="ARITHMETIC_OVERFLOW")

    reading = definition.judge_view(with_rerun(IN_TURN, "B", fails_on_two), "Serializable")
    assert reading.verdict == "violated"
    assert reading.why == "in the order of the log, B fails: ARITHMETIC_OVERFLOW"


def test_a_level_without_a_serial_order_has_no_view():
    with pytest.raises(ValueError, match="promises no serial order"):
        definition.judge_view(IN_TURN, "SnapshotIsolation")


def test_nan_equals_itself_as_a_value():
    nan = float("nan")
    assert definition.multiset([(nan,)]) == definition.multiset([(float("nan"),)])
    assert definition.multiset([(1,), (1,)]) != definition.multiset([(1,)])


@pytest.mark.parametrize("level", ["Serializable", "SnapshotIsolation"])
def test_a_solver_without_time_does_not_know(level: str):
    found = solver.judge(IN_TURN, level, timeout_ms=0)
    assert found.verdict == "unknown"
    assert found.why == "the solver ran out of time"


A, B = IN_TURN["A"], IN_TURN["B"]


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        (replace(IN_TURN, final=()), "the final rows are not those that the changes lead to"),
        (replace(IN_TURN, transactions=(A, A)), "2 transactions are called A"),
        (
            replace(IN_TURN, transactions=(A, replace(B, commit_version=1))),
            "version 1 was written 2 times",
        ),
        (
            replace(IN_TURN, transactions=(A, replace(B, read_version=2))),
            "B wrote version 2 from version 2",
        ),
        (
            replace(IN_TURN, base_version=1),
            "A began at version 0, before the history",
        ),
        (
            replace(IN_TURN, transactions=(A, replace(B, commit_version=None))),
            "B changed rows and wrote no version",
        ),
        (
            replace(IN_TURN, transactions=(A, replace(B, committed=False))),
            "B aborted and wrote version 2",
        ),
        (
            replace(IN_TURN, transactions=(replace(A, changes=A.changes * 2), B)),
            "A changed row ('setup x', 0) 2 times",
        ),
        (
            replace(IN_TURN, transactions=(B,)),
            "B changed ('x', 2) where the commits before it left ('x', 1)",
        ),
        (
            replace(IN_TURN, transactions=(A, B), initial={"t": {}}),
            "A saw ('x', 1), which its snapshot does not have",
        ),
        (
            replace(
                IN_TURN,
                transactions=(A, replace(B, item_reads=(ItemRead("t", ("setup x", 0), ("x", 9)),))),
            ),
            "B saw ('x', 9) where its snapshot has ('x', 2)",
        ),
    ],
)
def test_a_history_that_contradicts_itself_never_holds(broken: History, why: str):
    assert why in contradictions(broken)
    for verdict in judge(broken).values():
        assert verdict.verdict != "holds"


def test_a_well_formed_history_has_no_contradictions():
    assert contradictions(IN_TURN) == ()
    assert contradictions(DELETE_AND_INSERT) == ()
    assert infidelities(IN_TURN) == ()
