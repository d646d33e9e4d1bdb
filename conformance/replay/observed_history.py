"""Reconstruction of a history from an observed replay, so that levels can be judged.

The log gives versions and files, the files give rows. Row identity is missing from the
files, so it is recovered: the statement is applied to each row that its commit removed, and the
result is looked up among the rows that it added. Rows without an explanation stay as they are
(a row that came from nowhere counts as inserted, one that vanished as deleted), so an engine
that invents or loses rows is caught.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from conformance.delta_log.log_reader import vector_id
from conformance.engine import AddedFile, CommitRecord, RemovedFile
from conformance.replay.observation import Observation
from model.effects import transaction_of
from model.errors import InvalidScenario, StatementFailure
from model.history import History, ItemRead, PredicateRead, Row, RowChange, Transaction
from model.outcomes import NO_COMMIT, READ
from model.physical.files import DataFile, StoredRow, data_file
from model.physical.footprint import Footprint
from model.physical.log import Commit, Snapshot
from model.sql import parse_statement
from model.statements import Execution, Statement
from model.statements.base import Later, Rows, item_reads
from model.statements.maintenance.restore import row_changes
from model.tables.table import Table
from model.workload import Workload, initial_rows


@dataclass
class _Reconstruction:
    """The table's snapshots by version, rebuilt from the log with row identities."""

    workload: Workload
    observation: Observation
    files: dict[str, DataFile]
    snapshots: dict[int, Snapshot]
    unknown: list[str]
    disobedient: list[str]
    pending: dict[str, list[Later]]


@dataclass(frozen=True, slots=True)
class Observed:
    """The history that an observation shows.

    ``history`` lists what was not seen as unknown. ``disobedient`` names the transactions that
    wrote rows other than those their statement gives on their own snapshot. Nobody else can have
    written these rows, since data files never change and each is written by one transaction.
    """

    history: History
    disobedient: tuple[str, ...] = ()


def observed_history(workload: Workload, observation: Observation) -> History:
    """The observed history; whatever was not observed is listed as unknown."""
    return observed(workload, observation).history


def observed(workload: Workload, observation: Observation) -> Observed:
    """The observed history, and the transactions that did not do what their statements say."""
    state = _Reconstruction(workload, observation, {}, {}, [], [], {})
    base = _base(state)
    writers = {
        version: name
        for name, end in observation.ended.items()
        for version in (*end.earlier_versions, end.commit_version)
        if version is not None
    }
    transactions: dict[str, Transaction] = {}
    for record in observation.log[observation.base_version + 1 :]:
        name = writers.get(record.version)
        if name is None:
            state.unknown.append(f"version {record.version} was written by no transaction")
            _follow(state, record, f"version {record.version}", None)
        else:
            transactions[name] = _follow(state, record, name, _statement(state, name))
    for name, end in observation.ended.items():
        if name not in transactions or end.commit_version is None:
            if end.commit_version is not None:
                state.unknown.append(f"the log lacks version {end.commit_version} of {name}")
            transactions[name] = _without_version(state, name)
    final = state.snapshots[observation.version]
    if observation.lost:
        there = {k: f for k, f in final.files.items() if f.path not in observation.lost}
        final = replace(final, files=there)
    faithful = Counter(final.shown()) == Counter(observation.rows)
    if not faithful:
        state.unknown.append("the files of the last version do not hold the rows that were read")
    history = History(
        table=workload.table.name,
        base_version=observation.base_version,
        initial=initial_rows(_on(workload, base)),
        transactions=tuple(workload.bound(transactions[name]) for name in observation.ended),
        # If they agree, the rows in the files also have the values of dropped columns.
        final=final.rows() if faithful else tuple(map(final.table.placed, observation.rows)),
        unknown=tuple(state.unknown),
    )
    return Observed(history, tuple(state.disobedient))


def _on(workload: Workload, base: Snapshot) -> Workload:
    return replace(workload, base=base)


