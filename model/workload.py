"""A scenario made ready to run: tables resolved, statements parsed, the schedule checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from model.errors import InvalidScenario, NoPlace, StatementFailure, UnsupportedSQL
from model.history import Row, RowId
from model.physical.log import Commit, Snapshot
from model.profiles.base import Profile
from model.scenario import LEVEL_PROPERTY, Scenario, Step, TableSpec
from model.sql import brings_columns, columns_to_come, declared_table, parse_statement
from model.sql.source import NoTable
from model.statements import CreateTable, Execution, Refused, Restore, Select, Statement, Vacuum
from model.statements.base import Rows
from model.tables.features import used
from model.tables.table import Table
from model.values.types import ColumnType

TARGET = "t"
"""Name of the target table in every scenario."""


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Everything a run needs besides a profile and a schedule.

    ``base`` is the snapshot that the set-up leaves behind, ``table`` the target's definition
    there; ``statements`` are the transactions' statements as parsed for it, or, where that
    fails, for a definition that another transaction of the scenario makes. ``tables`` and
    ``others`` have the definitions and the rows of the other tables, which no transaction
    writes. ``meaning`` is the profile's.
    """

    table: Table
    base: Snapshot
    statements: Mapping[str, Statement]
    others: Mapping[str, tuple[Row, ...]]
    level: str
    tables: Mapping[str, Table] = field(default_factory=dict)
    meaning: Callable[[Statement], Statement] | None = None

    def statement(self, name: str, table: Table) -> Statement:
        """A transaction's statement, parsed for a definition of the target.

        Raises InvalidScenario where it is wrong for that definition.
        """
        known = self.statements[name]
        if known.table == table:
            return known
        parsed = parse_statement(known.text, TARGET, {**self.tables, TARGET: table})
        return parsed if self.meaning is None else self.meaning(parsed)


def prepare(scenario: Scenario, profile: Profile, level: str | None = None) -> Workload:
    """A scenario's tables and statements, ready to run under ``profile``.

    ``level`` overrides the isolation level that the table declares. Raises InvalidScenario
    with the path of keys to the place that is wrong.
    """
    check_schedule(scenario)
    places: list[tuple[str, ColumnType]] = []
    while True:
        try:
            workload = _prepared(scenario, profile, level, places)
            texts = scenario.transactions.values()
            if workload.base.table.absent or any(map(brings_columns, texts)):
                _try_in_every_order(workload)
                _check_known(workload, scenario, profile)
            return workload
        except NoPlace as missing:
            places.append((missing.column, missing.type))


UNKNOWN_ANALYSIS = "ANALYSIS"
"""Stands for the error class of a statement that fails on a definition in a manner not known."""


def _check_known(workload: Workload, scenario: Scenario, profile: Profile) -> None:
    """Refuses a schedule in which a statement meets a definition that it is not known for.

    Another type of a column can lead to casts that the model does not have.
    """
    from model.simulator import run

    for name, ended in run(workload, scenario.schedule, profile).ended.items():
        if ended.outcome == UNKNOWN_ANALYSIS:
            raise UnsupportedSQL(
                "what this means once the columns have changed is not supported",
                ("transactions", name),
            )


_FEW = 8
"""As many statements are tried in every order; of more, each after each other one."""


def _try_in_every_order(workload: Workload) -> None:
    """Parses the statements for every definition that they can meet. Raises NoPlace.

    There are as many orders as subsets of the statements, so of more than ``_FEW`` each is
    tried after one other alone.
    """
    known: set[tuple[Table, frozenset[str]]] = set()
    everything = frozenset(workload.statements)
    deepest = len(everything) if len(everything) <= _FEW else 1
    snapshot: Snapshot | None = workload.base
    left = []
    while snapshot is not None:
        left.append((snapshot.table, everything))
        snapshot = snapshot.parent
    while left:
        table, names = left.pop()
        if (table, names) in known:
            continue
        known.add((table, names))
        for name in names:
            try:
                statement = workload.statement(name, table)
            except InvalidScenario:
                continue
            after = getattr(statement, "after", None)
            deeper = len(everything - names) < deepest
            if deeper and isinstance(after, Table) and after != table:
                left.append((after, names - {name}))


