"""The conflict table, four sources side by side: documents, model, engine, and the level itself.

For every ordered pair of statement kinds, layout and level: can a transaction of one kind
(``current``) fail because of a transaction of the other (``winner``) that committed while it
ran? The documents' answer is data, one for each generation. The model's comes from trying every
pair of statements (a witness for "can", an exhausted bound for "cannot"), the engine's from
replays, of the witness or of the pairs that come closest to a conflict.

The fourth source asks whether a conflict is ever *needed*: the same pairs are run without any
conflict rule, and a pair that breaks the level then is a witness that something has to stop it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from checker.judging.verdict import judge
from checker.search.alphabet import LAYOUTS, NamedStatement, scenario
from checker.search.statement_kinds import KINDS, StatementKind
from conformance.matrix.documents import CAN, CANNOT, GENERATIONS, NEWEST, claims
from conformance.replay.campaign import Job, Replayed
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS, SERIALIZABLE
from model.outcomes import COMMITTED, SUCCEEDED
from model.physical.log import Commit
from model.preparation import prepare
from model.profiles.base import Profile
from model.rules import delta_spark
from model.rules.base import Attempt, Rule
from model.scenario import Scenario, Step
from model.simulator import Ended, InFlight, begin_in, commit, history_of
from model.workload import Workload

NOT_ASKED = "not asked"
"""The model's answer for kinds that the profile does not have."""

SCHEDULE = (Step("begin", "A"), Step("begin", "B"), Step("commit", "B"), Step("commit", "A"))
"""A is the current transaction, B the winner."""


@dataclass(slots=True)
class Entry:
    """One ordered pair at one layout and level.

    ``documents`` has each generation's answer. ``tried`` counts the pairs of statements that the
    model tried, ``needed_by`` is a scenario that breaks the level if nothing stops it,
    ``probes`` are the scenarios for the engine, ``conflicts`` and ``replays`` count what the
    engine did with them.
    """

    current: str
    winner: str
    layout: str
    level: str
    documents: dict[str, str]
    claims: tuple[str, ...]
    model: str
    witness: Scenario | None
    needed_by: Scenario | None
    tried: int
    probes: tuple[Scenario, ...]
    replays: int = 0
    conflicts: int = 0
    differing: list[str] = field(default_factory=list)

    @property
    def document(self) -> str:
        """The answer of the generation that represents the documents."""
        return self.documents[NEWEST.name]

    @property
    def engine(self) -> str | None:
        """The engine's answer: "can" after one conflict; None before any replay."""
        if self.replays == 0:
            return None
        return CAN if self.conflicts else CANNOT

    @property
    def remarks(self) -> tuple[str, ...]:
        """The differences between the sources, in short words.

        *unsound*: no conflict where the level needs one; *over-cautious*: a conflict that no
        pair of statements tried needs.
        """
        remarks = []
        if self.engine is not None and self.engine != self.model:
            remarks.append("engine differs from the model")
        if self.document == CANNOT and CAN in (self.model, self.engine):
            remarks.append("documents rule it out")
        if self.needed_by is not None:
            if self.document == CANNOT:
                remarks.append("documents unsound")
            if self.model == CANNOT:
                remarks.append("rules unsound")
        elif self.document == CAN and self.model == CAN:
            remarks.append("over-cautious")
        return tuple(remarks)

    @property
    def jobs(self) -> tuple[Job, ...]:
        """The replays that this entry asks for."""
        return tuple(Job(probe, self.level) for probe in self.probes)

    def note(self, replayed: Replayed) -> None:
        """Counts one replay of a probe."""
        self.replays += 1
        outcome = replayed.comparison.observation.outcomes["A"]
        if outcome not in SUCCEEDED:
            self.conflicts += 1
        if not replayed.comparison.agrees:
            self.differing.append(replayed.job.scenario.name)


def matrix(
    profile: Profile,
    levels: Sequence[str],
    probes: int = 1,
    kinds: Sequence[StatementKind] = KINDS,
) -> Iterator[Entry]:
    """The table as documents, model and level have it, with ``probes`` replays to make a pair.

    Statements that the profile does not have are left out. A pair of kinds without statements
    on a layout is in the table all the same, marked as not asked.
    """
    for layout in LAYOUTS:
        for level in levels:
            had = [_had(kind, layout, level, profile) for kind in kinds]
            trial = _Trial(layout, level, profile, had, probes)
            for current in had:
                for winner in had:
                    yield trial.entry(current, winner)


def _had(kind: StatementKind, layout: str, level: str, profile: Profile) -> StatementKind:
    """The kind with the statements of a layout that the profile has."""
    if profile.has is None and profile.features is None:
        return kind
    supported = tuple(s for s in kind.on(layout) if _knows(profile, s, layout, level))
    return replace(kind, statements=supported)


