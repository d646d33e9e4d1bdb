"""Random statements that replace rows: overwrites and REPLACE WHERE."""

from __future__ import annotations

from sqlglot import exp

from checker.generators.parts import insert_select, insert_values
from checker.generators.tables import Pick, copies, given, known, readable, row, values
from model.history import Value
from model.scenario import TableSpec
from model.sql import trees
from model.sql.printer import Syntax
from model.sql.trees import Where, column, equal, literal, named, query, target

DYNAMIC = (("spark.sql.sources.partitionOverwriteMode", "dynamic"),)
"""The setting under which INSERT OVERWRITE replaces only the partitions that it writes."""


def overwrite(pick: Pick, spec: TableSpec, origin: str, clause: Where) -> Syntax:
    """INSERT OVERWRITE: the table, the partitions written, or the one that it names.

    ``clause`` is the WHERE clause of a query in it.
    """
    shapes = ["whole", "query"]
    types = readable(spec)
    if spec.partition_by:
        shapes += ["dynamic", "dynamic", "dynamic query"]
        if len(types) == len(given(spec)):
            shapes.append("PARTITION")
    shape = pick(shapes)
    if shape == "PARTITION":
        return Syntax((), _into_partition(pick, spec))
    if "query" in shape:
        tree = insert_select(pick, spec, origin, clause)
    else:
        tree = insert_values(pick, spec)
    tree.set("overwrite", True)
    return Syntax(DYNAMIC if shape.startswith("dynamic") else (), tree)


def _into_partition(pick: Pick, spec: TableSpec) -> exp.Insert:
    types = readable(spec)
    name = spec.partition_by[0]
    rest = {column: type_ for column, type_ in types.items() if column != name}
    value = equal(column(name), literal(pick(values(name, types))))
    place = target(None)
    place.set("partition", exp.Partition(expressions=[value]))
    rows = trees.values([row(pick, rest)])
    return exp.Insert(this=place, expression=rows, overwrite=True)


def replace_where(pick: Pick, spec: TableSpec) -> exp.Insert:
    """INSERT INTO ... REPLACE WHERE on one column, with rows that meet the condition.

    It takes no list of columns, so ``spec`` must be a table that copies.
    """
    if not copies(spec):
        raise ValueError("REPLACE WHERE gives every column, and the table hands out one of them")
    types = readable(spec)
    name = pick(["p", "p", "k", *(n for n in types if n not in "kp" and types[n] != "boolean")])
    constants = known(values(name, types))
    here: Value = pick(constants)
    this, that = equal(column(name), literal(here)), literal(pick(constants))
    condition = pick((this, exp.In(this=column(name), expressions=[literal(here), that])))
    if pick((False, False, True)):
        select = query([exp.Star()], named("t"), exp.Where(this=this.copy()))
        return exp.Insert(this=target(None), where=condition, expression=select)
    cells = dict(zip(types, row(pick, types), strict=True))
    cells[name] = here
    rows = trees.values([tuple(cells.values())])
    return exp.Insert(this=target(None), where=condition, expression=rows)