def _prepared(
    scenario: Scenario,
    profile: Profile,
    level: str | None,
    places: Sequence[tuple[str, ColumnType]],
) -> Workload:
    """The workload, with places in every row of the target for further columns."""
    in_force = level or scenario.level or profile.default_level
    if in_force not in profile.levels:
        raise InvalidScenario(
            f"profile {profile.name} has no isolation level {in_force!r} "
            f"(it has {', '.join(profile.levels)})",
            ("table", "properties", LEVEL_PROPERTY),
        )
    target = _table(TARGET, scenario.table, ("table",))
    texts = (*scenario.table.setup, *scenario.transactions.values())
    target = target.reserving((*columns_to_come(texts), *places))
    tables: dict[str, Table] = {}
    for name, spec in scenario.tables.items():
        if name == TARGET:
            raise InvalidScenario(f"{TARGET!r} is the target's name", ("tables", name))
        if spec.absent:
            raise InvalidScenario(f"table {name} has no columns", ("tables", name))
        tables[name] = _table(name, spec, ("tables", name))
    others = {
        name: run_setup(tables[name], spec, ("tables", name)).rows()
        for name, spec in scenario.tables.items()
    }
    base = run_setup(target, scenario.table, ("table",))
    statements = _statements(scenario, base, tables, others)
    meaning = profile.meaning
    if meaning is not None:
        statements = {name: meaning(statement) for name, statement in statements.items()}
    _check_storage(statements)
    workload = Workload(base.table, base, statements, others, in_force, tables, meaning)
    if profile.features is not None:
        _check_features(workload, profile.name, profile.features)
    for name, statement in statements.items():
        if profile.has is not None and not profile.has(statement):
            reason = f"profile {profile.name} does not have the statement {statement.text!r}"
            raise InvalidScenario(reason, ("transactions", name))
    return workload


def _check_storage(statements: Mapping[str, Statement]) -> None:
    """Refuses RESTORE beside a VACUUM that may have taken away the files that come back.

    The engine then fails with an exception that has no error class.
    """
    freeing = any(
        isinstance(s, Vacuum) and s.frees != "nothing" and not s.too_short
        for s in statements.values()
    )
    for name, statement in statements.items():
        if freeing and isinstance(statement, Restore):
            reason = "RESTORE beside a VACUUM that retains nothing is not supported"
            raise UnsupportedSQL(reason, ("transactions", name))


def _check_features(workload: Workload, name: str, known: frozenset[str]) -> None:
    """Refuses a scenario that uses, or comes to use, a feature that the rules say nothing of."""
    for table in (*definitions(workload), *workload.tables.values()):
        for feature in used(table):
            if feature not in known:
                raise InvalidScenario(f"profile {name} knows no {feature}", ("table",))


def _statements(
    scenario: Scenario, base: Snapshot, tables: Mapping[str, Table], others: Rows
) -> dict[str, Statement]:
    """Every transaction's statement; one that the base has no columns for is tried further on.

    One that fails on every definition fails with the engine's error, where the model knows that.
    An error that looks like a slip of the scenario's author is refused, unless the scenario
    expects it. That there is no table yet is no slip.
    """
    texts = scenario.transactions
    found, failed = _parsed(texts, base, tables, others)
    at_base = failed
    if base.table.absent:
        _check_slips(scenario, failed)
    for made in tuple(_creations(base, found, others)):
        more, failed = _parsed({name: texts[name] for name in failed}, made, tables, others)
        found |= more
    _check_slips(scenario, failed)
    for name, reason in failed.items():
        kind, failure = texts[name].split(None, 1)[0].upper(), at_base[name].error_class
        assert failure is not None
        found[name] = Refused(texts[name], base.table, kind, failure, str(reason))
    return {name: found[name] for name in texts}


