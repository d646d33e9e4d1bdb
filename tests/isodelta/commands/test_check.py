"""``isodelta check``: what it prints, for people and for programs, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from isodelta import cli
from isodelta.exits import FOUND, OK
from tests.command_line import EXAMPLE, HOLE, ROOT, SCENARIOS, Write, objects


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
        (EXAMPLE + "expect: {rows: [[2, 2, 20]]}", FOUND, "rows: unexpected (7, 1, 0)"),
        (EXAMPLE + "expect: {rows: [[2, 2, 20], [7, 1, 0], [7, 1, 0]]}", FOUND, "rows: missing"),
        (
            EXAMPLE + "expect: {levels: {Serializable: holds}}",
            FOUND,
            "Serializable: expected holds",
        ),
        (EXAMPLE + "expect: {levels: {SnapshotIsolation: holds}}", OK, None),
        (EXAMPLE + "expect: {rows: [[7, 1, 0], [2, 2, 20]]}", OK, None),
        (HOLE, FOUND, "WriteSerializable, the table's own level, is violated"),
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
    assert "Not as expected" in output
    assert all(len(line) <= 80 for line in output.splitlines())


def test_a_terminal_without_unicode_gets_plain_marks(write: Write) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    text = HOLE.replace("a broken promise", "Größe")
    done = subprocess.run(
        [sys.executable, "-m", "isodelta", "check", write(text)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
        env=environment,
        check=False,
    )
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


def test_a_transaction_that_always_fails_by_itself_stands_out(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    text = EXAMPLE.replace("VALUES (7, 1, 0)", "VALUES (7, 1)")
    assert text != EXAMPLE
    assert cli.run(["check", write(text)]) == FOUND
    assert "B always fails by itself: 2 values for 3 columns" in capsys.readouterr().out
    expected = text + "expect: {outcomes: {B: DELTA_INSERT_COLUMN_ARITY_MISMATCH}}\n"
    assert cli.run(["check", write(expected)]) == OK
