"""delta-rs as an engine: its tables, its outcomes, and the profile that describes it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import pytest

from checker.search.random_search import scenarios_in_groups
from conformance.delta_log.log_reader import LogReader
from conformance.delta_rs.dialect import datafusion_sql
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.delta_rs.outcomes import outcome_of
from conformance.engine import BadStatement
from conformance.replay.campaign import Job, replay, run_campaign, valid
from conformance.replay.comparison import Comparison, DifferenceClass
from isodelta import cli
from isodelta.exits import OK
from isodelta.files.scenarios import Loaded, read_files
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.preparation import run_scenario
from model.profiles import profile
from model.scenario import Scenario, TableSpec
from model.sql import parse_statement
from model.statements import Delete
from model.tables.table import table_from_spec
from tests.notation import scheduled

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
RULES = profile("delta-rs-1.6")
LEVELS = (SERIALIZABLE, WRITE_SERIALIZABLE)
COLLECTION = [
    loaded for file in sorted(ROOT.glob("scenarios/*.yaml")) for loaded in read_files([file], RULES)
]
FINDINGS = read_files([ROOT / "docs/findings/delta_rs.yaml"], RULES)
WRONG_DELETES = read_files([ROOT / "docs/findings/delta_rs_wrong_deletes.yaml"], RULES)

TWO_FILES = TableSpec(
    {"k": "int", "v": "int"},
    setup=("INSERT INTO t VALUES (1, 10)", "INSERT INTO t VALUES (2, 20)"),
)


@pytest.fixture(scope="module")
def engine() -> Iterator[DeltaRsEngine]:
    running = DeltaRsEngine()
    yield running
    running.close()


def named(loaded: Loaded) -> str:
    return loaded.scenario.name


def compared(engine: DeltaRsEngine, scenario: Scenario, level: str = SERIALIZABLE) -> Comparison:
    return replay(engine, Job(scenario, level), RULES).comparison


def scenario(
    schedule: str, table: TableSpec = TWO_FILES, name: str = "test", **transactions: str
) -> Scenario:
    taken = scheduled(schedule)
    return Scenario(name, table, transactions, taken)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("loaded", COLLECTION, ids=named)
def test_the_profile_predicts_the_collection(
    engine: DeltaRsEngine, loaded: Loaded, level: str
) -> None:
    comparison = compared(engine, loaded.scenario, level)
    assert comparison.differences == ()


def test_the_profile_predicts_random_scenarios(engine: DeltaRsEngine) -> None:
    outcomes: Counter[str] = Counter()
    for each, level in product(islice(valid(scenarios_in_groups(3, 10), RULES), 60), LEVELS):
        comparison = compared(engine, each, level)
        outcomes.update(comparison.observation.outcomes.values())
        assert comparison.differences == (), each
    assert {"ConcurrentAppend", "ConcurrentDeleteRead", "committed", "no commit"} <= set(outcomes)


@pytest.mark.parametrize("loaded", FINDINGS, ids=named)
def test_findings_are_as_written_and_as_predicted(engine: DeltaRsEngine, loaded: Loaded) -> None:
    expect = loaded.scenario.expect
    comparison = compared(engine, loaded.scenario, loaded.workload.level)
    observation = comparison.observation
    assert comparison.differences == ()
    assert observation.outcomes == expect.outcomes
    assert expect.rows is None or Counter(observation.rows) == Counter(expect.rows)
    assert {level: comparison.verdicts[level].verdict for level in LEVELS} == expect.levels


@pytest.mark.parametrize("loaded", WRONG_DELETES, ids=named)
def test_deletes_that_take_every_row_are_reported(engine: DeltaRsEngine, loaded: Loaded) -> None:
    comparison = compared(engine, loaded.scenario)
    assert comparison.observation.rows == ()
    assert comparison.predicted.final.rows() != ()
    assert {d.classified for d in comparison.differences} == {DifferenceClass.ENGINE_DISOBEYS}
    assert any("does not give" in text for text in comparison.history.unknown)


def test_the_level_takes_effect_in_delta_rs_own_spelling_only(engine: DeltaRsEngine) -> None:
    opened = engine.open(scenario("A", A="SELECT * FROM t"), WRITE_SERIALIZABLE)
    metadata = opened.log()[0].metadata
    opened.close()
    assert metadata is not None
    assert metadata["configuration"] == {"delta.isolationLevel": "writeSerializable"}


@pytest.mark.parametrize(
    ("spelling", "outcome"),
    [("snapshotIsolation", "committed"), ("SnapshotIsolation", "conflict")],
)
def test_another_spelling_of_a_level_means_serializable(
    tmp_path: Path, spelling: str, outcome: str
) -> None:
    import pyarrow
    from deltalake import DeltaTable, write_deltalake
    from deltalake.exceptions import CommitFailedError

    rows = pyarrow.table({"v": [1]})
    table = DeltaTable.create(
        tmp_path, rows.schema, configuration={"delta.isolationLevel": spelling}
    )
    write_deltalake(table, rows, mode="append")
    pinned = DeltaTable(tmp_path)
    write_deltalake(tmp_path, rows, mode="append")
    try:
        pinned.delete("v = 1")
        shown = "committed"
    except CommitFailedError:
        shown = "conflict"
    assert shown == outcome


def test_compaction_over_compaction_is_safe_in_no_level_but_loses_nothing_alone(
    engine: DeltaRsEngine,
) -> None:
    alone = compared(engine, scenario("A, B", A="OPTIMIZE t", B="OPTIMIZE t"))
    assert alone.observation.outcomes == {"A": "committed", "B": "no commit"}
    assert sorted(alone.observation.rows) == [(1, 10), (2, 20)]


def test_an_append_of_nothing_writes_a_version(engine: DeltaRsEngine) -> None:
    nothing = scenario("A", A="INSERT INTO t SELECT * FROM t WHERE k > 5")
    for level in LEVELS:
        comparison = compared(engine, nothing, level)
        assert comparison.observation.outcomes == {"A": "committed"}
        assert comparison.differences == ()


def test_a_failing_statement_goes_by_its_error_class(engine: DeltaRsEngine) -> None:
    overflow = scenario("A", A="UPDATE t SET v = v + 2147483647 WHERE k = 1")
    end = compared(engine, overflow).observation.ended["A"]
    assert (end.outcome, end.error_class, end.commit_version) == ("failed", "CAST_OVERFLOW", None)


def test_a_set_up_that_the_engine_refuses_is_the_scenario_s_fault(engine: DeltaRsEngine) -> None:
    unknown = "delta.dropFeatureTruncateHistory.retentionDuration"
    spec = TableSpec({"k": "int"}, properties={unknown: "interval 24 hours"})
    with pytest.raises(BadStatement, match="creation of t"):
        engine.open(scenario("A", spec, A="SELECT * FROM t"))


def test_a_partition_value_that_delta_rs_cannot_read_again_ends_the_replay_alone(
    engine: DeltaRsEngine,
) -> None:
    spec = TableSpec({"k": "int", "w": "decimal(5,2)"}, partition_by=("w",))
    damaging = scenario("A", spec, A="INSERT INTO t VALUES (0, -0.75)")
    harmless = scenario("A", spec, A="INSERT INTO t VALUES (0, -1.00)")
    with pytest.raises(BadStatement, match="0\\.-75"):
        compared(engine, damaging)
    jobs = [Job(each, SERIALIZABLE) for each in (damaging, harmless)]
    replayed = list(run_campaign(engine, jobs, profile("delta-rs-1.6")))
    assert [done.job.scenario for done in replayed] == [harmless]
    assert replayed[0].comparison.agrees


def test_foreign_exceptions_are_no_outcome() -> None:
    assert outcome_of(KeyError("x")) is None
    failed = outcome_of(Exception("Cast error: Can't cast value 5000000000 to type Int32"))
    assert failed is not None
    assert (failed.outcome, failed.error_class) == ("failed", "CAST_OVERFLOW")


def test_the_engine_leaves_no_folder_behind() -> None:
    running = DeltaRsEngine()
    opened = running.open(scenario("A", A="SELECT * FROM t"))
    folder = opened._folder
    assert folder.exists()
    opened.close()
    opened.close()
    assert not folder.exists()
    running.close()
    assert not folder.parents[1].exists()


@pytest.mark.parametrize(
    ("spark", "datafusion"),
    [
        ("s = 'it\\'s'", """("s" = 'it''s')"""),
        ("k / 2 > 1", '((CAST("k" AS DOUBLE) / CAST(2 AS DOUBLE)) > CAST(1.0 AS DOUBLE))'),
        ("k <=> NULL", '("k" IS NULL)'),
        ("NOT (k IN (1, 2))", '(NOT ("k" IN (1, 2)))'),
        ("k IS NOT NULL OR s = 'a'", """(("k" IS NOT NULL) OR ("s" = 'a'))"""),
    ],
)
def test_conditions_keep_their_meaning_in_the_other_dialect(spark: str, datafusion: str) -> None:
    table = table_from_spec("t", TableSpec({"k": "int", "s": "string"}))
    statement = parse_statement(f"DELETE FROM t WHERE {spark}", "t", {"t": table})
    assert isinstance(statement, Delete)
    assert datafusion_sql(statement.condition) == datafusion


def test_levels_differ_in_nothing_but_name() -> None:
    for each in islice(valid(scenarios_in_groups(5, 10), RULES), 100):
        first, second = (run_scenario(each, RULES, level) for level in LEVELS)
        assert [e.outcome for e in first.ended.values()] == [
            e.outcome for e in second.ended.values()
        ]


@pytest.mark.parametrize(
    ("rule", "statements"),
    [
        ("added files", ("DELETE FROM t WHERE k >= 1", "INSERT INTO t VALUES (3, 30)")),
        ("delete read", ("INSERT INTO t VALUES (3, 30)", "DELETE FROM t WHERE k = 1")),
    ],
)
def test_a_profile_without_a_rule_disagrees_with_the_engine(
    engine: DeltaRsEngine, rule: str, statements: tuple[str, str]
) -> None:
    meeting = scenario("begin A, B, commit A", A=statements[0], B=statements[1])
    assert compared(engine, meeting).agrees
    assert not replay(engine, Job(meeting, SERIALIZABLE), RULES.without(rule)).comparison.agrees


def test_the_command_line_needs_no_spark_and_takes_the_profile_of_the_engine() -> None:
    code = (
        "import sys\n"
        "from isodelta.cli import run\n"
        "try:\n"
        "    code = run(sys.argv[1:])\n"
        "except SystemExit as end:\n"
        "    code = end.code\n"
        "assert 'pyspark' not in sys.modules and 'py4j' not in sys.modules\n"
        "sys.exit(code)\n"
    )
    arguments = ["replay", "--engine", "delta-rs", "--json", "scenarios/lost_update.yaml"]
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 0, ran.stderr
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    assert {result["profile"] for result in results} == {"delta-rs-1.6"}


def test_a_replay_writes_its_report(tmp_path: Path) -> None:
    import deltalake

    finding = str(ROOT / "docs" / "findings" / "delta_rs.yaml")
    arguments = ["replay", finding, "--engine", "delta-rs", "--report", str(tmp_path)]
    assert cli.run(arguments) == OK
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["versions"]["deltalake"] == deltalake.__version__
    assert {scenario["observed"]["engine"] for scenario in report["scenarios"]} == {"delta-rs"}
    assert report["summary"]["violations"] > 0
    assert all(each["command"].endswith("--engine delta-rs") for each in report["findings"])


def test_at_snapshot_isolation_an_update_after_a_compaction_duplicates_rows(
    tmp_path: Path,
) -> None:
    import pyarrow
    from deltalake import DeltaTable, write_deltalake

    rows = pyarrow.table({"v": pyarrow.array([1], pyarrow.int64())})
    table = DeltaTable.create(
        tmp_path, rows.schema, configuration={"delta.isolationLevel": "snapshotIsolation"}
    )
    write_deltalake(table, rows, mode="append")
    write_deltalake(table, rows, mode="append")
    pinned = DeltaTable(tmp_path)
    DeltaTable(tmp_path).optimize.compact()
    pinned.update(updates={"v": "v + 1"}, predicate="v = 1")
    assert sorted(row for (row,) in LogReader(tmp_path).rows()) == [1, 1, 2, 2]
