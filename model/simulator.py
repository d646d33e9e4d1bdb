"""The model as an engine: begins and commits transactions on chains of snapshots.

``begin`` and ``commit`` are pure: they do not change the snapshots that they are given, so a
search may continue from one state in any number of ways.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from model.effects import carried_over, predicate_reads, transaction_of
from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.history import History, Row, Transaction
from model.listing import listed
from model.outcomes import COMMITTED, NO_COMMIT, READ, Ending
from model.physical.footprint import Footprint
from model.physical.log import Commit, Snapshot
from model.physical.storage import check_readable, freed, missed
from model.profiles.base import Profile
from model.rules.base import Attempt, Conflict
from model.scenario import LEVEL_PROPERTY, Step
from model.statements import Execution, Statement
from model.tables.table import UNSET_LEVEL, Table
from model.workload import Workload, initial_rows


@dataclass(frozen=True, slots=True, eq=False)
class InFlight:
    """A transaction between its begin and its commit: all work done, nothing written.

    ``began`` orders the beginnings of transactions (used by :mod:`model.physical.storage`).
    """

    name: str
    statement: Statement
    snapshot: Snapshot
    execution: Execution
    began: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Ended:
    """How a transaction ended.

    ``outcome`` is ``committed``, ``no commit``, ``read``, a conflict's name, or the error class
    of a statement that failed by itself. ``latest`` is the snapshot afterwards; ``logical`` is
    the transaction as the history has it.
    """

    outcome: str
    latest: Snapshot
    logical: Transaction
    conflict: Conflict | None = None
    rows: tuple[Row, ...] | None = None
    footprint: Footprint | None = None

    def __repr__(self) -> str:
        return f"<{self.logical.name} ended: {self.outcome}>"

    @property
    def ending(self) -> Ending:
        """The same as plain data, without the snapshot."""
        because: str | None = None
        if self.conflict is not None:
            because = self.conflict.because
        elif self.outcome == NO_COMMIT:
            because = "it found nothing to change"
        elif not self.logical.committed:
            because = "the statement fails by itself on what it finds"
        return Ending(
            outcome=self.outcome,
            read_version=self.logical.read_version,
            commit_version=self.logical.commit_version,
            conflicts_with=None if self.conflict is None else self.conflict.winner,
            because=because,
            rows=self.rows,
        )


def begin(
    name: str,
    statement: Statement,
    latest: Snapshot,
    others: Mapping[str, tuple[Row, ...]],
    profile: Profile,
    began: int = 0,
) -> InFlight:
    """Takes the snapshot and does all the work that comes before the conflict check.

    ``statement`` must have been parsed for the table's definition in ``latest``. ``profile``
    decides which reads its implementation notes.
    """
    try:
        execution = statement.execute(latest, name, others)
        _check_removable(latest.table, execution)
        if execution.footprint is not None:
            check_readable(execution.opened, latest)
    except StatementFailure as error:
        execution = Execution(None, failure=error.error_class)
    if profile.noted is not None and execution.footprint is not None:
        try:
            footprint = profile.noted(statement, latest, execution.footprint)
            execution = replace(execution, footprint=footprint)
        except StatementFailure as error:
            execution = replace(execution, failure=error.error_class)
    return InFlight(name, statement, latest, execution, began)


def _check_removable(table: Table, execution: Execution) -> None:
    """Raises StatementFailure for a statement that takes rows out of an append-only table.

    DELETE and UPDATE fail whether a row matches or not; RESTORE commits in its own way, without
    this check.
    """
    footprint = execution.footprint
    if footprint is None or not table.properties or not table.append_only:
        return
    if footprint.operation == "RESTORE":
        return
    if footprint.operation in ("DELETE", "UPDATE") or (
        footprint.data_changed and footprint.removes
    ):
        raise StatementFailure(
            "DELTA_CANNOT_MODIFY_APPEND_ONLY", f"table {table.name} takes appends only"
        )


def begin_in(
    workload: Workload,
    name: str,
    latest: Snapshot,
    profile: Profile,
    began: int = 0,
    key: str | None = None,
) -> InFlight:
    """Begins a transaction of a workload, its statement analysed for the table as it is now.

    ``key`` is the workload's name of the statement, if the transaction has another. Raises
    UnsupportedSQL if the model cannot do the analysis: if a column's type has changed, a statement
    may need casts that the model does not have.
    """
    key = name if key is None else key
    try:
        statement = workload.statement(key, latest.table)
    except InvalidScenario as error:
        if error.error_class is None:
            raise UnsupportedSQL(
                f"what this means once the columns have changed is not supported ({error})",
                ("transactions", key),
            ) from error
        failed = Execution(None, failure=error.error_class)
        return InFlight(name, workload.statements[key], latest, failed)
    return begin(name, statement, latest, workload.others_of(key), profile, began)


def after_begin(running: InFlight, latest: Snapshot) -> Snapshot:
    """The snapshot that others see once a transaction has begun: ``latest``, or one with litter.

    A statement that creates the table may leave files behind before it commits, even if it fails.
    """
    statement = running.statement
    littered = statement.litters and statement.table.absent
    return replace(latest, littered=True) if littered else latest


def commit(running: InFlight, latest: Snapshot, profile: Profile, table_level: str) -> Ended:
    """Checks a transaction against the winners since its snapshot, and commits it if it may."""
    execution = running.execution
    footprint = execution.footprint
    if execution.failure is not None:
        return _without_version(execution.failure, running, latest)
    if footprint is None:
        try:
            # A query opens its files only when its result is fetched.
            check_readable(execution.opened, latest)
        except StatementFailure as error:
            return _without_version(error.error_class, running, latest)
        return _without_version(READ, running, latest)
    before = running.snapshot.table
    if footprint.table is not None:
        footprint = _settled(footprint, before, table_level)
        execution = replace(execution, footprint=footprint)
    # A commit that sets the level is itself checked at the level that it sets.
    declared = _declared_level(footprint.table or before, table_level, profile)
    level = profile.level_in_force(declared, footprint)
    recorded = footprint.records_always or (
        footprint.records_empty and not profile.skips_empty_commit(level)
    )
    if footprint.empty and not recorded:
        return _without_version(NO_COMMIT, running, latest)
    read_version = running.snapshot.version
    winners = latest.commits_after(read_version)
    attempt = Attempt(running.name, footprint, level, before, winners)
    try:
        conflict = profile.conflict(attempt, winners) if winners else None
    except StatementFailure as error:
        # A predicate on partitions that fails on the partition of a file that a winner added.
        return _without_version(error.error_class, running, latest)
    if conflict is not None:
        if not footprint.retries or any(f.key not in latest.files for f in footprint.removes):
            return _without_version(conflict.name, running, latest, conflict)
        read_version = latest.version
    elif winners and footprint.restates:
        footprint = _without_touched(footprint, winners)
        execution = replace(execution, footprint=footprint)
    elif winners and profile.reapplied is not None:
        again = profile.reapplied(running.name, footprint, latest, read_version)
        if again is not footprint:
            changes = carried_over(execution.changes, again, latest)
            footprint, execution = again, replace(execution, footprint=again, changes=changes)
    blind = footprint.blind_append and "isBlindAppend" in profile.logged
    lost = missed(footprint, latest, winners, running.began) if winners else frozenset()
    if footprint.frees != "nothing":
        lost = freed(footprint, running.snapshot, latest, running.began)
    entry = Commit(
        latest.version + 1,
        running.name,
        footprint,
        read_version,
        level,
        blind,
        running.began,
        lost,
    )
    logical = transaction_of(running.name, running.statement, running.snapshot, execution, latest)
    after = latest.after(entry)
    if not execution.then:
        return Ended(COMMITTED, after, logical, footprint=footprint)
    return _continued(running, execution, after, logical, profile, table_level)


def _continued(
    running: InFlight,
    execution: Execution,
    after: Snapshot,
    logical: Transaction,
    profile: Profile,
    table_level: str,
) -> Ended:
    """The end of a statement that makes other commits after its first one."""
    for later in execution.then:
        try:
            footprint = later(after)
        except StatementFailure as error:
            failed = replace(logical, commit_version=None, committed=False)
            return Ended(error.error_class, after, failed, footprint=execution.footprint)
        if footprint is None:
            continue
        if footprint.table is not None:
            footprint = _settled(footprint, after.table, table_level)
        declared = _declared_level(footprint.table or after.table, table_level, profile)
        level = profile.level_in_force(declared, footprint)
        blind = footprint.blind_append and "isBlindAppend" in profile.logged
        version = after.version
        after = after.after(Commit(version + 1, running.name, footprint, version, level, blind))
        logical = replace(logical, commit_version=after.version)
    return Ended(COMMITTED, after, logical, footprint=execution.footprint)


def _without_touched(footprint: Footprint, winners: tuple[Commit, ...]) -> Footprint:
    """The footprint without the files that the winners touched.

    Source: ConflictChecker.scala, ``resolveRowTrackingBackfillConflicts``.
    """
    touched = {
        file.path
        for winner in winners
        for file in (*winner.footprint.adds, *winner.footprint.removes)
    }
    adds = tuple(file for file in footprint.adds if file.path not in touched)
    return replace(footprint, adds=adds)


def _declared_level(table: Table, table_level: str, profile: Profile) -> str:
    """A table's level: its own, the scenario's, or the profile's default once it is unset."""
    if table.declared(LEVEL_PROPERTY) == UNSET_LEVEL:
        return profile.default_level
    return table.level or table_level


