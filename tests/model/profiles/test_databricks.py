"""The documents' profiles: row-level concurrency, readings, features, and what they let through."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from checker.judging.verdict import judge
from checker.search.alphabet import ROW_LEVEL_LAYOUTS, UNNOTED_READS, layouts, named, statements
from checker.search.exhaustive import Search
from checker.search.random_search import random_search
from isodelta.commands.check.results import under_every_profile, under_profile
from isodelta.files.scenarios import read_files
from isodelta.runs.judging import check
from model.errors import InvalidScenario
from model.preparation import run_scenario
from model.profiles import PROFILES, profile, readings
from model.scenario import Scenario, Step, TableSpec
from model.simulator import Run

DOCUMENTS = tuple(name for name in readings() if name.startswith("databricks-"))
VECTORS = {"delta.enableDeletionVectors": "true"}
ONE_FILE = TableSpec(
    {"k": "int", "v": "int"}, properties=VECTORS, setup=("INSERT INTO t VALUES (1, 1), (2, 2)",)
)


def crossing(table: TableSpec, current: str, winner: str, level: str | None = None) -> Scenario:
    """``current`` begins, ``winner`` runs, ``current`` commits."""
    steps = (Step("begin", "C"), Step("begin", "W"), Step("commit", "W"), Step("commit", "C"))
    if level is not None:
        table = table.at_level(level)
    return Scenario("crossing", table, {"C": current, "W": winner}, steps)


def ends(name: str, scenario: Scenario) -> tuple[str, Run]:
    run = run_scenario(scenario, profile(name))
    return run.ended["C"].outcome, run


@pytest.mark.parametrize("name", ["databricks-14.2", "databricks-14.3", "databricks-2026"])
@pytest.mark.parametrize("reading", ["", ":weakest"])
def test_different_rows_of_one_file_do_not_conflict(name: str, reading: str) -> None:
    scenario = crossing(
        ONE_FILE, "UPDATE t SET v = 10 WHERE k = 1", "UPDATE t SET v = 20 WHERE k = 2"
    )
    outcome, run = ends(name + reading, scenario)
    assert outcome == "committed"
    assert sorted(run.final.shown()) == [(1, 10), (2, 20)]
    assert judge(run.history)["Serializable"].verdict == "holds"


@pytest.mark.parametrize("reading", ["", ":weakest"])
def test_the_same_row_conflicts(reading: str) -> None:
    scenario = crossing(ONE_FILE, "DELETE FROM t WHERE k = 1", "UPDATE t SET v = 20 WHERE k < 2")
    assert ends(f"databricks-14.2{reading}", scenario)[0] == "ConcurrentDeleteRead"


@pytest.mark.parametrize(
    "table",
    [
        replace(ONE_FILE, properties={}),
        replace(ONE_FILE, columns={"k": "int", "v": "int", "p": "int"}, partition_by=("p",),
                setup=("INSERT INTO t VALUES (1, 1, 0), (2, 2, 0)",)),
        replace(ONE_FILE, cluster_by=("k",),
                properties={"delta.enableDeletionVectors": "false"}),
    ],
    ids=["no deletion vectors", "partitioned", "clustered, deletion vectors disabled"],
)  # fmt: skip
def test_other_layouts_have_no_row_level_concurrency(table: TableSpec) -> None:
    scenario = crossing(table, "DELETE FROM t WHERE k = 1", "DELETE FROM t WHERE k = 2")
    assert ends("databricks-14.2:weakest", scenario)[0] != "committed"


def test_a_clustered_table_has_it_by_default() -> None:
    clustered = replace(ONE_FILE, cluster_by=("k",), properties={})
    scenario = crossing(clustered, "DELETE FROM t WHERE k = 1", "DELETE FROM t WHERE k = 2")
    assert ends("databricks-14.2", scenario)[0] == "committed"
    assert ends("databricks-13.3", scenario)[0] == "committed"


def test_legacy_runtimes_need_the_preview_and_photon() -> None:
    update = crossing(
        ONE_FILE, "UPDATE t SET v = 10 WHERE k = 1", "UPDATE t SET v = 20 WHERE k = 2"
    )
    outcomes = {n: ends(n, update)[0] for n in ("databricks-14.1", "databricks-14.1:weakest")}
    assert outcomes == {
        "databricks-14.1": "ConcurrentAppend",
        "databricks-14.1:weakest": "committed",
    }


def test_an_insert_that_reads_has_the_limits_of_merge() -> None:
    """N57, N78: without a predicate on the target the whole table counts."""
    copy = "INSERT INTO t SELECT k, v FROM t"
    scenario = crossing(ONE_FILE, copy, "DELETE FROM t WHERE k = 2")
    assert ends("databricks-14.2:weakest", scenario)[0] != "committed"
    scenario = crossing(ONE_FILE, f"{copy} WHERE k = 1", "DELETE FROM t WHERE k = 2")
    assert ends("databricks-14.2", scenario)[0] == "committed"


@pytest.mark.parametrize(
    ("current", "winner"),
    [
        ("DELETE FROM t WHERE k = 1", "OPTIMIZE t"),
        ("OPTIMIZE t", "UPDATE t SET v = 0 WHERE k = 2"),
        ("OPTIMIZE t", "OPTIMIZE t"),
    ],
)
def test_deletion_vectors_keep_compactions_out_of_conflicts(current: str, winner: str) -> None:
    table = replace(
        ONE_FILE,
        columns={"k": "int", "v": "int", "p": "int"},
        partition_by=("p",),
        setup=("INSERT INTO t VALUES (1, 1, 0)", "INSERT INTO t VALUES (2, 2, 0)"),
    )
    outcome, run = ends("databricks-14.2", crossing(table, current, winner))
    assert outcome == "committed"
    assert judge(run.history)["Serializable"].verdict == "holds"
    without = replace(table, properties={})
    assert ends("databricks-14.2", crossing(without, current, winner))[0] != "committed"


@pytest.mark.parametrize(
    ("level", "strongest", "weakest"),
    [
        ("Serializable", "ConcurrentAppend", "committed"),
        ("WriteSerializable", "committed", "committed"),
    ],
)
def test_an_insert_modifies_no_row_or_one_that_matches(
    level: str, strongest: str, weakest: str
) -> None:
    scenario = crossing(ONE_FILE, "DELETE FROM t WHERE k < 9", "INSERT INTO t VALUES (3, 3)", level)
    assert ends("databricks-14.2", scenario)[0] == strongest
    outcome, run = ends("databricks-14.2:weakest", scenario)
    assert outcome == weakest
    assert judge(run.history)["Serializable"].verdict == "violated"


def test_2020_knows_neither_deletion_vectors_nor_clustering() -> None:
    scenario = crossing(ONE_FILE, "DELETE FROM t", "DELETE FROM t")
    with pytest.raises(InvalidScenario, match="databricks-2020 knows no deletion vectors"):
        run_scenario(scenario, profile("databricks-2020"))
    clustered = replace(scenario, table=replace(ONE_FILE, properties={}, cluster_by=("k",)))
    with pytest.raises(InvalidScenario, match="knows no liquid clustering"):
        run_scenario(clustered, profile("databricks-2020"))


def test_a_statement_that_no_document_speaks_of_is_refused() -> None:
    scenario = crossing(ONE_FILE, "RESTORE TABLE t TO VERSION AS OF 0", "DELETE FROM t")
    with pytest.raises(InvalidScenario, match="does not have the statement 'RESTORE"):
        run_scenario(scenario, profile("databricks-14.2"))


@pytest.mark.slow
def test_random_histories_of_all_statements_keep_serializable_at_the_strongest() -> None:
    result = random_search(
        3,
        levels=("Serializable",),
        sizes=(2, 3),
        scenarios=150,
        judged=("Serializable", "SnapshotIsolation"),
        profile=profile("databricks-2026"),
    )
    assert result.violations == {"Serializable": 0, "SnapshotIsolation": 0}
    assert result.outcomes["ConcurrentAppend"] > 5


def test_names_of_readings() -> None:
    assert profile("databricks-14.2:strongest") is profile("databricks-14.2")
    for name in ("delta-spark-4.4:strongest", "delta-spark-4.4:weakest", "databricks-14.2:weak"):
        with pytest.raises(InvalidScenario, match="unknown profile"):
            profile(name)
    assert readings()["databricks-14.2"] == ("databricks-14.2:weakest", "databricks-14.2")
    assert all(PROFILES[name].default_level == "WriteSerializable" for name in DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
@pytest.mark.parametrize("level", ["Serializable", "WriteSerializable"])
@pytest.mark.slow
def test_at_their_strongest_documents_keep_serializable(name: str, level: str) -> None:
    """Every pair of statements, with subqueries in SET, on every layout that counts."""
    rules = profile(name)
    for layout in layouts(rules):
        search = Search(layout, rules, (*statements(layout), *UNNOTED_READS))
        violations = search.run(level, 2).violations
        assert violations["SnapshotIsolation"] == 0
        if level == "Serializable":
            assert violations["Serializable"] == 0, layout
        elif name != "databricks-2020":
            assert violations["WriteSerializable"] == 0, layout
        else:
            assert violations["WriteSerializable"] == 51, layout


@pytest.mark.parametrize(
    ("layout", "violations"),
    [("deletion vectors", 91), ("clustered", 91), ("partitioned with deletion vectors", 0)],
)
def test_at_its_weakest_row_level_concurrency_lets_write_skew_through(
    layout: str, violations: int
) -> None:
    rules = profile("databricks-14.2:weakest")
    search = Search(layout, rules, (*statements(layout), *UNNOTED_READS))
    assert search.run("WriteSerializable", 2).violations["WriteSerializable"] == violations


def test_a_compaction_hides_files_from_the_weakest_reading_only() -> None:
    """A file that was read is compacted away; who removes the new file conflicts or not."""
    chosen = tuple(map(named, ["compact", "delete 1", "copy 1 to 2"]))
    layout = "partitioned with deletion vectors"
    counts = {
        name: Search(layout, profile(name), chosen).run("Serializable", 3).violations
        for name in ("databricks-14.2", "databricks-14.2:weakest")
    }
    assert counts["databricks-14.2"]["Serializable"] == 0
    assert counts["databricks-14.2:weakest"]["Serializable"] > 0


def test_every_row_level_layout_is_one_that_some_document_treats_apart() -> None:
    assert set(layouts(profile("databricks-14.2"))) >= set(ROW_LEVEL_LAYOUTS)
    assert not set(layouts(profile("databricks-2020"))) & set(ROW_LEVEL_LAYOUTS)


FINDINGS = sorted((Path(__file__).parents[3] / "docs/findings/documents").glob("*.yaml"))


@pytest.mark.parametrize("file", FINDINGS, ids=lambda file: file.stem)
def test_findings_against_the_documents_are_as_they_say(file: Path) -> None:
    rules = profile(file.stem.replace("-weakest", ":weakest"))
    for loaded in read_files([file], rules):
        checked = check(loaded, rules)
        assert checked.failures == ()
        assert checked.verdicts[checked.level].verdict == "violated"


def test_the_strongest_reading_refuses_what_only_the_weakest_lets_through() -> None:
    weakest = [file for file in FINDINGS if file.stem == "databricks-14.2-weakest"]
    for loaded in read_files(weakest, profile("databricks-14.2")):
        assert not under_profile(loaded, profile("databricks-14.2")).broken
        assert under_profile(loaded, profile("databricks-14.2:weakest")).broken


def test_a_profile_that_lacks_a_feature_says_so_beside_the_others() -> None:
    vectors = [file for file in FINDINGS if file.stem == "databricks-14.2-weakest"]
    results = list(under_every_profile(read_files(vectors, profile("databricks-14.2"))[0]))
    refused = {r.profile.name: r.refused for r in results if r.refused}
    assert refused["databricks-2020"] == "profile databricks-2020 knows no deletion vectors"
    assert "databricks-14.2" not in refused
