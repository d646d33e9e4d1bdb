"""Random scenarios, as a grammar over choices.

Every function takes ``pick``, which chooses one of several options, and makes all its choices
with it. Hypothesis drives the grammar in ``checker.strategies`` and a plain seeded generator in
``checker.random_search``; both know the same scenarios. In every choice the first option is the
simplest, so that a driver which shrinks leads to short SQL, few rows and a serial schedule.

Statements are valid in both the model and Spark, and none fails by itself but a MERGE whose
source has several rows for one of the target: numbers stay small, nothing is divided, types
match. Values come from small domains, so that statements meet.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Protocol, TypeVar

from model.history import Row, Value
from model.scenario import LEVEL_PROPERTY, Scenario, Step, TableSpec
from model.types import sql_literal, sql_row

T = TypeVar("T")


class Pick(Protocol):
    """Chooses one of several options; the first is the simplest."""

    def __call__(self, options: Sequence[T], /) -> T: ...


KINDS = (
    *("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "MERGE", "OPTIMIZE", "SELECT"),
    *("REORG", "VACUUM", "INSERT OVERWRITE", "REPLACE WHERE", "TRUNCATE", "RESTORE"),
)
"""Kinds of statements, as the model names them."""

DELETION_VECTORS = "delta.enableDeletionVectors"

NAMES = ("A", "B", "C", "D", "E", "F")
"""Names of transactions, in their order."""

_DAYS = tuple(datetime.date(2024, 1, day) for day in (1, 2, 3))

DOMAINS: dict[str, tuple[Value, ...]] = {
    "int": (1, 2, 3, None, 0, -1),
    "bigint": (1, 2, 3, None, 3_000_000_000),
    "double": (1.0, 2.0, None, 0.5, -1.5),
    "string": ("a", "b", None, "ab", "B"),
    "boolean": (True, False, None),
    "date": (*_DAYS, None),
}
"""Values of each type, simple ones first. An empty string is left out: as a partition value the
engine stores it as NULL."""

_NUMBERS = ("int", "bigint", "double")
_WHOLE = ("int", "bigint")

Columns = dict[str, str]
"""Column names with their types, in order."""


def columns(pick: Pick) -> Columns:
    """The columns ``k``, ``p`` and ``v``, and sometimes one more."""
    found = {
        "k": "int",
        "p": pick(("int", "int", "string", "boolean", "date", "bigint")),
        "v": pick(("int", "int", "bigint", "double", "string")),
    }
    extra = pick((None, None, "string", "boolean", "date", "double"))
    if extra is not None:
        found["w"] = extra
    return found


def table(pick: Pick, level: str | None = None) -> TableSpec:
    """A table with one to three commits of one to three rows each.

    Partitioned by nothing or by ``p``, rarely by ``p`` and ``k``; where it is not partitioned,
    sometimes clustered. One in three has deletion vectors, most of those one at work already.
    """
    found = columns(pick)
    partition_by = pick(((), ("p",), ("p",), ("p",), ("p", "k")))
    vectors = pick((False, False, True))
    # A file of few rows is soon rid of all of them, and then nothing is marked.
    sizes = (3, 4, 5) if vectors else (1, 2, 3)
    rows = [[row(pick, found) for _ in range(pick(sizes))] for _ in range(pick((1, 2, 3)))]
    commits = [f"INSERT INTO t VALUES {', '.join(map(sql_row, each))}" for each in rows]
    properties = {} if level is None else {LEVEL_PROPERTY: level}
    # Picked for every table, so that a plain one takes no more choices than a partitioned one.
    clusterings: Sequence[tuple[str, ...]] = ((), (), ("k",), ("v", "k"))
    cluster_by = pick(((),) * len(clusterings) if partition_by else clusterings)
    if cluster_by:
        commits += pick(((), ("OPTIMIZE t",)))
    if vectors:
        properties[DELETION_VECTORS] = "true"
        if pick((False, True, True)):
            commits.append(f"DELETE FROM t WHERE k <=> {sql_literal(pick(pick(rows))[0])}")
    return TableSpec(found, partition_by, cluster_by, properties, tuple(commits))


def values(name: str, types: Columns) -> tuple[Value, ...]:
    """The values of one column; of ``p`` only three, so that statements meet in partitions."""
    domain = DOMAINS[types[name]]
    return domain[:3] if name == "p" else domain


def row(pick: Pick, types: Columns) -> Row:
    """A row of values that the columns' types hold."""
    return tuple(pick(values(name, types)) for name in types)