def _settled(footprint: Footprint, before: Table, table_level: str) -> Footprint:
    """The footprint of a change of the definition, once the table's level is known.

    A statement does not know the level that the scenario declares: setting the same one again
    changes nothing.
    """
    change, after = footprint.metadata, footprint.table
    assert after is not None
    if change is None or LEVEL_PROPERTY not in change.properties:
        return footprint
    unset = before.declared(LEVEL_PROPERTY) == UNSET_LEVEL
    if unset or (after.level or table_level) != (before.level or table_level):
        return footprint
    kept = replace(change, properties=change.properties - {LEVEL_PROPERTY})
    return replace(footprint, metadata=kept)


def _without_version(
    outcome: str, running: InFlight, latest: Snapshot, conflict: Conflict | None = None
) -> Ended:
    succeeded = outcome in (READ, NO_COMMIT)
    execution = running.execution
    statement = execution.resolved or running.statement
    logical = Transaction(
        name=running.name,
        text=statement.text,
        read_version=running.snapshot.version,
        commit_version=None,
        committed=succeeded,
        predicate_reads=predicate_reads(statement, execution),
        item_reads=execution.item_reads,
        rerun=statement.rerun,
    )
    rows = execution.result if outcome == READ else None
    return Ended(outcome, latest, logical, conflict, rows, execution.footprint)


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A whole schedule, run in the model.

    ``profiles`` has the profiles of the transactions that did not follow ``profile``, ``schedule``
    the steps of the transactions that are in ``ended``.
    """

    workload: Workload
    profile: Profile
    ended: Mapping[str, Ended]
    final: Snapshot
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    schedule: tuple[Step, ...] = ()

    def __repr__(self) -> str:
        """One line: snapshots and statements are as long as tables are."""
        ends = listed(
            f"{name} {end.outcome}"
            + (f" version {end.logical.commit_version}" if end.outcome == COMMITTED else "")
            for name, end in self.ended.items()
        )
        return f"<Run under {self.profile.name}, table at {self.workload.level}: {ends}>"

    def profile_of(self, transaction: str) -> Profile:
        """The profile whose rules a transaction followed."""
        return self.profiles.get(transaction, self.profile)

    @property
    def history(self) -> History:
        """The logical history of the run."""
        return history_of(self.workload, tuple(self.ended.values()), self.final)


def history_of(workload: Workload, ended: Sequence[Ended], final: Snapshot) -> History:
    """The history of the ended transactions."""
    return History(
        table=workload.table.name,
        base_version=workload.base.version,
        initial=initial_rows(workload),
        transactions=tuple(workload.bound(e.logical) for e in ended),
        final=final.rows(),
    )


def run(
    workload: Workload,
    schedule: Sequence[Step],
    profile: Profile,
    profiles: Mapping[str, Profile] | None = None,
) -> Run:
    """Runs a schedule, which must have been checked, from the workload's base.

    ``profiles`` gives single transactions the rules of another implementation. Raises
    UnsupportedSQL for a statement whose meaning on the definition then in force is unknown.
    """
    name = workload.table.name
    return run_together({name: workload}, schedule, profile, profiles)[name]


def run_together(
    workloads: Mapping[str, Workload],
    schedule: Sequence[Step],
    profile: Profile,
    profiles: Mapping[str, Profile] | None = None,
) -> dict[str, Run]:
    """Runs a schedule of transactions that write several tables: one run for each of the tables.

    ``workloads`` has one workload for each table that is written, by its name. A transaction is
    checked against the commits to its own table, and reads the others as they are when it begins.
    Raises UnsupportedSQL like ``run``, and where a table that a transaction reads has another
    definition by then.
    """
    profiles = profiles or {}
    homes = {name: table for table, w in workloads.items() for name in w.statements}
    found: dict[str, dict[str, Mapping[str, tuple[Row, ...]]]] = {t: {} for t in workloads}
    if len(workloads) > 1:
        workloads = {t: replace(w, others_at=found[t]) for t, w in workloads.items()}
    latest = {table: workload.base for table, workload in workloads.items()}
    in_flight: dict[str, InFlight] = {}
    ended: dict[str, dict[str, Ended]] = {table: {} for table in workloads}
    for place, step in enumerate(schedule, 1):
        name = step.transaction
        table, rules = homes[name], profiles.get(name, profile)
        workload = workloads[table]
        if step.action == "begin":
            if len(workloads) > 1:
                found[table][name] = _found(workload, name, latest)
            in_flight[name] = begin_in(workload, name, latest[table], rules, place)
            if latest[table].table.absent:
                latest[table] = after_begin(in_flight[name], latest[table])
        else:
            end = commit(in_flight.pop(name), latest[table], rules, workload.level)
            ended[table][name], latest[table] = end, end.latest
    return {
        table: Run(
            workload,
            profile,
            ended[table],
            latest[table],
            profiles,
            tuple(step for step in schedule if step.transaction in ended[table]),
        )
        for table, workload in workloads.items()
    }


def _found(
    workload: Workload, name: str, latest: Mapping[str, Snapshot]
) -> dict[str, tuple[Row, ...]]:
    """The rows that a transaction finds in the other tables when it begins."""
    for other, expected in workload.tables.items():
        if other in latest and latest[other].table != expected:
            reason = f"reading table {other} after its definition has changed is not supported"
            raise UnsupportedSQL(reason, ("transactions", name))
    return {o: latest[o].rows() if o in latest else rows for o, rows in workload.others.items()}
