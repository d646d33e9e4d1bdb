"""The time and memory of audits of logs made up here.

Run it with ``python benchmarks/audit_speed.py [COMMITS] [--spark]``. The log has appends and
deletes by partition, about 1 KB each; two in three commits have seen the one before them, the
others overlap up to three. The first row is the whole command as a process of its own, with
``--spark`` on two cores of Spark as well (processor time is that of Python and the JVM together).
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checker.logs.audit import audit
from conformance.delta_log.stores import store
from conformance.delta_log.table_log import TableLog

PARTITIONS = 50
COLUMNS = [
    {"name": name, "type": "integer", "nullable": True, "metadata": {}} for name in ("k", "p")
]


def main(commits: int, on_spark: bool) -> None:
    print(f"{'commits':>9} {'what':12} {'s':>7} {'cpu s':>7} {'KB each':>8}")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_log(folder, commits)
        ways: dict[str, tuple[str, ...]] = {"a process": ()}
        if on_spark:
            ways["on Spark"] = ("--master", "local[2]")
        for name, options in ways.items():
            start, cpu = time.perf_counter(), _children()
            subprocess.run(
                [sys.executable, "-m", "isodelta", "audit", str(folder), "--json", *options],
                check=False,
                stdout=subprocess.DEVNULL,
            )
            seconds, used = time.perf_counter() - start, _children() - cpu
            print(f"{commits:9,} {name:12} {seconds:7.2f} {used:7.2f}", flush=True)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        start, cpu = time.perf_counter(), time.process_time()
        result = audit(TableLog(store(str(folder))))
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert result.commits == commits
        print(f"{commits:9,} {'in memory':12} {seconds:7.2f} {used:7.2f} {memory / commits:8.1f}")


def _children() -> float:
    """Processor seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def write_log(folder: Path, commits: int) -> None:
    """Writes the log of a table; there are no data files."""
    log = folder / "_delta_log"
    log.mkdir()
    pick = random.Random(1)
    for version in range(commits):
        partition = pick.randrange(PARTITIONS)
        blind = pick.random() < 0.5
        info = {
            "timestamp": 1_700_000_000_000 + version,
            "operation": "WRITE" if blind else "DELETE",
            "operationParameters": {} if blind else {"predicate": f'["(p#1 = {partition})"]'},
            "readVersion": max(-1, version - 1 - pick.choice((0, 0, 0, 0, 1, 3))),
            "isolationLevel": "Serializable",
            "isBlindAppend": blind,
            "engineInfo": "Apache-Spark/4.2.0 Delta-Lake/4.4.0",
            "userMetadata": "x" * 400,
        }
        actions: list[dict[str, object]] = [{"commitInfo": info}]
        if version == 0:
            schema = json.dumps({"type": "struct", "fields": COLUMNS})
            actions += [
                {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
                {"metaData": {"id": "t", "schemaString": schema, "partitionColumns": ["p"]}},
            ]
        if blind:
            bounds = {"k": version}
            stats = {"numRecords": 1, "minValues": bounds, "maxValues": bounds}
            added = {
                "path": f"p={partition}/part-{version:08d}.snappy.parquet",
                "partitionValues": {"p": str(partition)},
                "size": 400,
                "dataChange": True,
                "stats": json.dumps({**stats, "nullCount": {"k": 0}}),
            }
            actions.append({"add": added})
        text = "".join(json.dumps(action) + "\n" for action in actions)
        (log / f"{version:020d}.json").write_text(text)


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    main(int(numbers[0]) if numbers else 1_000, "--spark" in sys.argv)
