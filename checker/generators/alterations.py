"""Random changes of a table's definition: ALTER TABLE, COMMENT ON and REPLACE TABLE."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from checker.generators.parts import predicate, where
from checker.generators.tables import (
    COLUMN_MAPPING,
    DELETION_VECTORS,
    Columns,
    Pick,
    hands_out,
    readable,
)
from model.scenario import TableSpec
from model.sql.dialect import (
    ClusterByNone,
    MoveColumn,
    ReplaceTable,
    SyncIdentity,
    UnsetProperties,
    parse_expression,
)
from model.sql.printer import actions
from model.sql.trees import (
    altering,
    column,
    columns,
    named,
    new_column,
    new_constraint,
    query,
)

_SET = (
    *(("app.note", "1"), ("app.note", "2"), ("delta.isolationLevel", "Serializable")),
    *((DELETION_VECTORS, "true"), (DELETION_VECTORS, "false")),
    *(("delta.appendOnly", "true"), ("delta.appendOnly", "false")),
    *(("delta.checkpointPolicy", "v2"), ("delta.enableInCommitTimestamps", "true")),
    *(("delta.enableChangeDataFeed", "true"), ("delta.enableTypeWidening", "true")),
    *((COLUMN_MAPPING, "name"), ("delta.logRetentionDuration", "interval 40 days")),
)
_UNSET = ("app.note", "delta.isolationLevel", DELETION_VECTORS, "delta.appendOnly")


def adds_last(tree: exp.Expr) -> bool:
    """Whether a statement adds a column behind the others."""
    return any(
        isinstance(action, exp.ColumnDef) and action.args.get("position") is None
        for action in actions(tree)
    )


def alter(pick: Pick, spec: TableSpec) -> exp.Expr:
    """ALTER TABLE in all its forms, or COMMENT ON TABLE. Some fail on some tables."""
    types = readable(spec)
    shapes = ["SET", "SET", "UNSET", "ADD COLUMN", "ADD COLUMN", "COMMENT", "MOVE"]
    shapes += ["ADD CONSTRAINT", "ADD CONSTRAINT", "DROP CONSTRAINT", "CLUSTER BY", "NULL"]
    shapes += ["RENAME", "DROP COLUMN"]
    if spec.properties.get(COLUMN_MAPPING) == "name":
        shapes += ["RENAME", "DROP COLUMN"]
    if hands_out(spec):
        shapes += ["SYNC", "SYNC"]
    # One that no partition, key or computed column stands for.
    free = [name for name in types if name not in ("k", "p", "g", "id", *spec.partition_by)]
    free = [name for name in free if name not in spec.cluster_by] or ["v"]
    shape = pick(shapes)
    if shape == "COMMENT" and pick((True, False)):
        rows = exp.Literal.string("rows")
        return exp.Comment(this=named("t"), kind="TABLE", expression=rows)
    return altering(_action(pick, shape, types, free))


def _action(pick: Pick, shape: str, types: Columns, free: Sequence[str]) -> exp.Expr:
    match shape:
        case "SET":
            key, value = pick(_SET)
            pair = exp.Property(this=exp.Literal.string(key), value=exp.Literal.string(value))
            return exp.AlterSet(expressions=[exp.Properties(expressions=[pair])])
        case "UNSET":
            return UnsetProperties(expressions=[exp.Literal.string(pick(_UNSET))])
        case "ADD COLUMN":
            position = pick((None, None, _FIRST, _AFTER_K))
            return new_column("n", pick(("int", "string")), position)
        case "COMMENT":
            return exp.AlterColumn(this=column("v"), comment=exp.Literal.string("v"))
        case "MOVE":
            return MoveColumn(this=column(pick(free)), position=pick((_FIRST, _AFTER_K)).copy())
        case "ADD CONSTRAINT":
            simple = parse_expression(
                pick(("k > -5", "k IS NULL OR k < 9", "p IS NOT NULL"))
            ).copy()
            return new_constraint(pick((simple, predicate(pick, types, 1))), pick("dc"))
        case "DROP CONSTRAINT":
            exists = pick((True, False))
            return exp.Drop(kind="CONSTRAINT", tables=[named(pick("cd"))], exists=exists)
        case "CLUSTER BY":
            names = pick((("k",), ("v",), ("v", "k"), ()))
            return exp.ClusterProperty(expressions=columns(names)) if names else ClusterByNone()
        case "NULL":
            return exp.AlterColumn(this=column(pick(("v", "k", "p"))), drop=True, allow_null=True)
        case "RENAME":
            return exp.RenameColumn(this=column(pick(free)), to=column("m"))
        case "DROP COLUMN":
            return exp.Drop(kind="COLUMN", tables=[column(pick(free))])
        case _:
            return SyncIdentity(this=column("id"))


_FIRST = exp.ColumnPosition(position="FIRST")
_AFTER_K = exp.ColumnPosition(this=column("k"), position="AFTER")


def replace_table(pick: Pick, spec: TableSpec) -> exp.Expr:
    """CREATE OR REPLACE TABLE or REPLACE TABLE, with the columns of ``t`` or some of them."""
    types = readable(spec)
    make = pick((exp.Create, exp.Create, ReplaceTable))
    clauses: list[exp.Expr] = [exp.FileFormatProperty(this=exp.var("delta"))]
    if pick((False, True)):
        partitions = exp.Schema(expressions=[exp.to_identifier("p")])
        clauses.append(exp.PartitionedByProperty(this=partitions))
    if pick((False, False, True)):
        pair = map(exp.Literal.string, (DELETION_VECTORS, "true"))
        clauses.append(exp.Property(this=next(pair), value=next(pair)))
    kept = [name for name in types if name in "kp" or pick((True, True, False))]
    properties = exp.Properties(expressions=clauses)
    if pick((False, True)):
        select = query(columns(kept), named("t"), where(pick, types))
        return make(
            this=named("t"), kind="TABLE", replace=True, properties=properties, expression=select
        )
    declared = [new_column(name, types[name]) for name in kept]
    table = exp.Schema(this=named("t"), expressions=declared)
    return make(this=table, kind="TABLE", replace=True, properties=properties)
