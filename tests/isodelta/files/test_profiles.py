"""Profiles from a file of one's own: their use in every command, and what is wrong with them."""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from isodelta import cli
from isodelta.exits import BAD, FOUND, BadInput
from isodelta.files.profiles import profile
from tests.command_line import ROOT

RULES = '''
"""Delta on Spark without the check of added files."""

from model.profiles import DEFAULT

MINE = DEFAULT.without("added files")
'''

Given = Callable[[str], str]


@pytest.fixture
def rules(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Given]:
    """Writes a file of rules; gives its path. The module is forgotten after the test."""
    stem = f"rules_{abs(hash(request.node.name))}"
    path = list(sys.path)

    def write(text: str) -> str:
        (tmp_path / f"{stem}.py").write_text(text)
        return str(tmp_path / f"{stem}.py")

    yield write
    sys.path[:] = path
    sys.modules.pop(stem, None)


def test_a_profile_from_a_file_is_followed(
    rules: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"{rules(RULES)}:MINE"
    scenario = str(ROOT / "scenarios" / "phantom.yaml")
    assert cli.run(["check", scenario, "--json", "--profile", name]) == FOUND
    outcomes = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {result["profile"] for result in outcomes} == {name}
    assert not any(
        transaction["outcome"] == "ConcurrentAppend"
        for result in outcomes
        for transaction in result["transactions"].values()
    )


def test_it_reaches_other_processes(rules: Given) -> None:
    name = f"{rules(RULES)}:MINE"
    mine = profile(name)
    again = pickle.loads(pickle.dumps(mine))
    assert again.name == name
    assert [rule.name for rule in again.rules] == [rule.name for rule in mine.rules]


def test_a_name_of_the_project_still_names_its_profile(rules: Given) -> None:
    assert profile("delta-rs-1.6").name == "delta-rs-1.6"
    assert profile("databricks-14.3:strongest").name == "databricks-14.3"


@pytest.mark.parametrize(
    ("text", "attribute", "because"),
    [
        ("x = 1\nraise ValueError('no\\nluck')", "MINE", "line 2: ValueError: no luck"),
        ("def broken(:\n", "MINE", "line 1: SyntaxError"),
        ("import a_module_that_nobody_has", "MINE", "line 1: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)", "MINE", "line 2: SystemExit: 3"),
        ("OTHER = 1", "MINE", "has no MINE"),
        ("MINE = 'rules'", "MINE", "MINE is of type str, not a Profile"),
        (
            "from dataclasses import replace\nfrom model.profiles import DEFAULT\n"
            "MINE = replace(DEFAULT, rules=DEFAULT.rules * 2)",
            "MINE",
            "two rules are called 'next version'",
        ),
        (
            "from dataclasses import replace\nfrom model.profiles import DEFAULT\n"
            "MINE = replace(DEFAULT, rules=(len,))",
            "MINE",
            "an entry that is not a Rule",
        ),
        (
            "from dataclasses import replace\nfrom model.profiles import DEFAULT\n"
            "MINE = replace(DEFAULT, default_level='ReadCommitted')",
            "MINE",
            "default_level 'ReadCommitted' is not among its levels",
        ),
    ],
)
def test_what_is_wrong_with_it_is_one_line(
    text: str, attribute: str, because: str, rules: Given, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = str(ROOT / "scenarios" / "phantom.yaml")
    assert cli.run(["check", scenario, "--profile", f"{rules(text)}:{attribute}"]) == BAD
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
    assert because in printed.err


@pytest.mark.parametrize(
    ("name", "because"),
    [
        ("nowhere/rules.py:MINE", "there is no such file"),
        ("rules.py", "which profile of it"),
    ],
)
def test_so_is_a_file_that_is_not_there(name: str, because: str) -> None:
    with pytest.raises(BadInput, match=because):
        profile(name)


def test_a_file_called_like_another_module_is_refused(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text(RULES)
    with pytest.raises(BadInput, match="there is another module json"):
        profile(f"{tmp_path}/json.py:MINE")


def test_nothing_in_its_folder_stands_in_for_a_module_of_the_project(
    rules: Given, tmp_path: Path
) -> None:
    (tmp_path / "model.py").write_text("raise RuntimeError")
    assert profile(f"{rules(RULES)}:MINE").rules
