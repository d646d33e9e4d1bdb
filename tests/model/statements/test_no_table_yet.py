"""Scenarios without a table: transactions that race for its creation."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.judging.verdict import judge
from conformance.cross_engine import CrossEngine
from conformance.delta_rs.engine import DeltaRsEngine
from conformance.engine import BadStatement
from conformance.model_engine import ModelEngine
from conformance.replay.comparison import Comparison, compare
from conformance.replay.observation import observe
from conformance.spark.engine import SparkEngine
from isodelta.files.scenario_writer import scenario_mapping, scenario_yaml
from isodelta.files.scenarios import BadScenarios, load_scenarios, read_text
from isodelta.report.files.sql_script import sql_script
from model.errors import InvalidScenario
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT, PROFILES
from model.scenario import LEVEL_PROPERTY, Scenario, TableSpec
from model.simulator import Run
from tests.conformance.spark.batches import replayed_together
from tests.notation import scheduled

FILE = Path(__file__).parents[3] / "scenarios" / "statements" / "no_table_yet.yaml"
OTHER = {"s": TableSpec({"k": "int", "p": "int"}, setup=("INSERT INTO s VALUES (1, 1), (2, 2)",))}

PLAIN = "CREATE TABLE t (k int, p int) USING delta"
UNLESS = "CREATE TABLE IF NOT EXISTS t (k int, p int) USING delta PARTITIONED BY (p)"
REPLACE = "CREATE OR REPLACE TABLE t (k int, p int) USING delta"
SELECT = "CREATE TABLE t USING delta AS SELECT k, p FROM s"
VALUES = "CREATE TABLE t USING delta PARTITIONED BY (p) AS SELECT * FROM VALUES (7, 7) AS x(k, p)"
REPLACE_SELECT = "CREATE OR REPLACE TABLE t USING delta AS SELECT 9 AS k, 9 AS p"
CREATIONS = (PLAIN, UNLESS, REPLACE, SELECT, VALUES, REPLACE_SELECT)


def story(*texts: str, schedule: str) -> Scenario:
    order = scheduled(schedule)
    return Scenario("x", TableSpec(), dict(zip("ABCD", texts, strict=False)), order, OTHER)


def ran(*texts: str, schedule: str) -> Run:
    return run_scenario(story(*texts, schedule=schedule), DEFAULT)


def outcomes(*texts: str, schedule: str) -> list[str]:
    return [ended.outcome for ended in ran(*texts, schedule=schedule).ended.values()]


@pytest.mark.parametrize("text", CREATIONS)
def test_a_creation_is_version_0_and_logs_serializable(text: str) -> None:
    done = ran(text, schedule="A")
    assert (done.ended["A"].logical.read_version, done.final.version) == (-1, 0)
    assert done.final.commit is not None
    assert done.final.commit.level == "Serializable"
    assert done.final.commit.blind == (text != REPLACE_SELECT)


@pytest.mark.parametrize("loser", CREATIONS)
@pytest.mark.parametrize("winner", [SELECT, VALUES, REPLACE_SELECT])
def test_whoever_is_second_to_commit_is_told_of_the_protocol(loser: str, winner: str) -> None:
    assert outcomes(loser, winner, schedule="begin A, B, commit A") == [
        "committed",
        "ProtocolChanged",
    ]


@pytest.mark.parametrize("profile", [n for n in PROFILES if not n.startswith("delta-rs")])
def test_no_rules_let_two_creations_commit(profile: str) -> None:
    done = run_scenario(story(PLAIN, SELECT, schedule="begin A, B, commit A"), PROFILES[profile])
    assert done.ended["A"].conflict is not None


@pytest.mark.parametrize("text", [PLAIN, UNLESS, REPLACE])
@pytest.mark.parametrize(
    "schedule", ["begin A, B, commit A", "begin A, begin B, commit B, commit A"]
)
def test_without_a_select_the_folder_must_be_empty(text: str, schedule: str) -> None:
    found = ran(SELECT, text, schedule=schedule)
    assert found.ended["B"].outcome == "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION"
    assert found.ended["A"].outcome == "committed"


def test_a_failed_select_leaves_its_folder_behind() -> None:
    fails = "CREATE TABLE t USING delta AS SELECT k / (p - 1) AS q FROM s"
    assert outcomes(fails, PLAIN, SELECT, schedule="A, B, C") == [
        "DIVIDE_BY_ZERO",
        "DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION",
        "committed",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "INSERT INTO t VALUES (1, 1)",
        "INSERT OVERWRITE t SELECT k, p FROM s",
        "DELETE FROM t WHERE nothing = 'known'",
        "UPDATE t SET k = 1",
        "MERGE INTO t USING s ON t.k = s.k WHEN MATCHED THEN DELETE",
        "OPTIMIZE t",
        "VACUUM t",
        "RESTORE t TO VERSION AS OF 0",
        "ALTER TABLE t ADD COLUMN z int",
        "SELECT count(*) FROM t",
        "REPLACE TABLE t (k int) USING delta",
        "CREATE TABLE t USING delta AS SELECT k FROM t",
    ],
)
def test_all_else_finds_no_table(text: str) -> None:
    assert outcomes(text, schedule="A") == ["TABLE_OR_VIEW_NOT_FOUND"]


def test_a_table_that_comes_later_is_no_help() -> None:
    found = outcomes("SELECT k FROM t", PLAIN, schedule="begin A, B, commit A")
    assert found == ["committed", "TABLE_OR_VIEW_NOT_FOUND"]


def test_another_table_can_be_read_meanwhile() -> None:
    done = ran("SELECT sum(k) FROM s", SELECT, schedule="begin A, B, commit A")
    assert done.ended["A"].rows == ((3,),)


def test_statements_are_read_for_the_table_that_a_transaction_makes() -> None:
    """One alters it, one reads what has been altered, one makes it with other columns."""
    done = ran(
        "CREATE OR REPLACE TABLE t (v string) USING delta",
        "ALTER TABLE t ADD COLUMN z int",
        "INSERT INTO t VALUES ('x', 5)",
        PLAIN,
        schedule="D, A, B, C",
    )
    assert [ended.outcome for ended in done.ended.values()] == ["committed"] * 4
    assert done.final.shown() == (("x", 5),)


def test_generated_and_identity_columns_clustering_and_properties() -> None:
    text = (
        "CREATE TABLE t (p int, g int GENERATED ALWAYS AS (p + 1), "
        "i bigint GENERATED ALWAYS AS IDENTITY, n int NOT NULL) USING delta CLUSTER BY (p) "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'true')"
    )
    other = "CREATE TABLE t (n int, p int) USING delta"
    insert = "INSERT INTO t (p, n) VALUES (1, 7)"
    done = ran(other, text, insert, schedule="begin A, B, C, commit A")
    assert done.final.shown() == ((1, 2, 1, 7),)
    table = done.final.table
    assert table.deletion_vectors
    assert table.names[table.clustering[0]] == "p"
    assert {"clustering", "domainMetadata", "deletionVectors"} <= table.features


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t USING delta",
        "CREATE TABLE t USING delta AS SELECT k + 1 FROM s",
        "CREATE TABLE t USING delta AS SELECT NULL AS k",
        "CREATE OR REPLACE TABLE IF NOT EXISTS t (k int) USING delta",
        "CREATE TABLE s (k int) USING delta",
        f"{PLAIN} TBLPROPERTIES ('{LEVEL_PROPERTY}' = 'WriteSerializable')",
        "SELECT FROM t WHERE",
        "SELECT k FROM nowhere",
        "CREATE TABLE t USING delta AS SELECT k FROM nowhere",
        "DROP TABLE t",
    ],
)
def test_what_is_wrong_or_not_known_is_refused(text: str) -> None:
    with pytest.raises(InvalidScenario):
        ran(text, PLAIN, schedule="A, B")


@pytest.mark.parametrize(
    ("clauses", "outcome"),
    [
        ("USING delta AS SELECT 1 / 0 AS k", "DIVIDE_BY_ZERO"),
        ("(k int, k string) USING delta", "COLUMN_ALREADY_EXISTS"),
        ("(k int) USING delta PARTITIONED BY (k)", "ALL_PARTITION_COLUMNS_NOT_ALLOWED"),
        ("(k int) USING delta PARTITIONED BY (z)", "_LEGACY_ERROR_TEMP_3060"),
        ("(k int) USING delta TBLPROPERTIES ('delta.nosuch' = '1')", "DELTA_UNKNOWN_CONFIGURATION"),
    ],
)
def test_what_spark_fails_leaves_no_table_and_no_folder(clauses: str, outcome: str) -> None:
    found = outcomes(f"CREATE TABLE t {clauses}", PLAIN, schedule="A, B")
    assert found == [outcome, "committed"]


def test_a_statement_that_fits_no_table_that_can_be_is_refused() -> None:
    with pytest.raises(InvalidScenario, match="unknown column 'z'"):
        ran(PLAIN, "DELETE FROM t WHERE z = 1", schedule="A, B")


@pytest.mark.parametrize(
    "spec",
    [
        TableSpec(partition_by=("p",)),
        TableSpec(cluster_by=("p",)),
        TableSpec(properties={LEVEL_PROPERTY: "Serializable"}),
        TableSpec(setup=(PLAIN,)),
    ],
)
def test_nothing_can_be_given_to_no_table(spec: TableSpec) -> None:
    scenario = Scenario("x", spec, {"A": PLAIN}, steps("A"))
    with pytest.raises(InvalidScenario, match="there is no table t yet"):
        prepare(scenario, DEFAULT)


def test_a_table_that_is_only_read_must_be_there() -> None:
    scenario = Scenario("x", TableSpec(), {"A": PLAIN}, steps("A"), {"s": TableSpec()})
    with pytest.raises(InvalidScenario, match="table s has no columns"):
        prepare(scenario, DEFAULT)


@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
@pytest.mark.parametrize("scenario", load_scenarios(FILE), ids=lambda scenario: scenario.name)
def test_the_model_behind_the_engine_interface_agrees(scenario: Scenario, level: str) -> None:
    """The observed history starts at version -1 and is known in every respect."""
    observation = observe(ModelEngine(), scenario, level)
    assert (observation.base_version, len(observation.log)) == (-1, observation.log[-1].version + 1)
    comparison = compare(prepare(scenario, DEFAULT, level), DEFAULT, observation)
    assert comparison.differences == ()
    assert comparison.history.unknown == ()


def test_no_table_at_all_is_an_observation_too() -> None:
    scenario = story("DELETE FROM t", schedule="A")
    observation = observe(ModelEngine(), scenario, "Serializable")
    assert (observation.log, observation.rows, observation.steps[-1].version) == ((), (), -1)
    comparison = compare(prepare(scenario, DEFAULT), DEFAULT, observation)
    assert comparison.differences == ()
    assert comparison.verdicts["Serializable"].verdict == "holds"


def test_an_insert_comes_after_the_creation_in_every_serial_order() -> None:
    done = ran(PLAIN, "INSERT INTO t VALUES (1, 1)", schedule="A, B")
    for level, verdict in judge(done.history).items():
        assert (level, verdict.verdict, verdict.serial_order) == (level, "holds", ("A", "B"))


def test_it_is_written_and_read_as_a_file() -> None:
    scenario = load_scenarios(FILE)[0]
    assert scenario_mapping(scenario)["table"] == {}
    (again,) = read_text(scenario_yaml(scenario))
    assert again.scenario == scenario
    assert "-- There is no table t yet." in sql_script(scenario)


def test_a_file_says_what_no_table_cannot_have() -> None:
    text = "name: x\ntable: {properties: {delta.isolationLevel: Serializable}}\n"
    text += "transactions: {A: 'CREATE TABLE t (k int) USING delta'}\nschedule: [A]\n"
    with pytest.raises(BadScenarios, match=r":2: table\.properties: .*no table t yet"):
        read_text(text)


def test_delta_rs_refuses_it_in_one_line() -> None:
    engine = DeltaRsEngine()
    try:
        with pytest.raises(BadStatement, match="need a table that exists"):
            engine.open(story(PLAIN, schedule="A"))
    finally:
        engine.close()
    with pytest.raises(InvalidScenario, match="does not have the statement"):
        prepare(story(PLAIN, schedule="A"), PROFILES["delta-rs-1.6"])


ON_SPARK = (
    "two CREATE TABLE AS SELECT at once",
    "CREATE TABLE begins after a CREATE TABLE AS SELECT",
    "a table that was made a moment ago",
    "a CREATE TABLE AS SELECT that fails is in the way of CREATE TABLE",
)


@pytest.fixture(scope="module")
def comparisons(spark_engine: SparkEngine) -> list[dict[str, Comparison]]:
    """Twice: the second replay finds the place as empty as the first did."""
    scenarios = [each for each in load_scenarios(FILE) if each.name in ON_SPARK]
    return [replayed_together(spark_engine, scenarios) for _ in range(2)]


@pytest.mark.parametrize("name", ON_SPARK)
@pytest.mark.spark
def test_the_engine_does_what_the_model_says(
    comparisons: list[dict[str, Comparison]], name: str
) -> None:
    for comparison in comparisons:
        assert comparison[name].differences == ()
        assert not comparison[name].history.unknown


@pytest.mark.spark
def test_two_engines_on_one_table_need_a_table(spark_engine: SparkEngine) -> None:
    with pytest.raises(BadStatement, match="need a table that exists"):
        CrossEngine(spark_engine, frozenset({"A"})).open(story(PLAIN, schedule="A"))
