"""The judge of a large history: the stages one after another, and their results put together.

What stays with this process does not grow with the history: the ends of serial orders, at most a
million intervals, the operations of the transactions on one cycle, and a segment that no task can
hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from checker.judging.verdict import Verdict
from checker.recorded.arrays.decide import (
    NONE,
    Decision,
    against_snapshot,
    unwritten,
    verdict,
)
from checker.recorded.arrays.history import (
    NUMBERS_LEFT_OUT,
    Array,
    BadRead,
    Dependencies,
    InvalidHistory,
    LargeHistory,
)
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION, WRITE_SERIALIZABLE
from pipeline.segments.chunks import Chunk, ChunkDecisions, judged, packed
from pipeline.segments.log_order import ENDS, Ends, Log, Totals
from pipeline.segments.stages import Operations, Stages

MOST_OPERATIONS = 4_000_000
"""Operations that one task judges at once: the checker needs some 150 bytes for each."""


@dataclass(frozen=True, slots=True)
class OrderEnds:
    """The ends of a serial order: how many transactions it has, the first and the last of them."""

    transactions: int
    first: tuple[int, ...]
    last: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A large history, judged: the transactions with operations, verdicts and serial orders.

    ``too_large`` has the first and the last transaction of each segment that was too large for a
    task, with the number of its operations: it was judged in this process.
    """

    transactions: int
    verdicts: dict[str, Verdict]
    orders: dict[str, OrderEnds]
    segments: int = 0
    too_large: tuple[tuple[int, int, int], ...] = ()


def judge(
    stages: Stages,
    most_operations: int = MOST_OPERATIONS,
    progress: Callable[[str], None] = lambda _: None,
) -> Judged:
    """The verdicts of ``checker.recorded.arrays.decide.judge``; raises ``InvalidHistory``."""
    progress("reading the operations in the order of the log")
    log = stages.log()
    _check(stages, log)
    progress(f"{log.totals.named:,} transactions; the versions of each key")
    misread = stages.misreadings(log)
    if len(misread.unwritten[0]):
        return Judged(log.totals.named, _unwritten(stages, misread.unwritten), {})
    segments = misread.backward
    too_large, decisions = [], []
    wanted = sorted({*log.totals.writers.first[:, 1], *log.totals.writers.last[:, 1]})
    if len(segments[0]):
        progress(f"{len(segments[0]):,} segments; their sizes")
        chunks = list(packed(segments, stages.sizes(segments), most_operations))
        fitting = [chunk for chunk in chunks if chunk.operations <= most_operations]
        progress(f"{len(segments[0]):,} segments; the cycles in each")
        decisions = stages.judged(fitting, wanted) if fitting else []
        for chunk in chunks:
            if chunk.operations > most_operations:
                too_large.append((chunk.first, chunk.last, chunk.operations))
                progress(
                    f"{chunk.operations:,} operations from {chunk.first} to {chunk.last} are one "
                    "segment, too large for a task; it is judged here"
                )
                decisions.append(_judged_here(stages, chunk, wanted))
    cycles = _first_cycles(decisions)
    if stages.recorded_snapshots:
        cycles.pop(SNAPSHOT_ISOLATION, None)
        if misread.late is not None:
            cycles[SNAPSHOT_ISOLATION] = _late(stages, misread.late)
    verdicts = {
        level: _in_words(stages, level, cycles.get(level, Decision()))
        for level in (SERIALIZABLE, WRITE_SERIALIZABLE, SNAPSHOT_ISOLATION)
    }
    moved = {place: writer for part in decisions for place, writer in part.moved.items()}
    orders = {
        SERIALIZABLE: _ends(_with_missing(log), {}),
        WRITE_SERIALIZABLE: _ends(log.totals.writers, moved),
    }
    return Judged(
        log.totals.named,
        verdicts,
        {level: ends for level, ends in orders.items() if level not in cycles},
        len(segments[0]),
        tuple(too_large),
    )


def _check(stages: Stages, log: Log) -> None:
    """Raises ``InvalidHistory`` as ``checker.recorded.arrays.history.check`` does."""
    if not log.operations:
        raise InvalidHistory("there is no operation in this history")

    def at(place: int) -> str:
        return f"operation {place}: " if stages.placed else ""

    if log.smallest < 1:
        raise InvalidHistory(f"{at(0)}transaction {log.smallest}; they are numbered from 1")
    if "backwards" in log.wrong:
        place, number, before = log.wrong["backwards"]
        raise InvalidHistory(
            f"{at(place)}transaction {number} follows transaction {before}; operations must be in "
            "the order of the log"
        )
    most = log.operations + NUMBERS_LEFT_OUT
    if log.largest > most:
        place, number = stages.first_beyond(most)
        raise InvalidHistory(
            f"{at(place)}transaction {number}; with {log.operations} operations the largest number "
            f"may be {most}"
        )
    if log.totals.two_snapshots is not None:
        raise InvalidHistory(f"transaction {log.totals.two_snapshots} has two snapshots")
    if "negative" in log.wrong:
        place, number, write, key, writer = log.wrong["negative"]
        raise InvalidHistory(
            f"{at(place)}transaction {number} {'writes' if write else 'reads'} key {key} with "
            f"writer {writer}; writers are numbered from 1, and 0 is the initial state"
        )
    if "foreign" in log.wrong:
        place, number, _, _, writer = log.wrong["foreign"]
        raise InvalidHistory(f"{at(place)}transaction {number} writes a version of {writer}")
    if stages.recorded_snapshots and log.totals.late_snapshot is not None:
        number, snapshot = log.totals.late_snapshot
        raise InvalidHistory(
            f"transaction {number} has the snapshot {snapshot}; it must come before the "
            "transaction itself"
        )


