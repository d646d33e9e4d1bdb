"""How far the solver gets: transactions against seconds, on one core.

Run it with ``python benchmarks/synthesis_speed.py [TRANSACTIONS] [SECONDS]``. Each line asks for
a history of n writers over three partitions that the rules admit and the level of the table
forbids; ``none`` is a proof for that size, ``unknown`` means that the limit in seconds (120
unless given) was too short. A series ends with its first ``unknown``.
"""

from __future__ import annotations

import sys

from checker.synthesis.search import exists
from model.profiles import profile
from model.rules.base import SERIALIZABLE, WRITE_SERIALIZABLE

SERIES = (
    ("delta-spark-4.4", SERIALIZABLE, 1),
    ("delta-spark-4.4", WRITE_SERIALIZABLE, 1),
    ("delta-spark-4.4-repaired", WRITE_SERIALIZABLE, 1),
    ("delta-spark-4.4", SERIALIZABLE, 2),
    ("delta-spark-4.4-repaired", WRITE_SERIALIZABLE, 2),
)
"""Profile, level of the table, and values of a data column (with 2, files are variables)."""


def main(transactions: int, seconds: int) -> None:
    """Prints a line for each size of each series."""
    for name, level, values in SERIES:
        for n in range(1, transactions + 1):
            limit = seconds * 1000
            result = exists(n, level, profile(name), timeout_ms=limit, values=values)
            shown = f"{name:25} {level:18} {values} {n:2}  {result.answer:8}{result.seconds:8.2f} s"
            print(shown, flush=True)
            if result.answer == "unknown":
                break


if __name__ == "__main__":
    asked = [int(argument) for argument in sys.argv[1:]]
    main(*(*asked, *(8, 120)[len(asked) :]))
