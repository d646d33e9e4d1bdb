"""Delta Lake's SQL as a dialect of sqlglot: Spark's, with Delta's own statements and clauses.

sqlglot knows the statements that Delta shares with others. The nodes here stand for the rest:
OPTIMIZE, REORG, VACUUM, RESTORE, REPLACE TABLE, WITH SCHEMA EVOLUTION and some clauses of ALTER
TABLE. A statement that nothing here knows becomes ``exp.Command``, which prints as it was written.
The generator writes the shortest form that Spark reads: ``DATE '2024-01-31'`` rather than CAST,
``t a`` rather than ``t AS a``.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, ClassVar

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError
from sqlglot.generators.spark import SparkGenerator
from sqlglot.parsers.spark import SparkParser

from model.errors import InvalidScenario, UnsupportedSQL

_Arguments = dict[str, bool]
"""The arguments of a node, and whether they are required."""


class Optimize(exp.Expression):
    """OPTIMIZE table [FULL] [WHERE ...] [ZORDER BY (columns)]."""

    arg_types: ClassVar[_Arguments] = {
        "this": True,
        "full": False,
        "where": False,
        "zorder": False,
    }


class Reorg(exp.Expression):
    """REORG TABLE table [WHERE ...] APPLY (PURGE)."""

    arg_types: ClassVar[_Arguments] = {"this": True, "where": False}


class Vacuum(exp.Expression):
    """VACUUM table [FULL | LITE] [RETAIN n HOURS] [DRY RUN]."""

    arg_types: ClassVar[_Arguments] = {
        "this": True,
        "kind": False,
        "hours": False,
        "dry_run": False,
    }


class Restore(exp.Expression):
    """RESTORE TABLE table TO VERSION AS OF n, or TO TIMESTAMP AS OF a text."""

    arg_types: ClassVar[_Arguments] = {"this": True, "version": False, "timestamp": False}


class ReplaceTable(exp.Create):
    """REPLACE TABLE, which unlike CREATE OR REPLACE TABLE makes none."""


class UnsetProperties(exp.Expression):
    """The action UNSET TBLPROPERTIES [IF EXISTS] (keys) of ALTER TABLE."""

    arg_types: ClassVar[_Arguments] = {"expressions": True, "exists": False}


class MoveColumn(exp.Expression):
    """The action ALTER COLUMN column FIRST or AFTER another one of ALTER TABLE."""

    arg_types: ClassVar[_Arguments] = {"this": True, "position": True}


class SyncIdentity(exp.Expression):
    """The action ALTER COLUMN column SYNC IDENTITY of ALTER TABLE."""


class ClusterByNone(exp.Expression):
    """The action CLUSTER BY NONE of ALTER TABLE."""

    arg_types: ClassVar[_Arguments] = {}


class DropFeature(exp.Expression):
    """The action DROP FEATURE feature [TRUNCATE HISTORY] of ALTER TABLE."""

    arg_types: ClassVar[_Arguments] = {"this": True, "truncate": False}


EVOLVES = "evolves"
"""The argument of ``exp.Insert`` and ``exp.Merge`` that stands for WITH SCHEMA EVOLUTION."""


class _Parser(SparkParser):
    """Spark's parser, which knows Delta's statements as well."""

    STATEMENT_PARSERS: ClassVar[dict[Any, Any]] = {
        **SparkParser.STATEMENT_PARSERS,
        TokenType.REPLACE: lambda self: self._parse_replace(),
    }
    ALTER_PARSERS: ClassVar[dict[Any, Any]] = {
        **SparkParser.ALTER_PARSERS,
        "CHANGE": lambda self: self._parse_alter_table_alter(),
        "CLUSTER BY": lambda self: self._parse_cluster_by(),
        "UNSET": lambda self: self._parse_unset(),
    }

    def _parse_statement(self) -> exp.Expr | None:
        for word, parser in _STATEMENTS.items():
            # A column may have such a name; then a condition is parsed, and an operator follows.
            follows = self._next and self._next.token_type in self.ID_VAR_TOKENS
            if follows and self._match_text_seq(word):
                start, index = self._prev, self._index
                tree = parser(self)
                if tree is not None and not (self._curr and self._curr.token_type is not _END):
                    return tree
                self._retreat(index)
                return self._parse_as_command(start)
        return super()._parse_statement()

    def _parse_optimize(self) -> exp.Expr | None:
        table = self._parse_table_parts()
        full = self._match_text_seq("FULL")
        where = self._parse_where()
        zorder = None
        if self._match_text_seq("ZORDER", "BY"):
            zorder = self._parse_wrapped_csv(self._parse_zorder, optional=True)
        return Optimize(this=table, full=full, where=where, zorder=zorder)

    def _parse_zorder(self) -> exp.Expr | None:
        if (
            self._curr.token_type is not TokenType.IDENTIFIER
            and self._curr.text.upper() in _RESERVED
        ):
            self.raise_error(f"{self._curr.text} needs backquotes here")
        return self._parse_id_var()

    def _parse_reorg(self) -> exp.Expr | None:
        if not self._match_text_seq("TABLE"):
            return None
        table, where = self._parse_table_parts(), self._parse_where()
        if not self._match_text_seq("APPLY", "(", "PURGE", ")"):
            return None
        return Reorg(this=table, where=where)

    def _parse_vacuum(self) -> exp.Expr | None:
        table = self._parse_table_parts()
        kind = self._prev.text.upper() if self._match_texts(("FULL", "LITE")) else None
        hours = None
        if self._match_text_seq("RETAIN"):
            hours = self._parse_whole_number()
            if hours is None or not self._match_text_seq("HOURS"):
                return None
        dry = self._match_text_seq("DRY", "RUN")
        return Vacuum(this=table, kind=kind, hours=hours, dry_run=dry)

    def _parse_restore(self) -> exp.Expr | None:
        self._match_text_seq("TABLE")
        table = self._parse_table_parts()
        self._match_text_seq("TO")
        if self._match_text_seq("VERSION", "AS", "OF"):
            version = self._parse_whole_number()
            return None if version is None else Restore(this=table, version=version)
        if self._match_text_seq("TIMESTAMP", "AS", "OF"):
            return Restore(this=table, timestamp=self._parse_expression())
        return None

    def _parse_whole_number(self) -> exp.Expr | None:
        number = self._parse_number()
        return number if number is not None and number.name.isdigit() else None

    def _parse_replace(self) -> exp.Expr:
        tree = self._parse_create()
        if type(tree) is not exp.Create:
            return tree
        return ReplaceTable(**tree.args)

    def _parse_insert(self) -> Any:
        evolving = self._match_text_seq("WITH", "SCHEMA", "EVOLUTION")
        tree = super()._parse_insert()
        if evolving:
            tree.set(EVOLVES, True)
        return tree

    def _parse_merge(self) -> exp.Merge:
        evolving = self._match_text_seq("WITH", "SCHEMA", "EVOLUTION")
        tree = super()._parse_merge()
        if evolving:
            tree.set(EVOLVES, True)
        return tree

    def _parse_when_matched(self) -> exp.Whens:
        start = self._index
        whens = super()._parse_when_matched()
        self._check_then(self._tokens[start : self._index])
        return whens

    def _check_then(self, tokens: list[Token]) -> None:
        """Raises ParseError for WHEN without THEN, which sqlglot alone reads."""
        inside, waiting = 0, False
        for token in tokens:
            kind = token.token_type
            inside += kind in (TokenType.L_PAREN, TokenType.CASE)
            inside -= kind in (TokenType.R_PAREN, TokenType.END)
            if inside:
                continue
            if kind in (TokenType.WHEN, TokenType.THEN):
                waiting = kind is TokenType.WHEN
            elif waiting and kind in (TokenType.INSERT, TokenType.UPDATE, TokenType.DELETE):
                self.raise_error("WHEN needs THEN", token)

    def _parse_derived_table_values(self, allow_value_synonym: bool = False) -> Any:
        """VALUES, also ``(VALUES ... AS x(columns)) s``, which sqlglot alone does not read."""
        start = self._index
        derived = self._curr.token_type is TokenType.L_PAREN
        if self._curr.token_type is TokenType.VALUES and self._prev.token_type is TokenType.USING:
            self.raise_error("VALUES behind USING need parentheses")
        values = super()._parse_derived_table_values(allow_value_synonym)
        if values is None or not derived or self._closing(start) != self._index - 1:
            return values
        outer = self._parse_table_alias()
        if outer is None:
            return values
        return exp.Subquery(this=exp.select("*").from_(values), alias=outer)

    def _closing(self, start: int) -> int:
        """The place of the parenthesis that closes the one at a place."""
        depth = 0
        for place in range(start, len(self._tokens)):
            kind = self._tokens[place].token_type
            depth += (kind is TokenType.L_PAREN) - (kind is TokenType.R_PAREN)
            if depth == 0:
                return place
        return len(self._tokens)

    def _parse_alter_table_alter(self) -> exp.Expr | None:
        index = self._index
        self._match(TokenType.COLUMN)
        column = self._parse_field(any_token=True)
        if self._match_text_seq("SYNC", "IDENTITY"):
            return SyncIdentity(this=column)
        if self._match_texts(("FIRST", "AFTER")):
            position = self._prev.text.upper()
            other = self._parse_id_var() if position == "AFTER" else None
            return MoveColumn(
                this=column, position=exp.ColumnPosition(this=other, position=position)
            )
        self._retreat(index)
        return super()._parse_alter_table_alter()

    def _parse_alter_table_drop(self) -> Any:
        if self._match_text_seq("FEATURE"):
            feature = self._parse_id_var()
            return DropFeature(this=feature, truncate=self._match_text_seq("TRUNCATE", "HISTORY"))
        return super()._parse_alter_table_drop()

    def _parse_cluster_by(self) -> exp.Expr | None:
        if self._match_text_seq("NONE"):
            return ClusterByNone()
        return self._parse_cluster_property()

    def _parse_unset(self) -> exp.Expr | None:
        if not self._match_text_seq("TBLPROPERTIES"):
            return None
        exists = self._parse_exists()
        return UnsetProperties(expressions=self._parse_wrapped_csv(self._parse_key), exists=exists)

    def _parse_key(self) -> exp.Expr | None:
        return self._parse_string() or self._parse_column()


_END = TokenType.SEMICOLON

_RESERVED = frozenset(
    {"ADD", "ALTER", "COMMENT", "CONSTRAINT", "DROP", "FALSE", "HISTORY", "IF", "LOCATION"}
    | {"NOT", "NULL", "OR", "REPLACE", "SYSTEM_TIME", "SYSTEM_VERSION", "TBLPROPERTIES"}
    | {"TIMESTAMP", "TRUE", "VERSION", "WHERE"}
)
"""Words that Delta's own grammar takes as names in backquotes only (DeltaSqlBase.g4)."""

