"""Judging in Python what a Spark session has: recorded histories in DataFrames.

::

    from isodelta import spark

    result = spark.judge(session.table("operations"))
    print(result.levels["Serializable"].verdict.verdict)
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from isodelta.commands.history.on_spark import result_of_judged
from isodelta.commands.history.results import HistoryResult
from pipeline.segments.frames import judge_frame
from pipeline.segments.judge import MOST_OPERATIONS

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["judge"]


def judge(
    frame: DataFrame, name: str = "history", *, most_operations: int = MOST_OPERATIONS
) -> HistoryResult:
    """Judges a history of any size, as ``isodelta history --spark`` does.

    The DataFrame has the columns of ``docs/histories.md``, a row for each operation, in any order;
    with ``operation``, the place of each in the log, sentences name places. It is read several
    times. A task on the executors, which need this package too, holds about ``most_operations``.

    Raises:
        checker.recorded.arrays.history.InvalidHistory: it is not a history; the text says why.
    """
    return result_of_judged(Path(name), judge_frame(frame, most_operations))
