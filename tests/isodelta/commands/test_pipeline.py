"""The course of a command: its output and its end, whatever happens on the way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from rich.console import Console

from conformance.engine import EngineError
from isodelta.commands.pipeline import Course, Progress, run
from isodelta.commands.verify import run as suite
from isodelta.commands.verify.command import Verifying
from isodelta.commands.verify.results import SuiteRun
from isodelta.exits import FOUND, OK, BadInput, EngineFailed
from isodelta.options import Common
from isodelta.report import Report
from isodelta.report.start import new_report
from model.profiles import DEFAULT
from tests.command_line import objects


@dataclass(frozen=True)
class Number:
    """A result."""

    value: int

    def to_json(self) -> dict[str, object]:
        return {"value": self.value}


@dataclass
class Counting(Course[Number]):
    """Counts to 2, and then raises an error if it has one."""

    common: Common
    error: BaseException | None = None
    is_good: bool = True

    def results(self, progress: Progress) -> Iterator[Number]:
        yield Number(1)
        yield Number(2)
        if self.error is not None:
            raise self.error

    def good(self, results: Sequence[Number]) -> bool:
        return self.is_good

    def words(self, result: Number, console: Console) -> None:
        console.print(f"the number {result.value}")

    def closing_words(self, results: Sequence[Number], console: Console) -> None:
        console.print(f"{len(results)} in all")

    def summary(self) -> Number:
        return Number(0)

    def page(self, results: Sequence[Number]) -> Report:
        return new_report(self.common, f"{len(results)} numbers.")


def common(*, json_lines: bool = False, report: Path | None = None) -> Common:
    return Common(DEFAULT, json_lines, 0, report)


@pytest.mark.parametrize(("is_good", "code"), [(True, OK), (False, FOUND)])
def test_words_come_with_each_result_and_at_the_end(
    is_good: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(Counting(common(), is_good=is_good), common()) == code
    assert capsys.readouterr().out.splitlines() == ["the number 1", "the number 2", "2 in all"]


def test_json_lines_have_the_results_and_last_the_summary(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    assert run(Counting(common()), common(json_lines=True)) == OK
    printed = objects(capfdbinary.readouterr().out.decode())
    assert [one["value"] for one in printed] == [1, 2, 0]


@pytest.mark.parametrize(
    ("error", "raised", "because"),
    [
        (EngineError("the JVM is gone"), EngineFailed, "the engine failed: the JVM is gone"),
        (KeyboardInterrupt(), KeyboardInterrupt, "it was interrupted"),
        (BadInput("no such value"), BadInput, "it was ended by an error: no such value"),
    ],
)
@pytest.mark.parametrize("json_lines", [False, True])
def test_what_was_found_is_told_however_it_ends(
    error: BaseException,
    raised: type[BaseException],
    because: str,
    json_lines: bool,
    tmp_path: Path,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    options = common(json_lines=json_lines, report=tmp_path)
    with pytest.raises(raised):
        run(Counting(options, error), options)
    lines = capfdbinary.readouterr().out.decode().splitlines()
    assert len(lines) == 3
    assert lines[-1] == ('{"value": 0}' if json_lines else "2 in all")
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert (report["complete"], report["incomplete_because"]) == (False, because)
    assert report["paragraph"] == "2 numbers."


def test_a_reader_that_left_is_told_nothing_more(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = common(report=tmp_path / "report")
    with pytest.raises(BrokenPipeError):
        run(Counting(options, BrokenPipeError()), options)
    assert "in all" not in capsys.readouterr().out
    assert not (tmp_path / "report").exists()


@dataclass
class Failing(Counting):
    """Fails before its first result."""

    def results(self, progress: Progress) -> Iterator[Number]:
        raise BadInput("no such file")
        yield Number(1)


def test_without_a_result_nothing_is_told_and_no_report_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = common(report=tmp_path / "report")
    with pytest.raises(BadInput):
        run(Failing(options), options)
    assert capsys.readouterr().out == ""
    assert not (tmp_path / "report").exists()


def test_verify_tells_its_counts_and_then_that_the_engine_failed(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], tmp_path: Path
) -> None:
    def run_suite(*_: object) -> SuiteRun:
        return SuiteRun(new_report(common(), ""), tmp_path / "index.html", "no Java was found")

    monkeypatch.setattr(suite, "run_suite", run_suite)
    with pytest.raises(EngineFailed, match=r"no Java was found \(the report so far is in"):
        run(Verifying(common(), "delta-spark", 1.0, tmp_path), common(json_lines=True))
    (printed,) = objects(capfdbinary.readouterr().out.decode())
    assert printed["summary"]["replays"] == 0
