"""Histories judged by segments: the same verdicts, witnesses, orders and refusals as in memory."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from checker.recorded.arrays.history import InvalidHistory, LargeHistory
from isodelta.commands.history.on_spark import result_of_judged
from isodelta.commands.history.results import HistoryResult, judge_file
from isodelta.exits import BadInput
from pipeline.segments.intervals import covered, united
from pipeline.segments.judge import judge
from tests.nightly import cases
from tests.pipeline.segments.local_stages import LocalStages
from tests.pipeline.segments.random_histories import random_history


def in_memory(table: pa.Table, path: Path) -> HistoryResult:
    pq.write_table(table, path)
    return judge_file(path, "parquet", None, 60)


def told(result: HistoryResult) -> dict[str, object]:
    return {**result.to_json(), "seconds": None}


def test_segments_say_what_the_checker_in_memory_says(tmp_path: Path) -> None:
    met = set()
    path = tmp_path / "history.parquet"
    for seed in range(cases(100, 5_000)):
        random, history = Random(seed), random_history(seed)
        expected = in_memory(pa.table(history.columns()), path)
        stages = LocalStages(history, seed, most_segments=random.choice((1, 2, 3, 100)))
        judged = judge(stages, most_operations=random.choice((1, 10, 30, 1000)))
        assert told(result_of_judged(path, judged)) == told(expected), seed
        met |= {(level, result.verdict.anomaly) for level, result in expected.levels.items()}
        met |= {("too large", bool(judged.too_large)), ("segments", min(2, judged.segments))}
    assert met >= {
        ("Serializable", None),
        ("Serializable", "G-single-log"),
        ("WriteSerializable", "lost update"),
        ("WriteSerializable", "G1c"),
        ("WriteSerializable", "unwritten read"),
        ("SnapshotIsolation", None),
        ("SnapshotIsolation", "G-SIa (interference)"),
        ("SnapshotIsolation", "G-SIb (missed effects)"),
        ("SnapshotIsolation", "non-repeatable read"),
        ("too large", True),
        ("segments", 2),
    }


class DamagedStages(LocalStages):
    """The stages over a table that may be anything of the schema."""

    def __init__(self, table: pa.Table, seed: int) -> None:
        self.random = Random(seed)
        self.recorded_snapshots = "snapshot" in table.column_names
        self.table = table.append_column("operation", pa.array(np.arange(table.num_rows)))
        self.most_segments = 3


def damaged(history: LargeHistory, random: Random) -> pa.Table:
    """The history with one or two of its numbers replaced."""
    columns = history.columns()
    for _ in range(random.choice((1, 1, 2))):
        name = random.choice([name for name in columns if name != "write"])
        at = random.randrange(len(history.transaction))
        columns[name] = columns[name].copy()
        columns[name][at] += random.choice((-50, -1, 1, 2, 10**8))
    return pa.table(columns)


def test_what_is_refused_in_memory_is_refused_in_the_same_words(tmp_path: Path) -> None:
    met = set()
    path = tmp_path / "history.parquet"
    for seed in range(cases(100, 5_000)):
        table = damaged(random_history(seed), Random(seed))
        try:
            expected = told(in_memory(table, path))
        except BadInput as error:
            with pytest.raises(InvalidHistory) as refused:
                judge(DamagedStages(table, seed))
            assert f"{path}: {refused.value}" == str(error), seed
            met.add(" ".join(str(error).split()[-3:]))
        else:
            judged = judge(DamagedStages(table, seed))
            assert told(result_of_judged(path, judged)) == expected, seed
    # Backwards, negative writers, snapshots that are two or late, and numbers out of range.
    assert {"of the log", "the initial state", "has two snapshots", "the transaction itself"} <= met
    assert len(met) >= 6


def test_a_history_without_operations_is_refused() -> None:
    nothing = LargeHistory(*(np.zeros(0, dtype=kind) for kind in (int, bool, int, int)))
    with pytest.raises(InvalidHistory, match="there is no operation in this history"):
        judge(LocalStages(nothing, 0))


def test_unions_of_intervals_and_covers_of_them() -> None:
    random = Random(1)
    for _ in range(200):
        low = np.array([random.randrange(60) for _ in range(random.randint(1, 12))])
        high = low + np.array([random.randint(1, 6) for _ in low])
        unions = united(low, high)
        # A cut between two transactions is one that no interval goes over.
        cuts = {at for at in range(70) if not ((low <= at) & (high > at)).any()}
        assert cuts == {
            at for at in range(70) if not any(a <= at < b for a, b in zip(*unions, strict=True))
        }
        most = random.randint(1, 5)
        few = covered(*unions, most)
        assert len(few[0]) == min(most, len(unions[0]))
        assert all(
            any(a <= first and last <= b for a, b in zip(*few, strict=True))
            for first, last in zip(*unions, strict=True)
        )
        assert (few[0][1:] > few[1][:-1]).all()
