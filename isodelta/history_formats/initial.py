"""The initial value 0 of formats that have no word for it."""

from __future__ import annotations

from dataclasses import replace

from checker.foreign.history import INITIAL, ForeignHistory, Operation


def with_initial_zero(history: ForeignHistory) -> ForeignHistory:
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
