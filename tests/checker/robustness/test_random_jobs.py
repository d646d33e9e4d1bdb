"""Answers about random jobs, held against every schedule of a few of their runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from random import Random

import pytest

from checker.judging.verdict import judge
from checker.robustness import search
from checker.robustness.answer import Question, robustness, serial_order
from checker.robustness.histories import NAMES, SERIAL, Stage
from checker.robustness.jobs.workload import Instance, Jobs, jobs
from checker.robustness.other_rows import with_other_rows
from checker.robustness.readings import ALL_HOLD
from checker.robustness.remedies import analysed
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.scenarios import read_text
from isodelta.files.workloads import read_workload
from isodelta.runs.judging import check
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.scenario import TableSpec
from tests.checker.robustness.workload_templates import Templates, chosen
from tests.nightly import cases

WORKLOADS = Path(__file__).parents[3] / "scenarios" / "workloads"
pytestmark = pytest.mark.slow

NUMBERS = {"k": "int", "p": "int", "v": "int"}
ONE_ROW = ("INSERT INTO t VALUES (1, 1, 5)",)


def given(
    *texts: str,
    columns: dict[str, str] = NUMBERS,
    partitions: tuple[str, ...] = (),
    properties: dict[str, str] | None = None,
    setup: tuple[str, ...] = ONE_ROW,
) -> Jobs:
    table = TableSpec(columns, partitions, (), properties or {}, setup)
    return jobs("jobs", table, {}, {f"job{n}": text for n, text in enumerate(texts)}, DEFAULT)


def asked(workload: Jobs, instances: dict[str, tuple[Instance, ...]]) -> Question:
    return serial_order(workload, list(analysed(workload).values()), Stage(workload), instances)


def test_a_reader_may_see_another_row_of_the_append_than_the_one_missed() -> None:
    found = robustness(
        given(
            "INSERT INTO t VALUES (:k, 1, 0), (:k, 2, 0)",
            "UPDATE t SET v = v + 9 WHERE p = 1",
            "SELECT count(*) FROM t WHERE p = 2 OR v > 5",
            partitions=("p",),
        )
    )
    assert found.serial.verdict == "not robust"


def test_of_an_append_from_a_query_two_rows_may_differ() -> None:
    table = TableSpec(NUMBERS, ("p",), setup=ONE_ROW)
    source = TableSpec(NUMBERS, setup=("INSERT INTO s VALUES (3, 1, 0), (3, 2, 0)",))
    texts = {
        "load": "INSERT INTO t SELECT k, p, v FROM s",
        "raise": "UPDATE t SET v = v + 9 WHERE p = 1",
        "read": "SELECT count(*) FROM t WHERE p = 2 OR v > 5",
    }
    found = robustness(jobs("jobs", table, {"s": source}, texts, DEFAULT))
    assert found.serial.verdict == "not robust"


@pytest.mark.parametrize(("condition", "value"), [("10 / v > 1", 0), ("v + 1 < 10", 2147483647)])
def test_a_row_that_a_condition_fails_on_is_missed_as_well(condition: str, value: int) -> None:
    """After the append the UPDATE would have failed; the reader saw the append and not it."""
    append = f"INSERT INTO t VALUES (:k, 1, {value})"
    update = f"UPDATE t SET p = 2 WHERE {condition}"
    assert robustness(given(append, update, "SELECT * FROM t")).serial.verdict == "not robust"


@pytest.mark.parametrize(
    ("condition", "proved"),
    [
        ("10 / v > 1 AND p = 1", False),
        ("p = 1 AND (v > 3 OR CAST(n AS INT) = 1)", False),
        ("v BETWEEN 7 % k AND 3", False),
        ("v BETWEEN k % 2 AND 3", True),
        ("p = 1 OR v + 1 > 2", True),
        ("10 / v > 1", True),
        ("upper(n) LIKE 'A%' AND p = 1", True),
        ("CAST(d AS TIMESTAMP) > TIMESTAMP '2026-03-01 10:00:00' AND p IN (1, :p)", True),
        ("x * 1.5D > 2 AND price * 2 > 3 AND p = 1", True),
        ("date_add(d, 1) = DATE '2026-03-02' OR p = 1", True),
    ],
)
def test_a_part_that_can_fail_is_outside_of_the_theorems(condition: str, proved: bool) -> None:
    """Partitions are looked at first, so rows that fail as it is written need not be noted."""
    columns = NUMBERS | {"n": "string", "d": "date", "x": "double", "price": "decimal(6,2)"}
    workload = given(
        f"DELETE FROM t WHERE {condition}", columns=columns, partitions=("p",), setup=()
    )
    (job,) = analysed(workload).values()
    assert (job.outside is None) == proved
    assert proved or "can fail" in (job.outside or "")


def test_an_empty_text_in_a_partition_is_null() -> None:
    found = robustness(
        given(
            "INSERT INTO t VALUES (:k, :n)",
            "UPDATE t SET k = k + 1 WHERE n IS NULL",
            "SELECT * FROM t",
            columns={"k": "int", "n": "string"},
            partitions=("n",),
            setup=("INSERT INTO t VALUES (1, NULL)",),
        )
    )
    assert found.serial.verdict == "not robust"


CLEANING = (
    "INSERT INTO t VALUES (:k, 2, 7)",
    "UPDATE t SET p = 1 WHERE p = 2 AND k = :k",
    "UPDATE t SET p = 1 WHERE p = 2 AND v = 7 AND k > 0",
    "MERGE INTO t USING (SELECT 77 AS k) s ON t.k = s.k "
    "WHEN NOT MATCHED BY SOURCE AND t.p = 1 THEN DELETE",
)


def test_with_deletion_vectors_a_merge_leaves_files_that_it_takes_no_row_from() -> None:
    """Without them every file is written anew, and whoever changes a row elsewhere fails."""
    marked = given(*CLEANING, partitions=("p",), properties={"delta.enableDeletionVectors": "true"})
    verdicts = {}
    for name, workload in (("marked", marked), ("written", given(*CLEANING, partitions=("p",)))):
        instances = chosen(workload, Random(1), 2)
        verdicts[name] = asked(workload, instances).verdict
    assert verdicts["marked"] != "robust"


def test_random_answers_agree_with_every_schedule_of_three() -> None:
    """Robust: none has a violation. Not robust: the history reads back, and is a violation."""
    answers: Counter[str] = Counter()
    for seed in range(cases(12, 200)):
        random = Random(seed)
        workload = Templates(random).workload()
        instances = chosen(workload, random, 3)
        question = asked(workload, instances)
        answers[question.verdict] += 1
        if question.verdict == "not robust":
            assert question.found is not None
            (loaded,) = read_text(scenario_yaml(question.found.scenario))
            checked = check(loaded)
            assert checked.failures == ()
            assert checked.verdicts[SERIAL].verdict == "violated"
        else:
            found, _ = search.exhaustive(Stage(workload), instances)
            assert found is None, (question, scenario_yaml(found.scenario))
    assert min(answers["robust"], answers["not robust"]) >= 3, answers


def _beside_a_pair() -> Iterator[search.Play]:
    """A third transaction at every place of the schedule in which two overlap."""
    for start in range(5):
        for end in range(start, 5):
            play = [*search.MISSED]
            play.insert(end, ("commit", 2))
            play.insert(start, ("begin", 2))
            yield tuple(play)


def test_the_aborts_are_those_of_every_schedule() -> None:
    """Who makes whom fail, and how: no more is claimed than happens, and no less."""
    total = 0
    for seed in range(cases(8, 100)):
        random = Random(seed)
        workload = Templates(random).workload()
        instances = chosen(workload, random, 2)
        stage = Stage(workload)
        found = search.aborts(stage, instances, [Stage(one) for one in with_other_rows(workload)])
        claimed = {(a.current, a.winner, a.conflict) for a in found if _on(workload, a)}
        every = [each for some in instances.values() for each in some]
        seen = set()
        for group, play in product(product(every, repeat=3), _beside_a_pair()):
            for number, ended in stage.play(group, play).items():
                if ended.conflict is not None:
                    winner = group[NAMES.index(ended.conflict.winner)].job
                    seen.add((group[number].job, winner, ended.outcome))
        assert claimed == seen
        total += len(seen)
    assert total > 5


def _on(workload: Jobs, abort: search.Abort) -> bool:
    """Whether a witness is on the table of the workload, not on one with other rows."""
    return abort.found.scenario.table.setup == workload.table.setup


@pytest.mark.parametrize("setup", [(), ONE_ROW, ("INSERT INTO t VALUES (1, 1, 5), (2, 2, 6)",)])
def test_a_compaction_fails_whatever_files_the_set_up_leaves(setup: tuple[str, ...]) -> None:
    """In the table of the set-up it has nothing to do: each partition is one file."""
    found = robustness(
        given("OPTIMIZE t", "DELETE FROM t WHERE p = :p", partitions=("p",), setup=setup)
    )
    pairs = {(abort.current, abort.winner) for abort in found.aborts}
    assert {("job0", "job1"), ("job1", "job0"), ("job0", "job0")} <= pairs
    for abort in found.aborts:
        (loaded,) = read_text(scenario_yaml(abort.found.scenario))
        assert check(loaded).failures == ()


@pytest.mark.parametrize(
    ("name", "broken"),
    [("on_call_fix", 2), ("change_feed", 1), ("incremental_aggregate", 3), ("dashboard", 2)],
)
def test_a_history_breaks_the_readings_that_the_answer_names(name: str, broken: int) -> None:
    question = robustness(read_workload(WORKLOADS / f"{name}.yaml").jobs).serial
    assert question.found is not None
    verdict = judge(run_scenario(question.found.scenario, DEFAULT).history, (SERIAL,))[SERIAL]
    assert verdict.view is not None
    assert verdict.final_state is not None
    own = (verdict.verdict, verdict.view.verdict, verdict.final_state.verdict)
    found = question.readings
    assert (found.conflict, found.view, found.final_state) == own
    assert found.broken == broken


def test_a_proof_is_one_of_every_reading() -> None:
    found = robustness(given("DELETE FROM t WHERE k = :k")).serial
    assert found.readings == ALL_HOLD
