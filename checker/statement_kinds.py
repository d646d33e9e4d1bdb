"""Every statement kind of the conflict table, with the statements that stand for it.

They work on the alphabet's table (see :mod:`checker.alphabet`), whose own statements serve for
the kinds that it has. The others come in the variants that conflict rules tell apart: one
partition or the whole table, a condition on data columns, a read that a literal limits and one
that it does not, an effect and none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from checker import alphabet
from checker.alphabet import NamedStatement


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
    StatementKind("OPTIMIZE", _of_alphabet("compact", "compact 1")),
)
"""The kinds that the documents' tables have cells for."""

OTHER_KINDS: tuple[StatementKind, ...] = ()
"""The kinds that the documents mention elsewhere, or not at all."""

KINDS = (*CELL_KINDS, *OTHER_KINDS)


def statements(layout: str) -> Iterator[tuple[str, NamedStatement]]:
    """Every statement that a layout allows, with the name of its kind."""
    for kind in KINDS:
        for statement in kind.on(layout):
            yield kind.name, statement
