"""Random queries: SELECT, and INSERT ... SELECT over several reads, by joins, unions and IN."""

from __future__ import annotations

from sqlglot import exp

from checker.generators.parts import by_use, predicate, where, with_one_changed
from checker.generators.tables import Columns, Pick, given, listed, readable
from model.scenario import TableSpec
from model.sql.trees import (
    Where,
    binary,
    column,
    columns,
    count,
    equal,
    named,
    qualified,
    query,
    target,
)

SHAPES = ("union", "join", "IN", "NOT EXISTS", "subquery", "WITH")


def select(pick: Pick, types: Columns, clause: Where) -> exp.Select:
    """SELECT ... FROM t: rows, an aggregate, or an aggregate by group."""
    match pick(("rows", "count", "sum", "groups")):
        case "rows":
            return query([exp.Star()], named("t"), clause)
        case "count":
            return query([count()], named("t"), clause)
        case "sum":
            least = exp.Min(this=column(pick(list(types))))
            return query([exp.Sum(this=column("k")), least], named("t"), clause)
    return query([column("p"), count()], named("t"), clause, ("p",))


def insert_query(pick: Pick, spec: TableSpec, origin: str) -> exp.Insert:
    """INSERT INTO t from two reads, of which one or both are of ``origin``, another table or t."""
    return exp.Insert(
        this=target(listed(spec)), expression=_query(pick, given(spec), readable(spec), origin)
    )


def _query(pick: Pick, names: Columns, types: Columns, origin: str) -> exp.Expr:
    match pick(SHAPES):
        case "union":
            first = query(columns(names), named("t"), where(pick, types))
            second = query(columns(names), named(origin), where(pick, types))
            return exp.union(first, second, distinct=False, copy=False)
        case "join":
            return _join(pick, names, types, origin)
        case "IN":
            inner = query([column("k")], named(pick(("t", origin))), where(pick, types))
            listed_there = exp.In(this=column("k"), query=exp.Subquery(this=inner))
            return query(columns(names), named(origin), exp.Where(this=listed_there))
        case "NOT EXISTS":
            keys = equal(column("k", "a"), column("k", "b"))
            condition = exp.and_(keys, qualified(predicate(pick, types, 0), "b"), copy=False)
            inner = query([exp.Literal.number(1)], named("t", "b"), exp.Where(this=condition))
            missing = exp.Not(this=exp.Exists(this=inner))
            return query(columns(names), named(origin, "a"), exp.Where(this=missing))
        case "subquery":
            changed = pick([name for name in by_use(types) if name in names])
            inner = query([exp.Max(this=column(changed))], named("t"), where(pick, types))
            largest: exp.Expr = exp.Subquery(this=inner)
            outputs = [largest if name == changed else column(name) for name in names]
            return query(outputs, named(origin), where(pick, types))
        case _:
            cells = with_one_changed(pick, names, types)
            inner = query([exp.Star()], named("t"), where(pick, types))
            return query(cells, named("x"), where(pick, types)).with_("x", as_=inner)


def _join(pick: Pick, names: Columns, types: Columns, origin: str) -> exp.Expr:
    changed = pick([name for name in by_use(types) if name in names])
    cells = [column(name, "b" if name == changed else "a") for name in names]
    keys = equal(column("k", "a"), column("k", "b"))
    partitions = equal(column("p", "a"), column("p", "b"))
    smaller = binary(column("k", "a"), "<", column("k", "b"))
    on = pick((keys, keys, exp.and_(partitions, smaller)))
    side = pick(("", "", "LEFT"))
    joined = query(cells, named("t", "a")).join(named(origin, "b"), on=on, join_type=side)
    if pick((False, True)):
        joined.set("where", exp.Where(this=qualified(predicate(pick, types, 1), "a")))
    return joined
