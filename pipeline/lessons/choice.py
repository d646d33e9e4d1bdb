"""The choice of what to replay: the histories that show most of what was not shown before.

A greedy cover. A lesson counts in full the first time, and less each time after that: an engine may
do something right once and wrong in another place. So the choice goes on to be useful when
everything has been shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from heapq import heapify, heappop, heappush
from typing import TypeVar

K = TypeVar("K")

WEIGHTS = {
    "alone": 4.0,
    "edge": 3.0,
    "otherwise": 3.0,
    "only": 2.0,
}
"""Lessons that are worth more than others, by the word before the colon or the space.

A rule that alone refuses a transaction shows in the outcome if it is missing; where two levels or
two profiles differ, so does a rule that mistakes one for the other.
"""

FADING = 0.5
"""What a lesson is worth the next time, relative to the time before."""


def weight(lesson: str) -> float:
    """What a lesson is worth the first time."""
    return WEIGHTS.get(lesson.split(":", 1)[0].split(" ", 1)[0], 1.0)


def chosen_first(
    candidates: Mapping[K, Sequence[str]], shown: Mapping[str, int], count: int
) -> Iterator[tuple[K, list[str]]]:
    """The best ``count`` candidates in their order, each with its lessons.

    ``candidates`` are their lessons; ``shown`` says how often a lesson was shown before. Of equal
    ones the first comes first. A candidate without lessons is chosen last.
    """
    times = dict(shown)

    def worth(lessons: Sequence[str]) -> float:
        # Without the length a history of many transactions would always win.
        return sum(weight(x) * FADING ** times.get(x, 0) for x in lessons) / (2 + len(lessons))

    order = {key: place for place, key in enumerate(candidates)}
    heap = [(-worth(lessons), order[key], key) for key, lessons in candidates.items()]
    heapify(heap)
    left = count
    while heap and left:
        _, place, key = heappop(heap)
        lessons = candidates[key]
        # What a candidate is worth only falls: one that is still the best is the best.
        now = -worth(lessons)
        if heap and now > heap[0][0]:
            heappush(heap, (now, place, key))
            continue
        for lesson in lessons:
            times[lesson] = times.get(lesson, 0) + 1
        left -= 1
        yield key, list(lessons)
