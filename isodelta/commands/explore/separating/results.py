"""Results of ``explore --separate``: pairs of levels, separating histories and counts, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace

from checker.search.finding import describe
from checker.separation.lattice import Lattice
from checker.separation.result import H_co, SeparatingHistory, Separation, SeparationResult
from conformance.replay.comparison import Comparison
from isodelta.files.scenario_writer import scenario_mapping
from isodelta.runs.results import RunResult
from model.scenario import Expectation, Scenario


@dataclass(frozen=True)
class Family:
    """The words for one family of levels.

    ``short`` has the names of its levels for the head of a table. ``reasons`` has the sign and the
    meaning of each reason why no history separates two levels, except ``equal``. ``proof`` names
    the scope of a proof that two levels are equal. ``paragraph`` opens the report.
    """

    short: Mapping[str, str]
    reasons: Mapping[str, tuple[str, str]]
    proof: str
    paragraph: str


@dataclass(frozen=True)
class Replay:
    """A separating history replayed on a real engine, on a table at one level."""

    label: str
    level: str
    comparison: Comparison


@dataclass(frozen=True)
class NamedHistory:
    """A separating history with its short name.

    ``holds`` are the strongest levels that it holds, ``violates`` the weakest that it violates;
    ``pairs`` counts the ordered pairs that it separates. ``transactions`` has their names and
    actions. Only histories of snapshots have the rest: their scenario with its set-up and
    schedule, its run without rules, the transactions that the rules of ``profile`` refuse at each
    level of a table, and whether replays agreed with the model.
    """

    label: str
    anomaly: str
    holds: tuple[str, ...]
    violates: tuple[str, ...]
    pairs: int
    confirmed: tuple[str, ...]
    transactions: tuple[tuple[str, str], ...]
    setup: tuple[str, ...] = ()
    schedule: str = ""
    scenario: Scenario | None = None
    result: RunResult | None = None
    profile: str = ""
    admitted: Mapping[str, str] = field(default_factory=dict)
    engine_agrees: Mapping[str, bool] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The levels that it holds and violates, in one line."""
        return f"{self.label}: holds {describe(self.holds)}, violates {describe(self.violates)}"

    @property
    def lines(self) -> tuple[str, ...]:
        """All of it, a line for each set-up statement, transaction and so on."""
        return (
            *(f"set-up: {text}" for text in self.setup),
            *(f"{name}: {what}" if name else what for name, what in self.transactions),
            *((self.schedule,) if self.schedule else ()),
            *(f"{self.profile} at {level}: {what}" for level, what in self.admitted.items()),
        )


@dataclass(frozen=True)
class Cost:
    """The cost of the search for one pair, if each pair has a search of its own."""

    seconds: float
    candidates: int


@dataclass(frozen=True)
class Pair:
    """One ordered pair of levels.

    ``sign`` is the verdict in a few characters: the label of a history, or the reason why there
    is none. ``operations`` and ``needs_a_predicate`` belong to key-value histories.
    """

    holds: str
    violates: str
    verdict: str
    sign: str
    transactions: int | None = None
    anomaly: str = ""
    confirmed: tuple[str, ...] = ()
    history: NamedHistory | None = None
    cost: Cost | None = None
    operations: int | None = None
    needs_a_predicate: bool = False

    def to_json(self) -> dict[str, object]:
        """The JSON object of the pair."""
        result: dict[str, object] = {
            "holds": self.holds,
            "violates": self.violates,
            "verdict": self.verdict,
        }
        if self.cost is not None:
            result["seconds"] = round(self.cost.seconds, 4)
        if self.history is None:
            return result
        result |= {
            "transactions": self.transactions,
            "anomaly": self.anomaly,
            "confirmed": list(self.confirmed),
        }
        return result | (self._key_value() if self.history.scenario is None else self._snapshots())

    def _snapshots(self) -> dict[str, object]:
        assert self.history is not None
        assert self.history.scenario is not None
        name = f"holds {self.holds}, violates {self.violates}"
        scenario = replace(self.history.scenario, name=name, expect=Expectation())
        agrees = {"engine_agrees": dict(self.history.engine_agrees)}
        return {
            "history": self.history.label,
            "admitted": {"profile": self.history.profile, **self.history.admitted},
            **(agrees if self.history.engine_agrees else {}),
            "scenario": scenario_mapping(scenario),
        }

    def _key_value(self) -> dict[str, object]:
        assert self.history is not None
        return {
            "label": self.history.label,
            "history": list(self.history.lines),
            "operations": self.operations,
            "candidates": None if self.cost is None else self.cost.candidates,
            "needs_a_predicate": self.needs_a_predicate,
        }


