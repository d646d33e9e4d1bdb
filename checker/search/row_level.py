"""The alphabet for rules that resolve conflicts row by row: who reads rows that it leaves alone.

DELETE and UPDATE take out every row that they read. A MERGE may read a row and leave it (it keeps
another one from being inserted, or fails the condition of its clause), an INSERT SELECT leaves all
that it reads, RESTORE brings rows back, and OPTIMIZE moves them. The tables are those of
``checker.search.alphabet`` with deletion vectors.
"""

from __future__ import annotations

from checker.search.alphabet import ROW_LEVEL_LAYOUTS, NamedStatement, named

LAYOUTS = tuple(name for name in ROW_LEVEL_LAYOUTS if "deletion vectors" in name)

_BOTH = "(SELECT 1 AS k, 10 AS v UNION ALL SELECT 2 AS k, 20 AS v)"
_INSERT = "WHEN NOT MATCHED THEN INSERT (k, p, v) VALUES (s.k, 1, s.v)"


def _merge(clauses: str) -> str:
    return f"MERGE INTO t USING {_BOTH} AS s ON t.k = s.k {clauses}"


STATEMENTS = (
    *map(
        named,
        (
            *("append to 1", "count everything", "copy large", "delete everything"),
            *("delete one row", "delete large", "raise one row", "cap large", "move one row to 3"),
            "compact",
        ),
    ),
    NamedStatement("delete another row", "DELETE FROM t WHERE k = 2"),
    NamedStatement("raise another row", "UPDATE t SET v = v + 1 WHERE k = 2"),
    NamedStatement("make another row large", "UPDATE t SET v = 40 WHERE k = 2"),
    NamedStatement(
        "delete 1, insert what is missing",
        _merge(f"WHEN MATCHED AND t.k = 1 THEN DELETE {_INSERT}"),
    ),
    NamedStatement(
        "delete 2, insert what is missing",
        _merge(f"WHEN MATCHED AND t.k = 2 THEN DELETE {_INSERT}"),
    ),
    NamedStatement(
        "raise 1, insert what is missing",
        _merge(f"WHEN MATCHED AND t.k = 1 THEN UPDATE SET v = t.v + 1 {_INSERT}"),
    ),
    NamedStatement("go back", "RESTORE TABLE t TO VERSION AS OF 3"),
)
