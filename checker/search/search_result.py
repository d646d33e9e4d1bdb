"""The result of an exhaustive search: counts, findings, coverage, and how far each level holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from checker.search.finding import Finding, Kind


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often a search reached what there is to reach.

    ``outcomes`` counts commits tried; ``pairs`` counts them by the kind of the current
    statement and of each winner that it had to face, ``conflicts`` by the conflict's name,
    the current kind and the winner's. ``edge_kinds`` and ``anomalies`` (by level) count the
    histories with such an edge or such a shortest cycle.
    """

    outcomes: Counter[str]
    conflicts: Counter[tuple[str, str, str]]
    pairs: Counter[tuple[str, str]]
    edge_kinds: Counter[str]
    anomalies: Counter[tuple[str, str]]

    @staticmethod
    def empty() -> Coverage:
        """Nothing reached yet."""
        return Coverage(Counter(), Counter(), Counter(), Counter(), Counter())


@dataclass(frozen=True, slots=True)
class Bound:
    """What a search says of one level and one reading of it.

    ``minimal`` counts the minimal histories by the number of their transactions; a number of
    transactions up to ``finished`` that is not there has none. What is beyond ``finished`` was
    searched in part or not at all.
    """

    level: str
    kind: Kind
    reading: str
    finished: int
    minimal: Mapping[int, int]

    @property
    def sentence(self) -> str:
        """The bound in words that promise no more than was looked at."""
        what = f"{self.level} ({self.reading} reading)"
        reach = f"up to {self.finished} transaction{'s' if self.finished != 1 else ''}"
        within = {size: n for size, n in self.minimal.items() if size <= self.finished}
        if not within and self.finished:
            text = f"no history of {reach} violates {what}"
        elif within:
            counts = ", ".join(f"{n} of {size} transactions" for size, n in sorted(within.items()))
            text = f"minimal histories of {reach} that violate {what}: {counts}"
        else:
            text = f"nothing is known of {what}"
        beyond = sum(n for size, n in self.minimal.items() if size > self.finished)
        return text + (f"; {beyond} more found beyond that, not all" if beyond else "")


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One search: a profile, a layout, a table level, up to so many transactions.

    ``schedules`` counts interleavings of begins and commits, all of which the search stands
    for; ``runs`` the schedules run to their last step, ``histories`` those of them in which
    every transaction came through, which were judged. ``violations`` counts histories by the
    level judged, ``findings`` has one representative for each group of minimal ones.
    ``finished`` is the number of transactions up to which nothing was left out.
    """

    profile: str
    layout: str
    level: str
    transactions: int
    finished: int
    statements: int
    schedules: int
    runs: int
    histories: int
    violations: Mapping[str, int]
    findings: tuple[Finding, ...]
    coverage: Coverage
    bounds: tuple[Bound, ...]
    complete: bool
    seconds: float

    def __repr__(self) -> str:
        reach = "complete" if self.complete else f"complete up to {self.finished}"
        return (
            f"<SearchResult {self.profile}, {self.layout}, table at {self.level}: "
            f"{self.schedules:,} schedules of up to {self.transactions} transactions ({reach}), "
            f"{len(self.findings)} findings>"
        )

    @property
    def minimal(self) -> int:
        """The number of minimal violating histories, over all levels judged."""
        return sum(finding.count for finding in self.findings)
