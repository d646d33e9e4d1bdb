"""A sample report for tests of the report. Sample data: none of it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from checker.judging.verdict import Verdict
from checker.judging.witness import Reason, SerialOrder
from conformance.replay.comparison import Difference, DifferenceClass
from isodelta.report import (
    Bound,
    Coverage,
    Finding,
    FindingClass,
    MatrixCell,
    Report,
    ScenarioResult,
    SuitePart,
    Summary,
)
from isodelta.runs.judging import check_scenario
from isodelta.runs.results import Compared, PlainRow, RunResult, TransactionResult
from model.scenario import Expectation, Scenario, Step, TableSpec
from tests.isodelta.report.theory_sample import sample_lattice, sample_theorem

PROFILE = "delta-spark-4.4"


def steps(*texts: str) -> tuple[Step, ...]:
    """A schedule from ``begin A`` and ``commit A``; a bare name is both."""
    schedule: list[Step] = []
    for text in texts:
        action, _, name = text.partition(" ")
        if action == "begin":
            schedule.append(Step("begin", name))
        elif action == "commit":
            schedule.append(Step("commit", name))
        else:
            schedule += [Step("begin", text), Step("commit", text)]
    return tuple(schedule)


def write_skew(level: str) -> Scenario:
    """Two statements that each read what the other changes."""
    return Scenario(
        name="write skew over two partitions",
        table=TableSpec(
            columns={"k": "int", "p": "int", "v": "int"},
            partition_by=("p",),
            properties={"delta.isolationLevel": level},
            setup=("INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)",),
        ),
        transactions={
            "A": "DELETE FROM t WHERE p = 1",
            "B": "INSERT INTO t VALUES (7, 1, 0)",
            "R": "SELECT count(*) FROM t",
        },
        schedule=steps("begin A", "B", "R", "commit A"),
        expect=Expectation(outcomes={"A": "committed", "B": "committed"}),
    )


def result(
    transactions: Mapping[str, TransactionResult],
    levels: Mapping[str, Verdict] | None = None,
    rows: tuple[PlainRow, ...] = (),
) -> RunResult:
    """What came of a scenario in the model."""
    return RunResult("sample", PROFILE, "model", transactions, rows, levels or {})


def observed(
    predicted: RunResult, level: str, *differences: str, about: str = "A", what: str = "outcome"
) -> RunResult:
    """The same on an engine, with a difference for each text, which is what was observed."""
    found = tuple(
        Difference(about, what, "committed", text, DifferenceClass.UNKNOWN) for text in differences
    )
    return replace(predicted, engine="delta-spark", compared=Compared(level, found))


READER_RESULT = replace(check_scenario(write_skew("WriteSerializable")).result, failures=())
"""A and B commit, and R reads between them: the order of the log does not explain it."""

REFUSED_RESULT = replace(check_scenario(write_skew("Serializable")).result, failures=())
"""A is refused."""


def four_way() -> tuple[Scenario, RunResult]:
    """A scenario of four transactions, with long names and every kind of end."""
    scenario = Scenario(
        name="two compactions, an update and a MERGE-like insert",
        table=TableSpec(
            columns={"k": "int", "name": "string"},
            setup=("INSERT INTO t VALUES (1, 'one'), (2, NULL)",),
        ),
        transactions={
            "Opt1": "OPTIMIZE t",
            "Opt2": "OPTIMIZE t",
            "Upd": "UPDATE t SET name = 'x' WHERE k = 1",
            "Ins": "INSERT INTO t SELECT k + 10, name FROM t WHERE k = 99",
        },
        schedule=steps(
            "begin Opt1",
            "begin Opt2",
            "begin Upd",
            "commit Upd",
            "Ins",
            "commit Opt1",
            "commit Opt2",
        ),
    )
    done = result(
        {
            "Opt1": TransactionResult("ConcurrentDeleteRead", 1, conflicts_with="Upd"),
            "Opt2": TransactionResult("ConcurrentDeleteDelete", 1, conflicts_with="Upd"),
            "Upd": TransactionResult("committed", 1, 2),
            "Ins": TransactionResult("no commit", 2),
        },
        {
            "Serializable": Verdict(
                "Serializable", "unknown", Reason("the rows that Opt1 read were not observed")
            ),
            "WriteSerializable": Verdict("WriteSerializable", "holds", SerialOrder(("Upd", "Ins"))),
        },
        ((1, "x"), (2, None)),
    )
    return scenario, done


def findings() -> list[Finding]:
    """One finding of each class."""
    scenario, done = four_way()
    replayed = observed(done, "Serializable", "ConcurrentDeleteDelete", about="Opt2")
    predicted = replace(
        done, transactions={**done.transactions, "Opt2": TransactionResult("committed", 1, 3)}
    )
    seen = observed(READER_RESULT, "WriteSerializable")
    refused = observed(REFUSED_RESULT, "WriteSerializable", "ConcurrentAppend")
    return [
        Finding(
            "reader-sees-a-state-that-never-was",
            "A reader sees a state that no serial order has",
            FindingClass.LEVEL_VIOLATION,
            "Serializable",
            "The reader R counts the late insert and the rows that the long delete is about to "
            "remove. In the log's order no moment has both.",
            write_skew("WriteSerializable"),
            READER_RESULT,
            seen,
        ),
        Finding(
            "delete-refused-although-allowed",
            "A delete is refused although the level would allow it",
            FindingClass.FALSE_CONFLICT,
            "WriteSerializable",
            "A blind append into the partition that a delete has read makes the delete fail. "
            "The order A before B would have explained both.",
            write_skew("WriteSerializable"),
            READER_RESULT,
            refused,
        ),
        Finding(
            "two-compactions",
            "The second of two compactions is refused by one rule more than the model has",
            FindingClass.MODEL_WRONG,
            "Serializable",
            "The engine refuses the second compaction; the model lets it pass.",
            scenario,
            predicted,
            replayed,
        ),
        Finding(
            "optimize-against-insert",
            "The documents say that compaction can conflict with an insert; it cannot",
            FindingClass.DOCUMENT_DIFFERS,
            "Serializable",
            "The table of the documents has no such cell for this layout.",
            scenario,
            done,
        ),
        Finding(
            "engine-breaks-serializable",
            "The engine lets a write skew through at Serializable",
            FindingClass.ENGINE_BREAKS_LEVEL,
            "Serializable",
            "Sample of the worst class: the level in force forbids what was committed.",
            write_skew("Serializable"),
            REFUSED_RESULT,
            observed(READER_RESULT, "Serializable", "committed"),
        ),
        Finding(
            "delete-empties-the-table",
            "A delete of nothing empties the table",
            FindingClass.ENGINE_DISOBEYS,
            "Serializable",
            "Sample: what was written is not what the statement gives on its snapshot.",
            scenario,
            done,
        ),
        Finding(
            "unexplained-outcome",
            "An outcome that no class explains",
            FindingClass.UNEXPLAINED,
            "WriteSerializable",
            "The engine wrote one version more than the statement needs.",
            write_skew("WriteSerializable"),
            READER_RESULT,
            observed(READER_RESULT, "WriteSerializable", "(7, 1, 0)", what="final rows"),
        ),
        Finding(
            "h1",
            "H1: holds ReadCommitted, violates Serializable",
            FindingClass.SEPARATION,
            "Serializable",
            "Sample: it tells two levels apart.",
            write_skew("Serializable"),
            READER_RESULT,
            profile="no-rules",
        ),
    ]


def sample_report() -> Report:
    """A full report with every part filled."""
    names = ["INSERT", "DELETE", "OPTIMIZE"]
    titles = [
        "lost update",
        "write skew over two partitions",
        "phantom",
        "long delete against a late insert",
        "two compactions",
        "reader sees a state that never was",
    ]
    scenarios = [
        ScenarioResult(
            title,
            level,
            file=f"scenarios/{title.replace(' ', '-')}.yaml",
            predicted=READER_RESULT,
            observed=observed(READER_RESULT, level) if title != "phantom" else None,
            seconds=0.31,
        )
        for title in titles
        for level in ("Serializable", "WriteSerializable")
    ]
    scenarios.append(
        ScenarioResult(
            "a delete meets an append",
            "WriteSerializable",
            file="scenarios/delete-meets-append.yaml",
            predicted=READER_RESULT,
            observed=observed(REFUSED_RESULT, "WriteSerializable", "ConcurrentAppend"),
            problems=("expected A: committed, got ConcurrentAppend",),
            finding="delete-refused-although-allowed",
            seconds=0.4,
        )
    )
    scenarios.append(
        ScenarioResult(
            "a scenario whose replay hung",
            "Serializable",
            predicted=REFUSED_RESULT,
            error="step 'commit A' did not end within 60 s",
        )
    )
    matrix = [
        MatrixCell(
            current,
            winner,
            layout,
            level,
            document="can" if winner != "INSERT" else "cannot",
            model="can" if (current, winner) != ("OPTIMIZE", "INSERT") else "cannot",
            engine=None
            if layout == "partitioned" and current == "INSERT"
            else ("can" if (current, winner) != ("OPTIMIZE", "INSERT") else "cannot"),
            witness=write_skew(level) if current == "DELETE" else None,
        )
        for level in ("Serializable", "WriteSerializable")
        for current in names
        for winner in names
        for layout in ("unpartitioned", "partitioned")
    ]
    return Report(
        paragraph=(
            "isodelta ran 14 scenarios and an exhaustive search over all schedules of up to three "
            "transactions in the model, replayed 412 histories step by step on real Delta tables "
            "with Spark, at Serializable and at WriteSerializable, and judged what it saw against "
            "the definition of each level."
        ),
        command="isodelta verify --budget 4m --seed 7 --engine delta-spark --report report/",
        profile=PROFILE,
        engine="delta-spark",
        seed=7,
        versions={
            "isodelta": "0.1.0",
            "Python": "3.11.9",
            "pyspark": "4.2.0",
            "delta-spark": "4.4.0",
            "Java": "17.0.15 (Debian)",
            "platform": "Linux-6.1.0-x86_64-with-glibc2.36",
        },
        summary=Summary(
            scenarios=14,
            schedules=1_204_832,
            replays=412,
            differences=4,
            unexplained=1,
            violations=7,
            seconds=231.4,
            budget_seconds=240,
        ),
        findings=findings(),
        scenarios=scenarios,
        parts=[
            SuitePart(
                "exhaustive search",
                "passed",
                counts={"schedules": 1_204_832, "histories": 88_121},
                seconds=41.2,
            ),
            SuitePart("conflict table", "passed", counts={"cells": 36}, seconds=30.0),
            SuitePart(
                "random campaign",
                "failed",
                "replays",
                message="1 outcome is not explained",
                counts={"replays": 340},
                seconds=120.5,
            ),
            SuitePart("liquid clustering", "skipped", message="not built yet"),
        ],
        matrix=matrix,
        coverage=Coverage(
            statements={"INSERT VALUES": 812, "DELETE": 640, "UPDATE": 611, "OPTIMIZE WHERE": 0},
            pairs={
                (a, b): (0 if a == b == "OPTIMIZE" else 97 * len(a) + len(b))
                for a in names
                for b in names
            },
            conflicts={"ConcurrentAppend": 210, "ConcurrentDeleteRead": 77, "MetadataChanged": 0},
            anomalies={"G-single (read skew)": 31, "G2 (write skew)": 12, "lost update": 4},
            other={"Layouts": {"unpartitioned": 240, "partitioned": 172}},
            schedules_full=1_204_832,
            schedules_run=152_004,
        ),
        bounds=[
            Bound("Serializable", 3, 32, 602_416, 0, True),
            Bound("WriteSerializable", 3, 32, 602_416, 7, True, "conflict reading"),
        ],
        lattice=sample_lattice(),
        theorems=[sample_theorem()],
        ended=True,
        created="2026-11-21T12:00:00+00:00",
    )


def hostile_report() -> Report:
    """A report in which every text tries to break out of the page."""
    evil = "<script>document.title = 'broken'</script>\"'></td><img src=x onerror=alert(1)>"
    text = evil.replace("'", "\\'")
    scenario = Scenario(
        name=evil,
        table=TableSpec(
            columns={"v": "string", evil: "int"},
            properties={
                "delta.isolationLevel": "WriteSerializable",
                "delta.columnMapping.mode": "name",
            },
            setup=(f"INSERT INTO t VALUES ('{text}', 1)",),
        ),
        transactions={
            "A": f"DELETE FROM t WHERE v = '{text}'",
            evil: f"INSERT INTO t VALUES ('{text}', 2)",
        },
        schedule=steps("begin A", evil, "commit A"),
    )
    checked = check_scenario(scenario).result
    ended = TransactionResult(evil, 1, conflicts_with=evil, because=evil)
    done = replace(
        checked,
        transactions={**checked.transactions, "A": ended},
        rows=((evil, None),),
        levels={
            **checked.levels,
            "WriteSerializable": Verdict("WriteSerializable", "unknown", Reason(evil)),
        },
    )
    seen = observed(done, evil, evil, about=evil, what=evil)
    return Report(
        paragraph=evil,
        command=evil,
        profile=evil,
        engine=evil,
        seed=0,
        versions={evil: evil},
        findings=[
            Finding(
                "evil",
                evil,
                FindingClass.UNEXPLAINED,
                "Serializable",
                evil,
                scenario,
                done,
                seen,
            )
        ],
        scenarios=[
            ScenarioResult(evil, evil, evil, done, seen, (evil,), None, "evil"),
            ScenarioResult(evil, evil, error=evil),
        ],
        parts=[SuitePart(evil, "failed", evil, evil, {evil: 1})],
        matrix=[MatrixCell(evil, evil, evil, evil, evil, "can", None, scenario, evil)],
        coverage=Coverage(statements={evil: 1}, pairs={(evil, evil): 0}, other={evil: {evil: 0}}),
        bounds=[Bound(evil, 1, 1, 1, 1, False, evil)],
        incomplete_because=evil,
        created=evil,
    )
