"""How long the verdicts take for histories whose version order is unknown.

Run it with ``python benchmarks/history_speed.py [TRANSACTIONS]``. Each row is one history in
memory, judged at every level with the order of sessions, as valid and with one planted anomaly;
``blind`` is the share of writes that do not read their key first.
"""

from __future__ import annotations

import gc
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from checker.foreign.decide import judge
from checker.foreign.generator import Shape, generate
from checker.foreign.levels import SERIALIZABLE, SNAPSHOT

EXPECTED = {
    None: ("holds", "holds"),
    "lost update": ("violated", "violated"),
    "long fork": ("violated", "violated"),
    "write skew": ("violated", "holds"),
}


def main(largest: int) -> None:
    gc.disable()  # as the command does
    print(f"{'transactions':>12} {'keys':>7} {'blind':>6} {'planted':12} {'s':>7} {'cpu s':>7}")
    for transactions in (largest // 10, largest):
        for keys, blind in ((transactions // 10, 0.5), (transactions, 1.0)):
            for planted, expected in EXPECTED.items():
                shape = Shape(transactions, sessions=20, keys=keys, blind=blind)
                history = generate(1, shape, planted)
                start, cpu = time.perf_counter(), time.process_time()
                levels = judge(history, session_order=True).levels
                seconds, used = time.perf_counter() - start, time.process_time() - cpu
                found = levels[SERIALIZABLE].verdict, levels[SNAPSHOT].verdict
                assert found == expected, found
                print(
                    f"{transactions:12,} {keys:7,} {blind:6.1f} {planted or 'nothing':12} "
                    f"{seconds:7.2f} {used:7.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
