"""Robustness of jobs: the answers, their reasons, and what holds them against a search."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from checker.robustness import answer as questions
from checker.robustness import search
from checker.robustness.answer import Answer, robustness
from checker.robustness.histories import SERIAL, Stage
from checker.robustness.jobs import domain
from checker.robustness.jobs.domain import instances
from checker.robustness.jobs.sentinels import Hole, parsed
from checker.robustness.jobs.workload import Jobs, jobs
from checker.robustness.remedies import analysed
from checker.robustness.roles import shape
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.scenarios import read_text
from isodelta.files.workloads import read_workload
from isodelta.runs.judging import check
from model.expressions.syntax import Literal, walk
from model.profiles import DEFAULT, profile
from model.scenario import TableSpec
from model.statements import Delete
from tests.checker.robustness.workload_grammar import POOL, SETUPS, workload, workloads

pytestmark = pytest.mark.slow

FILES = sorted((Path(__file__).parents[3] / "scenarios/workloads").glob("*.yaml"))

APPEND = "INSERT INTO t VALUES (:k, :p, :v)"
UPSERT = (
    "MERGE INTO t USING (SELECT :k AS k, :p AS p) s ON t.k = s.k AND t.p = s.p "
    "WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, 0)"
)


def answer(*texts: str, partitions: tuple[str, ...] = ("p",)) -> Answer:
    return robustness(workload(list(texts), partitions, SETUPS[1]))


def verdict(*texts: str, partitions: tuple[str, ...] = ("p",)) -> str:
    return answer(*texts, partitions=partitions).serial.verdict


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_workload_of_the_collection_is_as_it_says(path: Path) -> None:
    loaded = read_workload(path)
    assert loaded.expect
    found = robustness(loaded.jobs)
    answers = {"verdict": found.serial.verdict, "writers": found.writers.verdict}
    assert {key: answers[key] for key in loaded.expect} == loaded.expect
    assert path.read_text(encoding="utf-8").startswith("# ")


def test_z3_finds_rows_and_parameters_that_the_search_does_not_try(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Both copies read p = 0 and 2, and one writes to p = 0, which no job mentions."""
    monkeypatch.setattr(search, "MOST_AFTER_ANOTHER", 150)
    monkeypatch.setattr(search, "MOST_BESIDE_ANOTHER", 10)
    texts = (
        "INSERT INTO t SELECT min(p), count(*), max(v) FROM t WHERE false",
        "INSERT INTO t SELECT :k, :p, v FROM t WHERE p IN (:from, 2)",
    )
    given = workload(list(texts), ("p",), SETUPS[1])
    found = robustness(given).serial
    assert found.verdict == "not robust"
    assert found.found is not None
    copies = [sql for sql in found.found.scenario.transactions.values() if "IN" in sql.split()]
    assert len(copies) == 2
    assert all("p IN (0, 2)" in sql for sql in copies)
    monkeypatch.setattr(questions, "SUGGESTIONS", 0)
    assert robustness(given).serial.verdict == "unknown"


def test_the_collection_has_both_answers() -> None:
    verdicts = [read_workload(path).expect["verdict"] for path in FILES]
    assert len(verdicts) >= 5
    assert verdicts.count("robust") >= 2
    assert verdicts.count("not robust") >= 2


@pytest.mark.parametrize(
    "texts",
    [
        # A maximum that is a blind append was taken over no rows, so its row is (NULL, 2, 0).
        ("INSERT INTO t SELECT max(k), 2, 0 FROM t WHERE k > :k AND k < 1", "SELECT * FROM t"),
        # Whatever k % 2 = 1 is of a row, both counts ask the same of it.
        (APPEND, "INSERT INTO t SELECT count(*), 1, 0 FROM t WHERE k % 2 = 1"),
        # A union with an aggregate always adds a row.
        (
            APPEND,
            "UPDATE t SET v = v + 1 WHERE k > 2",
            "INSERT INTO t SELECT count(*), 1, 0 FROM t WHERE k = :k UNION ALL SELECT 1, 2, 3",
        ),
        # A MERGE that looks at every row writes every row again, changed or not.
        (
            APPEND,
            "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k WHEN MATCHED AND t.v <> :v THEN "
            "UPDATE SET k = s.k WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 2, NULL) "
            "WHEN NOT MATCHED BY SOURCE AND t.p IN (:p) THEN UPDATE SET k = 7",
        ),
        # Nothing is checked of what a reader notes, even where its condition can fail.
        (APPEND, "SELECT k FROM t WHERE 10 / v > 1 AND p = 1"),
    ],
)
def test_what_no_run_can_meet_is_ruled_out(texts: tuple[str, ...]) -> None:
    assert verdict(*texts) == "robust"


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["DELETE FROM t WHERE p = :p", "UPDATE t SET v = 0"], "no job is one"),
        ([APPEND, "OPTIMIZE t"], "no job that writes reads rows"),
        ([APPEND, UPSERT, "OPTIMIZE t"], "makes the other fail"),
        ([APPEND, "DELETE FROM t WHERE k = :k"], "no way back"),
        ([APPEND, "SELECT * FROM t"], "no job that writes reads rows"),
    ],
)
def test_a_robust_answer_says_which_part_nobody_can_play(texts: list[str], reason: str) -> None:
    found = answer(*texts)
    assert found.serial.verdict == "robust"
    assert reason in found.serial.because


