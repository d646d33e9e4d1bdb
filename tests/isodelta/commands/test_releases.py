"""``isodelta releases``: the table of what releases did, from rows that are kept in a folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conformance.releases.catalogue import release
from conformance.releases.table import Cell, Fate, ReleaseRow
from isodelta import cli
from isodelta.commands.releases.store import keep
from isodelta.exits import BAD, FOUND, OK
from isodelta.files.scenarios import read_files
from model.profiles import profile
from tests.command_line import ROOT

FINDINGS = ROOT / "docs" / "findings" / "delta_rs.yaml"
NAME = "two compactions duplicate every row"

REFUSED = Fate((("A", "committed"), ("B", "ConcurrentDeleteDelete")), "holds")
BROKEN = Fate((("A", "committed"), ("B", "committed")), "violated")
MISSING = Fate(because="it has no such statement")


def cells() -> list[Cell]:
    loaded = read_files([FINDINGS], profile("delta-rs-1.6"))
    return [Cell("finding", one.scenario, one.workload.level) for one in loaded]


def keep_rows(folder: Path, **fates: Fate) -> None:
    """A row for each release (``r1_5_1``), with this fate of one cell and all others alike."""
    for version, fate in fates.items():
        same = {cell.name: REFUSED for cell in cells()}
        name = f"delta-rs@{version.removeprefix('r').replace('_', '.')}"
        keep(folder, ReleaseRow(release(name), {**same, NAME: fate}, 1.0), cells())


def releases(folder: Path, *names: str) -> int:
    return cli.run(
        [
            *("releases", *names, "--store", str(folder), "--no-conflicts"),
            *("--scenarios", str(FINDINGS)),
        ]
    )


def test_a_change_is_found_and_says_who_is_affected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_rows(tmp_path, r1_4_2=REFUSED, r1_5_1=REFUSED, r1_6_6=BROKEN)
    names = ("delta-rs@1.4.2", "delta-rs@1.5.1", "delta-rs@1.6.6", "--json")
    assert releases(tmp_path, *names) == FOUND
    *rows, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert [row["release"] for row in rows] == list(names[:3])
    (change,) = last["summary"]["changes"]
    assert (change["from"], change["to"]) == ("delta-rs@1.5.1", "delta-rs@1.6.6")
    assert change["scenario"]["name"] == NAME
    affected = last["summary"]["affected"]
    assert {name for name, versions in affected.items() if versions} == {NAME}
    assert affected[NAME] == ["delta-rs@1.6.6"]


def test_releases_that_are_alike_are_joined(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_rows(tmp_path, r1_4_2=REFUSED, r1_5_1=REFUSED, r1_6_6=BROKEN)
    names = ("delta-rs@1.4.2", "delta-rs@1.5.1", "delta-rs@1.6.6", "--markdown")
    assert releases(tmp_path, *names) == FOUND
    page = capsys.readouterr().out
    assert f"| {NAME} | 1.4.2 to 1.5.1 | A committed, B ConcurrentDeleteDelete |" in page
    assert f"| {NAME} | 1.6.6 | A committed, B committed (violated) |" in page
    assert "| 1.5.1 to 1.6.6 | 1 |" in page


def test_no_difference_is_exit_code_0(tmp_path: Path) -> None:
    keep_rows(tmp_path, r1_4_2=REFUSED, r1_5_1=REFUSED)
    assert releases(tmp_path, "delta-rs@1.4.2", "delta-rs@1.5.1") == OK


def test_a_cell_that_was_not_run_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keep_rows(tmp_path, r1_4_2=MISSING, r1_5_1=MISSING)
    assert releases(tmp_path, "delta-rs@1.4.2", "delta-rs@1.5.1") == FOUND
    assert "1 cells not run, the first: it has no such statement" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ["delta-rs@0.0.1"],
        ["delta-rs@1.5.1", "delta-spark@4.0.1"],
        ["delta-rs@1.5.1", "delta-rs@1.5.1"],
        ["--engine", "duckdb"],
        ["--scenarios", "nowhere.yaml"],
        ["--markdown", "--json"],
    ],
)
def test_bad_input_is_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["releases", *arguments]) == BAD
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_damaged_file_in_the_store_is_bad_input(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "delta-rs@1.5.1.json").write_text("{}")
    assert releases(tmp_path, "delta-rs@1.5.1") == BAD
    assert "not what `releases --store` writes" in capsys.readouterr().err
