"""Random search: scenarios beyond the alphabet, from a seed, and the violations among them."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as numbers
from typing import TypeVar

from checker.generators import scenarios as grammar
from checker.judging import graph
from checker.judging.dependencies import dependencies
from checker.judging.verdict import judge
from checker.search.exhaustive import JUDGED, Progress
from checker.search.finding import Finding, depth, describe, finding, weakest
from checker.search.interrupted import Interrupted
from checker.search.shrinking import minimise
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.profiles.base import Profile
from model.scenario import Scenario

T = TypeVar("T")


def random_scenarios(
    seed: int,
    levels: Sequence[str | None] = DELTA_LEVELS,
    sizes: Sequence[int] = (2, 3, 4),
    start: int = 0,
) -> Iterator[Scenario]:
    """An endless series of scenarios; equal arguments give equal series on every machine.

    The table of each declares one of ``levels``, and it has as many transactions as one of
    ``sizes``. Each scenario's name holds the seed and its number in the series, and it depends
    on nothing else: ``start`` goes straight to one of them.
    """
    for number in numbers(start):
        yield random_scenario(seed, number, levels, sizes)


def scenarios_in_groups(
    seed: int, group: int, sizes: Sequence[int] = (2, 3, 4)
) -> Iterator[Scenario]:
    """An endless series in which ``group`` scenarios at a time share their tables.

    For engines on which a table costs more than a replay. No table declares a level.
    """
    for number in numbers():
        pick_table = picker(f"{seed}/tables/{number // group}")
        spec = grammar.table(pick_table)
        tables = (spec, grammar.other_table(pick_table, spec))
        pick = picker(f"{seed}/grouped/{number}")
        yield grammar.scenario(pick, (None,), sizes, f"random {seed}-{number}", tables)


def picker(seed: str) -> grammar.Pick:
    """A source of choices; equal texts give equal choices on every machine."""
    source = random.Random(seed)

    def pick(options: Sequence[T], /) -> T:
        # Of Python's generator only random() is promised to stay the same between versions.
        return options[int(source.random() * len(options))]

    return pick


def random_scenario(
    seed: int,
    number: int,
    levels: Sequence[str | None] = DELTA_LEVELS,
    sizes: Sequence[int] = (2, 3, 4),
) -> Scenario:
    """One scenario of the series ``random_scenarios(seed)``, by its number."""
    pick = picker(f"{seed}/{number}")
    return grammar.scenario(pick, levels, sizes, f"random {seed}-{number}")


@dataclass(frozen=True, slots=True)
class RandomSearchResult:
    """A random search in the model.

    ``violations`` counts scenarios by the level judged; ``findings`` has one for each group of
    alike violations, made as small as it gets. ``outcomes`` counts transactions.
    """

    profile: str
    seed: int
    scenarios: int
    violations: Mapping[str, int]
    findings: tuple[Finding, ...]
    outcomes: Counter[str]
    seconds: float


def random_search(
    seed: int,
    *,
    levels: Sequence[str] = DELTA_LEVELS,
    sizes: Sequence[int] = (2, 3, 4),
    scenarios: int | None = None,
    budget: float | None = None,
    judged: Sequence[str] = JUDGED,
    profile: Profile = DEFAULT,
    progress: Progress | None = None,
) -> RandomSearchResult:
    """Runs random scenarios in the model and judges each at the levels ``judged``.

    Ends after so many scenarios or seconds, whichever comes first; ``ValueError`` when neither
    is given. Scenarios that the profile refuses are left out. Ctrl-C raises Interrupted, with the
    result so far.
    """
    if scenarios is None and budget is None:
        raise ValueError("a random search needs a number of scenarios or a budget")
    started = time.monotonic()
    groups: dict[tuple[object, ...], Finding] = {}
    violations = Counter(dict.fromkeys(judged, 0))
    outcomes: Counter[str] = Counter()
    ran = 0

    def result() -> RandomSearchResult:
        return RandomSearchResult(
            profile=profile.name,
            seed=seed,
            scenarios=ran,
            violations=dict(violations),
            findings=tuple(sorted(groups.values(), key=_order)),
            outcomes=outcomes,
            seconds=time.monotonic() - started,
        )

    try:
        for scenario in random_scenarios(seed, levels, sizes):
            if ran == scenarios or (budget is not None and time.monotonic() - started > budget):
                break
            try:
                ended = run_scenario(scenario, profile)
            except InvalidScenario:
                if profile.features is None and profile.has is None:
                    raise
                continue  # the profile says that it knows nothing of such a scenario
            ran += 1
            outcomes.update(end.outcome for end in ended.ended.values())
            conflicts = dependencies(ended.history)
            violated = [level for level in judged if graph.decide(conflicts, level).cycle]
            violations.update(violated)
            for level in weakest(violated):
                smallest = _smallest(scenario, level, profile)
                key = _group(smallest)
                earlier = groups.get(key)
                groups[key] = smallest if earlier is None else _merged(earlier, smallest)
            if progress is not None:
                progress(ran, len(groups))
    except KeyboardInterrupt:
        raise Interrupted(result()) from None
    return result()


def _smallest(scenario: Scenario, level: str, profile: Profile) -> Finding:
    """The scenario made small while it violates as many readings of the level."""
    wanted = _depth(scenario, level, profile)
    small = minimise(scenario, lambda candidate: _depth(candidate, level, profile) >= wanted)
    kinds = [sql.split()[0] for sql in small.transactions.values()]
    named = replace(small, name=f"{describe(kinds)} break {level} ({scenario.name})")
    layout = "partitioned" if small.table.partition_by else "unpartitioned"
    return finding(named, layout, level, profile)


def _depth(scenario: Scenario, level: str, profile: Profile) -> int:
    return depth(judge(run_scenario(scenario, profile).history, (level,))[level])


def _group(found: Finding) -> tuple[object, ...]:
    """What makes two findings alike."""
    kinds = tuple(sorted(found.statement_kinds))
    return (found.level, found.table_level, found.layout, found.violated, found.anomaly, kinds)


def _merged(earlier: Finding, new: Finding) -> Finding:
    better = min(earlier, new, key=_length)
    return replace(better, count=earlier.count + new.count)


def _length(found: Finding) -> int:
    scenario = found.scenario
    return sum(map(len, (*scenario.transactions.values(), *scenario.table.setup)))


def _order(found: Finding) -> tuple[object, ...]:
    promised = found.kind != "level-violation"
    return (promised, found.level, found.transactions, found.anomaly, found.statement_kinds)
