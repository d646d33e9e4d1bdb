"""The command line: what it prints where, and how it ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from conformance import campaign
from isodelta import cli, exploration, judging, replay_results, replaying
from isodelta.exits import BAD, BROKEN, ENGINE, FOUND, INTERRUPTED, OK, EngineFailed
from isodelta.options import Duration
from model.scenario import Scenario

ROOT = Path(__file__).parent.parent
SCENARIOS = ROOT / "scenarios"

EXAMPLE = """\
name: a delete meets an append
table:
  columns: {k: int, p: int, v: int}
  partition_by: [p]
  properties: {delta.isolationLevel: WriteSerializable}
  setup:
    - INSERT INTO t VALUES (1, 1, 10), (2, 2, 20)
transactions:
  A: DELETE FROM t WHERE p = 1
  B: INSERT INTO t VALUES (7, 1, 0)
  R: SELECT count(*) FROM t
  N: UPDATE t SET v = 0 WHERE k = 99
schedule: [begin A, begin R, begin N, B, commit A, commit R, commit N]
"""

HOLE = """\
name: a broken promise
table:
  columns: {k: int, p: int}
  partition_by: [p]
  properties: {delta.isolationLevel: WriteSerializable}
  setup: ["INSERT INTO t VALUES (1, 1)"]
transactions:
  purge: DELETE FROM t WHERE p = 1
  append: INSERT INTO t VALUES (2, 1)
  archive: INSERT INTO t SELECT k, 9 FROM t WHERE p = 1
