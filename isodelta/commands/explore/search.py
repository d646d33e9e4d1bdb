"""The search for histories that break a level, and for differences between model and engine.

It runs every schedule of up to a number of transactions over the alphabet of statements, within
the budget. If that is not enough, it samples the rest at random.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

from checker.search.alphabet import layouts
from checker.search.exhaustive import WRITERS, Search
from checker.search.exhaustive import Progress as SearchProgress
from checker.search.finding import Finding, by_reading
from checker.search.interrupted import Interrupted
from checker.search.random_search import (
    RandomSearchResult,
    random_search,
    scenarios_in_groups,
)
from checker.search.search_result import SearchResult
from checker.search.statement_kinds import statements
from isodelta.commands.explore.results import Difference, Replays, SearchSummary, Violation
from isodelta.commands.pipeline import Course, Progress
from isodelta.options import Common
from model.levels import DELTA_LEVELS, SNAPSHOT_ISOLATION
from model.profiles import Profile

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.engine import Engine
    from conformance.replay.campaign import Job, Replayed
    from isodelta.report import Report

JUDGED = (*DELTA_LEVELS, SNAPSHOT_ISOLATION)
"""Delta's two levels, and the promise of both to readers."""

EXHAUSTIVE_SHARE = 0.75
"""The share of the budget for the exhaustive search; a random sample gets the rest."""

SHARE_BESIDE_ENGINE = 0.4
"""The same share if replays need time too."""

SHARED_BY = 12
"""Random replays that share their tables: a table costs the engine more than a replay."""

SHRINKING_SHARE = 0.2
"""The share of the budget for shrinking one difference."""


