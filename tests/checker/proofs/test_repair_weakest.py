"""The repair is the weakest of the rules that judge by possible dependencies.

Such a rule looks at a *situation*: who has seen whom among an attempt T and its winners, who
began before T, whose reads cover a file that another one wrote, and who reads at all. Here random
situations become footprints and a history with the worst rows and the worst past of the proof
("every refusal is needed"): every pair has a partition of its own, every file holds one row, and a
blind append before T's snapshot adds rows where older winners read and where T reads. The other
rules admit all of it, and it is a violation just where the rule refuses T.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, repeat
from random import Random

import pytest

from checker.judging import graph
from checker.judging.dependencies import dependencies
from model.expressions.syntax import Column, Comparison, Literal
from model.history import History, ItemRead, PredicateRead, Row, RowChange, RowId, Transaction
from model.levels import WRITE_SERIALIZABLE
from model.physical.files import DataFile
from model.physical.footprint import Footprint, ReadPredicate
from model.physical.log import Commit
from model.preparation import run_scenario
from model.profiles import DEFAULT, profile
from model.rules import read_through_append
from model.rules.base import Attempt
from model.scenario import Scenario, Step, TableSpec
from tests.model.rules.footprints import TABLES

pytestmark = pytest.mark.slow

REPAIRED = profile("delta-spark-4.4-repaired")
TABLE = TABLES["partitioned"]
(PARTITION,) = TABLE.partitions

PAST, SNAPSHOT = 0, 1
"""The version before the append that nobody else has to know of, and its own: T's snapshot."""


@dataclass(frozen=True)
class Situation:
    """What a rule about possible dependencies looks at.

    The numbers from 0 on are winners in the order of the log, the last one is T. ``snapshot``
    has the version that each began with, ``covers`` the pairs of which the reads of the first
    cover a file that the second adds or removes.
    """

    snapshot: tuple[int, ...]
    blind: frozenset[int]
    covers: frozenset[tuple[int, int]]

    @property
    def t(self) -> int:
        return len(self.snapshot) - 1

    def commit(self, p: int) -> int:
        return SNAPSHOT + 1 + p

    def sees(self, p: int, q: int) -> bool:
        return self.snapshot[p] >= self.commit(q)

    def faces(self, p: int, q: int) -> bool:
        """Whether q is a winner of p."""
        return self.snapshot[p] < self.commit(q) < self.commit(p)

    def appends(self, p: int, q: int) -> list[int]:
        """The appends that p misses and of which q may have removed a file where p reads."""
        return [
            b
            for b in sorted(self.blind)
            if self.faces(p, b) and self.sees(q, b) and {(p, b), (q, b)} <= self.covers
        ]

    @property
    def admitted(self) -> bool:
        """Whether the rules about files leave it possible.

        A winner that wrote where p reads is a blind append, or removed the file of one.
        """
        return all(
            p not in self.blind
            and (not self.faces(p, q) or q in self.blind or bool(self.appends(p, q)))
            for p, q in self.covers
        )


def _random(pick: Random) -> Situation:
    winners = pick.choice((3, 4, 4))
    snapshot = [
        PAST if pick.random() < 0.3 else pick.randrange(SNAPSHOT, SNAPSHOT + p + 1)
        for p in range(winners)
    ]
    blind = {p for p in range(winners) if pick.random() < 0.3}
    share = pick.choice((0.1, 0.3, 0.5))
    pairs = ((p, q) for p in range(winners + 1) for q in range(winners + 1) if p != q)
    covers = {pair for pair in pairs if pick.random() < share}
    if pick.random() < 0.5:
        # T misses b, which x has read; x misses w, which began before T.
        b, x, w = sorted(pick.sample(range(winners), 3))
        blind = (blind | {b}) - {x, w}
        snapshot[x], snapshot[w] = x + SNAPSHOT, PAST
        covers |= {(winners, b), (x, b), (x, w)}
    if pick.random() < 0.5:
        covers -= {(p, winners) for p in range(winners)}
    covers = {(p, q) for p, q in covers if p not in blind}
    return Situation((*snapshot, SNAPSHOT), frozenset(blind), frozenset(covers))


