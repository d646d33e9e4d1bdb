"""Every level of a recorded history against its definition, over all orders of commits.

The oracle is the axioms of Biswas and Enea (OOPSLA 2019) themselves: a history satisfies a level
when some total order of its transactions, which respects what was read and (where they count) the
sessions, satisfies the level's axiom for every read. It shares no code with the decider.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checker.recorded.decide import judge
from checker.recorded.explanation.witness import ExplainedCycle
from checker.recorded.generators.serial import Shape, generate
from checker.recorded.history import Operation, Recorded, RecordedHistory, Status
from model.levels import READ_ATOMIC, READ_COMMITTED
from tests.checker.recorded.reasons import Verifier
from tests.nightly import cases

pytestmark = pytest.mark.slow

Related = Callable[[int, int, int], bool]
Pairs = set[tuple[int, int]]

ROOT = -1
"""The transaction that wrote every initial version; it comes first."""


@st.composite
def histories(draw: st.DrawFn) -> RecordedHistory:
    """Up to five transactions over three keys; reads name any write, or the initial version."""
    keys = range(draw(st.integers(1, 3)))
    shape = draw(
        st.lists(
            st.lists(st.tuples(st.booleans(), st.sampled_from(keys)), min_size=1, max_size=4),
            min_size=2,
            max_size=5,
        )
    )
    numbers = itertools.count(1)
    plan = [[(w, k, next(numbers) if w else 0) for w, k in each] for each in shape]
    written = {k: [v for each in plan for w, key, v in each if w and key == k] for k in keys}
    recorded = []
    for number, each in enumerate(plan):
        own: dict[int, int] = {}
        operations = []
        for write, key, value in each:
            if write:
                own[key] = value
                operations.append(Operation("w", key, value))
                continue
            seen = draw(st.sampled_from([None, *written[key]]))
            if key in own and draw(st.integers(0, 9)):
                seen = own[key]
            operations.append(Operation("r", key, seen))
        session = draw(st.integers(0, 2))
        recorded.append(Recorded(f"T{number}", session, tuple(operations), draw(STATUSES)))
    return RecordedHistory("register", tuple(recorded), internal_from=draw(INTERNAL))


INTERNAL = st.sampled_from([READ_COMMITTED, READ_ATOMIC])
STATUSES = st.sampled_from([Status.COMMITTED] * 6 + [Status.ABORTED, Status.UNKNOWN])


@st.composite
def list_histories(draw: st.DrawFn) -> RecordedHistory:
    """Up to five transactions that append to two lists, and read about what they had."""
    shape = draw(
        st.lists(
            st.lists(st.tuples(st.booleans(), st.sampled_from("xy")), min_size=1, max_size=4),
            min_size=2,
            max_size=5,
        )
    )
    numbers = itertools.count(1)
    plan = [[(w, k, next(numbers)) for w, k in each] for each in shape]
    order = {
        key: draw(st.permutations([v for each in plan for w, k, v in each if w and k == key]))
        for key in "xy"
    }
    recorded = []
    for number, each in enumerate(plan):
        own = {key: [v for w, k, v in each if w and k == key] for key in "xy"}
        before: dict[str, list[int]] = {}
        done: dict[str, list[int]] = {"x": [], "y": []}
        operations = []
        for write, key, value in each:
            if write:
                done[key].append(value)
                operations.append(Operation("a", key, value))
                continue
            if key not in before or not draw(st.integers(0, 7)):
                prefix = order[key][: draw(st.integers(0, len(order[key])))]
                before[key] = [v for v in prefix if v not in own[key] or not draw(FEW)]
            seen = [*before[key], *done[key]]
            if seen and not draw(st.integers(0, 11)):
                seen = draw(st.lists(st.sampled_from([*seen, *order[key]]), max_size=3))
            operations.append(Operation("r", key, tuple(seen)))
        session = draw(st.integers(0, 2))
        recorded.append(Recorded(f"T{number}", session, tuple(operations), draw(STATUSES)))
    return RecordedHistory("list", tuple(recorded), internal_from=draw(INTERNAL))


FEW = st.integers(0, 5)


@st.composite
def damaged(draw: st.DrawFn) -> RecordedHistory:
    """A serial execution in which up to three reads see what others saw."""
    shape = Shape(draw(st.integers(2, 6)), sessions=3, keys=2, operations=(1, 3))
    made = generate(draw(st.integers(0, 1 << 32)), replace(shape, lists=draw(st.booleans())))
    transactions = list(made.transactions)
    for _ in range(draw(st.integers(0, 3))):
        place = draw(st.integers(0, len(transactions) - 1))
        operations = list(transactions[place].operations)
        at = draw(st.integers(0, len(operations) - 1))
        key = operations[at].key
        seen = [
            o.value for t in transactions for o in t.operations if o.kind == "r" and o.key == key
        ]
        if operations[at].kind == "r":
            operations[at] = operations[at]._replace(value=draw(st.sampled_from(seen)))
        session, status = draw(st.integers(0, 2)), draw(STATUSES)
        transactions[place] = Recorded(f"T{place}", session, tuple(operations), status)
    return replace(made, transactions=tuple(transactions), internal_from=draw(INTERNAL))


EVERY_KIND = pytest.mark.parametrize(
    "made", [histories(), list_histories(), damaged()], ids=["registers", "lists", "damaged"]
)


class Oracle:
    """The levels of one history by their definitions."""

    def __init__(self, history: RecordedHistory, sessions: bool, real_time: bool = False) -> None:
        self.transactions = history.transactions
        self.lists = history.kind == "list"
        owner = self.owner = {
            (o.key, o.value): place
            for place, transaction in enumerate(history.transactions)
            for o in transaction.operations
            if o.kind != "r"
        }
        counted = {
            place
            for place, transaction in enumerate(history.transactions)
            if transaction.status is Status.COMMITTED
        }
        while True:
            seen = {
                owner[o.key, value]
                for place in counted
                for o in history.transactions[place].operations
                if o.kind == "r"
                for value in self._values(o)
            }
            more = {p for p in seen if history.transactions[p].status is Status.UNKNOWN}
            if more <= counted:
                break
            counted |= more
        self.counted = sorted(counted)
        self.last: dict[tuple[int, object], object] = {}
        for place in self.counted:
            for o in history.transactions[place].operations:
                if o.kind != "r":
                    self.last[place, o.key] = o.value
        self.writers: dict[object, set[int]] = {}
        for place, key in self.last:
            self.writers.setdefault(key, set()).add(place)
        self.reads: dict[int, list[tuple[object, int]]] = {place: [] for place in self.counted}
        """Of each transaction, what it read from others: (key, writer), in program order."""
        self.every: dict[int, list[tuple[object, int]]] = {place: [] for place in self.counted}
        """The same with the reads that contradict their transaction."""
        self.internal = False
        self.internal_from = history.internal_from
        look = self._sound_lists if self.lists else self._sound
        looked = [look(place) for place in self.counted]
        self.sound = all(looked)
        ordered = itertools.combinations(self.counted, 2)
        self.so: Pairs = {(a, b) for a, b in ordered if sessions and self._session(a, b)}
        if real_time:
            pairs = itertools.permutations(self.counted, 2)
            self.so |= {(a, b) for a, b in pairs if self._ended_before(a, b)}
        self.wr = {(w, t) for t, reads in self.every.items() for _, w in reads if w != ROOT}
        self.ww = self._shown_order() if self.lists and self.sound else set()

    def _values(self, read: Operation) -> tuple[object, ...]:
        """Whose writes a read saw."""
        if self.lists:
            assert isinstance(read.value, tuple)
            return read.value
        return () if read.value is None else (read.value,)

    def _session(self, a: int, b: int) -> bool:
        return self.transactions[a].session == self.transactions[b].session

    def _ended_before(self, a: int, b: int) -> bool:
        end, begin = self.transactions[a].end, self.transactions[b].begin
        return isinstance(end, int) and isinstance(begin, int) and end < begin

    def _from(self, place: int, key: object, value: object) -> int | None:
        """Who wrote what a transaction read; None where no level allows that."""
        writer = self.owner[key, value]
        aborted = self.transactions[writer].status is Status.ABORTED
        if writer == place or aborted or self.last[writer, key] != value:
            return None
        return writer

    def _sound(self, place: int) -> bool:
        """Whether the reads of a transaction are ones that some level allows at all."""
        own: dict[object, object] = {}
        for o in self.transactions[place].operations:
            if o.kind == "w":
                own[o.key] = o.value
            elif o.key in own:
                if own[o.key] != o.value:
                    self.internal = True
                    others = o.value is not None and self.owner[o.key, o.value] != place
                    if others and self._from(place, o.key, o.value) is None:
                        return False
            elif o.value is None:
                self.reads[place].append((o.key, ROOT))
            else:
                writer = self._from(place, o.key, o.value)
                if writer is None:
                    return False
                self.reads[place].append((o.key, writer))
        self.every[place] = self.reads[place]
        return True

    def _sound_lists(self, place: int) -> bool:
        """The same for lists: what a read shows is the list before the transaction's appends."""
        own: dict[object, tuple[object, ...]] = {}
        first: dict[object, tuple[object, ...]] = {}
        for o in self.transactions[place].operations:
            mine = own.get(o.key, ())
            if o.kind == "a":
                own[o.key] = (*mine, o.value)
                continue
            value = self._values(o)
            if len(set(value)) < len(value):
                return False
            if any(self.transactions[self.owner[o.key, v]].status is Status.ABORTED for v in value):
                return False
            others = tuple(v for v in value if self.owner[o.key, v] != place)
            if any(not self._whole(o.key, others, i) for i in range(len(others))):
                return False
            before = value[: max(0, len(value) - len(mine))]
            contradicts = (*before, *mine) != value
            if o.key in first and mine and before != first[o.key]:
                contradicts = True
            if contradicts:
                self.internal = True
                while value and self.owner[o.key, value[-1]] == place:
                    value = value[:-1]
                before = value
            if before:
                writer = self._from(place, o.key, before[-1])
                if writer is None:
                    return False
                self.every[place].append((o.key, writer))
            elif not contradicts:
                self.every[place].append((o.key, ROOT))
            if not contradicts:
                self.reads[place].append(self.every[place][-1])
                first.setdefault(o.key, before)
        return True

    def _whole(self, key: object, line: tuple[object, ...], at: int) -> bool:
        """Whether a list has all that the transaction of one element appended, in order.

        At the end of the list, what it appended later may be missing.
        """
        operations = self.transactions[self.owner[key, line[at]]].operations
        appended = [o.value for o in operations if o.kind == "a" and o.key == key]
        place = appended.index(line[at])
        if not set(appended[:place]) <= set(line[:at]):
            return False
        return at + 1 == len(line) or set(appended[place + 1 :]) <= set(line[at + 1 :])

    def _shown_order(self) -> Pairs:
        """What the lists show: their elements in order, and before all that nobody saw."""
        result: Pairs = set()
        for key, writers in self.writers.items():
            lists = [
                self._values(o)
                for place in self.counted
                for o in self.transactions[place].operations
                if o.kind == "r" and o.key == key
            ]
            longest = max(lists, key=len, default=())
            if any(longest[: len(each)] != each for each in lists):
                self.sound = False
            shown = [self.owner[key, v] for v in longest]
            unseen = [w for w in writers if w not in shown]
            for i, a in enumerate(shown):
                result |= {(a, b) for b in (*shown[i + 1 :], *unseen) if a != b}
        return result

    def orders(self) -> Iterator[dict[int, int]]:
        for order in itertools.permutations(self.counted):
            at = {t: i for i, t in enumerate(order)}
            at[ROOT] = -1
            if all(at[a] < at[b] for a, b in self.so | self.wr | self.ww):
                yield at

    def allows(
        self, axiom: Callable[[dict[int, int], int, int, int], bool], every: bool = False
    ) -> bool:
        """Whether some order has no writer ``t2`` between a read and its writer that the axiom
        relates to the read. ``axiom(at, t2, t3, i)``: ``i`` is the read's place in ``t3``."""
        if not self.sound:
            return False
        return any(
            all(
                not (at[t1] < at[t2] and axiom(at, t2, t3, i))
                for t3, reads in (self.every if every else self.reads).items()
                for i, (key, t1) in enumerate(reads)
                for t2 in self.writers.get(key, ())
                if t2 not in (t1, t3)
            )
            for at in self.orders()
        )

    def holds(self, level: str) -> bool:
        weakest = level in ("PL-2", "ReadCommitted")
        if self.internal and not (weakest and self.internal_from == READ_ATOMIC):
            return False
        causes = _closure(self.so | self.wr)
        direct = self.so | self.wr
        writes = {t: {k for p, k in self.last if p == t} for t in self.counted}

        def prefix(at: dict[int, int], t2: int, t3: int, _: int) -> bool:
            return any((t, t3) in direct and at[t2] <= at[t] for t in self.counted)

        def conflict(at: dict[int, int], t2: int, t3: int, _: int) -> bool:
            return any(at[t2] <= at[t4] < at[t3] and writes[t3] & writes[t4] for t4 in self.counted)

        axioms: dict[str, Callable[[dict[int, int], int, int, int], bool]] = {
            # Adya's PL-2, where sessions do not count, has no axiom beyond the order itself.
            "PL-2": lambda at, t2, t3, i: False,
            "ReadCommitted": lambda at, t2, t3, i: any(w == t2 for _, w in self.every[t3][:i]),
            "ReadAtomic": lambda at, t2, t3, i: (t2, t3) in direct,
            "Causal": lambda at, t2, t3, i: (t2, t3) in causes,
            "Prefix": prefix,
            "SnapshotIsolation": lambda at, t2, t3, i: (
                prefix(at, t2, t3, i) or conflict(at, t2, t3, i)
            ),
            "Serializable": lambda at, t2, t3, i: at[t2] < at[t3],
            "StrictSerializable": lambda at, t2, t3, i: at[t2] < at[t3],
        }
        return self.allows(axioms[level], every=weakest)


