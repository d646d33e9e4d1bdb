"""Logs whose commits are read by ranges of versions: audited as any other."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from checker.logs.audit import audit
from conformance.delta_log.commit_files import CommitFile
from conformance.delta_log.stores import store
from conformance.delta_log.table_log import DataFiles, TableLog
from conformance.spark.engine import SparkEngine
from isodelta import cli
from isodelta.commands.audit.results import Audited, ReportedFinding
from isodelta.exits import FOUND
from pipeline.logs import RangedLog, read_task
from tests.command_line import objects
from tests.log_files import Action, add, append, create, delete, optimize, remove, write_log
from tests.nightly import cases


class HereLog(RangedLog):
    """The same without Spark: a task after the other."""

    def __init__(self, folder: Path, per_task: int, tasks: int) -> None:
        TableLog.__init__(self, store(str(folder)))
        self._per_task, self._tasks = per_task, tasks

    def _wave(self, parts: Sequence[Sequence[CommitFile]]) -> list[bytes]:
        import pyarrow as pa

        numbers = [pa.record_batch({"id": [number]}) for number in range(len(parts))]
        rows = pa.Table.from_batches(read_task(numbers, self.location, parts))
        return rows.sort_by("place").column("commits").to_pylist()


def random_log(folder: Path, pick: random.Random) -> None:
    """Appends, deletes and compactions, some of them not as they should be; some files damaged."""
    live: list[str] = ["f0"]
    commits: list[tuple[Action, ...]] = [create(add("f0"))]
    for version in range(1, pick.choice((1, 3, 12, 30))):
        read = max(-1, version - 1 - pick.choice((0, 0, 0, 1, 3)))
        name = pick.choice(live) if pick.random() < 0.05 else f"f{version}"
        kind = pick.random()
        if kind < 0.5 or not live:
            commits.append(append(read, add(name, p=pick.randint(1, 3))))
        elif kind < 0.8:
            gone = pick.choice(live)
            commits.append(delete(read, f"(p#1 = {pick.randint(1, 3)})", remove(gone)))
        else:
            gone = pick.choice(live)
            change = {"dataChange": False}
            commits.append(optimize(read, remove(gone, **change), add(name, **change)))
        live = [*live, name]
        if kind >= 0.5 and pick.random() < 0.9:
            live.remove(gone) if gone in live else None
    write_log(folder, *commits)
    files = sorted((folder / "_delta_log").glob("*.json"))
    for file in files[1:]:
        if pick.random() < 0.03:
            file.unlink()
        elif pick.random() < 0.03:
            file.write_bytes(file.read_bytes()[: pick.randint(0, 60)])


def told(log: TableLog, folder: Path) -> tuple[object, ...]:
    done = audit(log, DataFiles(folder))
    findings = [ReportedFinding(finding).to_json() for finding in done.findings]
    summary: Any = Audited(done, 0.0).summary.to_json()
    return findings, summary, sorted(done.state.live), [trace.name for trace in done.traces]


def test_ranges_give_the_audit_that_one_reader_gives(tmp_path: Path) -> None:
    kinds = set()
    for seed in range(cases(60, 1_000)):
        pick, folder = random.Random(seed), tmp_path / str(seed)
        random_log(folder, pick)
        expected = told(TableLog(store(str(folder))), folder)
        ranged = HereLog(folder, pick.choice((1, 2, 7, 100)), pick.choice((1, 2, 3)))
        assert told(ranged, folder) == expected, seed
        kinds |= {str(finding["finding"]) for finding in expected[0]}  # type: ignore[attr-defined]
    assert kinds >= {"removed-not-live", "file-added-twice", "version-gap", "damaged-commit"}


def test_on_spark_it_prints_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], spark_engine: SparkEngine
) -> None:
    random_log(tmp_path, random.Random(5))
    printed = []
    for options in ((), ("--spark",)):
        assert cli.run(["audit", str(tmp_path), "--json", *options]) == FOUND
        *findings, last = objects(capsys.readouterr().out)
        last["summary"]["seconds"] = 0
        printed.append((findings, last))
    assert printed[0] == printed[1]
