"""The tasks of the stages on Spark: functions over Arrow batches, which need no Spark themselves.

A task gives its few results as pickled objects, and bulk as columns.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from checker.recorded.arrays.history import Array
from pipeline.segments.chunks import judged
from pipeline.segments.intervals import Intervals, Union, united
from pipeline.segments.log_order import LogPass
from pipeline.segments.versions import Edges, VersionPass

PICKLED = "result binary"
FOUND = "kind byte, low long, high long, key long"
"""The rows that the pass over versions gives: ``low`` and ``high`` of an interval, or the
transaction and the writer of an unwritten read with its ``key``, or a transaction whose snapshot
is late."""
INTERVAL, UNWRITTEN, LATE = range(3)
EDGES = "kind string, source long, target long, key long"
SIZES = "segment long, operations long"
MEMBERS = "chunk long, transaction long, write boolean, key long, writer long"


def pickled(*results: object) -> pa.RecordBatch:
    """Results as rows of bytes."""
    rows = [pickle.dumps(result) for result in results]
    return pa.record_batch({"result": pa.array(rows, pa.binary())})


def log_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The runs of operations that a task sees, and how many nulls each column has."""
    runs, nulls = LogPass(), dict[str, int]()
    end = 0
    for batch in batches:
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            nulls[name] = nulls.get(name, 0) + column.null_count
        columns = _columns(batch)
        if "operation" not in columns:
            columns["operation"] = np.arange(end, end + batch.num_rows)
            end += batch.num_rows
        runs.add(
            columns["operation"],
            columns["transaction"],
            columns["write"],
            columns["key"],
            columns["writer"],
            columns.get("snapshot"),
        )
    yield pickled((runs.runs, nulls))


def version_task(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The findings of the pass over versions, of sorted operations."""
    versions = VersionPass()
    for batch in batches:
        edges = _edges(versions, batch)
        low, high = united(*edges.backward())
        yield _found(INTERVAL, low, high)
        transaction, writer, key = edges.unwritten
        if len(transaction):
            first = transaction == transaction.min()
            yield _found(UNWRITTEN, transaction[first], writer[first], key[first])
        if len(edges.late):
            yield _found(LATE, edges.late.min(keepdims=True))


def _edges(versions: VersionPass, batch: pa.RecordBatch) -> Edges:
    columns = _columns(batch)
    return versions.add(
        columns["key"],
        columns["writer"],
        columns["transaction"],
        columns["write"],
        columns.get("snapshot"),
    )


def edge_task(batches: Iterable[pa.RecordBatch], transaction: int) -> Iterator[pa.RecordBatch]:
    """The edges from and to a transaction, of sorted operations."""
    versions = VersionPass()
    for batch in batches:
        edges = _edges(versions, batch)
        for kind, (source, target, key) in (
            ("wr", edges.wr),
            ("rw", edges.rw),
            ("ww", edges.ww),
        ):
            own = (source == transaction) | (target == transaction)
            names = pa.array([kind] * int(own.sum()), pa.string())
            rows = {"source": source[own], "target": target[own], "key": key[own]}
            yield pa.record_batch({"kind": names, **rows})


def union_task(batches: Iterable[pa.RecordBatch], most: int) -> Iterator[pa.RecordBatch]:
    """The findings sorted by kind and beginning, in few rows: unions, and the first of others."""
    union = Union(most)
    unwritten: tuple[Array, ...] = ()
    late: Array | None = None
    for batch in batches:
        columns = _columns(batch)
        kind, low, high, key = (columns[name] for name in ("kind", "low", "high", "key"))
        interval = kind == INTERVAL
        if interval.any():
            union.add(low[interval], high[interval])
        of_reads = kind == UNWRITTEN
        if of_reads.any():
            reads: tuple[Array, ...] = (low[of_reads], high[of_reads], key[of_reads])
            if unwritten:
                reads = tuple(np.concatenate(pair) for pair in zip(unwritten, reads, strict=True))
            first = reads[0] == reads[0].min()
            unwritten = tuple(column[first] for column in reads)
        if (kind == LATE).any():
            earliest = low[kind == LATE].min(keepdims=True)
            late = earliest if late is None else np.minimum(late, earliest)
    yield _found(INTERVAL, *union.result())
    if unwritten:
        yield _found(UNWRITTEN, *unwritten)
    if late is not None:
        yield _found(LATE, late)


def size_task(batches: Iterable[pa.RecordBatch], segments: Intervals) -> Iterator[pa.RecordBatch]:
    """The number of operations of each segment that a task sees."""
    sizes = np.zeros(len(segments[0]), dtype=np.int64)
    for batch in batches:
        at, inside = _place(_columns(batch)["transaction"], segments)
        sizes += np.bincount(at[inside], minlength=len(sizes))
    seen = np.flatnonzero(sizes)
    yield pa.record_batch({"segment": seen, "operations": sizes[seen]})


def member_task(
    batches: Iterable[pa.RecordBatch], segments: Intervals, chunk_of: Array
) -> Iterator[pa.RecordBatch]:
    """The operations of segments, each with its chunk."""
    for batch in batches:
        transaction = _columns(batch)["transaction"]
        at, inside = _place(transaction, segments)
        kept = batch.filter(pa.array(inside))
        columns = {name: kept.column(name) for name in ("transaction", "write", "key", "writer")}
        yield pa.record_batch({"chunk": pa.array(chunk_of[at[inside]]), **columns})


def judge_task(group: pa.Table, chunks: Sequence[Intervals], wanted: Sequence[int]) -> pa.Table:
    """The decisions of one chunk."""
    columns = _columns(group)
    segments = chunks[int(columns["chunk"][0])]
    decisions = judged(
        segments,
        columns["transaction"],
        columns["write"],
        columns["key"],
        columns["writer"],
        wanted,
    )
    return pa.Table.from_batches([pickled(decisions)])


def _place(transaction: Array, segments: Intervals) -> tuple[Array, Array]:
    """The segment that begins last before each transaction, and whether it is in there."""
    low, high = segments
    at = np.searchsorted(low, transaction, side="right") - 1
    return at, (at >= 0) & (transaction <= high[at])


def _found(kind: int, low: Array, high: Array | None = None, key: Array | None = None) -> Any:
    zeros = np.zeros(len(low), dtype=np.int64)
    return pa.record_batch(
        {
            "kind": pa.array(np.full(len(low), kind, dtype=np.int8)),
            "low": pa.array(low),
            "high": pa.array(zeros if high is None else high),
            "key": pa.array(zeros if key is None else key),
        }
    )


def _columns(batch: pa.RecordBatch | pa.Table) -> dict[str, Array]:
    """The columns as arrays; a null, which is refused elsewhere, counts as 0."""
    result = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.null_count:
            column = column.fill_null(False if pa.types.is_boolean(column.type) else 0)
        if isinstance(column, pa.ChunkedArray):
            result[name] = column.to_numpy()
        else:
            result[name] = column.to_numpy(zero_copy_only=False)
    return result
