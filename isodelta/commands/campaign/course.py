"""The course of a campaign: Spark started, the run worked through, causes as they come."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from rich.console import Console

from isodelta.commands.campaign.results import CampaignSummary, NewCause
from isodelta.commands.campaign.words import print_cause, print_summary
from isodelta.commands.pipeline import Course, Progress
from isodelta.exits import EngineFailed
from isodelta.files.scenario_writer import scenario_yaml
from isodelta.runs.engines import start
from pipeline.campaign import Campaign, Definition
from pipeline.cluster.session import started
from pipeline.errors import PipelineFailed
from pipeline.store.store import locked


@dataclass
class Campaigning(Course[NewCause]):
    """One call of ``isodelta campaign``; ``budget`` is in seconds."""

    store: Path
    definition: Definition
    master: str | None
    budget: float | None
    doing: str = "starting Spark"
    _began: float = field(default_factory=time.monotonic)
    _summary: CampaignSummary | None = None

    def results(self, progress: Progress) -> Iterator[NewCause]:
        deadline = None if self.budget is None else self._began + self.budget
        try:
            with locked(self.store), started(self.master) as session:
                engine = self.definition.engine
                campaign = Campaign(
                    session,
                    self.store,
                    self.definition,
                    scenario_yaml,
                    start=None if engine is None else partial(start, engine),
                    deadline=deadline,
                    progress=progress,
                )
                self._sum_up(campaign)
                for causes in campaign.batches():
                    self._sum_up(campaign)
                    yield from map(NewCause, causes)
                self._sum_up(campaign, campaign.shortfall())
        except PipelineFailed as error:
            raise EngineFailed(str(error)) from error

    def _sum_up(self, campaign: Campaign, shortfall: tuple[str, ...] = ()) -> None:
        seconds = time.monotonic() - self._began
        causes = len(campaign.causes)
        self._summary = CampaignSummary(campaign.totals, causes, seconds, shortfall)

    def good(self, results: Sequence[NewCause]) -> bool:
        summary = self._summary
        assert summary is not None
        totals = summary.totals
        return not (totals.violations or totals.differences or summary.shortfall)

    def words(self, result: NewCause, console: Console) -> None:
        print_cause(result, console)

    def summary(self) -> CampaignSummary | None:
        return self._summary

    def closing_words(self, results: Sequence[NewCause], console: Console) -> None:
        if self._summary is not None:
            print_summary(self._summary, console)
