"""The part of the grammar that replaces rows: overwrites, TRUNCATE and RESTORE."""

from __future__ import annotations

from checker.generators.scenarios import insert_select, insert_values
from checker.generators.tables import Pick, copies, given, readable, row, values
from model.history import Value
from model.scenario import TableSpec
from model.values.types import sql_literal, sql_row

DYNAMIC = "SET spark.sql.sources.partitionOverwriteMode=dynamic; "

KINDS = ("INSERT OVERWRITE", "REPLACE WHERE", "TRUNCATE", "RESTORE")
"""The kinds of this part, as the model names them."""


def statement(pick: Pick, spec: TableSpec, kind: str, source: str | None, clause: str) -> str:
    """A statement of one of ``KINDS``; ``clause`` is the WHERE clause of a query in it."""
    match kind:
        case "TRUNCATE":
            return "TRUNCATE TABLE t"
        case "RESTORE":
            return restore(pick, spec)
        case "REPLACE WHERE":
            return replace_where(pick, spec)
    origin = "t" if source is None else pick(("t", "t", source))
    return overwrite(pick, spec, origin, clause)


def overwrite(pick: Pick, spec: TableSpec, origin: str, clause: str) -> str:
    """INSERT OVERWRITE: the table, the partitions written, or the one that it names."""
    shapes = ["whole", "query"]
    types = readable(spec)
    if spec.partition_by:
        shapes += ["dynamic", "dynamic", "dynamic query"]
        if len(types) == len(given(spec)):
            shapes.append("PARTITION")
    shape = pick(shapes)
    if shape == "PARTITION":
        name = spec.partition_by[0]
        rest = {column: type_ for column, type_ in types.items() if column != name}
        value = sql_literal(pick(values(name, types)))
        return f"INSERT OVERWRITE t PARTITION ({name} = {value}) VALUES {sql_row(row(pick, rest))}"
    if "query" in shape:
        text = insert_select(pick, spec, origin, clause)
    else:
        text = insert_values(pick, spec)
    text = text.replace("INSERT INTO t", "INSERT OVERWRITE t", 1)
    return DYNAMIC + text if shape.startswith("dynamic") else text


def replace_where(pick: Pick, spec: TableSpec) -> str:
    """INSERT INTO ... REPLACE WHERE on one column, with rows that meet the condition.

    It takes no list of columns, so ``spec`` must be a table that copies.
    """
    if not copies(spec):
        raise ValueError("REPLACE WHERE gives every column, and the table hands out one of them")
    types = readable(spec)
    name = pick(["p", "p", "k", *(n for n in types if n not in "kp" and types[n] != "boolean")])
    known = [value for value in values(name, types) if value is not None]
    here: Value = pick(known)
    literal = sql_literal(here)
    condition = pick((f"{name} = {literal}", f"{name} IN ({literal}, {sql_literal(pick(known))})"))
    if pick((False, False, True)):
        return f"INSERT INTO t REPLACE WHERE {condition} SELECT * FROM t WHERE {name} = {literal}"
    cells = dict(zip(types, row(pick, types), strict=True))
    cells[name] = here
    return f"INSERT INTO t REPLACE WHERE {condition} VALUES {sql_row(tuple(cells.values()))}"


def restore(pick: Pick, spec: TableSpec) -> str:
    """RESTORE to a version of the set-up: the empty table, one in between, or the last."""
    return f"RESTORE TABLE t TO VERSION AS OF {pick(range(len(spec.setup) + 1))}"