@pytest.mark.parametrize(
    "texts",
    [
        ("INSERT INTO t SELECT 0, 2, count(*) FROM t WHERE p = 1", APPEND,
         "DELETE FROM t WHERE p = 1"),
        (APPEND, "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k "
         "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 1, 0)"),
        (APPEND, "UPDATE t SET v = v + 1", "SELECT * FROM t"),
    ],
)  # fmt: skip
def test_a_history_without_a_serial_order_is_found_and_reads_back(texts: tuple[str, ...]) -> None:
    found = answer(*texts).serial
    assert found.verdict == "not robust"
    assert found.found is not None
    assert found.found.transactions == 3
    (loaded,) = read_text(scenario_yaml(found.found.scenario))
    checked = check(loaded)
    assert checked.failures == ()
    assert checked.verdicts[SERIAL].verdict == "violated"


def test_other_partitions_keep_jobs_apart() -> None:
    """The deletes take rows of partition 3, where nothing that anybody misses is added."""
    sums = "INSERT INTO t SELECT 0, 2, count(*) FROM t WHERE p = 1"
    append = "INSERT INTO t VALUES (:k, 1, :v)"
    assert verdict(sums, append, "DELETE FROM t WHERE p = 1") == "not robust"
    assert verdict(sums, append, "DELETE FROM t WHERE p = 3") == "robust"


def test_without_partitions_whoever_adds_a_row_is_seen() -> None:
    sums = "INSERT INTO t SELECT 0, 2, count(*) FROM t WHERE p = 1"
    assert verdict(APPEND, sums, "UPDATE t SET v = 0", partitions=()) == "robust"


def test_a_reader_alone_can_break_the_order() -> None:
    found = answer(APPEND, "UPDATE t SET v = v + 1 WHERE k = :k", "SELECT * FROM t")
    assert (found.serial.verdict, found.writers.verdict) == ("not robust", "robust")


def test_a_subquery_in_set_is_outside_the_theorems() -> None:
    text = "UPDATE t SET v = (SELECT max(v) FROM t WHERE p = :q) WHERE p = :p"
    given_jobs = workload([text], ("p",), SETUPS[1])
    for level in ("Serializable", "WriteSerializable"):
        table = given_jobs.table.at_level(level)
        found = robustness(jobs("hole", table, {}, {"level": text}, DEFAULT))
        assert found.serial.verdict == "not robust"
        assert found.serial.found is not None
        assert found.serial.found.transactions == 2
        assert not any("Serializable" in remedy.words for remedy in found.remedies)


def test_outside_the_theorems_a_search_that_finds_nothing_is_no_proof() -> None:
    found = answer("UPDATE t SET v = (SELECT max(v) FROM t WHERE p = 1) WHERE p = 9")
    assert found.serial.verdict == "unknown"
    assert "subquery in SET" in found.serial.because
    assert "up to 3 transactions" in found.serial.because


def test_a_subquery_over_another_table_is_no_hole() -> None:
    assert verdict(APPEND, "UPDATE t SET v = (SELECT max(v) FROM s)") == "robust"


def test_other_profiles_get_no_proof() -> None:
    given_jobs = workload([APPEND, UPSERT], ("p",), SETUPS[1])
    rules = profile("databricks-2026")
    found = robustness(jobs("other", given_jobs.table, {}, {"a": APPEND}, rules))
    assert found.serial.verdict == "unknown"
    assert "databricks-2026" in found.serial.because


def test_a_table_without_a_level_is_asked_about_at_write_serializable() -> None:
    table = TableSpec({"k": "int"})
    assert jobs("plain", table, {}, {"a": "DELETE FROM t"}, DEFAULT).level == "WriteSerializable"


def test_at_serializable_the_log_is_the_serial_order() -> None:
    table = TableSpec({"k": "int", "v": "int"}).at_level("Serializable")
    sql = {"a": "INSERT INTO t VALUES (:k, :v)", "u": "UPDATE t SET v = 1", "r": "SELECT * FROM t"}
    found = robustness(jobs("strict", table, {}, sql, DEFAULT))
    assert (found.serial.verdict, found.log_order.verdict) == ("robust", "robust")


def test_two_transactions_show_that_the_log_is_no_serial_order() -> None:
    found = answer(APPEND, "DELETE FROM t WHERE p = :p").log_order
    assert found.verdict == "not robust"
    assert found.found is not None
    assert found.found.transactions == 2


