"""The random stream of a campaign: at each position a table and a pool of jobs on it.

A seed and a position give the same pool on every machine and under every profile. The schedules of
the jobs are numbered by the tree of their interleavings (``checker.search.job_tree``), so that
three numbers, ``seed-position-number``, name one history for good.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from checker.generators import scenarios as grammar
from checker.generators.scenarios import Pick
from checker.search import alphabet
from checker.search.exhaustive import READERS, WRITERS
from checker.search.job_tree import Jobs, orders_begins, schedule_class
from checker.search.minimal import Path
from checker.search.random_search import picker
from checker.search.statement_kinds import statements
from model.errors import InvalidScenario
from model.levels import DELTA_LEVELS
from model.preparation import prepare
from model.profiles import DEFAULT
from model.profiles.base import Profile
from model.scenario import Scenario, Step, TableSpec
from model.sql.printer import syntax, tables_of
from model.workload import Workload

POOL = 6
"""Statements in a pool: each table is worth 1,368 classes of schedules, all of them writers."""

TRIES = 60
"""Statements drawn for one pool at most; some do not fit their table, some are drawn twice."""

SOURCES = ("alphabet", "random")
"""Where a position takes its table and its statements from.

``alphabet``: the tables and the statements of every kind of the conflict table; ``random``: the
grammar of random scenarios, with tables of every type and feature.
"""


@dataclass(frozen=True)
class Pool:
    """A table and a pool of jobs on it: one position of the stream."""

    seed: int
    position: int
    source: str
    scenario: Scenario
    sizes: tuple[int, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the statements in the scenario of the pool, by their numbers."""
        return tuple(self.scenario.transactions)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The statements in SQL, by their numbers."""
        return tuple(self.scenario.transactions.values())

    @cached_property
    def workload(self) -> Workload:
        """The pool as the default profile has it: every statement of the language is in that."""
        return prepare(self.scenario, DEFAULT)

    @cached_property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the statements, by their numbers."""
        return tuple(self.workload.statements[key].kind for key in self.keys)

    @cached_property
    def jobs(self) -> Jobs:
        """The shape of the tree of interleavings."""
        reads = [self.workload.statements[key].reads_only for key in self.keys]
        numbers = range(len(reads))
        return Jobs(
            tuple(i for i in numbers if not reads[i]),
            tuple(i for i in numbers if reads[i]),
            self.sizes,
        )

    @property
    def level(self) -> str:
        """The isolation level of the table."""
        return self.workload.level

    @property
    def layout(self) -> str:
        """The layout of the table in a word or two."""
        spec = self.scenario.table
        if spec.partition_by:
            return "partitioned"
        return "clustered" if spec.cluster_by else "unpartitioned"

    def id_of(self, number: int) -> str:
        """The name of a history, for good."""
        return f"{self.seed}-{self.position}-{number}"

    def size_of(self, path: Path) -> int:
        """The number of schedules that a path stands for."""
        return 1 if orders_begins(self.workload) else schedule_class(path).size

    def names_of(self, path: Path) -> dict[str, int]:
        """The transactions of a path by name, with the numbers of their statements."""
        names = (*WRITERS[: len(path.writers)], *READERS[: len(path.readers)])
        return dict(zip(names, path.statements, strict=True))

    def scenario_of(self, number: int, path: Path) -> Scenario:
        """One history as a scenario of its own, named after its place in the stream."""
        transactions = {name: self.texts[i] for name, i in self.names_of(path).items()}
        return replace(
            self.scenario,
            name=f"history {self.id_of(number)}",
            transactions=transactions,
            schedule=schedule_class(path).representative,
            tables=self.tables_of(path.statements),
        )

    def tables_of(self, numbers: Sequence[int]) -> dict[str, TableSpec]:
        """The other tables that these statements read."""
        mentioned = set().union(*(self._mentioned[i] for i in numbers))
        return {name: t for name, t in self.scenario.tables.items() if name in mentioned}

    @cached_property
    def _mentioned(self) -> tuple[frozenset[str], ...]:
        return tuple(frozenset(tables_of(syntax(text).tree)) for text in self.texts)

    def under(self, profile: Profile) -> tuple[Workload, tuple[int, ...]] | None:
        """The pool under a profile, with the numbers of the statements that the profile has.

        None if it has none of them, or does not know the table.
        """
        kept = list(self.keys)
        whole = self.scenario
        workload = _prepared(whole, kept, profile)
        if workload is None:
            kept = [key for key in kept if _prepared(whole, [key], profile) is not None]
            workload = _prepared(whole, kept, profile)
            while workload is None and kept:
                kept.pop()  # Two that go alone need not go together: RESTORE and VACUUM, say.
                workload = _prepared(whole, kept, profile)
        if workload is None:
            return None
        return workload, tuple(i for i, key in enumerate(self.keys) if key in kept)


