"""The parser of SQL statements, in two steps: syntax first, then names and types.

The first step looks at the text alone and is made once for each text; the second resolves the
syntax for the definitions of tables, which statements may change.
"""

from __future__ import annotations

import difflib
import logging
from dataclasses import dataclass, replace
from functools import lru_cache

from model.errors import InvalidScenario, StatementFailure, UnsupportedSQL
from model.sql.expressions.opaque import OpaquePart, accepting
from model.sql.printer import Settings, taken_apart
from model.sql.registry import FORMS, Form
from model.sql.source import Source, Tables, Written, no_table
from model.statements import Idempotent, Statement
from model.statements.opaque import OpaqueStatement
from model.tables.table import Table

# sqlglot says on its logger what the errors raised here say better.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_BY_WORDS: dict[str, Form] = {words: form for form in FORMS for words in form.words}
_LONGEST = max(len(words.split()) for words in _BY_WORDS)

_OTHER_VERBS = frozenset(
    {"ADD", "ANALYZE", "BEGIN", "CACHE", "CALL", "CLEAR", "CONVERT", "COPY", "DECLARE", "DESC"}
    | {"DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "FROM", "FSCK", "GENERATE", "GRANT", "LIST"}
    | {"LOAD", "MAP", "MSCK", "REDUCE", "REFRESH", "REPAIR", "RESET", "REVOKE", "SET", "SHOW"}
    | {"SYNC", "TABLE", "UNCACHE", "UNDROP", "UNSET", "USE", "LOCK", "UNLOCK", "EXPORT"}
)
"""First words of Spark's statements, those of Databricks among them, that are not modelled."""

_APPLICATION = "spark.databricks.delta.write.txnappid"
_VERSION = "spark.databricks.delta.write.txnversion"

SETTINGS = frozenset({_APPLICATION, _VERSION}).union(*(form.settings for form in FORMS))
"""Session settings that a statement may be preceded by, in lower case."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """A statement's syntax, and the form of statement that it is."""

    written: Written
    form: Form

    @property
    def redefines(self) -> bool:
        """Whether the statement may change the definition of its table."""
        return self.form.redefines(self.written)

    @property
    def restores(self) -> bool:
        """Whether the statement may put the definition of an earlier version back."""
        return any(kind.restores for kind in self.form.classes)

    def resolve(self, target: str, tables: Tables) -> Statement:
        """The statement, over table ``target`` and the others in ``tables``.

        Raises UnsupportedSQL for one outside the supported language and InvalidScenario for one
        that is wrong (unknown column, wrong type in VALUES), both with one line that quotes the
        part concerned.
        """
        written = self.written
        source = Source(written.text, written.body, written.settings, target, tables)
        try:
            if source.table.absent and not self.form.without_table:
                raise no_table(target)
            return _numbered(self.form.parse(source), written)
        except StatementFailure as error:
            raise InvalidScenario(
                f"{error} ({error.error_class})", error_class=error.error_class
            ) from error


@lru_cache(maxsize=4096)
def parsed(text: str) -> Parsed:
    """The first step: takes SET apart and finds the form of the statement.

    Raises UnsupportedSQL for a form that there is not, InvalidScenario for an empty text.
    """
    written, body = taken_apart(text)
    settings = _settings(written)
    if not body:
        raise InvalidScenario("empty statement")
    words = body.upper().split(None, _LONGEST)
    for length in range(min(_LONGEST, len(words)), 0, -1):
        form = _BY_WORDS.get(" ".join(words[:length]))
        if form is not None:
            return Parsed(Written(text, body, settings), form)
    verbs = sorted({name.split()[0] for name in _BY_WORDS})
    near = difflib.get_close_matches(words[0], verbs, 1)
    forms = sorted(name for name in _BY_WORDS if name.split()[0] == words[0])
    hint = f", did you mean {near[0]}?" if near else f" (supported: {', '.join(verbs)})"
    if not forms and words[0] not in _OTHER_VERBS:
        raise InvalidScenario(
            f"{words[0]} does not begin a statement{hint}", error_class="PARSE_SYNTAX_ERROR"
        )
    if forms:
        raise UnsupportedSQL(f"{' '.join(words[:3])}: only {', '.join(forms)} is supported")
    raise UnsupportedSQL(f"statement {words[0]} is not supported{hint}")


def parse_statement(text: str, target: str, tables: Tables) -> Statement:
    """Both steps: the statement that ``text`` is, over ``target`` and the others in ``tables``.

    Raises what :func:`parsed` and :meth:`Parsed.resolve` raise.
    """
    return _resolved(text, target, tuple(tables.items()))


@lru_cache(maxsize=4096)
def _resolved(text: str, target: str, tables: tuple[tuple[str, Table], ...]) -> Statement:
    return parsed(text).resolve(target, dict(tables))


@dataclass(frozen=True, slots=True)
class Understood:
    """A statement with all that the model understands of it, and a list of the rest.

    In ``statement`` the rest is opaque: expressions (``model.expressions.syntax.Opaque``),
    relations (``model.queries.opaque``), or all of it (``model.statements.opaque``).
    """

    statement: Statement
    opaque: tuple[OpaquePart, ...] = ()


def understood(text: str, target: str, tables: Tables, *, undeclared: bool = False) -> Understood:
    """The statement that ``text`` is, its unsupported parts opaque.

    With ``undeclared``, tables that are read and not in ``tables`` are opaque as well. Raises
    InvalidScenario for an error of Spark's, never UnsupportedSQL.
    """
    return _understood(text, target, tuple(tables.items()), undeclared)


def understood_strictly(text: str, target: str, tables: Tables) -> Understood:
    """The same, without opaque parts. Raises UnsupportedSQL for an unsupported part."""
    return Understood(parse_statement(text, target, tables))


@lru_cache(maxsize=4096)
def _understood(
    text: str, target: str, tables: tuple[tuple[str, Table], ...], undeclared: bool
) -> Understood:
    known = dict(tables)
    body = taken_apart(text)[1]
    with accepting(undeclared=undeclared) as parts:
        try:
            statement = parsed(text).resolve(target, known)
        except UnsupportedSQL as error:
            redefines = _may_redefine(text)
            kind = " ".join(body.upper().split()[:1])
            statement = OpaqueStatement(text, known[target], kind, str(error), redefines)
            parts.append(OpaquePart(body, str(error), 0))
    shift = text.find(body)
    placed = (replace(p, start=None if p.start is None else p.start + shift) for p in parts)
    return Understood(statement, tuple(dict.fromkeys(placed)))


def _may_redefine(text: str) -> bool:
    """Whether a statement that is not understood may change the definition of its table."""
    try:
        return parsed(text).redefines
    except UnsupportedSQL:
        return True


def _settings(written: Settings) -> dict[str, str]:
    """The settings by their keys in lower case. Raises UnsupportedSQL for one of another."""
    settings: dict[str, str] = {}
    for key, value in written:
        if key.lower() not in SETTINGS:
            supported = ", ".join(sorted(SETTINGS))
            raise UnsupportedSQL(f"SET {key} is not supported (supported: {supported})")
        settings[key.lower()] = value.strip("'\"")
    return settings


def _numbered(statement: Statement, written: Written) -> Statement:
    """The statement, as the write of an application where the settings say so."""
    application, version = written.settings.get(_APPLICATION), written.settings.get(_VERSION)
    if application is None and version is None:
        return statement
    if application is None or version is None:
        raise InvalidScenario("txnAppId and txnVersion number a write together, or not at all")
    if not version.isdigit():
        raise InvalidScenario(f"txnVersion is a number, not {version!r}")
    if not statement.takes_number:
        return statement
    return Idempotent(statement, application, int(version))
