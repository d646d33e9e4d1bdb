"""Trees of schedules: each observation is the one that the plain replay makes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

import pytest

from checker.search.random_search import scenarios_in_groups
from checker.search.schedules import interleavings
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.delta_rs.replay import DeltaRsReplay
from conformance.engine import BadStatement, EngineError
from conformance.replay.campaign import valid
from conformance.replay.observation import Observation, observe
from conformance.spark.engine import SparkEngine
from conformance.trees.eligible import why_plainly
from conformance.trees.forest import Forest, Schedule, Seen
from conformance.trees.processes import TreeJob, observe_over_cores
from conformance.trees.runs import TreeEngine
from model.levels import SERIALIZABLE
from model.profiles import DEFAULT, profile
from model.profiles.base import Profile
from model.scenario import Scenario, Step, TableSpec
from tests.nightly import cases

DELTA_RS = profile("delta-rs-1.6")
TWO_FILES = ("INSERT INTO t VALUES (1, 1, 10)", "INSERT INTO t VALUES (2, 2, 20)")


@pytest.fixture(scope="module")
def delta_rs() -> Iterator[DeltaRsEngine]:
    engine = DeltaRsEngine()
    yield engine
    engine.close()


def scenario(schedule: str, **transactions: str) -> Scenario:
    """``schedule`` is short: ``a`` begins A, ``A`` commits it."""
    table = TableSpec({"k": "int", "p": "int", "v": "int"}, ("p",), setup=TWO_FILES)
    return Scenario(schedule, table, transactions, steps(schedule))


def steps(schedule: str) -> tuple[Step, ...]:
    return tuple(
        Step("begin" if letter.islower() else "commit", letter.upper())
        for letter in schedule.replace(" ", "")
    )


def shown(observation: Observation) -> list[str]:
    """All that an observation holds, without the names that are drawn by chance."""
    contents = {
        path: repr(sorted(map(repr, rows))) for (_, path), rows in observation.files.items()
    }
    told: list[object] = [observation.base_version, observation.engine, observation.level]
    for name, begun in observation.begun.items():
        told.append((name, begun.read_version, begun.finished))
        if (read := begun.footprint) is not None:
            told.append((read.predicates, read.whole_table))
            told.append(sorted(contents[path] for path in read.files))
    for name, ended in observation.ended.items():
        rows = ended.rows and sorted(map(repr, ended.rows))
        told.append((name, replace(ended, rows=None, message=None), rows))
    for step in observation.steps:
        told.append((step.step, step.version, sorted(map(repr, step.rows))))
    for record in observation.log:
        adds = sorted(
            json.dumps([a.partition_values, a.data_change, a.stats], sort_keys=True, default=repr)
            + ("" if a.deletion_vector is None else " with a deletion vector")
            + repr(sorted(map(repr, observation.files[record.version, a.path])))
            for a in record.adds
        )
        removes = sorted(
            contents.get(removed.path, "a file that was never added") for removed in record.removes
        )
        told.append(
            (
                record.version,
                record.operation,
                # Those of the set-up name folders.
                record.version > observation.base_version
                and json.dumps(record.operation_parameters, sort_keys=True),
                record.is_blind_append,
                record.isolation_level,
                record.read_version,
                record.metadata is None,
                record.protocol,
                adds,
                removes,
            )
        )
    told.append((sorted(map(repr, observation.rows)), observation.lost))
    return [re.sub(r"#\d+L?|replay_\d+", "#", repr(item)) for item in told]


def plain(engine: TreeEngine, case: Scenario, level: str) -> list[str] | None:
    try:
        return shown(observe(engine, case, level))
    except BadStatement:
        return None


def compared(
    engine: TreeEngine, forest: Forest, case: Scenario, level: str, chosen: list[Schedule]
) -> list[Seen]:
    """Some schedules of a scenario from the tree, each as its plain replay shows it."""
    try:
        seen = list(forest.observe(case, level, chosen))
    except BadStatement:
        return []
    for each in seen:
        told = None if each.observation is None else shown(each.observation)
        expected = plain(engine, replace(case, schedule=each.schedule), level)
        assert told == expected, (case, each.schedule)
    return seen


def some(case: Scenario, most: int, first: int) -> list[Schedule]:
    """Some schedules of a scenario's transactions."""
    return list(interleavings(tuple(case.transactions)))[first :: max(1, 90 // most)][:most]


def random_cases(seed: int, rules: Profile, most: int) -> Iterable[Scenario]:
    return islice(valid(scenarios_in_groups(seed, 6, (2, 3)), rules), most)


def test_random_schedules_on_delta_rs_are_what_the_plain_replay_shows(
    delta_rs: DeltaRsEngine,
) -> None:
    seen: list[Seen] = []
    with Forest(delta_rs) as forest:
        for number, case in enumerate(random_cases(5, DELTA_RS, cases(12, 1_500))):
            seen += compared(delta_rs, forest, case, SERIALIZABLE, some(case, 6, number % 5))
        assert forest.runs < sum(len(each.schedule) for each in seen) / 2
    from_trees = [each for each in seen if each.observation and each.plainly is None]
    assert len(from_trees) > 0.7 * len(seen)
    met = {
        end for each in from_trees if each.observation for end in each.observation.outcomes.values()
    }
    assert met >= {"committed", "read", "ConcurrentAppend", "ConcurrentDeleteRead", "no commit"}


PAST_AN_INSERT = {
    "A": "DELETE FROM t WHERE p = 1",
    "B": "INSERT INTO t VALUES (7, 1, 0)",
    "C": "OPTIMIZE t",
}
"""At a conflict, past one winner or two, with a statement that is always run from its begin."""


def test_schedules_on_spark_are_what_the_plain_replay_shows(spark_engine: SparkEngine) -> None:
    case = scenario("", **PAST_AN_INSERT)
    with Forest(spark_engine) as forest:
        chosen = [steps("a bB A cC"), steps("bc a C A B"), steps("aA bB cC")]
        seen = compared(spark_engine, forest, case, SERIALIZABLE, chosen)
        for number, drawn in enumerate(random_cases(7, DEFAULT, cases(1, 300))):
            chosen = some(drawn, 2, number)
            seen += compared(spark_engine, forest, drawn, SERIALIZABLE, chosen)
    from_trees = [each.observation for each in seen if each.observation and not each.plainly]
    met = {end for each in from_trees for end in each.outcomes.values()}
    assert met >= {"committed", "ConcurrentAppend"}


def test_all_schedules_of_two_take_two_runs_for_each_order(delta_rs: DeltaRsEngine) -> None:
    case = scenario("ab AB", A="DELETE FROM t WHERE p = 1", B="INSERT INTO t VALUES (7, 1, 0)")
    every = list(interleavings(("A", "B")))
    with Forest(delta_rs) as forest:
        first = [each.observation for each in forest.observe(case, SERIALIZABLE, every)]
        assert len(first) == 6
        assert forest.runs == 6  # Each alone, each after the other, each past the other.
        list(forest.observe(replace(case, name="again"), SERIALIZABLE, every))
        assert forest.runs == 6


def test_a_refused_transaction_leaves_the_table_that_it_met(delta_rs: DeltaRsEngine) -> None:
    """What follows it is shared with the schedules in which it never was."""
    texts = {
        "A": "DELETE FROM t WHERE p = 1",
        "B": "INSERT INTO t VALUES (7, 1, 0)",
        "C": "UPDATE t SET v = 5",
    }
    case = scenario("a bB A cC", **texts)
    with Forest(delta_rs) as forest:
        (seen,) = forest.observe(case, SERIALIZABLE)
        assert seen.observation is not None
        assert seen.observation.outcomes["A"] == "ConcurrentAppend"
        assert forest.runs == 3
        list(forest.observe(case, SERIALIZABLE, [steps("bB a cC A")]))
        assert forest.runs == 4


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("VACUUM t RETAIN 0 HOURS", "A may commit several times"),
        ("SELECT count(*) FROM t TIMESTAMP AS OF '2020-01-01'", "A reads by time"),
        ("ALTER TABLE t SET TBLPROPERTIES ('a' = 'b')", "A may commit several times"),
        ("CREATE OR REPLACE TABLE t (k int) USING delta", "A puts another table into the catalog"),
    ],
)
def test_what_a_tree_cannot_run_is_said(text: str, why: str) -> None:
    assert (why_plainly(scenario("aA", A=text)) or "").startswith(why)