_STATEMENTS: dict[str, Callable[[Any], exp.Expr | None]] = {
    "OPTIMIZE": _Parser._parse_optimize,
    "REORG": _Parser._parse_reorg,
    "RESTORE": _Parser._parse_restore,
    "VACUUM": _Parser._parse_vacuum,
}


def _optimize(self: Any, node: Optimize) -> str:
    full = " FULL" if node.args.get("full") else ""
    zorder = self.expressions(node, key="zorder", flat=True)
    zorder = f" ZORDER BY ({zorder})" if zorder else ""
    return f"OPTIMIZE {self.sql(node, 'this')}{full}{self.sql(node, 'where')}{zorder}"


def _reorg(self: Any, node: Reorg) -> str:
    return f"REORG TABLE {self.sql(node, 'this')}{self.sql(node, 'where')} APPLY (PURGE)"


def _vacuum(self: Any, node: Vacuum) -> str:
    kind, hours = self.sql(node, "kind"), self.sql(node, "hours")
    kind = f" {kind}" if kind else ""
    hours = f" RETAIN {hours} HOURS" if hours else ""
    dry = " DRY RUN" if node.args.get("dry_run") else ""
    return f"VACUUM {self.sql(node, 'this')}{kind}{hours}{dry}"


def _restore(self: Any, node: Restore) -> str:
    version = self.sql(node, "version")
    point = f"VERSION AS OF {version}" if version else ""
    point = point or f"TIMESTAMP AS OF {self.sql(node, 'timestamp')}"
    return f"RESTORE TABLE {self.sql(node, 'this')} TO {point}"


