"""Key-value histories with predicate reads.

A transaction first reads, in some order, and then writes; reads of its own writes are left out,
because they say nothing about other transactions. There is one predicate, ``P``, which a version
either matches or not. A predicate read returns the versions of the keys that match; if it does not
return a key, the version it saw does not match, but which version that is remains open.
"""

from __future__ import annotations

from dataclasses import dataclass

from checker.recorded.history import Operation, Recorded, RecordedHistory

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
    """A read of all that matches the predicate: it returned exactly the versions in ``rows``."""

    rows: tuple[Read, ...]


@dataclass(frozen=True, slots=True)
class Write:
    """A write of one key; ``matches`` says whether the new version matches the predicate."""

    key: int
    matches: bool = False


@dataclass(frozen=True, slots=True)
class Transaction:
    """The operations of one transaction. Transactions of one session are in session order."""

    session: int
    reads: tuple[Read | PredicateRead, ...]
    writes: tuple[Write, ...]

    @property
    def operations(self) -> int:
        """The number of operations; a predicate read counts as one."""
        return len(self.reads) + len(self.writes)

    @property
    def most_reads(self) -> int:
        """The largest number of reads of one key, not counting predicate reads."""
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
        """The number of operations of all transactions together."""
        return sum(transaction.operations for transaction in self.transactions)

    @property
    def has_predicates(self) -> bool:
        """Whether some transaction reads by the predicate."""
        return any(
            isinstance(read, PredicateRead)
            for transaction in self.transactions
            for read in transaction.reads
        )

    def matches(self, writer: int, key: int) -> bool:
        """Whether a writer's version of a key matches the predicate."""
        if writer == INITIAL:
            return key in self.initially_matching
        return any(w.key == key and w.matches for w in self.transactions[writer].writes)

    def renamed(self) -> KeyValueHistory:
        """The same history with its keys in the order in which they first occur."""
        used: dict[int, int] = {}
        for transaction in self.transactions:
            for read in transaction.reads:
                for row in read.rows if isinstance(read, PredicateRead) else (read,):
                    used.setdefault(row.key, len(used))
            for write in transaction.writes:
                used.setdefault(write.key, len(used))
        for key in range(self.keys):
            used.setdefault(key, len(used))

        def read_of(read: Read) -> Read:
            return Read(used[read.key], read.writer)

        return KeyValueHistory(
            tuple(
                Transaction(
                    transaction.session,
                    tuple(
                        read_of(read)
                        if isinstance(read, Read)
                        else PredicateRead(tuple(sorted(map(read_of, read.rows), key=_place)))
                        for read in transaction.reads
                    ),
                    tuple(
                        sorted(
                            (Write(used[w.key], w.matches) for w in transaction.writes), key=_place
                        )
                    ),
                )
                for transaction in self.transactions
            ),
            self.keys,
            frozenset(used[key] for key in self.initially_matching),
        )

    def larger(self, transactions: int) -> KeyValueHistory:
        """The same history with idle transactions added, each in a session of its own.

        Each one reads a key that no transaction writes. No level's verdict changes, so a smallest
        history answers for every larger number of transactions.
        """
        first = 1 + max((transaction.session for transaction in self.transactions), default=-1)
        idle = (
            Transaction(session, (Read(self.keys, INITIAL),), ())
            for session in range(first, first + transactions - len(self.transactions))
        )
        return KeyValueHistory((*self.transactions, *idle), self.keys + 1, self.initially_matching)

    def lines(self) -> tuple[str, ...]:
        """One line for each transaction, and one for the keys that match initially."""
        lines = []
        for number, transaction in enumerate(self.transactions):
            shares = sum(other.session == transaction.session for other in self.transactions) > 1
            session = f" (session {transaction.session + 1})" if shares else ""
            words = [_read(read) for read in transaction.reads]
            words += [self._write(number, write) for write in transaction.writes]
            lines.append(f"T{number + 1}{session}: {', '.join(words)}")
        if self.has_predicates:
            rows = ", ".join(KEYS[k] for k in sorted(self.initially_matching)) or "nothing"
            lines.append(f"at first {rows} matches P")
        return tuple(lines)

    def _write(self, number: int, write: Write) -> str:
        version = f"w({KEYS[write.key]}{number + 1})"
        if self.has_predicates:
            version += ", in P" if write.matches else ", not in P"
            return f"[{version}]"
        return version

    def recorded(self) -> RecordedHistory:
        """The history as other tools record it. Raises ``ValueError`` for predicate reads."""
        recorded = []
        for number, transaction in enumerate(self.transactions):
            operations = []
            for read in transaction.reads:
                if isinstance(read, PredicateRead):
                    raise ValueError("a recorded history has no predicate reads")
                value = None if read.writer == INITIAL else read.writer + 1
                operations.append(Operation("r", KEYS[read.key], value))
            operations += [Operation("w", KEYS[w.key], number + 1) for w in transaction.writes]
            recorded.append(Recorded(f"T{number + 1}", transaction.session, tuple(operations)))
        recorded.sort(key=lambda transaction: transaction.session)
        return RecordedHistory("register", tuple(recorded))


def _place(of: Read | Write) -> int:
    return of.key


def _read(read: Read | PredicateRead) -> str:
    if isinstance(read, Read):
        return f"r({_version(read)})"
    return f"r(P: {' '.join(map(_version, read.rows)) or 'nothing'})"


def _version(read: Read) -> str:
    return f"{KEYS[read.key]}{read.writer + 1}"
