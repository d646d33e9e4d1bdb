"""The initial values of formats that have no word for them."""

from __future__ import annotations

from dataclasses import replace

from checker.recorded.history import INITIAL, Operation, RecordedHistory


def with_initial_zero(history: RecordedHistory) -> RecordedHistory:
    """The same history, where a read of 0 that nobody wrote is a read of the initial state."""
    written = {
        operation.key
        for transaction in history.transactions
        for operation in transaction.operations
        if operation.kind == "w" and operation.value == 0
    }

    def plain(operation: Operation) -> Operation:
        if operation.kind == "r" and operation.value == 0 and operation.key not in written:
            return operation._replace(value=INITIAL)
        return operation

    return replace(
        history,
        transactions=tuple(
            replace(transaction, operations=tuple(map(plain, transaction.operations)))
            for transaction in history.transactions
        ),
    )


def values_from_before(history: RecordedHistory) -> bool:
    """True if values that nobody wrote may stand for initial ones, at most one for each key.

    They may where no read sees the initial state as such, and some read sees such a value. Nothing
    in a file tells them from values out of thin air, so that only a user can say that they do.
    """
    written = {
        (o.key, o.value) for t in history.transactions for o in t.operations if o.kind == "w"
    }
    some = False
    for transaction in history.transactions:
        for operation in transaction.operations:
            if operation.kind == "r" and operation[1:] not in written:
                if operation.value is INITIAL:
                    return False
                some = True
    return some