def _replace_table(self: Any, node: ReplaceTable) -> str:
    create = exp.Create(**{**node.copy().args, "replace": False})
    return f"REPLACE{self.sql(create).removeprefix('CREATE')}"


def _unset_properties(self: Any, node: UnsetProperties) -> str:
    exists = "IF EXISTS " if node.args.get("exists") else ""
    return f"UNSET TBLPROPERTIES {exists}({self.expressions(node, flat=True)})"


def _property(self: Any, node: exp.Property) -> str:
    return f"{self.property_name(node, string_key=True)} = {self.sql(node, 'value')}"


def _drop_feature(self: Any, node: DropFeature) -> str:
    truncate = " TRUNCATE HISTORY" if node.args.get("truncate") else ""
    return f"DROP FEATURE {self.sql(node, 'this')}{truncate}"


class _Generator(SparkGenerator):
    """Spark's generator, which writes short SQL and Delta's statements as well."""

    INSERT_OVERWRITE = " OVERWRITE"
    EXPRESSIONS_WITHOUT_NESTED_CTES: ClassVar[set[type[exp.Expr]]] = set()
    TRANSFORMS: ClassVar[dict[Any, Any]] = {
        **SparkGenerator.TRANSFORMS,
        ClusterByNone: lambda self, node: "CLUSTER BY NONE",
        DropFeature: _drop_feature,
        MoveColumn: lambda self, node: (
            f"ALTER COLUMN {self.sql(node, 'this')} {self.sql(node, 'position')}"
        ),
        Optimize: _optimize,
        exp.Property: _property,
        Reorg: _reorg,
        ReplaceTable: _replace_table,
        Restore: _restore,
        SyncIdentity: lambda self, node: f"ALTER COLUMN {self.sql(node, 'this')} SYNC IDENTITY",
        UnsetProperties: _unset_properties,
        Vacuum: _vacuum,
    }

    def altercolumn_sql(self, node: exp.AlterColumn) -> str:
        if node.args.get("allow_null") is False:
            return f"ALTER COLUMN {self.sql(node, 'this')} SET NOT NULL"
        return super().altercolumn_sql(node)

    def insert_sql(self, node: exp.Insert) -> str:
        if node.args.get(EVOLVES):
            node = node.copy()
            node.set("hint", exp.Var(this=" WITH SCHEMA EVOLUTION"))  # Stands behind INSERT.
        return super().insert_sql(node)

    def merge_sql(self, node: exp.Merge) -> str:
        text = super().merge_sql(node)
        if node.args.get(EVOLVES):
            return f"MERGE WITH SCHEMA EVOLUTION{text.removeprefix('MERGE')}"
        return text

    def fileformatproperty_sql(self, node: exp.FileFormatProperty) -> str:
        return f"USING {node.name.lower()}"

    def table_sql(self, node: exp.Table, sep: str = " ") -> str:
        return super().table_sql(node, sep=sep)

    def values_sql(self, node: exp.Values, values_as_table: bool = True) -> str:
        if not isinstance(node.parent, exp.Merge):
            return super().values_sql(node, values_as_table)
        plain = node.copy()
        plain.set("alias", None)
        alias = self.sql(node, "alias")
        return f"({super().values_sql(plain)})" + (f" {alias}" if alias else "")

    def subquery_sql(self, node: exp.Subquery, sep: str = " ") -> str:
        return super().subquery_sql(node, sep=sep)

    def datatype_sql(self, node: exp.DataType) -> str:
        return super().datatype_sql(node).lower().replace(", ", ",")

    def cast_sql(self, node: exp.Cast, safe_prefix: str | None = None) -> str:
        value = node.this
        if isinstance(value, exp.Literal) and value.is_string and node.to.this in _MOMENTS:
            name, reads = _MOMENTS[node.to.this]
            try:
                reads(value.name)
            except ValueError:
                pass  # Only at run time does the cast fail.
            else:
                return f"{name} {self.sql(value)}"
        letter = _LETTERS.get(node.to.this)
        number = isinstance(value, exp.Literal) and value.is_number
        if isinstance(node, exp.TryCast) and number and letter:
            return f"{self.sql(value)}{letter}"  # What sqlglot makes of a number with a letter.
        return super().cast_sql(node, safe_prefix)

    def nullsafeeq_sql(self, node: exp.NullSafeEQ) -> str:
        return self.binary(node, "<=>")

    def not_sql(self, node: exp.Not) -> str:
        inner = node.this
        if isinstance(inner, exp.Is) and not inner.args.get("negate"):
            return f"{self.sql(inner, 'this')} IS NOT {self.sql(inner, 'expression')}"
        return super().not_sql(node)