@dataclass
class Exploration:
    """One exploration and its progress.

    ``levels`` are those of the tables, each searched in every layout of the alphabet.
    ``budget`` is in seconds. ``every_kind`` uses statements of every kind instead of the
    alphabet's. With an ``engine`` (a function that starts one), the findings and then random
    scenarios are replayed on it and compared with the model, until the budget is used up.
    """

    profile: Profile
    levels: Sequence[str]
    transactions: int
    budget: float
    seed: int
    every_kind: bool = False
    progress: SearchProgress | None = None
    engine: Callable[[], AbstractContextManager[Engine]] | None = None
    searches: list[SearchResult] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    differences: list[Difference] = field(default_factory=list)
    sampled: int = 0
    replays: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """The time that it has taken so far."""
        return time.monotonic() - self.started

    @property
    def complete(self) -> bool:
        """Whether every schedule was covered."""
        return len(self.searches) == len(self._tasks) and all(
            search.finished >= self.transactions for search in self.searches
        )

    @property
    def broken(self) -> list[Finding]:
        """The findings in which a table breaks the promise of its own level."""
        return [finding for finding in self.findings if finding.kind == "level-violation"]

    @property
    def _tasks(self) -> list[tuple[str, str]]:
        return [(layout, level) for layout in layouts(self.profile) for level in self.levels]

    def run(self) -> Iterator[Finding | Difference]:
        """Explores, and yields the findings as they come; after Ctrl-C those so far.

        Raises conformance.engine.EngineError, and KeyboardInterrupt when all was yielded.
        """
        try:
            yield from self._explored()
        except Interrupted as early:
            result: SearchResult | RandomSearchResult = early.result
            if isinstance(result, SearchResult):
                self.searches.append(result)
            else:
                self.sampled = result.scenarios
            self.findings += result.findings
            yield from result.findings
            raise

    def _explored(self) -> Iterator[Finding | Difference]:
        share = EXHAUSTIVE_SHARE if self.engine is None else SHARE_BESIDE_ENGINE
        deadline = self.started + self.budget * share
        for place, (layout, level) in enumerate(self._tasks):
            left = max(0.0, deadline - time.monotonic())
            chosen = [s for _, s in statements(layout)] if self.every_kind else None
            result = Search(layout, self.profile, chosen).run(
                level,
                min(self.transactions, len(WRITERS)),
                judged=JUDGED,
                budget=left / (len(self._tasks) - place),
                progress=self._so_far(),
            )
            self.searches.append(result)
            self.findings += result.findings
            yield from result.findings
        if self.engine is not None:
            with self.engine() as engine:
                yield from self._replayed(engine)
        elif not self.complete:
            yield from self._sample()

    def _so_far(self) -> SearchProgress | None:
        if self.progress is None:
            return None
        progress = self.progress
        schedules = sum(search.schedules for search in self.searches)
        minimal = sum(search.minimal for search in self.searches)
        return lambda more, violations: progress(schedules + more, minimal + violations)

    def _sample(self) -> Sequence[Finding]:
        """Random histories of the size that the exhaustive search did not finish."""
        result = random_search(
            self.seed,
            levels=self.levels,
            sizes=(self.transactions,),
            budget=max(0.0, self.budget - self.seconds),
            judged=JUDGED,
            profile=self.profile,
            progress=self._so_far(),
        )
        self.sampled = result.scenarios
        self.findings += result.findings
        return result.findings

    def _replayed(self, engine: Engine) -> Iterator[Difference]:
        from conformance.replay import campaign

        jobs = chain(
            (campaign.Job(f.scenario, f.table_level) for f in self.findings), self._random_jobs()
        )
        deadline = self.started + self.budget
        for replayed in campaign.run_campaign(engine, jobs, self.profile, deadline=deadline):
            self.replays += 1
            if self.progress is not None:
                self.progress(self.replays, len(self.findings) + len(self.differences))
            job, comparison = replayed.job, replayed.comparison
            if not comparison.agrees:
                try:
                    difference = self._smaller(engine, replayed)
                except KeyboardInterrupt:
                    yield self._differs(Difference(job.scenario, comparison, self.profile))
                    raise
                yield self._differs(difference)

    def _differs(self, difference: Difference) -> Difference:
        self.differences.append(difference)
        return difference

    def _random_jobs(self) -> Iterator[Job]:
        """Random scenarios of every statement kind, at the levels in turn."""
        from conformance.replay import campaign

        sizes = tuple(range(min(2, self.transactions), self.transactions + 1))
        series = scenarios_in_groups(self.seed, SHARED_BY, sizes)
        for number, scenario in enumerate(campaign.valid(series, self.profile)):
            yield campaign.Job(scenario, self.levels[number % len(self.levels)])

    def _smaller(self, engine: Engine, replayed: Replayed) -> Difference:
        """The difference, in a scenario shrunk as far as its share of the time allows."""
        from conformance.minimising.on_engine import minimise_on_engine
        from conformance.minimising.symptoms import symptoms

        small = minimise_on_engine(
            engine,
            replayed,
            self.profile,
            symptoms(replayed.comparison)[0],
            seconds=self.budget * SHRINKING_SHARE,
        )
        return Difference(small.job.scenario, small.comparison, self.profile)

    def summary(self) -> SearchSummary:
        """The counts so far."""
        return SearchSummary(
            schedules=sum(search.schedules for search in self.searches) + self.sampled,
            histories=sum(search.histories for search in self.searches) + self.sampled,
            violations=len(self.findings),
            readings=by_reading(self.findings),
            broken_promises=len(self.broken),
            complete=self.complete,
            seconds=self.seconds,
            replays=Replays(self.replays, len(self.differences)) if self.engine else None,
        )


class Searching(Course[Violation | Difference]):
    """``isodelta explore``: a search in the model, and beside an engine if one is named."""

    doing = "searching"

    def __init__(self, exploration: Exploration, common: Common, engine: str | None) -> None:
        self.exploration = exploration
        self.common = common
        self.engine = engine

    def results(self, progress: Progress) -> Iterator[Violation | Difference]:
        exploration = self.exploration

        def counts(schedules: int, violations: int) -> None:
            progress(
                f"{schedules:,} schedules, {violations:,} minimal violations, "
                f"{exploration.seconds:.0f} s of {exploration.budget:.0f} s"
            )

        exploration.progress = counts
        if self.engine is not None:
            from isodelta.runs.replaying import started_engine

            exploration.engine = partial(started_engine, self.engine)
        for finding in exploration.run():
            if isinstance(finding, Finding):
                yield Violation(finding, self.common.profile)
            else:
                yield finding

    def good(self, results: Sequence[Violation | Difference]) -> bool:
        return not (self.exploration.broken or self.exploration.differences)

    def summary(self) -> SearchSummary:
        return self.exploration.summary()

    def closing_words(self, results: Sequence[Violation | Difference], console: Console) -> None:
        from isodelta.commands.explore.words import print_exploration

        print_exploration(self.exploration, console)

    def page(self, results: Sequence[Violation | Difference]) -> Report:
        from isodelta.commands.explore.page import search_page

        return search_page(self.common, self.exploration, results, self.engine)