@lru_cache(maxsize=8)
def pool(seed: int, position: int, sizes: tuple[int, ...] = (2, 3)) -> Pool:
    """The pool at a position of the stream of a seed."""
    attempt = 0
    while True:
        pick = picker(f"{seed}/pool/{position}/{attempt}")
        drawn = _draw(pick, pick(SOURCES), pick(DELTA_LEVELS))
        if drawn is not None:
            source, scenario = drawn
            return Pool(seed, position, source, scenario, sizes)
        attempt += 1


def history(seed: int, position: int, number: int, sizes: tuple[int, ...] = (2, 3)) -> Scenario:
    """The scenario of one history, from its place in the stream alone.

    Raises ``IndexError`` if the pool at the position has not so many.
    """
    chosen = pool(seed, position, sizes)
    for place, path in enumerate(chosen.jobs.paths()):
        if place == number:
            return chosen.scenario_of(number, path)
    raise IndexError(f"position {position} of seed {seed} has no history {number}")


def _draw(pick: Pick, source: str, level: str) -> tuple[str, Scenario] | None:
    """A pool, or None if too few of the statements drawn fit: the next attempt draws anew."""
    if source == "alphabet":
        layout = pick(tuple(alphabet.LAYOUTS))
        chosen = alphabet.layout(layout)
        spec, tables = chosen.table.at_level(level), dict(chosen.tables)
        every = tuple(statement.sql for _, statement in statements(layout))

        def text() -> str:
            return pick(every)

    else:
        spec = grammar.table(pick, level)
        tables = {"s": grammar.other_table(pick, spec)}

        def text() -> str:
            return grammar.statement(pick, spec, None, "s").sql()

    whole = Scenario("a pool", spec, {}, (), tables)
    texts: dict[str, None] = {}
    for _ in range(TRIES):
        if len(texts) == POOL:
            break
        candidate = text()
        if candidate not in texts and _prepared(_with([candidate], whole), ["j0"]) is not None:
            texts[candidate] = None
    while (
        texts and _prepared(_with(list(texts), whole), [f"j{i}" for i in range(len(texts))]) is None
    ):
        texts.popitem()
    made = _with(list(texts), whole)
    if len(texts) < POOL // 2 or _only_reads(made):
        return None
    return source, made


def _with(texts: Sequence[str], whole: Scenario) -> Scenario:
    transactions = {f"j{i}": text for i, text in enumerate(texts)}
    return replace(whole, transactions=transactions, schedule=_serial(tuple(transactions)))


def _serial(keys: Sequence[str]) -> tuple[Step, ...]:
    return tuple(Step(action, key) for key in keys for action in ("begin", "commit"))


def _only_reads(scenario: Scenario) -> bool:
    workload = _prepared(scenario, list(scenario.transactions))
    return workload is None or all(s.reads_only for s in workload.statements.values())


def _prepared(
    scenario: Scenario, keys: Sequence[str], profile: Profile = DEFAULT
) -> Workload | None:
    """The scenario with these of its transactions alone, None if the profile refuses it."""
    if not keys:
        return None
    steps = _serial(keys)
    texts = {key: scenario.transactions[key] for key in keys}
    try:
        return prepare(replace(scenario, transactions=texts, schedule=steps), profile)
    except InvalidScenario:
        return None
