"""The facts of a history as literals: variables for a search, constants for one given history.

Both kinds have the same shape, so the encodings of levels (``execution``, ``refutation``) serve
for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, combinations, permutations

from checker.separation.key_value.clauses import FALSE, TRUE, Clauses, Values
from checker.separation.key_value.history import (
    INITIAL,
    KeyValueHistory,
    PredicateRead,
    Read,
    Transaction,
    Write,
)

Sources = Mapping[int, int]
"""For each writer of a version, the literal that says that this version was read."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a history, and the kinds of operations that it may contain.

    ``blind_writes``: whether a transaction may write a key that it has not read. ``read_order``:
    whether the order of reads within a transaction matters. ``reads_of_key``: how many times a
    transaction may read one key; two such reads return different versions.
    """

    transactions: int
    keys: int
    predicates: bool = False
    blind_writes: bool = True
    read_order: bool = False
    reads_of_key: int = 1

    @property
    def places(self) -> range:
        """The places of the reads of keys: each key once, then each key again."""
        return range(self.keys * self.reads_of_key)

    @property
    def predicate(self) -> int:
        """The place of the predicate read among the reads, after all reads of keys."""
        return len(self.places)

    def key(self, place: int) -> int:
        """The key that the read at a place reads."""
        return place % self.keys


@dataclass
class Facts:
    """A history as literals. Transactions and keys are numbers.

    ``reads[t][p]`` has the sources of the read at a place, ``rows[t][k]`` those of a row that a
    predicate read returned; ``absent[t][k]`` says that a predicate read did not return the key.
    ``earlier[t][p, q]``: the read at place ``p`` comes before the one at ``q``.
    """

    shape: Shape
    writes: list[list[int]]
    matching: list[list[int]]
    initially: list[int]
    reads: list[list[Sources]]
    asks: list[int]
    rows: list[list[Sources]]
    absent: list[list[int]]
    session: dict[tuple[int, int], int]
    earlier: list[dict[tuple[int, int], int]] = field(default_factory=list)
    writer: list[int] = field(default_factory=list)

    def matches(self, writer: int, key: int) -> int:
        """Whether a version matches the predicate."""
        return self.initially[key] if writer == INITIAL else self.matching[writer][key]

    def wrote(self, writer: int, key: int) -> int:
        """Whether a writer wrote a version of a key."""
        return TRUE if writer == INITIAL else self.writes[writer][key]

    def returned(self) -> Iterator[tuple[int, int, int, int, int]]:
        """(transaction, place of the read, key, writer, literal) of each version returned."""
        for t in range(self.shape.transactions):
            for place in self.shape.places:
                for source, literal in self.reads[t][place].items():
                    yield t, place, self.shape.key(place), source, literal
            for k in range(self.shape.keys):
                for source, literal in self.rows[t][k].items():
                    yield t, self.shape.predicate, k, source, literal


def unknown(shape: Shape, clauses: Clauses) -> Facts:
    """Any history of a shape whose reads fit the commit order 0, 1, 2, ...

    This loses nothing: if a level holds, some commit order fits, and transactions can be numbered
    in that order.
    """
    new = clauses.variable
    keys, numbers = range(shape.keys), range(shape.transactions)
    per_key = [FALSE] * shape.keys
    facts = Facts(
        shape,
        writes=[[new() for _ in keys] for _ in numbers],
        matching=[[new() if shape.predicates else FALSE for _ in keys] for _ in numbers],
        initially=[new() for _ in keys] if shape.predicates else per_key,
        reads=[[{s: new() for s in range(INITIAL, t)} for _ in shape.places] for t in numbers],
        asks=[new() if shape.predicates else FALSE for _ in numbers],
        rows=[
            [{s: new() for s in range(INITIAL, t)} if shape.predicates else {} for _ in keys]
            for t in numbers
        ],
        absent=[[new() if shape.predicates else FALSE for _ in keys] for _ in numbers],
        session={(a, b): new() for a, b in combinations(numbers, 2)},
    )
    _sessions_are_chains(facts, clauses)
    for t in numbers:
        facts.writer.append(clauses.some_of(facts.writes[t]))
        facts.earlier.append(_read_order(shape, clauses))
        clauses.add(
            facts.writer[t], facts.asks[t], *(v for r in facts.reads[t] for v in r.values())
        )
        for place in shape.places:
            _versions_exist(facts, facts.reads[t][place], shape.key(place), clauses)
        _repeated_reads(facts, t, clauses)
        for k in keys:
            clauses.add(-facts.matching[t][k], facts.writes[t][k])
            if not shape.blind_writes:
                clauses.add(-facts.writes[t][k], *facts.reads[t][k].values())
            _versions_exist(facts, facts.rows[t][k], k, clauses)
            if shape.predicates:
                rows = facts.rows[t][k]
                clauses.add(-facts.absent[t][k], facts.asks[t])
                clauses.add(-facts.asks[t], facts.absent[t][k], *rows.values())
                for source, literal in rows.items():
                    clauses.add(-literal, facts.asks[t])
                    clauses.add(-literal, -facts.absent[t][k])
                    clauses.add(-literal, facts.matches(source, k))
    return facts


def _versions_exist(facts: Facts, sources: Sources, key: int, clauses: Clauses) -> None:
    """A read returns at most one version, and only a version that was written."""
    clauses.at_most_one([*sources.values()])
    for source, literal in sources.items():
        clauses.add(-literal, facts.wrote(source, key))


def _repeated_reads(facts: Facts, t: int, clauses: Clauses) -> None:
    """A second read of a key comes after a first one, and returns a different version."""
    shape, reads = facts.shape, facts.reads[t]
    for place in shape.places[shape.keys :]:
        first = place - shape.keys
        for source, literal in reads[place].items():
            clauses.add(-literal, *reads[first].values())
            for other in range(shape.key(place), place, shape.keys):
                clauses.add(-literal, -reads[other][source])
        if facts.earlier[t]:
            clauses.add(facts.earlier[t][first, place])


def _sessions_are_chains(facts: Facts, clauses: Clauses) -> None:
    so = facts.session
    for a, b, c in combinations(range(facts.shape.transactions), 3):
        for one, other, third in permutations(((a, b), (b, c), (a, c))):
            if one < other:
                clauses.add(-so[one], -so[other], so[third])


def _read_order(shape: Shape, clauses: Clauses) -> dict[tuple[int, int], int]:
    if not shape.read_order:
        return {}
    places = range(len(shape.places) + shape.predicates)
    earlier: dict[tuple[int, int], int] = {}
    for p, q in combinations(places, 2):
        earlier[p, q] = clauses.variable()
        earlier[q, p] = -earlier[p, q]
    for p, q, r in permutations(places, 3):
        clauses.add(-earlier[p, q], -earlier[q, r], earlier[p, r])
    return earlier


def operations(facts: Facts, clauses: Clauses) -> list[int]:
    """One literal for each operation that the history may have."""
    reads = [clauses.some_of(sources.values()) for sources in chain.from_iterable(facts.reads)]
    writes = chain.from_iterable(facts.writes)
    return [*reads, *writes, *(asks for asks in facts.asks if asks > 0)]


def details(facts: Facts) -> list[int]:
    """One literal for each detail besides operations that makes a history harder to read."""
    rows = (literal for row in chain.from_iterable(facts.rows) for literal in row.values())
    matching = chain.from_iterable(facts.matching)
    literals = (*facts.session.values(), *rows, *matching, *facts.initially)
    return [literal for literal in literals if literal != FALSE]


def concrete(facts: Facts, values: Values) -> KeyValueHistory:
    """The history that the values of the literals describe."""
    true = values.true

    def chosen(sources: Sources, key: int) -> list[Read]:
        return [Read(key, s) for s, literal in sources.items() if true(literal)]

    shape, sessions = facts.shape, list(range(facts.shape.transactions))
    for (a, b), literal in facts.session.items():
        if true(literal):
            sessions[b] = sessions[a]
    numbers = {session: number for number, session in enumerate(dict.fromkeys(sessions))}
    transactions = []
    for t in range(shape.transactions):
        keys = range(shape.keys)
        reads: list[tuple[int, Read | PredicateRead]] = [
            (place, read)
            for place in shape.places
            for read in chosen(facts.reads[t][place], shape.key(place))
        ]
        if true(facts.asks[t]):
            rows = tuple(read for k in keys for read in chosen(facts.rows[t][k], k))
            reads.append((shape.predicate, PredicateRead(rows)))
        earlier = facts.earlier[t]
        if earlier:
            before = {p: sum(true(earlier[q, p]) for q, _ in reads if q != p) for p, _ in reads}
            reads.sort(key=lambda placed: before[placed[0]])
        writes = tuple(
            Write(k, true(facts.matching[t][k])) for k in keys if true(facts.writes[t][k])
        )
        transactions.append(
            Transaction(numbers[sessions[t]], tuple(read for _, read in reads), writes)
        )
    initially = frozenset(k for k in range(shape.keys) if true(facts.initially[k]))
    return KeyValueHistory(tuple(transactions), shape.keys, initially)


def known(history: KeyValueHistory) -> Facts:
    """The literals of one history: ``TRUE`` or ``FALSE``, or left out if false."""
    transactions, keys = history.transactions, range(history.keys)
    shape = Shape(
        len(transactions),
        history.keys,
        history.has_predicates,
        read_order=True,
        reads_of_key=max([1, *(transaction.most_reads for transaction in transactions)]),
    )
    facts = Facts(
        shape,
        writes=[[_literal(t.writes_key(k)) for k in keys] for t in transactions],
        matching=[
            [_literal(history.matches(t, k)) for k in keys] for t in range(shape.transactions)
        ],
        initially=[_literal(k in history.initially_matching) for k in keys],
        reads=[[{} for _ in shape.places] for _ in transactions],
        asks=[FALSE for _ in transactions],
        rows=[[{} for _ in keys] for _ in transactions],
        absent=[[FALSE for _ in keys] for _ in transactions],
        session={
            (a, b): TRUE
            for a, b in combinations(range(shape.transactions), 2)
            if transactions[a].session == transactions[b].session
        },
        writer=[_literal(bool(t.writes)) for t in transactions],
    )
    for t, transaction in enumerate(transactions):
        places = []
        for read in transaction.reads:
            if isinstance(read, Read):
                place = next(p for p in shape.places[read.key :: shape.keys] if p not in places)
                facts.reads[t][place] = {read.writer: TRUE}
                places.append(place)
                continue
            facts.asks[t] = TRUE
            rows = {row.key: row.writer for row in read.rows}
            facts.rows[t] = [{rows[k]: TRUE} if k in rows else {} for k in keys]
            facts.absent[t] = [_literal(k not in rows) for k in keys]
            places.append(shape.predicate)
        facts.earlier.append(dict.fromkeys(combinations(places, 2), TRUE))
    return facts


def _literal(value: bool) -> int:
    return TRUE if value else FALSE
