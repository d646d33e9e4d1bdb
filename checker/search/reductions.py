"""Statements made one step smaller: a row, a clause, a condition or a part of one less.

Nothing here looks at a table, so not all that is yielded is valid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice

from sqlglot import exp

from model.errors import InvalidScenario
from model.sql.dialect import Restore
from model.sql.printer import Syntax, definition, printed, syntax

Edit = Callable[[exp.Expr], "exp.Expr | None"]
"""A change of a node in place; where the node is to be replaced, it returns what by."""


def simpler_statements(sql: str) -> Iterator[str]:
    """Statements that are one step simpler, the largest steps first.

    None of what cannot be read, or printed again.
    """
    try:
        statement = syntax(sql)
        statement.sql()
    except InvalidScenario:
        return  # A scenario may be about the error that it leads to.
    if statement.settings:
        yield Syntax((), statement.tree).sql()
    for tree in simpler_trees(statement.tree):
        yield Syntax(statement.settings, tree).sql()


def simpler_trees(tree: exp.Expr) -> Iterator[exp.Expr]:
    """Trees with one part less, those first in which the part is near the top."""
    for place, node in enumerate(tree.walk()):
        for edit in _edits(node):
            copy = tree.copy()
            changed = next(islice(copy.walk(), place, None))
            new = edit(changed)
            if new is not None:
                copy = _replaced(copy, changed, new)
            yield copy


def simpler_columns(columns: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The columns without one of them, or with one that is not generated, handed out or required.

    What statements say of a column that is gone no longer fits: such scenarios are invalid.
    Raises InvalidScenario for a text that declares no column.
    """
    for name, text in columns.items():
        yield {other: type_ for other, type_ in columns.items() if other != name}
        declared = definition(text)
        if declared.constraints:
            yield {**columns, name: printed(declared.args["kind"])}


def _edits(node: exp.Expr) -> Iterator[Edit]:
    match node:
        case exp.Values() | exp.Whens() | exp.Update():
            yield from _shorter(node)
        case exp.In():
            yield from _shorter(node)
        case exp.When() if node.args.get("condition") is not None:
            yield lambda when: when.set("condition", None)
        case exp.Where() | exp.Having():
            yield _dropping
        case exp.Union() | exp.And() | exp.Or():
            yield lambda whole: whole.expression
            yield lambda whole: whole.this
        case exp.Not():
            yield lambda negation: negation.this
        case exp.Between():
            yield lambda between: exp.GTE(this=between.this, expression=between.args["low"])
            yield lambda between: exp.LTE(this=between.this, expression=between.args["high"])
        case Restore() if node.args.get("version") is not None:
            for version in range(int(node.args["version"].name)):
                yield _restoring(version)


def _dropping(clause: exp.Expr) -> None:
    clause.pop()


def _shorter(node: exp.Expr) -> Iterator[Edit]:
    """Edits that take one element out of a list of several."""

    def without(place: int) -> Edit:
        def edit(changed: exp.Expr) -> None:
            left = changed.expressions
            changed.set("expressions", left[:place] + left[place + 1 :])

        return edit

    if len(node.expressions) > 1:
        yield from map(without, range(len(node.expressions)))


def _restoring(version: int) -> Edit:
    def edit(restore: exp.Expr) -> None:
        restore.set("version", exp.Literal.number(version))

    return edit


def _replaced(tree: exp.Expr, node: exp.Expr, new: exp.Expr) -> exp.Expr:
    """The tree with one node replaced, in the parentheses that it needs and no others."""
    while isinstance(node.parent, exp.Paren):
        node = node.parent
    new = new.unnest().copy()
    parent = node.parent
    if parent is None:
        return new
    node.replace(exp.paren(new) if _looser(new, parent) else new)
    return tree


_OPERATORS = exp.Binary | exp.Unary | exp.In | exp.Between


def _looser(inner: exp.Expr, outer: exp.Expr) -> bool:
    """Whether an operator inside another one needs parentheses around it."""
    match outer:
        case exp.Or():
            return False
        case exp.And():
            return isinstance(inner, exp.Or)
        case exp.Not():
            return isinstance(inner, exp.Connector)
    return isinstance(outer, _OPERATORS) and isinstance(inner, _OPERATORS)
