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

Tables come from ``checker.generators.tables``; MERGE, the statements that replace rows and those
that change the table's definition have modules of their own.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from checker.generators.tables import (
    DOMAINS,
    Columns,
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
from model.values.types import sql_literal, sql_row

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

_NUMBERS = ("int", "bigint", "double")
_WHOLE = ("int", "bigint")


def insert_values(pick: Pick, spec: TableSpec, sizes: Sequence[int] = (1, 1, 2)) -> str:
    """INSERT INTO t VALUES with as many rows as one of ``sizes``, sometimes not of all columns."""
    types, names = given(spec), listed(spec)
    if len(types) > 2 and pick((False, False, False, True)):
        # Where a column is required, a statement without it is not analysed.
        left = pick([n for n in types if n != "k" and "NOT NULL" not in spec.columns.get(n, "")])
        types = {name: type_ for name, type_ in types.items() if name != left}
        names = f" ({', '.join(types)})"
    rows = [row(pick, types) for _ in range(pick(sizes))]
    return f"INSERT INTO t{names} VALUES {', '.join(map(sql_row, rows))}"


def predicate(pick: Pick, types: Columns, depth: int = 2) -> str:
    """A condition over the columns; ``depth`` bounds how far AND, OR and NOT are nested."""
    shape = pick(("atom", "atom", "AND", "OR", "NOT")) if depth > 0 else "atom"
    if shape == "atom":
        return _atom(pick, types)
    if shape == "NOT":
        return f"NOT ({predicate(pick, types, depth - 1)})"
    left, right = predicate(pick, types, depth - 1), predicate(pick, types, depth - 1)
    return f"({left}) {shape} ({right})" if depth > 1 else f"{left} {shape} {right}"


def _atom(pick: Pick, types: Columns) -> str:
    name = pick(by_use(types))
    type_ = types[name]
    constants = values(name, types)
    # Picked for every shape, so that a comparison is not longer in choices than IS NULL is.
    literal = sql_literal(pick(known(constants)))
    shapes = ["=", "=", "IS NULL", "IS NOT NULL", "IN", "<>", "<=>"]
    if type_ != "boolean":
        shapes += [">", "<", ">=", "<=", "BETWEEN"]
    if type_ in _WHOLE:
        shapes += ["+", "%"]
    peers = [other for other in types if other != name and types[other] == type_]
    if peers:
        shapes.append("column")
    shape = pick(shapes)
    match shape:
        case "IS NULL" | "IS NOT NULL":
            return f"{name} {shape}"
        case "IN":
            return f"{name} IN ({literal}, {sql_literal(pick(constants))})"
        case "BETWEEN":
            return f"{name} BETWEEN {literal} AND {sql_literal(pick(known(constants)))}"
        case "+":
            return f"{name} {pick('+-*')} {pick((1, 2))} {pick(('=', '>', '<'))} {pick((2, 3, 4))}"
        case "%":
            return f"{name} % 2 = {pick((0, 1))}"
        case "column":
            return f"{name} {pick(('=', '<', '<>', '<=>'))} {pick(peers)}"
        case _:
            return f"{name} {shape} {literal}"


def by_use(types: Columns) -> list[str]:
    """Column names, ``p`` more often: what partitions decide is where rules and levels differ."""
    return ["k", "p", "p", "v", *(name for name in types if name not in "kpv")]


def where(pick: Pick, types: Columns) -> str:
    """A WHERE clause with a space before it, or nothing."""
    return f" WHERE {predicate(pick, types)}" if pick((False, True, True, True)) else ""


def update(pick: Pick, spec: TableSpec, source: str | None, clause: str) -> str:
    """UPDATE t: sets one or two columns to constants, to other columns or to what they are.

    Sometimes to what a subquery finds in the table ``source``. Not in ``t``: the engine does not
    note such a read, which breaks every level by itself (see ``checker.search.alphabet``).
    """
    types, settable = readable(spec), given(spec)
    order = ["v", *(["p"] if "p" in settable else []), *(n for n in settable if n not in "pv")]
    chosen = dict.fromkeys(pick(order) for _ in range(pick((1, 1, 2))))
    sets = ", ".join(f"{name} = {_set_value(pick, name, types, source)}" for name in chosen)
    return f"UPDATE t SET {sets}{clause}"


