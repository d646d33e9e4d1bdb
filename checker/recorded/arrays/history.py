"""A history as arrays: one entry for each operation, versions named by their writers.

Transactions are numbered from 1 in the order of the log; 0 stands for the initial state. The
versions of a key are in the order of their writers. ``docs/histories.md`` has the Parquet schema.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


NUMBERS_LEFT_OUT = 10_000_000
"""Transaction numbers that may be left out of a history, since memory grows with the largest."""


class InvalidHistory(ValueError):
    """The arrays are not a history; the text names the operation."""


@dataclass(frozen=True, slots=True)
class LargeHistory:
    """Operations, grouped by transaction in ascending order.

    ``writer`` is, for a read, the transaction whose version was read (0: the initial one); for
    a write it is the transaction itself. ``snapshot`` is, for each transaction from 1 on, the
    last transaction of the log that its snapshot shows; None where snapshots were not recorded.
    """

    transaction: Array
    write: Array
    key: Array
    writer: Array
    snapshot: Array | None = None

    @property
    def transactions(self) -> int:
        return int(self.transaction[-1]) if len(self.transaction) else 0

    @property
    def named(self) -> int:
        """How many transactions have operations: numbers may be left out."""
        return int((np.diff(self.transaction, prepend=0) != 0).sum())

    def snapshot_of(self, number: int) -> int:
        """The last transaction that a transaction's snapshot shows, where snapshots are known."""
        assert self.snapshot is not None
        return int(self.snapshot[number - 1])

    def columns(self) -> dict[str, Array]:
        """The columns of a Parquet file that holds the history, one row an operation."""
        columns = {
            "transaction": self.transaction,
            "write": self.write,
            "key": self.key,
            "writer": self.writer,
        }
        if self.snapshot is not None:
            columns["snapshot"] = self.snapshot[self.transaction - 1]
        return columns


@dataclass(frozen=True, slots=True)
class Dependencies:
    """The direct edges only; those implied by other ww and wr edges are left out.

    ``wr`` and ``rw`` are pairs of arrays (source, target), with the keys in ``*_key``. The ww
    edges lead from each version's writer to the next one's. ``writes`` says of each transaction
    whether it wrote.
    """

    history: LargeHistory
    transactions: int
    writes: Array
    wr: tuple[Array, Array, Array]
    rw: tuple[Array, Array, Array]
    ww: tuple[Array, Array, Array]


@dataclass(frozen=True, slots=True)
class BadRead:
    """A read of a version that nobody wrote: the anomaly, and where.

    ``operation`` is the place of the read, counted from 0; ``writer`` is the transaction
    that it names as the version's writer.
    """

    anomaly: str
    operation: int
    transaction: int
    writer: int
    key: int


def check_numbers(transaction: Array) -> None:
    """Raises ``InvalidHistory`` where the numbers of the transactions are not those of a log.

    ``transaction`` has the number of each operation's transaction.
    """
    if not len(transaction):
        raise InvalidHistory("there is no operation in this history")
    if transaction[0] < 1:
        raise InvalidHistory(f"operation 0: transaction {transaction[0]}; they are numbered from 1")
    backwards = np.flatnonzero(transaction[1:] < transaction[:-1])
    if len(backwards):
        at = int(backwards[0]) + 1
        raise InvalidHistory(
            f"operation {at}: transaction {transaction[at]} follows transaction "
            f"{transaction[at - 1]}; operations must be in the order of the log"
        )
    most = len(transaction) + NUMBERS_LEFT_OUT
    if transaction[-1] > most:
        at = int(np.searchsorted(transaction, most, side="right"))
        raise InvalidHistory(
            f"operation {at}: transaction {transaction[at]}; with {len(transaction)} operations "
            f"the largest number may be {most}"
        )


