"""The time of ``isodelta check`` as a whole process, and where it goes.

Run it with ``python benchmarks/check_speed.py [TIMES]``. Besides wall time, which other work on
the machine lengthens, it reports the processor time of the process, and both as multiples of
what Python itself needs to start. The goal is one second of wall time for one scenario.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
ONE = "scenarios/write_serializable_hole.yaml"
ALL = tuple(sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("scenarios/*.yaml")))

BYTECODE_KEPT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
"""The environment of the processes. Without kept bytecode half of the time is compilation."""

PROGRAMS: dict[str, tuple[str, ...]] = {
    "python, nothing to do": ("-c", "pass"),
    "import isodelta": ("-c", "import isodelta"),
    "isodelta --help": ("-m", "isodelta", "--help"),
    "isodelta check, one file, --json": ("-m", "isodelta", "check", ONE, "--json"),
    "isodelta check, one file, text": ("-m", "isodelta", "check", ONE),
    "isodelta check, whole collection": ("-m", "isodelta", "check", *ALL, "--json"),
}


def measure(arguments: tuple[str, ...]) -> tuple[float, float]:
    """Wall and processor seconds of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=BYTECODE_KEPT,
        stdout=subprocess.DEVNULL,
        check=True,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, used


def main(times: int) -> None:
    measure(PROGRAMS["isodelta check, one file, text"])  # warms the caches of files and bytecode
    print(f"{'median of ' + str(times):34} {'wall s':>8} {'cpu s':>8} {'x python':>9}")
    base = 0.0
    for name, arguments in PROGRAMS.items():
        runs = [measure(arguments) for _ in range(times)]
        wall = statistics.median(run[0] for run in runs)
        used = statistics.median(run[1] for run in runs)
        base = base or used
        print(f"{name:34} {wall:8.3f} {used:8.3f} {used / base:9.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