def _statement(state: _Reconstruction, name: str) -> Statement:
    """A transaction's statement, parsed against the definition of its snapshot."""
    begun = state.observation.begun.get(name)
    if begun is not None and begun.read_version in state.snapshots:
        table = state.snapshots[begun.read_version].table
        try:
            return state.workload.statement(name, table)
        except InvalidScenario:
            pass  # The statement failed during analysis: any definition will do to name it.
    return state.workload.statements[name]


def _base(state: _Reconstruction) -> Snapshot:
    """The snapshot of the base version, with those of the set-up as its ancestors.

    The set-up's statements are applied as well, so rows keep their identity through it.
    """
    observation = state.observation
    definitions = _definitions(state.workload)
    table = state.workload.table
    empty = Snapshot(definitions.get(min(0, observation.base_version), table), -1, {})
    state.snapshots[-1] = empty
    for record in observation.log[: observation.base_version + 1]:
        latest = state.snapshots[record.version - 1]
        statement = _setup_statement(state, record.version, latest.table)
        definition = definitions.get(record.version, table)
        _apply(state, record, f"setup{record.version}", statement, latest, definition)
    return state.snapshots[observation.base_version]


def _setup_statement(state: _Reconstruction, version: int, table: Table) -> Statement | None:
    """The set-up statement that wrote a version, None for the table's creation."""
    texts = state.observation.scenario.table.setup
    walker: Snapshot | None = state.workload.base
    while walker is not None and walker.version != version:
        walker = walker.parent
    if walker is None or walker.commit is None:
        return None
    place = int(walker.commit.transaction.removeprefix("setup")) - 1
    try:
        return parse_statement(texts[place], table.name, {table.name: table})
    except InvalidScenario:
        return None  # Its rows are then distinguished by their values alone.


def _definitions(workload: Workload) -> dict[int, Table]:
    """The target's definition at each version of its set-up."""
    definitions: dict[int, Table] = {}
    snapshot: Snapshot | None = workload.base
    while snapshot is not None:
        definitions[snapshot.version] = snapshot.table
        snapshot = snapshot.parent
    return definitions


def _placed(state: _Reconstruction, table: Table, version: int, path: str) -> tuple[Row, ...]:
    """The rows of a file that a version adds, as stored rows under the definition at that time."""
    rows = state.observation.files[version, path]
    width = len(table.schema)
    if any(len(row) != width for row in rows):
        note = f"version {version} has other columns than {', '.join(table.column_names)}"
        if note not in state.unknown:
            state.unknown.append(note)
        rows = tuple((*row, *[None] * width)[:width] for row in rows)
    return tuple(map(table.placed, rows))


def _key(action: AddedFile | RemovedFile) -> str:
    """The identity of a file in the log (:attr:`model.physical.files.DataFile.key`)."""
    vector = vector_id(action.deletion_vector)
    return action.path if vector is None else f"{action.path} without {vector}"


def _left(written: DataFile, rows: tuple[Row, ...], added: AddedFile) -> DataFile:
    """A file that is added again, with the rows that its deletion vector keeps."""
    origins: dict[Row, list[StoredRow]] = {}
    for row in written.rows:
        origins.setdefault(row.values, []).append(row)
    left = tuple(origins[row].pop(0) for row in rows if origins.get(row))
    return replace(written, rows=left, vector=vector_id(added.deletion_vector))


def _follow(
    state: _Reconstruction, record: CommitRecord, name: str, statement: Statement | None
) -> Transaction:
    """Adds the snapshot after one commit, and returns the transaction that made it."""
    latest = state.snapshots[record.version - 1]
    begun = state.observation.begun.get(name)
    read = state.snapshots[begun.read_version if begun else latest.version]
    if statement is None:
        _apply(state, record, name, None, read, None)
        return Transaction(name, "", read.version, record.version, True)
    try:
        meant = statement.execute(read, name, state.workload.others_of(name))
    except StatementFailure as error:
        state.unknown.append(f"{name} committed although its statement fails: {error}")
        meant = Execution(None)
    statement = meant.resolved or statement
    definition = _definition(state, name, meant, latest)
    written = _written(state, record, meant)
    execution = _apply(state, record, name, statement, read, definition, written)
    tables = {**state.workload.others_of(name), state.workload.table.name: read.rows()}
    reads = statement.reads_on(tables)
    execution = replace(execution, item_reads=_items(reads, read), predicate_reads=reads)
    if meant.footprint is not None and _content(meant.changes) != _content(execution.changes):
        state.unknown.append(f"{name} wrote rows that its statement on its snapshot does not give")
        state.disobedient.append(name)
    return transaction_of(name, statement, read, execution, latest)


