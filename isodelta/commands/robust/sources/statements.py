"""The statements of jobs: their order, the table that each writes, and those left alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.databricks import Databricks
from sqlglot.errors import SqlglotError

from isodelta.commands.robust.sources.files import Script
from isodelta.commands.robust.sources.parameters import named
from isodelta.exits import BadInput
from isodelta.files.sql_text import split
from model.sql.dialect import Delta, Optimize, Reorg, ReplaceTable, Restore, Vacuum

_LEFT_ALONE: dict[str, str] = {
    **dict.fromkeys(
        ("SHOW", "DESCRIBE", "DESC", "EXPLAIN", "LIST", "HELP", "PRINT"), "it only shows something"
    ),
    **dict.fromkeys(
        ("USE", "SET", "RESET", "DECLARE", "ADD", "CLEAR", "SIGNAL", "CALL", "EXECUTE", "UNSET"),
        "it concerns the session",
    ),
    **dict.fromkeys(("GRANT", "REVOKE", "DENY"), "it concerns permissions"),
    **dict.fromkeys(
        ("ANALYZE", "CACHE", "UNCACHE", "REFRESH", "MSCK", "FSCK", "SYNC", "GENERATE"),
        "it writes no version of a Delta table",
    ),
    **dict.fromkeys(("DROP", "UNDROP"), "it is about the catalog, not about rows"),
    **dict.fromkeys(("COMMENT",), "it changes a comment"),
    **dict.fromkeys(
        ("BEGIN", "END", "IF", "WHILE", "FOR", "LEAVE", "RETURN", "COMMIT", "ROLLBACK", "ELSE"),
        "it controls the course of a script",
    ),
    **dict.fromkeys(("LOAD", "EXPORT", "IMPORT", "PUT", "REMOVE"), "it moves files"),
}
"""Statements that write no Delta table, by their first word."""

_WRITES = re.compile(
    r"^(?:WITH\b.*?\)\s*)?(?P<kind>INSERT(?:\s+(?:INTO|OVERWRITE))?(?:\s+TABLE)?|MERGE(?:\s+WITH"
    r"\s+SCHEMA\s+EVOLUTION)?(?:\s+INTO)?|UPDATE|DELETE(?:\s+FROM)?|COPY\s+INTO|TRUNCATE\s+TABLE|"
    r"OPTIMIZE|VACUUM|REORG\s+TABLE|RESTORE(?:\s+TABLE)?|ALTER\s+TABLE|CONVERT\s+TO\s+DELTA|"
    r"(?:CREATE\s+OR\s+)?REPLACE\s+TABLE|CREATE\s+TABLE)\s+(?:IF\s+NOT\s+EXISTS\s+)?"
    r"(?P<name>(?:`[^`]+`|[\w$]+)(?:\s*\.\s*(?:`[^`]+`|[\w$]+))*)",
    re.IGNORECASE | re.DOTALL,
)
_PIPELINE = re.compile(
    r"^(?:CREATE\s+(?:OR\s+REFRESH\s+|OR\s+REPLACE\s+)?(?:PRIVATE\s+|TEMPORARY\s+)?(?:STREAMING\s+"
    r"(?:LIVE\s+)?TABLE|LIVE\s+(?:TABLE|VIEW)|MATERIALIZED\s+VIEW|FLOW)|APPLY\s+CHANGES|AUTO\s+CDC)",
    re.IGNORECASE,
)
_NO_TABLE = re.compile(
    r"^CREATE\s+(?:OR\s+REPLACE\s+)?(?:GLOBAL\s+)?(?:TEMP(?:ORARY)?\s+)?(?:VIEW|FUNCTION|SCHEMA|DATABASE|"
    r"CATALOG|EXTERNAL\s+LOCATION|VOLUME|EXTERNAL\s+VOLUME|BLOOMFILTER|MODEL|SHARE|RECIPIENT|"
    r"CONNECTION|STORAGE|PROCEDURE|WIDGET|ROLE|USER|GROUP|POLICY)",
    re.IGNORECASE,
)
_ALTER_OTHER = re.compile(
    r"^ALTER\s+(?:VIEW|SCHEMA|DATABASE|CATALOG|FUNCTION|VOLUME|SHARE|STREAMING|MATERIALIZED)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z]+")
_WORDS = frozenset(
    {
        *("SELECT", "WITH", "INSERT", "MERGE", "UPDATE", "DELETE", "COPY", "TRUNCATE", "OPTIMIZE"),
        *("VACUUM", "REORG", "RESTORE", "ALTER", "CONVERT", "REPLACE", "CREATE", "VALUES", "FROM"),
        *("TABLE", "APPLY", "AUTO", "REPAIR", "CLONE", *_LEFT_ALONE),
    }
)
"""First words of statements of SQL."""


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a table, in lower case, from the catalog down."""

    parts: tuple[str, ...]

    def __str__(self) -> str:
        return ".".join(self.parts)

    def means(self, other: Name) -> bool:
        """Whether two names may mean the same table: one is a suffix of the other."""
        least = min(len(self.parts), len(other.parts))
        return self.parts[-least:] == other.parts[-least:]


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a job.

    ``tree`` is None where it was not parsed; ``target`` is the table that it writes, as written
    in ``shown``; ``skipped`` says why it is left alone. ``number`` counts the statements of the
    job from 1, ``line`` is where it begins in the file.
    """

    job: str
    number: int
    file: str
    line: int
    text: str
    tree: exp.Expr | None
    target: Name | None = None
    shown: str = ""
    skipped: str | None = None


def read(script: Script) -> Iterator[Statement]:
    """The statements of a job in their order. Raises BadInput for text that is not SQL."""
    number = 0
    for first_line, part in script.parts:
        for line, text in split(named(part, script.file)):
            number += 1
            yield _statement(script, number, first_line + line - 1, text)


def _statement(script: Script, number: int, line: int, text: str) -> Statement:
    def made(tree: exp.Expr | None, **more: Any) -> Statement:
        return Statement(script.job, number, script.file, line, text, tree, **more)

    word = _WORD.match(text.lstrip("( "))
    first = word[0].upper() if word else ""
    if first not in _WORDS:
        shown = " ".join(text.split())[:60]
        raise BadInput(f"{script.file}, line {line}: this is not SQL: {shown}")
    if first in _LEFT_ALONE:
        return made(None, skipped=_LEFT_ALONE[first])
    if _PIPELINE.match(text):
        return made(None, skipped="a pipeline maintains this table, and writes it alone")
    if _ALTER_OTHER.match(text):
        return made(None, skipped="it alters no table")
    tree = _parsed(text)
    if _NO_TABLE.match(text):
        return made(tree, skipped="it creates no table")
    node = _target(tree) if tree is not None else None
    if tree is not None and node is not None:
        return _writing(made, tree, node)
    match = _WRITES.match(text)
    if match is not None and not (isinstance(tree, exp.Query)):
        shown = "".join(match["name"].split())
        return made(tree, target=Name(tuple(_words(shown))), shown=shown)
    if isinstance(tree, exp.Query):
        return made(tree)
    if tree is None and first in ("SELECT", "WITH", "VALUES", "FROM", "TABLE"):
        return made(None, skipped="it only reads, in SQL that was not understood")
    return made(tree, skipped="it writes no Delta table that is named")


def _writing(made: Callable[..., Statement], tree: exp.Expr, node: exp.Table) -> Statement:
    name = name_of(node)
    shown = ".".join(part.name for part in node.parts)
    if isinstance(tree, exp.Create):
        if not _is_delta(tree):
            return made(tree, skipped="the table is not a Delta table")
        if tree.expression is None and not tree.args.get("replace") and not tree.args.get("clone"):
            return made(tree, target=name, shown=shown, skipped="it defines the table")
    if name.parts[0] in _FORMATS:
        return made(tree, skipped="it writes files, not a Delta table")
    return made(tree, target=name, shown=shown)


_FORMATS = frozenset({"parquet", "csv", "json", "orc", "text", "avro", "binaryfile"})


def _is_delta(tree: exp.Create) -> bool:
    given = tree.find(exp.FileFormatProperty)
    name = given.this.name if given is not None and isinstance(given.this, exp.Expr) else ""
    return name.lower() in ("", "delta")


def _parsed(text: str) -> exp.Expr | None:
    for dialect in (Delta, Databricks):
        try:
            trees = sqlglot.parse(text, dialect=dialect)
        except (SqlglotError, RecursionError):
            continue
        tree = trees[0] if len(trees) == 1 else None
        if tree is not None and not isinstance(tree, exp.Command | exp.Alias | exp.Column):
            return tree
    return None


def _words(name: str) -> list[str]:
    return [part.strip("`").lower() for part in re.findall(r"`[^`]+`|[^.`]+", name)]


def name_of(node: exp.Table) -> Name:
    """The name of a table in SQL."""
    return Name(tuple(part.name.lower() for part in node.parts))


def _target(tree: exp.Expr) -> exp.Table | None:
    """The table that a statement writes."""
    match tree:
        case exp.Insert() | exp.Merge() | exp.Update() | exp.Delete() | exp.Copy():
            node = tree.this
        case Optimize() | Reorg() | Vacuum() | Restore():
            node = tree.this
        case exp.TruncateTable():
            node = tree.expressions[0] if tree.expressions else None
        case exp.Alter() if str(tree.args.get("kind")).upper() == "TABLE":
            node = tree.this
        case exp.Create() if str(tree.args.get("kind")).upper() == "TABLE":
            node = tree.this
        case _:
            return None
    if isinstance(node, exp.Schema):
        node = node.this
    return node if isinstance(node, exp.Table) and node.name else None


REPLACES = (exp.Create, ReplaceTable)


def views_of(statements: Mapping[str, list[Statement]]) -> dict[str, dict[str, exp.Expr]]:
    """The queries of views, by the job that defines them and by name; '' has those of all jobs."""
    views: dict[str, dict[str, exp.Expr]] = {"": {}}
    for job, own in statements.items():
        for statement in own:
            tree = statement.tree
            if not isinstance(tree, exp.Create) or str(tree.args.get("kind")).upper() != "VIEW":
                continue
            node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
            if isinstance(node, exp.Table) and isinstance(tree.expression, exp.Query):
                temporary = tree.find(exp.TemporaryProperty) is not None
                views.setdefault(job if temporary else "", {})[node.name.lower()] = tree.expression
    return views
