"""The proposals for row-level concurrency: their witnesses, their gains, and the guard on reads."""

from __future__ import annotations

from functools import cache

import pytest

from checker.judging.verdict import judge
from checker.search.exhaustive import Search
from checker.search.row_level import LAYOUTS, STATEMENTS
from isodelta.files.scenarios import load_scenarios
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS, SERIALIZABLE, WRITE_SERIALIZABLE
from model.outcomes import COMMITTED
from model.profiles import profile
from model.profiles.proposals import names
from model.scenario import Scenario
from model.simulator import Run
from tests.command_line import ROOT
from tests.nightly import cases

TODAY = "delta-spark-4.4"
ALL = f"{TODAY}+7331+7358+7359+7407"

MERGES = "two merges each rely on a row that the other one deletes"
MERGE = "a merge relies on a row that a delete takes"
DELETES = "two deletes of different rows of one file"
HOLE = "a delete by value beside a count of appended rows"
COUNT = "a count relies on rows that were compacted and deleted"
BACK = "a row comes back between two deletes of other rows"
COMPACTED = "a row comes back while its file is compacted"
MOVED = "a delete meets a compaction of its file"


@cache
def witnesses() -> dict[str, Scenario]:
    file = ROOT / "scenarios" / "suites" / "proposals.yaml"
    return {scenario.name: scenario for scenario in load_scenarios(file)}


def played(name: str, rules: str, level: str) -> Run:
    from model.preparation import run_scenario

    return run_scenario(witnesses()[name], profile(rules), level)


def committed(run: Run) -> bool:
    return all(ended.outcome == COMMITTED for ended in run.ended.values())


@pytest.mark.parametrize(
    ("name", "rules", "level", "readings"),
    [
        (MERGES, "+7359", SERIALIZABLE, ("violated", "violated", "violated")),
        (MERGES, "+7359", WRITE_SERIALIZABLE, ("violated", "violated", "violated")),
        (MERGE, "+7359", SERIALIZABLE, ("violated", "violated", "violated")),
        (MERGE, "+7359", WRITE_SERIALIZABLE, ("holds", "holds", "holds")),
        (DELETES, "+7359", SERIALIZABLE, ("holds", "holds", "holds")),
        (HOLE, "+7358", WRITE_SERIALIZABLE, ("violated", "violated", "violated")),
        (COUNT, "+7331:weakest", SERIALIZABLE, ("violated", "violated", "violated")),
        (COUNT, "+7331:weakest", WRITE_SERIALIZABLE, ("violated", "violated", "violated")),
        (BACK, "+7359:weakest", SERIALIZABLE, ("violated", "violated", "violated")),
        (BACK, "+7359:weakest", WRITE_SERIALIZABLE, ("violated", "violated", "holds")),
        (COMPACTED, "+7407:weakest", SERIALIZABLE, ("unknown", "violated", "violated")),
        (MOVED, "+7407", SERIALIZABLE, ("holds", "holds", "holds")),
    ],
)
def test_what_a_proposal_lets_through(
    name: str, rules: str, level: str, readings: tuple[str, str, str]
) -> None:
    assert not committed(played(name, TODAY, level))
    run = played(name, TODAY + rules, level)
    assert committed(run)
    verdict = judge(run.history, (level,))[level]
    assert verdict.view is not None
    assert verdict.final_state is not None
    assert (verdict.verdict, verdict.view.verdict, verdict.final_state.verdict) == readings


@pytest.mark.parametrize("name", [MERGES, MERGE, COUNT])
@pytest.mark.parametrize("level", DELTA_LEVELS)
def test_the_guard_on_reads_refuses_it(name: str, level: str) -> None:
    assert not committed(played(name, f"{ALL}+guard", level))
    assert not committed(played(name, f"{ALL}+guard:weakest", level))


@pytest.mark.parametrize(("name", "rules"), [(BACK, "+7359"), (COMPACTED, "+7407")])
def test_a_restore_is_passed_over_in_the_weakest_reading_alone(name: str, rules: str) -> None:
    assert not committed(played(name, TODAY + rules, SERIALIZABLE))


@pytest.mark.parametrize("name", [DELETES, MOVED])
def test_the_guard_leaves_what_the_proposals_are_for(name: str) -> None:
    assert committed(played(name, f"{ALL}+guard", SERIALIZABLE))


@pytest.mark.parametrize("rules", ["+7358", "+7466", "+7407", "+7331", "+7359+guard", "all"])
def test_serializable_is_kept_in_the_strongest_reading(rules: str) -> None:
    chosen = profile(f"{ALL}+guard" if rules == "all" else TODAY + rules)
    for layout in LAYOUTS:
        size = cases(2, 3)
        result = Search(layout, chosen, STATEMENTS).run(SERIALIZABLE, size, judged=(SERIALIZABLE,))
        assert result.complete
        assert result.violations == {SERIALIZABLE: 0}


def test_the_search_finds_what_the_union_breaks() -> None:
    result = Search("deletion vectors", profile(f"{TODAY}+7359"), STATEMENTS).run(SERIALIZABLE, 2)
    broken = [finding for finding in result.findings if finding.kind == "level-violation"]
    assert {finding.statement_kinds for finding in broken} == {
        ("DELETE", "MERGE"),
        ("MERGE", "MERGE"),
    }


@pytest.mark.parametrize("name", names())
def test_every_proposal_commits_whatever_commits_today(name: str) -> None:
    for story in witnesses():
        today, proposed = (played(story, rules, SERIALIZABLE) for rules in (TODAY, name))
        for transaction, ended in today.ended.items():
            if ended.outcome == COMMITTED:
                assert proposed.ended[transaction].outcome == COMMITTED


@pytest.mark.parametrize(
    ("name", "because"),
    [
        (f"{TODAY}+1234", "no proposal '1234' is known"),
        (f"{TODAY}+7358+7358", "a proposal is named twice"),
        ("delta-rs-1.6+7358", "unknown profile"),
    ],
)
def test_other_names_are_refused(name: str, because: str) -> None:
    with pytest.raises(InvalidScenario, match=because):
        profile(name)
