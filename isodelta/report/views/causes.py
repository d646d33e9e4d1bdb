"""Findings grouped by their cause, each history once, with everything that its section shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from isodelta.report.causes import Bearing, Cause, cause_of
from isodelta.report.data import Finding, FindingClass, Report
from isodelta.report.views.answers import BREAKING
from isodelta.report.views.finding import FindingView, finding_view, ordered_findings
from isodelta.report.views.readings import depth_of
from isodelta.report.views.titles import history_title

HARM = {
    3: "wrong rows stored",
    2: "wrong rows read",
    1: "hidden by equal values",
}
"""The harm of a history by the number of readings of its level that it violates."""


@dataclass(frozen=True, slots=True)
class History:
    """One history: the finding that shows it, and the same statements found elsewhere.

    ``variants`` are findings with the same statements and schedule on other tables or at other
    levels; ``harm`` is empty unless a level is violated.
    """

    title: str
    view: FindingView
    variants: tuple[Finding, ...]
    depth: int

    @property
    def harm(self) -> str:
        """The harm in a few words."""
        return HARM.get(self.depth, "")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The finding that is shown, then the others."""
        return (self.view.finding, *self.variants)


@dataclass(frozen=True, slots=True)
class CauseGroup:
    """A cause with its histories, those that do most harm first."""

    cause: Cause
    histories: tuple[History, ...]

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of the group."""
        return tuple(finding for history in self.histories for finding in history.findings)

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that its histories are about."""
        return tuple(dict.fromkeys(finding.level for finding in self.findings))

    @property
    def replayed(self) -> int:
        """The number of its findings that were replayed on an engine."""
        return sum(finding.observed is not None for finding in self.findings)

    @property
    def agreeing(self) -> int:
        """The number of replayed findings in which the engine did as predicted."""
        return sum(
            finding.observed is not None
            and finding.observed.compared is not None
            and finding.observed.compared.agrees
            for finding in self.findings
        )

    @property
    def harms(self) -> tuple[tuple[int, str], ...]:
        """The number of histories for each harm, worst first."""
        depths = [history.depth for history in self.histories]
        return tuple((depths.count(n), words) for n, words in HARM.items() if n in depths)


def cause_groups(report: Report) -> tuple[CauseGroup, ...]:
    """The findings by cause: broken promises first, what is not promised last.

    Findings with the same statements and schedule are one history of the group.
    """
    by_cause: dict[Cause, list[Finding]] = {}
    for finding in ordered_findings(report):
        by_cause.setdefault(cause_of(finding, report.profile), []).append(finding)
    groups = [
        CauseGroup(cause, tuple(_histories(found, report.engine)))
        for cause, found in by_cause.items()
    ]
    order = list(Bearing)
    return tuple(
        sorted(groups, key=lambda group: (order.index(group.cause.bearing), _worst(group)))
    )


def _worst(group: CauseGroup) -> tuple[int, int]:
    depth = max((history.depth for history in group.histories), default=0)
    return -depth, -len(group.histories)


def _histories(findings: Iterable[Finding], engine: str) -> list[History]:
    same: dict[object, list[Finding]] = {}
    for finding in findings:
        same.setdefault(_course(finding), []).append(finding)
    histories = []
    for first, *others in same.values():
        title = history_title(first.scenario) if first.kind in BREAKING else first.title
        depth = depth_of(first.judged, first.level) if first.kind in BREAKING else 0
        histories.append(History(title, finding_view(first, engine), tuple(others), depth))
    return sorted(histories, key=lambda history: -history.depth)


def _course(finding: Finding) -> object:
    """Two findings with the same course are one history to a reader."""
    if finding.kind is not FindingClass.LEVEL_VIOLATION:
        return finding.name
    scenario = finding.scenario
    return tuple(scenario.transactions.items()), scenario.schedule
