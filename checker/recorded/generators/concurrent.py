"""Histories that concurrent sessions leave behind in a database of a given level.

``generator`` runs transactions one after the other. Here they overlap, as in the public
collections: a session begins a transaction, sends its operations at times of its own, and commits
or, where the level demands it, is aborted. So a history of snapshot isolation is full of write
skew, and one of read committed of reads that do not repeat.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from heapq import heapify, heapreplace
from random import Random

from checker.recorded.generators.serial import Shape, key_drawer
from checker.recorded.history import (
    INITIAL,
    Key,
    Operation,
    Recorded,
    RecordedHistory,
    Status,
    Value,
)
from model.levels import READ_COMMITTED, SERIALIZABLE, SNAPSHOT_ISOLATION

LEVELS = (READ_COMMITTED, SNAPSHOT_ISOLATION, SERIALIZABLE)
"""The levels that the database made up here can have.

Read committed reads the last committed version of each key. Snapshot isolation reads from the
begin, and aborts a transaction that writes a key which was replaced since. Serializable also aborts
a transaction that read such a key, so the order of commits is a serial one.
"""


@dataclass(slots=True)
class _Open:
    """A running transaction: the commits that its snapshot shows, and its operations so far."""

    snapshot: int
    operations: list[Operation] = field(default_factory=list)
    length: int = 0
    own: dict[Key, Value] = field(default_factory=dict)
    read: set[Key] = field(default_factory=set)


class _Database:
    """Versions of all keys, by the number of the commit that wrote them."""

    def __init__(self, level: str) -> None:
        self.level = level
        self.commits = 0
        self.values = 0
        self.versions: dict[Key, list[tuple[int, Value]]] = {}

    def read(self, running: _Open, key: Key) -> Operation:
        if key in running.own:
            return Operation("r", key, running.own[key])
        running.read.add(key)
        last = self.commits if self.level == READ_COMMITTED else running.snapshot
        versions = reversed(self.versions.get(key, []))
        return Operation("r", key, next((v for n, v in versions if n <= last), INITIAL))

    def write(self, running: _Open, key: Key) -> Operation:
        self.values += 1
        running.own[key] = self.values
        return Operation("w", key, self.values)

    def commit(self, running: _Open) -> Status:
        guarded = {
            READ_COMMITTED: set(),
            SNAPSHOT_ISOLATION: set(running.own),
            SERIALIZABLE: running.read | set(running.own),
        }[self.level]
        if any(self._last(key) > running.snapshot for key in guarded):
            return Status.ABORTED
        self.commits += 1
        for key, value in running.own.items():
            self.versions.setdefault(key, []).append((self.commits, value))
        return Status.COMMITTED

    def _last(self, key: Key) -> int:
        versions = self.versions.get(key)
        return versions[-1][0] if versions else 0


def generate_concurrent(seed: int, shape: Shape, level: str) -> RecordedHistory:
    """A history of sessions that ran at once at one of ``LEVELS``, in the order of their ends.

    ``shape.transactions`` counts the aborted ones. A write that is not blind reads its key first.
    """
    if level not in LEVELS or shape.lists:
        raise ValueError(f"no concurrent history of lists, or at {level!r} (known: {LEVELS})")
    random = Random(seed)
    draw = key_drawer(shape, random)
    database = _Database(level)
    recorded: list[Recorded] = []
    running: dict[int, _Open] = {}
    clock = [(random.random(), session) for session in range(shape.sessions)]
    heapify(clock)
    while len(recorded) < shape.transactions:
        now, session = clock[0]
        heapreplace(clock, (now + random.random(), session))
        mine = running.get(session)
        if mine is None:
            mine = running[session] = _Open(database.commits)
            mine.length = random.randint(*shape.operations)
        elif len(mine.operations) < mine.length:
            mine.operations += _step(database, mine, shape, draw(), random)
        else:
            status = database.commit(running.pop(session))
            name = f"T{len(recorded) + 1}"
            recorded.append(Recorded(name, session, tuple(mine.operations), status))
    return RecordedHistory("register", tuple(recorded))


def _step(
    database: _Database, running: _Open, shape: Shape, key: Key, random: Random
) -> Iterator[Operation]:
    if random.random() < shape.reads:
        yield database.read(running, key)
        return
    if random.random() >= shape.blind:
        yield database.read(running, key)
    yield database.write(running, key)
