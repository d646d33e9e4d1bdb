"""Whether a history agrees with itself.

Every decider relies on it: commits in one order, snapshots of whole commits, changes that start
from the row as the commit before left it, and final rows that the changes lead to. A history
that was predicted agrees by construction; one that was observed may not, through a gap in the
observation or because the engine lost something. Either way no level can be found to hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from checker.definition import multiset
from checker.explanation import row
from model.history import History, Row, RowId, Transaction

_Contents = dict[tuple[str, RowId], Row]


def contradictions(history: History) -> tuple[str, ...]:
    """What in a history cannot be true together, in words; empty for a well-formed one."""
    return tuple(_found(history))


def _found(history: History) -> Iterator[str]:
    yield from _names_and_versions(history)
    contents: _Contents = {
        (table, key): values
        for table, rows in history.initial.items()
        for key, values in rows.items()
    }
    waiting = sorted(history.committed, key=lambda transaction: transaction.read_version)
    for writer in history.committed:
        if writer.commit_version is None:
            break
        while waiting and waiting[0].read_version < writer.commit_version:
            yield from _reads(waiting.pop(0), contents)
        yield from _changes(writer, contents)
    for reader in waiting:
        yield from _reads(reader, contents)
    final = (values for (table, _), values in contents.items() if table == history.table)
    if multiset(final) != multiset(history.final):
        yield "the final rows are not those that the changes lead to"


def _names_and_versions(history: History) -> Iterator[str]:
    for name, count in Counter(t.name for t in history.transactions).items():
        if count > 1:
            yield f"{count} transactions are called {name}"
    versions = Counter(t.commit_version for t in history.committed if t.writes)
    for version, count in versions.items():
        if count > 1:
            yield f"version {version} was written {count} times"
    for transaction in history.transactions:
        name, commit = transaction.name, transaction.commit_version
        if transaction.read_version < history.base_version:
            yield f"{name} began at version {transaction.read_version}, before the history"
        if commit is not None and commit <= transaction.read_version:
            yield f"{name} wrote version {commit} from version {transaction.read_version}"
        if commit is None and transaction.changes:
            yield f"{name} changed rows and wrote no version"
        if commit is not None and not transaction.committed:
            yield f"{name} aborted and wrote version {commit}"
        for (_, key), count in Counter((c.table, c.row) for c in transaction.changes).items():
            if count > 1:
                yield f"{name} changed row {key} {count} times"


def _reads(transaction: Transaction, contents: _Contents) -> Iterator[str]:
    for read in transaction.item_reads:
        shown = contents.get((read.table, read.row))
        if shown is None:
            yield f"{transaction.name} saw {row(read.values)}, which its snapshot does not have"
        elif multiset([shown]) != multiset([read.values]):
            yield f"{transaction.name} saw {row(read.values)} where its snapshot has {row(shown)}"


def _changes(writer: Transaction, contents: _Contents) -> Iterator[str]:
    for change in writer.changes:
        key = change.table, change.row
        there = contents.get(key)
        if multiset([there or ()]) != multiset([change.before or ()]):
            said = "no row" if change.before is None else row(change.before)
            was = "no row" if there is None else row(there)
            yield f"{writer.name} changed {said} where the commits before it left {was}"
        if change.after is None:
            contents.pop(key, None)
        else:
            contents[key] = change.after
