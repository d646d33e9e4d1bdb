"""Scenarios with one column less, in the table and in every row that a statement spells out.

A column cannot go alone: rows of VALUES would no longer fit the table. Statements that name the
column otherwise no longer fit either, and such a scenario is then not valid.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlglot import exp

from model.errors import InvalidScenario
from model.scenario import Scenario
from model.sql.printer import Syntax, syntax


def without_a_column(scenario: Scenario) -> Iterator[Scenario]:
    """The scenario without one of the target's columns; not all of them are valid."""
    table = scenario.table
    width = len(table.columns)
    for place, name in enumerate(table.columns if width > 1 else ()):
        yield replace(
            scenario,
            table=replace(
                table,
                columns={other: text for other, text in table.columns.items() if other != name},
                partition_by=tuple(other for other in table.partition_by if other != name),
                cluster_by=tuple(other for other in table.cluster_by if other != name),
                setup=tuple(narrower(text, place, width) for text in table.setup),
            ),
            transactions={
                transaction: narrower(text, place, width)
                for transaction, text in scenario.transactions.items()
            },
        )


def narrower(text: str, place: int, width: int) -> str:
    """A statement whose rows of VALUES lose one of so many values, if they have as many."""
    try:
        statement = syntax(text)
        tree = statement.tree.copy()
        rows = [
            row
            for values in tree.find_all(exp.Values)
            for row in values.expressions
            if isinstance(row, exp.Tuple) and len(row.expressions) == width
        ]
        for row in rows:
            row.set("expressions", [v for n, v in enumerate(row.expressions) if n != place])
        return Syntax(statement.settings, tree).sql() if rows else text
    except InvalidScenario:
        return text