def _unwritten(stages: Stages, reads: tuple[Array, Array, Array]) -> dict[str, Verdict]:
    """The verdicts on a history with reads of versions that nobody wrote."""
    transaction, writer, key = reads
    first = int(transaction.min())
    misread = set(zip(writer[transaction == first], key[transaction == first], strict=True))
    theirs = stages.operations_of([first])
    at = next(
        place
        for place, pair in enumerate(zip(theirs.writer, theirs.key, strict=True))
        if not theirs.write[place] and pair in misread
    )
    place = int(theirs.place[at])
    bad = BadRead("unwritten read", place, first, int(theirs.writer[at]), int(theirs.key[at]))
    return unwritten(bad, f"operation {place}: " if stages.placed else "")


def _judged_here(stages: Stages, chunk: Chunk, wanted: Sequence[int]) -> ChunkDecisions:
    all_of = stages.within(chunk.first, chunk.last)
    return judged(
        chunk.segments, all_of.transaction, all_of.write, all_of.key, all_of.writer, wanted
    )


def _first_cycles(decisions: Sequence[ChunkDecisions]) -> dict[str, Decision]:
    """At each level that some chunk violates, the cycle that the whole history would show."""
    first: dict[str, tuple[int, int, Decision]] = {}
    for part in decisions:
        for level, decision in part.decisions.items():
            rank = (decision.rank, part.first)
            if decision.cycle and (level not in first or rank < first[level][:2]):
                first[level] = (*rank, decision)
    if WRITE_SERIALIZABLE in first:
        first[SERIALIZABLE] = first[WRITE_SERIALIZABLE]
    return {level: decision for level, (_, _, decision) in first.items()}


def _late(stages: Stages, transaction: int) -> Decision:
    """The cycle of a transaction whose recorded snapshot does not fit."""
    theirs = stages.operations_of([transaction])
    assert theirs.snapshot is not None
    edges = stages.edges_of(transaction)

    def ending(edges: tuple[Array, Array, Array], end: int) -> tuple[Array, Array, Array]:
        kept = edges[end] == transaction
        order = np.argsort(edges[2][kept], kind="stable")
        source, target, key = (column[kept][order] for column in edges)
        return source, target, key

    wr, ww, rw = ending(edges.wr, 1), ending(edges.ww, 1), ending(edges.rw, 0)
    graph = Dependencies(_history(theirs), transaction, np.zeros(0, dtype=bool), wr, rw, ww)
    return against_snapshot(
        graph,
        transaction,
        int(theirs.snapshot[0]),
        int(wr[0].max(initial=0)),
        int(ww[0].max(initial=0)),
        int(rw[1].min(initial=NONE)),
    )


def _in_words(stages: Stages, level: str, decision: Decision) -> Verdict:
    if not decision.cycle:
        return Verdict(level, "holds")
    numbers = sorted({end for edge in decision.cycle for end in (edge.source, edge.target)})
    theirs = stages.operations_of(numbers)
    taken = {}
    if theirs.snapshot is not None:
        taken = dict(zip(theirs.transaction.tolist(), theirs.snapshot.tolist(), strict=True))
    return verdict(level, decision, _history(theirs), taken.__getitem__)


def _history(operations: Operations) -> LargeHistory:
    return LargeHistory(operations.transaction, operations.write, operations.key, operations.writer)


def _with_missing(log: Log) -> Ends:
    """The serial order, in which numbers that are left out stand as readers of nothing."""
    totals, every = log.totals, Totals()
    every.serial.join(totals.serial)
    for numbers in (totals.missing.first[:, 1], totals.missing.last[:, 1]):
        every.serial.add(np.ones(len(numbers), dtype=np.int64), numbers)
    every.serial.count = log.largest
    return every.serial


def _ends(order: Ends, moved: dict[int, int]) -> OrderEnds:
    first, last = (
        [moved.get(number, number) for number in ends[:, 1].tolist()]
        for ends in (order.first, order.last)
    )
    beginning = min(order.count, ENDS)
    behind = min(order.count - beginning, ENDS)
    return OrderEnds(order.count, tuple(first), tuple(last[len(last) - behind :]))
