"""From SQL text to the model's statements: takes SET apart and finds the statement's parser."""

from __future__ import annotations

import difflib
import logging
import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.sql.source import Source, Tables, no_table
from model.sql.statements import evolution, overwrite
from model.sql.statements.alter.columns import new_columns
from model.sql.statements.alter.statement import alter, comment_on
from model.sql.statements.create import create
from model.sql.statements.delete import delete
from model.sql.statements.maintenance import RETENTION_CHECK, optimize, reorg, restore, vacuum
from model.sql.statements.merge import merge
from model.sql.statements.overwrite import insert_or_overwrite, truncate
from model.sql.statements.select import select, with_names
from model.sql.statements.update import update
from model.statements import (
    Delete,
    DynamicOverwrite,
    Idempotent,
    InsertSelect,
    InsertValues,
    Merge,
    Overwrite,
    Statement,
    Update,
)
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

_APPLICATION = "spark.databricks.delta.write.txnappid"
_VERSION = "spark.databricks.delta.write.txnversion"
_NUMBERING = frozenset({_APPLICATION, _VERSION})

NUMBERED = (Delete, DynamicOverwrite, InsertSelect, InsertValues, Merge, Overwrite, Update)
"""Statements that honour the number; TRUNCATE, OPTIMIZE, RESTORE and ALTER TABLE do not."""

SETTINGS: frozenset[str] = _NUMBERING | evolution.SETTINGS | overwrite.SETTINGS | {RETENTION_CHECK}
"""Session settings that a statement may be preceded by, in lower case."""

_SET = re.compile(r"\s*SET\s+(?P<key>[\w.]+)\s*=\s*(?P<value>[^;]*?)\s*;", re.IGNORECASE)


def parse_statement(text: str, target: str, tables: Tables) -> Statement:
    """The statement that ``text`` is, over table ``target`` and the others in ``tables``.

    Raises UnsupportedSQL for one outside the supported language and InvalidScenario for one
    that is wrong (unknown column, wrong type in VALUES, no SQL at all), both with one line
    that quotes the part concerned.
    """
    return _parse(text, target, tuple(tables.items()))


@lru_cache(maxsize=4096)
def _parse(text: str, target: str, tables: tuple[tuple[str, Table], ...]) -> Statement:
    settings, body = _settings(text)
    body = body.strip().rstrip(";").strip()
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
        return _numbered(parser(source), source)
    except StatementFailure as error:
        raise InvalidScenario(
            f"{error} ({error.error_class})", error_class=error.error_class
        ) from error


def _settings(text: str) -> tuple[dict[str, str], str]:
    """The settings that lead a statement, and the statement."""
    settings: dict[str, str] = {}
    while match := _SET.match(text):
        key = match["key"].lower()
        if key not in SETTINGS:
            known = f" (supported: {', '.join(sorted(SETTINGS))})" if SETTINGS else ""
            raise UnsupportedSQL(f"SET {match['key']} is not supported{known}")
        settings[key] = match["value"].strip("'\"")
        text = text[match.end() :]
    return settings, text


_ADD_COLUMNS = re.compile(
    r"\s*ALTER\s+TABLE\s+\S+\s+ADD\s+COLUMNS?\s*(?P<columns>[^;]+?)\s*;?\s*",
    re.IGNORECASE | re.DOTALL,
)


def columns_to_come(texts: Iterable[str]) -> tuple[tuple[str, ColumnType], ...]:
    """The columns that statements will add to the table, so that rows have a place for them.

    A column that is added, dropped and added again has a place each time.
    """
    found: list[tuple[str, ColumnType]] = []
    for text in texts:
        match = _ADD_COLUMNS.fullmatch(text)
        if match is None:
            continue
        try:
            columns = new_columns(match["columns"])
        except UnsupportedSQL:
            continue  # The statement's own parser says so, and of which transaction it is.
        found += [(column["name"], parse_type(column["type"])) for column in columns]
    return tuple(found)


def _numbered(statement: Statement, source: Source) -> Statement:
    """The statement, as the write of an application where the settings say so."""
    application, version = source.settings.get(_APPLICATION), source.settings.get(_VERSION)
    if application is None and version is None:
        return statement
    if application is None or version is None:
        raise InvalidScenario("txnAppId and txnVersion number a write together, or not at all")
    if not version.isdigit():
        raise InvalidScenario(f"txnVersion is a number, not {version!r}")
    if isinstance(statement, NUMBERED):
        return Idempotent(statement, application, int(version))
    return statement  # The engine does not look at the number.
