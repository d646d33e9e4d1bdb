"""The part of the grammar that makes INSERT ... SELECT over several reads: joins, unions and IN."""

from __future__ import annotations

import re

from checker.generators.scenarios import by_use, new_value, predicate, where
from checker.generators.tables import Columns, Pick, given, listed, readable
from model.scenario import TableSpec

SHAPES = ("union", "join", "IN", "NOT EXISTS", "subquery", "WITH")


def insert_query(pick: Pick, spec: TableSpec, origin: str) -> str:
    """INSERT INTO t from two reads, of which one or both are of ``origin``, another table or t."""
    types, names = readable(spec), given(spec)
    outputs = ", ".join(names)
    shape = pick(SHAPES)
    match shape:
        case "union":
            first = f"SELECT {outputs} FROM t{where(pick, types)}"
            query = f"{first} UNION ALL SELECT {outputs} FROM {origin}{where(pick, types)}"
        case "join":
            changed = pick([name for name in by_use(types) if name in names])
            cells = [f"b.{name}" if name == changed else f"a.{name}" for name in names]
            on = pick(("a.k = b.k", "a.k = b.k", "a.p = b.p AND a.k < b.k"))
            kind = pick(("JOIN", "JOIN", "LEFT JOIN"))
            query = f"SELECT {', '.join(cells)} FROM t a {kind} {origin} b ON {on}"
            if pick((False, True)):
                query += f" WHERE {qualified(predicate(pick, types, 1), 'a', types)}"
        case "IN":
            inner = f"SELECT k FROM {pick(('t', origin))}{where(pick, types)}"
            query = f"SELECT {outputs} FROM {origin} WHERE k IN ({inner})"
        case "NOT EXISTS":
            query = f"SELECT {outputs} FROM {origin} a WHERE NOT EXISTS (SELECT 1 FROM t b "
            query += f"WHERE a.k = b.k AND {qualified(predicate(pick, types, 0), 'b', types)})"
        case "subquery":
            changed = pick([name for name in by_use(types) if name in names])
            inner = f"(SELECT max({changed}) FROM t{where(pick, types)})"
            cells = [inner if name == changed else name for name in names]
            query = f"SELECT {', '.join(cells)} FROM {origin}{where(pick, types)}"
        case _:
            changed = pick([name for name in by_use(types) if name in names])
            cells = [new_value(pick, n, types) if n == changed else n for n in names]
            query = (
                f"WITH x AS (SELECT * FROM t{where(pick, types)}) SELECT {', '.join(cells)} FROM x"
            )
            query += where(pick, types)
    return f"INSERT INTO t{listed(spec)} {query}"


def qualified(text: str, table: str, types: Columns) -> str:
    """The text with every column's name qualified. No constant of the grammar is a name."""
    return re.sub(rf"(?<![.\w'])({'|'.join(types)})(?![\w'])", rf"{table}.\1", text)
