"""Checks that a history is consistent with itself and with its statements.

Every decider relies on the first: commits in one order, snapshots of whole commits, changes that
start from the row as the commit before left it, and final rows that follow from the changes. The
graph relies on the second, too: a transaction writes what its statement makes of its snapshot.
The histories of a sound engine pass both checks; others may fail one, through a gap in the
observation or because the engine lost something. Then no level is reported to hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from checker.judging.definition import multiset
from checker.judging.explanation import row
from model.errors import StatementFailure
from model.history import History, Row, RowId, Transaction

_Contents = dict[tuple[str, RowId], Row]


def contradictions(history: History) -> tuple[str, ...]:
    """The ways in which a history contradicts itself, in words; empty if it is well-formed."""
    return tuple(_contradictions(history))


def infidelities(history: History) -> tuple[str, ...]:
    """Transactions that did not do what their statement does on their snapshot, in words.

    An example is the delete of a row that a compaction had moved out of its reach: it committed,
    and the row is still there. Transactions whose statement is unknown are skipped.
    """
    return tuple(_unlike_their_statement(history))


def _unlike_their_statement(history: History) -> Iterator[str]:
    for transaction in history.committed:
        if transaction.rerun is None:
            continue
        snapshot = _contents_at(history, transaction.read_version)
        tables = _as_tables(history, snapshot)
        try:
            result = transaction.rerun(tables)
        except StatementFailure as failure:
            yield f"{transaction.name} succeeded where its statement fails: {failure.error_class}"
            continue
        meant = {**tables, **result.tables}
        for change in transaction.changes:
            if change.after is None:
                snapshot.pop((change.table, change.row), None)
            else:
                snapshot[change.table, change.row] = change.after
        done = _as_tables(history, snapshot)
        if multiset(done[history.table]) != multiset(meant[history.table]):
            yield f"{transaction.name} did not do what its statement does on its snapshot"


def _contents_at(history: History, version: int) -> _Contents:
    contents = _initial(history)
    for writer in history.committed:
        if writer.commit_version is not None and writer.commit_version <= version:
            for change in writer.changes:
                if change.after is None:
                    contents.pop((change.table, change.row), None)
                else:
                    contents[change.table, change.row] = change.after
    return contents


def _initial(history: History) -> _Contents:
    return {
        (table, key): values
        for table, rows in history.initial.items()
        for key, values in rows.items()
    }


def _as_tables(history: History, contents: _Contents) -> dict[str, tuple[Row, ...]]:
    tables: dict[str, list[Row]] = {table: [] for table in history.initial}
    for (table, _), values in contents.items():
        tables[table].append(values)
    return {table: tuple(rows) for table, rows in tables.items()}


def _contradictions(history: History) -> Iterator[str]:
    yield from _names_and_versions(history)
    contents = _initial(history)
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
