"""Checks that the model can evaluate a part of a statement, and the type of that part."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from sqlglot import exp

from checker.robustness.jobs.template import UntoldType, template
from model.errors import InvalidScenario, StatementFailure
from model.history import Value
from model.sql import parse_statement
from model.sql.dialect import parse
from model.sql.printer import printed
from model.sql.queries.relation import Named, relation
from model.statements import Statement
from model.statements.base import check_places
from model.tables.table import NoPlace, Table
from model.values.types import BIGINT, BOOLEAN, DATE, STRING, TIMESTAMP, ColumnType
from model.workload import TARGET

T = TypeVar("T")

_CANNOT = (InvalidScenario, StatementFailure, NoPlace, RecursionError)
"""The errors by which the model rejects SQL that it cannot evaluate."""

_GUESSES = (STRING, BIGINT, TIMESTAMP, DATE, BOOLEAN)
"""The types that a parameter is tried with if no column gives one."""


@dataclass
class Tables:
    """The definitions of all tables, and the types of parameters as far as they are known.

    Both grow: a relation or a value that the model cannot evaluate gets a name of its own.
    ``because`` is the latest reason why a part could not be evaluated.
    """

    definitions: dict[str, Table]
    types: dict[str, ColumnType] = field(default_factory=dict)
    because: str = ""

    def query(self, tree: exp.Expr) -> Named | None:
        """The relation that a query is; None if the model cannot evaluate it."""
        return self._try(
            printed_or_none(tree), lambda text: relation(parse(text), self.definitions)
        )

    def statement(self, tree: exp.Expr) -> Statement | None:
        """The statement that a tree is; None if the model does not support it."""
        return self.statement_of(printed_or_none(tree))

    def statement_of(self, text: str | None) -> Statement | None:
        """The statement that a text is, with parameters."""
        return self._try(
            text, lambda filled: check_places(parse_statement(filled, TARGET, self.definitions))
        )

    def _try(self, text: str | None, build: Callable[[str], T]) -> T | None:
        if text is None:
            self.because = "it cannot be written in the model's SQL"
            return None
        untold: list[str] = []
        for guess in _GUESSES:
            types = {**self.types, **dict.fromkeys(untold, guess)}
            try:
                built = build(self._filled(text, types, untold, guess))
            except _CANNOT as error:
                self.because = str(error) or type(error).__name__
                if not untold:
                    return None
                continue
            self.types.update(dict.fromkeys(untold, guess))
            return built
        return None

    def _filled(
        self, text: str, types: dict[str, ColumnType], untold: list[str], guess: ColumnType
    ) -> str:
        """The SQL with a value for each parameter; those without a type go to ``untold``."""
        columns = {
            name: {column.name.lower(): column.type for column in table.columns}
            for name, table in sorted(self.definitions.items(), key=lambda item: item[0] != TARGET)
        }
        while True:
            try:
                made = template(text, columns, types)
                break
            except UntoldType as error:
                untold.append(error.parameter)
                types[error.parameter] = guess
        return made.filled(
            {parameter.name: _VALUES[parameter.type.family] for parameter in made.parameters}
        )


_VALUES: Mapping[str, Value] = {
    "number": 1,
    "string": "1",
    "boolean": True,
    "date": datetime.date(2026, 3, 1),
    "timestamp": datetime.datetime(2026, 3, 1),
}


def printed_or_none(tree: exp.Expr) -> str | None:
    """A tree as SQL; None if the printer does not support all of it."""
    try:
        return printed(tree)
    except InvalidScenario:
        return None


@dataclass
class Context:
    """The rows that an expression is evaluated over: a FROM clause, perhaps with GROUP BY.

    ``anchor`` is a column of these rows. ``subqueries`` says whether a condition may have
    some.
    """

    tables: Tables
    skeleton: exp.Select
    anchor: tuple[exp.Column, ColumnType] | None
    subqueries: bool = True

    def holds(self, condition: exp.Expr) -> bool:
        """Whether the model can evaluate a condition over these rows."""
        if not self.subqueries and condition.find(exp.Query) is not None:
            self.tables.because = "a subquery cannot stand here"
            return False
        asked = self.skeleton.copy()
        asked.set("expressions", [exp.alias_(exp.Literal.number(1), "one")])
        asked.set("where", exp.Where(this=condition.copy()))
        return self.tables.query(asked) is not None

    def type(self, value: exp.Expr) -> ColumnType | None:
        """The type of a value over these rows; None if the model cannot evaluate it."""
        if not self.subqueries and value.find(exp.Query) is not None:
            self.tables.because = "a subquery cannot stand here"
            return None
        asked = self.skeleton.copy()
        asked.set("expressions", [exp.alias_(value.unalias().copy(), "value")])
        named = self.tables.query(asked)
        return None if named is None else named.relation.types[0]
