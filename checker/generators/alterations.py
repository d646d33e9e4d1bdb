"""The part of the grammar that changes a table's definition: ALTER TABLE, COMMENT ON, REPLACE."""

from __future__ import annotations

import re

from checker.generators.scenarios import predicate, where
from checker.generators.tables import COLUMN_MAPPING, Pick, hands_out, readable
from model.scenario import TableSpec

_SET = (
    *("'app.note' = '1'", "'app.note' = '2'", "'delta.isolationLevel' = 'Serializable'"),
    *("'delta.enableDeletionVectors' = 'true'", "'delta.enableDeletionVectors' = 'false'"),
    *("'delta.appendOnly' = 'true'", "'delta.appendOnly' = 'false'"),
    *("'delta.checkpointPolicy' = 'v2'", "'delta.enableInCommitTimestamps' = 'true'"),
    *("'delta.enableChangeDataFeed' = 'true'", "'delta.enableTypeWidening' = 'true'"),
    *("'delta.columnMapping.mode' = 'name'", "'delta.logRetentionDuration' = 'interval 40 days'"),
)
_UNSET = ("app.note", "delta.isolationLevel", "delta.enableDeletionVectors", "delta.appendOnly")
_ADDED = re.compile(r"ALTER TABLE t ADD COLUMN (?P<name>\w+) \S+")


def statement(pick: Pick, spec: TableSpec, kind: str) -> str:
    """A statement of kind ALTER TABLE or REPLACE TABLE over table ``t``."""
    return replace_table(pick, spec) if kind == "REPLACE TABLE" else alter(pick, spec)


def added(text: str) -> str | None:
    """The column that a statement of this grammar adds at the end, None for any other."""
    match = _ADDED.fullmatch(text)
    return match["name"] if match is not None else None


def alter(pick: Pick, spec: TableSpec) -> str:
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
    match pick(shapes):
        case "SET":
            return f"ALTER TABLE t SET TBLPROPERTIES ({pick(_SET)})"
        case "UNSET":
            return f"ALTER TABLE t UNSET TBLPROPERTIES ('{pick(_UNSET)}')"
        case "ADD COLUMN":
            position = pick(("", "", " FIRST", " AFTER k"))
            return f"ALTER TABLE t ADD COLUMN n {pick(('int', 'string'))}{position}"
        case "COMMENT":
            return pick(
                ("COMMENT ON TABLE t IS 'rows'", "ALTER TABLE t ALTER COLUMN v COMMENT 'v'")
            )
        case "MOVE":
            return f"ALTER TABLE t ALTER COLUMN {pick(free)} {pick(('FIRST', 'AFTER k'))}"
        case "ADD CONSTRAINT":
            simple = ("k > -5", "k IS NULL OR k < 9", "p IS NOT NULL")
            condition = pick((pick(simple), predicate(pick, types, 1)))
            return f"ALTER TABLE t ADD CONSTRAINT {pick('dc')} CHECK ({condition})"
        case "DROP CONSTRAINT":
            return f"ALTER TABLE t DROP CONSTRAINT {pick(('IF EXISTS ', ''))}{pick('cd')}"
        case "CLUSTER BY":
            return f"ALTER TABLE t CLUSTER BY {pick(('(k)', '(v)', '(v, k)', 'NONE'))}"
        case "NULL":
            return f"ALTER TABLE t ALTER COLUMN {pick(('v', 'k', 'p'))} DROP NOT NULL"
        case "RENAME":
            return f"ALTER TABLE t RENAME COLUMN {pick(free)} TO m"
        case "DROP COLUMN":
            return f"ALTER TABLE t DROP COLUMN {pick(free)}"
        case _:
            return "ALTER TABLE t ALTER COLUMN id SYNC IDENTITY"


def replace_table(pick: Pick, spec: TableSpec) -> str:
    """CREATE OR REPLACE TABLE or REPLACE TABLE, with the columns of ``t`` or some of them."""
    types = readable(spec)
    verb = pick(("CREATE OR REPLACE", "CREATE OR REPLACE", "REPLACE"))
    clauses = pick(("", " PARTITIONED BY (p)"))
    clauses += pick(("", "", f" TBLPROPERTIES ('{_VECTORS}' = 'true')"))
    kept = [name for name in types if name in "kp" or pick((True, True, False))]
    if pick((False, True)):
        return (
            f"{verb} TABLE t USING delta{clauses} AS SELECT {', '.join(kept)} "
            f"FROM t{where(pick, types)}"
        )
    declared = ", ".join(f"{name} {types[name]}" for name in kept)
    return f"{verb} TABLE t ({declared}) USING delta{clauses}"


_VECTORS = "delta.enableDeletionVectors"
