"""Findings of a search: minimal histories that the rules admit and a level forbids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from checker.judging.verdict import Verdict, judge
from model.history import Row
from model.levels import DELTA_LEVELS, SNAPSHOT_ISOLATION, implies
from model.listing import cut
from model.outcomes import Ending
from model.preparation import prepare
from model.profiles.base import Profile
from model.scenario import Expectation, Scenario
from model.simulator import run

Kind = Literal["level-violation", "documented"]

READINGS = ("conflict", "view", "final state")
"""The readings of a level from strong to weak: each is violated only where those before are."""


def kind_of(table_level: str, level: str) -> Kind:
    """Whether breaking ``level`` on a table of ``table_level`` breaks a promise.

    Tables of every level promise snapshots to readers (N10). Otherwise, what is not implied is what
    the documents say of the table's level: N8 for the order of the log, N11 for readers.
    """
    promised = level == SNAPSHOT_ISOLATION or implies(table_level, level)
    return "level-violation" if promised else "documented"


def weakest(violated: Collection[str]) -> tuple[str, ...]:
    """Those of the violated levels that imply no other one of them: what says most."""
    return tuple(
        level
        for level in violated
        if not any(other != level and implies(level, other) for other in violated)
    )


def depth(verdict: Verdict) -> int:
    """How many of ``READINGS`` a history violates at one level."""
    if verdict.verdict != "violated":
        return 0
    if verdict.view is None or verdict.view.verdict != "violated":
        return 1
    if verdict.final_state is None or verdict.final_state.verdict != "violated":
        return 2
    return 3


@dataclass(frozen=True, slots=True)
class Finding:
    """One minimal history that stands for a group of similar ones. Plain data throughout.

    ``level`` is the level that is violated, ``table_level`` the level of the table, whose rules
    admitted the history; ``kind`` tells whether the table promises that level
    (``level-violation``) or the documents say that it does not (``documented``).
    ``statement_kinds`` stand in the order of ``scenario.transactions``: writers as they commit,
    then readers. ``endings`` and ``rows`` are what came of the run in the model, ``verdicts`` what
    it was judged to be at Delta's levels, at the table's and at ``level``. ``count`` is the number
    of minimal histories in the group.
    """

    kind: Kind
    level: str
    table_level: str
    layout: str
    statement_kinds: tuple[str, ...]
    scenario: Scenario
    endings: Mapping[str, Ending]
    rows: tuple[Row, ...]
    verdicts: Mapping[str, Verdict]
    count: int = 1

    def __repr__(self) -> str:
        return (
            f"<Finding {cut(self.scenario.name)}: {self.kind} of {self.level}, table at "
            f"{self.table_level}, {self.count} like it>"
        )

    @property
    def verdict(self) -> Verdict:
        """The verdict at the level that is violated."""
        return self.verdicts[self.level]

    @property
    def violated(self) -> tuple[str, ...]:
        """The readings that are violated."""
        return READINGS[: depth(self.verdict)]

    @property
    def readings(self) -> dict[str, str]:
        """The verdict of each reading that the level has, by the names that ``check`` gives them.

        The weaker readings of a level without a serial order are not decided.
        """
        verdict = self.verdict
        decided: dict[str, str] = {"conflict": verdict.verdict}
        if verdict.view is not None:
            decided["view"] = verdict.view.verdict
        if verdict.final_state is not None:
            decided["final_state"] = verdict.final_state.verdict
        return decided

    @property
    def anomaly(self) -> str:
        """What the violation is called."""
        return self.verdict.anomaly or ""

    @property
    def cycle(self) -> tuple[str, ...]:
        """The transactions along the cycle, each once."""
        return tuple(edge.source for edge in self.verdict.cycle)

    @property
    def reasons(self) -> tuple[str, ...]:
        """A sentence for each edge of the cycle."""
        return tuple(edge.because for edge in self.verdict.cycle)

    @property
    def transactions(self) -> int:
        """How many transactions it takes."""
        return len(self.scenario.transactions)

    @property
    def title(self) -> str:
        """The finding in one line."""
        return f"{self.scenario.name}: {self.anomaly}, violates {describe(self.violated)}"


def finding(
    scenario: Scenario, layout: str, level: str, profile: Profile, count: int = 1
) -> Finding:
    """The finding that a scenario is at ``level``, with what the model expects filled in.

    The scenario declares the level of its table. Raises ``ValueError`` when the level is not
    violated.
    """
    table_level = scenario.level or profile.default_level
    workload = prepare(scenario, profile)
    ended = run(workload, scenario.schedule, profile)
    history = ended.history
    verdicts = judge(history, tuple(dict.fromkeys((*DELTA_LEVELS, table_level, level))))
    if verdicts[level].verdict != "violated":
        raise ValueError(f"{scenario.name}: {level} is not violated")
    expect = Expectation(
        outcomes={name: ended.ended[name].outcome for name in scenario.transactions},
        rows=tuple(sorted(history.final, key=_sortable)),
        levels={name: verdicts[name].verdict for name in DELTA_LEVELS},
    )
    return Finding(
        kind=kind_of(table_level, level),
        level=level,
        table_level=table_level,
        layout=layout,
        statement_kinds=tuple(workload.statements[name].kind for name in scenario.transactions),
        scenario=replace(scenario, expect=expect),
        endings={name: ended.ended[name].ending for name in scenario.transactions},
        rows=tuple(ended.final.shown()),
        verdicts=verdicts,
        count=count,
    )


def by_reading(findings: Iterable[Finding]) -> dict[str, int]:
    """The number of findings that violate each reading, by the names that ``check`` gives them."""
    depths = [len(finding.violated) for finding in findings]
    names = (name.replace(" ", "_") for name in READINGS)
    return {name: sum(depth > place for depth in depths) for place, name in enumerate(names)}


def strongest_first(findings: Iterable[Finding]) -> list[Finding]:
    """The findings that break most readings first, otherwise in their order."""
    return sorted(findings, key=lambda finding: -len(finding.violated))


def readings_in_words(findings: Sequence[Finding]) -> str:
    """How many findings break how many readings: ``5 break all three readings, ...``."""
    return counted_by_depth([len(finding.violated) for finding in findings])


def counted_by_depth(depths: Sequence[int]) -> str:
    """How many histories break how many readings, in words; a depth is the number they break."""
    words = {
        3: "in all three readings",
        2: "in the conflict and the view reading",
        1: "in the conflict reading alone",
    }
    return describe([f"{depths.count(n)} {what}" for n, what in words.items() if n in depths])


def _sortable(row: Sequence[object]) -> tuple[tuple[bool, str, str], ...]:
    return tuple((value is not None, type(value).__name__, _padded(value)) for value in row)


def _padded(value: object) -> str:
    return f"{value:030}" if isinstance(value, int | float) else str(value)


def describe(names: Sequence[str]) -> str:
    """A list in words: ``a``, ``a and b``, ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
