"""Tests of whole files, built from the text of a condition.

A condition and its negation are tested apart, because SQL has three truth values: a row matches
only where the condition is TRUE. So that all rows match, the condition must be TRUE on each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from checker.logs.reads.file_facts import Columns, Facts, typed

Answer = bool | None
"""All rows match, no row matches, or not known."""

Test = Callable[[Facts], Answer]


class NotUnderstood(Exception):
    """The condition has a part that no test is known for."""


def parse(text: str, columns: Columns, loose: bool) -> Test | None:
    """The test of a condition; None if it is not understood.

    With ``loose`` literals of text may stand without quotes, so that a comparison with text is
    not trusted.
    """
    try:
        tree = sqlglot.parse_one(text, read="spark")
        return _Builder(columns, loose).test(tree, negated=False)
    except (SqlglotError, NotUnderstood, RecursionError):
        return None


_COMPARISONS: dict[type[exp.Expr], str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
_NEGATED = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_TURNED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


class _Builder:
    def __init__(self, columns: Columns, loose: bool):
        self.columns = columns
        self.loose = loose

    def test(self, tree: exp.Expr | None, *, negated: bool) -> Test:
        """All rows make the condition (or its negation) TRUE, none does, or not known."""
        match tree:
            case exp.Paren():
                return self.test(tree.this, negated=negated)
            case exp.Not():
                return self.test(tree.this, negated=not negated)
            case exp.And() | exp.Or():
                left = self.test(tree.left, negated=negated)
                right = self.test(tree.right, negated=negated)
                both = isinstance(tree, exp.And) is not negated
                return _both(left, right) if both else _either(left, right)
            case exp.Boolean():
                value = bool(tree.this) is not negated
                return lambda _: value
            case exp.Is(expression=exp.Null()):
                return _null(self.column(tree.this), there=not negated)
            case exp.In() if tree.expressions and not tree.args.get("query"):
                name = self.column(tree.this)
                parts = [
                    _compared(name, "<>" if negated else "=", self.value(element, name))
                    for element in tree.expressions
                ]
                joined = parts[0]
                for part in parts[1:]:
                    joined = _both(joined, part) if negated else _either(joined, part)
                return joined
            case exp.Between():
                name = self.column(tree.this)
                low = self.value(tree.args["low"], name)
                high = self.value(tree.args["high"], name)
                if negated:
                    return _either(_compared(name, "<", low), _compared(name, ">", high))
                return _both(_compared(name, ">=", low), _compared(name, "<=", high))
        if not isinstance(tree, exp.Binary) or type(tree) not in _COMPARISONS:
            raise NotUnderstood
        one, other, operator = tree.left, tree.right, _COMPARISONS[type(tree)]
        if not isinstance(_bare(one), exp.Column):
            one, other, operator = other, one, _TURNED[operator]
        name = self.column(one)
        value = self.value(other, name)
        return _compared(name, _NEGATED[operator] if negated else operator, value)

    def column(self, tree: exp.Expr) -> str:
        column = _bare(tree)
        if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier):
            raise NotUnderstood
        name = column.name.lower()
        if column.args.get("db") or name not in self.columns.types:
            raise NotUnderstood
        return name

    def value(self, tree: exp.Expr, column: str) -> Any:
        """A literal as a value of the column's type."""
        kind = self.columns.types[column]
        bare = _bare(tree)
        if isinstance(bare, exp.Cast):
            bare = _bare(bare.this)
        if self.loose and kind in ("string", "date"):
            raise NotUnderstood
        negative = isinstance(bare, exp.Neg)
        if isinstance(bare, exp.Neg):
            bare = _bare(bare.this)
        if isinstance(bare, exp.Boolean):
            result = typed(str(bare.this).lower(), kind)
        elif isinstance(bare, exp.Literal):
            if kind == "string" and not bare.is_string:
                raise NotUnderstood  # Compared as numbers, then.
            result = typed(f"-{bare.name}" if negative else bare.name, kind)
        else:
            raise NotUnderstood
        if result is None:
            raise NotUnderstood
        return result


def _bare(tree: exp.Expr) -> exp.Expr:
    while isinstance(tree, exp.Paren):
        tree = tree.this
    return tree


def _both(left: Test, right: Test) -> Test:
    def test(facts: Facts) -> Answer:
        first = left(facts)
        if first is False:
            return False
        second = right(facts)
        if second is False:
            return False
        return True if first and second else None

    return test


def _either(left: Test, right: Test) -> Test:
    def test(facts: Facts) -> Answer:
        first = left(facts)
        if first:
            return True
        second = right(facts)
        if second:
            return True
        return False if first is False and second is False else None

    return test


def _null(column: str, *, there: bool) -> Test:
    def test(facts: Facts) -> Answer:
        bounds = facts.bounds(column)
        if bounds is None:
            return None
        _, _, some_null, some_value = bounds
        if some_null and some_value:
            return None
        return some_null is there

    return test


def _compared(column: str, operator: str, value: Any) -> Test:
    def test(facts: Facts) -> Answer:
        bounds = facts.bounds(column)
        if bounds is None:
            return None
        low, high, some_null, some_value = bounds
        if not some_value:
            return False
        every, some = _range(operator, low, high, value)
        if not some:
            return False
        return True if every and not some_null else None

    return test


def _range(operator: str, low: Any, high: Any, value: Any) -> tuple[bool, bool]:
    """Two answers: every value from low to high compares so; some value may."""
    match operator:
        case "=":
            return low == value == high, low <= value <= high
        case "<>":
            return value < low or high < value, not low == value == high
        case "<":
            return high < value, low < value
        case "<=":
            return high <= value, low <= value
        case ">":
            return low > value, high > value
    return low >= value, high >= value
