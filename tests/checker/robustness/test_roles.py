"""The parts that jobs can play, held against runs: the premise of the theorem about jobs.

``checker.proofs.theorems.jobs`` takes for granted that whatever runs do to each other, ``roles``
says that their jobs can. Here small runs of random jobs are played in the model, all groups of
instances in the two schedules that matter; whoever plays a part there must be able to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import product
from random import Random

import pytest

from checker.judging.dependencies import BIT, Dependencies, dependencies
from checker.robustness import roles
from checker.robustness.histories import Stage
from checker.robustness.jobs.workload import Instance, Jobs, jobs
from checker.robustness.remedies import analysed
from checker.robustness.search import MISSED, TRIPLE
from checker.robustness.symbolic.access import Job
from model.history import Transaction
from model.levels import EdgeKind
from model.outcomes import COMMITTED, SUCCEEDED
from model.profiles import DEFAULT
from model.scenario import TableSpec
from tests.checker.robustness.typed_templates import VALUES, TypedTemplates
from tests.checker.robustness.workload_grammar import POOL, SETUPS, workload
from tests.checker.robustness.workload_templates import Templates, chosen

pytestmark = pytest.mark.slow

RW = BIT[EdgeKind.RW_ITEM] | BIT[EdgeKind.RW_PREDICATE]
BUILDS_ON = BIT[EdgeKind.WR_ITEM] | BIT[EdgeKind.WR_PREDICATE] | BIT[EdgeKind.WW]


@dataclass
class Held:
    """What the runs of one workload did, and which of it ``roles`` did not allow."""

    given: Jobs
    known: dict[str, Job]
    seen: Counter[str] = field(default_factory=Counter)
    missing: list[str] = field(default_factory=list)
    asked: dict[tuple[str, ...], bool] = field(default_factory=dict)

    def expect(self, part: str, able: Callable[..., bool], *group: Instance) -> None:
        """Notes that instances played a part; their jobs must be able to."""
        self.seen[part] += 1
        key = (part, *(each.job for each in group))
        if key not in self.asked:
            self.asked[key] = able(*(self.known[each.job] for each in group))
            if not self.asked[key]:
                self.missing.append(f"{part}: {[each.sql for each in group]}")


def held(given: Jobs, instances: dict[str, tuple[Instance, ...]]) -> Held:
    """All pairs and triples of instances played in the schedules of the two parts."""
    found = Held(given, analysed(given))
    if any(job.outside for job in found.known.values()):
        return found
    stage = Stage(given)
    every = [each for some in instances.values() for each in some]
    passing = set()
    for first, second in product(every, every):
        ended = stage.play((first, second), MISSED)
        if ended[0].outcome != COMMITTED or ended[1].outcome not in SUCCEEDED:
            continue
        graph = dependencies(stage.history(ended))
        names = {node.name: place for place, node in enumerate(graph.nodes)}
        outer, inner = names["A"], names["B"]
        if graph.mask(outer, inner) & RW and _only_adds(graph, inner):
            found.expect("misses an append", roles.misses, first, second)
            passing.add((first.sql, second.sql))
        if graph.mask(inner, outer) & RW and not _only_adds(graph, outer):
            found.expect("leads back", roles.leads_back, second, first)
        if (graph.mask(inner, outer) | graph.mask(outer, inner)) & (RW | BUILDS_ON):
            found.expect("conflict", _conflict, first, second)
    for t, b, x in product(every, every, every):
        if (t.sql, b.sql) not in passing:
            continue
        ended = stage.play((t, b, x), TRIPLE)
        if ended[0].outcome != COMMITTED or ended[2].outcome not in SUCCEEDED:
            continue
        graph = dependencies(stage.history(ended))
        names = {node.name: place for place, node in enumerate(graph.nodes)}
        if graph.mask(names["B"], names["C"]) & BUILDS_ON:
            found.expect("builds on it", roles.builds_on, t, b, x)
    return found


def _conflict(one: Job, other: Job) -> bool:
    return roles.conflict(one, other) or roles.conflict(other, one)


def _only_adds(graph: Dependencies, place: int) -> bool:
    """Whether a transaction reads nothing of the table and only adds rows."""
    table = graph.history.table
    node: Transaction = graph.nodes[place]
    return all(read.table != table for read in (*node.predicate_reads, *node.item_reads)) and all(
        change.before is None for change in node.changes
    )


PARTS = {"misses an append", "builds on it", "leads back", "conflict"}


@pytest.mark.parametrize("seed", range(4))
def test_whoever_plays_a_part_can(seed: int) -> None:
    """Twenty random workloads for each seed; every part is played and refused in some."""
    seen: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    for number in range(20):
        random = Random(1000 * seed + number)
        given = Templates(random).workload()
        found = held(given, chosen(given, random, 3))
        assert not found.missing, (given.table, found.missing)
        seen += found.seen
        for names in product(found.known, found.known):
            if not roles.leads_back(*(found.known[name] for name in names)):
                refused["leads back"] += 1
    assert set(seen) == PARTS
    assert refused["leads back"] > 20


@pytest.mark.parametrize("text", POOL)
def test_a_job_of_the_pool_beside_an_append_can_what_it_does(text: str) -> None:
    random = Random(7)
    for partitions in ((), ("p",)):
        given = workload([POOL[0], text], partitions, SETUPS[1])
        found = held(given, chosen(given, random, 3))
        assert not found.missing, found.missing


def test_whoever_plays_a_part_can_with_values_of_every_type() -> None:
    """Days, times, decimals, doubles, booleans, texts; generated partitions among them."""
    seen: Counter[str] = Counter()
    for seed in range(12):
        random = Random(seed)
        given = TypedTemplates(random).workload()
        found = held(given, chosen(given, random, 3, VALUES))
        assert not found.missing, (given.table, found.missing)
        seen += found.seen
    assert set(seen) == PARTS


def test_a_boolean_column_may_be_set_to_null() -> None:
    table = TableSpec({"k": "int", "live": "boolean"}, setup=("INSERT INTO t VALUES (1, true)",))
    texts = {"hide": "UPDATE t SET live = NULL WHERE k = :k", "read": "SELECT * FROM t WHERE live"}
    known = analysed(jobs("jobs", table, {}, texts, DEFAULT))
    assert roles.leads_back(known["read"], known["hide"])


def test_a_row_is_in_one_file_of_a_snapshot() -> None:
    rewritten = 0
    for seed in range(15):
        random = Random(seed)
        given = Templates(random).workload()
        stage = Stage(given)
        every = [each for some in chosen(given, random, 2).values() for each in some]
        for group in product(every, every):
            for ended in stage.play(group, MISSED).values():
                rows = [row.row for row in ended.latest.stored()]
                assert len(rows) == len(set(rows))
                rewritten += ended.footprint is not None and bool(ended.footprint.removes)
    assert rewritten > 20
