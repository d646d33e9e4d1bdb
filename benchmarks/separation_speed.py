"""The time that it takes to tell every pair of levels apart, on one core.

Run it with ``python benchmarks/separation_speed.py [TRANSACTIONS]``. Each line looks at every
history of up to so many transactions over the statements of ``checker.separation.snapshots``, all
levels judged, and makes the histories that it found small. ``open`` are pairs that neither a
history nor the table nor a proof settles. The last line is the proof for histories of any size.
"""

from __future__ import annotations

import sys
import time

from checker.proofs.lemma import prove
from checker.proofs.theorems.snapshot_levels import THEOREM
from checker.separation.snapshots import separate


def main(transactions: int) -> None:
    """Prints a line for each number of transactions."""
    for n in range(1, transactions + 1):
        result = separate(n)
        verdicts = [each.verdict for each in result.separations]
        print(
            f"up to {n}: {verdicts.count('separated'):2} separated, "
            f"{verdicts.count('equal'):2} open, {result.histories:9,} histories "
            f"for {result.schedules:12,} schedules, {result.seconds:8.2f} s"
        )
    started = time.perf_counter()
    verdict = prove(THEOREM).verdict
    print(f"any number: {verdict}, {time.perf_counter() - started:.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