def test_every_remedy_makes_the_jobs_robust() -> None:
    report = "INSERT INTO t SELECT 0, 3, count(*) FROM t WHERE p = 1"
    found = answer(APPEND, "DELETE FROM t WHERE p = 1", report)
    assert found.serial.verdict == "not robust"
    words = [remedy.words for remedy in found.remedies]
    assert any("Serializable" in each for each in words)
    assert any("MERGE ON FALSE" in each for each in words)
    for remedy in found.remedies:
        if not remedy.changed:
            continue
        texts = {name: t.text for name, t in found.jobs.templates.items()} | dict(remedy.changed)
        again = jobs("again", found.jobs.table, found.jobs.tables, texts, DEFAULT)
        assert robustness(again).serial.verdict == "robust"
        looked, _ = search.exhaustive(Stage(again), instances(again), 3)
        assert looked is None


def test_an_append_from_another_table_can_become_a_merge() -> None:
    append = "INSERT INTO t SELECT k, p, v + 1 FROM s WHERE k = :k"
    fix = (
        "MERGE INTO t USING (SELECT :k AS k) s ON t.k = s.k "
        "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 1, 0)"
    )
    found = answer(append, fix)
    assert found.serial.verdict == "not robust"
    changed = [remedy.changed.get("job0") for remedy in found.remedies]
    assert (
        "MERGE INTO t USING (SELECT k AS k, p AS p, v + 1 AS v FROM s WHERE k = :k) s ON FALSE "
        "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, s.p, s.v)"
    ) in changed


def test_a_partition_in_the_condition_can_be_the_remedy() -> None:
    """A count of all partitions, kept in one, sees an append that an UPDATE elsewhere misses."""
    report = "INSERT INTO t SELECT 0, :q, count(*) FROM t"
    found = answer(APPEND, "UPDATE t SET v = 0 WHERE p = :p", report)
    assert found.serial.verdict == "not robust"
    changed = [remedy.changed.get("job2") for remedy in found.remedies]
    assert f"{report} WHERE p = :q" in changed


def test_aborts_name_the_exception_and_replay() -> None:
    found = answer(UPSERT, "DELETE FROM t WHERE p = :p", "OPTIMIZE t")
    conflicts = {(abort.current, abort.winner, abort.conflict) for abort in found.aborts}
    assert ("job0", "job0", "ConcurrentAppend") in conflicts
    assert ("job1", "job1", "ConcurrentDeleteRead") in conflicts
    for abort in found.aborts:
        (loaded,) = read_text(scenario_yaml(abort.found.scenario))
        assert check(loaded).failures == ()
        assert abort.conflict in loaded.scenario.expect.outcomes.values()


def test_a_backfill_from_a_table_depends_on_what_the_table_has() -> None:
    """Two backfills of one day add the same rows, so that one of them fails, or none at all."""
    backfill = "INSERT INTO t REPLACE WHERE p = :p SELECT k, p, v FROM s WHERE p = :p"
    assert verdict(APPEND, backfill) == "robust"


def test_a_constant_equal_to_a_parameter_is_told_apart() -> None:
    given_jobs = workload(["DELETE FROM t WHERE k = :k AND p = 1"], ("p",), SETUPS[1])
    (template,) = given_jobs.templates.values()
    found = parsed(given_jobs, template)
    assert found is not None
    assert isinstance(found.statement, Delete)
    literals = [part for part in walk(found.statement.condition) if isinstance(part, Literal)]
    assert [literal.value for literal in literals] == [Hole("k"), 1]


@pytest.mark.parametrize("text", POOL)
def test_the_theorem_knows_every_job_of_the_grammar(text: str) -> None:
    given_jobs = workload([text], ("p",), SETUPS[1])
    known = analysed(given_jobs)
    assert known["job0"].parsed is not None
    assert known["job0"].outside is None


@settings(max_examples=12, deadline=None)
@given(workloads())
def test_the_exhaustive_search_never_contradicts_an_answer(given_jobs: Jobs) -> None:
    """Three transactions over a few instances of each job, in every schedule."""
    held_against_the_search(given_jobs)


def held_against_the_search(given_jobs: Jobs) -> str:
    """The verdict; fails where the exhaustive search finds what it rules out."""
    most, domain.MOST_INSTANCES = domain.MOST_INSTANCES, 4
    limit, search.MOST_TO_EXHAUST = search.MOST_TO_EXHAUST, 7
    try:
        tried = instances(given_jobs)
        known = analysed(given_jobs)
        parts = shape(list(known.values()))
        stage = Stage(given_jobs)
        if parts.impossible:
            found, _ = search.exhaustive(stage, tried)
            assert found is None, scenario_yaml(found.scenario)
            return "robust"
        found, _ = search.after_missed_append(stage, tried, parts.triples)
        if found is None:
            return "unknown"
        (loaded,) = read_text(scenario_yaml(found.scenario))
        checked = check(loaded)
        assert checked.failures == ()
        assert checked.verdicts[SERIAL].verdict == "violated"
        return "not robust"
    finally:
        domain.MOST_INSTANCES, search.MOST_TO_EXHAUST = most, limit