def _check_slips(scenario: Scenario, failed: Mapping[str, InvalidScenario]) -> None:
    """Raises the first failure that is no outcome."""
    for name, reason in failed.items():
        failure = reason.error_class
        expected = failure == scenario.expect.outcomes.get(name) or isinstance(reason, NoTable)
        if failure is None or (not expected and failure.startswith(_MISSPELT)):
            raise _at(reason, ("transactions", name)) from reason


def _parsed(
    texts: Mapping[str, str], base: Snapshot, tables: Mapping[str, Table], others: Rows
) -> tuple[dict[str, Statement], dict[str, InvalidScenario]]:
    """The statements that fit the base or a definition that one of them makes, and the others."""
    statements: dict[str, Statement] = {}
    failed: dict[str, InvalidScenario] = {}
    for name, text in texts.items():
        try:
            statements[name] = parse_statement(text, TARGET, {**tables, TARGET: base.table})
        except InvalidScenario as error:
            failed[name] = error
    later = _definitions(base, statements, others) if failed and not base.table.absent else []
    for name in tuple(failed):
        for table in later:
            try:
                statements[name] = parse_statement(texts[name], TARGET, {**tables, TARGET: table})
            except InvalidScenario:
                continue
            del failed[name]
            break
    return statements, failed


def _creations(
    base: Snapshot, statements: Mapping[str, Statement], others: Rows
) -> Iterator[Snapshot]:
    """The table as each statement would make it; none where it is there."""
    for name, statement in statements.items() if base.table.absent else ():
        if isinstance(statement, CreateTable) and statement.table.absent:
            try:
                execution = statement.execute(base, name, others)
            except StatementFailure:
                continue
            assert execution.footprint is not None
            yield base.after(Commit(0, name, execution.footprint, base.version, ""))


