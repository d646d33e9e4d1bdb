"""Parts of random statements, as sqlglot's trees: conditions, values, and what INSERT brings.

As in :mod:`checker.generators.scenarios`, every choice is made with ``pick``, and the first option
is the simplest.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from checker.generators.tables import (
    DOMAINS,
    Columns,
    Pick,
    given,
    hands_out,
    known,
    listed,
    readable,
    requires,
    row,
    values,
)
from model.scenario import TableSpec
from model.sql.trees import (
    Where,
    binary,
    column,
    count,
    equal,
    insert,
    literal,
    named,
    query,
    target,
)

_NUMBERS = ("int", "bigint", "double")
_WHOLE = ("int", "bigint")


def insert_values(pick: Pick, spec: TableSpec, sizes: Sequence[int] = (1, 1, 2)) -> exp.Insert:
    """INSERT INTO t VALUES with as many rows as one of ``sizes``, sometimes not of all columns."""
    types, names = given(spec), listed(spec)
    if len(types) > 2 and pick((False, False, False, True)):
        # Where a column is required, a statement without it is not analysed.
        left = pick([n for n in types if n != "k" and not requires(spec, n)])
        types = {name: type_ for name, type_ in types.items() if name != left}
        names = list(types)
    rows = [row(pick, types) for _ in range(pick(sizes))]
    return insert(names, rows)


def predicate(pick: Pick, types: Columns, depth: int = 2) -> exp.Expr:
    """A condition over the columns; ``depth`` bounds how far AND, OR and NOT are nested."""
    shape = pick(("atom", "atom", "AND", "OR", "NOT")) if depth > 0 else "atom"
    if shape == "atom":
        return atom(pick, types)
    if shape == "NOT":
        return exp.not_(predicate(pick, types, depth - 1), copy=False)
    left, right = predicate(pick, types, depth - 1), predicate(pick, types, depth - 1)
    join = exp.and_ if shape == "AND" else exp.or_
    return join(left, right, copy=False)


def atom(pick: Pick, types: Columns) -> exp.Expr:
    """A condition without AND, OR and NOT."""
    name = pick(by_use(types))
    type_ = types[name]
    constants = values(name, types)
    # Picked for every shape, so that a comparison is not longer in choices than IS NULL is.
    constant = literal(pick(known(constants)))
    shapes = ["=", "=", "IS NULL", "IS NOT NULL", "IN", "<>", "<=>"]
    if type_ != "boolean":
        shapes += [">", "<", ">=", "<=", "BETWEEN"]
    if type_ in _WHOLE:
        shapes += ["+", "%"]
    peers = [other for other in types if other != name and types[other] == type_]
    if peers:
        shapes.append("column")
    shape = pick(shapes)
    this = column(name)
    match shape:
        case "IS NULL":
            return exp.Is(this=this, expression=exp.null())
        case "IS NOT NULL":
            return exp.Not(this=exp.Is(this=this, expression=exp.null()))
        case "IN":
            return exp.In(this=this, expressions=[constant, literal(pick(constants))])
        case "BETWEEN":
            return exp.Between(this=this, low=constant, high=literal(pick(known(constants))))
        case "+":
            sum_ = binary(this, pick("+-*"), literal(pick((1, 2))))
            return binary(sum_, pick(("=", ">", "<")), literal(pick((2, 3, 4))))
        case "%":
            return equal(binary(this, "%", literal(2)), literal(pick((0, 1))))
        case "column":
            return binary(this, pick(("=", "<", "<>", "<=>")), column(pick(peers)))
        case _:
            return binary(this, shape, constant)


def by_use(types: Columns) -> list[str]:
    """Column names, ``p`` more often: what partitions decide is where rules and levels differ."""
    return ["k", "p", "p", "v", *(name for name in types if name not in "kpv")]


def where(pick: Pick, types: Columns) -> Where:
    """A WHERE clause, or none."""
    return exp.Where(this=predicate(pick, types)) if pick((False, True, True, True)) else None


def update(pick: Pick, spec: TableSpec, source: str | None, clause: Where) -> exp.Update:
    """UPDATE t: sets one or two columns to constants, to other columns or to what they are.

    Sometimes to what a subquery finds in the table ``source``. Not in ``t``: the engine does not
    note such a read, which breaks every level by itself (see ``checker.search.alphabet``).
    """
    types, settable = readable(spec), given(spec)
    order = ["v", *(["p"] if "p" in settable else []), *(n for n in settable if n not in "pv")]
    chosen = dict.fromkeys(pick(order) for _ in range(pick((1, 1, 2))))
    sets = [equal(column(name), _set_value(pick, name, types, source)) for name in chosen]
    return exp.Update(this=named("t"), expressions=sets, where=clause)


def _set_value(pick: Pick, name: str, types: Columns, source: str | None) -> exp.Expr:
    if source is None or not pick((False,) * 9 + (True,)):
        return new_value(pick, name, types)
    function = pick((exp.Max, exp.Min))
    inner = query([function(this=column(name))], named(source), where(pick, types))
    return exp.Subquery(this=inner)


def new_value(pick: Pick, name: str, types: Columns) -> exp.Expr:
    """A value for a column: a constant, another column, or what it is, changed or not."""
    type_ = types[name]
    constant = literal(pick(values(name, types)))
    shapes = ["constant", "same"]
    if type_ in _NUMBERS:
        shapes += ["+", "+"]
        shapes += ["coalesce", "CASE"]
    peers = [other for other in types if other != name and types[other] == type_]
    if peers:
        shapes.append("column")
    this = column(name)
    match pick(shapes):
        case "same":
            return this
        case "+":
            return binary(this, pick("+-"), literal(1))
        case "coalesce":
            return exp.Coalesce(this=this, expressions=[literal(DOMAINS[type_][0])])
        case "CASE":
            return exp.Case(ifs=[exp.If(this=atom(pick, types), true=constant)], default=this)
        case "column":
            return column(pick(peers))
        case _:
            return constant


def insert_select(pick: Pick, spec: TableSpec, origin: str, clause: Where) -> exp.Insert:
    """INSERT INTO t SELECT: a copy with one column changed, or aggregates, with or without groups.

    ``origin`` is the table that it reads, which has the columns of ``t``.
    """
    types, names = readable(spec), given(spec)
    groups: Sequence[str] = ()
    # Which of several rows gets which identity value is for the engine's scan to say.
    shape = "aggregate" if hands_out(spec) else pick(("copy", "copy", "aggregate", "groups"))
    if shape == "copy":
        outputs = with_one_changed(pick, names, types)
    elif shape == "aggregate":
        outputs = [_aggregate(pick, name, types) for name in names]
    else:
        outputs = [column(n) if n == "p" else _aggregate(pick, n, types) for n in names]
        groups = ("p",)
    select = query(outputs, named(origin), clause, groups)
    return exp.Insert(this=target(listed(spec)), expression=select)


def with_one_changed(pick: Pick, names: Columns, types: Columns) -> list[exp.Expr]:
    """The columns ``names``, one of them with a new value."""
    changed = pick([name for name in by_use(types) if name in names])
    return [new_value(pick, name, types) if name == changed else column(name) for name in names]


def _aggregate(pick: Pick, name: str, types: Columns) -> exp.Expr:
    """An output of an aggregate query that the column takes: for ``p`` always a constant."""
    if name == "p" or types[name] not in _NUMBERS:
        return literal(pick(values(name, types)))
    simple = literal(DOMAINS[types[name]][0])
    return pick((simple, count(), exp.Sum(this=column("k")), exp.Max(this=column("k"))))
