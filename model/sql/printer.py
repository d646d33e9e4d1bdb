"""Statements as SQL again: their syntax, as trees that can be built, changed and printed.

The statements of ``model.statements`` are the meaning of SQL over the definition of a table. What
makes or changes SQL works on its syntax instead, for which it needs no table: generators build
trees, a shrinker takes parts out of them, and both print at the end. The trees are sqlglot's, in
the dialect of ``model.sql.dialect``. Reading what is printed gives an equal statement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import ErrorLevel, UnsupportedError

from model.errors import InvalidScenario, UnsupportedSQL
from model.sql.dialect import Delta, parse

_SET = re.compile(r"\s*SET\s+(?P<key>[\w.]+)\s*=\s*(?P<value>[^;]*?)\s*;", re.IGNORECASE)

Settings = tuple[tuple[str, str], ...]
"""Settings of a session: pairs of a key and a value, as they are written."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """A statement as it is written: the settings of its session, and sqlglot's tree of the rest.

    The tree is not to be changed: others may hold it as well. Change a copy.
    """

    settings: Settings
    tree: exp.Expr

    def sql(self) -> str:
        """The statement as SQL, in the shortest form. Raises UnsupportedSQL as ``printed`` does."""
        leading = "".join(f"SET {key} = {value}; " for key, value in self.settings)
        return f"{leading}{printed(self.tree)}"


@lru_cache(maxsize=4096)
def syntax(text: str) -> Syntax:
    """The syntax of a statement. Raises InvalidScenario and UnsupportedSQL as ``parse`` does."""
    settings, body = taken_apart(text)
    return Syntax(settings, parse(body))


def taken_apart(text: str) -> tuple[Settings, str]:
    """The settings that lead a statement, and the statement without them."""
    settings = []
    while match := _SET.match(text):
        settings.append((match["key"], match["value"]))
        text = text[match.end() :]
    return tuple(settings), text.strip().rstrip(";").strip()


def printed(tree: exp.Expr) -> str:
    """A tree as SQL. Raises UnsupportedSQL for one that would lose something."""
    try:
        return tree.sql(
            dialect=Delta,
            normalize_functions="lower",
            comments=False,
            unsupported_level=ErrorLevel.RAISE,
        )
    except UnsupportedError as error:
        raise UnsupportedSQL(" ".join(str(error).split())) from error


@lru_cache(maxsize=4096)
def definition(text: str) -> exp.ColumnDef:
    """A column's text without its name, such as ``int NOT NULL``. Not to be changed.

    Raises InvalidScenario.
    """
    match actions(parse(f"ALTER TABLE t ADD COLUMN c {text}")):
        case [exp.ColumnDef() as added]:
            return added
    raise InvalidScenario(f"{text!r} is not a column")


def actions(tree: exp.Expr) -> list[exp.Expr]:
    """The actions of an ALTER TABLE, one for every column that it adds; none for other trees."""
    if not isinstance(tree, exp.Alter):
        return []
    lists = (a.expressions if isinstance(a, exp.Schema) else [a] for a in tree.actions)
    return [action for some in lists for action in some]


def tables_of(tree: exp.Expr) -> frozenset[str]:
    """The names of the tables that a tree mentions."""
    return frozenset(table.name for table in tree.find_all(exp.Table))