def _set_value(pick: Pick, name: str, types: Columns, source: str | None) -> str:
    if source is None or not pick((False,) * 9 + (True,)):
        return new_value(pick, name, types)
    return f"(SELECT {pick(('max', 'min'))}({name}) FROM {source}{where(pick, types)})"


def new_value(pick: Pick, name: str, types: Columns) -> str:
    """A value for a column: a constant, another column, or what it is, changed or not."""
    type_ = types[name]
    constant = sql_literal(pick(values(name, types)))
    shapes = ["constant", "same"]
    if type_ in _NUMBERS:
        shapes += ["+", "+"]
        shapes += ["coalesce", "CASE"]
    peers = [other for other in types if other != name and types[other] == type_]
    if peers:
        shapes.append("column")
    match pick(shapes):
        case "same":
            return name
        case "+":
            return f"{name} {pick('+-')} 1"
        case "coalesce":
            return f"coalesce({name}, {sql_literal(DOMAINS[type_][0])})"
        case "CASE":
            return f"CASE WHEN {_atom(pick, types)} THEN {constant} ELSE {name} END"
        case "column":
            return pick(peers)
        case _:
            return constant


def insert_select(pick: Pick, spec: TableSpec, origin: str, clause: str) -> str:
    """INSERT INTO t SELECT: a copy with one column changed, or aggregates, with or without groups.

    ``origin`` is the table that it reads, which has the columns of ``t``.
    """
    types, names = readable(spec), given(spec)
    # Which of several rows gets which identity value is for the engine's scan to say.
    shape = "aggregate" if hands_out(spec) else pick(("copy", "copy", "aggregate", "groups"))
    if shape == "copy":
        changed = pick([name for name in by_use(types) if name in names])
        outputs = [new_value(pick, name, types) if name == changed else name for name in names]
    elif shape == "aggregate":
        outputs = [_aggregate(pick, name, types) for name in names]
    else:
        outputs = [name if name == "p" else _aggregate(pick, name, types) for name in names]
        clause += " GROUP BY p"
    return f"INSERT INTO t{listed(spec)} SELECT {', '.join(outputs)} FROM {origin}{clause}"


def _aggregate(pick: Pick, name: str, types: Columns) -> str:
    """An output of an aggregate query that the column takes: for ``p`` always a constant."""
    if name == "p" or types[name] not in _NUMBERS:
        return sql_literal(pick(values(name, types)))
    return pick((sql_literal(DOMAINS[types[name]][0]), "count(*)", "sum(k)", "max(k)"))


def select(pick: Pick, types: Columns, clause: str) -> str:
    """SELECT ... FROM t: rows, an aggregate, or an aggregate by group."""
    match pick(("rows", "count", "sum", "groups")):
        case "rows":
            return f"SELECT * FROM t{clause}"
        case "count":
            return f"SELECT count(*) FROM t{clause}"
        case "sum":
            return f"SELECT sum(k), min({pick(list(types))}) FROM t{clause}"
    return f"SELECT p, count(*) FROM t{clause} GROUP BY p"


def optimize(pick: Pick, spec: TableSpec) -> str:
    """OPTIMIZE t, in a partitioned table sometimes with WHERE."""
    return f"OPTIMIZE t{_partition(pick, spec)}"


def optimize_all(pick: Pick, spec: TableSpec) -> str:
    """OPTIMIZE of files that were optimized before: FULL in a clustered table, else ZORDER BY."""
    return "OPTIMIZE t FULL" if spec.cluster_by else f"{optimize(pick, spec)} ZORDER BY (v)"


def reorg(pick: Pick, spec: TableSpec) -> str:
    """REORG TABLE t, in a partitioned table sometimes with WHERE."""
    return f"REORG TABLE t{_partition(pick, spec)} APPLY (PURGE)"


def _partition(pick: Pick, spec: TableSpec) -> str:
    """A WHERE clause with a space before it that names a partition, or nothing."""
    if not spec.partition_by or pick((True, False)):
        return ""
    name = spec.partition_by[0]
    value = pick(known(values(name, readable(spec))))
    return f" WHERE {name} = {sql_literal(value)}"