def insert_values(pick: Pick, name: str, types: Columns, sizes: Sequence[int] = (1, 1, 2)) -> str:
    """INSERT INTO ... VALUES with as many rows as one of ``sizes``."""
    rows = [row(pick, types) for _ in range(pick(sizes))]
    return f"INSERT INTO {name} VALUES {', '.join(map(sql_row, rows))}"


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
    literal = sql_literal(pick(_known(constants)))
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
            return f"{name} BETWEEN {literal} AND {sql_literal(pick(_known(constants)))}"
        case "+":
            return f"{name} {pick('+-*')} {pick((1, 2))} {pick(('=', '>', '<'))} {pick((2, 3, 4))}"
        case "%":
            return f"{name} % 2 = {pick((0, 1))}"
        case "column":
            return f"{name} {pick(('=', '<', '<>', '<=>'))} {pick(peers)}"
        case _:
            return f"{name} {shape} {literal}"


def _known(constants: Sequence[Value]) -> list[Value]:
    return [value for value in constants if value is not None]


def by_use(types: Columns) -> list[str]:
    """Column names, ``p`` more often: what partitions decide is where rules and levels differ."""
    return ["k", "p", "p", "v", *(name for name in types if name not in "kpv")]


def where(pick: Pick, types: Columns) -> str:
    """A WHERE clause with a space before it, or nothing."""
    return f" WHERE {predicate(pick, types)}" if pick((False, True, True, True)) else ""


def update(pick: Pick, types: Columns, clause: str) -> str:
    """UPDATE t: sets one or two columns to constants, to other columns or to what they are."""
    order = ["v", "p", *(name for name in types if name not in "pv")]
    chosen = dict.fromkeys(pick(order) for _ in range(pick((1, 1, 2))))
    sets = ", ".join(f"{name} = {new_value(pick, name, types)}" for name in chosen)
    return f"UPDATE t SET {sets}{clause}"


def new_value(pick: Pick, name: str, types: Columns) -> str:
    """A value for a column: a constant, another column, or what it is, changed or not."""
    type_ = types[name]
    constant = sql_literal(pick(values(name, types)))
    shapes = ["constant", "same"]
    if type_ in _NUMBERS:
        shapes += ["+", "+"]
        shapes.append("coalesce")
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
        case "column":
            return pick(peers)
        case _:
            return constant


def insert_select(pick: Pick, types: Columns, origin: str, clause: str) -> str:
    """INSERT INTO t SELECT: a copy with one column changed, or aggregates, with or without groups.

    ``origin`` is the table that it reads, which has the columns of ``t``.
    """
    shape = pick(("copy", "copy", "aggregate", "groups"))
    if shape == "copy":
        changed = pick(by_use(types))
        outputs = [new_value(pick, name, types) if name == changed else name for name in types]
    elif shape == "aggregate":
        outputs = [_aggregate(pick, name, types) for name in types]
    else:
        outputs = [name if name == "p" else _aggregate(pick, name, types) for name in types]
        clause += " GROUP BY p"
    return f"INSERT INTO t SELECT {', '.join(outputs)} FROM {origin}{clause}"


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
    value = pick(_known(values(name, dict(spec.columns))))
    return f" WHERE {name} = {sql_literal(value)}"


