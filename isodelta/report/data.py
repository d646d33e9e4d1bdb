"""The content of a report, as plain data.

The verify command fills a `Report` while it runs and passes it to `write_report` as often as it
likes. Results of single scenarios are those that `isodelta check` and `isodelta replay` print, so
that the page agrees with the commands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal

from isodelta.report.views.theory import LatticePicture, TheoremLine
from isodelta.runs.results import RunResult
from model.levels import SERIALIZABLE
from model.scenario import Scenario

if TYPE_CHECKING:
    from conformance.replay.comparison import Difference

_FINDING_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")


class FindingClass(StrEnum):
    """The class of a finding; the value is the wording in the report."""

    LEVEL_VIOLATION = "level violation"
    ENGINE_BREAKS_LEVEL = "engine breaks the level it claims"
    ENGINE_DISOBEYS = "engine does not do what the statement says"
    FALSE_CONFLICT = "false conflict"
    MODEL_WRONG = "model is wrong"
    DOCUMENT_DIFFERS = "document says otherwise"
    UNEXPLAINED = "unexplained"
    SEPARATION = "separates levels"

    @property
    def urgent(self) -> bool:
        """True if somebody has to act on it, so that the run counts as failed."""
        return self in _URGENT

    @property
    def meaning(self) -> str:
        """The class in one plain sentence."""
        return _CLASS_MEANINGS[self]


_URGENT = frozenset(
    {
        FindingClass.UNEXPLAINED,
        FindingClass.ENGINE_BREAKS_LEVEL,
        FindingClass.ENGINE_DISOBEYS,
        FindingClass.MODEL_WRONG,
    }
)

_CLASS_MEANINGS = {
    FindingClass.LEVEL_VIOLATION: (
        "The conflict rules let this history commit, and the level forbids it."
    ),
    FindingClass.ENGINE_BREAKS_LEVEL: (
        "The real engine did not do as predicted and committed a history that the level in force "
        "forbids: a bug to report."
    ),
    FindingClass.ENGINE_DISOBEYS: (
        "A transaction wrote other rows than its statement gives on the snapshot that it read: "
        "the statement goes wrong when it runs alone, a bug to report."
    ),
    FindingClass.FALSE_CONFLICT: (
        "The engine refused a transaction although the level would have allowed it: "
        "stricter than needed, safe, and a cost."
    ),
    FindingClass.MODEL_WRONG: (
        "The model predicted something that the engine does not do, and the engine keeps its "
        "level: the model has to be fixed."
    ),
    FindingClass.DOCUMENT_DIFFERS: (
        "The documentation promises or forbids something that the engine does otherwise."
    ),
    FindingClass.UNEXPLAINED: "None of the other classes fits: look at this one first.",
    FindingClass.SEPARATION: (
        "A history of snapshots that some levels admit and others forbid, whatever an engine's "
        "conflict rules make of it."
    ),
}


@dataclass(slots=True)
class Summary:
    """The counts at the top; the field names are those of report.json's ``summary``."""

    scenarios: int = 0
    schedules: int = 0
    replays: int = 0
    differences: int = 0
    unexplained: int = 0
    violations: int = 0
    seconds: float = 0.0
    budget_seconds: float | None = None


