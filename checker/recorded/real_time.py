"""Real time: which transactions ended before others began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from checker.recorded.history import Recorded, Time


def real_time_order(transactions: Sequence[Recorded]) -> Iterator[tuple[int, int]]:
    """Pairs of transactions, by place: the first ended before the second began.

    Pairs that follow from others are left out, so that there are about as many pairs for each
    transaction as there were transactions running at once. An end and a begin at one time are not
    ordered.
    """
    events: list[tuple[Time, bool, int]] = []
    for number, transaction in enumerate(transactions):
        if transaction.begin is not None:
            events.append((transaction.begin, False, number))
        if transaction.end is not None:
            events.append((transaction.end, True, number))
    events.sort()
    last: dict[int, None] = {}
    ended_before: dict[int, tuple[int, ...]] = {}
    for _, ends, number in events:
        if not ends:
            ended_before[number] = tuple(last)
            yield from ((earlier, number) for earlier in last)
            continue
        # All that follows this one follows from it for those that ended before it began.
        for earlier in ended_before.pop(number, ()):
            last.pop(earlier, None)
        last[number] = None
