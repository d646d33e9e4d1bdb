"""The time of verdicts on histories whose version order is unknown.

Run it with ``python benchmarks/history_speed.py [TRANSACTIONS] [--small | --overlapping |
--hidden]``. Each row is one history in memory, judged at every level: valid or with one planted
anomaly, over few keys or many, drawn uniformly or by Zipf's law, with 20 sessions or with none
(each transaction its own, in the order of commits). Histories with sessions are sorted by session,
so that nothing of the order in which they ran is left. ``blind`` is the share of writes that do not
read their key first. Then come histories of sessions that overlapped in a database of one level
("at ..."), blind writes only. The last column is the time relative to the first row. ``--small``
leaves most of the grid out, ``--overlapping`` all but the sessions that overlapped.

``--hidden`` prints other rows: blind writes without sessions and in no order, with the verdict at
Serializable, which has a minute.
"""

from __future__ import annotations

import gc
import itertools
import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from random import Random

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from checker.recorded.decide import judge
from checker.recorded.generators.concurrent import LEVELS, generate_concurrent
from checker.recorded.generators.serial import Shape, generate
from checker.recorded.history import RecordedHistory
from model.levels import SERIALIZABLE, SNAPSHOT_ISOLATION

EXPECTED = {
    None: ("holds", "holds"),
    "lost update": ("violated", "violated"),
    "long fork": ("violated", "violated"),
    "causality violation": ("violated", "violated"),
    "write skew": ("violated", "holds"),
}
SESSIONS = 20

Row = tuple[Shape, bool, str, RecordedHistory, dict[str, str]]


def main(transactions: int, small: bool, overlapping: bool) -> None:
    gc.disable()  # as the command does
    print(
        f"{'sessions':>8} {'keys':>7} {'drawn':7} {'blind':>5} {'planted':19} "
        f"{'s':>7} {'cpu s':>7} {'ratio':>6}"
    )
    first = None
    for shape, sessions, what, history, expected in _rows(transactions, small, overlapping):
        if sessions:
            grouped = sorted(history.transactions, key=lambda each: each.session)
            history = replace(history, transactions=tuple(grouped))
        start, cpu = time.perf_counter(), time.process_time()
        levels = judge(history, session_order=sessions).levels
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
        first = first or used
        print(
            f"{SESSIONS if sessions else 'none':>8} {shape.keys:7,} "
            f"{'zipf' if shape.skew else 'uniform':7} {shape.blind:5.1f} {what:19} "
            f"{seconds:7.2f} {used:7.2f} {used / first:6.1f}",
            flush=True,
        )
        found = {name: levels[name].verdict for name in expected}
        assert found == expected, found
        gc.collect()


def _rows(transactions: int, small: bool, overlapping: bool) -> Iterator[Row]:
    """Shape, whether sessions count, what is in the history, the history, the verdicts expected."""
    grid = itertools.product(
        (True, False), (transactions // 100, transactions), (0.0, 1.0), (0.3, 1.0), EXPECTED
    )
    for sessions, keys, skew, blind, planted in grid:
        if overlapping or (small and (skew > 0) == (blind == 1.0)):
            continue
        number = SESSIONS if sessions else transactions
        shape = Shape(transactions, sessions=number, keys=keys, blind=blind, skew=skew)
        expected = dict(zip((SERIALIZABLE, SNAPSHOT_ISOLATION), EXPECTED[planted], strict=True))
        yield shape, sessions, planted or "nothing", generate(1, shape, planted), expected
    for keys, skew, level in itertools.product(
        (transactions // 10, transactions), (0.0, 1.0), LEVELS
    ):
        shape = Shape(transactions, sessions=SESSIONS, keys=keys, blind=1.0, skew=skew)
        history = generate_concurrent(1, shape, level)
        yield shape, True, f"at {level}", history, {level: "holds"}


def hidden(transactions: int) -> None:
    """Valid histories of which neither the sessions nor the order are left."""
    gc.disable()
    print(f"{'keys':>7} {'blind':>5} {'s':>7} {'cpu s':>7} verdict")
    for keys, blind in itertools.product((10, 100, 2000), (0.5, 1.0)):
        shape = Shape(transactions, sessions=transactions, keys=keys, blind=blind)
        recorded = list(generate(1, shape).transactions)
        Random(5).shuffle(recorded)
        alone = (replace(each, session=number) for number, each in enumerate(recorded))
        history = RecordedHistory("register", tuple(alone))
        start, cpu = time.perf_counter(), time.process_time()
        judged = judge(history, session_order=False, time_limit=60, only=[SERIALIZABLE])
        seconds, used = time.perf_counter() - start, time.process_time() - cpu
        verdict = judged.levels[SERIALIZABLE].verdict
        print(f"{keys:7,} {blind:5.1f} {seconds:7.2f} {used:7.2f} {verdict}", flush=True)
        gc.collect()


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:] if word.isdigit()]
    if "--hidden" in sys.argv:
        hidden(numbers[0] if numbers else 10_000)
    else:
        main(numbers[0] if numbers else 100_000, "--small" in sys.argv, "--overlapping" in sys.argv)