@dataclass(frozen=True)
class SnapshotSearch:
    """The extent of a search over histories of snapshots; ``seconds`` is wall-clock time."""

    proved: int
    statements: int
    schedules: int
    histories: int
    complete: bool
    seconds: float
    replays: int | None = None
    differences: int | None = None


@dataclass(frozen=True)
class KeyValueSearch:
    """The extent of searches for key-value histories; ``histories`` counts separating ones."""

    need_a_predicate: int
    histories: int
    predicates: bool
    keys: int
    processor_seconds: float


@dataclass(frozen=True)
class Summary:
    """Counts of ordered pairs by verdict, and the extent of the search.

    ``implied`` counts implications in all histories of the family. ``transactions`` is the number
    up to which levels without a separating history are equal.
    """

    pairs: int
    separated: int
    implied: int
    equal: int
    transactions: int
    search: SnapshotSearch | KeyValueSearch

    def to_json(self) -> dict[str, object]:
        """The last object of ``explore --separate --json``."""
        counts = {name: value for name, value in asdict(self).items() if name != "search"}
        search = {name: value for name, value in asdict(self.search).items() if value is not None}
        return {"summary": counts | search}


@dataclass(frozen=True)
class Separating:
    """The result for every pair of levels, as the terminal, the JSON and the report show it.

    ``equal`` has the reason for each group of equal levels. ``searched`` is the extent of the
    search, in one line for people; ``facts`` are figures with their names, for the report.
    """

    family: Family
    lattice: Lattice
    pairs: tuple[Pair, ...]
    histories: tuple[NamedHistory, ...]
    equal: tuple[str, ...]
    summary: Summary
    searched: str
    facts: tuple[tuple[str, str], ...]
    replays: tuple[Replay, ...] = ()

    def between(self, holds: str, violates: str) -> Pair:
        """The answer for one ordered pair. Raises ``KeyError``."""
        for pair in self.pairs:
            if (pair.holds, pair.violates) == (holds, violates):
                return pair
        raise KeyError((holds, violates))

    @property
    def legend(self) -> tuple[tuple[str, str], ...]:
        """The signs of pairs without a history, with their meanings."""
        return (*self.family.reasons.values(), ("<=n", "no history of up to n transactions"))

    @property
    def counts(self) -> tuple[tuple[int, str], ...]:
        """The number of pairs without a history for each reason, with the reason."""
        verdicts = [pair.verdict for pair in self.pairs]
        equal = f"equal up to {self.summary.transactions} transactions, unproved"
        return (
            *((verdicts.count(name), words) for name, (_, words) in self.family.reasons.items()),
            (self.summary.equal, equal),
        )

    @property
    def differences(self) -> tuple[Replay, ...]:
        """The replays that differ from the model."""
        return tuple(replay for replay in self.replays if not replay.comparison.agrees)


def listed(
    result: SeparationResult[H_co], family: Family, named: Mapping[H_co, NamedHistory]
) -> tuple[Pair, ...]:
    """Every ordered pair of a result."""
    return tuple(
        Pair(
            pair.held,
            pair.violated,
            f"equal up to {pair.up_to}" if pair.verdict == "equal" else pair.verdict,
            _sign(pair, family) if pair.history is None else named[pair.history].label,
            pair.transactions,
            pair.anomaly,
            pair.confirmed,
            None if pair.history is None else named[pair.history],
        )
        for pair in result.separations
    )


def _sign(separation: Separation[SeparatingHistory], family: Family) -> str:
    if separation.reason == "equal":
        return f"<={separation.up_to}"
    return family.reasons[separation.reason][0]


def summarised(
    result: SeparationResult[SeparatingHistory],
    up_to: int,
    search: SnapshotSearch | KeyValueSearch,
) -> Summary:
    """The counts of a result; all histories of up to ``up_to`` transactions were covered."""
    verdicts = [pair.verdict for pair in result.separations]
    return Summary(
        len(verdicts),
        verdicts.count("separated"),
        verdicts.count("implied"),
        verdicts.count("equal"),
        up_to,
        search,
    )


def why_equal(result: SeparationResult[SeparatingHistory], family: Family) -> tuple[str, ...]:
    """One sentence for each group of levels that no history separates."""
    sentences = []
    for group in result.lattice.groups:
        if len(group) == 1:
            continue
        bounds = [pair.up_to for pair in result.inside(group) if pair.reason == "equal"]
        why = (
            f"not told apart by up to {min(bounds)} transactions, and that is not a proof"
            if bounds
            else f"proved to be the same {family.proof}"
        )
        sentences.append(f"{describe(group)}: {why}.")
    return tuple(sentences)