def check(history: LargeHistory) -> None:
    """Raises ``InvalidHistory`` if the arrays are not a history."""
    transaction, writer = history.transaction, history.writer
    check_numbers(transaction)
    if writer.min() < 0:
        at = int(np.flatnonzero(writer < 0)[0])
        done = "writes" if history.write[at] else "reads"
        raise InvalidHistory(
            f"operation {at}: transaction {transaction[at]} {done} key {history.key[at]} with "
            f"writer {writer[at]}; writers are numbered from 1, and 0 is the initial state"
        )
    wrong = np.flatnonzero(history.write & (writer != transaction))
    if len(wrong):
        at = int(wrong[0])
        raise InvalidHistory(
            f"operation {at}: transaction {transaction[at]} writes a version of {writer[at]}"
        )
    if history.snapshot is not None:
        numbers = np.arange(1, history.transactions + 1)
        late = np.flatnonzero((history.snapshot >= numbers) | (history.snapshot < 0))
        if len(late):
            number = int(late[0]) + 1
            raise InvalidHistory(
                f"transaction {number} has the snapshot {history.snapshot[number - 1]}; it must "
                "come before the transaction itself"
            )


def dependencies(history: LargeHistory) -> tuple[Dependencies, BadRead | None]:
    """The serialization graph of a history, and the first read of a version that nobody wrote.

    A read of the transaction's own version adds no edge, but the transaction must have written it.
    Several reads of one version by one transaction, and several writes of one key, count once or
    more; it makes no difference.
    """
    transactions = history.transactions
    base = transactions + 1
    low = int(history.key.min())
    span = int(history.key.max()) - low + 1
    if span > (1 << 62) // base:
        keys, number = np.unique(history.key, return_inverse=True)
    else:
        keys, number = None, history.key - low

    def key_of(codes: Array) -> Array:
        numbers: Array = codes // base
        return keys[numbers] if keys is not None else numbers + low

    write = history.write
    written = number[write] * base
    written += history.transaction[write]
    written.sort()
    if len(written) > 1:
        written = written[np.concatenate(([True], written[1:] != written[:-1]))]
    writes = np.zeros(base, dtype=bool)
    writes[history.transaction[write]] = True

    outside = ~write
    outside &= history.writer != history.transaction
    # A code stands for one version only as long as its writer is below the base.
    beyond = None
    if history.writer.max() > transactions:
        beyond = outside & (history.writer > transactions)
        outside &= ~beyond
    place = np.flatnonzero(outside)
    reader = history.transaction[place]
    read = number[place] * base
    read += history.writer[place]
    # Searching in ascending order stays in the cache.
    order = np.argsort(read, kind="stable")
    read, reader = read[order], reader[order]
    at = np.searchsorted(written, read)
    source = read % base
    exists = np.zeros(len(read), dtype=bool)
    inside = at < len(written)
    exists[inside] = written[at[inside]] == read[inside]
    unwritten = [place[order[(source > 0) & ~exists]], _unwritten_own(history, number, written)]
    if beyond is not None:
        unwritten.append(np.flatnonzero(beyond))
    bad = _bad_read(history, np.concatenate(unwritten))
    following = at + (source > 0)
    # The next version of the key, unless the reader wrote it: then the one after is implied.
    has = following < len(written)
    has[has] = written[following[has]] // base == read[has] // base
    target = np.zeros(len(read), dtype=np.int64)
    target[has] = written[following[has]] % base
    rw = has & (target != reader)
    wr = (source > 0) & exists
    same = written[1:] // base == written[:-1] // base
    first, second = written[:-1][same], written[1:][same]
    return Dependencies(
        history,
        transactions,
        writes,
        (source[wr], reader[wr], key_of(read[wr])),
        (reader[rw], target[rw], key_of(read[rw])),
        (first % base, second % base, key_of(first)),
    ), bad


def _unwritten_own(history: LargeHistory, number: Array, written: Array) -> Array:
    """The places of reads of versions that the reader is said to have written, and did not."""
    place = np.flatnonzero(~history.write & (history.writer == history.transaction))
    if not len(place) or not len(written):
        return place
    read = number[place] * (history.transactions + 1) + history.transaction[place]
    at = np.minimum(np.searchsorted(written, read), len(written) - 1)
    own: Array = place[written[at] != read]
    return own


def _bad_read(history: LargeHistory, unwritten: Array) -> BadRead | None:
    if not len(unwritten):
        return None
    first = int(unwritten.min())
    return BadRead(
        "unwritten read",
        first,
        int(history.transaction[first]),
        int(history.writer[first]),
        int(history.key[first]),
    )
