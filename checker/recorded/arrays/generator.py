"""Large histories with a known version order, for tests and benchmarks."""

from __future__ import annotations

from typing import Literal

import numpy as np

from checker.recorded.arrays.history import Array, LargeHistory

Planted = Literal["write skew", "lost update"]


def generate(
    seed: int, transactions: int, keys: int, planted: Planted | None = None
) -> LargeHistory:
    """Transactions of four to eight operations, each at the snapshot right before it.

    The history is serial, but for one planted anomaly in its middle: a pair of transactions
    that took the same snapshot and read the key that the other one wrote.
    """
    random = np.random.default_rng(seed)
    lengths = random.integers(4, 9, transactions)
    transaction = np.repeat(np.arange(1, transactions + 1), lengths)
    write = random.random(len(transaction)) < 0.5
    key = random.integers(0, keys, len(transaction))
    snapshot = np.arange(transactions)
    if planted is not None:
        first = transactions // 2
        mine, other = (np.flatnonzero(transaction == n) for n in (first, first + 1))
        # Keys of their own, so that nothing else is broken by the planted pair.
        x, y = keys, keys + 1
        same = planted == "lost update"
        for operations, read, written in ((mine, y, x), (other, x, x if same else y)):
            write[operations[:2]] = False, True
            key[operations[:2]] = read, written
        if same:
            key[mine[0]] = x
        snapshot[first] = first - 1
    writer = _writers(transaction, write, key, snapshot)
    return LargeHistory(transaction, write, key, writer, snapshot)


def _writers(transaction: Array, write: Array, key: Array, snapshot: Array) -> Array:
    """Whose version each operation is about: the last one that the snapshot shows."""
    base = int(transaction[-1]) + 1
    written = np.unique(key[write] * base + transaction[write])
    at = np.searchsorted(written, key * base + snapshot[transaction - 1], side="right") - 1
    last = written[np.maximum(at, 0)]
    exists = (at >= 0) & (last // base == key)
    result = np.where(exists, last % base, 0)
    result[write] = transaction[write]
    return result
