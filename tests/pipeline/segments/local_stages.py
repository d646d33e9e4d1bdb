"""The stages without Spark: the same tasks over the same batches, one after another.

Rows go to tasks and batches at random, as they may on a cluster.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa

from checker.recorded.arrays.history import Array, LargeHistory
from pipeline.segments import tasks
from pipeline.segments.chunks import Chunk, ChunkDecisions
from pipeline.segments.intervals import Intervals, covered, united
from pipeline.segments.log_order import Log, Run, joined
from pipeline.segments.stages import Misreadings, Operations
from pipeline.segments.versions import Edges


class LocalStages:
    """The stages over a history in arrays. ``most_segments`` is small, so that some are joined."""

    placed = True

    def __init__(self, history: LargeHistory, seed: int, most_segments: int = 3) -> None:
        self.random = Random(seed)
        columns: dict[str, Array] = dict(history.columns())
        self.recorded_snapshots = "snapshot" in columns
        columns["operation"] = np.arange(len(history.transaction))
        self.table = pa.table(columns)
        self.most_segments = most_segments

    def log(self) -> Log:
        runs: list[Run] = []
        cuts = sorted(self.random.choices(range(self.table.num_rows + 1), k=3))
        parts = [
            self.table.slice(first, end - first)
            for first, end in zip([0, *cuts], [*cuts, self.table.num_rows], strict=True)
        ]
        self.random.shuffle(parts)
        # One task may read pieces of the file that do not follow each other.
        for task in (parts[:2], parts[2:]):
            batches = [batch for part in task for batch in self.batches(part)]
            (row,) = tasks.log_task(batches)
            runs += pickle.loads(row.column("result")[0].as_py())[0]
        return joined(runs)

    def first_beyond(self, number: int) -> tuple[int, int]:
        transaction = self.table.column("transaction").to_numpy()
        at = int(np.flatnonzero(transaction > number)[0])
        return at, int(transaction[at])

    def misreadings(self, log: Log) -> Misreadings:
        found = self.by_version(self.table, tasks.version_task)
        parts = [found.filter(pa.array(mask)) for mask in self.split(found.num_rows)]
        union = partial(tasks.union_task, most=self.most_segments)
        rows = pa.Table.from_batches(
            [
                batch
                for part in parts
                for batch in union(
                    self.batches(part.sort_by([("kind", "ascending"), ("low", "ascending")]))
                )
            ]
        )
        kind, low, high, key = (rows.column(i).to_numpy() for i in range(4))
        reads, late, interval = (kind == k for k in (tasks.UNWRITTEN, tasks.LATE, tasks.INTERVAL))
        return Misreadings(
            (low[reads], high[reads], key[reads]),
            int(low[late].min()) if late.any() else None,
            covered(*united(low[interval], high[interval]), self.most_segments),
        )

    def edges_of(self, transaction: int) -> Edges:
        rows = self.by_version(self.table, partial(tasks.edge_task, transaction=transaction))
        kind = np.array(rows.column("kind").to_pylist(), dtype="U2")
        columns = [rows.column(name).to_numpy() for name in ("source", "target", "key")]
        wr, rw, ww = (
            (columns[0][kind == k], columns[1][kind == k], columns[2][kind == k])
            for k in ("wr", "rw", "ww")
        )
        nothing = np.zeros(0, dtype=np.int64)
        return Edges(wr, rw, ww, (nothing, nothing, nothing), nothing)

    def sizes(self, segments: Intervals) -> Array:
        (row,) = tasks.size_task(self.batches(self.table), segments)
        sizes = np.zeros(len(segments[0]), dtype=np.int64)
        sizes[row.column("segment").to_numpy()] = row.column("operations").to_numpy()
        return sizes

    def judged(self, chunks: Sequence[Chunk], wanted: Sequence[int]) -> list[ChunkDecisions]:
        intervals = [chunk.segments for chunk in chunks]
        low, high = (np.concatenate([each[end] for each in intervals]) for end in (0, 1))
        chunk_of = np.repeat(np.arange(len(chunks)), [len(each[0]) for each in intervals])
        members = pa.Table.from_batches(
            tasks.member_task(self.batches(self.shuffled(self.table)), (low, high), chunk_of)
        )
        decisions = []
        for number in range(len(chunks)):
            group = members.filter(pa.array(members.column("chunk").to_numpy() == number))
            row = tasks.judge_task(group, intervals, wanted)
            decisions.append(pickle.loads(row.column("result")[0].as_py()))
        self.random.shuffle(decisions)
        return decisions

    def within(self, first: int, last: int) -> Operations:
        number = self.table.column("transaction").to_numpy()
        return self.chosen((number >= first) & (number <= last))

    def operations_of(self, transactions: Sequence[int]) -> Operations:
        return self.chosen(np.isin(self.table.column("transaction").to_numpy(), transactions))

    def chosen(self, mask: Array) -> Operations:
        kept = self.table.filter(pa.array(mask))
        columns = {name: kept.column(name).to_numpy() for name in kept.column_names}
        return Operations(
            columns["operation"],
            columns["transaction"],
            columns["write"],
            columns["key"],
            columns["writer"],
            columns.get("snapshot"),
        )

    def by_version(self, table: pa.Table, task: Callable[[Any], Iterator[Any]]) -> pa.Table:
        """A task for each third of the keys."""
        third = table.column("key").to_numpy() % 3
        order = [("key", "ascending"), ("writer", "descending"), ("write", "descending")]
        parts = [table.filter(pa.array(third == part)).sort_by(order) for part in range(3)]
        return pa.Table.from_batches([row for part in parts for row in task(self.batches(part))])

    def batches(self, table: pa.Table) -> list[pa.RecordBatch]:
        """The rows in batches of a few; one that is empty among them, so that there is a schema."""
        size = self.random.choice((1, 2, 3, 7, 1000))
        empty = pa.RecordBatch.from_arrays(
            [pa.array([], field.type) for field in table.schema], schema=table.schema
        )
        return [empty, *table.combine_chunks().to_batches(max_chunksize=size)]

    def shuffled(self, table: pa.Table) -> pa.Table:
        places = list(range(table.num_rows))
        self.random.shuffle(places)
        return table.take(pa.array(places))

    def split(self, rows: int) -> list[Array]:
        side = np.array([self.random.random() < 0.5 for _ in range(rows)], dtype=bool)
        return [side, ~side]