def statement(
    pick: Pick,
    spec: TableSpec,
    kind: str | None = None,
    source: str | None = None,
    clause: str | None = None,
) -> str:
    """A statement over a table called ``t``, of a kind that is picked unless it is given.

    ``source`` is another table that statements may read, with the same columns.
    ``clause`` is its WHERE clause with a space before it, or empty; it is picked unless given.
    """
    chosen = pick(_kinds(spec)) if kind is None else kind
    text = _statement(pick, spec, chosen, source, clause)
    if chosen in _NUMBERED and pick((False,) * 11 + (True,)):
        return f"{_APPLICATION}{pick((1, 2))}; {text}"
    return text


def _statement(
    pick: Pick, spec: TableSpec, chosen: str, source: str | None, clause: str | None
) -> str:
    types, origin = readable(spec), source or "t"
    # Those of other modules are made of the parts that are defined here.
    from checker.generators import (
        alterations as grammar_alter,
    )
    from checker.generators import (
        overwrites as grammar_overwrite,
    )
    from checker.generators import (
        queries as grammar_query,
    )
    from checker.generators.merges import merge

    match chosen:
        case "INSERT":
            return insert_values(pick, spec)
        case "OPTIMIZE":
            return optimize(pick, spec)
        case "OPTIMIZE of all files":
            return optimize_all(pick, spec)
        case "REORG":
            return reorg(pick, spec)
        case "VACUUM":
            return pick(("VACUUM t", "VACUUM t", "VACUUM t DRY RUN", "VACUUM t RETAIN 0 HOURS"))
        case "MERGE":
            return merge(pick, spec, source)
        case "ALTER TABLE" | "REPLACE TABLE":
            return grammar_alter.statement(pick, spec, chosen)
    condition = where(pick, types) if clause is None else clause
    match chosen:
        case "DELETE":
            return f"DELETE FROM t{condition}"
        case "UPDATE":
            return update(pick, spec, source, condition)
        case "INSERT SELECT":
            if hands_out(spec) or not pick((False, False, False, True)):
                return insert_select(pick, spec, pick(("t", "t", "t", origin)), condition)
            return grammar_query.insert_query(pick, spec, origin)
        case "SELECT":
            return select(pick, types, condition)
        case "INSERT OVERWRITE" | "REPLACE WHERE" | "TRUNCATE" | "RESTORE":
            return grammar_overwrite.statement(pick, spec, chosen, source, condition)
    raise ValueError(f"unknown kind of statement: {chosen}")


_APPLICATION = (
    "SET spark.databricks.delta.write.txnAppId = loader; "
    "SET spark.databricks.delta.write.txnVersion = "
)
"""What numbers a write of an application, up to the number."""

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
    marked = any(text.startswith("DELETE") for text in spec.setup)
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
        texts, steps = _late_append(pick, spec, names)
    else:
        texts = _texts(pick, spec, names)
        steps = schedule(pick, names)
    others: dict[str, TableSpec] = {}
    if any(re.search(r"\b(FROM|JOIN|USING) s\b", text) for text in texts.values()):
        others["s"] = tables[1] if tables is not None else other_table(pick, spec)
    return Scenario(name, spec, texts, steps, others)


def _texts(pick: Pick, spec: TableSpec, names: Sequence[str]) -> dict[str, str]:
    """A statement for each transaction; one after ADD COLUMN may know the new column."""
    from checker.generators.alterations import added

    texts: dict[str, str] = {}
    source: str | None = "s"
    for each in names:
        texts[each] = statement(pick, spec, None, source)
        if added(texts[each]) and pick((False, True)):
            spec, source = replace(spec, setup=(*spec.setup, texts[each])), None
    return texts


def _late_append(
    pick: Pick, spec: TableSpec, names: Sequence[str]
) -> tuple[dict[str, str], tuple[Step, ...]]:
    """A long transaction over one partition, around an append and what follows it."""
    types = given(spec)
    partition = pick(known(values("p", types)))
    appended = list(row(pick, types))
    appended[list(types).index("p")] = partition
    texts = {names[0]: f"INSERT INTO t{listed(spec)} VALUES {sql_row(tuple(appended))}"}
    for each in names[1:-1]:
        kind = pick(("INSERT SELECT", "INSERT SELECT", "UPDATE", "DELETE", "SELECT"))
        texts[each] = statement(pick, spec, kind, None, pick(("", None)))
    kind = pick(("DELETE", "UPDATE", "INSERT SELECT"))
    texts[names[-1]] = statement(pick, spec, kind, None, f" WHERE p = {sql_literal(partition)}")
    return texts, _around(names)
