"""delta-rs beyond appends, DELETE and UPDATE: every statement that it has, alone and in pairs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from checker.judging.verdict import judge
from checker.search.alphabet import LAYOUTS
from checker.search.alphabet import scenario as on_alphabet
from checker.search.statement_kinds import KINDS, statements
from conformance.cross_engine import CrossEngine
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import BadStatement
from conformance.matrix.table import NOT_ASKED, matrix
from conformance.replay.campaign import Job, replay
from conformance.replay.comparison import Comparison, DifferenceClass
from isodelta.commands.matrix.results import Cell
from isodelta.files.scenarios import Loaded, read_files
from isodelta.runs.expectation import failures
from model.errors import InvalidScenario
from model.expressions.syntax import sql
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT, profile
from model.profiles.delta_rs_noted import predicates_of_merge
from model.scenario import Scenario, TableSpec
from model.sql import parse_statement
from model.statements import Merge
from model.tables.table import table_from_spec
from tests.notation import scheduled

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
RULES = profile("delta-rs-1.6")
FINDINGS = read_files([ROOT / "docs/findings/delta_rs_statements.yaml"], RULES)

WRONG_MERGES = read_files([ROOT / "docs/findings/delta_rs_wrong_merges.yaml"], RULES)

TABLE = TableSpec(
    {"k": "int", "v": "int"},
    setup=("INSERT INTO t VALUES (1, 10)", "INSERT INTO t VALUES (2, 20), (3, NULL)"),
)
UPSERT = "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
ROW_1 = "USING (SELECT 1 AS k, 11 AS v) AS s"
TWICE = "USING (SELECT 1 AS k, 11 AS v UNION ALL SELECT 1 AS k, 12 AS v) AS s"
NUMBERED = (
    "SET spark.databricks.delta.write.txnAppId=job; "
    "SET spark.databricks.delta.write.txnVersion={}; {}"
)


@pytest.fixture(scope="module")
def engine() -> Iterator[DeltaRsEngine]:
    running = DeltaRsEngine()
    yield running
    running.close()


def scenario(schedule: str, table: TableSpec = TABLE, **transactions: str) -> Scenario:
    taken = scheduled(schedule)
    return Scenario("test", table, transactions, taken)


def compared(engine: DeltaRsEngine, given: Scenario, level: str = SERIALIZABLE) -> Comparison:
    return replay(engine, Job(given, level), RULES).comparison


def outcomes(engine: DeltaRsEngine, given: Scenario, level: str = SERIALIZABLE) -> list[str]:
    """The outcomes, once the model is found to agree; of a failure its error class."""
    comparison = compared(engine, given, level)
    assert comparison.differences == ()
    ended = comparison.observation.ended.values()
    return [e.error_class or "?" if e.outcome == "failed" else e.outcome for e in ended]


def had(layout: str) -> list[tuple[str, str]]:
    """The statements of a layout that delta-rs has, with their names."""
    found = []
    for _, statement in statements(layout):
        alone = on_alphabet(layout, SERIALIZABLE, {"A": statement.sql}, steps("A"), "x")
        try:
            prepare(alone, RULES)
        except InvalidScenario:
            continue
        found.append((statement.name, statement.sql))
    return found


@pytest.mark.parametrize("loaded", FINDINGS, ids=lambda loaded: loaded.scenario.name)
def test_findings_are_as_written_and_as_predicted(engine: DeltaRsEngine, loaded: Loaded) -> None:
    comparison = compared(engine, loaded.scenario, loaded.workload.level)
    assert comparison.differences == ()
    seen = comparison.observation
    verdicts = {name: verdict.verdict for name, verdict in comparison.verdicts.items()}
    level = loaded.workload.level
    assert failures(loaded.scenario, seen.outcomes, seen.rows, verdicts, level) == ()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_statement_of_the_conflict_table_alone(engine: DeltaRsEngine, layout: str) -> None:
    for name, text in had(layout):
        alone = on_alphabet(layout, SERIALIZABLE, {"A": text}, steps("A"), name)
        assert compared(engine, alone).differences == (), name


@pytest.mark.parametrize("level", [SERIALIZABLE, SNAPSHOT_ISOLATION])
def test_statements_that_meet(engine: DeltaRsEngine, level: str) -> None:
    known = had("partitioned")
    schedule = [step for text in ("begin A", "B", "commit A") for step in steps(text)]
    for number, (name, text) in enumerate(known):
        # Every statement once in each role; all pairs are replayed by `isodelta matrix`.
        other, against = known[(number * 7 + 3) % len(known)]
        meeting = on_alphabet("partitioned", level, {"A": text, "B": against}, schedule, name)
        assert compared(engine, meeting, level).differences == (), (name, other)


@pytest.mark.parametrize(
    ("condition", "predicate"),
    [
        ("t.k = s.k", None),
        ("t.k = s.k AND t.v > 5", "v > 5"),
        ("t.k = s.k AND (t.v > 5 OR t.v IS NULL)", "v > 5 OR v IS NULL"),
        ("t.k = s.k AND (t.v > 5 OR s.v = 3)", None),
        ("t.k = s.k AND t.k IN (1, 2)", "k IN (1, 2)"),
    ],
)
def test_the_predicate_of_a_merge_is_what_on_says_of_the_target(
    engine: DeltaRsEngine, condition: str, predicate: str | None
) -> None:
    text = f"MERGE INTO t {ROW_1} ON {condition} {UPSERT}"
    statement = parse_statement(text, "t", {"t": table_from_spec("t", TABLE)})
    assert isinstance(statement, Merge)
    noted = predicates_of_merge(statement)
    assert [sql(each.data) for each in noted] == ([] if predicate is None else [predicate])
    log = compared(engine, scenario("A", A=text)).observation.log
    assert ("predicate" in log[-1].operation_parameters) == bool(noted)


def test_a_merge_counts_the_matches_that_a_clause_acts_on(engine: DeltaRsEngine) -> None:
    both = f"MERGE INTO t {TWICE} ON t.k = s.k WHEN MATCHED THEN UPDATE SET v = s.v"
    one = f"MERGE INTO t {TWICE} ON t.k = s.k WHEN MATCHED AND s.v = 12 THEN UPDATE SET v = s.v"
    error = "DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE"
    assert outcomes(engine, scenario("A", A=both)) == [error]
    assert outcomes(engine, scenario("A", A=one)) == ["committed"]
    assert run_scenario(scenario("A", A=one), DEFAULT).ended["A"].outcome == error


@pytest.mark.parametrize("loaded", WRONG_MERGES, ids=lambda loaded: loaded.scenario.name)
def test_merges_that_duplicate_rows_are_reported(engine: DeltaRsEngine, loaded: Loaded) -> None:
    comparison = compared(engine, loaded.scenario)
    assert comparison.observation.rows.count((1, 10)) == 2
    assert comparison.predicted.final.rows().count((1, 10)) == 1
    assert {d.classified for d in comparison.differences} == {DifferenceClass.ENGINE_DISOBEYS}


def test_a_file_of_a_snapshot_is_pruned_without_its_number_of_nulls(engine: DeltaRsEngine) -> None:
    table = TableSpec(
        {"k": "int", "v": "int"},
        setup=tuple(f"INSERT INTO t VALUES {row}" for row in ("(1, NULL)", "(2, 30)", "(3, 5)")),
    )
    for condition, killed, outcome in (
        ("v > 25", "k = 1", "ConcurrentDeleteRead"),
        ("v > 25", "k = 3", "committed"),
        ("v IS NULL", "k = 3", "ConcurrentDeleteRead"),
        ("v IS NOT NULL", "k = 1", "ConcurrentDeleteRead"),
    ):
        a, b = f"DELETE FROM t WHERE {condition}", f"DELETE FROM t WHERE {killed}"
        meeting = scenario("begin A, B, commit A", table, A=a, B=b)
        assert outcomes(engine, meeting) == ["committed", outcome]


def test_a_numbered_write_is_made_once(engine: DeltaRsEngine) -> None:
    first, second = (NUMBERED.format(n, "INSERT INTO t VALUES (5, 50)") for n in (1, 2))
    assert outcomes(engine, scenario("A, B", A=first, B=first)) == ["committed", "no commit"]
    assert outcomes(engine, scenario("A, B", A=first, B=second)) == ["committed", "committed"]
    meeting = scenario("begin A, B, commit A", A=first, B=first)
    assert outcomes(engine, meeting) == ["committed", "ConcurrentTransaction"]
    nothing = NUMBERED.format(1, "DELETE FROM t WHERE k = 9")
    assert outcomes(engine, scenario("A, B", A=nothing, B=first)) == ["no commit", "committed"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("RESTORE TABLE t TO VERSION AS OF 1", ["committed", "ConcurrentWrite"]),
        ("ALTER TABLE t ADD COLUMN w int", ["committed", "committed"]),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (k < 100)", ["committed", "committed"]),
        ("ALTER TABLE t ADD CONSTRAINT c CHECK (v < 100)", None),
        ("RESTORE TABLE t TO VERSION AS OF 2", None),
        ("VACUUM t", ["committed", "no commit"]),
    ],
)
def test_statements_after_an_insert_that_they_did_not_see(
    engine: DeltaRsEngine, statement: str, expected: list[str] | None
) -> None:
    meeting = scenario("begin A, B, commit A", A=statement, B="INSERT INTO t VALUES (5, 50)")
    found = outcomes(engine, meeting)
    assert found == expected or (expected is None and found[1] not in ("committed", "no commit"))


def test_statements_work_on_columns_that_were_added(engine: DeltaRsEngine) -> None:
    added = "ALTER TABLE t ADD COLUMN w int"
    for text in (
        "INSERT INTO t VALUES (5, 50, 500)",
        "UPDATE t SET w = k WHERE k = 1",
        f"MERGE INTO t {ROW_1} ON t.k = s.k WHEN MATCHED THEN UPDATE SET w = s.v",
        "INSERT OVERWRITE t SELECT k, v, 7 FROM t",
    ):
        assert outcomes(engine, scenario("A, B", A=added, B=text)) == ["committed", "committed"]


@pytest.mark.parametrize(
    "text",
    [
        "REORG TABLE t APPLY (PURGE)",
        "CREATE OR REPLACE TABLE t (k int, v int) USING delta",
        "ALTER TABLE t ADD COLUMN w int FIRST",
        "ALTER TABLE t UNSET TBLPROPERTIES ('team')",
        "ALTER TABLE t SET TBLPROPERTIES ('delta.enableChangeDataFeed' = 'true')",
    ],
)
def test_what_delta_rs_has_no_operation_for_is_refused_in_one_line(text: str) -> None:
    given = scenario("A", A=text)
    with pytest.raises(InvalidScenario, match=r"delta-rs-1\.6 does not have") as refused:
        prepare(given, RULES)
    assert "\n" not in str(refused.value)
    cross = CrossEngine(cast(Any, None), frozenset({"A"}))
    with pytest.raises(BadStatement, match="delta-rs has no operation") as unknown:
        cross.open(given)
    assert "\n" not in str(unknown.value)


def test_the_table_s_level_may_be_snapshot_isolation(engine: DeltaRsEngine) -> None:
    meeting = scenario(
        "begin A, B, commit A", A="DELETE FROM t WHERE k >= 1", B="INSERT INTO t VALUES (5, 50)"
    )
    assert outcomes(engine, meeting) == ["committed", "ConcurrentAppend"]
    comparison = compared(engine, meeting, SNAPSHOT_ISOLATION)
    assert comparison.observation.outcomes == {"B": "committed", "A": "committed"}
    assert {name: v.verdict for name, v in comparison.verdicts.items()} == {
        "Serializable": "violated",
        "WriteSerializable": "holds",
        "SnapshotIsolation": "holds",
    }
    metadata = comparison.observation.log[0].metadata
    assert metadata is not None
    assert metadata["configuration"] == {"delta.isolationLevel": "snapshotIsolation"}


def test_no_level_holds_where_an_effect_is_lost() -> None:
    lost = next(each for each in FINDINGS if "truncation is lost" in each.scenario.name)
    history = run_scenario(lost.scenario, RULES).history
    verdicts = judge(history, ("Serializable", "SnapshotIsolation"))
    assert verdicts["SnapshotIsolation"].verdict == "violated"
    assert verdicts["SnapshotIsolation"].anomaly == "lost effect"


def test_kinds_that_delta_rs_does_not_have_are_not_asked() -> None:
    kinds = [kind for kind in KINDS if kind.name in ("INSERT", "REORG", "TRUNCATE")]
    entries = list(matrix(RULES, (SERIALIZABLE,), kinds=kinds))
    assert len(entries) == 9 * len(LAYOUTS)
    for entry in entries:
        assert (entry.model == NOT_ASKED) == ("REORG" in (entry.current, entry.winner))
    asked = next(e for e in entries if (e.current, e.winner) == ("INSERT", "TRUNCATE"))
    assert (asked.model, Cell(asked).needed) == ("can", "no")
    missing = next(e for e in entries if e.winner == "REORG")
    assert (Cell(missing).needed, missing.probes, missing.remarks) == (
        NOT_ASKED,
        (),
        (),
    )
