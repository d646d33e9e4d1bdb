"""Large logs of tables: their commits are read and parsed by tasks, each of a range of versions.

Each task opens its own files, since reading many small files through Spark's sources costs ten
times as much. The commits come back in order, a wave of tasks at a time while the next one runs,
so what is on the way does not grow with the log.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from checker.logs.actions import LoggedCommit
from conformance.delta_log.commit_files import CommitFile, CommitFiles
from conformance.delta_log.stores import Store, store
from conformance.delta_log.table_log import TableLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

T = TypeVar("T")

PER_TASK = 2_500
"""Commits that a task reads."""
PER_ROW = 250
"""Commits that a task gives together."""
RESULT = "place long, commits binary"


class RangedLog(TableLog):
    """The log of a table whose commits are read on Spark; else as ``TableLog``."""

    def __init__(self, place: Store, session: SparkSession, per_task: int = PER_TASK) -> None:
        super().__init__(place)
        self._session = session
        self._per_task = per_task
        self._tasks = 2 * session.sparkContext.defaultParallelism

    def _commits(self, files: list[CommitFile]) -> Iterator[LoggedCommit]:
        waves = _parts(_parts(files, self._per_task), self._tasks)
        with ThreadPoolExecutor(1) as ahead:
            running = [ahead.submit(self._wave, wave) for wave in waves[:1]]
            for following in (*waves[1:], None):
                rows = running.pop().result()
                if following is not None:
                    running.append(ahead.submit(self._wave, following))
                for row in rows:
                    yield from pickle.loads(row)

    def _wave(self, parts: Sequence[Sequence[CommitFile]]) -> list[bytes]:
        """The commits of some ranges of versions, in order, as a task pickled them."""
        task = partial(read_task, location=self.location, parts=parts)
        frame = self._session.range(0, len(parts), 1, len(parts)).mapInArrow(task, RESULT)
        return frame.toArrow().sort_by("place").column("commits").to_pylist()  # type: ignore[no-any-return]


def read_task(
    batches: Iterable[Any], location: str, parts: Sequence[Sequence[CommitFile]]
) -> Iterator[Any]:
    """The commits of the ranges whose numbers a task is given."""
    reader = CommitFiles(store(location))
    for batch in batches:
        for number in batch.column("id").to_pylist():
            for at, files in enumerate(_parts(parts[number], PER_ROW)):
                commits = [reader.read(file) for file in files]
                place = number * len(parts[0]) + at * PER_ROW
                columns = {"place": [place], "commits": [pickle.dumps(commits)]}
                yield pa.record_batch(columns)


def _parts(items: Sequence[T], size: int) -> list[Sequence[T]]:
    """Neighbouring items together, so many at a time."""
    return [items[first : first + size] for first in range(0, len(items), size)]
