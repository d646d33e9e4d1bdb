"""Deletion vectors: what stays of a file, what the log says of it, and who each row is."""

from __future__ import annotations

import pytest

from checker.search.shrinking import minimise
from conformance.model_engine import ModelEngine
from conformance.replay.comparison import compare
from conformance.replay.observation import observe
from conformance.spark.engine import SparkEngine
from model.errors import InvalidScenario
from model.physical.files import DataFile
from model.physical.footprint import Footprint
from model.preparation import prepare, run_scenario, steps
from model.profiles import DEFAULT
from model.scenario import Scenario, TableSpec
from model.simulator import Run

COLUMNS = {"k": "int", "p": "int", "v": "int"}
VECTORS = {"delta.enableDeletionVectors": "true"}
ROWS = "INSERT INTO t VALUES (1, 1, 10), (2, 1, NULL), (3, 2, 30)"


def scenario(
    *texts: str,
    setup: tuple[str, ...] = (ROWS,),
    schedule: str | None = None,
    properties: dict[str, str] = VECTORS,
    partition_by: tuple[str, ...] = (),
    cluster_by: tuple[str, ...] = (),
) -> Scenario:
    """Transactions A, B, ...: one after the other, unless ``schedule`` says how."""
    names = "ABCDEF"[: len(texts)]
    entries = (schedule or ", ".join(names)).split(", ")
    table = TableSpec(COLUMNS, partition_by, cluster_by, properties, setup)
    made = tuple(step for entry in entries for step in steps(entry))
    return Scenario("deletion vectors", table, dict(zip(names, texts, strict=True)), made)


def ran(*texts: str, **more: object) -> Run:
    return run_scenario(scenario(*texts, **more), DEFAULT)  # type: ignore[arg-type]


def footprint(run: Run, name: str) -> Footprint:
    found = run.ended[name].footprint
    assert found is not None
    return found


def only(files: tuple[DataFile, ...]) -> DataFile:
    (file,) = files
    return file


def test_a_delete_marks_rows_of_the_file_and_keeps_its_path_and_statistics() -> None:
    delete = footprint(ran("DELETE FROM t WHERE k = 1"), "A")
    before, after = only(delete.removes), only(delete.adds)
    assert (after.path, after.statistics, after.records) == (before.path, before.statistics, 3)
    assert [row.values[0] for row in after.rows] == [2, 3]
    assert before.key != after.key


def test_without_deletion_vectors_the_file_is_written_anew() -> None:
    delete = footprint(ran("DELETE FROM t WHERE k = 1", properties={}), "A")
    assert only(delete.adds).path != only(delete.removes).path
    assert only(delete.adds).records == 2


def test_a_file_that_loses_its_last_row_goes() -> None:
    delete = footprint(ran("DELETE FROM t WHERE k = 1", "DELETE FROM t WHERE k > 1"), "B")
    assert delete.adds == ()
    assert only(delete.removes).records == 3


def test_a_condition_on_partitions_alone_marks_nothing() -> None:
    delete = footprint(ran("DELETE FROM t WHERE p = 1", partition_by=("p",)), "A")
    assert (len(delete.removes), delete.adds) == (1, ())


def test_an_update_marks_old_rows_and_writes_new_ones_into_a_file_of_their_own() -> None:
    update = footprint(ran("UPDATE t SET v = 0 WHERE k = 1"), "A")
    marked, written = update.adds
    assert marked.path == only(update.removes).path
    assert [row.values for row in written.rows] == [(1, 1, 0)]
    assert len(marked) == 2


def test_an_update_keeps_who_the_rows_are() -> None:
    before = ran("SELECT * FROM t")
    after = ran("UPDATE t SET v = 0 WHERE k = 1")
    assert {r.row for r in before.final.stored()} == {r.row for r in after.final.stored()}


@pytest.mark.parametrize(
    ("condition", "files"),
    [
        ("k = 1", 1),  # the bounds are still 1 to 3
        ("k = 4", 0),
        ("v IS NULL", 1),  # the NULL is marked, and counted
        ("p IS NULL", 0),
    ],
)
def test_skipping_goes_by_what_was_written(condition: str, files: int) -> None:
    run = ran("DELETE FROM t WHERE k < 3", f"DELETE FROM t WHERE {condition}")
    assert len(footprint(run, "B").read_files) == files


