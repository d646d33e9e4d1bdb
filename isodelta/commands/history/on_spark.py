"""``isodelta history --spark``: Parquet histories by segments, others by components."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from checker.recorded.arrays.history import InvalidHistory
from conformance.engine import EngineError
from isodelta.commands.history.results import (
    HistoryResult,
    OrderEnds,
    judge_file,
    result_of_log,
)
from isodelta.commands.pipeline import Course, Progress
from isodelta.exits import BadInput
from isodelta.formats.formats import LARGE, histories_in, recognise
from isodelta.formats.parquet import columns_of
from pipeline.cluster.session import for_data
from pipeline.components import judge_by_components
from pipeline.segments.frames import PLACE, judge_frame
from pipeline.segments.judge import Judged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from rich.console import Console

READ_FAILURES = ("FAILED_READ_FILE", "CANNOT_READ_FILE_FOOTER")
"""The conditions of Spark's errors that say that a file is damaged."""


@dataclass
class JudgingOnSpark(Course["HistoryResult"]):
    """Each history of each path, on one Spark session."""

    files: Sequence[str]
    format_name: str | None
    session_order: bool | None
    outside_writers: bool
    initial_values: bool
    levels: Sequence[str]
    time_limit: float
    master: str | None
    doing = "starting Spark"

    def results(self, progress: Progress) -> Iterator[HistoryResult]:
        histories = [each for name in self.files for each in self._histories(Path(name))]
        with for_data(self.master) as session:
            for path, name, parts in histories:
                progress(str(path))
                if name == LARGE:
                    yield judge_on_spark(session, path, parts, self.levels, progress)
                else:
                    yield self._by_components(session, path, name)

    def _histories(self, path: Path) -> Iterator[tuple[Path, str, list[Path]]]:
        """The histories that a path names: each with its format, and its files in order."""
        parts = sorted(path.glob("*.parquet")) if path.is_dir() else []
        if parts := [part for part in parts if not part.name.startswith(".")]:
            yield path, LARGE, parts
            return
        histories = histories_in(path)
        if not histories:
            raise BadInput(f"{path}: there is no history in this folder")
        for history in histories:
            yield history, self.format_name or recognise(history), [history]

    def _by_components(self, session: SparkSession, path: Path, name: str) -> HistoryResult:
        with _spark_errors(path):
            return judge_file(
                path,
                name,
                self.session_order,
                self.time_limit,
                outside_writers=self.outside_writers,
                initial_values=self.initial_values,
                only=self.levels,
                judging=partial(judge_by_components, session),
            )

    def good(self, results: Sequence[HistoryResult]) -> bool:
        return all(result.holds for result in results)

    def words(self, result: HistoryResult, console: Console) -> None:
        from isodelta.commands.history.words import print_result

        print_result(result, console)

    def write_report(
        self, results: Sequence[HistoryResult], folder: Path, seconds: float, cut_short: str
    ) -> None:
        from isodelta.commands.history.page import write_history_report

        write_history_report(folder, results, cut_short)


def judge_on_spark(
    session: SparkSession,
    path: Path,
    parts: Sequence[Path],
    only: Sequence[str] = (),
    progress: Progress = lambda _: None,
) -> HistoryResult:
    """Judges the history whose operations are in ``parts``, one file after another.

    Raises ``BadInput`` for what ``isodelta.commands.history.results.judge_file`` refuses, and
    EngineError where Spark fails.
    """
    started = time.monotonic()
    frame = parquet_frame(session, parts)
    with _spark_errors(path):
        try:
            judged = judge_frame(frame, progress=progress)
        except InvalidHistory as error:
            raise BadInput(f"{path}: {error}") from error
    result = result_of_judged(path, judged, only)
    return replace(result, seconds=round(time.monotonic() - started, 3))


def result_of_judged(path: Path, judged: Judged, only: Sequence[str] = ()) -> HistoryResult:
    """The result that stands for a history judged by segments."""
    orders = {
        level: OrderEnds(ends.transactions, ends.first, ends.last)
        for level, ends in judged.orders.items()
    }
    return result_of_log(path, judged.transactions, judged.verdicts, orders, only)


def parquet_frame(session: SparkSession, parts: Sequence[Path]) -> DataFrame:
    """The operations of Parquet files with their places, the files one after another.

    Raises ``BadInput`` for a file of another schema.
    """
    import pyarrow.parquet as pq
    from pyspark.sql import functions as sql

    kinds = {columns_of(part): part for part in parts}
    if len(kinds) > 1:
        first, second = list(kinds.values())[:2]
        raise BadInput(f"{second}: its columns differ from those of {first}")
    (columns,) = kinds
    rows = session.read.parquet(*(_literal(part) for part in parts))
    before = sql.lit(0)
    if len(parts) > 1:
        end, start_of = 0, {}
        for part in parts:
            start_of[part.name] = end
            end += pq.read_metadata(part).num_rows
        # Spark spells names as in a URL, in its own way.
        names = [row.file_name for row in rows.select("_metadata.file_name").distinct().collect()]
        pairs = ((name, start_of[unquote(name)]) for name in names)
        before = sql.create_map(*(sql.lit(value) for pair in pairs for value in pair))[
            sql.col("_metadata.file_name")
        ]
    place = (before + sql.col("_metadata.row_index")).cast("long").alias(PLACE)
    return rows.select(*columns, place)


def _literal(path: Path) -> str:
    """A path as Spark takes it: what would stand for other characters stands for itself."""
    return "file:" + re.sub(r"([\\{}\[\]*?^])", r"\\\1", str(path.absolute()))


@contextmanager
def _spark_errors(path: Path) -> Iterator[None]:
    """Turns Spark's errors into ``BadInput`` for a damaged file, and into EngineError else."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        line = " ".join(str(error).split("\n\n", maxsplit=1)[0].split())
        if (error.getCondition() or "").startswith(READ_FAILURES):
            raise BadInput(f"{path}: {line}") from error
        raise EngineError(f"Spark failed: {line}") from error
    except (Py4JError, OSError) as error:
        raise EngineError(f"Spark failed: {error}") from error