def _written(
    state: _Reconstruction, record: CommitRecord, meant: Execution
) -> dict[str, tuple[Row, ...]]:
    """The rows of a commit's files that were deleted before they could be read.

    They are the rows that the statement writes on its snapshot.
    """
    files, lost = state.observation.files, state.observation.lost
    paths = [a.path for a in record.adds if a.path in lost and not files[record.version, a.path]]
    if not paths or meant.footprint is None:
        return {}
    predicted = {file.path: file for file in meant.footprint.adds}
    others = [file for file in meant.footprint.adds if file.path not in paths]
    files_of = {path: predicted.get(path) or (others.pop(0) if others else None) for path in paths}
    return {p: tuple(row.values for row in f.rows) for p, f in files_of.items() if f is not None}


def _definition(
    state: _Reconstruction, name: str, meant: Execution, latest: Snapshot
) -> Table | None:
    """The definition that a commit puts in force: the statement's first, or a later one."""
    if name not in state.pending:
        state.pending[name] = list(meant.then)
        return None if meant.footprint is None else meant.footprint.table
    while state.pending[name]:
        later = state.pending[name].pop(0)
        try:
            footprint = later(latest)
        except StatementFailure:
            break
        if footprint is not None:
            return footprint.table
    return None


def _apply(
    state: _Reconstruction,
    record: CommitRecord,
    name: str,
    statement: Statement | None,
    read: Snapshot,
    definition: Table | None,
    written: Mapping[str, tuple[Row, ...]] | None = None,
) -> Execution:
    """Adds the snapshot after one commit, and returns the commit's changes.

    ``read`` is the snapshot that ``statement`` saw, ``definition`` the one of the table that the
    commit puts in force, if any, ``written`` the rows of files that could not be read.
    """
    latest = state.snapshots[record.version - 1]
    table = definition or latest.table
    files = {**state.files, **latest.files}
    removes = tuple(files[_key(r)] for r in record.removes if _key(r) in files)
    # A file added again unchanged (a backfill of row ids) changes nothing.
    added = [a for a in record.adds if _key(a) not in latest.files or _removed(a, record)]
    placed = {
        a.path: (written or {}).get(a.path) or _placed(state, table, record.version, a.path)
        for a in added
    }
    again = tuple(_left(files[a.path], placed.pop(a.path), a) for a in added if a.path in files)
    tables = {**state.workload.others_of(name), state.workload.table.name: read.rows()}
    adds, changes = _trace(tables, table, name, statement, removes, again, list(placed.items()))
    for file in adds:
        state.files[file.key] = file
    footprint = Footprint(
        record.operation or "unknown",
        adds=adds,
        removes=removes,
        applications_written=_applications(record),
        table=definition,
    )
    entry = Commit(record.version, name, footprint, read.version, record.isolation_level or "")
    state.snapshots[record.version] = latest.after(entry)
    return Execution(footprint, changes=changes)


def _removed(added: AddedFile, record: CommitRecord) -> bool:
    """True if a commit also removes the same file."""
    return any(_key(removed) == _key(added) for removed in record.removes)


def _applications(record: CommitRecord) -> tuple[tuple[str, int], ...]:
    """The writes of applications that a version records."""
    writes = (action["txn"] for action in record.actions if "txn" in action)
    return tuple((str(txn["appId"]), int(txn["version"])) for txn in writes)  # type: ignore[index]


def _items(reads: tuple[PredicateRead, ...], snapshot: Snapshot) -> tuple[ItemRead, ...]:
    predicates = [p for p in reads if p.table == snapshot.table.name]
    rows = (row for row in snapshot.stored() if any(_matches(p, row.values) for p in predicates))
    return item_reads(snapshot.table, rows)


