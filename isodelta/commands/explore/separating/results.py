"""``explore --separate``: levels told apart, and what conflict rules make of the histories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from checker.judging.verdict import judge
from checker.search.finding import describe, weakest
from checker.separation.lattice import Lattice, lattice
from checker.separation.snapshots import Separation, SeparationResult, deciders_that_agree
from isodelta.files.scenarios import scenario_mapping
from model.levels import DELTA_LEVELS, LEVELS, implies
from model.outcomes import SUCCEEDED
from model.profiles import NO_RULES, Profile
from model.scenario import Expectation, Scenario
from model.simulator import run_scenario

if TYPE_CHECKING:
    from conformance.engine import Engine
    from conformance.replay.comparison import Comparison

ADMITTED = "admitted"


@dataclass(frozen=True)
class SeparatingHistory:
    """A history that separates levels: its short name, and the pairs that it tells apart.

    ``holds`` are the strongest levels that it holds, ``violates`` the weakest that it violates.
    """

    label: str
    pairs: tuple[Separation, ...]

    @property
    def example(self) -> Separation:
        """One of the pairs."""
        return self.pairs[0]

    @cached_property
    def verdicts(self) -> dict[str, str]:
        """The verdict at each level."""
        history = run_scenario(self._scenario, NO_RULES).history
        return {name: found.verdict for name, found in judge(history, tuple(LEVELS)).items()}

    @property
    def _scenario(self) -> Scenario:
        assert self.example.scenario is not None
        return self.example.scenario

    @property
    def violated(self) -> tuple[str, ...]:
        """Every level that it violates."""
        return tuple(level for level, verdict in self.verdicts.items() if verdict == "violated")

    @property
    def violates(self) -> tuple[str, ...]:
        """The weakest of the levels that it violates."""
        return weakest(self.violated)

    @property
    def holds(self) -> tuple[str, ...]:
        """The strongest of the levels that it does not violate."""
        held = [level for level in LEVELS if level not in self.violated]
        return tuple(v for v in held if not any(o != v and implies(o, v) for o in held))

    @property
    def title(self) -> str:
        """What it holds and violates, in one line."""
        return f"{self.label}: holds {describe(self.holds)}, violates {describe(self.violates)}"

    @cached_property
    def scenario(self) -> Scenario:
        """The scenario, with what is to be expected of it when nothing is checked."""
        run = run_scenario(self._scenario, NO_RULES)
        decided = {k: v for k, v in self.verdicts.items() if v != "unknown"}
        expect = Expectation(
            outcomes={name: ended.outcome for name, ended in run.ended.items()}, levels=decided
        )
        return replace(self._scenario, name=self.title, expect=expect)

    @property
    def schedule(self) -> str:
        """The schedule in the short form of scenario files."""
        return ", ".join(scenario_mapping(self.scenario)["schedule"])


@dataclass
class Separating:
    """The levels told apart, with what ``profile`` admits of the histories.

    ``comparisons`` has the replays on a real engine, by label and level of the table, once
    ``replay`` has been called.
    """

    result: SeparationResult
    profile: Profile
    comparisons: dict[tuple[str, str], Comparison] = field(default_factory=dict)

    @cached_property
    def lattice(self) -> Lattice:
        """The order of the levels."""
        return lattice(self.result.separations)

    @cached_property
    def histories(self) -> tuple[SeparatingHistory, ...]:
        """Every separating history once, the smallest first as the table meets them."""
        pairs: dict[tuple[object, ...], list[Separation]] = {}
        for each in self.result.separations:
            if each.scenario is not None:
                pairs.setdefault(_key(each.scenario), []).append(each)
        return tuple(
            SeparatingHistory(f"H{number}", tuple(found))
            for number, found in enumerate(pairs.values(), 1)
        )

    def history_of(self, separation: Separation) -> SeparatingHistory:
        """The history of a pair. Raises ``KeyError`` where it has none."""
        for history in self.histories:
            if separation in history.pairs:
                return history
        raise KeyError((separation.held, separation.violated))

    @property
    def table_levels(self) -> tuple[str, ...]:
        """The levels of a Delta table that the profile knows."""
        return tuple(level for level in DELTA_LEVELS if level in self.profile.levels)

    def admitted(self, history: SeparatingHistory) -> dict[str, str]:
        """For each level of a table: ``admitted``, or who is refused and with what."""
        return {level: self._admitted(history.scenario, level) for level in self.table_levels}

    def _admitted(self, scenario: Scenario, level: str) -> str:
        run = run_scenario(scenario, self.profile, level)
        refused = [
            f"{name}: {ended.outcome}"
            for name, ended in run.ended.items()
            if ended.outcome not in SUCCEEDED
        ]
        return ", ".join(refused) or ADMITTED

    def replay(self, engine: Engine) -> Iterator[tuple[str, str]]:
        """Replays every history at every level of a table; gives the labels and levels as done.

        Raises conformance.engine.EngineError.
        """
        from conformance.replay import campaign

        for history in self.histories:
            for level in self.table_levels:
                job = campaign.Job(replace(history.scenario, expect=Expectation()), level)
                comparison = campaign.replay(engine, job, self.profile).comparison
                self.comparisons[history.label, level] = comparison
                yield history.label, level

    @property
    def differences(self) -> int:
        """How many replays differ from the model."""
        return sum(not comparison.agrees for comparison in self.comparisons.values())

    def pair_result(self, separation: Separation) -> dict[str, Any]:
        """The JSON object of one ordered pair."""
        found: dict[str, Any] = {
            "holds": separation.held,
            "violates": separation.violated,
            "verdict": verdict_words(separation),
        }
        if separation.scenario is None:
            return found
        history = self.history_of(separation)
        found |= {
            "transactions": separation.transactions,
            "anomaly": separation.anomaly,
            "history": history.label,
            "confirmed": list(deciders_that_agree(separation)),
            "admitted": {"profile": self.profile.name, **self.admitted(history)},
        }
        replayed = {
            level: comparison.agrees
            for (label, level), comparison in self.comparisons.items()
            if label == history.label
        }
        if replayed:
            found["engine_agrees"] = replayed
        return {**found, "scenario": scenario_mapping(separation.scenario)}

    def summary(self) -> dict[str, Any]:
        """The counts, as the last line of ``explore --separate --json``."""
        verdicts = [each.verdict for each in self.result.separations]
        counts: dict[str, Any] = {
            "pairs": len(verdicts),
            "separated": verdicts.count("separated"),
            "implied": verdicts.count("implied"),
            "proved": verdicts.count("proved for snapshots"),
            "equal": verdicts.count("equal"),
            "transactions": self.result.finished,
            "statements": self.result.statements,
            "schedules": self.result.schedules,
            "histories": self.result.histories,
            "complete": self.result.complete,
            "seconds": round(self.result.seconds, 2),
        }
        if self.comparisons:
            counts |= {"replays": len(self.comparisons), "differences": self.differences}
        return counts


def verdict_words(separation: Separation) -> str:
    """The verdict, with the bound where it is one."""
    if separation.verdict == "equal":
        return f"equal up to {separation.up_to}"
    return separation.verdict


def why_equal(group: Sequence[str], pairs: Iterable[Separation]) -> str:
    """Why no history tells the levels of a group apart, in one sentence."""
    inside = [each for each in pairs if each.held in group and each.violated in group]
    bounds = sorted({each.up_to for each in inside if each.verdict == "equal"})
    names = describe(group)
    if bounds:
        return f"{names}: not told apart by up to {bounds[0]} transactions, and that is no proof."
    return f"{names}: proved to be the same for histories of snapshots (isodelta prove)."


def _key(scenario: Scenario) -> tuple[object, ...]:
    table, texts = scenario.table, tuple(scenario.transactions.items())
    return (table.setup, texts, scenario.schedule)
