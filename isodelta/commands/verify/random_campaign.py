"""Random scenarios on the engine, as long as there is time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from checker.search.random_search import scenarios_in_groups
from conformance.replay.campaign import Job, valid
from isodelta.commands.verify.context import Suite
from isodelta.report import SuitePart
from model.levels import DELTA_LEVELS

PART = "random campaign"

SHARED_BY = 12
"""The number of scenarios that share tables: a table costs the engine more than a replay."""


def jobs(suite: Suite) -> Iterator[Job]:
    """Random scenarios from the run's seed, at both levels."""
    for scenario in valid(scenarios_in_groups(suite.seed, SHARED_BY), suite.profile):
        for level in DELTA_LEVELS:
            yield Job(scenario, level)


def run_random_campaign(suite: Suite, deadline: float, most: int | None = None) -> None:
    """Replays random scenarios until the deadline, ``most`` of them at most."""
    suite.display.part(PART)
    replays = differing = unknown = 0
    verdicts: dict[str, int] = {}
    for replayed in suite.replay(islice(jobs(suite), most), deadline):
        replays += 1
        comparison = replayed.comparison
        if not comparison.agrees:
            differing += 1
            suite.add_difference(comparison)
        for level, verdict in comparison.verdicts.items():
            unknown += verdict.verdict == "unknown"
            shown = f"{level} {verdict.verdict} on a {replayed.job.level} table"
            verdicts[shown] = verdicts.get(shown, 0) + 1
        suite.display.advance(PART)
    if suite.engine is None:
        return
    suite.report.coverage.other["verdicts on random replays"] = verdicts
    suite.report.parts.append(
        SuitePart(
            PART,
            "failed" if differing else "passed",
            message=f"{differing} replays differ from the model" if differing else "",
            counts={"replays": replays, "differing": differing, "undecided verdicts": unknown},
        )
    )
