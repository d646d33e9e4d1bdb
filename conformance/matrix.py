"""The conflict table, three sources side by side: documents, model, engine.

For every ordered pair of statement kinds, layout and level: can a transaction of the one kind
(``current``) fail because of a transaction of the other (``winner``) that committed while it
ran? The documents' word is data; the model's comes from trying every pair of statements of the
alphabet (a witness for "can", an exhausted bound for "cannot"); the engine's from replays, of
the witness or of the pairs that come closest to a conflict.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from checker.alphabet import LAYOUTS, NamedStatement, scenario, statements
from conformance.campaign import Job, Replayed
from model.documents.conflict_table import CAN, CANNOT, CLASSES, cell
from model.log import Commit
from model.profiles.base import Profile
from model.rules import added_files
from model.rules.base import SERIALIZABLE, Attempt, Rule
from model.scenario import Scenario, Step
from model.simulator import begin, commit
from model.workload import Workload, prepare

KINDS = tuple(CLASSES)
"""Statement kinds of the table, in its order."""

SCHEDULE = (Step("begin", "A"), Step("begin", "B"), Step("commit", "B"), Step("commit", "A"))
"""A is the current transaction, B the winner."""


@dataclass(slots=True)
class Entry:
    """One ordered pair at one layout and level.

    ``tried`` counts the pairs of statements that the model tried, ``probes`` are the scenarios
    for the engine, ``conflicts`` and ``replays`` count what the engine did with them.
    """

    current: str
    winner: str
    layout: str
    level: str
    document: str
    claims: tuple[str, ...]
    model: str
    witness: Scenario | None
    tried: int
    probes: tuple[Scenario, ...]
    replays: int = 0
    conflicts: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def engine(self) -> str | None:
        """What the engine did: "can" after one conflict; None before any replay."""
        if self.replays == 0:
            return None
        return CAN if self.conflicts else CANNOT

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The replays that this entry asks for."""
        return tuple(Job(probe, self.level) for probe in self.probes)

    def note(self, replayed: Replayed) -> None:
        """Counts one replay of a probe."""
        self.replays += 1
        outcome = replayed.comparison.observation.outcomes["A"]
        if outcome not in ("committed", "no commit", "read"):
            self.conflicts += 1
        if not replayed.comparison.agrees:
            self.differing.append(replayed.job.scenario.name)


def matrix(profile: Profile, levels: Sequence[str], probes: int = 1) -> Iterator[Entry]:
    """The table as the documents and the model have it, with ``probes`` replays to make."""
    for layout in LAYOUTS:
        by_kind = _by_kind(layout, profile)
        for level in levels:
            trial = _Trial(layout, level, profile, probes)
            for current in KINDS:
                for winner in KINDS:
                    pairs = [(a, b) for a in by_kind[current] for b in by_kind[winner]]
                    yield trial.entry(current, winner, pairs)


def _by_kind(layout: str, profile: Profile) -> dict[str, list[NamedStatement]]:
    """The alphabet's statements by kind; an INSERT from another table counts as INSERT."""
    grouped: dict[str, list[NamedStatement]] = {kind: [] for kind in KINDS}
    workload = _all(layout, SERIALIZABLE, profile)
    for statement in statements(layout):
        parsed = workload.statements[_name(statement)]
        kind = parsed.kind
        reads = {read.table for read in parsed.predicate_reads}
        if kind == "INSERT SELECT" and workload.table.name not in reads:
            kind = "INSERT"
        if kind in grouped:
            grouped[kind].append(statement)
    return grouped


def _all(layout: str, level: str, profile: Profile) -> Workload:
    """A workload with every statement of the alphabet, one transaction each."""
    named = {_name(statement): statement.sql for statement in statements(layout)}
    schedule = [Step(action, name) for name in named for action in ("begin", "commit")]
    return prepare(scenario(layout, level, named, schedule, "alphabet"), profile, level)


def _name(statement: NamedStatement) -> str:
    return statement.name.replace(" ", "_")


class _Trial:
    """Every statement of the alphabet begun once, to be tried against every other."""

    def __init__(self, layout: str, level: str, profile: Profile, probes: int) -> None:
        self.layout, self.level, self.probes = layout, level, probes
        self.profile, self.strict = profile, profile.with_rule(_STRICTEST)
        workload = _all(layout, level, profile)
        base, others = workload.base, workload.others
        self.begun = {
            name: begin(name, statement, base, others)
            for name, statement in workload.statements.items()
        }
        self.after = {
            name: commit(running, base, profile, level).latest
            for name, running in self.begun.items()
        }

    def entry(
        self, current: str, winner: str, pairs: Iterable[tuple[NamedStatement, NamedStatement]]
    ) -> Entry:
        """The entry for one ordered pair of kinds."""
        can: list[Scenario] = []
        close: list[Scenario] = []
        others: list[Scenario] = []
        tried = 0
        for a, b in pairs:
            tried += 1
            if self._conflicts(a, b, self.profile):
                can.append(self._scenario(a, b))
            elif not can:
                near = self._conflicts(a, b, self.strict)
                (close if near else others).append(self._scenario(a, b))
        document = cell(current, winner)
        return Entry(
            current=current,
            winner=winner,
            layout=self.layout,
            level=self.level,
            document=document.says[self.level],
            claims=document.claims,
            model=CAN if can else CANNOT,
            witness=can[0] if can else None,
            tried=tried,
            probes=tuple((can or close + others)[: self.probes]),
        )

    def _conflicts(self, a: NamedStatement, b: NamedStatement, profile: Profile) -> bool:
        """Whether A fails with a conflict after B, begun at the same snapshot, committed."""
        ended = commit(self.begun[_name(a)], self.after[_name(b)], profile, self.level)
        return ended.conflict is not None

    def _scenario(self, a: NamedStatement, b: NamedStatement) -> Scenario:
        name = f"{a.name}, while {b.name} commits ({self.layout}, {self.level})"
        return scenario(self.layout, self.level, {"A": a.sql, "B": b.sql}, SCHEDULE, name)


def _any_added_file(attempt: Attempt, winner: Commit) -> str | None:
    return added_files.check(replace(attempt, level=SERIALIZABLE), winner)


_STRICTEST = Rule(
    added_files.RULE.name,
    added_files.RULE.conflict,
    _any_added_file,
    "the rule as it would be with every level taken for Serializable, to find close calls",
)