def _closure(pairs: Pairs) -> Pairs:
    closed = set(pairs)
    while True:
        more = {(a, d) for a, b in closed for c, d in closed if b == c} - closed
        if not more:
            return closed
        closed |= more


@EVERY_KIND
@settings(max_examples=cases(60, 1_500), deadline=None)
@given(data=st.data())
def test_every_level_with_sessions_is_its_definition(
    made: st.SearchStrategy[RecordedHistory], data: st.DataObject
) -> None:
    history = data.draw(made)
    oracle = Oracle(history, sessions=True)
    without = Oracle(history, sessions=False)
    judgement = judge(history, session_order=True)
    for name, level in judgement.levels.items():
        if name == "RepeatableRead":
            continue
        expected = "holds" if oracle.holds(name) else "violated"
        assert level.verdict == expected, (name, level)
        plain = "PL-2" if name == "ReadCommitted" else name
        if name != "Causal":
            expected = "holds" if without.holds(plain) else "violated"
            assert judgement.without_sessions.get(name) == expected, (name, level)


@EVERY_KIND
@settings(max_examples=cases(60, 1_500), deadline=None)
@given(data=st.data())
def test_every_level_without_sessions_is_its_definition(
    made: st.SearchStrategy[RecordedHistory], data: st.DataObject
) -> None:
    history = data.draw(made)
    without, strong = Oracle(history, sessions=False), Oracle(history, sessions=True)
    for name, level in judge(history, session_order=False).levels.items():
        if name == "RepeatableRead":
            continue
        oracle, plain = without, "PL-2" if name == "ReadCommitted" else name
        if name.startswith("StrongSession"):
            oracle, plain = strong, name.removeprefix("StrongSession")
        expected = "holds" if oracle.holds(plain) else "violated"
        assert level.verdict == expected, (name, level)


