"""The replay of a serial order: every transaction alone, in turn, on plain values.

It shares nothing with the decider that found the order: no graph and no version is involved, only
the operations as the history has them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from checker.recorded.history import INITIAL, Key, Recorded, Status, Value


def first_difference(
    order: Iterable[Recorded], initial: Mapping[Key, Value], *, lists: bool
) -> str | None:
    """The first read of a serial execution that returns another value than in the history.

    ``initial`` has the initial values that are not ``INITIAL``. None if there is no such read.
    """
    registers: dict[Key, Value] = dict(initial)
    appended: dict[Key, list[Value]] = {}
    for transaction in order:
        for kind, key, value in transaction.operations:
            if kind == "w":
                registers[key] = value
            elif kind == "a":
                appended.setdefault(key, []).append(value)
            elif transaction.status is Status.COMMITTED:
                now: Value = tuple(appended.get(key, ())) if lists else registers.get(key, INITIAL)
                if now != value:
                    return (
                        f"{transaction.name} reads {now!r} of key {key!r} there, and {value!r} in "
                        "the history"
                    )
    return None
