"""Answers about fuzzed workloads, held against brute force (``workload_arena``).

No workload that is called robust may have a violation of the conflict reading, and a history that
is given for *not robust* breaks just the readings that it is said to break.
"""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from checker.judging.verdict import judge
from checker.robustness import readings, search
from checker.robustness.answer import Question, serial_order
from checker.robustness.histories import SERIAL, Stage
from checker.robustness.jobs.workload import Instance, jobs
from checker.robustness.remedies import analysed
from checker.robustness.symbolic import runs
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.values.types import parse_type
from tests.checker.robustness.workload_arena import Arena, drawn, violations
from tests.checker.robustness.workload_fuzz import Drawn

BESIDE, EVERY = 729, 2
"""Groups of three runs in the schedule of a missed append, and in all schedules."""

NIGHTLY = 20_000
"""Workloads of the long form."""

FOLDED = 43
"""A seed whose workload is robust but for a count that the optimizer folds away."""


@pytest.fixture(autouse=True)
def _short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked here is whether answers are right, not whether a search finds something."""
    for name, most in (
        *(("MOST_OF_THREE", 400), ("MOST_OF_THREE_ELSEWHERE", 100), ("MOST_AFTER_ANOTHER", 150)),
        *(("MOST_BESIDE_ANOTHER", 10), ("MOST_TO_EXHAUST", 4)),
    ):
        monkeypatch.setattr(search, name, most)
    monkeypatch.setattr(readings, "HISTORIES_FOR_MORE", 1_000)


def asked(workload: Drawn, chosen: dict[str, list[tuple[dict[str, object], str]]]) -> Question:
    types = {name: parse_type(type_) for name, type_ in workload.types.items()}
    given = jobs("fuzz", workload.table, workload.tables, workload.jobs, DEFAULT, types)
    tried = {
        job: tuple(Instance(job, values, sql) for values, sql in some)
        for job, some in chosen.items()
    }
    return serial_order(given, list(analysed(given).values()), Stage(given), tried)


def wrong(question: Question, arena: Arena, seed: int) -> str | None:
    """What is wrong with an answer; None where nothing is."""
    if question.verdict == "robust":
        for group, play in violations(arena, Random(seed), BESIDE, EVERY):
            return arena.shown(group, play)
    if question.found is not None:
        history = run_scenario(question.found.scenario, DEFAULT).history
        verdict = judge(history, (SERIAL,))[SERIAL]
        assert verdict.view is not None
        assert verdict.final_state is not None
        own = (verdict.verdict, verdict.view.verdict, verdict.final_state.verdict)
        said = question.readings
        if own != (said.conflict, said.view, said.final_state) or own[0] != "violated":
            return f"{own} is said to be {said}: {question.found.scenario}"
    return None


def held(first: int, count: int) -> Counter[str]:
    """Answers of so many workloads and the schedules that they were held against, counted."""
    seen: Counter[str] = Counter()
    for seed in range(first, first + count):
        found = drawn(seed)
        if found is None:
            seen["invalid"] += 1
            continue
        workload, chosen, arena = found
        question = asked(workload, chosen)
        problem = wrong(question, arena, seed)
        assert problem is None, (seed, question.because, problem)
        seen[question.verdict] += 1
        seen["schedules"] += arena.played
    return seen


@pytest.mark.slow
def test_no_fuzzed_workload_is_called_robust_and_has_a_violation() -> None:
    seen = held(0, 40)
    assert min(seen["robust"], seen["not robust"], seen["unknown"]) >= 1, seen
    assert seen["schedules"] > 5_000


@pytest.mark.nightly
def test_no_fuzzed_workload_of_many_is_called_robust_and_has_a_violation() -> None:
    seen = held(100_000, NIGHTLY)
    print(dict(seen))
    assert seen["robust"] > NIGHTLY // 4
    assert seen["not robust"] > NIGHTLY // 50


def test_the_fuzzer_sees_a_folded_condition_that_the_analysis_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The guard for folded queries taken out: what is then called robust has a violation."""
    found = drawn(FOLDED)
    assert found is not None
    workload, chosen, arena = found
    assert asked(workload, chosen).verdict != "robust"
    monkeypatch.setattr(runs, "may_fold", lambda *_: False)
    question = asked(workload, chosen)
    assert question.verdict == "robust"
    assert wrong(question, arena, FOLDED) is not None
