"""The result of one scenario, in the model or on an engine: plain data, and its JSON object."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from checker.judging.verdict import Verdict
from isodelta.files.values import Plain, plain
from model.history import Row

if TYPE_CHECKING:
    from conformance.replay.comparison import Difference

MODEL = "model"
"""The engine's name for a scenario that ran in the model."""

PlainRow = tuple[Plain, ...]
"""A row with its values as they are written in files and JSON."""


@dataclass(frozen=True, slots=True)
class TransactionResult:
    """The end of one transaction.

    ``conflicts_with`` is the transaction that it lost to, ``because`` says why it did not
    commit, ``rows`` are the rows that a reader returned. ``table`` is the table that it writes,
    or that a reader belongs to, if transactions of the scenario write several.
    """

    outcome: str
    read_version: int
    commit_version: int | None = None
    conflicts_with: str | None = None
    because: str | None = None
    rows: tuple[PlainRow, ...] | None = None
    table: str | None = None

    def to_json(self) -> dict[str, object]:
        """Its part of the object, without fields that are None."""
        written: dict[str, object] = {"outcome": self.outcome, "read_version": self.read_version}
        if self.commit_version is not None:
            written["commit_version"] = self.commit_version
        if self.rows is not None:
            written["rows"] = _lists(self.rows)
        if self.conflicts_with is not None:
            written["conflicts_with"] = self.conflicts_with
        if self.because is not None:
            written["because"] = self.because
        if self.table is not None:
            written["table"] = self.table
        return written


@dataclass(frozen=True, slots=True)
class TableResult:
    """One of several written tables: its level, its rows at the end, and the verdicts on it."""

    level: str
    rows: tuple[PlainRow, ...]
    levels: Mapping[str, Verdict]

    def to_json(self) -> dict[str, object]:
        """Its part of the object."""
        return {
            "level": self.level,
            "rows": _lists(self.rows),
            "levels": {level: verdict.to_json() for level, verdict in self.levels.items()},
        }


@dataclass(frozen=True, slots=True)
class Compared:
    """The comparison of a replay with the model: the level in force, and the differences."""

    level: str
    differences: tuple[Difference, ...]

    @property
    def agrees(self) -> bool:
        """True if the engine did exactly what the model predicted."""
        return not self.differences


@dataclass(frozen=True, slots=True)
class RunResult:
    """One scenario, run and judged.

    ``levels`` has the verdict at each level, ``failures`` a line for each unmet expectation.
    ``compared`` is None unless an engine ran it. If transactions write several tables, ``tables``
    has each of them by name, and ``rows`` and ``levels`` are those of the first.
    """

    scenario: str
    profile: str
    engine: str
    transactions: Mapping[str, TransactionResult]
    rows: tuple[PlainRow, ...]
    levels: Mapping[str, Verdict]
    compared: Compared | None = None
    failures: tuple[str, ...] = ()
    tables: Mapping[str, TableResult] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """The object that ``check`` and ``replay`` print; ``failures`` only if there are any."""
        compared = self.compared
        written: dict[str, object] = {
            "scenario": self.scenario,
            "profile": self.profile,
            "engine": self.engine,
        }
        if compared is not None:
            written["level"] = compared.level
        written |= {
            "transactions": {name: ended.to_json() for name, ended in self.transactions.items()},
            "rows": _lists(self.rows),
            "levels": {level: verdict.to_json() for level, verdict in self.levels.items()},
        }
        if self.tables:
            written["tables"] = {name: table.to_json() for name, table in self.tables.items()}
        if compared is not None:
            written["agrees"] = compared.agrees
            written["differences"] = [difference.to_json() for difference in compared.differences]
        if self.failures:
            written["failures"] = list(self.failures)
        return written


def plain_rows(rows: Iterable[Row]) -> tuple[PlainRow, ...]:
    """Rows in JSON types, in an order that depends only on their values."""
    return tuple(sorted((tuple(map(plain, row)) for row in rows), key=sort_key))


def sort_key(row: PlainRow) -> list[tuple[int, Plain]]:
    """The key by which rows are put in order, NULLs first."""
    ranks = {bool: 1, int: 2, float: 2, str: 3}
    return [(0, 0) if value is None else (ranks[type(value)], value) for value in row]


def _lists(rows: Iterable[PlainRow]) -> list[list[Plain]]:
    return [list(row) for row in rows]
