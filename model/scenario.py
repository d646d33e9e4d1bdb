"""A scenario: a table, a few transactions of one SQL statement each, and a schedule.

This is the content of a scenario file, already checked; reading and writing YAML is the front
door's business. SQL is kept as text here: the parser turns it into statements.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from model.history import Row

TARGET = "t"
"""Name of the target table, unless a scenario gives it another one."""

LEVEL_PROPERTY = "delta.isolationLevel"
"""The table property that declares the isolation level."""


@dataclass(frozen=True, slots=True)
class TableSpec:
    """Definition of a table: columns (name to Spark SQL type name), layout, and its set-up.

    Each entry of ``setup`` is one SQL statement and one commit. Without columns the table does
    not exist yet, and its folder is empty: the transactions may create it.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    partition_by: tuple[str, ...] = ()
    cluster_by: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[str, ...] = ()

    @property
    def absent(self) -> bool:
        """Whether the table does not exist yet."""
        return not self.columns

    def at_level(self, level: str) -> TableSpec:
        """The same table, declared at another isolation level; an absent table declares none."""
        if self.absent:
            return self
        return replace(self, properties={**self.properties, LEVEL_PROPERTY: level})


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a schedule: ``begin`` takes the snapshot, ``commit`` runs it to its end."""

    action: Literal["begin", "commit"]
    transaction: str

    def __str__(self) -> str:
        return f"{self.action} {self.transaction}"


@dataclass(frozen=True, slots=True)
class Expectation:
    """The results that a scenario's author expects; None or an absent key expects nothing.

    ``rows`` and ``levels`` are about the target; ``tables`` has those of other written tables.
    """

    outcomes: Mapping[str, str] = field(default_factory=dict)
    rows: tuple[Row, ...] | None = None
    levels: Mapping[str, str] = field(default_factory=dict)
    tables: Mapping[str, Expectation] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One concurrent history to run.

    ``table`` is the table called ``target`` in every statement. A transaction may also write one of
    ``tables`` (:mod:`model.several`).
    """

    name: str
    table: TableSpec
    transactions: Mapping[str, str]
    schedule: tuple[Step, ...]
    tables: Mapping[str, TableSpec] = field(default_factory=dict)
    expect: Expectation = field(default_factory=Expectation)
    target: str = TARGET

    def __post_init__(self) -> None:
        given: object = self.schedule
        if isinstance(given, str):
            raise TypeError("schedule holds Steps, and is not a string; see isodelta.scenario")
        for number, step in enumerate(self.schedule):
            given = step
            if not isinstance(given, Step):
                raise TypeError(
                    f"schedule[{number}] is {given!r}, not a Step such as Step('begin', 'A'); "
                    "isodelta.scenario takes texts"
                )

    @property
    def level(self) -> str | None:
        """The table's declared isolation level, None if it has the profile's default."""
        return self.table.properties.get(LEVEL_PROPERTY)

    def at_level(self, level: str) -> Scenario:
        """The same scenario on a table that declares another isolation level."""
        return replace(self, table=self.table.at_level(level))