def _knows(profile: Profile, statement: NamedStatement, layout: str, level: str) -> bool:
    alone = scenario(layout, level, {"A": statement.sql}, _ALONE, statement.name)
    try:
        prepare(alone, profile, level)
    except InvalidScenario:
        return False
    return True


_ALONE = (Step("begin", "A"), Step("commit", "A"))


class _Trial:
    """Every statement of a layout, begun once, to be tried against every other."""

    def __init__(
        self,
        layout: str,
        level: str,
        profile: Profile,
        kinds: Sequence[StatementKind],
        probes: int,
    ) -> None:
        self.layout, self.level, self.probes = layout, level, probes
        self.profile, self.strict = profile, profile.with_rule(_STRICTEST)
        self.unchecked = replace(profile, rules=())
        self.workload = _all(layout, level, profile, kinds)
        base = self.workload.base
        self.begun: dict[str, InFlight] = {}
        self.won: dict[str, Ended] = {}
        for name in self.workload.statements:
            running = begin_in(self.workload, name, base, profile)
            if name.endswith(_WINNER):
                self.won[name.removesuffix(_WINNER)] = commit(running, base, profile, level)
            else:
                self.begun[name] = running

    def entry(self, current: StatementKind, winner: StatementKind) -> Entry:
        """The entry for one ordered pair of kinds."""
        can: list[Scenario] = []
        close: list[Scenario] = []
        others: list[Scenario] = []
        needed: Scenario | None = None
        tried = 0
        for a in current.on(self.layout):
            for b in winner.on(self.layout):
                tried += 1
                if self._conflicts(a, b, self.profile):
                    can.append(self._scenario(a, b))
                elif not can:
                    near = self._conflicts(a, b, self.strict)
                    (close if near else others).append(self._scenario(a, b))
                if needed is None and self._needed(a, b):
                    needed = self._scenario(a, b)
        return Entry(
            current=current.name,
            winner=winner.name,
            layout=self.layout,
            level=self.level,
            documents={g.name: g.says(current.name, winner.name, self.level) for g in GENERATIONS},
            claims=claims(current.name, winner.name),
            model=CAN if can else CANNOT if tried else NOT_ASKED,
            witness=can[0] if can else None,
            needed_by=needed,
            tried=tried,
            probes=tuple((can or close + others)[: self.probes]),
        )

    def _conflicts(self, a: NamedStatement, b: NamedStatement, profile: Profile) -> bool:
        """True if A fails with a conflict after B, begun at the same snapshot, committed."""
        latest = self.won[_name(b)].latest
        return commit(self.begun[_name(a)], latest, profile, self.level).conflict is not None

    def _needed(self, a: NamedStatement, b: NamedStatement) -> bool:
        """True if the level breaks if nothing stops A after B."""
        first = self.won[_name(b)]
        if first.outcome != COMMITTED:
            return False
        ended = commit(self.begun[_name(a)], first.latest, self.unchecked, self.level)
        if ended.outcome != COMMITTED:
            return False
        history = history_of(self.workload, (first, ended), ended.latest)
        # A level without a serial order is judged beside one that detects lost effects.
        alone = self.level in DELTA_LEVELS
        levels = (self.level,) if alone else (SERIALIZABLE, self.level)
        return judge(history, levels)[self.level].verdict == "violated"

    def _scenario(self, a: NamedStatement, b: NamedStatement) -> Scenario:
        name = f"{a.name}, while {b.name} commits ({self.layout}, {self.level})"
        return scenario(self.layout, self.level, {"A": a.sql, "B": b.sql}, SCHEDULE, name)


def _all(layout: str, level: str, profile: Profile, kinds: Sequence[StatementKind]) -> Workload:
    """A workload with every statement twice, as a transaction that loses and one that wins."""
    named = {}
    for statement in (s for kind in kinds for s in kind.on(layout)):
        named[_name(statement)] = named[_name(statement) + _WINNER] = statement.sql
    schedule = [Step(action, name) for name in named for action in ("begin", "commit")]
    return prepare(scenario(layout, level, named, schedule, "every kind"), profile, level)


def _name(statement: NamedStatement) -> str:
    return statement.name.replace(" ", "_")


_WINNER = ".first"


def _any_added_file(attempt: Attempt, winner: Commit) -> str | None:
    return delta_spark.added_files(replace(attempt, level=SERIALIZABLE), winner)


_STRICTEST = Rule(
    delta_spark.ADDED_FILES.name,
    delta_spark.ADDED_FILES.conflict,
    _any_added_file,
    "the rule as it would be with every level taken for Serializable, to find close calls",
)
