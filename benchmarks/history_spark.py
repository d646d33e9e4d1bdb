"""The time of `isodelta history --spark`, beside that of the checker in memory.

Run it with ``python benchmarks/history_spark.py [TRANSACTIONS] [--memory]``. Histories of eight
operations a transaction are written to Parquet in parts, so that making them needs no more memory
than a part. Each row is a whole process, from the start of Spark to the verdicts; "times" is
relative to a tenth of the transactions. ``--memory`` judges the same file in memory too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PART = 100_000
OPERATIONS = 8
BLOCK = 20
KEYS = 100_000


SCHEMA = pa.schema(
    [
        ("transaction", pa.int64()),
        ("write", pa.bool_()),
        ("key", pa.int64()),
        ("writer", pa.int64()),
    ]
)


def write(path: Path, transactions: int) -> None:
    """A history in blocks of transactions that each read what the blocks before it left.

    Half of the transactions only read; the others read and write alike. So some edges lead back,
    within blocks, and a few of them close cycles.
    """
    random = np.random.default_rng(7)
    last = np.zeros(KEYS, dtype=np.int64)
    with pq.ParquetWriter(path, SCHEMA) as file:
        for first in range(1, transactions + 1, PART):
            count = min(PART, transactions + 1 - first)
            transaction = np.repeat(np.arange(first, first + count), OPERATIONS)
            write = random.random(len(transaction)) < 0.5
            write &= np.repeat(random.random(count) < 0.5, OPERATIONS)
            key = random.integers(0, KEYS, len(transaction))
            writer = transaction.copy()
            for begin in range(0, len(transaction), BLOCK * OPERATIONS):
                part = slice(begin, begin + BLOCK * OPERATIONS)
                reads, writes = ~write[part], write[part]
                writer[part][reads] = last[key[part][reads]]
                last[key[part][writes]] = transaction[part][writes]
            columns = {"transaction": transaction, "write": write, "key": key, "writer": writer}
            file.write_table(pa.table(columns, schema=SCHEMA))


def run(path: Path, *options: str) -> tuple[float, float, dict[str, object]]:
    """Seconds, seconds of processor time with children, and the levels."""
    command = [sys.executable, "-m", "isodelta", "history", str(path), "--json", *options]
    before, start = os.times(), time.perf_counter()
    answer = subprocess.run(command, stdout=subprocess.PIPE, check=False)
    seconds, after = time.perf_counter() - start, os.times()
    used = after.children_user + after.children_system
    used -= before.children_user + before.children_system
    return seconds, used, json.loads(answer.stdout)["levels"]


def main(largest: int, in_memory: bool) -> None:
    print(f"{'transactions':>12} {'how':10} {'s':>7} {'cpu s':>7} {'times':>6}  load", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        before: dict[str, float] = {}
        for transactions in (largest // 10, largest):
            path = Path(folder) / f"{transactions}.parquet"
            write(path, transactions)
            levels = {}
            ways = {"Spark": ("--master", "local[2]")} | ({"memory": ()} if in_memory else {})
            for name, options in ways.items():
                seconds, used, levels[name] = run(path, *options)
                times = f"{seconds / before[name]:6.1f}" if name in before else ""
                print(
                    f"{transactions:12,} {name:10} {seconds:7.1f} {used:7.1f} {times:>6}  "
                    f"{os.getloadavg()[0]:.1f}",
                    flush=True,
                )
                before[name] = seconds
            assert len({json.dumps(told) for told in levels.values()}) == 1, "they differ"
            verdicts = {name: level["verdict"] for name, level in levels["Spark"].items()}
            print(f"{'':12} {verdicts}", flush=True)


if __name__ == "__main__":
    numbers = [argument for argument in sys.argv[1:] if argument.isdigit()]
    main(int(numbers[0]) if numbers else 10_000_000, "--memory" in sys.argv)