def situations(seed: int, count: int) -> Iterator[Situation]:
    pick = Random(seed)
    possible = (situation for _ in repeat(None) if (situation := _random(pick)).admitted)
    return islice(possible, count)


class Worst:
    """Footprints and rows of a situation, with the worst rows and the worst past."""

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.members = range(situation.t + 1)
        self._places: dict[tuple[object, ...], int] = {}
        self._files: list[DataFile] = []
        self.reads: dict[object, set[int]] = {p: set() for p in self.members}
        self.adds: dict[object, list[DataFile]] = {p: [] for p in self.members}
        self.removes: dict[object, list[DataFile]] = {p: [] for p in self.members}
        self._write()
        self.versions: list[dict[str, DataFile]] = [{}]
        self._append_in_the_past()
        self.transactions: list[Transaction] = []
        self.commits: list[Commit] = []
        for p in self.members:
            self._commit(p)

    def _place(self, *name: object) -> int:
        return self._places.setdefault(name, len(self._places))

    def _file(self, place: int) -> DataFile:
        file = DataFile(f"f{len(self._files)}", (place,), (), (), 0, (), frozenset())
        self._files.append(file)
        return file

    def _write(self) -> None:
        s = self.situation
        for p in self.members:
            self.adds[p].append(self._file(self._place("own", p)))
            if p not in s.blind:
                self.reads[p].add(self._place("own reads", p))
        for p, q in sorted(s.covers):
            place = self._place(p, q)
            self.reads[p].add(place)
            if s.faces(p, q) and q not in s.blind:
                file = self._file(place)
                self.adds[s.appends(p, q)[0]].append(file)
                self.removes[q].append(file)
            else:
                self.adds[q].append(self._file(place))

    def _append_in_the_past(self) -> None:
        s = self.situation
        older = [p for p in self.members if s.snapshot[p] == PAST and p not in s.blind]
        added = []
        for p in (*older, s.t):
            place = self._place(p, "past")
            self.reads[p].add(place)
            added.append(self._file(place))
        self.past = tuple(added)
        self.versions.append({file.path: file for file in added})

    def _commit(self, p: int) -> None:
        s, places = self.situation, self.reads[p]
        live = self.versions[s.snapshot[p]]
        read = tuple(file for file in live.values() if file.partition[0] in places)
        removes = tuple(self.removes[p])
        column = Column(PARTITION, TABLE.names[PARTITION], TABLE.types[PARTITION])
        footprint = Footprint(
            "WRITE",
            read_predicates=tuple(
                ReadPredicate(Comparison("=", column, Literal(place, column.type)))
                for place in sorted(places)
            ),
            read_files=(*read, *(file for file in removes if file not in read)),
            adds=tuple(self.adds[p]),
            removes=removes,
        )
        name, version = f"W{p}" if p < s.t else "T", s.commit(p)
        self.commits.append(
            Commit(
                version,
                name,
                footprint,
                s.snapshot[p],
                WRITE_SERIALIZABLE,
                footprint.blind_append,
            )
        )
        after = {path: file for path, file in self.versions[-1].items() if file not in removes}
        after |= {file.path: file for file in footprint.adds}
        self.versions.append(after)
        changes = [RowChange("t", _id(f), None, _row(f)) for f in footprint.adds]
        changes += [RowChange("t", _id(f), _row(f), None) for f in removes]
        self.transactions.append(
            Transaction(
                name,
                "",
                s.snapshot[p],
                version,
                True,
                (PredicateRead("t", "", lambda row: row[1] in places),),
                tuple(ItemRead("t", _id(file), _row(file)) for file in read),
                tuple(changes),
            )
        )

    def attempt(self, p: int) -> Attempt:
        me, s = self.commits[p], self.situation
        winners = tuple(self.commits[q] for q in self.members if s.faces(p, q))
        if s.snapshot[p] == PAST:
            past = Footprint("WRITE", adds=self.past)
            winners = (Commit(SNAPSHOT, "N", past, PAST, WRITE_SERIALIZABLE, True), *winners)
        return Attempt(me.transaction, me.footprint, WRITE_SERIALIZABLE, TABLE, winners)

    def refused_by(self, rules, p: int) -> str | None:
        attempt = self.attempt(p)
        conflict = rules.conflict(attempt, attempt.winners)
        return None if conflict is None else conflict.rule

    def covers(self) -> set[tuple[int, int]]:
        """The pairs that the code of the rule finds in the footprints."""
        attempt = self.attempt(self.situation.t)
        found = set()
        for p in self.members:
            for q in self.members:
                wrote = self.commits[q].footprint
                files = (*wrote.adds, *wrote.removes)
                if self.situation.sees(p, q):
                    covered = read_through_append._covers(self.commits[p].footprint, files, TABLE)
                else:
                    covered = read_through_append._misses(self.commits[p], wrote, attempt)
                if p != q and covered:
                    found.add((p, q))
        return found

    def history(self) -> History:
        appended = tuple(RowChange("t", _id(f), None, _row(f)) for f in self.past)
        past = Transaction("N", "", PAST, SNAPSHOT, True, (), (), appended)
        final = tuple(_row(file) for file in self.versions[-1].values())
        return History("t", PAST, {"t": {}}, (past, *self.transactions), final)


