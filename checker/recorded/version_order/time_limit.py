"""The time limit of a decision, for the loops that can take long."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

NO_LIMIT = float("inf")
"""The deadline of work without a time limit."""

STEPS = 1024
"""Steps of a quick loop between two looks at the clock."""


class OutOfTime(Exception):
    """The deadline has passed before the decision was there."""


def in_time(deadline: float) -> None:
    """Raises ``OutOfTime`` after a deadline, in the seconds of ``time.monotonic``."""
    if time.monotonic() > deadline:
        raise OutOfTime


def while_in_time(items: Iterable[T], deadline: float) -> Iterator[T]:
    """The items one by one; ``OutOfTime`` at some item after the deadline."""
    for number, item in enumerate(items, 1):
        if not number % STEPS:
            in_time(deadline)
        yield item
