"""From SQL text to the model's statements: takes SET apart and finds the statement's parser."""

from __future__ import annotations

import difflib
import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import lru_cache

from sqlglot import exp

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.sql import applications
from model.sql.dialect import EVOLVES
from model.sql.printer import Settings, actions, printed, syntax, taken_apart
from model.sql.source import Source, Tables, no_table
from model.sql.statements import evolution, overwrite
from model.sql.statements.alter.statement import alter, comment_on
from model.sql.statements.create import create
from model.sql.statements.delete import delete
from model.sql.statements.merge import merge
from model.sql.statements.optimize import optimize, reorg
from model.sql.statements.overwrite import insert_or_overwrite, truncate
from model.sql.statements.restore import restore
from model.sql.statements.select import select
from model.sql.statements.update import update
from model.sql.statements.vacuum import RETENTION_CHECK, vacuum
from model.sql.statements.with_names import with_names
from model.statements import Statement
from model.tables.table import Table
from model.values.types import ColumnType, parse_type

# sqlglot says on its logger what the errors raised here say better.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

PARSERS: dict[str, Callable[[Source], Statement]] = {
    "ALTER TABLE": alter,
    "COMMENT ON TABLE": comment_on,
    "CREATE OR REPLACE TABLE": create,
    "CREATE TABLE": create,
    "DELETE": delete,
    "INSERT": insert_or_overwrite,
    "MERGE": merge,
    "OPTIMIZE": optimize,
    "REORG TABLE": reorg,
    "REPLACE TABLE": create,
    "RESTORE": restore,
    "SELECT": select,
    "TRUNCATE": truncate,
    "UPDATE": update,
    "VACUUM": vacuum,
    "VALUES": select,
    "WITH": with_names,
}
"""Parsers by the words that a statement begins with; the longest match wins."""

SETTINGS: frozenset[str] = (
    applications.SETTINGS | evolution.SETTINGS | overwrite.SETTINGS | {RETENTION_CHECK}
)
"""Session settings that a statement may be preceded by, in lower case."""


def parse_statement(text: str, target: str, tables: Tables) -> Statement:
    """The statement that ``text`` is, over table ``target`` and the others in ``tables``.

    Raises UnsupportedSQL for one outside the supported language and InvalidScenario for one
    that is wrong (unknown column, wrong type in VALUES, no SQL at all), both with one line
    that quotes the part concerned.
    """
    return _parse(text, target, tuple(tables.items()))


@lru_cache(maxsize=4096)
def _parse(text: str, target: str, tables: tuple[tuple[str, Table], ...]) -> Statement:
    written, body = taken_apart(text)
    settings = _settings(written)
    if not body:
        raise InvalidScenario("empty statement")
    words = body.upper().split(None, 4)
    for length in range(min(4, len(words)), 0, -1):
        parser = PARSERS.get(" ".join(words[:length]))
        if parser is not None:
            break
    else:
        known = sorted({name.split()[0] for name in PARSERS})
        near = difflib.get_close_matches(words[0], known, 1)
        forms = sorted(name for name in PARSERS if name.split()[0] == words[0])
        hint = f", did you mean {near[0]}?" if near else f" (supported: {', '.join(known)})"
        if forms:
            raise UnsupportedSQL(f"{' '.join(words[:3])}: only {', '.join(forms)} is supported")
        raise UnsupportedSQL(f"statement {words[0]} is not supported{hint}")
    try:
        source = Source(text, body, settings, target, dict(tables))
        if source.table.absent and parser not in (create, select, with_names):
            raise no_table(target)
        return applications.numbered(parser(source), source)
    except StatementFailure as error:
        raise InvalidScenario(
            f"{error} ({error.error_class})", error_class=error.error_class
        ) from error


def _settings(written: Settings) -> dict[str, str]:
    """The settings by their keys in lower case. Raises UnsupportedSQL for one of another."""
    settings: dict[str, str] = {}
    for key, value in written:
        if key.lower() not in SETTINGS:
            known = f" (supported: {', '.join(sorted(SETTINGS))})" if SETTINGS else ""
            raise UnsupportedSQL(f"SET {key} is not supported{known}")
        settings[key.lower()] = value.strip("'\"")
    return settings


def columns_to_come(texts: Iterable[str]) -> tuple[tuple[str, ColumnType], ...]:
    """The columns that statements will add to the table, so that rows have a place for them.

    A column that is added, dropped and added again has a place each time.
    """
    found: list[tuple[str, ColumnType]] = []
    for text in texts:
        # What is wrong with a statement its own parser says, and of which transaction it is.
        with suppress(InvalidScenario):
            found += [
                (column.name, parse_type(printed(column.args["kind"])))
                for column in actions(syntax(text).tree)
                if isinstance(column, exp.ColumnDef)
            ]
    return tuple(found)


def brings_columns(text: str) -> bool:
    """Whether a statement's columns follow from what it selects, or it brings other types."""
    try:
        statement = syntax(text)
    except InvalidScenario:
        return False
    tree, keys = statement.tree, {key.lower() for key, _ in statement.settings}
    if isinstance(tree, exp.Create):
        return bool(tree.args.get("replace"))
    retypes = (isinstance(a, exp.AlterColumn) and a.args.get("dtype") for a in actions(tree))
    return bool(tree.args.get(EVOLVES)) or evolution.AUTO_MERGE in keys or any(retypes)
