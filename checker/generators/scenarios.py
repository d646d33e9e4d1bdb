"""Random scenarios, as a grammar over choices.

Every function takes ``pick``, which chooses one of several options, and makes all its choices
with it. Hypothesis drives the grammar in ``checker.generators.strategies`` and a plain seeded
generator in ``checker.search.random_search``; both know the same scenarios. In every choice the
first option is the simplest, so that a driver which shrinks leads to short SQL, few rows and a
serial schedule.

Statements are valid in both the model and Spark when their table is as the set-up left it. Some
fail by themselves: where a row breaks a constraint, where a MERGE has several source rows for
one of the target, where an ALTER TABLE asks for what the table does not have, or where another
transaction has changed the table meanwhile. Numbers stay small, nothing is divided, types match.
Values come from small domains, so that statements meet.

Statements are drawn as sqlglot's trees and printed at the end. Tables come from
``checker.generators.tables``, the parts of statements from ``checker.generators.parts``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal

from sqlglot import exp

from checker.generators import alterations, maintenance, overwrites
from checker.generators.merges import merge
from checker.generators.parts import insert_select, insert_values, predicate, update, where
from checker.generators.queries import insert_query, select
from checker.generators.tables import (
    Pick,
    copies,
    given,
    hands_out,
    known,
    listed,
    other_table,
    readable,
    row,
    table,
    values,
)
from model.scenario import Scenario, Step, TableSpec
from model.sql.printer import Syntax, syntax, tables_of
from model.sql.trees import Where, column, equal, insert, literal, named

__all__ = [
    "KINDS",
    "NAMES",
    "Pick",
    "kinds",
    "other_table",
    "predicate",
    "scenario",
    "schedule",
    "statement",
    "table",
]

KINDS = (
    *("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "MERGE", "OPTIMIZE", "SELECT"),
    *("REORG", "VACUUM", "INSERT OVERWRITE", "REPLACE WHERE", "TRUNCATE", "RESTORE"),
    *("ALTER TABLE", "REPLACE TABLE"),
)
"""Kinds of statements, as the model names them. COMMENT ON is an ALTER TABLE."""

NAMES = ("A", "B", "C", "D", "E", "F")
"""Names of transactions, in their order."""


def statement(
    pick: Pick,
    spec: TableSpec,
    kind: str | None = None,
    source: str | None = None,
    clause: Where | Literal["drawn"] = "drawn",
) -> Syntax:
    """A statement over a table called ``t``, of a kind that is picked unless it is given.

    ``source`` is another table that statements may read, with the same columns.
    ``clause`` is its WHERE clause, which is drawn unless it is given.
    """
    chosen = pick(_kinds(spec)) if kind is None else kind
    drawn = _statement(pick, spec, chosen, source, clause)
    made = Syntax((), drawn) if isinstance(drawn, exp.Expr) else drawn
    if chosen in _NUMBERED and pick((False,) * 11 + (True,)):
        settings = ((f"{_WRITE}.txnAppId", "loader"), (f"{_WRITE}.txnVersion", str(pick((1, 2)))))
        return Syntax((*settings, *made.settings), made.tree)
    return made


_PLAIN: dict[str, Callable[[Pick, TableSpec], exp.Expr]] = {
    "ALTER TABLE": alterations.alter,
    "INSERT": insert_values,
    "OPTIMIZE": maintenance.optimize,
    "OPTIMIZE of all files": maintenance.optimize_all,
    "REORG": maintenance.reorg,
    "REPLACE TABLE": alterations.replace_table,
    "VACUUM": lambda pick, spec: maintenance.vacuum(pick),
}
"""Statements without a WHERE clause over any column."""


def _statement(
    pick: Pick,
    spec: TableSpec,
    chosen: str,
    source: str | None,
    clause: Where | Literal["drawn"],
) -> exp.Expr | Syntax:
    if chosen in _PLAIN:
        return _PLAIN[chosen](pick, spec)
    if chosen == "MERGE":
        return merge(pick, spec, source)
    types, origin = readable(spec), source or "t"
    condition = where(pick, types) if clause == "drawn" else clause
    match chosen:
        case "DELETE":
            return exp.Delete(this=named("t"), where=condition)
        case "UPDATE":
            return update(pick, spec, source, condition)
        case "INSERT SELECT":
            if hands_out(spec) or not pick((False, False, False, True)):
                return insert_select(pick, spec, pick(("t", "t", "t", origin)), condition)
            return insert_query(pick, spec, origin)
        case "SELECT":
            return select(pick, types, condition)
        case "INSERT OVERWRITE":
            read = "t" if source is None else pick(("t", "t", source))
            return overwrites.overwrite(pick, spec, read, condition)
        case "REPLACE WHERE":
            return overwrites.replace_where(pick, spec)
        case "TRUNCATE":
            return exp.TruncateTable(expressions=[named("t")])
        case "RESTORE":
            return maintenance.restore(pick, spec)
    raise ValueError(f"unknown kind of statement: {chosen}")


_WRITE = "spark.databricks.delta.write"
"""Where the settings are that number a write of an application."""

_NUMBERED = ("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "MERGE", "INSERT OVERWRITE")

_OPTIMIZE_ALL = "OPTIMIZE of all files"
"""A shape of OPTIMIZE that is picked by itself, so that the plain one stays without a choice."""

_COMMON = ("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "OPTIMIZE", "SELECT", "MERGE")
_REPLACING = ("INSERT OVERWRITE", "REPLACE WHERE", "TRUNCATE", "RESTORE", "REPLACE TABLE")
_KIND_WEIGHTS = (
    *(*_COMMON, *_COMMON, *_COMMON),
    *("REORG", "REORG", "VACUUM", "VACUUM", _OPTIMIZE_ALL),
    *(*_REPLACING, *_REPLACING, "ALTER TABLE", "ALTER TABLE", "ALTER TABLE"),
)


def kinds(spec: TableSpec) -> tuple[str, ...]:
    """The kinds that a table allows: REPLACE WHERE gives every column, whoever finds its value."""
    return tuple(kind for kind in KINDS if kind != "REPLACE WHERE" or copies(spec))


def _kinds(spec: TableSpec) -> tuple[str, ...]:
    """The kinds to pick from; REORG more often where it can have something to do."""
    marked = any(isinstance(syntax(text).tree, exp.Delete) for text in spec.setup)
    allowed = {*kinds(spec), _OPTIMIZE_ALL}
    weights = tuple(kind for kind in _KIND_WEIGHTS if kind in allowed)
    return (*weights, *("REORG",) * 5) if marked else weights


def schedule(pick: Pick, names: Sequence[str]) -> tuple[Step, ...]:
    """A schedule: serial, a long transaction around the others, or any mixture.

    The long transaction is the last one: it begins first and commits last.
    """
    shape = pick(("serial", "mixed", "long", "mixed", "long"))
    if shape == "serial":
        return _serial(names)
    if shape == "long":
        return _around(names)
    waiting, running, steps = list(names), list[str](), list[Step]()
    while waiting or running:
        options = [Step("commit", name) for name in running]
        if waiting:
            # Twice: what is open at the same time is what conflicts.
            options += [Step("begin", waiting[0])] * (2 if running else 1)
        step = pick(options)
        steps.append(step)
        if step.action == "begin":
            running.append(waiting.pop(0))
        else:
            running.remove(step.transaction)
    return tuple(steps)


def _serial(names: Sequence[str]) -> tuple[Step, ...]:
    return tuple(Step(action, name) for name in names for action in ("begin", "commit"))


def _around(names: Sequence[str]) -> tuple[Step, ...]:
    """The last transaction open around all others, one after the other."""
    return (Step("begin", names[-1]), *_serial(names[:-1]), Step("commit", names[-1]))


def scenario(
    pick: Pick,
    levels: Sequence[str | None] = (None,),
    sizes: Sequence[int] = (2, 3),
    name: str = "a random scenario",
    tables: tuple[TableSpec, TableSpec] | None = None,
) -> Scenario:
    """A table, as many transactions as one of ``sizes``, and a schedule.

    ``tables`` gives the target and the other table ``s`` instead of drawing them.

    The table declares one of ``levels``; None leaves the profile's default. Most scenarios are
    of no special kind. One in four is a long statement about one partition against an append and
    whatever reads that append: the shape in which the order of commits matters most, and which
    choices made one by one would seldom meet.
    """
    spec = tables[0] if tables is not None else table(pick, pick(levels))
    names = NAMES[: pick(sizes)]
    special = pick((False, False, True))
    if special and spec.partition_by and "p" in given(spec) and not hands_out(spec):
        statements, steps = _late_append(pick, spec, names)
    else:
        statements = _statements(pick, spec, names)
        steps = schedule(pick, names)
    others: dict[str, TableSpec] = {}
    if any("s" in tables_of(drawn.tree) for drawn in statements.values()):
        others["s"] = tables[1] if tables is not None else other_table(pick, spec)
    texts = {name: drawn.sql() for name, drawn in statements.items()}
    return Scenario(name, spec, texts, steps, others)


def _statements(pick: Pick, spec: TableSpec, names: Sequence[str]) -> dict[str, Syntax]:
    """A statement for each transaction; one after ADD COLUMN may know the new column."""
    statements: dict[str, Syntax] = {}
    source: str | None = "s"
    for name in names:
        drawn = statements[name] = statement(pick, spec, None, source)
        if alterations.adds_last(drawn.tree) and pick((False, True)):
            spec, source = replace(spec, setup=(*spec.setup, drawn.sql())), None
    return statements


def _late_append(
    pick: Pick, spec: TableSpec, names: Sequence[str]
) -> tuple[dict[str, Syntax], tuple[Step, ...]]:
    """A long transaction over one partition, around an append and what follows it."""
    types = given(spec)
    partition = pick(known(values("p", types)))
    appended = list(row(pick, types))
    appended[list(types).index("p")] = partition
    statements = {names[0]: Syntax((), insert(listed(spec), [tuple(appended)]))}
    for name in names[1:-1]:
        kind = pick(("INSERT SELECT", "INSERT SELECT", "UPDATE", "DELETE", "SELECT"))
        clauses: tuple[None, Literal["drawn"]] = (None, "drawn")
        statements[name] = statement(pick, spec, kind, None, pick(clauses))
    kind = pick(("DELETE", "UPDATE", "INSERT SELECT"))
    clause = exp.Where(this=equal(column("p"), literal(partition)))
    statements[names[-1]] = statement(pick, spec, kind, None, clause)
    return statements, _around(names)
