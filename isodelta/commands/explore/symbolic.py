"""``explore --symbolic``: violations from the solver, and the sizes for which there are none."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from checker.search.finding import Finding
from checker.synthesis import search
from checker.synthesis.footprints import Footprints
from checker.synthesis.search import Bounds, SizeResult
from isodelta.commands.explore.search import Difference, finding_result
from model.profiles import Profile

if TYPE_CHECKING:
    from conformance.engine import Engine
    from conformance.replay.comparison import Comparison


@dataclass
class Synthesis:
    """One symbolic exploration, and how far it has come.

    For each level of a table every number of transactions is asked about, smallest first; the
    smallest violations are listed for the first number that has any: one of each kind, with
    ``every`` all of each kind, up to the names of partitions and values. ``budget`` is in
    seconds, for all questions together.
    """

    profile: Profile
    levels: Sequence[str]
    transactions: int
    budget: float
    told: Callable[[str], None]
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
        """How long it has taken so far."""
        return time.monotonic() - self.started

    @property
    def complete(self) -> bool:
        """Whether every question was answered."""
        answers = [size.answer for sizes in self.sizes.values() for size in sizes]
        return "unknown" not in answers and not self.gave_up

    def run(self) -> Iterator[Finding]:
        """Asks, and gives the findings as they come."""
        for level in self.levels:
            sizes = self.sizes.setdefault(level, [])
            listed = False
            for n in range(1, self.transactions + 1):
                self.told(f"{level}, {n} transactions")
                left = self._left_ms()
                sizes.append(search.exists(n, level, self.profile, self.bounds, timeout_ms=left))
                if sizes[-1].answer == "some" and not listed:
                    listed = True
                    yield from self._smallest(n, level)

    def _smallest(self, n: int, level: str) -> Iterator[Finding]:
        try:
            left = self._left_ms()
            for found in self._listed(n, level, left):
                self.findings.append(search.as_finding(found, level, self.profile))
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
        """Replays what was found on a real engine; gives each comparison with the model.

        Raises conformance.engine.EngineError.
        """
        from conformance.replay import campaign

        jobs = (
            campaign.Job(found.scenario, found.scenario.level or self.profile.default_level)
            for found in self.findings
        )
        for replayed in campaign.run_campaign(engine, jobs, self.profile):
            self.replays += 1
            if not replayed.comparison.agrees:
                self.differences.append(replayed.comparison)
            yield replayed.comparison

    def difference_result(self, comparison: Comparison) -> dict[str, Any]:
        """A replay that differs from the model, as ``explore --json`` prints it."""
        scenario = comparison.observation.scenario
        return finding_result(Difference(scenario, comparison), self.profile)

    def _left_ms(self) -> int:
        return max(1, int((self.budget - self.seconds) * 1000))

    def summary(self) -> dict[str, Any]:
        """The last line of ``explore --symbolic --json``."""
        counts = {
            "violations": len(self.findings),
            "partitions": self.bounds.partitions,
            "data_values": self.bounds.values,
            "every_kind": self.bounds.every_kind,
            "sizes": [
                {
                    "level": level,
                    "transactions": size.transactions,
                    "answer": size.answer,
                    "seconds": round(size.seconds, 3),
                }
                for level, sizes in self.sizes.items()
                for size in sizes
            ],
            "gave_up": self.gave_up,
            "complete": self.complete,
            "seconds": round(self.seconds, 2),
        }
        if self.replays:
            counts |= {"replays": self.replays, "differences": len(self.differences)}
        return counts

    def sentences(self) -> Iterator[str]:
        """What was found of each level, in words that promise no more than was asked."""
        words = {"some": "has violations", "none": "has none", "unknown": "unknown: out of time"}
        for level, sizes in self.sizes.items():
            for size in sizes:
                many = "s" if size.transactions > 1 else ""
                several = "s" if self.bounds.partitions > 1 else ""
                count = f"{size.transactions} writer{many} over {self.bounds.partitions}"
                count += f" partition{several}"
                if self.bounds.values > 1:
                    count += f" with {self.bounds.values} values of a data column"
                yield f"{level}, {count}: {words[size.answer]} ({size.seconds:.2f} s)"
        for level in self.sizes:
            found = [each for each in self.findings if each.level == level]
            if found:
                which = "all up to names" if self.every else "one of each kind"
                yield f"{level}: {len(found)} smallest violations, {which}"
        yield from self.gave_up
        if self.replays:
            yield f"{self.replays} replays, {len(self.differences)} differ from the model"

    def result(self, found: Finding) -> dict[str, Any]:
        """A finding as ``explore --json`` prints it."""
        return finding_result(found, self.profile)