def test_a_schedule_that_ends_early_is_replayed_plainly(delta_rs: DeltaRsEngine) -> None:
    case = scenario("a bB", A="DELETE FROM t", B="INSERT INTO t VALUES (7, 1, 0)")
    with Forest(delta_rs) as forest:
        (seen,) = forest.observe(case, SERIALIZABLE)
        assert seen.plainly == "a transaction begins and does not end"
        assert seen.observation is not None
        assert shown(seen.observation) == plain(delta_rs, case, SERIALIZABLE)
        assert forest.runs == 0


def test_a_statement_that_the_engine_does_not_have_is_refused(delta_rs: DeltaRsEngine) -> None:
    case = scenario("aA bB", A="REORG TABLE t APPLY (PURGE)", B="INSERT INTO t VALUES (7, 1, 0)")
    with Forest(delta_rs) as forest:
        (seen,) = forest.observe(case, SERIALIZABLE)
        assert seen.observation is None
        assert "no operation" in str(seen.refused)


def test_an_engine_that_fails_ends_the_walk(
    delta_rs: DeltaRsEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: DeltaRsReplay, name: str) -> None:
        raise EngineError("it has died")

    monkeypatch.setattr(DeltaRsReplay, "begin", fail)
    case = scenario("aA", A="DELETE FROM t")
    with Forest(delta_rs) as forest, pytest.raises(EngineError, match="it has died"):
        list(forest.observe(case, SERIALIZABLE))


def test_trees_that_are_not_used_are_dropped(delta_rs: DeltaRsEngine) -> None:
    with Forest(delta_rs, limit=2) as forest:
        for number in range(4):
            case = scenario("aA", A="DELETE FROM t WHERE k = 1")
            table = replace(
                case.table, setup=(*TWO_FILES, f"INSERT INTO t VALUES ({number}, 1, 1)")
            )
            list(forest.observe(replace(case, table=table), SERIALIZABLE))
        kept = list((delta_rs.folder / "trees").iterdir())
        assert len(kept) == 2
    assert list((delta_rs.folder / "trees").iterdir()) == []


def test_several_processes_see_what_one_sees(delta_rs: DeltaRsEngine) -> None:
    every = tuple(interleavings(("A", "B")))
    work = [
        TreeJob(scenario("", A=text, B="INSERT INTO t VALUES (7, 1, 0)"), SERIALIZABLE, every)
        for text in ("DELETE FROM t WHERE p = 1", "SELECT count(*) FROM t")
    ]
    with Forest(delta_rs) as forest:
        for (job, seen), expected in zip(
            observe_over_cores(DeltaRsEngine, work, processes=1), work, strict=True
        ):
            assert job == expected
            here = forest.observe(job.scenario, job.level, job.schedules)
            for there, each in zip(seen, here, strict=True):
                assert there.observation is not None
                assert each.observation is not None
                assert shown(there.observation) == shown(each.observation)
