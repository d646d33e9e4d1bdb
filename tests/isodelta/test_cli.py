"""The command line as a whole: bad input, how it ends, and the help."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import click
import pytest

from isodelta import cli
from isodelta.exits import BAD, BROKEN, ENGINE, INTERRUPTED, OK, EngineFailed
from isodelta.options import Duration
from isodelta.runs import tables
from tests.command_line import EXAMPLE, ROOT, SCENARIOS, Write


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

    monkeypatch.setattr(tables, "decided", fail)
    assert cli.run(["check", write(EXAMPLE), "--json"]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_a_bug_does_not_look_like_a_finding(
    write: Write, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(tables, "decided", fail)
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
