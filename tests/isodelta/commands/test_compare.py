"""``isodelta compare``: aborts saved and added, and levels broken."""

from __future__ import annotations

import json

import pytest

from isodelta import cli
from isodelta.exits import BAD, FOUND, OK


def summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, int]]:
    code = cli.run(
        ["compare", "--level", "Serializable", "--layout", "deletion vectors", "--json", *arguments]
    )
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    *pairs, last = lines
    total = last["summary"]
    assert total["saved"] == sum(pair["saved"] for pair in pairs)
    assert total["pairs"] == sum(pair["pairs"] for pair in pairs)
    return code, total


def test_a_proposal_saves_aborts_and_breaks_a_level(capsys: pytest.CaptureFixture[str]) -> None:
    code, total = summary(capsys, "--profile", "delta-spark-4.4+7359")
    assert code == FOUND
    assert (total["saved"], total["lost"]) == (18, 0)
    assert total["broken"] > 0


def test_a_stricter_profile_loses_commits(capsys: pytest.CaptureFixture[str]) -> None:
    code, total = summary(
        capsys, "--against", "delta-spark-4.4+7359", "--profile", "delta-spark-4.4"
    )
    assert code == OK
    assert (total["saved"], total["lost"], total["broken"]) == (0, 18, 0)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--against", "delta-spark-0"],
        ["--level", "ReadCommitted"],
        ["--layout", "round"],
        ["--profile", "nowhere.py:X"],
    ],
)
def test_bad_input(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["compare", *arguments]) == BAD
    assert len(capsys.readouterr().err.splitlines()) == 1