@dataclass(frozen=True, slots=True)
class LevelAnswer:
    """The answers to the report's questions at one level, in plain English."""

    level: str
    predicted: str
    observed: str
    differ: str
    broken_by: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, with everything that is needed to run it again.

    ``name`` names the file ``findings/NAME.yaml`` and the anchor in the page: lower-case
    letters, digits, dots, hyphens and underscores, else ``ValueError``. ``level`` is the level
    in force, or the one that is broken. ``predicted`` and ``observed`` are its results in the
    model and on an engine; None if that side was not run. ``profile`` names the rules of the
    command that runs it again, if they are not those of the report.
    """

    name: str
    title: str
    kind: FindingClass
    level: str
    summary: str
    scenario: Scenario
    predicted: RunResult | None = None
    observed: RunResult | None = None
    profile: str | None = None

    def __post_init__(self) -> None:
        if not _FINDING_NAME.fullmatch(self.name):
            raise ValueError(f"finding name {self.name!r} cannot name a file")

    @property
    def in_force(self) -> str | None:
        """The level that the table promises; None if the scenario leaves it to the profile."""
        if self.observed is not None and self.observed.compared is not None:
            return self.observed.compared.level
        return self.scenario.level

    @property
    def promised(self) -> bool:
        """True if the level of the finding is one that the table promises, as far as is known."""
        return self.in_force in (None, self.level) or self.in_force == SERIALIZABLE

    @property
    def judged(self) -> RunResult | None:
        """The result that the displayed verdict is about.

        It is the observed one, unless only the prediction was judged at the finding's level.
        """
        seen = self.observed
        if seen is not None and self.predicted is not None and self.level not in seen.levels:
            return self.predicted
        return seen or self.predicted

    @property
    def source(self) -> Literal["observed", "predicted"]:
        """The side that ``judged`` comes from."""
        return "predicted" if self.judged is self.predicted else "observed"


@dataclass(frozen=True, slots=True)
class ScenarioResult:
    """One scenario of the collection (or one group of replays) run at one level in force.

    ``problems`` are failed expectations and failed step checks, in words; ``error`` says why it
    could not be run or judged. ``finding`` names the finding that shows it.
    """

    name: str
    level: str
    file: str = ""
    predicted: RunResult | None = None
    observed: RunResult | None = None
    problems: tuple[str, ...] = ()
    error: str | None = None
    finding: str | None = None
    seconds: float = 0.0

    @property
    def failures(self) -> tuple[str, ...]:
        """Its problems, and the differences of its replay."""
        return (*self.problems, *map(difference_text, differences_of(self.observed)))


@dataclass(frozen=True, slots=True)
class SuitePart:
    """One part of the suite that is not a single scenario: the search, a replay group, ...

    ``counts`` are shown unchanged ("schedules": 120000). ``message`` says why it did not pass.
    """

    name: str
    status: Literal["passed", "failed", "error", "skipped"]
    group: str = "suite"
    message: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """One cell of the conflict table: answers to whether ``winner`` can make ``current`` fail.

    The three sources are "can", "cannot" or other short words; None if one was not asked.
    ``needed`` says whether the level ever needs the conflict ("yes", "no"), ``remarks`` how
    the sources differ.
    """

    current: str
    winner: str
    layout: str
    level: str
    document: str | None = None
    model: str | None = None
    engine: str | None = None
    needed: str | None = None
    remarks: tuple[str, ...] = ()
    witness: Scenario | None = None
    note: str = ""

    @property
    def differs(self) -> bool:
        """True if two of the sources disagree."""
        answers = {self.document, self.model, self.engine} - {None, "not said"}
        return len(answers) > 1 or bool(self.remarks)


NOT_RUN = "not run"
"""The status of a claim that the budget did not reach."""


@dataclass(frozen=True, slots=True)
class ClaimEvidence:
    """One observation: what was seen, whether it supports the claim, and who saw it."""

    what: str
    supports: bool
    by: str
    scenario: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """One claim of the documents with its status: a line of the ledger."""

    name: str
    statement: str
    sources: tuple[str, ...]
    kind: str
    status: str
    because: str
    evidence: tuple[ClaimEvidence, ...] = ()


@dataclass(slots=True)
class Coverage:
    """The number of times that each interesting event was reached; 0 means never.

    Add every possible key, with 0, or gaps in the coverage stay invisible.
    ``pairs`` is keyed by (current, winner). ``schedules_full`` counts all schedules,
    ``schedules_run`` those that were run after partial-order reduction.
    """

    statements: dict[str, int] = field(default_factory=dict)
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)
    conflicts: dict[str, int] = field(default_factory=dict)
    anomalies: dict[str, int] = field(default_factory=dict)
    other: dict[str, dict[str, int]] = field(default_factory=dict)
    schedules_full: int = 0
    schedules_run: int = 0


@dataclass(frozen=True, slots=True)
class Bound:
    """The bound of a search at one level, and its result.

    ``violations`` counts minimal violating histories, ``complete`` is False if the search
    stopped before it had seen all schedules. ``reading`` is the reading of the level that was
    decided ("conflict", "view", "final state"), ``in_force`` the level that the searched tables
    promise, ``scope`` a further restriction (a layout, say); all three may be empty.
    """

    level: str
    transactions: int
    statements: int
    schedules: int
    violations: int
    complete: bool
    scope: str = ""
    reading: str = ""
    in_force: str = ""

    @property
    def where(self) -> str:
        """The restrictions of the search, in words; empty if there are none."""
        table = f"{self.in_force} tables" if self.in_force else ""
        return ", ".join(part for part in (self.scope, table) if part)

    @property
    def promised(self) -> bool:
        """True if the searched tables promise the level, as far as is known."""
        return self.in_force in ("", self.level, SERIALIZABLE)

    @property
    def sentence(self) -> str:
        """The bound in one sentence that promises no more than was searched."""
        reach = (
            f"up to {self.transactions} transactions over {self.statements} statements, "
            f"{self.schedules:,} schedules"
        )
        reading = f"{self.reading} reading" if self.reading else ""
        narrowed = ", ".join(part for part in (reading, self.where) if part)
        subject = f"{self.level} ({narrowed})" if narrowed else self.level
        if self.violations:
            violations = (
                f"{self.violations:,} minimal violation{'s' if self.violations != 1 else ''}"
            )
        else:
            violations = "No violation"
        end = "all of them" if self.complete else "a part of them: the search was not finished"
        return f"{violations} of {subject} {reach} ({end})."


@dataclass(frozen=True, slots=True)
class Listed:
    """A list under a heading; each line may have further text in a smaller type."""

    heading: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class JobsAnswer:
    """The answer about the jobs of one table, as the page shows it first.

    ``word`` is yes, no or not known, ``tone`` the colour that goes with it, ``finding`` the name of
    the finding whose picture shows it, ``statements`` its SQL by transaction, and ``lists`` the
    remedies and whatever else follows.
    """

    table: str
    word: str
    tone: str
    headline: str
    meaning: str
    because: tuple[str, ...]
    finding: str | None = None
    statements: tuple[tuple[str, str], ...] = ()
    lists: tuple[Listed, ...] = ()


@dataclass(slots=True)
class Report:
    """Everything one report shows. Filled step by step; may be written at any moment.

    ``ended`` stays False until the run is over; ``incomplete_because`` says why it was cut short
    (or that it is still running), and the page shows that first. ``left_out`` names, in words,
    what a run that came to its end did not look at. Without ``answers`` the report derives them
    from the rest. ``claim_sources`` has the titles of the documents by the letters that claims
    cite.
    """

    paragraph: str
    command: str
    profile: str
    engine: str
    seed: int
    versions: dict[str, str] = field(default_factory=dict)
    summary: Summary = field(default_factory=Summary)
    answers: list[LevelAnswer] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    scenarios: list[ScenarioResult] = field(default_factory=list)
    parts: list[SuitePart] = field(default_factory=list)
    matrix: list[MatrixCell] = field(default_factory=list)
    claims: list[ClaimLine] = field(default_factory=list)
    claim_sources: dict[str, str] = field(default_factory=dict)
    coverage: Coverage = field(default_factory=Coverage)
    bounds: list[Bound] = field(default_factory=list)
    lattice: LatticePicture | None = None
    theorems: list[TheoremLine] = field(default_factory=list)
    jobs: list[JobsAnswer] = field(default_factory=list)
    ended: bool = False
    incomplete_because: str = "the run is not over yet"
    left_out: list[str] = field(default_factory=list)
    created: str = ""

    @property
    def complete(self) -> bool:
        """True if the run came to its end and left nothing out."""
        return self.ended and not self.left_out

    @property
    def incomplete_in_words(self) -> str | None:
        """The reason why it is not complete; None if it is."""
        if not self.ended:
            return self.incomplete_because
        return f"left out: {'; '.join(self.left_out)}" if self.left_out else None


def differences_of(result: RunResult | None) -> tuple[Difference, ...]:
    """The differences of a replay from the model; none if nothing was replayed."""
    return () if result is None or result.compared is None else result.compared.differences


def difference_text(difference: Difference) -> str:
    """One difference between model and engine, in words."""
    return (
        f"{difference.about}, {difference.what}: predicted {difference.predicted}, "
        f"observed {difference.observed} ({difference.classified.value})"
    )
