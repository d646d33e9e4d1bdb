"""Every statement kind of the conflict table, with the statements that stand for it.

They work on the alphabet's table (see :mod:`checker.search.alphabet`), whose own statements serve
for the kinds that it has. The others come in the variants that conflict rules tell apart: one
partition or the whole table, a condition on data columns, a read that a literal limits and one that
it does not, an effect and none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker.search import alphabet
from checker.search.alphabet import NamedStatement
from model.sql.registry import FORMS, Example

_PARTITIONED = ("partitioned",)


@dataclass(frozen=True, slots=True)
class StatementKind:
    """A kind by the name that statements give themselves, and its statements."""

    name: str
    statements: tuple[NamedStatement, ...]

    def on(self, layout: str) -> tuple[NamedStatement, ...]:
        """The statements that a layout allows."""
        return tuple(s for s in self.statements if layout in s.layouts)


def _of_alphabet(*names: str) -> tuple[NamedStatement, ...]:
    return tuple(map(alphabet.named, names))


_UPSERT = (
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT (k, p, v) "
    "VALUES (s.k, s.p, s.v)"
)
_ROW_1 = "USING (SELECT 1 AS k, 1 AS p, 11 AS v) AS s"
_ROW_5 = "USING (SELECT 5 AS k, 1 AS p, 50 AS v) AS s"

_MERGES = (
    NamedStatement("upsert one row", f"MERGE INTO t {_ROW_1} ON t.k = s.k {_UPSERT}"),
    NamedStatement("upsert in 1", f"MERGE INTO t {_ROW_1} ON t.p = 1 AND t.k = s.k {_UPSERT}"),
    NamedStatement(
        "upsert in a partition that the source names",
        f"MERGE INTO t {_ROW_1} ON t.p = s.p AND t.k = s.k {_UPSERT}",
    ),
    NamedStatement("merge another table", f"MERGE INTO t USING s ON t.k = s.k {_UPSERT}"),
    NamedStatement(
        "insert what is missing",
        f"MERGE INTO t {_ROW_5} ON t.k = s.k WHEN NOT MATCHED THEN INSERT *",
    ),
    NamedStatement(
        "delete what is listed", f"MERGE INTO t {_ROW_1} ON t.k = s.k WHEN MATCHED THEN DELETE"
    ),
    NamedStatement(
        "delete what is not listed",
        f"MERGE INTO t {_ROW_1} ON t.k = s.k WHEN NOT MATCHED BY SOURCE THEN DELETE",
    ),
)

CELL_KINDS = (
    StatementKind(
        "INSERT",
        _of_alphabet(
            "append to 1",
            "append to 2",
            "append to both",
            "append to partition NULL",
            "append a NULL",
            "load another table",
        ),
    ),
    StatementKind(
        "INSERT SELECT",
        _of_alphabet(
            "copy 1 to 2",
            "copy 2 to 1",
            "copy large",
            "copy partition 3",
            "count everything",
            "sum of 1 into 2",
            "sum of 2 into 1",
        ),
    ),
    StatementKind(
        "UPDATE",
        _of_alphabet(
            "raise everything",
            "raise 1",
            "raise one row",
            "cap large",
            "move 1 to 2",
            "move 2 to 1",
            "move one row to 3",
            "set an equal value",
        ),
    ),
    StatementKind(
        "DELETE",
        _of_alphabet(
            "delete everything",
            "delete 1",
            "delete 2",
            "delete partition NULL",
            "delete one row",
            "delete large",
            "delete NULLs",
            "delete large in 1",
        ),
    ),
    StatementKind("MERGE", _MERGES),
    StatementKind("OPTIMIZE", _of_alphabet("compact", "compact 1")),
)
"""The kinds that the documents' tables have cells for."""


def _of_registry(example: Example) -> NamedStatement:
    layouts = _PARTITIONED if example.partitioned else tuple(alphabet.LAYOUTS)
    return NamedStatement(example.name, example.sql, layouts)


OTHER_KINDS = tuple(
    StatementKind(row, tuple(map(_of_registry, examples)))
    for form in FORMS
    for row, examples in form.examples.items()
)
"""The kinds that the documents mention elsewhere, or not at all, from the registry."""

KINDS = (*CELL_KINDS, *OTHER_KINDS)


def statements(layout: str) -> Iterator[tuple[str, NamedStatement]]:
    """Every statement that a layout allows, with the name of its kind."""
    for kind in KINDS:
        for statement in kind.on(layout):
            yield kind.name, statement