def _matches(predicate: PredicateRead, row: Row) -> bool:
    """True if a row matches; False if the condition fails on it: evaluation never got there."""
    try:
        return predicate.matches(row)
    except StatementFailure:
        return False


def _trace(
    tables: Rows,
    table: Table,
    name: str,
    statement: Statement | None,
    removes: tuple[DataFile, ...],
    again: tuple[DataFile, ...],
    added: list[tuple[str, tuple[Row, ...]]],
) -> tuple[tuple[DataFile, ...], tuple[RowChange, ...]]:
    """Gives each added row its identity, and lists the changes.

    ``again`` are files added before: they stay in the table with another deletion vector, or
    come back with a RESTORE. Their rows keep their identity; a version of a row that was absent
    is new again. ``added`` are new files. Rows are matched by their visible values: values of
    dropped columns are not in new files.
    """
    expected: dict[Row, list[tuple[StoredRow, _After]]] = {}
    gone: list[StoredRow] = []
    stays = {row.row for file in again for row in file.rows}
    for row in (row for file in removes for row in file.rows if row.row not in stays):
        after = _effect(statement, row.values, tables)
        if after is None:
            gone.append(row)
        else:
            expected.setdefault(table.shown(after.values), []).append((row, after))
    there = tuple(row for file in removes for row in file.rows if row.row in stays)
    changes = list(row_changes(table, there, (row for file in again for row in file.rows)))
    files: list[DataFile] = list(again)
    ordinal = 0
    for path, rows in added:
        stored: list[StoredRow] = []
        for values in rows:
            origins = expected.get(table.shown(values))
            if origins:
                origin, after = origins.pop(0)
                if after.new_version:
                    changes.append(RowChange(table.name, origin.row, origin.values, after.values))
                writer = name if after.new_version else origin.writer
                stored.append(StoredRow(origin.row, writer, after.values))
            else:
                identity = (name, ordinal)
                ordinal += 1
                changes.append(RowChange(table.name, identity, None, values))
                stored.append(StoredRow(identity, name, values))
        if stored:
            files.append(data_file(path, table, tuple(stored)))
    lost = [row for origins in expected.values() for row, _ in origins]
    changes += [RowChange(table.name, row.row, row.values, None) for row in (*gone, *lost)]
    return tuple(files), tuple(changes)


@dataclass(frozen=True, slots=True)
class _After:
    values: Row
    new_version: bool


def _effect(statement: Statement | None, row: Row, tables: Rows) -> _After | None:
    """One row of the target after the statement; None if it deletes the row."""
    if statement is None:
        return _After(row, False)
    after = statement.effect(row, tables)
    return None if after is None else _After(after, after is not row)


def _content(changes: tuple[RowChange, ...]) -> Counter[tuple[Row | None, Row | None]]:
    return Counter((change.before, change.after) for change in changes)


def _without_version(state: _Reconstruction, name: str) -> Transaction:
    """A reader, a statement without effect, or a transaction that aborted."""
    statement = _statement(state, name)
    end, begun = state.observation.ended[name], state.observation.begun[name]
    snapshot = state.snapshots[begun.read_version]
    if end.outcome == NO_COMMIT:
        try:
            meant = statement.execute(snapshot, name, state.workload.others_of(name))
            statement = meant.resolved or statement
        except StatementFailure as error:
            state.unknown.append(f"{name} succeeded although its statement fails: {error}")
    try:
        tables = {**state.workload.others_of(name), state.workload.table.name: snapshot.rows()}
        reads = statement.reads_on(tables)
    except StatementFailure:
        reads = statement.predicate_reads
    if end.rows is not None:
        shown = statement.execute(snapshot, name, state.workload.others_of(name)).result
        if Counter(shown) != Counter(end.rows):
            state.unknown.append(
                f"{name} read rows that version {begun.read_version} does not give"
            )
    return Transaction(
        name=name,
        text=statement.text,
        read_version=begun.read_version,
        commit_version=None,
        committed=end.outcome in (READ, NO_COMMIT),
        predicate_reads=reads,
        item_reads=_items(reads, snapshot),
        rerun=statement.rerun,
    )