def statement(
    pick: Pick,
    spec: TableSpec,
    kind: str | None = None,
    source: str | None = None,
    clause: str | None = None,
) -> str:
    """A statement over a table called ``t``, of a kind that is picked unless it is given.

    ``source`` is another table that INSERT SELECT and MERGE may read, with the same columns.
    ``clause`` is its WHERE clause with a space before it, or empty; it is picked unless given.
    """
    types = dict(spec.columns)
    chosen = pick(_kinds(spec)) if kind is None else kind
    if chosen == "INSERT":
        return insert_values(pick, "t", types)
    if chosen == "OPTIMIZE":
        return optimize(pick, spec)
    if chosen == _OPTIMIZE_ALL:
        return optimize_all(pick, spec)
    if chosen == "REORG":
        return reorg(pick, spec)
    if chosen == "VACUUM":
        return pick(("VACUUM t", "VACUUM t", "VACUUM t DRY RUN"))
    if chosen == "MERGE":
        # MERGE is made of the parts that are defined here.
        from checker.grammar_merge import merge

        return merge(pick, types, source)
    condition = where(pick, types) if clause is None else clause
    match chosen:
        case "DELETE":
            return f"DELETE FROM t{condition}"
        case "UPDATE":
            return update(pick, types, condition)
        case "INSERT SELECT":
            origin = "t" if source is None else pick(("t", "t", "t", source))
            return insert_select(pick, types, origin, condition)
        case "SELECT":
            return select(pick, types, condition)
        case "INSERT OVERWRITE" | "REPLACE WHERE" | "TRUNCATE" | "RESTORE":
            # They are made of the parts that are defined here.
            from checker import grammar_overwrite

            return grammar_overwrite.statement(pick, spec, chosen, source, condition)
    raise ValueError(f"unknown kind of statement: {chosen}")


_OPTIMIZE_ALL = "OPTIMIZE of all files"
"""A shape of OPTIMIZE that is picked by itself, so that the plain one stays without a choice."""

_KIND_WEIGHTS = (
    *("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "OPTIMIZE", "SELECT", "MERGE"),
    *("INSERT", "DELETE", "UPDATE", "INSERT SELECT", "OPTIMIZE", "SELECT", "MERGE", "INSERT"),
    *("REORG", "VACUUM", _OPTIMIZE_ALL),
    *("INSERT OVERWRITE", "REPLACE WHERE", "TRUNCATE", "RESTORE"),
)


def _kinds(spec: TableSpec) -> tuple[str, ...]:
    """The kinds to pick from; REORG more often where it can have something to do."""
    marked = any(text.startswith("DELETE") for text in spec.setup)
    return (*_KIND_WEIGHTS, "REORG", "REORG", "REORG") if marked else _KIND_WEIGHTS


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
    if special and spec.partition_by:
        texts, steps = _late_append(pick, spec, names)
    else:
        texts = {each: statement(pick, spec, None, "s") for each in names}
        steps = schedule(pick, names)
    others: dict[str, TableSpec] = {}
    if any(" FROM s" in text or "USING s " in text for text in texts.values()):
        others["s"] = tables[1] if tables is not None else other_table(pick, spec)
    return Scenario(name, spec, texts, steps, others)


def other_table(pick: Pick, spec: TableSpec) -> TableSpec:
    """A table to load from, with the columns of the target and a commit of rows."""
    types = dict(spec.columns)
    return TableSpec(types, setup=(insert_values(pick, "s", types),))


def _late_append(
    pick: Pick, spec: TableSpec, names: Sequence[str]
) -> tuple[dict[str, str], tuple[Step, ...]]:
    """A long transaction over one partition, around an append and what follows it."""
    types = dict(spec.columns)
    partition = pick(_known(values("p", types)))
    appended = list(row(pick, types))
    appended[list(types).index("p")] = partition
    texts = {names[0]: f"INSERT INTO t VALUES {sql_row(tuple(appended))}"}
    for each in names[1:-1]:
        kind = pick(("INSERT SELECT", "INSERT SELECT", "UPDATE", "DELETE", "SELECT"))
        texts[each] = statement(pick, spec, kind, None, pick(("", None)))
    kind = pick(("DELETE", "UPDATE", "INSERT SELECT"))
    texts[names[-1]] = statement(pick, spec, kind, None, f" WHERE p = {sql_literal(partition)}")
    return texts, _around(names)
