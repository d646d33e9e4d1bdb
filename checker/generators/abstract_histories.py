"""Random histories of abstract engines, made without the simulator.

They test the deciders against each other, so they come from engines that check nothing as well
as from sound ones, and from statements that SQL does not have (writing a row unread). All are
well-formed, and every transaction can be run again, so the implications between the three
readings hold for each of them.

The table is ``t(k, v)``: keyed rows with ``k`` below 10, at most one for each key, and rows
that are only ever inserted, with larger ``k``, which may repeat. Few keys and values make
transactions meet.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from model.history import (
    History,
    ItemRead,
    PredicateRead,
    Row,
    RowChange,
    RowId,
    SerialResult,
    Transaction,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Choose = Callable[[int], int]
"""``choose(n)`` picks a number from 0 to n - 1; 0 is the simplest choice."""

Contents = dict[RowId, Row]
Writes = dict[RowId, Row | None]

TABLE = "t"
KEYS = 3
VALUES = 3
MOST_TRANSACTIONS = 4
POLICIES = ("commit anything", "first committer wins", "reads are unchanged")
"""What an abstract engine demands at a commit: nothing; that no row it writes was written since
its snapshot; that, besides, it would read the same rows now."""


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement: its text, the predicates that it reads, and what it then writes.

    ``effect`` gets the rows of the table and a name for new rows. ``always_commits`` marks a
    statement that writes a version even when it changes nothing, as a compaction does.
    """

    text: str
    reads: tuple[PredicateRead, ...]
    effect: Callable[[Contents, str], Writes]
    always_commits: bool = False

    def rerun(self, tables: Mapping[str, tuple[Row, ...]]) -> SerialResult:
        """Runs the statement alone on rows given as values."""
        contents = _identified(tables[TABLE])
        reads = tuple(
            tuple(row for row in contents.values() if read.matches(row)) for read in self.reads
        )
        after = _applied(contents, self.effect(contents, "rerun"))
        return SerialResult(reads, {**tables, TABLE: tuple(after.values())})


def make_history(choose: Choose) -> History:
    """Builds one history out of choices."""
    keyed = [(key, choose(VALUES + 1)) for key in range(1, KEYS + 1)]
    initial = {_key_id(key): (key, value - 1) for key, value in keyed if value}
    initial_rows = {TABLE: dict(initial)}
    base = choose(2)
    # Twice as often the policy that lets everything through: the others rarely violate a level.
    policy = POLICIES[max(0, choose(len(POLICIES) + 1) - 1)]
    names = "ABCD"[: 2 + choose(MOST_TRANSACTIONS - 1)]
    statements = {name: _statement(choose) for name in names}
    log: list[Contents] = [dict(initial)]
    begun: dict[str, int] = {}
    done: dict[str, Transaction] = {}
    while len(done) < len(names):
        waiting = [name for name in names if name not in done]
        name = waiting[choose(len(waiting))]
        if name not in begun:
            begun[name] = len(log) - 1
        else:
            done[name] = _commit(name, statements[name], begun[name], log, base, policy)
    return History(
        table=TABLE,
        base_version=base,
        initial=initial_rows,
        transactions=tuple(done[name] for name in names),
        final=tuple(log[-1].values()),
    )


def from_seed(seed: int) -> History:
    """The history of one seed; the same seed gives the same history."""
    random = Random(seed)
    return make_history(random.randrange)


def histories() -> SearchStrategy[History]:
    """A Hypothesis strategy; it shrinks towards two transactions that commit in turn."""
    from hypothesis import strategies as st

    @st.composite
    def built(draw: st.DrawFn) -> History:
        return make_history(lambda n: draw(st.integers(0, n - 1)))

    return built()


def _commit(
    name: str, statement: Statement, begun: int, log: list[Contents], base: int, policy: str
) -> Transaction:
    snapshot, current = log[begun], log[-1]
    item_reads = tuple(
        ItemRead(TABLE, key, row)
        for key, row in snapshot.items()
        if any(read.matches(row) for read in statement.reads)
    )
    writes = statement.effect(snapshot, name)
    writes_version = bool(writes) or statement.always_commits
    sound = policy == POLICIES[0] or not _stale(statement, writes, snapshot, current, policy)
    changes: tuple[RowChange, ...] = ()
    if writes_version and sound:
        changes = tuple(RowChange(TABLE, key, current.get(key), row) for key, row in writes.items())
        log.append(_applied(current, writes))
    return Transaction(
        name=name,
        text=statement.text,
        read_version=base + begun,
        commit_version=base + len(log) - 1 if writes_version and sound else None,
        committed=sound or not writes_version,
        predicate_reads=statement.reads,
        item_reads=item_reads,
        changes=changes,
        rerun=statement.rerun,
    )


def _stale(
    statement: Statement, writes: Writes, snapshot: Contents, current: Contents, policy: str
) -> bool:
    """Whether a policy refuses the commit.

    Rows are compared, not versions: a row that was changed and changed back goes unnoticed, as
    in an engine with that hole.
    """
    if any(snapshot.get(key) != current.get(key) for key in writes):
        return True
    if policy == POLICIES[1]:
        return False
    return any(
        {key: row for key, row in snapshot.items() if read.matches(row)}
        != {key: row for key, row in current.items() if read.matches(row)}
        for read in statement.reads
    )


