"""Random MERGE statements, as a grammar over choices (see ``checker.generators.scenarios``)."""

from __future__ import annotations

from sqlglot import exp

from checker.generators.parts import by_use, new_value, predicate, where
from checker.generators.tables import Columns, Pick, given, hands_out, known, readable, values
from model.scenario import TableSpec
from model.sql.trees import binary, column, columns, equal, literal, named, qualified, query


def merge(pick: Pick, spec: TableSpec, origin: str | None) -> exp.Merge:
    """MERGE INTO t: an upsert, or any other combination of clauses.

    ``origin`` is another table with the columns of ``t``, if there is one. Rows of the target
    may match several source rows, which fails the statement: the one way in which a drawn
    statement can fail by itself.
    """
    types = readable(spec)
    return exp.Merge(
        this=named("t"),
        using=_source(pick, types, origin),
        on=_condition(pick, types),
        whens=exp.Whens(expressions=_clauses(pick, spec)),
    )


def _source(pick: Pick, types: Columns, origin: str | None) -> exp.Expr:
    shapes = ["row", "row", "rows", "values", "self"]
    if origin is not None:
        shapes += ["table", "query"]
    match pick(shapes):
        case "row":
            return _subquery(_selected(pick, types, 0))
        case "rows":
            first, second = _selected(pick, types, 0), _selected(pick, types, 1)
            return _subquery(exp.union(first, second, distinct=False, copy=False))
        case "values":
            lines = [exp.Tuple(expressions=_constants(pick, types, n)) for n in (0, 1)]
            names = list(map(exp.to_identifier, types))
            alias = exp.TableAlias(this=exp.to_identifier("x"), columns=names)
            return _subquery(query([exp.Star()], exp.Values(expressions=lines, alias=alias)))
        case "self":
            return _subquery(query(_outputs(pick, types), named("t"), where(pick, types)))
        case "query":
            assert origin is not None
            return _subquery(query(_outputs(pick, types), named(origin), where(pick, types)))
        case _:
            assert origin is not None
            return named(origin, None if origin == "s" else "s")


def _subquery(tree: exp.Expr) -> exp.Expr:
    return exp.Subquery(this=tree, alias=exp.TableAlias(this=exp.to_identifier("s")))


def _selected(pick: Pick, types: Columns, number: int) -> exp.Select:
    pairs = zip(_constants(pick, types, number), types, strict=True)
    return exp.select(*(exp.alias_(value, name) for value, name in pairs))


def _constants(pick: Pick, types: Columns, number: int) -> list[exp.Expr]:
    """Values for every column; of ``k`` others for each number, so that keys differ."""
    return [
        literal(pick(values(name, types)[number::2] if name == "k" else values(name, types)))
        for name in types
    ]


def _outputs(pick: Pick, types: Columns) -> list[exp.Expr]:
    changed = pick((None, None, pick(by_use(types))))
    return [
        exp.alias_(new_value(pick, name, types), name) if name == changed else column(name)
        for name in types
    ]


def _condition(pick: Pick, types: Columns) -> exp.Expr:
    keys = equal(column("k", "t"), column("k", "s"))
    partitions = equal(column("p", "t"), column("p", "s"))
    constant = equal(column("p", "t"), literal(pick(known(values("p", types)))))
    match pick(("key", "key", "key", "literal", "partition", "both", "target", "other")):
        case "literal":
            return exp.and_(keys, constant)
        case "partition":
            return partitions
        case "both":
            return exp.and_(partitions, keys)
        case "target":
            return exp.and_(keys, qualified(predicate(pick, types, 1), "t"))
        case "other":
            one, other = column("k", "t"), column("k", "s")
            plus = binary(other.copy(), "+", literal(1))
            pairs = (binary(one, "<=>", other), constant, binary(one, "<", other), exp.false())
            return pick((*pairs, equal(one, plus))).copy()
        case _:
            return keys


_SHAPES = (
    *("insert", "update insert", "update", "delete", "update update", "delete insert"),
    *("insert insert", "by source", "update insert by source", "insert by source"),
)
"""Clauses by what they do, in their order; those before "insert" are for matches."""


def _clauses(pick: Pick, spec: TableSpec) -> list[exp.When]:
    types = readable(spec)
    # What an INSERT of MERGE makes of identity columns is not modelled.
    shape = pick([shape for shape in _SHAPES if "insert" not in shape or not hands_out(spec)])
    matched = shape.count("update") + shape.count("delete")
    whens, inserts = [], shape.count("insert")
    for word in shape.replace("by source", "bysource").split():
        if word == "bysource":
            condition = _and(pick, types, "t")
            then = pick((exp.var("DELETE"), _updated(pick, spec, False)))
            whens.append(exp.When(matched=False, source=True, condition=condition, then=then))
        elif word == "insert":
            inserts -= 1
            condition = _and(pick, types, "s", inserts > 0)
            whens.append(exp.When(matched=False, condition=condition, then=_insert(pick, spec)))
        else:
            matched -= 1
            condition = _and(pick, types, pick("ts"), matched > 0)
            then = exp.var("DELETE") if word == "delete" else _updated(pick, spec, True)
            whens.append(exp.When(matched=True, condition=condition, then=then))
    return whens


def _and(pick: Pick, types: Columns, table: str, needed: bool = False) -> exp.Expr | None:
    """A clause's condition; only the last clause of a kind goes without."""
    if not needed and not pick((False, False, True)):
        return None
    return qualified(predicate(pick, types, 1), table)


def _updated(pick: Pick, spec: TableSpec, source: bool) -> exp.Update:
    types, settable = readable(spec), given(spec)
    name = pick(("v", "v", *(("p",) if "p" in settable else ()), *settable))
    value = equal(column(name), qualified(new_value(pick, name, types), "t"))
    if not source:
        return exp.Update(expressions=[value])
    shapes: list[exp.Expr] = [equal(column(name), column(name, "s")), value]
    return exp.Update(expressions=[pick([*shapes, exp.Star()] if settable == types else shapes)])


def _insert(pick: Pick, spec: TableSpec) -> exp.Insert:
    types = given(spec)
    if types == readable(spec) and pick((True, True, False)):
        return exp.Insert(this=exp.Star())
    left = [name for name in types if name in "kp" or pick((True, False))]
    return exp.Insert(
        this=exp.Tuple(expressions=columns(left)),
        expression=exp.Tuple(expressions=columns(left, "s")),
    )
