"""Key-value histories with predicate reads: who read whose version of which key.

A transaction reads first, in an order, and writes then; what it reads of its own writes says
nothing of other transactions and is left out. There is one predicate, ``P``. A version matches it
or does not. A predicate read returns the versions of the keys that match; that another key is not
returned says that its version does not match, and not which version that is.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.recorded.history import ForeignHistory, Operation, Recorded

INITIAL = -1
"""The writer of the initial versions."""

KEYS = "xyzuvabcde"


@dataclass(frozen=True, slots=True)
class Read:
    """A read of one key: it returned the version that ``writer`` wrote."""

    key: int
    writer: int


@dataclass(frozen=True, slots=True)
class PredicateRead:
    """A read of all that matches the predicate: a version of each key in ``rows``, of no other."""

    rows: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """A write of one key; ``matches`` says whether the new version matches the predicate."""

    key: int
    matches: bool = False


@dataclass(frozen=True, slots=True)
class Transaction:
    """What one transaction did. Transactions of one session stand in its order."""

    session: int
    reads: tuple[Read | PredicateRead, ...]
    writes: tuple[Write, ...]

    @property
    def operations(self) -> int:
        """How many operations it has; a predicate read is one."""
        return len(self.reads) + len(self.writes)

    @property
    def most_reads(self) -> int:
        """How often it reads the key that it reads most often, predicate reads apart."""
        keys = [read.key for read in self.reads if isinstance(read, Read)]
        return max(map(keys.count, keys), default=0)

    def writes_key(self, key: int) -> bool:
        """Whether it writes a key."""
        return any(write.key == key for write in self.writes)


@dataclass(frozen=True, slots=True)
class KeyValueHistory:
    """Transactions, numbered by their places, and which initial versions match the predicate."""

    transactions: tuple[Transaction, ...]
    keys: int
    initially_matching: frozenset[int] = frozenset()

    @property
    def operations(self) -> int:
        """How many operations all transactions have together."""
        return sum(each.operations for each in self.transactions)

    @property
    def has_predicates(self) -> bool:
        """Whether some transaction reads by the predicate."""
        return any(
            isinstance(read, PredicateRead) for each in self.transactions for read in each.reads
        )

    def matches(self, writer: int, key: int) -> bool:
        """Whether a writer's version of a key matches the predicate."""
        if writer == INITIAL:
            return key in self.initially_matching
        return any(w.key == key and w.matches for w in self.transactions[writer].writes)

    def renamed(self) -> KeyValueHistory:
        """The same history with its keys in the order in which they first occur."""
        used: dict[int, int] = {}
        for each in self.transactions:
            for read in each.reads:
                for row in read.rows if isinstance(read, PredicateRead) else (read,):
                    used.setdefault(row.key, len(used))
            for write in each.writes:
                used.setdefault(write.key, len(used))
        for key in range(self.keys):
            used.setdefault(key, len(used))

        def read_of(read: Read) -> Read:
            return Read(used[read.key], read.writer)

        return KeyValueHistory(
            tuple(
                Transaction(
                    each.session,
                    tuple(
                        read_of(read)
                        if isinstance(read, Read)
                        else PredicateRead(tuple(sorted(map(read_of, read.rows), key=_place)))
                        for read in each.reads
                    ),
                    tuple(sorted((Write(used[w.key], w.matches) for w in each.writes), key=_place)),
                )
                for each in self.transactions
            ),
            self.keys,
            frozenset(used[key] for key in self.initially_matching),
        )

    def larger(self, transactions: int) -> KeyValueHistory:
        """The same with more transactions: each reads a key that nobody writes, alone.

        No level's verdict changes, so a smallest history answers for every larger number.
        """
        first = 1 + max((each.session for each in self.transactions), default=-1)
        idle = (
            Transaction(session, (Read(self.keys, INITIAL),), ())
            for session in range(first, first + transactions - len(self.transactions))
        )
        return KeyValueHistory((*self.transactions, *idle), self.keys + 1, self.initially_matching)

    def lines(self) -> tuple[str, ...]:
        """One line for each transaction, and one for what matches at first."""
        found = []
        for number, each in enumerate(self.transactions):
            shares = sum(other.session == each.session for other in self.transactions) > 1
            session = f" (session {each.session + 1})" if shares else ""
            words = [_read(read) for read in each.reads]
            words += [self._write(number, write) for write in each.writes]
            found.append(f"T{number + 1}{session}: {', '.join(words)}")
        if self.has_predicates:
            rows = ", ".join(KEYS[k] for k in sorted(self.initially_matching)) or "nothing"
            found.append(f"at first {rows} matches P")
        return tuple(found)

    def _write(self, number: int, write: Write) -> str:
        version = f"w({KEYS[write.key]}{number + 1})"
        if self.has_predicates:
            version += ", in P" if write.matches else ", not in P"
            return f"[{version}]"
        return version

    def foreign(self) -> ForeignHistory:
        """The history as other tools record it. Raises ``ValueError`` for predicate reads."""
        recorded = []
        for number, each in enumerate(self.transactions):
            operations = []
            for read in each.reads:
                if isinstance(read, PredicateRead):
                    raise ValueError("a recorded history has no predicate reads")
                value = None if read.writer == INITIAL else read.writer + 1
                operations.append(Operation("r", KEYS[read.key], value))
            operations += [Operation("w", KEYS[w.key], number + 1) for w in each.writes]
            recorded.append(Recorded(f"T{number + 1}", each.session, tuple(operations)))
        recorded.sort(key=lambda each: each.session)
        return ForeignHistory("register", tuple(recorded))


def _place(of: Read | Write) -> int:
    return of.key


def _read(read: Read | PredicateRead) -> str:
    if isinstance(read, Read):
        return f"r({_version(read)})"
    return f"r(P: {' '.join(map(_version, read.rows)) or 'nothing'})"


def _version(read: Read) -> str:
    return f"{KEYS[read.key]}{read.writer + 1}"
