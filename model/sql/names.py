"""Names of tables in statements: which tables a statement mentions, and the same under other names.

A name has one part or several (``main.sales.orders``), of which each may be in backquotes. Case
does not count. Names that WITH gives to queries are not names of tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import SqlglotError

from model.errors import InvalidScenario
from model.sql.dialect import Delta
from model.sql.printer import syntax, taken_apart

Name = tuple[str, ...]
"""The parts of a name, in lower case."""


@dataclass(frozen=True, slots=True)
class _Replacement:
    start: int
    end: int
    text: str


def name_of(text: str) -> Name:
    """The name that a text such as ``main.`my orders``` is. Raises InvalidScenario."""
    try:
        table = exp.to_table(text, dialect=Delta)
    except SqlglotError as error:
        raise InvalidScenario(f"{text!r} is not the name of a table") from error
    return _parts(table)


def written_table(text: str) -> Name | None:
    """The table that a statement writes; None for a query, and for what is not understood."""
    try:
        tree = syntax(text).tree
    except InvalidScenario:
        return None
    target = _target(tree)
    return None if target is None else _parts(target)


def mentioned_tables(text: str) -> frozenset[Name]:
    """The tables that a statement reads or writes; none for a text that is not understood."""
    try:
        tree = syntax(text).tree
    except InvalidScenario:
        return frozenset()
    return frozenset(_parts(table) for table in _tables(tree))


def renamed(text: str, names: Mapping[Name, str]) -> str:
    """A statement in which tables have other names; everything else is as it was written.

    Columns that are qualified by the name of a table follow it.
    """
    try:
        tree = syntax(text).tree
    except InvalidScenario:
        return text  # Said of the statement where it is parsed.
    body = taken_apart(text)[1]
    start = text.find(body)
    for change in sorted(_replacements(tree, names), key=lambda c: -c.start):
        left, right = text[: start + change.start], text[start + change.end :]
        text = left + change.text + right
    return text


def _replacements(tree: exp.Expr, names: Mapping[Name, str]) -> Iterator[_Replacement]:
    qualifiers: dict[str, str] = {}
    aliases = {node.alias.lower() for node in tree.find_all(exp.Table, exp.Subquery) if node.alias}
    for table in _tables(tree):
        parts = _parts(table)
        new = names.get(parts)
        if new is None or parts == (new.lower(),):
            continue
        if not table.alias and parts[-1] not in aliases:
            qualifiers[parts[-1]] = new
        yield _over(table.parts, new)
    for column in tree.find_all(exp.Column):
        new = qualifiers.get(column.table.lower())
        if new is not None:
            yield _over(column.parts[:-1], new)


def _over(parts: list[exp.Expr], new: str) -> _Replacement:
    """The replacement of everything from the first part to the last one."""
    first, last = parts[0].meta, parts[-1].meta
    return _Replacement(first["start"], last["end"] + 1, new)


def _tables(tree: exp.Expr) -> Iterator[exp.Table]:
    own = {cte.alias.lower() for cte in tree.find_all(exp.CTE)}
    for table in tree.find_all(exp.Table):
        named = all(isinstance(part, exp.Identifier) and part.meta for part in table.parts)
        if named and not (len(table.parts) == 1 and table.name.lower() in own):
            yield table


def _parts(table: exp.Table) -> Name:
    return tuple(part.name.lower() for part in table.parts)


def _target(tree: exp.Expr) -> exp.Table | None:
    if isinstance(tree, exp.Query | exp.Command):
        return None
    if isinstance(tree, exp.TruncateTable):
        tree = exp.Paren(this=tree.expressions[0]) if tree.expressions else tree
    target = tree.this
    target = target.this if isinstance(target, exp.Schema) else target
    return target if isinstance(target, exp.Table) else None