schedule: [begin purge, append, archive, commit purge]
"""

Write = Callable[[str], str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(text: str) -> str:
        path = tmp_path / "scenario.yaml"
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write_file


def objects(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def isodelta(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Runs the command as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "isodelta", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        check=False,
        **options,
    )


# check


def test_check_as_json_has_the_shape_of_the_contract(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert cli.run(["check", write(EXAMPLE), "--json"]) == OK
    captured = capfdbinary.readouterr()
    assert captured.err == b""
    (result,) = objects(captured.out.decode())
    assert list(result) == ["scenario", "profile", "engine", "transactions", "rows", "levels"]
    assert result["profile"] == "delta-spark-4.4"
    assert result["engine"] == "model"
    assert result["transactions"] == {
        "A": {"outcome": "committed", "read_version": 1, "commit_version": 3},
        "B": {"outcome": "committed", "read_version": 1, "commit_version": 2},
        "R": {"outcome": "read", "read_version": 1, "rows": [[2]]},
        "N": {"outcome": "committed", "read_version": 1, "commit_version": 4},
    }
    assert result["rows"] == [[2, 2, 20], [7, 1, 0]]
    serializable, write_serializable = result["levels"].values()
    assert serializable["verdict"] == "violated"
    assert serializable["cycle"] == ["A", "B", "A"]
    assert serializable["edges"][0] == {
        "from": "A",
        "to": "B",
        "kind": "rw",
        "because": "A read p = 1 before B added (7, 1, 0)",
    }
    assert write_serializable["verdict"] == "holds"
    assert write_serializable["serial_order"].index("A") < write_serializable["serial_order"].index(
        "B"
    )
    assert (write_serializable["view"], write_serializable["final_state"]) == ("holds", "holds")


def test_a_conflict_says_with_whom_and_why(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    text = EXAMPLE.replace("WriteSerializable", "Serializable")
    assert cli.run(["check", write(text), "--json"]) == OK
    (result,) = objects(capfdbinary.readouterr().out.decode())
    refused = result["transactions"]["A"]
    assert refused["outcome"] == "ConcurrentAppend"
    assert refused["conflicts_with"] == "B"
    assert "p = 1" in refused["because"]
    assert "commit_version" not in refused
    nothing = result["transactions"]["N"]
    assert nothing["outcome"] == "no commit"
    assert "nothing to change" in nothing["because"]


def test_many_files_give_one_line_each_in_order(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    files = [str(SCENARIOS / name) for name in ("phantom.yaml", "lost_update.yaml")]
    assert cli.run(["check", *files, "--json"]) == OK
    names = [result["scenario"] for result in objects(capfdbinary.readouterr().out.decode())]
    assert names[0].startswith("phantom")
    assert names[-1].startswith("an update meets a delete")


@pytest.mark.parametrize(
    ("text", "code", "told"),
    [
        (EXAMPLE + "expect: {outcomes: {A: ConcurrentAppend}}", FOUND, "A: expected Concurrent"),
        (EXAMPLE + "expect: {rows: [[2, 2, 20]]}", FOUND, "rows: not expected (7, 1, 0)"),
        (EXAMPLE + "expect: {rows: [[2, 2, 20], [7, 1, 0], [7, 1, 0]]}", FOUND, "rows: missing"),
        (
            EXAMPLE + "expect: {levels: {Serializable: holds}}",
            FOUND,
            "Serializable: expected holds",
        ),
        (EXAMPLE + "expect: {levels: {SnapshotIsolation: holds}}", OK, None),
        (EXAMPLE + "expect: {rows: [[7, 1, 0], [2, 2, 20]]}", OK, None),
        (HOLE, FOUND, "WriteSerializable is violated, the level of the table itself"),
        (HOLE + "expect: {levels: {WriteSerializable: violated}}", OK, None),
        (HOLE + "expect: {levels: {WriteSerializable: holds}}", FOUND, "WriteSerializable: exp"),
    ],
)
def test_the_exit_code_says_whether_all_is_as_it_should_be(
    text: str,
    code: int,
    told: str | None,
    write: Write,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert cli.run(["check", write(text), "--json"]) == code
    (result,) = objects(capfdbinary.readouterr().out.decode())
    if told is None:
        assert "failures" not in result
    else:
        (failure,) = result["failures"]
        assert failure.startswith(told)


def test_people_get_a_timeline_and_the_reasons(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["check", write(HOLE)]) == FOUND
    output = capsys.readouterr().out
    assert "purge    ├──────────────●" in output
    assert "archive           ├──●" in output
    assert "purge → append    rw  purge read p = 1 before append added (2, 1)" in output
    assert "WriteSerializable (the table's level): violated, a cycle of kind G2-item:" in output
    assert "no serial order of append, archive, purge" in " ".join(output.split())
    assert "Not as it should be" in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_terminal_without_unicode_gets_plain_marks(write: Write) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = HOLE.replace("a broken promise", "Größe")
    done = isodelta("check", write(text), env=environment)
    assert done.returncode == FOUND
    assert "[--------------*" in done.stdout
    assert "Gr\\xf6\\xdfe" in done.stdout


def test_a_name_cannot_steer_the_terminal(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    text = EXAMPLE.replace("a delete meets an append", '"clear \\e[2J [bold]x"')
    assert cli.run(["check", write(text)]) == OK
    output = capsys.readouterr().out
    assert "\x1b" not in output
    assert "[bold]x" in output


def test_check_can_write_a_report(write: Write, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    assert cli.run(["check", write(HOLE), "--json", "--report", str(folder)]) == FOUND
    summary = json.loads((folder / "report.json").read_text(encoding="utf-8"))["summary"]
    assert (summary["scenarios"], summary["violations"]) == (1, 1)
    (finding,) = (folder / "findings").iterdir()
    assert finding.name == "a-broken-promise.yaml"
    assert cli.run(["check", str(finding), "--json"]) == FOUND


def test_check_loads_nothing_that_it_does_not_need(write: Write) -> None:
    program = (
        "import sys; from isodelta.cli import run; run(sys.argv[1:]); "
        "print([m for m in ('pyspark', 'pyarrow', 'jinja2', 'z3', 'hypothesis', 'conformance', "
        "'deltalake') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "check", write(EXAMPLE)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=True,
    )
    assert done.stderr == "[]\n"


# Bad usage and bad input


@pytest.mark.parametrize(
    "arguments",
    [
        ["frobnicate"],
        ["check"],
        ["check", "--jsn", "x.yaml"],
        ["check", "--profile", "delta-spark-0", "x.yaml"],
        ["check", "--seed", "-1", "x.yaml"],
        ["explore", "--budget", "soon"],
        ["explore", "--budget", "0s"],
        ["explore", "--transactions", "0"],
        ["explore", "--level", "Snapshot"],
        ["--nonsense"],
    ],
)
def test_bad_usage_is_one_line_and_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(arguments) == BAD
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


def test_no_command_at_all_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([]) == BAD
    assert "Commands:" in capsys.readouterr().err


def test_bad_scenarios_are_told_on_standard_error_and_nothing_runs(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    good = str(SCENARIOS / "phantom.yaml")
    bad = write(EXAMPLE.replace("WHERE p = 1", "WHERE q = 1"))
    assert cli.run(["check", good, bad, "nowhere.yaml", "--json"]) == BAD
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [
        f"{bad}:9: transactions.A: unknown column 'q' in table t (columns: k, p, v)",
        "nowhere.yaml: there is no such file",
    ]


FAR = """
name: far
table: {columns: {d: date}, setup: ["INSERT INTO t VALUES (DATE '9999-12-31')"]}
transactions: {A: "UPDATE t SET d = date_add(d, 1)"}
schedule: [A]
"""


def test_a_value_that_the_model_does_not_have_is_no_bug_of_its_own(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["check", write(FAR)]) == BAD
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith("far: 9999-12-31 + 1 days lies beyond the year 9999, or before 1")


def test_a_report_folder_that_cannot_be_written(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    place = str(tmp_path / "file" / "report")
    assert cli.run(["check", write(EXAMPLE), "--report", place, "--json"]) == BAD
    assert len(capsys.readouterr().err.splitlines()) == 1


# How else it can end


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (KeyboardInterrupt(), INTERRUPTED, "interrupted"),
        (EngineFailed("the engine died\nat step begin A"), ENGINE, "the engine died at step"),
    ],
)
def test_the_other_ends_are_one_line(
    error: BaseException,
    code: int,
    told: str,
    write: Write,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*arguments: object) -> None:
        raise error

    monkeypatch.setattr(judging, "check", fail)
    assert cli.run(["check", write(EXAMPLE), "--json"]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_a_bug_does_not_look_like_a_finding(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(judging, "check", fail)
    assert cli.run(["check", write(EXAMPLE)]) == BROKEN
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["", "--json"])
def test_a_reader_that_leaves_early_is_no_error(option: str) -> None:
    files = "scenarios/*.yaml scenarios/*.yaml scenarios/*.yaml"
    program = f"{sys.executable} -m isodelta check {files} {option} | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", program],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == OK
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1


# The commands


def test_the_help_lists_the_commands_main_job_first() -> None:
    context = click.Context(cli.cli)
    names = cli.cli.list_commands(context)
    assert names[0] == "verify"
    assert set(names) >= {"verify", "check", "replay", "explore", "matrix"}


@pytest.mark.parametrize("name", cli.cli.list_commands(click.Context(cli.cli)))
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run([name, "--help"]) == OK
    output = capsys.readouterr().out
    for option in ("--profile", "--json", "--seed", "--report"):
        assert option in output


@pytest.mark.parametrize(
    ("text", "seconds"), [("60s", 60), ("4m", 240), ("90", 90), ("1.5h", 5400), (" 2 m ", 120)]
)
def test_durations(text: str, seconds: float) -> None:
    assert Duration().convert(text, None, None) == seconds


# explore


def test_explore_reports_findings_and_then_a_summary(
    write: Write, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    assert cli.run(["explore", "--transactions", "2", "--json"]) == OK
    captured = capfdbinary.readouterr()
    assert captured.err == b""
    *findings, last = objects(captured.out.decode())
    assert list(last) == ["summary"]
    summary = last["summary"]
    assert summary["complete"] is True
    assert summary["violations"] == len(findings) > 0
    assert summary["broken_promises"] == 0
    for finding in findings:
        assert finding["finding"] == "level-violation"
        assert finding["promised"] is False
        assert finding["level"] == "Serializable"
        assert finding["levels"]["Serializable"]["verdict"] == "violated"
        assert finding["levels"]["WriteSerializable"]["verdict"] == "holds"
        assert finding["transactions"] == len(finding["scenario"]["transactions"]) == 2
    # A finding's scenario is a scenario file: JSON is YAML.
    assert cli.run(["check", write(json.dumps(findings[0]["scenario"])), "--json"]) == OK


def test_explore_finds_nothing_at_serializable(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    arguments = ["explore", "--transactions", "2", "--level", "Serializable", "--json"]
    assert cli.run(arguments) == OK
    (last,) = objects(capfdbinary.readouterr().out.decode())
    assert last["summary"]["violations"] == 0
    assert last["summary"]["complete"] is True


def test_explore_for_people_says_how_far_it_went(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["explore", "--transactions", "2"]) == OK
    output = capsys.readouterr().out
    assert "What the documents say that the level does not promise" in output
    assert "schedules of up to 2 transactions (all of them)" in " ".join(output.split())
    assert all(len(line) <= 80 for line in output.splitlines())


def test_ctrl_c_keeps_what_explore_has_found(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    searched: list[str] = []
    run = exploration.Search.run

    def interrupted(search: exploration.Search, level: str, *args: Any, **options: Any) -> Any:
        searched.append(level)
        if len(searched) > 1:
            raise KeyboardInterrupt
        return run(search, level, *args, **options)

    monkeypatch.setattr(exploration.Search, "run", interrupted)
    arguments = ["explore", "--transactions", "2", "--level", "WriteSerializable", "--json"]
    assert cli.run(arguments) == INTERRUPTED
    captured = capfdbinary.readouterr()
    assert captured.err == b"isodelta: interrupted\n"
    *findings, last = objects(captured.out.decode())
    assert findings
    assert last["summary"]["complete"] is False
    assert last["summary"]["violations"] == len(findings)


def test_explore_samples_what_the_budget_leaves_out(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    def out_of_time(search: exploration.Search, *args: Any, **options: Any) -> Any:
        return run(search, *args, **{**options, "budget": 0.0})

    run = exploration.Search.run
    monkeypatch.setattr(exploration.Search, "run", out_of_time)
    arguments = ["explore", "--transactions", "3", "--budget", "2s", "--seed", "1", "--json"]
    assert cli.run(arguments) in (OK, FOUND)
    *_, last = objects(capfdbinary.readouterr().out.decode())
    assert last["summary"]["complete"] is False
    assert last["summary"]["histories"] > 0


def test_explore_makes_a_difference_from_the_engine_small(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """An engine that does the model's bidding, but for every UPDATE."""

    class Compared:
        def __init__(self, scenario: Scenario) -> None:
            self.scenario = scenario
            self.observation = SimpleNamespace(level="Serializable")
            self.agrees = not any(
                sql.startswith("UPDATE") for sql in scenario.transactions.values()
            )
            self.differences = () if self.agrees else (SimpleNamespace(classified="wrong"),)

    def replay(engine: object, job: campaign.Job, profile: object) -> SimpleNamespace:
        return SimpleNamespace(job=job, comparison=Compared(job.scenario))

    def run_campaign(
        engine: object, jobs: Iterable[campaign.Job], profile: object, **options: object
    ) -> Iterator[SimpleNamespace]:
        for job in islice(jobs, 30):
            done = replay(engine, job, profile)
            yield done
            if not done.comparison.agrees:
                return

    monkeypatch.setattr(replaying, "started_engine", lambda name: nullcontext(name))
    monkeypatch.setattr(campaign, "replay", replay)
    monkeypatch.setattr(campaign, "run_campaign", run_campaign)
    monkeypatch.setattr(
        replay_results, "replay_result", lambda c, name: {"levels": {}, "differences": ["x"]}
    )
    arguments = ["explore", "--transactions", "2", "--level", "Serializable", "--json"]
    assert cli.run([*arguments, "--engine", "delta-spark"]) == FOUND
    difference, last = objects(capfdbinary.readouterr().out.decode())
    assert difference["finding"] == "difference"
    assert difference["level"] == "Serializable"
    (sql,) = difference["scenario"]["transactions"].values()
    assert sql.startswith("UPDATE t SET")
    assert last["summary"]["differences"] == 1
    assert last["summary"]["replays"] >= 1
