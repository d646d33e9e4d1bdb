"""The pass over the operations of each key: the edges that lead back in the log, and misreadings.

The operations come sorted by key, then from the last version to the first, and of one version the
write first. So the next version of a key has been seen when a read of the one before it comes,
and a task keeps two versions between batches, however many operations a key has.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from checker.recorded.arrays.history import Array


@dataclass(frozen=True, slots=True)
class Edges:
    """The edges that one batch shows, as ``checker.recorded.arrays.history`` has them.

    Each is a triple of sources, targets and keys. ``unwritten`` has the transactions, writers and
    keys of reads of versions that nobody wrote. ``late`` has the transactions whose snapshot does
    not fit an edge; it is empty where snapshots were not recorded.
    """

    wr: tuple[Array, Array, Array]
    rw: tuple[Array, Array, Array]
    ww: tuple[Array, Array, Array]
    unwritten: tuple[Array, Array, Array]
    late: Array

    def backward(self) -> tuple[Array, Array]:
        """The intervals of the edges that lead back in the log: their targets, their sources."""
        source = np.concatenate([self.wr[0], self.rw[0]])
        target = np.concatenate([self.wr[1], self.rw[1]])
        back = target < source
        return target[back], source[back]


class VersionPass:
    """One task's pass: give it the batches in order."""

    def __init__(self) -> None:
        nothing = np.zeros(0, dtype=np.int64)
        self._kept = (nothing, nothing, nothing)

    def add(
        self, key: Array, writer: Array, transaction: Array, write: Array, snapshot: Array | None
    ) -> Edges:
        """The edges of the operations of a batch, to the versions before it included."""
        kept_key, kept_writer, kept_snapshot = self._kept
        recorded = snapshot is not None
        taken = snapshot if snapshot is not None else np.zeros(len(key), dtype=np.int64)
        key = np.concatenate([kept_key, key])
        writer = np.concatenate([kept_writer, writer])
        transaction = np.concatenate([kept_writer, transaction])
        write = np.concatenate([np.ones(len(kept_key), dtype=bool), write])
        taken = np.concatenate([kept_snapshot, taken])

        version = write.copy()
        version[1:] &= (key[1:] != key[:-1]) | (writer[1:] != writer[:-1]) | ~write[:-1]
        last = np.cumsum(version) - 1
        version_key, version_writer = key[version], writer[version]
        version_taken = taken[version]
        self._kept = (version_key[-2:], version_writer[-2:], version_taken[-2:])

        read = np.flatnonzero(~write)
        place = last[read]
        key, writer, transaction, taken = key[read], writer[read], transaction[read], taken[read]
        exists = _at(version_key, place, key)
        exists[exists] = version_writer[place[exists]] == writer[exists]
        after = place - exists
        has = _at(version_key, after, key)
        following = np.zeros(len(read), dtype=np.int64)
        following[has] = version_writer[after[has]]
        outside = writer != transaction
        rw = outside & has & (following != transaction)
        wr = outside & exists
        unwritten = ~exists & (writer != 0)
        same = version_key[1:] == version_key[:-1]
        later, earlier = version_writer[:-1][same], version_writer[1:][same]
        late = (
            np.concatenate(
                [
                    transaction[wr & (writer > taken)],
                    transaction[rw & (following <= taken)],
                    later[earlier > version_taken[:-1][same]],
                ]
            )
            if recorded
            else np.zeros(0, dtype=np.int64)
        )
        return Edges(
            (writer[wr], transaction[wr], key[wr]),
            (transaction[rw], following[rw], key[rw]),
            (earlier, later, version_key[1:][same]),
            (transaction[unwritten], writer[unwritten], key[unwritten]),
            late,
        )


def _at(version_key: Array, place: Array, key: Array) -> Array:
    """Whether the version at a place is there and is one of the key."""
    result = place >= 0
    result[result] = version_key[place[result]] == key[result]
    return result
