"""The stages on Spark, over any DataFrame of operations.

The columns are those of the Parquet schema of ``docs/histories.md``. ``operation``, the place of
each operation in the log, may be there as well; then sentences name places.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as sql

from checker.recorded.arrays.history import Array, InvalidHistory
from pipeline.segments import tasks
from pipeline.segments.chunks import Chunk, ChunkDecisions
from pipeline.segments.intervals import Intervals, covered, united
from pipeline.segments.judge import MOST_OPERATIONS, Judged, judge
from pipeline.segments.log_order import Log, Run, joined
from pipeline.segments.stages import Misreadings, Operations
from pipeline.segments.versions import Edges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COLUMNS = {"transaction": "bigint", "write": "boolean", "key": "bigint", "writer": "bigint"}
SNAPSHOT, PLACE = "snapshot", "operation"
BATCH = 200_000
"""Operations that a task looks at together."""
PER_TASK = 4_000_000
"""Operations that a task sorts, unless one key has more."""
MOST_SEGMENTS = 1_000_000
"""Segments that are told apart; beyond, neighbours are judged together."""


def judge_frame(
    frame: DataFrame,
    most_operations: int = MOST_OPERATIONS,
    progress: Callable[[str], None] = lambda _: None,
) -> Judged:
    """Judges a history in a DataFrame; raises ``InvalidHistory`` where it is none.

    The DataFrame is read several times, so one that is dear to compute is better cached. A task
    holds about ``most_operations`` at once.
    """
    with _batches(frame):
        return judge(FrameStages(frame), most_operations, progress)


@contextmanager
def _batches(frame: DataFrame) -> Iterator[None]:
    """Large batches for a while: a small one costs a call into Python each."""
    conf, name = frame.sparkSession.conf, "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = conf.get(name)
    conf.set(name, BATCH)
    try:
        yield
    finally:
        conf.set(name, str(before))


class FrameStages:
    """The stages over one DataFrame; raises ``InvalidHistory`` for one of another schema."""

    def __init__(self, frame: DataFrame) -> None:
        types = dict(frame.dtypes)
        self.placed = PLACE in types
        self.recorded_snapshots = SNAPSHOT in types
        extra = [name for name in (SNAPSHOT, PLACE) if name in types]
        for name, wanted in (COLUMNS | dict.fromkeys(extra, "bigint")).items():
            if name not in types:
                raise InvalidHistory(f"there is no column {name!r} (columns: {frame.columns})")
            if types[name] != wanted:
                raise InvalidHistory(f"column {name!r} is {types[name]}, not {wanted}")
        self._frame = frame.select(*COLUMNS, *extra)
        self._tasks = 1

    def log(self) -> Log:
        """The pass in the order of the log; sets the number of tasks of the later stages."""
        frame = self._frame
        if not self.placed:
            frame = frame.repartitionByRange("transaction").sortWithinPartitions("transaction")
        rows = frame.mapInArrow(tasks.log_task, tasks.PICKLED).collect()
        runs: list[Run] = []
        nulls: dict[str, int] = {}
        for row in rows:
            some, missing = pickle.loads(row.result)
            runs += some
            for name, count in missing.items():
                nulls[name] = nulls.get(name, 0) + count
        for name in (*COLUMNS, SNAPSHOT, PLACE):
            if nulls.get(name):
                raise InvalidHistory(f"column {name!r} has {nulls[name]} nulls")
        if not self.placed:
            _place(runs)
        log = joined(runs)
        self._tasks = max(1, -(-log.operations // PER_TASK))
        return log

    def first_beyond(self, number: int) -> tuple[int, int]:
        """The place and the transaction of the first operation of a transaction above a number."""
        beyond = self._collected(self._frame.filter(sql.col("transaction") > number))
        return int(beyond.place[0]), int(beyond.transaction[0])

    def misreadings(self, log: Log) -> Misreadings:
        """The pass over the versions of each key, and the union of what leads back."""
        parts = max(1, self._tasks // 4)
        found = self._by_version(self._frame).mapInArrow(tasks.version_task, tasks.FOUND)
        is_interval = sql.col("kind") == tasks.INTERVAL
        part = sql.floor(sql.col("low") * parts / sql.lit(log.largest + 1)).cast("int")
        union = partial(tasks.union_task, most=max(1, MOST_SEGMENTS // parts))
        rows = (
            found.repartitionById(parts, sql.when(is_interval, part).otherwise(0))
            .sortWithinPartitions("kind", "low")
            .mapInArrow(union, tasks.FOUND)
            .toArrow()
        )
        kind, low, high, key = (column.to_numpy() for column in rows.columns)
        reads, late, interval = kind == tasks.UNWRITTEN, kind == tasks.LATE, kind == tasks.INTERVAL
        return Misreadings(
            (low[reads], high[reads], key[reads]),
            int(low[late].min()) if late.any() else None,
            covered(*united(low[interval], high[interval]), MOST_SEGMENTS),
        )

    def edges_of(self, transaction: int) -> Edges:
        """The edges from and to one transaction."""
        own = sql.col("transaction") == transaction
        keys = self._frame.filter(own).select("key").distinct()
        about = self._frame.filter(sql.col("write") | own).join(keys, "key", "leftsemi")
        task = partial(tasks.edge_task, transaction=transaction)
        rows = self._by_version(about).mapInArrow(task, tasks.EDGES).toArrow()
        kind = np.array(rows.column("kind").to_pylist(), dtype="U2")
        source, target, key = (rows.column(name).to_numpy() for name in ("source", "target", "key"))

        def of(name: str) -> tuple[Array, Array, Array]:
            those = kind == name
            return source[those], target[those], key[those]

        nothing = np.zeros(0, dtype=np.int64)
        return Edges(of("wr"), of("rw"), of("ww"), (nothing, nothing, nothing), nothing)

    def sizes(self, segments: Intervals) -> Array:
        """The number of operations in each segment."""
        numbers = self._spanned(segments).select("transaction")
        rows = numbers.mapInArrow(partial(tasks.size_task, segments=segments), tasks.SIZES)
        sizes = np.zeros(len(segments[0]), dtype=np.int64)
        table = rows.toArrow()
        np.add.at(sizes, table.column("segment").to_numpy(), table.column("operations").to_numpy())
        return sizes

    def judged(self, chunks: Sequence[Chunk], wanted: Sequence[int]) -> list[ChunkDecisions]:
        """The decisions of chunks; each is held by one task."""
        intervals = [chunk.segments for chunk in chunks]
        low, high = (np.concatenate([each[end] for each in intervals]) for end in (0, 1))
        chunk_of = np.repeat(np.arange(len(chunks)), [len(each[0]) for each in intervals])
        members = self._spanned((low, high)).mapInArrow(
            partial(tasks.member_task, segments=(low, high), chunk_of=chunk_of), tasks.MEMBERS
        )
        rows = (
            members.repartition(len(chunks), "chunk")
            .groupBy("chunk")
            .applyInArrow(_judging(intervals, list(wanted)), tasks.PICKLED)
            .collect()
        )
        return [pickle.loads(row.result) for row in rows]

    def within(self, first: int, last: int) -> Operations:
        """All operations of the transactions from one to another."""
        return self._collected(self._frame.filter(sql.col("transaction").between(first, last)))

    def operations_of(self, transactions: Sequence[int]) -> Operations:
        """All operations of a few transactions."""
        return self._collected(self._frame.filter(sql.col("transaction").isin(*transactions)))

    def _by_version(self, frame: DataFrame) -> DataFrame:
        """The operations of each key with one task, from its last version to the first."""
        wanted = [SNAPSHOT] if self.recorded_snapshots else []
        return (
            frame.select(*COLUMNS, *wanted)
            .repartition(self._tasks, "key")
            .sortWithinPartitions("key", sql.desc("writer"), sql.desc("write"))
        )

    def _spanned(self, segments: Intervals) -> DataFrame:
        """The operations from the first segment to the last."""
        first, last = int(segments[0].min()), int(segments[1].max())
        return self._frame.filter(sql.col("transaction").between(first, last))

    def _collected(self, frame: DataFrame) -> Operations:
        table = frame.toArrow()
        columns = {name: table.column(name).to_numpy() for name in table.column_names}
        transaction = columns["transaction"]
        place = columns.get(PLACE, np.zeros(len(transaction), dtype=np.int64))
        order = np.lexsort((columns["write"], columns["key"], place, transaction))
        snapshot = columns.get(SNAPSHOT)
        return Operations(
            place[order],
            transaction[order],
            columns["write"][order],
            columns["key"][order],
            columns["writer"][order],
            None if snapshot is None else snapshot[order],
        )


def _judging(chunks: Sequence[Intervals], wanted: Sequence[int]) -> Callable[[Any], Any]:
    """The function for a group. Spark looks at its signature, so it has the one parameter."""

    def judging(group: Any) -> Any:
        return tasks.judge_task(group, chunks, wanted)

    return judging


def _place(runs: list[Run]) -> None:
    """Gives places to runs of transactions that have none, in the order of their numbers."""
    end = 0
    for run in sorted(runs, key=lambda run: run.head.number):
        length = run.end - run.first
        run.first, run.end = end, end + length
        end += length
