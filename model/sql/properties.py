"""Table properties as a statement writes them: keys and values of TBLPROPERTIES."""

from __future__ import annotations

from collections.abc import Iterable

from sqlglot import exp

from model.errors import UnsupportedSQL


def properties_of(nodes: Iterable[exp.Expr]) -> dict[str, str]:
    """The pairs of a TBLPROPERTIES clause. Raises UnsupportedSQL for anything else in it."""
    pairs: dict[str, str] = {}
    for node in nodes:
        if type(node) is not exp.Property:
            raise UnsupportedSQL(f"{node.sql(dialect='spark')!r} is not a property")
        pairs[key_of(node.this)] = _value(node.args["value"])
    return pairs


def key_of(node: exp.Expr) -> str:
    """A property's key: a text, or names joined by dots."""
    if isinstance(node, exp.Literal | exp.Identifier | exp.Var):
        return node.name
    return node.sql(dialect="spark").replace("`", "")


def _value(node: exp.Expr) -> str:
    if isinstance(node, exp.Literal | exp.Identifier | exp.Var):
        return node.name
    return node.sql(dialect="spark").lower()
