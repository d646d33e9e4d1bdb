"""The formulas of the premises, read in runs of the model: they say what their checks look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from itertools import islice

import pytest
import z3

from checker.judging.dependencies import dependencies
from checker.proofs.lemma import Assumption
from checker.proofs.premises.checks import OF_COMMITS, OF_TRANSACTIONS, Attempted, attempts
from checker.proofs.premises.structures import Structure
from checker.proofs.rule_formulas.symbols import SymbolicFacts
from checker.proofs.theorems import every_transaction, log_order, unseen_append
from checker.proofs.theorems.order import Log
from checker.search.random_search import random_scenarios
from conformance.replay.campaign import valid
from model.history import Transaction
from model.levels import RW, SERIALIZABLE, WR, WRITE_SERIALIZABLE, WW
from model.physical.log import Snapshot
from model.preparation import run_scenario
from model.profiles import DEFAULT
from model.rules.delta_spark import REARRANGING_OPERATIONS
from model.simulator import Run

pytestmark = pytest.mark.slow

KINDS = {"ww": WW, "wr": WR, "rw": RW}
FACTS = SymbolicFacts()
COMPLETENESS = {each.name: each for each in log_order.completeness(FACTS)}
NOTED = {
    "footprint completeness, files to come",
    "footprint completeness, files there",
    "reading the whole table is noted beside a predicate or a file",
    "who states files again reads no row",
}
STRICTER = {"who states files again reads no row"}
"""The check is about what a statement reads, whether or not there is such a row."""

LESS = (
    *({}, {"read_predicates": ()}, {"read_files": (), "removes": ()}, {"restates": True}),
    *({"read_predicates": (), "read_files": (), "removes": (), "read_whole_table": True},),
    *({"next_version_only": True, "read_predicates": ()}, {"read_files": ()}),
)
"""What a footprint may note less, or say wrongly."""


@cache
def _runs(seed: int, level: str, count: int) -> tuple[Run, ...]:
    scenarios = valid(random_scenarios(seed, (level,), (2, 3, 4)), DEFAULT)
    plain = (s for s in scenarios if "(SELECT" not in " ".join(s.transactions.values()))
    return tuple(run_scenario(scenario, DEFAULT) for scenario in islice(plain, count))


def _of_attempt(a: Attempted) -> Structure:
    """An attempt in the terms of ``SymbolicFacts``: all files of the run, all rows in them."""
    found = a.footprint
    read = {file.path for file in found.read_files}
    removed = {file.path for file in found.removes}
    rows = list(dict.fromkeys(row for file in a.files for row in file.rows))
    matching = {id(file): set(a.matching(file)) for file in a.files}
    matches = {row for each in matching.values() for row in each}
    live = set(a.snapshot.files)
    partitions = {file.partition: file for file in a.files}
    truths = {
        "t_next_only": found.next_version_only,
        "t_whole": found.read_whole_table,
        "t_predicate": bool(found.read_predicates),
        "t_restates": found.restates,
    }
    return Structure(
        {"File": a.files, "Row": rows, "Partition": list(partitions)},
        {
            **{name: partial(bool, value) for name, value in truths.items()},
            "partition": lambda file: file.partition,
            "holds": lambda file, row: row in file.rows,
            "matches": lambda row: row in matches,
            "live_at_snapshot": lambda file: file.key in live,
            "t_reads": lambda file: file.path in read,
            "t_removes": lambda file: file.path in removed,
            "t_covers": lambda partition: a.covers(partitions[partition]),
        },
    )


def _attempted() -> Iterator[Attempted]:
    for run in (*_runs(41, SERIALIZABLE, 12), *_runs(42, WRITE_SERIALIZABLE, 12)):
        yield from attempts(run)


@pytest.mark.parametrize("premise", sorted(NOTED))
def test_a_premise_about_footprints_holds_just_where_its_check_finds_nothing(premise):
    """Of footprints as they are, and of footprints that note less."""
    seen: Counter = Counter()
    for attempted in _attempted():
        for less in LESS:
            a = replace(attempted, footprint=replace(attempted.footprint, **less))
            said = _of_attempt(a).holds(COMPLETENESS[premise].formula)
            broken = bool(list(OF_TRANSACTIONS[premise](a)))
            assert said != broken or (said and premise in STRICTER), (premise, less, a)
            assert said or less, (premise, a)
            seen[said] += 1
    assert seen[True] > 50
    assert seen[False] > 0


def _of_commit(before: Snapshot, after: Snapshot) -> Structure:
    commit = after.commit
    assert commit is not None
    files = {id(f): f for f in (*before.files.values(), *commit.footprint.adds)}
    files |= {id(file): file for file in commit.footprint.removes}
    added = {file.key for file in commit.footprint.adds}
    removed = {file.key for file in commit.footprint.removes}
    rows = list(dict.fromkeys(row for file in files.values() for row in file.rows))
    return Structure(
        {"File": list(files.values()), "Row": rows},
        {
            "w_restates": lambda: commit.footprint.restates,
            "live": lambda file: file.key in before.files,
            "w_adds": lambda file: file.key in added,
            "w_removes": lambda file: file.key in removed,
            "holds": lambda file, row: row in file.rows,
        },
    )


def _commits(run: Run) -> Iterator[tuple[Snapshot, Snapshot]]:
    snapshot = run.final
    while snapshot.parent is not None and snapshot.version > run.workload.base.version:
        yield snapshot.parent, snapshot
        snapshot = snapshot.parent


@pytest.mark.parametrize("restates", [None, True])
def test_a_premise_about_commits_holds_just_where_its_check_finds_nothing(restates):
    premise = COMPLETENESS["stating files again"]
    seen: Counter = Counter()
    for run in _runs(41, SERIALIZABLE, 12):
        for before, after in _commits(run):
            if restates is not None:
                footprint = replace(after.commit.footprint, restates=restates)
                after = replace(after, commit=replace(after.commit, footprint=footprint))
            said = _of_commit(before, after).holds(premise.formula)
            assert said == (not list(OF_COMMITS[premise.name](before, after)))
            seen[said] += 1
    assert seen[restates is None] > 5


def test_a_rearranging_commit_satisfies_its_premise():
    (lemma,) = (each for each in log_order.LEMMAS if each.name == "no rows move")
    (premise,) = (a for a in lemma.build().assumptions if a.name == "rearranging")
    seen: Counter = Counter()
    for run in (*_runs(41, SERIALIZABLE, 30), *_runs(42, WRITE_SERIALIZABLE, 12)):
        for before, after in _commits(run):
            said = _of_commit(before, after).holds(premise.formula)
            if not after.commit.footprint.data_changed:
                assert said
            seen[said] += 1
    assert min(seen.values()) > 2


def _of_level(a: Attempted) -> Structure:
    found = a.footprint
    truths = {
        "data_changed": found.data_changed,
        "changed": found.data_changed and bool(found.adds or found.removes),
        "besides": a.besides,
        "always": found.records_always,
        "rearranging": found.operation in REARRANGING_OPERATIONS,
        "reads_rows": bool(a.reads or a.transaction.item_reads),
    }
    return Structure({}, {name: partial(bool, value) for name, value in truths.items()})


@pytest.mark.parametrize("module", [log_order, unseen_append])
def test_the_premises_about_levels_hold_in_runs(module):
    premises = [a for a in module.LEMMAS[0].build().assumptions if a.premise]
    assert premises
    for attempted in _attempted():
        if not attempted.footprint.next_version_only:  # It keeps the table's level, or has none.
            for premise in premises:
                assert _of_level(attempted).holds(premise.formula), (premise.name, attempted)


def _of_history(run: Run) -> Structure:
    """The graph of a run in the terms of ``Log``."""
    nodes = run.history.committed
    edges = [
        (each.kind, each.source.name, each.target.name)
        for each in dependencies(run.history).edges()
    ]
    blind = {name for name, e in run.ended.items() if e.footprint and e.footprint.blind_append}
    times = {t.read_version for t in nodes} | {t.commit_version for t in nodes} - {None}
    pairs = {
        name: {(source, target) for known, source, target in edges if known in kinds}
        for name, kinds in KINDS.items()
    }

    def edge(name: str, x: Transaction, y: Transaction) -> bool:
        return (x.name, y.name) in pairs[name]

    return Structure(
        {"Txn": nodes, "Time": sorted(times)},
        {
            **{name: partial(edge, name) for name in pairs},
            "snapshot": lambda x: x.read_version,
            "commit": lambda x: -1 if x.commit_version is None else x.commit_version,
            "writer": lambda x: x.commit_version is not None,
            "earlier": lambda one, other: one < other,
            "blind": lambda x: x.commit_version is not None and x.name in blind,
        },
    )


LOG = Log()
BLIND = z3.Function("blind", LOG.Txn, z3.BoolSort())
T, Y, B = LOG.txns("T Y B")


def _some_append(premise: Assumption) -> z3.BoolRef:
    """The premise speaks of some append for each pair."""
    return z3.ForAll([T, Y], z3.Exists([B], premise.formula))


OF_GRAPHS = {
    "ww, wr, rw and who overwrites": z3.And(
        *(each.formula for each in unseen_append.edges_of_writers(LOG))
    ),
    "blind appends read nothing": unseen_append._appends_read_nothing(LOG, BLIND).formula,
    "blind appends only add": every_transaction._appends_only_add(LOG, BLIND).formula,
    "what a winner may have changed": z3.And(
        _some_append(unseen_append._backward_edge(LOG, BLIND, T, Y, B)),
        _some_append(every_transaction._changed_by_winners(LOG, BLIND, T, Y, B)),
    ),
}


@pytest.mark.parametrize("premise", OF_GRAPHS)
def test_a_premise_about_edges_holds_of_the_graphs_of_runs(premise):
    edges: Counter = Counter()
    for run in (*_runs(41, SERIALIZABLE, 30), *_runs(43, WRITE_SERIALIZABLE, 120)):
        if len(run.history.committed) > 1:
            assert _of_history(run).holds(OF_GRAPHS[premise]), run.workload
            edges.update(edge.kind for edge in dependencies(run.history).edges())
    assert all(sum(edges[kind] for kind in kinds) > 5 for kinds in KINDS.values())


def test_the_result_of_the_rules_holds_of_serializable_runs_and_not_of_others():
    forward = LOG.forward().formula
    for run in _runs(41, SERIALIZABLE, 30):
        assert _of_history(run).holds(forward)
    assert not all(_of_history(run).holds(forward) for run in _runs(43, WRITE_SERIALIZABLE, 120))


def test_a_structure_reads_every_part_of_a_formula():
    sort = z3.DeclareSort("S")
    x, y = z3.Consts("x y", sort)
    less = z3.Function("less", sort, sort, z3.BoolSort())
    three = Structure({"S": (1, 2, 3)}, {"less": lambda a, b: a < b})
    least = z3.Exists([x], z3.ForAll([y], z3.Or(x == y, less(x, y))))
    assert three.holds(least)
    assert not three.holds(z3.ForAll([x], z3.Exists([y], less(x, y))))
    assert three.holds(z3.ForAll([x, y], z3.If(less(x, y), x != y, z3.Not(less(x, y)))))
    assert three.holds(z3.Exists([x, y], z3.Distinct(x, y)))
    assert three.holds(z3.ForAll([x, y], z3.Implies(less(x, y), z3.Not(less(y, x)))))
    with pytest.raises(KeyError):
        three.holds(z3.Bool("unheard of"))
