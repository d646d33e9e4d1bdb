"""Questions to z3 with limits: the reason for each answer that a limit prevented."""

from __future__ import annotations

import pytest
import z3

from checker.solving import Answer, Limits, ask, ask_alone

PLENTY = Limits(resources=50_000_000, wall_ms=60_000)


def pigeons(holes: int) -> list[z3.BoolRef]:
    """One pigeon more than holes, each in a hole, no two in one: hard for resolution."""
    at = [[z3.Bool(f"{p} in {h}") for h in range(holes)] for p in range(holes + 1)]
    alone = (
        z3.Or(z3.Not(at[p][h]), z3.Not(at[q][h]))
        for h in range(holes)
        for p in range(holes + 1)
        for q in range(p)
    )
    return [*(z3.Or(row) for row in at), *alone]


def test_a_question_within_its_limits_has_an_answer_and_no_reason():
    assert ask_alone(pigeons(4), PLENTY, 0) == Answer("unsat")
    assert ask_alone(pigeons(4)[1:], PLENTY, 0) == Answer("sat")
    assert ask_alone([True], PLENTY, 0) == Answer("sat")


def test_the_limit_of_work_is_named():
    few = Limits(resources=1_000, wall_ms=60_000)
    expected = Answer("unknown", "the solver used up its 1,000 steps of work")
    assert ask_alone(pigeons(30), few, 0) == expected


@pytest.mark.slow
def test_the_limit_of_time_is_named():
    short = Limits(resources=4_000_000_000, wall_ms=50)
    expected = Answer("unknown", "the solver did not answer within 0.05 s")
    assert ask_alone(pigeons(30), short, 0) == expected


def test_the_steps_of_an_answer_do_not_depend_on_the_terms_made_before():
    def answers() -> list[str]:
        limits = [Limits(resources, 60_000) for resources in range(1_000, 40_000, 1_000)]
        return [ask_alone(pigeons(6), limit, 0).answer for limit in limits]

    first = answers()
    assert set(first) == {"unknown", "unsat"}
    assert z3.simplify(z3.And(pigeons(9))) is not None
    assert answers() == first


def test_a_limit_holds_for_each_question_of_a_solver():
    solver = z3.Solver()
    solver.add(*pigeons(6))
    for _ in range(3):
        assert ask(solver, PLENTY).answer == "unsat"
    assert ask(solver, Limits(1, 60_000), z3.Bool("0 in 0")).answer == "unknown"
    assert ask(solver, PLENTY, z3.Bool("0 in 0")).answer == "unsat"
