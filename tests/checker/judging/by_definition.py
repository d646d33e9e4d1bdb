"""Dependencies from their definition: the table itself, before and after every commit.

A third derivation, which is an oracle for ``checker.judging.dependencies`` and for the timelines of
``checker.judging.solver``, and shares no code with either. It replays the log into whole tables and
asks the questions of the definition of them: who installed the version of a row that a snapshot
shows, who installed the one after it, and is a predicate's answer the same on the tables before and
after a commit. A change's own account of the row before it (``RowChange.before``) is not used.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from model.errors import StatementFailure
from model.history import History, PredicateRead, Row, RowId, Transaction
from model.levels import EdgeKind

Edge = tuple[str, str, EdgeKind]
Contents = dict[tuple[str, RowId], Row]
Installers = dict[tuple[str, RowId], str]


@dataclass(frozen=True)
class State:
    """All tables at one version: the rows, and who installed each row's version.

    A deleted row has an installer, too: its dead version is a version.
    """

    version: int
    rows: Contents
    installers: Installers


def states(history: History) -> list[State]:
    """The tables before the first transaction and after each commit."""
    rows = {
        (table, row): values
        for table, contents in history.initial.items()
        for row, values in contents.items()
    }
    result = [State(history.base_version, rows, {})]
    for writer in commits(history):
        assert writer.commit_version is not None
        rows, installers = dict(result[-1].rows), dict(result[-1].installers)
        for change in writer.changes:
            key = change.table, change.row
            rows.pop(key, None)
            if change.after is not None:
                rows[key] = change.after
            installers[key] = writer.name
        result.append(State(writer.commit_version, rows, installers))
    return result


def commits(history: History) -> list[Transaction]:
    writers = [t for t in history.transactions if t.committed and t.commit_version is not None]
    return sorted(writers, key=lambda t: t.commit_version or 0)


def edges(history: History) -> set[Edge]:
    """Every edge of the serialization graph, without its causes."""
    log = states(history)
    placed = [t for t in history.transactions if t.committed]
    found = set(_of_versions(placed))
    for before, after in pairwise(log):
        for key, installer in after.installers.items():
            earlier = before.installers.get(key)
            if earlier is not None and earlier != installer:
                found.add((earlier, installer, EdgeKind.WW))
    for reader in placed:
        found |= _of_items(reader, log)
        for predicate in reader.predicate_reads:
            found |= _of_predicate(reader, predicate, log, commits(history))
    return {(a, b, kind) for a, b, kind in found if a != b}


def _of_items(reader: Transaction, log: list[State]) -> set[Edge]:
    shown = max((s for s in log if s.version <= reader.read_version), key=lambda s: s.version)
    found: set[Edge] = set()
    for read in reader.item_reads:
        key = read.table, read.row
        installer = shown.installers.get(key)
        if installer is not None:
            found.add((installer, reader.name, EdgeKind.WR_ITEM))
        later = [s.installers.get(key) for s in log if s.version > shown.version]
        following = next((name for name in later if name not in (None, installer)), None)
        if following is not None:
            found.add((reader.name, following, EdgeKind.RW_ITEM))
    return found


def _of_predicate(
    reader: Transaction, predicate: PredicateRead, log: list[State], writers: list[Transaction]
) -> set[Edge]:
    found: set[Edge] = set()
    for (before, after), writer in zip(pairwise(log), writers, strict=True):
        if _answers(predicate, before) != _answers(predicate, after):
            if after.version <= reader.read_version:
                found.add((writer.name, reader.name, EdgeKind.WR_PREDICATE))
            else:
                found.add((reader.name, writer.name, EdgeKind.RW_PREDICATE))
    return found


def _answers(predicate: PredicateRead, state: State) -> dict[RowId, str]:
    """The rows of a table for which a predicate's answer is not "no match", with the answer."""
    answers = {}
    for (table, row), values in state.rows.items():
        if table == predicate.table:
            try:
                answer = "match" if predicate.matches(values) else ""
            except StatementFailure as failure:
                answer = failure.error_class
            if answer:
                answers[row] = answer
    return answers


def _of_versions(placed: list[Transaction]) -> set[Edge]:
    found: set[Edge] = set()
    for writer in placed:
        for other in placed:
            if writer is other or writer.commit_version is None:
                continue
            if other.commit_version is not None and writer.commit_version < other.commit_version:
                found.add((writer.name, other.name, EdgeKind.LOG))
            if writer.commit_version <= other.read_version:
                found.add((writer.name, other.name, EdgeKind.START))
            else:
                found.add((other.name, writer.name, EdgeKind.UNSEEN))
    return found
