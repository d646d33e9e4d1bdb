"""Random histories with a known order of versions: mostly clean, and with every kind of mistake."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from random import Random

import numpy as np

from checker.recorded.arrays.history import LargeHistory


def random_history(seed: int) -> LargeHistory:
    """Up to forty transactions, each at a snapshot of late; some numbers may be left out."""
    random = Random(seed)
    numbers = _numbers(random)
    keys = random.choice((1, 2, 4, 8, 30))
    scale, shift = random.choice(((1, 0), (1, -5), (10**15, 0)))
    share = random.choice((0.1, 0.5, 0.9))
    plan = []
    for _ in numbers:
        of_writes = 0 if random.random() < 0.4 else share
        steps = random.randint(1, 4)
        plan.append([(random.random() < of_writes, random.randrange(keys)) for _ in range(steps)])
    writers: dict[int, list[int]] = defaultdict(list)
    for number, steps in zip(numbers, plan, strict=True):
        for key in sorted({key for write, key in steps if write}):
            writers[key].append(number)
    # How often a read sees any version of its key, or names one that nobody wrote.
    wild, out_of_thin_air = random.choice((0, 0, 0, 0.02, 0.1, 0.5)), random.choice((0, 0, 0, 0.02))
    lag, lags = random.choice((0, 1, 1, 2, 5)), random.choice((0, 0.1, 0.5, 1))
    rows = []
    for number, steps in zip(numbers, plan, strict=True):
        snapshot = max(0, number - 1 - (random.randint(0, lag) if random.random() < lags else 0))
        recorded = snapshot if random.random() < 0.95 else random.randrange(number)
        for write, key in steps:
            seen = bisect_right(writers[key], snapshot)
            version = writers[key][seen - 1] if seen else 0
            if random.random() < out_of_thin_air:
                version = random.choice((random.randrange(numbers[-1] + 5), number))
            elif random.random() < wild:
                version = random.choice([0, *writers[key]])
            elif number in writers[key] and random.random() < 0.1:
                version = number
            rows.append(
                (number, write, key * scale + shift, number if write else version, recorded)
            )
    transaction, write, key, writer, snapshot = (
        np.array(column) for column in zip(*rows, strict=True)
    )
    by_number = np.zeros(numbers[-1], dtype=np.int64)
    by_number[transaction - 1] = snapshot
    recorded_too = random.random() < 0.5
    return LargeHistory(
        transaction, write.astype(bool), key, writer, by_number if recorded_too else None
    )


def _numbers(random: Random) -> list[int]:
    gaps = random.choice((0, 0, 0.2))
    number = 1 + (random.randrange(30) if gaps else 0)
    numbers = []
    for _ in range(random.choice((1, 2, 3, 5, 10, 25, 40))):
        numbers.append(number)
        number += 1 + (random.randrange(25) if random.random() < gaps else 0)
    return numbers
