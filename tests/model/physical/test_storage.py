"""VACUUM without retention in the model: who loses which file, and who notices."""

from __future__ import annotations

import pytest

from conformance.model_engine import ModelEngine
from conformance.replay.observation import observe
from conformance.replay.observed_history import observed
from model.errors import InvalidScenario
from model.physical.storage import FILE_NOT_EXIST
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT
from model.profiles.delta_rs_1_6 import PROFILE as DELTA_RS
from model.scenario import Scenario, TableSpec
from model.simulator import Run

OFF = "SET spark.databricks.delta.retentionDurationCheck.enabled = false; "
ALL, LITE = OFF + "VACUUM t RETAIN 0 HOURS", OFF + "VACUUM t LITE RETAIN 0 HOURS"
SETUP = ("INSERT INTO t VALUES (1, 10), (2, 20)", "INSERT INTO t VALUES (5, 50)")
LOAD, DELETE = "INSERT INTO t VALUES (3, 30)", "DELETE FROM t WHERE k = 1"
VECTORS = {"delta.enableDeletionVectors": "true"}


def scenario(
    transactions: dict[str, str], *schedule: str, properties: dict[str, str] | None = None
) -> Scenario:
    table = TableSpec({"k": "int", "v": "int"}, (), (), properties or {}, SETUP)
    return Scenario("x", table, transactions, tuple(s for e in schedule for s in steps(e)))


def ran(*schedule: str, properties: dict[str, str] | None = None, **named: str) -> Run:
    return run_scenario(scenario(named, *schedule, properties=properties), DEFAULT)


def keys(run: Run) -> list[object]:
    return sorted(row[0] for row in run.final.shown())  # type: ignore[type-var]


@pytest.mark.parametrize(
    ("vacuum", "schedule", "left"),
    [
        (ALL, ("begin load", "vacuum", "commit load"), [1, 2, 5]),
        (ALL, ("begin load", "begin vacuum", "commit load", "commit vacuum"), [1, 2, 5]),
        (ALL, ("begin vacuum", "begin load", "commit load", "commit vacuum"), [1, 2, 3, 5]),
        (ALL, ("begin vacuum", "begin load", "commit vacuum", "commit load"), [1, 2, 3, 5]),
        (ALL, ("load", "vacuum"), [1, 2, 3, 5]),
        (LITE, ("begin load", "vacuum", "commit load"), [1, 2, 3, 5]),
    ],
)
def test_what_was_written_before_the_vacuum_began_is_lost(
    vacuum: str, schedule: tuple[str, ...], left: list[int]
) -> None:
    run = ran(*schedule, load=LOAD, vacuum=vacuum)
    assert {end.outcome for end in run.ended.values()} == {"committed"}
    assert keys(run) == left


@pytest.mark.parametrize("vacuum", [ALL, LITE])
@pytest.mark.parametrize(
    ("query", "outcome"),
    [
        ("SELECT sum(v) FROM t", FILE_NOT_EXIST),
        ("SELECT * FROM t WHERE k = 5", "read"),
        ("SELECT count(*), max(v) FROM t", "read"),
        ("SELECT count(*) FROM t WHERE k < 3", FILE_NOT_EXIST),
    ],
)
def test_a_reader_of_an_old_version_misses_the_files_that_it_opens(
    vacuum: str, query: str, outcome: str
) -> None:
    run = ran("begin r", "d", "vacuum", "commit r", r=query, d=DELETE, vacuum=vacuum)
    assert run.ended["r"].outcome == outcome


def test_a_deletion_vector_in_flight_is_lost_with_the_rows_that_it_leaves() -> None:
    run = ran("begin d", "vacuum", "commit d", d=DELETE, vacuum=ALL, properties=VECTORS)
    assert keys(run) == [5]


@pytest.mark.parametrize(
    ("statement", "outcome"),
    [
        ("UPDATE t SET v = 0 WHERE k = 3", FILE_NOT_EXIST),
        ("UPDATE t SET v = 0 WHERE k = 5", "committed"),
        ("OPTIMIZE t", FILE_NOT_EXIST),
        ("DELETE FROM t", "committed"),
        ("TRUNCATE TABLE t", "committed"),
    ],
)
def test_a_lost_file_fails_who_opens_it(statement: str, outcome: str) -> None:
    run = ran("begin load", "vacuum", "commit load", "x", load=LOAD, vacuum=ALL, x=statement)
    assert run.ended["x"].outcome == outcome


def test_the_log_and_what_is_left_give_the_history_that_was_predicted() -> None:
    found = scenario({"load": LOAD, "vacuum": ALL}, "begin load", "vacuum", "commit load")
    seen = observed(
        prepare(found, DEFAULT), observe(ModelEngine(), found, DEFAULT.default_level)
    ).history
    assert seen.unknown == ()
    assert (3, 30) not in seen.final
    assert any(c.after == (3, 30) for t in seen.transactions for c in t.changes)


def test_who_cannot_tell_refuses_it() -> None:
    with pytest.raises(InvalidScenario, match="RESTORE beside a VACUUM"):
        ran("vacuum", "back", vacuum=ALL, back="RESTORE TABLE t TO VERSION AS OF 1")
    with pytest.raises(InvalidScenario, match="does not have the statement"):
        prepare(scenario({"vacuum": ALL}, "vacuum"), DELTA_RS)