def test_a_column_that_was_all_null_is_skipped_by_the_rows_written() -> None:
    setup = ("INSERT INTO t VALUES (1, 1, NULL), (2, 1, NULL), (3, 1, 30)",)
    run = ran("DELETE FROM t WHERE k = 3", "DELETE FROM t WHERE v IS NOT NULL", setup=setup)
    assert len(footprint(run, "B").read_files) == 1


def test_compaction_writes_only_the_rows_that_are_left() -> None:
    more = "INSERT INTO t VALUES (4, 1, 40)"
    compact = footprint(ran("DELETE FROM t WHERE k = 1", more, "OPTIMIZE t"), "C")
    assert only(compact.adds).records == 3
    assert len(compact.removes) == 2


def test_a_lone_file_with_marked_rows_is_not_compacted() -> None:
    assert ran("DELETE FROM t WHERE k < 3", "OPTIMIZE t").ended["B"].outcome == "no commit"


def test_compaction_does_not_start_over_when_a_file_got_marked() -> None:
    more = (ROWS, "INSERT INTO t VALUES (4, 1, 40)")
    run = ran(
        "OPTIMIZE t", "DELETE FROM t WHERE k = 1", setup=more, schedule="begin A, B, commit A"
    )
    assert run.ended["A"].outcome == "ConcurrentDeleteRead"


def test_an_engine_that_forgets_a_rule_brings_marked_rows_back_and_the_history_shows_it() -> None:
    careless = DEFAULT.without("added files").without("delete read").without("delete delete")
    given = scenario(
        "DELETE FROM t WHERE k = 1", "DELETE FROM t WHERE k = 2", schedule="begin A, B, commit A"
    )
    observation = observe(ModelEngine(careless), given, "Serializable")
    comparison = compare(prepare(given, DEFAULT, "Serializable"), DEFAULT, observation)
    assert comparison.verdicts["Serializable"].verdict == "violated"


@pytest.mark.parametrize(
    "texts",
    [
        ("DELETE FROM t WHERE k = 1", "UPDATE t SET v = 0 WHERE k = 2", "OPTIMIZE t"),
        ("UPDATE t SET v = v WHERE k < 3", "DELETE FROM t WHERE v = 10", "SELECT * FROM t"),
        ("DELETE FROM t WHERE k = 1", "REORG TABLE t APPLY (PURGE)", "VACUUM t"),
    ],
)
@pytest.mark.parametrize("setup", [(ROWS,), (ROWS, ROWS), (ROWS, "DELETE FROM t WHERE k = 3")])
def test_the_observed_history_is_the_predicted_one(
    texts: tuple[str, ...], setup: tuple[str, ...]
) -> None:
    """Equal rows too: a file that comes again keeps who its rows are."""
    given = scenario(*texts, setup=setup)
    observation = observe(ModelEngine(), given, "Serializable")
    comparison = compare(prepare(given, DEFAULT, "Serializable"), DEFAULT, observation)
    assert comparison.agrees
    assert comparison.history.unknown == ()
    for mine, theirs in zip(
        comparison.predicted.history.transactions, comparison.history.transactions, strict=True
    ):
        assert sorted((c.before, c.after) for c in mine.changes) == sorted(
            (c.before, c.after) for c in theirs.changes
        )


def test_purging_takes_files_with_marked_rows_only() -> None:
    texts = ("DELETE FROM t WHERE k = 1", ROWS, "REORG TABLE t APPLY (PURGE)")
    purge = footprint(ran(*texts), "C")
    assert only(purge.removes).vector is not None
    assert only(purge.adds).vector is None
    assert purge.data_changed is False


def test_zordering_writes_a_lone_file_anew() -> None:
    assert len(footprint(ran("OPTIMIZE t ZORDER BY (k, v)"), "A").removes) == 1


def test_clustering_leaves_a_finished_cube_alone_until_a_file_comes() -> None:
    run = ran("OPTIMIZE t", "OPTIMIZE t FULL", ROWS, "OPTIMIZE t", cluster_by=("k",))
    assert [run.ended[name].outcome for name in "ABCD"] == [
        *("committed", "no commit", "committed", "committed")
    ]
    assert len(footprint(run, "D").removes) == 2


