"""Writers outside of a history, where a value may come from one.

Elle takes no notice of where a register's value came from when nobody in the history wrote it: it
may have been there before, or its writer was cut off. A transaction that wrote that one value, at
any time and in a session of its own, is the weakest thing that explains the read.
"""

from __future__ import annotations

from dataclasses import replace

from checker.recorded.history import INITIAL, Operation, Recorded, RecordedHistory, Status


def with_outside_writers(history: RecordedHistory) -> RecordedHistory:
    """The same register history, with such a transaction before the first read of each value."""
    written = {
        (operation.key, operation.value)
        for transaction in history.transactions
        for operation in transaction.operations
        if operation.kind == "w"
    }
    sessions = {transaction.session for transaction in history.transactions}
    session = min((*sessions, 0))
    result: list[Recorded] = []
    for transaction in history.transactions:
        for kind, key, value in transaction.operations:
            reads = kind == "r" and transaction.status is Status.COMMITTED
            if not reads or value is INITIAL or (key, value) in written:
                continue
            written.add((key, value))
            session -= 1
            name = f"outside({key!r} = {value!r})"
            write = Operation("w", key, value)
            result.append(Recorded(name, session, (write,), outside=True))
        result.append(transaction)
    return replace(history, transactions=tuple(result))