_MISSPELT = (
    *("PARSE_", "UNRESOLVED_", "TABLE_OR_VIEW_", "AMBIGUOUS_", "CANNOT_RESOLVE_"),
    *("DELTA_COLUMN_NOT_FOUND", "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "NON_PARTITION_COLUMN"),
)
"""Errors that a slip in writing a scenario leads to: no outcome unless the scenario says so."""


def definitions(workload: Workload) -> list[Table]:
    """The target's definitions: at the base, and as each transaction alone would leave it.

    Where there is no table yet, also as each would leave it once another has made it.
    """
    base, others = workload.base, workload.others
    found = _definitions(base, workload.statements, others)
    for made in _creations(base, workload.statements, others):
        fitting: dict[str, Statement] = {}
        for name in workload.statements:
            with suppress(InvalidScenario):
                fitting[name] = workload.statement(name, made.table)
        found += _definitions(made, fitting, others)
    return found


def _definitions(base: Snapshot, statements: Mapping[str, Statement], others: Rows) -> list[Table]:
    found = [base.table]
    for name, statement in statements.items():
        try:
            execution = statement.execute(base, name, others)
        except StatementFailure:
            continue
        found += _left_by(base, name, execution)
    return found


def _left_by(base: Snapshot, name: str, execution: Execution) -> list[Table]:
    """The definitions that the commits of one statement put in force, one after the other."""
    found: list[Table] = []
    if execution.footprint is None:
        return found
    snapshot = base.after(
        Commit(base.version + 1, name, execution.footprint, base.version, "Serializable")
    )
    if execution.footprint.table is not None:
        found.append(snapshot.table)
    for later in execution.then:
        try:
            footprint = later(snapshot)
        except StatementFailure:
            break
        if footprint is not None:
            version = snapshot.version
            snapshot = snapshot.after(Commit(version + 1, name, footprint, version, "Serializable"))
            if footprint.table is not None:
                found.append(snapshot.table)
    return found


def initial_rows(workload: Workload) -> dict[str, dict[RowId, Row]]:
    """The rows of every table before the first transaction, with their identity."""
    initial = {workload.table.name: {row.row: row.values for row in workload.base.stored()}}
    for name, rows in workload.others.items():
        initial[name] = {(f"setup of {name}", i): row for i, row in enumerate(rows)}
    return initial


def run_setup(table: Table, spec: TableSpec, where: tuple[str, ...]) -> Snapshot:
    """The table after its set-up: version 0 is its creation, each entry adds one version.

    A table that is not there yet is at version -1.

    Raises InvalidScenario for an entry that is wrong, that fails, or that writes no version.
    """
    snapshot = Snapshot(table, -1 if table.absent else 0, {})
    for index, text in enumerate(spec.setup):
        place: tuple[str | int, ...] = (*where, "setup", index)
        try:
            statement = parse_statement(text, table.name, {table.name: snapshot.table})
            execution = statement.execute(snapshot, f"setup{index + 1}", {})
        except InvalidScenario as error:
            raise _at(error, place) from error
        except StatementFailure as error:
            raise InvalidScenario(f"{error} ({error.error_class})", place) from error
        snapshot = _set_up(snapshot, statement, execution, f"setup{index + 1}", place)
    return snapshot


def _set_up(
    snapshot: Snapshot,
    statement: Statement,
    execution: Execution,
    writer: str,
    place: tuple[str | int, ...],
) -> Snapshot:
    if isinstance(statement, Select) or execution.footprint is None:
        raise InvalidScenario("a SELECT sets nothing up", place)
    if execution.footprint.empty:
        raise InvalidScenario("this set-up statement changes nothing", place)
    version = snapshot.version
    snapshot = snapshot.after(
        Commit(version + 1, writer, execution.footprint, version, "Serializable")
    )
    for later in execution.then:
        try:
            footprint = later(snapshot)
        except StatementFailure as error:
            raise InvalidScenario(f"{error} ({error.error_class})", place) from error
        if footprint is not None:
            version = snapshot.version
            snapshot = snapshot.after(
                Commit(version + 1, writer, footprint, version, "Serializable")
            )
    return snapshot


def _table(name: str, spec: TableSpec, where: tuple[str, ...]) -> Table:
    try:
        return declared_table(name, spec)
    except InvalidScenario as error:
        raise _at(error, where) from error


def _at(error: InvalidScenario, where: tuple[str | int, ...]) -> InvalidScenario:
    return type(error)(str(error), where + error.where, error.error_class)


def check_schedule(scenario: Scenario) -> None:
    """Checks that every transaction begins once and then commits once.

    Raises InvalidScenario that names the step.
    """
    if not scenario.transactions:
        raise InvalidScenario("a scenario needs a transaction", ("transactions",))
    begun: set[str] = set()
    ended: set[str] = set()
    for index, step in enumerate(scenario.schedule):
        place = ("schedule", index)
        name = step.transaction
        if name not in scenario.transactions:
            known = ", ".join(scenario.transactions)
            raise InvalidScenario(f"there is no transaction {name!r} (there is {known})", place)
        if step.action == "begin":
            if name in begun:
                raise InvalidScenario(f"transaction {name} begins twice", place)
            begun.add(name)
        else:
            if name not in begun:
                raise InvalidScenario(f"transaction {name} commits before it begins", place)
            if name in ended:
                raise InvalidScenario(f"transaction {name} commits twice", place)
            ended.add(name)
    for name in scenario.transactions:
        if name not in ended:
            state = "left open" if name in begun else "never scheduled"
            raise InvalidScenario(f"transaction {name} is {state}", ("schedule",))


def steps(text: str) -> tuple[Step, ...]:
    """One entry of a schedule: ``begin A``, ``commit A``, or ``A`` for both at once.

    Raises InvalidScenario for anything else.
    """
    words = text.split()
    if len(words) == 2 and words[0] in ("begin", "commit"):
        return (Step("begin" if words[0] == "begin" else "commit", words[1]),)
    if len(words) == 1:
        return (Step("begin", words[0]), Step("commit", words[0]))
    raise InvalidScenario(f"{text!r} is no step (begin NAME, commit NAME, or NAME for both)")