def test_vacuum_writes_two_versions_and_changes_nothing() -> None:
    run = ran("DELETE FROM t WHERE k = 1", "VACUUM t", "SELECT count(*) FROM t")
    assert run.ended["B"].logical.commit_version == run.ended["A"].logical.commit_version + 2  # type: ignore[operator]
    assert run.ended["C"].rows == ((2,),)
    written = run.final.commits_after(1)
    assert [entry.footprint.operation for entry in written] == [
        *("DELETE", "VACUUM START", "VACUUM END")
    ]


OFF = "SET spark.databricks.delta.retentionDurationCheck.enabled = false; "


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("VACUUM t RETAIN 1 HOURS", "committed"),
        ("VACUUM t RETAIN 0 HOURS", "DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT"),
        (OFF + "VACUUM t RETAIN 0 HOURS DRY RUN", "no commit"),
        (OFF + "VACUUM t RETAIN 0 HOURS", "committed"),
    ],
)
def test_hours_to_retain_are_looked_at_where_they_are_none(text: str, outcome: str) -> None:
    assert ran(text).ended["A"].outcome == outcome


@pytest.mark.parametrize(
    ("text", "error_class", "more"),
    [
        ("OPTIMIZE t FULL", "DELTA_OPTIMIZE_FULL_NOT_SUPPORTED", {}),
        ("OPTIMIZE t WHERE k = 1", "DELTA_NON_PARTITION_COLUMN_REFERENCE", {}),
        ("REORG TABLE t WHERE k = 1 APPLY (PURGE)", "DELTA_NON_PARTITION_COLUMN_REFERENCE", {}),
        (
            "OPTIMIZE t ZORDER BY k, p",
            "DELTA_ZORDERING_ON_PARTITION_COLUMN",
            {"partition_by": ("p",)},
        ),
        ("OPTIMIZE t ZORDER BY (k)", "DELTA_CLUSTERING_WITH_ZORDER_BY", {"cluster_by": ("k",)}),
        (
            "OPTIMIZE t WHERE k = 1",
            "DELTA_CLUSTERING_WITH_PARTITION_PREDICATE",
            {"cluster_by": ("k",)},
        ),
    ],
)
def test_what_optimize_and_reorg_refuse_has_the_name_that_spark_gives_it(
    text: str, error_class: str, more: dict[str, object]
) -> None:
    assert ran(text, **more).ended["A"].outcome == error_class


def test_a_column_that_is_not_there_is_taken_for_a_slip() -> None:
    with pytest.raises(InvalidScenario) as caught:
        ran("OPTIMIZE t ZORDER BY (z)")
    assert caught.value.error_class == "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST"


def test_the_engine_marks_purges_and_vacuums_as_the_model_does(spark_engine: SparkEngine) -> None:
    """One schedule through most of it; the scenario collection has the rest."""
    given = scenario(
        "UPDATE t SET v = 0 WHERE k = 1",
        "REORG TABLE t APPLY (PURGE)",
        "VACUUM t",
        "DELETE FROM t WHERE k = 3",
        schedule="begin B, begin C, A, commit C, commit B, D",
        setup=(ROWS, "DELETE FROM t WHERE k = 2"),
    )
    observation = observe(spark_engine, given, "Serializable")
    comparison = compare(prepare(given, DEFAULT, "Serializable"), DEFAULT, observation)
    assert comparison.differences == ()
    assert comparison.history.unknown == ()
    assert observation.ended["C"].earlier_versions == (4,)


def test_minimising_tries_without_vectors_and_without_a_part_of_reorgs_condition() -> None:
    given = scenario(
        "REORG TABLE t WHERE p = 1 APPLY (PURGE)",
        "DELETE FROM t WHERE k = 2",
        setup=(ROWS, "DELETE FROM t WHERE k = 1"),
        partition_by=("p",),
    )

    def purges(each: Scenario) -> bool:
        return "A" in each.transactions and outcome_of(each) == "committed"

    def outcome_of(each: Scenario) -> str:
        return run_scenario(each, DEFAULT).ended["A"].outcome

    small = minimise(given, purges)
    assert dict(small.transactions) == {"A": "REORG TABLE t APPLY (PURGE)"}
    assert small.table.properties == VECTORS
    assert minimise(given, lambda each: "B" in each.transactions).table.properties == {}
