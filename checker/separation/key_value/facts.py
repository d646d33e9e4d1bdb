"""What a history is made of, as literals: unknown for a search, known for a check of one history.

Both kinds have the same shape, so the encodings of levels (``execution``, ``refutation``) serve
for both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations, permutations

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
"""By the writer of a version, the literal that says that it was read."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How large a history is, and what it may have in it.

    ``blind_writes``: whether a transaction may write a key that it has not read. ``read_order``:
    whether the order of reads within a transaction is of interest. ``reads_of_key``: how often
    a transaction may read one key; two such reads return different versions.
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
        """The place of the predicate read among the reads; those of keys are before it."""
        return len(self.places)

    def key(self, place: int) -> int:
        """The key that the read at a place reads."""
        return place % self.keys


@dataclass
class Facts:
    """A history in literals. Transactions and keys are numbers.

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
        """Whether there is a version of a key by a writer."""
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
    """Every history of a shape, in which commit order 0, 1, 2, ... is one that fits the reads.

    Some commit order fits where a level holds, and the transactions have no other names.
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
    """A read returns one version at most, and one that somebody wrote."""
    clauses.at_most_one([*sources.values()])
    for source, literal in sources.items():
        clauses.add(-literal, facts.wrote(source, key))


def _repeated_reads(facts: Facts, t: int, clauses: Clauses) -> None:
    """A key that is read again has been read before, and another version of it."""
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
    reads = [clauses.some_of(r.values()) for each in facts.reads for r in each]
    return [*reads, *(w for each in facts.writes for w in each), *(a for a in facts.asks if a > 0)]


def details(facts: Facts) -> list[int]:
    """One literal for each thing besides operations that makes a history harder to read."""
    rows = (literal for each in facts.rows for row in each for literal in row.values())
    matching = (literal for each in facts.matching for literal in each)
    found = [*facts.session.values(), *rows, *matching, *facts.initially]
    return [literal for literal in found if literal != FALSE]


def concrete(facts: Facts, values: Values) -> KeyValueHistory:
    """The history that the values of the literals describe."""
    true = values.true

    def chosen(sources: Sources, key: int) -> list[Read]:
        return [Read(key, s) for s, literal in sources.items() if true(literal)]

    shape, sessions = facts.shape, list(range(facts.shape.transactions))
    for (a, b), literal in facts.session.items():
        if true(literal):
            sessions[b] = sessions[a]
    numbers = {each: number for number, each in enumerate(dict.fromkeys(sessions))}
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
            reads.sort(key=lambda each: before[each[0]])
        writes = tuple(
            Write(k, true(facts.matching[t][k])) for k in keys if true(facts.writes[t][k])
        )
        transactions.append(
            Transaction(numbers[sessions[t]], tuple(read for _, read in reads), writes)
        )
    initially = frozenset(k for k in range(shape.keys) if true(facts.initially[k]))
    return KeyValueHistory(tuple(transactions), shape.keys, initially)


def known(history: KeyValueHistory) -> Facts:
    """The literals of one history: each is ``TRUE`` or ``FALSE``, or missing where it is false."""
    each, keys = history.transactions, range(history.keys)
    shape = Shape(
        len(each),
        history.keys,
        history.has_predicates,
        read_order=True,
        reads_of_key=max([1, *(transaction.most_reads for transaction in each)]),
    )
    facts = Facts(
        shape,
        writes=[[_literal(t.writes_key(k)) for k in keys] for t in each],
        matching=[
            [_literal(history.matches(t, k)) for k in keys] for t in range(shape.transactions)
        ],
        initially=[_literal(k in history.initially_matching) for k in keys],
        reads=[[{} for _ in shape.places] for _ in each],
        asks=[FALSE for _ in each],
        rows=[[{} for _ in keys] for _ in each],
        absent=[[FALSE for _ in keys] for _ in each],
        session={
            (a, b): TRUE
            for a, b in combinations(range(shape.transactions), 2)
            if each[a].session == each[b].session
        },
        writer=[_literal(bool(t.writes)) for t in each],
    )
    for t, transaction in enumerate(each):
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