def _applied(contents: Contents, writes: Writes) -> Contents:
    after = dict(contents)
    for key, row in writes.items():
        if row is None:
            after.pop(key, None)
        else:
            after[key] = row
    return after


def _key_id(key: int) -> RowId:
    return "setup0", key


def _identified(rows: tuple[Row, ...]) -> Contents:
    """Rows with an identity again: by key where there is one, by position otherwise."""
    contents: Contents = {}
    for position, row in enumerate(rows):
        key = row[0]
        if isinstance(key, int) and key <= KEYS:
            contents[_key_id(key)] = row
        else:
            contents["inserted", position] = row
    return contents


def _condition(choose: Choose) -> PredicateRead:
    number = choose(VALUES)
    text, matches = (
        (f"k = {number + 1}", lambda row: row[0] == number + 1),
        (f"v = {number}", lambda row: row[1] == number),
        (f"v > {number}", lambda row: row[1] > number),
        (f"k > {KEYS} AND v <> {number}", lambda row: row[0] > KEYS and row[1] != number),
        ("TRUE", lambda row: True),
        (f"v <> {number}", lambda row: row[1] != number),
    )[choose(6)]
    return PredicateRead(TABLE, text, matches)


def _value(row: Row) -> int:
    value = row[1]
    assert isinstance(value, int)
    return value


def _statement(choose: Choose) -> Statement:
    # Statements that are repeated here are those that anomalies are made of.
    makers = (
        *(_select, _insert, _delete, _set, _add, _count, _guarded, _put),
        *(_select, _set, _count, _guarded, _guarded),
        *(_guarded_put, _drop, _compact),
    )
    return makers[choose(len(makers))](choose)


def _select(choose: Choose) -> Statement:
    read = _condition(choose)
    return Statement(f"SELECT * FROM t WHERE {read.text}", (read,), lambda rows, name: {})


def _insert(choose: Choose) -> Statement:
    row = (11, choose(VALUES))
    return Statement(
        f"INSERT INTO t VALUES ({row[0]}, {row[1]})", (), lambda rows, name: {(name, 0): row}
    )


def _delete(choose: Choose) -> Statement:
    read = _condition(choose)
    return Statement(
        f"DELETE FROM t WHERE {read.text}",
        (read,),
        lambda rows, name: {key: None for key, row in rows.items() if read.matches(row)},
    )


def _set(choose: Choose) -> Statement:
    read, value = _condition(choose), choose(VALUES)
    return Statement(
        f"UPDATE t SET v = {value} WHERE {read.text}",
        (read,),
        lambda rows, name: {key: (row[0], value) for key, row in rows.items() if read.matches(row)},
    )


def _add(choose: Choose) -> Statement:
    read = _condition(choose)
    return Statement(
        f"UPDATE t SET v = (v + 1) % {VALUES} WHERE {read.text}",
        (read,),
        lambda rows, name: {
            key: (row[0], (_value(row) + 1) % VALUES)
            for key, row in rows.items()
            if read.matches(row)
        },
    )


def _count(choose: Choose) -> Statement:
    read = _condition(choose)
    return Statement(
        f"INSERT INTO t SELECT 12, count(*) % {VALUES} FROM t WHERE {read.text}",
        (read,),
        lambda rows, name: {(name, 0): (12, sum(map(read.matches, rows.values())) % VALUES)},
    )


def _guarded(choose: Choose) -> Statement:
    """Writes one place when another looks right: what write skew is made of."""
    guard, read, value, least = _condition(choose), _condition(choose), choose(VALUES), choose(3)

    def effect(rows: Contents, name: str) -> Writes:
        if sum(map(guard.matches, rows.values())) < least:
            return {}
        return {key: (row[0], value) for key, row in rows.items() if read.matches(row)}

    text = (
        f"UPDATE t SET v = {value} WHERE {read.text} AND "
        f"(SELECT count(*) FROM t WHERE {guard.text}) >= {least}"
    )
    return Statement(text, (guard, read), effect)


def _guarded_put(choose: Choose) -> Statement:
    """Writes a row that it did not read, when others look right."""
    guard, key, value = _condition(choose), 1 + choose(KEYS), choose(VALUES)

    def effect(rows: Contents, name: str) -> Writes:
        matched = any(map(guard.matches, rows.values()))
        return {} if matched else {_key_id(key): (key, value)}

    text = f"PUT ({key}, {value}) WHERE NOT EXISTS (SELECT * FROM t WHERE {guard.text})"
    return Statement(text, (guard,), effect)


def _put(choose: Choose) -> Statement:
    key, value = 1 + choose(KEYS), choose(VALUES)
    return Statement(f"PUT ({key}, {value})", (), lambda rows, name: {_key_id(key): (key, value)})


def _drop(choose: Choose) -> Statement:
    key = 1 + choose(KEYS)
    return Statement(f"DROP ROW {key}", (), lambda rows, name: {_key_id(key): None})


def _compact(choose: Choose) -> Statement:
    return Statement("OPTIMIZE t", (), lambda rows, name: {}, always_commits=True)