_MOMENTS: dict[Any, tuple[str, Callable[[str], object]]] = {
    exp.DType.DATE: ("DATE", datetime.date.fromisoformat),
    exp.DType.TIMESTAMP: ("TIMESTAMP", datetime.datetime.fromisoformat),
    exp.DType.TIMESTAMPTZ: ("TIMESTAMP", datetime.datetime.fromisoformat),
}
_LETTERS: dict[Any, str] = {exp.DType.DOUBLE: "D", exp.DType.BIGINT: "L"}


class Delta(Spark):
    """The dialect that statements are parsed in and printed in."""

    class Tokenizer(Spark.Tokenizer):
        # sqlglot takes what follows these words as mere text.
        KEYWORDS: ClassVar[dict[str, TokenType]] = {
            word: token
            for word, token in Spark.Tokenizer.KEYWORDS.items()
            if word not in ("OPTIMIZE", "VACUUM")
        }

    Parser = _Parser
    Generator = _Generator


def parse(text: str) -> exp.Expr:
    """The tree of one statement.

    Raises InvalidScenario for what is not SQL, UnsupportedSQL for several statements.
    """
    try:
        trees = sqlglot.parse(text, dialect=Delta)
    except SqlglotError as error:
        raise _invalid(error) from error
    if len(trees) != 1 or trees[0] is None:
        raise UnsupportedSQL("a transaction is one SQL statement")
    return trees[0]


@lru_cache(maxsize=4096)
def parse_expression(text: str) -> exp.Expr:
    """The tree of an expression, a condition, or a query. Raises InvalidScenario.

    It is not to be changed: others may hold it as well. Change a copy.
    """
    try:
        tree: exp.Expr = sqlglot.parse_one(text, dialect=Delta)
    except SqlglotError as error:
        raise _invalid(error) from error
    return tree


def _invalid(error: SqlglotError) -> InvalidScenario:
    """sqlglot's complaint in one line."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    line = " ".join(plain.split("\n", 1)[0].split())
    return InvalidScenario(f"not valid SQL: {line}", error_class="PARSE_SYNTAX_ERROR")
