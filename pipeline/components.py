"""Histories without a known order of versions, judged by components on Spark.

A component is judged as a whole by one task, with the checker in memory; a history that does not
fall apart is one component.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa

from checker.recorded.components import components, joined
from checker.recorded.decide import Judgement, judge
from checker.recorded.history import RecordedHistory
from checker.recorded.observations import AmbiguousHistory
from model.levels import STRICT_SERIALIZABLE

RESULT = "number long, judgement binary"


def judge_by_components(
    session: Any,
    history: RecordedHistory,
    *,
    session_order: bool,
    time_limit: float,
    only: Collection[str] = (),
) -> Judgement:
    """The judgement of ``checker.recorded.decide.judge``; raises ``AmbiguousHistory`` as it does.

    Real time orders all transactions, so that a history is judged as a whole where a level that
    respects it is asked for. Each task has ``time_limit`` for its components.
    """
    decide = partial(judge, session_order=session_order, time_limit=time_limit, only=only)
    parts = components(history)
    if len(parts) < 2 or (history.timed and (not only or STRICT_SERIALIZABLE in only)):
        return decide(history)
    tasks = 2 * session.sparkContext.defaultParallelism
    rows = pa.table({"number": list(range(len(parts))), "part": list(map(pickle.dumps, parts))})
    task = partial(judge_task, session_order=session_order, time_limit=time_limit, only=only)
    frame = session.createDataFrame(rows).repartition(tasks, "number").mapInArrow(task, RESULT)
    results = []
    for row in frame.toArrow().sort_by("number").column("judgement").to_pylist():
        result = pickle.loads(row)
        if isinstance(result, AmbiguousHistory):
            raise result
        results.append(result)
    return joined(results)


def judge_task(
    batches: Iterable[Any], session_order: bool, time_limit: float, only: Collection[str]
) -> Iterator[Any]:
    """The judgements on the components that a task is given, or why one is ambiguous."""
    end = time.monotonic() + time_limit
    for batch in batches:
        results = []
        for part in batch.column("part").to_pylist():
            result: Judgement | AmbiguousHistory
            try:
                left = max(0.0, end - time.monotonic())
                result = judge(
                    pickle.loads(part), session_order=session_order, time_limit=left, only=only
                )
            except AmbiguousHistory as error:
                result = error
            results.append(pickle.dumps(result))
        numbers = batch.column("number")
        yield pa.record_batch({"number": numbers, "judgement": pa.array(results, pa.binary())})
