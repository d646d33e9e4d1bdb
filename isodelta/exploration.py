"""Looks for histories that break a level, and for differences between model and engine.

Every schedule of up to so many transactions over the alphabet of statements is looked at, as
far as the budget goes. What it leaves out is sampled at random.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from checker.alphabet import LAYOUTS
from checker.exhaustive import WRITERS, Progress, Search
from checker.finding import Finding
from checker.search_result import SearchResult
from isodelta.judging import check
from isodelta.results import check_result
from isodelta.scenario_files import Loaded, scenario_mapping
from model.levels import DELTA_LEVELS
from model.profiles import Profile
from model.scenario import Scenario
from model.workload import prepare

JUDGED = (*DELTA_LEVELS, "SnapshotIsolation")
"""Delta's two levels, and what both promise to readers."""

EXHAUSTIVE_SHARE = 0.75
"""How much of the budget the exhaustive search may use up; a random sample gets the rest."""


@dataclass
class Exploration:
    """One exploration in the model, and how far it has come.

    ``levels`` are those of the tables, each searched in every layout of the alphabet.
    ``budget`` is in seconds.
    """

    profile: Profile
    levels: Sequence[str]
    transactions: int
    budget: float
    seed: int
    progress: Progress | None = None
    searches: list[SearchResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    sampled: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return time.monotonic() - self.started

    @property
    def complete(self) -> bool:
        """Whether every schedule was looked at."""
        return len(self.searches) == len(self._tasks) and all(
            search.finished >= self.transactions for search in self.searches
        )

    @property
    def broken(self) -> list[Finding]:
        """The findings in which a table breaks what its level promises."""
        return [finding for finding in self.findings if finding.kind == "level-violation"]

    @property
    def _tasks(self) -> list[tuple[str, str]]:
        return [(layout, level) for layout in LAYOUTS for level in self.levels]

    def run(self) -> Iterator[Finding]:
        """Explores, and gives the findings as they come."""
        deadline = self.started + self.budget * EXHAUSTIVE_SHARE
        for place, (layout, level) in enumerate(self._tasks):
            share = max(0.0, deadline - time.monotonic()) / (len(self._tasks) - place)
            result = Search(layout, self.profile).run(
                level,
                min(self.transactions, len(WRITERS)),
                judged=JUDGED,
                budget=share,
                progress=self._so_far(),
            )
            self.searches.append(result)
            yield from self._new(result.findings)
        if not self.complete:
            yield from self._sample()

    def _new(self, findings: Sequence[Finding]) -> Iterator[Finding]:
        self.findings += findings
        yield from findings

    def _so_far(self) -> Progress | None:
        if self.progress is None:
            return None
        progress = self.progress
        schedules = sum(search.schedules for search in self.searches)
        found = sum(search.minimal for search in self.searches)
        return lambda more, violations: progress(schedules + more, found + violations)

    def _sample(self) -> Iterator[Finding]:
        yield from ()

    def summary(self) -> dict[str, Any]:
        """The counts, as the last line of ``explore --json`` has them."""
        return {
            "schedules": sum(search.schedules for search in self.searches) + self.sampled,
            "histories": sum(search.histories for search in self.searches) + self.sampled,
            "violations": len(self.findings),
            "broken_promises": len(self.broken),
            "complete": self.complete,
            "seconds": round(self.seconds, 2),
        }


def finding_result(finding: Finding, profile: Profile) -> dict[str, Any]:
    """A finding as ``explore --json`` prints it.

    ``promised`` tells whether the level of the table promises the level that is violated. A
    WriteSerializable table does not promise the order of the log, and the documents say so.
    """
    result = check_result(check(_loaded(finding.scenario, profile), profile))
    return {
        "finding": "level-violation",
        "level": finding.level,
        "table_level": finding.table_level,
        "promised": finding.kind == "level-violation",
        "transactions": finding.transactions,
        "anomaly": finding.anomaly,
        "title": finding.title,
        "similar": finding.count,
        "scenario": scenario_mapping(finding.scenario),
        "levels": result["levels"],
    }


def _loaded(scenario: Scenario, profile: Profile) -> Loaded:
    return Loaded(scenario, prepare(scenario, profile), "", 0)
