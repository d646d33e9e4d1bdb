"""The time of `isodelta history` for histories whose version order is known.

Run it with ``python benchmarks/history_scale.py [TRANSACTIONS]``. Each row is a whole process:
start, reading the Parquet file, the verdicts of all three levels, and the witnesses. The last
column is the seconds relative to a tenth of the transactions.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from checker.recorded.arrays.generator import Planted, generate


def write(path: Path, transactions: int, planted: Planted | None) -> None:
    made = generate(7, transactions, max(10, transactions // 5), planted)
    pq.write_table(pa.table(made.columns()), path)


def run(path: Path) -> tuple[float, float, float, dict[str, str]]:
    """Seconds, processor seconds and gigabytes of one process, and its verdicts."""
    command = [sys.executable, "-m", "isodelta", "history", str(path), "--json"]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    assert process.stdout is not None
    told = json.loads(process.stdout.read())
    usage = os.wait4(process.pid, 0)[2]
    seconds = time.perf_counter() - start
    verdicts = {name: level["verdict"] for name, level in told["levels"].items()}
    # Linux counts kilobytes, macOS bytes.
    memory = usage.ru_maxrss / (1e9 if sys.platform == "darwin" else 1e6)
    return seconds, usage.ru_utime + usage.ru_stime, memory, verdicts


def main(largest: int) -> None:
    print(f"{'transactions':>12} {'planted':12} {'s':>7} {'cpu s':>7} {'GB':>6} {'times':>6}")
    with tempfile.TemporaryDirectory() as folder:
        plants: tuple[Planted | None, ...] = (None, "write skew", "lost update")
        for planted in plants:
            before = None
            for transactions in (largest // 10, largest):
                path = Path(folder) / "history.parquet"
                write(path, transactions, planted)
                seconds, cpu, memory, verdicts = run(path)
                expected = {
                    None: ["holds", "holds", "holds"],
                    "write skew": ["violated", "violated", "holds"],
                    "lost update": ["violated", "violated", "violated"],
                }[planted]
                assert list(verdicts.values()) == expected, verdicts
                times = "" if before is None else f"{seconds / before:6.1f}"
                print(
                    f"{transactions:12,} {planted or 'nothing':12} {seconds:7.2f} {cpu:7.2f} "
                    f"{memory:6.2f} {times:>6}",
                    flush=True,
                )
                before = seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