@EVERY_KIND
@settings(max_examples=cases(160, 4_000), deadline=None)
@given(data=st.data())
def test_the_verdict_without_sessions_is_that_of_the_levels_without_sessions(
    made: st.SearchStrategy[RecordedHistory], data: st.DataObject
) -> None:
    """Also RepeatableRead, which the axioms leave out."""
    history = data.draw(made)
    plain = judge(history, session_order=False).levels
    judgement = judge(history, session_order=True)
    for name, level in judgement.levels.items():
        expected = None if name == "Causal" else plain[name].verdict
        assert judgement.without_sessions.get(name) == expected, (name, level)


@EVERY_KIND
@settings(max_examples=cases(60, 1_500), deadline=None)
@given(data=st.data())
def test_strict_serializability_is_its_definition(
    made: st.SearchStrategy[RecordedHistory], data: st.DataObject
) -> None:
    history = data.draw(made)
    times = st.one_of(st.none(), st.integers(0, 12))
    timed = []
    for place, transaction in enumerate(history.transactions):
        begin, end = data.draw(times), data.draw(times)
        if begin is not None and end is not None and end < begin:
            begin, end = end, begin
        timed.append(replace(transaction, name=f"T{place}", begin=begin, end=end))
    history = replace(history, transactions=tuple(timed))
    sessions = data.draw(st.booleans())
    levels = judge(history, session_order=sessions).levels
    assert ("StrictSerializable" in levels) == history.timed
    if history.timed:
        strict = levels["StrictSerializable"]
        oracle = Oracle(history, sessions, real_time=True)
        assert strict.verdict == ("holds" if oracle.holds("StrictSerializable") else "violated")
        if isinstance(strict.witness, ExplainedCycle):
            Verifier(history, "StrictSerializable", sessions).check(strict.witness)
