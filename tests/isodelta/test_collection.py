"""The scenario collection: every scenario is as it says, and says enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from isodelta.files.scenario_writer import scenario_yaml
from isodelta.files.scenarios import Loaded, read_files, read_text
from isodelta.runs.judging import Checked, check
from isodelta.runs.tables import check_tables

FOLDER = Path(__file__).parents[2] / "scenarios"
FILES = sorted(f for f in FOLDER.rglob("*.yaml") if f.parent.name != "workloads")
COLLECTION = read_files(FILES)


def names(loaded: Loaded) -> str:
    return loaded.scenario.name


def parts(loaded: Loaded) -> list[Checked]:
    """The results of a scenario, one for each table that it writes."""
    return list(check_tables(loaded).tables.values()) if loaded.parts else [check(loaded)]


def test_there_are_enough_and_their_names_tell_them_apart() -> None:
    assert len(COLLECTION) >= 25
    assert len({loaded.scenario.name for loaded in COLLECTION}) == len(COLLECTION)


@pytest.mark.parametrize(
    "topic",
    [
        "lost update",
        "write skew",
        "phantom",
        "long delete against a late insert",
        "two compactions",
        "a state that never was",
        "keeps the version it began with",
        "read-only transaction",
        "id generator",
        "running total",
        "partitioned table",
        "NULL",
        "false conflict",
        "blind append",
        "empty delete",
        "equal values hide a cycle",
    ],
)
def test_what_people_look_for_is_there(topic: str) -> None:
    assert any(topic in loaded.scenario.name for loaded in COLLECTION)


@pytest.mark.parametrize("loaded", COLLECTION, ids=names)
def test_the_model_agrees_with_every_expectation(loaded: Loaded) -> None:
    assert [part.failures for part in parts(loaded)] == [()] * max(1, len(loaded.parts))


@pytest.mark.parametrize("loaded", COLLECTION, ids=names)
def test_every_scenario_says_what_it_expects(loaded: Loaded) -> None:
    expect = loaded.scenario.expect
    assert set(expect.outcomes) == set(loaded.scenario.transactions)
    assert expect.rows is not None
    assert set(expect.levels) >= {"Serializable", "WriteSerializable"}
    assert all(
        table.rows is not None and set(table.levels) >= {"Serializable", "WriteSerializable"}
        for table in expect.tables.values()
    )


@pytest.mark.parametrize("loaded", COLLECTION, ids=names)
def test_every_scenario_survives_being_written_and_read(loaded: Loaded) -> None:
    (again,) = read_text(scenario_yaml(loaded.scenario))
    assert again.scenario == loaded.scenario


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_file_and_every_scenario_says_in_a_comment_what_it_shows(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    begins = [place for place, line in enumerate(lines) if line.startswith("- name: ")]
    assert begins
    assert all(lines[place - 1].startswith("# ") for place in begins)


def test_the_collection_reaches_what_it_is_for() -> None:
    """Without this a change of the model could quietly empty the collection of its cases."""
    checked = [part for loaded in COLLECTION for part in parts(loaded)]
    outcomes = {ended.outcome for result in checked for ended in result.run.ended.values()}
    assert outcomes >= {
        "committed",
        "no commit",
        "read",
        "ConcurrentAppend",
        "ConcurrentDeleteRead",
    }
    kinds = {s.kind for result in checked for s in result.loaded.workload.statements.values()}
    assert kinds >= {"INSERT", "INSERT SELECT", "DELETE", "UPDATE", "SELECT", "OPTIMIZE"}
    assert {result.level for result in checked} == {"Serializable", "WriteSerializable"}
    shapes = {
        (result.verdicts["Serializable"].verdict, result.verdicts["WriteSerializable"].verdict)
        for result in checked
    }
    assert shapes == {("holds", "holds"), ("violated", "holds"), ("violated", "violated")}
    readings = {
        (view.verdict, final.verdict)
        for result in checked
        for verdict in result.verdicts.values()
        if verdict.verdict == "violated"
        if (view := verdict.view) is not None
        if (final := verdict.final_state) is not None
    }
    assert readings == {("violated", "violated"), ("violated", "holds"), ("holds", "holds")}
