"""Conditions that Delta takes no subquery in."""

from __future__ import annotations

from sqlglot import exp

from model.errors import InvalidScenario


def refuse_subqueries(
    node: exp.Expr | None, error_class: str = "DELTA_UNSUPPORTED_SUBQUERY"
) -> None:
    """Raises InvalidScenario where a condition has a subquery, as Delta does when it analyses it.

    Source: DeltaErrors.scala, ``subqueryNotSupportedException``.
    """
    if node is not None and node.find(exp.Select, exp.Subquery, exp.Exists) is not None:
        text = node.sql(dialect="spark")
        raise InvalidScenario(f"{text!r}: no subquery can stand here", error_class=error_class)
