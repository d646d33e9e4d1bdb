"""``isodelta explore --symbolic``: violations from the solver, and the sizes without any."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.search.finding import Finding, by_reading
from checker.synthesis import search
from checker.synthesis.footprints import Footprints
from checker.synthesis.rules import RULE_SETS
from checker.synthesis.search import Bounds, SizeResult
from isodelta.commands.explore.results import Difference, Replays, SymbolicSummary, Violation
from isodelta.commands.pipeline import Course, Progress
from isodelta.exits import BadInput
from isodelta.options import Common
from model.profiles import Profile

if TYPE_CHECKING:
    from rich.console import Console

    from conformance.engine import Engine
    from conformance.replay.comparison import Comparison
    from isodelta.report import Report


@dataclass
class Synthesis:
    """One symbolic exploration and its progress.

    For each level of a table the solver is asked about every number of transactions, smallest
    first. The smallest violations are listed for the first number that has any: one of each kind,
    or with ``every`` all of each kind, up to the names of partitions and values. ``budget`` is in
    seconds, for all questions together.
    """

    profile: Profile
    levels: Sequence[str]
    transactions: int
    budget: float
    progress: Progress = lambda _: None
    bounds: Bounds = search.STANDARD
    every: bool = False
    sizes: dict[str, list[SizeResult]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    gave_up: list[str] = field(default_factory=list)
    replays: int = 0
    differences: list[Comparison] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """The time that it has taken so far."""
        return time.monotonic() - self.started

    @property
    def complete(self) -> bool:
        """Whether every question was answered."""
        answers = [size.answer for sizes in self.sizes.values() for size in sizes]
        return "unknown" not in answers and not self.gave_up

    def run(self) -> Iterator[Finding]:
        """Asks the solver, and yields the findings as they come."""
        for level in self.levels:
            sizes = self.sizes.setdefault(level, [])
            listed = False
            for n in range(1, self.transactions + 1):
                self.progress(f"{level}, {n} transactions")
                left = self._left_ms()
                sizes.append(search.exists(n, level, self.profile, self.bounds, timeout_ms=left))
                if sizes[-1].answer == "some" and not listed:
                    listed = True
                    yield from self._smallest(n, level)

    def _smallest(self, n: int, level: str) -> Iterator[Finding]:
        try:
            left = self._left_ms()
            for footprints in self._listed(n, level, left):
                self.findings.append(search.as_finding(footprints, level, self.profile))
                yield self.findings[-1]
        except TimeoutError as error:
            self.gave_up.append(f"{level}, all violations of {n} transactions: {error}")

    def _listed(self, n: int, level: str, left_ms: int) -> Iterator[Footprints]:
        if not self.every:
            yield from search.smallest(n, level, self.profile, self.bounds, left_ms)
            return
        for group in search.minimal(n, level, self.profile, self.bounds, left_ms):
            yield from group

    def replay(self, engine: Engine) -> Iterator[Comparison]:
        """Replays the findings on a real engine; yields the comparisons with the model.

        Raises conformance.engine.EngineError.
        """
        from conformance.replay import campaign

        jobs = (
            campaign.Job(finding.scenario, finding.scenario.level or self.profile.default_level)
            for finding in self.findings
        )
        for replayed in campaign.run_campaign(engine, jobs, self.profile):
            self.replays += 1
            if not replayed.comparison.agrees:
                self.differences.append(replayed.comparison)
            yield replayed.comparison

    def _left_ms(self) -> int:
        return max(1, int((self.budget - self.seconds) * 1000))

    def summary(self) -> SymbolicSummary:
        """The answers so far."""
        return SymbolicSummary(
            violations=len(self.findings),
            readings=by_reading(self.findings),
            bounds=self.bounds,
            sizes=tuple((level, size) for level, sizes in self.sizes.items() for size in sizes),
            gave_up=tuple(self.gave_up),
            complete=self.complete,
            seconds=self.seconds,
            replays=Replays(self.replays, len(self.differences)) if self.replays else None,
        )


class Solving(Course[Violation | Difference]):
    """``isodelta explore --symbolic``: violations from the solver, replayed if an engine is named.

    Raises BadInput if the profile, the levels or the kinds of statements are not encoded.
    """

    doing = "solving"

    def __init__(self, synthesis: Synthesis, common: Common, engine: str | None) -> None:
        rules = common.profile.name
        if rules not in search.PROFILES:
            encoded = ", ".join(search.PROFILES)
            raise BadInput(f"--symbolic: the rules of {rules} are not encoded ({encoded})")
        encoded_levels = [level for level in synthesis.levels if level in search.LEVELS]
        if not encoded_levels:
            levels = ", ".join(synthesis.levels)
            raise BadInput(f"--symbolic: violations of {levels} are not encoded")
        if synthesis.bounds.every_kind and not RULE_SETS[rules].every_kind:
            raise BadInput(f"--symbolic: {rules} is not encoded with --every-kind")
        synthesis.levels = encoded_levels
        self.synthesis = synthesis
        self.common = common
        self.engine = engine

    def results(self, progress: Progress) -> Iterator[Violation | Difference]:
        self.synthesis.progress = progress
        for finding in self.synthesis.run():
            yield Violation(finding, self.common.profile)
        if self.engine is None or not self.synthesis.findings:
            return
        from isodelta.runs.replaying import started_engine

        with started_engine(self.engine) as started:
            for comparison in self.synthesis.replay(started):
                if not comparison.agrees:
                    scenario = comparison.observation.scenario
                    yield Difference(scenario, comparison, self.common.profile)

    def good(self, results: Sequence[Violation | Difference]) -> bool:
        return not results

    def summary(self) -> SymbolicSummary:
        return self.synthesis.summary()

    def closing_words(self, results: Sequence[Violation | Difference], console: Console) -> None:
        from isodelta.commands.explore.words import print_synthesis

        print_synthesis(self.synthesis, console)

    def page(self, results: Sequence[Violation | Difference]) -> Report:
        from isodelta.commands.explore.page import symbolic_page

        return symbolic_page(self.common, self.synthesis, results, self.engine)
