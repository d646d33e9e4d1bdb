"""Histories made up for tests and benchmarks: valid ones, and ones with one planted anomaly.

A valid history comes from a serial execution whose order is forgotten: only the sessions
remain, and the value that each read saw. An anomaly is planted in the middle of one.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from random import Random

from checker.recorded.history import Operation, Recorded, RecordedHistory, Status
from model.levels import CAUSAL, READ_ATOMIC, READ_COMMITTED, SERIALIZABLE, SNAPSHOT_ISOLATION

PLANTED = {
    "G1a (aborted read)": READ_COMMITTED,
    "G1b (intermediate read)": READ_COMMITTED,
    "unwritten read": READ_COMMITTED,
    "future read": READ_COMMITTED,
    "internal inconsistency": READ_COMMITTED,
    "circular information flow": READ_COMMITTED,
    "non-repeatable read": READ_ATOMIC,
    "read skew": READ_ATOMIC,
    "causality violation": CAUSAL,
    "lost update": SNAPSHOT_ISOLATION,
    "long fork": SNAPSHOT_ISOLATION,
    "write skew": SERIALIZABLE,
}
"""The anomalies that can be planted, and the weakest level here that forbids each."""


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a history, and the shape of its transactions.

    ``blind`` is the share of writes that do not read their key first. Key number k is drawn with
    a weight of ``1 / (k + 1) ** skew``: 0 is uniform, 1 Zipf's law.
    """

    transactions: int = 1000
    sessions: int = 20
    keys: int = 200
    operations: tuple[int, int] = (4, 8)
    reads: float = 0.5
    blind: float = 0.5
    lists: bool = False
    skew: float = 0.0


def key_drawer(shape: Shape, random: Random) -> Callable[[], int]:
    """A function that draws keys as a shape says."""
    if not shape.skew:
        return lambda: random.randrange(shape.keys)
    weights = list(accumulate(1 / (k + 1) ** shape.skew for k in range(shape.keys)))
    return lambda: bisect(weights, random.random() * weights[-1])


@dataclass(slots=True)
class _Run:
    shape: Shape
    random: Random
    draw: Callable[[], int]
    state: dict[int, int] = field(default_factory=dict)
    lists: dict[int, tuple[int, ...]] = field(default_factory=dict)
    last_value: int = 0
    recorded: list[Recorded] = field(default_factory=list)

    def value(self) -> int:
        self.last_value += 1
        return self.last_value

    def record(
        self, session: int, *operations: Operation, status: Status = Status.COMMITTED
    ) -> None:
        name = f"T{len(self.recorded) + 1}"
        self.recorded.append(Recorded(name, session, operations, status))

    def read(self, key: int) -> Operation:
        if self.shape.lists:
            return Operation("r", key, self.lists.get(key, ()))
        return Operation("r", key, self.state.get(key))

    def write(self, key: int) -> Operation:
        value = self.value()
        if self.shape.lists:
            self.lists[key] = (*self.lists.get(key, ()), value)
            return Operation("a", key, value)
        self.state[key] = value
        return Operation("w", key, value)

    def transaction(self) -> None:
        shape, random = self.shape, self.random
        operations: list[Operation] = []
        for _ in range(random.randint(*shape.operations)):
            key = self.draw()
            if random.random() < shape.reads:
                operations.append(self.read(key))
                continue
            if random.random() >= shape.blind:
                operations.append(self.read(key))
            operations.append(self.write(key))
        self.record(random.randrange(shape.sessions), *operations)


def generate(seed: int, shape: Shape, planted: str | None = None) -> RecordedHistory:
    """A history that is serializable in the order of its sessions, but for the planted anomaly.

    ``planted`` is a key of ``PLANTED``; it needs a shape without lists and, for some, four
    sessions.
    """
    random = Random(seed)
    run = _Run(shape, random, key_drawer(shape, random))
    middle = shape.transactions // 2
    for number in range(shape.transactions):
        if number == middle and planted is not None:
            _plant(run, planted)
        run.transaction()
    return RecordedHistory("list" if shape.lists else "register", tuple(run.recorded))


def _plant(run: _Run, planted: str) -> None:
    shape = run.shape
    x, y = run.random.sample(range(shape.keys), 2)
    a, b, c, d = run.random.sample(range(max(4, shape.sessions)), 4)
    old_x, old_y = run.read(x), run.read(y)
    if planted == "G1a (aborted read)":
        lost = Operation("w", x, run.value())
        run.record(a, lost, status=Status.ABORTED)
        run.record(b, Operation("r", x, lost.value))
    elif planted == "G1b (intermediate read)":
        first = run.write(x)
        run.record(a, first, run.write(x))
        run.record(b, Operation("r", x, first.value))
    elif planted == "unwritten read":
        run.record(a, Operation("r", x, -1))
    elif planted == "future read":
        new = run.write(x)
        run.record(a, Operation("r", x, new.value), new)
    elif planted == "internal inconsistency":
        run.record(a, run.write(x), old_x)
    elif planted == "circular information flow":
        new_x, new_y = run.write(x), run.write(y)
        run.record(a, new_x, Operation("r", y, new_y.value))
        run.record(b, new_y, Operation("r", x, new_x.value))
    elif planted == "non-repeatable read":
        new = run.write(x)
        run.record(a, new)
        run.record(b, old_x, run.read(x))
    elif planted == "read skew":
        run.record(a, old_x, old_y, run.write(x), run.write(y))
        run.record(b, old_x, run.read(y))
    elif planted == "lost update":
        run.record(a, old_x, run.write(x))
        run.record(b, old_x, run.write(x))
    elif planted == "causality violation":
        run.record(a, old_x, run.write(x))
        run.record(b, run.read(x), run.write(y))
        run.record(c, old_x, run.read(y))
    elif planted == "long fork":
        run.record(a, old_x, run.write(x))
        run.record(b, old_y, run.write(y))
        run.record(c, run.read(x), old_y)
        run.record(d, old_x, run.read(y))
    elif planted == "write skew":
        run.record(a, old_x, old_y, run.write(x))
        run.record(b, old_x, old_y, run.write(y))
    else:
        raise ValueError(f"{planted!r} cannot be planted (known: {', '.join(PLANTED)})")
