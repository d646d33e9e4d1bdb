"""Optimizer rules for dates and timestamps compared through a cast: the constant is cast instead.

Source: UnwrapCastInBinaryComparison.scala, ``unwrapDateToTimestamp`` and
``unwrapTimestampToDate``; the time zone is UTC.
"""

from __future__ import annotations

import datetime

from model.expressions.simplification.shape import FALSE, MIRRORED, falsely
from model.expressions.syntax import And, Cast, Comparison, Expression, Literal
from model.values.types import DATE, TIMESTAMP

_DAY = datetime.timedelta(days=1)


def unwrap_moment_cast(expression: Expression) -> Expression:
    """``CAST(ts AS DATE) = d`` as a range of ``ts``; ``CAST(d AS TIMESTAMP) < ts`` by days."""
    match expression:
        case Comparison(left=Literal() as literal, right=Cast() as cast):
            turned = Comparison(MIRRORED[expression.operator], cast, literal)
            unwrapped = unwrap_moment_cast(turned)
            return expression if unwrapped == turned else unwrapped
        case Comparison(
            operator=op,
            left=Cast(operand=operand, type=type_),
            right=Literal(value=datetime.datetime() as moment),
        ) if operand.type is DATE and type_ is TIMESTAMP:
            return _by_day(op, operand, moment)
        case Comparison(
            operator=op,
            left=Cast(operand=operand, type=type_),
            right=Literal(value=datetime.date() as day),
        ) if operand.type is TIMESTAMP and type_ is DATE and day < datetime.date.max:
            return _by_moment(expression, op, operand, day)
    return expression


def _by_moment(
    expression: Expression, op: str, operand: Expression, day: datetime.date
) -> Expression:
    begins = datetime.datetime(day.year, day.month, day.day)
    start, end = Literal(begins, TIMESTAMP), Literal(begins + _DAY, TIMESTAMP)
    match op:
        case "=":
            return And(Comparison(">=", operand, start), Comparison("<", operand, end))
        case ">":
            return Comparison(">=", operand, end)
        case "<=":
            return Comparison("<", operand, end)
        case ">=" | "<":
            return Comparison(op, operand, start)
    return expression


def _by_day(op: str, operand: Expression, moment: datetime.datetime) -> Expression:
    whole = moment.time() == datetime.time()
    day = Literal(moment.date(), DATE)
    if op in ("=", "<=>") and not whole:
        return falsely(operand) if op == "=" else FALSE
    moved = {">=": ">", "<": "<="}
    return Comparison(op if whole else moved.get(op, op), operand, day)