def _id(file: DataFile) -> RowId:
    return file.path, 0


def _row(file: DataFile) -> Row:
    return (int(file.path[1:]), file.partition[0], 0)


def _violated(worst: Worst) -> bool:
    return bool(graph.decide(dependencies(worst.history()), WRITE_SERIALIZABLE).cycle)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_refusal_has_a_violation_with_the_same_situation(seed):
    refused = by_age = 0
    for situation in situations(seed, 1_500):
        worst = Worst(situation)
        assert worst.covers() == situation.covers
        assert [bool(c.footprint.blind_append) for c in worst.commits] == [
            p in situation.blind for p in worst.members
        ]
        assert not any(worst.refused_by(DEFAULT, p) for p in worst.members)
        if any(worst.refused_by(REPAIRED, p) for p in range(situation.t)):
            continue  # It does not come about under the repaired rules.
        rule = worst.refused_by(REPAIRED, situation.t)
        assert (rule is not None) == _violated(worst), situation
        refused += rule is not None
        touched = any((p, situation.t) in situation.covers for p in range(situation.t))
        by_age += rule is not None and not touched
    assert refused > 100
    assert by_age > 10


def test_a_rule_that_counts_versions_could_be_weaker():
    """One version between the snapshots of W and T, and T notes no file: nothing leads to T."""
    transactions = {
        "N": "INSERT INTO t VALUES (1, 9, 0)",
        "B": "INSERT INTO t VALUES (2, 1, 0)",
        "X": "INSERT INTO t SELECT 3, 5, count(*) FROM t WHERE p IN (1, 3)",
        "W": "INSERT INTO t SELECT 4, 3, count(*) FROM t WHERE p = 9",
        "T": "INSERT INTO t SELECT 5, 6, count(*) FROM t WHERE p = 1",
    }
    actions = {"b": "begin", "c": "commit"}
    steps = "bW bN cN bT bB cB bX cX cW cT"
    scenario = Scenario(
        "one version between",
        TableSpec({"k": "int", "p": "int", "v": "int"}, partition_by=("p",)),
        transactions,
        tuple(Step(actions[step[0]], step[1:]) for step in steps.split()),
    )
    run = run_scenario(scenario, REPAIRED, WRITE_SERIALIZABLE)
    assert run.ended["T"].conflict.rule == read_through_append.RULE.name
    assert not run.ended["T"].footprint.read_files
    history = run_scenario(scenario, DEFAULT, WRITE_SERIALIZABLE).history
    assert not graph.decide(dependencies(history), WRITE_SERIALIZABLE).cycle
