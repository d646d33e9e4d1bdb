"""The shared context of a run's parts: the report that they fill, the engine, the time left."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from checker.judging.agreement import disagreements
from conformance.engine import Engine
from conformance.replay.campaign import Job, Replayed, run_campaign
from conformance.replay.comparison import Comparison
from isodelta.commands.verify.progress import Display
from isodelta.report import Finding, Report, write_report
from isodelta.report.findings import UNEXPLAINED, difference
from isodelta.report.start import slug, unused
from model.profiles.base import Profile

WORKERS = 3
"""Replays in flight at once: two keep two cores busy, one more fills their idle times."""


@dataclass
class Suite:
    """One run of the suite. ``engine`` is None if no real engine can be started."""

    report: Report
    folder: Path
    profile: Profile
    seed: int
    budget: float
    display: Display
    engine: Engine | None = None
    started: float = field(default_factory=time.monotonic)
    stop: threading.Event = field(default_factory=threading.Event)
    disagreements: list[str] = field(default_factory=list)
    decided: int = 0
    searched: bool = False
    _written: float = 0.0

    def deadline(self, share: float = 1.0) -> float:
        """The time (time.monotonic()) at which this share of the budget is used up."""
        return self.started + self.budget * share

    def replay(self, jobs: Iterable[Job], deadline: float | None = None) -> Iterator[Replayed]:
        """Replays jobs on the engine, and counts them; without an engine, none.

        Raises EngineError.
        """
        if self.engine is None:
            return
        for replayed in run_campaign(
            self.engine,
            jobs,
            self.profile,
            workers=WORKERS,
            deadline=deadline,
            stop=self.stop,
        ):
            self.count(replayed.comparison)
            yield replayed

    def count(self, comparison: Comparison) -> None:
        """Adds one replay to the summary and the coverage, and compares the deciders."""
        self.decided += len(comparison.verdicts)
        self.disagreements += [
            f"{comparison.observation.scenario.name}: {text}"
            for text in disagreements(comparison.history, comparison.verdicts)
        ]
        summary, coverage = self.report.summary, self.report.coverage
        summary.replays += 1
        summary.differences += len(comparison.differences)
        kinds = {n: s.kind for n, s in comparison.workload.statements.items()}
        outcomes = coverage.other.setdefault("outcomes on the engine", {})
        for name, outcome in comparison.observation.outcomes.items():
            coverage.statements[kinds[name]] = coverage.statements.get(kinds[name], 0) + 1
            outcomes[outcome] = outcomes.get(outcome, 0) + 1

    def unused_name(self, text: str) -> str:
        """A name for a finding, made from the text; no finding has it yet."""
        return unused(slug(text), {finding.name for finding in self.report.findings})

    def add_difference(self, comparison: Comparison) -> str:
        """Adds the finding for a replay that differs from the model; returns its name."""
        name = self.unused_name(comparison.observation.scenario.name)
        finding = difference(comparison, name, self.profile)
        if finding.kind in UNEXPLAINED:
            self.report.summary.unexplained += len(comparison.differences)
        self.add(finding)
        return name

    def add(self, finding: Finding) -> None:
        """Adds a finding, and writes the report if it was last written a while ago."""
        self.report.findings.append(finding)
        self.display.findings(len(self.report.findings))
        if time.monotonic() - self._written > 10:
            self.write()

    def leave_out(self, count: int, total: int, what: str) -> None:
        """Notes that ``count`` of ``total`` items were not looked at; nothing if it is 0."""
        if count:
            self.report.left_out.append(f"{count:,} of {total:,} {what}")

    def write(self) -> Path:
        """Writes the report as it stands; returns the path of its page."""
        self._written = time.monotonic()
        self.report.summary.seconds = round(self._written - self.started, 1)
        self.report.created = datetime.now(UTC).isoformat(timespec="seconds")
        return write_report(self.folder, self.report)
