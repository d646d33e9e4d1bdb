"""Preparation of a scenario: tables resolved, statements analysed, the schedule checked.

No transaction is run. A statement is parsed once, and resolved for the definitions that it can
meet (:mod:`model.definitions`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from model.definitions import may_restore, reachable, with_places
from model.errors import (
    InvalidScenario,
    NotPredicted,
    SeveralProblems,
    StatementFailure,
    UnsupportedSQL,
)
from model.physical.log import Commit, Snapshot
from model.profiles.base import Profile
from model.scenario import LEVEL_PROPERTY, Scenario, Step, TableSpec
from model.simulator import Run, run
from model.sql import (
    OpaquePart,
    Understood,
    declared_table,
    understood,
    understood_strictly,
)
from model.sql.source import NoTable
from model.statements import Execution, Refused, Statement
from model.statements.base import check_places
from model.tables.protocol import features_in_use
from model.tables.table import Table
from model.workload import Workload

_Reader = Callable[[str, str, Mapping[str, Table]], Understood]
"""The parser of a statement: strict, or one that takes opaque parts."""


def run_scenario(scenario: Scenario, profile: Profile, level: str | None = None) -> Run:
    """Prepares and runs a scenario. Raises InvalidScenario."""
    return run(prepare(scenario, profile, level), scenario.schedule, profile)


def prepare(
    scenario: Scenario, profile: Profile, level: str | None = None, *, opaque: bool = False
) -> Workload:
    """A scenario's tables and statements, ready to run under ``profile``.

    ``level`` overrides the isolation level that the table declares. With ``opaque``, parts of
    statements that the model cannot evaluate are kept as such; without it they are errors. Raises
    InvalidScenario with the path of keys to the place that is wrong.
    """
    check_schedule(scenario)
    return prepared(scenario, profile, level, opaque=opaque)


def prepared(
    scenario: Scenario, profile: Profile, level: str | None = None, *, opaque: bool = False
) -> Workload:
    """The same for a schedule that has been checked, or is only a part. Raises InvalidScenario."""
    in_force = level or scenario.level or profile.default_level
    if in_force not in profile.levels:
        raise InvalidScenario(
            f"profile {profile.name} has no isolation level {in_force!r} "
            f"(it has {', '.join(profile.levels)})",
            ("table", "properties", LEVEL_PROPERTY),
        )
    read = understood if opaque else understood_strictly
    target = _table(scenario.target, scenario.table, ("table",))
    tables: dict[str, Table] = {}
    for name, spec in scenario.tables.items():
        if name == scenario.target:
            raise InvalidScenario(f"{name!r} is the target's name", ("tables", name))
        if spec.absent:
            raise InvalidScenario(f"table {name} has no columns", ("tables", name))
        tables[name] = with_places(_table(name, spec, ("tables", name)), spec.setup, (), {})
    others = {
        name: run_setup(tables[name], spec, ("tables", name), read).rows()
        for name, spec in scenario.tables.items()
    }
    texts = scenario.transactions.values()
    target = with_places(target, scenario.table.setup, texts, tables)
    base = run_setup(target, scenario.table, ("table",), read)
    statements, parts = _statements(scenario, base, tables, read)
    meaning = profile.meaning
    if meaning is not None:
        statements = {name: meaning(statement) for name, statement in statements.items()}
    _check_storage(statements)
    workload = Workload(
        base.table, base, statements, others, in_force, tables, meaning, parts, opaque
    )
    if profile.features is not None:
        _check_features(workload, profile.name, profile.features)
    for name, statement in statements.items():
        if profile.has is not None and not profile.has(statement):
            reason = f"profile {profile.name} does not have the statement {statement.text!r}"
            raise InvalidScenario(reason, ("transactions", name))
    return workload


def check_known(workload: Workload, schedule: Sequence[Step], profile: Profile) -> None:
    """Runs the schedule where statements change the definition, to see whether all can be analysed.

    Raises UnsupportedSQL for a statement that meets a definition that it is not known for.
    """
    if any(s.changes_definition or s.restores for s in workload.statements.values()):
        with suppress(NotPredicted):
            run(workload, schedule, profile)


def definitions(workload: Workload) -> tuple[Table, ...]:
    """The target's definitions: at the base, and as transactions can leave it, the base's first."""
    texts = [statement.text for statement in workload.statements.values()]
    return _definitions(workload.base, texts, workload.tables)


def _definitions(
    base: Snapshot, texts: Iterable[str], tables: Mapping[str, Table]
) -> tuple[Table, ...]:
    texts = tuple(texts)
    roots = [base.table]
    earlier = base.parent if may_restore(texts) else None
    while earlier is not None:
        roots.append(earlier.table)
        earlier = earlier.parent
    return reachable(roots, texts, tables)


def _check_storage(statements: Mapping[str, Statement]) -> None:
    """Refuses RESTORE beside a VACUUM that may have taken away the files that come back.

    The engine then fails with an exception that has no error class.
    """
    freeing = any(s.frees != "nothing" and not s.fails for s in statements.values())
    for name, statement in statements.items():
        if freeing and statement.restores:
            reason = "RESTORE beside a VACUUM that retains nothing is not supported"
            raise UnsupportedSQL(reason, ("transactions", name))


def _check_features(workload: Workload, name: str, known: frozenset[str]) -> None:
    """Refuses a scenario that uses, or comes to use, a feature that the rules say nothing of."""
    for table in (*definitions(workload), *workload.tables.values()):
        for feature in features_in_use(table):
            if feature not in known:
                raise InvalidScenario(f"profile {name} knows no {feature}", ("table",))


def _statements(
    scenario: Scenario, base: Snapshot, tables: Mapping[str, Table], read: _Reader
) -> tuple[dict[str, Statement], tuple[tuple[str, OpaquePart], ...]]:
    """Every transaction's statement; one that the base has no columns for is tried further on.

    One that fails on every definition fails with the engine's error, where the model knows that.
    An error that looks like a slip of the scenario's author is refused, unless the scenario
    expects it. That there is no table yet is not a slip.
    """
    texts = scenario.transactions
    statements: dict[str, Statement] = {}
    opaque: list[tuple[str, OpaquePart]] = []
    at_base: dict[str, InvalidScenario] = {}
    for name, text in texts.items():
        try:
            resolved = _resolved(text, base.table, tables, read)
            statements[name] = resolved.statement
            opaque += ((name, part) for part in resolved.opaque)
        except InvalidScenario as error:
            at_base[name] = error
    reasons = dict(at_base)
    if base.table.absent:
        _check_slips(scenario, at_base)
    later = _definitions(base, texts.values(), tables)[1:] if at_base else ()
    for name in at_base:
        for table in later:
            try:
                statements[name] = _resolved(texts[name], table, tables, read).statement
            except InvalidScenario as error:
                if isinstance(reasons[name], NoTable):
                    reasons[name] = error
                continue
            del reasons[name]
            break
    _check_slips(scenario, reasons)
    for name, reason in reasons.items():
        kind, failure = texts[name].split(None, 1)[0].upper(), at_base[name].error_class
        assert failure is not None
        statements[name] = Refused(texts[name], base.table, kind, failure, str(reason))
    return {name: statements[name] for name in texts}, tuple(opaque)


def _resolved(text: str, table: Table, tables: Mapping[str, Table], read: _Reader) -> Understood:
    resolved = read(text, table.name, {**tables, table.name: table})
    check_places(resolved.statement)
    return resolved


def _check_slips(scenario: Scenario, failed: Mapping[str, InvalidScenario]) -> None:
    """Raises SeveralProblems for the errors that look like typos rather than outcomes to model."""
    slips = []
    for name, reason in failed.items():
        failure = reason.error_class
        expected = failure == scenario.expect.outcomes.get(name) or isinstance(reason, NoTable)
        if failure is None or (not expected and failure.startswith(_MISSPELT)):
            slips.append(_at(reason, ("transactions", name)))
    if len(slips) == 1:
        raise slips[0]
    if slips:
        raise SeveralProblems(slips)


_MISSPELT = (
    *("PARSE_", "UNRESOLVED_", "TABLE_OR_VIEW_", "AMBIGUOUS_", "CANNOT_RESOLVE_"),
    *("DELTA_COLUMN_NOT_FOUND", "DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST", "NON_PARTITION_COLUMN"),
)
"""Errors that a slip in writing a scenario leads to: no outcome unless the scenario says so."""


def run_setup(
    table: Table, spec: TableSpec, where: tuple[str, ...], read: _Reader = understood_strictly
) -> Snapshot:
    """The table after its set-up: version 0 is its creation, each entry adds one version.

    A table that is not there yet is at version -1.

    Raises InvalidScenario for an entry that is wrong, that fails, or that writes no version.
    """
    snapshot = Snapshot(table, -1 if table.absent else 0, {})
    for index, text in enumerate(spec.setup):
        place: tuple[str | int, ...] = (*where, "setup", index)
        try:
            known = {table.name: snapshot.table}
            statement = check_places(read(text, table.name, known).statement)
            execution = statement.execute(snapshot, f"setup{index + 1}", {})
        except InvalidScenario as error:
            raise _at(error, place) from error
        except StatementFailure as error:
            raise InvalidScenario(f"{error} ({error.error_class})", place) from error
        snapshot = _set_up(snapshot, execution, f"setup{index + 1}", place)
    return snapshot


def _set_up(
    snapshot: Snapshot,
    execution: Execution,
    writer: str,
    place: tuple[str | int, ...],
) -> Snapshot:
    if execution.footprint is None:
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
    if isinstance(error, NotPredicted):
        return NotPredicted(error.part, error.because, where + error.where)
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
