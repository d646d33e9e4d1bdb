"""The reach of the solver: transactions against seconds, on one core.

Run it with ``python benchmarks/synthesis_speed.py [TRANSACTIONS] [SECONDS]``. Each line asks for
a history of n writers over three partitions that the rules admit and the level of the table
forbids; ``none`` is a proof for that size, ``unknown`` means that the limit in seconds (120
unless given) was too short. A series ends with its first ``unknown``.
"""

from __future__ import annotations

import sys

from checker.synthesis.search import Bounds, exists
from model.levels import SERIALIZABLE, WRITE_SERIALIZABLE
from model.profiles import profile

SERIES = (
    ("delta-spark-4.4", SERIALIZABLE, Bounds()),
    ("delta-spark-4.4", WRITE_SERIALIZABLE, Bounds()),
    ("delta-spark-4.4-repaired", WRITE_SERIALIZABLE, Bounds()),
    ("delta-spark-4.4", SERIALIZABLE, Bounds(every_kind=True)),
    ("delta-spark-4.4-repaired", WRITE_SERIALIZABLE, Bounds(every_kind=True)),
    ("delta-spark-4.4", SERIALIZABLE, Bounds(values=2)),
    ("delta-spark-4.4-repaired", WRITE_SERIALIZABLE, Bounds(values=2)),
)
"""Profile, level of the table, and what the histories consist of."""


def main(transactions: int, seconds: int) -> None:
    """Prints a line for each size of each series."""
    for name, level, bounds in SERIES:
        what = f"{bounds.values} {'every kind' if bounds.every_kind else 'no MERGE'}"
        for n in range(1, transactions + 1):
            result = exists(n, level, profile(name), bounds, timeout_ms=seconds * 1000)
            asked = f"{name:25} {level:18} {what:12} {n:2}"
            print(f"{asked}  {result.answer:8}{result.seconds:8.2f} s", flush=True)
            if result.answer == "unknown":
                break


if __name__ == "__main__":
    asked = [int(argument) for argument in sys.argv[1:]]
    main(*(*asked, *(8, 120)[len(asked) :]))
